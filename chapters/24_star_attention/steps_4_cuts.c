// Chapter 24, steps 4 and 5. Any cut on any number of ranks; and three ways to get it wrong.
#include "attention/online.h"
#include "attention/positions.h"
#include "base/portable_math.h"
#include "steps.h"

// ---- 4. Any cut

enum { TRIED = 5 };
static const int tried[TRIED] = { 1, 2, 3, 4, 7 };

// Multiplications of phase 1 of a rank: d for each score and dv for each weight, over own pairs, pairs with the anchor,
// and the anchor's own ones once more; and 2 dv for each row of two parts that are merged.
static int64_t work_of(const HeadsTask *task, int me, int R)
{
    MaskRange blocks = star_blocks_of(task->star, me, R);
    StarHeads h = task->heads;
    int64_t pairs = 0, merged = 0;
    for (int n = blocks.first; n < blocks.first + blocks.count; n++) {
        int64_t b = star_block(task->star, n).count, a = star_anchor(task->star, n);
        pairs += b * (b + 1) / 2 + a * b + a * (a + 1) / 2;
        if (a > 0) merged += b;
    }
    return h.H * (pairs * (h.d + h.dv) + merged * 2 * h.dv);
}

typedef struct {
    double out, lse;
    int cases;
    bool silent, right;
} Worst;

static void try_cut(Lesson *lesson, Ranks *ranks, const HeadsTask *task, Worst *worst)
{
    HeadsResult one = heads_masked(lesson->arena, task);
    for (int i = 0; i < TRIED && tried[i] <= ranks->count; i++) {
        int R = tried[i];
        StarHeads h = task->heads;
        HeadsResult ours = heads_on_ranks(lesson->arena, ranks, R, task);
        worst->out = fmax(worst->out, mat_max_difference(ours.out, one.out));
        worst->lse = fmax(worst->lse, mat_max_difference(ours.lse, one.lse));
        worst->cases++;
        int64_t chunks = (task->query + task->chunk - 1) / task->chunk;
        for (int r = 0; r < R; r++) {
            const RankCount *c = &ours.counts[r];
            bool asks = r == R - 1;
            worst->silent = worst->silent && c->messages[0] == 0 && c->bytes[0] == 0;
            worst->right = worst->right && c->messages[1] == (asks ? chunks * (R - 1) : chunks) &&
                           c->bytes[1] == 4LL * task->query * h.H * (asks ? h.d * (R - 1) : h.dv + 1) &&
                           c->kept == 4LL * h.G * (h.d + h.dv) * c->tokens;
        }
    }
}

void any_cut(Lesson *lesson, const Asked *asked)
{
    step(lesson, "Any cut");
    Arena *arena = lesson->arena;
    static const char *const cols[] = { "tokens", "KB kept", "KB at most", "multiplied" };
    HeadsTask task = { .star = { 500, 64, 64 }, .heads = { 4, 2, 8, 8 }, .query = 12, .chunk = 5, .seed = 24 };
    Rows table = rows_of(lesson, "500 tokens in blocks of 64: the busiest rank", cols, 4);
    table.table.decimals = 3;
    table.table.whole = 1;
    bool counted_right = true;
    for (int i = 0; i < TRIED && tried[i] <= asked->ranks->count; i++) {
        HeadsResult ours = heads_on_ranks(arena, asked->ranks, tried[i], &task);
        double tokens = 0, kept = 0, peak = 0, work = 0;
        for (int r = 0; r < tried[i]; r++) {
            const RankCount *c = &ours.counts[r];
            tokens = fmax(tokens, c->tokens);
            kept = fmax(kept, (double)c->kept / 1e3);
            peak = fmax(peak, (double)c->peak / 1e3);
            work = fmax(work, (double)c->multiplies[0] / 1e6);
            counted_right = counted_right && c->multiplies[0] == work_of(&task, r, tried[i]);
        }
        rows_add(&table, ROW(tokens, kept, peak, work), "R = %d", tried[i]);
    }
    show_rows(lesson, &table);
    say(lesson, "Anchor: 64. 4 heads, 2 key heads, d = dv = 8; 12 tokens ask. At most: with the anchor, the query's "
                "tokens, and what is under way. Multiplied: millions, in phase 1, the anchor's own work included.");
    check(lesson, counted_right, "counted on each rank: (d + dv) H (b(b+1)/2 + ab + a(a+1)/2) a block, and the merge");

    Worst worst = { .silent = true, .right = true };
    static const StarHeads heads[] = { { 4, 4, 8, 8 }, { 4, 2, 8, 6 }, { 4, 1, 8, 8 } };
    for (int h = 0; h < 3; h++)
        for (int a = 0; a <= 10; a += 5) {
            HeadsTask cut = { .star = { 53, 10, a },
                              .heads = heads[h],
                              .query = 7,
                              .chunk = 3,
                              .seed = 7,
                              .alibi = a == 5 ? 0.25f : 0.0f };
            try_cut(lesson, asked->ranks, &cut, &worst);
        }
    check(lesson, worst.out < 1e-5 && worst.lse < 1e-5,
          "53 tokens in blocks of 10, anchors of 0, 5 and 10, MHA, GQA, "
          "MQA, with ALiBi and without: outputs and lse on each number of ranks less than 0.00001 from the mask");
    check(lesson, worst.silent && worst.right,
          "phase 1 sends nothing, and phase 2 what the formulas say, on each rank");
}

// ---- 5. Three mistakes

typedef enum { RIGHT, AVERAGED, RESTARTED, ANCHOR_KEPT, MISTAKES } Mistake;
enum { LONG = 96, ASKS = 4, PARTS = 4, WIDE = 16 };
static const Star CUT = { LONG, LONG / PARTS, LONG / PARTS };

static Mat turned(Arena *arena, Mat m, int first)
{
    Mat copy = mat_copy(arena, m);
    rope_apply(copy, rope_table(arena, first, m.rows, m.cols));
    return copy;
}

static Attended part_new(Arena *arena)
{
    return (Attended){ .out = mat_new(arena, ASKS, WIDE), .lse = mat_new(arena, ASKS, 1) };
}

// One part's keys join what is there, with the share that it has; or, wrongly, with the same share as any other.
static void join(Attended to, Attended part, int parts_before, bool averaged)
{
    if (!averaged) {
        attention_merge(to.out, to.lse, part.out, part.lse);
        return;
    }
    for (int i = 0; i < ASKS; i++)
        for (int c = 0; c < WIDE; c++) {
            float *at = mat_ref(to.out, i, c);
            *at += (*mat_ref(part.out, i, c) - *at) / (float)(parts_before + 1);
        }
}

// Phase 2 in one process, over the keys of four blocks as four ranks would keep them: outputs (ASKS, WIDE).
static Mat ask_four(Arena *arena, Inputs in, Mistake mistake)
{
    Attended all = part_new(arena), part = part_new(arena);
    mat_fill(all.lse, -INFINITY);
    Mat q = turned(arena, mat_rows(in.q, LONG, ASKS), LONG);
    Mat first_k = turned(arena, mat_rows(in.k, 0, CUT.anchor), 0), first_v = mat_rows(in.v, 0, CUT.anchor);
    for (int n = 0; n < PARTS; n++) {
        MaskRange block = star_block(CUT, n);
        int at = mistake == RESTARTED && n > 0 ? CUT.anchor : block.first;
        attention_naive(part, q, turned(arena, mat_rows(in.k, block.first, block.count), at),
                        mat_rows(in.v, block.first, block.count), (Mask){ 0 });
        if (mistake == ANCHOR_KEPT && n > 0) {
            Attended anchor = part_new(arena);
            attention_naive(anchor, q, first_k, first_v, (Mask){ 0 });
            attention_merge(part.out, part.lse, anchor.out, anchor.lse);
        }
        join(all, part, n, mistake == AVERAGED);
    }
    attention_naive(part, q, turned(arena, mat_rows(in.k, LONG, ASKS), LONG), mat_rows(in.v, LONG, ASKS),
                    (Mask){ .causal = true });
    join(all, part, PARTS, mistake == AVERAGED);
    return all.out;
}

void three_mistakes(Lesson *lesson)
{
    static const char *const names[MISTAKES] = { "as it should be", "averaged", "positions start anew", "anchor kept" };
    static const char *const cols[] = { "at most" };
    step(lesson, "Three mistakes");
    Arena *arena = lesson->arena;
    HeadsTask task = { .star = CUT, .heads = { 1, 1, WIDE, WIDE }, .query = ASKS, .chunk = 1, .seed = 5 };
    Inputs in = heads_inputs(arena, &task);
    const Mask causal = { .causal = true };
    Mat one = mat_new(arena, LONG + ASKS, WIDE);
    star_masked((Attended){ .out = one }, turned(arena, in.q, 0), turned(arena, in.k, 0), in.v, 1, &causal, CUT);
    Rows table = rows_of(lesson, "4 tokens ask, four blocks' keys apart, with RoPE: how far off", cols, 1);
    table.table.decimals = 3;
    double off[MISTAKES];
    for (int m = 0; m < MISTAKES; m++) {
        off[m] = mat_max_difference(ask_four(arena, in, (Mistake)m), mat_rows(one, LONG, ASKS));
        rows_add(&table, &off[m], "%s", names[m]);
    }
    show_rows(lesson, &table);
    say(lesson, "%d tokens in blocks of %d, anchor %d; the queries' own keys are a fifth part.", LONG, CUT.block,
        CUT.anchor);
    check(lesson, off[RIGHT] < 1e-5, "merged by lse, at the true positions, without the anchor: less than 0.00001");
    check(lesson, off[AVERAGED] > 0.1 && off[RESTARTED] > 0.1 && off[ANCHOR_KEPT] > 0.1,
          "each mistake is more than 0.1 off, and has the right shape");
}
