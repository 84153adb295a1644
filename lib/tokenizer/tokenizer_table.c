// Hash tables with open addressing for texts and pairs; growing arrays of letters and pieces.
#include "tokenizer/tokenizer_internal.h"

#include "io/text.h"
#include "tokenizer/unicode_classes.h"

#include <string.h>

void *tok_grown(Arena *arena, void *at, int count, int *capacity, size_t size)
{
    if (count < *capacity) return at;
    *capacity = *capacity ? 2 * *capacity : 16;
    void *more = arena_room(arena, (size_t)*capacity * size);
    if (count) memcpy(more, at, (size_t)count * size);
    return more;
}

// ---- text

void tok_add_letter(TokLetters *letters, Arena *arena, uint32_t c, int from, int to)
{
    letters->at = tok_grown(arena, letters->at, letters->count, &letters->room, sizeof *letters->at);
    letters->at[letters->count++] = (TokLetter){ c, from, to };
}

TokLetters tok_part(TokLetters letters, int from, int to) { return (TokLetters){ letters.at + from, to - from, 0 }; }

void tok_add_piece(TokPieces *pieces, Arena *arena, TokLetters letters, int id)
{
    if (letters.count == 0 && id < 0) return;
    pieces->at = tok_grown(arena, pieces->at, pieces->count, &pieces->room, sizeof *pieces->at);
    pieces->at[pieces->count++] = (TokPiece){ letters, id };
}

void tok_add(TokenList *list, int *capacity, Arena *arena, int id, int from, int to)
{
    int rooms[3] = { *capacity, *capacity, *capacity };
    list->ids = tok_grown(arena, list->ids, list->count, &rooms[0], sizeof(int));
    list->from = tok_grown(arena, list->from, list->count, &rooms[1], sizeof(int));
    list->to = tok_grown(arena, list->to, list->count, &rooms[2], sizeof(int));
    *capacity = rooms[0];
    list->ids[list->count] = id;
    list->from[list->count] = from;
    list->to[list->count++] = to;
}

TokLetters tok_letters(Arena *arena, const char *text)
{
    size_t size = strlen(text);
    REQUIRE(size <= 1 << 28, "a text of %zu bytes; at most 2^28", size);
    TokLetters letters = { arena_room(arena, (size + 1) * sizeof(TokLetter)), 0, 0 };
    for (size_t at = 0; at < size;) {
        const unsigned char *byte = (const unsigned char *)text + at;
        int length = (int)text_utf8_length(byte, size - at), next = (int)at + (length ? length : 1);
        letters.at[letters.count++] = (TokLetter){ length ? unicode_read(byte, length) : 0xFFFD, (int)at, next };
        at = (size_t)next;
    }
    return letters;
}

// ---- tables

static int slots_for(int most)
{
    int slots = 8;
    while (slots / 2 < most) slots *= 2;
    return slots;
}

// [Fowler, Noll and Vo: FNV-1a]
static uint32_t hash(const char *text, int length)
{
    uint32_t h = 2166136261u;
    for (int i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h ^ h >> 15;
}

TokTextTable tok_texts(Arena *arena, int most)
{
    int slots = slots_for(most);
    return (TokTextTable){ arena_alloc(arena, (size_t)slots * sizeof(TokTextSlot)), slots - 1 };
}

// The slot of the text, or the free slot where it would be inserted.
static TokTextSlot *text_slot(const TokTextTable *table, const char *text, int length)
{
    uint32_t i = hash(text, length);
    for (;; i++) {
        TokTextSlot *slot = &table->slots[i & (uint32_t)table->mask];
        if (!slot->text || (slot->length == length && !memcmp(slot->text, text, (size_t)length))) return slot;
    }
}

void tok_texts_put(TokTextTable *table, const char *text, int id)
{
    int length = (int)strlen(text);
    *text_slot(table, text, length) = (TokTextSlot){ text, length, id };
}

int tok_texts_get(const TokTextTable *table, const char *text, int length)
{
    const TokTextSlot *slot = text_slot(table, text, length);
    return slot->text ? slot->id : -1;
}

TokPairTable tok_pairs(Arena *arena, int most)
{
    int slots = slots_for(most);
    TokPairTable table = { arena_room(arena, (size_t)slots * sizeof(TokPair)), slots - 1 };
    for (int i = 0; i < slots; i++) table.slots[i].a = -1;
    return table;
}

static TokPair *pair_slot(const TokPairTable *table, int a, int b)
{
    uint64_t mixed = ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) * 0x9E3779B97F4A7C15u;
    for (uint32_t i = (uint32_t)(mixed >> 32);; i++) {
        TokPair *slot = &table->slots[i & (uint32_t)table->mask];
        if (slot->a < 0 || (slot->a == a && slot->b == b)) return slot;
    }
}

void tok_pairs_put(TokPairTable *table, int a, int b, int first, int second)
{
    *pair_slot(table, a, b) = (TokPair){ a, b, first, second };
}

const TokPair *tok_pairs_get(const TokPairTable *table, int a, int b)
{
    const TokPair *slot = pair_slot(table, a, b);
    return slot->a < 0 ? NULL : slot;
}
