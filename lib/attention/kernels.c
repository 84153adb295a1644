// Chapter 15. The kernels by name, in the order in which the chapters meet them.
#include "attention/kernels.h"

#include "attention/attention_product.h"
#include "attention/fast.h"
#include "attention/ladder.h"
#include "attention/online.h"
#include "attention/tiled.h"

#include <string.h>

const NamedKernel attention_kernels[] = {
    { "naive", attention_naive },
    { "product", attention_product },
    { "online", attention_online },
    { "tiled", attention_tiled },
    { "reordered", attention_reordered },
    { "plain-c", attention_plain_c },
    { "fast", attention_fast },
};
const int attention_kernels_count = sizeof attention_kernels / sizeof *attention_kernels;

AttentionKernel *attention_kernel(const char *name)
{
    for (int i = 0; i < attention_kernels_count; i++)
        if (!strcmp(name, attention_kernels[i].name)) return attention_kernels[i].run;
    return NULL;
}
