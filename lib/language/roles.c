// Chapter 09. Roles: maps are added up, relation by relation, and what a head does is read from the means.
#include "language/roles.h"

#include "language/vocabulary.h"

#include <math.h>
#include <stdlib.h>

// Where a row looks: −1 when it sees no key.
static int looks_at(const float *row, int n) { return row_blind(row, n) ? -1 : row_argmax(row, n); }

void head_add_map(HeadScores *scores, Mat weights, const int *tokens)
{
    head_stats_add(scores->stats, scores->offsets, weights, tokens);
}

// ---- relations

// to[kind][from]: the right positions, bit j for position j.
typedef struct {
    uint32_t to[RELATION_KINDS][SENTENCE_MOST];
} Answers;

static Answers answers_of(const Glossed *sentence)
{
    _Static_assert(SENTENCE_MOST <= 32, "a position is a bit");
    Answers answers = { 0 };
    int T = sentence->T;
    REQUIRE(0 <= T && T <= SENTENCE_MOST, "a sentence of %d words; there is room for %d", T, SENTENCE_MOST);
    for (int r = 0; r < sentence->relation_count; r++) {
        Relation relation = sentence->relations[r];
        REQUIRE(0 <= relation.from && relation.from < T && 0 <= relation.to && relation.to < T,
                "relation %s from %d to %d in a sentence of %d words", relation_name(relation.kind), relation.from,
                relation.to, T);
        answers.to[relation.kind][relation.from] |= UINT32_C(1) << relation.to;
    }
    return answers;
}

static bool right(uint32_t to, int position) { return position >= 0 && to >> position & 1; }

// Mass and argmax of one relation: a row and its right positions.
static void add_relation(HeadScores *scores, RelationKind kind, const float *row, int T, uint32_t to)
{
    double mass = 0.0;
    for (int j = 0; j < T; j++)
        if (right(to, j)) mass += (double)row[j];
    mean_add(&scores->mass[kind], mass);
    mean_add(&scores->argmax[kind], right(to, looks_at(row, T)));
}

// Whether row `it` has more weight on the antecedent than on every other noun.
static bool above_rivals(const Glossed *sentence, const float *row, int antecedent)
{
    for (int j = 0; j < sentence->T; j++) {
        bool rival = j != antecedent && word_at(sentence->words[j])->class == WORD_NOUN;
        if (rival && !(row[antecedent] > row[j])) return false;
    }
    return true;
}

static void require_map(Mat weights, const Glossed *sentence)
{
    REQUIRE(weights.rows == sentence->T && weights.cols == sentence->T,
            "weights is " SHAPE ", the sentence has %d words", SHAPED(weights), sentence->T);
}

void head_add(HeadScores *scores, Mat weights, const Glossed *sentence)
{
    require_map(weights, sentence);
    Answers answers = answers_of(sentence);
    head_add_map(scores, weights, sentence->words);
    for (int kind = 0; kind < RELATION_KINDS; kind++)
        for (int from = 0; from < sentence->T; from++) {
            uint32_t to = answers.to[kind][from];
            if (to) add_relation(scores, (RelationKind)kind, mat_row(weights, from), sentence->T, to);
        }
    for (int r = 0; r < sentence->relation_count; r++) {
        Relation relation = sentence->relations[r];
        if (relation.kind != RELATION_IT) continue;
        mean_add(&scores->pairwise, above_rivals(sentence, mat_row(weights, relation.from), relation.to));
    }
}

void head_merge(HeadScores *scores, const HeadScores *other)
{
    means_merge(scores->stats, other->stats, HEAD_STATS);
    means_merge(scores->offsets, other->offsets, OFFSETS_NEAR);
    means_merge(scores->mass, other->mass, RELATION_KINDS);
    means_merge(scores->argmax, other->argmax, RELATION_KINDS);
    means_merge(&scores->pairwise, &other->pairwise, 1);
}

// ---- the best fixed offset

void offsets_add(Offsets *offsets, const Glossed *sentence)
{
    Answers answers = answers_of(sentence);
    for (int kind = 0; kind < RELATION_KINDS; kind++)
        for (int from = 0; from < sentence->T; from++) {
            uint32_t to = answers.to[kind][from];
            offsets->count[kind] += to != 0;
            for (int j = 0; j < sentence->T; j++) offsets->hits[kind][j - from + SENTENCE_MOST - 1] += right(to, j);
        }
}

void offsets_merge(Offsets *offsets, const Offsets *other)
{
    for (int kind = 0; kind < RELATION_KINDS; kind++) {
        offsets->count[kind] += other->count[kind];
        for (int o = 0; o < OFFSETS; o++) offsets->hits[kind][o] += other->hits[kind][o];
    }
}

// Tried from the nearest to the farthest, before ahead of after; only a larger count replaces the best one.
Baseline offsets_best(const Offsets *offsets, RelationKind kind)
{
    REQUIRE(0 <= (int)kind && kind < RELATION_KINDS, "relation %d of %d", (int)kind, (int)RELATION_KINDS);
    const int64_t *hits = offsets->hits[kind] + SENTENCE_MOST - 1;
    int best = 0;
    for (int far = 1; far < SENTENCE_MOST; far++) {
        if (hits[-far] > hits[best]) best = -far;
        if (hits[far] > hits[best]) best = far;
    }
    return (Baseline){ best, mean_of((Mean){ (double)hits[best], offsets->count[kind] }) };
}

// ---- names

#define RELATION_SHARE 0.5 // right at least as often as this,
#define RELATION_ABOVE 0.1 // and so much above the baseline
#define POSITION_SHARE 0.9
#define MASS_SHARE     0.5 // of induction, sink, delimiter; and of broad rows

// What a head gets of what the best fixed offset leaves: (a − b) / (1 − b); 0 when the rule is not met.
static double gain(const HeadScores *scores, const Offsets *offsets, RelationKind kind)
{
    double a = mean_of(scores->argmax[kind]), b = offsets_best(offsets, kind).share;
    if (scores->argmax[kind].count < ROLE_FEWEST || !(a >= RELATION_SHARE && a >= b + RELATION_ABOVE)) return 0.0;
    return (a - b) / (1.0 - b);
}

typedef struct {
    RelationKind kind;
    double gain, baseline;
} Job;

static bool better(Job one, Job other)
{
    return one.gain > other.gain || (one.gain == other.gain && one.baseline < other.baseline);
}

int head_relations(RelationKind *relations, const HeadScores *scores, const Offsets *offsets)
{
    Job jobs[RELATION_KINDS];
    int count = 0;
    for (RelationKind kind = 0; kind <= RELATION_DUP; kind++) {
        Job job = { kind, gain(scores, offsets, kind), offsets_best(offsets, kind).share };
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

static Role role_of_relation(const HeadScores *scores, const Offsets *offsets)
{
    RelationKind relations[RELATION_KINDS];
    if (!head_relations(relations, scores, offsets)) return (Role){ .kind = ROLE_MIXED };
    RelationKind best = relations[0];
    return (Role){ .kind = ROLE_RELATION,
                   .relation = best,
                   .score = mean_of(scores->argmax[best]),
                   .baseline = offsets_best(offsets, best).share };
}

// The offset where the argmax stands most often. Far offsets of short sentences, which few rows have, are left out:
// there the one row that looks at the first token would be all rows.
static Role role_of_position(const HeadScores *scores)
{
    const Mean *at = scores->offsets + OFFSET_NEAR;
    int64_t rows = at[0].count;
    int best = 0;
    for (int o = -OFFSET_NEAR; o <= OFFSET_NEAR; o++)
        if (2 * at[o].count >= rows && mean_of(at[o]) > mean_of(at[best])) best = o;
    double share = mean_of(at[best]);
    if (!(share >= POSITION_SHARE)) return (Role){ .kind = ROLE_MIXED };
    return (Role){ .kind = ROLE_POSITION, .offset = best, .score = share };
}

Role head_role(const HeadScores *scores, const Offsets *offsets)
{
    if (!scores->stats[STAT_ENTROPY].count) return (Role){ .kind = ROLE_UNSEEN };
    if (offsets) {
        Role relation = role_of_relation(scores, offsets);
        if (relation.kind == ROLE_RELATION) return relation;
    }
    Role position = role_of_position(scores);
    if (position.kind == ROLE_POSITION) return position;

    Mean induction = scores->stats[STAT_INDUCTION];
    double first = mean_of(scores->stats[STAT_FIRST]), broad = mean_of(scores->stats[STAT_BROAD]);
    double delimiter = mean_of(scores->mass[RELATION_DELIMITER]);
    if (induction.count >= ROLE_FEWEST && mean_of(induction) >= MASS_SHARE)
        return (Role){ .kind = ROLE_INDUCTION, .score = mean_of(induction) };
    if (first >= MASS_SHARE) return (Role){ .kind = ROLE_SINK, .score = first };
    if (delimiter >= MASS_SHARE) return (Role){ .kind = ROLE_DELIMITER, .score = delimiter };
    if (broad >= MASS_SHARE) return (Role){ .kind = ROLE_BROAD, .score = broad };
    return (Role){ .kind = ROLE_MIXED };
}

static char *offset_text(Arena *arena, int offset)
{
    if (offset == 0) return arena_format(arena, "itself");
    if (abs(offset) == 1) return arena_format(arena, offset < 0 ? "previous" : "next");
    return arena_format(arena, "%d %s", abs(offset), offset < 0 ? "before" : "after");
}

char *role_text(Arena *arena, Role role)
{
    static const char *const names[ROLE_KINDS] = {
        "unseen", "", "", "induction", "sink", "delimiter", "broad", "mixed"
    };
    REQUIRE(0 <= (int)role.kind && role.kind < ROLE_KINDS, "role %d of %d", (int)role.kind, (int)ROLE_KINDS);
    if (role.kind == ROLE_RELATION) return arena_format(arena, "%s", relation_name(role.relation));
    if (role.kind == ROLE_POSITION) return offset_text(arena, role.offset);
    return arena_format(arena, "%s", names[role.kind]);
}

// ---- twins

// Row `it` of a map of one of two twins; they have its position, the subject's and the object's in common.
static const float *row_of_it(Mat weights, const Glossed *sentence, const Glossed *twin)
{
    require_map(weights, sentence);
    REQUIRE(sentence->it >= 0 && sentence->it == twin->it && sentence->subject == twin->subject &&
                sentence->object == twin->object,
            "`it` at %d and at %d: these are no twins", sentence->it, twin->it);
    return mat_row(weights, sentence->it);
}

void twins_add(TwinScores *scores, Mat tired_weights, const Glossed *tired, Mat wide_weights, const Glossed *wide)
{
    const float *first = row_of_it(tired_weights, tired, wide), *second = row_of_it(wide_weights, wide, tired);
    int subject = tired->subject, object = tired->object;
    mean_add(&scores->switched, looks_at(first, tired->T) == subject && looks_at(second, wide->T) == object);
    mean_add(&scores->pairwise, first[subject] > first[object] && second[object] > second[subject]);
    mean_add(&scores->subject[0], (double)first[subject]);
    mean_add(&scores->subject[1], (double)second[subject]);
    mean_add(&scores->object[0], (double)first[object]);
    mean_add(&scores->object[1], (double)second[object]);
}

void twins_merge(TwinScores *scores, const TwinScores *other)
{
    means_merge(&scores->switched, &other->switched, 1);
    means_merge(&scores->pairwise, &other->pairwise, 1);
    means_merge(scores->subject, other->subject, 2);
    means_merge(scores->object, other->object, 2);
}
