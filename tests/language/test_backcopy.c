// The corpus of chapter 18: its rules, read back from texts; its divergence, against sums by hand; its model's shape.
#include "language/backcopy.h"

#include "base/portable_math.h"
#include "support/reference.h"
#include "support/suite.h"

#include <string.h>

enum { LONG = 200000 };

TEST(rows_are_distributions)
{
    Backcopy c = backcopy_new(1), again = backcopy_new(3);
    ck_assert(!memcmp(c.next, again.next, sizeof c.next));
    for (int t = 0; t <= BACKCOPY_START; t++) {
        double sum = 0.0, squares = 0.0, letters = 0.0;
        for (int o = 0; o < BACKCOPY_TOKENS; o++) {
            ck_assert(c.next[t][o] >= 0.0);
            sum += c.next[t][o];
            if (o < BACKCOPY_LETTERS) {
                letters += c.next[t][o];
                squares += c.next[t][o] * c.next[t][o];
            } else if (t < BACKCOPY_LETTERS) {
                ck_assert_double_eq(c.next[t][o], 0.05);
            }
        }
        if (backcopy_is_mark(t)) ck_assert_double_eq(sum, 0.0);
        else ck_assert_double_eq_tol(sum, 1.0, 1e-12);
        // After a letter a few have most of it: as if there were so many, all as likely.
        if (t < BACKCOPY_LETTERS) ck_assert(letters * letters / squares < 12.0);
    }
    for (int o = 0; o < BACKCOPY_LETTERS; o++) ck_assert_double_eq(c.next[BACKCOPY_START][o], 1.0 / 21);
}

// Counted over a long text: a mark repeats what stood before it, always; a letter is followed as its row says.
TEST(texts_hold_to_the_rules)
{
    static int tokens[LONG];
    static double follows[BACKCOPY_TOKENS][BACKCOPY_TOKENS], count[BACKCOPY_TOKENS];
    for (int starts = 0; starts <= 4; starts += 2) {
        Backcopy c = backcopy_new(starts);
        Random random = random_from(5);
        backcopy_text(tokens, LONG, &c, &random);
        memset(follows, 0, sizeof follows);
        memset(count, 0, sizeof count);
        for (int t = 0; t < starts; t++) ck_assert_int_eq(tokens[t], BACKCOPY_START + t);
        ck_assert(tokens[starts] < BACKCOPY_LETTERS);
        for (int t = starts; t < LONG - 1; t++) {
            ck_assert(tokens[t] >= 0 && tokens[t] < BACKCOPY_TOKENS);
            if (backcopy_is_mark(tokens[t])) {
                if (tokens[t + 1] != tokens[t - 1]) ck_abort_msg("the mark at %d repeats another token", t);
                continue;
            }
            follows[tokens[t]][tokens[t + 1]]++;
            count[tokens[t]]++;
        }
        for (int t = 0; t < BACKCOPY_LETTERS; t++)
            for (int o = 0; o < BACKCOPY_TOKENS; o++) {
                double p = c.next[t][o], spread = sqrt(p * (1 - p) / count[t]);
                ck_assert_double_le(fabs(follows[t][o] / count[t] - p), 5 * spread + 1e-9);
            }
    }
}

TEST(divergence_by_hand)
{
    Backcopy c = backcopy_new(1);
    float logits[BACKCOPY_TOKENS + 1];
    for (int t = 0; t < BACKCOPY_LETTERS; t++) {
        // The truth itself, whatever is added; an output that never comes is as good as missing when it is far down.
        for (int o = 0; o < BACKCOPY_TOKENS; o++) logits[o] = (float)log(c.next[t][o]) + 7.0f;
        logits[BACKCOPY_TOKENS] = -100.0f;
        ck_assert_double_eq_tol(backcopy_divergence(&c, t, logits, BACKCOPY_TOKENS + 1), 0.0, 1e-6);

        // All the same: log 25 less the entropy.
        double entropy = 0.0;
        for (int o = 0; o < BACKCOPY_TOKENS; o++) entropy -= c.next[t][o] * log(c.next[t][o]);
        for (int o = 0; o <= BACKCOPY_TOKENS; o++) logits[o] = 1000.0f;
        ck_assert_double_eq_tol(backcopy_divergence(&c, t, logits, BACKCOPY_TOKENS + 1), log(25) - entropy, 1e-9);
    }
}

TEST(batches_ask_for_every_next_token)
{
    for (int starts = 0; starts <= 4; starts++) {
        Backcopy c = backcopy_new(starts);
        Random random = random_from(3);
        RunBatch batch = backcopy_batch(arena, 20, &random, &c);
        ck_assert_int_eq(batch.count, 20);
        for (int b = 0; b < 20; b++) {
            const int *tokens = batch.tokens + batch.start[b], *targets = batch.targets + batch.start[b];
            ck_assert_int_eq(batch.start[b + 1] - batch.start[b], BACKCOPY_T);
            for (int t = 0; t < BACKCOPY_T; t++) {
                ck_assert_int_eq(targets[t] == -1, t + 1 < starts);
                if (t + 1 < BACKCOPY_T && targets[t] >= 0) ck_assert_int_eq(targets[t], tokens[t + 1]);
                if (backcopy_is_mark(tokens[t]) && t > 0) ck_assert_int_eq(targets[t], tokens[t - 1]);
            }
        }
    }
}

TEST(the_model_is_small)
{
    Config plain = backcopy_config(CONFIG_SINK_NONE, 1), learned = backcopy_config(CONFIG_SINK_LOGIT, 1);
    Config gate = backcopy_config(CONFIG_SINK_GATE, 1), four = backcopy_config(CONFIG_SINK_NONE, 4);
    ck_assert_int_eq(config_parameters(&plain), 5696);
    ck_assert_int_eq(config_parameters(&learned), 5697);
    ck_assert_int_eq(config_parameters(&gate), 5696 + 33);
    ck_assert_int_eq(four.words, 28);
    Error error;
    ck_assert_msg(config_fits(&gate, &error), "%s", error.text);
    ck_assert(backcopy_name(0) == 'a' && backcopy_name(20) == 'u' && backcopy_name(21) == '*');
    ck_assert(backcopy_name(BACKCOPY_START) == '^' && backcopy_is_mark(23) && !backcopy_is_mark(24));
}

// A few steps bring the loss down, and the same seed gives the same bits.
TEST(it_learns)
{
    double loss[2], first = 0.0;
    for (int run = 0; run < 2; run++) {
        Backcopy c = backcopy_new(1);
        Training *training = training_open(arena, backcopy_config(CONFIG_SINK_LOGIT, 1), backcopy_recipe(1));
        for (int s = 0; s < 60; s++) {
            loss[run] = training_step(training, backcopy_batch, &c);
            if (s == 0) first = loss[run];
        }
        training_close(training);
    }
    ck_assert(loss[0] == loss[1] && loss[0] < 0.8 * first);
}
