// Chapter 16, step 9: mma.cu without the swizzle. For the emulator.
#include "kernels.h"

#define GPU_SWIZZLE 0
#define gpu_mma gpu_mma_plain
#include "mma.cu"
