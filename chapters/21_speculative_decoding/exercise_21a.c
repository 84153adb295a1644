// Exercise 21a. Keep it, or draw another: the rule.
//
// Write the two functions, then run: make exercise-21a

// Task 1. Token x was drafted: drawn from q (chances of all tokens, Σ 1), so q[x] > 0. The target has the chances p.
// With which chance is x kept?
float my_keep(const float *p, const float *q, int x)
{
    (void)p;
    (void)q;
    (void)x;
    return 0.0f; // your code goes here
}

// Task 2. It was not kept. Write the chances from which the token in its place is drawn into rest (n), Σ 1, so that all
// in all every token comes as often as p says. Where p and q are the same, everything is kept and nobody asks; then
// write p.
void my_rest(float *rest, const float *p, const float *q, int n)
{
    (void)rest;
    (void)p;
    (void)q;
    (void)n;
    // your code goes here
}
