// Chapter 11, steps 2 and 3. The cache of one layer, word by word and in chunks of every size.
#include "attention/grouped.h"
#include "attention/kv_cache.h"
#include "lesson/dump.h"
#include "steps.h"

enum { WORDS_SPLIT = 12, H_MOST = 4 };

// ---- 2. A cache

// Heads for words of this width: four where that divides it.
static int heads_for(Mat x) { return x.cols % H_MOST ? 1 : H_MOST; }

void word_by_word(Lesson *lesson)
{
    step(lesson, "Two matrices and a length");
    a_word_joins(lesson);
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x, whole = mat_new(arena, x.rows, x.cols), out = mat_new(arena, x.rows, x.cols);
    int T = x.rows, H = heads_for(x);
    Mat weights = mat_new(arena, H * T, T);
    Mask masks[H_MOST];
    grouped_masks(masks, H, (Mask){ .causal = true }, false);
    grouped_attend((Attended){ .out = whole, .weights = weights }, x, x, x, H, masks, attention_naive);

    static const char *const cols[] = { "joins", "kept", "bytes" };
    Rows table = rows_of(lesson, "word by word", cols, 3);
    table.table.decimals = -1;
    KvCache cache = kv_cache_new(arena, T, x.cols, x.cols);
    for (int t = 0; t < T; t++) {
        int before = cache.length;
        Mat word = mat_rows(x, t, 1);
        kv_cache_attend((Attended){ .out = mat_rows(out, t, 1) }, &cache, word, word, word, H, masks, attention_naive);
        rows_add(&table, ROW(cache.length - before, cache.length, (double)kv_cache_bytes(cache)), "%s",
                 lesson->sentence.words[t]);
    }
    show_rows(lesson, &table);
    check(lesson, mat_equal(out, whole), "%d word%s one by one give%s what they give all at once, to the bit", T,
          T == 1 ? "" : "s", T == 1 ? "s" : "");
    trace_heads(lesson->trace, (TraceHeads){ .H = H,
                                             .q = x,
                                             .k = x,
                                             .v = x,
                                             .weights = weights,
                                             .heads = out,
                                             .scores = lesson_dump_scores(lesson, x, x, H, masks) });
}

// ---- 3. Prefill and decode

// A sequence and what attention gives for all of it at once.
typedef struct {
    Mat q, k, v, whole;
    int H;
    Mask masks[H_MOST];
} Sequence;

// Fed in chunks: one ends behind token t where bit t of `split` is set, and behind the last. Is every row the same?
static bool same_when_split(Arena *arena, const Sequence *s, int split)
{
    int T = s->q.rows;
    KvCache cache = kv_cache_new(arena, T, s->k.cols, s->v.cols);
    Mat out = mat_new(arena, T, s->whole.cols);
    for (int first = 0, t = 0; t < T; t++) {
        if (!(split >> t & 1) && t < T - 1) continue;
        int n = t + 1 - first;
        kv_cache_attend((Attended){ .out = mat_rows(out, first, n) }, &cache, mat_rows(s->q, first, n),
                        mat_rows(s->k, first, n), mat_rows(s->v, first, n), s->H, s->masks, attention_naive);
        first = t + 1;
    }
    return mat_equal(out, s->whole);
}

static int splits_that_agree(Lesson *lesson, Mat x, int H, int G, Mask mask, bool alibi)
{
    int same = 0, d = x.cols / H;
    Arena *arena = lesson->arena;
    Mat k = mat_cols(x, 0, G * d);
    Sequence s = { .q = x, .k = k, .v = k, .whole = mat_new(arena, x.rows, x.cols), .H = H };
    grouped_masks(s.masks, H, mask, alibi);
    grouped_attend((Attended){ .out = s.whole }, s.q, s.k, s.v, H, s.masks, attention_naive);
    for (int split = 0; split < 1 << (x.rows - 1); split++) {
        ArenaMark mark = arena_mark(arena);
        same += same_when_split(arena, &s, split);
        arena_release(arena, mark);
    }
    return same;
}

void every_split(Lesson *lesson)
{
    step(lesson, "Prefill and decode are one call");
    Mat x = lesson->sentence.x;
    int T = x.rows < WORDS_SPLIT ? x.rows : WORDS_SPLIT, H = heads_for(x), columns = 0, all = 1 << (T - 1);
    static const struct {
        const char *name;
        Mask mask;
        bool alibi;
    } kinds[] = {
        { "causal", { .causal = true }, false },
        { "window of 4, 1 sink", { .causal = true, .window = 4, .sinks = 1 }, false },
        { "causal, ALiBi", { .causal = true }, true },
    };
    const char *names[H_MOST];
    for (int G = H; G >= 1; G /= 2) names[columns++] = arena_format(lesson->arena, "G = %d", G);
    Rows table = rows_of(lesson, "splits that give what one piece gives, to the bit", names, columns);
    table.table.decimals = -1;
    bool same = true;
    for (int m = 0; m < 3; m++) {
        double agree[H_MOST];
        for (int c = 0; c < columns; c++) {
            agree[c] = splits_that_agree(lesson, mat_rows(x, 0, T), H, H >> c, kinds[m].mask, kinds[m].alibi);
            same = same && agree[c] == all;
        }
        rows_add(&table, agree, "%s", kinds[m].name);
    }
    say(lesson,
        "%d word%s can be cut into chunks in 2^%d = %d way%s, from one by one to all at once. H = %d heads, G "
        "key heads.",
        T, T == 1 ? "" : "s", T - 1, all, T == 1 ? "" : "s", H);
    show_rows(lesson, &table);
    check(lesson, same, "every split, every mask, every G");
}
