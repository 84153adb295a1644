// Tests of lib/model/speculative.c: what comes out is distributed as the target's own text, whatever drafts it; greedy
// text is the target's word by word; what was not kept is taken back.
#include "model/speculative.h"

#include "base/portable_math.h"
#include "base/threads.h"
#include "support/config_sizes.h"
#include "support/flat.h"
#include "support/reference.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static void setup(void) { threads_set(1); }
FIXTURE(setup, NULL);

enum { WORDS = 5, SAMPLES = 20000 };

// A small random model; `sharp` makes its chances differ.
static Transformer some_model(int D, int L, float sharp)
{
    Config c = { CONFIG_SIZES(WORDS, WORDS, D, 2, 1, L), .positions = CONFIG_POSITIONS_ROPE, .causal = true };
    Transformer m = flat_model(arena, c);
    transformer_init(m, &random_state);
    for (int i = 0; i < m.output.rows; i++)
        for (int o = 0; o < m.output.cols; o++) *mat_ref(m.output, i, o) *= sharp;
    return m;
}

static void random_chances(double *chance, int n)
{
    double sum = 0.0;
    for (int x = 0; x < n; x++) {
        double u = sample_uniform(&random_state);
        chance[x] = random_below(&random_state, 4) ? u * u : 0.0;
        sum += chance[x];
    }
    if (sum == 0.0) chance[0] = sum = 1.0;
    for (int x = 0; x < n; x++) chance[x] /= sum;
}

// ---- one token

TEST(overlap_and_rest_add_up)
{
    for (int round = 0; round < 200; round++) {
        double p[7], q[7], rest[7], sum = 0.0;
        random_chances(p, 7);
        random_chances(q, 7);
        speculative_rest(rest, p, q, 7);
        for (int x = 0; x < 7; x++) {
            ck_assert_double_eq_tol(fmin(p[x], q[x]) + rest[x], p[x], 1e-15);
            sum += rest[x];
        }
        ck_assert_double_eq_tol(speculative_overlap(p, q, 7) + sum, 1.0, 1e-14);
    }
}

TEST(the_rule_gives_p)
{
    for (int round = 0; round < 12; round++) {
        double p[WORDS], q[WORDS];
        int count[WORDS] = { 0 }, keeps = 0;
        random_chances(p, WORDS);
        random_chances(q, WORDS);
        for (int i = 0; i < SAMPLES; i++) {
            bool kept;
            int drafted = sample_draw(q, WORDS, &random_state);
            int token = speculative_rule(&kept, p, q, WORDS, drafted, &random_state);
            ck_assert(!kept || token == drafted);
            ck_assert(kept || p[token] > q[token]);
            count[token]++;
            keeps += kept;
        }
        ck_assert(sample_test(count, p, WORDS).tail > 1e-4);
        double overlap = speculative_overlap(p, q, WORDS);
        ck_assert_double_eq_tol(keeps / (double)SAMPLES, overlap, 0.015);
    }
}

static int asked_for;
static SpeculativeRule keeps_two;
static int keeps_two(bool *kept, const double *p, const double *q, int n, int drafted, Random *random)
{
    (void)random;
    ck_assert(p[0] == asked_for && q[0] == 10 + asked_for && n == 3);
    *kept = asked_for++ < 2;
    return *kept ? drafted : 7;
}

// Row i for token i; it ends with the first that is not kept; behind all that are kept comes one of the last row.
TEST(each_token_has_its_row)
{
    double p[5 * 3] = { 0 }, q[4 * 3] = { 0 };
    int drafted[4] = { 20, 21, 22, 23 }, tokens[5] = { -1, -1, -1, -1, -1 };
    for (int i = 0; i < 5; i++) p[i * 3] = i;
    for (int i = 0; i < 4; i++) q[i * 3] = 10 + i;
    asked_for = 0;
    ck_assert_int_eq(speculative_check(tokens, p, q, drafted, 4, 3, keeps_two, &random_state), 2);
    ck_assert(tokens[0] == 20 && tokens[1] == 21 && tokens[2] == 7 && tokens[3] == -1);
    asked_for = 0;
    p[2 * 3] = 0.0;
    p[2 * 3 + 1] = 1.0;
    ck_assert_int_eq(speculative_check(tokens, p, q, drafted, 2, 3, keeps_two, &random_state), 2);
    ck_assert(tokens[0] == 20 && tokens[1] == 21 && tokens[2] == 1);
    ck_assert_int_eq(speculative_check(tokens, p + 2 * 3, q, drafted, 0, 3, keeps_two, &random_state), 0);
    ck_assert_int_eq(tokens[0], 1);
}

// ---- whole texts, every one of which has a known chance

enum { FRESH = 3, TEXTS = WORDS * WORDS * WORDS };

// The chance of each text of three words behind the prompt, by whole runs of the target.
static void chances_of_texts(double *chance, Transformer m, const int *prompt, int P, Sampling how)
{
    for (int text = 0; text < TEXTS; text++) {
        int tokens[8], digits = text;
        double row[WORDS];
        memcpy(tokens, prompt, (size_t)P * sizeof *tokens);
        for (int i = FRESH - 1; i >= 0; i--, digits /= WORDS) tokens[P + i] = digits % WORDS;
        ArenaMark mark = arena_mark(arena);
        Run run = run_transformer(arena, m, run_batch_of_one(arena, tokens, P + FRESH), (Mat){ 0 });
        chance[text] = 1.0;
        for (int i = 0; i < FRESH; i++) {
            sample_chances(row, mat_row(run.logits, P - 1 + i), WORDS, how);
            chance[text] *= row[tokens[P + i]];
        }
        arena_release(arena, mark);
    }
}

static const Sampling ways[] = { { 1.0, 1.0 }, { 0.6, 1.0 }, { 1.0, 0.8 }, { 0.0, 1.0 } };
typedef enum { BY_MODEL, BY_LOOK_UP, BY_ITSELF, DRAFTS } Kind;

// SPECULATIVE_TEXTS or 1500 texts, γ = 1, 2 or 4, from a draft that is far from the target, from the text itself, from
// the target.
TEST_EACH(texts_are_the_targets, 4 * DRAFTS)
{
    Sampling how = ways[_i / DRAFTS];
    Kind kind = (Kind)(_i % DRAFTS);
    const char *texts = getenv("SPECULATIVE_TEXTS");
    int samples = texts ? atoi(texts) : 1500;
    static const int prompt[] = { 3, 1, 4, 1, 3 };
    enum { P = 5, MOST = P + FRESH };
    double chance[TEXTS];
    int count[TEXTS] = { 0 }, gamma = kind == BY_MODEL ? 2 : kind == BY_LOOK_UP ? 4 : 1;
    Transformer target = some_model(8, 1, 2.5f), small = some_model(4, 1, 2.0f);
    Decoder decoder = decoder_new(arena, target, MOST);
    Decoder draft = decoder_new(arena, kind == BY_MODEL ? small : target, MOST);
    SpeculativeLookUp two = { 2 };
    SpeculativeDraft from = kind == BY_LOOK_UP ? speculative_by_look_up(&two) : speculative_by_model(&draft);
    Speculation s = speculative_new(arena, &decoder, from, gamma, how, 5);
    chances_of_texts(chance, target, prompt, P, how);
    for (int i = 0; i < samples; i++) {
        int tokens[MOST], text = 0;
        memcpy(tokens, prompt, sizeof prompt);
        decoder_truncate(&decoder, decoder_length(&decoder) < P - 1 ? decoder_length(&decoder) : P - 1);
        speculative_continue(&s, tokens, P, MOST);
        for (int t = P; t < MOST; t++) text = text * WORDS + tokens[t];
        count[text]++;
    }
    SampleChiSquare test = sample_test(count, chance, TEXTS);
    ck_assert_msg(test.tail > 1e-4, "way %d, draft %d: chi-square %g of %d, by chance in %g", _i / DRAFTS, kind,
                  test.statistic, test.freedom, test.tail);
    ck_assert_int_eq(s.kept + s.rounds, (int64_t)samples * FRESH);
    if (kind == BY_ITSELF) ck_assert_int_eq(s.kept, s.proposed);
    else if (how.temperature > 0.0) ck_assert(s.kept < s.tested && s.tested <= s.proposed);
}

// ---- greedy, and what is fed and taken back

TEST(greedy_is_the_targets_own)
{
    enum { P = 4, N = 40 };
    for (int gamma = 0; gamma <= 8; gamma++)
        for (int kind = 0; kind < DRAFTS; kind++) {
            ArenaMark mark = arena_mark(arena);
            int alone[N] = { 1, 0, 2, 2 }, tokens[N] = { 1, 0, 2, 2 };
            Transformer target = some_model(8, 2, 3.0f), small = some_model(4, 1, 3.0f);
            Decoder plain = decoder_new(arena, target, N), decoder = decoder_new(arena, target, N);
            Decoder draft = decoder_new(arena, kind == BY_MODEL ? small : target, N);
            decoder_continue(mat_new(arena, N, WORDS), &plain, alone, P, N);
            SpeculativeLookUp three = { 3 };
            Speculation s =
                speculative_new(arena, &decoder,
                                kind == BY_LOOK_UP ? speculative_by_look_up(&three) : speculative_by_model(&draft),
                                gamma, (Sampling){ 0.0, 1.0 }, 1);
            int length = P;
            while (length < N) {
                int before = length;
                length = speculative_round(&s, tokens, length, N);
                ck_assert(length > before && length <= before + gamma + 1 && length <= N);
                ck_assert_int_eq(decoder_length(&decoder), length - 1);
            }
            ck_assert_msg(!memcmp(tokens, alone, sizeof alone), "γ = %d, draft %d", gamma, kind);
            if (kind == BY_ITSELF) ck_assert_int_eq(s.rounds, (N - P + gamma) / (gamma + 1));
            if (gamma == 0) ck_assert(s.proposed == 0 && s.rounds == N - P);
            arena_release(arena, mark);
        }
}

// What stood behind the last place of the last words: as long as there are any, and never behind the end.
TEST(look_up_finds_the_last_place)
{
    static const struct {
        int tokens[10], length, longest, most, count, drafted[6];
    } cases[] = {
        { { 1, 2, 3, 4, 1, 2 }, 6, 2, 6, 4, { 3, 4, 1, 2 } },
        { { 1, 2, 3, 4, 1, 2 }, 6, 2, 2, 2, { 3, 4 } },
        { { 1, 2, 3, 0, 2, 4, 1, 2 }, 8, 2, 3, 3, { 3, 0, 2 } }, // two words count more than one
        { { 1, 2, 3, 0, 2, 4, 1, 2 }, 8, 1, 3, 3, { 4, 1, 2 } }, // one word: the last place
        { { 1, 2, 3, 0, 2, 4, 1, 2 }, 8, 3, 1, 1, { 3 } },
        { { 1, 2, 3 }, 3, 2, 6, 0, { 0 } },
        { { 4, 4, 4 }, 3, 2, 6, 1, { 4 } },
        { { 2 }, 1, 2, 6, 0, { 0 } },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int drafted[6];
        double q[6 * WORDS];
        SpeculativeLookUp look_up = { cases[c].longest };
        SpeculativeDraft draft = speculative_by_look_up(&look_up);
        SpeculativeAsked asked = {
            cases[c].tokens, cases[c].length, cases[c].most, WORDS, { 1.0, 1.0 }, &random_state
        };
        int count = draft.propose(draft.context, drafted, q, &asked);
        ck_assert_msg(count == cases[c].count, "case %zu: %d are drafted", c, count);
        for (int i = 0; i < count; i++) {
            ck_assert_int_eq(drafted[i], cases[c].drafted[i]);
            for (int x = 0; x < WORDS; x++) ck_assert(q[i * WORDS + x] == (x == drafted[i] ? 1.0 : 0.0));
        }
    }
}

TEST_ABORTS(wrong_use_stops, 5)
{
    quiet();
    Config c = { CONFIG_SIZES(5, 4, 4, 2, 1, 1), .causal = true };
    Transformer other = flat_model(arena, c);
    Decoder decoder = decoder_new(arena, _i == 1 ? other : some_model(4, 1, 1.0f), 8);
    int tokens[8] = { 0 };
    Speculation s =
        speculative_new(arena, &decoder, (SpeculativeDraft){ NULL, NULL }, _i == 0 ? -1 : 0, (Sampling){ 1.0, 1.0 }, 1);
    if (_i == 2) speculative_round(&s, tokens, 0, 8);
    if (_i == 3) speculative_round(&s, tokens, 8, 8);
    decoder_feed(mat_new(arena, 2, WORDS), &decoder, tokens, 2);
    if (_i == 4) speculative_round(&s, tokens, 2, 8);
}
