// Accumulates attention weights per kind of link.
#include "language/link_scores.h"

#include <string.h>

// The correct positions of one kind: right[from][to].
typedef struct {
    bool right[DOCUMENT_WORDS][DOCUMENT_WORDS], asked[DOCUMENT_WORDS];
} Answers;

static void correct_positions(Answers *answers, const DocumentSample *document, DocumentLinkKind kind, int T)
{
    memset(answers, 0, sizeof *answers);
    for (int n = 0; n < document->link_count; n++) {
        DocumentLink link = document->links[n];
        if (link.kind != kind || link.from >= T) continue;
        answers->right[link.from][link.to] = answers->asked[link.from] = true;
    }
}

void link_scores_add(LinkScores *scores, Mat weights, const DocumentSample *document)
{
    int T = weights.rows;
    REQUIRE(weights.cols == T && T <= document->T, "weights is " MAT_SHAPE ", the document has %d words",
            MAT_SHAPED(weights), document->T);
    Answers answers;
    for (int kind = 0; kind < DOCUMENT_LINK_KINDS; kind++) {
        correct_positions(&answers, document, (DocumentLinkKind)kind, T);
        for (int from = 0; from < T; from++) {
            if (!answers.asked[from]) continue;
            const float *row = mat_row(weights, from);
            double mass = 0.0;
            for (int to = 0; to < T; to++)
                if (answers.right[from][to]) mass += (double)row[to];
            int looks_at = head_row_blind(row, T) ? -1 : head_row_argmax(row, T);
            head_mean_add(&scores->mass[kind], mass);
            head_mean_add(&scores->argmax[kind], looks_at >= 0 && answers.right[from][looks_at]);
        }
    }
}

void link_scores_merge(LinkScores *scores, const LinkScores *other)
{
    head_means_merge(scores->mass, other->mass, DOCUMENT_LINK_KINDS);
    head_means_merge(scores->argmax, other->argmax, DOCUMENT_LINK_KINDS);
}

void link_scores_count(LinkDistances *distances, const DocumentSample *document, int T)
{
    Answers answers;
    for (int kind = 0; kind < DOCUMENT_LINK_KINDS; kind++) {
        correct_positions(&answers, document, (DocumentLinkKind)kind, T);
        for (int from = 0; from < T; from++) {
            distances->count[kind] += answers.asked[from];
            for (int to = 0; to <= from; to++) distances->hits[kind][from - to] += answers.right[from][to];
        }
    }
}

LinkBaseline link_scores_baseline(const LinkDistances *distances, DocumentLinkKind kind)
{
    REQUIRE(0 <= (int)kind && kind < DOCUMENT_LINK_KINDS, "link %d of %d", (int)kind, (int)DOCUMENT_LINK_KINDS);
    const int64_t *hits = distances->hits[kind];
    int best = 0;
    for (int distance = 1; distance < DOCUMENT_WORDS; distance++)
        if (hits[distance] > hits[best]) best = distance;
    return (LinkBaseline){ best, head_mean_value((HeadMean){ (double)hits[best], distances->count[kind] }) };
}
