// Prints the result of a comparison, in at most 80 columns.
#ifndef JUDGE_REPORT_H
#define JUDGE_REPORT_H

#include "judge/arrays.h"
#include "judge/diagnosis.h"

void report_setting(const Arrays *arrays, const AttendOptions *options, const JudgeRules *rules);
void report_comparison(const char *name, const char *path,
                       const HypothesisCase *c); // the verdict, and where errors are
void report_diagnosis(const Diagnosis *diagnosis);

#endif
