// Tests of lib/judge/diagnosis.c and causes.c: every mistake is made by another program, and must be named.
#include "judge/diagnosis.h"

#include "judge/search.h"
#include "judge/error_location.h"
#include "support/suite.h"

#include "base/portable_math.h"
#include "support/naive_reference.h"

#include <string.h>

static const CompareTolerance strict = { 1e-6, 1e-9 };

static double *judged(const Toy *toy)
{
    JudgeShape is = toy->setting.is;
    double *out = arena_alloc(arena, (size_t)(is.B * is.H * is.T * is.dv) * sizeof *out);
    judge_all((Judged){ .out = out }, &toy->problem, &toy->setting.rules);
    return out;
}

static HypothesisCase case_of(const Toy *toy, const double *theirs)
{
    JudgeShape is = toy->setting.is;
    HypothesisCase c = { &toy->problem, toy->setting, HYPOTHESIS_OUTPUT, theirs, judged(toy), strict, { 0 } };
    c.found = compare_arrays(theirs, c.ours, (size_t)(is.B * is.H * is.T * is.dv), strict);
    return c;
}

// Several mistakes may give the same numbers; then all of them are named, up to the number that is reported.
static bool named(const Diagnosis *d, const char *name)
{
    for (int e = 0; e < d->count; e++)
        if (d->findings[e].how == DIAGNOSIS_EXPLAINS && !d->findings[e].names[1] &&
            !strcmp(d->findings[e].names[0], name))
            return true;
    return false;
}

// Is anything named, or is rounding?
static bool explained(const Diagnosis *d)
{
    return d->precision || (d->count && d->findings[0].how != DIAGNOSIS_CLOSER);
}

static const char *said(const Diagnosis *d)
{
    static const char *const kinds[] = { "", " in part", " but some rows", "?" };
    const char *text = d->alike ? d->alike : d->precision ? "precision" : d->count ? "" : "nothing";
    for (int e = 0; e < d->count; e++) {
        const DiagnosisFinding *f = &d->findings[e];
        text = arena_format(arena, "%s[%s%s%s%s]", text, f->names[0], f->names[1] ? " and " : "",
                            f->names[1] ? f->names[1] : "", kinds[f->how]);
    }
    return text;
}

static const Cause *cause_of(const char *name)
{
    for (int e = 0; e < cause_count; e++)
        if (!strcmp(cause_table[e].name, name)) return &cause_table[e];
    ck_abort_msg("no cause %s", name);
    return NULL;
}

// Of two mistakes neither may take the other's place, and of several only those are named that are needed.
TEST(two_mistakes_are_two)
{
    static const struct {
        const char *one, *other;
        bool two;
    } pairs[] = {
        { "scale_missing", "causal_missing", true },
        { "scale_missing", "scale_d", false },
        { "scale_after", "scale_zero", false },
        { "top_left", "diagonal_hidden", true },
        { "top_left", "own_length", false },
        { "sigmoid", "relu", false },
        { "split_q", "q_normed", false },
        { "split_q", "k_normed", true },
        { "v_first", "kv_mod", false },
    };
    Toy toy = toy_of(arena, &random_state, (JudgeShape){ 2, 8, 4, 5, 7, 4, 4 });
    toy.setting.rules.causal = toy.setting.has_lengths = true;
    for (size_t e = 0; e < sizeof pairs / sizeof *pairs; e++) {
        CauseVariation one = { .rules = toy.setting.rules }, both;
        ck_assert(cause_of(pairs[e].one)->apply(&one, &toy.setting, 0));
        both = one;
        ck_assert(cause_of(pairs[e].other)->apply(&both, &toy.setting, 0));
        ck_assert_msg(cause_is_another(&one, &both, &toy.setting) == pairs[e].two, "%s, %s", pairs[e].one,
                      pairs[e].other);
    }
}

TEST(only_what_is_needed_is_named)
{
    Toy toy = toy_of(arena, &random_state, (JudgeShape){ 1, 2, 2, 5, 7, 4, 4 });
    toy.setting.rules.causal = true;
    HypothesisCase c = case_of(&toy, toy_output(arena, &toy, "scale_missing"));
    Reinterpretations *views = reinterpretation_open();
    Search search = { .arena = arena, .scratch = arena, .c = &c };
    search.s = hypothesis_sample(arena, &c, views);
    SearchCandidate three = search_asked(&c);
    static const char *const names[] = { "empty_nan", "scale_missing", "padding_seen" };
    for (int e = 0; e < 3; e++) {
        three.causes[three.count++] = cause_of(names[e]);
        three.causes[e]->apply(&three.v, &toy.setting, 0);
    }
    search_try(&search, (SearchList){ &three, 1 }, search.s.count, false);
    SearchCandidate needed = search_needed(&search, &three);
    ck_assert_int_eq(needed.count, 1);
    ck_assert_str_eq(needed.causes[0]->name, "scale_missing");
    reinterpretation_close(views);
}

// A cause of the table as naive_reference.c takes it: with a number, if it has one.
static const char *made_of(const Cause *cause)
{
    static const struct {
        const char *name, *number;
    } numbers[] = {
        { "multiplied", "1.7" }, { "added", "0.3" },    { "scale", "1.2" },
        { "soft_cap", "1.5" },   { "epsilon", "0.2" },  { "epsilon_plain", "0.3" },
        { "hidden_low", "-4" },  { "hidden_at", "-3" }, { "alibi_times", "1.5" },
    };
    if (cause->number == CAUSE_NO_NUMBER) return cause->name;
    for (size_t e = 0; e < sizeof numbers / sizeof *numbers; e++)
        if (!strcmp(numbers[e].name, cause->name)) return arena_format(arena, "%s=%s", cause->name, numbers[e].number);
    return arena_format(arena, "%s=4", cause->name);
}

// Made by naive_reference.c on random problems until it has changed something twice.
TEST_EACH(every_mistake_is_named, cause_count)
{
    const Cause *cause = &cause_table[_i];
    int seen = 0, tries = 0;
    if (!strncmp(cause->name, "lse_", 4)) return; // which `logsumexps` tries
    for (; seen < 2 && tries < 3000; tries++) {
        ArenaMark mark = arena_mark(arena);
        Toy toy = toy_random(arena, &random_state);
        JudgeShape is = toy.setting.is;
        JudgeRules r = toy.setting.rules;
        CauseVariation unused = { .rules = r };
        bool enough = cause->number != CAUSE_FITTED || is.B * is.H * is.T * is.dv >= 40;
        if (enough && cause->apply(&unused, &toy.setting, 4)) {
            HypothesisCase c = case_of(&toy, toy_output(arena, &toy, made_of(cause)));
            if (c.found.out) {
                Diagnosis d;
                diagnosis_of(&d, arena, &c);
                bool other =
                    d.more > 0 || (cause->number == CAUSE_FITTED && d.count && d.findings[0].how == DIAGNOSIS_EXPLAINS);
                ck_assert_msg(named(&d, cause->name) || other,
                              "%s: said %s; B %d H %d G %d T %d "
                              "S %d d %d dv %d causal %d window %d sinks %d alibi %d padded %d",
                              cause->name, said(&d), is.B, is.H, is.G, is.T, is.S, is.d, is.dv, r.causal, r.window,
                              r.sinks, r.alibi, toy.setting.has_lengths);
                seen++;
            }
        }
        arena_release(arena, mark);
    }
    ck_assert_msg(seen == 2, "%s changed something in only %d of %d problems", cause->name, seen, tries);
}

TEST(without_a_mistake_nothing_is_out)
{
    for (int e = 0; e < 100; e++) {
        Toy toy = toy_random(arena, &random_state);
        HypothesisCase c = case_of(&toy, toy_output(arena, &toy, ""));
        ck_assert_msg(c.found.out == 0, "%zu of %zu are out, worst by %g tolerances", c.found.out, c.found.count,
                      c.found.worst);
    }
}

// Numbers that nothing gives: no cause may be named.
TEST(noise_is_not_explained)
{
    for (int e = 0; e < 10; e++) {
        Toy toy = toy_random(arena, &random_state);
        JudgeShape is = toy.setting.is;
        double *noise = arena_alloc(arena, (size_t)(is.B * is.H * is.T * is.dv) * sizeof *noise);
        for (int n = 0; n < is.B * is.H * is.T * is.dv; n++) noise[n] = 3 * (double)random_normal(&random_state);
        HypothesisCase c = case_of(&toy, noise);
        Diagnosis d;
        diagnosis_of(&d, arena, &c);
        ck_assert_msg(!explained(&d), "noise is said to be %s", said(&d));
        ck_assert_int_gt(d.tried, 10);
        ck_assert_int_gt(d.pairs, 5 * d.tried);
        ck_assert_int_gt(d.triples, d.tried);
    }
}

// One number of a right result is wrong: no usual mistake does that, and rounding does not either.
TEST(one_wrong_number_is_not_explained)
{
    for (int e = 0; e < 10; e++) {
        Toy toy = toy_random(arena, &random_state);
        double *theirs = toy_output(arena, &toy, "");
        theirs[0] += 0.01;
        HypothesisCase c = case_of(&toy, theirs);
        Diagnosis d;
        ck_assert_uint_eq(c.found.out, 1);
        ck_assert_uint_eq(c.found.at, 0);
        diagnosis_of(&d, arena, &c);
        ck_assert_msg(!explained(&d), "said %s", said(&d));
    }
}

static Toy plain_toy(JudgeShape is);

// A mistake and one number besides, in whichever row the number stands: the mistake is named, and the row.
TEST(a_mistake_and_one_number)
{
    static const char *const names[] = { "kv_mod", "over_queries" };
    JudgeShape is = { 1, 4, 2, 9, 12, 4, 4 };
    for (int e = 0; e < 36; e++) {
        Toy toy = plain_toy(is);
        double *theirs = toy_output(arena, &toy, names[e % 2]);
        theirs[e * is.dv + 1] += 0.01;
        HypothesisCase c = case_of(&toy, theirs);
        Diagnosis d;
        diagnosis_of(&d, arena, &c);
        ck_assert_uint_eq(d.rows, 36);
        ck_assert_msg(d.count == 1 && d.findings[0].how == DIAGNOSIS_ALL_BUT && !d.precision, "number %d: said %s", e,
                      said(&d));
        ck_assert_msg(!strcmp(d.findings[0].names[0], names[e % 2]), "number %d: said %s", e, said(&d));
        ck_assert_uint_eq(d.findings[0].rows, 1);
        const char *row = arena_format(arena, "head %d, query %d", e / 9, e % 9);
        ck_assert_str_eq(d.findings[0].where, row);
    }
}

// A mistake in two heads of eight: it is named for these, and the others are said to be right.
TEST(a_mistake_in_some_heads)
{
    Toy toy = plain_toy((JudgeShape){ 2, 8, 8, 5, 7, 4, 3 });
    double *theirs = judged(&toy), *wrong = toy_output(arena, &toy, "causal_missing");
    for (int b = 0; b < 2; b++) memcpy(theirs + (b * 8 + 5) * 15, wrong + (b * 8 + 5) * 15, 30 * sizeof *theirs);
    HypothesisCase c = case_of(&toy, theirs);
    Diagnosis d;
    diagnosis_of(&d, arena, &c);
    ck_assert_msg(d.count == 1 && d.findings[0].how == DIAGNOSIS_IN_PART, "said %s", said(&d));
    ck_assert_str_eq(d.findings[0].names[0], "causal_missing");
    ck_assert_str_eq(d.findings[0].where, "heads 5–6, queries 0–3");
    ck_assert_uint_eq(d.findings[0].rows, 16);
    ck_assert_str_eq(error_location_print(arena, &c),
                     "16 of 80 rows; the others are right\nonly in heads 5–6, queries 0–3");
}

// Where errors lie, and which sign they have.
TEST(places_are_told)
{
    Toy toy = plain_toy((JudgeShape){ 3, 4, 2, 5, 7, 4, 4 });
    double *theirs = judged(&toy);
    for (int e = 0; e < 3 * 4 * 5; e++) theirs[e * 4 + 1] += 0.01;
    HypothesisCase c = case_of(&toy, theirs);
    ck_assert_str_eq(error_location_print(arena, &c),
                     "60 of 60 rows\nonly in channel 1\nyours is larger in all of them");
    theirs = judged(&toy);
    theirs[(2 * 4 + 3) * 20 + 4 * 4 + 2] = NAN;
    c = case_of(&toy, theirs);
    ck_assert_str_eq(error_location_print(arena, &c), "1 of 60 rows; the others are right\n"
                                                      "only in sequence 2, head 3, query 4, channel 2");
    theirs = judged(&toy);
    for (int e = 0; e < 240; e++) theirs[e] *= e / 20 % 4 == 1 ? 1 : 1.1;
    c = case_of(&toy, theirs);
    ck_assert_str_eq(error_location_print(arena, &c), "45 of 60 rows; the others are right\nonly in heads 0, 2–3\n"
                                                      "yours is farther from 0 in all of them");
}

// Numbers that are all alike are said to be, and nothing else is.
TEST(all_alike)
{
    static const struct {
        double number;
        const char *words;
    } cases[] = {
        { 0, "your output is all zero" },
        { NAN, "your output is all NaN" },
        { 0.25, "your output is 0.25 everywhere" },
    };
    Toy toy = plain_toy((JudgeShape){ 1, 2, 2, 5, 7, 4, 4 });
    for (int n = 0; n < 3; n++) {
        double theirs[40];
        for (int e = 0; e < 40; e++) theirs[e] = cases[n].number;
        HypothesisCase c = case_of(&toy, theirs);
        Diagnosis d;
        diagnosis_of(&d, arena, &c);
        ck_assert(d.alike && d.count == 0 && !d.precision);
        ck_assert_str_eq(d.alike, cases[n].words);
    }
}

// Too much for float32 and too little for float16 is no rounding.
TEST(noise_between_the_precisions)
{
    Toy toy = plain_toy((JudgeShape){ 1, 2, 2, 12, 16, 8, 8 });
    double *theirs = judged(&toy);
    for (int e = 0; e < 2 * 12 * 8; e++) theirs[e] *= 1 + 5e-6 * (double)random_normal(&random_state);
    HypothesisCase c = case_of(&toy, theirs);
    Diagnosis d;
    diagnosis_of(&d, arena, &c);
    ck_assert_msg(!explained(&d), "said %s", said(&d));
}

static Toy plain_toy(JudgeShape is)
{
    Toy toy = { 0 };
    double **arrays[] = { &toy.q, &toy.k, &toy.v };
    int counts[] = { is.B * is.H * is.T * is.d, is.B * is.G * is.S * is.d, is.B * is.G * is.S * is.dv };
    for (int a = 0; a < 3; a++) {
        *arrays[a] = arena_alloc(arena, (size_t)counts[a] * sizeof(double));
        for (int e = 0; e < counts[a]; e++) (*arrays[a])[e] = (double)random_normal(&random_state);
    }
    toy.problem = (JudgeProblem){ is, toy.q, toy.k, toy.v, NULL };
    toy.setting = (CauseSetting){ is, { .causal = true, .scale = 1 / sqrt(is.d) }, false, false, true, "htd", false };
    return toy;
}

TEST(heads_in_another_order)
{
    Toy toy = plain_toy((JudgeShape){ 2, 4, 2, 5, 7, 4, 3 });
    double *right = judged(&toy), *theirs = arena_alloc(arena, 2 * 4 * 15 * sizeof *theirs);
    static const int order[] = { 2, 0, 3, 1 };
    for (int e = 0; e < 8; e++) memcpy(theirs + e * 15, right + (e / 4 * 4 + order[e % 4]) * 15, 15 * sizeof *theirs);
    HypothesisCase c = case_of(&toy, theirs);
    Diagnosis d;
    diagnosis_of(&d, arena, &c);
    ck_assert_msg(d.count && !strcmp(d.findings[0].names[0], "heads_moved"), "said %s", said(&d));
    ck_assert_msg(strstr(d.findings[0].words, "2, 0, 3, 1") != NULL, "%s", d.findings[0].words);
    ck_assert_uint_eq(d.findings[0].left.count, c.found.count); // which are said to agree
}

TEST(a_constant_factor)
{
    Toy toy = plain_toy((JudgeShape){ 1, 4, 2, 5, 7, 4, 3 });
    double *theirs = judged(&toy);
    for (int e = 0; e < 4 * 5 * 3; e++) theirs[e] *= 1.25;
    HypothesisCase c = case_of(&toy, theirs);
    Diagnosis d;
    diagnosis_of(&d, arena, &c);
    ck_assert_msg(d.count == 1 && !strcmp(d.findings[0].names[0], "multiplied"), "said %s", said(&d));
    ck_assert_str_eq(d.findings[0].words, "every number is 1.25 times ours");
}

// The inputs are rounded, and so is the result: what a program in that precision does. Its accumulation stays exact.
TEST_EACH(low_precision_is_told_from_mistakes, 5)
{
    static const struct {
        JudgePrecision precision;
        const char *mistake;
    } cases[] = {
        { JUDGE_FLOAT16, "" },
        { JUDGE_BFLOAT16, "" },
        { JUDGE_BFLOAT16, "scale_missing" },
        { JUDGE_FLOAT16, "causal_missing" },
        { JUDGE_FLOAT16, "kv_mod" },
    };
    for (int e = 0; e < 10; e++) {
        Toy toy = plain_toy((JudgeShape){ 1, 4, 2, 16 + e, 24 + e, 16, 16 }), low = toy;
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
        HypothesisCase c = case_of(&toy, theirs);
        Diagnosis d;
        diagnosis_of(&d, arena, &c);
        if (!*cases[_i].mistake) {
            ck_assert_msg(d.precision == cases[_i].precision, "said %d, %s", (int)d.precision, said(&d));
            ck_assert(d.count == 0 && d.precision_shows);
        } else {
            ck_assert_msg(d.count && !strcmp(d.findings[0].names[0], cases[_i].mistake), "said %s", said(&d));
            ck_assert_msg(d.findings[0].precision == cases[_i].precision, "precision %d", (int)d.findings[0].precision);
        }
    }
}

// Without the numbers of bfloat16 itself, its size alone is no proof.
TEST(rounding_that_does_not_show)
{
    Toy toy = plain_toy((JudgeShape){ 1, 4, 2, 16, 24, 16, 16 });
    double *theirs = judged(&toy);
    for (int e = 0; e < 4 * 16 * 16; e++) theirs[e] *= 1 + 2e-3 * (double)random_normal(&random_state);
    HypothesisCase c = case_of(&toy, theirs);
    Diagnosis d;
    diagnosis_of(&d, arena, &c);
    ck_assert_msg(d.precision && !d.precision_shows && d.count == 0, "said %s", said(&d));
}

// Numbers that are fitted, as far as float32 lets them be told.
TEST(numbers_are_fitted)
{
    static const struct {
        const char *made, *name;
        double number;
        const char *words;
    } cases[] = {
        { "scale=1.003", "scale", 1.003, "the scale is 1.003 times what it must be" },
        { "soft_cap=30", "soft_cap", 30, "the scores are capped: c · tanh(s / c) with c = 30" },
        { "hidden_low=-8", "hidden_low", -8, "hidden keys are not hidden: -8 is added to their scores, not −infinity" },
        { "epsilon=0.01", "epsilon", 0.01, "0.01 is added below: exp(s − max) / (it + Σ exp(s − max))" },
        { "added=0.001", "added", 0.001, "0.001 is added to every number" },
    };
    for (int n = 0; n < 5; n++) {
        Toy toy = plain_toy((JudgeShape){ 2, 4, 2, 9, 12, 8, 8 });
        double *theirs = toy_output(arena, &toy, cases[n].made);
        HypothesisCase c = case_of(&toy, theirs);
        Diagnosis d;
        diagnosis_of(&d, arena, &c);
        ck_assert_msg(d.count == 1 && !d.precision && !strcmp(d.findings[0].names[0], cases[n].name), "%s: said %s",
                      cases[n].made, said(&d));
        ck_assert(fabs(d.findings[0].numbers[0] - cases[n].number) < 1e-6 * fabs(cases[n].number));
        ck_assert_str_eq(d.findings[0].words, cases[n].words);
    }
}

// Another scale comes within a wide tolerance, too, but leaves half of the error: it is not named.
TEST(what_comes_close_is_not_named)
{
    Toy toy = plain_toy((JudgeShape){ 1, 4, 2, 9, 10, 8, 9 }); // scales: 1/√8; 1/√10 was taken, 1/√9 is between
    double *theirs = toy_output(arena, &toy, "scale_keys"), *between = toy_output(arena, &toy, "scale_dv");
    HypothesisCase c = case_of(&toy, theirs);
    size_t count = c.found.count;
    double far = c.found.largest, near = compare_arrays(theirs, between, count, strict).largest;
    c.tolerance = (CompareTolerance){ 0, sqrt(far * near) };
    c.found = compare_arrays(theirs, c.ours, count, c.tolerance);
    ck_assert(c.found.out > 0 && compare_arrays(theirs, between, count, c.tolerance).out == 0);
    Diagnosis d;
    diagnosis_of(&d, arena, &c);
    ck_assert_msg(d.count == 1 && named(&d, "scale_keys"), "said %s", said(&d));
}

// Too much work for all rows: some are tried, and what fits is tried on all.
TEST(large_problems_are_sampled)
{
    JudgeShape is = { 1, 4, 2, 200, 500, 10, 10 };
    Toy toy = plain_toy(is);
    JudgeRules wrong = toy.setting.rules;
    wrong.k_head = wrong.v_head = JUDGE_IN_TURN;
    size_t count = 4 * 200 * 10;
    double *theirs = arena_alloc(arena, count * sizeof *theirs);
    judge_all((Judged){ .out = theirs }, &toy.problem, &wrong);
    HypothesisCase c = case_of(&toy, theirs);
    Diagnosis d;
    diagnosis_of(&d, arena, &c);
    ck_assert_uint_lt(d.rows, d.of);
    ck_assert_uint_eq(d.of, 800);
    ck_assert_msg(named(&d, "kv_mod"), "said %s", said(&d));
    ck_assert_uint_eq(d.findings[0].left.count, count);

    theirs[count - 3] += 1e-4; // one more number is wrong, in a row that may not be in the sample
    c = case_of(&toy, theirs);
    diagnosis_of(&d, arena, &c);
    ck_assert_msg(d.count > 0 && !strcmp(d.findings[0].names[0], "kv_mod"), "said %s", said(&d));
    ck_assert_msg(d.findings[0].how == DIAGNOSIS_ALL_BUT && d.findings[0].rows == 1, "said %s", said(&d));
    ck_assert_str_eq(d.findings[0].where, "head 3, query 199");
}

// Weights and logsumexp are diagnosed from what they show.
TEST(weights_and_lse)
{
    static const char *const names[] = { "causal_missing", "scale_missing", "k_mod", "over_queries" };
    JudgeShape is = { 1, 4, 2, 5, 8, 4, 4 };
    for (int e = 0; e < 8; e++) {
        Toy toy = plain_toy(is);
        JudgeRules wrong = toy.setting.rules;
        wrong.causal = e / 2 != 0;
        if (e / 2 == 1) wrong.scale = 1;
        if (e / 2 == 2) wrong.k_head = JUDGE_IN_TURN;
        if (e / 2 == 3) wrong.softmax = JUDGE_OVER_QUERIES;
        if (e == 7) continue; // the logsumexp of the scores is the same over either axis
        double *out = arena_alloc(arena, 4 * 5 * 4 * sizeof *out), *lse[2], *weights[2];
        for (int w = 0; w < 2; w++) {
            lse[w] = arena_alloc(arena, 4 * 5 * sizeof **lse);
            weights[w] = arena_alloc(arena, 4 * 5 * 8 * sizeof **weights);
            judge_all((Judged){ out, lse[w], weights[w] }, &toy.problem, w ? &wrong : &toy.setting.rules);
        }
        HypothesisCase c = { &toy.problem,
                             toy.setting,
                             e % 2 ? HYPOTHESIS_LOGSUMEXP : HYPOTHESIS_WEIGHTS,
                             e % 2 ? lse[1] : weights[1],
                             e % 2 ? lse[0] : weights[0],
                             strict,
                             { 0 } };
        c.setting.is_output = false;
        c.found = compare_arrays(c.theirs, c.ours, e % 2 ? 20 : 160, strict);
        ck_assert_uint_gt(c.found.out, 0);
        Diagnosis d;
        diagnosis_of(&d, arena, &c);
        ck_assert_msg(named(&d, names[e / 2]), "%s: said %s", names[e / 2], said(&d));
    }
}

// What is kept of a row in the place of its logsumexp, from its scores.
static double lse_made(const char *name, const double *scores, int n)
{
    double max = -INFINITY, sum = 0, less = 0;
    for (int j = 0; j < n; j++) max = fmax(max, scores[j]);
    for (int j = 0; j < n; j++) {
        sum += exp(scores[j]);
        less += exp(scores[j] - max);
    }
    return !strcmp(name, "lse_base_2")            ? log2(sum)
           : !strcmp(name, "lse_base_10")         ? log10(sum)
           : !strcmp(name, "lse_without_max")     ? log(less)
           : !strcmp(name, "lse_less_max")        ? log(less) - max
           : !strcmp(name, "lse_max")             ? max
           : !strcmp(name, "lse_sum")             ? sum
           : !strcmp(name, "lse_sum_without_max") ? less
                                                  : -log(sum);
}

TEST(logsumexps)
{
    static const char *const names[] = { "lse_base_2", "lse_base_10", "lse_without_max",     "lse_less_max",
                                         "lse_max",    "lse_sum",     "lse_sum_without_max", "lse_negative" };
    JudgeShape is = { 1, 2, 2, 6, 9, 4, 4 };
    Toy toy = plain_toy(is);
    toy.setting.rules.causal = false;
    toy.setting.is_output = false;
    toy.setting.is_lse = true;
    double *out = arena_alloc(arena, 2 * 6 * 4 * sizeof *out), ours[2 * 6], theirs[2 * 6];
    judge_all((Judged){ out, ours, NULL }, &toy.problem, &toy.setting.rules);
    for (int n = 0; n < 8; n++) {
        for (int row = 0; row < 2 * 6; row++) {
            double scores[9] = { 0 };
            for (int j = 0; j < 9; j++)
                for (int c = 0; c < 4; c++) scores[j] += toy.q[row * 4 + c] * toy.k[(row / 6 * 9 + j) * 4 + c] / 2;
            theirs[row] = lse_made(names[n], scores, 9);
        }
        HypothesisCase c = { &toy.problem, toy.setting, HYPOTHESIS_LOGSUMEXP, theirs, ours, strict, { 0 } };
        c.found = compare_arrays(theirs, ours, 2 * 6, strict);
        Diagnosis d;
        diagnosis_of(&d, arena, &c);
        ck_assert_msg(named(&d, names[n]) && d.count == 1, "%s: said %s", names[n], said(&d));
    }
}
