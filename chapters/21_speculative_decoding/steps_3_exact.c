// Chapter 21, steps 3 and 4. Is it the target's distribution? By counts of 20,000 samples, for the rule and for three
// that are wrong; and for greedy decoding, word by word.
#include "base/portable_math.h"
#include "steps.h"

#include <string.h>

enum { SAMPLES = 20000, RULES = 4, WAYS = 2, WORDS_MOST = 256 };
#define LENIENT 1.3
#define LIMIT   1e-6 // of the chance that right counts are that far off

// ---- rules that are wrong

static SpeculativeRule always, without_the_rest, too_lenient;

static int always(bool *kept, const double *p, const double *q, int n, int drafted, Random *random)
{
    (void)p;
    (void)q;
    (void)n;
    (void)random;
    *kept = true;
    return drafted;
}

static int without_the_rest(bool *kept, const double *p, const double *q, int n, int drafted, Random *random)
{
    *kept = sample_uniform(random) * q[drafted] < p[drafted];
    return *kept ? drafted : sample_draw(p, n, random);
}

static int too_lenient(bool *kept, const double *p, const double *q, int n, int drafted, Random *random)
{
    *kept = sample_uniform(random) * q[drafted] < LENIENT * p[drafted];
    if (*kept) return drafted;
    double rest[WORDS_MOST];
    speculative_rest(rest, p, q, n);
    return sample_draw(rest, n, random);
}

typedef struct {
    const char *name;
    SpeculativeRule *rule;
} Named;
// clang-format off
static const Named rules[RULES] = { { "the rule", speculative_rule }, { "always kept", always },
                                    { "no rest", without_the_rest }, { "1.3 times", too_lenient } };
// clang-format on

// ---- two tokens, whose chances are all known

// The target's chances p and the draft's q (words) of the first token; of the second after each first one, (words,
// words). of_p (words, 2, words): p, and p after that token, one behind the other, as speculative_check reads them.
typedef struct {
    int words;
    double *p, *q, *p_after, *q_after, *of_p;
} Pairs;

static void chances_after(double *first, double *after, Transformer model, const int *tokens, int length, Sampling how)
{
    int words = model.config.words;
    Arena *scratch = arena_open();
    Decoder decoder = decoder_new(scratch, model, length + 1);
    Mat logits = mat_new(scratch, length, words), last = mat_rows(logits, length - 1, 1);
    decoder_feed(logits, &decoder, tokens, length);
    sample_chances(first, mat_row(last, 0), words, how);
    for (int x = 0; x < words; x++) {
        decoder_feed(last, &decoder, &x, 1);
        sample_chances(after + (ptrdiff_t)x * words, mat_row(last, 0), words, how);
        decoder_truncate(&decoder, length);
    }
    arena_close(scratch);
}

static Pairs pairs_of(Arena *arena, const Asked *asked, Transformer draft, const int *tokens, int length, Sampling how)
{
    int words = asked->target.config.words;
    REQUIRE(words <= WORDS_MOST, "%d words", words);
    size_t row = (size_t)words * sizeof(double), all = (size_t)words * row;
    Pairs pairs = { words,
                    arena_alloc(arena, row),
                    arena_alloc(arena, row),
                    arena_alloc(arena, all),
                    arena_alloc(arena, all),
                    arena_alloc(arena, 2 * all) };
    chances_after(pairs.p, pairs.p_after, asked->target, tokens, length, how);
    chances_after(pairs.q, pairs.q_after, draft, tokens, length, how);
    for (int x = 0; x < words; x++) {
        memcpy(pairs.of_p + (ptrdiff_t)x * 2 * words, pairs.p, row);
        memcpy(pairs.of_p + (ptrdiff_t)(x * 2 + 1) * words, pairs.p_after + (ptrdiff_t)x * words, row);
    }
    return pairs;
}

// Two tokens by drafts of one: kept, it comes with the second; else the second is drafted anew.
static void draw_pair(int *two, const Pairs *pairs, SpeculativeRule *rule, Random *random)
{
    int words = pairs->words, drafted = sample_draw(pairs->q, words, random);
    bool kept;
    if (speculative_check(two, pairs->of_p + (ptrdiff_t)drafted * 2 * words, pairs->q, &drafted, 1, words, rule,
                          random))
        return;
    const double *p = pairs->p_after + (ptrdiff_t)two[0] * words, *q = pairs->q_after + (ptrdiff_t)two[0] * words;
    two[1] = rule(&kept, p, q, words, sample_draw(q, words, random), random);
}

// ---- counted, and by formula

static SampleChiSquare tested(const Pairs *pairs, SpeculativeRule *rule, Random *random)
{
    int words = pairs->words, two[2];
    size_t cells = (size_t)words * (size_t)words;
    Arena *scratch = arena_open();
    int *count = arena_alloc(scratch, cells * sizeof *count);
    double *chance = arena_alloc(scratch, cells * sizeof *chance);
    for (int x = 0; x < words; x++)
        for (int y = 0; y < words; y++) chance[x * words + y] = pairs->p[x] * pairs->p_after[(ptrdiff_t)x * words + y];
    for (int i = 0; i < SAMPLES; i++) {
        draw_pair(two, pairs, rule, random);
        count[two[0] * words + two[1]]++;
    }
    SampleChiSquare found = sample_test(count, chance, (int)cells);
    arena_close(scratch);
    return found;
}

// How far the first token's distribution is from p under rule number r: ½ Σ |out − p|. All that can happen is added up.
static double distance(const Pairs *pairs, int r)
{
    const double *p = pairs->p, *q = pairs->q;
    double left = 1.0, missing = 0.0, sum = 0.0;
    for (int x = 0; x < pairs->words; x++) {
        left -= r == 1 ? q[x] : fmin(q[x], (r == 3 ? LENIENT : 1.0) * p[x]);
        missing += fmax(0.0, p[x] - q[x]);
    }
    for (int x = 0; x < pairs->words; x++) {
        double kept = r == 1 ? q[x] : fmin(q[x], (r == 3 ? LENIENT : 1.0) * p[x]);
        double rest = r == 2 ? p[x] : missing > 0.0 ? fmax(0.0, p[x] - q[x]) / missing : 0.0;
        sum += 0.5 * fabs(kept + left * rest - p[x]);
    }
    return sum;
}

// ---- a place in a text where draft and target agree as much as is wanted

typedef struct {
    int tokens[DOCUMENT_T], length;
    double overlap;
} Place;

static Place place_of(const Asked *asked, Transformer draft, Sampling how, double wanted)
{
    enum { DOCUMENTS = 4, FIRST = 8, LAST = 60 };
    Place best = { .overlap = 2.0 };
    int words = asked->target.config.words, tokens[DOCUMENT_T];
    for (int n = 0; n < DOCUMENTS; n++) {
        Arena *scratch = arena_open();
        document_begin(tokens, n);
        RunBatch text = run_batch_of_one(scratch, tokens, LAST);
        Mat p = run_transformer(scratch, asked->target, text, (Mat){ 0 }).logits;
        Mat q = run_transformer(scratch, draft, text, (Mat){ 0 }).logits;
        double *of_p = arena_alloc(scratch, (size_t)words * sizeof *of_p);
        double *of_q = arena_alloc(scratch, (size_t)words * sizeof *of_q);
        for (int t = FIRST; t < LAST; t++) {
            sample_chances(of_p, mat_row(p, t), words, how);
            sample_chances(of_q, mat_row(q, t), words, how);
            double overlap = speculative_overlap(of_p, of_q, words);
            if (fabs(overlap - wanted) >= fabs(best.overlap - wanted)) continue;
            best.overlap = overlap;
            best.length = t + 1;
            memcpy(best.tokens, tokens, sizeof tokens);
        }
        arena_close(scratch);
    }
    return best;
}

static Transformer draft_of(const Asked *asked) { return asked->draft[asked->which < DRAFTS ? asked->which : 0]; }

static const Sampling ways[WAYS] = { { 0.7, 1.0 }, { 1.0, 0.9 } };
static const char *const way_names[WAYS] = { "0.7", "top-p" };

static void dump_pairs(Lesson *lesson, const Pairs *pairs)
{
    if (!lesson->trace) return;
    Mat p = mat_new(lesson->arena, 1, pairs->words), q = mat_new(lesson->arena, 1, pairs->words);
    for (int x = 0; x < pairs->words; x++) {
        *mat_ref(p, 0, x) = (float)pairs->p[x];
        *mat_ref(q, 0, x) = (float)pairs->q[x];
    }
    trace_mat(lesson->trace, "p", p);
    trace_mat(lesson->trace, "q", q);
}

void exactly(Lesson *lesson, const Asked *asked)
{
    step(lesson, "Exactly the target's");
    static const char *const cols[] = { "distance", "quotient", "by chance" };
    Rows table = rows_of(lesson, "20,000 pairs of words", cols, 3);
    table.table.decimals = 3;
    Transformer draft = draft_of(asked);
    bool right = true, found = true;
    for (int way = 0; way < WAYS; way++) {
        Arena *scratch = arena_open();
        Place place = place_of(asked, draft, ways[way], 0.5);
        Pairs pairs = pairs_of(scratch, asked, draft, place.tokens, place.length, ways[way]);
        if (way == 0) dump_pairs(lesson, &pairs);
        say(lesson, "%s, overlap %.3f, behind: … %s", way ? "Top-p 0.9" : "Temperature 0.7", place.overlap,
            document_text(scratch, place.tokens + place.length - 8, 8));
        for (int r = 0; r < RULES; r++) {
            SampleChiSquare test = tested(&pairs, rules[r].rule, &lesson->random);
            rows_add(&table, ROW(distance(&pairs, r), test.statistic / test.freedom, test.tail), "%s: %s",
                     way_names[way], rules[r].name);
            if (r == 0) right = right && test.tail >= LIMIT && distance(&pairs, r) < 1e-12;
            else found = found && test.tail < LIMIT;
        }
        arena_close(scratch);
    }
    show_rows(lesson, &table);
    check(lesson, right, "the rule passes: that far off, or farther, by chance in more than one of a million cases");
    check(lesson, found, "the same test finds each of three wrong rules: by chance in less than one of a million");
}

// ---- greedy

// Which wrong rules give another text at temperature 0, behind words where draft and target disagree.
static void wrong_rules(Lesson *lesson, const Asked *asked)
{
    Arena *scratch = arena_open();
    Sampling hard = { 0.0, 1.0 };
    Place place = place_of(asked, draft_of(asked), hard, 0.0);
    Pairs pairs = pairs_of(scratch, asked, draft_of(asked), place.tokens, place.length, hard);
    bool passes[RULES];
    for (int r = 0; r < RULES; r++) passes[r] = tested(&pairs, rules[r].rule, &lesson->random).tail > LIMIT;
    check(lesson, place.overlap == 0.0 && passes[0] && !passes[1],
          "where both disagree, all 20,000 pairs are the target's; always kept, none");
    check(lesson, passes[2] && passes[3], "no rest and 1.3 times do no harm here: p has one word, and so has the rest");
    arena_close(scratch);
}

void greedy(Lesson *lesson, const Asked *asked)
{
    step(lesson, "Greedy is greedy");
    enum { TEXTS = 4 };
    static const int gammas[] = { 1, 3, 8 };
    int same = 0, all = 0, words = 0;
    for (int n = 0; n < TEXTS; n++) {
        Arena *scratch = arena_open();
        int alone[DOCUMENT_T];
        document_begin(alone, n);
        Decoder decoder = decoder_new(scratch, asked->target, DOCUMENT_T);
        Mat logits = mat_new(scratch, DOCUMENT_T, asked->target.config.outputs);
        decoder_continue(logits, &decoder, alone, PROMPT, DOCUMENT_T);
        for (int which = 0; which <= LOOK_UP; which++)
            for (int g = 0; g < 3; g++) {
                Writer *w = writer_new(scratch, asked, which, gammas[g], (Sampling){ 0.0, 1.0 }, 1);
                memcpy(w->tokens, alone, PROMPT * sizeof *alone);
                speculative_continue(&w->s, w->tokens, PROMPT, DOCUMENT_T);
                same += !memcmp(w->tokens, alone, sizeof alone);
                words += DOCUMENT_T - PROMPT;
                all++;
            }
        arena_close(scratch);
    }
    check(lesson, same == all,
          "%d texts, by three drafts with γ = 1, 3 and 8: all %d words are those of the target "
          "alone",
          all, words);
    wrong_rules(lesson, asked);
}
