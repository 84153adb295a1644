// Exercise 01c: my_louder and my_apart.
#include "attention/dot_product.h"
#include "exercises/judge.h"

#include <math.h>

enum { D = 12 };

void my_louder(float word[D]);
void my_apart(float word[D]);

static const float animal[D] = { 1, 0, 0, 0, 1, 0, 0, 0.4f, 0, 0, 0, 0 };
static const float it[D] = { 0.6f, 0, 0, 0.2f, 0.5f, 0.2f, 0, 0, 0, 0, 0, 0 };
static const float tired[D] = { 0, 0, 1, 0, 0.8f, 0, 0, -0.3f, 0, 0, 0, 0 };

static void must_be_a_word(Judge *judge, const float *word)
{
    float norm = vector_norm(word, D);
    judge_claim(judge, isfinite(norm), (Hints){ .property = "one of the numbers is infinite or NaN" });
    judge_claim(judge, norm > 0.0f,
                (Hints){ .property = "all twelve numbers are 0: this word has no direction",
                         .question = "which columns do the words of the task share?" });
}

static void louder(Judge *judge)
{
    float word[D] = { 0 };
    judge_trying(judge, "my_louder");
    my_louder(word);
    must_be_a_word(judge, word);
    double by_animal = (double)dot_product(word, animal, 1, D), by_it = (double)dot_product(word, it, 1, D);
    double to_animal = (double)cosine_similarity(word, animal, D), to_it = (double)cosine_similarity(word, it, D);
    judge_claim(judge, by_animal > by_it,
                (Hints){
                    .property = arena_format(judge->arena, "its dot product is %.2f with animal and %.2f with it",
                                             by_animal, by_it),
                    .question = "what do the columns that you have filled hold in animal, and what in it?",
                    .formula =
                        "w · animal = |w| |animal| cos(w, animal), and |animal| = 1.47 is more than |it| = 0.83" });
    judge_claim(judge, to_it > to_animal,
                (Hints){
                    .property =
                        arena_format(judge->arena, "its cosine is %.2f with it and %.2f with animal", to_it, to_animal),
                    .question = "animal has the larger norm already: to which of the two must the direction be nearer?",
                    .formula = "w · animal / 1.47 < w · it / 0.83" });
    judge_claim(judge, to_it > 0.9,
                (Hints){ .property =
                             arena_format(judge->arena, "its cosine with it is %.2f, and should be above 0.9", to_it),
                         .question =
                             "begin with it: which numbers can change a little, and the direction hardly at all?" });
    judge_claim(
        judge, to_it < 0.99,
        (Hints){ .property = arena_format(judge->arena, "its cosine with it is %.3f: this is it once more", to_it),
                 .question =
                     "in which columns do both words hold 0, and what would a number there do to the two cosines?" });
}

static void apart(Judge *judge)
{
    float word[D] = { 0 };
    judge_trying(judge, "my_apart");
    my_apart(word);
    must_be_a_word(judge, word);
    double common = (double)cosine_similarity(word, animal, D), alike = (double)cosine_similarity(word, tired, D);
    judge_claim(judge, fabs(common) < 2e-3,
                (Hints){ .property =
                             arena_format(judge->arena, "its cosine with animal is %.3f, and should be 0", common),
                         .question = "which columns does it share with animal, and what do their products sum to?",
                         .formula = "a · b = Σₖ aₖ bₖ: what is above 0 and what is below must cancel" });
    judge_claim(
        judge, alike > 0.9,
        (Hints){
            .property = arena_format(judge->arena, "its cosine with tired is %.2f, and should be above 0.9", alike),
            .question =
                "begin with tired itself: how much of animal must be taken away, for nothing in common to be left?",
            .formula = "(tired − c · animal) · animal = 0 for which c?" });
}

static void check(Judge *judge)
{
    louder(judge);
    apart(judge);
}

int main(void) { return judge_main("01c", check); }
