// Products with a matrix that stays as stored (weight_view.c). One block at a time is converted to float32 and
// multiplied while it is in the cache.
#include "kernels/weight.h"

#include "kernels/bf16.h"
#include "kernels/fast.h"
#include "attention/product.h"
#include "base/threads.h"
#include "kernels/weight_kernel.h"

#include <string.h>

// ---- products

enum { PANEL = 64, WORTH = 1 << 17 }; // outputs at a time; multiply-adds that repay a second thread

typedef struct {
    Mat out, x;
    Weight w;
} Product;

static void apply_panel(int n, void *context)
{
    const Product *p = context;
    int first = n * PANEL, count = p->w.out - first < PANEL ? p->w.out - first : PANEL;
    Arena *scratch = arena_open();
    float *room = arena_room(scratch, (size_t)p->w.in * (size_t)count * sizeof *room);
    Mat panel = { room, p->w.in, count, count };
    weight_part(panel, p->w, 0, first);
    product_add(mat_cols(p->out, first, count), p->x, panel);
    arena_close(scratch);
}

static void apply_plain(Mat out, Mat x, Weight w)
{
    Product p = { out, x, w };
    int panels = (w.out + PANEL - 1) / PANEL;
    bool alone = (int64_t)x.rows * w.in * w.out < WORTH;
    if (!alone) threads_parallel_for(panels, apply_panel, &p);
    else
        for (int n = 0; n < panels; n++) apply_panel(n, &p);
}

// ---- the vectorised version

const WeightKernel *weight_kernel(void)
{
    static const WeightKernel *const versions[] = { FAST_VERSIONS(&weight_kernel) };
    return versions[fast_kind_index()];
}

// Threads share the outputs and, if these are few, the rows; no sum is split, so results do not depend on their number.
typedef struct {
    Mat out, x;
    Weight w;
    const WeightKernel *kernel;
    Terms terms;
    int width, parts, rows;
} Fast;

static void fast_panel(int n, void *context)
{
    const Fast *f = context;
    int first = n % f->parts * f->width, count = f->w.out - first < f->width ? f->w.out - first : f->width;
    int row = n / f->parts * f->rows, rows = f->x.rows - row < f->rows ? f->x.rows - row : f->rows;
    Arena *scratch = arena_open();
    f->kernel->panel(mat_block(f->out, row, rows, first, count), mat_rows(f->x, row, rows), f->w, first, count,
                     arena_room(scratch, f->kernel->room * sizeof(float)), f->terms);
    arena_close(scratch);
}

static void fast_part(int n, void *context)
{
    const Fast *f = context;
    int first = n * f->width, count = f->w.out - first < f->width ? f->w.out - first : f->width;
    f->kernel->in_place(mat_cols(f->out, first, count), f->x, f->w, first, count);
}

enum { STRIP = 96 }; // rows of x that a thread takes at a time

// bf16 pairs where the processor has the instruction, else the same sums in float32. Few rows use the weights in place.
static Terms terms_of(Weight w, bool in_place)
{
    if (in_place) return TERMS_FLOATS;
    bool has_pairs = fast_lanes() == 16 && strcmp(bf16_kind(), "emulated") != 0;
    return has_pairs && w.in % 2 == 0 && (weight_by_rows(w) || !w.run) ? TERMS_PAIRS : TERMS_TURNED;
}

static Mat rounded(Arena *arena, const WeightKernel *kernel, Mat x, Terms terms)
{
    int cols = terms == TERMS_PAIRS ? x.cols / 2 : terms == TERMS_TURNED ? x.cols + x.cols % 2 : x.cols;
    Mat to = { arena_room(arena, (size_t)x.rows * (size_t)cols * sizeof(float) + 1), x.rows, cols, cols };
    kernel->round(to, x, terms);
    return to;
}

static void apply_fast(Mat out, Mat x, Weight w, bool rounds)
{
    bool in_place = x.rows <= WEIGHT_FEW && (weight_by_rows(w) || !w.run);
    bool alone = (int64_t)x.rows * w.in * w.out < WORTH;
    int threads = alone ? 1 : threads_count();
    Fast f = { .out = out, .x = x, .w = w, .kernel = weight_kernel(), .terms = TERMS_FLOATS, .rows = x.rows };
    Arena *scratch = arena_open();
    if (rounds) {
        f.terms = terms_of(w, in_place);
        f.x = rounded(scratch, f.kernel, x, f.terms);
    }
    f.width = f.kernel->width;
    if (in_place) { // some whole panels per thread
        int panels = (w.out + f.width - 1) / f.width, per_thread = (panels + threads - 1) / threads;
        f.width *= per_thread;
    }
    f.parts = (w.out + f.width - 1) / f.width;
    if (!in_place && f.parts < 4 * threads && x.rows > STRIP) f.rows = STRIP;
    int parts = in_place ? f.parts : f.parts * ((x.rows + f.rows - 1) / f.rows);
    void (*body)(int, void *) = in_place ? fast_part : fast_panel;
    if (!alone) threads_parallel_for(parts, body, &f);
    else
        for (int n = 0; n < parts; n++) body(n, &f);
    arena_close(scratch);
}

// The vector kernels read numbers in the machine's byte order and do not support float64.
static bool has_fast(Weight w)
{
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return w.stored != DTYPE_F64;
#else
    (void)w;
    return false;
#endif
}

void weight_apply(Mat out, Mat x, Weight w, WeightSums sums)
{
    REQUIRE(w.at && x.cols == w.in && out.rows == x.rows && out.cols == w.out,
            "out is " MAT_SHAPE ", x is " MAT_SHAPE ", the weight (%d, %d)", MAT_SHAPED(out), MAT_SHAPED(x), w.in,
            w.out);
    if (sums == WEIGHT_PLAIN || !has_fast(w)) apply_plain(out, x, w);
    else apply_fast(out, x, w, sums == WEIGHT_ROUNDED && w.stored == DTYPE_BF16);
}
