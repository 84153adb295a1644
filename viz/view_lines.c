// Lines: queries on the left, keys on the right, and a curve for each weight, as dark as the weight. Of one head; of
// the heads of a layer, each in its colour; of all layers, last one first; or of every kind of attention, side by side.
// A line below says what is not drawn: small weights, hidden heads, layers without room.
#include "base/portable_math.h"
#include "viz/draw_internal.h"
#include "viz/layout_internal.h"

static bool has(const Document *document, const Document *other)
{
    (void)other;
    return document->of[FIELD_WEIGHTS] >= 0;
}

// ---- places ----------------------------------------------------------------------------------------------------------

// A word under the mouse; index −1: none.
typedef struct {
    int band, index;
    bool by_key;
} LineHit;

CanvasRect layout_swatch(const LineBand *band, int head)
{
    double row = head / band->across, col = head % band->across;
    double down = fmin(band->step, band->side + 5);
    return (CanvasRect){ band->swatches.x + col * band->step, band->swatches.y + row * down, band->side, band->side };
}

static int swatch_at(const PageLayout *layout, double x, double y)
{
    for (int b = 0; b < layout->band_count; b++) {
        const LineBand *band = &layout->bands[b];
        if (!layout_holds(band->swatches, x, y)) continue;
        for (int h = 0; h < band->shown && h < band->own; h++) {
            CanvasRect at = layout_swatch(band, h); // with its number and half of the gap below
            if (layout_holds((CanvasRect){ at.x, at.y - 2, band->step, at.height + 4 }, x, y)) return band->first + h;
        }
    }
    return -1;
}

static LineHit line_at(const PageLayout *layout, double x, double y)
{
    LineHit place = { 0, -1, false };
    if (!layout_holds(layout->lines, x, y) || !layout->band_count) return place;
    for (int b = 1; b < layout->band_count; b++) {
        CanvasRect before = layout->bands[b - 1].curves, after = layout->bands[b].curves;
        if (x >= (before.x + before.width + after.x) / 2) place.band = b;
    }
    const LineBand *band = &layout->bands[place.band];
    int row = layout->line_first + (int)((y - layout->lines.y) / layout->line_step);
    place.by_key = x >= band->curves.x + band->curves.width / 2;
    if (row < (place.by_key ? band->of->S : band->of->T)) place.index = row;
    return place;
}

// Chooses the bands: layers from last to first, as many as fit around the current one; or the current layer of each
// kind.
static void choose_bands(PageLayout *layout, const State *state, double room)
{
    enum { LEAST = 36 };
    const Document *d = state->shown.document;
    int fit = (int)layout_clamp(floor(room / LEAST), 1, BANDS_MOST), last = state->shown.layer;
    layout->band_count = state->shown.lines == LINES_LAYERS  ? d->layers
                         : state->shown.lines == LINES_KINDS ? d->kind_count
                                                             : 1;
    if (layout->band_count > fit) layout->band_count = fit;
    if (state->shown.lines == LINES_LAYERS) {
        last = state->shown.layer + layout->band_count / 2;
        if (last < layout->band_count - 1) last = layout->band_count - 1;
        if (last > d->layers - 1) last = d->layers - 1;
    }
    for (int b = 0; b < layout->band_count; b++) {
        const Document *of = state->shown.lines == LINES_KINDS ? &d->kinds[b] : d;
        int layer = state->shown.lines == LINES_KINDS && last > of->layers - 1 ? of->layers - 1 : last;
        if (state->shown.lines == LINES_LAYERS) layer = last - b;
        int first = state->shown.lines == LINES_KINDS ? state->shown.layer : layer;
        layout->bands[b] = (LineBand){ .of = of, .layer = layer, .first = first * d->heads, .own = d->heads };
    }
}

static void add_column(PageLayout *layout, LineColumn column) { layout->columns[layout->column_count++] = column; }

// Columns of words, `words` wide, at both ends. Between kinds one shared column if the keys of one are the queries of
// the next; between layers dots.
static void place_columns(PageLayout *layout, const State *state, double left, double words, double curves)
{
    bool kinds = state->shown.lines == LINES_KINDS;
    int last = layout->band_count - 1;
    double x = left, most = words - 10;
    add_column(layout, (LineColumn){ layout->bands[0].of, 0, -1, x - 8, CANVAS_AT_END, most });
    for (int b = 0; b <= last; b++) {
        const Document *of = layout->bands[b].of, *next = b < last ? layout->bands[b + 1].of : of;
        layout->bands[b].curves = (CanvasRect){ x, layout->lines.y, curves, 0 };
        x += curves;
        if (b == last) break;
        bool shared = layout_same_words(of, true, next, false);
        if (kinds && shared) {
            add_column(layout, (LineColumn){ next, b + 1, b, x + words / 2, CANVAS_AT_MIDDLE, most });
            x += words;
        } else if (kinds) {
            add_column(layout, (LineColumn){ of, -1, b, x + 8, CANVAS_AT_START, most });
            add_column(layout, (LineColumn){ next, b + 1, -1, x + 2 * words - 8, CANVAS_AT_END, most });
            x += 2 * words;
        } else {
            add_column(layout, (LineColumn){ of, shared ? b + 1 : -1, b, x + (shared ? 5 : 0), CANVAS_AT_MIDDLE, 0 });
            if (!shared) add_column(layout, (LineColumn){ next, b + 1, -1, x + 24, CANVAS_AT_MIDDLE, 0 });
            x += shared ? 10 : 24;
        }
    }
    add_column(layout, (LineColumn){ layout->bands[last].of, -1, last, x + 8, CANVAS_AT_START, most });
}

// The width of the columns between bands.
static double room_between(const PageLayout *layout, const State *state, double words)
{
    double room = 0;
    for (int b = 0; b + 1 < layout->band_count; b++) {
        bool shared = layout_same_words(layout->bands[b].of, true, layout->bands[b + 1].of, false);
        room += state->shown.lines == LINES_KINDS ? (shared ? words : 2 * words) : shared ? 10 : 24;
    }
    return room;
}

// Swatches above the curves; with numbers if they are of one layer.
static double place_swatches(PageLayout *layout, const State *state, double y, double most)
{
    double tall = 0;
    for (int b = 0; b < layout->band_count; b++) {
        LineBand *band = &layout->bands[b];
        double width = band->curves.width;
        int heads = band->of->heads;
        band->side =
            state->shown.lines == LINES_LAYER ? SWATCH_SIDE : layout_clamp(floor(width / heads) - 2, 7, SWATCH_SIDE);
        band->step = state->shown.lines == LINES_LAYER ? SWATCH_SIDE + 22 : band->side + 2;
        band->across = (int)fmax(1, floor((width + band->step - band->side) / band->step));
        int rows = (heads + band->across - 1) / band->across;
        double down = fmin(band->step, band->side + 5), fit = fmax(1, floor(most / down));
        if (rows > fit) rows = (int)fit;
        band->shown = heads < rows * band->across ? heads : rows * band->across;
        band->swatches = (CanvasRect){ band->curves.x, y, width, rows * down };
        if (rows == 1) band->swatches.x += floor(fmax(0, (width - heads * band->step) / 2));
        tall = fmax(tall, rows * down);
    }
    return tall;
}

static void place(PageLayout *layout, const State *state)
{
    enum { WIDEST = 720, NARROW = 110 };
    bool wide = state->shown.lines == LINES_LAYERS || state->shown.lines == LINES_KINDS; // several bands
    CanvasRect box = layout_place_sides(layout, state, wide ? 1000 : 720, !wide);
    bool bare = layout_is_bare(layout), many = state->shown.lines != LINES_HEAD,
         kinds = state->shown.lines == LINES_KINDS;
    double words = fmin(LINES_WORDS, 0.3 * box.width), above = bare ? 0 : LINES_TITLE, below = bare ? 0 : LINES_MORE;
    if (kinds || state->shown.lines == LINES_LAYERS) words = fmin(NARROW, (kinds ? 0.13 : 0.2) * box.width);
    choose_bands(layout, state, box.width - 2 * words);
    double all = box.width - 2 * words - room_between(layout, state, words);
    double width = many ? fmax(all, 20 * layout->band_count) : fmin(all, WIDEST);
    if (state->shown.lines == LINES_LAYER) width = fmin(width, WIDEST);
    double left = box.x + fmax(0, (box.width - 2 * words - room_between(layout, state, words) - width) / 2) + words;
    place_columns(layout, state, left, words, width / layout->band_count);
    if (many && !bare) {
        double title = state->shown.lines == LINES_LAYER ? 0 : BAND_TITLE;
        above = title + 26 + place_swatches(layout, state, box.y + title, 0.2 * box.height);
        above = fmax(above, LINES_TITLE);
    }
    layout->line_words = 1;
    for (int b = 0; b < layout->band_count; b++) {
        const Document *of = layout->bands[b].of;
        int longest = of->T > of->S ? of->T : of->S;
        if (longest > layout->line_words) layout->line_words = longest;
    }
    layout->lines = (CanvasRect){ box.x, box.y + above, box.width, box.height - above - below };
    layout->line_step = layout_clamp(layout->lines.height / layout->line_words, 18, 56);
    layout->line_count =
        (int)layout_clamp(floor(layout->lines.height / layout->line_step + 1e-9), 1, layout->line_words);
    layout->line_first = (int)layout_clamp(floor(state->camera.row), 0, layout->line_words - layout->line_count);
    layout->lines.height = layout->line_count * layout->line_step;
    for (int b = 0; b < layout->band_count; b++) {
        layout->bands[b].curves.y = layout->lines.y;
        layout->bands[b].curves.height = layout->lines.height;
    }
    layout->room = (MapRoom){ .word = fmin(16, fmax(12, layout->line_step * 0.42)),
                              .left = words - 10,
                              .above = words - 10,
                              .words_left = words };
}

typedef struct {
    Canvas *canvas;
    const State *state;
    const PageLayout *layout;
    double size;     // type size
    int first, rows; // visible words
    int marked;      // the marked word; −1: none
    bool by_key;     // it is a key
    bool many;       // several heads, each in its colour
    double least;    // smallest weight drawn
    Find find;       // the search in the current column's document
} Lines;

// ---- which lines ----------------------------------------------------------------------------------------------------

static Lines lines_in_view(Canvas *canvas, const State *state, const PageLayout *layout)
{
    Lines l = { canvas, state, layout, .first = layout->line_first, .rows = layout->line_count, .marked = -1 };
    HeadCell cell = state_cell(state);
    l.size = layout->room.word;
    l.by_key = state_by_key(state);
    l.many = state->shown.lines != LINES_HEAD;
    if (cell.row >= 0) l.marked = l.by_key ? cell.col : cell.row;
    if (l.marked < l.first || l.marked >= l.first + l.rows) l.marked = -1;
    return l;
}

// Curves of different heads end side by side, so that none hides the others.
static double head_offset(const Lines *l, const LineBand *band, int head)
{
    int heads = band->of->heads;
    double room = fmin(0.55 * l->layout->line_step, 3.0 * heads);
    return l->many && heads > 1 ? ((double)head / (heads - 1) - 0.5) * room : 0;
}

static double word_y(const Lines *l, int i) { return l->layout->lines.y + (i - l->first + 0.5) * l->layout->line_step; }

static bool is_shown(const Lines *l, const LineBand *band, int head)
{
    if (!l->many) return head == l->state->shown.head;
    int at = band->first + head;
    return head >= band->own || at >= MAPS_MOST || !l->state->shown.hidden_heads[at];
}

// The marked word; with several kinds only in the current one.
static int marked_in(const Lines *l, const LineBand *band)
{
    bool here = l->state->shown.lines != LINES_KINDS || band->of->kind_at == l->state->shown.document->kind_at;
    return here ? l->marked : -1;
}

static bool is_drawn(const Lines *l, const LineBand *band, int i, int j)
{
    const Document *d = band->of;
    int marked = marked_in(l, band);
    if (j < l->state->shown.hide_keys || (marked >= 0 && (l->by_key ? j : i) != marked)) return false;
    return pair_in_sentences(l->state->shown.pair, d, i, -1) && pair_in_sentences(l->state->shown.pair, d, -1, j);
}

// A callback for each visible weight.
typedef void EachWeight(void *context, const Lines *l, const LineBand *band, int head, int i, int j, double weight);

static void each_weight(const Lines *l, EachWeight *each, void *context)
{
    Arena *arena = l->canvas->arena;
    for (int b = 0; b < l->layout->band_count; b++) {
        const LineBand *band = &l->layout->bands[b];
        ArenaMark mark = arena_mark(arena);
        Mat row = mat_new(arena, 1, band->of->S);
        for (int h = 0; h < band->of->heads; h++) {
            if (!is_shown(l, band, h)) continue;
            for (int i = l->first; i < l->first + l->rows && i < band->of->T; i++) {
                if (!l->by_key && marked_in(l, band) >= 0 && i != l->marked) continue;
                field_read(row, document_maps(band->of), band->layer, h, i, 0);
                for (int j = 0; j < band->of->S; j++) {
                    double weight = (double)*mat_ref(row, 0, j);
                    if (weight >= l->least && is_drawn(l, band, i, j)) each(context, l, band, h, i, j, weight);
                }
            }
        }
        arena_release(arena, mark);
    }
}

// ---- curves ---------------------------------------------------------------------------------------------------------

// With more curves than this, small weights are left out, since they would be a dark area and slow; unless hardly any
// curve would remain.
enum { CURVES_MOST = 8000, CURVES_FEW = 300, CURVES_FAR_MORE = 40000, BOUNDS = 6 };
static const double bounds[BOUNDS] = { 0.01, 0.02, 0.05, 0.1, 0.2, 0.3 };

static void count_weight(void *context, const Lines *l, const LineBand *band, int head, int i, int j, double weight)
{
    int *counts = context;
    (void)l;
    (void)band;
    (void)head;
    (void)i;
    (void)j;
    for (int k = 0; k < BOUNDS; k++) counts[k] += weight >= bounds[k];
}

static double least_drawn(const Lines *l)
{
    int counts[BOUNDS] = { 0 }, k = 0;
    each_weight(l, count_weight, counts);
    while (k < BOUNDS - 1 && counts[k] > CURVES_MOST) {
        if (counts[k + 1] < CURVES_FEW && counts[k] <= CURVES_FAR_MORE) break;
        k++;
    }
    return bounds[k];
}

static Color color_of(const Lines *l, int head, bool strong)
{
    if (l->many) return draw_head_color(head);
    return strong && l->state->selection.pinned.row >= 0 ? COLOR_MARK : COLOR_ACCENT;
}

typedef struct {
    double low, high;
} Pass;

static void draw_weight(void *context, const Lines *l, const LineBand *band, int head, int i, int j, double weight)
{
    const Pass *pass = context;
    if (!(weight >= pass->low && weight < pass->high)) return;
    weight = fmin(weight, 1);
    CanvasRect at = band->curves;
    double moved = head_offset(l, band, head), ya = word_y(l, i) + moved, yb = word_y(l, j) + moved;
    double bend = at.width * 0.4, right = at.x + at.width;
    const double xy[8] = { at.x, ya, at.x + bend, ya, right - bend, yb, right, yb };
    Color color = color_of(l, head, marked_in(l, band) >= 0);
    double thick = l->many ? 0.7 + 2.6 * weight : 0.6 + 4 * weight;
    canvas_curve(l->canvas, xy, thick, color_mix(COLOR_PAPER, color, fmin(1, (l->many ? 0.2 : 0.12) + 0.88 * weight)));
}

// Light curves first, so that heavy ones are on top. Curves to words outside leave at the edge.
static void draw_weights(const Lines *l)
{
    static const double edges[] = { 0, 0.1, 0.3, 0.6, INFINITY };
    CanvasRect box = l->layout->lines, first = l->layout->bands[0].curves;
    CanvasRect last = l->layout->bands[l->layout->band_count - 1].curves;
    CanvasBox all = canvas_clip(l->canvas, first.x - 2, box.y, last.x + last.width - first.x + 4, box.height);
    for (int pass = 0; pass < 4; pass++) each_weight(l, draw_weight, &(Pass){ edges[pass], edges[pass + 1] });
    canvas_unclip(l->canvas, all);
}

// ---- words ----------------------------------------------------------------------------------------------------------

// Does the word match the search, as a query of the band on its right or a key of the one on its left?
static bool is_found(const Lines *l, const LineColumn *c, int i)
{
    const Find *find = &l->find;
    return (c->queries_of >= 0 && i < c->of->T && find_query(find, c->of, i)) ||
           (c->keys_of >= 0 && i < c->of->S && find_key(find, c->of, i));
}

// The largest weight, over drawn heads, between word i and the marked word.
static double weight_with_marked(const Lines *l, const LineBand *band, int i)
{
    double most = 0;
    int marked = marked_in(l, band), query = l->by_key ? i : marked, key = l->by_key ? marked : i;
    if (marked < 0 || query >= band->of->T || key >= band->of->S || !is_drawn(l, band, query, key)) return 0;
    for (int h = 0; h < band->of->heads; h++)
        if (is_shown(l, band, h))
            most = fmax(most, (double)field_at(document_maps(band->of), band->layer, h, query, key));
    return most;
}

// A cell per head under a word, as strong as its weight.
static void draw_shares(const Lines *l, const LineBand *band, int i, double x, double y, double width)
{
    int heads = band->of->heads, shown_count = 0, at = 0, marked = marked_in(l, band);
    int query = l->by_key ? i : marked, key = l->by_key ? marked : i;
    for (int h = 0; h < heads; h++) shown_count += is_shown(l, band, h);
    double cell = fmin(7, width / fmax(1, shown_count));
    for (int h = 0; h < heads; h++) {
        if (!is_shown(l, band, h)) continue;
        double weight = fmin(1, (double)field_at(document_maps(band->of), band->layer, h, query, key));
        Color color = color_mix(COLOR_PAPER, draw_head_color(h), 0.15 + 0.85 * weight);
        if (weight >= 0.01) canvas_rect(l->canvas, x + at * cell, y, cell, 3, color);
        at++;
    }
}

// How a word is emphasised.
typedef struct {
    bool marked, attended, faint;
    const LineBand *shares;
} Word;

static Word emphasis_of(const Lines *l, const LineColumn *c, int i)
{
    Word word = { .marked = false };
    const LineBand *query_band = c->queries_of < 0 ? NULL : &l->layout->bands[c->queries_of];
    const LineBand *key_band = c->keys_of < 0 ? NULL : &l->layout->bands[c->keys_of];
    if (query_band && !l->by_key) word.marked = i == marked_in(l, query_band);
    if (key_band && l->by_key) word.marked = i == marked_in(l, key_band);
    const LineBand *of = l->by_key ? query_band : key_band;
    if (of && weight_with_marked(l, of, i) >= 0.01) word.shares = of;
    word.attended = of && weight_with_marked(l, of, i) >= 0.1;
    word.faint = !query_band && key_band && i < l->state->shown.hide_keys; // left out
    SentencePair parts = l->state->shown.pair;
    if (parts != PAIR_ALL && !(query_band && key_band)) {
        const unsigned char *of_words = query_band ? c->of->query_sentence : c->of->key_sentence;
        int want = query_band ? parts == PAIR_BA || parts == PAIR_BB : parts == PAIR_AB || parts == PAIR_BB;
        word.faint = word.faint || (of_words && of_words[i] != want);
    }
    return word;
}

static void draw_dot(const Lines *l, const LineColumn *c, int i)
{
    bool marked = emphasis_of(l, c, i).marked;
    bool found = is_found(l, c, i);
    Color color = marked ? COLOR_MARK : found ? color_text(COLOR_SERIES[1], COLOR_PAPER) : COLOR_QUIET;
    canvas_disc(l->canvas, c->x, word_y(l, i), marked || found ? 3 : 1.6, color);
}

static void draw_word(const Lines *l, const LineColumn *c, int i)
{
    Canvas *canvas = l->canvas;
    Word word = emphasis_of(l, c, i);
    bool queries = c->queries_of >= 0;
    Color strong = l->state->selection.pinned.row >= 0 ? COLOR_MARK : COLOR_ACCENT;
    CanvasText style = { .size = l->size, .color = word.faint ? COLOR_QUIET : COLOR_INK, .anchor = c->anchor };
    if (!word.faint && is_found(l, c, i)) style.color = color_text(COLOR_SERIES[1], COLOR_PAPER);
    if (!word.faint && (word.marked || word.attended)) {
        style.face = CANVAS_SANS_BOLD;
        style.color = word.marked || !l->many ? strong : COLOR_INK;
    }
    const char *text = queries ? document_query(canvas->arena, c->of, i) : document_key(canvas->arena, c->of, i);
    text = canvas_text_fit(canvas->arena, style, text, c->most);
    canvas_text(canvas, c->x, word_y(l, i) + 0.35 * l->size, style, text);
    if (!l->many || !word.shares) return;
    double width = fmin(c->most, 7.0 * word.shares->of->heads);
    double x = c->anchor == CANVAS_AT_END ? c->x - width : c->anchor == CANVAS_AT_MIDDLE ? c->x - width / 2 : c->x;
    draw_shares(l, word.shares, i, x, word_y(l, i) + 0.35 * l->size + 3, width);
}

static void draw_columns(Lines *l)
{
    for (int n = 0; n < l->layout->column_count; n++) {
        const LineColumn *c = &l->layout->columns[n];
        l->find = state_find_in(l->state, c->of);
        int count = c->queries_of >= 0 ? c->of->T : c->of->S;
        for (int i = l->first; i < l->first + l->rows && i < count; i++)
            if (c->most > 0) draw_word(l, c, i);
            else draw_dot(l, c, i);
    }
}

// The longest visible word, at most the column's width.
static double widest(const Lines *l, const LineColumn *c)
{
    double most = 0;
    Arena *arena = l->canvas->arena;
    int count = c->queries_of >= 0 ? c->of->T : c->of->S;
    for (int i = l->first; i < l->first + l->rows && i < count; i++) {
        const char *word = c->queries_of >= 0 ? document_query(arena, c->of, i) : document_key(arena, c->of, i);
        most = fmax(most, canvas_text_width((CanvasText){ .size = l->size, .face = CANVAS_SANS_BOLD }, word));
    }
    return fmin(most, c->most);
}

// "A" and "B" beside the words where each sentence begins.
static void draw_parts(const Lines *l)
{
    const Document *d = l->state->shown.document;
    const LineColumn *left = &l->layout->columns[0], *right = &l->layout->columns[l->layout->column_count - 1];
    if (!state_has_pairs(l->state) || l->state->shown.lines == LINES_KINDS) return;
    double a = left->x - widest(l, left) - 12, b = right->x + widest(l, right) + 12;
    for (int i = l->first; i < l->first + l->rows; i++) {
        bool first = i == l->first;
        double y = word_y(l, i) + 4;
        if (i < d->T && (first || d->query_sentence[i] != d->query_sentence[i - 1]))
            draw_text(l->canvas, a, y, CANVAS_SANS_BOLD, 11, COLOR_QUIET, CANVAS_AT_MIDDLE,
                      d->query_sentence[i] ? "B" : "A");
        if (i < d->S && (first || d->key_sentence[i] != d->key_sentence[i - 1]))
            draw_text(l->canvas, b, y, CANVAS_SANS_BOLD, 11, COLOR_QUIET, CANVAS_AT_MIDDLE,
                      d->key_sentence[i] ? "B" : "A");
    }
}

// ---- titles ---------------------------------------------------------------------------------------------------------

static bool is_current(const Lines *l, const LineBand *band)
{
    const State *state = l->state;
    if (state->shown.lines == LINES_KINDS) return band->of->kind_at == state->shown.document->kind_at;
    return band->layer == state->shown.layer;
}

// The current head is framed; hidden heads are hollow.
static void draw_swatches(const Lines *l, const LineBand *band)
{
    const State *state = l->state;
    bool here = is_current(l, band);
    for (int h = 0; h < band->shown; h++) {
        CanvasRect at = layout_swatch(band, h);
        Color color = draw_head_color(h);
        bool drawn = is_shown(l, band, h), at_hand = here && h == state->shown.head;
        if (drawn) canvas_rect(l->canvas, at.x, at.y, at.width, at.height, color);
        else canvas_frame(l->canvas, at.x, at.y, at.width, at.height, 1, color);
        if (at_hand) canvas_frame(l->canvas, at.x - 2, at.y - 2, at.width + 4, at.height + 4, 1, COLOR_INK);
        if (state->shown.lines != LINES_LAYER) continue;
        const char *number = arena_format(l->canvas->arena, "%d", h);
        draw_text(l->canvas, at.x + at.width + 4, at.y + 10, at_hand ? CANVAS_SANS_BOLD : CANVAS_SANS, 11,
                  drawn ? COLOR_INK : COLOR_QUIET, CANVAS_AT_START, number);
    }
}

static void draw_band_title(const Lines *l, const LineBand *band)
{
    const State *state = l->state;
    bool kinds = state->shown.lines == LINES_KINDS, here = is_current(l, band);
    Arena *arena = l->canvas->arena;
    CanvasText style = { .size = 12,
                         .face = here ? CANVAS_SANS_BOLD : CANVAS_SANS,
                         .color = here ? COLOR_INK : COLOR_QUIET,
                         .anchor = CANVAS_AT_MIDDLE };
    const char *layer = arena_format(arena, "layer %d", band->layer), *title = layer;
    if (kinds) title = band->of->layers > 1 ? arena_format(arena, "%s, %s", band->of->kind, layer) : band->of->kind;
    if (canvas_text_width(style, title) > band->curves.width + 8) title = kinds ? band->of->kind : layer + 6;
    canvas_text(l->canvas, band->curves.x + band->curves.width / 2, band->swatches.y - 8, style, title);
}

// What is not drawn, in one sentence.
static const char *left_out(const Lines *l)
{
    const State *state = l->state;
    const PageLayout *layout = l->layout;
    Arena *arena = l->canvas->arena;
    int hidden_count = 0, heads = 0;
    for (int b = 0; b < layout->band_count; b++)
        for (int h = 0; h < layout->bands[b].of->heads; h++, heads++)
            hidden_count += !is_shown(l, &layout->bands[b], h);
    char *text = arena_format(arena, "weights under %.2f are not drawn", l->least);
    if (l->many && hidden_count) text = arena_format(arena, "%s · %d of %d heads off", text, hidden_count, heads);
    if (state->shown.pair != PAIR_ALL) text = arena_format(arena, "%s · %s alone", text, pair_name(state->shown.pair));
    int last = layout->bands[layout->band_count - 1].layer;
    if (state->shown.lines == LINES_LAYERS && layout->band_count < state->shown.document->layers)
        text = arena_format(arena, "%s · layers %d–%d of %d", text, last, layout->bands[0].layer,
                            state->shown.document->layers);
    return text;
}

// Titles: queries and keys, words out of sight, and what is not drawn.
static void draw_titles(const Lines *l)
{
    const PageLayout *layout = l->layout;
    Canvas *canvas = l->canvas;
    CanvasRect box = layout->lines;
    const LineColumn *first = &layout->columns[0], *last = &layout->columns[layout->column_count - 1];
    double y = box.y - 28, middle = (first->x + last->x) / 2, below_y = box.y + box.height + 16;
    bool whole = canvas_text_width((CanvasText){ .size = 12 }, "query (attends from)") <= first->x - box.x;
    int below = layout->line_words - l->first - l->rows;
    if (l->many) y = box.y - 12;
    draw_text(canvas, first->x, y, CANVAS_SANS, 12, COLOR_QUIET, CANVAS_AT_END,
              whole ? "query (attends from)" : "query");
    draw_text(canvas, last->x, y, CANVAS_SANS, 12, COLOR_QUIET, CANVAS_AT_START, whole ? "key (attended to)" : "key");
    const char *over = arena_format(canvas->arena, "↑ %d more", l->first);
    const char *under = arena_format(canvas->arena, "↓ %d more", below);
    if (l->first > 0) draw_text(canvas, middle, box.y - 8, CANVAS_SANS, 12, COLOR_QUIET, CANVAS_AT_MIDDLE, over);
    if (below > 0) draw_text(canvas, box.x + box.width, below_y, CANVAS_SANS, 12, COLOR_QUIET, CANVAS_AT_END, under);
    CanvasText style = { .size = 12, .color = COLOR_QUIET };
    double room = below > 0 ? box.width - canvas_text_width(style, under) - 16 : box.width;
    canvas_text(canvas, box.x, below_y, style, canvas_text_fit(canvas->arena, style, left_out(l), room));
}

static void draw(Canvas *canvas, const View *view, const PageLayout *layout)
{
    Lines l = lines_in_view(canvas, view->state, layout);
    l.least = bounds[0];
    l.least = least_drawn(&l);
    draw_weights(&l);
    draw_columns(&l);
    draw_parts(&l);
    if (!(layout->lines.y > layout->body.y)) return;
    if (l.many)
        for (int b = 0; b < layout->band_count; b++) {
            draw_swatches(&l, &layout->bands[b]);
            if (view->state->shown.lines != LINES_LAYER) draw_band_title(&l, &layout->bands[b]);
        }
    draw_titles(&l);
}

// ---- mouse and keys --------------------------------------------------------------------------------------------------

static Hit hit(const PageLayout *layout, const State *state, double x, double y)
{
    int swatch = swatch_at(layout, x, y);
    if (swatch >= 0) return (Hit){ .kind = HIT_SWATCH, .head = swatch };
    LineHit line = line_at(layout, x, y);
    if (line.index < 0) return (Hit){ .kind = HIT_NONE };
    const Document *of = layout->bands[line.band].of;
    HeadCell cell = { line.index, line.index };
    if (line.by_key && cell.row >= of->T) cell.row = of->T - 1;
    if (!line.by_key && cell.col >= of->S) cell.col = of->S - 1;
    bool kinds = state->shown.lines == LINES_KINDS;
    int attention = kinds ? of->kind_at : state->shown.document->kind_at;
    return (Hit){ .kind = HIT_CELL, .cell = cell, .by_key = line.by_key, .attention = attention };
}

static void wheel(State *state, const PageLayout *layout, double notches)
{
    double seen = layout->lines.height / layout->line_step - 3; // so that the last word is seen
    state->camera.row = layout_clamp(state->camera.row - 3 * notches, 0, layout->line_words - seen);
}

static void pan(State *state, const PageLayout *layout, int down, int right)
{
    (void)right;
    wheel(state, layout, -down);
}

static void reveal(State *state, const PageLayout *layout, const Derived *derived)
{
    (void)derived;
    HeadCell cell = state->selection.pinned;
    int last = layout->line_first + layout->line_count - 1, row = state_by_key(state) ? cell.col : cell.row;
    if (row < layout->line_first) state->camera.row = row;
    else if (row > last) state->camera.row = layout->line_first + row - last;
}

const ViewOps view_lines = {
    .name = "Lines",
    .word = "lines",
    .picture = "lines",
    .has = has,
    .layout = place,
    .draw = draw,
    .invitation = "Point at a query, or at a key.",
    .hit = hit,
    .has_cells = layout_has_cells,
    .wheel = wheel,
    .pan = pan,
    .reveal = reveal,
};
