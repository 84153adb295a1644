// Exercise 20a, solved: lib/attention/pages.c with the tables as plain arrays.
int my_row(const int *table, int size, int t);
void my_scores(float *scores, const float *q, const float *keys, const int *table, int length, int size, int d);
int my_append(int *table, int length, int size, int *holders, int *free, int *left, float *memory, float x);

int my_row(const int *table, int size, int t) { return table[t / size] * size + t % size; }

void my_scores(float *scores, const float *q, const float *keys, const int *table, int length, int size, int d)
{
    for (int j = 0; j < length; j++) {
        const float *key = keys + my_row(table, size, j) * d;
        scores[j] = 0.0f;
        for (int c = 0; c < d; c++) scores[j] += q[c] * key[c];
    }
}

int my_append(int *table, int length, int size, int *holders, int *free, int *left, float *memory, float x)
{
    int entry = length / size, row = length % size;
    if (row == 0 || holders[table[entry]] > 1) {
        if (*left == 0) return 0;
        int page = free[--*left];
        holders[page] = 1;
        for (int i = 0; i < row; i++) memory[page * size + i] = memory[table[entry] * size + i];
        if (row) holders[table[entry]]--;
        table[entry] = page;
    }
    memory[table[entry] * size + row] = x;
    return 1;
}
