// Exercise 16e. Write a kernel: a matrix on its side.
//
// Write the kernel and its launch, then run: make exercise-16e
//
// `from` is (S, d), `to` is (d, S), both floats, row by row: what is in row j and column c of `from` belongs into row c
// and column j of `to`. S and d may be any numbers from 1 on. The emulator runs it, and this is asked, in this order:
//
// 1. Every number is where it belongs, and nothing beside the matrices is touched.
// 2. Nobody reads shared memory that another thread may not have written yet, or may have written anew.
// 3. Neighbouring lanes read neighbours of `from`, and write neighbours of `to`. Both at once take shared memory.
// 4. No request to shared memory takes more than one turn.
//
// A block takes a square of 32 × 32: threadIdx.x and threadIdx.y say which of its numbers a thread reads. Hint: the
// numbers of a square that were read with one pair of indices are written with the other pair.
enum { SIDE = 32 };

static __global__ void my_turned(float *to, const float *from, int S, int d)
{
    (void)to;
    (void)from;
    (void)S;
    (void)d;
}

// What the checker calls; both pointers are into the card's memory.
extern "C" void my_launch(float *to, const float *from, int S, int d)
{
    dim3 threads(SIDE, SIDE), blocks(1, 1);          // how many blocks does it take, across and down?
    my_turned<<<blocks, threads>>>(to, from, S, d);
}
