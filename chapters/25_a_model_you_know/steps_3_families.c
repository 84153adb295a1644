// Chapter 25, steps 3 and 4. The table of families, as the reader of folders has it; and what a config leaves out.
#include "base/portable_math.h"
#include "steps.h"

#include <string.h>

// The numbers of one model of every family, as its config.json gives them: those that are needed.
typedef struct {
    const char *family, *model;
    int year;
    const char *config;
} Example;

#define GPT2_SIZES "\"n_embd\": 768, \"n_layer\": 12, \"n_head\": 12, \"n_positions\": 1024, \"vocab_size\": 50257"
#define SIZES(D, L, H, mlp, words, longest) \
    "\"hidden_size\": " #D ", \"num_hidden_layers\": " #L ", \"num_attention_heads\": " #H \
    ", \"intermediate_size\": " #mlp ", \"vocab_size\": " #words ", \"max_position_embeddings\": " #longest
#define KEYS(G) ", \"num_key_value_heads\": " #G

// clang-format off
static const Example examples[] = {
    { "bert", "base", 2018, SIZES(768, 12, 12, 3072, 30522, 512) },
    { "gpt2", "small", 2019, GPT2_SIZES },
    { "roberta", "base", 2019, SIZES(768, 12, 12, 3072, 50265, 514) },
    { "distilbert", "base", 2019, "\"dim\": 768, \"n_layers\": 6, \"n_heads\": 12, \"hidden_dim\": 3072, "
      "\"vocab_size\": 30522, \"max_position_embeddings\": 512" },
    { "gpt_neo", "125M", 2021, "\"hidden_size\": 768, \"num_layers\": 12, \"num_heads\": 12, \"vocab_size\": 50257, "
      "\"max_position_embeddings\": 2048" },
    { "gptj", "6B", 2021, "\"n_embd\": 4096, \"n_layer\": 28, \"n_head\": 16, \"n_positions\": 2048, "
      "\"vocab_size\": 50400, \"rotary_dim\": 64" },
    { "gpt_neox", "20B", 2022, SIZES(6144, 44, 64, 24576, 50432, 2048)
      ", \"hidden_act\": \"gelu_fast\"" },
    { "opt", "125M", 2022, "\"hidden_size\": 768, \"num_hidden_layers\": 12, \"num_attention_heads\": 12, "
      "\"ffn_dim\": 3072, \"vocab_size\": 50272, \"max_position_embeddings\": 2048" },
    { "bloom", "560M", 2022, "\"n_embed\": 1024, \"n_layer\": 24, \"n_head\": 16, \"vocab_size\": 250880" },
    { "llama", "1, 7B", 2023, SIZES(4096, 32, 32, 11008, 32000, 2048) },
    { "falcon", "7B", 2023, "\"hidden_size\": 4544, \"num_hidden_layers\": 32, \"num_attention_heads\": 71, "
      "\"vocab_size\": 65024, \"multi_query\": true" },
    { "mistral", "7B", 2023, SIZES(4096, 32, 32, 14336, 32000, 32768) KEYS(8) },
    { "phi", "2", 2023, SIZES(2560, 32, 32, 10240, 51200, 2048) ", \"partial_rotary_factor\": 0.4" },
    { "stablelm", "2, 1.6B", 2024, SIZES(2048, 24, 32, 5632, 100352, 4096) KEYS(32) },
    { "starcoder2", "3B", 2024, SIZES(3072, 30, 24, 12288, 49152, 16384) KEYS(2)
      ", \"sliding_window\": 4096" },
    { "gemma", "2B", 2024, SIZES(2048, 18, 8, 16384, 256000, 8192) KEYS(1) },
    { "phi3", "mini", 2024, SIZES(3072, 32, 32, 8192, 32064, 4096) ", \"sliding_window\": 2047" },
    { "llama", "3, 8B", 2024, SIZES(4096, 32, 32, 14336, 128256, 8192) KEYS(8) ", \"rope_theta\": 500000" },
    { "qwen2", "7B", 2024, SIZES(3584, 28, 28, 18944, 152064, 32768) KEYS(4) },
    { "gemma2", "2B", 2024, SIZES(2304, 26, 8, 9216, 256000, 8192) KEYS(4) },
    { "olmo2", "7B", 2024, SIZES(4096, 32, 32, 11008, 100352, 4096) },
    { "qwen3", "0.6B", 2025, SIZES(1024, 28, 16, 3072, 151936, 40960) KEYS(8) ", \"tie_word_embeddings\": true" },
};
// clang-format on

enum { EXAMPLES = sizeof examples / sizeof *examples };

static Architecture parse(Lesson *lesson, const char *family, const char *rest)
{
    Arena *arena = lesson->arena;
    const char *text = arena_format(arena, "{ \"model_type\": \"%s\", %s }", family, rest);
    Json *config;
    Architecture is = { 0 };
    Error error;
    if (!json_parse(&config, arena, text, strlen(text), family, &error) ||
        !architecture_parse(&is, arena, config, family, &error))
        lesson_fail(&error);
    return is;
}

// ---- 3

static const char *where_norms_stand(const FamilyTensorNames *names)
{
    if (names->sum_attention) return "sum";
    return names->before_attention && names->after_attention ? "both" : names->after_attention ? "behind" : "before";
}

static const char *places_text(Arena *arena, const Architecture *is)
{
    switch (is->places) {
    case FAMILY_POSITIONS_LEARNED: return "learned";
    case FAMILY_POSITIONS_ALIBI: return "ALiBi";
    case FAMILY_POSITIONS_NONE: return "none";
    default: break;
    }
    const char *kind = is->places == FAMILY_POSITIONS_ROPE ? "RoPE" : "pairs";
    return is->turned == is->d ? kind : arena_format(arena, "%s %d", kind, is->turned);
}

static const char *mlp_text(const Architecture *is)
{
    static const char *const plain[ACTIVATION_KINDS] = { "GELU", "GELU~", "ReLU", "SiLU" };
    static const char *const gated[ACTIVATION_KINDS] = { "GeGLU", "GeGLU~", "ReGLU", "SwiGLU" };
    return is->gated ? gated[is->activation] : plain[is->activation];
}

static bool windows(const Architecture *is)
{
    for (int l = 0; l < is->L; l++)
        if (is->window[l]) return true;
    return false;
}

static const char *letters(Arena *arena, const Architecture *is)
{
    const struct {
        bool on;
        char letter;
    } all[] = {
        { is->tied, 't' },
        { is->parallel, 'p' },
        { windows(is), 'w' },
        { is->family->names->q_norm != NULL, 'n' },
        { is->score_cap > 0.0, 'c' },
        { is->embedding_scale != 1.0, 's' },
        { !is->causal, 'b' },
        { is->family->columns, 'i' },
    };
    const char *text = "";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].on) text = arena_format(arena, "%s%c", text, all[i].letter);
    return text;
}

// Bytes of the cache a token, in 16 bits, as chapter 12 counts them; of an encoder none.
static int64_t kib_a_token(const Architecture *is)
{
    return is->causal ? (int64_t)4 * is->L * is->G * is->d / 1024 : 0;
}

static const char *row_of(Arena *arena, const Example *e, const Architecture *is)
{
    static const char *const norms[] = { "LN", "RMS", "RMS+1" };
    const char *also = letters(arena, is);
    return arena_format(arena, "%d %-17s %-5s %-6s %-8s %2d %2d %3d %-7s%4lld%s%s\n", e->year,
                        arena_format(arena, "%s %s", e->family, e->model), norms[is->norm],
                        where_norms_stand(is->family->names), places_text(arena, is), is->H, is->G, is->d, mlp_text(is),
                        (long long)kib_a_token(is), *also ? " " : "", also);
}

// Who has which of the newer parts, from the oldest to the newest.
static void figure_years(Lesson *lesson, const Architecture *all)
{
    enum { PARTS = 8 };
    static const char *const parts[PARTS] = { "norm before", "RMSNorm", "RoPE",       "gated MLP",
                                              "shared keys", "windows", "MLP beside", "own output" };
    const char **names = arena_alloc(lesson->arena, EXAMPLES * sizeof *names);
    Mat has = mat_new(lesson->arena, EXAMPLES, PARTS);
    for (int e = 0; e < EXAMPLES; e++) {
        const Architecture *is = &all[e];
        const bool got[PARTS] = { is->family->names->before_attention != NULL,
                                  is->norm != FAMILY_NORM_LAYER,
                                  is->places == FAMILY_POSITIONS_ROPE || is->places == FAMILY_POSITIONS_ROPE_PAIRS,
                                  is->gated,
                                  is->G < is->H,
                                  windows(is),
                                  is->parallel,
                                  !is->tied };
        for (int p = 0; p < PARTS; p++) *mat_ref(has, e, p) = got[p];
        const char *model = examples[e].model, *comma = strchr(model, ',');
        names[e] = arena_format(lesson->arena, "%d %s%.*s", examples[e].year, examples[e].family,
                                comma ? (int)(comma - model) + 1 : 0, arena_format(lesson->arena, " %s", model));
    }
    figure_map(lesson, "years.png", "which model has which part, from 2018 on",
               (Heatmap){ .title = "What changed, and when",
                          .values = has,
                          .row_labels = names,
                          .col_labels = parts,
                          .high = 1.0,
                          .decimals = -1,
                          .cell = 24,
                          .no_bar = true,
                          .colors = COLOR_CIVIDIS,
                          .low_name = "no",
                          .high_name = "yes" });
}

typedef struct {
    int rope_then, rope_now, then, now, shared_then, shared_now, rms_then, rms_now;
} Counts;

static Counts then_and_now(const Architecture *all)
{
    Counts n = { 0 };
    for (int e = 0; e < EXAMPLES; e++) {
        bool now = examples[e].year >= 2023,
             rope = all[e].places == FAMILY_POSITIONS_ROPE || all[e].places == FAMILY_POSITIONS_ROPE_PAIRS;
        bool shared = all[e].G < all[e].H, rms = all[e].norm != FAMILY_NORM_LAYER;
        *(now ? &n.now : &n.then) += 1;
        *(now ? &n.rope_now : &n.rope_then) += rope;
        *(now ? &n.shared_now : &n.shared_then) += shared;
        *(now ? &n.rms_now : &n.rms_then) += rms;
    }
    return n;
}

void table_of_families(Lesson *lesson)
{
    step(lesson, "The table of families");
    Arena *arena = lesson->arena;
    Architecture all[EXAMPLES];
    const char *lines = "year one of them       norm  stands places    H  G   d MLP     KiB\n";
    int known = 0;
    for (int e = 0; e < EXAMPLES; e++) {
        all[e] = parse(lesson, examples[e].family, examples[e].config);
        lines = arena_format(arena, "%s%s", lines, row_of(arena, &examples[e], &all[e]));
    }
    say_lines(lesson, "A norm stands before a branch, behind it, both, or on the sum. RMS+1: gains\n"
                      "are 1 + w. Pairs: RoPE of columns 2m, 2m + 1, not of halves. ~: tanh form.\n"
                      "KiB: cache of a token, in 16 bits; 0: it keeps none.\n"
                      "t output tied   p MLP beside attention   w windows   n norms of q and k\n"
                      "c soft caps   s embeddings × √D   b sees both sides   i weights (in, out)\n");
    say_lines(lesson, lines);
    for (int f = 0; f < family_count; f++)
        for (int e = 0; e < EXAMPLES; e++)
            if (all[e].family == &family_table[f]) {
                known++;
                break;
            }
    Counts n = then_and_now(all);
    check(lesson, known == family_count, "%d rows, one forward: each of them has an example here", known);
    check(lesson, n.rms_then == 0 && n.rope_now > n.rope_then && n.shared_then == 0,
          "of these %d, RoPE: %d of %d until 2022, %d of %d since; RMSNorm %d, then %d; shared key heads %d, then %d",
          EXAMPLES, n.rope_then, n.then, n.rope_now, n.now, n.rms_then, n.rms_now, n.shared_then, n.shared_now);
    figure_years(lesson, all);
    figure_blocks(lesson);
}

// ---- 4

typedef enum { WINDOW, HEAD_WIDTH, TIE, EPSILON, ACTIVATION, TURNED } Asks;
typedef struct {
    const char *family, *said, *rest;
    Asks asks;
    const char *means;
} Silence;

#define SMALL SIZES(512, 2, 8, 1024, 100, 256)

static const Silence silences[] = {
    { "mistral", "no sliding_window", "", WINDOW, "4096 keys" },
    { "mistral", "sliding_window: null", ", \"sliding_window\": null", WINDOW, "all keys" },
    { "qwen2", "sliding_window: 4096", ", \"sliding_window\": 4096", WINDOW, "all keys" },
    { "llama", "no head_dim", "", HEAD_WIDTH, "64" },
    { "qwen3", "no head_dim", "", HEAD_WIDTH, "128" },
    { "gemma", "no head_dim", "", HEAD_WIDTH, "256" },
    { "gemma", "no tie_word_embeddings", "", TIE, "tied" },
    { "llama", "no tie_word_embeddings", "", TIE, "untied" },
    { "llama", "no rms_norm_eps", "", EPSILON, "1e-06" },
    { "phi3", "no rms_norm_eps", "", EPSILON, "1e-05" },
    { "bert", "no hidden_act", "", ACTIVATION, "gelu" },
    { "phi", "no hidden_act", "", ACTIVATION, "gelu_pytorch_tanh" },
    { "phi", "no partial_rotary_factor", "", TURNED, "32 of 64" },
    { "gpt_neox", "no rotary_pct", "", TURNED, "16 of 64" },
};

static const char *answer(Arena *arena, const Architecture *is, Asks asks)
{
    switch (asks) {
    case WINDOW: return is->window[0] ? arena_format(arena, "%d keys", is->window[0]) : "all keys";
    case HEAD_WIDTH: return arena_format(arena, "%d", is->d);
    case TIE: return is->tied ? "tied" : "untied";
    case EPSILON: return arena_format(arena, "%g", is->eps);
    case ACTIVATION: return family_activation_names[is->activation];
    case TURNED: return arena_format(arena, "%d of %d", is->turned, is->d);
    }
    return "";
}

void silent_configs(Lesson *lesson)
{
    step(lesson, "What a config leaves out");
    Arena *arena = lesson->arena;
    const char *lines = "";
    bool right = true;
    for (size_t i = 0; i < sizeof silences / sizeof *silences; i++) {
        const Silence *s = &silences[i];
        Architecture is = parse(lesson, s->family, arena_format(arena, SMALL "%s%s", KEYS(8), s->rest));
        const char *means = answer(arena, &is, s->asks);
        right = right && !strcmp(means, s->means);
        lines = arena_format(arena, "%s%-10s %-26s %s\n", lines, s->family, s->said, means);
    }
    say_lines(lesson, lines);
    check(lesson, right, "absent is not null, and what absent means is a matter of the family");
}
