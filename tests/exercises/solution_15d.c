// Exercise 15d, solved.
const char *my_obstacles(void);
const char *my_obstacles(void) { return "SNPOZL"; }

float my_sum(const float *x, int n);
float my_sum(const float *x, int n)
{
    float part[8] = { 0 };
    for (int i = 0; i < n; i++) part[i % 8] += x[i];
    for (int s = 1; s < 8; s++) part[0] += part[s];
    return part[0];
}
