// Chapter 26, steps 6 to 8. Pieces of one run in the other: where what differs goes, two ways to ask a head, and by
// which way one head's note reaches another.
#include "base/portable_math.h"
#include "steps.h"

// ---- 6

static Heatmap map_of_stream(Lesson *lesson, const Translator *b, Mat share)
{
    static const char *const rows[] = { "before layer 0", "before layer 1", "at the end" };
    Arena *arena = lesson->arena;
    const GlossedSentence *s = &b->book.s[0];
    const char **words = arena_alloc(arena, (size_t)s->T * sizeof *words);
    for (int i = 0; i < s->T; i++) words[i] = word_text(s->words[i]);
    return (Heatmap){ .title = b->name,
                      .values = share,
                      .row_labels = rows,
                      .col_labels = words,
                      .col_title = "the word whose row is replaced",
                      .colors = COLOR_DIVERGING,
                      .low = -1,
                      .high = 1,
                      .decimals = 2,
                      .cell = 36,
                      .bar_title = "how far it moves" };
}

static Mat stream_moves(Arena *arena, const Translator *b)
{
    const Twins *t = &b->book;
    int L = b->model.config.L, T = t->s[0].T;
    Mat share = mat_new(arena, L + 1, T);
    for (int l = 0; l <= L; l++)
        for (int i = 0; i < T; i++) {
            Arena *scratch = arena_open();
            Run run = reading_stream_patched(scratch, &t->run[0], &t->run[1], l, i);
            *mat_ref(share, l, i) = (float)moved(t, &run, 0);
            arena_close(scratch);
        }
    return share;
}

// Before layer 1, over the pairs and both ways: the rows of the adjective, of `it`, and the one of the others that
// moves most.
typedef struct {
    Sample adjective, it, other;
} Carried;

static Carried carried(const Translator *b)
{
    Carried c = { 0 };
    for (int p = 0; p < BOTH * PAIRS; p++) {
        const Twins *t = &b->pair[p / BOTH];
        const GlossedSentence *s = &t->s[p % BOTH];
        double other = 0.0;
        for (int i = 0; i < s->T; i++) {
            Arena *scratch = arena_open();
            Run run = reading_stream_patched(scratch, &t->run[p % BOTH], &t->run[!(p % BOTH)], 1, i);
            double one = moved(t, &run, p % BOTH);
            if (i == s->adjective) sample_add(&c.adjective, one);
            else if (i == s->it) sample_add(&c.it, one);
            else other = fmax(other, fabs(one));
            arena_close(scratch);
        }
        sample_add(&c.other, other);
    }
    return c;
}

void where_it_goes(Lesson *lesson, const Translator *four, const Translator *eight)
{
    static const char *const cols[] = { "adjective", "it", "± error", "any other" };
    const Translator *both[] = { four, eight };
    Heatmap maps[BOTH];
    bool crosses = true;
    step(lesson, "Where what differs goes");
    say(lesson,
        "One row of the stream of a sentence becomes what it was in its twin: how far does the answer at "
        "\"it\" move? Means over %d sentences. Any other: the word that moves it most.",
        BOTH * PAIRS);
    Rows rows = rows_of(lesson, "before layer 1; 0 not at all, 1 all the way", cols, 4);
    for (int m = 0; m < BOTH; m++) {
        maps[m] = map_of_stream(lesson, both[m], stream_moves(lesson->arena, both[m]));
        Carried c = carried(both[m]);
        double adjective = sample_mean(&c.adjective), it = sample_mean(&c.it), other = sample_mean(&c.other);
        rows_add(&rows, ROW(adjective, it, sample_error(&c.it), other), "%s", both[m]->name);
        crosses = crosses && it > 0.9 && fabs(adjective) < 0.1 && other < 0.1;
    }
    show_rows(lesson, &rows);
    check(lesson, crosses, "the row of \"it\" moves it more than 0.9 of the way, no other as much as 0.1");
    figure_maps(lesson, "patching.png", "how far the answer moves when one row of the stream is the other sentence's",
                "From tired to wide: which row, before which layer", maps, BOTH, 1);
}

// ---- 7

// For every pair, a head or all of a set (bit n: head n) give what they gave in the twin: in the tired sentence, where
// the wide one is put in, and in the wide one, where it is taken out. turned: in how many tired ones the answer then is
// that of wide.
typedef struct {
    Sample in, out;
    int turned;
} Ways;

static void add_way(Ways *w, const Twins *t, double now, int k)
{
    sample_add(k ? &w->out : &w->in, way_gone(t, now, k));
    if (!k) w->turned += now < 0.0;
}

static Ways ways_of(const Translator *b, int n)
{
    Ways w = { 0 };
    for (int row = 0; row < BOTH * PAIRS; row++) add_way(&w, &b->pair[row / BOTH], b->swapped[row][n], row % BOTH);
    return w;
}

static Ways ways_of_set(const Translator *b, unsigned set)
{
    Ways w = { 0 };
    int H = b->model.config.H;
    for (int row = 0; row < BOTH * PAIRS; row++) {
        Arena *arena = arena_open();
        const Twins *t = &b->pair[row / BOTH];
        int k = row % BOTH;
        Run run = t->run[k];
        for (int n = 0; n < b->heads; n++)
            if (set >> n & 1u) run = reading_head_patched(arena, &run, &t->run[!k], n / H, n % H, -1);
        add_way(&w, t, lead(t, &run, k), k);
        arena_close(arena);
    }
    return w;
}

static void ways_row(Rows *rows, const Ways *w, const char *name)
{
    rows_add(rows, ROW(sample_mean(&w->in), sample_error(&w->in), sample_mean(&w->out), sample_error(&w->out)), "%s",
             name);
}

// Those of layer 0 that move it by 0.01 or more either way, alone and together.
typedef struct {
    double in, out;
    Ways together;
    unsigned set;
} Readers;

static Readers the_readers(Rows *rows, const Translator *b)
{
    Readers r = { 0 };
    for (int n = 0; n < b->heads; n++) {
        Ways w = ways_of(b, n);
        ways_row(rows, &w, b->head[n]);
        double in = sample_mean(&w.in), out = sample_mean(&w.out);
        if (n >= b->model.config.H || (in < 0.01 && out < 0.01)) continue;
        r.in += in;
        r.out += out;
        r.set |= 1u << n;
    }
    r.together = ways_of_set(b, r.set);
    ways_row(rows, &r.together, "together");
    return r;
}

// glosses-4: each of 0.0 and 0.3 gives what it gave in tired or in wide. That is all that layer 0 knows, so four states
// are all that there are, and both columns above are read from them.
static void four_states(Lesson *lesson, const Translator *b, const Readers *r)
{
    static const char *const cols[] = { "moved", "± error", "turned" };
    static const char *const names[] = { "both tired", "0.0 wide", "0.3 wide", "both wide" };
    const unsigned two = 1u << 0 | 1u << 3;
    const Ways states[] = { ways_of_set(b, 0), ways_of(b, 0), ways_of(b, 3),
                            r->set == two ? r->together : ways_of_set(b, two) };
    Rows rows =
        rows_of(lesson, arena_format(lesson->arena, "what 0.0 and 0.3 give, and how many of %d answers turn", PAIRS),
                cols, 3);
    for (int s = 0; s < 4; s++)
        rows_add(&rows, ROW(sample_mean(&states[s].in), sample_error(&states[s].in), states[s].turned), "%s", names[s]);
    rows.table.whole = 1u << 2;
    show_rows(lesson, &rows);
    double here = sample_mean(&states[1].in) + sample_mean(&states[2].out);
    double there = sample_mean(&states[2].in) + sample_mean(&states[1].out);
    check(lesson, fabs(here - 1.0) < 0.01 && fabs(there - 1.0) < 0.01,
          "one of them put in is the other taken out: the two numbers add up to 1");
}

void two_ways_to_patch(Lesson *lesson, const Translator *four, const Translator *eight)
{
    static const char *const cols[] = { "put in", "± error", "taken out", "± error" };
    const Translator *both[] = { four, eight };
    bool together = true, unlike = true;
    step(lesson, "Put in, taken out");
    say(lesson, "A head gives what it gave in the twin. Put in: in the tired sentence, what it gave in the wide one. "
                "Taken out: the other way. Together: the heads of layer 0 that move it by 0.01 or more.");
    for (int m = 0; m < BOTH; m++) {
        const char *name = arena_format(lesson->arena, "%s: how far the answer moves", both[m]->name);
        Rows rows = rows_of(lesson, name, cols, 4);
        Readers r = the_readers(&rows, both[m]);
        show_rows(lesson, &rows);
        say(lesson, "One by one those of layer 0 add up to %.2f put in, %.2f taken out.", r.in, r.out);
        together = together && sample_mean(&r.together.in) > 0.9 && sample_mean(&r.together.out) > 0.9;
        unlike = unlike && r.in > r.out + 0.2;
        if (!m) four_states(lesson, both[m], &r);
    }
    check(lesson, together, "together those of layer 0 move it more than 0.9 of the way, both ways");
    check(lesson, unlike, "one by one they make more, put in, than taken out");
}

// ---- 8

// Every head of layer 0 into every one of layer 1 by all three ways, tired to wide: [sender][3H], queries first. What a
// head sends is the same for all receivers.
typedef struct {
    Sample of[HEADS_MOST / 2][3 * HEADS_MOST / 2];
} Paths;

static void add_received(Paths *to, const Twins *t, const Run *sent, int sender, int H)
{
    for (int n = 0; n < 3 * H; n++) {
        Arena *arena = arena_open();
        Run run = reading_received(arena, &t->run[0], sent, (ReadingHead){ 1, n % H }, (RunQkv)(n / H));
        sample_add(&to->of[sender][n], moved(t, &run, 0));
        arena_close(arena);
    }
}

// anew: MLP 0 is computed anew between the two heads; direct: it gives what it gave.
static void all_paths(Paths *anew, Paths *direct, const Translator *b)
{
    int H = b->model.config.H;
    for (int n = 0; n < PAIRS * H; n++) {
        Arena *arena = arena_open();
        const Twins *t = &b->pair[n / H];
        ReadingHead sender = { 0, n % H };
        Run sent = reading_sent(arena, &t->run[0], &t->run[1], sender);
        add_received(anew, t, &sent, n % H, H);
        sent = reading_sent_direct(arena, &t->run[0], &t->run[1], sender, 1);
        add_received(direct, t, &sent, n % H, H);
        arena_close(arena);
    }
}

// The means, (H, 3H). error: the largest standard error so far.
static Mat means_of(Arena *arena, const Paths *paths, int H, double *error)
{
    Mat means = mat_new(arena, H, 3 * H);
    for (int s = 0; s < H; s++)
        for (int n = 0; n < 3 * H; n++) {
            *mat_ref(means, s, n) = (float)sample_mean(&paths->of[s][n]);
            *error = fmax(*error, sample_error(&paths->of[s][n]));
        }
    return means;
}

// (H, H): the scores for queries, a mean over the pairs and over the distances from `it` to their two nouns.
static Mat query_scores(Arena *arena, const Translator *b)
{
    int H = b->model.config.H;
    Mat scores = mat_new(arena, H, H);
    for (int p = 0; p < BOTH * PAIRS; p++) {
        const GlossedSentence *s = &b->pair[p / BOTH].s[0];
        int distance = s->it - (p % BOTH ? s->object : s->subject);
        for (int n = 0; n < H * H; n++)
            *mat_ref(scores, n / H, n % H) +=
                (float)(reading_composition(b->model, (ReadingHead){ 0, n / H }, (ReadingHead){ 1, n % H }, RUN_QKV_Q,
                                            distance) /
                        (BOTH * PAIRS));
    }
    return scores;
}

static void figure_of_paths(Lesson *lesson, Mat anew, Mat direct)
{
    static const char *const rows[] = { "from 0.0", "from 0.1", "from 0.2", "from 0.3" };
    static const char *const cols[] = { "Q of 1.0", "Q of 1.1", "Q of 1.2", "Q of 1.3", "K of 1.0", "K of 1.1",
                                        "K of 1.2", "K of 1.3", "V of 1.0", "V of 1.1", "V of 1.2", "V of 1.3" };
    Heatmap map = { .title = "MLP 0 computed anew",
                    .values = anew,
                    .row_labels = rows,
                    .col_labels = cols,
                    .colors = COLOR_DIVERGING,
                    .low = -1,
                    .high = 1,
                    .decimals = 2,
                    .cell = 40,
                    .bar_title = "how far it moves" };
    Heatmap maps[] = { map, map };
    maps[1].title = "MLP 0 held as it was";
    maps[1].values = direct;
    figure_maps(lesson, "paths.png", "how far the answer moves by one way from head to head",
                "glosses-4: from which head, into what of which", maps, 2, 1);
}

void paths(Lesson *lesson, const Translator *b)
{
    static const char *const cols[] = { "into 1.0", "into 1.1", "into 1.2", "into 1.3" };
    Arena *arena = lesson->arena;
    int H = b->model.config.H, best = 0;
    double error = 0.0;
    Paths anew = { 0 }, held = { 0 };
    step(lesson, "By which way");
    all_paths(&anew, &held, b);
    Mat all = means_of(arena, &anew, H, &error), direct = means_of(arena, &held, H, &error);
    Mat scores = query_scores(arena, b);
    Rows rows = rows_of(lesson, "glosses-4, tired to wide, by way of the queries: how far", cols, H);
    for (int s = 0; s < H; s++) rows_add_from(&rows, mat_cols(all, 0, H), s, "from 0.%d", s);
    show_rows(lesson, &rows);
    Rows past = rows_of(lesson, "the same with MLP 0 held as it was", cols, H);
    for (int s = 0; s < H; s++) rows_add_from(&past, mat_cols(direct, 0, H), s, "from 0.%d", s);
    show_rows(lesson, &past);
    double most = fmax(mat_magnitude(mat_cols(all, H, 2 * H)), mat_magnitude(mat_cols(direct, H, 2 * H)));
    say(lesson,
        "Means over %d pairs; standard errors up to %.2f. By way of keys or values no pair of heads moves it "
        "by more than %.2f.",
        PAIRS, error, most);
    bool queries = most < 0.1;
    for (int n = 0; n < H * H; n++) queries = queries && mat_value(all, n / H, n % H) <= mat_value(all, 0, 2);
    check(lesson, queries && mat_value(all, 0, 2) > 0.4,
          "what 0.0 found goes into the queries of 1.2: by that way "
          "alone more than 0.4, and no other does more");
    check(lesson, mat_value(direct, 0, 2) > 0.1 && mat_value(direct, 0, 2) < 0.6 * mat_value(all, 0, 2),
          "past MLP 0 that way moves it, too, but less than 0.6 as far");
    figure_of_paths(lesson, all, direct);
    Rows table = rows_of(lesson, "composition scores for queries, keys as far as the nouns", cols, H);
    for (int s = 0; s < H; s++) rows_add_from(&table, scores, s, "from 0.%d", s);
    show_rows(lesson, &table);
    for (int n = 0; n < H * H; n++)
        if (mat_value(scores, n / H, n % H) > mat_value(scores, best / H, best % H)) best = n;
    double moves = fmax(fabs(mat_value(all, best / H, best % H)), fabs(mat_value(direct, best / H, best % H)));
    check(lesson, moves < 0.05,
          "the largest score, from 0.%d into 1.%d, belongs to "
          "a way that moves it by less than 0.05",
          best / H, best % H);
}
