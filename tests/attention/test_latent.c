// Tests of lib/attention/latent.c: both forms against float64, however the tokens come, under every mask.
#include "attention/latent.h"

#include "base/portable_math.h"
#include "kernels/fast.h"
#include "attention/grouped.h"
#include "attention/online.h"
#include "attention/tiled.h"
#include "base/cost.h"
#include "support/kernel.h"
#include "support/random_inputs.h"
#include "support/suite.h"

static AttentionKernel *const inside[] = { attention_naive, attention_online, attention_tiled, attention_fast };
enum { INSIDE = sizeof inside / sizeof *inside, H_MOST = 6 };

// H, G, c, d, dr, dv
typedef struct {
    int H, G, c, d, dr, dv;
} Sizes;
static const Sizes sizes[] = {
    { 1, 1, 3, 2, 2, 2 }, { 4, 4, 6, 3, 2, 5 }, { 4, 4, 5, 4, 0, 4 }, { 6, 2, 7, 3, 4, 2 }, { 6, 1, 2, 4, 2, 3 },
};
enum { SIZES = sizeof sizes / sizeof *sizes };

// A sequence of n tokens, as it comes to the cache. Weights are small enough that scores are of usual size.
typedef struct {
    Sizes s;
    int n;
    Mat q, rows;
    LatentHeads w;
    Mask masks[H_MOST];
} Sequence;

static Mat scaled(Mat m, float by)
{
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) *mat_ref(m, i, c) *= by;
    return m;
}

static Sequence some_sequence(Sizes s, int n, Mask mask, bool alibi)
{
    float small = 1.0f / sqrtf((float)s.c);
    Sequence a = { s,
                   n,
                   framed_random(n, s.H * (s.d + s.dr)),
                   framed_random(n, s.c + s.dr),
                   { scaled(framed_random(s.c, s.G * s.d), small), scaled(framed_random(s.c, s.G * s.dv), small), s.H,
                     s.dr },
                   .masks = { { 0 } } };
    grouped_masks(a.masks, s.H, mask, alibi);
    return a;
}

// Keys and values of one head in float64, by the definition; then attention of queries first … first + count − 1 of n.
static Reference expected(const Sequence *a, int h, int first, int count)
{
    Sizes s = a->s;
    int g = h / (s.H / s.G), seen = first + count, width = s.d + s.dr;
    Table rows = table_of(arena, mat_rows(a->rows, 0, seen)), l = table_cols(arena, rows, 0, s.c);
    Table own = reference_matmul(arena, l, table_of(arena, mat_cols(a->w.wuk, g * s.d, s.d)));
    Table v = reference_matmul(arena, l, table_of(arena, mat_cols(a->w.wuv, g * s.dv, s.dv)));
    Table k = table_new(arena, seen, width);
    for (int j = 0; j < seen; j++)
        for (int c = 0; c < width; c++)
            k.at[j * width + c] = c < s.d ? own.at[j * s.d + c] : rows.at[j * rows.cols + s.c + c - s.d];
    Mat q = mat_cols(mat_rows(a->q, first, count), h * width, width);
    return reference_attention(arena, table_of(arena, q), k, v, a->masks[h]);
}

static void assert_heads(const Sequence *a, Attended got, int first, int count)
{
    for (int h = 0; h < a->s.H; h++) {
        Reference want = expected(a, h, first, count);
        assert_close(mat_cols(got.out, h * a->s.dv, a->s.dv), want.out.at, 1e-5, 4e-6);
        assert_close(mat_cols(got.lse, h, 1), want.lse.at, 1e-5, 4e-6);
        assert_close(mat_rows(got.weights, h * count, count), want.weights.at, 1e-5, 4e-6);
    }
}

static Attended room(const Sequence *a, int count, int seen)
{
    return (Attended){ framed_mat(arena, count, a->s.H * a->s.dv, NAN).view, framed_mat(arena, count, a->s.H, NAN).view,
                       framed_mat(arena, a->s.H * count, seen, NAN).view };
}

typedef void Form(Attended to, LatentCache *cache, Mat q, Mat rows, LatentHeads w, const Mask *masks,
                  AttentionKernel *kernel);

// Fed in chunks of random sizes, some of them empty; every chunk's results are right, and what is kept is what came.
static void assert_form(const Sequence *a, Form *form, AttentionKernel *kernel)
{
    LatentCache cache = latent_cache_new(arena, a->n + 2, a->s.c, a->s.dr);
    for (int first = 0; first < a->n;) {
        int count = random_below(&random_state, a->n - first + 1);
        Attended to = room(a, count, first + count);
        form(to, &cache, mat_rows(a->q, first, count), mat_rows(a->rows, first, count), a->w, a->masks, kernel);
        first += count;
        ck_assert_int_eq(cache.length, first);
        ck_assert_int_eq(latent_cache_bytes(cache), 4 * first * (a->s.c + a->s.dr));
        assert_heads(a, to, first - count, count);
    }
    KvSegment filled = latent_cache_filled(cache);
    assert_same(filled.k, a->rows);
    assert_same(filled.v, mat_cols(a->rows, 0, a->s.c));
    ck_assert(filled.v.at == filled.k.at && filled.v.stride == filled.k.stride);
}

TEST_EACH(both_forms, SIZES *INSIDE)
{
    Mask masks[kernel_mask_count];
    kernel_masks(masks, 9);
    for (int m = 0; m < kernel_mask_count; m++) {
        if (masks[m].padding) continue; // the newest keys: an earlier chunk would have seen them
        ArenaMark mark = arena_mark(arena);
        Sequence a = some_sequence(sizes[_i / INSIDE], 1 + random_below(&random_state, 9), masks[m], m % 3 == 0);
        case_is("sizes %d, kernel %d, mask %d", _i / INSIDE, _i % INSIDE, m);
        assert_form(&a, latent_attend, inside[_i % INSIDE]);
        assert_form(&a, latent_attend_expanded, inside[_i % INSIDE]);
        arena_release(arena, mark);
    }
}

// Projections: plain products, and the last dr columns of each head and of the row turned by their position.
TEST_EACH(projections, 2)
{
    enum { T = 5, D = 6, H = 3, C = 4, W = 2 };
    int dr = _i ? 4 : 0, width = W + dr;
    Mat x = framed_random(T, D), wq = framed_random(D, H * width), wdown = framed_random(D, C + dr);
    Mat q = framed_mat(arena, T, H * width, NAN).view, rows = framed_mat(arena, T, C + dr, NAN).view;
    latent_project(q, rows, x, wq, wdown, H, dr, rope_table(arena, 7, T, dr ? dr : 2));
    Table want_q = reference_matmul(arena, table_of(arena, x), table_of(arena, wq));
    Table want_rows = reference_matmul(arena, table_of(arena, x), table_of(arena, wdown));
    for (int i = 0; i < T; i++)
        for (int part = 0; part <= H; part++)
            for (int m = 0; m < dr / 2; m++) {
                double *at = want_rows.at + i * (C + dr) + C;
                if (part < H) at = want_q.at + i * want_q.cols + part * width + W;
                double angle = (7 + i) / pow(10000.0, 2.0 * m / dr), a = at[2 * m], b = at[2 * m + 1];
                at[2 * m] = a * cos(angle) - b * sin(angle);
                at[2 * m + 1] = a * sin(angle) + b * cos(angle);
            }
    assert_close(q, want_q.at, 1e-5, 4e-6);
    assert_close(rows, want_rows.at, 1e-5, 4e-6);
}

// Multiplications of both forms, as the header says.
TEST(work_is_counted)
{
    Sizes s = { 6, 2, 7, 3, 4, 2 };
    int n = 9, T = 4;
    Sequence a = some_sequence(s, n, (Mask){ 0 }, false);
    for (int expanded = 0; expanded < 2; expanded++) {
        LatentCache cache = latent_cache_new(arena, n, s.c, s.dr);
        latent_cache_append(&cache, mat_rows(a.rows, 0, n - T));
        Attended to = { .out = mat_new(arena, T, s.H * s.dv) };
        Cost start = cost_counted;
        (expanded ? latent_attend_expanded : latent_attend)(to, &cache, mat_rows(a.q, n - T, T),
                                                            mat_rows(a.rows, n - T, T), a.w, a.masks, attention_naive);
        int64_t want = expanded ? n * s.c * s.G * (s.d + s.dv) + T * n * s.H * (s.d + s.dr + s.dv)
                                : T * s.H * s.c * (s.d + s.dv) + T * n * s.H * (2 * s.c + s.dr);
        ck_assert_int_eq(cost_since(start).multiplies, want);
    }
}

// A store over a basis that loses nothing is chapter 11's cache; over fewer columns it keeps what they say of z.
TEST_EACH(store, 2)
{
    enum { N = 8, H = 4, G = 2, D = 3, WIDTH = 2 * G * D };
    Mat basis = mat_new(arena, WIDTH, WIDTH);
    for (int i = 0; i < WIDTH; i++) *mat_ref(basis, i, (i * 5 + 3) % WIDTH) = i % 2 ? 1.0f : -1.0f;
    Mat q = framed_random(N, H * D), k = framed_random(N, G * D), v = framed_random(N, G * D);
    Mask masks[H] = { { 0 } };
    for (int h = 0; h < H; h++) masks[h].causal = true;
    LatentStore latent = latent_store_new(arena, N, basis, G * D);
    latent.expanded = _i;
    KvCache plain = kv_cache_new(arena, N, G * D, G * D);
    KvStore stores[2] = { latent_store(&latent), kv_cache_store(&plain) };
    Mat out[2] = { mat_new(arena, N, H * D), mat_new(arena, N, H * D) };
    for (int first = 0; first < N; first += 2)
        for (int s = 0; s < 2; s++) {
            stores[s].attend((Attended){ .out = mat_rows(out[s], first, 2) }, stores[s].cache, mat_rows(q, first, 2),
                             mat_rows(k, first, 2), mat_rows(v, first, 2), H, masks, attention_naive);
            ck_assert_int_eq(stores[s].length(stores[s].cache), first + 2);
            ck_assert_int_eq(stores[s].bytes(stores[s].cache), 4 * WIDTH * (first + 2));
        }
    Table want = table_of(arena, out[1]);
    assert_close(out[0], want.at, 1e-5, 2e-6);

    // The queries stand at the last keys, when no new ones come: a layer that shares them.
    Mat again = mat_new(arena, 2, H * D), nothing = mat_rows(k, 0, 0);
    stores[0].attend((Attended){ .out = again }, stores[0].cache, mat_rows(q, N - 2, 2), nothing, nothing, H, masks,
                     attention_naive);
    assert_same(again, mat_rows(out[0], N - 2, 2));
}

TEST_ABORTS(mistakes, 6)
{
    quiet();
    Sequence a = some_sequence((Sizes){ 4, 4, 6, 3, 2, 5 }, 4, (Mask){ 0 }, false);
    LatentCache cache = latent_cache_new(arena, _i == 0 ? 3 : 4, 6, 2);
    Attended to = { .out = mat_new(arena, 4, 4 * (_i == 1 ? 4 : 5)) };
    if (_i == 2) a.rows = mat_cols(a.rows, 0, 7);
    if (_i == 3) a.w.dr = 3;
    if (_i == 4) a.w.wuv = mat_cols(a.w.wuv, 0, 15);
    if (_i == 5) a.q = mat_rows(a.q, 0, 3);
    latent_attend(to, &cache, a.q, a.rows, a.w, a.masks, attention_naive);
}
