// The corpus of chapter 22: its rules, read back from texts; its model's shape; its batches.
#include "language/facts.h"

#include "support/reference.h"
#include "support/suite.h"

enum { LONG = 200 };
static bool is_fact(int token) { return token < FACTS_SUBJECTS * FACTS_VALUES; }

// Eight facts of eight subjects among noise; then a question for each, whose answer stands in its fact.
TEST(texts_hold_to_the_rules)
{
    static const int lengths[] = { FACTS_COUNT, 9, 64, LONG };
    int tokens[LONG + FACTS_COUNT], targets[LONG + FACTS_COUNT], at[FACTS_COUNT];
    Random random = random_from(3);
    for (int e = 0; e < 400; e++) {
        int length = lengths[e % 4], facts = 0;
        bool asked[FACTS_SUBJECTS] = { false };
        facts_text(tokens, targets, at, length, &random);
        for (int t = 0; t < length; t++) {
            ck_assert(tokens[t] >= 0 && tokens[t] < FACTS_QUESTIONS && targets[t] == -1);
            facts += is_fact(tokens[t]);
        }
        ck_assert_int_eq(facts, FACTS_COUNT);
        for (int q = 0; q < FACTS_COUNT; q++) {
            int who = tokens[length + q] - FACTS_QUESTIONS;
            ck_assert(who >= 0 && who < FACTS_SUBJECTS && !asked[who]);
            asked[who] = true;
            ck_assert(at[q] >= 0 && at[q] < length && is_fact(tokens[at[q]]));
            ck_assert_int_eq(tokens[at[q]] / FACTS_VALUES, who);
            ck_assert_int_eq(tokens[at[q]] % FACTS_VALUES, targets[length + q]);
        }
    }
}

TEST(names)
{
    ck_assert_str_eq(facts_name(arena, 0), "ant:red");
    ck_assert_str_eq(facts_name(arena, 21 * FACTS_VALUES + 1), "owl:tan");
    ck_assert_str_eq(facts_name(arena, FACTS_SUBJECTS * FACTS_VALUES), "ha");
    ck_assert_str_eq(facts_name(arena, FACTS_QUESTIONS - 1), "nz");
    ck_assert_str_eq(facts_name(arena, FACTS_WORDS - 1), "yak?");
    ck_assert_str_eq(facts_value(15), "dim");
    for (int a = 0; a < FACTS_WORDS; a++)
        for (int b = 0; b < a; b++) ck_assert_str_ne(facts_name(arena, a), facts_name(arena, b));
}

TEST(batches_and_models)
{
    Random random = random_from(5);
    RunBatch batch = facts_batch(arena, 3, &random, NULL);
    ck_assert(batch.count == 3 && batch.start[0] == 0 && batch.start[3] == 3 * (FACTS_LENGTH + FACTS_COUNT));
    int asked = 0;
    for (int t = 0; t < batch.start[3]; t++) {
        asked += batch.targets[t] >= 0;
        ck_assert_int_eq(batch.targets[t] >= 0, batch.tokens[t] >= FACTS_QUESTIONS);
    }
    ck_assert_int_eq(asked, 3 * FACTS_COUNT);
    Config four = facts_config(4), two = facts_config(2), pairs = four;
    pairs.differ = CONFIG_DIFFER_LEARNED;
    pairs.head_norm = true;
    ck_assert_int_eq(config_parameters(&four), config_parameters(&two));
    ck_assert_int_eq(config_parameters(&pairs), config_parameters(&four) + 4 * 8 + 16);
    Training *training = training_open(arena, pairs, facts_recipe(1));
    double first = training_step(training, facts_batch, NULL), last = 0.0;
    for (int s = 0; s < 30; s++) last = training_step(training, facts_batch, NULL);
    ck_assert(last < first);
    training_close(training);
}
