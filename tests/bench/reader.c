// Four streams through memory. A processor that reads one stream waits for it; of four it always has one at hand.
#include "bench/reader.h"

enum { STREAMS = 4, LINE = 16, AHEAD = 16 * LINE };  // floats: a cache line; how far ahead is asked for

typedef float Line __attribute__((vector_size(4 * LINE), aligned(4), may_alias));

float read_four_streams(Mat m)
{
    ptrdiff_t floats = (ptrdiff_t)m.rows * m.cols, part = floats / STREAMS / LINE * LINE;
    REQUIRE(m.stride == m.cols, "a matrix " SHAPE " with a stride of %d", SHAPED(m), m.stride);
    Line sums[STREAMS] = { { 0 } };
    for (ptrdiff_t i = 0; i < part; i += LINE)
        for (int s = 0; s < STREAMS; s++) {
            const float *at = m.at + s * part + i;
            __builtin_prefetch(at + (i + AHEAD < part ? AHEAD : 0));
            sums[s] += *(const Line *)at;
        }
    float sum = 0.0f;
    for (int s = 0; s < STREAMS; s++)
        for (int i = 0; i < LINE; i++) sum += sums[s][i];
    for (ptrdiff_t i = STREAMS * part; i < floats; i++) sum += m.at[i];
    return sum;
}
