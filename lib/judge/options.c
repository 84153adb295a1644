// The flags of attend, and which of them require each other.
#include "judge/options.h"

#include "kernels/kernels.h"

#include <float.h>
#include <limits.h>

enum { MOST_KERNELS = 32 };

// Names for --kernel, in the order of their indices. Only softmax attention in float32 can be the judge.
static const char *const *kernel_names(void)
{
    static const char *names[MOST_KERNELS + 2] = { "float64" };
    REQUIRE(attention_kernels_count <= MOST_KERNELS, "%d kernels", attention_kernels_count);
    int count = 1;
    for (int i = 0; i < attention_kernels_count; i++)
        if (attention_kernel_exact(&attention_kernels[i])) names[count++] = attention_kernels[i].name;
    return names;
}

static const char ABOVE[] = "attend: is your attention right?\n\n"
                            "usage: attend --q q.npy --k k.npy --v v.npy --heads H [--compare yours.npy] …\n\n"
                            "Computes softmax(q kᵀ / √d + mask) v in float64, compares your result with it,\n"
                            "and looks for the mistake that gives your numbers. Arrays are float16, float32\n"
                            "or float64: q holds T queries for each of H heads of width d, k and v hold S\n"
                            "keys and values for each of G heads; values may be of another width. Query i\n"
                            "stands at position p = i + S − T among the keys, so the last query stands at\n"
                            "the last key. A query that sees no key gets 0.\n";

static const char BELOW[] = "exit status: 0 when all is within tolerance, or nothing was compared; 1 when\n"
                            "something is not; 2 for a wrong flag, bad data, or a result that cannot be\n"
                            "written\n";

static FlagsRead read_words(AttendOptions *o, int argc, char **argv, Error *error)
{
    enum { MOST = INT_MAX / 4 };
    int kernel = 0;
    const Flag flags[] = {
        flag_needed(flag_input("q", &o->q, "FILE.npy", "queries")),
        flag_needed(flag_input("k", &o->k, "FILE.npy", "keys")),
        flag_needed(flag_input("v", &o->v, "FILE.npy", "values")),
        flag_needed(flag_count("heads", &o->heads, 1, MOST, "H", "query heads")),
        flag_count("kv-heads", &o->kv_heads, 1, MOST, "G",
                   "key and value heads; must divide H (default: H)\nquery head h reads key head h / (H / G)"),
        flag_text("layout", &o->layout, "AXES",
                  "the axes in their order: one of T,Hd  H,T,d  T,H,d  B,T,Hd\n"
                  "B,H,T,d  B,T,H,d (default: told from the shapes, H and G)"),
        flag_switch("causal", &o->causal, "key j is hidden from query i when j > p"),
        flag_count("window", &o->window, 1, MOST, "W",
                   "keys W or more away are hidden: with --causal the keys\n"
                   "p − W + 1 … p remain, without it p − W + 1 … p + W − 1"),
        flag_count("sinks", &o->sinks, 0, MOST, "N", "with --window: the first N keys stay in sight"),
        flag_switch("alibi", &o->alibi, "−2^(−8 (h + 1) / H) · |p − j| is added to a score of head h"),
        flag_given(flag_real("scale", &o->scale, -DBL_MAX, DBL_MAX, "X",
                             "what q · k is multiplied with (default: 1/√d)"),
                   &o->has_scale),
        flag_input("key-lengths", &o->lengths, "FILE.npy",
                   "(B) whole numbers: sequence b has that many keys, the\nothers are filler and hidden; p does not "
                   "change"),
        flag_choice("kernel", &kernel, kernel_names(), "NAME",
                    "what computes (default: float64, own loops, from the definition):"),
        flag_output("out", &o->out, "FILE.npy", "write the output, in the layout of q"),
        flag_output("weights", &o->weights, "FILE.npy", "write the weights, (B, H, T, S), or (H, T, S) if q has no B"),
        flag_output("lse", &o->lse, "FILE.npy", "write log Σ exp(score), (B, H, T), or (H, T) if q has no B"),
        flag_input("compare", &o->compare, "FILE.npy", "your output, in one of the layouts"),
        flag_input("compare-weights", &o->compare_weights, "FILE.npy", "your weights, shaped as --weights writes them"),
        flag_input("compare-lse", &o->compare_lse, "FILE.npy", "your logsumexp, shaped as --lse writes it"),
        flag_given(flag_real("rtol", &o->rtol, 0, DBL_MAX, "R", "yours may be off by A + R · |ours|"), &o->has_rtol),
        flag_given(flag_real("atol", &o->atol, 0, DBL_MAX, "A",
                             "(default: R 1e-4, A 1e-5; R 1e-2, A 1e-3 where your file is\nfloat16)"),
                   &o->has_atol),
    };
    FlagsRead read = flags_read(&(Flags){ ABOVE, BELOW, 19, flags, sizeof flags / sizeof *flags }, argc, argv, error);
    o->kernel = kernel_names()[kernel];
    return read;
}

// Checks flags that require each other.
static bool check_dependencies(const AttendOptions *o, Error *error)
{
    if (o->heads % o->kv_heads)
        return error_set(error,
                         "--heads %d is not divisible by --kv-heads %d: every key head needs as many query "
                         "heads",
                         o->heads, o->kv_heads);
    if (o->sinks && !o->window)
        return error_set(error, "--sinks %d needs --window: without one the first keys are in sight anyway", o->sinks);
    bool compares = o->compare || o->compare_weights || o->compare_lse;
    if ((o->has_rtol || o->has_atol) && !compares)
        return error_set(error, "--%s needs --compare: nothing is compared", o->has_rtol ? "rtol" : "atol");
    return compares || o->out || o->weights || o->lse ||
           error_set(error, "there is nothing to do: give --compare, --out, --weights or --lse");
}

FlagsRead attend_options_read(AttendOptions *o, int argc, char **argv, Error *error)
{
    *o = (AttendOptions){ 0 };
    FlagsRead read = read_words(o, argc, argv, error);
    if (!o->kv_heads) o->kv_heads = o->heads;
    return read == FLAGS_FINE && !check_dependencies(o, error) ? FLAGS_WRONG : read;
}
