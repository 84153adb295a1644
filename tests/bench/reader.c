// Streams through memory. A processor that reads one stream waits for it; of four it always has one at hand.
#include "bench/reader.h"

#include "kernels/fast.h"
#include "bench/vectors.h"

const BenchVectors *bench_vectors(void)
{
    static const BenchVectors *const versions[] = { FAST_VERSIONS(&bench_vectors) };
    return versions[fast_kind_index()];
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
