// The activation functions of a feed-forward network, by the names that config.json uses.
#ifndef KERNELS_ACTIVATION_H
#define KERNELS_ACTIVATION_H

typedef enum { ACTIVATION_GELU, ACTIVATION_GELU_TANH, ACTIVATION_RELU, ACTIVATION_SILU, ACTIVATION_KINDS } Activation;

#endif
