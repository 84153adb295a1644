// Chapter 15. The fast kernel for one query a head: a step of generation. Included by fast.c after fast_body.h, with the same
// definitions and one more, QUERIES: how many heads of a group share each number on its way from memory.
//
// Here memory is the limit, not arithmetic: every key and value is used by the H / G heads of its group and never again. So
// the lanes are channels, rows are read from end to end, and STREAMS of them at once, from distant parts of the cache: a
// processor fetches several streams faster than one, and softmax does not ask in which order the keys come.

// The heads of one group on their way past the cache.
typedef struct {
    Mat          k, v;
    const Mask  *masks;                              // (R)
    int          R, room;                            // heads, and as a multiple of QUERIES
    float        scale;                              // log₂e / √d
    V           *q, *o;                              // (room, width(d)) (room, width(dv)) in vectors, filled up with zeros
    float       *p;                                  // (room, SPAN) scores, then weights
    float       *zeros;                              // (d or dv) a row for the stream that has no key left
    float       *max, *sum;                          // (room)
} NAME(Group);
#define Group NAME(Group)

static int NAME(width)(int columns) { return (columns + LANES - 1) / LANES; }

// Vector number c of a row of `columns` floats.
INLINE V NAME(load)(const float *row, int c, int columns)
{
    if ((c + 1) * LANES <= columns) return *(const Loose *)(row + c * LANES);
    return NAME(part)(row + c * LANES, columns - c * LANES);
}

// STREAMS keys against QUERIES queries: the products are summed lane by lane, then the lanes of all of them at once.
INLINE void NAME(score_rows)(const Group *g, const int *key, int at, int r)
{
    V sums[STREAMS * QUERIES] = { { 0 } }, *q = g->q + r * NAME(width)(g->k.cols);
    const float *row[STREAMS];
    for (int s = 0; s < STREAMS; s++) row[s] = key[s] < 0 ? g->zeros : mat_row(g->k, key[s]);
    for (int c = 0; c < NAME(width)(g->k.cols); c++)
        for (int s = 0; s < STREAMS; s++) {
            V numbers = NAME(load)(row[s], c, g->k.cols);
            PREFETCH(row[s] + c * LANES, AHEAD * g->k.stride);
            for (int h = 0; h < QUERIES; h++) sums[s * QUERIES + h] += numbers * q[h * NAME(width)(g->k.cols) + c];
        }
    for (int first = 0; first < STREAMS * QUERIES; first += LANES) {
        NAME(turn)(sums + first);
        for (int i = 1; i < LANES; i++) sums[first] += sums[first + i];
        for (int i = 0; i < LANES; i++) g->p[(r + (first + i) % QUERIES) * SPAN + at + (first + i) / QUERIES] = sums[first][i];
    }
}

// o += weights · values for STREAMS rows of values and QUERIES heads.
INLINE void NAME(mix_rows)(const Group *g, const int *key, int at, int r)
{
    V *o = g->o + r * NAME(width)(g->v.cols), weight[STREAMS][QUERIES];
    const float *row[STREAMS];
    for (int s = 0; s < STREAMS; s++) {
        row[s] = key[s] < 0 ? g->zeros : mat_row(g->v, key[s]);
        for (int h = 0; h < QUERIES; h++) weight[s][h] = SPLAT(g->p[(r + h) * SPAN + at + s]);
    }
    for (int c = 0; c < NAME(width)(g->v.cols); c++) {
        V sums[QUERIES];
        for (int h = 0; h < QUERIES; h++) sums[h] = o[h * NAME(width)(g->v.cols) + c];
        for (int s = 0; s < STREAMS; s++) {
            V numbers = NAME(load)(row[s], c, g->v.cols);
            PREFETCH(row[s] + c * LANES, AHEAD * g->v.stride);
            for (int h = 0; h < QUERIES; h++) sums[h] += weight[s][h] * numbers;
        }
        for (int h = 0; h < QUERIES; h++) o[h * NAME(width)(g->v.cols) + c] = sums[h];
    }
}

// Scores of head r become weights; a larger maximum than before scales what was summed up. `count` of them are real.
INLINE void NAME(weigh_span)(const Group *g, const int *key, int count, int r)
{
    float *p = g->p + r * SPAN, largest = g->max[r], slope = g->masks[r].alibi * LOG2E / g->scale;
    for (int i = 0; i < count; i++) {
        p[i] -= slope * (float)(g->k.rows - 1 - key[i]);
        largest = p[i] > largest ? p[i] : largest;
    }
    for (int i = count; i < SPAN; i++) p[i] = -INFINITY;
    V factor = EXP2(SPLAT((g->max[r] - largest) * g->scale)), total = { 0 };
    g->sum[r] *= factor[0];
    for (int c = 0; c < NAME(width)(g->v.cols) && largest > g->max[r]; c++) g->o[r * NAME(width)(g->v.cols) + c] *= factor;
    g->max[r] = largest;
    for (int i = 0; i < SPAN; i += LANES) {
        V *weights = (V *)(p + i);
        *weights = EXP2((*weights - largest) * g->scale);
        total += *weights;
    }
    for (int lane = 0; lane < LANES; lane++) g->sum[r] += total[lane];
}

// SPAN keys or fewer, STREAMS at a time.
INLINE void NAME(span_of_keys)(const Group *g, int *key, int count)
{
    for (int i = count; i % STREAMS; i++) key[i] = -1;
    for (int r = 0; r < g->room; r += QUERIES)
        for (int i = 0; i < count; i += STREAMS) NAME(score_rows)(g, key + i, i, r);
    for (int r = 0; r < g->R; r++) NAME(weigh_span)(g, key, count, r);
    for (int r = 0; r < g->room; r += QUERIES)
        for (int i = 0; i < count; i += STREAMS) NAME(mix_rows)(g, key + i, i, r);
}

// Keys first … end − 1, all in sight, as STREAMS parts that are walked side by side.
INLINE void NAME(keys_between)(const Group *g, int first, int end)
{
    int key[SPAN + STREAMS], count = 0, part = (end - first + STREAMS - 1) / STREAMS;
    for (int i = 0; i < part; i++) {
        for (int s = 0; s < STREAMS; s++)
            if (first + s * part + i < end) key[count++] = first + s * part + i;
        if (count > SPAN - STREAMS || i == part - 1) NAME(span_of_keys)(g, key, count), count = 0;
    }
}

// q (R, d) against k, v → out (R, dv), lse (R, 1). The last position looks back: causal hides nothing from it.
TARGET static void NAME(decode)(Attended to, Mat q, Mat k, Mat v, const Mask *masks)
{
    Arena *scratch = arena_open();
    int R = q.rows, room = (R + QUERIES - 1) / QUERIES * QUERIES, S = k.rows, end = S - masks[0].padding;
    Group g = { .k = k, .v = v, .masks = masks, .R = R, .room = room, .scale = LOG2E / sqrtf((float)q.cols) };
    g.q = arena_alloc(scratch, sizeof(V) * (size_t)(room * NAME(width)(q.cols)));
    g.o = arena_alloc(scratch, sizeof(V) * (size_t)(room * NAME(width)(v.cols) + 1));
    g.p = arena_alloc(scratch, sizeof(float) * (size_t)(room * SPAN));
    g.zeros = arena_alloc(scratch, sizeof(float) * (size_t)(q.cols > v.cols ? q.cols : v.cols));
    g.max = arena_alloc(scratch, sizeof(float) * (size_t)room);
    g.sum = arena_alloc(scratch, sizeof(float) * (size_t)room);
    for (int r = 0; r < R; r++) {
        memcpy(g.q + r * NAME(width)(q.cols), mat_row(q, r), sizeof(float) * (size_t)q.cols);
        g.max[r] = -FLT_MAX;
    }

    int sinks = 0, from = 0;
    if (masks[0].window > 0 && S - masks[0].window > 0) {
        from = S - masks[0].window;
        sinks = smaller(smaller(masks[0].sinks, from), end);
    }
    if (sinks > 0) NAME(keys_between)(&g, 0, sinks);
    if (from < end) NAME(keys_between)(&g, from, end);

    for (int r = 0; r < R; r++) {
        float share = g.max[r] == -FLT_MAX && g.sum[r] == 0.0f ? 0.0f : 1.0f / g.sum[r];
        for (int c = 0; c < v.cols; c++) *mat_ref(to.out, r, c) = ((float *)(g.o + r * NAME(width)(v.cols)))[c] * share;
        if (!mat_empty(to.lse)) *mat_ref(to.lse, r, 0) = row_lse(g.max[r], g.sum[r], g.scale);
    }
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}
#undef Group
