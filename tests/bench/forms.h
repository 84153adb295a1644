// Chapter 06's three equal forms of multi-head attention, timed against each other.
#ifndef BENCH_FORMS_H
#define BENCH_FORMS_H

void forms_measure(double seconds); // prints a small table

#endif
