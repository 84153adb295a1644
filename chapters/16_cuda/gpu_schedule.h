// Chapter 16. Who does what on a GPU, in one place: index arithmetic, and hardly anything else.
//
// The kernels in chapters/16_cuda call these functions, and so does the CPU around them: what it launches and how much
// memory it asks for. Plain C that a CUDA compiler takes, too. The emulator runs the kernels themselves, so what the
// suite `cuda` shows of tiles, masks, copies, banks and fragments is shown of this arithmetic.
//
// A warp is 32 lanes that execute one instruction together. A block is some warps, mostly four, in hopper.cu twelve,
// that share a small fast memory. Tiles lie there as rows of 16-bit numbers, in chunks of eight: 16 bytes, what one
// copy moves and one row of an 8 × 8 matrix of `ldmatrix` has.
#ifndef GPU_SCHEDULE_H
#define GPU_SCHEDULE_H

#include "base/half.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
    #define HOST_DEVICE static __host__ __device__ __forceinline__
#else
    #define HOST_DEVICE static inline
#endif

enum {
    GPU_LANES = 32,
    GPU_WARPS = 4,
    GPU_THREADS = GPU_LANES * GPU_WARPS,
    GPU_CHUNK = 8,   // 16-bit numbers
    GPU_SWIZZLE = 7, // which bits of a row are mixed into its chunks; 0: none
    MMA_QUERIES = 128,
    MMA_KEYS = 64,  // a block's tiles in mma.cu
    MMA_STAGES = 2, // of keys and values: one is worked on while the next one comes
    WARP_QUERIES = MMA_QUERIES / GPU_WARPS,
    DECODE_ROWS = 16,
    DECODE_KEYS = 16, // a warp's tiles in decode.cu: query heads of one group, keys
    DECODE_STAGES = 3,
    HOPPER_GROUPS = 2, // warp groups that multiply, 64 queries each; one more copies
    HOPPER_QUERIES = 64 * HOPPER_GROUPS,
    HOPPER_KEYS = 128,
    HOPPER_STAGES = 2,
    HOPPER_THREADS = 128 * (HOPPER_GROUPS + 1),
    HOPPER_COPY_REGISTERS = 40,
    HOPPER_GROUP_REGISTERS = 232, // a thread's: of 168 each gets, some change hands
};

// A score that is hidden. Finite: the difference of two of them is 0 and no NaN.
#define GPU_HIDDEN (-1e30f)

// What is taken away from a score that is multiplied by scale: 2^(score · scale − base). A row that has seen nothing so
// far needs another one than max · scale. Score · scale is not rounded before the difference is taken, max · scale is,
// and near −10³⁰ the rounding alone is more than any exponent holds.
HOST_DEVICE float gpu_base(float max, float scale) { return max < GPU_HIDDEN / 2 ? 0.0f : max * scale; }

typedef struct {
    int row, col;
} GpuPlace;

HOST_DEVICE GpuPlace gpu_place(int row, int col)
{
    GpuPlace place = { row, col };
    return place;
}

HOST_DEVICE int gpu_smaller(int a, int b) { return a < b ? a : b; }
HOST_DEVICE int gpu_larger(int a, int b) { return a > b ? a : b; }
HOST_DEVICE int gpu_parts(int length, int size) { return (length + size - 1) / size; } // rounded up

// ---- what is computed: one signature for all kernels

// In numbers; the channels of a row lie side by side. What copies chunks wants multiples of GPU_CHUNK.
typedef struct {
    int64_t batch, head, row;
} GpuStrides;

// q (B, T, H, d)  k, v (B, S, G, d)  →  out (B, T, H, d), as the strides say. Causal is aligned bottom-right.
typedef struct {
    const uint16_t *q, *k, *v;
    uint16_t *out;
    float *lse;     // (B, H, T), natural; −INFINITY where nothing is seen
    float *scratch; // for the kernels that need some
    GpuStrides q_step, kv_step, out_step;
    int B, H, G, T, S, d;
    bool causal;
    HalfKind kind; // of q, k, v and out
    float scale;   // 1 / √d
} GpuProblem;

HOST_DEVICE int64_t gpu_offset(GpuStrides step, int b, int h, int row)
{
    return b * step.batch + h * step.head + row * step.row;
}

// Query head h reads this key head.
HOST_DEVICE int gpu_key_head(int h, int H, int G) { return h / (H / G); }

// ---- fragments: which lane holds what, as the hardware has it [PTX ISA, "Matrix Fragments for mma.m16n8k16"]

// mma.m16n8k16: C (16, 8) += A (16, 16) B (16, 8). A lane holds four registers of A, two of B, with two 16-bit numbers
// each, `half` 0 the lower one; and four float32 numbers of C.
HOST_DEVICE GpuPlace mma_a(int lane, int reg, int half)
{
    return gpu_place(lane / 4 + 8 * (reg & 1), lane % 4 * 2 + half + 8 * (reg >> 1));
}

HOST_DEVICE GpuPlace mma_b(int lane, int reg, int half) { return gpu_place(lane % 4 * 2 + half + 8 * reg, lane / 4); }

HOST_DEVICE GpuPlace mma_c(int lane, int reg) { return gpu_place(lane / 4 + 8 * (reg >> 1), lane % 4 * 2 + (reg & 1)); }

// ldmatrix.x4 loads four 8 × 8 matrices. Lane i says where row i % 8 of matrix i / 8 begins; afterwards register m of a
// lane holds this row and these two columns of matrix m; with .trans, of its transpose.
HOST_DEVICE GpuPlace ldmatrix_place(int lane, int half) { return gpu_place(lane / 4, lane % 4 * 2 + half); }

// ---- fragments: how the kernels fill them

// What lane i says to ldmatrix.x4: a row and a chunk of a 16 × 16 block. So registers 0 … 3 are those of A.
HOST_DEVICE GpuPlace gpu_rows_of_a(int lane) { return gpu_place(lane % 16, lane / 16); }

// For B out of 16 rows of keys: registers 0, 1 belong to keys 0 … 7, registers 2, 3 to keys 8 … 15.
HOST_DEVICE GpuPlace gpu_rows_of_keys(int lane) { return gpu_place(lane % 8 + lane / 16 * 8, lane / 8 % 2); }

// For B out of 16 rows of values, with .trans: registers 0, 1 belong to channels 0 … 7, registers 2, 3 to 8 … 15.
HOST_DEVICE GpuPlace gpu_rows_of_values(int lane) { return gpu_place(lane % 16, lane / 16); }

// Weights are an A where scores were a C: register `reg`, half `half` of A is register .col of the one of two score
// fragments that .row says. It is the same lane's own, so nothing has to be moved.
HOST_DEVICE GpuPlace gpu_weight_from(int reg, int half) { return gpu_place(reg >> 1, (reg & 1) * 2 + half); }

// ---- a tile in shared memory

// Where chunk `chunk` of row `row` begins. Rows have d numbers, so without the swizzle the same chunk of every row
// would lie in the same four of the 32 banks.
HOST_DEVICE int gpu_at(int row, int chunk, int d, int swizzle)
{
    return row * d + (chunk ^ (row & swizzle)) * GPU_CHUNK;
}

// From the first or second chunk of a row to the one that lies `chunks` further on, an even number: a bit is only
// turned, not carried. Places count from a multiple of d, in numbers or, when `chunk` is 16, in bytes.
HOST_DEVICE uint32_t gpu_further(uint32_t at, int chunks, int chunk) { return at ^ (uint32_t)(chunks * chunk); }

// A tile of `rows` rows is copied in gpu_copies steps; in each, thread t takes this row and chunk.
HOST_DEVICE int gpu_copies(int rows, int d, int threads) { return rows * (d / GPU_CHUNK) / threads; }

HOST_DEVICE GpuPlace gpu_copy(int thread, int step, int threads, int d)
{
    int n = step * threads + thread, chunks = d / GPU_CHUNK;
    return gpu_place(n / chunks, n % chunks);
}

// Each step copies so many rows, a power of two. From where a thread's first chunk lands (gpu_at, counted as there) the
// one of a later step is this: further down, and swizzled by those of the three last bits of the row that have changed.
HOST_DEVICE int gpu_rows_of_step(int threads, int d) { return threads / (d / GPU_CHUNK); }

HOST_DEVICE int gpu_later(int at, int step, int threads, int d)
{
    int down = step * gpu_rows_of_step(threads, d);
    return (at ^ (down & GPU_SWIZZLE) * GPU_CHUNK) + down * d;
}

// Of a ring of buffers, the one of tile n.
HOST_DEVICE int gpu_stage(int n, int stages) { return n % stages; }

// Shared memory begins with the queries; behind them come keys and values of each buffer of the ring. In numbers, and
// all of it in bytes: of a block in mma.cu, of a warp in decode.cu.
HOST_DEVICE int mma_keys_at(int stage, int d) { return (MMA_QUERIES + 2 * stage * MMA_KEYS) * d; }
HOST_DEVICE int mma_values_at(int stage, int d) { return (MMA_QUERIES + (2 * stage + 1) * MMA_KEYS) * d; }
HOST_DEVICE int mma_shared(int d) { return 2 * mma_keys_at(MMA_STAGES, d); }

HOST_DEVICE int decode_keys_at(int stage, int d) { return (DECODE_ROWS + 2 * stage * DECODE_KEYS) * d; }
HOST_DEVICE int decode_values_at(int stage, int d) { return (DECODE_ROWS + (2 * stage + 1) * DECODE_KEYS) * d; }
HOST_DEVICE int decode_shared_of_warp(int d) { return 2 * decode_keys_at(DECODE_STAGES, d); }
HOST_DEVICE int decode_shared(int d) { return GPU_WARPS * decode_shared_of_warp(d); }

// ---- which tiles

// Query i sees keys 0 … this − 1.
HOST_DEVICE int gpu_keys_seen(int i, int T, int S, bool causal)
{
    return causal ? gpu_larger(0, gpu_smaller(S, i + S - T + 1)) : S;
}

// Queries first … first + count − 1, as far as there are so many, see something of key tiles 0 … this − 1.
HOST_DEVICE int gpu_tiles_seen(int first, int count, int keys, int T, int S, bool causal)
{
    int last = gpu_smaller(first + count, T) - 1;
    return last < first ? 0 : gpu_parts(gpu_keys_seen(last, T, S, causal), keys);
}

// Is some key of this tile hidden from, or missing for, one of the queries from `first` on? The first one sees least.
HOST_DEVICE bool gpu_tile_is_cut(int tile, int first, int keys, int T, int S, bool causal)
{
    return (tile + 1) * keys > gpu_keys_seen(first, T, S, causal);
}

// Of how many heads together keys and values fit into half of a cache of 50 MB.
HOST_DEVICE int gpu_together(int H, int G, int S, int d)
{
    return H / G * gpu_larger(1, (25 << 20) / (4 * d * gpu_larger(1, S)));
}

// What block n works on. Blocks start about in the order of their numbers. With a causal mask late tiles of queries see
// most keys, and take longest: they come first, so that short ones fill the gaps at the end. Without it all are equally
// long, and the tiles of a head stay together: they read the same keys. `together` heads share the order of a mask; the
// next heads come when all their tiles are done.
typedef struct {
    int tile, head, batch;
} GpuWork;

HOST_DEVICE GpuWork gpu_work_by(int n, int tiles, int H, int B, bool causal, int together)
{
    int section = n / (tiles * together), first = section * together, count = gpu_smaller(together, H * B - first);
    int in = n - first * tiles, bh = causal ? first + in % count : n / tiles;
    GpuWork work = { causal ? tiles - 1 - in / count : n % tiles, bh % H, bh / H };
    return work;
}

HOST_DEVICE GpuWork gpu_work(int n, int tiles, int H, int B, bool causal)
{
    return gpu_work_by(n, tiles, H, B, causal, H * B);
}

// ---- Hopper: tiles as its tensor cores and its copy engine want them, in bytes

// Shared memory: keys and values of each stage, queries twice, outputs, barriers, two pieces of work. 1,024 bytes
// more: it starts at a multiple.
enum { HOPPER_BARRIERS = 2 + 2 * HOPPER_STAGES }; // that something has come; as many that its place is free
HOST_DEVICE int hopper_keys_at(int stage, int d) { return 4 * stage * HOPPER_KEYS * d; }
HOST_DEVICE int hopper_values_at(int stage, int d) { return (4 * stage + 2) * HOPPER_KEYS * d; }
HOST_DEVICE int hopper_queries_at(int n, int d)
{
    return hopper_keys_at(HOPPER_STAGES, d) + 2 * n * HOPPER_QUERIES * d;
}
HOST_DEVICE int hopper_out_at(int d) { return hopper_queries_at(2, d); }
HOST_DEVICE int hopper_barriers_at(int d) { return hopper_queries_at(3, d); }
HOST_DEVICE int hopper_work_at(int n, int d) { return hopper_barriers_at(d) + 16 * (HOPPER_BARRIERS + n); }
HOST_DEVICE int hopper_shared(int d) { return 1024 + hopper_work_at(2, d); }

// Pieces of work: 128 queries of a head.
HOST_DEVICE int hopper_works(int T, int H, int B) { return gpu_parts(T, HOPPER_QUERIES) * H * B; }

// A pair of outputs: row, and channel of d in panels of 64. Chunks of 16 bytes are swizzled as in all tiles here.
HOST_DEVICE int hopper_out(int row, int channel)
{
    int chunk = channel % 64 / GPU_CHUNK;
    return channel / 64 * HOPPER_QUERIES * 128 + row * 128 + (chunk ^ (row & 7)) * 16 + channel % GPU_CHUNK * 2;
}

// Where a matrix lies, as wgmma is told: where it begins; two steps, for what follows to the side and below; that it is
// swizzled over 128 bytes. All but the last in sixteens of bytes.    [PTX ISA, "Matrix Descriptor Format"]
HOST_DEVICE uint64_t hopper_matrix(uint32_t at, uint32_t side, uint32_t below)
{
    const uint64_t steps = (uint64_t)(side >> 4) << 16 | (uint64_t)(below >> 4) << 32;
    return (uint64_t)(at >> 4 & 0x3FFF) | steps | (uint64_t)1 << 62;
}

// Rows of queries or keys: 16 channels side by side, eights of rows 1,024 bytes apart.
HOST_DEVICE uint64_t hopper_rows(uint32_t at) { return hopper_matrix(at, 16, 1024); }

// Columns of values: the next 64 channels lie in the next panel, the next eight keys 1,024 bytes on.
HOST_DEVICE uint64_t hopper_columns(uint32_t at) { return hopper_matrix(at, 128 * HOPPER_KEYS, 1024); }

// ---- decoding: one query a head, the keys split

// The query heads of group g are the rows of a tile: row r of part p is this one; −1: there are no more.
HOST_DEVICE int decode_head(int g, int part, int r, int H, int G)
{
    int in_group = part * DECODE_ROWS + r;
    return in_group < H / G ? g * (H / G) + in_group : -1;
}

HOST_DEVICE int decode_parts(int H, int G) { return gpu_parts(H / G, DECODE_ROWS); }

// Share number `share` of `shares` has key tiles from this one on, up to the first of the next share.
HOST_DEVICE int decode_first_tile(int share, int shares, int S)
{
    return (int)((int64_t)gpu_parts(S, DECODE_KEYS) * share / shares);
}

// Into how many splits, each for one block, the keys of a group of heads go: as few as leave hardly a multiprocessor
// without work at the end, with two blocks for each at most; but two tiles a warp at least. More are slower (chapter
// 16, step 13), and splits must be merged.
HOST_DEVICE int decode_splits(int B, int H, int G, int S, int multiprocessors)
{
    int groups = B * G * decode_parts(H, G), best = 1;
    int most = gpu_larger(1, gpu_smaller(2 * multiprocessors / groups, gpu_parts(S, DECODE_KEYS) / (2 * GPU_WARPS)));
    double filled = 0;
    for (int n = 1; n <= most; n++) {
        double waves = gpu_parts(n * groups, multiprocessors), of_them = n * groups / (waves * multiprocessors);
        if (of_them < filled + 0.02) continue; // more splits are more to merge
        filled = of_them;
        best = n;
    }
    return best;
}

// Where split `split` of a head puts its output (d numbers) and, behind all outputs, its logsumexp in powers of two.
HOST_DEVICE int64_t decode_partial(int b, int h, int split, int H, int splits)
{
    return ((int64_t)b * H + h) * splits + split;
}

HOST_DEVICE int64_t decode_scratch(int B, int H, int d, int splits) { return (int64_t)B * H * splits * (d + 1); }

#endif
