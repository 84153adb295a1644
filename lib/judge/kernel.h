// Uses a kernel of the library as the judge: any of lib/kernels/kernels.h by name, in float32.
#ifndef JUDGE_KERNEL_H
#define JUDGE_KERNEL_H

#include "kernels/kernels.h"
#include "judge/judge.h"

// Like judge_all, for rules without mistakes. The scale, which may be negative, is multiplied into q.
void judge_kernel_all(Judged to, const JudgeProblem *p, const JudgeRules *rules, AttentionKernel *kernel);

#endif
