// Exercise 26b. Who knows?
//
// Write the letters, then run: make exercise-26b

// Heads 0 and 1 of seven models were patched between twins. How far the answer moves:
//
//              put in           taken out
//          head 0  head 1    head 0  head 1
//   0:      1.0     1.0       0.0     0.0
//   1:      0.0     0.0       1.0     1.0
//   2:      0.5     0.5       0.5     0.5
//   3:      0.0     0.0       0.0     0.0
//   4:      1.0     1.0       1.0     1.0
//   5:      0.0     1.0       0.0     1.0
//   6:      0.8     0.5       0.5     0.2
//
// Put in: a head gives what it gave in the sentence that has the right answer, in the one that lacks it. Taken out: the
// other way. Where a head is patched, later ones are computed anew.
//
// Task. Each model is of another kind. Answer its letter for model 0 … 6:
//
//   'A'  head 0 alone knows
//   'B'  head 1 alone knows
//   'C'  both know, and one is enough
//   'D'  both are needed
//   'E'  each does half of it
//   'F'  head 0, of the layer below, tells head 1, and that tells the answer; there is no other way
//   'G'  neither knows
//   'H'  both know, head 0 more, and their effects overlap
char my_diagnosis(int model)
{
    (void)model;
    return '?';
}
