// Which row and which column of one document belongs to which of another, so that two sentences can be held against
// each other word by word.
#ifndef VIZ_ALIGN_H
#define VIZ_ALIGN_H

#include "viz/document.h"

// One axis of both: places in their order, each with its number in the first and in the second; −1: it is not there.
typedef struct {
    int count, *first, *second;
} AlignedAxis;

// same: every place is there on both sides, under the same number.
typedef struct Aligned {
    AlignedAxis rows, cols;
    bool same;
} Aligned;

// By a longest common subsequence of their words: what is in it stands on both sides, the rest on one. Of what stands
// between two common words the first document's comes first. By number where one of them has no words, where they have
// none in common, and where there are more than ALIGN_MOST pairs of words to be looked at, once the words that agree at
// both ends are taken away. Lives in `arena`.
enum { ALIGN_MOST = 1 << 22 };
Aligned *align_documents(Arena *arena, const Document *one, const Document *other);

#endif
