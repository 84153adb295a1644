// The activation functions of a feed-forward network, by the names that config.json uses.
#ifndef KERNELS_ACTIVATION_H
#define KERNELS_ACTIVATION_H

typedef enum { ACT_GELU, ACT_GELU_TANH, ACT_RELU, ACT_SILU, ACT_KINDS } Activation;

#endif
