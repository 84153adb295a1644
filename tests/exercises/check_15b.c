// Exercise 15b: my_lazy_output.
#include "base/portable_math.h"
#include "base/random.h"
#include "exercises/judge.h"

int my_lazy_output(Mat out, Mat scores, Mat v, float far);

// What may be wrong with it.
typedef struct {
    bool turned;             // the factor is 2^(score − c)
    bool sum_kept, out_kept; // is not rescaled
    bool hidden_counts;      // −∞ − −∞: a hidden score in front gives NaN
    bool nothing_divided;    // nothing was seen, and zeros are divided by zero
    bool late;               // c is raised after the weight was computed
    bool undivided;
    bool stops;                  // at a hidden key, as if none came behind it
    bool unguarded;              // the first score meets c = −∞, and NaN comes of it
    bool forgets;                // the sum so far is thrown away when c is raised
    bool hidden_0, of_e;         // a hidden score counts as 0; e in the place of 2
    bool out_turned, sum_turned; // only one of the two has the factor 2^(score − c)
    bool twice, skips, resets;   // rescaled twice; no weight where c is raised; c −∞ if hidden
    bool each_turn, by_keys;     // divided in each turn; divided by the number of keys
} Fault;

// How often c is raised goes to `raised`.
static Mat output_with(Arena *arena, Mat scores, Mat v, float far, Fault f, int *raised)
{
    Mat out = mat_new(arena, 1, v.cols);
    float c = -INFINITY, sum = 0.0f;
    *raised = 0;
    for (int j = 0; j < scores.cols; j++) {
        float score = *mat_ref(scores, 0, j), before = c;
        if (score == -INFINITY && f.stops) break;
        if (score == -INFINITY && f.hidden_0) score = 0.0f;
        if (score == -INFINITY && f.resets) c = -INFINITY;
        if (score == -INFINITY && !f.hidden_counts) continue;
        if (score - c > far) {
            float factor = *raised || f.unguarded ? exp2f(f.turned ? score - c : c - score) : 0.0f;
            float other = *raised ? exp2f(score - c) : 0.0f;
            if (f.twice) factor *= factor;
            if (!f.sum_kept) sum *= f.forgets ? 0.0f : f.sum_turned ? other : factor;
            for (int e = 0; e < v.cols && !f.out_kept; e++) *mat_ref(out, 0, e) *= f.out_turned ? other : factor;
            c = score;
            ++*raised;
            if (f.skips && *raised > 1) continue;
        }
        float weight = exp2f((score - (f.late && *raised > 1 ? before : c)) * (f.of_e ? 1.44269504f : 1.0f));
        sum += weight;
        for (int e = 0; e < v.cols; e++) *mat_ref(out, 0, e) += weight * *mat_ref(v, j, e);
        for (int e = 0; e < v.cols && f.each_turn; e++) *mat_ref(out, 0, e) /= sum;
    }
    bool divide = !f.undivided && !f.each_turn && (*raised || f.nothing_divided);
    for (int e = 0; e < v.cols && divide; e++) *mat_ref(out, 0, e) /= f.by_keys ? (float)scores.cols : sum;
    return out;
}

static void output_of(Judge *judge, const char *which, const float *scores, int S, float far)
{
    Arena *arena = judge->arena;
    Random random = random_from(15);
    Mat s = mat_new(arena, 1, S), v = mat_new(arena, S, 3), got = judge_output(judge, 1, 3);
    int expected, ignored;
    random_normals(&random, v);
    for (int j = 0; j < S; j++) *mat_ref(s, 0, j) = scores[j];
    Mat right = output_with(arena, s, v, far, (Fault){ 0 }, &expected);
#define WITH(...) output_with(arena, s, v, far, (Fault){ __VA_ARGS__ }, &ignored)
    judge_trying(judge, "my_lazy_output: %s, far = %g", which, (double)far);
    int raised = my_lazy_output(got, s, v, far);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = right,
            .hints = { .property = "the output is no mean of the values, in the shares 2^s",
                       .question =
                           "what was gathered before c was raised: which measure is it in, and which is wanted?",
                       .formula =
                           "2^(s − c) = 2^(s − b) · 2^(b − c), b the c before: for the sum of weights, and for the "
                           "outputs" },
            .mistakes = {
                { "no key is in sight: 0 / 0 is NaN, and zeros are wanted", WITH(.nothing_divided = true) },
                { "a hidden score in front: −∞ − −∞ is NaN, and NaN stays in every sum",
                  WITH(.hidden_counts = true, .nothing_divided = true) },
                { "NaN: c is −∞ when the first score comes. What are the factor and the weight then?",
                  WITH(.turned = true, .unguarded = true) },
                { "what was gathered before c was raised is not in the measure of the new c: two mistakes are there",
                  WITH(.turned = true, .sum_kept = true, .hidden_counts = true, .nothing_divided = true) },
                { "a larger c makes weights smaller, those that were gathered too: which way round is the factor?",
                  WITH(.turned = true, .hidden_counts = true, .nothing_divided = true) },
                { "the outputs are brought to the new measure; what they are divided by is not",
                  WITH(.sum_kept = true, .hidden_counts = true, .nothing_divided = true) },
                { "the sum of weights is brought to the new measure; the outputs are not",
                  WITH(.out_kept = true, .hidden_counts = true, .nothing_divided = true) },
                { "nothing is rescaled when c is raised",
                  WITH(.sum_kept = true, .out_kept = true, .hidden_counts = true, .nothing_divided = true) },
                { "the weight at hand is still in the measure of the old c",
                  WITH(.late = true, .hidden_counts = true) },
                { "the outputs are not divided by the sum of the weights", WITH(.undivided = true) },
                { "what comes behind a hidden score is left out, too", WITH(.stops = true) },
                { "the sum of weights is brought to the new measure; the outputs are multiplied by the reverse",
                  WITH(.out_turned = true) },
                { "the outputs are brought to the new measure; their sum is multiplied by the reverse",
                  WITH(.sum_turned = true) },
                { "what was gathered has been brought to the new measure twice", WITH(.twice = true) },
                { "the score that raises c is left out: it has a weight, too, of 1", WITH(.skips = true) },
                { "a hidden score makes c −∞ again: it should change nothing", WITH(.resets = true) },
                { "the outputs are divided in each turn: once, in the end, is meant", WITH(.each_turn = true) },
                { "the outputs are divided by the number of keys, not by the sum of their weights",
                  WITH(.by_keys = true) },
                { "a hidden score counts as 0: it should count for nothing", WITH(.hidden_0 = true) },
                { "the weights gathered before c was raised are thrown away", WITH(.forgets = true) },
                { "the weights are powers of e: these scores are in powers of 2", WITH(.of_e = true) } } });
    judge_trying(judge, "my_lazy_output: %s, far = %g: how often was c raised", which, (double)far);
    judge_claim(judge, raised == expected,
                (Hints){ .property = raised > expected ? "more often than scores lie further than `far` above c"
                                                       : "less often than scores lie further than `far` above c",
                         .question = "what is a score compared with: the one before, the largest so far, or c?" });
}

static void check(Judge *judge)
{
    output_of(judge, "scores 3, 1, 2", (float[]){ 3, 1, 2 }, 3, 4);
    output_of(judge, "scores 1, 2, 3", (float[]){ 1, 2, 3 }, 3, 4);
    output_of(judge, "scores 1, 2, 8, 3", (float[]){ 1, 2, 8, 3 }, 4, 4);
    output_of(judge, "scores 0, 3, 6, 9, 12, 11", (float[]){ 0, 3, 6, 9, 12, 11 }, 6, 4);
    output_of(judge, "scores 1, 5, 2", (float[]){ 1, 5, 2 }, 3, 4);
    output_of(judge, "scores 0, 1, 2, 3", (float[]){ 0, 1, 2, 3 }, 4, 0);
    output_of(judge, "scores 2, -INFINITY, 3", (float[]){ 2, -INFINITY, 3 }, 3, 4);
    output_of(judge, "scores -INFINITY, 2, 9", (float[]){ -INFINITY, 2, 9 }, 3, 4);
    output_of(judge, "scores -INFINITY twice", (float[]){ -INFINITY, -INFINITY }, 2, 4);
    output_of(judge, "scores -300, 20, 60.5", (float[]){ -300, 20, 60.5f }, 3, 40);
}

int main(void) { return judge_main("15b", check); }
