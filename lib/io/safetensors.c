// Reads safetensors in four passes: length of the header, JSON header, offsets of the tensors, numbers. Views
// (safetensors_look) need only the first three.
// Format: https://github.com/huggingface/safetensors
#include "io/safetensors.h"

#include "io/json.h"
#include "base/dtype.h"
#include "io/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// The parsed header takes up to about 60 times its size. This limit keeps a hostile header affordable.
static const uint64_t MOST_HEADER = 16u << 20;

// One tensor as the header describes it. Offsets count from the first byte after the header.
typedef struct {
    const Json *json;
    Dtype dtype;
    const char *other_dtype; // name of a type that is not in Dtype, or NULL
    int64_t size;            // bytes of one number
    int axes;
    int64_t shape[NPY_MOST_AXES], count, begin, end;
} Entry;

typedef struct {
    Arena *arena;
    FileBytes data;   // the bytes after the header
    const char *name; // “FILE: header”, for messages; positions are line and column of the header
    Error *error;
    bool any_dtype; // accept types that are not in Dtype
} Reader;

// ---- one entry of the header

// Sets the message “name: header:1:20: tensor "q": found …, but …”.
static bool refuse(const Reader *r, const Json *at, const char *tensor, const char *found, const char *right)
{
    return error_set(r->error, "%s:%zu:%zu: tensor %s: found %s, but %s", r->name, at->line, at->column,
                     text_shown(r->arena, tensor, strlen(tensor)), found, right);
}

static const char *kind_name(const Json *value)
{
    static const char *const names[] = {
        [JSON_NULL] = "null",       [JSON_FALSE] = "false",    [JSON_TRUE] = "true",        [JSON_NUMBER] = "a number",
        [JSON_STRING] = "a string", [JSON_ARRAY] = "an array", [JSON_OBJECT] = "an object",
    };
    return names[value->kind];
}

// Bytes of one number of a type that is listed but not decoded. 0: unknown type.
static int64_t other_size(const char *dtype)
{
    static const struct {
        const char *dtype;
        int64_t size;
    } types[] = {
        { "BOOL", 1 }, { "U8", 1 },  { "I8", 1 },  { "F8_E4M3", 1 }, { "F8_E5M2", 1 }, { "U16", 2 },
        { "I16", 2 },  { "U32", 4 }, { "I32", 4 }, { "U64", 8 },     { "I64", 8 },
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(dtype, types[i].dtype)) return types[i].size;
    return 0;
}

static bool parse_dtype(const Reader *r, Entry *tensor_entry, const Json *value)
{
    static const struct {
        const char *name;
        Dtype dtype;
    } types[] = {
        { "F64", DTYPE_F64 },
        { "F32", DTYPE_F32 },
        { "F16", DTYPE_F16 },
        { "BF16", DTYPE_BF16 },
    };
    const char *tensor = tensor_entry->json->key;
    if (value->kind != JSON_STRING)
        return refuse(r, value, tensor, kind_name(value), "dtype must be a string, such as \"F32\"");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(value->text, types[i].name)) {
            tensor_entry->dtype = types[i].dtype;
            tensor_entry->size = (int64_t)dtype_size(tensor_entry->dtype);
            return true;
        }
    tensor_entry->size = r->any_dtype ? other_size(value->text) : 0;
    tensor_entry->other_dtype = value->text;
    if (tensor_entry->size) return true;
    const char *found = arena_format(r->arena, "dtype %s", text_shown(r->arena, value->text, strlen(value->text)));
    return refuse(r, value, tensor, found, "F64, F32, F16 and BF16 are read: save tensor.float()");
}

// Parses an array of integers into out[0 … most − 1]. Returns their number; −1 on an error.
static int parse_integers(const Reader *r, const char *tensor, const Json *value, int64_t *out, int most,
                          const char *right)
{
    int count = 0;
    if (value->kind != JSON_ARRAY) {
        refuse(r, value, tensor, kind_name(value), right);
        return -1;
    }
    for (const Json *number = value->first; number; number = number->next, count++) {
        if (count == most) {
            refuse(r, number, tensor, arena_format(r->arena, "more than %d numbers", most), right);
            return -1;
        }
        if (!json_integer(number, &out[count]) || out[count] < 0) {
            const char *found = kind_name(number);
            if (number->kind == JSON_NUMBER) found = arena_format(r->arena, "%.17g", number->number);
            refuse(r, number, tensor, found, right);
            return -1;
        }
    }
    return count;
}

static bool parse_offsets(const Reader *r, Entry *tensor_entry, const Json *value)
{
    static const char right[] = "data_offsets must be two whole numbers, [begin, end], 0 or above";
    int64_t offsets[2];
    int count = parse_integers(r, tensor_entry->json->key, value, offsets, 2, right);
    if (count < 0) return false;
    if (count < 2) return refuse(r, value, tensor_entry->json->key, count ? "one number" : "no number", right);
    tensor_entry->begin = offsets[0];
    tensor_entry->end = offsets[1];
    return true;
}

static bool parse_shape(const Reader *r, Entry *tensor_entry, const Json *value)
{
    tensor_entry->axes = parse_integers(r, tensor_entry->json->key, value, tensor_entry->shape, NPY_MOST_AXES,
                                        "shape must be up to 8 whole numbers, 0 or above");
    return tensor_entry->axes >= 0;
}

// The data must be inside the file, and its size must match the shape.
static bool check_entry(const Reader *r, Entry *tensor_entry)
{
    const Json *entry = tensor_entry->json;
    int64_t size = tensor_entry->size, inside = (int64_t)r->data.size;
    const char *offsets =
        arena_format(r->arena, "data_offsets [%" PRId64 ", %" PRId64 "]", tensor_entry->begin, tensor_entry->end);
    const char *shape = shape_text(r->arena, tensor_entry->axes, tensor_entry->shape);

    if (tensor_entry->begin > tensor_entry->end)
        return refuse(r, entry, entry->key, offsets, "the end must not lie before the beginning");
    if (tensor_entry->end > inside)
        return refuse(r, entry, entry->key, offsets,
                      arena_format(r->arena, "%" PRId64 " bytes of data follow the header: it is cut off", inside));
    if (!shape_count(&tensor_entry->count, tensor_entry->axes, tensor_entry->shape) ||
        tensor_entry->count > INT64_MAX / size)
        return refuse(r, entry, entry->key, arena_format(r->arena, "shape %s", shape),
                      "the bytes it needs must fit into 63 bits");
    if (tensor_entry->count * size != tensor_entry->end - tensor_entry->begin)
        return refuse(r, entry, entry->key, offsets,
                      arena_format(r->arena, "shape %s of %s needs %" PRId64 " bytes", shape,
                                   json_member(entry, "dtype")->text, tensor_entry->count * size));
    return true;
}

// Parses the entry of a tensor: "q": {"dtype": "F32", "shape": [3, 4], "data_offsets": [0, 48]}.
static bool parse_tensor(const Reader *r, Entry *tensor_entry, const Json *entry)
{
    static const char *const keys[] = { "dtype", "shape", "data_offsets" };
    *tensor_entry = (Entry){ .json = entry };
    if (entry->kind != JSON_OBJECT)
        return refuse(r, entry, entry->key, kind_name(entry), "a tensor is an object of dtype, shape and data_offsets");
    for (const Json *member = entry->first; member; member = member->next)
        if (strcmp(member->key, keys[0]) && strcmp(member->key, keys[1]) && strcmp(member->key, keys[2]))
            return refuse(r, member, entry->key, text_shown(r->arena, member->key, strlen(member->key)),
                          "the keys are dtype, shape and data_offsets");
    for (int i = 0; i < 3; i++)
        if (!json_member(entry, keys[i]))
            return refuse(r, entry, entry->key, arena_format(r->arena, "no %s", keys[i]),
                          "a tensor needs dtype, shape and data_offsets");
    return parse_dtype(r, tensor_entry, json_member(entry, keys[0])) &&
           parse_shape(r, tensor_entry, json_member(entry, keys[1])) &&
           parse_offsets(r, tensor_entry, json_member(entry, keys[2])) && check_entry(r, tensor_entry);
}

// Parses "__metadata__": {"key": "value", …}.
static bool parse_notes(const Reader *r, TensorViews *out, const Json *entry)
{
    if (entry->kind != JSON_OBJECT)
        return error_set(r->error, "%s:%zu:%zu: found %s, but __metadata__ must be an object", r->name, entry->line,
                         entry->column, kind_name(entry));
    for (const Json *note = entry->first; note; note = note->next) {
        if (note->kind != JSON_STRING)
            return error_set(r->error,
                             "%s:%zu:%zu: found %s under the key %s, but the values of __metadata__ must be "
                             "strings",
                             r->name, note->line, note->column, kind_name(note),
                             text_shown(r->arena, note->key, strlen(note->key)));
        out->notes_count++;
    }
    out->notes = arena_alloc(r->arena, (size_t)out->notes_count * sizeof *out->notes);
    int i = 0;
    for (const Json *note = entry->first; note; note = note->next)
        out->notes[i++] = (TensorNote){ note->key, note->text };
    return true;
}

// ---- the passes

// Parses the length of the header, 8 bytes. It must not exceed the file.
static bool parse_length(const Reader *r, FileBytes file, const char *name, size_t *length)
{
    uint64_t length_found = 0;
    if (file.size < 8)
        return error_set(r->error,
                         "%s: byte 0: found %zu bytes, but a safetensors file starts with 8 that say how "
                         "long its header is",
                         name, file.size);
    for (int i = 8; i-- > 0;) length_found = length_found << 8 | file.at[i];
    if (length_found > MOST_HEADER)
        return error_set(r->error,
                         "%s: byte 0: the header is said to have %" PRIu64 " bytes, but at most %" PRIu64
                         " are read; is this a safetensors file?",
                         name, length_found, MOST_HEADER);
    if (length_found > file.size - 8)
        return error_set(r->error,
                         "%s: byte 0: the header is said to have %" PRIu64 " bytes, but only %zu follow: "
                         "the file is cut off",
                         name, length_found, file.size - 8);
    if (length_found == 0 || file.at[8] != '{')
        return error_set(r->error, "%s: byte 8: found %s, but the header must start with {", name,
                         length_found ? text_shown(r->arena, file.at + 8, 1) : "a header of 0 bytes");
    *length = (size_t)length_found;
    return true;
}

static int compare_offsets(const void *left, const void *right)
{
    const Entry *a = *(Entry *const *)left, *b = *(Entry *const *)right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

// Tensors must be contiguous: sorted by offset, each starts where the previous one ends, and the last ends at the end
// of the file.
static bool check_order(const Reader *r, Entry *entries, int count)
{
    Entry **sorted = arena_alloc(r->arena, (size_t)count * sizeof(Entry *));
    for (int i = 0; i < count; i++) sorted[i] = &entries[i];
    if (count) qsort(sorted, (size_t)count, sizeof(Entry *), compare_offsets);

    int64_t end = 0;
    for (int i = 0; i < count; i++) {
        const Json *entry = sorted[i]->json;
        if (sorted[i]->begin != end)
            return refuse(r, entry, entry->key,
                          arena_format(r->arena, "data that begins at %" PRId64, sorted[i]->begin),
                          arena_format(r->arena, "it must begin at %" PRId64 ", where the data before it ends", end));
        end = sorted[i]->end;
    }
    if (end != (int64_t)r->data.size)
        return error_set(r->error,
                         "%s: the tensors have %" PRId64 " bytes of data, but %zu follow the header: the "
                         "file is too long",
                         r->name, end, r->data.size);
    return true;
}

static TensorView view_of(const Reader *r, const Entry *tensor_entry)
{
    NpyView view = { .axes = tensor_entry->axes,
                     .at = r->data.at + (size_t)tensor_entry->begin,
                     .count = (size_t)tensor_entry->count,
                     .stored = tensor_entry->dtype };
    memcpy(view.shape, tensor_entry->shape, sizeof view.shape);
    int64_t running = tensor_entry->size;
    if (view.count > 0)
        for (int a = tensor_entry->axes - 1; a >= 0; a--) {
            view.step[a] = running;
            running *= view.shape[a];
        }
    return (TensorView){ tensor_entry->json->key, view, tensor_entry->other_dtype };
}

static Tensor read_tensor(Arena *arena, const TensorView *tensor)
{
    const NpyView *view = &tensor->view;
    NpyArray array = { .axes = view->axes, .count = view->count };
    array.at = arena_alloc(arena, view->count * sizeof(float));
    memcpy(array.shape, view->shape, sizeof array.shape);
    dtype_read_row(array.at, view->at, (ptrdiff_t)dtype_size(view->stored), view->count, view->stored, false);
    return (Tensor){ tensor->name, array };
}

static bool parse_views(TensorViews *out, Arena *arena, FileBytes file, const char *name, bool any_dtype, Error *error)
{
    Reader r = {
        .arena = arena, .name = arena_format(arena, "%s: header", name), .error = error, .any_dtype = any_dtype
    };
    TensorViews tensors = { 0 };
    size_t length = 0;
    Json *root;

    // 1. The length of the header.
    if (!parse_length(&r, file, name, &length)) return false;
    r.data = (FileBytes){ file.at + 8 + length, file.size - 8 - length };

    // 2. The header: a JSON object with one member for each tensor. The parser rejects duplicate names.
    if (!json_parse(&root, arena, (const char *)file.at + 8, length, r.name, error)) return false;
    for (const Json *entry = root->first; entry; entry = entry->next) tensors.count++;

    // 3. The offsets of all tensors. They are checked before anything is allocated for the numbers.
    Entry *entries = arena_alloc(arena, (size_t)tensors.count * sizeof *entries);
    tensors.count = 0;
    for (const Json *entry = root->first; entry; entry = entry->next) {
        bool notes = !strcmp(entry->key, "__metadata__");
        if (!(notes ? parse_notes(&r, &tensors, entry) : parse_tensor(&r, &entries[tensors.count], entry)))
            return false;
        tensors.count += !notes;
    }
    if (!check_order(&r, entries, tensors.count)) return false;
    tensors.tensors = arena_alloc(arena, (size_t)tensors.count * sizeof *tensors.tensors);
    for (int i = 0; i < tensors.count; i++) tensors.tensors[i] = view_of(&r, &entries[i]);
    *out = tensors;
    return true;
}

bool safetensors_look(TensorViews *out, Arena *arena, FileBytes file, const char *name, Error *error)
{
    return parse_views(out, arena, file, name, false, error);
}

bool safetensors_look_all(TensorViews *out, Arena *arena, FileBytes file, const char *name, Error *error)
{
    return parse_views(out, arena, file, name, true, error);
}

bool safetensors_parse(Tensors *out, Arena *arena, FileBytes file, const char *name, Error *error)
{
    TensorViews views;
    if (!safetensors_look(&views, arena, file, name, error)) return false;

    // 4. The numbers.
    Tensors tensors = { .count = views.count, .notes = views.notes, .notes_count = views.notes_count };
    tensors.tensors = arena_alloc(arena, (size_t)tensors.count * sizeof *tensors.tensors);
    for (int i = 0; i < tensors.count; i++) tensors.tensors[i] = read_tensor(arena, &views.tensors[i]);
    *out = tensors;
    return true;
}

bool safetensors_read(Tensors *out, Arena *arena, const char *path, Error *error)
{
    Arena *scratch = arena_open();
    FileBytes file;
    bool ok = file_read(&file, scratch, path, error) && safetensors_parse(out, arena, file, path, error);
    arena_close(scratch);
    return ok;
}

const NpyArray *tensors_find(const Tensors *tensors, const char *name)
{
    for (int i = 0; i < tensors->count; i++)
        if (!strcmp(tensors->tensors[i].name, name)) return &tensors->tensors[i].array;
    return NULL;
}

const char *tensors_find_note(const TensorNote *notes, int count, const char *key)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(notes[i].key, key)) return notes[i].value;
    return NULL;
}

const char *tensors_note(const Tensors *tensors, const char *key)
{
    return tensors_find_note(tensors->notes, tensors->notes_count, key);
}

// ---- writing

typedef struct {
    char *at;
    size_t size, capacity;
    Arena *arena;
} Text;

// Appends to a buffer that doubles when it is full.
static void append(Text *text, const char *words)
{
    size_t length = strlen(words);
    if (text->capacity - text->size < length) {
        size_t capacity = 2 * (text->size + length) + 1024;
        char *larger = arena_alloc(text->arena, capacity);
        if (text->size) memcpy(larger, text->at, text->size);
        text->at = larger;
        text->capacity = capacity;
    }
    memcpy(text->at + text->size, words, length);
    text->size += length;
}

static void append_notes(Text *text, const Tensors *tensors)
{
    append(text, "\"__metadata__\":{");
    for (int i = 0; i < tensors->notes_count; i++) {
        TensorNote note = tensors->notes[i];
        append(text, arena_format(text->arena, "%s%s:%s", i ? "," : "", json_quote(text->arena, note.key),
                                  json_quote(text->arena, note.value)));
    }
    append(text, "}");
}

static void append_tensor(Text *text, const Tensor *tensor, size_t begin)
{
    const NpyArray *array = &tensor->array;
    append(text, arena_format(text->arena, "%s:{\"dtype\":\"F32\",\"shape\":[", json_quote(text->arena, tensor->name)));
    for (int a = 0; a < array->axes; a++)
        append(text, arena_format(text->arena, "%s%" PRId64, a ? "," : "", array->shape[a]));
    size_t end = begin + array->count * sizeof(float);
    append(text, arena_format(text->arena, "],\"data_offsets\":[%zu,%zu]}", begin, end));
}

// The header, padded with spaces so that the numbers are aligned to 8 bytes.
static Text header_of(Arena *arena, const Tensors *tensors)
{
    Text text = { .arena = arena };
    size_t begin = 0;
    append(&text, "{");
    if (tensors->notes_count) append_notes(&text, tensors);
    for (int i = 0; i < tensors->count; i++) {
        if (i || tensors->notes_count) append(&text, ",");
        append_tensor(&text, &tensors->tensors[i], begin);
        begin += tensors->tensors[i].array.count * sizeof(float);
    }
    append(&text, "}");
    while (text.size % 8) append(&text, " ");
    return text;
}

// Rejects duplicate names, which the reader would reject.
static bool check_names(const char *path, const Tensors *tensors, Arena *scratch, Error *error)
{
    for (int i = 0; i < tensors->count; i++) {
        const char *name = tensors->tensors[i].name;
        const char *wrong = strcmp(name, "__metadata__") ? NULL : "this name is kept for the dictionary of strings";
        for (int j = 0; j < i; j++)
            if (!strcmp(name, tensors->tensors[j].name)) wrong = "two tensors have this name; each needs its own";
        if (wrong) return error_set(error, "%s: tensor %s: %s", path, text_shown(scratch, name, strlen(name)), wrong);
    }
    for (int i = 0; i < tensors->notes_count; i++)
        for (int j = 0; j < i; j++)
            if (!strcmp(tensors->notes[i].key, tensors->notes[j].key))
                return error_set(error, "%s: __metadata__: the key %s stands twice; each may stand only once", path,
                                 text_shown(scratch, tensors->notes[i].key, strlen(tensors->notes[i].key)));
    return true;
}

static void require_counts(const Tensors *tensors)
{
    for (int i = 0; i < tensors->count; i++) {
        const NpyArray *array = &tensors->tensors[i].array;
        int64_t count = -1;
        REQUIRE(array->axes >= 0 && array->axes <= NPY_MOST_AXES, "tensor %s has %d axes; at most %d are written",
                tensors->tensors[i].name, array->axes, NPY_MOST_AXES);
        for (int a = 0; a < array->axes; a++)
            REQUIRE(array->shape[a] >= 0, "axis %d of tensor %s is %" PRId64, a, tensors->tensors[i].name,
                    array->shape[a]);
        REQUIRE(shape_count(&count, array->axes, array->shape) && (uint64_t)count == array->count,
                "tensor %s has %zu elements, its shape %" PRId64, tensors->tensors[i].name, array->count, count);
    }
}

bool safetensors_write(const char *path, const Tensors *tensors, Error *error)
{
    require_counts(tensors);
    Arena *scratch = arena_open();
    bool ok = check_names(path, tensors, scratch, error);
    if (ok) {
        Text header = header_of(scratch, tensors);
        size_t size = 8 + header.size;
        for (int i = 0; i < tensors->count; i++) size += tensors->tensors[i].array.count * sizeof(float);

        unsigned char *file = arena_alloc(scratch, size), *at = file + 8 + header.size;
        for (int i = 0; i < 8; i++) file[i] = (unsigned char)((uint64_t)header.size >> 8 * i);
        memcpy(file + 8, header.at, header.size);
        for (int i = 0; i < tensors->count; i++) {
            const NpyArray *array = &tensors->tensors[i].array;
            dtype_write_f32(at, array->at, array->count);
            at += array->count * sizeof(float);
        }
        ok = file_write(path, file, size, error);
    }
    arena_close(scratch);
    return ok;
}
