// Added tokens, <s> or [MASK], where they are written in a text: the leftmost, and of several there the longest.
#include "tokenizer/tokenizer_internal.h"

#include "tokenizer/unicode_classes.h"

// What of an added token is looked for: what is written, or what the normalizer would have made of it.
static TokLetters looked_for(const Tokenizer *t, Arena *arena, const TokAddedToken *token)
{
    TokLetters letters = tok_letters(arena, token->content);
    return token->normalized ? tok_normal(t, arena, letters) : letters;
}

static void trie_put(TokAddedTrie *trie, TokLetters letters, int token)
{
    int node = 0;
    for (int i = 0; i < letters.count; i++) {
        const TokPair *edge = tok_pairs_get(&trie->edges, node, (int)letters.at[i].c);
        if (!edge) tok_pairs_put(&trie->edges, node, (int)letters.at[i].c, ++trie->nodes, 0);
        node = edge ? edge->first : trie->nodes;
    }
    if (!trie->ends[node]) trie->ends[node] = token + 1;
}

// Special tokens go in before the others: of two that are looked for by the same letters the first one counts.
void tok_trie(TokAddedTrie *trie, Arena *arena, const Tokenizer *t, bool normalized)
{
    int total = 1;
    TokLetters *letters = arena_alloc(arena, (size_t)t->added_count * sizeof *letters);
    for (int i = 0; i < t->added_count; i++) {
        if (t->added[i].normalized == normalized) letters[i] = looked_for(t, arena, &t->added[i]);
        total += letters[i].count;
    }
    *trie = (TokAddedTrie){ tok_pairs(arena, total), arena_alloc(arena, (size_t)total * sizeof(int)), 0 };
    for (int special = 1; special >= 0; special--)
        for (int i = 0; i < t->added_count; i++)
            if (t->added[i].special == special && letters[i].count) trie_put(trie, letters[i], i);
}

// The longest that begins at `at`: where it ends, or −1.
static int longest_at(const TokAddedTrie *trie, TokLetters letters, int at, int *token)
{
    int end = -1, node = 0;
    for (int i = at; i < letters.count; i++) {
        const TokPair *edge = tok_pairs_get(&trie->edges, node, (int)letters.at[i].c);
        if (!edge) break;
        node = edge->first;
        if (!trie->ends[node]) continue;
        *token = trie->ends[node] - 1;
        end = i + 1;
    }
    return end;
}

static bool stands_alone(TokLetters letters, int from, int to)
{
    bool left = from > 0 && unicode_is(UNICODE_WORD, letters.at[from - 1].c);
    return !left && !(to < letters.count && unicode_is(UNICODE_WORD, letters.at[to].c));
}

// One that takes the spaces before it takes none that a token before it took; what one took behind it may be the
// beginning of the next.
TokPieces tok_added(const Tokenizer *t, const TokAddedTrie *trie, Arena *arena, TokLetters letters)
{
    TokPieces pieces = { 0 };
    int done = 0; // up to here all stands in pieces
    for (int at = 0; trie->nodes && at < letters.count;) {
        int token = 0, end = longest_at(trie, letters, at, &token), from = at, to = end;
        at = end < 0 ? at + 1 : end;
        const TokAddedToken *added = &t->added[token];
        if (end < 0 || (added->alone && !stands_alone(letters, from, to))) continue;
        while (added->left && from > 0 && unicode_is(UNICODE_SPACE, letters.at[from - 1].c)) from--;
        if (added->left && from < done) from = done;
        while (added->right && to < letters.count && unicode_is(UNICODE_SPACE, letters.at[to].c)) to++;
        if (from > done) tok_add_piece(&pieces, arena, tok_part(letters, done, from), -1);
        tok_add_piece(&pieces, arena, tok_part(letters, from, to), added->id);
        done = to;
    }
    if (done < letters.count) tok_add_piece(&pieces, arena, tok_part(letters, done, letters.count), -1);
    return pieces;
}
