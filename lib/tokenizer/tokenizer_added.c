// Finds added tokens, such as <s> or [MASK], in a text: the leftmost match, and the longest there. Uses a trie.
#include "tokenizer/tokenizer_internal.h"

#include "tokenizer/unicode_classes.h"

// The letters that an added token matches: its content, or its normalized content.
static TokLetters pattern_of(const Tokenizer *t, Arena *arena, const TokAddedToken *token)
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

// Special tokens are inserted first: of two with the same letters the first one counts.
void tok_trie(TokAddedTrie *trie, Arena *arena, const Tokenizer *t, bool normalized)
{
    int total = 1;
    TokLetters *letters = arena_alloc(arena, (size_t)t->added_count * sizeof *letters);
    for (int i = 0; i < t->added_count; i++) {
        if (t->added[i].normalized == normalized) letters[i] = pattern_of(t, arena, &t->added[i]);
        total += letters[i].count;
    }
    *trie = (TokAddedTrie){ tok_pairs(arena, total), arena_alloc(arena, (size_t)total * sizeof(int)), 0 };
    for (int special = 1; special >= 0; special--)
        for (int i = 0; i < t->added_count; i++)
            if (t->added[i].special == special && letters[i].count) trie_put(trie, letters[i], i);
}

// The longest match at `at`: returns its end, or −1.
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

static bool is_single_word(TokLetters letters, int from, int to)
{
    bool left = from > 0 && unicode_is(UNICODE_WORD, letters.at[from - 1].c);
    return !left && !(to < letters.count && unicode_is(UNICODE_WORD, letters.at[to].c));
}

// A token that strips spaces on its left strips none that a token before it has stripped; spaces that one strips on its
// right can be the start of the next token.
TokPieces tok_added(const Tokenizer *t, const TokAddedTrie *trie, Arena *arena, TokLetters letters)
{
    TokPieces pieces = { 0 };
    int done = 0; // letters before this are in pieces
    for (int at = 0; trie->nodes && at < letters.count;) {
        int token = 0, end = longest_at(trie, letters, at, &token), from = at, to = end;
        at = end < 0 ? at + 1 : end;
        const TokAddedToken *added = &t->added[token];
        if (end < 0 || (added->alone && !is_single_word(letters, from, to))) continue;
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
