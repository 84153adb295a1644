// lib/model/pretrained_run.c and published_look.c: running on from a run that stands is running anew, to the bit, and is
// less work; heads that are off and stand-ins; what each head adds, held to sums that are worked out here.
#include "model/pretrained_run.h"

#include "base/cost.h"
#include "base/portable_math.h"
#include "support/published.h"
#include "support/reference.h"
#include "support/suite.h"

#include <string.h>

static const PublishedCase *cases;
static int count;
static void setup(void) { count = published_cases(&cases, arena); }
FIXTURE(setup, NULL);

static PretrainedModel *opened(const char *folder) { return published_open(arena, folder); }

static PretrainedModel *named(const char *name)
{
    return opened(arena_format(arena, "data/reference/published/%s", name));
}

// ---- on from a run that stands

static void assert_same_runs(const PretrainedRun *got, const PretrainedRun *want)
{
    for (int l = 0; l < want->model->is.L; l++) {
        const PretrainedStages *a = &got->layers[l], *b = &want->layers[l];
        assert_same(a->in, b->in);
        assert_same(a->q, b->q);
        assert_same(a->k, b->k);
        assert_same(a->v, b->v);
        assert_same(a->heads, b->heads);
        assert_same(a->gated, b->gated);
        assert_same(a->attended, b->attended);
        assert_same(a->mlp, b->mlp);
        assert_same(a->out, b->out);
    }
    assert_same(got->last, want->last);
}

// `next`, run on from `before` and run anew: the same. Answers what the first took, as a part of the second's work.
static double share_of_work(const PretrainedModel *m, PretrainedInput before, PretrainedInput next)
{
    PretrainedRun first = pretrained_run(arena, m, before, NULL, NULL);
    cost_counted = (Cost){ 0 };
    PretrainedRun on = pretrained_run_after(arena, &first, next, NULL, NULL);
    double less = (double)cost_counted.multiplies;
    cost_counted = (Cost){ 0 };
    PretrainedRun anew = pretrained_run(arena, m, next, NULL, NULL);
    assert_same_runs(&on, &anew);
    return less / (double)cost_counted.multiplies;
}

// A token that differs, amid the text and at its end; a text that goes on; a shorter one.
TEST(other_tokens)
{
    for (int n = 0; n < count; n++) {
        const PublishedCase *c = &cases[n];
        PretrainedModel *m = opened(c->folder);
        PretrainedInput a = published_case_input(c, true), b = a;
        int *other = arena_alloc(arena, (size_t)c->T * sizeof(int));
        case_is("%s", c->name);
        memcpy(other, c->tokens, (size_t)c->T * sizeof(int));
        ck_assert(share_of_work(m, a, a) == 0.0);
        b.tokens = other;
        other[c->T / 2] = 1;
        double half = share_of_work(m, a, b);
        memcpy(other, c->tokens, (size_t)c->T * sizeof(int));
        other[c->T - 1] = 2;
        double last = share_of_work(m, a, b);
        if (m->is.causal && c->T >= 4 && c->padding == 0)
            ck_assert_msg(last < half && half < 0.75, "%s: %g and %g", c->name, last, half);
        if (!m->is.causal) ck_assert(half == 1.0);
        if (c->T < 2) continue;
        b.T = c->T - 1;
        if (b.padding) b.padding--;
        share_of_work(m, a, b);
        share_of_work(m, b, a);
        pretrained_close(m);
    }
}

static bool little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

// Rounding what meets weights of bf16 moves the last states by some thousandths of their largest, and other weights'
// not at all. What was not rounded is computed anew.
TEST(rounded_runs)
{
    int models = 0;
    for (int n = 0; n < count; n++) {
        PretrainedModel *m = opened(cases[n].folder);
        PretrainedInput exact = published_case_input(&cases[n], false), rounded = exact;
        rounded.rounded = true;
        PretrainedRun a = pretrained_run(arena, m, exact, NULL, NULL),
                      b = pretrained_run(arena, m, rounded, NULL, NULL);
        PretrainedRun on = pretrained_run_after(arena, &a, rounded, NULL, NULL);
        bool rounds = little_endian() && m->layers[0].up.weight.stored == DTYPE_BF16;
        double largest = 0.0, off = (double)mat_max_difference(a.last, b.last);
        for (int i = 0; i < a.last.rows * a.last.cols; i++) largest = fmax(largest, fabs((double)a.last.at[i]));
        case_is("%s", cases[n].name);
        assert_same_runs(&on, &b);
        if (rounds) ck_assert_msg(off > 1e-5 * largest && off < 0.03 * largest, "off by %g of %g", off, largest);
        else ck_assert(off == 0.0);
        exact.plain = rounded.plain = true;
        PretrainedRun c = pretrained_run(arena, m, exact, NULL, NULL),
                      d = pretrained_run(arena, m, rounded, NULL, NULL);
        assert_same_runs(&d, &c);
        models += rounds;
        pretrained_close(m);
    }
    ck_assert(models > 3 || !little_endian());
}

static Mat gates_of(const PretrainedModel *m, float on)
{
    Mat gates = mat_new(arena, m->is.L, m->is.H);
    mat_fill(gates, on);
    return gates;
}

static Mat *stand_ins(const PretrainedModel *m, int T)
{
    Mat *instead = arena_alloc(arena, (size_t)m->is.L * sizeof *instead);
    Random random = random_from(3);
    for (int l = 0; l < m->is.L; l++) instead[l] = random_mat(arena, &random, T, m->is.H * m->is.d);
    return instead;
}

// Gates of the last layer that differ leave the layers below as they are, those of the first change all above; so do
// stand-ins, from their row on.
TEST(other_gates)
{
    for (int n = 0; n < count; n++) {
        const PublishedCase *c = &cases[n];
        PretrainedModel *m = opened(c->folder);
        PretrainedInput a = published_case_input(c, true), b = a;
        case_is("%s", c->name);
        b.gates = gates_of(m, 1.0f);
        *mat_ref(b.gates, m->is.L - 1, m->is.H - 1) = 0.0f;
        double share = share_of_work(m, a, b);
        ck_assert_msg(share < 0.7 / m->is.L + 0.3, "%s: %g", c->name, share);
        share_of_work(m, b, a);
        PretrainedInput below = a;
        below.gates = gates_of(m, 1.0f);
        *mat_ref(below.gates, 0, 0) = 0.5f;
        share_of_work(m, a, below);
        share_of_work(m, below, b);

        PretrainedInput d = b;
        b.instead = stand_ins(m, c->T);
        share_of_work(m, d, b);
        share_of_work(m, b, d);
        d.instead = stand_ins(m, c->T);
        Mat changed = mat_copy(arena, d.instead[m->is.L - 1]);
        *mat_ref(changed, c->T - 1, changed.cols - 1) += 1.0f;
        ((Mat *)(void *)(uintptr_t)d.instead)[m->is.L - 1] = changed;
        share = share_of_work(m, b, d);
        if (c->T > 4) ck_assert_msg(share < 0.3, "%s: %g", c->name, share);
        pretrained_close(m);
    }
}

static void count_layer(void *context, int done) { *(int *)context += done; }

TEST(layers_are_told)
{
    PretrainedModel *m = named("gpt2-by-layer");
    const PublishedCase *c = published_case(arena, "gpt2-by-layer");
    int told = 0;
    pretrained_run(arena, m, published_case_input(c, true), count_layer, &told);
    ck_assert_int_eq(told, 1 + 2 + 3);
    ck_assert_int_eq(pretrained_longest(m), 12);
    ck_assert_int_eq(pretrained_longest(named("llama")), 0);
    ck_assert_int_eq(pretrained_longest(named("roberta")), 20 - 2);
    ck_assert_int_eq(pretrained_longest(named("opt")), 16);
}

// More queries than are taken at a time: both ways to add up agree, and a text that goes on does as well.
TEST(long_texts)
{
    enum { LONG = 300 };
    static const char *const names[] = { "llama", "mistral", "bloom", "gemma2" };
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        PretrainedModel *m = named(names[n]);
        int tokens[LONG];
        for (int t = 0; t < LONG; t++) tokens[t] = t * 11 % m->is.words;
        PretrainedInput plain = { .tokens = tokens, .T = LONG, .plain = true }, fast = plain, less = plain;
        fast.plain = false;
        less.T = 280;
        PretrainedRun a = pretrained_run(arena, m, plain, NULL, NULL), b = pretrained_run(arena, m, fast, NULL, NULL);
        Table want = table_of(arena, a.last);
        case_is("%s", names[n]);
        assert_close(b.last, want.at, 1e-4, 1e-4);
        share_of_work(m, less, plain);
        Mat map = pretrained_weights(arena, &a, 0, 1);
        for (int t = 0; t < LONG; t++) {
            ck_assert_double_eq_tol(mat_sum(mat_rows(map, t, 1)), 1.0, 1e-4);
            ck_assert(t == LONG - 1 || *mat_ref(map, t, t + 1) == 0.0f);
        }
        pretrained_close(m);
    }
}

// ---- memory in common

enum { MOST = 90 };

static PretrainedInput counted_up(const PretrainedModel *m, int *tokens, int T, int last)
{
    for (int t = 0; t < T; t++) tokens[t] = t == T - 1 ? last : t * 11 % m->is.words;
    return (PretrainedInput){ .tokens = tokens, .T = T, .plain = true };
}

static bool share_memory(const PretrainedRun *a, const PretrainedRun *b)
{
    int top = a->model->is.L - 1;
    return a->layers[0].in.at == b->layers[0].in.at && a->layers[top].v.at == b->layers[top].v.at &&
           a->last.at == b->last.at;
}

static PretrainedRun run_anew(const PretrainedModel *m, const PretrainedInput *input)
{
    return pretrained_run(arena, m, *input, NULL, NULL);
}

// A text that grows token by token, each run in an arena of its own, the one before closed: each is as if run anew, and
// all but a few are written into the memory of the run before.
TEST(growing_texts)
{
    static const char *const names[] = { "llama", "bloom", "gemma2" };
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        PretrainedModel *m = named(names[n]);
        int tokens[MOST], moved = 0;
        Arena *last = arena_open(), *next;
        PretrainedRun run = pretrained_run(last, m, counted_up(m, tokens, 1, 0), NULL, NULL);
        case_is("%s", names[n]);
        for (int T = 2; T <= MOST; T++) {
            PretrainedInput input = counted_up(m, tokens, T, (T - 1) * 11 % m->is.words);
            next = arena_open();
            PretrainedRun on = pretrained_run_after(next, &run, input, NULL, NULL), anew = run_anew(m, &input);
            moved += !share_memory(&on, &run);
            arena_close(last);
            assert_same_runs(&on, &anew);
            run = on;
            last = next;
        }
        arena_close(last);
        ck_assert_int_eq(moved, 3); // 17 rows, 18 + 9 + 16 = 43, 44 + 22 + 16 = 82, and more
        pretrained_close(m);
    }
}

// Two runs that go on from the same one have different rows behind it; neither changes the other, nor the one before.
TEST(runs_that_fork)
{
    PretrainedModel *m = named("llama");
    int tokens[MOST];
    PretrainedInput input = counted_up(m, tokens, 8, 3);
    PretrainedRun stem = run_anew(m, &input), stem_anew = run_anew(m, &input);
    input = counted_up(m, tokens, 9, 4);
    tokens[7] = 3;
    Arena *first = arena_open(), *second = arena_open(), *third = arena_open();
    PretrainedRun a = pretrained_run_after(first, &stem, input, NULL, NULL), a_anew = run_anew(m, &input);
    tokens[8] = 5;
    PretrainedRun b = pretrained_run_after(second, &stem, input, NULL, NULL), b_anew = run_anew(m, &input);
    ck_assert(share_memory(&a, &stem) && !share_memory(&b, &stem));
    assert_same_runs(&stem, &stem_anew);
    assert_same_runs(&a, &a_anew);
    assert_same_runs(&b, &b_anew);

    // Once the first is gone, there is room again.
    arena_close(first);
    PretrainedRun c = pretrained_run_after(third, &stem, input, NULL, NULL);
    ck_assert(share_memory(&c, &stem));
    assert_same_runs(&c, &b_anew);
    arena_close(second);
    arena_close(third);
}

// ---- gates

TEST(gated_by_hand)
{
    PretrainedModel *m = named("llama-biases");
    const PublishedCase *c = published_case(arena, "llama-biases");
    PretrainedInput input = published_case_input(c, true);
    input.gates = gates_of(m, 1.0f);
    *mat_ref(input.gates, 0, 1) = 0.25f;
    *mat_ref(input.gates, 0, 2) = 0.0f;
    input.instead = stand_ins(m, c->T);
    PretrainedStages at = pretrained_run(arena, m, input, NULL, NULL).layers[0];
    for (int t = 0; t < c->T; t++)
        for (int i = 0; i < at.heads.cols; i++) {
            float gate = *mat_ref(input.gates, 0, i / m->is.d), own = *mat_ref(at.heads, t, i);
            float other = *mat_ref(input.instead[0], t, i), got = *mat_ref(at.gated, t, i);
            ck_assert_float_eq_tol(got, gate * own + (1.0f - gate) * other, 1e-6f);
        }
}

// Rows of the stream before any layer, and before the last norm: its own change nothing; another text's are there, rows
// before them stay in a causal model, and run anew it is the same, to the bit. Patched with what one other token makes
// of its row before layer 0, it is the run of that token.
TEST(rows_of_another_run)
{
    for (int n = 0; n < count; n++) {
        const PublishedCase *c = &cases[n];
        PretrainedModel *m = opened(c->folder);
        PretrainedInput input = published_case_input(c, true);
        int *other = arena_alloc(arena, (size_t)c->T * sizeof(int)), T = c->T, row = T - c->padding - 1, L = m->is.L;
        case_is("%s", c->name);
        memcpy(other, c->tokens, (size_t)T * sizeof(int));
        other[row] = other[row] == 1 ? 2 : 1;
        PretrainedRun run = pretrained_run(arena, m, input, NULL, NULL);
        Mat kept = mat_copy(arena, run.last);
        input.tokens = other;
        PretrainedRun from = pretrained_run(arena, m, input, NULL, NULL);
        input.tokens = c->tokens;
        for (int l = 0; l <= L; l++) {
            Mat own = l < L ? run.layers[l].in : run.layers[L - 1].out;
            Mat theirs = l < L ? from.layers[l].in : from.layers[L - 1].out;
            input.patch = &(StreamPatch){ l, 0, own };
            PretrainedRun same = pretrained_run_after(arena, &run, input, NULL, NULL);
            assert_same(same.last, run.last);
            input.patch = &(StreamPatch){ l, row, mat_rows(theirs, row, 1) };
            PretrainedRun on = pretrained_run_after(arena, &run, input, NULL, NULL);
            PretrainedRun anew = pretrained_run(arena, m, input, NULL, NULL);
            assert_same_runs(&on, &anew);
            assert_same(mat_rows(l < L ? on.layers[l].in : on.layers[L - 1].out, row, 1), mat_rows(theirs, row, 1));
            if (l == 0 && m->is.places != FAMILY_POSITIONS_LEARNED) assert_same(on.last, from.last);
            if (l == L || m->is.causal) assert_same(mat_rows(on.last, 0, row), mat_rows(run.last, 0, row));
            assert_same(run.last, kept);
        }
        pretrained_close(m);
    }
}

// ---- what each head adds

// Σ measure · y of one row of a term, through a norm whose divisor is the whole row's.
static double through(const Architecture *is, const float *measure, PretrainedNorm norm, const float *y,
                      const float *whole)
{
    double mean = 0, of_y = 0, squares = 0, sum = 0;
    int D = is->D;
    for (int c = 0; c < D && is->norm == FAMILY_NORM_LAYER; c++) mean += (double)whole[c] / D;
    for (int c = 0; c < D && is->norm == FAMILY_NORM_LAYER; c++) of_y += (double)y[c] / D;
    for (int c = 0; c < D; c++) squares += ((double)whole[c] - mean) * ((double)whole[c] - mean) / D;
    for (int c = 0; c < D; c++) {
        double gain = (double)norm.gain.at[c] + (is->norm == FAMILY_NORM_RMS_PLUS_ONE);
        sum += (double)measure[c] * ((double)y[c] - of_y) / sqrt(squares + is->eps) * gain;
    }
    return sum;
}

static bool sums_up(const PretrainedModel *m)
{
    return m->is.head && !m->head_dense.weight.at && mat_empty(m->layers[0].sum_attention.gain);
}

// Embedding, heads, biases of Wo, MLPs and the last norm's bias, one after the other: the logit.
static void assert_shares(const PublishedCase *c, const PretrainedModel *m, const PretrainedRun *run, int t, int word)
{
    const Architecture *is = &m->is;
    Mat measure = mat_new(arena, 1, is->D), shares;
    Error error = { .text = "" };
    const float *whole = mat_row(run->layers[is->L - 1].out, t), *u = measure.at;
    weight_row(measure, m->output.weight, word);
    bool has = pretrained_attribution(&shares, arena, run, t, word, -1, &error);
    ck_assert_msg(has, "%s", error.text);
    double sum = through(is, u, m->last_norm, mat_row(run->layers[0].in, t), whole);
    for (int l = 0; l < is->L; l++) {
        Mat rest = mat_copy(arena, mat_rows(run->layers[l].attended, t, 1));
        for (int h = 0; h < is->H; h++) {
            Mat writes = pretrained_writes(arena, run, l, h);
            double share = through(is, u, m->last_norm, mat_row(writes, t), whole);
            ck_assert_msg(fabs(share - (double)*mat_ref(shares, l, h)) < 2e-5 * (1.0 + fabs(share)),
                          "%s: head %d of layer %d adds %g, not %g", c->name, h, l, (double)*mat_ref(shares, l, h),
                          share);
            sum += (double)*mat_ref(shares, l, h);
            for (int i = 0; i < is->D; i++) rest.at[i] -= *mat_ref(writes, t, i);
        }
        sum += through(is, u, m->last_norm, rest.at, whole);
        sum += through(is, u, m->last_norm, mat_row(run->layers[l].mlp, t), whole);
        for (int i = 0; i < is->D && mat_empty(m->layers[l].o.bias); i++)
            ck_assert_msg(fabsf(rest.at[i]) < 1e-5f, "%s: heads of layer %d leave %g", c->name, l, (double)rest.at[i]);
        bool own = !mat_empty(m->layers[l].o.bias) && mat_empty(m->layers[l].after_attention.gain);
        for (int i = 0; i < is->D && own; i++) ck_assert_float_eq_tol(rest.at[i], m->layers[l].o.bias.at[i], 1e-5f);
    }
    for (int i = 0; i < is->D && !mat_empty(m->last_norm.bias); i++) sum += (double)(u[i] * m->last_norm.bias.at[i]);
    if (!mat_empty(m->output.bias)) sum += (double)m->output.bias.at[word];
    if (is->logit_cap > 0.0) sum = is->logit_cap * tanh(sum / is->logit_cap);
    double logit = (double)*mat_ref(pretrained_logits(arena, run, t), 0, word);
    ck_assert_msg(fabs(sum - logit) < 5e-5 * (1.0 + fabs(logit)), "%s: shares are %g in all, the logit is %g", c->name,
                  sum, logit);
}

TEST(shares_are_the_logit)
{
    int tried = 0;
    for (int n = 0; n < count; n++) {
        PretrainedModel *m = opened(cases[n].folder);
        PretrainedInput input = published_case_input(&cases[n], n % 2);
        if (n % 3 == 0) {
            input.gates = gates_of(m, 0.5f);
            *mat_ref(input.gates, 0, 0) = 0.0f;
        }
        PretrainedRun run = pretrained_run(arena, m, input, NULL, NULL);
        if (sums_up(m)) {
            assert_shares(&cases[n], m, &run, cases[n].T - 1, 3);
            assert_shares(&cases[n], m, &run, 0, m->is.words - 1);
            tried++;
        }
        pretrained_close(m);
    }
    ck_assert_int_ge(tried, 30);
}

TEST(some_have_no_sum)
{
    static const char *const none[][2] = { { "bert", "has a dense layer before its words, so its logits are no sum" },
                                           { "gpt2-base-old",
                                             "gives no logits, so its logits are no sum over heads" } };
    for (int i = 0; i < 2; i++) {
        PretrainedInput input = published_case_input(published_case(arena, none[i][0]), true);
        PretrainedRun run = pretrained_run(arena, named(none[i][0]), input, NULL, NULL);
        Mat shares;
        Error error = { .text = "" };
        ck_assert(!pretrained_attribution(&shares, arena, &run, 0, 0, -1, &error));
        ck_assert_msg(strstr(error.text, none[i][1]), "%s", error.text);
    }
}

// ---- what may be seen

TEST(hidden_keys)
{
    for (int n = 0; n < count; n++) {
        const PublishedCase *c = &cases[n];
        PretrainedModel *m = opened(c->folder);
        PretrainedRun run = pretrained_run(arena, m, published_case_input(c, true), NULL, NULL);
        for (int l = 0; l < m->is.L; l++) {
            Mat scores = pretrained_scores(arena, &run, l, m->is.H - 1);
            for (int i = 0; i < c->T; i++)
                for (int j = 0; j < c->T; j++) {
                    int W = m->is.window[l];
                    bool sees = j < c->T - c->padding && (!m->is.causal || j <= i) && (!W || i - j < W);
                    ck_assert_int_eq(pretrained_sees(&run, l, i, j), sees);
                    ck_assert_int_eq(*mat_ref(scores, i, j) != -INFINITY, sees);
                }
        }
        pretrained_close(m);
    }
}

// ---- a caller's mistakes

TEST_ABORTS(mistakes_stop_the_program, 3)
{
    static const int T[] = { 3, 13, 0 }; // a token out of range, too long, nothing
    int tokens[13] = { _i == 0 ? 29 : 0 };
    quiet();
    pretrained_run(arena, named("gpt2"), (PretrainedInput){ .tokens = tokens, .T = T[_i] }, NULL, NULL);
}
