// Exercise 14b. The tile that moves least.
//
// Write the function, then run: make exercise-14b

// Task. A fast memory has room for M floats. A tile of a queries and b keys, with heads of width d = dv, takes
//
//     a·d + 2·b·d + a·d     its rows of q, of k and v, and of the output so far
//   + a·b + 3·a             its scores; m, l and the factor of each query
//
// of them. Choose a and b, both at least 1, so that the tile fits and a kernel without a mask, for very many queries
// and keys, moves as few floats between slow and fast memory as any tile that fits. M is at least 4·d + 4.
void my_best_tile(int M, int d, int *a, int *b)
{
    (void)M;
    (void)d;
    *a = 0;
    *b = 0;
}
