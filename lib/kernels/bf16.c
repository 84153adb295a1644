// Chapter 15. Attention in bf16: choice of instructions, one head, and the peak measurement.
#include "kernels/bf16.h"

#include "kernels/bf16_kernel.h"
#include "kernels/fast.h"
#include "base/arena.h"
#include "base/measure.h"

#include <stdatomic.h>
#include <string.h>

const char *const bf16_kinds[] = { "amx", "avx512_bf16", "emulated" };
const int bf16_kinds_count = BF16_TILE_ENGINES;

static atomic_int chosen = -1;

// Both instructions require AVX-512. With other vectors chosen, tiles are emulated.
static bool available(int kind)
{
    return kind == BF16_TILE_ENGINES - 1 || (fast_lanes() == 16 && bf16_tile_engine_here(kind));
}

static int kind_in_use(void)
{
    int kind = atomic_load(&chosen);
    if (kind >= 0 && available(kind)) return kind;
    for (kind = 0; !available(kind); kind++) {}
    return kind;
}

bool bf16_choose(const char *name)
{
    int kind = -1;
    if (name) {
        for (kind = 0; kind < BF16_TILE_ENGINES; kind++)
            if (!strcmp(name, bf16_kinds[kind]) && available(kind)) break;
        if (kind == BF16_TILE_ENGINES) return false;
    }
    atomic_store(&chosen, kind);
    return true;
}

const char *bf16_kind(void) { return bf16_kinds[kind_in_use()]; }

static Bf16Kernel *kernel_in_use(void)
{
    static Bf16Kernel *const versions[] = { FAST_VERSIONS(bf16_kernel) };
    return versions[fast_kind_index()];
}

void attention_bf16(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    attention_require(to, q, k, v);
    kernel_in_use()(&bf16_tile_engines[kind_in_use()], to, q, k, v, mask);
    attention_weights(to.weights, q, k, mask);
}

// ---- the probe

// 32 rows by 64 columns, inner dimension 128: 24 KiB of tiles, and the sums.
int64_t bf16_probe(int rounds)
{
    enum { DEEP = 4, BLOCKS = 2 };
    Arena *scratch = arena_open();
    const Bf16TileEngine *engine = &bf16_tile_engines[kind_in_use()];
    Bf16Tile *a = arena_alloc(scratch, sizeof *a * 2 * DEEP), *b = arena_alloc(scratch, sizeof *b * 2 * DEEP * BLOCKS);
    Bf16Sums *c = arena_alloc(scratch, sizeof *c * 4 * BLOCKS);
    Bf16Products all = { .a = a,
                         .a_down = DEEP,
                         .b = b,
                         .b_right = DEEP,
                         .b_step = 1,
                         .b_next = 2 * DEEP,
                         .c = c,
                         .c_down = 2 * BLOCKS,
                         .steps = DEEP,
                         .blocks = BLOCKS };
    engine->open();
    for (int round = 0; round < rounds; round++) {
        Bf16Products products = all;
        while (products.block < products.blocks) engine->step(&products);
    }
    engine->close();
    arena_close(scratch);
    return (int64_t)rounds * BLOCKS * DEEP * 4 * 16 * 16 * 32;
}

static double measure_rate(double seconds, int *rounds)
{
    for (;; *rounds *= 2) {
        double start = measure_clock_thread();
        double done = (double)bf16_probe(*rounds), took = measure_clock_thread() - start;
        if (took >= seconds || *rounds >= 1 << 24) return done / (took > 1e-9 ? took : 1e-9);
    }
}

double bf16_probe_rate(double seconds)
{
    int rounds = 16;
    double best = 0.0;
    for (int i = 0; i < 3; i++) {
        double rate = measure_rate(seconds / 6, &rounds);
        best = rate > best ? rate : best;
    }
    return best;
}
