// The unit in which budget.sh measures compile time: this file, which must not change, takes the compiler about half a
// second. It does nothing useful.
#define SUM(n) \
    float sum_##n(const float *a, const float *b, int count); \
    float sum_##n(const float *a, const float *b, int count) \
    { \
        float sum = 0, largest = a[0]; \
        for (int i = 0; i < count; i++) { \
            if (a[i] > largest) largest = a[i]; \
            for (int j = i; j < count && b[j] < largest; j += n) sum += a[i] * b[j] - (float)(i % n); \
        } \
        switch (count % 5) { \
        case 0: return sum / largest; \
        case 1: return sum * (float)n; \
        case 2: return sum - b[count - 1]; \
        default: return largest; \
        } \
    }
#define FOUR(n)    SUM(n##1) SUM(n##2) SUM(n##3) SUM(n##4)
#define SIXTEEN(n) FOUR(n##1) FOUR(n##2) FOUR(n##3) FOUR(n##4)
SIXTEEN(1)
SIXTEEN(2)
SIXTEEN(3)
