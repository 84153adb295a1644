// Streams through memory. A processor that reads one stream waits for it; of four it always has one at hand.
#include "bench/reader.h"

#include "attention/fast.h"
#include "attention/fast_kinds.h"

// Floats: a cache line; how far ahead is asked for. Half as far or twice, two streams or eight: none of it is faster.
enum { LINE = 16, FURTHER = 24 * LINE };

#define NAME(f) PASTE(f, _plain)
#define KIND 4
#include "attention/fast_kind.h"
#include "bench/reader_body.h"
#include "attention/fast_undef.h"

#if defined __x86_64__
#define NAME(f) PASTE(f, _avx2)
#undef KIND
#define KIND 8
#include "attention/fast_kind.h"
#include "bench/reader_body.h"
#include "attention/fast_undef.h"

#define NAME(f) PASTE(f, _avx512)
#undef KIND
#define KIND 16
#include "attention/fast_kind.h"
#include "bench/reader_body.h"
#include "attention/fast_undef.h"
#endif

typedef float Read(const float *at, ptrdiff_t part, int streams);

static Read *read_here(void)
{
#if defined __x86_64__
    if (!strcmp(fast_kind(), "avx512")) return read_avx512;
    if (!strcmp(fast_kind(), "avx2")) return read_avx2;
#endif
    return read_plain;
}

float read_streams(Mat m, int streams)
{
    REQUIRE(m.stride == m.cols, "a matrix " SHAPE " with a stride of %d", SHAPED(m), m.stride);
    REQUIRE(streams == 1 || streams == 4, "%d streams", streams);
    ptrdiff_t floats = (ptrdiff_t)m.rows * m.cols, part = floats / streams / LINE * LINE;
    float sum = read_here()(m.at, part, streams);
    for (ptrdiff_t i = streams * part; i < floats; i++) sum += m.at[i];
    return sum;
}
