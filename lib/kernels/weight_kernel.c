// Chapter 25. Products with weights of 16 or 32 bits, and activations, in vectors. Numbers are little endian, as on the
// machines that compile this.
//
// If x is float32, 16-bit weights are converted to float32 while panels are packed: from about a hundred rows on that
// is a hundredth of the work, and the products cost as much as float32. Only products of bf16 pairs cost half. (x as a
// sum of two bf16 would keep 16 of its 24 bits, and cost as much as float32.)
#include "kernels/weight_kernel.h"

#include "kernels/fast_kernel.h"

// The register block: ROWS × VECTORS sums, which stay in registers for TERMS terms.
#if VECTOR_REGISTERS == 32
enum { VECTORS = 4 };
#else
enum { VECTORS = 2 };
#endif
enum { ROWS = 6, WIDTH = VECTORS * LANES, TERMS = 256 };

// Panels that are packed together: if outputs are contiguous, four cache lines of a row are then read at a time instead
// of one from each of 256 rows. EARLY: prefetch distance in rows.
enum { TOGETHER = 64 / WIDTH, PANEL = TERMS * WIDTH, EARLY = 8 };

typedef float Anywhere __attribute__((vector_size(4 * LANES), aligned(1), may_alias));
typedef uint16_t Halves __attribute__((vector_size(2 * LANES), aligned(1), may_alias));

// ---- loading 16- and 32-bit numbers

// LANES 16-bit numbers, each in a word of its own. (Compilers translate C's conversion to two of half the width.)
ISA_INLINE Words widened(const unsigned char *data)
{
#if ISA == ISA_AVX2
    return (Words)_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)data));
#else
    return __builtin_convertvector(*(const Halves *)data, Words);
#endif
}

// float16 as float32. With exponent 0 it is a multiple of 2⁻²⁴; with exponent 31 it is infinite or NaN.
ISA_INLINE Vec of_float16(const unsigned char *data)
{
#if ISA == ISA_AVX512
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)data));
#elif ISA == ISA_AVX2
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)data));
#else
    Words bits = widened(data), rest = (bits & 0x7FFF) << 13;
    Words exponent = bits & 0x7C00, sign = (bits & 0x8000) << 16;
    Vec tiny = __builtin_convertvector((Bits)(bits & 0x3FF), Vec) * 0x1p-24f;
    Vec normal = (Vec)(rest + (112u << 23)), special = (Vec)(rest | 0x7F800000u);
    Vec value = vec_select((Bits)(exponent == 0x7C00), special, normal);
    return (Vec)(sign | (Words)vec_select((Bits)(exponent == 0), tiny, value));
#endif
}

ISA_INLINE Vec load(const unsigned char *data, const Dtype dtype)
{
    if (dtype == DTYPE_F32) return *(const Anywhere *)data;
    if (dtype == DTYPE_F16) return of_float16(data);
    return (Vec)(widened(data) << 16);
}

// Broadcasts 32 bits, a float or a pair of bf16.
ISA_INLINE Vec vec_same(const float *data)
{
    uint32_t bits;
    memcpy(&bits, data, sizeof bits);
    return (Vec)(bits - (Words){ 0 });
}

ISA_INLINE int size_of(const Dtype dtype) { return dtype == DTYPE_F32 ? 4 : 2; }

// The first `count` numbers of a vector, at most LANES; the others are 0.
ISA_INLINE Vec load_part(const unsigned char *data, int count, const Dtype dtype)
{
    if (count >= LANES) return load(data, dtype);
    unsigned char part[4 * LANES] = { 0 };
    if (count > 0) memcpy(part, data, (size_t)(count * size_of(dtype)));
    return load(part, dtype);
}

// ---- panels

// (terms, WIDTH): LANES outputs at a time, whose rows are transposed.
ISA_INLINE void pack_rows(float *to, Weight w, int first_in, int terms, int first, int count, const Dtype dtype)
{
    int size = size_of(dtype);
    for (int o = 0; o < WIDTH; o += LANES) {
        const unsigned char *row[LANES];
        for (int r = 0; r < LANES; r++)
            row[r] = o + r < count ? weight_output(w, first + o + r) + (ptrdiff_t)first_in * size : NULL;
        for (int t = 0; t < terms; t += LANES) {
            Vec block[LANES];
            int left = smaller(terms - t, LANES);
            for (int r = 0; r < LANES; r++)
                block[r] = row[r] ? load_part(row[r] + (ptrdiff_t)t * size, left, dtype) : vec_splat(0.0f);
            vec_transpose(block);
            for (int j = 0; j < left; j++) *(Vec *)(to + (t + j) * WIDTH + o) = block[j];
        }
    }
}

// All panels of `count` contiguous outputs.
ISA_INLINE void pack_columns(float *to, Weight w, int first_in, int terms, int first, int count, const Dtype dtype)
{
    int size = size_of(dtype);
    for (int t = 0; t < terms; t++) {
        const unsigned char *row = w.at + (ptrdiff_t)(first_in + t) * w.in_step + (ptrdiff_t)first * size;
        for (int line = 0; line < count * size; line += 64)
            __builtin_prefetch((const void *)((uintptr_t)row + (uintptr_t)(EARLY * w.in_step + line)));
        for (int p = 0; p < count; p += WIDTH)
            for (int o = p; o < p + WIDTH; o += LANES)
                *(Vec *)(to + p / WIDTH * PANEL + t * WIDTH + o - p) =
                    load_part(row + o * size, smaller(larger(count - o, 0), LANES), dtype);
    }
}

// Interleaves two rows of inputs into pairs.
ISA_INLINE void pack_pairs(float *to, Weight w, int first_pair, int pairs, int first, int count)
{
    for (int p = 0; p < pairs; p++) {
        const unsigned char *row = w.at + (ptrdiff_t)2 * (first_pair + p) * w.in_step + (ptrdiff_t)first * 2;
        for (int o = 0; o < WIDTH; o += LANES) {
            int left = smaller(larger(count - o, 0), LANES);
            Words even = (Words)load_part(row + o * 2, left, DTYPE_BF16);
            Words odd = (Words)load_part(row + w.in_step + o * 2, left, DTYPE_BF16);
            *(Words *)(to + p * WIDTH + o) = even >> 16 | odd;
        }
    }
}

// Swaps the two rows of each pair; pads with 0.
ISA_INLINE void swap_rows(float *panel, int terms)
{
    if (terms % 2) memset(panel + terms * WIDTH, 0, sizeof(float) * WIDTH);
    for (int t = 0; t < terms; t += 2)
        for (int o = 0; o < WIDTH; o += LANES) {
            Vec *at = (Vec *)(panel + t * WIDTH + o), *next = at + WIDTH / LANES, other = *at;
            *at = *next;
            *next = other;
        }
}

// One panel of outputs that are not contiguous in memory.
ISA_INLINE void pack_panel(float *to, Weight w, int first_in, int terms, int first, int count)
{
    if (!weight_by_rows(w)) {
        memset(to, 0, sizeof(float) * (size_t)(terms * WIDTH));
        weight_part((Mat){ to, terms, count, WIDTH }, w, first_in, first);
    } else if (w.stored == DTYPE_F32) pack_rows(to, w, first_in, terms, first, count, DTYPE_F32);
    else if (w.stored == DTYPE_F16) pack_rows(to, w, first_in, terms, first, count, DTYPE_F16);
    else pack_rows(to, w, first_in, terms, first, count, DTYPE_BF16);
}

ISA_TARGET static void pack(float *to, Weight w, int first_in, int terms, int first, int count)
{
    if (weight_by_rows(w) || w.run) {
        for (int o = 0; o < count; o += WIDTH)
            pack_panel(to + o / WIDTH * PANEL, w, first_in, terms, first + o, smaller(count - o, WIDTH));
    } else if (w.stored == DTYPE_F32) pack_columns(to, w, first_in, terms, first, count, DTYPE_F32);
    else if (w.stored == DTYPE_F16) pack_columns(to, w, first_in, terms, first, count, DTYPE_F16);
    else pack_columns(to, w, first_in, terms, first, count, DTYPE_BF16);
}

// If each output is a row, a pair of terms is one 32-bit number in memory.
ISA_TARGET static void pack_as_pairs(float *to, Weight w, int first_pair, int pairs, int first, int count)
{
    if (weight_by_rows(w)) pack_rows(to, w, first_pair, pairs, first, count, DTYPE_F32);
    else pack_pairs(to, w, first_pair, pairs, first, count);
}

// sum + left · right; with pairs, the second product is added first.
ISA_INLINE Vec plus_product(Vec sum, Vec left, Vec right, const bool pairs)
{
#if ISA == ISA_AVX512
    if (pairs) {
        __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(left), "v"(right));
        return sum;
    }
#endif
    (void)pairs;
    return sum + left * right;
}

// The micro-kernel: `rows` rows of out, a panel wide, += the same rows of x times the panel.
ISA_INLINE void tile(float *const *out, const float *const *x, const float *panel, int terms, const int rows,
                     const bool pairs)
{
    Vec sums[ROWS][VECTORS];
    UNROLLED for (int r = 0; r < rows; r++) UNROLLED for (int v = 0; v < VECTORS; v++) sums[r][v] =
        *(const Loose *)(out[r] + v * LANES);
    for (int t = 0; t < terms; t++) {
        Vec right[VECTORS];
        UNROLLED for (int v = 0; v < VECTORS; v++) right[v] = *(const Vec *)(panel + t * WIDTH + v * LANES);
        UNROLLED for (int r = 0; r < rows; r++)
        {
            Vec left = vec_same(x[r] + t);
            UNROLLED for (int v = 0; v < VECTORS; v++) sums[r][v] = plus_product(sums[r][v], left, right[v], pairs);
        }
    }
    UNROLLED for (int r = 0; r < rows; r++) UNROLLED for (int v = 0; v < VECTORS; v++) * (Loose *)(out[r] + v * LANES) =
        sums[r][v];
}

typedef void MicroKernel(float *const *out, const float *const *x, const float *panel, int terms);
#define INSTANCE(rows, form, pairs) \
    ISA_NOINLINE void tile_##form##_##rows(float *const *out, const float *const *x, const float *panel, int terms) \
    { \
        tile(out, x, panel, terms, rows, pairs); \
    }
#define INSTANCES(form, pairs) \
    INSTANCE(1, form, pairs) \
    INSTANCE(2, form, pairs) \
    INSTANCE(3, form, pairs) INSTANCE(4, form, pairs) INSTANCE(5, form, pairs) INSTANCE(6, form, pairs)
#define TILES(form) \
    { \
        tile_##form##_1, tile_##form##_2, tile_##form##_3, tile_##form##_4, tile_##form##_5, tile_##form##_6 \
    }
INSTANCES(floats, false)
#if ISA == ISA_AVX512
INSTANCES(pairs, true)
static MicroKernel *const micro_kernels[2][ROWS] = { TILES(floats), TILES(pairs) };
#else
static MicroKernel *const micro_kernels[2][ROWS] = { TILES(floats), TILES(floats) };
#endif

// ROWS rows, or the remaining ones. If the panel is wider than `out`, the rows are copied to a padded buffer and back.
static void tiles(Mat out, Mat x, int first_in, int terms, const float *panel, int i, bool pairs)
{
    float padded[ROWS][WIDTH], *to[ROWS] = { 0 };
    const float *from[ROWS] = { 0 };
    int rows = smaller(out.rows - i, ROWS);
    size_t bytes = sizeof(float) * (size_t)out.cols;
    bool whole = out.cols == WIDTH;
    for (int r = 0; r < rows; r++) {
        to[r] = whole ? mat_row(out, i + r) : padded[r];
        from[r] = mat_row(x, i + r) + first_in;
        if (!whole) memcpy(memset(padded[r], 0, sizeof padded[r]), mat_row(out, i + r), bytes);
    }
    micro_kernels[pairs][rows - 1](to, from, panel, terms);
    for (int r = 0; r < rows && !whole; r++) memcpy(mat_row(out, i + r), padded[r], bytes);
}

ISA_TARGET static void panel(Mat out, Mat x, Weight w, int first, int count, float *scratch, Terms form)
{
    uint64_t mode = subnormals_flush();
    for (int from = 0; from < x.cols; from += TERMS) {
        int terms = smaller(x.cols - from, TERMS), own = smaller(w.in - from, TERMS);
        if (form == TERMS_PAIRS) pack_as_pairs(scratch, w, from, terms, first, count);
        else pack(scratch, w, from, own, first, count);
        for (int o = 0; o < count; o += WIDTH) {
            float *packed = scratch + o / WIDTH * PANEL;
            Mat to = mat_cols(out, o, smaller(count - o, WIDTH));
            if (form == TERMS_TURNED) swap_rows(packed, own);
            for (int i = 0; i < out.rows; i += ROWS) tiles(to, x, from, terms, packed, i, form == TERMS_PAIRS);
        }
    }
    subnormals_restore(mode);
}

// ---- rounding x

// Swaps neighbouring words: the halves of 64-bit numbers.
ISA_INLINE Words swap_neighbours(Words w)
{
    typedef uint64_t Two __attribute__((vector_size(4 * LANES), may_alias));
    return (Words)((Two)w << 32 | (Two)w >> 32);
}

ISA_TARGET static void round_row(float *to, const float *from, int count, Terms form)
{
    for (int c = 0; c < count; c += LANES) {
        int left = smaller(count - c, LANES), even = left + (form == TERMS_TURNED ? left % 2 : 0);
        Vec own = left == LANES ? vec_part(from + c, LANES) : vec_part(from + c, left);
        Words near = vec_bf16(own);
        Halves pairs = __builtin_convertvector(near >> 16, Halves);
        Vec floats = (Vec)(form == TERMS_TURNED ? swap_neighbours(near) : near);
        void *at = form == TERMS_PAIRS ? (void *)((uint16_t *)(void *)to + c) : to + c;
        if (form == TERMS_PAIRS) memcpy(at, &pairs, left == LANES ? sizeof pairs : 2 * (size_t)left);
        else memcpy(at, &floats, left == LANES ? sizeof floats : 4 * (size_t)even);
    }
}

ISA_TARGET static void round_x(Mat to, Mat x, Terms form)
{
    for (int i = 0; i < x.rows; i++) round_row(mat_row(to, i), mat_row(x, i), x.cols, form);
}

// ---- few rows: memory-bound, so the weights are read once, STREAMS rows of them in parallel
//
// The prefetch distance is AHEAD numbers, and AHEAD_F32 for float32, as measured: more than half a kilobyte of each
// stream in flight is slower again.

enum { STREAMS = 4, AHEAD = 256, AHEAD_F32 = 96, FEW = LANES == 16 ? 4 : 2 };

ISA_INLINE int ahead_of(const Dtype dtype) { return dtype == DTYPE_F32 ? AHEAD_F32 : AHEAD; }

// Sums over the lanes, by halves.
ISA_INLINE void lane_sums(float *to, const Vec *sums, int count)
{
    for (int n = 0; n < count; n++) {
        float sum[LANES];
        memcpy(sum, &sums[n], sizeof sum);
        for (int half = LANES / 2; half > 0; half /= 2)
            for (int i = 0; i < half; i++) sum[i] += sum[i + half];
        to[n] = sum[0];
    }
}
ISA_NOINLINE void many_lane_sums(float *to, const Vec *sums, int count) { lane_sums(to, sums, count); }

// STREAMS outputs for `rows` rows of x, at most FEW.
ISA_INLINE void dots(float result[FEW][STREAMS], const unsigned char *const *row, Mat x, int i, const int rows,
                     const Dtype dtype)
{
    Vec sums[FEW][STREAMS] = { { { 0 } } };
    int c = 0, size = size_of(dtype);
    for (; c + LANES <= x.cols; c += LANES) {
        Vec w[STREAMS];
        UNROLLED for (int s = 0; s < STREAMS; s++)
        {
            w[s] = load(row[s] + (ptrdiff_t)c * size, dtype);
            __builtin_prefetch((const void *)((uintptr_t)row[s] + (uintptr_t)((c + ahead_of(dtype)) * size)));
        }
        UNROLLED for (int r = 0; r < rows; r++)
        {
            Vec numbers = *(const Loose *)(mat_row(x, i + r) + c);
            UNROLLED for (int s = 0; s < STREAMS; s++) sums[r][s] += numbers * w[s];
        }
    }
    for (int s = 0; s < STREAMS && c < x.cols; s++) {
        Vec w = load_part(row[s] + (ptrdiff_t)c * size, x.cols - c, dtype);
        for (int r = 0; r < rows; r++) sums[r][s] += vec_part(mat_row(x, i + r) + c, x.cols - c) * w;
    }
    if (rows == 1) lane_sums(result[0], sums[0], STREAMS);
    else many_lane_sums(&result[0][0], &sums[0][0], rows * STREAMS);
}

typedef void Dots(float result[FEW][STREAMS], const unsigned char *const *row, Mat x, int i);
#define DOTS(name, rows, dtype) \
    ISA_NOINLINE void name(float result[FEW][STREAMS], const unsigned char *const *row, Mat x, int i) \
    { \
        dots(result, row, x, i, rows, dtype); \
    }
DOTS(dots_f32_one, 1, DTYPE_F32)
DOTS(dots_f32_two, 2, DTYPE_F32)
DOTS(dots_f32_few, FEW, DTYPE_F32)
DOTS(dots_f16_one, 1, DTYPE_F16)
DOTS(dots_f16_two, 2, DTYPE_F16)
DOTS(dots_f16_few, FEW, DTYPE_F16)
DOTS(dots_bf16_one, 1, DTYPE_BF16)
DOTS(dots_bf16_two, 2, DTYPE_BF16)
DOTS(dots_bf16_few, FEW, DTYPE_BF16)

// Instances for 1, 2 and FEW rows.
static Dots *const dots_of[][3] = {
    [DTYPE_F32] = { dots_f32_one, dots_f32_two, dots_f32_few },
    [DTYPE_F16] = { dots_f16_one, dots_f16_two, dots_f16_few },
    [DTYPE_BF16] = { dots_bf16_one, dots_bf16_two, dots_bf16_few },
};

// Streams begin far apart, so that memory fetches them in parallel.
static void by_rows(Mat out, Mat x, Weight w, int first, int count)
{
    int quarter = (count + STREAMS - 1) / STREAMS;
    for (int o = 0; o < quarter; o++) {
        const unsigned char *row[STREAMS];
        float result[FEW][STREAMS];
        for (int s = 0; s < STREAMS; s++) {
            int output = s * quarter + o;
            row[s] = weight_output(w, first + (output < count ? output : o));
        }
        for (int i = 0, rows; i < x.rows; i += rows) {
            rows = x.rows - i >= FEW ? FEW : x.rows - i >= 2 ? 2 : 1;
            dots_of[w.stored][rows == FEW ? 2 : rows - 1](result, row, x, i);
            for (int r = 0; r < rows; r++)
                for (int s = 0; s < STREAMS && s * quarter + o < count; s++)
                    *mat_ref(out, i + r, s * quarter + o) += result[r][s];
        }
    }
}

// Prefetches ahead of number c in the part of a row that is `count` long, or in that of the next row.
ISA_INLINE void prefetch(const unsigned char *row, int c, int count, ptrdiff_t step, const Dtype dtype)
{
    int ahead = c + ahead_of(dtype), size = size_of(dtype);
    ptrdiff_t place = ahead < count ? (ptrdiff_t)ahead * size : step + (ptrdiff_t)(ahead - count) * size;
    __builtin_prefetch((const void *)((uintptr_t)row + (uintptr_t)place));
}

// LANES numbers of STREAMS rows, which are inputs here, times the elements of x for these inputs.
ISA_INLINE Vec dot_rows(Vec sum, const unsigned char *const *row, ptrdiff_t at, int left, const float *x,
                        const Dtype dtype)
{
    UNROLLED for (int s = 0; s < STREAMS; s++) sum += vec_splat(x[s]) * load_part(row[s] + at, left, dtype);
    return sum;
}

ISA_INLINE void by_columns(Mat out, Mat x, Weight w, int first, int count, const Dtype dtype)
{
    int size = size_of(dtype), quarter = (w.in + STREAMS - 1) / STREAMS;
    for (int t = 0; t < quarter; t++) {
        const unsigned char *row[STREAMS];
        for (int s = 0; s < STREAMS; s++)
            row[s] = w.at + smaller(t + s * quarter, w.in - 1) * w.in_step + (ptrdiff_t)first * size;
        for (int i = 0; i < x.rows; i++) {
            float numbers[STREAMS], *to = mat_row(out, i);
            for (int s = 0; s < STREAMS; s++)
                numbers[s] = t + s * quarter < w.in ? mat_row(x, i)[t + s * quarter] : 0.0f;
            int c = 0;
            for (; c + LANES <= count; c += LANES) {
                for (int s = 0; s < STREAMS && i == 0; s++) prefetch(row[s], c, count, w.in_step, dtype);
                *(Loose *)(to + c) =
                    dot_rows(*(const Loose *)(to + c), row, (ptrdiff_t)c * size, LANES, numbers, dtype);
            }
            if (c == count) continue;
            Vec last = dot_rows(vec_part(to + c, count - c), row, (ptrdiff_t)c * size, count - c, numbers, dtype);
            memcpy(to + c, &last, sizeof(float) * (size_t)(count - c));
        }
    }
}

#define BY_COLUMNS(name, dtype) \
    ISA_NOINLINE void name(Mat out, Mat x, Weight w, int first, int count) \
    { \
        by_columns(out, x, w, first, count, dtype); \
    }
BY_COLUMNS(by_columns_f32, DTYPE_F32)
BY_COLUMNS(by_columns_f16, DTYPE_F16)
BY_COLUMNS(by_columns_bf16, DTYPE_BF16)

static void in_place(Mat out, Mat x, Weight w, int first, int count)
{
    uint64_t mode = subnormals_flush();
    if (weight_by_rows(w)) by_rows(out, x, w, first, count);
    else if (w.stored == DTYPE_F32) by_columns_f32(out, x, w, first, count);
    else if (w.stored == DTYPE_F16) by_columns_f16(out, x, w, first, count);
    else by_columns_bf16(out, x, w, first, count);
    subnormals_restore(mode);
}

// ---- activations

// x σ(y) = x / (1 + e^−y)
ISA_INLINE Vec times_sigmoid(Vec x, Vec y)
{
    Vec power = vec_exp2(vec_max(vec_splat(-80.0f), -(vec_max(vec_splat(-80.0f), y * LOG2E))));
    return x / (power + 1.0f);
}

// erf(|x|) as 1 − (a₁ t + … + a₅ t⁵) e^−x² with t = 1 / (1 + p x), error at most 1.5e-7 [Abramowitz and Stegun 1964,
// 7.1.26]. A quotient of polynomials for |x| ≤ 4 would need more terms.
ISA_INLINE Vec gelu(Vec x)
{
    Vec zero = vec_splat(0.0f), size = vec_max(x, -x) * 0.70710678f, t = 1.0f / (size * 0.3275911f + 1.0f);
    Vec sum = ((((t * 1.061405429f - 1.453152027f) * t + 1.421413741f) * t - 0.284496736f) * t + 0.254829592f) * t;
    Vec rest = sum * vec_exp2(vec_max(size * size * -LOG2E, vec_splat(-99.0f))); // 1 − erf
    return vec_max(x, zero) - vec_max(x, -x) * rest * 0.5f;
}

ISA_INLINE Vec activated(Vec x, Activation f)
{
    if (f == ACTIVATION_RELU) return vec_max(x, vec_splat(0.0f));
    if (f == ACTIVATION_SILU) return times_sigmoid(x, x);
    if (f == ACTIVATION_GELU) return gelu(x);
    return times_sigmoid(x, (x + x * x * x * 0.044715f) * 1.5957691f); // ½ (1 + tanh z) = σ(2 z)
}

ISA_TARGET static void activate(float *x, int n, Activation f)
{
    uint64_t mode = subnormals_flush();
    int c = 0;
    for (; c + LANES <= n; c += LANES) *(Loose *)(x + c) = activated(*(const Loose *)(x + c), f);
    if (c < n) {
        Vec last = activated(vec_part(x + c, n - c), f);
        memcpy(x + c, &last, sizeof(float) * (size_t)(n - c));
    }
    subnormals_restore(mode);
}

const WeightKernel ISA_NAME(weight_kernel) = { TOGETHER * WIDTH, (size_t)TOGETHER *PANEL, panel, round_x, in_place,
                                               activate };
