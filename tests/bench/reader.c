// Streams through memory. A processor that reads one stream waits for it; of four it always has one at hand.
#include "bench/reader.h"

#include "kernels/fast.h"
#include "bench/vectors.h"

#include <string.h>

const BenchVectors *bench_vectors(void)
{
#if defined __x86_64__
    if (fast_lanes() > 4) return fast_lanes() == 16 ? &bench_vectors_16 : &bench_vectors_8;
#elif defined __aarch64__
    if (!strcmp(fast_kind(), "neon")) return &bench_vectors_neon;
#endif
    return &bench_vectors_4;
}

// Two streams or eight are not faster than four.
float read_streams(Mat m, int streams)
{
    REQUIRE(m.stride == m.cols, "a matrix " MAT_SHAPE " with a stride of %d", MAT_SHAPED(m), m.stride);
    REQUIRE(streams == 1 || streams == 4, "%d streams", streams);
    ptrdiff_t floats = (ptrdiff_t)m.rows * m.cols, part = floats / streams / LINE * LINE;
    float sum = bench_vectors()->read(m.at, part, streams);
    for (ptrdiff_t i = streams * part; i < floats; i++) sum += m.at[i];
    return sum;
}
