// Candidates: one cause, or two or three together, and how well each explains theirs.
#ifndef JUDGE_SEARCH_H
#define JUDGE_SEARCH_H

#include "judge/diagnosis.h"

typedef struct {
    const Cause *causes[DIAGNOSIS_MOST_CAUSES];
    double numbers[DIAGNOSIS_MOST_CAUSES];
    int count;
    CauseVariation v;
    HypothesisResult tried;
} SearchCandidate;

typedef struct {
    SearchCandidate *at;
    int count;
} SearchList;

typedef struct {
    Diagnosis *out;
    Arena *arena, *scratch; // for results; for candidates
    const HypothesisCase *c;
    HypothesisSample s;
    SearchList singles; // one cause each; the first `plain` have no number
    int plain;
    SearchList fitted; // one cause with a fitted number
} Search;

SearchCandidate search_asked(const HypothesisCase *c); // the rules as asked, without a mistake

// Build lists of candidates: single causes; pairs of causes without numbers; `bases` plus any one cause; `bases` plus
// one fitted cause, already evaluated; concatenation of two lists. Candidates that would cost much more than their rows
// are omitted.
void search_singles(Search *search);
SearchList search_pairs(Search *search);
SearchList search_more(Search *search, SearchList bases);
SearchList search_fits(Search *search, SearchList bases);
SearchList search_joined(Search *search, SearchList one, SearchList other);

// Evaluates all candidates on `most` rows of the sample; `hasty`: each up to the first row that does not fit.
void search_try(const Search *search, SearchList list, int most, bool hasty);
// Removes causes that do not reduce the error, so that only necessary ones are reported.
SearchCandidate search_needed(const Search *search, const SearchCandidate *one);
SearchList search_best(Search *search, SearchList list, int most); // the candidates with the smallest error, best first
int search_by_fit(const void *one, const void *other);             // for qsort: fitting candidates first

// The remaining error Σ (theirs − result)², and its root mean square as a share of the original error. If NaN or Inf
// remain, both are INFINITY.
double search_left(const SearchCandidate *one);
double search_share(const Search *search, const SearchCandidate *one);
bool search_has_fit(const SearchCandidate *one); // does it have a fitted number?

// Number of candidates to try within a budget of `work`; a row costs S · (d + dv).
int search_allowed(const HypothesisCase *c, double work, int least, int most);

#endif
