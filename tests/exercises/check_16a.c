// Exercise 16a: my_number and my_place. Each has more than one right answer, so they are judged by what they must do.
#include "chapters/16_cuda/gpu_schedule.h"
#include "exercises/judge.h"

typedef void Number(int thread, int step, int threads, int d, int *row, int *col);
typedef int Place(int row, int chunk, int d);
Number my_number;
Place my_place;

// ---- my_number: every number once, in the fewest pieces

enum { MOST_ROWS = 64, MOST_COLUMNS = 128, PIECE = 16 }; // numbers of 16 bits

typedef struct {
    int rows, d, threads;
} Tile;
static const Tile tiles[] = { { 32, 64, 128 }, { 64, 128, 256 }, { 32, 48, 128 }, { 16, 16, 32 } };

static int steps_of(Tile tile) { return tile.rows * tile.d / tile.threads; }

static void every_number_once(Judge *judge, Number *number, Tile tile)
{
    bool taken[MOST_ROWS][MOST_COLUMNS] = { { false } };
    int unwritten = 0, outside = 0, beside = 0, missing = 0;
    for (int step = 0; step < steps_of(tile); step++)
        for (int thread = 0; thread < tile.threads; thread++) {
            int row = -1, col = -1;
            number(thread, step, tile.threads, tile.d, &row, &col);
            if (row == -1 && col == -1) unwritten++;
            else if (row < 0 || row >= tile.rows) outside++;
            else if (col < 0 || col >= tile.d) beside++;
            else taken[row][col] = true;
        }
    for (int e = 0; e < tile.rows * tile.d; e++) missing += !taken[e / tile.d][e % tile.d];
    Arena *arena = judge->arena;
    judge_trying(judge, "my_number for a tile of %d rows, d = %d, by %d threads", tile.rows, tile.d, tile.threads);
    judge_claim(judge, !unwritten, (Hints){ "row and col were not written: it is still the stub" });
    judge_claim(judge, !outside,
                (Hints){ arena_format(arena, "%d numbers are taken from rows that the tile does not have", outside),
                         "how many numbers have been taken before this step?" });
    judge_claim(judge, !beside,
                (Hints){ arena_format(arena, "%d numbers are taken from beside their row, which ends at d", beside),
                         "behind the last number of a row comes the first of the next" });
    judge_claim(judge, !missing,
                (Hints){ arena_format(arena, "%d numbers of the tile are never taken, others more than once", missing),
                         "do two threads of a step, or one thread in two steps, take the same?",
                         "count the numbers of the tile through, n = 0, 1, 2 …: whose is n?" });
}

// Of one warp in one step; *rows: how many rows these are in.
static int pieces_of(Number *number, Tile tile, int warp, int step, int *rows)
{
    bool seen[MOST_ROWS][MOST_COLUMNS / PIECE] = { { false } }, row_seen[MOST_ROWS] = { false };
    int pieces = 0;
    *rows = 0;
    for (int lane = 0, row, col; lane < GPU_LANES; lane++) {
        number(warp * GPU_LANES + lane, step, tile.threads, tile.d, &row, &col);
        pieces += !seen[row][col / PIECE];
        *rows += !row_seen[row];
        seen[row][col / PIECE] = row_seen[row] = true;
    }
    return pieces;
}

static void right_number(int thread, int step, int threads, int d, int *row, int *col)
{
    *row = (step * threads + thread) / d;
    *col = (step * threads + thread) % d;
}

static void few_pieces(Judge *judge, Number *number, Tile tile)
{
    int got = 0, least = 0, worst = 0, rows = 0, rows_here;
    for (int n = 0, warps = tile.threads / GPU_LANES; n < steps_of(tile) * warps; n++) {
        least += pieces_of(right_number, tile, n % warps, n / warps, &rows_here);
        int here = pieces_of(number, tile, n % warps, n / warps, &rows_here);
        got += here;
        if (here <= worst) continue;
        worst = here;
        rows = rows_here;
    }
    judge_trying(judge, "my_number for a tile of %d rows, d = %d, by %d threads: every number is taken once", tile.rows,
                 tile.d, tile.threads);
    judge_claim(judge, got <= least,
                (Hints){ arena_format(judge->arena, "a warp asks for %d row%s in %d pieces; it can do with fewer", rows,
                                      rows == 1 ? "" : "s", worst),
                         "which numbers share a piece, and do they belong to lanes of one warp, in one step?",
                         "neighbouring threads take neighbouring numbers" });
}

static void check_number(Judge *judge, Function f)
{
    for (int n = 0; n < COUNT(tiles); n++) every_number_once(judge, (Number *)f, tiles[n]);
    for (int n = 0; n < COUNT(tiles); n++) few_pieces(judge, (Number *)f, tiles[n]);
}

#define NUMBER(name, row_, col_) \
    static void name(int thread, int step, int threads, int d, int *row, int *col) \
    { \
        int n = step * threads + thread; \
        *row = row_; \
        *col = col_; \
        (void)n, (void)d; \
    }
NUMBER(unwritten, -1, -1)
NUMBER(row_a_thread, thread, step)
NUMBER(warp_a_row, thread / 32, step * 32 + thread % 32)
NUMBER(warps_overlap, (step * 32 + thread) / d, (step * 32 + thread) % d)
NUMBER(every_other, (n / 64 * 64 + n % 32 * 2 + n % 64 / 32) / d, (n / 64 * 64 + n % 32 * 2 + n % 64 / 32) % d)

// ---- my_place: every chunk in its row, and eight rows in all banks

static void check_place_of(Judge *judge, Place *place, int d)
{
    int chunks = d / GPU_CHUNK, outside = 0, between = 0, twice = 0, padded = 0, worst = 0;
    bool written = false;
    for (int row = 0; row < 64; row++) {
        bool seen[16] = { false };
        for (int chunk = 0; chunk < chunks; chunk++) {
            int at = place(row, chunk, d);
            written = written || at;
            padded += at == row * (d + GPU_CHUNK) + chunk * GPU_CHUNK;
            if (at % GPU_CHUNK) between++;
            else if (at < row * d || at >= (row + 1) * d) outside++;
            else if (seen[at % d / GPU_CHUNK]) twice++;
            else seen[at % d / GPU_CHUNK] = true;
        }
    }
    // Turns of the banks: the most chunks of eight rows that are in the same four.
    for (int first = 0; first < 64; first += 8)
        for (int chunk = 0; chunk < chunks; chunk++)
            for (int r = 0, count[8] = { 0 }; r < 8; r++)
                worst = gpu_larger(worst, ++count[(place(first + r, chunk, d) / GPU_CHUNK % 8 + 8) % 8]);
    judge_trying(judge, "my_place, d = %d", d);
    judge_claim(judge, written, (Hints){ "every chunk begins at number 0: it is still the stub" });
    judge_trying(judge, "my_place, d = %d: %d chunks begin at a place that is no multiple of 8", d, between);
    judge_claim(judge, !between, (Hints){ NULL, "a chunk is 8 numbers: it begins at a multiple of 8" });
    judge_trying(judge, "my_place, d = %d: %d chunks begin outside of their row", d, outside);
    judge_claim(judge, padded < 64 * chunks,
                (Hints){ "every row begins a chunk further on, as if it were longer: that helps, too, but "
                         "here it has d numbers, and all chunks must stay in it" });
    judge_claim(judge, !outside,
                (Hints){ NULL, d == 32 ? "a row of 32 numbers has four chunks: what is mixed in must stay below four"
                                       : "a row begins at row · d, and has eight chunks: do all of them stay in it?" });
    judge_trying(judge, "my_place, d = %d: %d chunks begin where another one of their row begins", d, twice);
    judge_claim(judge, !twice,
                (Hints){ NULL, "chunk ^ something takes each value once, if the something depends on the row only" });
    judge_trying(judge, "my_place, d = %d: how many turns the banks need for a chunk of eight rows", d);
    judge_claim(judge, worst == 1,
                (Hints){
                    arena_format(judge->arena, "%s of eight rows lie in the same four banks, and take turns",
                                 worst == 8 ? "all" : arena_format(judge->arena, "%d", worst)),
                    d == 32 ? "two rows fill all banks: which rows begin in the same one, and do their chunks differ?"
                            : "eight rows, eight groups of four banks: how many bits of a row's number count to eight?",
                    d == 32 ? "row mod 2 says in which half of the banks a row begins, ⌊row / 2⌋ mod 4 which of those "
                              "that begin there it is"
                            : NULL });
}

static void check_place(Judge *judge, Function f)
{
    check_place_of(judge, (Place *)f, 64);
    check_place_of(judge, (Place *)f, 32);
}

#define PLACE(name, at) \
    static int name(int row, int chunk, int d) { return at; }
PLACE(right_place, row *d + (chunk ^ (d == 64 ? row & 7 : row / 2 & 3)) * 8)
PLACE(row_of_chunks, (row * d + chunk) * 8)
PLACE(unmixed, row *d + chunk * 8)
PLACE(one_bit, row *d + (chunk ^ (row & 1)) * 8)
PLACE(padding, row *d + (chunk + row) * 8)
PLACE(eight_of_four, row *d + (chunk ^ (row & 7)) * 8)
PLACE(halves_meet, row *d + (chunk ^ (d == 64 ? row & 7 : row & 3)) * 8)

static const Task tasks[] = {
    { AS(Number, my_number), AS(Number, right_number), .check = check_number,
      .wrong = { { AS(Number, unwritten), "row and col were not written: it is still the stub" },
                 { AS(Number, row_a_thread), .told = "from rows that the tile does not have" },
                 { AS(Number, warp_a_row), .told = "are taken from beside their row" },
                 { AS(Number, warps_overlap), .told = "are never taken" },
                 { AS(Number, every_other), .told = "a warp asks for 1 row in 4 pieces" } } },
    { AS(Place, my_place), AS(Place, right_place), .check = check_place,
      .wrong = { { AS(Place, row_of_chunks), .told = "do all of them stay in it" },
                 { AS(Place, unmixed), .told = "all of eight rows lie" },
                 { AS(Place, one_bit), .told = "4 of eight rows lie" },
                 { AS(Place, padding), .told = "as if it were longer" },
                 { AS(Place, eight_of_four), .told = "must stay below four" },
                 { AS(Place, halves_meet), .told = "2 of eight rows lie" } } },
};
EXERCISE("16a", tasks)
