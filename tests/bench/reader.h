// How fast this processor reads memory: the yardstick of decoding.
#ifndef BENCH_READER_H
#define BENCH_READER_H

#include "base/mat.h"

// Reads a contiguous matrix once, as `streams` parts side by side: 1 or 4. Answers the sum, so that nothing is left
// out.
float read_streams(Mat m, int streams);

#endif
