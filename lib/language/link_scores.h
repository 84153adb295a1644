// Chapters 17 to 21. What the heads of model C look at, told from their weights (T, T) over documents, as
// language/head_roles.h tells it of model B: each link of a document (language/documents.h) is looked for in the map.
//
// Means are added to, document after document; they begin as all zeros and merge, so that the sums do not depend on the
// number of threads. A row of several right positions is right when it looks at one of them; their masses add up.
#ifndef LANGUAGE_LINK_SCORES_H
#define LANGUAGE_LINK_SCORES_H

#include "attention/head_stats.h"
#include "language/documents.h"

typedef struct {
    HeadMean mass[DOCUMENT_LINK_KINDS], argmax[DOCUMENT_LINK_KINDS];
} LinkScores; // of one head

// weights (T, T), where T may be less than the document's: then only its first T positions count.
void link_scores_add(LinkScores *scores, Mat weights, const DocumentSample *document);
void link_scores_merge(LinkScores *scores, const LinkScores *other);

// What needs no head: how often each distance from − to is right. [Voita et al. 2019, arXiv:1905.09418]
typedef struct {
    int64_t count[DOCUMENT_LINK_KINDS], hits[DOCUMENT_LINK_KINDS][DOCUMENT_WORDS];
} LinkDistances;
void link_scores_count(LinkDistances *distances, const DocumentSample *document, int T);

typedef struct {
    int distance;
    double share;
} LinkBaseline;
LinkBaseline link_scores_baseline(const LinkDistances *distances,
                                  DocumentLinkKind kind); // the nearest of the best; NaN: unseen

#endif
