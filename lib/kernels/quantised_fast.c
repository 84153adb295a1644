// Chapter 19. Decoding over a quantised cache: checks, and choice of kernel.
#include "kernels/quantised_fast.h"

#include "kernels/quantised_kernel.h"
#include "kernels/fast.h"
#include "attention/grouped.h"

static DecodeKeys *kernel_in_use(void)
{
    static DecodeKeys *const versions[] = { FAST_VERSIONS(quantised_kernel) };
    return versions[fast_kind_index()];
}

static bool all_finite(Mat row)
{
    bool finite = true;
    for (int c = 0; c < row.cols; c++) finite = finite && isfinite(*mat_ref(row, 0, c));
    return finite;
}

void quantised_fast_decode(Attended to, const QuantisedCache *cache, Mat q, int H, const Mask *masks)
{
    grouped_require(to, q, (Mat){ .rows = cache->length, .cols = cache->key_width },
                    (Mat){ .rows = cache->length, .cols = cache->value_width }, H);
    int G = cache->key_width / (q.cols / H), bits = quantised_bits(cache->format.kind);
    REQUIRE(cache->key_width / G * bits % 8 == 0 && cache->value_width / G * bits % 8 == 0,
            "heads of %d and %d numbers of %d bits: whole bytes are needed", cache->key_width / G,
            cache->value_width / G, bits);
    CodedRows rows = { cache, G };
    if (q.rows != 1 || all_finite(q))
        fast_decode_parts(to, q, (DecodeRows){ &rows, cache->length, G, kernel_in_use() }, H, masks);
    else kv_segments_attend(to, q, quantised_segments(cache), H, masks, attention_fast);
}
