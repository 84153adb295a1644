// Exercise 16a: my_number and my_place.
#include "chapters/16_cuda/gpu_schedule.h"
#include "exercises/judge.h"

void my_number(int thread, int step, int threads, int d, int *row, int *col);
int my_place(int row, int chunk, int d);

// ---- my_number. There is more than one right answer: every number is wanted once, in the fewest pieces.

enum { MOST_ROWS = 64, MOST_COLUMNS = 128, PIECE = 16 }; // numbers of 16 bits

typedef struct {
    int rows, d, threads;
} Tile;
typedef struct {
    int row, col;
} Number;

static Number asked(Tile tile, int thread, int step)
{
    Number n = { -1, -1 };
    my_number(thread, step, tile.threads, tile.d, &n.row, &n.col);
    return n;
}

static int steps_of(Tile tile) { return tile.rows * tile.d / tile.threads; }

static void every_number_once(Judge *judge, Tile tile)
{
    static int taken[MOST_ROWS][MOST_COLUMNS];
    int unwritten = 0, below = 0, beside = 0, missing = 0, turned = 0;
    for (int e = 0; e < MOST_ROWS * MOST_COLUMNS; e++) taken[e / MOST_COLUMNS][e % MOST_COLUMNS] = 0;
    for (int step = 0; step < steps_of(tile); step++)
        for (int thread = 0; thread < tile.threads; thread++) {
            Number n = asked(tile, thread, step);
            turned += n.col >= 0 && n.col < tile.rows && n.row >= 0 && n.row < tile.d;
            if (n.row == -1 && n.col == -1) unwritten++;
            else if (n.row < 0 || n.row >= tile.rows) below++;
            else if (n.col < 0 || n.col >= tile.d) beside++;
            else taken[n.row][n.col]++;
        }
    for (int e = 0; e < tile.rows * tile.d; e++) missing += !taken[e / tile.d][e % tile.d];
    judge_trying(judge, "my_number for a tile of %d rows, d = %d, by %d threads", tile.rows, tile.d, tile.threads);
    judge_claim(judge, !unwritten, (Hints){ .property = "row and col were not written: it is still the stub" });
    judge_claim(judge, !below || turned < tile.rows * tile.d,
                (Hints){ .property =
                             arena_format(judge->arena,
                                          "these are places in a tile of %d rows and %d columns; this one has %d "
                                          "rows and %d columns",
                                          tile.d, tile.rows, tile.rows, tile.d) });
    judge_claim(judge, !below,
                (Hints){ .property = arena_format(judge->arena,
                                                  "%d numbers are taken from rows that the tile does not have", below),
                         .question = "how many numbers have been taken before this step?" });
    judge_claim(judge, !beside,
                (Hints){ .property =
                             arena_format(judge->arena, "%d numbers are taken from beside their row, which ends at d",
                                          beside),
                         .question = "behind the last number of a row comes the first of the next" });
    judge_claim(judge, !missing,
                (Hints){ .property =
                             arena_format(judge->arena, "%d numbers of the tile are never taken, others more than once",
                                          missing),
                         .question = "do two threads of a step, or one thread in two steps, take the same?",
                         .formula = "count the numbers of the tile through, n = 0, 1, 2 …: whose is n?" });
}

// Of one warp in one step; *rows: how many rows these lie in.
static int pieces_of(Tile tile, int warp, int step, int *rows)
{
    bool seen[MOST_ROWS][MOST_COLUMNS / PIECE + 1] = { { false } }, row_seen[MOST_ROWS] = { false };
    int pieces = 0;
    *rows = 0;
    for (int lane = 0; lane < GPU_LANES; lane++) {
        Number n = asked(tile, warp * GPU_LANES + lane, step);
        pieces += !seen[n.row][n.col / PIECE];
        *rows += !row_seen[n.row];
        seen[n.row][n.col / PIECE] = row_seen[n.row] = true;
    }
    return pieces;
}

// What the numbers take, counted through from the first to the last.
static int fewest(Tile tile, int warp, int step)
{
    bool seen[MOST_ROWS][MOST_COLUMNS / PIECE + 1] = { { false } };
    int pieces = 0;
    for (int lane = 0; lane < GPU_LANES; lane++) {
        int n = step * tile.threads + warp * GPU_LANES + lane;
        pieces += !seen[n / tile.d][n % tile.d / PIECE];
        seen[n / tile.d][n % tile.d / PIECE] = true;
    }
    return pieces;
}

static void few_pieces(Judge *judge, Tile tile)
{
    int got = 0, least = 0, worst = 0, rows = 0;
    for (int step = 0; step < steps_of(tile); step++)
        for (int warp = 0; warp < tile.threads / GPU_LANES; warp++) {
            int rows_here, here = pieces_of(tile, warp, step, &rows_here);
            got += here;
            least += fewest(tile, warp, step);
            if (here > worst) {
                worst = here;
                rows = rows_here;
            }
        }
    judge_trying(judge, "my_number for a tile of %d rows, d = %d, by %d threads: every number is taken once", tile.rows,
                 tile.d, tile.threads);
    judge_claim(judge, got <= least,
                (Hints){ .property = rows >= GPU_LANES
                                         ? "the 32 lanes of a warp ask for 32 rows: that takes 32 pieces"
                                         : arena_format(judge->arena,
                                                        "a warp asks for %d row%s in %d pieces; it can do with fewer",
                                                        rows, rows == 1 ? "" : "s", worst),
                         .question =
                             "which numbers share a piece, and do they belong to lanes of one warp, in one step?",
                         .formula = "neighbouring threads take neighbouring numbers" });
}

// ---- my_place. There is more than one right answer, so it is judged by what it must do.

// Turns that 32 banks of four bytes need for eight chunks: how many of them lie in the same four, at worst.
static int turns_of(const int *at)
{
    int count[8] = { 0 }, most = 0;
    for (int n = 0; n < 8; n++) most = gpu_larger(most, ++count[(at[n] / GPU_CHUNK % 8 + 8) % 8]);
    return most;
}

// NULL, or why every chunk but those of the first rows lies outside of its row, in words.
static const char *another_measure(int d)
{
    int padded = 0, one_row = 0, bytes = 0, chunks = d / GPU_CHUNK;
    for (int row = 0; row < 64; row++)
        for (int chunk = 0; chunk < chunks; chunk++) {
            int at = my_place(row, chunk, d), rest = at / GPU_CHUNK - 2 * row * chunks;
            padded += at == row * (d + GPU_CHUNK) + chunk * GPU_CHUNK;
            one_row += at >= 0 && at < d;
            bytes += at % 2 == 0 && rest >= 0 && rest < 2 * chunks && rest % 2 == 0;
        }
    return padded == 64 * chunks    ? "every row begins a chunk further on, as if it were longer: that helps, too, but "
                                      "here it has d numbers, and all chunks must stay in it"
           : one_row == 64 * chunks ? "all rows lie in one place: row n begins at n · d"
           : bytes == 64 * chunks   ? "these are bytes: a number has two"
                                    : NULL;
}

static void place_case(Judge *judge, int d)
{
    int chunks = d / GPU_CHUNK, outside = 0, between = 0, twice = 0, worst = 0;
    bool written = false;
    for (int row = 0; row < 64; row++) {
        bool seen[16] = { false };
        for (int chunk = 0; chunk < chunks; chunk++) {
            int at = my_place(row, chunk, d);
            written = written || at;
            if (at % GPU_CHUNK) between++;
            else if (at < row * d || at >= (row + 1) * d) outside++;
            else if (seen[at % d / GPU_CHUNK]) twice++;
            else seen[at % d / GPU_CHUNK] = true;
        }
    }
    judge_trying(judge, "my_place, d = %d", d);
    judge_claim(judge, written, (Hints){ .property = "every chunk begins at number 0: it is still the stub" });
    judge_trying(judge, "my_place, d = %d: how many chunks begin at a place that is no multiple of 8", d);
    judge_number(judge, between, 0, "a chunk is 8 numbers: it begins at a multiple of 8");
    const char *measure = another_measure(d);
    judge_trying(judge, "my_place, d = %d", d);
    judge_claim(judge, !outside || !measure, (Hints){ .property = measure });
    judge_trying(judge, "my_place, d = %d: how many chunks begin outside of their row", d);
    judge_number(judge, outside, 0,
                 d == 32 ? "a row of 32 numbers has four chunks: what is mixed in must stay below four"
                         : "a row begins at row · d, and has eight chunks: do all of them stay in it?");
    judge_trying(judge, "my_place, d = %d: how many chunks lie where another one of their row lies already", d);
    judge_number(judge, twice, 0, "chunk ^ something takes each value once, if the something depends on the row only");
    for (int first = 0; first < 64; first += 8)
        for (int chunk = 0; chunk < chunks; chunk++) {
            int at[8];
            for (int r = 0; r < 8; r++) at[r] = my_place(first + r, chunk, d);
            worst = turns_of(at) > worst ? turns_of(at) : worst;
        }
    judge_trying(judge, "my_place, d = %d: how many turns the banks need for a chunk of eight rows", d);
    judge_claim(judge, worst == 1,
                (Hints){
                    .property =
                        arena_format(judge->arena, "%s of eight rows lie in the same four banks, and take turns",
                                     worst == 8 ? "all" : arena_format(judge->arena, "%d", worst)),
                    .question =
                        d == 32
                            ? "two rows fill all banks: which rows begin in the same one, and do their chunks differ?"
                            : "eight rows, eight groups of four banks: how many bits of a row's number count to eight?",
                    .formula =
                        d == 32
                            ? "row mod 2 says in which half of the banks a row begins, ⌊row / 2⌋ mod 4 which of those "
                              "that begin there it is"
                            : NULL });
}

static void check(Judge *judge)
{
    static const Tile tiles[] = { { 32, 64, 128 }, { 64, 128, 256 }, { 32, 48, 128 }, { 16, 16, 32 } };
    for (int n = 0; n < 4; n++) every_number_once(judge, tiles[n]);
    for (int n = 0; n < 4; n++) few_pieces(judge, tiles[n]);
    place_case(judge, 64);
    place_case(judge, 32);
}

int main(void) { return judge_main("16a", check); }
