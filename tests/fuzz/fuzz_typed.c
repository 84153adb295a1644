// Any bytes as a sentence that a reader types: refused with a sentence, or words of the dictionary; never a crash.
#include "language/vocabulary.h"

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_open();
    char *text = arena_alloc(arena, size + 1);
    if (size) memcpy(text, data, size);
    int words[WORD_SENTENCE_MOST], T = 0;
    Error error = { .text = "" };
    if (words_of_sentence(words, &T, text, &error)) {
        if (T < 3 || T > WORD_SENTENCE_MOST || words[0] != 0 || words[T - 1] != word_named(".")) abort();
        for (int t = 1; t < T; t++)
            if (words[t] <= 0 || words[t] >= words_count()) abort();
    } else if (!*error.text) {
        abort();
    }
    arena_close(arena);
    return 0;
}
