// Builds lists of candidates, evaluates them in parallel, and sorts them.
#include "judge/search.h"

#include "base/portable_math.h"
#include "base/threads.h"
#include "judge/fit.h"

#include <stdlib.h>

// ---- candidates

static SearchCandidate add_cause(const SearchCandidate *base, const Cause *cause, double number)
{
    SearchCandidate one = *base;
    one.causes[one.count] = cause;
    one.numbers[one.count++] = number;
    return one;
}

// Adds a cause to `base`. false: it has no effect, or undoes what `base` does.
static bool try_add_cause(SearchCandidate *to, const SearchCandidate *base, const Cause *cause, double number,
                          const CauseSetting *setting)
{
    *to = add_cause(base, cause, number);
    return cause->apply(&to->v, setting, number) && cause_is_another(&base->v, &to->v, setting);
}

static bool sums_columns(const SearchCandidate *one)
{
    return one->v.rules.softmax == JUDGE_OVER_QUERIES || one->v.rules.softmax == JUDGE_OVER_ALL;
}

static bool reinterprets(const SearchCandidate *one)
{
    return one->v.q_as || one->v.k_as || one->v.v_as || one->v.out_back || one->v.heads;
}

int search_allowed(const HypothesisCase *c, double work, int least, int most)
{
    JudgeShape is = c->problem->is;
    double count = work / ((double)is.S * (is.d + is.dv));
    return count < least ? least : count < most ? (int)count : most;
}

// Is a pair much more expensive than its rows: does it need a copy of all arrays, or a whole head?
static bool costly(const HypothesisCase *c, const SearchCandidate *one, const SearchCandidate *other)
{
    JudgeShape is = c->problem->is;
    double copy = (double)is.B * is.H * ((double)is.T + is.S) * (is.d + is.dv), head = (double)is.T * is.S * is.d;
    return (copy > 1e5 && reinterprets(one) && reinterprets(other)) ||
           (head > 1e5 && (sums_columns(one) || sums_columns(other)));
}

SearchCandidate search_asked(const HypothesisCase *c)
{
    return (SearchCandidate){ .v = { .rules = c->setting.rules } };
}

// The first position that is wrong: the size of a window that was not asked for.
static int first_wrong(const HypothesisCase *c)
{
    JudgeShape is = c->problem->is;
    size_t width = (size_t)hypothesis_width(c), T = (size_t)is.T, rows = c->found.count / width, first = T;
    for (size_t row = 0; row < rows; row++)
        if (row % T < first && compare_arrays(c->theirs + row * width, c->ours + row * width, width, c->tolerance).out)
            first = row % T;
    return (int)first + is.S - is.T;
}

void search_singles(Search *search)
{
    enum { LARGEST_TILE = 256, LARGEST_WHOLE = 64 };
    SearchCandidate base = search_asked(search->c);
    SearchList *list = &search->singles;
    list->at = arena_alloc(search->scratch, (size_t)(cause_count * (LARGEST_WHOLE + 1)) * sizeof *list->at);
    for (int e = 0; e < cause_count; e++)
        if (cause_table[e].number == CAUSE_NO_NUMBER)
            list->count += try_add_cause(&list->at[list->count], &base, &cause_table[e], 0, &search->c->setting);
    search->plain = list->count;
    for (int e = 0; e < cause_count; e++) {
        bool tile = cause_table[e].number == CAUSE_TILE;
        if (!tile && cause_table[e].number != CAUSE_SMALL_WHOLE) continue;
        for (int n = 1; n <= (tile ? LARGEST_TILE : LARGEST_WHOLE); n = tile ? 2 * n : n + 1)
            list->count += try_add_cause(&list->at[list->count], &base, &cause_table[e], n, &search->c->setting);
        int first = first_wrong(search->c);
        if (!tile && first > LARGEST_WHOLE)
            list->count += try_add_cause(&list->at[list->count], &base, &cause_table[e], first, &search->c->setting);
    }
}

// ---- evaluating candidates

typedef struct {
    const Search *search;
    SearchList list;
    int most, each;
    bool hasty;
} Trials;

static void evaluate_some(int index, void *context)
{
    const Trials *trials = context;
    Arena *scratch = arena_open();
    JudgeRow row_scratch = hypothesis_room(scratch, trials->search->c);
    int end = (index + 1) * trials->each < trials->list.count ? (index + 1) * trials->each : trials->list.count;
    for (int e = index * trials->each; e < end; e++) {
        SearchCandidate *one = &trials->list.at[e];
        one->tried = hypothesis_on_sample(&trials->search->s, &one->v, &row_scratch, trials->most, trials->hasty);
    }
    arena_close(scratch);
}

void search_try(const Search *search, SearchList list, int most, bool hasty)
{
    Trials trials = { search, list, most, list.count / 512 + 1, hasty };
    threads_parallel_for((list.count + trials.each - 1) / trials.each, evaluate_some, &trials);
}

// The candidate without one of its causes.
static bool without(SearchCandidate *to, const Search *search, const SearchCandidate *one, int left_out)
{
    SearchCandidate all = search_asked(search->c);
    for (int e = 0; e < one->count; e++) {
        if (e == left_out) continue;
        if (!try_add_cause(to, &all, one->causes[e], one->numbers[e], &search->c->setting)) return false;
        all = *to;
    }
    return true;
}

SearchCandidate search_needed(const Search *search, const SearchCandidate *one)
{
    SearchCandidate needed = *one, fewer;
    for (int e = 0; e < needed.count && needed.count > 1; e++) {
        if (!without(&fewer, search, &needed, e)) continue;
        search_try(search, (SearchList){ &fewer, 1 }, search->s.count, false);
        double most = 1.01 * search_left(one) + 1e-18 * search->s.plain.size;
        if (fewer.tried.left.out || search_left(&fewer) > most) continue;
        needed = fewer;
        e = -1;
    }
    return needed;
}

double search_left(const SearchCandidate *one)
{
    return one->tried.left.not_finite ? INFINITY : one->tried.left.difference;
}

bool search_has_fit(const SearchCandidate *one)
{
    for (int e = 0; e < one->count; e++)
        if (one->causes[e]->number == CAUSE_FITTED) return true;
    return false;
}

double search_share(const Search *search, const SearchCandidate *one)
{
    const Comparison *before = &search->s.plain, *left = &one->tried.left;
    if (left->not_finite) return INFINITY;
    return before->not_finite || before->difference == 0 ? 0 : sqrt(left->difference / before->difference);
}

// Orders by "all within tolerance" first, then by remaining error.
int search_by_fit(const void *a, const void *b)
{
    const SearchCandidate *one = a, *other = b;
    bool one_fits = !one->tried.left.out, other_fits = !other->tried.left.out;
    if (one_fits != other_fits) return one_fits ? -1 : 1;
    double left = search_left(one), right = search_left(other);
    return left < right ? -1 : left > right ? 1 : one->causes[0] < other->causes[0] ? -1 : 1;
}

SearchList search_best(Search *search, SearchList list, int most)
{
    SearchList best = { arena_alloc(search->scratch, (size_t)(list.count + 1) * sizeof(SearchCandidate)), list.count };
    for (int e = 0; e < list.count; e++) best.at[e] = list.at[e];
    qsort(best.at, (size_t)best.count, sizeof *best.at, search_by_fit);
    if (best.count > most) best.count = most;
    return best;
}

// ---- numbers that are fitted

typedef struct {
    const Search *search;
    SearchList bases;
    SearchCandidate *to;
    bool *done;
} Fits;

static void fit_one(int index, void *context)
{
    const Fits *fits = context;
    const SearchCandidate *base = &fits->bases.at[index / cause_count];
    const Cause *cause = &cause_table[index % cause_count];
    if (cause->number != CAUSE_FITTED || base->count == DIAGNOSIS_MOST_CAUSES || costly(fits->search->c, base, base))
        return;
    Arena *scratch = arena_open();
    JudgeRow row_scratch = hypothesis_room(scratch, fits->search->c);
    CauseVariation v;
    double number;
    if (fit_number(&v, &number, &fits->search->s, &base->v, cause, &row_scratch)) {
        fits->to[index] = add_cause(base, cause, number);
        fits->to[index].v = v;
        fits->to[index].tried = hypothesis_on_sample(&fits->search->s, &v, &row_scratch, fits->search->s.count, false);
        fits->done[index] = true;
    }
    arena_close(scratch);
}

SearchList search_fits(Search *search, SearchList bases)
{
    int jobs = bases.count * cause_count;
    SearchList list = { arena_alloc(search->scratch, (size_t)jobs * sizeof(SearchCandidate)), 0 };
    bool *done = arena_alloc(search->scratch, (size_t)jobs);
    threads_parallel_for(jobs, fit_one, &(Fits){ search, bases, list.at, done });
    for (int e = 0; e < jobs; e++)
        if (done[e]) list.at[list.count++] = list.at[e];
    return list;
}

// ---- several together

SearchList search_pairs(Search *search)
{
    const SearchCandidate *single = search->singles.at;
    int most = search->plain * (search->plain - 1) / 2;
    SearchList list = { arena_alloc(search->scratch, (size_t)(most + 1) * sizeof(SearchCandidate)), 0 };
    for (int a = 0; a < search->plain; a++)
        for (int b = a + 1; b < search->plain; b++)
            if (!costly(search->c, &single[a], &single[b]))
                list.count +=
                    try_add_cause(&list.at[list.count], &single[a], single[b].causes[0], 0, &search->c->setting);
    return list;
}

SearchList search_more(Search *search, SearchList bases)
{
    const SearchCandidate *single = search->singles.at;
    size_t most = (size_t)(bases.count * search->singles.count + 1);
    SearchList list = { arena_alloc(search->scratch, most * sizeof(SearchCandidate)), 0 };
    for (int a = 0; a < bases.count; a++)
        for (int b = 0; b < search->singles.count; b++)
            if (!costly(search->c, &bases.at[a], &single[b]))
                list.count += try_add_cause(&list.at[list.count], &bases.at[a], single[b].causes[0],
                                            single[b].numbers[0], &search->c->setting);
    return list;
}

SearchList search_joined(Search *search, SearchList one, SearchList other)
{
    SearchList all = { arena_alloc(search->scratch, (size_t)(one.count + other.count + 1) * sizeof(SearchCandidate)),
                       one.count + other.count };
    for (int e = 0; e < one.count; e++) all.at[e] = one.at[e];
    for (int e = 0; e < other.count; e++) all.at[one.count + e] = other.at[e];
    return all;
}
