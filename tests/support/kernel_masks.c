// One mask of every kind.
#include "support/kernel_masks.h"

void kernel_masks(Mask masks[kernel_mask_count], int S)
{
    // clang-format off
    const Mask all[kernel_mask_count] = {
        { 0 }, { .causal = true }, { .padding = 1 }, { .padding = S / 2 }, { .padding = S }, { .padding = S + 2 },
        { .causal = true, .padding = S / 2 }, { .window = 1 }, { .window = 4 }, { .window = S + 1 },
        { .causal = true, .window = 1 }, { .causal = true, .window = 5 }, { .causal = true, .window = S + 1 },
        { .causal = true, .window = 6, .padding = 3 }, { .sinks = 2 }, { .window = 3, .sinks = 2 },
        { .causal = true, .window = 3, .sinks = 2 }, { .causal = true, .window = 2, .sinks = S + 1 },
        { .alibi = 0.25f }, { .causal = true, .alibi = 0.5f }, { .causal = true, .window = 4, .alibi = 1.0f },
        { .window = 3, .sinks = 1, .padding = 2, .alibi = 0.125f },
        { .causal = true, .window = 3, .sinks = 1, .padding = 1, .alibi = 0.125f }, { .scale = 0.0625f },
        { .causal = true, .padding = 1, .alibi = 0.5f, .scale = 0.125f }, { .causal = true, .shift = 2 },
        { .causal = true, .shift = -3 }, { .causal = true, .shift = -S - 2 },
        { .window = 4, .shift = -5, .alibi = 0.25f }, { .causal = true, .window = 5, .sinks = 2, .shift = 3 },
        { .causal = true, .window = 4, .shift = S + 1 },
        { .window = 3, .sinks = 6, .padding = 1, .shift = -2, .scale = 0.125f }, { .window = 3, .globals = 2 },
        { .causal = true, .window = 3, .globals = 2 }, { .causal = true, .window = 2, .globals = S + 1, .sinks = 1 },
        { .window = 2, .globals = 17, .padding = 2, .alibi = 0.125f },
        { .causal = true, .window = 4, .sinks = 5, .globals = 3, .shift = -1 },
        { .window = 2, .globals = 6, .before = 4, .shift = 3 },
    };
    // clang-format on
    for (int m = 0; m < kernel_mask_count; m++) masks[m] = all[m];
}
