// What may have been done, one cause, two or three together, and how near each comes to theirs.
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
    Arena *arena, *scratch; // for what is said, and for what is tried
    const HypothesisCase *c;
    HypothesisSample s;
    SearchList singles; // one cause each; the first `plain` of them have no number
    int plain;
    SearchList fitted; // one cause with a number that is fitted
} Search;

SearchCandidate search_asked(const HypothesisCase *c); // no mistake

// Lists of what could change something: one cause; two, of those without numbers; those of `bases` and any one more;
// those of `bases` and one with a number that is fitted, already tried. What would cost much more than its rows is not
// in them.
void search_singles(Search *search);
SearchList search_pairs(Search *search);
SearchList search_more(Search *search, SearchList bases);
SearchList search_fits(Search *search, SearchList bases);
SearchList search_joined(Search *search, SearchList one, SearchList other);

// Tries all on the first `most` rows of the sample; `hasty`: each up to the first row that does not fit.
void search_try(const Search *search, SearchList list, int most, bool hasty);
// The same without those of its causes that take nothing away: what is named must have been done.
SearchCandidate search_needed(const Search *search, const SearchCandidate *one);
SearchList search_best(Search *search, SearchList list, int most); // those that leave least, the best first
int search_by_fit(const void *one, const void *other);             // for qsort: those that fit come first

// What a candidate leaves, Σ (theirs − its result)², and as a share of the error: of root mean squares. Where NaN and
// Inf are mended, all that counts is that they are.
double search_left(const SearchCandidate *one);
double search_share(const Search *search, const SearchCandidate *one);
bool search_has_fit(const SearchCandidate *one); // has it a number that is fitted?

// How many of something to try: as many as this work allows, a row being S · (d + dv).
int search_allowed(const HypothesisCase *c, double work, int least, int most);

#endif
