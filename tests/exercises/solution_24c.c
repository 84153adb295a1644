// Exercise 24c, solved: worked in ANSWERS.md of the chapter.
void my_star(double *pairs, double *messages, double *token_mb, double *ring_gb, double *times);
void my_star(double *pairs, double *messages, double *token_mb, double *ring_gb, double *times)
{
    *pairs = 10 + (10 + 8) + (3 + 4);
    *messages = 2 * 7 * 5;
    *token_mb = 32 * 7 * 32 * (128 + 128 + 1) * 2 / 1e6;
    *ring_gb = 32.0 * 7 * 80000 * 8 * (128 + 128) * 2 / 1e9;
    *times = 80000.0 * 80000 / 2 / 8 / (2.0 * 10000 * 10000);
}
