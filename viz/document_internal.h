// Shared by document*.c only.
#ifndef VIZ_DOCUMENT_INTERNAL_H
#define VIZ_DOCUMENT_INTERNAL_H

#include "viz/document.h"

// Limits on matrices per field and per file, since each costs a pointer.
enum { PLANES_MOST = 1 << 16, PLANES_MOST_ALL = 1 << 20 };

// The array `view` as a field. axes: which array axis is what; −1: absent.
typedef struct {
    int layers, heads, rows, cols;
} AxisOrder;
Field field_of(Arena *arena, const char *name, FieldKind kind, const NpyView *view, AxisOrder axes);

// document_npy.c, document_dump.c: fields, kinds, maps, their shape, and groups. *how: a remark on the axes; NULL:
// none.
bool npy_document(Document *out, const char **how, Arena *arena, FileBytes file, const char *name, Reading reading,
                  Error *error);
bool dump_document(Document *out, Arena *arena, const TensorViews *file, const char *name, Error *error);

// document_kinds.c: how many kinds of attention a trace has, 0 if it has unprefixed maps; and the document of the first
// kind, which refers to the others. `plain`: common initial values.
int kinds_within(const TensorViews *file);
bool kinds_document(Document *out, Arena *arena, const TensorViews *file, const Document *plain, const char *name,
                    Reading reading, Error *error);

// document_sanity.c: the last step of loading, once the fields are set: words, segments, and how the numbers look.
bool document_finish(Document *d, Arena *arena, const char *how, bool nameless, const char *name, Reading reading,
                     Error *error);

// document_words.c: words from `reading` replace those of the file. words_of_note: from a note of a dump; NULL if it is
// not a list of `count` strings.
bool words_read(Document *d, Arena *arena, const char *name, Reading reading, Error *error);
const char *const *words_of_note(Arena *arena, const char *text, int count);

// document_segments.c: which words belong to a first and which to a second sentence.
bool segments_read(Document *d, Arena *arena, Reading reading, Error *error);

// document_sanity.c: shape, range, warning, mask; whether an unnamed array is weights or scores.
void document_judge(Document *d, Arena *arena, const char *how, bool nameless);

// The field of this kind that fits the maps; NULL: none.
const Field *document_field(const Document *d, FieldKind kind);

#endif
