// Exercise 01c: my_louder and my_apart.
#include "attention/dot_product.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

enum { D = 12, ADJ = 2 };

typedef void Word(float word[D]);
Word my_louder, my_apart;

static const float animal[D] = { 1, 0, 0, 0, 1, 0, 0, 0.4f, 0, 0, 0, 0 };
static const float it[D] = { 0.6f, 0, 0, 0.2f, 0.5f, 0.2f, 0, 0, 0, 0, 0, 0 };
static const float tired[D] = { 0, 0, 1, 0, 0.8f, 0, 0, -0.3f, 0, 0, 0, 0 };

static void must_be_a_word(Judge *judge, const float *word)
{
    float norm = vector_norm(word, D);
    judge_claim(judge, isfinite(norm) && norm > 0.0f,
                (Hints){ "all twelve numbers are 0: this word has no direction",
                         "which columns do the words of the task share?" });
}

static void louder(Judge *judge, Function f)
{
    float word[D] = { 0 };
    judge_trying(judge, "my_louder");
    ((Word *)f)(word);
    must_be_a_word(judge, word);
    Arena *arena = judge->arena;
    double by_animal = (double)dot_product(word, animal, 1, D), by_it = (double)dot_product(word, it, 1, D);
    double to_animal = (double)cosine_similarity(word, animal, D), to_it = (double)cosine_similarity(word, it, D);
    judge_claim(judge, by_animal > by_it,
                (Hints){ arena_format(arena, "its dot product is %.2f with animal and %.2f with it", by_animal, by_it),
                         "what do the columns that you have filled hold in animal, and what in it?",
                         "w · animal = |w| |animal| cos(w, animal), and |animal| = 1.47 is more than |it| = 0.83" });
    judge_claim(judge, to_it > to_animal,
                (Hints){ arena_format(arena, "its cosine is %.2f with it and %.2f with animal", to_it, to_animal),
                         "animal has the larger norm already: to which of the two must the direction be nearer?",
                         "w · animal / 1.47 < w · it / 0.83" });
    judge_claim(judge, to_it > 0.9,
                (Hints){ arena_format(arena, "its cosine with it is %.2f, and should be above 0.9", to_it),
                         "begin with it: which numbers can change a little, and the direction hardly at all?" });
    judge_claim(judge, to_it < 0.99,
                (Hints){
                    arena_format(arena, "its cosine with it is %.3f: this is it once more", to_it),
                    "in which columns do both words hold 0, and what would a number there do to the two cosines?" });
}

static void apart(Judge *judge, Function f)
{
    float word[D] = { 0 };
    judge_trying(judge, "my_apart");
    ((Word *)f)(word);
    must_be_a_word(judge, word);
    double common = (double)cosine_similarity(word, animal, D), alike = (double)cosine_similarity(word, tired, D);
    judge_claim(judge, fabs(common) < 2e-3,
                (Hints){ arena_format(judge->arena, "its cosine with animal is %.3f, and should be 0", common),
                         "which columns does it share with animal, and what do their products sum to?",
                         "a · b = Σₖ aₖ bₖ: what is above 0 and what is below must cancel" });
    judge_claim(judge, alike > 0.9,
                (Hints){ arena_format(judge->arena, "its cosine with tired is %.2f, and should be above 0.9", alike),
                         "begin with tired itself: how much of animal must be taken away, for nothing in common to be "
                         "left?",
                         "(tired − c · animal) · animal = 0 for which c?" });
}

// a + factor · b.
static void combine(float *word, const float *a, float factor, const float *b)
{
    for (int k = 0; k < D; k++) word[k] = a[k] + factor * b[k];
}

static const float adj[D] = { [ADJ] = 1 }, none[D] = { 0 };
static void right_louder(float *word) { combine(word, it, 0.3f, adj); }
static void opposite(float *word) { combine(word, none, -1.0f, it); }
static void is_animal(float *word) { combine(word, animal, 0.0f, it); }
static void is_it(float *word) { combine(word, it, 0.0f, it); }
static void is_empty(float *word) { combine(word, none, 0.0f, it); }
static void right_apart(float *word) { combine(word, tired, -0.68f / 2.16f, animal); }
static void is_tired(float *word) { combine(word, tired, 0.0f, it); }
static void is_adjective(float *word) { combine(word, adj, 0.0f, it); }

static const Task tasks[] = {
    { AS(Word, my_louder), AS(Word, right_louder), .check = louder,
      .wrong = { { AS(Word, opposite), "its dot product is -1.10 with animal and -0.69 with it" },
                 { AS(Word, is_animal), "its cosine is 0.90 with it and 1.00 with animal" },
                 { AS(Word, is_it), "its cosine with it is 1.000: this is it once more" },
                 { AS(Word, is_empty), "all twelve numbers are 0: this word has no direction" } } },
    { AS(Word, my_apart), AS(Word, right_apart), .check = apart,
      .wrong = { { AS(Word, is_tired), "its cosine with animal is 0.352, and should be 0" },
                 { AS(Word, is_adjective), "its cosine with tired is 0.76, and should be above 0.9" } } },
};
EXERCISE("01c", tasks)
