// Chapter 15. bf16 numbers and their tile products: by the processor's instructions, or emulated bit by bit.
#define _DEFAULT_SOURCE 1 // syscall
#include "kernels/bf16_tiles.h"

#include "base/half.h"
#include "base/portable_math.h"

#include <float.h>
#include <stdatomic.h>
#include <string.h>
#if defined __x86_64__
    #include <cpuid.h>
#endif
#if defined __x86_64__ && defined __linux__
    #include <sys/syscall.h>
    #include <unistd.h>
#endif

// ---- numbers

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// Rounds as half_of, except for NaN and subnormal results, which follow VCVTNEPS2BF16.
uint16_t bf16_of(float x)
{
    uint32_t bits = bits_of(x);
    if (x != x) return (uint16_t)(bits >> 16 | 0x40);
    if (fabsf(x) < FLT_MIN) return (uint16_t)(bits >> 16 & 0x8000);
    return half_of(HALF_BFLOAT16, x);
}

float bf16_value(uint16_t x) { return half_value(HALF_BFLOAT16, x); }

// ---- the emulation
//
// The product of two bf16 numbers has 16 significant bits and is exact in float64. A float32 is added there, and the
// sum is rounded to float32. This double rounding equals a single one: what the first rounding drops is too small to
// move the sum across the midpoint of two float32 numbers.

// A float64 below this rounds to a float32 below 2⁻¹²⁶.
#define TINY (0x1p-126 - 0x1p-151)

// Multiplies by 0 instead of returning 0, to keep the sign.
static inline float flushed(double x) { return (float)(x * (fabs(x) < TINY ? 0.0 : 1.0)); }
static inline float fused(float a, float b, float c) { return flushed((double)a * (double)b + (double)c); }
static inline float plain(float x) { return flushed((double)x); }
static inline float added(float a, float b) { return flushed((double)a + (double)b); }

// The same with the processor's NaN propagation: the first factor's NaN, else the second's, else the sum's; a NaN that
// the operation creates is negative.
static float quiet(float x) { return half_float32(bits_of(x) | 0x00400000); }
static float fused_or_nan(float a, float b, float c)
{
    if (a != a) return quiet(a);
    if (b != b) return quiet(b);
    if (c != c) return quiet(c);
    float sum = fused(a, b, c);
    return sum != sum ? half_float32(0xffc00000) : sum;
}

static float added_or_nan(float a, float b) { return a != a ? quiet(a) : fused_or_nan(b, 1.0f, a); }

static float input(uint16_t x) { return plain(bf16_value(x)); }
static float input_or_nan(uint16_t x) { return (x & 0x7fff) > 0x7f80 ? bf16_value(x) : input(x); }

static float element_or_nan(float c, const uint16_t *a, const Bf16Tile *b, int n)
{
    float first = 0.0f, second = 0.0f;
    for (int p = 0; p < 16; p++) {
        first = fused_or_nan(input_or_nan(a[2 * p]), input_or_nan(b->at[p][2 * n]), first);
        second = fused_or_nan(input_or_nan(a[2 * p + 1]), input_or_nan(b->at[p][2 * n + 1]), second);
    }
    return added_or_nan(c == c ? plain(c) : c, added_or_nan(first, second));
}

static inline __attribute__((always_inline)) void multiply(Bf16Sums *c, const Bf16Tile *a, const Bf16Tile *b)
{
    double first_of[16][16], second_of[16][16];
    for (int p = 0; p < 16; p++)
        for (int n = 0; n < 16; n++) {
            first_of[p][n] = (double)input(b->at[p][2 * n]);
            second_of[p][n] = (double)input(b->at[p][2 * n + 1]);
        }
    for (int m = 0; m < 16; m++) {
        double first[16] = { 0 }, second[16] = { 0 }; // float32 values, held in float64
        for (int p = 0; p < 16; p++) {
            double left = (double)input(a->at[m][2 * p]), right = (double)input(a->at[m][2 * p + 1]);
            for (int n = 0; n < 16; n++) first[n] = (double)flushed(left * first_of[p][n] + first[n]);
            for (int n = 0; n < 16; n++) second[n] = (double)flushed(right * second_of[p][n] + second[n]);
        }
        for (int n = 0; n < 16; n++) {
            float sum = added(plain(c->at[m][n]), flushed(first[n] + second[n]));
            c->at[m][n] = sum == sum ? sum : element_or_nan(c->at[m][n], a->at[m], b, n);
        }
    }
}

// The same operations compiled for wide vectors: the same bits.
#if defined __x86_64__
__attribute__((target("avx2"))) static void multiply_8(Bf16Sums *c, const Bf16Tile *a, const Bf16Tile *b)
{
    multiply(c, a, b);
}

void bf16_multiply(Bf16Sums *c, const Bf16Tile *a, const Bf16Tile *b)
{
    if (__builtin_cpu_supports("avx2")) multiply_8(c, a, b);
    else multiply(c, a, b);
}
#else
void bf16_multiply(Bf16Sums *c, const Bf16Tile *a, const Bf16Tile *b) { multiply(c, a, b); }
#endif

void bf16_add_pairs(float c[16], const uint16_t a[32], const uint16_t b[32])
{
    for (int n = 0; n < 16; n++) {
        float sum = c[n] == c[n] ? plain(c[n]) : c[n];
        for (int i = 2 * n + 1; i >= 2 * n; i--) sum = fused_or_nan(input_or_nan(a[i]), input_or_nan(b[i]), sum);
        c[n] = sum;
    }
}

static void nothing(void) {}

// Advances to the next step, and after the last step to the next block.
static void move_on(Bf16Products *p)
{
    p->step++;
    if (p->step < p->steps) return;
    p->step = 0;
    p->block++;
    p->b += p->b_next;
    p->c += 2;
}

static void emulated_step(Bf16Products *p)
{
    const Bf16Tile *a[] = { p->a + p->step, p->a + p->a_down + p->step };
    const Bf16Tile *b[] = { p->b + p->step * p->b_step, p->b + p->b_right + p->step * p->b_step };
    for (int m = 0; m < 2; m++)
        for (int n = 0; n < 2; n++) {
            Bf16Sums *c = p->c + m * p->c_down + n;
            if (p->step == 0 && !p->add) memset(c, 0, sizeof *c);
            bf16_multiply(c, a[m], b[n]);
        }
    move_on(p);
}

#if defined __x86_64__

// ---- vectors of pairs: VDPBF16PS

typedef float Sums __attribute__((vector_size(64), may_alias));
typedef uint32_t Pair __attribute__((may_alias));
    #define AVX512        __attribute__((target("avx512f")))
    #define AVX512_INLINE static inline __attribute__((always_inline)) AVX512

// sum[n] += the pair `number`, spread over all lanes, · pair n.
AVX512_INLINE Sums add_pair(Sums sum, const Pair *number, Sums pairs)
{
    __asm__("vdpbf16ps %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(pairs), "m"(*number));
    return sum;
}

// ROWS rows of c against two tiles of b; the sums stay in registers.
enum { ROWS = 8 };
AVX512 static void add_rows(Bf16Sums *c, const Bf16Tile *a, const Bf16Tile *b, const Bf16Tile *right, int row)
{
    Sums sums[ROWS][2];
    for (int r = 0; r < ROWS; r++)
        for (int n = 0; n < 2; n++) sums[r][n] = *(const Sums *)c[n].at[row + r];
    for (int p = 0; p < 16; p++) {
        Sums pairs = *(const Sums *)b->at[p], more = *(const Sums *)right->at[p];
        for (int r = 0; r < ROWS; r++) {
            const Pair *number = (const Pair *)&a->at[row + r][2 * p];
            sums[r][0] = add_pair(sums[r][0], number, pairs);
            sums[r][1] = add_pair(sums[r][1], number, more);
        }
    }
    for (int r = 0; r < ROWS; r++)
        for (int n = 0; n < 2; n++) *(Sums *)c[n].at[row + r] = sums[r][n];
}

AVX512 static void pairs_step(Bf16Products *p)
{
    const Bf16Tile *b = p->b + p->step * p->b_step;
    for (int m = 0; m < 2; m++) {
        Bf16Sums *c = p->c + m * p->c_down;
        if (p->step == 0 && !p->add) memset(c, 0, 2 * sizeof *c);
        for (int row = 0; row < 16; row += ROWS) add_rows(c, p->a + m * p->a_down + p->step, b, b + p->b_right, row);
    }
    move_on(p);
}

AVX512 static void pairs_here(float c[16], const uint16_t a[32], const uint16_t b[32])
{
    Sums sum, left, right;
    memcpy(&sum, c, sizeof sum);
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(left), "v"(right));
    memcpy(c, &sum, sizeof sum);
}

AVX512 static void round_here(uint16_t to[32], const float from[32])
{
    Sums low, high, both;
    memcpy(&low, from, sizeof low);
    memcpy(&high, from + 16, sizeof high);
    __asm__("vcvtne2ps2bf16 %1, %2, %0" : "=v"(both) : "v"(low), "v"(high));
    memcpy(to, &both, sizeof both);
}

// ---- tiles: TDPBF16PS
//
// Eight tile registers of 16 rows of 64 bytes: 0 … 3 hold the sums, 4 and 5 the tiles of a, 6 and 7 those of b.

    #define TILE_LOAD(tile, from) \
        __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #tile : : "r"(from), "r"((ptrdiff_t)64) : "memory")
    #define TILE_STORE(to, tile) \
        __asm__ volatile("tilestored %%tmm" #tile ", (%0,%1,1)" : : "r"(to), "r"((ptrdiff_t)64) : "memory")
    #define TILE_ZERO(tile)        __asm__ volatile("tilezero %%tmm" #tile : :)
    #define TILE_MULTIPLY(c, a, b) __asm__ volatile("tdpbf16ps %%tmm" #b ", %%tmm" #a ", %%tmm" #c : :)

static void amx_open(void)
{
    struct {
        uint8_t palette, start, none[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } form = { .palette = 1 };
    for (int tile = 0; tile < 8; tile++) {
        form.bytes[tile] = 64;
        form.rows[tile] = 16;
    }
    __asm__ volatile("ldtilecfg %0" : : "m"(form));
}

static void amx_close(void) { __asm__ volatile("tilerelease" : :); }

static void amx_step(Bf16Products *p)
{
    const Bf16Tile *a = p->a + p->step, *b = p->b + p->step * p->b_step;
    Bf16Sums *c = p->c;
    if (p->step == 0 && p->add) {
        TILE_LOAD(0, c);
        TILE_LOAD(1, c + 1);
        TILE_LOAD(2, c + p->c_down);
        TILE_LOAD(3, c + p->c_down + 1);
    } else if (p->step == 0) {
        TILE_ZERO(0);
        TILE_ZERO(1);
        TILE_ZERO(2);
        TILE_ZERO(3);
    }
    TILE_LOAD(4, a);
    TILE_LOAD(6, b);
    TILE_LOAD(7, b + p->b_right);
    TILE_LOAD(5, a + p->a_down);
    TILE_MULTIPLY(0, 4, 6);
    TILE_MULTIPLY(1, 4, 7);
    TILE_MULTIPLY(2, 5, 6);
    TILE_MULTIPLY(3, 5, 7);
    if (p->step == p->steps - 1) {
        TILE_STORE(c, 0);
        TILE_STORE(c + 1, 1);
        TILE_STORE(c + p->c_down, 2);
        TILE_STORE(c + p->c_down + 1, 3);
    }
    move_on(p);
}

static void multiply_here(Bf16Sums *c, const Bf16Tile *a, const Bf16Tile *b)
{
    amx_open();
    TILE_LOAD(0, c);
    TILE_LOAD(4, a);
    TILE_LOAD(6, b);
    TILE_MULTIPLY(0, 4, 6);
    TILE_STORE(c, 0);
    amx_close();
}

// ---- detection

// A feature bit of CPUID leaf 7, subleaf 0 or 1. [Intel, Software Developer's Manual, volume 2, CPUID]
static bool cpu_says(unsigned part, bool in_edx, unsigned bit)
{
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid_count(7, part, &eax, &ebx, &ecx, &edx)) return false;
    return (in_edx ? edx : eax) >> bit & 1;
}

static bool has_pairs(void) { return __builtin_cpu_supports("avx512f") && cpu_says(1, false, 5); }

// Tile registers add 8 KiB to each thread's saved state, so Linux requires that a process requests them once. [Linux,
// Documentation/arch/x86/xstate.rst]
static bool allowed(void)
{
    #if defined __linux__ && defined SYS_arch_prctl
    enum { ASK = 0x1023, TILES = 18 };
    return syscall(SYS_arch_prctl, ASK, TILES) == 0;
    #else
    return false;
    #endif
}

static bool has_tiles(void) { return has_pairs() && cpu_says(0, true, 22) && cpu_says(0, true, 24) && allowed(); }

#else

static void pairs_step(Bf16Products *p) { emulated_step(p); }
static void pairs_here(float c[16], const uint16_t a[32], const uint16_t b[32]) { bf16_add_pairs(c, a, b); }
static void round_here(uint16_t to[32], const float from[32]) { to[0] = bf16_of(from[0]); }
static void amx_open(void) {}
static void amx_close(void) {}
static void amx_step(Bf16Products *p) { emulated_step(p); }
static void multiply_here(Bf16Sums *c, const Bf16Tile *a, const Bf16Tile *b) { bf16_multiply(c, a, b); }
static bool has_pairs(void) { return false; }
static bool has_tiles(void) { return false; }

#endif

const Bf16TileEngine bf16_tile_engines[BF16_TILE_ENGINES] = {
    { amx_open, amx_step, amx_close, true },
    { nothing, pairs_step, nothing, true },
    { nothing, emulated_step, nothing, false },
};

// Detected once; concurrent first calls are safe and agree.
bool bf16_tile_engine_here(int engine)
{
    enum { UNKNOWN, HERE, NOT_HERE };
    static atomic_int known[BF16_TILE_ENGINES];
    int answer = atomic_load(&known[engine]);
    if (answer == UNKNOWN) {
        bool here = engine == 0 ? has_tiles() : engine == 1 ? has_pairs() : true;
        answer = here ? HERE : NOT_HERE;
        atomic_store(&known[engine], answer);
    }
    return answer == HERE;
}

bool bf16_round_here(uint16_t to[32], const float from[32])
{
    if (!bf16_tile_engine_here(1)) return false;
    round_here(to, from);
    return true;
}

bool bf16_multiply_here(Bf16Sums *c, const Bf16Tile *a, const Bf16Tile *b)
{
    if (!bf16_tile_engine_here(0)) return false;
    multiply_here(c, a, b);
    return true;
}

bool bf16_add_pairs_here(float c[16], const uint16_t a[32], const uint16_t b[32])
{
    if (!bf16_tile_engine_here(1)) return false;
    pairs_here(c, a, b);
    return true;
}
