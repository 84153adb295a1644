// How fast this processor reads memory: the yardstick of decoding.
#ifndef BENCH_READER_H
#define BENCH_READER_H

#include "base/mat.h"

// Reads a contiguous matrix once, as four streams side by side. Answers the sum, so that nothing is left out.
float read_four_streams(Mat m);

#endif
