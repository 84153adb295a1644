// Chapter 09. Roles: what a head does, told from its weights (T, T) over many sentences.
//
// Everything here is a mean that is added to, map after map, and read out at the end. Two accumulators merge into that
// of both sets, so sentences can be scored in parallel, one accumulator each, and merged in their order: then the sums
// are the same for any number of threads. An accumulator begins as all zeros: HeadScores scores = { 0 }.
//
//     a mean of nothing    is NaN: a relation never seen
//     a row of zeros       (a query that sees no key) is left out of the statistics; a relation from it is missed
//     NaN in a row         spreads to the masses; its argmax counts as wrong
//
// What is not here: what a head writes (its values), and what the model needs it for (chapter 10).
// Statistics that need no language: attention/head_stats.h. Heads and their kinds: Clark et al. 2019, arXiv:1906.04341;
// Voita et al. 2019, arXiv:1905.09418.
#ifndef LANGUAGE_HEAD_ROLES_H
#define LANGUAGE_HEAD_ROLES_H

#include "attention/head_stats.h"
#include "language/glosses.h"

#include <stdint.h>

// ---- one head

typedef struct {
    HeadMean stats[HEAD_STATS];
    HeadMean offsets[HEAD_OFFSETS_NEAR];   // head_stats_add's
    HeadMean mass[GLOSS_RELATION_KINDS];   // mean weight on the right position; on all of them where there are several
    HeadMean argmax[GLOSS_RELATION_KINDS]; // share of relations whose argmax is a right position
    HeadMean pairwise;                     // share of `it` with more weight on its antecedent than on any other noun
} HeadScores;

// A map on its own: statistics and offsets. tokens (T), or NULL. weights (T, T); T may be 0.
void head_role_add_map(HeadScores *scores, Mat weights, const int *tokens);

// A map of a sentence with the answers: everything. Previous, next and delimiter are relations too; the delimiter mass
// of a head is mass[GLOSS_RELATION_DELIMITER]. weights (T, T) with T = sentence->T.
void head_role_add(HeadScores *scores, Mat weights, const GlossedSentence *sentence);

void head_role_merge(HeadScores *scores, const HeadScores *other);

// ---- what needs no head: the best fixed offset

// Counts of to − from, from the same sentences. Of several right positions each is a hit; the relation counts once.
enum { HEAD_OFFSETS = 2 * WORD_SENTENCE_MOST - 1 };
typedef struct {
    int64_t count[GLOSS_RELATION_KINDS];
    int64_t hits[GLOSS_RELATION_KINDS][HEAD_OFFSETS]; // [kind][to − from + WORD_SENTENCE_MOST − 1]
} HeadOffsets;

void head_offsets_add(HeadOffsets *offsets, const GlossedSentence *sentence);
void head_offsets_merge(HeadOffsets *offsets, const HeadOffsets *other);

// The share of relations that a head would get right which always looks `offset` away, for the best such offset; of
// equal ones the nearest, before rather than after. A relation never seen: share NaN, offset 0. [Voita et al. 2019]
typedef struct {
    int offset;
    double share;
} HeadBaseline;
HeadBaseline head_offsets_best(const HeadOffsets *offsets, GlossRelationKind kind);

// ---- a name for a head

// The first that applies. a is the argmax score of a relation from det to dup that was seen HEAD_ROLE_FEWEST times or more,
// b its baseline. A head that always looks a fixed distance away never has a > b, so relations can come first.
typedef enum {
    HEAD_ROLE_UNSEEN,    // no row was ever added
    HEAD_ROLE_RELATION,  // the largest (a − b) / (1 − b), with a ≥ 0.5 and a ≥ b + 0.1  [Voita et al. 2019];
                         // of equal ones that with the lower b
    HEAD_ROLE_POSITION,  // one offset, which half of the rows have, has the argmax of 0.9 of these   [the same]
    HEAD_ROLE_INDUCTION, // induction mass ≥ 0.5, over HEAD_ROLE_FEWEST rows or more
    HEAD_ROLE_SINK,      // first-token mass ≥ 0.5
    HEAD_ROLE_DELIMITER, // delimiter mass ≥ 0.5                                         [Clark et al. 2019]
    HEAD_ROLE_BROAD,     // broad in half of the rows or more                            [Clark et al. 2019]
    HEAD_ROLE_MIXED,     // none of these
    HEAD_ROLE_KINDS
} HeadRoleKind;

enum { HEAD_ROLE_FEWEST = 20 };

typedef struct {
    HeadRoleKind kind;
    GlossRelationKind relation; // of HEAD_ROLE_RELATION
    int offset;                 // of HEAD_ROLE_POSITION: −1 is the previous token
    double score, baseline;     // what was held against the rule; the baseline of HEAD_ROLE_RELATION
} HeadRole;

HeadRole head_role_of(const HeadScores *scores, const HeadOffsets *offsets); // offsets NULL: without relations

// A head may have several jobs: every relation that meets the rule, the best first. relations (GLOSS_RELATION_KINDS); answers
// how many there are.
int head_role_relations(GlossRelationKind *relations, const HeadScores *scores, const HeadOffsets *offsets);

char *head_role_text(Arena *arena, HeadRole role); // "det", "previous", "next", "itself", "2 before", "sink", …

// ---- the two sentences that differ in one word

// From grammar_sentence_twins: row `it` of both maps, [0] of the tired one, [1] of the wide one.
typedef struct {
    HeadMean switched;              // argmax at the subject in the first, at the object in the second
    HeadMean pairwise;              // more weight on subject than object, then less
    HeadMean subject[2], object[2]; // weight on either
} HeadTwinScores;

void head_twins_add(HeadTwinScores *scores, Mat tired_weights, const GlossedSentence *tired, Mat wide_weights,
                    const GlossedSentence *wide);
void head_twins_merge(HeadTwinScores *scores, const HeadTwinScores *other);

#endif
