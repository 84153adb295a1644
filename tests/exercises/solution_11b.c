// Exercise 11b, solved: worked in ANSWERS.md of the chapter.
void my_costs(double *token_bytes, double *user_gb, double *fit, double *alone, double *together);
void my_costs(double *token_bytes, double *user_gb, double *fit, double *alone, double *together)
{
    *token_bytes = 2.0 * 40 * 128 * 40 * 2;
    *user_gb = *token_bytes * 4096 / 1e9;
    *fit = 16;
    *alone = 3350 / (26 + *user_gb);
    *together = 8 * 3350 / (26 + 8 * *user_gb);
}
