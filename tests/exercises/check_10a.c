// Exercise 10a: my_greedy_order and my_importance.
#include "base/random.h"
#include "exercises/judge.h"

#include <math.h>

typedef double Accuracy(const float *gates, int heads, void *model);
void my_greedy_order(int *order, int heads, Accuracy *accuracy, void *model);
void my_importance(Mat importance, Mat slopes);

// A view in the middle of a wider matrix of noise, so that a stride that is forgotten shows.
static Mat view_of(Judge *judge, Random *random, int rows, int cols)
{
    Mat wide = mat_new(judge->arena, rows, cols + 3);
    random_normals(random, wide);
    return mat_cols(wide, 2, cols);
}

// ---- a model in miniature: heads of one group are copies, and only without all of them their cost is lost

enum { MOST = 16 };
typedef struct {
    int group[MOST];
    double cost[MOST];
    int calls, off[2 * MOST]; // off: how many heads, in each of the first calls
} Toy;

static double accuracy_of(const float *gates, int heads, void *model)
{
    Toy *toy = model;
    double accuracy = 1.0;
    for (int n = 0; n < heads; n++)
        if (toy->calls < 2 * MOST) toy->off[toy->calls] += gates[n] == 0.0f;
    toy->calls++;
    for (int g = 0; g < heads; g++) {
        bool any = false, on = false;
        for (int n = 0; n < heads; n++) {
            if (toy->group[n] != g) continue;
            any = true;
            on = on || gates[n] > 0.0f;
        }
        if (any && !on) accuracy -= toy->cost[g];
    }
    return accuracy;
}

typedef enum { RIGHT, ONCE, DEAREST, LAST, FIRST_LEFT } Way;

static double left_without(Toy *toy, const float *gates, int heads, int n, Way way)
{
    float tried[MOST];
    for (int m = 0; m < heads; m++) tried[m] = way == ONCE ? 1.0f : gates[m];
    tried[n] = 0.0f;
    return accuracy_of(tried, heads, toy);
}

static Mat order_of(Arena *arena, Toy *toy, int heads, Way way)
{
    Mat order = mat_new(arena, 1, heads);
    float gates[MOST];
    for (int n = 0; n < heads; n++) gates[n] = 1.0f;
    for (int gone = 0; gone < heads; gone++) {
        int best = -1;
        double most = 0.0;
        for (int n = 0; n < heads; n++) {
            if (gates[n] == 0.0f) continue;
            double left = left_without(toy, gates, heads, n, way);
            if (way == DEAREST) left = -left;
            if (best >= 0 && (way == FIRST_LEFT || (way == LAST ? left < most : left <= most))) continue;
            best = n;
            most = left;
        }
        gates[best] = 0.0f;
        order.at[gone] = (float)best;
    }
    return order;
}

// In which turn each head goes: the list the other way round.
static Mat turns_of(Arena *arena, Mat order)
{
    Mat turns = mat_new(arena, 1, order.cols);
    for (int n = 0; n < order.cols; n++) turns.at[(int)order.at[n]] = (float)n;
    return turns;
}

// NULL, or what is wrong with the gates of the first turn.
static const char *tried_wrongly(const Toy *toy, int heads)
{
    if (toy->calls > 0 && toy->off[0] == heads - 1)
        return "each head was tried alone, with all others off: the question is what is left without it";
    if (toy->calls > 0 && toy->off[0] != 1)
        return "the first measurement has not one head off: all begin on, and one is tried at a time";
    if (toy->calls > 1 && toy->off[1] > 1)
        return "the second measurement has two heads off: a head that was only tried must come back";
    return NULL;
}

// In the second turn every measurement has one head off, as in the first.
static bool comes_back(const Toy *toy, int heads)
{
    return toy->calls > heads + 1 && toy->off[heads] < 2 && toy->off[heads + 1] < 2;
}

static void greedy_case(Judge *judge, const char *what, int heads, Toy toy)
{
    Arena *arena = judge->arena;
    int order[MOST];
    judge_trying(judge, "my_greedy_order of %d heads: %s", heads, what);
    my_greedy_order(order, heads, accuracy_of, &toy);
    int calls = toy.calls;
    Mat got = mat_new(arena, 1, heads);
    bool nobody = false;
    for (int n = 0; n < heads; n++) {
        got.at[n] = (float)order[n];
        nobody = nobody || order[n] < 0;
    }
    int enough = heads * (heads + 1) / 2;
    const char *count = arena_format(arena, "greedily that takes %d measurements; yours took %d", enough, calls);
    const char *wrongly = tried_wrongly(&toy, heads);
    bool back = comes_back(&toy, heads);
    Mat right = order_of(arena, &toy, heads, RIGHT), from_1 = mat_copy(arena, right), never = mat_new(arena, 1, heads);
    for (int n = 0; n < heads; n++) from_1.at[n] += 1.0f;
    mat_fill(never, INFINITY);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = right,
            .hints = { .property =
                           arena_format(arena, "every head goes once, and %s",
                                        calls != enough ? count
                                        : nobody ? "in one turn none went: accuracy may be 0, and the best begins "
                                                   "below it"
                                                 : "the one without which accuracy is largest goes first"),
                       .question = "before the second head goes, with which gates is each of the others measured?",
                       .formula = "orderₙ = argmaxₕ accuracy(gates without order₀ … orderₙ₋₁ and h)" },
            .mistakes = {
                { wrongly ? wrongly : "", wrongly ? got : never },
                { "heads were measured with all the others on, with those that had gone, too: of two copies both "
                  "look as if they could go",
                  order_of(arena, &toy, heads, ONCE) },
                { "in the second turn only one head is off at a time: the one that went must stay off",
                  back ? got : never },
                { "the head that is needed most goes first here", order_of(arena, &toy, heads, DEAREST) },
                { "this says in which turn each head goes: order[n] is the head that goes n-th",
                  turns_of(arena, right) },
                { "of equal heads the first is wanted, not the last", order_of(arena, &toy, heads, LAST) },
                { "heads are counted from 0", from_1 },
                { "in every turn the first head that is left goes: is accuracy, a share, kept as a double?",
                  calls == enough ? order_of(arena, &toy, heads, FIRST_LEFT) : never } } });
}

// ---- importance

typedef enum {
    MEAN_SIZE,
    SIGNED,
    SIZE_OF_MEAN,
    SUM,
    SQUARES,
    BY_HEADS,
    NO_STRIDE,
    LARGEST,
    ROOT,
    BY_LENGTH,
    BY_MOST,
    BY_ALL,
    ON_AND_ON,
    ONE_LESS,
    LENGTH,
    WHOLE,
    ABOVE_0
} Kind;

static Mat means(Judge *judge, Mat slopes, Kind kind)
{
    Mat m = mat_new(judge->arena, 1, slopes.cols);
    float count = kind == SUM || kind == LENGTH ? 1.0f : kind == BY_HEADS ? (float)slopes.cols : (float)slopes.rows;
    if (kind == ONE_LESS) count -= 1.0f;
    float sum = 0.0f;
    for (int n = 0; n < slopes.cols; n++) {
        float largest = 0.0f;
        if (kind != ON_AND_ON) sum = 0.0f;
        for (int s = 0; s < slopes.rows; s++) {
            float slope = kind == NO_STRIDE ? slopes.at[s * slopes.cols + n] : *mat_ref(slopes, s, n);
            bool squared = kind == SQUARES || kind == ROOT || kind == LENGTH;
            if (kind == WHOLE) slope = floorf(fabsf(slope));
            if (kind == ABOVE_0) slope = fmaxf(0.0f, slope);
            sum += kind == SIGNED || kind == SIZE_OF_MEAN ? slope : squared ? slope * slope : fabsf(slope);
            largest = fmaxf(largest, fabsf(slope));
        }
        float mean = (kind == SIZE_OF_MEAN ? fabsf(sum) : sum) / count;
        m.at[n] = kind == LARGEST ? largest : kind == ROOT || kind == LENGTH ? sqrtf(mean) : mean;
    }
    float squares = 0.0f, most = 0.0f, all = 0.0f;
    for (int n = 0; n < slopes.cols; n++) {
        squares += m.at[n] * m.at[n];
        most = fmaxf(most, m.at[n]);
        all += m.at[n];
    }
    float by = kind == BY_LENGTH ? sqrtf(squares) : kind == BY_MOST ? most : kind == BY_ALL ? all : 1.0f;
    for (int n = 0; n < slopes.cols; n++) m.at[n] /= by;
    return m;
}

static void importance_case(Judge *judge, int S, int heads)
{
    Random random = random_from((uint64_t)(100 * S + heads));
    Mat slopes = view_of(judge, &random, S, heads), got = judge_output(judge, 1, heads);
    judge_trying(judge, "my_importance of %d sentences and %d heads", S, heads);
    my_importance(got, slopes);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = means(judge, slopes, MEAN_SIZE),
            .hints = { .property = "one number for each head, not below 0, and 0 only where every sentence has slope 0",
                       .question =
                           "what is the importance of a head whose slope is −1 in one sentence and 1 in the next?",
                       .formula = "importanceₙ = (1/S) Σₛ |slopeₛₙ|" },
            .mistakes = {
                { "take the size of each slope: with their signs some would cancel others",
                  means(judge, slopes, SIGNED) },
                { "take the size of each slope, then the mean; not the size of the mean",
                  means(judge, slopes, SIZE_OF_MEAN) },
                { "this is the sum: divide by the number of sentences", means(judge, slopes, SUM) },
                { "this is the mean of the squares", means(judge, slopes, SQUARES) },
                { "this divides by the number of heads: the mean goes over the sentences",
                  means(judge, slopes, BY_HEADS) },
                { "this reads slopes as if its rows had no gap between them: *mat_ref(slopes, s, n) knows the "
                  "stride",
                  means(judge, slopes, NO_STRIDE) },
                { "this is the largest of the sizes: take their mean", means(judge, slopes, LARGEST) },
                { "this is the root of the mean of the squares", means(judge, slopes, ROOT) },
                { "this is divided by the length of all of them, as in the paper's §4.1: that is not asked for",
                  means(judge, slopes, BY_LENGTH) },
                { "this is divided by the largest: that is not asked for", means(judge, slopes, BY_MOST) },
                { "this is divided by the sum over all heads: that is not asked for", means(judge, slopes, BY_ALL) },
                { "the sum of one head goes on into the next: it begins at 0 for each",
                  means(judge, slopes, ON_AND_ON) },
                { "this divides by one sentence too few", means(judge, slopes, ONE_LESS) },
                { "this is the length of a column, the root of the sum of the squares", means(judge, slopes, LENGTH) },
                { "what stands behind the point is lost: abs is for whole numbers, fabsf for floats",
                  means(judge, slopes, WHOLE) },
                { "slopes below 0 were left out: their size counts as well", means(judge, slopes, ABOVE_0) },
                { "all are 0: is 1 / S a division of whole numbers? C drops what stands behind the point",
                  mat_new(judge->arena, 1, heads) } } });
}

static void check(Judge *judge)
{
    greedy_case(judge, "each has work of its own", 3, (Toy){ .group = { 0, 1, 2 }, .cost = { 0.25, 0.125, 0.5 } });
    greedy_case(judge, "two are equal", 3, (Toy){ .group = { 0, 1, 2 }, .cost = { 0.25, 0.125, 0.125 } });
    greedy_case(judge, "0 and 2 are copies", 4, (Toy){ .group = { 0, 1, 0, 3 }, .cost = { 0.5, 0.125, 0, 0.25 } });
    greedy_case(judge, "three are copies, two are copies", 6,
                (Toy){ .group = { 0, 1, 0, 3, 1, 0 }, .cost = { 0.25, 0.5, 0, 0.125, 0, 0 } });
    greedy_case(judge, "without any of them nothing is right", 3,
                (Toy){ .group = { 0, 1, 2 }, .cost = { 0.25, 0.25, 0.5 } });
    importance_case(judge, 1, 3);
    importance_case(judge, 5, 8);
    importance_case(judge, 40, 16);
}

int main(void) { return judge_main("10a", check); }
