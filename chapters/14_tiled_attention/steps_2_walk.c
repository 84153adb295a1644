// Chapter 14, step 2. The kernel's walk from tile to tile, watched: a film of the weights so far.
#include "attention/dot_product.h"
#include "steps.h"

typedef struct {
    MaskRange queries, keys;
    Mat weights, state;
} Frame; // (T, S), (T, 3)

// The walk as it is watched. `scores` is the whole table: the kernel has none, the picture needs one.
typedef struct {
    Arena *arena;
    Mat scores;
    Frame *frames;
    int count, room;
} Film;

// After every tile: each query's weights as they stand, exp(score − m) / l over the keys so far.
static void film_tile(const TileVisit *visit, void *context)
{
    Film *film = context;
    REQUIRE(film->count < film->room, "%d frames are too many", film->count + 1);
    Frame *frame = &film->frames[film->count], *before = film->count ? frame - 1 : NULL;
    int T = film->scores.rows, S = film->scores.cols, end = visit->keys.first + visit->keys.count;
    *frame = (Frame){ visit->queries, visit->keys, mat_new(film->arena, T, S), mat_new(film->arena, T, 3) };
    if (before) {
        mat_set(frame->weights, before->weights);
        mat_set(frame->state, before->state);
    }
    for (int r = 0; r < visit->queries.count; r++) {
        int i = visit->queries.first + r;
        float max = *mat_ref(visit->max, r, 0), sum = *mat_ref(visit->sum, r, 0), *state = mat_row(frame->state, i);
        state[0] = max;
        state[1] = sum;
        state[2] = *mat_ref(visit->rescale, r, 0);
        if (max == -INFINITY) continue; // no key in sight yet
        for (int j = 0; j < end; j++) *mat_ref(frame->weights, i, j) = expf(*mat_ref(film->scores, i, j) - max) / sum;
    }
    film->count++;
}

static Film film_walk(Arena *arena, Attended to, Mat x, Mask mask, TileSizes tiles)
{
    int room = (int)(tiles_along(x.rows, tiles.queries) * tiles_along(x.rows, tiles.keys));
    Film film = { .arena = arena, .scores = mat_new(arena, x.rows, x.rows), .room = room };
    film.frames = arena_alloc(arena, (size_t)room * sizeof *film.frames);
    attention_scores(film.scores, x, x, mask);
    attention_tiled_watched(to, x, x, x, mask, tiles, film_tile, &film);
    return film;
}

// What the viewer opens: the state after every tile, one map a frame.
static void trace_film(Lesson *lesson, const Film *film)
{
    TraceTile *tiles = arena_alloc(lesson->arena, (size_t)film->count * sizeof *tiles);
    for (int f = 0; f < film->count; f++) {
        MaskRange rows = film->frames[f].queries, cols = film->frames[f].keys;
        tiles[f] = (TraceTile){ rows.first,           rows.count, cols.first, cols.count, film->frames[f].weights,
                                film->frames[f].state };
    }
    trace_walk(lesson->trace, tiles, film->count);
}

// Frame f: a pair that no tile has reached is hatched, the tile at hand is framed.
static Heatmap map_of_frame(Lesson *lesson, const Film *film, int f)
{
    const Frame *frame = &film->frames[f];
    const char *const *words = lesson->sentence.words;
    Mat hidden = mat_new(lesson->arena, frame->weights.rows, frame->weights.cols);
    mat_fill(hidden, 1.0f);
    for (int e = 0; e <= f; e++) {
        MaskRange queries = film->frames[e].queries, keys = film->frames[e].keys;
        mat_fill(mat_block(hidden, queries.first, queries.count, keys.first, keys.count), 0.0f);
    }
    return (Heatmap){
        .title = arena_format(lesson->arena, "tile %d", f + 1),
        .values = frame->weights,
        .hidden = hidden,
        .hidden_title = "not yet",
        .row_labels = words,
        .col_labels = words,
        .row_title = "query (attends from)",
        .col_title = "key (attended to)",
        .bar_title = "weight so far",
        .colors = COLOR_VIRIDIS,
        .low = 0.0,
        .high = 0.4,
        .decimals = -1,
        .mark_row = frame->queries.first + 1,
        .mark_col = frame->keys.first + 1,
        .mark_rows = frame->queries.count,
        .mark_cols = frame->keys.count,
    };
}

static void draw_film(Lesson *lesson, const Film *film)
{
    enum { MOST = 9 };
    Heatmap maps[MOST];
    int shown = film->count < MOST ? film->count : MOST;
    for (int m = 0; m < shown; m++) // too many frames: some are passed over, not the last
        maps[m] = map_of_frame(lesson, film, shown < 2 ? 0 : m * (film->count - 1) / (shown - 1));
    figure_maps(lesson, "walk.png", "the weights so far, after every tile; hatched: not reached yet", NULL, maps, shown,
                3);
}

static bool holds(MaskRange span, int i) { return i >= span.first && i < span.first + span.count; }

// One query's row of tiles: what it knows after each.
static void show_row(Lesson *lesson, const Film *film, int word, int key)
{
    const char *const *words = lesson->sentence.words;
    const char *columns[] = { "m", "l", "rescale", words[key] };
    const char *name = arena_format(lesson->arena, "the row of %s, after each of its tiles", words[word]);
    Rows rows = rows_of(lesson, name, columns, 4);
    rows.table.decimals = 3;
    for (int f = 0; f < film->count; f++) {
        const Frame *frame = &film->frames[f];
        if (!holds(frame->queries, word)) continue;
        const float *state = mat_row(frame->state, word);
        rows_add(&rows, ROW(state[0], state[1], state[2], mat_value(frame->weights, word, key)), "%s",
                 name_of_keys(lesson, frame->keys));
    }
    show_rows(lesson, &rows);
}

// What the query's sums were multiplied by when the tile with this key came.
static double rescale_at(const Film *film, int query, int key)
{
    for (int f = 0; f < film->count; f++)
        if (holds(film->frames[f].queries, query) && holds(film->frames[f].keys, key))
            return mat_value(film->frames[f].state, query, 2);
    return 1.0;
}

static void every_size(Lesson *lesson, Mat x, Attended naive, Mask mask)
{
    int T = x.rows;
    Attended tiled = room_for(lesson->arena, T, x.cols);
    bool same = true;
    for (int queries = 1; queries <= T + 1; queries++)
        for (int keys = 1; keys <= T + 1; keys++) {
            attention_tiled_with(tiled, x, x, x, mask, (TileSizes){ queries, keys });
            same = same && apart(naive, tiled) < 2e-6;
        }
    check(lesson, same, "and so with every tile from 1 × 1 to %d × %d", T + 1, T + 1);
}

// What is known of the book's own words, when nothing is hidden.
static void check_book(Lesson *lesson, const Film *film, int keys)
{
    int it = place_of(lesson, "it", 0), tired = place_of(lesson, "tired", 0), animal = place_of(lesson, "animal", 0);
    double last = mat_value(film->frames[film->count - 1].weights, it, animal);
    if (keys <= tired) {
        double rescale = rescale_at(film, tired, tired);
        check(lesson, rescale < 1.0, "tired scores highest with itself: what it had before is multiplied by %.3f",
              rescale);
    }
    check(lesson, fabs(last - 0.113) < 0.0005, "after the last tile it gives animal %.3f, as in chapters 03 and 06",
          last);
}

void one_tile_at_a_time(Lesson *lesson, TileSizes tiles, Mask mask)
{
    step(lesson, "One tile at a time");
    Mat x = lesson->sentence.x;
    int T = x.rows, it = place_of(lesson, "it", T - 1), animal = place_of(lesson, "animal", 0);
    int tired = place_of(lesson, "tired", T - 1);
    Attended naive = room_for(lesson->arena, T, x.cols), tiled = room_for(lesson->arena, T, x.cols);
    attention_naive(naive, x, x, x, mask);
    Film film = film_walk(lesson->arena, tiled, x, mask, tiles);
    say(lesson,
        "The book's head of chapter 03, q = k = v = X, T = S = %d%s, in %d tile%s of at most %d × %d. m is the "
        "largest score so far, l is Σ exp(score − m), rescale is what the old sums were multiplied by.",
        T, mask.causal ? ", masked" : "", film.count, film.count == 1 ? "" : "s", tiles.queries, tiles.keys);
    show_row(lesson, &film, it, animal);
    if (tired != it) show_row(lesson, &film, tired, animal);
    check(lesson, apart(naive, tiled) < 2e-6, "out and lse are those of attention_naive, within 0.000002");
    if (!lesson->own_words && !mask.causal) check_book(lesson, &film, tiles.keys);
    every_size(lesson, x, naive, mask);
    draw_film(lesson, &film);
    trace_film(lesson, &film);
    trace_mat(lesson->trace, "x", x);
}
