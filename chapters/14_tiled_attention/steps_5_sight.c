// Chapter 14, step 5. Tiles that a mask hides are never touched.
#include "steps.h"

enum { LENGTH = 64, SIZE = 8 };

typedef struct {
    int cut, full;
    Mat seen, untouched;
} Kinds;

static void note_kind(const TileVisit *visit, void *context)
{
    Kinds *kinds = context;
    MaskRange queries = visit->queries, keys = visit->keys;
    if (visit->kind == TILE_CUT) kinds->cut++;
    else kinds->full++;
    mat_fill(mat_block(kinds->untouched, queries.first, queries.count, keys.first, keys.count), 0.0f);
}

static Kinds kinds_of(Lesson *lesson, int T, int S, Mask mask)
{
    Arena *arena = lesson->arena;
    Kinds kinds = { .seen = mat_new(arena, T, S), .untouched = mat_new(arena, T, S) };
    HeadProjections p = random_qkv(lesson, T, S, 4, 4);
    mat_fill(kinds.untouched, 1.0f);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < S; j++) *mat_ref(kinds.seen, i, j) = mask_sees(mask, i, j, T, S);
    attention_tiled_watched(room_for(arena, T, 4), p.q, p.k, p.v, mask, (TileSizes){ SIZE, SIZE }, note_kind, &kinds);
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

// For the picture: 1 in sight, 0 not, and every other tile a shade nearer to the other, so that they can be told apart.
static Mat shades_of(Arena *arena, Mat seen)
{
    Mat shades = mat_copy(arena, seen);
    for (int i = 0; i < seen.rows; i++)
        for (int j = 0; j < seen.cols; j++)
            if ((i / SIZE + j / SIZE) % 2) *mat_ref(shades, i, j) = 0.09f + 0.81f * *mat_ref(seen, i, j);
    return shades;
}

static void what_causal_reads(Lesson *lesson)
{
    enum { T = LENGTH, N = T / SIZE };
    HeadProjections p = random_qkv(lesson, T, T, 4, 4);
    Attended to = { .out = mat_new(lesson->arena, T, 4) };
    cost_counted = (Cost){ 0 };
    attention_tiled_with(to, p.q, p.k, p.v, CAUSAL, (TileSizes){ SIZE, SIZE });
    cost(lesson, "floats read", cost_counted.reads, "T·d + 8·n(n + 1)/2·(d + dv), d = dv = 4",
         T * 4 + SIZE * (N * (N + 1) / 2) * 8);
}

void tiles_out_of_sight(Lesson *lesson)
{
    step(lesson, "Tiles that nobody sees");
    enum { T = LENGTH, N = T / SIZE, MASKS = 4 };
    static const struct {
        const char *name;
        int T;
        Mask mask;
    } masks[MASKS] = {
        { "causal", T, { .causal = true } },
        { "causal, window 16, 2 sinks", T, { .causal = true, .window = 16, .sinks = 2 } },
        { "padding 20", T, { .padding = 20 } },
        { "causal, T = 24, S = 64", 24, { .causal = true } },
    };
    static const char *const columns[] = { "full", "cut", "untouched" };
    Rows rows = rows_of(lesson, "tiles of 8 × 8, S = 64", columns, 3);
    rows.table.decimals = -1;
    Heatmap maps[MASKS];
    Kinds kinds[MASKS];
    bool fetched = true;
    for (int m = 0; m < MASKS; m++) {
        kinds[m] = kinds_of(lesson, masks[m].T, T, masks[m].mask);
        int all = masks[m].T / SIZE * N;
        rows_add(&rows, ROW(kinds[m].full, kinds[m].cut, all - kinds[m].full - kinds[m].cut), "%s", masks[m].name);
        fetched = fetched && all_seen_is_fetched(&kinds[m]);
        maps[m] = (Heatmap){ .title = masks[m].name,
                             .values = shades_of(lesson->arena, kinds[m].seen),
                             .hidden = kinds[m].untouched,
                             .hidden_title = "untouched",
                             .row_title = "query",
                             .col_title = "key",
                             .colors = COLOR_CIVIDIS,
                             .low = 0,
                             .high = 1,
                             .decimals = -1,
                             .no_bar = true,
                             .low_name = "fetched for nothing",
                             .high_name = "in sight" };
    }
    show_rows(lesson, &rows);
    check(lesson, fetched, "no pair in sight lies in an untouched tile");
    cost(lesson, "causal tiles fetched", kinds[0].full + kinds[0].cut,
         arena_format(lesson->arena, "n(n + 1)/2, n = T / 8 = %d", N), N * (N + 1) / 2);
    cost(lesson, "of them cut by the edge", kinds[0].cut, "n", N);
    what_causal_reads(lesson);
    figure_maps(lesson, "kinds.png", "what is fetched under four masks; hatched: never touched",
                "Tiles of 8 × 8 under four masks, every other one a shade apart", maps, MASKS, 2);
}
