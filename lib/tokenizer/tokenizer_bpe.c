// Byte-pair encoding of one word: of all neighbours the pair of lowest rank becomes one, the leftmost first, until no
// pair has a rank. A word may be a whole text, so pairs wait in a heap: n log n.  [Sennrich, Haddow and Birch 2016]
#include "tokenizer/tokenizer_internal.h"

#include "tokenizer/unicode_classes.h"

#include <stdio.h>

typedef struct {
    int id, from, to, before, next;
} Symbol; // id −1: it has gone into the one before
typedef struct {
    int rank, at, id;
} Waiting; // the pair that begins at `at` would become id
typedef struct {
    Waiting *at;
    int count;
} Heap;

// ---- the heap

static bool goes_first(Waiting a, Waiting b) { return a.rank < b.rank || (a.rank == b.rank && a.at < b.at); }

static void heap_add(Heap *heap, Waiting new)
{
    int i = heap->count++;
    for (; i > 0 && goes_first(new, heap->at[(i - 1) / 2]); i = (i - 1) / 2) heap->at[i] = heap->at[(i - 1) / 2];
    heap->at[i] = new;
}

static Waiting heap_take(Heap *heap)
{
    Waiting first = heap->at[0], last = heap->at[--heap->count];
    int i = 0;
    for (int child = 1; child < heap->count; child = 2 * i + 1) {
        if (child + 1 < heap->count && goes_first(heap->at[child + 1], heap->at[child])) child++;
        if (!goes_first(heap->at[child], last)) break;
        heap->at[i] = heap->at[child];
        i = child;
    }
    if (heap->count) heap->at[i] = last;
    return first;
}

// ---- the first symbols

typedef struct {
    Symbol *at;
    int count;
    Symbol unknown;
    bool has_unknown;
} Symbols;

static void put(Symbols *symbols, Symbol s) { symbols->at[symbols->count++] = s; }

static void put_unknown(Symbols *symbols)
{
    if (symbols->has_unknown) put(symbols, symbols->unknown);
    symbols->has_unknown = false;
}

// <0xNN> for each byte of a letter that is no token; false unless there are tokens for all of them.
static bool put_bytes(const Tokenizer *t, Symbols *symbols, const char *bytes, int length, TokLetter l)
{
    int ids[4];
    for (int i = 0; i < length; i++) {
        char name[8];
        snprintf(name, sizeof name, "<0x%02X>", (unsigned char)bytes[i]);
        ids[i] = tok_texts_get(&t->words, name, 6);
        if (ids[i] < 0) return false;
    }
    bool own = l.to - l.from == length;
    for (int i = 0; i < length; i++)
        put(symbols, (Symbol){ ids[i], own ? l.from + i : l.from, own ? l.from + i + 1 : l.to, 0, 0 });
    return true;
}

static void put_letter(const Tokenizer *t, Symbols *symbols, TokLetter l)
{
    char bytes[4];
    int length = unicode_write(bytes, l.c), id = tok_texts_get(&t->words, bytes, length);
    if (id >= 0) {
        put_unknown(symbols);
        put(symbols, (Symbol){ id, l.from, l.to, 0, 0 });
        return;
    }
    if ((t->byte_fallback && put_bytes(t, symbols, bytes, length, l)) || t->unknown < 0) return;
    if (symbols->has_unknown && t->fuse_unknown) {
        symbols->unknown.to = l.to;
        return;
    }
    put_unknown(symbols);
    symbols->unknown = (Symbol){ t->unknown, l.from, l.to, 0, 0 };
    symbols->has_unknown = true;
}

// ---- merging

static void wait_for(const Tokenizer *t, Heap *heap, const Symbols *symbols, int at)
{
    int next = at < 0 ? -1 : symbols->at[at].next;
    const TokPair *pair = next < 0 ? NULL : tok_pairs_get(&t->merges, symbols->at[at].id, symbols->at[next].id);
    if (pair) heap_add(heap, (Waiting){ pair->first, at, pair->second });
}

// What waits may be of symbols that have gone since: then it is passed over.
static void merge(const Tokenizer *t, Heap *heap, Symbols *symbols, Waiting best)
{
    Symbol *left = &symbols->at[best.at];
    if (left->id < 0 || left->next < 0) return;
    Symbol *right = &symbols->at[left->next];
    const TokPair *pair = tok_pairs_get(&t->merges, left->id, right->id);
    if (!pair || pair->second != best.id) return;
    left->id = best.id;
    left->to = right->to;
    left->next = right->next;
    right->id = -1;
    if (left->next >= 0) symbols->at[left->next].before = best.at;
    wait_for(t, heap, symbols, left->before);
    wait_for(t, heap, symbols, best.at);
}

// The word as one token, if files ask for that before any merge; −1.
static int whole_word(const Tokenizer *t, Arena *scratch, TokLetters word)
{
    if (!t->ignore_merges || word.count > t->longest) return -1;
    char *text = arena_room(scratch, 4 * (size_t)word.count);
    int size = 0;
    for (int i = 0; i < word.count; i++) size += unicode_write(text + size, word.at[i].c);
    return tok_texts_get(&t->words, text, size);
}

void tok_bpe(const Tokenizer *t, TokenList *list, int *room, Arena *arena, Arena *scratch, TokLetters word)
{
    ArenaMark mark = arena_mark(scratch);
    int whole = whole_word(t, scratch, word);
    if (whole >= 0) {
        tok_add(list, room, arena, whole, word.at[0].from, word.at[word.count - 1].to);
        arena_release(scratch, mark);
        return;
    }

    // 1. a symbol a letter, or several of its bytes
    Symbols symbols = { .at = arena_room(scratch, 4 * (size_t)word.count * sizeof(Symbol)) };
    for (int i = 0; i < word.count; i++) put_letter(t, &symbols, word.at[i]);
    put_unknown(&symbols);
    for (int i = 0; i < symbols.count; i++) {
        symbols.at[i].before = i - 1;
        symbols.at[i].next = i + 1 < symbols.count ? i + 1 : -1;
    }

    // 2. every merge takes one pair away and brings at most two
    Heap heap = { arena_room(scratch, 2 * (size_t)(symbols.count + 1) * sizeof(Waiting)), 0 };
    for (int i = 0; i < symbols.count; i++) wait_for(t, &heap, &symbols, i);
    while (heap.count) merge(t, &heap, &symbols, heap_take(&heap));

    // 3. what is left
    for (int i = 0; i < symbols.count; i++) {
        Symbol s = symbols.at[i];
        if (s.id >= 0) tok_add(list, room, arena, s.id, s.from, s.to);
    }
    arena_release(scratch, mark);
}
