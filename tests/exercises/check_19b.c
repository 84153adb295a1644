// Exercise 19b: my_diagnosis.
#include "base/portable_math.h"
#include "exercises/judge.h"

Letters my_diagnosis;

enum { KEYS = 3, CHANNELS = 2 };
static const float K[KEYS][CHANNELS] = { { 0.0f, 10.0f }, { 0.9f, 13.2f }, { 1.5f, 16.0f } };
static const char right[] = "ABDCE";

// Least and largest of the numbers that share a grid with number (i, c).
static void range_of(char mistake, int i, int c, float *low, float *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int r = 0; r < KEYS; r++)
        for (int e = 0; e < CHANNELS; e++) {
            bool together = mistake == 'C' || (mistake == 'A' ? r == i : e == c);
            if (!together) continue;
            *low = fminf(*low, K[r][e]);
            *high = fmaxf(*high, K[r][e]);
        }
    if (mistake == 'F') *low = 0.0f;
}

// What a cache with that mistake gives back; any other letter: with none.
static float given_back(char mistake, int i, int c)
{
    float low, high;
    range_of(mistake, i, c, &low, &high);
    float scale = (high - low) / (mistake == 'E' ? 4.0f : 3.0f), steps = (K[i][c] - low) / scale;
    steps = fminf(mistake == 'D' ? floorf(steps + 1e-4f) : roundf(steps), 3.0f);
    return scale * steps + (mistake == 'B' ? 0.0f : low);
}

static const char *property(Arena *arena, char named, int cache)
{
    for (int n = 0; n < KEYS * CHANNELS; n++) {
        int i = n / CHANNELS, c = n % CHANNELS;
        float with = given_back(named, i, c), has = given_back(right[cache], i, c);
        if (fabsf(with - has) > 0.006f)
            return arena_format(arena,
                                "with the mistake '%c' channel %d of key %d would be %.2f; this cache gives "
                                "%.2f",
                                named, c, i, (double)with, (double)has);
    }
    return NULL;
}

static const char *const questions[] = {
    "every number comes back as it was: how many numbers share a grid, if two steps are enough for them?",
    "by how much is channel 1 too small, and which number is that?",
    "only key 1 is wrong: to which side, and by how much of a step?",
    "what is the step between the numbers of this cache, and from where to where does its grid reach?",
    "the largest number of each channel is too small: which code would it need?",
};

static void check(Judge *judge, Function f)
{
    judge_letters(judge, (Letters *)f,
                  (Diagnosis){ "my_diagnosis of cache", right, 'F', questions,
                               "scale = (max − min) / 3, code = (x − min) / scale, rounded", property });
}

static char truth(int cache) { return right[cache]; }
static char swapped(int cache) { return "ABECD"[cache]; }
static char no_letter(int cache) { return "?BDCE"[cache]; }

static const Task tasks[] = {
    { AS(Letters, my_diagnosis), AS(Letters, truth), .check = check,
      .wrong = { { AS(Letters, no_letter), "the answer is a letter from 'A' to 'F'" },
                 { AS(Letters, swapped),
                   .told = "with the mistake 'E' channel 0 of key 1 would be 0.75; this cache gives 0.50" } } },
};
EXERCISE("19b", tasks)
