// Exercise 16a: my_fragment and my_place.
#include "attention/gpu_emulation.h"
#include "exercises/judge.h"

#include <string.h>

void my_fragment(int lane, int reg, int *row, int *col);
int  my_place(int row, int chunk, int d);

// ---- my_fragment. A row of what is judged is a lane and a register: the row and the column that it holds.

typedef GpuPlace Fragment(int lane, int reg);

static GpuPlace nothing(int lane, int reg)
{
    (void)lane;
    (void)reg;
    return gpu_place(-1, -1);
}
static GpuPlace turned(int lane, int reg) { return gpu_place(mma_c(lane, reg).col, mma_c(lane, reg).row); }
static GpuPlace rows_of_eight(int lane, int reg) { return gpu_place(lane / 8 * 4 + reg, lane % 8); }
static GpuPlace halves(int lane, int reg) { return gpu_place(lane / 4 + 8 * (reg & 1), lane % 4 * 2 + (reg >> 1)); }
static GpuPlace next_rows(int lane, int reg) { return gpu_place(lane / 4 * 2 + (reg >> 1), lane % 4 * 2 + (reg & 1)); }
static GpuPlace side_by_side(int lane, int reg) { return gpu_place(lane / 4, mma_c(lane, reg).col + 8 * (reg >> 1)); }
static GpuPlace apart(int lane, int reg) { return gpu_place(lane / 4 + 8 * (reg >> 1), lane % 4 + 4 * (reg & 1)); }

static Mat places(Judge *judge, Fragment *fragment)
{
    Mat m = mat_new(judge->arena, GPU_LANES * 4, 2);
    for (int e = 0; e < GPU_LANES * 4; e++) {
        GpuPlace at = fragment(e / 4, e % 4);
        *mat_ref(m, e, 0) = (float)at.row;
        *mat_ref(m, e, 1) = (float)at.col;
    }
    return m;
}

static void fragment_case(Judge *judge)
{
    Mat got = judge_output(judge, GPU_LANES * 4, 2);
    judge_trying(judge, "my_fragment for all lanes and registers: row 4 · lane + reg of this is row and column");
    for (int e = 0; e < GPU_LANES * 4; e++) {
        int row = -1, col = -1;
        my_fragment(e / 4, e % 4, &row, &col);
        *mat_ref(got, e, 0) = (float)row;
        *mat_ref(got, e, 1) = (float)col;
    }
    judge_answer(judge, (Answer){
        .got = got, .expected = places(judge, mma_c),
        .hints.question = "lane / 4 is the row, lane % 4 · 2 the first of two columns; registers 2 and 3 are eight "
                          "rows down",
        .mistakes = { { "row and col were not written: it is still the stub", places(judge, nothing) },
                      { "rows and columns are exchanged", places(judge, turned) },
                      { "four registers below each other: a lane holds pairs of neighbours",
                        places(judge, rows_of_eight) },
                      { "register 1 is the neighbour of register 0, register 2 is eight rows down",
                        places(judge, halves) },
                      { "registers 2 and 3 are in the next row: they are eight rows down", places(judge, next_rows) },
                      { "registers 2 and 3 are eight columns on: C has only eight", places(judge, side_by_side) },
                      { "a lane's two columns are four apart: they are neighbours", places(judge, apart) } } });
}

// ---- my_place. There is more than one right answer, so it is judged by what it must do.

static void place_case(Judge *judge, int d)
{
    int chunks = d / GPU_CHUNK, outside = 0, twice = 0, worst = 0;
    for (int row = 0; row < 64; row++) {
        bool seen[16] = { false };
        for (int chunk = 0; chunk < chunks; chunk++) {
            int at = my_place(row, chunk, d);
            if (at % GPU_CHUNK || at < row * d || at >= (row + 1) * d) outside++;
            else if (seen[at % d / GPU_CHUNK]) twice++;
            else seen[at % d / GPU_CHUNK] = true;
        }
    }
    judge_trying(judge, "my_place, d = %d: how many chunks begin outside of their row, or not at a chunk", d);
    judge_number(judge, outside, 0, "row · d is where a row begins; a chunk begins at a multiple of 8 numbers");
    judge_trying(judge, "my_place, d = %d: how many chunks lie where another one of their row lies already", d);
    judge_number(judge, twice, 0, "chunk ^ something takes each value once, if the something depends on the row only");
    for (int first = 0; first < 64; first += 8)
        for (int chunk = 0; chunk < chunks; chunk++) {
            int at[8];
            for (int r = 0; r < 8; r++) at[r] = my_place(first + r, chunk, d);
            worst = gpu_turns(at) > worst ? gpu_turns(at) : worst;
        }
    judge_trying(judge, "my_place, d = %d: how many turns the banks need for a chunk of eight rows, at worst", d);
    judge_number(judge, worst, 1,
                 worst == 8 ? "all eight lie in the same four banks: mix the row into the chunk" :
                 worst == 4 ? "one bit of the row is mixed in: take three" :
                 worst == 2 ? "two bits of the row are mixed in: take three" :
                              "chunk ^ (row & 7): eight rows, eight different groups of four banks");
}

static void check(Judge *judge)
{
    fragment_case(judge);
    place_case(judge, 64);
    place_case(judge, 128);
}

int main(void) { return judge_main("16a", check); }
