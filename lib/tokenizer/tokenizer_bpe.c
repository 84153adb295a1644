// Byte-pair encoding of one word: repeatedly merges the adjacent pair of lowest rank, the leftmost first, until no pair
// has a rank. A word can be a whole text, so candidate pairs are in a heap: n log n. [Sennrich, Haddow and Birch 2016]
#include "tokenizer/tokenizer_internal.h"

#include "tokenizer/unicode_classes.h"

#include <stdio.h>

typedef struct {
    int id, from, to, before, next;
} Symbol; // id −1: merged into the symbol before it
typedef struct {
    int rank, at, id;
} Candidate; // candidate merge: the pair at `at` would become id
typedef struct {
    Candidate *at;
    int count;
} Heap;

// ---- the heap

static bool precedes(Candidate a, Candidate b) { return a.rank < b.rank || (a.rank == b.rank && a.at < b.at); }

static void heap_push(Heap *heap, Candidate new)
{
    int i = heap->count++;
    for (; i > 0 && precedes(new, heap->at[(i - 1) / 2]); i = (i - 1) / 2) heap->at[i] = heap->at[(i - 1) / 2];
    heap->at[i] = new;
}

static Candidate heap_pop(Heap *heap)
{
    Candidate first = heap->at[0], last = heap->at[--heap->count];
    int i = 0;
    for (int child = 1; child < heap->count; child = 2 * i + 1) {
        if (child + 1 < heap->count && precedes(heap->at[child + 1], heap->at[child])) child++;
        if (!precedes(heap->at[child], last)) break;
        heap->at[i] = heap->at[child];
        i = child;
    }
    if (heap->count) heap->at[i] = last;
    return first;
}

// ---- initial symbols

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

// Byte fallback: <0xNN> for each byte of an unknown letter; false if one of these tokens is missing.
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

static void add_candidate(const Tokenizer *t, Heap *heap, const Symbols *symbols, int at)
{
    int next = at < 0 ? -1 : symbols->at[at].next;
    const TokPair *pair = next < 0 ? NULL : tok_pairs_get(&t->merges, symbols->at[at].id, symbols->at[next].id);
    if (pair) heap_push(heap, (Candidate){ pair->first, at, pair->second });
}

// A candidate may be stale, because one of its symbols has been merged: then it is ignored.
static void merge(const Tokenizer *t, Heap *heap, Symbols *symbols, Candidate best)
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
    add_candidate(t, heap, symbols, left->before);
    add_candidate(t, heap, symbols, best.at);
}

// ignore_merges: the id of the whole word if it is a token; else −1.
static int whole_word(const Tokenizer *t, Arena *scratch, TokLetters word)
{
    if (!t->ignore_merges || word.count > t->longest) return -1;
    char *text = arena_room(scratch, 4 * (size_t)word.count);
    int size = 0;
    for (int i = 0; i < word.count; i++) size += unicode_write(text + size, word.at[i].c);
    return tok_texts_get(&t->words, text, size);
}

void tok_bpe(const Tokenizer *t, TokenList *list, int *capacity, Arena *arena, Arena *scratch, TokLetters word)
{
    ArenaMark mark = arena_mark(scratch);
    int whole = whole_word(t, scratch, word);
    if (whole >= 0) {
        tok_add(list, capacity, arena, whole, word.at[0].from, word.at[word.count - 1].to);
        arena_release(scratch, mark);
        return;
    }

    // 1. a symbol per letter, or per byte of it
    Symbols symbols = { .at = arena_room(scratch, 4 * (size_t)word.count * sizeof(Symbol)) };
    for (int i = 0; i < word.count; i++) put_letter(t, &symbols, word.at[i]);
    put_unknown(&symbols);
    for (int i = 0; i < symbols.count; i++) {
        symbols.at[i].before = i - 1;
        symbols.at[i].next = i + 1 < symbols.count ? i + 1 : -1;
    }

    // 2. every merge removes one pair and adds at most two
    Heap heap = { arena_room(scratch, 2 * (size_t)(symbols.count + 1) * sizeof(Candidate)), 0 };
    for (int i = 0; i < symbols.count; i++) add_candidate(t, &heap, &symbols, i);
    while (heap.count) merge(t, &heap, &symbols, heap_pop(&heap));

    // 3. output
    for (int i = 0; i < symbols.count; i++) {
        Symbol s = symbols.at[i];
        if (s.id >= 0) tok_add(list, capacity, arena, s.id, s.from, s.to);
    }
    arena_release(scratch, mark);
}
