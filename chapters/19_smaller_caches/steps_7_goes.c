// Chapter 19, step 7. Who goes when the cache is full: the lightest, the oldest, one at random, the heaviest.
#include "base/portable_math.h"
#include "language/documents.h"
#include "steps.h"

enum { BUDGETS = 6, MAP = 48 };
static const int BUDGET[BUDGETS] = { 8, 16, 32, 48, 64, 96 };

// ---- one head: who is there, and who is looked at

typedef struct {
    Mat weights, gone;
    int kept;
} Kept;

// The first tokens of a document, layer 0, through a cache of that budget: weights (H MAP, MAP), 0 for those that are
// gone; gone: 1 where a key is out of sight or no longer there.
static Kept kept_of(Lesson *lesson, const Run *run, EvictPolicy policy, int budget)
{
    const Config *c = &run->model.config;
    Arena *arena = lesson->arena;
    int d = c->D / c->H, D = c->D;
    Mat qkv = mat_rows(run->layers[0].qkv, 0, MAP);
    EvictingCache cache = evicting_new(arena, policy, budget, c->G, c->G * d, c->G * d, 1);
    Kept kept = { mat_new(arena, c->H * MAP, MAP), mat_new(arena, c->H * MAP, MAP), 0 };
    Mask *masks = arena_alloc(arena, (size_t)c->H * sizeof *masks);
    for (int h = 0; h < c->H; h++) masks[h] = config_mask(c, 0, h);
    evicting_attend((Attended){ .out = mat_new(arena, MAP, D), .weights = kept.weights }, &cache, mat_cols(qkv, 0, D),
                    mat_cols(qkv, D, c->G * d), mat_cols(qkv, D + c->G * d, c->G * d), c->H, masks, attention_naive);
    for (int i = 0; i < c->H * MAP; i++)
        for (int j = 0; j < MAP; j++) *mat_ref(kept.gone, i, j) = *mat_ref(kept.weights, i, j) == 0.0f;
    kept.kept = cache.kept;
    return kept;
}

static void figure_kept(Lesson *lesson, const Run *run, int budget)
{
    enum { SHOWN = 2 };
    static const EvictPolicy policies[SHOWN] = { EVICT_LIGHTEST, EVICT_OLDEST };
    const char *words[MAP];
    for (int t = 0; t < MAP; t++) words[t] = document_word_text(run->batch.tokens[t]);
    Heatmap maps[SHOWN];
    for (int p = 0; p < SHOWN; p++) {
        Kept kept = kept_of(lesson, run, policies[p], budget);
        maps[p] =
            (Heatmap){ .title = arena_format(lesson->arena, "%s, %d are kept", evicting_names[policies[p]], budget),
                       .values = mat_rows(kept.weights, 0, MAP),
                       .hidden = mat_rows(kept.gone, 0, MAP),
                       .hidden_title = "not there",
                       .row_labels = words,
                       .col_labels = words,
                       .row_title = "query (attends from)",
                       .col_title = "key (attended to)",
                       .colors = COLOR_VIRIDIS,
                       .low = 0,
                       .high = 1,
                       .decimals = -1,
                       .cell = 9,
                       .bar_title = "weight" };
    }
    figure_maps(lesson, "kept.png", "one head: which keys are still there when a query looks", NULL, maps, SHOWN, 2);
}

// ---- what it costs

static void figure_budgets(Lesson *lesson, double above[EVICT_POLICIES][BUDGETS])
{
    double x[BUDGETS];
    PlotSeries series[EVICT_POLICIES];
    for (int b = 0; b < BUDGETS; b++) x[b] = BUDGET[b];
    for (int p = 0; p < EVICT_POLICIES; p++)
        series[p] = (PlotSeries){ .name = evicting_names[p], .x = x, .y = above[p], .count = BUDGETS };
    figure_plot(lesson, "budgets.png", "loss above that with all tokens, by how many are kept",
                (Plot){ .title = "Model C, documents of 128 tokens",
                        .x_title = "tokens kept",
                        .y_title = "loss above all tokens', nats a word",
                        .series = series,
                        .count = EVICT_POLICIES,
                        .log_x = true,
                        .y_low = 0 });
}

static void a_model_with_few(Lesson *lesson, Transformer model, const Choices *choices)
{
    enum { FEW = 8 };
    RunBatch documents = documents_of(lesson->arena, FEW);
    Way way = { .keeping = KEEP_SOME, .policy = (EvictPolicy)choices->policy, .budget = choices->budget };
    Measured full = measure_way(model, documents, (Way){ .keeping = KEEP_FLOATS }),
             some = measure_way(model, documents, way);
    say(lesson,
        "Here and now, %d documents, %s, %d kept: %.4f above all tokens' loss, %.0f bytes a token of text "
        "instead of %.0f.",
        FEW, evicting_names[choices->policy], choices->budget, some.loss - full.loss, some.bytes, full.bytes);
}

void who_goes(Lesson *lesson, Transformer model, TableRows rows, const Choices *choices)
{
    step(lesson, "Who goes");
    Arena *arena = lesson->arena;
    double full = from_table(rows, "float32").loss, above[EVICT_POLICIES][BUDGETS];
    const char *cols[BUDGETS];
    for (int b = 0; b < BUDGETS; b++) cols[b] = arena_format(arena, "%d", BUDGET[b]);
    Rows table = rows_of(lesson, "loss above that with all 128 tokens, by how many are kept", cols, BUDGETS);
    table.table.decimals = 3;
    for (int p = 0; p < EVICT_POLICIES; p++) {
        for (int b = 0; b < BUDGETS; b++)
            above[p][b] = from_table(rows, arena_format(arena, "%s, %d", evicting_names[p], BUDGET[b])).loss - full;
        rows_add(&table, above[p], "%s", evicting_names[p]);
    }
    show_rows(lesson, &table);
    bool best = true, worst = true, mean = true;
    for (int b = 0; b < BUDGETS; b++) {
        for (int p = 0; p <= EVICT_HEAVIEST && BUDGET[b] >= 32; p++) {
            best = best && above[EVICT_LIGHTEST][b] <= above[p][b];
            worst = worst && above[EVICT_HEAVIEST][b] >= above[p][b];
        }
        if (BUDGET[b] < 96) mean = mean && above[EVICT_LIGHTEST_MEAN][b] < above[EVICT_LIGHTEST][b];
    }
    check(lesson, best && worst, "from 32 tokens up H2O loses less than recent and random, its spiteful opposite most");
    check(lesson,
          above[EVICT_LIGHTEST][0] > above[EVICT_OLDEST][0] && above[EVICT_LIGHTEST][0] > above[EVICT_HEAVIEST][0],
          "with 8 the order turns round: H2O loses %.3f, its opposite %.3f", above[EVICT_LIGHTEST][0],
          above[EVICT_HEAVIEST][0]);
    check(lesson, mean, "up to 64 the mean weight of a query is a better guide than the sum");
    Run run = run_transformer(arena, model, documents_of(arena, 1), (Mat){ 0 });
    figure_kept(lesson, &run, 16);
    figure_budgets(lesson, above);
    a_model_with_few(lesson, model, choices);
}
