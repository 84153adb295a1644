// Exercise 10a: my_greedy_order and my_importance.
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef double Accuracy(const float *gates, int heads, void *model);
typedef void Order(int *order, int heads, Accuracy *accuracy, void *model);
typedef void Importance(Mat importance, Mat slopes);
Order my_greedy_order;
Importance my_importance;

// A small model: heads of one group are copies, and only without all of them their cost is lost.
enum { MOST = 8 };
typedef struct {
    const char *what;
    int heads, group[MOST];
    double cost[MOST];
} Toy;

static const Toy toys[] = {
    { "each has work of its own", 3, { 0, 1, 2 }, { 0.25, 0.125, 0.5 } },
    { "two are equal", 3, { 0, 1, 2 }, { 0.25, 0.125, 0.125 } },
    { "0 and 2 are copies", 4, { 0, 1, 0, 3 }, { 0.5, 0.125, 0, 0.25 } },
    { "without any of them nothing is right", 3, { 0, 1, 2 }, { 0.25, 0.25, 0.5 } },
};

static double accuracy_of(const float *gates, int heads, void *model)
{
    Toy *toy = model;
    double accuracy = 1.0;
    for (int g = 0; g < heads; g++) {
        bool on = false;
        for (int n = 0; n < heads; n++) on = on || (toy->group[n] == g && gates[n] > 0.0f);
        if (!on) accuracy -= toy->cost[g];
    }
    return accuracy;
}

static void order_case(Judge *judge, Function f, int n)
{
    Toy toy = toys[n];
    int order[MOST] = { 0 };
    Mat got = judge_output(judge, 1, toy.heads);
    judge_trying(judge, "my_greedy_order of %d heads: %s", toy.heads, toy.what);
    ((Order *)f)(order, toy.heads, accuracy_of, &toy);
    for (int h = 0; h < toy.heads; h++) got.at[h] = (float)order[h];
}

enum { ONCE = 1, LAST, NOT_BACK, STAYS_ON, FROM_0 };

static void faulty_order(int *order, int heads, Accuracy *accuracy, void *model)
{
    const int fault = judge_fault;
    float gates[MOST], others[MOST];
    for (int n = 0; n < heads; n++) gates[n] = 1.0f;
    for (int turn = 0; turn < heads; turn++) {
        int best = -1;
        double most = fault == FROM_0 ? 0.0 : -INFINITY;
        for (int n = 0; n < heads; n++) {
            if (gates[n] == 0.0f) continue;
            for (int m = 0; m < heads; m++) others[m] = fault == ONCE ? 1.0f : gates[m];
            others[n] = 0.0f;
            double left = accuracy(others, heads, model);
            if (fault == NOT_BACK) gates[n] = 0.0f;
            if (fault == LAST ? left < most : left <= most) continue;
            best = n;
            most = left;
        }
        if (best >= 0 && fault != STAYS_ON) gates[best] = 0.0f;
        order[turn] = best;
    }
}

static const int tables[][2] = { { 1, 3 }, { 5, 8 }, { 40, 16 } }; // sentences, heads

static void importance_case(Judge *judge, Function f, int n)
{
    int S = tables[n][0], heads = tables[n][1];
    Random random = random_from((uint64_t)(100 * S + heads));
    Mat slopes = judge_random_view(judge, &random, S, heads);
    judge_trying(judge, "my_importance of %d sentences and %d heads", S, heads);
    ((Importance *)f)(judge_output(judge, 1, heads), slopes);
}

#define SLOPE *mat_ref(slopes, s, n)
#define IMPORTANCE(name, share, result) \
    static void name(Mat importance, Mat slopes) \
    { \
        int S = slopes.rows; \
        for (int n = 0; n < slopes.cols; n++) { \
            float sum = 0.0f; \
            for (int s = 0; s < S; s++) sum += share; \
            importance.at[n] = result; \
        } \
    }
IMPORTANCE(right_importance, fabsf(SLOPE), sum / (float)S)
IMPORTANCE(with_signs, SLOPE, sum / (float)S)
IMPORTANCE(size_of_mean, SLOPE, fabsf(sum / (float)S))
IMPORTANCE(summed, fabsf(SLOPE), sum)
IMPORTANCE(end_to_end, fabsf(slopes.at[s * slopes.cols + n]), sum / (float)S)
IMPORTANCE(whole_division, fabsf(SLOPE), sum *(float)(1 / S))

static const Task tasks[] = {
    { AS(Order, my_greedy_order), AS(Order, faulty_order), order_case, COUNT(toys), .faulty = AS(Order, faulty_order),
      .hints = { { NULL, "before the second head goes, with which gates is each of the others measured?",
                   "orderₙ = argmaxₕ accuracy(gates without order₀ … orderₙ₋₁ and h)" } },
      .wrong = { FAULT(ONCE, "heads were measured with all the others on, with those that had gone, too: of two copies "
                             "both look as if they could go"),
                 FAULT(LAST, "of equal heads the first is wanted, not the last"),
                 FAULT(NOT_BACK, "the second measurement has two heads off: a head that was only tried must come back"),
                 FAULT(STAYS_ON, "in the second turn only one head is off at a time: the one that went must stay off"),
                 FAULT(FROM_0, "in one turn none went: accuracy may be 0, and the best begins below it") } },
    { AS(Importance, my_importance), AS(Importance, right_importance), importance_case, COUNT(tables),
      .hints = { { "one number for each head, not below 0, and 0 only where every sentence has slope 0",
                   "what is the importance of a head whose slope is −1 in one sentence and 1 in the next?",
                   "importanceₙ = (1/S) Σₛ |slopeₛₙ|" } },
      .wrong = { { AS(Importance, with_signs),
                   "take the size of each slope: with their signs some would cancel others" },
                 { AS(Importance, size_of_mean),
                   "take the size of each slope, then the mean; not the size of the mean" },
                 { AS(Importance, summed), "this is the sum: divide by the number of sentences" },
                 { AS(Importance, end_to_end), "this reads slopes as if its rows had no gap between them: "
                                               "*mat_ref(slopes, s, n) knows the stride" },
                 { AS(Importance, whole_division),
                   "all are 0: is 1 / S a division of whole numbers? C drops what stands behind the point" } } },
};
EXERCISE("10a", tasks)
