// Chapter 10, step 4. Two sentences that differ in one word: what a head gave in the one is put into the other, and the
// answer at `it` moves, or does not.
#include "base/portable_math.h"
#include "steps.h"

#include <string.h>

// Both runs of a pair, and at `it` the logit of the second sentence's gloss less that of the first's.
typedef struct {
    GlossedSentence tired, wide;
    Run first, second;
} Twins;

static double leaning(const Twins *t, const Run *run)
{
    Mat logits = run_logits(run, 0);
    return mat_value(logits, t->tired.it, t->wide.glosses[t->wide.it]) -
           mat_value(logits, t->tired.it, t->tired.glosses[t->tired.it]);
}

static Run run_of(Arena *arena, Transformer model, const GlossedSentence *s)
{
    return run_transformer(arena, model, run_batch_of_one(arena, s->words, s->T), (Mat){ 0 });
}

static void twins_run(Twins *t, Arena *arena, Transformer model)
{
    t->first = run_of(arena, model, &t->tired);
    t->second = run_of(arena, model, &t->wide);
}

// The first sentence, when head n gives there what it gives in the second; at `place` alone, or everywhere with −1.
static Run patched_run(Arena *arena, const Studied *s, const Twins *t, int n, int place)
{
    int L = s->model.config.L;
    Mat gates = gates_without(arena, gates_all(arena, s, 1.0f), n);
    Mat *instead = arena_alloc(arena, (size_t)L * sizeof *instead);
    for (int l = 0; l < L; l++) {
        instead[l] = mat_copy(arena, t->first.layers[l].heads);
        for (int i = 0; i < t->tired.T; i++)
            if (place < 0 || i == place) mat_set(mat_rows(instead[l], i, 1), mat_rows(t->second.layers[l].heads, i, 1));
    }
    return run_instead_transformer(arena, s->model, t->first.batch, gates, instead);
}

// How far the answer moves then: 0 not at all, 1 all the way to the second sentence's.
static double moved(const Twins *t, Run patched)
{
    double from = leaning(t, &t->first), to = leaning(t, &t->second);
    return (leaning(t, &patched) - from) / (to - from);
}

// For every head, over fresh pairs, none ever trained: the mean of that and its standard error; the shares in which
// `it` then has the second sentence's gloss, and one of neither; the mean weight from `it` to the adjective in both.
typedef struct {
    double mean, error, turned, neither, on_adjective[2];
} Share;

enum { PAIRS = 50 };

static double on_adjective(Arena *arena, const Studied *s, const Run *run, const GlossedSentence *g, int n)
{
    int H = s->model.config.H;
    return mat_value(run_weights(arena, run, 0, n / H, n % H), g->it, g->adjective);
}

static void add_pair(Share *share, Arena *arena, const Studied *s, const Twins *t, int n)
{
    Run patched = patched_run(arena, s, t, n, -1);
    int it = t->tired.it, answer = run_answer(&patched, 0, it);
    double one = moved(t, patched);
    share->mean += one / PAIRS;
    share->error += one * one / PAIRS; // the mean square, so far
    share->turned += (answer == t->wide.glosses[it]) / (double)PAIRS;
    share->neither += (answer != t->wide.glosses[it] && answer != t->tired.glosses[it]) / (double)PAIRS;
    share->on_adjective[0] += on_adjective(arena, s, &t->first, &t->tired, n) / PAIRS;
    share->on_adjective[1] += on_adjective(arena, s, &t->second, &t->wide, n) / PAIRS;
}

static void over_pairs(const Studied *s, Share share[HEADS_MOST])
{
    Random random = random_from(11);
    for (int p = 0; p < PAIRS; p++) {
        Arena *scratch = arena_open();
        Twins t;
        grammar_sentence_twins(&t.tired, &t.wide, false, &random);
        twins_run(&t, scratch, s->model);
        for (int n = 0; n < s->heads; n++) add_pair(&share[n], scratch, s, &t, n);
        arena_close(scratch);
    }
    for (int n = 0; n < s->heads; n++)
        share[n].error = sqrt(fmax(0.0, share[n].error - share[n].mean * share[n].mean) / PAIRS);
}

static void map_of_places(Lesson *lesson, const Studied *s, const Twins *t)
{
    Arena *arena = lesson->arena;
    Mat share = mat_new(arena, s->heads, t->tired.T);
    const char **words = arena_alloc(arena, (size_t)t->tired.T * sizeof *words);
    const char **names = arena_alloc(arena, (size_t)s->heads * sizeof *names);
    Mat hidden = mat_new(arena, s->heads, t->tired.T); // after the last layer no word reads another
    for (int n = s->heads - s->model.config.H; n < s->heads; n++)
        for (int i = 0; i < t->tired.T; i++) *mat_ref(hidden, n, i) = i == t->tired.it ? 0.0f : 1.0f;
    for (int i = 0; i < t->tired.T; i++) words[i] = word_text(t->tired.words[i]);
    for (int n = 0; n < s->heads; n++) {
        names[n] = s->head[n].name;
        for (int i = 0; i < t->tired.T; i++) *mat_ref(share, n, i) = (float)moved(t, patched_run(arena, s, t, n, i));
    }
    figure_map(lesson, "patching.png",
               "how far it moves when one head at one word gives what it gave in the other "
               "sentence",
               (Heatmap){ .title = "From tired to wide: which head, at which word",
                          .values = share,
                          .hidden = hidden,
                          .hidden_title = "cannot",
                          .row_labels = names,
                          .col_labels = words,
                          .row_title = "the head",
                          .col_title = "the word whose row is replaced",
                          .colors = COLOR_DIVERGING,
                          .low = -1,
                          .high = 1,
                          .decimals = 2,
                          .cell = 36,
                          .bar_title = "how far it moves" });
}

// A row of the picture of three runs: what is read, the head, all others, and what comes out at `it`.
enum { READS, HEAD, OTHERS, SAYS, RUN_BOXES, RUNS = 3 };

static void put_run(Arena *arena, DiagramBox *boxes, int row, const char *reads, const char *head, const Twins *t,
                    const Run *run)
{
    int answer = run_answer(run, 0, t->tired.it);
    const Word *noun = noun_named(arena, answer);
    const char *ahead = arena_format(arena, "%s%s\nstreet less animal: %.1f", noun ? "the " : "no noun",
                                     noun ? noun->text : "", leaning(t, run));
    const double y = 122 * row, up = y, down = y + 46, width = 150, height = 34;
    bool first = row == 0; // there the head is below, by the arrow that leaves it
    boxes[READS] = (DiagramBox){ .at = { 0, y + 18, width, 44 }, .lines = reads };
    boxes[HEAD] = (DiagramBox){ .at = { 200, first ? down : up, width, height }, .title = head };
    boxes[OTHERS] = (DiagramBox){ .at = { 200, first ? up : down, width, height }, .lines = "all other heads" };
    boxes[SAYS] = (DiagramBox){ .at = { 410, y + 7, 180, 66 }, .lines = ahead, .title = gloss_text(arena, answer) };
}

static int put_arrows(DiagramArrow *arrows, int first, bool patched)
{
    const int pairs[][2] = { { READS, OTHERS }, { OTHERS, SAYS }, { HEAD, SAYS }, { READS, HEAD } };
    int count = patched ? 3 : 4; // what its own sentence tells the head is not used
    for (int n = 0; n < count; n++) {
        bool says = pairs[n][1] == SAYS, head = pairs[n][0] == HEAD, up = first == 0 ? !head : head;
        arrows[n] = (DiagramArrow){ .from = first + pairs[n][0],
                                    .to = first + pairs[n][1],
                                    .leaves = DIAGRAM_RIGHT,
                                    .enters = DIAGRAM_LEFT,
                                    .to_shift = !says ? 0
                                                : up  ? -8
                                                      : 8 };
    }
    return count;
}

static void figure_of_a_patch(Lesson *lesson, const Studied *s, const Twins *t, int n)
{
    Arena *arena = lesson->arena;
    Run patched = patched_run(arena, s, t, n, -1);
    const Run *runs[RUNS] = { &t->second, &patched, &t->first };
    const char *head = arena_format(arena, "head %s", s->head[n].name);
    DiagramBox boxes[RUNS * RUN_BOXES];
    DiagramArrow arrows[RUNS * 4];
    DiagramLabel labels[RUNS];
    int count = 0;
    for (int r = 0; r < RUNS; r++) {
        put_run(arena, boxes + r * RUN_BOXES, r, r ? "\"… too tired\"" : "\"… too wide\"", head, t, runs[r]);
        count += put_arrows(arrows + count, r * RUN_BOXES, r == 1);
        const char *way = r == 1 ? arena_format(arena, "%.2f of the way", moved(t, patched)) : r ? "0" : "1";
        labels[r] = (DiagramLabel){ 602, 122.0 * r + 45, { .size = 12 }, way };
    }
    boxes[RUN_BOXES + HEAD].marked = boxes[RUN_BOXES + SAYS].marked = true;
    arrows[count++] = (DiagramArrow){
        .from = HEAD, .to = RUN_BOXES + HEAD, .label = "put in there", .thick = 2.5, .color = { 187, 62, 82 }
    };
    figure_diagram(lesson, "patch.png", "three runs: the one sentence, the other, and the one with a head of the other",
                   (Diagram){ .title = arena_format(arena, "What head %s carries of the difference", s->head[n].name),
                              .boxes = boxes,
                              .box_count = RUNS * RUN_BOXES,
                              .arrows = arrows,
                              .arrow_count = count,
                              .labels = labels,
                              .label_count = RUNS });
}

// Which heads of layer 0 read the adjective, in one sentence of a pair or in both.
static void say_adjectives(Lesson *lesson, const Studied *s, const Share share[HEADS_MOST])
{
    const char *list = "";
    for (int n = 0; n < s->model.config.H; n++) {
        const double *on = share[n].on_adjective;
        if (fmax(on[0], on[1]) < 0.5) continue;
        list = arena_format(lesson->arena, "%s%s head %s %.2f and %.2f", list, *list ? ";" : "", s->head[n].name, on[0],
                            on[1]);
    }
    if (*list)
        say(lesson, "Mean weight from \"it\" to the adjective, in the first and in the second sentence of a pair:%s.",
            list);
}

void put_back(Lesson *lesson, const Studied *s, const Test *test, bool ours)
{
    static const char *const cols[] = { "book", "50 pairs", "± error", "turned", "neither" };
    step(lesson, "Put in what it gave elsewhere");
    Twins t;
    grammar_sentence_of_the_book(&t.tired, false);
    grammar_sentence_of_the_book(&t.wide, true);
    twins_run(&t, lesson->arena, s->model);
    say(lesson,
        "At \"it\", the logit of the street less that of the animal: %.1f in \"… tired\", %.1f in "
        "\"… wide\".",
        leaning(&t, &t.first), leaning(&t, &t.second));
    int it = it_head(s);
    Mat gates = gates_without(lesson->arena, gates_all(lesson->arena, s, 1.0f), it);
    Run without = run_instead_transformer(lesson->arena, s->model, t.first.batch, gates, test->instead);
    say(lesson, "In \"… tired\" without head %s: %.1f, and the gloss is %s.", s->head[it].name, leaning(&t, &without),
        gloss_text(lesson->arena, run_answer(&without, 0, t.tired.it)));
    Rows rows = rows_of(lesson, "how far that moves when one head gives what it gave in \"… wide\"", cols, 5);
    Share share[HEADS_MOST] = { 0 };
    over_pairs(s, share);
    int best[2] = { 0, s->model.config.H };
    for (int n = 0; n < s->heads; n++) {
        int l = n / s->model.config.H;
        rows_add(&rows,
                 ROW(moved(&t, patched_run(lesson->arena, s, &t, n, -1)), share[n].mean, share[n].error,
                     share[n].turned, share[n].neither),
                 "%s", s->head[n].name);
        if (share[n].mean > share[best[l]].mean) best[l] = n;
    }
    show_rows(lesson, &rows);
    double turned = share[best[0]].turned;
    say(lesson, "Of %d pairs, a share of %.2f is off by %.2f, typically.", PAIRS, turned,
        sqrt(turned * (1.0 - turned) / PAIRS));
    say_adjectives(lesson, s, share);
    if (ours)
        check(lesson, share[best[0]].mean > 0.5 && share[best[1]].mean > 0.5,
              "over the pairs %s of layer 0 and %s of layer 1 move it most, each more than half of the way",
              s->head[best[0]].name, s->head[best[1]].name);
    figure_of_a_patch(lesson, s, &t, best[1]);
    map_of_places(lesson, s, &t);
}
