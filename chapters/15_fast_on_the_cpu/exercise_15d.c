// Exercise 15d. What keeps a loop from becoming vectors?
//
// Write the letters and the function, then run: make exercise-15d
//
// Task 1. Six loops over float arrays of n numbers. Several turns of a loop may be done at a time, as lanes of a
// vector, if that gives the same bits. Say of each loop what stands in the way. (A compiler gets round some of it: it
// asks when the program runs, or makes vectors of a part of a turn.)
//
//       loop 1    for (int i = 0; i < n; i++) sum += a[i] * b[i];
//       loop 2    for (int i = 0; i < n; i++) to[i] += factor * row[i];      with float *restrict to, *restrict row
//       loop 3    for (int i = 1; i < n; i++) x[i] += decay * x[i - 1];
//       loop 4    for (int i = 0; i < n; i++) to[i] *= *factor;              with float *to, *factor
//       loop 5    for (int i = 0; i < n; i++) most = a[i] > most ? a[i] : most;
//       loop 6    while (a[i] != -INFINITY) i++;
//
//   N  nothing
//   S  one sum: added up in another order, it is another number
//   P  each turn needs what the one before has made
//   O  what is written may be what is read for all later turns: a pointer may point there
//   Z  it is no sum, but the order still counts: for NaN, and for 0 and −0
//   L  how often it runs is not known before it runs: it may not read on

// One letter a loop, loop 1 first.
const char *my_obstacles(void) { return "??????"; }

// Task 2. Add up n numbers so that no addition waits for the one before: eight sums side by side. Number i goes to sum
// i % 8; in the end sum 0 takes sum 1, then sum 2, and so on up to sum 7. n may be any number, 0 too. The checker knows
// from the bits of the result in which order you have added.
float my_sum(const float *x, int n)
{
    (void)x;
    (void)n;
    return 0.0f;
}
