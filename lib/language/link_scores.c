// Maps are added up, link by link.
#include "language/link_scores.h"

#include <string.h>

// The right positions of one kind: right[from][to].
typedef struct {
    bool right[DOCUMENT_WORDS][DOCUMENT_WORDS], asked[DOCUMENT_WORDS];
} Answers;

static void answers_of(Answers *answers, const Document *document, LinkKind kind, int T)
{
    memset(answers, 0, sizeof *answers);
    for (int n = 0; n < document->link_count; n++) {
        Link link = document->links[n];
        if (link.kind != kind || link.from >= T) continue;
        answers->right[link.from][link.to] = answers->asked[link.from] = true;
    }
}

void links_add(LinkScores *scores, Mat weights, const Document *document)
{
    int T = weights.rows;
    REQUIRE(weights.cols == T && T <= document->T, "weights is " SHAPE ", the document has %d words", SHAPED(weights),
            document->T);
    Answers answers;
    for (int kind = 0; kind < LINK_KINDS; kind++) {
        answers_of(&answers, document, (LinkKind)kind, T);
        for (int from = 0; from < T; from++) {
            if (!answers.asked[from]) continue;
            const float *row = mat_row(weights, from);
            double mass = 0.0;
            for (int to = 0; to < T; to++)
                if (answers.right[from][to]) mass += (double)row[to];
            int looks_at = row_blind(row, T) ? -1 : row_argmax(row, T);
            mean_add(&scores->mass[kind], mass);
            mean_add(&scores->argmax[kind], looks_at >= 0 && answers.right[from][looks_at]);
        }
    }
}

void links_merge(LinkScores *scores, const LinkScores *other)
{
    means_merge(scores->mass, other->mass, LINK_KINDS);
    means_merge(scores->argmax, other->argmax, LINK_KINDS);
}

void links_count(LinkDistances *distances, const Document *document, int T)
{
    Answers answers;
    for (int kind = 0; kind < LINK_KINDS; kind++) {
        answers_of(&answers, document, (LinkKind)kind, T);
        for (int from = 0; from < T; from++) {
            distances->count[kind] += answers.asked[from];
            for (int to = 0; to <= from; to++) distances->hits[kind][from - to] += answers.right[from][to];
        }
    }
}

LinkBaseline links_baseline(const LinkDistances *distances, LinkKind kind)
{
    REQUIRE(0 <= (int)kind && kind < LINK_KINDS, "link %d of %d", (int)kind, (int)LINK_KINDS);
    const int64_t *hits = distances->hits[kind];
    int best = 0;
    for (int distance = 1; distance < DOCUMENT_WORDS; distance++)
        if (hits[distance] > hits[best]) best = distance;
    return (LinkBaseline){ best, mean_of((Mean){ (double)hits[best], distances->count[kind] }) };
}
