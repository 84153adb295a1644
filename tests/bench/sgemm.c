// Attention over a library's matrix product, with the fast kernel's 2ˣ: what one gets without writing a kernel.
#include "bench/sgemm.h"

#ifdef HAVE_OPENBLAS
    #include "kernels/fast_kernel.h"
    #include "base/memory.h"
    #include "bench/vectors.h"

    #include <cblas.h>
    #include <float.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>

void openblas_set_num_threads(int count); // not in every cblas.h
char *openblas_get_corename(void);
char *openblas_get_config(void); // "OpenBLAS 0.3.21 …", and how it was built

// A tile of scores, as sgemm left it, becomes weights; out is scaled where a maximum has grown. width: cols rounded up.
static void weigh_tile(Mat tile, int cols, Mat out, float *max, float *sum, int visible, bool causal, bool first)
{
    const BenchVectors *vectors = bench_vectors();
    float scale = LOG2E / sqrtf((float)out.cols);
    for (int r = 0; r < tile.rows; r++) {
        int seen = causal ? smaller(cols, visible + r < 0 ? 0 : visible + r) : cols;
        for (int c = seen; c < tile.cols; c++) *mat_ref(tile, r, c) = -INFINITY;
        float total, before = max[r];
        max[r] = vectors->weigh_row(mat_row(tile, r), tile.cols, before, scale, &total);
        float factor = exp2f((before - max[r]) * scale);
        sum[r] = sum[r] * factor + total;
        if (!first && factor != 1.0f)
            for (int c = 0; c < out.cols; c++) *mat_ref(out, r, c) *= factor;
    }
}

// Memory that is kept from call to call: to allocate and clear a large table takes longer than to fill it.
static float *room_for(size_t floats)
{
    static float *room;
    static size_t had;
    if (floats > had) {
        memory_aligned_free(room);
        room = memory_aligned(64, (floats * sizeof(float) + 63) / 64 * 64);
        had = floats;
    }
    return room;
}

static void attend(Attended to, Mat q, Mat k, Mat v, Mask mask, int queries, int keys)
{
    attention_require(to, q, k, v);
    REQUIRE(!mask.window && !mask.padding && mask.alibi == 0.0f && v.cols == q.cols,
            "a mask that peers do not know, or dv");
    openblas_set_num_threads(1);
    int T = q.rows, S = k.rows, d = q.cols, width = (smaller(keys, S) + 15) / 16 * 16;
    Mat room = { room_for((size_t)smaller(queries, T) * (size_t)(width + 2)), smaller(queries, T), width, width };
    float *max = room.at + (size_t)room.rows * (size_t)width, *sum = max + room.rows;
    for (int i = 0; i < T; i += queries) {
        int rows = smaller(queries, T - i), end = mask.causal && queries < T ? smaller(S, i + rows + S - T) : S;
        Mat out = mat_rows(to.out, i, rows);
        for (int r = 0; r < rows; r++) {
            max[r] = -FLT_MAX;
            sum[r] = 0.0f;
        }
        for (int j = 0; j < end; j += keys) {
            int cols = smaller(keys, end - j);
            Mat tile = mat_block(room, 0, rows, 0, (cols + 15) / 16 * 16);
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, cols, d, 1.0f, mat_row(q, i), q.stride,
                        mat_row(k, j), k.stride, 0.0f, tile.at, tile.stride);
            weigh_tile(tile, cols, out, max, sum, i + S - T - j + 1, mask.causal, j == 0);
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, d, cols, 1.0f, tile.at, tile.stride,
                        mat_row(v, j), v.stride, j > 0 ? 1.0f : 0.0f, out.at, out.stride);
        }
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < d; c++) *mat_ref(out, r, c) /= sum[r];
    }
}

static void naive(Attended to, Mat q, Mat k, Mat v, Mask mask) { attend(to, q, k, v, mask, q.rows, k.rows); }
static void tiles(Attended to, Mat q, Mat k, Mat v, Mask mask) { attend(to, q, k, v, mask, 256, 512); }
AttentionKernel *const sgemm_naive = naive, *const sgemm_tiles = tiles;

// The environment may name kernels for another processor, and sizes of its caches. OpenBLAS reads that as it is loaded.
void sgemm_settle(char **argv)
{
    if (!getenv("OPENBLAS_CORETYPE") && !getenv("OPENBLAS_L2_SIZE")) return;
    unsetenv("OPENBLAS_CORETYPE");
    unsetenv("OPENBLAS_L2_SIZE");
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    execvp(argv[0], argv);
}

const char *sgemm_core(void) { return openblas_get_corename(); }

const char *sgemm_version(void)
{
    static char version[64];
    const char *config = openblas_get_config();
    size_t name = strcspn(config, " "), number = strspn(config + name, " ");
    number += strcspn(config + name + number, " ");
    snprintf(version, sizeof version, "%.*s", (int)(name + number), config);
    return version;
}
#else
void sgemm_settle(char **argv) { (void)argv; }
const char *sgemm_core(void) { return NULL; }
const char *sgemm_version(void) { return NULL; }
AttentionKernel *const sgemm_naive = NULL, *const sgemm_tiles = NULL;
#endif
