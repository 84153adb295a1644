// Chapter 09, step 7. Sentences that model B glosses word by word: the book's two, and the reader's.
#include "base/portable_math.h"
#include "language/grammar.h"
#include "steps.h"

#include <string.h>

static Reading reading_of(Lesson *lesson, const Translator *b, const GlossedSentence *sentence)
{
    Arena *arena = lesson->arena;
    Reading r = { .s = *sentence };
    int *tokens = arena_alloc(arena, sizeof r.s.words);
    memcpy(tokens, r.s.words, sizeof r.s.words);
    r.run = run_transformer(arena, b->model, run_batch_of_one(arena, tokens, r.s.T), (Mat){ 0 });
    r.it = run_weights(arena, &r.run, 0, b->it.layer, b->it.head);
    const char **words = arena_alloc(arena, (size_t)r.s.T * sizeof *words);
    for (int t = 0; t < r.s.T; t++) words[t] = word_text(r.s.words[t]);
    r.words = words;
    return r;
}

static const char *gloss_at(Lesson *lesson, const Reading *r, int t)
{
    return gloss_text(lesson->arena, run_answer(&r->run, 0, t));
}

// The word that row t of a map looks at most.
static const char *looks_at(const Reading *r, Mat weights, int t) { return r->words[mat_argmax(weights, t)]; }

// Word by word, with the stem; with y, the glosses of two sentences side by side where they differ.
static void show_glosses(Lesson *lesson, const Reading *x, const Reading *y)
{
    Arena *arena = lesson->arena;
    const char *glosses = y ? "gloss, tired    gloss, wide" : "gloss";
    const char *lines = arena_format(arena, "%-11s%-10s%s\n", "word", "stem", glosses);
    for (int t = 1; t < x->s.T; t++) {
        const char *one = gloss_at(lesson, x, t), *other = y ? gloss_at(lesson, y, t) : one;
        bool same = !strcmp(one, other);
        bool swapped = y && x->s.words[t] != y->s.words[t];
        const char *word = swapped ? arena_format(arena, "%s/%s", x->words[t], y->words[t]) : x->words[t];
        const char *stem = swapped ? "" : word_at(x->s.words[t])->stem;
        lines = same ? arena_format(arena, "%s%-11s%-10s%s\n", lines, word, stem, one)
                     : arena_format(arena, "%s%-11s%-10s%-16s%s\n", lines, word, stem, one, other);
    }
    say_lines(lesson, lines);
}

static void one_pair(Lesson *lesson, const Translator *b, const Reading *x, const Reading *y)
{
    int it = x->s.it, right = 0;
    int animal = x->s.subject, street = x->s.object;
    static const char *const cols[] = { "animal", "street" };
    Rows rows =
        rows_of(lesson,
                arena_format(lesson->arena, "the weights of \"it\" in head %d of layer %d", b->it.head, b->it.layer),
                cols, 2);
    rows_add(&rows, ROW(mat_value(x->it, it, animal), mat_value(x->it, it, street)), "… too tired");
    rows_add(&rows, ROW(mat_value(y->it, it, animal), mat_value(y->it, it, street)), "… too wide");
    show_rows(lesson, &rows);
    for (int t = 0; t < x->s.T; t++)
        right += run_answer(&x->run, 0, t) == x->s.glosses[t] && run_answer(&y->run, 0, t) == y->s.glosses[t];
    if (!b->shipped) return;
    check(lesson, right == x->s.T, "all glosses of both sentences are right");
    check(lesson, !strcmp(looks_at(x, x->it, it), "animal") && !strcmp(looks_at(y, y->it, it), "street"),
          "\"it\" looks at animal in one, at street in the other");
    check(lesson, b->output >= 0.95,
          "%d such pairs of sentences, none ever trained: both glosses of \"it\" are right "
          "in %.0f",
          TWINS, b->output * TWINS);
    if (b->output > 1.0 - 0.5 / TWINS)
        say(lesson, "Were the true share %.2f, all would be right once in %.0f such tests.", 0.97,
            1.0 / pow(0.97, TWINS));
    check(lesson, head_mean_value(b->twins.switched) >= 0.9, "the head changes its noun in %.0f of them",
          head_mean_value(b->twins.switched) * TWINS);
}

// The reader's sentence: its glosses, and where the head that is best at a pronoun looks from it.
static Reading own_sentence(Lesson *lesson, const Translator *b, const GlossedSentence *own)
{
    Reading r = reading_of(lesson, b, own);
    say(lesson, "your sentence:");
    show_glosses(lesson, &r, NULL);
    for (int t = 0; t < r.s.T; t++) {
        const Word *word = word_at(r.s.words[t]);
        if (word->class != WORD_PRONOUN) continue;
        Best best = best_of(b, word->kind == SEMANTIC_NONE ? GLOSS_RELATION_IT : GLOSS_RELATION_PRON);
        say(lesson, "in head %d of layer %d, \"%s\" (word %d) looks at: %s", best.head, best.layer, word->text, t,
            looks_at(&r, run_weights(lesson->arena, &r.run, 0, best.layer, best.head), t));
    }
    return r;
}

Reading glosses(Lesson *lesson, const Translator *b, const GlossedSentence *own)
{
    step(lesson, "A language in which it matters");
    GlossedSentence tired, wide;
    grammar_sentence_of_the_book(&tired, false);
    grammar_sentence_of_the_book(&wide, true);
    Reading x = reading_of(lesson, b, &tired), y = reading_of(lesson, b, &wide);
    if (b->shipped)
        check(lesson, b->accuracy >= 0.99, "0.99 or more of all words in %d fresh sentences are glossed right",
              SENTENCES);
    show_glosses(lesson, &x, &y);
    one_pair(lesson, b, &x, &y);
    return own ? own_sentence(lesson, b, own) : x;
}
