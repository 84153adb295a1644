// Chapter 15. What differs between the kinds of processor: what fast_body.h asks for. KIND is 4, 8 or 16.
#if KIND == 4                                        // what C and the compiler have on every machine

#define TARGET
#define VECTORS 3
#define QUERIES 2
#define LOWER 0, 4, 1, 5
#define UPPER 2, 6, 3, 7
#define MAX(a, b) SELECT((a) > (b), a, b)
#define EXP2(x) exp2_plain(x)

#elif KIND == 8                                      // AVX2

#define TARGET AVX2
#define VECTORS 3
#define QUERIES 2
#define LOWER 0, 8, 1, 9, 2, 10, 3, 11
#define UPPER 4, 12, 5, 13, 6, 14, 7, 15
#define MAX(a, b) _mm256_max_ps(a, b)
#define EXP2(x) exp2_avx2(x)

#elif KIND == 16                                     // AVX-512

#define TARGET AVX512
#define VECTORS 4
#define QUERIES 4
#define LOWER 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define UPPER 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define MAX(a, b) _mm512_max_ps(a, b)
#define EXP2(x) exp2_avx512(x)

#endif

#define LANES KIND
#define ROWS  4
#define STRIP LANES
#define FAR   FURTHEST
