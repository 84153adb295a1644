// Chapter 26, steps 1 and 2. Model A from its matrices: what each head looks for and writes, and which head reads what
// another wrote. Then it runs, and shows whether that was right.
#include "base/portable_math.h"
#include "language/induction.h"
#include "lesson/block_map.h"
#include "model/circuits.h"
#include "steps.h"

enum { V = 32, FARTHEST = 31, FRESH = 64, SEED = 7, H = 4 };

// ---- 1

// What heads 0.0 … 0.h of layer 0 that look one back write of every token: the note of it.
static Mat notes_of(Arena *arena, Transformer a, const bool *writers)
{
    Mat notes = mat_new(arena, V, a.config.D);
    for (int h = 0; h < H; h++) {
        if (!writers[h]) continue;
        Mat one = circuit_writes(arena, a, 0, h, a.embedding);
        for (int i = 0; i < V; i++)
            for (int c = 0; c < one.cols; c++) *mat_ref(notes, i, c) += *mat_ref(one, i, c);
    }
    return notes;
}

// How many rows have their largest number in this column; OWN: in the column of their own token.
enum { OWN = -1 };
static int rows_with(Mat m, int column)
{
    int count = 0;
    for (int i = 0; i < m.rows; i++) count += mat_argmax(m, i) == (column == OWN ? i : column);
    return count;
}

// For a picture: the largest size is 1.
static Heatmap panel_of(Arena *arena, const char *title, Mat m, const char *rows, const char *cols)
{
    const char **names = arena_alloc(arena, (size_t)m.cols * sizeof *names);
    for (int j = 0; j < m.cols; j++) names[j] = j % 8 ? "" : arena_format(arena, "%d", j);
    Mat values = mat_copy(arena, m);
    double most = mat_magnitude(m);
    for (int e = 0; e < values.rows * values.cols; e++) values.at[e] /= (float)most;
    return (Heatmap){ .title = title,
                      .values = values,
                      .col_labels = names,
                      .row_title = rows,
                      .col_title = cols,
                      .colors = COLOR_DIVERGING,
                      .low = -1,
                      .high = 1,
                      .decimals = -1,
                      .cell = 5,
                      .bar_title = "share of the largest" };
}

typedef struct {
    Mat back[H], note[H], copy[BOTH][H];
} Circuits;

static Circuits circuits_of(Arena *arena, Transformer a)
{
    Circuits c;
    bool writers[H];
    for (int h = 0; h < H; h++) {
        c.back[h] = circuit_by_distance(arena, a, 0, h, a.embedding, a.embedding, FARTHEST);
        writers[h] = rows_with(c.back[h], 1) >= 28;
    }
    Mat notes = notes_of(arena, a, writers);
    for (int h = 0; h < H; h++) {
        c.note[h] = circuit_over_distances(arena, a, 1, h, a.embedding, notes, FARTHEST);
        for (int l = 0; l < BOTH; l++)
            c.copy[l][h] = circuit_logits(arena, a, circuit_writes(arena, a, l, h, a.embedding));
    }
    return c;
}

static void figure_of(Lesson *lesson, const Circuits *c)
{
    Heatmap maps[3 * H];
    Arena *arena = lesson->arena;
    for (int h = 0; h < H; h++) {
        maps[h] = panel_of(arena, arena_format(arena, "0.%d QK: how far back", h), c->back[h], "query", "distance");
        maps[H + h] =
            panel_of(arena, arena_format(arena, "1.%d QK: which note", h), c->note[h], "query", "token in the note");
        maps[2 * H + h] = panel_of(arena, arena_format(arena, "1.%d OV: which answer", h), c->copy[1][h],
                                   "token it looks at", "token of the answer");
    }
    figure_maps(lesson, "circuits.png", "QK and OV of model A, read from its matrices",
                "What eight heads look for and write", maps, 3 * H, H);
}

// Read from the matrices, then seen in runs. Hidden: what is asked of the other layer.
static Rows read_and_seen(Lesson *lesson, const Circuits *c, const InductionScores *s)
{
    static const char *const cols[] = { "itself", "one back", "previous", "own note", "induction", "copies" };
    Rows rows = rows_of(lesson, "read, and seen", cols, 6);
    for (int n = 0; n < 2 * H; n++) {
        int l = n / H, h = n % H;
        double itself = l ? 0 : rows_with(c->back[h], 0), back = l ? 0 : rows_with(c->back[h], 1);
        double own = l ? rows_with(c->note[h], OWN) : 0;
        rows_add(&rows, ROW(itself, back, s->previous[n], own, s->induction[n], rows_with(c->copy[l][h], OWN)), "%d.%d",
                 l, h);
    }
    rows.table.whole = 1u << 0 | 1u << 1 | 1u << 3 | 1u << 5;
    rows.table.hidden = mat_new(lesson->arena, 2 * H, 6);
    for (int n = 0; n < 2 * H; n++) {
        *mat_ref(rows.table.hidden, n, n < H ? 3 : 0) = 1.0f;
        if (n >= H) *mat_ref(rows.table.hidden, n, 1) = 1.0f;
    }
    return rows;
}

void the_circuits(Lesson *lesson, Transformer a)
{
    step(lesson, "What a head reads, and what it writes");
    block_map_figure(lesson, "here.png", BLOCK_MAP_CIRCUITS);
    say(lesson,
        "From the matrices of induction-64 alone: for how many of the 32 tokens is the best place the token "
        "itself, or one back (layer 0), or the note of the same token (layer 1); how many are copied? Beside it what "
        "the heads then do on %d sequences: mean weight on the token before, and on what followed the same token.",
        FRESH);
    Circuits c = circuits_of(lesson->arena, a);
    InductionScores s = induction_scores(lesson->arena, a, induction_batch, FRESH, SEED);
    Rows rows = read_and_seen(lesson, &c, &s);
    show_rows(lesson, &rows);
    bool back = true, note = true;
    int backs = 0;
    for (int h = 0; h < H; h++) {
        int first = rows_with(c.back[h], 1);
        back = back && (first >= 28 ? s.previous[h] > 0.9 : first < 4 && s.previous[h] < 0.1);
        backs += first >= 28;
        note = note && rows_with(c.note[h], OWN) >= 24 && rows_with(c.copy[1][h], OWN) >= 24;
        note = note && s.induction[H + h] > 0.9;
    }
    check(lesson, back, "the matrices say that %d heads of layer 0 look one back: these do, the others do not", backs);
    check(lesson, note, "and that all of layer 1 look for the note of their own token and copy: they do");
    figure_of(lesson, &c);
}

// ---- 2

enum { SOME = 48 };

// The answer's logit less that of the token that stands there, over all places that have an answer.
static double answers_lead(const Run *run)
{
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < run->logits.rows; i++) {
        int answer = run->batch.targets[i];
        if (answer < 0) continue;
        sum += mat_value(run->logits, i, answer) - mat_value(run->logits, i, run->batch.tokens[i]);
        count++;
    }
    return sum / count;
}

// Of all distances; values have none.
static double composition(Transformer a, ReadingHead from, ReadingHead to, RunQkv part)
{
    if (part == RUN_QKV_V) return reading_composition(a, from, to, part, 0);
    double sum = 0.0;
    for (int r = 1; r <= FARTHEST; r++) sum += reading_composition(a, from, to, part, r);
    return sum / FARTHEST;
}

// Twelve ways into a head: how well the matrices fit, and what the answer loses when this way alone carries what it
// carried in other sequences.
typedef struct {
    double score[3 * H], lost[3 * H];
} Ways;

// Some sequences, and others of which a way carries what it carried there.
typedef struct {
    Transformer model;
    Run run, from;
    double whole;
} Cut;

static Cut cut_of(Arena *arena, Transformer a)
{
    Random random = random_from(SEED), elsewhere = random_from(SEED + 1);
    Cut cut = { .model = a };
    cut.run = run_transformer(arena, a, induction_batch(arena, SOME, &random, NULL), (Mat){ 0 });
    cut.from = run_transformer(arena, a, induction_batch(arena, SOME, &elsewhere, NULL), (Mat){ 0 });
    cut.whole = answers_lead(&cut.run);
    return cut;
}

static void ways_into(Ways into[H], const Cut *cut)
{
    for (int s = 0; s < H; s++) {
        Arena *arena = arena_open();
        ReadingHead sender = { 0, s };
        Run sent = reading_sent(arena, &cut->run, &cut->from, sender);
        for (int n = 0; n < 3 * H; n++) {
            Arena *scratch = arena_open();
            ReadingHead to = { 1, n / 3 };
            Run other = reading_received(scratch, &cut->run, &sent, to, (RunQkv)(n % 3));
            into[n / 3].score[3 * s + n % 3] = composition(cut->model, sender, to, (RunQkv)(n % 3));
            into[n / 3].lost[3 * s + n % 3] = cut->whole - answers_lead(&other);
            arena_close(scratch);
        }
        arena_close(arena);
    }
}

// Over all ways into layer 1: the least that is lost on one whose score is above chance, the most on one whose is not.
typedef struct {
    int above;
    double least, most;
} Border;

static Border border_of(const Ways into[H], double chance)
{
    Border border = { 0, INFINITY, 0.0 };
    for (int n = 0; n < 3 * H * H; n++) {
        double score = into[n / (3 * H)].score[n % (3 * H)], lost = into[n / (3 * H)].lost[n % (3 * H)];
        border.above += score > chance;
        if (score > chance) border.least = fmin(border.least, lost);
        else border.most = fmax(border.most, lost);
    }
    return border;
}

static void figure_of_ways(Lesson *lesson, const Ways *ways, double chance)
{
    const char *names[3 * H];
    for (int n = 0; n < 3 * H; n++)
        names[n] = ways->score[n] > chance ? arena_format(lesson->arena, "0.%d %c", n / 3, "QKV"[n % 3]) : NULL;
    const double x[] = { chance, chance }, y[] = { -0.2, 1.4 };
    const PlotSeries series[] = { { .x = ways->score, .y = ways->lost, .count = 3 * H, .dots = true, .labels = names },
                                  { .x = x, .y = y, .count = 2, .dashed = true } };
    figure_plot(lesson, "composition.png", "composition scores against what the answer loses: twelve ways into 1.2",
                (Plot){ .title = "Twelve ways into head 1.2",
                        .x_title = "composition score; dashed: chance",
                        .y_title = "what the answer loses, in logits",
                        .series = series,
                        .count = 2 });
}

void from_head_to_head(Lesson *lesson, Transformer a)
{
    static const char *const cols[] = { "Q", "K", "V", "Q lost", "K lost", "V lost" };
    step(lesson, "From head to head");
    Cut cut = cut_of(lesson->arena, a);
    Ways into[H], ways;
    ways_into(into, &cut);
    ways = into[2];
    double chance = 1.0 / sqrt(a.config.D);
    Rows rows = rows_of(lesson, "into head 1.2: composition scores, and what the answer loses", cols, 6);
    bool agree = true;
    for (int h = 0; h < H; h++) {
        const double *score = ways.score + 3 * h, *lost = ways.lost + 3 * h;
        rows_add(&rows, ROW(score[0], score[1], score[2], lost[0], lost[1], lost[2]), "from 0.%d", h);
        for (int part = 0; part < 3; part++) agree = agree && (score[part] > chance) == (lost[part] > 0.5);
    }
    show_rows(lesson, &rows);
    say(lesson,
        "Matrices that know nothing of each other would have 1/√%d = %.3f. The answer's lead over the token "
        "that stands there, in %d sequences: %.2f.",
        a.config.D, chance, SOME, cut.whole);
    check(lesson, agree, "into 1.2 the six ways with scores above chance are those on which more than 0.5 is lost");
    Border all = border_of(into, chance);
    say(lesson,
        "Of all %d ways into layer 1, on the %d with scores above chance at least %.2f is lost, on the others "
        "at most %.2f.",
        3 * H * H, all.above, all.least, all.most);
    figure_of_ways(lesson, &ways, chance);
}
