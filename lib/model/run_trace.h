// A model's run as a trace: every head of every layer, for the viewer and for other programs.
#ifndef MODEL_RUN_TRACE_H
#define MODEL_RUN_TRACE_H

#include "io/trace.h"
#include "model/run.h"

// q, k, v, scores, weights and head outputs of all layers, for the first sequence of the run. words (T)
void run_trace(Trace *trace, const Run *run, const char *const *words);

#endif
