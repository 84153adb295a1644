// Tests of lib/attention/evicting.c: against a cache of lists that forgets by the words of the policy, in float64.
#include "attention/evicting.h"

#include "attention/online.h"
#include "base/cost.h"
#include "base/portable_math.h"
#include "support/random_inputs.h"
#include "support/suite.h"

enum { H_MOST = 6, T_MOST = 40 };
static const int groups[][2] = { { 1, 1 }, { 2, 1 }, { 4, 2 }, { 6, 3 }, { 3, 3 } };
enum { GROUPS = sizeof groups / sizeof *groups };

typedef struct {
    int T, H, G, d, dv;
    Mask masks[H_MOST];
    Mat q, k, v;
} Sequence;

static Sequence some_sequence(int T)
{
    const int *HG = groups[below(GROUPS)];
    Sequence s = { .T = T, .H = HG[0], .G = HG[1], .d = 1 + below(6), .dv = below(5) };
    s.q = random_mat(arena, &random_state, T, s.H * s.d);
    s.k = random_mat(arena, &random_state, T, s.G * s.d);
    s.v = random_mat(arena, &random_state, T, s.G * s.dv);
    for (int h = 0; h < s.H; h++) s.masks[h] = (Mask){ .causal = true };
    return s;
}

static Attended room(const Sequence *s, int n, int S)
{
    return (Attended){ mat_new(arena, n, s->H * s->dv), mat_new(arena, n, s->H), mat_new(arena, s->H * n, S) };
}

static Mat rows(Mat m, int first, int n) { return mat_rows(m, first, n); }

// ---- the policy in words, for one key head: which tokens are kept, what weight each has had

typedef struct {
    bool kept[T_MOST];
    double weight[T_MOST];
} Kept;

static double weight_of(const Kept *head, EvictPolicy policy, int t, int now)
{
    return policy == EVICT_LIGHTEST_MEAN ? head->weight[t] / (now - t + 1) : head->weight[t];
}

static int goes(const Kept *head, EvictPolicy policy, int budget, int now)
{
    bool lightest = policy == EVICT_LIGHTEST || policy == EVICT_LIGHTEST_MEAN;
    int newest = budget / 2 > 1 ? budget / 2 : 1, who = -1;
    for (int t = 0; t <= now - newest; t++) {
        if (!head->kept[t]) continue;
        if (who < 0) {
            who = t;
            continue;
        }
        double weight = weight_of(head, policy, t, now), against = weight_of(head, policy, who, now);
        if ((lightest && weight < against) || (policy == EVICT_HEAVIEST && weight > against)) who = t;
    }
    return who;
}

// Weights of query t of head h over the tokens that are kept; returns log Σ exp.
static double weigh(double *weights, const Sequence *s, const Kept *head, int h, int t)
{
    int g = h / (s->H / s->G);
    double scores[T_MOST];
    for (int j = 0; j <= t; j++) {
        double sum = 0.0;
        for (int c = 0; c < s->d; c++)
            sum += (double)*mat_ref(s->q, t, h * s->d + c) * (double)*mat_ref(s->k, j, g * s->d + c);
        scores[j] = head->kept[j] ? sum / sqrt(s->d) : -INFINITY;
    }
    reference_softmax(weights, scores, t + 1);
    return reference_logsumexp(scores, t + 1);
}

// All tokens: weights (H T, T), out (T, H dv), lse (T, H).
static void by_the_words(const Sequence *s, EvictPolicy policy, int budget, Table weights, Table out, Table lse)
{
    for (int g = 0; g < s->G; g++) {
        Kept head = { .kept = { false } };
        for (int t = 0, count = 0; t < s->T; t++) {
            head.kept[t] = true;
            count++;
            for (int n = 0, h = g * (s->H / s->G); n < s->H / s->G; n++, h++) {
                double *row = weights.at + (h * s->T + t) * s->T;
                lse.at[t * s->H + h] = weigh(row, s, &head, h, t);
                for (int j = 0; j <= t; j++) {
                    head.weight[j] += row[j];
                    for (int c = 0; c < s->dv; c++)
                        out.at[t * s->H * s->dv + h * s->dv + c] += row[j] * (double)*mat_ref(s->v, j, g * s->dv + c);
                }
            }
            if (count <= budget) continue;
            head.kept[goes(&head, policy, budget, t)] = false;
            count--;
        }
    }
}

static EvictingCache cache_of(const Sequence *s, EvictPolicy policy, int budget)
{
    return evicting_new(arena, policy, budget, s->G, s->G * s->d, s->G * s->dv, 7);
}

TEST(as_the_words_say)
{
    static const EvictPolicy policies[] = { EVICT_LIGHTEST, EVICT_OLDEST, EVICT_HEAVIEST, EVICT_LIGHTEST_MEAN };
    for (int round = 0; round < 300; round++) {
        ArenaMark mark = arena_mark(arena);
        Sequence s = some_sequence(1 + below(T_MOST));
        int budget = 1 + below(s.T + 2);
        EvictPolicy policy = policies[round % 4];
        EvictingCache cache = cache_of(&s, policy, budget);
        Attended got = room(&s, s.T, s.T);
        AttentionKernel *kernel = round % 8 < 4 ? attention_online : attention_naive;
        bool chunks = round % 3 == 0; // else all at once, and the weights too
        for (int first = 0, n; first < s.T && chunks; first += n) {
            n = 1 + below(s.T - first);
            Attended to = { rows(got.out, first, n), rows(got.lse, first, n), { 0 } };
            evicting_attend(to, &cache, rows(s.q, first, n), rows(s.k, first, n), rows(s.v, first, n), s.H, s.masks,
                            kernel);
        }
        if (!chunks) evicting_attend(got, &cache, s.q, s.k, s.v, s.H, s.masks, kernel);
        Table weights = table_new(arena, s.H * s.T, s.T), out = table_new(arena, s.T, s.H * s.dv),
              lse = table_new(arena, s.T, s.H);
        by_the_words(&s, policy, budget, weights, out, lse);
        case_is("round %d: %s, %d of %d tokens, H %d, G %d", round, evicting_names[policy], budget, s.T, s.H, s.G);
        if (!chunks) assert_close(got.weights, weights.at, 1e-4, 2e-6);
        assert_close(got.out, out.at, 1e-4, 4e-6);
        assert_close(got.lse, lse.at, 1e-4, 4e-6);
        arena_release(arena, mark);
    }
}

// At random: the newest half stays, and of the others each goes about as often. Here 3 of 4 others stay each time.
TEST(at_random)
{
    enum { ROUNDS = 4000, T = 9, BUDGET = 8 };
    int gone[T] = { 0 };
    Mask mask = { .causal = true };
    for (int round = 0; round < ROUNDS; round++) {
        ArenaMark mark = arena_mark(arena);
        EvictingCache cache = evicting_new(arena, EVICT_RANDOM, BUDGET, 1, 1, 1, (uint64_t)round);
        Mat ones = mat_new(arena, T, 1);
        Attended to = { mat_new(arena, T, 1), { 0 }, mat_new(arena, T, T) };
        evicting_attend(to, &cache, ones, ones, ones, 1, &mask, attention_naive);
        bool kept[T] = { false };
        for (int row = 0; row < cache.kept; row++) {
            ck_assert(!kept[cache.token[row]]);
            kept[cache.token[row]] = true;
        }
        for (int t = 0; t < T; t++) gone[t] += !kept[t];
        arena_release(arena, mark);
    }
    for (int t = 0; t < T; t++)
        if (t < 5) ck_assert_msg(gone[t] > 700 && gone[t] < 900, "token %d went %d times of %d", t, gone[t], ROUNDS);
        else ck_assert_int_eq(gone[t], 0);
}

TEST(costs)
{
    enum { T = 10, G = 2, H = 4, d = 3, dv = 5, BUDGET = 4 };
    Mask masks[H] = { { .causal = true }, { .causal = true }, { .causal = true }, { .causal = true } };
    EvictingCache cache = evicting_new(arena, EVICT_LIGHTEST, BUDGET, G, G * d, G * dv, 1);
    KvStore store = evicting_store(&cache);
    Mat q = random_mat(arena, &random_state, T, H * d), k = random_mat(arena, &random_state, T, G * d);
    Mat v = random_mat(arena, &random_state, T, G * dv), out = mat_new(arena, T, H * dv);
    for (int t = 0; t < T; t++) {
        cost_counted = (Cost){ 0 };
        store.attend((Attended){ .out = rows(out, t, 1) }, store.cache, rows(q, t, 1), rows(k, t, 1), rows(v, t, 1), H,
                     masks, attention_naive);
        int seen = t < BUDGET ? t + 1 : BUDGET + 1, kept = t < BUDGET ? t + 1 : BUDGET;
        ck_assert_int_eq(cost_counted.multiplies, seen * H * (d + dv));
        ck_assert_int_eq(cost_counted.reads, H * d + G * (d + dv) + seen * G * (d + dv));
        ck_assert_int_eq(cost_counted.writes, G * (d + dv) + H * dv);
        ck_assert_int_eq(store.bytes(store.cache), 4 * kept * G * (d + dv + 2));
        ck_assert_int_eq(store.length(store.cache), t + 1);
        ck_assert_int_eq(cache.kept, kept);
    }
}

TEST_ABORTS(does_not_fit, 9)
{
    quiet();
    Mat m = mat_new(arena, 2, 4);
    Attended to = { .out = mat_new(arena, 2, 4) };
    EvictingCache cache = evicting_new(arena, EVICT_OLDEST, 4, 2, 4, 4, 1);
    Mask masks[2] = { { .causal = true }, { .causal = true } };
    switch (_i) {
    case 0: evicting_new(arena, EVICT_OLDEST, 0, 2, 4, 4, 1); break;
    case 1: evicting_new(arena, EVICT_OLDEST, 4, 3, 4, 4, 1); break;
    case 2: masks[1].causal = false; break;
    case 3: masks[1].window = 2; break;
    case 4: masks[1].alibi = 0.5f; break;
    case 5: masks[0].padding = 1; break;
    case 6: masks[0].shift = 1; break;
    case 7: m.cols = 2; break;
    default: to.out.cols = 2; break;
    }
    evicting_attend(to, &cache, m, m, m, 2, masks, attention_naive);
}
