// Rows of scores to weights in vectors, as peers.c needs them. Included once for each kind of processor.
typedef float NAME(Vector) __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int NAME(Bits) __attribute__((vector_size(4 * LANES), may_alias));
#define V    NAME(Vector)
#define Bits NAME(Bits)
#define SELECT(bits, a, b) ((V)(((bits) & (Bits)(a)) | (~(bits) & (Bits)(b))))

// `count` scores, a multiple of LANES, become 2^((score − max) · scale); max is that of the scores and `before`.
TARGET static float NAME(weigh_row)(float *scores, int count, float before, float scale, float *sum)
{
    V largest = before - (V){ 0 }, total = { 0 };
    for (int i = 0; i < count; i += LANES) largest = MAX(*(V *)(scores + i), largest);
    float max = before;
    for (int i = 0; i < LANES; i++) max = largest[i] > max ? largest[i] : max;
    for (int i = 0; i < count; i += LANES) {
        V weights = EXP2((*(V *)(scores + i) - max) * scale);
        *(V *)(scores + i) = weights;
        total += weights;
    }
    *sum = 0.0f;
    for (int i = 0; i < LANES; i++) *sum += total[i];
    return max;
}
