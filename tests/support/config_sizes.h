// The six sizes that every Config has: a table of configs then keeps each in a line or two.
#ifndef SUPPORT_CONFIG_SIZES_H
#define SUPPORT_CONFIG_SIZES_H

#include "model/config.h"

#define CONFIG_SIZES(words_, outputs_, D_, H_, G_, L_) \
    .words = (words_), .outputs = (outputs_), .D = (D_), .H = (H_), .G = (G_), .L = (L_)

#endif
