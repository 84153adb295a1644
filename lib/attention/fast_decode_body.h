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

// Vector number c of a row; it has `left` floats from there on.
INLINE V NAME(load)(const float *row, int c, const int left)
{
    if (left >= LANES) return *(const Loose *)(row + c * LANES);
    return NAME(part)(row + c * LANES, left);
}

// The sums over the lanes of `count` vectors, count a multiple of LANES: sums[0][i], sums[1][i] … are those of vectors
// i, i + LANES …. Zipping two vectors and adding the halves halves what is left to add, for both at once.
INLINE void NAME(add_lanes)(V *sums, const int count)
{
    for (int first = 0; first < count; first += LANES)
        UNROLLED for (int round = 0; round < 4; round++)
            UNROLLED for (int i = 0; i < LANES >> (round + 1); i++) {
                V a = sums[first + i], b = sums[first + i + (LANES >> (round + 1))];
                sums[first + i] = SHUFFLE(a, b, LOWER) + SHUFFLE(a, b, UPPER);
            }
}

// Vector c of STREAMS keys times that of QUERIES queries; `ahead` floats on, memory is told what is wanted soon.
INLINE void NAME(score_column)(V sums[QUERIES][STREAMS], const float *const *row, const V *q, int width, int c, const int left,
                               ptrdiff_t ahead)
{
    V numbers[STREAMS];
    UNROLLED for (int s = 0; s < STREAMS; s++) {
        numbers[s] = NAME(load)(row[s], c, left);
        PREFETCH(row[s] + c * LANES, ahead);
    }
    UNROLLED for (int h = 0; h < QUERIES; h++)
        UNROLLED for (int s = 0; s < STREAMS; s++) sums[h][s] += numbers[s] * q[h * width + c];
}

// STREAMS keys against QUERIES queries, as scores.
INLINE void NAME(score_rows)(const Group *g, const int *key, int at, int r)
{
    V sums[QUERIES][STREAMS] = { { { 0 } } };
    const float *row[STREAMS];
    int d = g->k.cols, width = NAME(width)(d), c = 0;
    ptrdiff_t ahead = AHEAD * (ptrdiff_t)g->k.stride;
    const V *q = g->q + r * width;
    UNROLLED for (int s = 0; s < STREAMS; s++) row[s] = key[s] < 0 ? g->zeros : mat_row(g->k, key[s]);
    for (; (c + 1) * LANES <= d; c++) NAME(score_column)(sums, row, q, width, c, LANES, ahead);
    if (c < width) NAME(score_column)(sums, row, q, width, c, d - c * LANES, ahead);
    NAME(add_lanes)(&sums[0][0], STREAMS * QUERIES);
    UNROLLED for (int h = 0; h < QUERIES; h++) {
        const float *sum = (float *)&sums[0][h * STREAMS / LANES * LANES] + h * STREAMS % LANES;
        for (int s = 0; s < STREAMS; s++) g->p[(r + h) * SPAN + at + s] = sum[s];
    }
}

// Vector c of the outputs of QUERIES heads += weights · that of STREAMS values.
INLINE void NAME(mix_column)(V *o, V weight[QUERIES][STREAMS], const float *const *row, int width, int c, const int left,
                             ptrdiff_t ahead)
{
    V numbers[STREAMS];
    UNROLLED for (int s = 0; s < STREAMS; s++) {
        numbers[s] = NAME(load)(row[s], c, left);
        PREFETCH(row[s] + c * LANES, ahead);
    }
    UNROLLED for (int h = 0; h < QUERIES; h++) {
        V sum = o[h * width + c];
        UNROLLED for (int s = 0; s < STREAMS; s++) sum += weight[h][s] * numbers[s];
        o[h * width + c] = sum;
    }
}

// o += weights · values for STREAMS rows of values and QUERIES heads.
INLINE void NAME(mix_rows)(const Group *g, const int *key, int at, int r)
{
    V weight[QUERIES][STREAMS];
    const float *row[STREAMS];
    int dv = g->v.cols, width = NAME(width)(dv), c = 0;
    ptrdiff_t ahead = AHEAD * (ptrdiff_t)g->v.stride;
    V *o = g->o + r * width;
    UNROLLED for (int s = 0; s < STREAMS; s++) {
        row[s] = key[s] < 0 ? g->zeros : mat_row(g->v, key[s]);
        UNROLLED for (int h = 0; h < QUERIES; h++) weight[h][s] = SPLAT(g->p[(r + h) * SPAN + at + s]);
    }
    for (; (c + 1) * LANES <= dv; c++) NAME(mix_column)(o, weight, row, width, c, LANES, ahead);
    if (c < width) NAME(mix_column)(o, weight, row, width, c, dv - c * LANES, ahead);
}

// Scores of head r become weights; a larger maximum than before scales what was summed up. `count` of them are real.
INLINE void NAME(weigh_span)(const Group *g, const int *key, int count, int r)
{
    V *p = (V *)(g->p + r * SPAN), largest = SPLAT(g->max[r]), total = { 0 };
    float slope = g->masks[r].alibi * mask_root(g->masks[r], g->k.cols), *score = g->p + r * SPAN, max = g->max[r];
    int vectors = NAME(width)(count);
    if (slope != 0.0f) {
        int position = mask_position(g->masks[r], 0, 1, g->k.rows);
        for (int i = 0; i < count; i++) score[i] -= slope * (float)abs(position - key[i]);
    }
    for (int i = count; i < vectors * LANES; i++) score[i] = -INFINITY;
    for (int i = 0; i < vectors; i++) largest = MAX(p[i], largest);
    for (int lane = 0; lane < LANES; lane++) max = largest[lane] > max ? largest[lane] : max;

    if (max > g->max[r]) {
        V factor = EXP2(SPLAT((g->max[r] - max) * g->scale));
        for (int c = 0; c < NAME(width)(g->v.cols); c++) g->o[r * NAME(width)(g->v.cols) + c] *= factor;
        g->sum[r] *= factor[0];
        g->max[r] = max;
    }
    for (int i = 0; i < vectors; i++) {
        p[i] = EXP2((p[i] - max) * g->scale);
        total += p[i];
    }
    for (int lane = 0; lane < LANES; lane++) g->sum[r] += total[lane];
}

// SPAN keys or fewer, STREAMS at a time. Of none, nothing changes.
INLINE void NAME(span_of_keys)(const Group *g, int *key, int count)
{
    for (int i = count; i % STREAMS; i++) key[i] = -1;
    for (int r = 0; r < g->room; r += QUERIES)
        for (int i = 0; i < count; i += STREAMS) NAME(score_rows)(g, key + i, i, r);
    for (int r = 0; r < g->R; r++) NAME(weigh_span)(g, key, count, r);
    for (int r = 0; r < g->room; r += QUERIES)
        for (int i = 0; i < count; i += STREAMS) NAME(mix_rows)(g, key + i, i, r);
}

// Keys first … end − 1, SPAN of them or fewer and all in sight, as STREAMS runs that are walked side by side.
INLINE void NAME(keys_between)(const Group *g, int first, int end)
{
    int key[SPAN + STREAMS], count = 0, run = (end - first + STREAMS - 1) / STREAMS;
    for (int i = 0; i < run; i++)
        for (int s = 0; s < STREAMS; s++)
            if (first + s * run + i < end) key[count++] = first + s * run + i;
    NAME(span_of_keys)(g, key, count);
}

// q (R, d) against keys first … end − 1 of k and v, and against others, the sinks.
TARGET static void NAME(decode)(Partial to, Mat q, Mat k, Mat v, const Mask *masks, Span sinks, Span keys)
{
    Arena *scratch = arena_open();
    int R = q.rows, room = (R + QUERIES - 1) / QUERIES * QUERIES, width = NAME(width)(q.cols), width_v = NAME(width)(v.cols);
    Group g = { .k = k, .v = v, .masks = masks, .R = R, .room = room, .scale = LOG2E / mask_root(masks[0], q.cols) };
    g.q = arena_alloc(scratch, sizeof(V) * (size_t)(room * width));
    g.o = arena_alloc(scratch, sizeof(V) * (size_t)(room * width_v + 1));
    g.p = arena_alloc(scratch, sizeof(float) * (size_t)(room * SPAN));
    g.zeros = arena_alloc(scratch, sizeof(float) * (size_t)(q.cols > v.cols ? q.cols : v.cols));
    g.max = arena_alloc(scratch, sizeof(float) * (size_t)room);
    g.sum = arena_alloc(scratch, sizeof(float) * (size_t)room);
    for (int r = 0; r < R; r++) {
        memcpy(g.q + r * width, mat_row(q, r), sizeof(float) * (size_t)q.cols);
        g.max[r] = -FLT_MAX;
    }
    NAME(keys_between)(&g, sinks.first, sinks.first + sinks.count);
    NAME(keys_between)(&g, keys.first, keys.first + keys.count);
    for (int r = 0; r < R; r++) {
        memcpy(mat_row(to.out, r), g.o + r * width_v, sizeof(float) * (size_t)v.cols);
        *mat_ref(to.max, r, 0) = g.max[r];
        *mat_ref(to.sum, r, 0) = g.sum[r];
    }
    cost_scratch((int64_t)arena_peak(scratch));
    arena_close(scratch);
}
#undef Group
