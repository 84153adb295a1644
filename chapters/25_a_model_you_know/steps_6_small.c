// Chapter 25, steps 6 and 7. Mistakes that are too small to see, and those that a reader of folders must refuse.
#include "base/portable_math.h"
#include "io/file.h"
#include "steps.h"

#include <string.h>

// ---- 6

typedef enum { EXACT_GELU, EPS_BERT, WINDOW_OFF, POSITION_OFF, SMALL_MISTAKES } Small;
// clang-format off
static const char *const small_names[SMALL_MISTAKES] = {
    "GELU exact, not its tanh form", "ε = 10⁻¹², not 10⁻⁵", "a window of 9 for 8", "places from 1 on, not 0",
};
// clang-format on

// Both see windows where the mistake is about windows: the right one of 8 keys.
static PretrainedModel *with_window(Arena *arena, const PretrainedModel *model, int W)
{
    PretrainedModel *copy = look_alike(arena, model);
    int *window = arena_alloc(arena, (size_t)model->is.L * sizeof *window);
    for (int l = 0; l < model->is.L; l++) window[l] = W;
    copy->is.window = window;
    return copy;
}

static double error_of(const Random2 *gpt2, Small which, int *words_changed)
{
    Arena *scratch = arena_open();
    PretrainedModel *right = with_window(scratch, gpt2->published, which == WINDOW_OFF ? 8 : 0);
    PretrainedModel *wrong = with_window(scratch, gpt2->published, which == WINDOW_OFF ? 9 : 0);
    if (which == EXACT_GELU) wrong->is.activation = ACTIVATION_GELU;
    if (which == EPS_BERT) wrong->is.eps = 1e-12;
    if (which == POSITION_OFF) wrong->is.first_place = 1;
    Mat want = all_logits(scratch, right, gpt2->tokens, gpt2->T);
    Mat got = all_logits(scratch, wrong, gpt2->tokens, gpt2->T);
    double error = off_by(got, want);
    *words_changed = 0;
    for (int t = 0; t < gpt2->T; t++) *words_changed += mat_argmax(got, t) != mat_argmax(want, t);
    arena_close(scratch);
    return error;
}

// x from −6 to 6 and both forms of GELU, for --dump; the largest difference.
static double gelu_forms(Lesson *lesson, double *at)
{
    enum { POINTS = 1201 };
    Mat forms = mat_new(lesson->arena, 3, POINTS);
    double most = 0.0;
    for (int i = 0; i < POINTS; i++) {
        double x = -6.0 + 0.01 * i, exact = 0.5 * x * (1.0 + erf(x / sqrt(2.0)));
        double tanh_form = 0.5 * x * (1.0 + tanh(sqrt(2.0 / acos(-1.0)) * (x + 0.044715 * x * x * x)));
        *mat_ref(forms, 0, i) = (float)x;
        *mat_ref(forms, 1, i) = (float)exact;
        *mat_ref(forms, 2, i) = (float)tanh_form;
        if (fabs(exact - tanh_form) <= most) continue;
        most = fabs(exact - tanh_form);
        *at = fabs(x);
    }
    trace_mat(lesson->trace, "gelu", forms);
    return most;
}

enum { SEEDS = 6, SIZES = 2 };
static const double sizes[SIZES] = { 1.0, 0.1 };

// Of each mistake at each size the mean error of so many models, and how many of their likeliest words change.
typedef struct {
    double error[SMALL_MISTAKES][SIZES];
    int words[SMALL_MISTAKES][SIZES];
} SmallErrors;

static SmallErrors measured(Lesson *lesson)
{
    SmallErrors sum = { .words = { { 0 } } };
    for (int n = 0; n < SEEDS * SIZES; n++) {
        int s = n % SIZES;
        Random2 gpt2 = random_gpt2(lesson, sizes[s], 2501u + 100u * (unsigned)(n / SIZES));
        for (int m = 0; m < SMALL_MISTAKES; m++) {
            int changed;
            sum.error[m][s] += error_of(&gpt2, (Small)m, &changed) / SEEDS;
            sum.words[m][s] += changed;
        }
    }
    return sum;
}

void too_small_to_see(Lesson *lesson)
{
    step(lesson, "Too small to see");
    static const char *const columns[] = { "size 1", "words", "a tenth", "words" };
    double at = 0.0;
    say(lesson,
        "%d GPT-2s of random numbers: L = 2, D = 32, H = 4, each saved as such a folder; once with weights of "
        "deviation 1/√inputs, once with a tenth of it. Each reads 24 tokens, 144 in all. GPT-2 has no window: for the "
        "third row all of them are given one.",
        SEEDS);
    SmallErrors got = measured(lesson);
    Rows rows = rows_of(lesson, "mean error, of the largest logit; likeliest words that change", columns, 4);
    rows.table.decimals = 6;
    rows.table.whole = 10;
    for (int m = 0; m < SMALL_MISTAKES; m++)
        rows_add(&rows, ROW(got.error[m][0], got.words[m][0], got.error[m][1], got.words[m][1]), "%s", small_names[m]);
    show_rows(lesson, &rows);
    double most = gelu_forms(lesson, &at);
    const double *gelu = got.error[EXACT_GELU], *eps = got.error[EPS_BERT];
    check(lesson, most > 4.7e-4 && most < 4.8e-4, "GELU and its tanh form differ by %.6f at most, near x = ±%.1f", most,
          at);
    check(lesson, gelu[0] > 2e-5 && gelu[0] < 1e-3 && eps[0] > 2e-5 && eps[0] < 1e-3,
          "at size 1 both small mistakes pass wherever 10⁻³ is near enough, and none where 2 · 10⁻⁵ is asked");
    check(lesson, gelu[1] < gelu[0] / 30 && gelu[1] < 2e-5 && eps[1] > 2e-5,
          "with a tenth a wrong GELU hides from 2 · 10⁻⁵, too; a wrong ε does not");
}

// ---- 7

// What is put in the place of a part of model C's config.json; the sentence must name `names`. NULL: nobody can tell.
typedef struct {
    const char *said, *old, *new, *names;
} Edit;

static const Edit edits[] = {
    { "hidden_act: mish", "\"silu\"", "\"mish\"", "hidden_act" },
    { "num_hidden_layers: 3", "layers\": 2", "layers\": 3", "layers.2" },
    { "num_key_value_heads: 4", "value_heads\": 2", "value_heads\": 4", "k_proj" },
    { "head_dim: 8", "head_dim\": 16", "head_dim\": 8", "q_proj" },
    { "model_type: mamba", "\"llama\"", "\"mamba\"", "model_type" },
    { "model_type: olmo2", "\"llama\"", "\"olmo2\"", "q_norm" },
    { "model_type: qwen2", "\"llama\"", "\"qwen2\"", "q_proj.bias" },
    { "model_type: gemma", "\"llama\"", "\"gemma\"", NULL },
    { "rope_theta: 500000", "rope_theta\": 10000", "rope_theta\": 500000", NULL },
    { "rms_norm_eps: 1e-05", "1e-06", "1e-05", NULL },
};
enum { EDITS = sizeof edits / sizeof *edits, SHOWN_EDIT = 2 };

static const char *replaced(Lesson *lesson, const char *text, const Edit *edit)
{
    const char *at = strstr(text, edit->old);
    REQUIRE(at, "there is no %s in the config", edit->old);
    return arena_format(lesson->arena, "%.*s%s%s", (int)(at - text), text, edit->new, at + strlen(edit->old));
}

// Model C's folder with one thing changed. NULL: what it says is refused, and `error` says why.
static PretrainedModel *open_edited(Lesson *lesson, const Subject *c, int n, Error *error)
{
    FileBytes config;
    PretrainedModel *model;
    const char *folder = export_hf_folder(lesson, "edited"),
               *path = arena_format(lesson->arena, "%s/config.json", folder);
    export_hf_write_model_c(lesson, c->model, folder);
    if (!file_read(&config, lesson->arena, path, error)) lesson_fail(error);
    const char *text = replaced(lesson, (const char *)config.at, &edits[n]);
    if (!file_write(path, text, strlen(text), error)) lesson_fail(error);
    bool opened = pretrained_open(&model, lesson->arena, folder, error);
    if (!opened && error->why) lesson_fail(error); // by the system, which says nothing of the folder
    export_hf_folder_gone(folder);
    return opened ? model : NULL;
}

// One line for one edit. False where an edit that must be refused was not, or the other way round.
static bool try_edit(Lesson *lesson, const Subject *c, Mat right, int n, const char **line, const char **sentence)
{
    Error error;
    PretrainedModel *model = open_edited(lesson, c, n, &error);
    const char *said = arena_format(lesson->arena, "%-24s", edits[n].said);
    if (!model) {
        const char *file = strstr(error.text, "edited");
        *sentence = arena_format(lesson->arena, "%s", file ? file : error.text);
        *line = arena_format(lesson->arena, "%s refused; named is %s\n", said,
                             edits[n].names && strstr(error.text, edits[n].names) ? edits[n].names : error.text);
        return edits[n].names && strstr(error.text, edits[n].names);
    }
    double off = off_by(all_logits(lesson->arena, model, c->document.words, c->T), right);
    *line = arena_format(lesson->arena, "%s opens; error %.4f\n", said, off);
    return !edits[n].names;
}

void what_is_refused(Lesson *lesson, const Subject *c)
{
    step(lesson, "What is refused");
    const char *lines = "", *shown = "";
    Mat right = all_logits(lesson->arena, c->published, c->document.words, c->T);
    int refused = 0;
    bool as_said = true;
    for (int n = 0; n < EDITS; n++) {
        const char *line, *sentence = "";
        as_said = try_edit(lesson, c, right, n, &line, &sentence) && as_said;
        if (n == SHOWN_EDIT) shown = sentence;
        refused += edits[n].names != NULL;
        lines = arena_format(lesson->arena, "%s%s", lines, line);
    }
    say_lines(lesson, lines);
    say(lesson, "The third sentence: …/%s.", shown);
    check(lesson, as_said, "%d of these are refused, each in one sentence; of the other %d only numbers tell", refused,
          EDITS - refused);
}
