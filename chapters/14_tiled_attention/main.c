// Chapter 14. Tiled attention: the same numbers without the table.
// Run build/chapters/14_tiled_attention with README.md of this folder open beside it.
#include "attention/backward.h"
#include "attention/online.h"
#include "attention/parts.h"
#include "attention/tiled.h"
#include "base/threads.h"
#include "lesson/lesson.h"

#include <math.h>
#include <strings.h>
#include <time.h>

enum { WIDTH = 64 };                                           // d = dv where no sentence is looked at
static const Mask EVERYTHING = { 0 }, CAUSAL = { .causal = true };

// ---- what the steps share

static int place_of(const Sentence *sentence, const char *word, int otherwise)
{
    for (int t = 0; t < sentence->T; t++)
        if (!strcasecmp(sentence->words[t], word)) return t;
    return otherwise;
}

static Projected drawn(Lesson *lesson, int T, int S, int d)
{
    Projected p = { mat_new(lesson->arena, T, d), mat_new(lesson->arena, S, d), mat_new(lesson->arena, S, d) };
    random_normals(&lesson->random, p.q);
    random_normals(&lesson->random, p.k);
    random_normals(&lesson->random, p.v);
    return p;
}

static Attended room_for(Lesson *lesson, int T, int dv)        // out and lse
{
    return (Attended){ mat_new(lesson->arena, T, dv), mat_new(lesson->arena, T, 1), { 0 } };
}

static double apart(Attended a, Attended b)
{
    return fmax(mat_max_difference(a.out, b.out), mat_max_difference(a.lse, b.lse));
}

static int64_t tiles_along(int64_t length, int64_t size) { return (length + size - 1) / size; }

static const double MIB = 1024.0 * 1024.0, GIB = 1024.0 * 1024.0 * 1024.0;

// ---- 1

static void the_table(Lesson *lesson)
{
    step(lesson, "A table that nobody asked for");
    enum { ROWS = 4, T = 128 };
    static const int lengths[ROWS] = { 1024, 8192, 32768, 131072 };
    static const char *const columns[] = { "q, k, v, out", "table" };
    const char *rows[ROWS];
    Mat table = mat_new(lesson->arena, ROWS, 2);
    for (int r = 0; r < ROWS; r++) {
        double n = lengths[r];
        rows[r] = arena_format(lesson->arena, "T = %d", lengths[r]);
        *mat_ref(table, r, 0) = (float)(4.0 * n * 4 * WIDTH / MIB);
        *mat_ref(table, r, 1) = (float)(4.0 * n * n / MIB);
    }
    Projected p = drawn(lesson, T, T, WIDTH);
    counted = (Cost){ 0 };
    attention_naive((Attended){ .out = mat_new(lesson->arena, T, WIDTH) }, p.q, p.k, p.v, EVERYTHING);
    cost(lesson, arena_format(lesson->arena, "bytes of scratch in the naive kernel at T = %d", T), counted.scratch,
         "4·T·S", 4 * T * T);
    show_table(lesson, (Table){ .name = arena_format(lesson->arena, "MiB of one head, d = %d, S = T", WIDTH),
                                .values = table, .rows = rows, .cols = columns, .decimals = -1 });
    double n = 32768.0;
    say(lesson, "At T = 32768 the table of one head has %.1f GiB. What goes in and what comes out has %.0f MiB.",
        4.0 * n * n / GIB, 4.0 * n * 4 * WIDTH / MIB);
}

// ---- 2

typedef struct { Span queries, keys; TileKind kind; Mat weights, state; } Frame;        // (T, S), (T, 3)

// The walk as it is watched. `scores` is the whole table: the kernel has none, the picture needs one.
typedef struct {
    Lesson *lesson;
    Mat     scores;
    Frame  *frames;
    int     count, room;
} Film;

// After every tile: each query's weights as they stand, exp(score − m) / l over the keys so far.
static void film_tile(const TileVisit *visit, void *context)
{
    Film *film = context;
    REQUIRE(film->count < film->room, "%d frames are too many", film->count + 1);
    Arena *arena = film->lesson->arena;
    Frame *frame = &film->frames[film->count], *before = film->count ? frame - 1 : NULL;
    int T = film->scores.rows, S = film->scores.cols;
    *frame = (Frame){ visit->queries, visit->keys, visit->kind, mat_new(arena, T, S), mat_new(arena, T, 3) };
    if (before) {
        mat_set(frame->weights, before->weights);
        mat_set(frame->state, before->state);
    }
    for (int r = 0; r < visit->queries.count; r++) {
        int i = visit->queries.first + r;
        float max = *mat_ref(visit->max, r, 0), sum = *mat_ref(visit->sum, r, 0);
        float state[] = { max, sum, *mat_ref(visit->rescale, r, 0) };
        mat_set(mat_rows(frame->state, i, 1), mat_of(arena, 1, 3, state));
        for (int j = 0; j < visit->keys.first + visit->keys.count && max != -INFINITY; j++)
            *mat_ref(frame->weights, i, j) = expf(*mat_ref(film->scores, i, j) - max) / sum;
    }
    film->count++;
}

static Film film_walk(Lesson *lesson, Attended to, Mat x, Mask mask, Tiles tiles)
{
    int room = (int)(tiles_along(x.rows, tiles.queries) * tiles_along(x.rows, tiles.keys));
    Film film = { lesson, mat_new(lesson->arena, x.rows, x.rows), NULL, 0, room };
    film.frames = arena_alloc(lesson->arena, (size_t)room * sizeof *film.frames);
    attention_scores(film.scores, x, x, mask);
    attention_tiled_watched(to, x, x, x, mask, tiles, film_tile, &film);
    return film;
}

// What the viewer opens: the state after every tile, one map a frame.
static void trace_film(Lesson *lesson, const Film *film)
{
    TraceTile *tiles = arena_alloc(lesson->arena, (size_t)film->count * sizeof *tiles);
    for (int f = 0; f < film->count; f++) {
        Span rows = film->frames[f].queries, cols = film->frames[f].keys;
        tiles[f] = (TraceTile){ rows.first, rows.count, cols.first, cols.count, film->frames[f].weights,
                                film->frames[f].state };
    }
    trace_walk(lesson->trace, tiles, film->count);
}

// Frame f: a pair that no tile has reached is hatched, the tile at hand is framed.
static HeatMap map_of_frame(Lesson *lesson, const Film *film, int f)
{
    const Frame *frame = &film->frames[f];
    const char *const *words = lesson->sentence.words;
    Mat hidden = mat_new(lesson->arena, frame->weights.rows, frame->weights.cols);
    mat_fill(hidden, 1.0f);
    for (int e = 0; e <= f; e++) {
        Frame *done = &film->frames[e];
        mat_fill(mat_block(hidden, done->queries.first, done->queries.count, done->keys.first, done->keys.count), 0.0f);
    }
    return (HeatMap){
        .title = arena_format(lesson->arena, "tile %d", f + 1), .values = frame->weights, .hidden = hidden,
        .hidden_title = "not yet",
        .row_labels = words, .col_labels = words, .row_title = "query (attends from)",
        .col_title = "key (attended to)", .bar_title = "weight so far",
        .colors = VIRIDIS, .low = 0.0, .high = 0.4, .decimals = -1,
        .mark_row = frame->queries.first + 1, .mark_col = frame->keys.first + 1, .mark_rows = frame->queries.count,
        .mark_cols = frame->keys.count,
    };
}

static void draw_film(Lesson *lesson, const Film *film)
{
    enum { MOST = 9 };
    HeatMap maps[MOST];
    int shown = film->count < MOST ? film->count : MOST;
    for (int m = 0; m < shown; m++)                            // too many frames: some are passed over, not the last
        maps[m] = map_of_frame(lesson, film, shown < 2 ? 0 : m * (film->count - 1) / (shown - 1));
    figure_maps(lesson, "walk.png", "the weights so far, after every tile; hatched: not reached yet", NULL, maps,
                shown, 3);
}

static const char *name_of_keys(Lesson *lesson, Span keys)
{
    const char *const *words = lesson->sentence.words;
    if (keys.count < 2) return keys.count ? words[keys.first] : "no word";
    return arena_format(lesson->arena, "%s … %s", words[keys.first], words[keys.first + keys.count - 1]);
}

static bool holds(Span span, int i) { return i >= span.first && i < span.first + span.count; }

// One query's row of tiles: what it knows after each.
static void show_row(Lesson *lesson, const Film *film, int word, int key)
{
    const char *const *words = lesson->sentence.words;
    static const char *columns[] = { "m", "l", "rescale", NULL };
    int rows = 0;
    for (int f = 0; f < film->count; f++) rows += holds(film->frames[f].queries, word);
    Mat table = mat_new(lesson->arena, rows, 4);
    const char **names = arena_alloc(lesson->arena, (size_t)rows * sizeof *names);
    columns[3] = words[key];
    for (int f = 0, r = 0; f < film->count; f++) {
        const Frame *frame = &film->frames[f];
        if (!holds(frame->queries, word)) continue;
        names[r] = name_of_keys(lesson, frame->keys);
        mat_set(mat_block(table, r, 1, 0, 3), mat_rows(frame->state, word, 1));
        *mat_ref(table, r, 3) = *mat_ref(frame->weights, word, key);
        r++;
    }
    const char *name = arena_format(lesson->arena, "the row of %s, after each of its tiles", words[word]);
    show_table(lesson, (Table){ .name = name, .values = table, .rows = names, .cols = columns, .decimals = 3 });
}

// What the query's sums were multiplied by when the tile with this key came.
static float rescale_at(const Film *film, int query, int key)
{
    for (int f = 0; f < film->count; f++)
        if (holds(film->frames[f].queries, query) && holds(film->frames[f].keys, key))
            return *mat_ref(film->frames[f].state, query, 2);
    return 1.0f;
}

static void one_tile_at_a_time(Lesson *lesson, int size)
{
    step(lesson, "One tile at a time");
    Mat x = lesson->sentence.x;
    int T = x.rows, it = place_of(&lesson->sentence, "it", T - 1), animal = place_of(&lesson->sentence, "animal", 0);
    Attended naive = room_for(lesson, T, x.cols), tiled = room_for(lesson, T, x.cols);
    attention_naive(naive, x, x, x, EVERYTHING);
    Film film = film_walk(lesson, tiled, x, EVERYTHING, (Tiles){ size, size });
    say(lesson, "The book's head of chapter 03, q = k = v = X, T = S = %d, in %d tiles of at most %d × %d. m is the "
        "largest score so far, l is Σ exp(score − m), rescale is what the old sums were multiplied by.", T, film.count,
        size, size);
    show_row(lesson, &film, it, animal);
    int tired = place_of(&lesson->sentence, "tired", T - 1);
    if (tired != it) show_row(lesson, &film, tired, animal);
    if (!lesson->own_words && size <= tired) {
        float rescale = rescale_at(&film, tired, tired);
        check(lesson, rescale < 1.0f, "tired scores highest with itself: what it had before is multiplied by %.3f",
              (double)rescale);
    }
    check(lesson, apart(naive, tiled) < 2e-6, "out and lse are those of attention_naive, within 0.000002");
    double last = (double)*mat_ref(film.frames[film.count - 1].weights, it, animal);
    if (!lesson->own_words)
        check(lesson, fabs(last - 0.113) < 0.0005, "after the last tile it gives animal %.3f, as in chapters 03 and 06",
              last);

    bool same = true;
    for (int queries = 1; queries <= T + 1; queries++)
        for (int keys = 1; keys <= T + 1; keys++) {
            attention_tiled_with(tiled, x, x, x, EVERYTHING, (Tiles){ queries, keys });
            same = same && apart(naive, tiled) < 2e-6;
        }
    check(lesson, same, "and so with every tile from 1 × 1 to %d × %d", T + 1, T + 1);
    draw_film(lesson, &film);
    trace_film(lesson, &film);
}

// ---- 3

static void scratch_of_a_tile(Lesson *lesson)
{
    step(lesson, "The memory of a tile");
    enum { ROWS = 4, d = 16 };
    static const char *const columns[] = { "naive", "8 × 8", "16 × 16", "32 × 32" };
    const Tiles tiles[] = { { 8, 8 }, { 16, 16 }, { 32, 32 } };
    const char *rows[ROWS];
    Mat table = mat_new(lesson->arena, ROWS, 4);
    bool grows = true, stays = true;
    for (int r = 0, T = 32; r < ROWS; r++, T *= 2) {
        Projected p = drawn(lesson, T, T, d);
        Attended to = room_for(lesson, T, d);
        rows[r] = arena_format(lesson->arena, "T = %d", T);
        for (int c = 0; c < 4; c++) {
            counted = (Cost){ 0 };
            if (c == 0) attention_naive(to, p.q, p.k, p.v, CAUSAL);
            else attention_tiled_with(to, p.q, p.k, p.v, CAUSAL, tiles[c - 1]);
            *mat_ref(table, r, c) = (float)counted.scratch;
            if (c == 0) grows = grows && counted.scratch == 4 * T * T;
            else stays = stays && counted.scratch == tiles_scratch(tiles[c - 1], d, d);
        }
    }
    show_table(lesson, (Table){ .name = "bytes of scratch, the high-water mark of the arena, d = 16", .values = table,
                                .rows = rows, .cols = columns, .decimals = -1 });
    check(lesson, grows, "naive: 4·T·S bytes");
    check(lesson, stays, "tiled: the same for every T");
    cost(lesson, "bytes for tiles of 16 × 32, d = 16", tiles_scratch((Tiles){ 16, 32 }, d, d),
         "4·(a·d + b·d + b·dv + a·b + 3·a + a·dv), a = 16, b = 32",
         4 * (16 * d + 32 * d + 32 * d + 16 * 32 + 3 * 16 + 16 * d));
}

// ---- 4

// Floats that a kernel moves at T = S without a mask, d = dv: what it must count.
static double naive_moves(double T, double d) { return T * d + T * T * (2 * d + 2) + 2 * T * T + T * d; }
static double table_moves(double T) { return 4 * T * T; }

static double tiled_moves(int64_t T, int64_t d, int64_t queries)
{
    return (double)(T * d + tiles_along(T, queries) * T * 2 * d + T * d);
}

static double counted_moves(Lesson *lesson, Projected p, const Tiles *tiles)
{
    Attended to = { .out = mat_new(lesson->arena, p.q.rows, p.v.cols) };
    counted = (Cost){ 0 };
    if (tiles) attention_tiled_with(to, p.q, p.k, p.v, EVERYTHING, *tiles);
    else attention_naive(to, p.q, p.k, p.v, EVERYTHING);
    return (double)(counted.reads + counted.writes);
}

static void count_moves(Lesson *lesson)
{
    enum { T = 192, d = 32, PLAIN = 2, ROWS = 7 };
    static const char *const plain_name[PLAIN] = { "naive", "online" };
    AttentionKernel *const plain[PLAIN] = { attention_naive, attention_online };
    const Tiles tiles[ROWS] = { { 0, 0 }, { 1, 1 }, { 1, 16 }, { 4, 16 }, { 16, 16 }, { 64, 16 }, { 64, 1 } };
    static const char *const columns[] = { "scratch", "read", "written" };
    const char *rows[ROWS];
    Projected p = drawn(lesson, T, T, d);
    Attended to = { .out = mat_new(lesson->arena, T, d) };
    Mat table = mat_new(lesson->arena, ROWS, 3);
    bool formula = true;
    for (int r = 0; r < ROWS; r++) {
        int queries = tiles[r].queries;
        counted = (Cost){ 0 };
        if (r < PLAIN) plain[r](to, p.q, p.k, p.v, EVERYTHING);
        else attention_tiled_with(to, p.q, p.k, p.v, EVERYTHING, tiles[r]);
        rows[r] = r < PLAIN ? plain_name[r]
                            : arena_format(lesson->arena, "tiles of %d × %d", queries, tiles[r].keys);
        float numbers[] = { (float)counted.scratch, 4.0f * (float)counted.reads, 4.0f * (float)counted.writes };
        mat_set(mat_rows(table, r, 1), mat_of(lesson->arena, 1, 3, numbers));
        int64_t reads = T * d + tiles_along(T, queries ? queries : 1) * T * 2 * d;
        if (r) formula = formula && counted.reads == reads && counted.writes == T * d;
        else cost(lesson, "floats that naive moves", counted.reads + counted.writes,
                  "(T·d + T·S·(d + dv + 2)) + (2·T·S + T·dv)", (int64_t)naive_moves(T, d));
    }
    check(lesson, formula, "tiles of a × b read T·d + ⌈T / a⌉·S·(d + dv) and write T·dv, for all below; "
          "online reads and writes like a = 1");
    show_table(lesson, (Table){ .name = arena_format(lesson->arena, "bytes moved, T = S = %d, d = dv = %d", T, d),
                                .values = table, .rows = rows, .cols = columns, .decimals = -1 });
}

enum { MEMORIES = 3, POINTS = 11, DOTS = 2 };
static const int64_t memory_bytes[MEMORIES] = { 32 << 10, 192 << 10, 2 << 20 };
static const char *const memory_name[MEMORIES] = { "tiled, 32 KiB", "tiled, 192 KiB", "tiled, 2 MiB" };

// Lines are the formula from T = 128 to 131072; dots are counted by the code.
static void draw_moves(Lesson *lesson, const Tiles *tiles, const double *dots)
{
    double dots_x[DOTS * (MEMORIES + 1)];
    for (int n = 0; n < DOTS * (MEMORIES + 1); n++) dots_x[n] = 128 << n % DOTS;
    static double x[POINTS], naive[POINTS], table[POINTS], tiled[MEMORIES][POINTS];
    for (int e = 0; e < POINTS; e++) {
        x[e] = 128 << e;
        naive[e] = 4 * naive_moves(x[e], WIDTH) / MIB;
        table[e] = 4 * table_moves(x[e]) / MIB;
        for (int m = 0; m < MEMORIES; m++)
            tiled[m][e] = 4 * tiled_moves(128 << e, WIDTH, tiles[m].queries) / MIB;
    }
    Series series[3 + MEMORIES] = {
        { .name = "naive", .x = x, .y = naive, .count = POINTS },
        { .name = "its table alone", .x = x, .y = table, .count = POINTS, .dashed = true },
    };
    for (int m = 0; m < MEMORIES; m++)
        series[2 + m] = (Series){ .name = memory_name[m], .x = x, .y = tiled[m], .count = POINTS };
    series[2 + MEMORIES] = (Series){ .x = dots_x, .y = dots, .count = DOTS * (MEMORIES + 1), .dots = true };
    figure_plot(lesson, "bytes.png", "bytes moved against T: naive, and tiled with three sizes of fast memory",
                (Plot){ .title = "Between slow and fast memory: one head, d = 64 (dots: counted)", .x_title = "T = S",
                        .y_title = "MiB moved", .series = series, .count = 3 + MEMORIES, .log_x = true, .log_y = true,
                        .width = 760, .height = 460 });
}

static void to_and_fro(Lesson *lesson)
{
    step(lesson, "What goes to and fro");
    count_moves(lesson);

    enum { T = 32768 };
    Tiles tiles[MEMORIES];
    double dots[(MEMORIES + 1) * DOTS];
    Mat table = mat_new(lesson->arena, MEMORIES + 2, 1);
    const char *rows[MEMORIES + 2] = { "naive", "its table alone" };
    *mat_ref(table, 0, 0) = (float)(4 * naive_moves(T, WIDTH) / GIB);
    *mat_ref(table, 1, 0) = (float)(4 * table_moves(T) / GIB);
    bool formula = true, fits = true;
    for (int m = 0; m < MEMORIES; m++) {
        tiles[m] = tiles_fit(memory_bytes[m], WIDTH, WIDTH);
        fits = fits && tiles_scratch(tiles[m], WIDTH, WIDTH) <= memory_bytes[m];
        rows[2 + m] = arena_format(lesson->arena, "%s: %d queries", memory_name[m], tiles[m].queries);
        *mat_ref(table, 2 + m, 0) = (float)(4 * tiled_moves(T, WIDTH, tiles[m].queries) / GIB);
    }
    for (int e = 0; e < DOTS; e++) {
        int n = 128 << e;
        Projected p = drawn(lesson, n, n, WIDTH);
        for (int m = 0; m <= MEMORIES; m++) {
            double moved = counted_moves(lesson, p, m ? &tiles[m - 1] : NULL);
            double expected = m ? tiled_moves(n, WIDTH, tiles[m - 1].queries) : naive_moves(n, WIDTH);
            formula = formula && moved == expected;
            dots[m * DOTS + e] = 4 * moved / MIB;
        }
    }
    say(lesson, "How many queries, with tiles of 16 keys, fit into a fast memory; and what one head of d = %d then "
        "moves at T = S = %d.", WIDTH, T);
    show_table(lesson, (Table){ .name = "GiB moved", .values = table, .rows = rows });
    check(lesson, fits, "the tiles fit: their scratch is no larger than the memory");
    check(lesson, formula, "run and counted at T = 128 and 256: the formula, for all but the table alone");
    draw_moves(lesson, tiles, dots);
}

// ---- 5

typedef struct { int cut, full; Mat seen, untouched; } Kinds;

static void note_kind(const TileVisit *visit, void *context)
{
    Kinds *kinds = context;
    *(visit->kind == TILE_CUT ? &kinds->cut : &kinds->full) += 1;
    mat_fill(mat_block(kinds->untouched, visit->queries.first, visit->queries.count, visit->keys.first,
                       visit->keys.count), 0.0f);
}

static Kinds kinds_of(Lesson *lesson, int T, int S, int size, Mask mask)
{
    Kinds kinds = { .seen = mat_new(lesson->arena, T, S), .untouched = mat_new(lesson->arena, T, S) };
    Projected p = drawn(lesson, T, S, 4);
    mat_fill(kinds.untouched, 1.0f);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < S; j++) *mat_ref(kinds.seen, i, j) = mask_sees(mask, i, j, T, S) ? 1.0f : 0.0f;
    attention_tiled_watched(room_for(lesson, T, 4), p.q, p.k, p.v, mask, (Tiles){ size, size }, note_kind,
                            &kinds);
    return kinds;
}

// Is what the mask shows inside what was fetched?
static bool all_seen_is_fetched(const Kinds *kinds)
{
    for (int i = 0; i < kinds->seen.rows; i++)
        for (int j = 0; j < kinds->seen.cols; j++)
            if (*mat_ref(kinds->seen, i, j) == 1.0f && *mat_ref(kinds->untouched, i, j) == 1.0f) return false;
    return true;
}

enum { LENGTH = 64, SIZE = 8 };

static void what_causal_reads(Lesson *lesson)
{
    enum { T = LENGTH, N = T / SIZE };
    Projected p = drawn(lesson, T, T, 4);
    Attended to = { .out = mat_new(lesson->arena, T, 4) };
    counted = (Cost){ 0 };
    attention_tiled_with(to, p.q, p.k, p.v, CAUSAL, (Tiles){ SIZE, SIZE });
    cost(lesson, "floats read", counted.reads, "T·d + 8·n(n + 1)/2·(d + dv), d = dv = 4",
         T * 4 + SIZE * (N * (N + 1) / 2) * 8);
}

static void tiles_out_of_sight(Lesson *lesson)
{
    step(lesson, "Tiles that nobody sees");
    enum { T = LENGTH, N = T / SIZE, MASKS = 4 };
    static const struct { const char *name; int T; Mask mask; } masks[MASKS] = {
        { "causal", T, { .causal = true } },
        { "causal, T = 24, S = 64", 24, { .causal = true } },
        { "causal, window 16, 2 sinks", T, { .causal = true, .window = 16, .sinks = 2 } },
        { "padding 20", T, { .padding = 20 } },
    };
    static const char *const columns[] = { "full", "cut", "untouched" };
    const char *rows[MASKS];
    Mat table = mat_new(lesson->arena, MASKS, 3);
    HeatMap maps[MASKS];
    Kinds kinds[MASKS];
    bool fetched = true;
    for (int m = 0; m < MASKS; m++) {
        kinds[m] = kinds_of(lesson, masks[m].T, T, SIZE, masks[m].mask);
        rows[m] = masks[m].name;
        int all = masks[m].T / SIZE * N;
        float counts[] = { (float)kinds[m].full, (float)kinds[m].cut, (float)(all - kinds[m].full - kinds[m].cut) };
        mat_set(mat_rows(table, m, 1), mat_of(lesson->arena, 1, 3, counts));
        fetched = fetched && all_seen_is_fetched(&kinds[m]);
        maps[m] = (HeatMap){ .title = masks[m].name, .values = kinds[m].seen, .hidden = kinds[m].untouched,
                             .hidden_title = "untouched", .row_title = "query", .col_title = "key",
                             .colors = CIVIDIS, .low = 0, .high = 1, .decimals = -1, .no_bar = true };
    }
    show_table(lesson, (Table){ .name = "tiles of 8 × 8, S = 64", .values = table, .rows = rows, .cols = columns,
                                .decimals = -1 });
    check(lesson, fetched, "no pair in sight lies in an untouched tile");
    cost(lesson, "causal tiles fetched", kinds[0].full + kinds[0].cut,
         arena_format(lesson->arena, "n(n + 1)/2, n = T / 8 = %d", N), N * (N + 1) / 2);
    cost(lesson, "of them cut by the edge", kinds[0].cut, "n", N);
    what_causal_reads(lesson);
    figure_maps(lesson, "kinds.png", "what is fetched under four masks; hatched: never touched",
                "Light: in sight. Dark: fetched for nothing. Tiles of 8 × 8.", maps, MASKS, 2);
}

// ---- 6

static Projected no_gradient(Lesson *lesson, Projected of)
{
    return (Projected){ mat_new(lesson->arena, of.q.rows, of.q.cols), mat_new(lesson->arena, of.k.rows, of.k.cols),
                        mat_new(lesson->arena, of.v.rows, of.v.cols) };
}

static double gradients_apart(Projected a, Projected b)
{
    return fmax(mat_max_difference(a.q, b.q), fmax(mat_max_difference(a.k, b.k), mat_max_difference(a.v, b.v)));
}

static void backward_without_the_table(Lesson *lesson)
{
    step(lesson, "The way back, without the table");
    enum { T = 128, d = 16 };
    static const Tiles tiles = { 16, 16 };
    Projected p = drawn(lesson, T, T, d), plain = no_gradient(lesson, p), tiled = no_gradient(lesson, p);
    Mat dout = mat_new(lesson->arena, T, d), weights = mat_new(lesson->arena, T, T);
    random_normals(&lesson->random, dout);
    Attended naive = { .out = mat_new(lesson->arena, T, d), .weights = weights }, did = room_for(lesson, T, d);
    Cost costs[2];

    counted = (Cost){ 0 };
    attention_naive(naive, p.q, p.k, p.v, EVERYTHING);
    attention_backward(plain, dout, p, weights, EVERYTHING);
    costs[0] = counted;
    counted = (Cost){ 0 };
    attention_tiled_with(did, p.q, p.k, p.v, EVERYTHING, tiles);
    attention_tiled_backward(tiled, dout, p, did, EVERYTHING, tiles);
    costs[1] = counted;

    check(lesson, gradients_apart(plain, tiled) < 1e-5,
          "dq, dk and dv are those of chapter 08, within 0.00001 (T = %d, tiles of 16 × 16)", T);
    static const char *const columns[] = { "kept", "scratch", "multiplications", "exps" };
    static const char *const rows[] = { "chapter 08", "tiled" };
    Mat table = mat_new(lesson->arena, 2, 4);
    for (int r = 0; r < 2; r++) {
        float kept = 4.0f * (float)(r ? T * (d + 1) : T * T);
        float numbers[] = { kept, (float)costs[r].scratch, (float)costs[r].multiplies, (float)costs[r].exps };
        mat_set(mat_rows(table, r, 1), mat_of(lesson->arena, 1, 4, numbers));
    }
    show_table(lesson, (Table){ .name = "forward and backward: bytes kept between them, and all work", .values = table,
                                .rows = rows, .cols = columns, .decimals = -1 });
    cost(lesson, "exps", costs[1].exps, "2·T·S + T·(S / 16 − 1): every weight twice, and what rescales",
         2 * T * T + T * (T / 16 - 1));
    double more = 100.0 * ((double)costs[1].multiplies / (double)costs[0].multiplies - 1);
    check(lesson, more < 20, "%.1f %% more multiplications", more);
    cost(lesson, "bytes kept", 4 * ((int64_t)did.out.rows * did.out.cols + did.lse.rows),
         "4·T·(dv + 1), out and lse", 4 * T * (d + 1));
}

// ---- 7

// Three parts of the sentence, the longer ones first: how much of `it` each one has, and what it says of animal.
static void parts_of_the_sentence(Lesson *lesson)
{
    enum { PARTS = 3 };
    Mat x = lesson->sentence.x;
    int T = x.rows, word = place_of(&lesson->sentence, "it", T - 1), key = place_of(&lesson->sentence, "animal", 0);
    static const char *columns[] = { "lse", "share", NULL, "share × it" };
    const char *rows[PARTS];
    Mat q = mat_rows(x, word, 1), table = mat_new(lesson->arena, PARTS, 4);
    Attended whole = room_for(lesson, 1, x.cols);
    attention_tiled(whole, q, x, x, EVERYTHING);
    double shares = 0, animal = 0;
    columns[2] = lesson->sentence.words[key];
    for (int n = 0; n < PARTS; n++) {
        int first = (T * n + PARTS - 1) / PARTS, end = (T * (n + 1) + PARTS - 1) / PARTS, count = end - first;
        Attended part = room_for(lesson, 1, x.cols);
        part.weights = mat_new(lesson->arena, 1, count);
        Mat words = mat_rows(x, first, count);
        attention_tiled(part, q, words, words, mask_of_part(EVERYTHING, T, first, count));
        double share = exp((double)*mat_ref(part.lse, 0, 0) - (double)*mat_ref(whole.lse, 0, 0));
        double weight = key >= first && key < first + count ? (double)*mat_ref(part.weights, 0, key - first) : 0.0;
        float numbers[] = { *mat_ref(part.lse, 0, 0), (float)share, (float)weight, (float)(share * weight) };
        mat_set(mat_rows(table, n, 1), mat_of(lesson->arena, 1, 4, numbers));
        rows[n] = name_of_keys(lesson, (Span){ first, count });
        shares += share;
        animal += share * weight;
    }
    const char *name = arena_format(lesson->arena, "%s, its keys in %d parts", lesson->sentence.words[word], PARTS);
    show_table(lesson, (Table){ .name = name, .values = table, .rows = rows, .cols = columns, .decimals = 3 });
    check(lesson, fabs(shares - 1) < 1e-5, "the shares sum to %.3f", shares);
    if (!lesson->own_words)
        check(lesson, fabs(animal - 0.113) < 0.0005,
              "animal: its weight in its part times the share of the part is %.3f", animal);
}

static void split_keys(Lesson *lesson)
{
    step(lesson, "One query: split the keys");
    parts_of_the_sentence(lesson);

    enum { S = 1000, d = 32, MASKS = 4 };
    const Mask masks[MASKS] = { { 0 }, { .causal = true, .padding = 100 }, { .causal = true, .alibi = 0.01f },
                                { .causal = true, .window = 300, .sinks = 4 } };
    static const int parts[] = { 1, 2, 3, 7, 64, 1000 };
    Projected p = drawn(lesson, 1, S, d);
    Attended naive = room_for(lesson, 1, d), split = room_for(lesson, 1, d), one = room_for(lesson, 1, d);
    bool same = true, threads = true;
    for (int m = 0; m < MASKS; m++) {
        attention_naive(naive, p.q, p.k, p.v, masks[m]);
        for (int n = 0; n < 6; n++) {
            threads_set(0);
            attention_split(split, p.q, p.k, p.v, masks[m], parts[n], attention_tiled);
            same = same && apart(naive, split) < 1e-5;
            threads_set(1);
            attention_split(one, p.q, p.k, p.v, masks[m], parts[n], attention_tiled);
            threads = threads && mat_equal(one.out, split.out) && mat_equal(one.lse, split.lse);
        }
    }
    threads_set(0);
    check(lesson, same,
          "T = 1, S = %d in 1, 2, 3, 7, 64 and 1000 parts, four masks: attention_naive, within 0.00001", S);
    check(lesson, threads, "the number of threads changes no bit");
    counted = (Cost){ 0 };
    attention_split(split, p.q, p.k, p.v, EVERYTHING, 7, attention_tiled);
    cost(lesson, "floats read with 7 parts", counted.reads, "S·(d + dv) + 7·(d + dv + 1)", S * 2 * d + 7 * (2 * d + 1));
}

// ---- 8

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void one_tile(Attended to, Mat q, Mat k, Mat v, Mask mask)      // as large as the table
{
    attention_tiled_with(to, q, k, v, mask, (Tiles){ q.rows, k.rows });
}

// The best of three rounds, in turn, so that a busy moment of the machine does not fall on one kernel alone.
static void time_kernels(Lesson *lesson, int T)
{
    enum { KERNELS = 3 };
    AttentionKernel *const kernels[KERNELS] = { attention_naive, one_tile, attention_tiled };
    Projected p = drawn(lesson, T, T, WIDTH);
    Attended to = { .out = mat_new(lesson->arena, T, WIDTH) };
    double best[KERNELS] = { INFINITY, INFINITY, INFINITY };
    for (int round = 0; round < 3; round++)
        for (int n = 0; n < KERNELS; n++) {
            double start = seconds();
            kernels[n](to, p.q, p.k, p.v, EVERYTHING);
            best[n] = fmin(best[n], seconds() - start);
        }
    say(lesson, "T = S = %d, d = %d: naive %.1f ms, one tile as large as the table %.1f ms, tiles of 64 × 64 %.1f ms.",
        T, WIDTH, 1e3 * best[0], 1e3 * best[1], 1e3 * best[2]);
}

static void no_faster_yet(Lesson *lesson, int T)
{
    step(lesson, "No faster yet");
    enum { N = 256 };
    Projected p = drawn(lesson, N, N, WIDTH);
    Attended to = room_for(lesson, N, WIDTH);
    counted = (Cost){ 0 };
    attention_naive(to, p.q, p.k, p.v, EVERYTHING);
    cost(lesson, "multiplications, naive", counted.multiplies, "T·S·(d + dv)", (int64_t)N * N * 2 * WIDTH);
    counted = (Cost){ 0 };
    attention_tiled(to, p.q, p.k, p.v, EVERYTHING);
    cost(lesson, "multiplications, tiles of 64 × 64", counted.multiplies, "T·S·(d + dv) + T·(S/64)·(1 + dv)",
         (int64_t)N * N * 2 * WIDTH + (int64_t)N * (N / 64) * (1 + WIDTH));
    cost(lesson, "bytes of its scratch", counted.scratch, "what step 3 says, whatever T",
         tiles_scratch((Tiles){ 64, 64 }, WIDTH, WIDTH));
    if (T) time_kernels(lesson, T);
}

int main(int argc, char **argv)
{
    int size = 4, time_at = 0;
    Flag flags[] = {
        { "tile", FLAG_INT, &size, 1, 1000, "rows and columns of a tile in step 2 (default 4)" },
        { "time", FLAG_INT, &time_at, 0, 16384, "time three kernels at this T in step 8 (default 0: do not)" },
    };
    Lesson lesson = lesson_open_with(argc, argv, 14, "Tiled attention", flags, 2);

    the_table(&lesson);
    one_tile_at_a_time(&lesson, size);
    scratch_of_a_tile(&lesson);
    to_and_fro(&lesson);
    tiles_out_of_sight(&lesson);
    backward_without_the_table(&lesson);
    split_keys(&lesson);
    no_faster_yet(&lesson, time_at);
    return lesson_close(&lesson);
}
