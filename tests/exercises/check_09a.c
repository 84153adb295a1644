// Exercise 09a: my_induction_mass and my_fixed_offset.
#include "base/random.h"
#include "exercises/judge.h"

#include <math.h>

double my_induction_mass(Mat weights, const int *tokens);
double my_fixed_offset(const int *from, const int *to, int n);

static Mat number(Arena *arena, double value) { return mat_of(arena, 1, 1, (float[]){ (float)value }); }

// Ways to add up the weights of a row.
typedef enum {
    RIGHT,
    SAME,
    BEFORE,
    NEAREST,
    FIRST,
    SUM,
    ALL_ROWS,
    PAIRS,
    NOT_ITSELF,
    BOUND,
    NOT_0,
    LARGEST,
    INSIDE,
    NO_STRIDE,
    WITH_WEIGHT
} Way;

static double weight_at(Mat weights, int i, int at, Way way)
{
    return (double)(way == NO_STRIDE ? weights.at[i * weights.cols + at] : *mat_ref(weights, i, at));
}

static double row_mass(Mat weights, const int *tokens, int i, Way way, bool *found)
{
    double sum = 0.0;
    int places = 0;
    for (int j = way == NOT_0; j < i; j++) {
        if (tokens[j] != tokens[i]) continue;
        int at = way == SAME ? j : way == BEFORE ? j - 1 : j + 1;
        double weight = at < 0 ? 0.0 : weight_at(weights, i, at, way);
        if ((way == FIRST && *found) || (way == NOT_ITSELF && at == i)) continue;
        *found = true;
        if (way == BOUND && at == i) continue;
        places++;
        sum = way == NEAREST ? weight : way == LARGEST ? fmax(sum, weight) : sum + weight;
    }
    return way == INSIDE && places ? sum / places : sum;
}

// Pairs of a row and an earlier place of its token.
static int pairs_of(const int *tokens, int T)
{
    int pairs = 0;
    for (int i = 0; i < T; i++)
        for (int j = 0; j < i; j++) pairs += tokens[j] == tokens[i];
    return pairs;
}

// The mean over rows with an earlier equal token.
static double mass(Mat weights, const int *tokens, Way way)
{
    double sum = 0.0;
    int rows = 0;
    for (int i = 0; i < weights.rows; i++) {
        bool found = false;
        double row = row_mass(weights, tokens, i, way, &found);
        sum += row;
        rows += (found && (way != WITH_WEIGHT || row > 0.0)) || way == ALL_ROWS;
    }
    if (way == PAIRS) rows = pairs_of(tokens, weights.rows);
    return way == SUM || rows == 0 ? sum : sum / rows;
}

static int rows_that_count(const int *tokens, int T)
{
    int rows = 0;
    for (int i = 0; i < T; i++)
        for (int j = 0; j < i; j++)
            if (tokens[j] == tokens[i]) {
                rows++;
                break;
            }
    return rows;
}

// 0 is what many things give.
static Mat unless_0(Arena *arena, double value) { return number(arena, value > 0.0 ? value : (double)INFINITY); }

static void mass_of(Judge *judge, const char *what, Mat weights, const int *tokens)
{
    Arena *arena = judge->arena;
    judge_trying(judge, "my_induction_mass of %s", what);
    double got = my_induction_mass(weights, tokens);
    bool none = rows_that_count(tokens, weights.rows) == 0;
    judge_answer(
        judge,
        (Answer){
            .got = number(arena, got),
            .expected = number(arena, mass(weights, tokens, RIGHT)),
            .hints = { .property = arena_format(arena,
                                                "a mean over %d of the %d rows: those whose token stood there "
                                                "before",
                                                rows_that_count(tokens, weights.rows), weights.rows),
                       .question = "take one such row: in which columns does what followed its token stand?",
                       .formula =
                           "(1 / n) Σᵢ Σⱼ wᵢ,ⱼ₊₁ over the n rows i that count and all j < i with tokenⱼ = tokenᵢ" },
            .mistakes = {
                { "this is the weight on the same token: induction looks at what came after it",
                  number(arena, mass(weights, tokens, SAME)) },
                { "this divides by all rows: rows whose token is new do not count; or is j = i taken for "
                  "an earlier place?",
                  number(arena, mass(weights, tokens, ALL_ROWS)) },
                { "this divides by the number of places where a token stood before: a row with two of them is "
                  "still one row",
                  number(arena, mass(weights, tokens, PAIRS)) },
                { "this is the sum over the rows: the mean is asked for", number(arena, mass(weights, tokens, SUM)) },
                { "the token may have stood there more than once: this counts the last time only",
                  number(arena, mass(weights, tokens, NEAREST)) },
                { "the token may have stood there more than once: this counts the first time only",
                  number(arena, mass(weights, tokens, FIRST)) },
                { "what followed may be the row itself, when its token stood there just before: that counts, "
                  "too",
                  unless_0(arena, mass(weights, tokens, NOT_ITSELF)) },
                { "j + 1 may be i: a row whose token stood there just before counts here, but its own place, "
                  "which is what followed, is left out",
                  unless_0(arena, mass(weights, tokens, BOUND)) },
                { "this is the weight on what came before the same token",
                  unless_0(arena, mass(weights, tokens, BEFORE)) },
                { "place 0 counts as an earlier one, too: j begins at 0", number(arena, mass(weights, tokens, NOT_0)) },
                { "this is the largest of a row's weights on what followed: their sum is asked for",
                  number(arena, mass(weights, tokens, LARGEST)) },
                { "this is the mean over the places of a row: what they get is added up",
                  number(arena, mass(weights, tokens, INSIDE)) },
                { "this reads weights as if its rows had no gap between them: *mat_ref(weights, i, j) knows the "
                  "stride",
                  number(arena, mass(weights, tokens, NO_STRIDE)) },
                { "a row whose token stood there counts with 0, too, where it gives no weight to what followed",
                  number(arena, mass(weights, tokens, WITH_WEIGHT)) },
                { "without any such row nothing may be divided: the answer is 0 then",
                  none && isnan(got) ? number(arena, got) : number(arena, (double)INFINITY) } } });
}

// The distances that are tried, and whether 2 and −2 are one.
typedef struct {
    int least, most;
    bool folded;
} Tried;

static int hits_at(const int *from, const int *to, int n, int o, bool folded)
{
    int hits = 0;
    for (int r = 0; r < n; r++) hits += to[r] - from[r] == o || (folded && from[r] - to[r] == o);
    return hits;
}

// How many relations the commonest distance has.
static double commonest(const int *from, const int *to, int n, Tried tried)
{
    int best = 0;
    for (int o = tried.least; o <= tried.most; o++) {
        int hits = hits_at(from, to, n, o, tried.folded);
        if (hits > best) best = hits;
    }
    return best;
}

static int without_distance_0(const int *from, const int *to, int n)
{
    int best = 0;
    for (int o = -23; o <= 23; o++) {
        int hits = hits_at(from, to, n, o, false);
        if (o != 0 && hits > best) best = hits;
    }
    return best;
}

// Of the mean distance, rounded.
static int hits_at_mean(const int *from, const int *to, int n)
{
    double sum = 0.0;
    for (int r = 0; r < n; r++) sum += to[r] - from[r];
    return hits_at(from, to, n, (int)lround(sum / n), false);
}

// That distance itself.
static double its_distance(const int *from, const int *to, int n)
{
    int best = -23;
    for (int o = -23; o <= 23; o++)
        if (hits_at(from, to, n, o, false) > hits_at(from, to, n, best, false)) best = o;
    return best;
}

static void offset_of(Judge *judge, const char *what, const int *from, const int *to, int n)
{
    Arena *arena = judge->arena;
    judge_trying(judge, "my_fixed_offset of %s", what);
    Mat got = number(arena, my_fixed_offset(from, to, n));
    double hits = commonest(from, to, n, (Tried){ -23, 23, false });
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = number(arena, hits / n),
            .hints = { .property =
                           arena_format(arena, "a share of %d relations is one of the numbers 0/%d, 1/%d … %d/%d", n, n,
                                        n, n, n),
                       .question =
                           "how many relations have the same distance from `from` to `to`, for the commonest one?",
                       .formula = "maxₒ |{ r : toᵣ − fromᵣ = o }| / n" },
            .mistakes = {
                { "this is a count: divide by n", number(arena, hits) },
                { "this divides by n − 1", number(arena, n > 1 ? hits / (n - 1) : (double)INFINITY) },
                { "0 is a distance, too", number(arena, (double)without_distance_0(from, to, n) / n) },
                { "-23 and 23 are distances, too",
                  number(arena, commonest(from, to, n, (Tried){ -22, 22, false }) / n) },
                { "some relations lead back: distances below 0 count, too",
                  number(arena, commonest(from, to, n, (Tried){ 0, 23, false }) / n) },
                { "2 before and 2 after are two distances, and no head can look at both",
                  number(arena, commonest(from, to, n, (Tried){ 0, 23, true }) / n) },
                { "where this divides two whole numbers, C drops what stands behind the point",
                  number(arena, (double)((int)hits / n)) },
                { "this is how often the distance of the first relation is found: another one is commoner",
                  number(arena, (double)hits_at(from, to, n, to[0] - from[0], false) / n) },
                { "this is how often the mean distance is found: a mean need not be the distance of any of them",
                  number(arena, (double)hits_at_mean(from, to, n) / n) },
                { "one is missing: a relation is as far as itself, and counts", number(arena, (hits - 1) / n) },
                { "this is the distance: the share of relations that have it is asked for",
                  number(arena, its_distance(from, to, n)) } } });
}

static void check(Judge *judge)
{
    Mat four =
        mat_of(judge->arena, 4, 4,
               (float[]){ 1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0.25f, 0.25f, 0.5f, 0, 0.0625f, 0.1875f, 0.4375f, 0.3125f });
    Mat small = mat_of(judge->arena, 3, 3, (float[]){ 1, 0, 0, 0.5f, 0.5f, 0, 0.1875f, 0.5625f, 0.25f });
    mass_of(judge, "the tokens 7 4 9 4", four, (int[]){ 7, 4, 9, 4 });
    mass_of(judge, "the tokens 4 7 4", small, (int[]){ 4, 7, 4 });
    Mat five = mat_of(judge->arena, 5, 5,
                      (float[]){ 1, 0, 0,     0,     0,     0.55f, 0.45f, 0,     0,     0,     0.17f, 0.31f, 0.52f,
                                 0, 0, 0.11f, 0.43f, 0.29f, 0.17f, 0,     0.09f, 0.23f, 0.16f, 0.31f, 0.21f });
    mass_of(judge, "the tokens 5 4 4 4 4", five, (int[]){ 5, 4, 4, 4, 4 });
    mass_of(judge, "the tokens 4 4 4", small, (int[]){ 4, 4, 4 });
    mass_of(judge, "the tokens 7 4 4", small, (int[]){ 7, 4, 4 });
    Mat blind = mat_of(judge->arena, 5, 5,
                       (float[]){ 1, 0, 0,      0,     0,     0.5f,   0.5f, 0,    0,    0,    0.625f, 0,    0.375f,
                                  0, 0, 0.125f, 0.25f, 0.25f, 0.375f, 0,    0.2f, 0.1f, 0.3f, 0.35f,  0.05f });
    mass_of(judge, "the tokens 3 8 3 8 3: row 2 gives nothing to what followed", blind, (int[]){ 3, 8, 3, 8, 3 });
    mass_of(judge, "the tokens 1 2 3: none stood there before", small, (int[]){ 1, 2, 3 });
    enum { T = 12 };
    Random random = random_from(9);
    Mat wide = mat_new(judge->arena, T, T + 3), large = mat_cols(wide, 2, T);
    mat_fill(wide, 0.25f); // so that a stride that is forgotten shows
    int tokens[T];
    for (int i = 0; i < T; i++) {
        tokens[i] = i % 5;
        for (int j = 0; j < T; j++) *mat_ref(large, i, j) = j <= i ? random_uniform(&random) / (float)(i + 1) : 0.0f;
    }
    mass_of(judge, "12 tokens, 0 1 2 3 4 over and over", large, tokens);

    offset_of(judge, "three relations, all of offset 4", (int[]){ 3, 5, 6 }, (int[]){ 7, 9, 10 }, 3);
    offset_of(judge, "four relations, the offsets 1, 1, 2, 4", (int[]){ 8, 3, 5, 2 }, (int[]){ 9, 4, 7, 6 }, 4);
    offset_of(judge, "three relations, the offsets 1, 3, 3", (int[]){ 8, 3, 5 }, (int[]){ 9, 6, 8 }, 3);
    offset_of(judge, "four relations, the offsets 1, 1, -2, 1", (int[]){ 1, 4, 9, 6 }, (int[]){ 2, 5, 7, 7 }, 4);
    offset_of(judge, "six relations, the offsets -9, -9, -9, 2, 2, 3", (int[]){ 9, 11, 12, 2, 4, 1 },
              (int[]){ 0, 2, 3, 4, 6, 4 }, 6);
    offset_of(judge, "three relations, the offsets 0, 0, 5", (int[]){ 5, 7, 2 }, (int[]){ 5, 7, 7 }, 3);
    offset_of(judge, "the offsets 0, -23, -23, 23", (int[]){ 5, 23, 23, 0 }, (int[]){ 5, 0, 0, 23 }, 4);
    offset_of(judge, "the offsets 0, 23, 23", (int[]){ 5, 0, 0 }, (int[]){ 5, 23, 23 }, 3);
}

int main(void) { return judge_main("09a", check); }
