// PyTorch as a peer, in a python3 of its own ($PYTHON, if set): a script reads commands and answers each with a number.
// What is not there is left out, and the reason is given. Chapters 15 and 16.
#ifndef JUDGE_TORCH_H
#define JUDGE_TORCH_H

#include <stdbool.h>

typedef struct Torch Torch;
Torch *torch_start(const char *script, char *why, int room); // a path; NULL: `why` says what is missing
double torch_ask(Torch *torch, const char *command);         // a line; the number that is answered, or below 0
void torch_stop(Torch *torch);                               // NULL is allowed
const char *torch_version(const Torch *torch);               // what the script said behind "ready": "2.4.1"

// What tests/bench/sdpa.py understands: the heads of the runs to come, and its error against float64; then one head,
// in seconds of thread time. Below 0: Python is gone, or has not got what was asked for.
double torch_shape(Torch *torch, int H, int T, int S, int d, bool causal);
double torch_run(void *torch);

#endif
