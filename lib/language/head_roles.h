// Chapter 09. Roles of attention heads, determined from their weights (T, T) over many sentences.
//
// All statistics are means that accumulate map by map. Two accumulators can be merged, so sentences can be scored in
// parallel, one accumulator each, and merged in order: then the result does not depend on the number of threads. An
// accumulator starts as all zeros: HeadScores scores = { 0 }.
//
//     an empty mean        is NaN: the relation never occurred
//     a row of zeros       (a query without visible keys) is excluded from the statistics; its relations are misses
//     NaN in a row         spreads to the masses; its argmax counts as wrong
//
// Not here: what a head writes (its values), and what the model needs it for (ablation). Statistics that do not depend
// on language: attention/head_stats.h. Kinds of heads: Clark et al. 2019, arXiv:1906.04341; Voita et al. 2019,
// arXiv:1905.09418.
#ifndef LANGUAGE_HEAD_ROLES_H
#define LANGUAGE_HEAD_ROLES_H

#include "attention/head_stats.h"
#include "language/glosses.h"

#include <stdint.h>

// ---- one head

typedef struct {
    HeadMean stats[HEAD_STATS];
    HeadMean offsets[HEAD_OFFSETS_NEAR];   // from head_stats_add
    HeadMean mass[GLOSS_RELATION_KINDS];   // mean weight on the correct position; the sum if there are several
    HeadMean argmax[GLOSS_RELATION_KINDS]; // fraction of relations whose argmax is a correct position
    HeadMean pairwise;                     // fraction of `it` with more weight on its antecedent than on any other noun
} HeadScores;

// Adds a map without relations: statistics and offsets. tokens (T), or NULL. weights (T, T); T may be 0.
void head_role_add_map(HeadScores *scores, Mat weights, const int *tokens);

// Adds a map of a sentence with its relations. Previous, next and delimiter are relations, too; a head's delimiter mass
// is mass[GLOSS_RELATION_DELIMITER]. weights (T, T) with T = sentence->T.
void head_role_add(HeadScores *scores, Mat weights, const GlossedSentence *sentence);

void head_role_merge(HeadScores *scores, const HeadScores *other);

// ---- the baseline: the best fixed offset

// Counts of to − from, from the same sentences. If several positions are correct, each is a hit; the relation counts once.
enum { HEAD_OFFSETS = 2 * WORD_SENTENCE_MOST - 1 };
typedef struct {
    int64_t count[GLOSS_RELATION_KINDS];
    int64_t hits[GLOSS_RELATION_KINDS][HEAD_OFFSETS]; // [kind][to − from + WORD_SENTENCE_MOST − 1]
} HeadOffsets;

void head_offsets_add(HeadOffsets *offsets, const GlossedSentence *sentence);
void head_offsets_merge(HeadOffsets *offsets, const HeadOffsets *other);

// The fraction of relations found by a head that always attends to the best fixed `offset`; on ties the nearest offset,
// before rather than after. A relation that never occurred: share NaN, offset 0. [Voita et al. 2019]
typedef struct {
    int offset;
    double share;
} HeadBaseline;
HeadBaseline head_offsets_best(const HeadOffsets *offsets, GlossRelationKind kind);

// ---- naming the role

// The first that applies. a is the argmax score of a relation from det to dup with at least HEAD_ROLE_FEWEST occurrences,
// b its baseline. A head with a fixed offset never has a > b, so relations can come first.
typedef enum {
    HEAD_ROLE_UNSEEN,    // no row was added
    HEAD_ROLE_RELATION,  // the largest (a − b) / (1 − b), with a ≥ 0.5 and a ≥ b + 0.1  [Voita et al. 2019];
                         // on ties, the one with the lower b
    HEAD_ROLE_POSITION,  // in half of the rows at least; the argmax of 0.9 of them is at one offset   [the same]
    HEAD_ROLE_INDUCTION, // induction mass ≥ 0.5, over at least HEAD_ROLE_FEWEST rows
    HEAD_ROLE_SINK,      // first-token mass ≥ 0.5
    HEAD_ROLE_DELIMITER, // delimiter mass ≥ 0.5                                         [Clark et al. 2019]
    HEAD_ROLE_BROAD,     // broad in at least half of the rows                             [Clark et al. 2019]
    HEAD_ROLE_MIXED,     // none of these
    HEAD_ROLE_KINDS
} HeadRoleKind;

enum { HEAD_ROLE_FEWEST = 20 };

typedef struct {
    HeadRoleKind kind;
    GlossRelationKind relation; // of HEAD_ROLE_RELATION
    int offset;                 // of HEAD_ROLE_POSITION: −1 is the previous token
    double score, baseline;     // the value compared with the rule's threshold; the baseline of HEAD_ROLE_RELATION
} HeadRole;

HeadRole head_role_of(const HeadScores *scores, const HeadOffsets *offsets); // offsets NULL: ignore relations

// All relations that meet the rule, the best first, since a head may have several jobs. relations (GLOSS_RELATION_KINDS);
// returns their number.
int head_role_relations(GlossRelationKind *relations, const HeadScores *scores, const HeadOffsets *offsets);

char *head_role_text(Arena *arena, HeadRole role); // "det", "previous", "next", "itself", "2 before", "sink", …

// ---- minimal pairs

// From grammar_sentence_twins: row `it` of both maps; [0] is the `tired` sentence, [1] the `wide` one.
typedef struct {
    HeadMean switched;              // argmax is the subject in the first and the object in the second
    HeadMean pairwise;              // more weight on the subject than on the object in the first, less in the second
    HeadMean subject[2], object[2]; // weight on each
} HeadTwinScores;

void head_twins_add(HeadTwinScores *scores, Mat tired_weights, const GlossedSentence *tired, Mat wide_weights,
                    const GlossedSentence *wide);
void head_twins_merge(HeadTwinScores *scores, const HeadTwinScores *other);

#endif
