// Chapter 09. The sizes of a transformer, and which keys its layers see.
#ifndef MODEL_CONFIG_H
#define MODEL_CONFIG_H

#include "attention/mask.h"
#include "base/arena.h"
#include "base/error.h"

#include <stdint.h>

typedef enum { POSITIONS_NONE, POSITIONS_ROPE, POSITIONS_ALIBI, POSITIONS_KINDS } Positions;
const char *positions_name(Positions positions);     // "none", "rope", "alibi"

typedef struct {
    int        words, outputs;     // tokens in: 0 … words − 1; logits out
    int        D, H, G;            // width; query heads; key heads. d = D / H; head h reads key head h / (H / G)
    int        L;                  // layers
    int        mlp;                // hidden neurons of the MLP; 0: no MLP
    Positions  positions;
    float      slope;              // of ALiBi's first head, the others' in proportion; 0: alibi_slope(0, H)
    bool       causal;
    const int *window;             // (L) as in Mask: W > 0 for keys nearer than W only; 0: all keys. NULL: all 0
} Config;

// false, with a sentence that says what does not fit. A Config that comes from a file is tested with it. Its limits lie
// where a shape would overflow: sizes of 2²⁴, 4096 layers.
bool    config_fits(const Config *config, Error *error);

int64_t config_parameters(const Config *config);     // how many numbers it has
int     config_window(const Config *config, int layer);
Mask    config_mask(const Config *config, int layer, int h);

#endif
