// WordPiece: greedy longest match: the longest token that starts the word, then the longest with the prefix "##", and so
// on; a word that cannot be covered is unknown as a whole. [Schuster and Nakajima 2012; Devlin et al. 2019]
// WordLevel: a word is one token or unknown.
#include "tokenizer/tokenizer_internal.h"

#include "tokenizer/unicode_classes.h"

#include <string.h>

// The word as bytes, and the offset of each letter.
typedef struct {
    char *bytes;
    int *starts;
    int letters;
} Spelled;

static Spelled spell(Arena *arena, TokLetters word)
{
    Spelled s = { arena_room(arena, 4 * (size_t)word.count + 1),
                  arena_room(arena, ((size_t)word.count + 1) * sizeof(int)), word.count };
    s.starts[0] = 0;
    for (int i = 0; i < word.count; i++)
        s.starts[i + 1] = s.starts[i] + unicode_write(s.bytes + s.starts[i], word.at[i].c);
    return s;
}

// The longest token from letter `at`: returns its end, and its id in *id; −1: none.
static int longest_piece(const Tokenizer *t, Spelled s, int at, char *piece, int *id)
{
    int before = at ? (int)strlen(t->prefix) : 0, end = at;
    memcpy(piece, t->prefix, (size_t)before);
    while (end < s.letters && before + s.starts[end + 1] - s.starts[at] <= t->longest) end++;
    memcpy(piece + before, s.bytes + s.starts[at], (size_t)(s.starts[end] - s.starts[at]));
    for (; end > at; end--) {
        *id = tok_texts_get(&t->words, piece, before + s.starts[end] - s.starts[at]);
        if (*id >= 0) return end;
    }
    return -1;
}

void tok_words(const Tokenizer *t, TokenList *list, int *capacity, Arena *arena, Arena *scratch, TokLetters word)
{
    ArenaMark mark = arena_mark(scratch);
    int first = list->count, at = 0, from = word.at[0].from, to = word.at[word.count - 1].to;
    bool whole = t->model == TOK_MODEL_WORDLEVEL, known = whole || word.count <= t->most_letters;
    Spelled s = spell(scratch, word);
    char *piece = arena_room(scratch, strlen(t->prefix) + (size_t)t->longest + 1);
    while (known && at < word.count) {
        int id, end = longest_piece(t, s, at, piece, &id);
        known = end > 0 && (!whole || end == word.count);
        if (known) tok_add(list, capacity, arena, id, word.at[at].from, word.at[end - 1].to);
        at = end;
    }
    if (!known) {
        list->count = first;
        if (t->unknown >= 0) tok_add(list, capacity, arena, t->unknown, from, to);
    }
    arena_release(scratch, mark);
}
