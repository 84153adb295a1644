// Chapter 05. Masks: who may see whom.
// Run build/chapters/05_masks with README.md of this folder open beside it.
#include "base/portable_math.h"
#include "lesson/dump.h"
#include "steps.h"

static const Mask CAUSAL = { .causal = true };

enum { KINDS = 6 }; // masks of step 7

Attended attend(Arena *arena, Mat q, Mat k, Mat v, Mask mask)
{
    Attended a = { mat_new(arena, q.rows, v.cols), mat_new(arena, q.rows, 1), mat_new(arena, q.rows, k.rows) };
    attention_naive(a, q, k, v, mask);
    return a;
}

static Attended attend_to_itself(Arena *arena, Mat x, HeadWeights w, Mask mask)
{
    HeadProjections p = head_project(arena, x, x, w);
    return attend(arena, p.q, p.k, p.v, mask);
}

static Head run_head(Lesson *lesson)
{
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    int it = sentence_find(s, "it");
    Head h = { .w = hand_made(lesson).w, .word = it < 0 ? s->T / 2 : it };
    h.p = head_project(arena, s->x, s->x, h.w);
    h.all = attend(arena, h.p.q, h.p.k, h.p.v, EVERYTHING);
    h.causal = attend(arena, h.p.q, h.p.k, h.p.v, CAUSAL);
    return h;
}

// What a mask adds to T × S scores.
static Mat bias_of(Arena *arena, Mask mask, int T, int S)
{
    Mat bias = mat_new(arena, T, S);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < S; j++) *mat_ref(bias, i, j) = mask_bias(mask, i, j, T, S);
    return bias;
}

static int keys_in_sight(Mask mask, int i, int T, int S)
{
    int count = 0;
    for (int j = 0; j < S; j++) count += mask_sees(mask, i, j, T, S);
    return count;
}

// ---- 1

// The masks of step 7 in words, without mask_sees: who is in sight when all words ask and all answer.
static bool described(const Mask *kinds, int m, int i, int j, int T)
{
    bool recent = j > i - kinds[m].window && j <= i;
    switch (m) {
    case 0: return true;
    case 1: return j < T - kinds[1].padding;
    case 3: return recent;
    case 4: return recent || (j <= i && j < kinds[4].sinks);
    default: return j <= i; // causal, and ALiBi, which hides nothing more
    }
}

static void two_questions(Lesson *lesson, const Head *h, const Mask *kinds)
{
    step(lesson, "A mask answers two questions");
    const Sentence *s = &lesson->sentence;
    int few = s->T < 4 ? s->T : 4, agree = 0;
    show_table(lesson, (Table){ .name = "causal: what is added to each score",
                                .rows = s->words,
                                .cols = s->words,
                                .values = bias_of(lesson->arena, CAUSAL, few, few) });
    for (int m = 0; m < KINDS; m++)
        for (int i = 0; i < s->T; i++)
            for (int j = 0; j < s->T; j++)
                agree += described(kinds, m, i, j, s->T) ? mask_bias(kinds[m], i, j, s->T, s->T) > -INFINITY
                                                         : mask_bias(kinds[m], i, j, s->T, s->T) == -INFINITY;
    check(lesson, agree == KINDS * s->T * s->T,
          "each of the %d masks of step 7 adds -∞ to the keys that it should "
          "hide and to no others",
          KINDS);
    check(lesson, expf(-INFINITY) == 0.0f, "exp(-∞) is 0, so such a key gets a weight of 0");
    before_the_softmax(lesson, h);
}

// ---- 2

// The row of one word: without a mask; with its hidden weights struck out; with the mask.
static void three_rows(Lesson *lesson, const Head *h)
{
    const Sentence *s = &lesson->sentence;
    int seen = h->word + 1, later = s->T - seen;
    const char *name = arena_format(lesson->arena, "what %s attends to", s->words[h->word]);
    Rows rows = rows_of(lesson, name, s->words, s->T);
    rows_add_from(&rows, h->all.weights, h->word, "no mask");
    rows_add_from(&rows, h->all.weights, h->word, "struck out");
    rows_add_from(&rows, h->causal.weights, h->word, "causal");
    Mat left = mat_block(rows.table.values, 1, 1, 0, seen), row = mat_block(rows.table.values, 2, 1, 0, seen);
    rows.table.hidden = mat_new(lesson->arena, 3, s->T);
    mat_fill(mat_block(rows.table.values, 1, 1, seen, later), 0.0f);
    mat_fill(mat_block(rows.table.hidden, 1, 2, seen, later), 1.0f);
    show_rows(lesson, &rows);

    double sum = mat_sum(left), off = mat_magnitude(mat_block(h->causal.weights, h->word, 1, seen, later));
    for (int j = 0; j < seen; j++) off = fmax(off, fabs(mat_value(left, 0, j) / sum - mat_value(row, 0, j)));
    check(lesson, off <= 1e-6, "the causal row is what is left, divided by its sum of %.2f", sum);
}

static void causal(Lesson *lesson, const Head *h)
{
    step(lesson, "No word sees what comes after it");
    const Sentence *s = &lesson->sentence;
    Mat weights = h->causal.weights;
    Mat hidden = mat_hidden(lesson->arena, CAUSAL, s->T, s->T);
    show_table(lesson,
               (Table){
                   .name = "causal weights", .values = weights, .hidden = hidden, .rows = s->words, .cols = s->words });
    check(lesson, *mat_ref(weights, 0, 0) == 1.0f && mat_equal(mat_rows(h->causal.out, 0, 1), mat_rows(h->p.v, 0, 1)),
          "the first word sees only itself and receives its own value");
    check(lesson, mat_equal(mat_rows(weights, s->T - 1, 1), mat_rows(h->all.weights, s->T - 1, 1)),
          "the last word sees all: its row is the one without a mask, to the bit");
    Heatmap map = map_of_weights("The same head, causal", weights, s, s);
    map.hidden = hidden;
    figure_map(lesson, "causal.png", "the causal weights; what a query may not see is hatched", map);
    three_rows(lesson, h);
}

// ---- 3

int rows_moved(Mat before, Mat after, int count)
{
    int moved = 0;
    for (int i = 0; i < count; i++) moved += !mat_equal(mat_rows(before, i, 1), mat_rows(after, i, 1));
    return moved;
}

// The sentence with one word changed: into `wide`, or, among a reader's own words, made 1 larger in each number.
static Mat with_a_change(Lesson *lesson, int word, Mat wide)
{
    Mat x = mat_copy(lesson->arena, lesson->sentence.x), row = mat_rows(x, word, 1);
    if (!lesson->own_words) mat_set(row, wide);
    for (int c = 0; c < x.cols && lesson->own_words; c++) *mat_ref(row, 0, c) += 1.0f;
    return x;
}

// Every word behind the first is changed in turn. How many of the outputs before it move, in all.
static int moved_in_turn(Lesson *lesson, const Head *h, Mat wide, Mask mask, Mat before)
{
    int moved = 0;
    for (int j = 1; j < before.rows; j++) {
        Mat x = with_a_change(lesson, j, wide);
        moved += rows_moved(before, attend_to_itself(lesson->arena, x, h->w, mask).out, j);
    }
    return moved;
}

static void leak_test(Lesson *lesson, const Head *h)
{
    step(lesson, "The leak test");
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    int changed = s->T - 1; // tired, the last word; every row before it must stay
    Mat wide = book_sentence(lesson, "wide").x, x = with_a_change(lesson, changed, wide);
    if (lesson->own_words) say(lesson, "1 is added to each number of word %d (%s).", changed, s->words[changed]);
    else say(lesson, "Word %d, %s, becomes wide.", changed, s->words[changed]);
    Mat open = attend_to_itself(arena, x, h->w, EVERYTHING).out;
    Mat masked = attend_to_itself(arena, x, h->w, CAUSAL).out;
    int moved = rows_moved(h->all.out, open, changed);
    if (!lesson->own_words)
        check(lesson, moved == changed, "without a mask the outputs of all %d words before it move", moved);
    else say(lesson, "Without a mask the outputs of %d of the %d words before it move.", moved, changed);
    check(lesson, rows_moved(h->causal.out, masked, changed) == 0, "with the causal mask none moves, not by a bit");
    int pairs = s->T * (s->T - 1) / 2, in_sight = moved_in_turn(lesson, h, wide, EVERYTHING, h->all.out);
    check(lesson, moved_in_turn(lesson, h, wide, CAUSAL, h->causal.out) == 0,
          "each later word changed in turn: of the %d outputs before them %d move without a mask, with it none", pairs,
          in_sight);

    mat_fill(mat_rows(x, changed, s->T - changed), NAN);
    say(lesson, "Every number of word %d becomes NaN.", changed);
    open = attend_to_itself(arena, x, h->w, EVERYTHING).out;
    int lost = 0;
    for (int i = 0; i < s->T; i++) lost += isnan(*mat_ref(open, i, 0));
    check(lesson, lost == s->T, "without a mask NaN reaches all %d words", lost);
    moved = 0;
    for (int j = 1; j < s->T; j++) {
        x = mat_copy(arena, s->x);
        mat_fill(mat_rows(x, j, s->T - j), NAN);
        moved += rows_moved(h->causal.out, attend_to_itself(arena, x, h->w, CAUSAL).out, j);
    }
    check(lesson, moved == 0, "with the causal mask the words before it stay, from whichever word on all is NaN");
    check(lesson, isnan(0.0f * NAN), "0 · NaN is NaN: a weight of 0 would not keep it out");
}

// ---- 4

// What a mask gives that puts query 0 at key 0: query i sees the keys 0 … i, however many there are.
static Mat top_left_weights(Arena *arena, Mat q, Mat k, Mat v)
{
    Mat weights = mat_new(arena, q.rows, k.rows), out = mat_new(arena, 1, v.cols);
    for (int i = 0; i < q.rows; i++)
        attention_naive((Attended){ .out = out, .weights = mat_block(weights, i, 1, 0, i + 1) }, mat_rows(q, i, 1),
                        mat_rows(k, 0, i + 1), mat_rows(v, 0, i + 1), EVERYTHING);
    return weights;
}

static void fewer_queries(Lesson *lesson, const Head *h)
{
    step(lesson, "Fewer queries than keys");
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    int S = s->T, T = S < 3 ? S : 3, first = S - T;
    Sentence last = { T, s->words + first, mat_rows(s->x, first, T) };
    Mat q = mat_rows(h->p.q, first, T);
    Attended late = attend(arena, q, h->p.k, h->p.v, CAUSAL);
    Mat wrong = top_left_weights(arena, q, h->p.k, h->p.v), hidden = mat_new(arena, T, S);
    for (int i = 0; i < T; i++)
        for (int j = i + 1; j < S; j++) *mat_ref(hidden, i, j) = 1.0f;
    Mat hidden_late = mat_hidden(arena, CAUSAL, T, S);
    show_table(lesson, (Table){ .name = "bottom-right: the last query stands at the last key",
                                .values = late.weights,
                                .hidden = hidden_late,
                                .rows = last.words,
                                .cols = s->words });
    check(lesson,
          mat_equal(late.weights, mat_rows(h->causal.weights, first, T)) &&
              mat_equal(late.out, mat_rows(h->causal.out, first, T)),
          "weights and outputs are the last %d rows of step 2, to the bit", T);
    show_table(lesson, (Table){ .name = "top-left: the first query stands at the first key",
                                .values = wrong,
                                .hidden = hidden,
                                .rows = last.words,
                                .cols = s->words });
    int lost = 0;
    for (int i = 0; i < T; i++) lost += keys_in_sight(CAUSAL, i, T, S) - (i + 1);
    check(lesson, lost == T * (S - T), "top-left hides %d keys too many: S - T = %d for each query", lost, S - T);
    check(lesson, keys_in_sight(CAUSAL, 0, 1, S) == S, "bottom-right, one query alone sees all %d keys", S);

    Heatmap maps[] = { map_of_weights("bottom-right", late.weights, &last, s),
                       map_of_weights("top-left", wrong, &last, s) };
    maps[0].hidden = hidden_late;
    maps[1].hidden = hidden;
    figure_maps(lesson, "alignment.png", "the last queries against all keys, aligned in two ways",
                "The last queries, aligned in two ways", maps, 2, 1);
}

// ---- 5

// A short sentence on top, filler below.
static Mat padded(Arena *arena, Mat x, int rows, Random *random, float filler)
{
    Mat rectangle = mat_new(arena, rows, x.cols), rest = mat_rows(rectangle, x.rows, rows - x.rows);
    if (random) random_normals(random, rest);
    else mat_fill(rest, filler);
    mat_set(mat_rows(rectangle, 0, x.rows), x);
    return rectangle;
}

static void padding(Lesson *lesson, Lesson *book, int filler)
{
    enum { DOG = 1 };
    step(lesson, "Padding");
    Sentence s = book_sentence(lesson, "The dog slept");
    HeadWeights w = hand_made(book).w;
    Arena *arena = lesson->arena;
    int real = s.T, all = real + filler;
    const Mask pad = { .padding = filler };
    Attended alone = attend_to_itself(arena, s.x, w, EVERYTHING);
    Attended alone_causal = attend_to_itself(arena, s.x, w, CAUSAL);
    Mat fillers[] = { padded(arena, s.x, all, NULL, 0.0f), padded(arena, s.x, all, &lesson->random, 0.0f),
                      padded(arena, s.x, all, NULL, NAN) };
    Mat open = attend_to_itself(arena, fillers[0], w, EVERYTHING).weights, rows = mat_new(arena, 3, all);
    bool same = true, same_causal = true;
    for (int f = 0; f < 3; f++) {
        Attended a = attend_to_itself(arena, fillers[f], w, pad), c = attend_to_itself(arena, fillers[f], w, CAUSAL);
        same = same && rows_moved(alone.out, a.out, real) == 0;
        same_causal = same_causal && rows_moved(alone_causal.out, c.out, real) == 0;
        mat_set(mat_rows(rows, 2, 1), mat_rows(a.weights, DOG, 1));
    }
    mat_set(mat_cols(mat_rows(rows, 0, 1), 0, real), mat_rows(alone.weights, DOG, 1));
    mat_set(mat_rows(rows, 1, 1), mat_rows(open, DOG, 1));
    const char *names[] = { "alone", "no mask", arena_format(arena, "padding = %d", filler) };
    const char **cols = arena_alloc(arena, (size_t)all * sizeof *cols);
    for (int j = 0; j < all; j++) cols[j] = j < real ? s.words[j] : "–";
    Mat hidden = mat_new(arena, 3, all); // alone, the sentence has no filler
    mat_fill(mat_block(hidden, 0, 1, real, filler), 1.0f);
    mat_fill(mat_block(hidden, 2, 1, real, filler), 1.0f);
    show_table(lesson,
               (Table){ .name = "what dog attends to", .values = rows, .hidden = hidden, .rows = names, .cols = cols });

    double lost = mat_sum(mat_cols(mat_rows(rows, 1, 1), real, filler));
    check(lesson, lost > 0.02, "without a mask, filler of zeros takes %.2f of the weight", lost);
    check(lesson, same,
          "with it the outputs are those of the sentence alone, to the bit, whether the filler is 0, "
          "random or NaN");
    check(lesson, same_causal, "a causal mask hides filler at the end as well");
}

// ---- 7

static const char *const kind_names[KINDS] = { "all", "padding", "causal", "window", "window + sinks", "ALiBi" };

static void kinds_of_masks(Mask kinds[KINDS], int T, int window, int sinks, float slope)
{
    kinds[0] = EVERYTHING;
    kinds[1] = (Mask){ .padding = T / 4 };
    kinds[2] = CAUSAL;
    kinds[3] = (Mask){ .causal = true, .window = window };
    kinds[4] = (Mask){ .causal = true, .window = window, .sinks = sinks };
    kinds[5] = (Mask){ .causal = true, .alibi = slope };
}

// The weights of the head under each mask; the row that the tables take apart is framed.
static void figure_of_kinds(Lesson *lesson, const Head *h, const Mask *kinds)
{
    const Sentence *s = &lesson->sentence;
    int T = s->T, W = kinds[3].window, sinks = kinds[4].sinks;
    Arena *arena = lesson->arena;
    Heatmap maps[KINDS];
    const char *titles[KINDS] = {
        "all",
        arena_format(arena, "padding of %d", kinds[1].padding),
        "causal",
        arena_format(arena, "window of %d", W),
        arena_format(arena, "window of %d, sinks %d", W, sinks),
        arena_format(arena, "ALiBi, slope %.2f", (double)kinds[5].alibi),
    };
    for (int m = 0; m < KINDS; m++) {
        maps[m] = map_of_weights(titles[m], attend(arena, h->p.q, h->p.k, h->p.v, kinds[m]).weights, s, s);
        maps[m].hidden = mat_hidden(arena, kinds[m], T, T);
        maps[m].decimals = -1;
        maps[m].mark_row = h->word + 1;
        maps[m].mark_col = maps[m].mark_rows = 1;
        maps[m].mark_cols = T;
    }
    const char *caption = arena_format(arena, "one head under six masks; framed: the row of %s", s->words[h->word]);
    figure_maps(lesson, "kinds.png", caption, "One head under six masks", maps, KINDS, 3);
}

// How far back the last of S words reaches through `layers` layers: in each, to the oldest key that it sees.
static int reach(Mask mask, int layers, int S)
{
    int p = S - 1;
    for (int l = 0; l < layers; l++) {
        int oldest = 0;
        while (!mask_sees(mask, p, oldest, S, S)) oldest++;
        p = oldest;
    }
    return S - 1 - p;
}

static void windows(Lesson *lesson, const Head *h, const Mask *kinds)
{
    enum { LAYERS = 3 };
    step(lesson, "Windows, sinks and ALiBi");
    Arena *arena = lesson->arena;
    const Sentence *s = &lesson->sentence;
    int T = s->T, W = kinds[3].window;
    Mat sight = mat_new(arena, KINDS, T), rows = mat_new(arena, KINDS, T);
    Mat hidden = mat_new(arena, KINDS, T);
    for (int m = 0; m < KINDS; m++) {
        for (int i = 0; i < T; i++) *mat_ref(sight, m, i) = (float)keys_in_sight(kinds[m], i, T, T);
        Attended a = attend(arena, h->p.q, h->p.k, h->p.v, kinds[m]);
        mat_set(mat_rows(rows, m, 1), mat_rows(a.weights, h->word, 1));
        for (int j = 0; j < T; j++) *mat_ref(hidden, m, j) = !mask_sees(kinds[m], h->word, j, T, T);
    }
    say(lesson, "padding %d, window %d, sinks %d, slope %.2f", kinds[1].padding, W, kinds[4].sinks,
        (double)kinds[5].alibi);
    figure_of_kinds(lesson, h, kinds);
    show_table(lesson, (Table){ .name = "keys in sight of each query",
                                .values = sight,
                                .rows = kind_names,
                                .cols = s->words,
                                .decimals = -1 });
    show_table(lesson, (Table){ .name = arena_format(arena, "what %s attends to", s->words[h->word]),
                                .values = rows,
                                .hidden = hidden,
                                .rows = kind_names,
                                .cols = s->words });

    Attended wide = attend(arena, h->p.q, h->p.k, h->p.v, (Mask){ .causal = true, .window = T });
    check(lesson, mat_equal(wide.out, h->causal.out), "a window of S = %d is no window, to the bit", T);
    check(lesson, reach(kinds[3], LAYERS, LAYERS * W + 1) == LAYERS * (W - 1),
          "%d layers of window %d reach L·(W - 1) = %d words back", LAYERS, W, LAYERS * (W - 1));
    bool linear = true;
    for (int i = 0; i < T; i++)
        for (int j = 0; j <= i; j++)
            linear = linear && mask_bias(kinds[5], i, j, T, T) == -kinds[5].alibi * (float)(i - j);
    check(lesson, linear, "ALiBi adds -slope · distance: at a distance of %d, %.2f", T - 1,
          (double)(-kinds[5].alibi * (float)(T - 1)) + 0.0);
}

// ---- 9

static Mat scaled_identity(Arena *arena, int n, float scale)
{
    Mat identity = mat_new(arena, n, n);
    for (int i = 0; i < n; i++) *mat_ref(identity, i, i) = scale;
    return identity;
}

static void two_sentences(Lesson *lesson)
{
    step(lesson, "Cross-attention: two sentences");
    static const struct {
        int german, english;
    } pairs[] = { { 1, 1 }, { 4, 5 }, { 5, 2 }, { 6, 6 }, { 9, 8 } };
    Arena *arena = lesson->arena;
    Sentence german = book_sentence(lesson, "Das Tier überquerte die Straße nicht weil es müde war");
    Sentence english = book_sentence(lesson, "The animal didn't cross the street because it was too tired");
    int D = english.x.cols;
    Mat same_meaning = scaled_identity(arena, D, 1.0f);
    HeadWeights w = { scaled_identity(arena, D, 16.0f), same_meaning, same_meaning };
    Mat weights = mat_new(arena, german.T, english.T), out = mat_new(arena, german.T, D);
    cross_attention((Attended){ .out = out, .weights = weights }, german.x, english.x, w, EVERYTHING);
    show_table(lesson, (Table){ .name = "German asks, English answers",
                                .values = weights,
                                .rows = german.words,
                                .cols = english.words });

    bool found = true;
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        const float *row = mat_row(weights, pairs[p].german);
        for (int j = 0; j < english.T; j++) found = found && row[j] <= row[pairs[p].english];
    }
    check(lesson, found, "Tier finds animal, Straße street, nicht didn't, weil because, war was");
    check(lesson,
          *mat_ref(weights, 0, 0) == *mat_ref(weights, 0, 4) &&
              mat_equal(mat_rows(weights, 0, 1), mat_rows(weights, 3, 1)),
          "Das and die have equal rows: %.2f for The and %.2f for the", mat_value(weights, 0, 0),
          mat_value(weights, 0, 4));
    Heatmap map = map_of_weights("German asks, English answers", weights, &german, &english);
    map.row_title = "query (German)";
    map.col_title = "key (English)";
    figure_map(lesson, "two_sentences.png", "which English word each German word attends to", map);

    static const int place[] = { 0, 1, 9, 8 }; // of these words in the full German sentence
    Sentence fewer = book_sentence(lesson, "Das Tier war müde");
    Attended less = { .out = mat_new(arena, fewer.T, D), .weights = mat_new(arena, fewer.T, english.T) };
    cross_attention(less, fewer.x, english.x, w, EVERYTHING);
    bool same = true;
    for (int i = 0; i < fewer.T; i++)
        same = same && mat_equal(mat_rows(less.weights, i, 1), mat_rows(weights, place[i], 1));
    check(lesson, same, "Das Tier war müde (T = %d, S = %d): each word keeps its row, to the bit", fewer.T, english.T);
}

// ---- 10

static void what_it_costs(Lesson *lesson, const Head *h, Mask window)
{
    step(lesson, "What it costs");
    Arena *arena = lesson->arena;
    int T = lesson->sentence.T, d = h->p.k.cols, dv = h->p.v.cols, W = window.window < T ? window.window : T;
    Cost before = cost_counted;
    attend(arena, h->p.q, h->p.k, h->p.v, EVERYTHING);
    cost(lesson, "multiplications without a mask", cost_since(before).multiplies,
         arena_format(arena, "T²·(d + dv) = %d²·(%d + %d)", T, d, dv), (int64_t)T * T * (d + dv));
    before = cost_counted;
    attend(arena, h->p.q, h->p.k, h->p.v, CAUSAL);
    cost(lesson, "multiplications, causal", cost_since(before).multiplies,
         arena_format(arena, "T·(T + 1)/2·(d + dv) = %d·(%d + %d)", T * (T + 1) / 2, d, dv),
         (int64_t)T * (T + 1) / 2 * (d + dv));
    before = cost_counted;
    attend(arena, h->p.q, h->p.k, h->p.v, window);
    int pairs = T * W - W * (W - 1) / 2;
    cost(lesson, arena_format(arena, "multiplications, a window of %d", W), cost_since(before).multiplies,
         arena_format(arena, "(T·W - W·(W - 1)/2)·(d + dv) = %d·(%d + %d)", pairs, d, dv), (int64_t)pairs * (d + dv));
}

int main(int argc, char **argv)
{
    int window = 4, sinks = 1, filler = 8;
    float slope = 0.5f;
    double hide = 1e9;
    Flag flags[] = {
        flag_count("window", &window, 1, 48, "N", "keys in a window, the query's own included (default 4)"),
        flag_count("sinks", &sinks, 0, 48, "N", "first keys that a window does not hide (default 1)"),
        flag_float("slope", &slope, 0, 10, "X", "ALiBi's slope (default 0.5)"),
        flag_count("padding", &filler, 1, 48, "N", "rows of filler in step 5 (default 8)"),
        flag_real("hide", &hide, 1, 1e30, "X", "what step 8 takes from a score in place of ∞ (default 1e9)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 5, "Masks", flags, 5), book = lesson;
    lesson_steps(&lesson, 10);
    embeddings_of_the_book(&book.embeddings, lesson.arena); // for the steps that need particular words
    Mask kinds[KINDS];
    kinds_of_masks(kinds, lesson.sentence.T, window, sinks, slope);
    Head head = run_head(&lesson);

    two_questions(&lesson, &head, kinds);
    causal(&lesson, &head);
    leak_test(&lesson, &head);
    fewer_queries(&lesson, &head);
    padding(&lesson, &book, filler);
    packed(&lesson, &book);
    windows(&lesson, &head, kinds);
    nothing_to_see(&lesson, &head, (float)hide);
    two_sentences(&lesson);
    what_it_costs(&lesson, &head, kinds[3]);
    trace_heads(lesson.trace, (TraceHeads){ .x = lesson.sentence.x,
                                            .q = head.p.q,
                                            .k = head.p.k,
                                            .v = head.p.v,
                                            .scores = lesson_dump_scores(&lesson, head.p.q, head.p.k, 1, &CAUSAL),
                                            .weights = head.causal.weights,
                                            .heads = head.causal.out });
    return lesson_close(&lesson);
}
