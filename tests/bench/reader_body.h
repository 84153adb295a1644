// Reading in vectors, as reader.c needs it. Included once for each kind of processor.
typedef float NAME(Loose) __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
#define V NAME(Loose)

// `streams` parts of `part` floats, a multiple of LINE. Each has sums of its own, so that none waits for another.
TARGET ALWAYS_INLINE float NAME(side_by_side)(const float *at, ptrdiff_t part, const int streams)
{
    V sums[4][LINE / LANES] = { { { 0 } } };
    float sum = 0.0f;
    for (ptrdiff_t i = 0; i < part; i += LINE)
        UNROLLED for (int s = 0; s < streams; s++) {
            PREFETCH(at + s * part + i, FURTHER);
            UNROLLED for (int v = 0; v < LINE / LANES; v++) sums[s][v] += *(const V *)(at + s * part + i + v * LANES);
        }
    for (int s = 0; s < streams; s++)
        for (int n = 0; n < LINE; n++) sum += sums[s][n / LANES][n % LANES];
    return sum;
}

TARGET static float NAME(read)(const float *at, ptrdiff_t part, int streams)
{
    return streams == 1 ? NAME(side_by_side)(at, part, 1) : NAME(side_by_side)(at, part, 4);
}
