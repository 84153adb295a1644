// What the parts of document.c share. Nobody else includes it.
#ifndef VIZ_DOCUMENT_INTERNAL_H
#define VIZ_DOCUMENT_INTERNAL_H

#include "viz/document.h"

// Matrices that one field may have, and one file in all: every one of them costs a pointer.
enum { PLANES_MOST = 1 << 16, PLANES_MOST_ALL = 1 << 20 };

// The array `view` as a field. axis[]: which of its axes are layers, heads, rows and columns; −1: it has no such axis.
typedef struct {
    int layers, heads, rows, cols;
} AxisOrder;
Field field_of(Arena *arena, const char *name, FieldKind kind, const NpyView *view, AxisOrder axes);

// viz/document_npy.c, viz/document_dump.c: fields, kinds, maps, shape of the maps, groups. `how` is what is to be said
// of the axes; NULL: nothing.
bool npy_document(Document *out, const char **how, Arena *arena, FileBytes file, const char *name, Reading reading,
                  Error *error);
bool dump_document(Document *out, Arena *arena, const TensorViews *file, const char *name, Error *error);

// viz/document_kinds.c: how many kinds of attention a trace has, 0 where it has maps without such a name; and the
// first of them as a document, with the others. `plain`: what all of them begin as.
int kinds_within(const TensorViews *file);
bool kinds_document(Document *out, Arena *arena, const TensorViews *file, const Document *plain, const char *name,
                    Reading reading, Error *error);

// document.c: words, segments and what the numbers look like, of a document whose fields are there.
bool document_finish(Document *d, Arena *arena, const char *how, bool nameless, const char *name, Reading reading,
                     Error *error);

// viz/document_words.c: the words that Reading brings, in the place of those that the file has. Also what a note of a
// dump holds; NULL when it is no list of `count` strings.
bool words_read(Document *d, Arena *arena, const char *name, Reading reading, Error *error);
const char *const *words_of_note(Arena *arena, const char *text, int count);

// viz/document_segments.c: which words are of a first sentence and which of a second.
bool segments_read(Document *d, Arena *arena, Reading reading, Error *error);

// viz/document_sanity.c: shape, range, doubt, masked; whether an array without a name is weights or scores.
void document_judge(Document *d, Arena *arena, const char *how, bool nameless);

// The field of the maps' scores, weights …; NULL: there is none.
const Field *document_field(const Document *d, FieldKind kind);

#endif
