// Aligns the words of two documents, so that two sentences can be compared word by word.
#ifndef VIZ_ALIGN_H
#define VIZ_ALIGN_H

#include "viz/document.h"

// The aligned axis of two documents. Entry n is word first[n] of the first and second[n] of the second; −1: absent.
typedef struct {
    int count, *first, *second;
} AlignedAxis;

// same: all words are in both documents, at the same index.
typedef struct Aligned {
    AlignedAxis rows, cols;
    bool same;
} Aligned;

// Aligns by a longest common subsequence of the words. Between two common words those of the first document come before
// those of the second. Aligns by index where a document has no words, where no word is common, and where more than
// ALIGN_MOST pairs of words remain after equal words at both ends are removed. Allocated in `arena`.
enum { ALIGN_MOST = 1 << 22 };
Aligned *align_documents(Arena *arena, const Document *one, const Document *other);

#endif
