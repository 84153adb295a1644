// Chapter 24, steps 1 to 3. A sentence in blocks: who sees whom; what every rank reads by itself; one query for all.
#include "attention/self_attention.h"
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "lesson/block_map.h"
#include "lesson/dump.h"
#include "lesson/hand_made.h"
#include "steps.h"

#include <string.h>

static const Mask CAUSAL = { .causal = true };

// The last third of the sentence asks, of two words one; a single word is all context.
static int words_that_ask(int T) { return T == 2 ? 1 : T / 3; }

HeadsTask sentence_task(Lesson *lesson, const Asked *asked)
{
    const Sentence *s = &lesson->sentence;
    HeadsTask task = { .query = words_that_ask(s->T), .chunk = 1, .heads = { 1, 1, HAND_MADE_WIDTH, HAND_MADE_WIDTH } };
    task.star = (Star){ s->T - task.query, asked->block, asked->anchor };
    HeadProjections p = head_project(lesson->arena, s->x, s->x, hand_made(lesson).w);
    const Mat all[] = { p.q, p.k, p.v };
    float *at = task.inputs;
    REQUIRE(3 * mat_numbers(p.q) <= INPUTS_MOST, "%d words", s->T);
    for (int m = 0; m < 3; m++)
        for (int i = 0; i < s->T; i++, at += HAND_MADE_WIDTH)
            memcpy(at, mat_row(all[m], i), HAND_MADE_WIDTH * sizeof *at);
    return task;
}

static bool as_usual(const Lesson *lesson, const Asked *asked)
{
    return !lesson->own_words && asked->block == 2 && asked->anchor == 2;
}

// ---- 1. Blocks and an anchor

// Who computes a score, counted from 1; 0 where nobody does.
static int rank_of(Star star, int R, int i, int j)
{
    if (!star_sees(star, i, j)) return 0;
    int token = i < star.context ? i : j; // phase 1: who reads the query; phase 2: who has the key
    for (int r = 0; r < R; r++) {
        MaskRange own = star_own(star, r, R);
        if (token >= own.first && token < own.first + own.count) return r + 1;
    }
    return R; // the query's own tokens
}

static Mat ranks_of(Arena *arena, Star star, int R, int T, int before)
{
    Mat m = mat_new(arena, T, T);
    for (int i = 0; i < before; i++)
        for (int j = 0; j < T; j++) *mat_ref(m, i, j) = (float)rank_of(star, R, i, j);
    return m;
}

static void figure_mask(Lesson *lesson, Star star, int R)
{
    const Sentence *s = &lesson->sentence;
    Arena *arena = lesson->arena;
    Mat ranks = ranks_of(arena, star, R, s->T, s->T), hidden = mat_new(arena, s->T, s->T);
    for (int i = 0; i < s->T; i++)
        for (int j = 0; j < s->T; j++) {
            *mat_ref(hidden, i, j) = *mat_ref(ranks, i, j) == 0.0f;
            *mat_ref(ranks, i, j) -= 1.0f;
        }
    figure_map(lesson, "mask.png", "who computes which score: context in blocks behind an anchor, and the query",
               (Heatmap){ .title = "Which rank computes which score",
                          .values = ranks,
                          .hidden = hidden,
                          .hidden_title = "by nobody",
                          .row_labels = s->words,
                          .col_labels = s->words,
                          .row_title = "query (attends from)",
                          .col_title = "key (attended to)",
                          .colors = COLOR_VIRIDIS,
                          .low = 0,
                          .high = R > 1 ? R - 1 : 1,
                          .decimals = 0,
                          .zeros_count = true,
                          .no_bar = true,
                          .cell = 26 });
}

// Row i's weights over the keys that `sees` leaves of the causal ones, down a column of the table.
typedef bool Sees(Star star, int i, int j);
static bool sees_all(Star star, int i, int j)
{
    (void)star;
    return j <= i;
}
static bool sees_block(Star star, int i, int j) { return j <= i && j / star.block == i / star.block; }

// In the anchor's place as many words of the block before.
static bool sees_previous(Star star, int i, int j)
{
    int first = i / star.block * star.block;
    return j <= i && j >= first - star.anchor;
}

static void weights_of(Mat column, Inputs in, int i, Star star, Sees *sees)
{
    Arena *scratch = arena_open();
    Mat scores = mat_new(scratch, in.q.rows, in.k.rows);
    attention_scores(scores, in.q, in.k, CAUSAL);
    float *row = mat_row(scores, i);
    for (int j = 0; j < in.k.rows; j++)
        if (!sees(star, i, j)) row[j] = -INFINITY;
    softmax(row, row, in.k.rows);
    for (int j = 0; j < column.rows; j++) *mat_ref(column, j, 0) = row[j];
    arena_close(scratch);
}

enum { WAYS = 4 };

// What the last word of the context looks at.
static Mat looks_of(Lesson *lesson, const HeadsTask *task, int i)
{
    static Sees *const ways[WAYS] = { sees_all, star_sees, sees_block, sees_previous };
    static const char *const cols[WAYS] = { "all", "star", "no anchor", "previous" };
    Arena *arena = lesson->arena;
    Inputs in = heads_inputs(arena, task);
    Mat looks = mat_new(arena, i + 1, WAYS), hidden = mat_new(arena, i + 1, WAYS);
    for (int w = 0; w < WAYS; w++) {
        weights_of(mat_cols(looks, w, 1), in, i, task->star, ways[w]);
        for (int j = 0; j <= i; j++) *mat_ref(hidden, j, w) = !ways[w](task->star, i, j);
    }
    show_table(lesson, (Table){ .name = arena_format(arena, "what \"%s\" looks at", lesson->sentence.words[i]),
                                .values = looks,
                                .hidden = hidden,
                                .rows = lesson->sentence.words,
                                .cols = cols,
                                .low = 0,
                                .high = 1 });
    return looks;
}

void blocks_and_an_anchor(Lesson *lesson, const Asked *asked)
{
    step(lesson, "Blocks, and an anchor");
    block_map_figure(lesson, "here.png", BLOCK_MAP_MASK);
    HeadsTask task = sentence_task(lesson, asked);
    Star star = task.star;
    const char *text = "";
    for (int n = 0; n < star_blocks(star); n++) {
        MaskRange block = star_block(star, n);
        for (int t = 0; t < block.count; t++)
            text = arena_format(lesson->arena, "%s%s ", text, lesson->sentence.words[block.first + t]);
        text = arena_format(lesson->arena, "%s/ ", text);
    }
    say(lesson, "The context, cut into blocks of %d, and then the query's words: %s", star.block,
        arena_format(lesson->arena, "%s…", text));
    figure_mask(lesson, star, asked->ranks->count);
    int64_t pairs = 0, seen = 0;
    for (int i = 0; i < star.context; i++)
        for (int j = 0; j < star.context; j++) seen += star_sees(star, i, j);
    for (int n = 0; n < star_blocks(star); n++) {
        int64_t b = star_block(star, n).count;
        pairs += b * (b + 1) / 2 + (n ? b * star.anchor : 0);
    }
    cost(lesson, "pairs of phase 1", seen, "sum over blocks of b(b+1)/2 + a·b", pairs);
    if (star.context == 0) return;
    Mat looks = looks_of(lesson, &task, star.context - 1);
    if (!as_usual(lesson, asked)) return;
    check(lesson, mat_value(looks, 1, 1) > 0.5 && mat_value(looks, 1, 2) == 0,
          "through the anchor \"it\" finds the animal; without, nothing in its block is like it");
    check(lesson, mat_value(looks, 1, 3) == 0 && mat_value(looks, 5, 3) > 2 * mat_value(looks, 5, 0),
          "with the block before in the anchor's place it sees no animal, and twice as much of the street");
}

// ---- 2. Phase 1

// From box 0, the query's, to the box of a rank, and back.
static DiagramArrow question(int box, double x)
{
    return (DiagramArrow){ .from = 0,
                           .to = box,
                           .leaves = DIAGRAM_TOP,
                           .enters = DIAGRAM_BOTTOM,
                           .to_shift = -14,
                           .from_shift = x - 8,
                           .color = { 213, 94, 0 } };
}

static DiagramArrow reply(int box, double x)
{
    return (DiagramArrow){ .from = box,
                           .to = 0,
                           .leaves = DIAGRAM_BOTTOM,
                           .enters = DIAGRAM_TOP,
                           .from_shift = 14,
                           .to_shift = x + 8,
                           .dashed = true,
                           .color = { 0, 114, 178 } };
}

// Rank by rank: the anchor that is read and dropped, and the own words.
static void figure_ranks(Lesson *lesson, Star star, int R)
{
    enum { WIDE = 132, GAP = 26, MOST = 8, LINE = 16, USUAL = 118 };
    if (R > MOST) {
        say(lesson, "ranks.png is drawn of %d ranks at most.", MOST);
        return;
    }
    int most = 0;
    for (int r = 0; r < R; r++) {
        MaskRange blocks = star_blocks_of(star, r, R);
        int lines = star_own(star, r, R).count + blocks.count * star.anchor;
        if (lines > most) most = lines;
    }
    double high = LINE * (most + 3) > USUAL ? LINE * (most + 3) : USUAL;
    const Sentence *s = &lesson->sentence;
    Arena *arena = lesson->arena;
    DiagramBox boxes[2 * MOST + 1];
    DiagramArrow arrows[2 * MOST];
    int count = 0, arrow_count = 0;
    const char *ask = "";
    for (int t = star.context; t < s->T; t++) ask = arena_format(arena, "%s%s%s", ask, *ask ? " " : "", s->words[t]);
    boxes[count++] = (DiagramBox){ .at = { (R - 1) * (WIDE + GAP) + WIDE / 2.0 - 120, high + 130, 240, 0 },
                                   .title = arena_format(arena, "phase 2: the query, on rank %d", R - 1),
                                   .lines = *ask ? ask : "nobody asks",
                                   .color = { 213, 94, 0 } };
    for (int r = 0; r < R; r++) {
        MaskRange blocks = star_blocks_of(star, r, R);
        const char *words = "";
        for (int n = blocks.first; n < blocks.first + blocks.count; n++) {
            MaskRange block = star_block(star, n);
            for (int t = 0; t < star_anchor(star, n); t++) words = arena_format(arena, "%s(%s)\n", words, s->words[t]);
            for (int t = 0; t < block.count; t++)
                words = arena_format(arena, "%s%s%s", words, s->words[block.first + t],
                                     t + 1 < block.count || n + 1 < blocks.first + blocks.count ? "\n" : "");
        }
        boxes[count] = (DiagramBox){ .at = { r * (double)(WIDE + GAP), 0, WIDE, high },
                                     .title = arena_format(arena, "rank %d", r),
                                     .lines = *words ? words : "nothing",
                                     .color = { 0, 114, 178 } };
        if (r < R - 1 && *ask) { // nobody sends to itself
            arrows[arrow_count++] = question(count, (r - (R - 1) / 2.0) * 44);
            arrows[arrow_count++] = reply(count, (r - (R - 1) / 2.0) * 44);
        }
        count++;
    }
    const DiagramLabel labels[] = { { 0,
                                      high + 214,
                                      { .size = 12 },
                                      "(in brackets) the anchor: read and dropped. Solid: queries. Dashed: outputs "
                                      "and lse." } };
    figure_diagram(lesson, "ranks.png", "what every rank reads, and what goes to and fro when the query comes",
                   (Diagram){ .title = "Phase 1, every rank by itself; and phase 2",
                              .boxes = boxes,
                              .box_count = count,
                              .arrows = arrows,
                              .arrow_count = arrow_count,
                              .labels = labels,
                              .label_count = 1 });
}

static double apart(Mat a, Mat b, int first, int count)
{
    return mat_max_difference(mat_rows(a, first, count), mat_rows(b, first, count));
}

static int64_t sum_of(const RankCount *counts, int R, int phase, bool bytes)
{
    int64_t sum = 0;
    for (int r = 0; r < R; r++) sum += bytes ? counts[r].bytes[phase] : counts[r].messages[phase];
    return sum;
}

void nothing_is_sent(Lesson *lesson, const Asked *asked)
{
    step(lesson, "Phase 1: nothing is sent");
    static const char *const cols[] = { "blocks", "reads", "keeps", "bytes kept", "messages" };
    HeadsTask task = sentence_task(lesson, asked);
    int R = asked->ranks->count;
    HeadsResult ours = heads_on_ranks(lesson->arena, asked->ranks, R, &task), one = heads_masked(lesson->arena, &task);
    Rows table = rows_of(lesson, "each rank by itself, in tokens", cols, 5);
    table.table.decimals = -1;
    int64_t kept = 0;
    for (int r = 0; r < R; r++) {
        const RankCount *c = &ours.counts[r];
        MaskRange blocks = star_blocks_of(task.star, r, R);
        int anchors = blocks.count - (blocks.count > 0 && blocks.first == 0);
        rows_add(&table,
                 ROW(c->blocks, c->tokens + anchors * task.star.anchor, c->tokens, (double)c->kept,
                     (double)c->messages[0]),
                 "rank %d", r);
        kept += c->kept;
    }
    show_rows(lesson, &table);
    figure_ranks(lesson, task.star, R);
    cost(lesson, "messages of phase 1", sum_of(ours.counts, R, 0, false), "0", 0);
    cost(lesson, "bytes kept by all", kept, "4 (d + dv) a token of the context, once",
         4LL * 2 * HAND_MADE_WIDTH * task.star.context);
    check(lesson, apart(ours.out, one.out, 0, task.star.context) < 1e-5,
          "what the ranks give for the context is attention through the mask, in one process: less than 0.00001 apart");
}

// ---- 3. Phase 2

// For the viewer: the heads, and who has computed what after phase 1 and after phase 2.
static void dump_phases(Lesson *lesson, const HeadsTask *task, int R)
{
    const Sentence *s = &lesson->sentence;
    Arena *arena = lesson->arena;
    Inputs in = heads_inputs(arena, task);
    int T = s->T;
    Mat weights = mat_new(arena, T, T), scores = lesson_dump_scores(lesson, in.q, in.k, 1, &CAUSAL), early;
    Mat heads = mat_new(arena, T, in.v.cols);
    star_masked((Attended){ .out = heads, .weights = weights }, in.q, in.k, in.v, 1, &CAUSAL, task->star);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++)
            if (!star_sees(task->star, i, j)) *mat_ref(scores, i, j) = -INFINITY;
    early = mat_copy(arena, weights);
    mat_fill(mat_rows(early, task->star.context, task->query), 0.0f);
    Mat late = ranks_of(arena, task->star, R, T, T);
    mat_fill(mat_rows(late, 0, task->star.context), 0.0f);
    const TraceStep steps[] = { { ranks_of(arena, task->star, R, T, task->star.context), early }, { late, weights } };
    trace_heads(lesson->trace, (TraceHeads){ .H = 1,
                                             .x = s->x,
                                             .q = in.q,
                                             .k = in.k,
                                             .v = in.v,
                                             .scores = scores,
                                             .weights = weights,
                                             .heads = heads });
    trace_steps(lesson->trace, steps, 2);
}

void one_query_for_all(Lesson *lesson, const Asked *asked)
{
    step(lesson, "Phase 2: one query for all");
    static const char *const cols[] = { "messages", "bytes", "of rank 0" };
    HeadsTask task = sentence_task(lesson, asked);
    int R = asked->ranks->count;
    if (task.query == 0) {
        say(lesson, "A single word is all context: nobody is left to ask. Give --sentence two.");
        dump_phases(lesson, &task, R);
        return;
    }
    Rows table = rows_of(lesson,
                         arena_format(lesson->arena, "%d token%s, one by one: sent by all ranks", task.query,
                                      task.query == 1 ? "" : "s"),
                         cols, 3);
    table.table.decimals = -1;
    HeadsResult one = heads_masked(lesson->arena, &task);
    bool counted_right = true;
    double most = 0;
    for (int r = 1; r <= R; r = r < R && 2 * r > R ? R : 2 * r) {
        HeadsResult ours = heads_on_ranks(lesson->arena, asked->ranks, r, &task);
        int64_t messages = sum_of(ours.counts, r, 1, false), bytes = sum_of(ours.counts, r, 1, true);
        int64_t width = HAND_MADE_WIDTH, n = task.query, answer = r > 1 ? ours.counts[0].bytes[1] : 0;
        rows_add(&table, ROW((double)messages, (double)bytes, (double)answer), "R = %d", r);
        counted_right = counted_right && messages == 2 * (r - 1) * n &&
                        bytes == 4 * n * (r - 1) * (width + width + 1) && answer == (r > 1 ? 4 * n * (width + 1) : 0);
        most = fmax(most, apart(ours.out, one.out, 0, one.out.rows));
        most = fmax(most, apart(ours.lse, one.lse, 0, one.lse.rows));
    }
    show_rows(lesson, &table);
    check(lesson, counted_right, "counted, a token: R - 1 messages of H d floats out, R - 1 of H (dv + 1) back");
    check(lesson, most < 1e-5,
          "on each number of ranks, outputs and lse are those of the mask: less than 0.00001 apart");
    dump_phases(lesson, &task, R);
}
