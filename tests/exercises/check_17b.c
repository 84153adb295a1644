// Exercise 17b: my_step. What is left of the four mistakes is found by making them.
#include "attention/attention.h"
#include "attention/positions.h"
#include "base/portable_math.h"
#include "base/random.h"
#include "exercises/judge.h"

void my_step(Mat out, Mat q, Mat rows, Mat wuk, Mat wuv, int H, int dr);

enum { TURN = 1, COLUMNS = 2, VALUES = 4, SCALE = 8, ALL = 16 };

// What a mistake may be mended into, and what may be broken beside them.
enum {
    OWN_WIDTH = 16,
    LATENT_WIDTH = 32,
    NO_ROOT = 64,
    NO_SCALE = 128,
    KEYS_STAY = 256,
    LATENTS_TURN = 512,
    VALUES_OF_HEAD_0 = 1024,
    TURNED_BACK = 2048,
    ONE_PAST = 4096,
    KEYS_FROM_1 = 8192,
    AT_COLUMN_H = 16384,
    TIMES_ROOT = 32768,
    BESIDE = 12
};

typedef struct {
    Mat q, rows, wuk, wuv;
    int H, dr, dv;
} Step;

static float scale_with(int mistakes, int c, int d, int dr)
{
    int width = d + dr;
    if (mistakes & SCALE) width = c + dr;
    if (mistakes & OWN_WIDTH) width = d;
    if (mistakes & LATENT_WIDTH) width = c;
    if (mistakes & NO_ROOT) width *= width;
    float root = sqrtf((float)width);
    return mistakes & NO_SCALE ? 1.0f : mistakes & TIMES_ROOT ? root : 1.0f / root;
}

// The step by the definition, keys and values made, with some of the mistakes.
static Mat step_with(Arena *arena, const Step *s, int mistakes)
{
    int S = s->rows.rows, c = s->rows.cols - s->dr, d = s->q.cols / s->H - s->dr, width = d + s->dr;
    Mat kept = mat_copy(arena, s->rows), turned = mat_copy(arena, s->q), out = mat_new(arena, 1, s->H * s->dv);
    int first = mistakes & TURN ? 0 : mistakes & TURNED_BACK ? 1 - S : mistakes & ONE_PAST ? S : S - 1;
    if (!(mistakes & KEYS_STAY))
        rope_apply(mat_cols(kept, mistakes & LATENTS_TURN ? 0 : c, s->dr),
                   rope_table(arena, mistakes & KEYS_FROM_1 ? 1 : 0, S, s->dr));
    for (int h = 0; h < s->H; h++) {
        int begins = mistakes & COLUMNS ? 0 : mistakes & AT_COLUMN_H ? h : h * d;
        Mat k = mat_new(arena, S, width), v = mat_new(arena, S, s->dv), own = mat_cols(turned, h * width, width);
        rope_apply(mat_cols(own, d, s->dr), rope_table(arena, first, 1, s->dr));
        for (int j = 0; j < S; j++) {
            for (int e = 0; e < width; e++) {
                float sum = e < d ? 0.0f : *mat_ref(kept, j, c + e - d);
                for (int l = 0; l < c && e < d; l++) sum += *mat_ref(kept, j, l) * *mat_ref(s->wuk, l, begins + e);
                *mat_ref(k, j, e) = sum;
            }
            for (int e = 0; e < s->dv; e++)
                for (int l = 0; l < c; l++)
                    *mat_ref(v, j, e) += *mat_ref(kept, j, (mistakes & VALUES ? s->dr : 0) + l) *
                                         *mat_ref(s->wuv, l, (mistakes & VALUES_OF_HEAD_0 ? 0 : h * s->dv) + e);
        }
        Mask mask = { .scale = scale_with(mistakes, c, d, s->dr) };
        attention_naive((Attended){ .out = mat_cols(out, h * s->dv, s->dv) }, own, k, v, mask);
    }
    return out;
}

static const char *const WORDS[] = {
    [TURN] = "the query: where among the tokens does it stand, and where does this put it?",
    [COLUMNS] = "head 0 and the others: whose keys do they all look at?",
    [VALUES] = "what is mixed: of which columns of a row would its values be made?",
    [SCALE] = "how steep the weights are: whose width is in the root?",
};

// Told only where nothing else is wrong; those of HALVES beside what else is left of the four, too.
static const struct {
    int mistake;
    const char *words;
} ALONE[BESIDE] = {
    { OWN_WIDTH, "the scale is that of d alone: the turned part is in the sum, too" },
    { LATENT_WIDTH, "the scale is that of the latent's c numbers; the scores are those of keys of d + dr" },
    { NO_ROOT, "the scores are divided by d + dr, and not by its root" },
    { NO_SCALE, "the scores are not scaled" },
    { KEYS_STAY, "the shared keys are not turned any more; that line was right" },
    { LATENTS_TURN, "the first columns of a row are turned now, and they are the latent's; that line was right" },
    { VALUES_OF_HEAD_0, "every head's mixture goes through head 0's columns of wuv; that line was right" },
    { TURNED_BACK, "the query is turned the wrong way round, as if its place were negative" },
    { ONE_PAST, "the query is turned by S: the last of S tokens stands at S − 1" },
    { KEYS_FROM_1, "the shared keys are turned one place too far: row 0 stands at position 0; that line was right" },
    { AT_COLUMN_H, "a head's columns of wuk begin at column h, and overlap the next head's: each has d of its own" },
    { TIMES_ROOT, "the scores are multiplied by the root of d + dr; they are divided by it" },
};

// What two of the four are mended into by half.
enum { HALVES = OWN_WIDTH | ONE_PAST };

static const char *words_of(Arena *arena, int mistakes)
{
    int count = 0, first = 0;
    for (int bit = SCALE; bit; bit /= 2)
        if (mistakes & bit) {
            count++;
            first = bit;
        }
    return arena_format(arena, "%d mistake%s left. Look at %s", count, count == 1 ? " is" : "s are", WORDS[first]);
}

static const char *half_words(Arena *arena, int halves, int mistakes)
{
    const char *words = "";
    for (int n = 0; n < BESIDE; n++)
        if (halves & ALONE[n].mistake)
            words = arena_format(arena, "%s%s%s", words, *words ? "; and " : "", ALONE[n].words);
    return mistakes ? arena_format(arena, "%s. Besides, %s", words, words_of(arena, mistakes)) : words;
}

// What is mended by half, one or both, with each choice of the others; from answer->mistakes[next] on.
static void add_halves(Judge *judge, Answer *answer, int next, const Step *s)
{
    for (int mistakes = 0; mistakes < ALL; mistakes++)
        for (int halves = HALVES; halves; halves = (halves - 1) & HALVES) {
            bool twice = (mistakes & TURN && halves & ONE_PAST) || (mistakes & SCALE && halves & OWN_WIDTH);
            if (twice || (!mistakes && halves != HALVES)) continue;
            answer->mistakes[next++] =
                (Mistake){ half_words(judge->arena, halves, mistakes), step_with(judge->arena, s, halves | mistakes) };
        }
}

static void step_case(Judge *judge, int S, int H, int c, int d, int dr, int dv)
{
    Random random = random_from((uint64_t)(17 * S + H));
    Step s = { mat_new(judge->arena, 1, H * (d + dr)),
               mat_new(judge->arena, S, c + dr),
               mat_new(judge->arena, c, H * d),
               mat_new(judge->arena, c, H * dv),
               H,
               dr,
               dv };
    random_normals(&random, s.q);
    random_normals(&random, s.rows);
    random_normals(&random, s.wuk);
    random_normals(&random, s.wuv);
    Mat got = judge_output(judge, 1, H * dv), q = mat_copy(judge->arena, s.q), rows = mat_copy(judge->arena, s.rows);
    judge_trying(judge, "my_step of %d tokens, H = %d, c = %d, d = %d, dr = %d, dv = %d", S, H, c, d, dr, dv);
    my_step(got, s.q, s.rows, s.wuk, s.wuv, H, dr);
    judge_claim(judge, mat_equal(s.q, q) && mat_equal(s.rows, rows),
                (Hints){ "q or rows are turned in place: the next step would turn them once more",
                         "what were the copies for?", NULL });
    Answer answer = { .got = got,
                      .expected = step_with(judge->arena, &s, 0),
                      .tolerance = 1e-4f,
                      .hints = { .property = "the output is not that of keys and values that are made, and none of the "
                                             "four mistakes gives it",
                                 .question = "which of the four is mended by half, or what has changed beside them?",
                                 .formula = "scores (q Wukᵀ · l + turned q · turned r) / √(d + dr), outputs "
                                            "(Σ a l) Wuv" } };
    for (int mistakes = 1; mistakes < ALL; mistakes++)
        answer.mistakes[mistakes - 1] =
            (Mistake){ words_of(judge->arena, mistakes), step_with(judge->arena, &s, mistakes) };
    for (int n = 0; n < BESIDE; n++)
        answer.mistakes[ALL - 1 + n] = (Mistake){ ALONE[n].words, step_with(judge->arena, &s, ALONE[n].mistake) };
    add_halves(judge, &answer, ALL - 1 + BESIDE, &s);
    judge_answer(judge, answer);
}

static void check(Judge *judge)
{
    step_case(judge, 5, 3, 6, 3, 2, 4);
    step_case(judge, 9, 2, 5, 4, 4, 2);
    step_case(judge, 1, 2, 4, 2, 2, 2);
}

int main(void) { return judge_main("17b", check); }
