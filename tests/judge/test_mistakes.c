// Tests of what attend says of the mistakes of tests/support/mistakes.c: none is called by a wrong name, and nine of
// ten are called by their own. A name is also right that gives the same numbers, as another program computes them.
// MISTAKES=1 tells of each that is not named alone, MISTAKES_SEED=7 takes other random problems.
#include "judge/diagnosis.h"
#include "judge/error_location.h"

#include "base/portable_math.h"
#include "support/mistakes.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// RIGHT: named, alone or first. AMONG: named beside others that give the same. SAME: only others that give the same.
// OPEN: no cause is named. SILENT: nothing is named, and nothing should be. WRONG: something is named that it is not.
typedef enum { RIGHT, AMONG, SAME, OPEN, SILENT, WRONG, WITHOUT_EFFECT, VERDICTS } Verdict;

static const CompareTolerance usual = { 1e-4, 1e-5 };

static HypothesisCase case_of(Arena *memory, const Toy *toy, const double *theirs)
{
    JudgeShape is = toy->setting.is;
    size_t count = (size_t)(is.B * is.H * is.T * is.dv);
    double *ours = arena_alloc(memory, count * sizeof *ours);
    judge_all((Judged){ .out = ours }, &toy->problem, &toy->setting.rules);
    HypothesisCase c = { &toy->problem, toy->setting, HYPOTHESIS_OUTPUT, theirs, ours, usual, { 0 } };
    c.found = compare_arrays(theirs, ours, count, usual);
    return c;
}

// ---- names

// The causes of a finding as naive_reference.c takes them.
static const char *made_of(Arena *memory, const DiagnosisFinding *f)
{
    const char *text = "";
    for (int e = 0; e < DIAGNOSIS_MOST_CAUSES && f->names[e]; e++) {
        text = arena_format(memory, "%s%s%s", text, e ? "+" : "", f->names[e]);
        if (f->numbers[e] != 0) text = arena_format(memory, "%s=%.17g", text, f->numbers[e]);
    }
    return text;
}

static const char *said(Arena *memory, const Diagnosis *d)
{
    static const char *const kinds[] = { "", "part:", "but:", "closer:" };
    const char *text = d->alike ? d->alike : d->precision ? "rounding" : d->count ? "" : "nothing";
    for (int e = 0; e < d->count; e++)
        text = arena_format(memory, "%s%s%s%s", text, e ? " or " : "", kinds[d->findings[e].how],
                            made_of(memory, &d->findings[e]));
    return text;
}

// How many words are joined by '+' in the text up to `end`.
static int words_in(const char *text, size_t length)
{
    int words = 1;
    for (size_t e = 0; e < length; e++) words += text[e] == '+';
    return words;
}

// Do these names, in any order, make up `right`, up to its '|'? Their numbers may be off by a hundredth.
static bool same_names(const DiagnosisFinding *f, const char *right)
{
    size_t length = strcspn(right, "|");
    int named = 0;
    for (int e = 0; e < DIAGNOSIS_MOST_CAUSES && f->names[e]; e++, named++) {
        bool found = false;
        for (const char *at = right; at < right + length && !found;) {
            size_t word = strcspn(at, "+|"), name = strcspn(at, "+|=");
            found = strlen(f->names[e]) == name && !strncmp(f->names[e], at, name);
            double number = at[name] == '=' ? strtod(at + name + 1, NULL) : 0;
            if (found && fabs(f->numbers[e] - number) > 0.01 * fabs(number)) return false;
            at += word + 1;
        }
        if (!found) return false;
    }
    return named == words_in(right, length);
}

static bool allowed(const DiagnosisFinding *f, const Mistake *m)
{
    static const char *const kinds[] = { "", "part:", "but:", "" };
    const char *right = m->right ? m->right : m->made;
    if (!strcmp(right, "moved")) return strstr(f->names[0], "_moved") != NULL;
    for (;; right += strcspn(right, "|") + 1) {
        size_t kind = strlen(kinds[f->how]);
        if (!strncmp(right, kinds[f->how], kind) && same_names(f, right + kind)) return true;
        if (!right[strcspn(right, "|")]) return false;
    }
}

// ---- does another name give the same?

static bool near(double one, double other)
{
    return (isnan(one) && isnan(other)) || fabs(one - other) <= 1e-6 + 1e-5 * fabs(other);
}

// Rows of theirs that are neither what the finding's mistakes give nor, if it speaks of some rows only, right.
static size_t rows_left(Arena *memory, const Toy *toy, const HypothesisCase *c, const DiagnosisFinding *f)
{
    const double *made = toy_output(memory, toy, made_of(memory, f));
    size_t width = (size_t)toy->problem.is.dv, left = 0;
    for (size_t row = 0; row < c->found.count / width; row++) {
        bool same = true;
        for (size_t e = row * width; e < (row + 1) * width; e++) same &= near(c->theirs[e], made[e]);
        bool right = compare_arrays(c->theirs + row * width, c->ours + row * width, width, usual).out == 0;
        left += !same && !(right && f->how == DIAGNOSIS_IN_PART);
    }
    return left;
}

static bool gives_the_same(Arena *memory, const Toy *toy, const HypothesisCase *c, const DiagnosisFinding *f)
{
    if (strstr(f->names[0], "_moved")) return true;
    size_t left = rows_left(memory, toy, c, f);
    return f->how == DIAGNOSIS_ALL_BUT ? left > 0 && left == f->rows : left == 0;
}

// ---- verdicts

static Verdict verdict_on_findings(Arena *memory, const Mistake *m, const Toy *toy, const HypothesisCase *c,
                                   const Diagnosis *d)
{
    bool right = false;
    for (int e = 0; e < d->count; e++) {
        const DiagnosisFinding *f = &d->findings[e];
        bool own = allowed(f, m);
        right |= own;
        if (f->how == DIAGNOSIS_CLOSER && f->precision && !own) return WRONG;
        if (f->how != DIAGNOSIS_CLOSER && !own && !gives_the_same(memory, toy, c, f)) return WRONG;
    }
    if (right) return d->count == 1 ? RIGHT : AMONG;
    return d->findings[0].how == DIAGNOSIS_CLOSER ? OPEN : SAME;
}

static Verdict verdict_on(Arena *memory, const Mistake *m, const Toy *toy, const HypothesisCase *c, const Diagnosis *d)
{
    const char *right = m->right ? m->right : m->made;
    bool garbage = !strcmp(right, "garbage"), small = !strcmp(right, "small"), place = !strncmp(right, "where:", 6);
    if (d->alike) return strcmp(right, "alike") ? WRONG : RIGHT;
    if (d->precision && small && !d->precision_shows) return SILENT;
    if (d->precision)
        return strcmp(right, d->precision == JUDGE_FLOAT16 ? "rounding:float16" : "rounding:bfloat16") ? WRONG : RIGHT;
    bool named = d->count && (d->findings[0].how != DIAGNOSIS_CLOSER || d->findings[0].precision);
    if (garbage || small) return named ? WRONG : SILENT;
    if (place && !strstr(error_location_print(memory, c), right + 6)) return WRONG;
    if (place) return named ? WRONG : RIGHT;
    return d->count ? verdict_on_findings(memory, m, toy, c, d) : OPEN;
}

static Verdict judged(Arena *memory, const Mistake *m, int n)
{
    Toy toy = mistakes_toy(memory, m, n);
    HypothesisCase c = case_of(memory, &toy, mistakes_output(memory, m, &toy));
    if (!c.found.out) {
        if (getenv("MISTAKES")) printf("%s (%s) on %d changes nothing\n", m->made, m->needs, n);
        return WITHOUT_EFFECT;
    }
    Diagnosis d;
    diagnosis_of(&d, memory, &c);
    Verdict verdict = verdict_on(memory, m, &toy, &c, &d);
    static const char *const names[] = { "right", "among", "same", "open", "silent", "WRONG" };
    if (verdict == WRONG || (getenv("MISTAKES") && verdict != RIGHT && verdict != SILENT))
        printf("%s (%s) on %d: %s, said %s\n", m->made, m->needs, n, names[verdict], said(memory, &d));
    return verdict;
}

TEST(mistakes_are_called_by_their_names)
{
    int count[VERDICTS] = { 0 };
    for (int e = 0; e < mistakes_count; e++)
        for (int n = 0; n < 3; n++) {
            Arena *memory = arena_open();
            count[judged(memory, &mistakes[e], n)]++;
            arena_close(memory);
        }
    int named = count[RIGHT] + count[AMONG] + count[SAME], all = named + count[OPEN] + count[WRONG];
    printf("%d mistakes on three problems: %d named rightly, %d among others that give the same, %d as such another, "
           "%d not, %d wrongly; %d without a cause have none; %d change nothing\n",
           mistakes_count, count[RIGHT], count[AMONG], count[SAME], count[OPEN], count[WRONG], count[SILENT],
           count[WITHOUT_EFFECT]);
    fflush(stdout); // what fails ends this process without its words
    ck_assert_int_eq(count[WRONG], 0);
    ck_assert_int_ge(10 * named, 9 * all);
    ck_assert_int_ge(count[SILENT], 3 * 6);
    ck_assert_int_le(50 * count[WITHOUT_EFFECT], 3 * mistakes_count);
}
