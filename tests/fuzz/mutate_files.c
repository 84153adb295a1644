// .npy and safetensors: the header is changed, or made anew; then its length, the shapes and the numbers are made to
// fit together. That some inputs do not fit is left to chance.
#include "fuzz/mutate.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int pick(Draft *d, int count) { return random_below(&d->random, count); }

// The last part of the draft, from `from` on, becomes `size` bytes long: cut, or filled with any bytes.
static void fit(Draft *d, size_t from, size_t size)
{
    if (from > d->size || size > d->most - from) return;
    for (size_t i = d->size; i < from + size; i++) d->at[i] = (uint8_t)random_bits(&d->random);
    d->size = from + size;
}

static void put_length(uint8_t *at, size_t length, int bytes)
{
    for (int b = 0; b < bytes; b++) at[b] = (uint8_t)(length >> 8 * b);
}

static size_t length_at(const uint8_t *at, int bytes)
{
    size_t length = 0;
    for (int b = bytes - 1; b >= 0; b--) length = length << 8 | at[b];
    return length;
}

// Up to four axes as text, each from `least` on; the answer is their product, and *axes how many there are.
static size_t put_shape(Draft *d, char *text, size_t room, int least, int *axes)
{
    size_t product = 1, used = 0;
    *axes = pick(d, 5);
    *text = 0;
    for (int a = 0; a < *axes; a++) {
        int size = least + pick(d, 4);
        product *= (size_t)size;
        used += (size_t)snprintf(text + used, room - used, "%s%d", a ? ", " : "", size);
    }
    return product;
}

// ---- .npy

// A dictionary of NumPy's, and how many bytes its numbers take.
static size_t put_dictionary(Draft *d, char *text, size_t room)
{
    static const char *const types[] = { "<f4", "<f2", "<f8", ">f4", ">f2", ">f8", "=f4", "|i1",
                                         "<i8", ">u2", "|u1", "<i4", "<f3", "|O",  "<c8" };
    static const size_t sizes[] = { 4, 2, 8, 4, 2, 8, 4, 1, 8, 2, 1, 4, 3, 8, 8 };
    int type = pick(d, sizeof types / sizeof *types), axes;
    char shape[64];
    size_t bytes = sizes[type] * put_shape(d, shape, sizeof shape, 0, &axes);
    snprintf(text, room, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s%s), }%*s\n", types[type],
             pick(d, 2) ? "True" : "False", shape, axes == 1 ? "," : "", pick(d, 40), "");
    return bytes;
}

void mutate_npy(Draft *d)
{
    if (d->size < 12 || memcmp(d->at, "\x93NUMPY", 6)) {
        draft_mutate(d, 0, d->size);
        return;
    }
    int width = d->at[6] == 1 ? 2 : 4;
    size_t start = 8 + (size_t)width, length = length_at(d->at + 8, width), bytes;
    if (length > d->size - start) length = d->size - start;
    size_t before = d->size;
    char words[256];
    switch (pick(d, 4)) {
    case 0: draft_mutate(d, start + length, d->size); break;
    case 1:
        draft_mutate(d, start, start + length);
        put_length(d->at + 8, length + d->size - before, width);
        break;
    default:
        bytes = put_dictionary(d, words, sizeof words);
        draft_replace(d, start, start + length, words, strlen(words));
        if (d->size != before + strlen(words) - length) break; // no room
        put_length(d->at + 8, strlen(words), width);
        fit(d, start + strlen(words), bytes + (pick(d, 8) ? 0 : (size_t)pick(d, 9)));
    }
}

// ---- safetensors

// Where a word begins in bytes from … to − 1; `to`: nowhere.
static size_t find(const Draft *d, size_t from, size_t to, const char *word)
{
    size_t size = strlen(word);
    for (; from + size <= to; from++)
        if (d->at[from] == (uint8_t)*word && !memcmp(d->at + from, word, size)) return from;
    return to;
}

// The bytes that a tensor of this dtype and shape takes, both read between from and to; −1 when they make no sense.
static int64_t bytes_of(const Draft *d, size_t from, size_t to)
{
    static const struct {
        const char *dtype;
        int64_t size;
    } types[] = { { "\"F64\"", 8 }, { "\"F32\"", 4 }, { "\"F16\"", 2 }, { "\"BF16\"", 2 } };
    size_t shape = find(d, from, to, "\"shape\": ["), close = find(d, shape, to, "]");
    char text[256];
    int64_t bytes = 1;
    for (int t = 0; t < 4; t++)
        if (find(d, from, to, types[t].dtype) < to) bytes = types[t].size;
    if (shape == to || close == to || close - shape >= sizeof text) return -1;
    memcpy(text, d->at + shape, close - shape);
    text[close - shape] = 0;
    for (char *at = text + strlen("\"shape\": ["), *end; *at; at = *end ? end + 1 : end) {
        long size = strtol(at, &end, 10);
        if (end == at || size < 0 || size > 1000 || bytes > 1000000) return -1;
        bytes *= size;
    }
    return bytes;
}

// Names that mean something to the viewer and to models, and some that do not.
// clang-format off
static const char *const names[] = { "q", "k", "v", "weights", "scores", "heads", "out", "x", "layers.0.q",
                                     "layers.1.weights", "layers.0.weights", "walk.weights", "walk.state", "walk.tiles",
                                     "a", "" };
// clang-format on
static const char *const notes[] = { "tokens", "key_tokens", "head_names", "format", "H", "title" };

enum { ENOUGH = 300 }; // bytes of a header: two or three tensors, and quick to read

// One tensor or one note more, in front of the others.
static void add_entry(Draft *d)
{
    static const char *const dtypes[] = { "F32", "F16", "BF16", "F64", "I8" };
    char shape[64], entry[256];
    int axes;
    put_shape(d, shape, sizeof shape, 1, &axes);
    const char *name = names[pick(d, sizeof names / sizeof *names)];
    const char *note = notes[pick(d, sizeof notes / sizeof *notes)];
    const char *value = pick(d, 2) ? "[\\\"a\\\", \\\"b\\\"]" : "2";
    if (pick(d, 4))
        snprintf(entry, sizeof entry, "\"%s\": {\"dtype\": \"%s\", \"shape\": [%s], \"data_offsets\": [0, 0]}, ", name,
                 dtypes[pick(d, 5)], shape);
    else snprintf(entry, sizeof entry, "\"__metadata__\": {\"%s\": \"%s\"}, ", note, value);
    draft_replace(d, 9, 9, entry, strlen(entry));
}

// Offsets, one tensor behind the other, in a header of `length` bytes; the answer is its new length, and `end` how many
// bytes of numbers there are to be.
static size_t put_offsets(Draft *d, size_t length, size_t *end)
{
    static const char word[] = "\"data_offsets\": [";
    size_t object = 8, behind = 8 + length;
    *end = 0;
    for (size_t at = find(d, 8, behind, word); at < behind; at = find(d, at + 1, behind, word)) {
        while (find(d, object + 1, at, "{") < at) object = find(d, object + 1, at, "{");
        size_t from = at + strlen(word), to = find(d, from, behind, "]"), before = d->size;
        int64_t bytes = bytes_of(d, object, find(d, at, behind, "}"));
        if (bytes < 0 || to == behind) continue;
        char text[64];
        int count = snprintf(text, sizeof text, "%zu, %zu", *end, *end + (size_t)bytes);
        draft_replace(d, from, to, text, (size_t)count);
        *end += (size_t)bytes;
        behind += d->size - before;
    }
    return behind - 8;
}

void mutate_safetensors(Draft *d)
{
    size_t length = d->size < 10 ? 0 : length_at(d->at, 8), before = d->size;
    if (d->size < 10 || length > d->size - 8 || length < 2) {
        draft_mutate(d, 0, d->size);
        return;
    }
    if (pick(d, 6) == 0) {
        draft_mutate(d, 8 + length, d->size);
        return;
    }
    if (length > ENOUGH || pick(d, 3)) mutate_json_part(d, 8, 8 + length);
    else add_entry(d);
    length += d->size - before;
    bool placed = pick(d, 4);
    if (placed) length = put_offsets(d, length, &before);
    put_length(d->at, length, 8);
    if (placed) fit(d, 8 + length, before);
}
