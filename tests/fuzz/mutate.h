// Mutations that know what they change: most of what they make is still the format, so that more is reached than what
// refuses it. For the fuzz targets; the fuzzer's own mutations take every fourth turn.
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include "base/random.h"
#include "io/file.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// An input that is being changed; it never grows beyond `most`.
typedef struct {
    uint8_t *at;
    size_t size, most;
    Random random;
} Draft;

// Bytes from … to − 1 give way to others, which may be of the draft itself. What does not fit is left as it was.
void draft_replace(Draft *draft, size_t from, size_t to, const void *with, size_t count);
void draft_mutate(Draft *draft, size_t from, size_t to); // the fuzzer's own mutation of these bytes

// A value is moved, copied, taken away, wrapped, or becomes one at the edge of what is possible. The JSON stands in
// bytes from … to − 1; the answer is its new end.
size_t mutate_json_part(Draft *draft, size_t from, size_t to);

void mutate_json(Draft *draft);
void mutate_npy(Draft *draft);         // header, its length and the numbers fit together again
void mutate_safetensors(Draft *draft); // and so do offsets

// The body of LLVMFuzzerCustomMutator.
size_t mutate(uint8_t *data, size_t size, size_t most, unsigned seed, void how(Draft *draft));

#define MUTATED_BY(how) \
    size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed); \
    size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) \
    { \
        return mutate(data, size, most, seed, how); \
    }

// A target: FUZZ(most) { … } reads `file` into `arena` and returns true, or returns false with one sentence in `error`
// that begins with "fuzz" and has at most `most` bytes.
#define FUZZ(most) \
    static bool fuzzed(Arena *arena, FileBytes file, Error *error); \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) \
    { \
        Arena *arena = arena_open(); \
        Error error = { .text = "" }; \
        bool read = fuzzed(arena, (FileBytes){ data, size }, &error); \
        if (!read && (strncmp(error.text, "fuzz", 4) || strlen(error.text) > (most))) abort(); \
        arena_close(arena); \
        return 0; \
    } \
    static bool fuzzed(Arena *arena, FileBytes file, Error *error)

#endif
