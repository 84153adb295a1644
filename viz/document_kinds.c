// Traces with several kinds of attention: tensors named "encoder.…", "decoder.…" and "cross.…". Each kind becomes a
// document. Words are in the notes "encoder.tokens" and "decoder.tokens"; in cross attention queries are the decoder's,
// keys the encoder's.
#include "viz/document_internal.h"

#include <string.h>

// In this order the keys of one are the queries of the next, so Lines can share a column of words.
static const char *const names[KINDS_MOST] = { "decoder", "cross", "encoder" };

const char *kind_name(int kind) { return names[kind]; }

// The rest of a name after "cross."; NULL: another kind.
static const char *after_kind(const char *name, const char *kind)
{
    size_t n = strlen(kind);
    return !strncmp(name, kind, n) && name[n] == '.' ? name + n + 1 : NULL;
}

static bool is_map(const char *name)
{
    TraceKind kind;
    int layer;
    return name && trace_kind(&kind, &layer, name) && (kind == TRACE_WEIGHTS || kind == TRACE_SCORES);
}

int kinds_within(const TensorViews *file)
{
    int count = 0;
    for (int t = 0; t < file->count; t++)
        if (is_map(file->tensors[t].name)) return 0;
    for (int k = 0; k < KINDS_MOST; k++) {
        bool has = false;
        for (int t = 0; t < file->count; t++) has = has || is_map(after_kind(file->tensors[t].name, names[k]));
        count += has;
    }
    return count;
}

// The file with the tensors and notes of one kind.
static TensorViews views_of(Arena *arena, const TensorViews *file, const char *kind)
{
    TensorViews out = { .tensors = arena_alloc(arena, (size_t)file->count * sizeof *out.tensors),
                        .notes = arena_alloc(arena, ((size_t)file->notes_count + 2) * sizeof *out.notes) };
    for (int t = 0; t < file->count; t++) {
        const char *rest = after_kind(file->tensors[t].name, kind);
        if (rest) out.tensors[out.count++] = (TensorView){ .name = rest, .view = file->tensors[t].view };
    }
    bool cross = !strcmp(kind, "cross");
    const char *tokens = tensors_find_note(file->notes, file->notes_count,
                                           !strcmp(kind, "encoder") ? "encoder.tokens" : "decoder.tokens");
    const char *keys = cross ? tensors_find_note(file->notes, file->notes_count, "encoder.tokens") : NULL;
    if (tokens) out.notes[out.notes_count++] = (TensorNote){ "tokens", tokens };
    if (keys) out.notes[out.notes_count++] = (TensorNote){ "key_tokens", keys };
    for (int n = 0; n < file->notes_count; n++) {
        bool words = !strcmp(file->notes[n].key, "tokens") || !strcmp(file->notes[n].key, "key_tokens");
        if (!words) out.notes[out.notes_count++] = file->notes[n];
    }
    return out;
}

// Tokens files give the decoder's words, key tokens the encoder's.
static Reading reading_of(Reading reading, const char *kind)
{
    if (!strcmp(kind, "encoder")) {
        reading.tokens = reading.key_tokens;
        reading.tokens_name = reading.key_tokens_name;
    }
    if (strcmp(kind, "cross")) reading.key_tokens = NULL;
    return reading;
}

bool kinds_document(Document *out, Arena *arena, const TensorViews *file, const Document *plain, const char *name,
                    Reading reading, Error *error)
{
    Document *kinds = arena_alloc(arena, KINDS_MOST * sizeof *kinds);
    int count = 0;
    for (int k = 0; k < KINDS_MOST; k++) {
        TensorViews views = views_of(arena, file, names[k]);
        Document d = *plain;
        bool has = false;
        for (int t = 0; t < views.count; t++) has = has || is_map(views.tensors[t].name);
        if (!has) continue;
        if (!dump_document(&d, arena, &views, name, error)) return false;
        if (!document_finish(&d, arena, NULL, false, name, reading_of(reading, names[k]), error)) return false;
        d.kind = names[k];
        d.shape = arena_format(arena, "%s: %s", names[k], d.shape);
        kinds[count++] = d;
    }
    for (int k = 0; k < count; k++) {
        kinds[k].kinds = kinds;
        kinds[k].kind_count = count;
        kinds[k].kind_at = k;
    }
    *out = kinds[0];
    return true;
}
