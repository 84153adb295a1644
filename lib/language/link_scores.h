// Chapters 17 to 21. What the heads of model C attend to: compares their weights (T, T) with the links of documents
// (language/documents.h), as language/head_roles.h does for model B.
//
// Means accumulate document by document; they start as all zeros and can be merged, so the result does not depend on the
// number of threads. If a row has several correct positions, an argmax on any of them is correct, and their masses add
// up.
#ifndef LANGUAGE_LINK_SCORES_H
#define LANGUAGE_LINK_SCORES_H

#include "attention/head_stats.h"
#include "language/documents.h"

typedef struct {
    HeadMean mass[DOCUMENT_LINK_KINDS], argmax[DOCUMENT_LINK_KINDS];
} LinkScores; // of one head

// weights (T, T); T may be less than the document's: then only its first T positions count.
void link_scores_add(LinkScores *scores, Mat weights, const DocumentSample *document);
void link_scores_merge(LinkScores *scores, const LinkScores *other);

// The baseline: how often each distance from − to is correct. [Voita et al. 2019, arXiv:1905.09418]
typedef struct {
    int64_t count[DOCUMENT_LINK_KINDS], hits[DOCUMENT_LINK_KINDS][DOCUMENT_WORDS];
} LinkDistances;
void link_scores_count(LinkDistances *distances, const DocumentSample *document, int T);

typedef struct {
    int distance;
    double share;
} LinkBaseline;
LinkBaseline link_scores_baseline(const LinkDistances *distances,
                                  DocumentLinkKind kind); // the best, the nearest on ties; NaN: never occurred

#endif
