// Chapter 09. Accumulates statistics of maps per relation, and derives a head's role from the means.
#include "language/head_roles.h"

#include "base/portable_math.h"
#include "language/vocabulary.h"

#include <stdlib.h>

// The argmax of a row; −1 if it sees no key.
static int argmax_of(const float *row, int n) { return head_row_blind(row, n) ? -1 : head_row_argmax(row, n); }

void head_role_add_map(HeadScores *scores, Mat weights, const int *tokens)
{
    head_stats_add(scores->stats, scores->offsets, weights, tokens);
}

// ---- relations

// to[kind][from]: the correct positions, bit j for position j.
typedef struct {
    uint32_t to[GLOSS_RELATION_KINDS][WORD_SENTENCE_MOST];
} Answers;

static Answers correct_positions(const GlossedSentence *sentence)
{
    _Static_assert(WORD_SENTENCE_MOST <= 32, "a position is a bit");
    Answers answers = { 0 };
    int T = sentence->T;
    REQUIRE(0 <= T && T <= WORD_SENTENCE_MOST, "a sentence of %d words; there is room for %d", T, WORD_SENTENCE_MOST);
    for (int r = 0; r < sentence->relation_count; r++) {
        GlossRelation relation = sentence->relations[r];
        REQUIRE(0 <= relation.from && relation.from < T && 0 <= relation.to && relation.to < T,
                "relation %s from %d to %d in a sentence of %d words", gloss_relation_name(relation.kind),
                relation.from, relation.to, T);
        answers.to[relation.kind][relation.from] |= UINT32_C(1) << relation.to;
    }
    return answers;
}

static bool right(uint32_t to, int position) { return position >= 0 && to >> position & 1; }

// Mass and argmax of one relation: a row and its correct positions.
static void add_relation(HeadScores *scores, GlossRelationKind kind, const float *row, int T, uint32_t to)
{
    double mass = 0.0;
    for (int j = 0; j < T; j++)
        if (right(to, j)) mass += (double)row[j];
    head_mean_add(&scores->mass[kind], mass);
    head_mean_add(&scores->argmax[kind], right(to, argmax_of(row, T)));
}

// Does row `it` have more weight on the antecedent than on every other noun?
static bool above_rivals(const GlossedSentence *sentence, const float *row, int antecedent)
{
    for (int j = 0; j < sentence->T; j++) {
        bool rival = j != antecedent && word_at(sentence->words[j])->class == WORD_NOUN;
        if (rival && !(row[antecedent] > row[j])) return false;
    }
    return true;
}

static void require_map(Mat weights, const GlossedSentence *sentence)
{
    REQUIRE(weights.rows == sentence->T && weights.cols == sentence->T,
            "weights is " MAT_SHAPE ", the sentence has %d words", MAT_SHAPED(weights), sentence->T);
}

void head_role_add(HeadScores *scores, Mat weights, const GlossedSentence *sentence)
{
    require_map(weights, sentence);
    Answers answers = correct_positions(sentence);
    head_role_add_map(scores, weights, sentence->words);
    for (int kind = 0; kind < GLOSS_RELATION_KINDS; kind++)
        for (int from = 0; from < sentence->T; from++) {
            uint32_t to = answers.to[kind][from];
            if (to) add_relation(scores, (GlossRelationKind)kind, mat_row(weights, from), sentence->T, to);
        }
    for (int r = 0; r < sentence->relation_count; r++) {
        GlossRelation relation = sentence->relations[r];
        if (relation.kind != GLOSS_RELATION_IT) continue;
        head_mean_add(&scores->pairwise, above_rivals(sentence, mat_row(weights, relation.from), relation.to));
    }
}

void head_role_merge(HeadScores *scores, const HeadScores *other)
{
    head_means_merge(scores->stats, other->stats, HEAD_STATS);
    head_means_merge(scores->offsets, other->offsets, HEAD_OFFSETS_NEAR);
    head_means_merge(scores->mass, other->mass, GLOSS_RELATION_KINDS);
    head_means_merge(scores->argmax, other->argmax, GLOSS_RELATION_KINDS);
    head_means_merge(&scores->pairwise, &other->pairwise, 1);
}

// ---- the baseline: the best fixed offset

void head_offsets_add(HeadOffsets *offsets, const GlossedSentence *sentence)
{
    Answers answers = correct_positions(sentence);
    for (int kind = 0; kind < GLOSS_RELATION_KINDS; kind++)
        for (int from = 0; from < sentence->T; from++) {
            uint32_t to = answers.to[kind][from];
            offsets->count[kind] += to != 0;
            for (int j = 0; j < sentence->T; j++)
                offsets->hits[kind][j - from + WORD_SENTENCE_MOST - 1] += right(to, j);
        }
}

void head_offsets_merge(HeadOffsets *offsets, const HeadOffsets *other)
{
    for (int kind = 0; kind < GLOSS_RELATION_KINDS; kind++) {
        offsets->count[kind] += other->count[kind];
        for (int o = 0; o < HEAD_OFFSETS; o++) offsets->hits[kind][o] += other->hits[kind][o];
    }
}

// Tried from the nearest to the farthest, before ahead of after; only a larger count replaces the best.
HeadBaseline head_offsets_best(const HeadOffsets *offsets, GlossRelationKind kind)
{
    REQUIRE(0 <= (int)kind && kind < GLOSS_RELATION_KINDS, "relation %d of %d", (int)kind, (int)GLOSS_RELATION_KINDS);
    const int64_t *hits = offsets->hits[kind] + WORD_SENTENCE_MOST - 1;
    int best = 0;
    for (int far = 1; far < WORD_SENTENCE_MOST; far++) {
        if (hits[-far] > hits[best]) best = -far;
        if (hits[far] > hits[best]) best = far;
    }
    return (HeadBaseline){ best, head_mean_value((HeadMean){ (double)hits[best], offsets->count[kind] }) };
}

// ---- naming the role

#define RELATION_SHARE 0.5 // minimum argmax score,
#define RELATION_ABOVE 0.1 // and minimum distance above the baseline
#define POSITION_SHARE 0.9
#define MASS_SHARE     0.5 // for induction, sink, delimiter; and broad rows

// The part of what the baseline leaves open that the head gets: (a − b) / (1 − b); 0 if the rule is not met.
static double gain(const HeadScores *scores, const HeadOffsets *offsets, GlossRelationKind kind)
{
    double a = head_mean_value(scores->argmax[kind]), b = head_offsets_best(offsets, kind).share;
    if (scores->argmax[kind].count < HEAD_ROLE_FEWEST || !(a >= RELATION_SHARE && a >= b + RELATION_ABOVE)) return 0.0;
    return (a - b) / (1.0 - b);
}

typedef struct {
    GlossRelationKind kind;
    double gain, baseline;
} Job;

static bool better(Job one, Job other)
{
    return one.gain > other.gain || (one.gain == other.gain && one.baseline < other.baseline);
}

int head_role_relations(GlossRelationKind *relations, const HeadScores *scores, const HeadOffsets *offsets)
{
    Job jobs[GLOSS_RELATION_KINDS];
    int count = 0;
    for (GlossRelationKind kind = 0; kind <= GLOSS_RELATION_DUP; kind++) {
        Job job = { kind, gain(scores, offsets, kind), head_offsets_best(offsets, kind).share };
        if (!(job.gain > 0.0)) continue;
        int at = count++;
        while (at > 0 && better(job, jobs[at - 1])) {
            jobs[at] = jobs[at - 1];
            at--;
        }
        jobs[at] = job;
    }
    for (int n = 0; n < count; n++) relations[n] = jobs[n].kind;
    return count;
}

static HeadRole role_of_relation(const HeadScores *scores, const HeadOffsets *offsets)
{
    GlossRelationKind relations[GLOSS_RELATION_KINDS];
    if (!head_role_relations(relations, scores, offsets)) return (HeadRole){ .kind = HEAD_ROLE_MIXED };
    GlossRelationKind best = relations[0];
    return (HeadRole){ .kind = HEAD_ROLE_RELATION,
                       .relation = best,
                       .score = head_mean_value(scores->argmax[best]),
                       .baseline = head_offsets_best(offsets, best).share };
}

// The most frequent offset of the argmax. Far offsets exist in few rows of short sentences and are excluded: a single row
// that attends to the first token would count as all rows.
static HeadRole role_of_position(const HeadScores *scores)
{
    const HeadMean *at = scores->offsets + HEAD_OFFSET_NEAR;
    int64_t rows = at[0].count;
    int best = 0;
    for (int o = -HEAD_OFFSET_NEAR; o <= HEAD_OFFSET_NEAR; o++)
        if (2 * at[o].count >= rows && head_mean_value(at[o]) > head_mean_value(at[best])) best = o;
    double share = head_mean_value(at[best]);
    if (!(share >= POSITION_SHARE)) return (HeadRole){ .kind = HEAD_ROLE_MIXED };
    return (HeadRole){ .kind = HEAD_ROLE_POSITION, .offset = best, .score = share };
}

HeadRole head_role_of(const HeadScores *scores, const HeadOffsets *offsets)
{
    if (!scores->stats[HEAD_STAT_ENTROPY].count) return (HeadRole){ .kind = HEAD_ROLE_UNSEEN };
    if (offsets) {
        HeadRole relation = role_of_relation(scores, offsets);
        if (relation.kind == HEAD_ROLE_RELATION) return relation;
    }
    HeadRole position = role_of_position(scores);
    if (position.kind == HEAD_ROLE_POSITION) return position;

    HeadMean induction = scores->stats[HEAD_STAT_INDUCTION];
    double first = head_mean_value(scores->stats[HEAD_STAT_FIRST]),
           broad = head_mean_value(scores->stats[HEAD_STAT_BROAD]);
    double delimiter = head_mean_value(scores->mass[GLOSS_RELATION_DELIMITER]);
    if (induction.count >= HEAD_ROLE_FEWEST && head_mean_value(induction) >= MASS_SHARE)
        return (HeadRole){ .kind = HEAD_ROLE_INDUCTION, .score = head_mean_value(induction) };
    if (first >= MASS_SHARE) return (HeadRole){ .kind = HEAD_ROLE_SINK, .score = first };
    if (delimiter >= MASS_SHARE) return (HeadRole){ .kind = HEAD_ROLE_DELIMITER, .score = delimiter };
    if (broad >= MASS_SHARE) return (HeadRole){ .kind = HEAD_ROLE_BROAD, .score = broad };
    return (HeadRole){ .kind = HEAD_ROLE_MIXED };
}

static char *offset_text(Arena *arena, int offset)
{
    if (offset == 0) return arena_format(arena, "itself");
    if (abs(offset) == 1) return arena_format(arena, offset < 0 ? "previous" : "next");
    return arena_format(arena, "%d %s", abs(offset), offset < 0 ? "before" : "after");
}

char *head_role_text(Arena *arena, HeadRole role)
{
    static const char *const names[HEAD_ROLE_KINDS] = { "unseen", "",          "",      "induction",
                                                        "sink",   "delimiter", "broad", "mixed" };
    REQUIRE(0 <= (int)role.kind && role.kind < HEAD_ROLE_KINDS, "role %d of %d", (int)role.kind, (int)HEAD_ROLE_KINDS);
    if (role.kind == HEAD_ROLE_RELATION) return arena_format(arena, "%s", gloss_relation_name(role.relation));
    if (role.kind == HEAD_ROLE_POSITION) return offset_text(arena, role.offset);
    return arena_format(arena, "%s", names[role.kind]);
}

// ---- minimal pairs

// Row `it` of a map of one of two sentences; positions of `it`, subject and object must agree.
static const float *row_of_it(Mat weights, const GlossedSentence *sentence, const GlossedSentence *twin)
{
    require_map(weights, sentence);
    REQUIRE(sentence->it >= 0 && sentence->it == twin->it && sentence->subject == twin->subject &&
                sentence->object == twin->object,
            "`it` at %d and at %d: these are no twins", sentence->it, twin->it);
    return mat_row(weights, sentence->it);
}

void head_twins_add(HeadTwinScores *scores, Mat tired_weights, const GlossedSentence *tired, Mat wide_weights,
                    const GlossedSentence *wide)
{
    const float *first = row_of_it(tired_weights, tired, wide), *second = row_of_it(wide_weights, wide, tired);
    int subject = tired->subject, object = tired->object;
    head_mean_add(&scores->switched, argmax_of(first, tired->T) == subject && argmax_of(second, wide->T) == object);
    head_mean_add(&scores->pairwise, first[subject] > first[object] && second[object] > second[subject]);
    head_mean_add(&scores->subject[0], (double)first[subject]);
    head_mean_add(&scores->subject[1], (double)second[subject]);
    head_mean_add(&scores->object[0], (double)first[object]);
    head_mean_add(&scores->object[1], (double)second[object]);
}

void head_twins_merge(HeadTwinScores *scores, const HeadTwinScores *other)
{
    head_means_merge(&scores->switched, &other->switched, 1);
    head_means_merge(&scores->pairwise, &other->pairwise, 1);
    head_means_merge(scores->subject, other->subject, 2);
    head_means_merge(scores->object, other->object, 2);
}
