// Exercise 20a, solved wrongly: number WRONG of these gets this answer.
//
// 1: the table is not looked at
// 2: it is what is left of t
// 3: page p does not begin in row p
// 4: all tokens of a page are in its first row
// 5: each has an entry of its own
// 6: a token is not found where it stands
// 7: from row 0 on
// 8: the next page may lie elsewhere
// 9: not in that of the table
// 10: its numbers lie side by side
// 11: a score is not that of the query
// 12: a page was written that others hold
// 13: lacks what stood in the old one
// 14: of the page that it has left
// 15: has no holder
// 16: nobody else holds
// 17: nothing is written into it any more
// 18: still stands among the free ones
// 19: the task says the last
// 20: something was changed
// 21: to the beginning of the page
// 22: there are pages enough, but 0 came back
// 23: no page is left, but 1 came back
// 24: is not what it should be
// 25: this is divided by √d
// 26: are not counted rightly
// 27: a page was taken, and there was none
// 28: entry 2 of the table is not right
#include "base/portable_math.h"
#include "exercises/wrong.h"

int my_row(const int *table, int size, int t);
void my_scores(float *scores, const float *q, const float *keys, const int *table, int length, int size, int d);
int my_append(int *table, int length, int size, int *holders, int *free, int *left, float *memory, float x);

int my_row(const int *table, int size, int t)
{
    switch (wrong()) {
    case 1: return t;
    case 2: return table[t / size] * size + t / size;
    case 3: return table[t / size] + t % size;
    case 4: return table[t / size] * size;
    case 5: return table[0] * size + t;
    case 6: return table[t / size] * size + size - 1 - t % size; // nothing that is known
    default: return table[t / size] * size + t % size;
    }
}

// The pages in the order in which they lie.
static int in_order(const int *table, int length, int size, int t)
{
    int pages = (length + size - 1) / size, page = -1;
    for (int n = 0; n <= t / size; n++) {
        int next = -1;
        for (int i = 0; i < pages; i++)
            if (table[i] > page && (next < 0 || table[i] < next)) next = table[i];
        page = next;
    }
    return page * size + t % size;
}

void my_scores(float *scores, const float *q, const float *keys, const int *table, int length, int size, int d)
{
    int how = wrong(), rows = 24;
    for (int j = 0; j < length; j++) {
        int row = how == 7   ? j
                  : how == 8 ? table[0] * size + j
                  : how == 9 ? in_order(table, length, size, j)
                             : my_row(table, size, j);
        scores[j] = how == 11 ? 1.0f : 0.0f;
        for (int c = 0; c < d; c++) scores[j] += q[c] * keys[how == 10 ? c * rows + row : row * d + c];
        if (how == 25) scores[j] /= sqrtf((float)d);
    }
}

static int taken(int how, int *holders, int *free, int *left)
{
    int page = free[how == 19 ? 0 : *left - 1];
    for (int i = 1; i < *left && how == 19; i++) free[i - 1] = free[i];
    if (how != 18) --*left;
    if (how != 15) holders[page] = 1;
    return page;
}

int my_append(int *table, int length, int size, int *holders, int *free, int *left, float *memory, float x)
{
    int how = wrong(), entry = length / size, row = length % size, before = row ? table[entry] : -1;
    int shared = row && (holders[before] > 1 || how == 16) && how != 12;
    if (how == 22 && row == 0) return 0;
    if (how == 27 && (row == 0 || shared) && *left == 0) {
        *left = -1;
        return 1;
    }
    if ((row == 0 || shared) && *left == 0) {
        if (how == 20 && shared) holders[before]--;
        return how == 23;
    }
    if (how == 17 && row == 0 && length && holders[table[entry - 1]] > 1) {
        int page = taken(how, holders, free, left), full = table[entry - 1];
        for (int i = 0; i < size; i++) memory[page * size + i] = memory[full * size + i];
        holders[full]--;
        table[entry - 1] = page;
    }
    if (row == 0 || shared) {
        int page = taken(how, holders, free, left);
        for (int i = 0; i < row && how != 13; i++) memory[page * size + i] = memory[before * size + i];
        if (shared && how != 14 && --holders[before] == 0) free[(*left)++] = before;
        if (how == 26 && row == 0 && entry > 0) holders[table[entry - 1]]--;
        if (how == 28) {
            memory[page * size + row] = x;
            return 1;
        }
        table[entry] = page;
    }
    memory[table[entry] * size + (how == 21 ? 0 : row)] = how == 24 ? x + 1.0f : x;
    return 1;
}
