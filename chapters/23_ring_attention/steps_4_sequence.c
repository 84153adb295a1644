// Chapter 23, steps 4 and 5. The sequence among ranks: a sentence, word by word; then the ring, at any size.
#include "attention/online.h"
#include "attention/tiled.h"
#include "base/portable_math.h"
#include "lesson/reference.h"
#include "steps.h"

// ---- 4

static const char *words_of(Lesson *lesson, ShareRun run)
{
    const char *const *words = lesson->sentence.words;
    if (run.count == 0) return "-";
    if (run.count == 1) return words[run.first];
    return arena_format(lesson->arena, "%s … %s", words[run.first], words[run.first + run.count - 1]);
}

// What the query's rank knows after each step, worked out here: the part that a block gives, and what is merged.
typedef struct {
    Mat out, lse;
} Part;

static Part part_of(Arena *arena, Mat x, int query, ShareRun run)
{
    Part part = { mat_new(arena, 1, x.cols), mat_new(arena, 1, 1) };
    Mat keys = mat_rows(x, run.first, run.count);
    attention_tiled((Attended){ .out = part.out, .lse = part.lse }, mat_rows(x, query, 1), keys, keys, (Mask){ 0 });
    return part;
}

static int owner_of_word(const Task *task, int R, int word)
{
    for (int r = 0; r < R; r++) {
        ShareRun run = share_of(SHARE_CONTIGUOUS, task->s.T, R, r).runs[0];
        if (word >= run.first && word < run.first + run.count) return r;
    }
    return 0;
}

// Which rank computes which scores in which step, and the weights over the keys met so far: for the viewer.
static void trace_ring(Lesson *lesson, const Task *task, Mat x, int R)
{
    int T = task->s.T;
    Arena *arena = lesson->arena;
    TraceStep *steps = arena_alloc(arena, (size_t)R * sizeof *steps);
    Mat scores = mat_new(arena, T, T), met = mat_new(arena, T, T);
    attention_scores(scores, x, x, task->s.mask);
    mat_fill(met, -INFINITY);
    for (int t = 0; t < R; t++) {
        steps[t] = (TraceStep){ mat_new(arena, T, T), mat_new(arena, T, T) };
        for (int i = 0; i < T; i++) {
            int mine = owner_of_word(task, R, i);
            double sum = 0.0;
            for (int j = 0; j < T; j++) {
                if (owner_of_word(task, R, j) != (mine - t + R) % R) continue;
                *mat_ref(met, i, j) = *mat_ref(scores, i, j);
                if (mat_value(scores, i, j) > -INFINITY) *mat_ref(steps[t].ranks, i, j) = (float)(mine + 1);
            }
            for (int j = 0; j < T; j++) sum += exp(mat_value(met, i, j));
            for (int j = 0; j < T && sum > 0.0; j++)
                *mat_ref(steps[t].weights, i, j) = (float)(exp(mat_value(met, i, j)) / sum);
        }
    }
    trace_heads(lesson->trace,
                (TraceHeads){ .H = 1, .q = x, .k = x, .v = x, .scores = scores, .weights = steps[R - 1].weights });
    trace_steps(lesson->trace, steps, R);
}

static Task sentence_task(Lesson *lesson)
{
    int T = lesson->sentence.T, D = lesson->sentence.x.cols;
    if (T * D > SENTENCE_ROOM)
        lesson_misused(lesson->state, "--sentence: %d words of %d numbers; a task has room for %d numbers", T, D,
                       SENTENCE_ROOM);
    Task task = { .s = { .T = T, .H = 1, .G = 1, .d = D, .dv = D }, .D = D };
    for (int i = 0; i < T; i++)
        for (int c = 0; c < D; c++) task.x[i * D + c] = *mat_ref(lesson->sentence.x, i, c);
    return task;
}

void a_sentence_split(Lesson *lesson, const Asked *asked)
{
    step(lesson, "A sentence among ranks");
    Arena *arena = lesson->arena;
    int R = asked->ranks->count, query = sentence_find(&lesson->sentence, "it");
    int alive = embeddings_column(&lesson->embeddings, "alive");
    Task task = sentence_task(lesson);
    Mat x = lesson->sentence.x;
    if (query < 0) query = task.s.T - 1;
    if (alive < 0) alive = 0;
    const char *word = lesson->sentence.words[query], *column = lesson->embeddings.column[alive];
    int mine = owner_of_word(&task, R, query);
    const char *lines = "";
    for (int r = 0; r < R; r++)
        lines = arena_format(arena, "%srank %d: %s\n", lines, r,
                             words_of(lesson, share_of(SHARE_CONTIGUOUS, task.s.T, R, r).runs[0]));
    say_lines(lesson, lines);

    // 1. The rank of that word, step by step.
    const char *cols[] = { "rank", "its lse", arena_format(arena, "its %s", column), "all lse",
                           arena_format(arena, "all %s", column) };
    Rows table =
        rows_of(lesson, arena_format(arena, "what rank %d knows of \"%s\", block after block", mine, word), cols, 5);
    table.table.decimals = 3;
    table.table.whole = 1;
    Part all = { mat_new(arena, 1, task.s.dv), mat_new(arena, 1, 1) };
    *all.lse.at = -INFINITY;
    for (int t = 0; t < R; t++) {
        int owner = (mine - t + R) % R;
        ShareRun run = share_of(SHARE_CONTIGUOUS, task.s.T, R, owner).runs[0];
        if (run.count == 0) continue;
        Part part = part_of(arena, x, query, run);
        attention_merge(all.out, all.lse, part.out, part.lse);
        rows_add(&table,
                 ROW(owner, mat_value(part.lse, 0, 0), mat_value(part.out, 0, alive), mat_value(all.lse, 0, 0),
                     mat_value(all.out, 0, alive)),
                 "%s", words_of(lesson, run));
    }
    show_rows(lesson, &table);

    // 2. All ranks, for all words at once.
    Gathered *got = gathered_new(arena, task.s, false);
    run_task(asked, R, sentence_work, &task, got);
    check(lesson, mat_equal(mat_rows(got->did.out, query, 1), all.out),
          "what the ranks computed of \"%s\" is this "
          "last line, to the bit: %s %.2f",
          word, column, mat_value(got->did.out, query, alive));
    Attended one = { .out = mat_new(arena, task.s.T, task.s.dv), .lse = mat_new(arena, task.s.T, 1) };
    attention_naive(one, x, x, x, (Mask){ 0 });
    check(lesson, relative(got->did.out, one.out) < 2e-6 && relative(got->did.lse, one.lse) < 2e-6,
          "and all words' outputs are those of chapter 03's kernel, within 2 · 10⁻⁶");
    trace_ring(lesson, &task, x, R);
}

// ---- 5

static Mat owners(Lesson *lesson, const Gathered *all, int R)
{
    Mat m = mat_new(lesson->arena, R, R);
    for (int t = 0; t < R; t++)
        for (int r = 0; r < R; r++) *mat_ref(m, t, r) = (float)all->steps[r * R + t].owner;
    return m;
}

static void show_owners(Lesson *lesson, Mat m)
{
    int R = m.rows;
    const char *const *steps = numbered(lesson->arena, "step ", R);
    const char *const *ranks = numbered(lesson->arena, R > 9 ? "" : "rank ", R);
    show_table(lesson, (Table){ .name = "whose keys and values are where",
                                .values = m,
                                .rows = steps,
                                .cols = ranks,
                                .decimals = -1 });
    enum { COLORS = 6 }; // 1 + rank has a colour of its own, of which there are six
    bool colored = R <= COLORS;
    Mat shown = mat_copy(lesson->arena, m);
    for (int64_t i = 0; i < mat_numbers(shown); i++) shown.at[i] += colored ? 1.0f : 0.0f;
    figure_map(lesson, "ring.png", "whose block each rank works on, step by step: it goes to the right neighbour",
               (Heatmap){ .title = "Blocks go round",
                          .values = shown,
                          .ramp = colored ? RAMP_NAMES : RAMP_LINEAR,
                          .decimals = colored ? -1 : 0,
                          .zeros_count = true,
                          .no_bar = !colored,
                          .row_labels = steps,
                          .col_labels = ranks,
                          .low = 0,
                          .high = R,
                          .cell = 44,
                          .bar_title = "block of rank",
                          .row_title = "step",
                          .col_title = "on which rank" });
}

static double far_from(Lesson *lesson, const Asked *asked, int R, Task task, const Gathered *one, Gathered *got)
{
    (void)lesson;
    run_task(asked, R, ring_work, &task, got);
    return fmax(relative(got->did.out, one->did.out), relative(got->did.lse, one->did.lse));
}

// All heads of one machine's result against float64. Inputs are drawn by position: one rank has them all.
void the_ring(Lesson *lesson, const Asked *asked)
{
    step(lesson, "The ring");
    int R = asked->ranks->count, counts[LISTED], n = rank_counts(R, counts);
    ShareSequence s = { .T = asked->tokens,
                        .H = asked->heads,
                        .G = asked->keys,
                        .d = 16,
                        .dv = 16,
                        .layout = (ShareLayout)asked->layout,
                        .mask = mask_named(asked->mask) };
    Task task = { .s = s, .seed = 5 };
    Gathered *got = gathered_new(lesson->arena, s, false), *one = gathered_new(lesson->arena, s, false);
    run_task(asked, R, ring_work, &task, got);
    if (R > 1) show_owners(lesson, owners(lesson, got, R));

    // 1. Exact, under every mask and in every layout.
    const char **names = arena_alloc(lesson->arena, sizeof *names * LISTED);
    for (int i = 0; i < n; i++) names[i] = arena_format(lesson->arena, "R = %d", counts[i]);
    Rows table = rows_of(lesson,
                         arena_format(lesson->arena,
                                      "off one rank, 10⁻⁷: T = %d, H = %d, G = %d, "
                                      "W = %d, %d sinks",
                                      s.T, s.H, s.G, mask_named(MASK_SINKS).window, mask_named(MASK_SINKS).sinks),
                         names, n);
    double worst = 0.0;
    for (int m = 0; m < MASK_KINDS; m++)
        for (int layout = 0; layout < SHARE_LAYOUTS; layout++) {
            double off[LISTED];
            task.s.mask = mask_named(m);
            task.s.layout = SHARE_CONTIGUOUS;
            run_task(asked, 1, ring_work, &task, one);
            task.s.layout = (ShareLayout)layout;
            for (int i = 0; i < n; i++) {
                off[i] = 1e7 * far_from(lesson, asked, counts[i], task, one, got);
                worst = fmax(worst, off[i] * 1e-7);
            }
            rows_add(&table, off, "%s, %s", mask_names[m], share_layout_names[layout]);
        }
    show_rows(lesson, &table);
    check(lesson, worst < 2e-6, "outputs and logsumexps of one rank, within 2 · 10⁻⁶ of their size");

    // 2. What went over the wire.
    task.s = s;
    run_task(asked, R, ring_work, &task, got);
    int64_t sent = 0;
    for (int r = 0; r < R; r++) sent += got->bytes[r];
    cost(lesson, "bytes that all ranks have sent", sent, "(R - 1) · T · G(d + dv) · 4",
         (int64_t)4 * (R - 1) * s.T * s.G * (s.d + s.dv));
    cost(lesson, "messages of each rank", got->messages[0], "2 (R - 1)", 2 * (R - 1));
}
