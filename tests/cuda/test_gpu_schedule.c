// Tests of chapters/16_cuda/gpu_schedule.h: each function against its definition, over every lane and many shapes.
#include "chapters/16_cuda/gpu_schedule.h"

#include "base/arena.h"
#include "support/reference.h"
#include "support/suite.h"

#include <string.h>

// ---- fragments

// 256, 128 and 128 numbers in 32 lanes: every place once.
TEST(every_place_has_one_lane)
{
    int a[16][16] = { { 0 } }, b[16][8] = { { 0 } }, c[16][8] = { { 0 } };
    for (int lane = 0; lane < GPU_LANES; lane++)
        for (int reg = 0; reg < 4; reg++) {
            for (int half = 0; half < 2; half++) {
                GpuPlace at = mma_a(lane, reg, half);
                a[at.row][at.col]++;
                if (reg >= 2) continue;
                at = mma_b(lane, reg, half);
                b[at.row][at.col]++;
            }
            GpuPlace at = mma_c(lane, reg);
            c[at.row][at.col]++;
        }
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            ck_assert_int_eq(a[i][j], 1);
            if (j < 8) ck_assert(b[i][j] == 1 && c[i][j] == 1);
        }
}

// Entries of the tables in the PTX manual, "Matrix Fragments for mma.m16n8k16 with floating point type": a0 … a7,
// b0 … b3 and c0 … c3 of lane 13, whose groupID is 3 and whose threadID_in_group is 1.
TEST(as_the_manual_says)
{
    static const GpuPlace a[8] = { { 3, 2 },  { 3, 3 },  { 11, 2 },  { 11, 3 },
                                   { 3, 10 }, { 3, 11 }, { 11, 10 }, { 11, 11 } };
    static const GpuPlace b[4] = { { 2, 3 }, { 3, 3 }, { 10, 3 }, { 11, 3 } };
    static const GpuPlace c[4] = { { 3, 2 }, { 3, 3 }, { 11, 2 }, { 11, 3 } };
    for (int e = 0; e < 8; e++) {
        GpuPlace at = mma_a(13, e / 2, e % 2);
        ck_assert(at.row == a[e].row && at.col == a[e].col);
    }
    for (int e = 0; e < 4; e++) {
        GpuPlace at = mma_b(13, e / 2, e % 2);
        ck_assert(at.row == b[e].row && at.col == b[e].col);
        at = mma_c(13, e);
        ck_assert(at.row == c[e].row && at.col == c[e].col);
    }
}

// What a lane gets from ldmatrix.x4 when the lanes name these rows of a 16 × 16 block: the row and column of the block.
static GpuPlace loaded(GpuPlace of(int lane), int lane, int reg, int half, bool transposed)
{
    GpuPlace in = ldmatrix_place(lane, half);
    int line = transposed ? in.col : in.row, column = transposed ? in.row : in.col;
    GpuPlace start = of(8 * reg + line);
    return (GpuPlace){ start.row, start.col * GPU_CHUNK + column };
}

TEST(loads_fill_the_fragments)
{
    for (int lane = 0; lane < GPU_LANES; lane++)
        for (int reg = 0; reg < 4; reg++)
            for (int half = 0; half < 2; half++) {
                GpuPlace a = mma_a(lane, reg, half), b = mma_b(lane, reg % 2, half), at;
                at = loaded(gpu_rows_of_a, lane, reg, half, false);
                ck_assert(at.row == a.row && at.col == a.col);
                at = loaded(gpu_rows_of_keys, lane, reg, half, false); // B (channel, key) of row key
                ck_assert(at.row == b.col + reg / 2 * 8 && at.col == b.row);
                at = loaded(gpu_rows_of_values, lane, reg, half, true); // B (key, channel) of row key
                ck_assert(at.row == b.row && at.col == b.col + reg / 2 * 8);
            }
}

TEST(scores_are_operands)
{
    for (int lane = 0; lane < GPU_LANES; lane++)
        for (int reg = 0; reg < 4; reg++)
            for (int half = 0; half < 2; half++) {
                GpuPlace from = gpu_weight_from(reg, half), a = mma_a(lane, reg, half), c = mma_c(lane, from.col);
                ck_assert(a.row == c.row && a.col == c.col + from.row * 8);
            }
}

// ---- tiles in shared memory

static const int widths[] = { 64, 128 };

TEST_EACH(the_swizzle_is_one_to_one, 4)
{
    enum { ROWS = 64 };
    int d = widths[_i % 2], swizzle = _i / 2 ? GPU_SWIZZLE : 0;
    int *seen = arena_alloc(arena, sizeof *seen * (size_t)(ROWS * d));
    for (int row = 0; row < ROWS; row++)
        for (int chunk = 0; chunk < d / GPU_CHUNK; chunk++) {
            int at = gpu_at(row, chunk, d, swizzle);
            ck_assert(at % GPU_CHUNK == 0 && at / d == row);
            ck_assert_int_eq(seen[at]++, 0);
            uint32_t start = (uint32_t)gpu_at(row, chunk % 2, d, swizzle);
            ck_assert_uint_eq(gpu_further(start, chunk / 2 * 2, GPU_CHUNK), (uint32_t)at);
            ck_assert_uint_eq(gpu_further(2 * start, chunk / 2 * 2, 2 * GPU_CHUNK), 2 * (uint32_t)at);
        }
}

// Any chunk of eight rows that follow each other: all 32 banks with the swizzle, four of them without.
TEST_EACH(banks, 2)
{
    int d = widths[_i];
    for (int first = 0; first < 16; first++)
        for (int chunk = 0; chunk < d / GPU_CHUNK; chunk++) {
            unsigned with = 0, without = 0;
            for (int row = first; row < first + 8; row++) {
                with |= 1u << gpu_at(row, chunk, d, GPU_SWIZZLE) / GPU_CHUNK % 8;
                without |= 1u << gpu_at(row, chunk, d, 0) / GPU_CHUNK % 8;
            }
            ck_assert(with == 0xFF && (without & (without - 1)) == 0);
        }
}

TEST_EACH(copies_take_every_chunk_once, 8)
{
    static const struct {
        int rows, threads;
    } tiles[] = {
        { MMA_QUERIES, GPU_THREADS },
        { MMA_KEYS, GPU_THREADS },
        { DECODE_ROWS, GPU_LANES },
        { DECODE_KEYS, GPU_LANES },
    };
    int d = widths[_i % 2], rows = tiles[_i / 2].rows, threads = tiles[_i / 2].threads, chunks = d / GPU_CHUNK;
    int seen[MMA_QUERIES][16] = { { 0 } };
    ck_assert_int_eq(gpu_copies(rows, d, threads) * threads, rows * chunks);
    for (int step = 0; step < gpu_copies(rows, d, threads); step++)
        for (int thread = 0; thread < threads; thread++) {
            GpuPlace at = gpu_copy(thread, step, threads, d);
            ck_assert(0 <= at.row && at.row < rows && 0 <= at.col && at.col < chunks);
            seen[at.row][at.col]++;
            GpuPlace own = gpu_copy(thread, 0, threads, d);
            ck_assert_int_eq(gpu_later(gpu_at(own.row, own.col, d, GPU_SWIZZLE), step, threads, d),
                             gpu_at(at.row, at.col, d, GPU_SWIZZLE));
            ck_assert(at.col == own.col && at.row == own.row + step * gpu_rows_of_step(threads, d));
        }
    for (int row = 0; row < rows; row++)
        for (int chunk = 0; chunk < chunks; chunk++) ck_assert_int_eq(seen[row][chunk], 1);
}

// Queries, keys and values of each buffer follow each other without a gap.
TEST(shared_memory_is_laid_out)
{
    for (int w = 0; w < 2; w++) {
        int d = widths[w], at = MMA_QUERIES * d, warp = DECODE_ROWS * d;
        for (int stage = 0; stage < MMA_STAGES; stage++) {
            ck_assert_int_eq(mma_keys_at(stage, d), at);
            ck_assert_int_eq(mma_values_at(stage, d), at += MMA_KEYS * d);
            at += MMA_KEYS * d;
        }
        for (int stage = 0; stage < DECODE_STAGES; stage++) {
            ck_assert_int_eq(decode_keys_at(stage, d), warp);
            ck_assert_int_eq(decode_values_at(stage, d), warp += DECODE_KEYS * d);
            warp += DECODE_KEYS * d;
        }
        ck_assert_int_eq(mma_shared(d), 2 * at);
        ck_assert_int_eq(decode_shared_of_warp(d), 2 * warp);
    }
    for (int n = 0; n < 12; n++) ck_assert_int_ne(gpu_stage(n, MMA_STAGES), gpu_stage(n + MMA_STAGES - 1, MMA_STAGES));
    ck_assert_int_le(mma_shared(128), 99 * 1024); // what the smallest of the cards gives a block
    ck_assert_int_le(GPU_WARPS * decode_shared_of_warp(128), 227 * 1024 / 2);
}

// Hopper's parts follow each other, begin where a swizzle of 1,024 bytes does, and fit; its descriptors say where.
TEST(hopper_is_laid_out)
{
    for (int w = 0; w < 2; w++) {
        int d = widths[w], at = 0, keys = 2 * HOPPER_KEYS * d, queries = 2 * HOPPER_QUERIES * d;
        for (int stage = 0; stage < HOPPER_STAGES; stage++, at += 2 * keys) {
            ck_assert_int_eq(hopper_keys_at(stage, d), at);
            ck_assert_int_eq(hopper_values_at(stage, d), at + keys);
        }
        for (int n = 0; n < 2; n++, at += queries) ck_assert_int_eq(hopper_queries_at(n, d), at);
        ck_assert_int_eq(hopper_out_at(d), at);
        ck_assert_int_eq(hopper_barriers_at(d), at += queries);
        ck_assert_int_eq(hopper_work_at(0, d), at + 8 * 2 * HOPPER_BARRIERS);
        ck_assert_int_eq(hopper_work_at(1, d), hopper_work_at(0, d) + 16);
        ck_assert_int_eq(hopper_shared(d), 1024 + hopper_work_at(1, d) + 16);
        ck_assert(keys % 1024 == 0 && queries % 1024 == 0 && hopper_shared(d) <= 227 * 1024);
    }
    int seen[HOPPER_QUERIES * 128] = { 0 }; // chunks of the panels' first rows, by bytes / 16
    for (int row = 0; row < 64; row++)
        for (int c = 0; c < 128; c += 2) {
            int at = hopper_out(row, c), panel = c / 64 * HOPPER_QUERIES * 128;
            ck_assert_int_eq(at, panel + 2 * gpu_at(row, c % 64 / 8, 64, GPU_SWIZZLE) + c % 8 * 2);
            seen[at / 16]++;
        }
    for (int row = 0; row < 64; row++)
        for (int chunk = 0; chunk < 8; chunk++) ck_assert_int_eq(seen[row * 8 + chunk], 4);
    ck_assert_uint_eq(hopper_rows(0x12340), 0x4000004000011234u);
    ck_assert_uint_eq(hopper_columns(0x400), 0x4000004004000040u);
}

// ---- which tiles

static const int lengths[] = { 0, 1, 2, 15, 16, 17, 31, 63, 64, 65, 127, 128, 129, 200, 300 };
enum { LENGTHS = sizeof lengths / sizeof *lengths };

TEST_EACH(tiles_are_those_that_are_seen, LENGTHS *LENGTHS)
{
    int T = lengths[_i % LENGTHS], S = lengths[_i / LENGTHS];
    for (int causal = 0; causal < 2; causal++)
        for (int first = 0; first < T + 40; first += 16) {
            int most = 0, least = S; // keys seen by queries first … first + 31
            for (int i = first; i < first + 32 && i < T; i++) {
                int seen = 0;
                for (int j = 0; j < S; j++) seen += reference_sees((Mask){ .causal = causal }, i, j, T, S);
                ck_assert_int_eq(gpu_keys_seen(i, T, S, causal), seen);
                most = seen > most ? seen : most;
                least = seen < least ? seen : least;
            }
            int tiles = gpu_tiles_seen(first, 32, 64, T, S, causal);
            ck_assert_int_eq(tiles, most / 64 + (most % 64 > 0));
            for (int tile = 0; tile < tiles; tile++)
                ck_assert_int_eq(gpu_tile_is_cut(tile, first, 64, T, S, causal), least < (tile + 1) * 64);
        }
}

// `together` heads at a time: of those it has, the next ones come when all their tiles are done.
TEST_EACH(every_tile_has_one_block, 24)
{
    static const int shapes[][3] = { { 1, 1, 1 }, { 5, 3, 2 }, { 16, 4, 1 }, { 7, 1, 3 } }; // tiles, H, B
    int tiles = shapes[_i / 2 % 4][0], H = shapes[_i / 2 % 4][1], B = shapes[_i / 2 % 4][2], before = tiles;
    int together = _i < 8 ? H * B : _i / 8;
    bool causal = _i % 2;
    int seen[16][4][4] = { { { 0 } } };
    for (int n = 0; n < tiles * H * B; n++) {
        GpuWork work = gpu_work_by(n, tiles, H, B, causal, together);
        ck_assert(work.tile >= 0 && work.tile < tiles && work.head >= 0 && work.head < H);
        ck_assert(work.batch >= 0 && work.batch < B);
        seen[work.tile][work.head][work.batch]++;
        int section = n / (tiles * together);
        if (causal && n % (tiles * together) == 0) before = tiles;
        if (causal) ck_assert_int_le(work.tile, before); // the longest first
        if (causal) ck_assert_int_eq((work.batch * H + work.head) / together, section);
        else if (n) ck_assert(work.tile == before + 1 || work.tile == 0);
        before = work.tile;
    }
    for (int t = 0; t < tiles; t++)
        for (int h = 0; h < H; h++)
            for (int b = 0; b < B; b++) ck_assert_int_eq(seen[t][h][b], 1);
}

TEST(how_many_heads_together)
{
    ck_assert_int_eq(gpu_together(16, 16, 16384, 128), 3); // 8 MiB a head, 25 MiB at most
    ck_assert_int_eq(gpu_together(32, 8, 4096, 128), 4 * 12);
    ck_assert_int_eq(gpu_together(8, 8, 1 << 20, 128), 1); // one at least
    ck_assert_int_eq(gpu_together(8, 4, 0, 64), 2 * (25 << 20) / 256);
    ck_assert_int_eq(hopper_works(129, 3, 5), 30);
}

// ---- decoding

TEST_EACH(heads_of_a_group, 6)
{
    static const int shapes[][2] = { { 1, 1 }, { 8, 8 }, { 8, 2 }, { 32, 8 }, { 32, 1 }, { 40, 2 } };
    int H = shapes[_i][0], G = shapes[_i][1], seen[40] = { 0 };
    for (int g = 0; g < G; g++)
        for (int part = 0; part < decode_parts(H, G); part++)
            for (int r = 0; r < DECODE_ROWS; r++) {
                int h = decode_head(g, part, r, H, G);
                if (h < 0) continue;
                ck_assert(h < H && gpu_key_head(h, H, G) == g);
                seen[h]++;
            }
    for (int h = 0; h < H; h++) ck_assert_int_eq(seen[h], 1);
}

TEST_EACH(splits_cover_the_keys, 35)
{
    static const int keys[] = { 0, 1, 16, 17, 1000, 4096, 2000000000 };
    static const int splits[] = { 1, 3, 4, 16, 200 };
    int S = keys[_i % 7], parts = splits[_i / 7], tiles = S / 16 + (S % 16 > 0);
    ck_assert_int_eq(decode_first_tile(0, parts, S), 0);
    ck_assert_int_eq(decode_first_tile(parts, parts, S), tiles);
    for (int s = 0; s < parts; s++) {
        int count = decode_first_tile(s + 1, parts, S) - decode_first_tile(s, parts, S);
        ck_assert(count == tiles / parts || count == tiles / parts + 1);
    }
}

TEST(how_many_splits)
{
    ck_assert_int_eq(decode_splits(1, 32, 8, 0, 132), 1);      // one block at least
    ck_assert_int_eq(decode_splits(1, 32, 8, 100, 132), 1);    // seven tiles: less than two for each warp
    ck_assert_int_eq(decode_splits(1, 32, 8, 32768, 132), 33); // 264 blocks, two on each
    ck_assert_int_eq(decode_splits(1, 32, 8, 1024, 132), 8);   // 64 tiles, two for each of 32 warps
    ck_assert_int_eq(decode_splits(16, 32, 8, 32768, 132), 1); // 128 of 132 have a block: none is split
    ck_assert_int_eq(decode_splits(4, 32, 8, 32768, 132), 4);  // the same 128, and not 16 · 32
    ck_assert_int_eq(decode_splits(18, 32, 8, 32768, 132), 1); // 432 would be more than two on each
    ck_assert_int_eq(decode_splits(2, 32, 8, 32768, 132), 8);  // the same 128, and not 33 · 16
    ck_assert_int_eq(decode_splits(64, 32, 32, 32768, 132), 1);
    ck_assert_int_eq(decode_splits(1, 32, 1, 1 << 20, 132), 66); // two parts of sixteen heads
    for (int h = 0; h < 6; h++)
        for (int s = 0; s < 5; s++) ck_assert_int_eq(decode_partial(h / 3, h % 3, s, 3, 5), h * 5 + s);
    ck_assert_int_eq(decode_scratch(2, 3, 64, 5), 2 * 3 * 5 * 65);
}
