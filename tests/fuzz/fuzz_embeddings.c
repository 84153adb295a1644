// Any bytes as a table of words, and the same bytes as a sentence: refused with a sentence, or read; never a crash.
#include "lesson/embeddings.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Arena *kept;
    static Embeddings book;
    if (!kept) {
        kept = arena_open();
        embeddings_of_the_book(&book, kept);
    }
    Arena *arena = arena_open();
    char *text = arena_alloc(arena, size + 1);
    if (size) memcpy(text, data, size);
    Embeddings table;
    Sentence sentence;
    Error error;
    if (embeddings_parse(&table, arena, (FileBytes){ (const unsigned char *)text, size }, "fuzz", &error))
        sentence_look_up(&sentence, arena, &table, table.word[0], &error);
    sentence_look_up(&sentence, arena, &book, text, &error);
    arena_close(arena);
    return 0;
}
