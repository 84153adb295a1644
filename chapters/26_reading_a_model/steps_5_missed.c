// Chapter 26, step 5. What a head says, and what is missed without it: attribution beside ablation, by zero, by the
// mean, and by what it gave elsewhere; and who gives back what was lost.
#include "base/portable_math.h"
#include "language/translator.h"
#include "steps.h"

// Its share, and what the lead loses with 0, the mean, and the twin's in its place. Of 0 and of the twin's: what the
// last MLP gives back, with the divisor of the last norm as it was, and what that divisor gives back. differs: its
// share less that of what it gave in the twin. own, other: the two in … tired [0] and … wide [1].
enum { DIRECT, ZERO, MEAN, TWIN, MLP, NORM, DIFFERS, TWIN_MLP, TWIN_NORM, MEASURES };
typedef struct {
    Sample of[MEASURES], own[BOTH], other[BOTH];
} Missed;

static Mat gates_without(Arena *arena, const Config *c, int n)
{
    Mat gates = mat_new(arena, c->L, c->H);
    mat_fill(gates, 1.0f);
    gates.at[n] = 0.0f;
    return gates;
}

// What heads give on average over other sentences, for a sentence of T words.
static Mat *means_for(Arena *arena, const Mat *means, int L, int T)
{
    Mat *rows = arena_alloc(arena, (size_t)L * sizeof *rows);
    for (int l = 0; l < L; l++) {
        rows[l] = mat_new(arena, T, means[l].cols);
        for (int i = 0; i < T; i++) mat_set(mat_rows(rows[l], i, 1), mat_rows(means[l], 0, 1));
    }
    return rows;
}

static Mat *means_of(Arena *arena, const Translator *b)
{
    enum { SENTENCES = 100, SEED = 7 };
    Random random = random_from(SEED);
    GlossedSentence *s = arena_alloc(arena, SENTENCES * sizeof *s);
    for (int i = 0; i < SENTENCES; i++) grammar_sentence_test(&s[i], &random);
    Run run = run_transformer(arena, b->model, translator_sentences_batch(arena, s, SENTENCES), (Mat){ 0 });
    return run_mean_heads(arena, &run);
}

static double root_mean_square(Mat x, int row)
{
    double sum = 0.0;
    for (int c = 0; c < x.cols; c++) sum += mat_value(x, row, c) * mat_value(x, row, c);
    return sqrt(sum / x.cols);
}

// What a run with a head changed has of the lead: whole, the last MLP and the head with the divisor of the run that was
// not changed; and how much of the whole is due to the divisor.
typedef struct {
    double whole, mlp, head, divisor;
} After;

static After after(Arena *arena, const Run *changed, const Run *run, const Twins *t, int k, int n)
{
    int it = t->s[0].it, last = run->model.config.L - 1;
    ReadingAttribution a = reading_attribution(arena, changed, it, t->s[k].glosses[it], t->s[!k].glosses[it]);
    double divided = root_mean_square(changed->last, it) / root_mean_square(run->last, it);
    return (After){ a.whole, (double)a.mlps.at[last] * divided, (double)a.heads.at[n] * divided,
                    a.whole * (1.0 - divided) };
}

// One sentence, one head.
static void missed_add(Missed *to, const Translator *b, const Mat *means, int row, int n)
{
    Arena *arena = arena_open();
    const Config *c = &b->model.config;
    const Twins *t = &b->pair[row / BOTH];
    int k = row % BOTH;
    const Run *run = &t->run[k];
    Mat gates = gates_without(arena, c, n);
    Run zero = run_after_transformer(arena, run, n / c->H, gates, NULL);
    Run mean = run_after_transformer(arena, run, n / c->H, gates, means_for(arena, means, c->L, t->s[k].T));
    Run twin = reading_head_patched(arena, run, &t->run[!k], n / c->H, n % c->H, -1);
    After was = after(arena, run, run, t, k, n), without = after(arena, &zero, run, t, k, n);
    After other = after(arena, &twin, run, t, k, n);
    const double one[MEASURES] = {
        [DIRECT] = was.head,
        [ZERO] = was.whole - without.whole,
        [MEAN] = was.whole - lead(t, &mean, k),
        [TWIN] = was.whole - other.whole,
        [MLP] = without.mlp - was.mlp,
        [NORM] = without.divisor,
        [DIFFERS] = was.head - other.head,
        [TWIN_MLP] = other.mlp - was.mlp,
        [TWIN_NORM] = other.divisor,
    };
    for (int m = 0; m < MEASURES; m++) sample_add(&to->of[m], one[m]);
    sample_add(&to->own[k], was.head);
    sample_add(&to->other[k], other.head);
    b->swapped[row][n] = other.whole;
    arena_close(arena);
}

static void missed(Missed *of, const Translator *b, Arena *arena)
{
    const Mat *means = means_of(arena, b);
    for (int row = 0; row < BOTH * PAIRS; row++)
        for (int n = 0; n < b->heads; n++) missed_add(&of[n], b, means, row, n);
}

static double is(const Missed *m, int what) { return sample_mean(&m->of[what]); }

static void show_missed(Lesson *lesson, const Translator *b, const Missed *of)
{
    static const char *const cols[] = { "direct", "zero", "mean", "twin's" };
    double error[TWIN + 1] = { 0 };
    Rows rows = rows_of(lesson,
                        arena_format(lesson->arena,
                                     "%s: what it says; what the lead loses with … in its "
                                     "place",
                                     b->name),
                        cols, 4);
    for (int n = 0; n < b->heads; n++) {
        rows_add(&rows, ROW(is(&of[n], DIRECT), is(&of[n], ZERO), is(&of[n], MEAN), is(&of[n], TWIN)), "%s",
                 b->head[n]);
        for (int m = DIRECT; m <= TWIN; m++) error[m] = fmax(error[m], sample_error(&of[n].of[m]));
    }
    show_rows(lesson, &rows);
    say(lesson, "Standard errors: up to %.2f, %.2f, %.2f and %.2f.", error[DIRECT], error[ZERO], error[MEAN],
        error[TWIN]);
}

static void figure_of(Lesson *lesson, const Translator *b, const Missed *of, const char *file)
{
    static const char *const series[] = { "direct", "lost with 0", "lost with the twin's" };
    static const int shown[] = { DIRECT, ZERO, TWIN };
    double values[3 * HEADS_MOST];
    for (int e = 0; e < 3 * b->heads; e++) values[e] = is(&of[e / 3], shown[e % 3]);
    figure_bars(lesson, file,
                arena_format(lesson->arena, "%s: what each head says, and what is lost without it", b->name),
                (PlotBars){ .title = arena_format(lesson->arena, "%s: said and missed", b->name),
                            .y_title = "logits",
                            .groups = b->head,
                            .series = series,
                            .group_count = b->heads,
                            .series_count = 3,
                            .values = values,
                            .decimals = b->heads > 8 ? -1 : 1,
                            .width = 720,
                            .height = 300 });
}

// Of a head of the last layer: what it says, what its MLP and the norm give back, what is lost. first: with 0, from
// DIRECT, MLP, NORM and ZERO; with the twin's, from DIFFERS, TWIN_MLP, TWIN_NORM and TWIN.
static void account(Lesson *lesson, const Translator *b, const Missed *of, const char *name, const int what[4],
                    const char *const *cols)
{
    Rows rows = rows_of(lesson, arena_format(lesson->arena, "%s: %s", b->name, name), cols, 4);
    for (int n = b->model.config.H; n < b->heads; n++)
        rows_add(&rows, ROW(is(&of[n], what[0]), is(&of[n], what[1]), is(&of[n], what[2]), is(&of[n], what[3])), "%s",
                 b->head[n]);
    show_rows(lesson, &rows);
}

// Whether of every head of the last layer that says more than 1 less is lost, and the norm gives back.
static bool given_back(const Translator *b, const Missed *of)
{
    bool less = true;
    for (int n = b->model.config.H; n < b->heads; n++)
        less = less && (is(&of[n], DIRECT) < 1.0 || (is(&of[n], ZERO) < is(&of[n], DIRECT) && is(&of[n], NORM) > 0.0));
    return less;
}

void who_is_missed(Lesson *lesson, const Translator *four, const Translator *eight)
{
    static const char *const with_zero[] = { "says", "MLP gives", "norm gives", "lost" };
    static const char *const with_twin[] = { "differs", "MLP gives", "norm gives", "lost" };
    static const int zeros[] = { DIRECT, MLP, NORM, ZERO }, twins[] = { DIFFERS, TWIN_MLP, TWIN_NORM, TWIN };
    step(lesson, "Who is missed");
    Missed of_four[HEADS_MOST] = { 0 }, of_eight[HEADS_MOST] = { 0 };
    missed(of_four, four, lesson->arena);
    missed(of_eight, eight, lesson->arena);
    say(lesson, "The share of each head at \"it\", and what the lead loses when it gives 0, its mean over all words of "
                "100 other sentences, or what it gave in the twin.");
    show_missed(lesson, four, of_four);
    check(lesson, is(&of_four[0], ZERO) > 4 * is(&of_four[0], DIRECT),
          "without 0.0 more than four times what it says is lost: later parts read it");
    const Missed *both = &of_four[four->model.config.H]; // 1.0
    check(lesson, is(both, ZERO) < 1.5 && is(both, TWIN) > 4 * fabs(is(both, ZERO)),
          "with 0 in the place of 1.0 less than 1.5 is lost, with what the twin gives four times as much");
    figure_of(lesson, four, of_four, "said.png");
    account(lesson, four, of_four, "share less the twin's, less what is given back, is lost", twins, with_twin);
    say(lesson, "In … tired head 1.0 says %.2f, with what it gave in the twin %.2f; in … wide %.2f and %.2f.",
        sample_mean(&both->own[0]), sample_mean(&both->other[0]), sample_mean(&both->own[1]),
        sample_mean(&both->other[1]));
    show_missed(lesson, eight, of_eight);
    figure_of(lesson, eight, of_eight, "said_eight.png");
    account(lesson, eight, of_eight, "what it says, less what is given back, is lost", zeros, with_zero);
    check(lesson, given_back(eight, of_eight),
          "of each head of layer 1 that says more than 1, less is lost than it "
          "says, and the norm gives back");
}
