// Tests of lib/judge/diagnosis.c and causes.c: every mistake is made by another program, and must be named.
#include "judge/diagnosis.h"

#include "support/toy.h"

#include <check.h>
#include <math.h>
#include <string.h>

static Arena *arena;
static Random random_state;
static void setup(void) { arena = arena_open(); random_state = random_from(1); }
static void teardown(void) { arena_close(arena); }

static const Tolerance strict = { 1e-6, 1e-9 };

static double *judged(const Toy *toy)
{
    Shape is = toy->setting.is;
    double *out = arena_alloc(arena, (size_t)(is.B * is.H * is.T * is.dv) * sizeof *out);
    judge_all((Judged){ .out = out }, &toy->problem, &toy->setting.rules);
    return out;
}

static Case case_of(const Toy *toy, const double *theirs)
{
    Shape is = toy->setting.is;
    Case c = { &toy->problem, toy->setting, OUTPUT, theirs, judged(toy), strict, { 0 } };
    c.found = compare(theirs, c.ours, (size_t)(is.B * is.H * is.T * is.dv), strict);
    return c;
}

// Several mistakes may give the same numbers; then all of them are named, up to the number that is reported.
static bool named(const Diagnosis *d, const char *name)
{
    for (int e = 0; e < d->count; e++)
        if (d->findings[e].fits && !d->findings[e].other && !strcmp(d->findings[e].name, name)) return true;
    return false;
}

static const char *said(const Diagnosis *d)
{
    const char *text = d->precision ? "precision" : d->count ? "" : "nothing";
    for (int e = 0; e < d->count; e++)
        text = arena_format(arena, "%s[%s%s%s%s]", text, d->findings[e].name, d->findings[e].other ? " and " : "",
                            d->findings[e].other ? d->findings[e].other : "", d->findings[e].fits ? "" : "?");
    return text;
}

// Made by toy.c on random problems until it has changed something 12 times.
START_TEST(every_mistake_is_named)
{
    const Cause *cause = &causes[_i];
    int seen = 0, tries = 0;
    for (; seen < 12 && tries < 3000; tries++) {
        ArenaMark mark = arena_mark(arena);
        Toy toy = toy_random(arena, &random_state);
        Variation unused = { .rules = toy.setting.rules };
        if (cause->apply(&unused, &toy.setting)) {
            Case c = case_of(&toy, toy_output(arena, &toy, cause->name));
            if (c.found.out) {
                Diagnosis d;
                diagnose(&d, arena, &c);
                Shape is = toy.setting.is;
                Rules r = toy.setting.rules;
                ck_assert_msg(named(&d, cause->name), "%s: said %s; B %d H %d G %d T %d S %d d %d dv %d causal %d "
                              "window %d sinks %d alibi %d padded %d", cause->name, said(&d), is.B, is.H, is.G, is.T,
                              is.S, is.d, is.dv, r.causal, r.window, r.sinks, r.alibi, toy.setting.has_lengths);
                seen++;
            }
        }
        arena_release(arena, mark);
    }
    ck_assert_msg(seen == 12, "%s changed something in only %d of %d problems", cause->name, seen, tries);
}
END_TEST

START_TEST(without_a_mistake_nothing_is_out)
{
    for (int e = 0; e < 100; e++) {
        Toy toy = toy_random(arena, &random_state);
        Case c = case_of(&toy, toy_output(arena, &toy, ""));
        ck_assert_msg(c.found.out == 0, "%zu of %zu are out, worst by %g tolerances", c.found.out, c.found.count,
                      c.found.worst);
    }
}
END_TEST

// Numbers that nothing gives: no cause may be named.
START_TEST(noise_is_not_explained)
{
    for (int e = 0; e < 20; e++) {
        Toy toy = toy_random(arena, &random_state);
        Shape is = toy.setting.is;
        double *noise = arena_alloc(arena, (size_t)(is.B * is.H * is.T * is.dv) * sizeof *noise);
        for (int n = 0; n < is.B * is.H * is.T * is.dv; n++) noise[n] = 3 * (double)random_normal(&random_state);
        Case c = case_of(&toy, noise);
        Diagnosis d;
        diagnose(&d, arena, &c);
        ck_assert_msg(!d.reproduces && !d.precision, "noise is said to be %s", said(&d));
        ck_assert_int_gt(d.tried, 10);
        ck_assert_int_eq(d.pairs, d.tried * (d.tried - 1) / 2);
    }
}
END_TEST

// One number of a right result is wrong: no usual mistake does that, and rounding does not either.
START_TEST(one_wrong_number_is_not_explained)
{
    for (int e = 0; e < 20; e++) {
        Toy toy = toy_random(arena, &random_state);
        double *theirs = toy_output(arena, &toy, "");
        theirs[0] += 0.01;
        Case c = case_of(&toy, theirs);
        Diagnosis d;
        ck_assert_uint_eq(c.found.out, 1);
        ck_assert_uint_eq(c.found.at, 0);
        diagnose(&d, arena, &c);
        ck_assert_msg(!d.reproduces && !d.precision && d.count == 0, "said %s", said(&d));
    }
}
END_TEST

static Toy plain_toy(Shape is);

// A mistake and one number besides: the mistake does not give these numbers, in whichever row the number stands.
START_TEST(almost_a_mistake_does_not_fit)
{
    static const char *const names[] = { "kv-mod", "over-queries" };
    Shape is = { 1, 4, 2, 9, 12, 4, 4 };
    for (int e = 0; e < 36; e++) {
        Toy toy = plain_toy(is);
        double *theirs = toy_output(arena, &toy, names[e % 2]);
        theirs[e * is.dv + 1] += 0.01;
        Case c = case_of(&toy, theirs);
        Diagnosis d;
        diagnose(&d, arena, &c);
        ck_assert_uint_eq(d.rows, 36);
        ck_assert_msg(!d.reproduces && !d.precision, "number %d: said %s", e, said(&d));
        ck_assert_msg(d.count && !strcmp(d.findings[0].name, names[e % 2]), "number %d: said %s", e, said(&d));
        ck_assert(d.findings[0].share > 0 && d.findings[0].share < 0.1);
    }
}
END_TEST

// Too much for float32 and too little for float16 is no rounding.
START_TEST(noise_between_the_precisions)
{
    Toy toy = plain_toy((Shape){ 1, 2, 2, 12, 16, 8, 8 });
    double *theirs = judged(&toy);
    for (int e = 0; e < 2 * 12 * 8; e++) theirs[e] *= 1 + 5e-6 * (double)random_normal(&random_state);
    Case c = case_of(&toy, theirs);
    Diagnosis d;
    diagnose(&d, arena, &c);
    ck_assert_msg(!d.precision && !d.reproduces, "said %s", said(&d));
}
END_TEST

static Toy plain_toy(Shape is)
{
    Toy toy = { 0 };
    double **arrays[] = { &toy.q, &toy.k, &toy.v };
    int counts[] = { is.B * is.H * is.T * is.d, is.B * is.G * is.S * is.d, is.B * is.G * is.S * is.dv };
    for (int a = 0; a < 3; a++) {
        *arrays[a] = arena_alloc(arena, (size_t)counts[a] * sizeof(double));
        for (int e = 0; e < counts[a]; e++) (*arrays[a])[e] = (double)random_normal(&random_state);
    }
    toy.problem = (Problem){ is, toy.q, toy.k, toy.v, NULL };
    toy.setting = (Setting){ is, { .causal = true, .scale = 1 / sqrt(is.d) }, false, false, true, "htd" };
    return toy;
}

START_TEST(heads_in_another_order)
{
    Toy toy = plain_toy((Shape){ 2, 4, 2, 5, 7, 4, 3 });
    double *right = judged(&toy), *theirs = arena_alloc(arena, 2 * 4 * 15 * sizeof *theirs);
    static const int order[] = { 2, 0, 3, 1 };
    for (int e = 0; e < 8; e++) memcpy(theirs + e * 15, right + (e / 4 * 4 + order[e % 4]) * 15, 15 * sizeof *theirs);
    Case c = case_of(&toy, theirs);
    Diagnosis d;
    diagnose(&d, arena, &c);
    ck_assert_msg(d.reproduces && !strcmp(d.findings[0].name, "heads-moved"), "said %s", said(&d));
    ck_assert_msg(strstr(d.findings[0].words, "2, 0, 3, 1") != NULL, "%s", d.findings[0].words);
}
END_TEST

START_TEST(a_constant_factor)
{
    Toy toy = plain_toy((Shape){ 1, 4, 2, 5, 7, 4, 3 });
    double *theirs = judged(&toy);
    for (int e = 0; e < 4 * 5 * 3; e++) theirs[e] *= 1.25;
    Case c = case_of(&toy, theirs);
    Diagnosis d;
    diagnose(&d, arena, &c);
    ck_assert_msg(d.reproduces && !strcmp(d.findings[0].name, "multiplied"), "said %s", said(&d));
    ck_assert_str_eq(d.findings[0].words, "every number is 1.25 times ours");
}
END_TEST

// The inputs are rounded, and so is the result: what a program in that precision does. Its accumulation stays exact.
START_TEST(low_precision_is_told_from_mistakes)
{
    static const struct { Precision precision; const char *mistake; } cases[] = {
        { FLOAT16, "" }, { BFLOAT16, "" }, { BFLOAT16, "scale-missing" }, { FLOAT16, "causal-missing" },
        { FLOAT16, "kv-mod" },
    };
    for (int e = 0; e < 10; e++) {
        Toy toy = plain_toy((Shape){ 1, 4, 2, 16 + e, 24 + e, 16, 16 }), low = toy;
        int counts[] = { 4 * (16 + e) * 16, 2 * (24 + e) * 16, 2 * (24 + e) * 16, 4 * (16 + e) * 16 };
        double *arrays[3] = { toy.q, toy.k, toy.v }, *rough[3];
        for (int a = 0; a < 3; a++) {
            rough[a] = arena_alloc(arena, (size_t)counts[a] * sizeof(double));
            for (int n = 0; n < counts[a]; n++) rough[a][n] = judge_rounded(arrays[a][n], cases[_i].precision);
        }
        low.q = rough[0];
        low.k = rough[1];
        low.v = rough[2];
        double *theirs = toy_output(arena, &low, cases[_i].mistake);
        for (int n = 0; n < counts[3]; n++) theirs[n] = judge_rounded(theirs[n], cases[_i].precision);
        Case c = case_of(&toy, theirs);
        Diagnosis d;
        diagnose(&d, arena, &c);
        if (!*cases[_i].mistake) {
            ck_assert_msg(d.precision == cases[_i].precision, "said %d, %s", (int)d.precision, said(&d));
            ck_assert_int_eq(d.count, 0);
        } else {
            ck_assert_msg(d.count && !strcmp(d.findings[0].name, cases[_i].mistake), "said %s", said(&d));
            ck_assert_msg(d.findings[0].precision == cases[_i].precision, "precision %d", (int)d.findings[0].precision);
        }
    }
}
END_TEST

// The scale and the groups are wrong: both are named. Made by asking the mistaken program for another scale.
START_TEST(two_mistakes_are_named)
{
    static const char *const with[] = { "kv-mod", "causal-missing", "top-left", "over-queries", "padding-seen" };
    for (int e = 0; e < 5; e++) {
        Toy toy = plain_toy((Shape){ 2, 4, 2, 5, 8, 4, 4 });
        toy.lengths = (int[]){ 6, 7 };
        if (e == 4) {
            toy.problem.lengths = toy.lengths;
            toy.setting.has_lengths = true;
        }
        Toy unscaled = toy;
        unscaled.setting.rules.scale = 1;
        Case c = case_of(&toy, toy_output(arena, &unscaled, with[e]));
        Diagnosis d;
        diagnose(&d, arena, &c);
        bool found = false;
        for (int f = 0; f < d.count; f++) {
            const char *one = d.findings[f].name, *other = d.findings[f].other ? d.findings[f].other : "";
            found |= (!strcmp(one, with[e]) && !strcmp(other, "scale-missing")) ||
                     (!strcmp(one, "scale-missing") && !strcmp(other, with[e]));
        }
        ck_assert_msg(found && d.reproduces, "%s and scale-missing: said %s", with[e], said(&d));
    }
}
END_TEST

// Too much work for all rows: some are tried, and what fits is tried on all.
START_TEST(large_problems_are_sampled)
{
    Shape is = { 1, 4, 2, 300, 400, 16, 16 };
    Toy toy = plain_toy(is);
    Rules wrong = toy.setting.rules;
    wrong.k_head = wrong.v_head = ROUND_ROBIN;
    size_t count = 4 * 300 * 16;
    double *theirs = arena_alloc(arena, count * sizeof *theirs);
    judge_all((Judged){ .out = theirs }, &toy.problem, &wrong);
    Case c = case_of(&toy, theirs);
    Diagnosis d;
    diagnose(&d, arena, &c);
    ck_assert_uint_lt(d.rows, d.of);
    ck_assert_uint_eq(d.of, 1200);
    ck_assert_msg(named(&d, "kv-mod"), "said %s", said(&d));
    ck_assert_uint_eq(d.findings[0].left.count, count);

    theirs[count - 3] += 1e-4;                       // one more number is wrong, in a row that may not be in the sample
    c = case_of(&toy, theirs);
    diagnose(&d, arena, &c);
    ck_assert_msg(d.count > 0 && !strcmp(d.findings[0].name, "kv-mod"), "said %s", said(&d));
    ck_assert_msg(!d.findings[0].fits || d.findings[0].left.out == 0, "said %s", said(&d));
    ck_assert(!d.reproduces || !d.findings[0].fits);
}
END_TEST

// Weights and logsumexp are diagnosed from what they show.
START_TEST(weights_and_lse)
{
    static const char *const names[] = { "causal-missing", "scale-missing", "k-mod", "over-queries" };
    Shape is = { 1, 4, 2, 5, 8, 4, 4 };
    for (int e = 0; e < 8; e++) {
        Toy toy = plain_toy(is);
        Rules wrong = toy.setting.rules;
        wrong.causal = e / 2 != 0;
        if (e / 2 == 1) wrong.scale = 1;
        if (e / 2 == 2) wrong.k_head = ROUND_ROBIN;
        if (e / 2 == 3) wrong.softmax = OVER_QUERIES;
        if (e == 7) continue;                        // the logsumexp of the scores is the same over either axis
        double *out = arena_alloc(arena, 4 * 5 * 4 * sizeof *out), *lse[2], *weights[2];
        for (int w = 0; w < 2; w++) {
            lse[w] = arena_alloc(arena, 4 * 5 * sizeof **lse);
            weights[w] = arena_alloc(arena, 4 * 5 * 8 * sizeof **weights);
            judge_all((Judged){ out, lse[w], weights[w] }, &toy.problem, w ? &wrong : &toy.setting.rules);
        }
        Case c = { &toy.problem, toy.setting, e % 2 ? LOGSUMEXP : WEIGHTS, e % 2 ? lse[1] : weights[1],
                   e % 2 ? lse[0] : weights[0], strict, { 0 } };
        c.setting.is_output = false;
        c.found = compare(c.theirs, c.ours, e % 2 ? 20 : 160, strict);
        ck_assert_uint_gt(c.found.out, 0);
        Diagnosis d;
        diagnose(&d, arena, &c);
        ck_assert_msg(named(&d, names[e / 2]), "%s: said %s", names[e / 2], said(&d));
    }
}
END_TEST

Suite *diagnosis_suite(void)
{
    Suite *suite = suite_create("judge/diagnosis");
    TCase *tests = tcase_create("diagnosis");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, every_mistake_is_named, 0, causes_count);
    tcase_add_test(tests, without_a_mistake_nothing_is_out);
    tcase_add_test(tests, noise_is_not_explained);
    tcase_add_test(tests, one_wrong_number_is_not_explained);
    tcase_add_test(tests, almost_a_mistake_does_not_fit);
    tcase_add_test(tests, noise_between_the_precisions);
    tcase_add_test(tests, heads_in_another_order);
    tcase_add_test(tests, a_constant_factor);
    tcase_add_loop_test(tests, low_precision_is_told_from_mistakes, 0, 5);
    tcase_add_test(tests, two_mistakes_are_named);
    tcase_add_test(tests, large_problems_are_sampled);
    tcase_add_test(tests, weights_and_lse);
    suite_add_tcase(suite, tests);
    return suite;
}
