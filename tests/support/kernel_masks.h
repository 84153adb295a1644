// Masks for tests of attention.
#ifndef SUPPORT_KERNEL_MASKS_H
#define SUPPORT_KERNEL_MASKS_H

#include "attention/mask.h"

// Every kind of mask, with edges near those of S keys.
enum { kernel_mask_count = 38 };
void kernel_masks(Mask masks[kernel_mask_count], int S);

#endif
