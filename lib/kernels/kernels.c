// Chapter 15. The kernels by name.
#include "kernels/kernels.h"

#include "attention/attention_product.h"
#include "kernels/bf16.h"
#include "kernels/fast.h"
#include "attention/online.h"
#include "attention/tiled.h"

#include <string.h>

enum { OTHERS = 3 };
const AttentionKernelNamed attention_kernels[] = {
    { "naive", attention_naive, "chapter 03: three passes over a table of all scores", false },
    { "reordered", attention_reordered, "keys on their side: the inner loops run over neighbours", false },
    { "tiled", attention_tiled, "chapter 14: no table any more, and the same slow inner loops", false },
    { "lanes", attention_lanes, "queries in the lanes of a vector; 2ˣ number by number", false },
    { "1x4", attention_1x4, "2ˣ for a whole vector", false },
    { "2x4", attention_2x4, "a vector that was loaded serves two keys", false },
    { "4x4", attention_4x4, "and four: sixteen sums stay in registers", false },
    { "lazy", attention_lazy, "a score becomes a weight at once; the maximum is seldom raised", false },
    { "fast", attention_fast, "tiles that the mask cuts are worked on in strips", false },
    { "packed", attention_packed, "keys and values copied to lie side by side first", false },
    { "plain-c", attention_plain_c, "no intrinsics and no vector types", false },

    { "bf16", attention_bf16, "the last rung: numbers of 16 bits, products of whole tiles", true },
    { "online", attention_online, "chapter 13: key by key, with a running maximum", false },
    { "product", attention_product, "chapter 09: the model's, as products of whole matrices", false },
};
const int attention_kernels_count = sizeof attention_kernels / sizeof *attention_kernels;
const int attention_rungs_count = sizeof attention_kernels / sizeof *attention_kernels - OTHERS;

const AttentionKernelNamed *attention_kernel(const char *name)
{
    for (int i = 0; i < attention_kernels_count; i++)
        if (!strcmp(name, attention_kernels[i].name)) return &attention_kernels[i];
    return NULL;
}
