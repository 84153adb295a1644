// Chapter 13. The row that is followed: of a word of the sentence, or of scores that the reader gives.
#include "attention/dot_product.h"
#include "steps.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 24 }; // scores that a table can show

// The first word that is spelt like this, capitals included: The and the are two rows. −1: there is none.
static int place_as_typed(const Sentence *s, const char *word)
{
    for (int t = 0; t < s->T; t++)
        if (!strcmp(s->words[t], word)) return t;
    return -1;
}

static Followed of_word(Lesson *lesson, const char *query)
{
    const Sentence *s = &lesson->sentence;
    const char *wanted = query ? query : "it";
    int place = place_as_typed(s, wanted);
    if (place < 0 && query) lesson_misused(lesson->state, "--query is %s; it must be a word of the sentence", query);
    int word = place < 0 ? s->T - 1 : place;
    return (Followed){ .name = s->words[word],
                       .what = "alive",
                       .keys = s->words,
                       .word = word,
                       .book = !lesson->own_words && !strcmp(wanted, "it"),
                       .q = mat_rows(s->x, word, 1),
                       .k = s->x,
                       .v = s->x,
                       .column = column_index(lesson, "alive") };
}

// "1,2.5,-inf" as a column. What is no list of numbers is answered in terms of the flag.
static Mat scores_read(Lesson *lesson, const char *text)
{
    float read[MOST];
    int count = 0;
    bool fine = true, seen = false;
    for (const char *at = text; fine; at++) {
        char *end;
        float score = strtof(at, &end);
        fine = end != at && count < MOST && (score == -INFINITY || isfinite(score)) && (*end == ',' || !*end);
        if (!fine) break;
        seen = seen || score > -INFINITY;
        read[count++] = score;
        at = end;
        if (!*at) break;
    }
    if (!fine || !seen || count < 2)
        lesson_misused(lesson->state,
                       "--scores is %s; it must be 2 to %d numbers with commas between, as in 1,2,3; "
                       "some may be -inf",
                       text, MOST);
    return mat_of(lesson->arena, count, 1, read);
}

static Followed of_scores(Lesson *lesson, const char *text)
{
    Arena *arena = lesson->arena;
    Mat k = scores_read(lesson, text), v = mat_new(arena, k.rows, 1);
    for (int j = 0; j < k.rows; j++) *mat_ref(v, j, 0) = (float)j;
    return (Followed){ .name = "your scores",
                       .what = "place",
                       .keys = numbered(arena, "key ", k.rows),
                       .word = lesson->sentence.T - 1,
                       .q = mat_of(arena, 1, 1, (float[]){ 1.0f }),
                       .k = k,
                       .v = v };
}

Followed follow(Lesson *lesson, const char *query, const char *scores)
{
    if (query && scores) lesson_misused(lesson->state, "--query and --scores both say which row to follow; give one");
    Followed f = scores ? of_scores(lesson, scores) : of_word(lesson, query);
    f.scores = mat_new(lesson->arena, f.k.rows, 1);
    attention_scores(f.scores, f.k, f.q, EVERYTHING); // k · q is q · k
    f.values = mat_cols(f.v, f.column, 1);
    return f;
}
