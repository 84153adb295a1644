// Exercise 15b: my_lazy_output.
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef int Lazy(Mat out, Mat scores, Mat v, float far);
Lazy my_lazy_output;

static const struct {
    const char *which;
    int count;
    float far, scores[6];
} cases[] = { { "scores 3, 1, 2", 3, 4, { 3, 1, 2 } },
              { "scores 1, 2, 3", 3, 4, { 1, 2, 3 } },
              { "scores 1, 2, 8, 3", 4, 4, { 1, 2, 8, 3 } },
              { "scores 0, 3, 6, 9, 12, 11", 6, 4, { 0, 3, 6, 9, 12, 11 } },
              { "scores 2, -INFINITY, 3", 3, 4, { 2, -INFINITY, 3 } },
              { "scores -INFINITY, 2, 9", 3, 4, { -INFINITY, 2, 9 } },
              { "scores -INFINITY twice", 2, 4, { -INFINITY, -INFINITY } },
              { "scores -300, 20, 60.5", 3, 40, { -300, 20, 60.5f } } };

static void lazy_case(Judge *judge, Function f, int n)
{
    Random random = random_from(15);
    Mat v = judge_random(judge, &random, cases[n].count, 3), out = judge_output(judge, 1, 3);
    judge_trying(judge, "my_lazy_output: %s, far = %g", cases[n].which, (double)cases[n].far);
    judge_result(judge, ((Lazy *)f)(out, mat_of(judge->arena, 1, cases[n].count, cases[n].scores), v, cases[n].far));
}

// The function as it is given has TURNED, SUM_KEPT, HIDDEN and NOTHING_DIVIDED.
enum { TURNED = 1, SUM_KEPT = 2, OUT_KEPT = 4, HIDDEN = 8, NOTHING_DIVIDED = 16, LATE = 32, UNDIVIDED = 64 };
enum { OF_E = 128, LARGEST = 256 };

static int faulty_lazy(Mat out, Mat scores, Mat v, float far)
{
    const int fault = judge_fault;
    float c = -INFINITY, sum = 0.0f;
    int raised = 0;
    mat_fill(out, 0.0f);
    for (int j = 0; j < scores.cols; j++) {
        float score = scores.at[j], before = c;
        if (score == -INFINITY && !(fault & HIDDEN)) continue;
        if (score - c > (fault & LARGEST ? 0.0f : far)) {
            float factor = exp2f(fault & TURNED ? score - c : c - score);
            if (!raised) factor = 0.0f;
            if (!(fault & SUM_KEPT)) sum *= factor;
            for (int e = 0; e < v.cols && !(fault & OUT_KEPT); e++) out.at[e] *= factor;
            c = score;
            raised++;
        }
        float weight = exp2f((score - (fault & LATE && raised > 1 ? before : c)) * (fault & OF_E ? 1.44269504f : 1.0f));
        sum += weight;
        for (int e = 0; e < v.cols; e++) out.at[e] += weight * *mat_ref(v, j, e);
    }
    bool divide = !(fault & UNDIVIDED) && (raised || fault & NOTHING_DIVIDED);
    for (int e = 0; e < v.cols && divide; e++) out.at[e] /= sum;
    return raised;
}

static const Task tasks[] = {
    { AS(Lazy, my_lazy_output), AS(Lazy, faulty_lazy), lazy_case, COUNT(cases), .faulty = AS(Lazy, faulty_lazy),
      .hints = { { NULL, "what was gathered before c was raised: which measure is it in, and which is wanted?",
                   "2^(s − c) = 2^(s − b) · 2^(b − c), b the c before: for the sum of weights, and for the outputs" },
                 { NULL, "what is a score compared with: the one before, the largest so far, or c?",
                   .of = "how often was c raised" } },
      .wrong = { FAULT(TURNED | SUM_KEPT | HIDDEN | NOTHING_DIVIDED,
                       "what was gathered before c was raised is not in the measure of the new c: two mistakes are "
                       "there"),
                 FAULT(
                     TURNED | HIDDEN | NOTHING_DIVIDED,
                     "a larger c makes weights smaller, those that were gathered too: which way round is the factor?"),
                 FAULT(SUM_KEPT | HIDDEN | NOTHING_DIVIDED,
                       "the outputs are brought to the new measure; what they are divided by is not"),
                 FAULT(OUT_KEPT, "the sum of weights is brought to the new measure; the outputs are not"),
                 FAULT(LATE, "the weight at hand is still in the measure of the old c"),
                 FAULT(HIDDEN | NOTHING_DIVIDED, "a hidden score in front: −∞ − −∞ is NaN, and NaN stays in every sum"),
                 FAULT(NOTHING_DIVIDED, "no key is in sight: 0 / 0 is NaN, and zeros are wanted"),
                 FAULT(UNDIVIDED, "the outputs are not divided by the sum of the weights"),
                 FAULT(OF_E, "the weights are powers of e: these scores are in powers of 2"),
                 FAULT(LARGEST, "more often than scores lie further than `far` above c") } },
};
EXERCISE("15b", tasks)
