// Chapter 24, step 9. What an anchor is for: a head that must look away, and a head that must look back.
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "language/backcopy.h"
#include "model/sample.h"
#include "steps.h"
#include "train/bundled.h"

enum { TEXTS = 64, LONG = BACKCOPY_T, BLOCK = 8 };
enum { ALL, ALONE, START, OTHER, BEFORE, BOTH, WAYS };

// ---- facts of two tokens

// Rows: sizes of blocks. Columns: alone, behind the start, behind the token before.
static void show_facts(Lesson *lesson, const Asked *asked)
{
    enum { SIZES = 3, BEFORES = 3 };
    static const char *const cols[] = { "cut in two", "block alone", "the start", "token before" };
    static const int sizes[SIZES] = { 8, 16, 32 }, first[BEFORES] = { 0, 1, 0 }, previous[BEFORES] = { 0, 0, 1 };
    Transformer model = load_facts(lesson, asked);
    Rows table = rows_of(lesson, "facts of two tokens, found by a model of two layers", cols, 1 + BEFORES);
    table.table.decimals = 3;
    bool all = true, lost = true;
    for (int s = 0; s < SIZES; s++) {
        double row[1 + BEFORES];
        for (int b = 0; b < BEFORES; b++) row[1 + b] = facts_found(model, sizes[s], first[b], previous[b], &row[0]);
        rows_add(&table, row, "blocks of %d", sizes[s]);
        all = all && row[3] > 0.995;
        lost = lost && fabs(1 - row[0] - row[1]) < 0.02 && fabs(1 - row[0] - row[2]) < 0.02;
    }
    show_rows(lesson, &table);
    check(lesson, lost, "what is lost are the facts that an edge cuts in two, within 0.02; the start does not help");
    check(lesson, all, "with the token before, the question finds all of them, in whatever block");
}

// ---- one head

// What stands before a block: so many of the text's first tokens, and so many just before it.
typedef struct {
    const char *name;
    int first, previous;
    bool other;
} Way;
static const Way ways[WAYS] = { { "all keys", 0, 0, false },         { "block alone", 0, 0, false },
                                { "the start", 1, 0, false },        { "a letter there", 1, 0, true },
                                { "the token before", 0, 1, false }, { "both", 1, 1, false } };

typedef struct {
    double divergence, marks, edge;
    int letters, mark_count, edge_count;
} Sum;

static void add_row(Sum *sum, const Backcopy *corpus, const int *tokens, int t, Mat logits, int row)
{
    if (backcopy_is_mark(tokens[t])) {
        bool right = sample_likeliest(mat_row(logits, row), logits.cols) == tokens[t + 1];
        sum->marks += right;
        sum->mark_count++;
        sum->edge += t % BLOCK == 0 && right;
        sum->edge_count += t % BLOCK == 0;
    } else if (tokens[t] < BACKCOPY_LETTERS) {
        sum->divergence += backcopy_divergence(corpus, tokens[t], mat_row(logits, row), logits.cols);
        sum->letters++;
    }
}

// Every block but the first by itself, behind what stands before it; what the model says of each next token.
static void read_text(Sum *sum, Transformer model, const Backcopy *corpus, const int *tokens, Way way, bool all)
{
    Arena *arena = arena_open();
    int D = model.config.D;
    for (int first = BLOCK; first < LONG; first += BLOCK) {
        StarCache cache = star_cache_new(arena, NULL, (Star){ LONG, LONG, LONG }, (StarHeads){ 1, 1, D, D }, 0);
        KvStore store = star_cache_store(&cache);
        Decoder decoder = decoder_over(arena, model, LONG, &store);
        Mat logits = mat_new(arena, LONG, model.config.outputs);
        int letter = 0, before = all ? first : way.first;
        star_anchor_next(&cache);
        decoder_feed(mat_rows(logits, 0, before), &decoder, way.other ? &letter : tokens, before);
        cache.at = first - way.previous;
        decoder_feed(mat_rows(logits, 0, way.previous), &decoder, tokens + first - way.previous, way.previous);
        decoder_feed(mat_rows(logits, 0, BLOCK), &decoder, tokens + first, BLOCK);
        for (int t = 0; t < BLOCK; t++) add_row(sum, corpus, tokens, first + t, logits, t);
    }
    arena_close(arena);
}

static void figure_needs(Lesson *lesson, const Sum *sums)
{
    static const char *const series[] = { "letters: divergence, nats", "first marks: share that is wrong" };
    const char *names[WAYS];
    double values[2 * WAYS];
    for (int w = 0; w < WAYS; w++) {
        names[w] = ways[w].name;
        values[2 * w] = sums[w].divergence;
        values[2 * w + 1] = 1 - sums[w].edge;
    }
    figure_bars(lesson, "needs.png", "what a block is read like, by what stands before it",
                (PlotBars){ .title = "A head that looks away at the start, and back at a mark",
                            .y_title = "nats, and share",
                            .groups = names,
                            .series = series,
                            .group_count = WAYS,
                            .series_count = 2,
                            .values = values,
                            .decimals = 2,
                            .width = 860 });
}

void what_an_anchor_is_for(Lesson *lesson, const Asked *asked)
{
    static const char *const cols[] = { "divergence", "marks right", "a first mark" };
    step(lesson, "What an anchor is for");
    Transformer model;
    Error error;
    if (!bundled_model(&model, lesson->arena, asked->program, "sink-plain", NULL, &error)) lesson_fail(&error);
    Backcopy corpus = backcopy_new(1);
    Rows table = rows_of(lesson, "64 texts of 32, blocks of 8: by what stands before a block", cols, 3);
    table.table.decimals = 4;
    Sum sums[WAYS] = { { 0 } };
    for (int w = 0; w < WAYS; w++) {
        Random random = random_from(2409);
        for (int n = 0; n < TEXTS; n++) {
            int tokens[LONG + 1];
            backcopy_text(tokens, LONG + 1, &corpus, &random);
            read_text(&sums[w], model, &corpus, tokens, ways[w], w == 0);
        }
        sums[w].divergence /= sums[w].letters;
        sums[w].marks /= sums[w].mark_count;
        sums[w].edge /= sums[w].edge_count;
        rows_add(&table, ROW(sums[w].divergence, sums[w].marks, sums[w].edge), "%s", ways[w].name);
    }
    show_rows(lesson, &table);
    figure_needs(lesson, sums);
    say(lesson, "The model of chapter 18, one trained head. Divergence: from the true chances, after letters, in "
                "nats. A first mark: one that begins a block.");
    check(lesson,
          sums[ALONE].divergence > 100 * sums[ALL].divergence && sums[START].divergence < 1.1 * sums[ALL].divergence,
          "letters: in a block alone they are more than 100 times as far off; the start before it cures that");
    check(lesson, sums[OTHER].divergence > 100 * sums[ALL].divergence, "a letter in the start's place does not");
    check(lesson, sums[START].edge < 0.1 && sums[BEFORE].edge > 0.99,
          "a first mark: the start does not help, the token before does");
    check(lesson, sums[BOTH].divergence < 1.1 * sums[ALL].divergence && sums[BOTH].edge > 0.99,
          "with both tokens before it, a block is read as if all were there");
    show_facts(lesson, asked);
}
