// The book's own kernels as judges: any of lib/kernels/kernels.h by its name, in float32.
#ifndef JUDGE_KERNEL_H
#define JUDGE_KERNEL_H

#include "kernels/kernels.h"
#include "judge/judge.h"

// As judge_all, for rules without mistakes. A scale, which may be negative here, goes into q.
void judge_kernel_all(Judged to, const JudgeProblem *p, const JudgeRules *rules, AttentionKernel *kernel);

#endif
