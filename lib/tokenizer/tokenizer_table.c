// Texts and pairs, found by hashing with open addressing; letters and pieces, kept in arrays that grow.
#include "tokenizer/tokenizer_parts.h"

#include "io/text.h"
#include "tokenizer/unicode_classes.h"

#include <string.h>

void *tok_grown(Arena *arena, void *at, int count, int *room, size_t size)
{
    if (count < *room) return at;
    *room = *room ? 2 * *room : 16;
    void *more = arena_room(arena, (size_t)*room * size);
    if (count) memcpy(more, at, (size_t)count * size);
    return more;
}

// ---- a text on its way

void tok_add_letter(Letters *letters, Arena *arena, uint32_t c, int from, int to)
{
    letters->at = tok_grown(arena, letters->at, letters->count, &letters->room, sizeof *letters->at);
    letters->at[letters->count++] = (Letter){ c, from, to };
}

Letters tok_part(Letters letters, int from, int to) { return (Letters){ letters.at + from, to - from, 0 }; }

void tok_add_piece(Pieces *pieces, Arena *arena, Letters letters, int id)
{
    if (letters.count == 0 && id < 0) return;
    pieces->at = tok_grown(arena, pieces->at, pieces->count, &pieces->room, sizeof *pieces->at);
    pieces->at[pieces->count++] = (Piece){ letters, id };
}

void tok_add(TokenList *list, int *room, Arena *arena, int id, int from, int to)
{
    int rooms[3] = { *room, *room, *room };
    list->ids = tok_grown(arena, list->ids, list->count, &rooms[0], sizeof(int));
    list->from = tok_grown(arena, list->from, list->count, &rooms[1], sizeof(int));
    list->to = tok_grown(arena, list->to, list->count, &rooms[2], sizeof(int));
    *room = rooms[0];
    list->ids[list->count] = id;
    list->from[list->count] = from;
    list->to[list->count++] = to;
}

Letters tok_letters(Arena *arena, const char *text)
{
    size_t size = strlen(text);
    REQUIRE(size <= 1 << 28, "a text of %zu bytes; at most 2^28", size);
    Letters letters = { arena_room(arena, (size + 1) * sizeof(Letter)), 0, 0 };
    for (size_t at = 0; at < size;) {
        const unsigned char *byte = (const unsigned char *)text + at;
        int length = (int)utf8_length(byte, size - at), next = (int)at + (length ? length : 1);
        letters.at[letters.count++] = (Letter){ length ? unicode_read(byte, length) : 0xFFFD, (int)at, next };
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

TextTable tok_texts(Arena *arena, int most)
{
    int slots = slots_for(most);
    return (TextTable){ arena_alloc(arena, (size_t)slots * sizeof(TextSlot)), slots - 1 };
}

// Where it stands, or would stand.
static TextSlot *text_slot(const TextTable *table, const char *text, int length)
{
    uint32_t i = hash(text, length);
    for (;; i++) {
        TextSlot *slot = &table->slots[i & (uint32_t)table->mask];
        if (!slot->text || (slot->length == length && !memcmp(slot->text, text, (size_t)length))) return slot;
    }
}

void tok_texts_put(TextTable *table, const char *text, int id)
{
    int length = (int)strlen(text);
    *text_slot(table, text, length) = (TextSlot){ text, length, id };
}

int tok_texts_get(const TextTable *table, const char *text, int length)
{
    const TextSlot *slot = text_slot(table, text, length);
    return slot->text ? slot->id : -1;
}

PairTable tok_pairs(Arena *arena, int most)
{
    int slots = slots_for(most);
    PairTable table = { arena_room(arena, (size_t)slots * sizeof(Pair)), slots - 1 };
    for (int i = 0; i < slots; i++) table.slots[i].a = -1;
    return table;
}

static Pair *pair_slot(const PairTable *table, int a, int b)
{
    uint64_t mixed = ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) * 0x9E3779B97F4A7C15u;
    for (uint32_t i = (uint32_t)(mixed >> 32);; i++) {
        Pair *slot = &table->slots[i & (uint32_t)table->mask];
        if (slot->a < 0 || (slot->a == a && slot->b == b)) return slot;
    }
}

void tok_pairs_put(PairTable *table, int a, int b, int first, int second)
{
    *pair_slot(table, a, b) = (Pair){ a, b, first, second };
}

const Pair *tok_pairs_get(const PairTable *table, int a, int b)
{
    const Pair *slot = pair_slot(table, a, b);
    return slot->a < 0 ? NULL : slot;
}
