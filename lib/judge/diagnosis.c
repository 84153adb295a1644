// Every cause is tried on the same sample of rows; one that fits is verified on all rows before it is reported. Causes
// that leave about as small an error as the best are reported too. A cause that leaves much more is not, even if it is
// within tolerance.
#include "judge/diagnosis.h"

#include "base/portable_math.h"
#include "judge/permutation.h"
#include "judge/rounding.h"
#include "judge/search.h"
#include "judge/error_location.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VERIFIED = 8 }; // verified on all rows; each takes as long as the reference

// ---- findings

static DiagnosisFinding finding_of(const Search *search, const SearchCandidate *one)
{
    DiagnosisFinding f = { .left = one->tried.left, .words = "" };
    for (int e = 0; e < one->count; e++) {
        const Cause *cause = one->causes[e];
        const char *words = cause->words;
        if (cause->number != CAUSE_NO_NUMBER) words = arena_format(search->arena, words, one->numbers[e]);
        f.names[e] = cause->name;
        f.numbers[e] = one->numbers[e];
        f.words = arena_format(search->arena, "%s%s%s", f.words, e ? ",\nand " : "", words);
    }
    f.share = search_share(search, one);
    return f;
}

static bool is_among(const char *name, double number, const DiagnosisFinding *f)
{
    for (int e = 0; e < DIAGNOSIS_MOST_CAUSES && f->names[e]; e++)
        if (!strcmp(f->names[e], name) && f->numbers[e] == number) return true;
    return false;
}

// Compares sets: the order of causes does not matter.
static bool same_causes(const DiagnosisFinding *one, const DiagnosisFinding *other)
{
    for (int e = 0; e < DIAGNOSIS_MOST_CAUSES; e++)
        if (one->names[e] && !is_among(one->names[e], one->numbers[e], other)) return false;
    return true;
}

static void add_finding(Search *search, DiagnosisFinding f)
{
    Diagnosis *out = search->out;
    for (int e = 0; e < out->count; e++)
        if (same_causes(&f, &out->findings[e])) return;
    if (out->count < DIAGNOSIS_MOST_FINDINGS) out->findings[out->count++] = f;
    else out->more++;
}

// Reports candidates that explain everything and leave about as little as the best. A fitted number can approximate
// many errors, so it must leave less, and is dropped if a cause without one fits as well.
static bool add_explaining(Search *search, SearchList list)
{
    qsort(list.at, (size_t)list.count, sizeof *list.at, search_by_fit);
    double floor = 1e-18 * search->s.plain.size, least = INFINITY;
    bool plain = false;
    for (int e = 0, verified = 0; e < list.count && verified < MOST_VERIFIED; e++) {
        SearchCandidate *one = &list.at[e];
        double left = search_left(one);
        if (one->tried.left.out || left > 2.25 * least + floor) break;
        if (search_share(search, one) > (search_has_fit(one) ? 0.2 : 0.5) || (plain && search_has_fit(one))) continue;
        *one = search_needed(search, one);
        if ((size_t)search->s.count < search->s.of) {
            one->tried = hypothesis_on_all(&search->s, &one->v, NULL);
            verified++;
            if (one->tried.left.out) continue;
        }
        if (least == INFINITY) least = left;
        plain |= !search_has_fit(one);
        add_finding(search, finding_of(search, one));
    }
    return search->out->count > 0;
}

// Does it explain all rows but a few, or some while the others are right? Explained rows must be within tolerance and
// lose nearly all of their error.
static bool explains_rows(const SearchCandidate *one, bool all_but)
{
    HypothesisResult t = one->tried;
    if (one->v.heads || (one->v.out_back && !all_but) || t.mends == 0 || t.after > 1e-4 * t.before) return false;
    return all_but ? t.misfits > 0 && 8 * t.misfits <= t.mends + 4 : t.neither == 0;
}

static bool zero_row(const HypothesisCase *c, size_t row)
{
    size_t width = (size_t)hypothesis_width(c);
    for (size_t e = row * width; e < (row + 1) * width; e++)
        if (c->theirs[e] != 0) return false;
    return true;
}

// Are all these rows 0? Then they were not written, and no mask is at fault.
static bool marked_rows_zero(const Search *search, const unsigned char *marks, int any_of)
{
    for (size_t row = 0; row < search->s.of; row++)
        if ((marks[row] & any_of) && !zero_row(search->c, row)) return false;
    return true;
}

// Are all wrong rows 0?
static bool all_wrong_rows_zero(const HypothesisCase *c)
{
    size_t width = (size_t)hypothesis_width(c);
    for (size_t row = 0; row < c->found.count / width; row++)
        if (compare_arrays(c->theirs + row * width, c->ours + row * width, width, c->tolerance).out &&
            !zero_row(c, row))
            return false;
    return true;
}

static bool add_partial(Search *search, SearchList list, bool all_but)
{
    unsigned char *marks = arena_alloc(search->scratch, search->s.of);
    size_t fewest = SIZE_MAX;
    for (int e = 0, verified = 0; e < list.count && verified < MOST_VERIFIED; e++) {
        SearchCandidate *one = &list.at[e];
        if (!explains_rows(one, all_but) || one->tried.misfits > fewest) continue;
        one->tried = hypothesis_on_all(&search->s, &one->v, marks);
        verified++;
        if (!explains_rows(one, all_but) || (!all_but && marked_rows_zero(search, marks, HYPOTHESIS_ROW_MENDED)))
            continue;
        if (all_but) fewest = one->tried.misfits;
        DiagnosisFinding f = finding_of(search, one);
        f.how = all_but ? DIAGNOSIS_ALL_BUT : DIAGNOSIS_IN_PART;
        f.where =
            error_location_rows(search->arena, search->c->problem->is, marks,
                                all_but ? HYPOTHESIS_ROW_WRONG | HYPOTHESIS_ROW_HURT : HYPOTHESIS_ROW_MENDED, &f.rows);
        add_finding(search, f);
    }
    return search->out->count > 0;
}

// A fitted number reduces any noise a little: a cause without one that is nearly as good goes first.
static void prefer_unfitted(SearchList best)
{
    for (int e = 1; e < best.count && search_has_fit(&best.at[0]); e++)
        if (!search_has_fit(&best.at[e]) && search_left(&best.at[e]) < 1.2 * search_left(&best.at[0])) {
            SearchCandidate plain = best.at[e];
            memmove(&best.at[1], &best.at[0], (size_t)e * sizeof plain);
            best.at[0] = plain;
        }
}

// Nothing fits: reports causes that reduce the error much, and whether rounding explains the rest. For fitted numbers,
// rounding counts only if theirs shows the precision: two small unknowns could explain much.
static void add_closest(Search *search, SearchList best, double most, bool only_rounded)
{
    if (search->s.plain.not_finite || search->c->found.count < 16) return;
    prefer_unfitted(best);
    for (int e = 0; e < best.count && search->out->count < 3; e++) {
        double rounding;
        if (!(search_share(search, &best.at[e]) < most)) break;
        DiagnosisFinding f = finding_of(search, &best.at[e]);
        f.how = DIAGNOSIS_CLOSER;
        bool may = !search->out->count && (!search_has_fit(&best.at[e]) || rounding_shown(search->c));
        f.precision = may ? rounding_like(&search->s, &best.at[e].v, f.left, &rounding) : JUDGE_EXACT;
        if (only_rounded && !f.precision) return;
        add_finding(search, f);
        if (f.precision) return;
    }
}

// ---- the search

static bool try_single_causes(Search *search)
{
    SearchCandidate base = search_asked(search->c);
    search_try(search, search->singles, search->s.count, false);
    SearchList best = search_best(search, search->singles, 1);
    bool sure = best.count && !best.at[0].tried.left.out && search_share(search, &best.at[0]) < 1e-3;
    if (!sure) search->fitted = search_fits(search, (SearchList){ &base, 1 });
    return add_explaining(search, search_joined(search, search->singles, search->fitted));
}

// No mistake, or one, computed in lower precision. If their numbers do not show the precision, pairs of mistakes are
// tried first.
static bool try_rounding(Search *search)
{
    Diagnosis *out = search->out;
    CauseVariation plain = search_asked(search->c).v;
    JudgePrecision like = rounding_like(&search->s, &plain, search->s.plain, &out->rounding);
    JudgePrecision shown = rounding_shown(search->c);
    SearchList all = search_joined(search, search->singles, search->fitted);
    if (like || shown) add_closest(search, search_best(search, all, 4), 0.5, true);
    if (out->count) return true;
    out->precision_shows = like && shown;
    out->precision = out->precision_shows ? shown : like;
    return like != JUDGE_EXACT;
}

// One mistake, and a second that affects only a few rows, or a few rows that remain unexplained.
static bool try_all_but_few_rows(Search *search)
{
    SearchList few = { arena_alloc(search->scratch, (size_t)search->singles.count * sizeof(SearchCandidate)), 0 };
    for (int e = 0; e < search->singles.count; e++)
        if (explains_rows(&search->singles.at[e], true)) few.at[few.count++] = search->singles.at[e];
    SearchList both = search_more(search, few);
    search_try(search, both, search->s.count, true);
    return add_explaining(search, both) || add_partial(search, few, true);
}

enum { RANKING_ROWS = 32 };

static bool try_several_causes(Search *search)
{
    // 1. All pairs; then causes with a tile or a window, and fitted numbers, added to the best single causes.
    SearchList pairs = search_pairs(search);
    search->out->pairs = pairs.count;
    search_try(search, pairs, search->s.count, true);
    if (add_explaining(search, pairs)) return true;
    SearchList alone = search_best(search, search->singles, search_allowed(search->c, 5e4, 2, 12));
    SearchList more = search_more(search, alone);
    search->out->pairs += more.count;
    search_try(search, more, search->s.count, true);
    if (add_explaining(search, more) || add_explaining(search, search_fits(search, alone))) return true;

    // 2. A third cause added to the best pairs.
    SearchList few = search_best(search, pairs, search_allowed(search->c, 4e5, 8, 96));
    search_try(search, few, RANKING_ROWS, false);
    few = search_best(search, few, search_allowed(search->c, 1e5, 4, 20));
    SearchList triples = search_more(search, few);
    search->out->triples = triples.count;
    search_try(search, triples, search->s.count, true);
    if (add_explaining(search, triples)) return true;
    int most = search_allowed(search->c, 2e4, 1, 4);
    few.count = few.count < most ? few.count : most;
    return add_explaining(search, search_fits(search, few));
}

static void search_all(Search *search)
{
    Diagnosis *out = search->out;
    const char *name, *moved = permutation_slices(search->arena, search->c, &name);
    search_singles(search);
    out->tried = search->singles.count;
    Comparison all = { .count = search->c->found.count };
    if (moved) add_finding(search, (DiagnosisFinding){ .names = { name }, .words = moved, .left = all });
    if (try_single_causes(search) || add_partial(search, search->singles, false) || try_rounding(search)) return;
    if (all_wrong_rows_zero(search->c) || try_all_but_few_rows(search) || try_several_causes(search)) return;
    add_closest(search, search_best(search, search_joined(search, search->singles, search->fitted), 4), 0.5, false);
}

void diagnosis_of(Diagnosis *out, Arena *arena, const HypothesisCase *c)
{
    *out = (Diagnosis){ .alike = permutation_alike(arena, c) };
    if (out->alike) return;
    Arena *scratch = arena_open();
    Reinterpretations *views = reinterpretation_open();
    Search search = { .out = out, .arena = arena, .scratch = scratch, .c = c };
    search.s = hypothesis_sample(scratch, c, views);
    out->rows = (size_t)search.s.count;
    out->of = search.s.of;
    search_all(&search);
    reinterpretation_close(views);
    arena_close(scratch);
}
