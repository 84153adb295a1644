// Chapter 12. Dot product and scaled addition on rows of floats with 4-lane SIMD vectors.
// For decoding, where one query meets many rows and no register blocking across queries is possible.
#ifndef ATTENTION_FLOAT4_H
#define ATTENTION_FLOAT4_H

// Four consecutive floats, unaligned. Every current processor has 128-bit vector registers.
typedef float Float4 __attribute__((vector_size(4 * sizeof(float)), aligned(sizeof(float)), may_alias));

// Σ a[c] b[c], in 16 independent partial sums (instruction-level parallelism), added at the end.
static inline float float4_product(const float *a, const float *b, int n)
{
    Float4 s0 = { 0 }, s1 = { 0 }, s2 = { 0 }, s3 = { 0 };
    int c = 0;
    for (; c + 16 <= n; c += 16) {
        const Float4 *x = (const Float4 *)(a + c), *y = (const Float4 *)(b + c);
        s0 += x[0] * y[0];
        s1 += x[1] * y[1];
        s2 += x[2] * y[2];
        s3 += x[3] * y[3];
    }
    s0 = (s0 + s1) + (s2 + s3);
    float sum = (s0[0] + s0[1]) + (s0[2] + s0[3]);
    for (; c < n; c++) sum += a[c] * b[c];
    return sum;
}

// out[c] += weight · v[c]
static inline void float4_add_scaled(float *out, float weight, const float *v, int n)
{
    int c = 0;
    for (; c + 4 <= n; c += 4) *(Float4 *)(out + c) += weight * *(const Float4 *)(v + c);
    for (; c < n; c++) out[c] += weight * v[c];
}

#endif
