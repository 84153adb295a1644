// Chapter 15. The kernels by name.
#include "kernels/kernels.h"

#include "attention/attention_product.h"
#include "kernels/bf16.h"
#include "kernels/fast.h"
#include "attention/online.h"
#include "attention/tiled.h"

#include <string.h>

const AttentionKernelNamed attention_kernels[] = {
    { "naive", attention_naive, "chapter 03: three passes over a table of all scores", .function = ATTENTION_SOFTMAX,
      .rung = true },
    { "reordered", attention_reordered, "keys on their side: the inner loops run over neighbours",
      .function = ATTENTION_SOFTMAX, .rung = true },
    { "tiled", attention_tiled, "chapter 14: no table any more, and the same slow inner loops",
      .function = ATTENTION_SOFTMAX, .rung = true },
    { "lanes", attention_lanes, "queries in the lanes of a vector; 2ˣ number by number", .function = ATTENTION_SOFTMAX,
      .rung = true },
    { "1x4", attention_1x4, "2ˣ for a whole vector", .function = ATTENTION_SOFTMAX, .rung = true },
    { "2x4", attention_2x4, "a vector that was loaded serves two keys", .function = ATTENTION_SOFTMAX, .rung = true },
    { "4x4", attention_4x4, "and four: sixteen sums stay in registers", .function = ATTENTION_SOFTMAX, .rung = true },
    { "lazy", attention_lazy, "a score becomes a weight at once; the maximum is seldom raised",
      .function = ATTENTION_SOFTMAX, .rung = true },
    { "fast", attention_fast, "tiles that the mask cuts are worked on in strips", .function = ATTENTION_SOFTMAX,
      .rung = true },
    { "packed", attention_packed, "keys and values copied to lie side by side first", .function = ATTENTION_SOFTMAX,
      .rung = true },
    { "plain-c", attention_plain_c, "no intrinsics and no vector types", .function = ATTENTION_SOFTMAX, .rung = true },

    { "bf16", attention_bf16, "the last rung: numbers of 16 bits, products of whole tiles",
      .function = ATTENTION_SOFTMAX, .rounds = true },
    { "online", attention_online, "chapter 13: key by key, with a running maximum", .function = ATTENTION_SOFTMAX },
    { "product", attention_product, "chapter 09: the model's, as products of whole matrices",
      .function = ATTENTION_SOFTMAX },
};
const int attention_kernels_count = sizeof attention_kernels / sizeof *attention_kernels;

const AttentionKernelNamed *attention_kernel(const char *name)
{
    for (int i = 0; i < attention_kernels_count; i++)
        if (!strcmp(name, attention_kernels[i].name)) return &attention_kernels[i];
    return NULL;
}

const AttentionKernelNamed *attention_rung(int n)
{
    for (int i = 0; i < attention_kernels_count; i++)
        if (attention_kernels[i].rung && n-- == 0) return &attention_kernels[i];
    return NULL;
}

bool attention_kernel_exact(const AttentionKernelNamed *kernel)
{
    return kernel->function == ATTENTION_SOFTMAX && !kernel->rounds;
}
