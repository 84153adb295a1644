// Tests of chapters/16_cuda/gpu_schedule.h: each function against its definition, over every lane and many shapes.
#include "chapters/16_cuda/gpu_schedule.h"

#include "base/arena.h"
#include "support/reference.h"
#include "support/suite.h"

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
