// Compare: two maps and their difference on a diverging scale. Two sentences are aligned (viz/align.h); cells that one
// of them does not have are blank.
#include "base/portable_math.h"
#include "viz/draw_internal.h"
#include "viz/layout_internal.h"

#include <string.h>

static bool has(const Document *document, const Document *other)
{
    return document->layers * document->heads > 1 || other;
}

// A head is not compared with itself, unless it is chosen.
static void enter(State *state)
{
    DocumentView *shown = &state->shown;
    if (shown->other_document || shown->other_layer != shown->layer || shown->other_head != shown->head) return;
    if (shown->document->heads > 1) shown->other_head = shown->head ? shown->head - 1 : 1;
    else shown->other_layer = shown->layer ? shown->layer - 1 : 1;
}

// The rows of the second map have other words.
static bool has_own_words(const State *state)
{
    return state->shown.other_document &&
           !layout_same_words(state->shown.document, false, state->shown.other_document, false);
}

// The list of words that needs more room, and its length.
static const char *const *wider(const char *const *one, int n, const char *const *other, int m, int *count)
{
    bool second = !one || (other && layout_words_width(other, m, WORD_SIZE) > layout_words_width(one, n, WORD_SIZE));
    *count = second && other ? m : n;
    return second ? other : one;
}

// Three maps of equal cells side by side: row labels left of the first, horizontal bars below, and a table if it fits.
static void place(PageLayout *layout, const State *state)
{
    CanvasRect box = layout->body;
    const Document *d = state->shown.document, *other = state->shown.other_document ? state->shown.other_document : d;
    const Aligned *aligned = state->shown.aligned;
    bool bare = layout_is_bare(layout), table = box.height >= 420, own = has_own_words(state) && !bare;
    double gap = bare ? 12 : LAYOUT_MARGIN;
    MapRequest request = { .box = box,
                           .rows = aligned ? aligned->rows.count : d->T,
                           .cols = aligned ? aligned->cols.count : d->S };
    request.row_words = wider(d->queries, d->T, other->queries, other->T, &request.row_count);
    request.col_words = wider(d->keys, d->S, other->keys, other->S, &request.col_count);
    request.bare = bare;
    request.box.height = box.height - (bare ? 0 : LYING_BAR) - (table ? TABLE_ROOM : 0);
    MapRoom first = layout_map_room(state, &request);
    double words = bare ? 0 : first.words_left + TITLE_LEFT;
    if (first.turned) box.width -= first.above * MAP_COSINE; // the last slanted label exceeds its map
    request.left = first.left;
    double between_maps = gap + (own ? first.words_left : 0), room = box.width - words - gap - between_maps;
    request.box.width = words + room / 3;
    layout->room = layout_map_room(state, &request);
    MapPlace map = layout_place_map(state, &request, &layout->room);
    map.frame.x = floor(box.x + words + fmax(0, (room - 3 * map.frame.width) / 2));
    for (int m = 0; m < 3; m++) {
        layout->maps[m] = map;
        map.frame.x = floor(map.frame.x + map.frame.width + (m ? gap : between_maps));
    }
    layout->map_count = aligned || (other->T == d->T && other->S == d->S) ? 3 : 0;
}

static MapPart part_of(const State *state, int place, const char *title)
{
    return (MapPart){ .place = place,
                      .row_words = place == 0,
                      .keys = true,
                      .title = title,
                      .no_bar = true,
                      .cell = state_aligned_cell(state) };
}

static bool same_words(const char *const *one, const char *const *other, int count)
{
    if (one == other) return true;
    if (!one || !other) return false;
    for (int n = 0; n < count; n++)
        if (strcmp(one[n], other[n])) return false;
    return true;
}

static bool are_aligned(const State *state) { return state->shown.aligned && !state->shown.aligned->same; }

// ---- cells on the places of both ------------------------------------------------------------------------------------

// One side in aligned indices: rows[r] is its query, cols[c] its key; −1: absent.
typedef struct {
    const Document *d;
    int layer, head;
    const int *rows, *cols;
    bool uniform;
} Side;

// Accumulates a drawn cell.
typedef struct {
    double sum, most;
    int shown, masked, left_out;
} Fold;

static void add_row(Fold *folds, const Side *side, const MapCells *seen, const MapPlace *place, Mat row, int query,
                    int hide)
{
    double times = side->uniform ? document_allowed(side->d, side->layer, side->head, query) : 1;
    for (int c = 0; c < seen->kind.cols * place->fold_cols; c++) {
        int at = seen->first_col * place->fold_cols + c, key = at < place->cols ? side->cols[at] : -1;
        Fold *fold = &folds[c / place->fold_cols];
        if (key < 0) continue;
        if (key < hide) {
            fold->left_out++;
            continue;
        }
        if (document_hidden(side->d, side->layer, side->head, query, key)) {
            fold->masked++;
            continue;
        }
        double value = (double)*mat_ref(row, 0, key) * times;
        fold->sum += value;
        fold->most = isnan(value) ? (double)NAN : fold->shown ? fmax(fold->most, value) : value;
        fold->shown++;
    }
}

// As cells_of_head: sum over keys and mean over the present queries, or the maximum.
static MapCells cells_of_side(Arena *arena, const View *view, const Side *side, const MapPlace *place)
{
    const State *state = view->state;
    MapCells seen = cells_new(arena, place);
    int cols = seen.kind.cols;
    Fold *folds = arena_alloc(arena, ((size_t)cols + 1) * sizeof *folds);
    Mat row = mat_new(arena, 1, side->d->S);
    for (int i = 0; i < seen.kind.rows; i++) {
        int first = (seen.first_row + i) * place->fold_rows, queries = 0;
        memset(folds, 0, (size_t)cols * sizeof *folds);
        for (int r = first; r < first + place->fold_rows && r < place->rows; r++) {
            if (side->rows[r] < 0) continue;
            field_read(row, document_maps(side->d), side->layer, side->head, side->rows[r], 0);
            add_row(folds, side, &seen, place, row, side->rows[r], state->shown.hide_keys);
            queries++;
        }
        for (int j = 0; j < cols; j++) {
            const Fold *f = &folds[j];
            double divide = side->uniform ? place->fold_cols : 1;
            *mat_ref(seen.values, i, j) =
                (float)(state->shown.use_largest ? f->most : f->sum / fmax(queries, 1) / divide);
            *mat_ref(seen.kind, i, j) = f->left_out ? MAP_LEFT_OUT
                                        : f->shown  ? MAP_SHOWN
                                        : f->masked ? MAP_MASKED
                                                    : MAP_ABSENT;
        }
    }
    return seen;
}

// Absent beats left out beats masked.
static float worse(float a, float b)
{
    static const int order[] = { [MAP_SHOWN] = 0, [MAP_MASKED] = 1, [MAP_LEFT_OUT] = 2, [MAP_ABSENT] = 3 };
    return order[(int)a] > order[(int)b] ? a : b;
}

// a − b where both are shown.
static MapCells difference(Arena *arena, const MapCells *a, const MapCells *b)
{
    MapCells seen = { mat_copy(arena, a->values), mat_copy(arena, a->kind), a->first_row, a->first_col };
    for (int i = 0; i < seen.values.rows; i++)
        for (int j = 0; j < seen.values.cols; j++) {
            *mat_ref(seen.values, i, j) -= *mat_ref(b->values, i, j);
            *mat_ref(seen.kind, i, j) = worse(*mat_ref(a->kind, i, j), *mat_ref(b->kind, i, j));
        }
    return seen;
}

// Aligned words; "" where absent. NULL: positions.
static const char *const *words_along(Arena *arena, const AlignedAxis *along, const int *places,
                                      const char *const *words)
{
    const char **list = arena_alloc(arena, ((size_t)along->count + 1) * sizeof *list);
    for (int n = 0; n < along->count; n++)
        list[n] = places[n] < 0 ? "" : words ? words[places[n]] : arena_format(arena, "%d", places[n]);
    return list;
}

// Labels of the difference: common words only.
static const char *const *common_words(Arena *arena, const char *const *one, const char *const *other, int count)
{
    const char **list = arena_alloc(arena, ((size_t)count + 1) * sizeof *list);
    for (int n = 0; n < count; n++) list[n] = strcmp(one[n], other[n]) ? "" : one[n];
    return list;
}

// As much as fits: "held, layer 1 head 2: it", or "held, 1.2".
static const char *title_of(Arena *arena, const State *state, const Document *d, int layer, int head, double room)
{
    const char *name = draw_head_name(arena, d, layer, head);
    const char *title = !state->shown.other_document ? name
                        : name[0]                    ? arena_format(arena, "%s, %s", d->title, name)
                                                     : d->title;
    bool fits = canvas_text_width((CanvasText){ .size = 13, .face = CANVAS_SANS_BOLD }, title) <= room + 8;
    if (fits || !name[0] || (d->reduced_from && d->heads == 1)) return title;
    return state->shown.other_document ? arena_format(arena, "%s, %d.%d", d->title, layer, head)
                                       : arena_format(arena, "layer %d head %d", layer, head);
}

// ---- numbers --------------------------------------------------------------------------------------------------------

// One side of a cell: its value, or why it has none.
typedef struct {
    HeadCell cell;
    bool there, masked;
    double value;
} At;

static At at_side(const Side *side, HeadCell spot)
{
    At at = { { spot.row, spot.col }, false, false, (double)NAN };
    if (side->rows) at.cell = (HeadCell){ side->rows[spot.row], side->cols[spot.col] };
    at.there = at.cell.row >= 0 && at.cell.col >= 0;
    if (!at.there) return at;
    at.masked = document_hidden(side->d, side->layer, side->head, at.cell.row, at.cell.col);
    at.value = (double)field_at(document_maps(side->d), side->layer, side->head, at.cell.row, at.cell.col);
    return at;
}

static const char *at_text(Arena *arena, const At *at)
{
    return !at->there ? "not there" : at->masked ? "masked" : map_number(arena, at->value, 4);
}

static const char *difference_text(Arena *arena, const At *a, const At *b)
{
    if (!a->there || !b->there)
        return !a->there && !b->there ? "in neither" : a->there ? "not in the second" : "not in the first";
    if (a->masked || b->masked)
        return a->masked && b->masked ? "masked in both" : a->masked ? "masked in the first" : "masked in the second";
    const char *text = map_number(arena, a->value - b->value, 4);
    return a->value > b->value && strpbrk(text, "123456789") ? arena_format(arena, "+%s", text) : text;
}

// "it → animal" in the side's words; absent words by the other side's.
static const char *pair_text(Arena *arena, const Side *a, const At *at, const Side *b, const At *other)
{
    const char *query = at->cell.row >= 0      ? document_query(arena, a->d, at->cell.row)
                        : other->cell.row >= 0 ? document_query(arena, b->d, other->cell.row)
                                               : "";
    const char *key = at->cell.col >= 0      ? document_key(arena, a->d, at->cell.col)
                      : other->cell.col >= 0 ? document_key(arena, b->d, other->cell.col)
                                             : "";
    return arena_format(arena, "%s → %s", query, key);
}

// Does the cell show its number?
static bool holds_number(const MapPlace *m, const At *at)
{
    bool large = m->cell_width >= 26 && m->cell_height >= 12 && m->fold_cols == 1 && m->fold_rows == 1;
    return large && at->there && !at->masked;
}

// A tag above a cell that does not show its number, kept inside the window.
static void draw_tag(Canvas *canvas, const State *state, const MapPlace *m, double end, HeadCell spot, const char *text)
{
    CanvasText style = { .size = 12, .face = CANVAS_MONO, .color = COLOR_PAPER, .anchor = CANVAS_AT_MIDDLE };
    double x = m->frame.x + (spot.col + 0.5 - m->col) * m->cell_width;
    double y = m->frame.y + (spot.row - m->row) * m->cell_height, width = canvas_text_width(style, text) + 10;
    if (x < m->frame.x || y < m->frame.y - 1 || x > m->frame.x + m->frame.width || y > m->frame.y + m->frame.height)
        return;
    double left = fmax(fmin(x - width / 2, m->frame.x + m->frame.width - width), m->frame.x);
    left = fmin(left, end - width);
    double top = y - 24 < m->frame.y ? y + m->cell_height + 5 : y - 24;
    canvas_rect(canvas, left, top, width, 19,
                state->selection.pinned.row >= 0 || state->selection.pinned_aligned.row >= 0 ? COLOR_MARK
                                                                                             : COLOR_ACCENT);
    canvas_text(canvas, left + width / 2, top + 14, style, text);
}

// The numbers of the marked cell: beside it in every map, and in a line below.
static double draw_numbers(Canvas *canvas, const State *state, const PageLayout *layout, const Side *a, const Side *b)
{
    enum { LINE = 21 };
    HeadCell spot = state_aligned_cell(state);
    const MapPlace *m = layout->maps;
    double y = m[0].frame.y + m[0].frame.height + LYING_BAR + 24, width = m[0].frame.width;
    if (!(layout->room.above > 0)) return y;
    if (spot.row < 0) {
        bool fits = y <= layout->body.y + layout->body.height;
        if (fits)
            draw_text(canvas, m[0].frame.x, y, CANVAS_SANS, 13, COLOR_QUIET, CANVAS_AT_START,
                      "Point at a cell: both numbers.");
        return y + LINE + 4;
    }
    At one = at_side(a, spot), other = at_side(b, spot);
    Arena *arena = canvas->arena;
    const char *texts[3] = { at_text(arena, &one), at_text(arena, &other), difference_text(arena, &one, &other) };
    bool shows[3] = { holds_number(&m[0], &one), holds_number(&m[1], &other) };
    shows[2] = shows[0] && shows[1];
    for (int n = 0; n < 3; n++)
        if (!shows[n]) draw_tag(canvas, state, &m[n], layout->body.x + layout->body.width, spot, texts[n]);
    if (y > layout->body.y + layout->body.height) return y;
    bool pinned = state->selection.pinned.row >= 0 || state->selection.pinned_aligned.row >= 0;
    for (int n = 0; n < 3; n++) {
        CanvasText number = { .size = 13, .face = CANVAS_MONO, .color = COLOR_INK, .anchor = CANVAS_AT_END };
        CanvasText word = { .size = 13, .face = CANVAS_SANS_BOLD, .color = pinned ? COLOR_MARK : COLOR_ACCENT };
        const char *pair = n == 0 ? pair_text(arena, a, &one, b, &other) : pair_text(arena, b, &other, a, &one);
        double room = width - canvas_text_width(number, texts[n]) - 10;
        if (n < 2 && room > 40) canvas_text(canvas, m[n].frame.x, y, word, canvas_text_fit(arena, word, pair, room));
        canvas_text(canvas, m[n].frame.x + width, y, number, texts[n]);
    }
    return y + LINE + 4;
}

static const char *value_text(Arena *arena, double value) { return isnan(value) ? "" : map_number(arena, value, 2); }

// Log and ratio scales apply to weights only; a comparison with other values is linear.
static Ramp plain(Ramp ramp, ColorMap colors)
{
    if (ramp.kind == RAMP_LINEAR) return ramp;
    return (Ramp){ RAMP_LINEAR, colors, 0, 1, .title = "value" };
}

// The wider of both scales, so that equal colours are equal numbers.
static Ramp common(Ramp a, Ramp b, ColorMap colors)
{
    if (a.kind != b.kind) {
        a = plain(a, colors);
        b = plain(b, colors);
        a.title = "value";
    }
    a.low = fmin(a.low, b.low);
    a.high = fmax(a.high, b.high);
    a.below |= b.below;
    a.above |= b.above;
    if (a.kind == RAMP_LINEAR && (a.colors == COLOR_DIVERGING || b.colors == COLOR_DIVERGING)) {
        a.colors = COLOR_DIVERGING;
        a.high = fmax(a.high, -a.low);
        a.low = -a.high;
    }
    return a;
}

// Diverging around 0; −1 … 1 without any difference. For weights at least ±0.01, so that tiny differences do not look
// large.
static Ramp difference_ramp(const MapCells *cells, bool weights)
{
    Ramp ramp = cells_ramp(cells, COLOR_DIVERGING, "difference");
    ramp.high = fmax(fabs(ramp.low), fabs(ramp.high));
    if (ramp.high <= 1e-30) ramp.high = 1;
    if (weights) ramp.high = fmax(ramp.high, 0.01);
    ramp.low = -ramp.high;
    return ramp;
}

// One bar for both heads, one for the difference, and the legend between them.
static void draw_bars(Canvas *canvas, const PageLayout *layout, const MapPart *a, const MapPart *b, const MapPart *c)
{
    CanvasRect frame = layout->maps[0].frame;
    double y = frame.y + frame.height + 14;
    if (!(layout->room.above > 0)) return;
    MapLegend legend = map_legend(&a->cells, "masked"), other = map_legend(&b->cells, "masked");
    if (other.masked) legend.masked = other.masked;
    legend.left_out |= other.left_out;
    legend.nan |= other.nan;
    legend.absent |= other.absent;
    draw_bar(canvas, &a->ramp, frame.x, y, frame.width, true);
    bool lies = map_legend_room(&legend) <= frame.width + 16;
    map_legend_draw(canvas, &legend, layout->maps[b->place].frame.x, y, lies);
    draw_bar(canvas, &c->ramp, layout->maps[c->place].frame.x, y, frame.width, true);
}

// Below the maps: the statistics of both heads and their differences; all lines or none.
static void draw_stats(Canvas *canvas, const View *view, const PageLayout *layout, double y)
{
    enum { LINE = 21 };
    const State *state = view->state;
    const Document *other = state->shown.other_document ? state->shown.other_document : state->shown.document;
    const HeadSummary *a = view_summary(view, state->shown.document, state->shown.layer, state->shown.head);
    const HeadSummary *b = view_summary(view, other, state->shown.other_layer, state->shown.other_head);
    const MapPlace *m = layout->maps;
    double width = m[0].frame.width;
    bool fits = width >= 170 && y + LINE * (SUMMARY_STATS - 1) <= layout->body.y + layout->body.height;
    if (state->shown.document->unnormalized || !a || !b || !fits || !(layout->room.above > 0)) return;
    for (int k = 0; k < SUMMARY_STATS; k++) {
        double values[] = { a->stats[k], b->stats[k], a->stats[k] - b->stats[k] };
        if (isnan(values[0]) && isnan(values[1])) continue;
        draw_text(canvas, m[0].frame.x, y, CANVAS_SANS, 13, COLOR_INK, CANVAS_AT_START, summary_name((SummaryStat)k));
        for (int n = 0; n < 3; n++)
            draw_text(canvas, m[n].frame.x + width, y, CANVAS_MONO, 13, COLOR_INK, CANVAS_AT_END,
                      value_text(canvas->arena, values[n]));
        y += LINE;
    }
}

static void draw_misfit(Canvas *canvas, const State *state, const PageLayout *layout)
{
    const Document *d = state->shown.document, *other = state->shown.other_document;
    CanvasText style = { .size = 15, .color = COLOR_INK };
    const char *lines[] = {
        arena_format(canvas->arena, "%s has maps of %d × %d,", d->title, d->T, d->S),
        arena_format(canvas->arena, "%s of %d × %d:", other->title, other->T, other->S),
        "they cannot be laid over each other.",
    };
    for (int k = 0; k < 3; k++)
        canvas_text(canvas, layout->body.x, layout->body.y + 40 + 24 * k, style,
                    canvas_text_fit(canvas->arena, style, lines[k], layout->body.width));
}

// Labels: the second map has its own if the words differ.
static void give_words(Arena *arena, const State *state, MapPart *a, MapPart *b, MapPart *c)
{
    const Document *d = state->shown.document, *other = state->shown.other_document ? state->shown.other_document : d;
    const Aligned *aligned = state->shown.aligned;
    b->of = other;
    b->row_words = has_own_words(state);
    if (!are_aligned(state)) {
        c->keys = same_words(d->keys, other->keys, d->S);
        return;
    }
    a->row_places = c->row_places = aligned->rows.first;
    a->col_places = c->col_places = aligned->cols.first;
    b->row_places = aligned->rows.second;
    b->col_places = aligned->cols.second;
    a->row_list = words_along(arena, &aligned->rows, aligned->rows.first, d->queries);
    a->col_list = words_along(arena, &aligned->cols, aligned->cols.first, d->keys);
    b->row_list = words_along(arena, &aligned->rows, aligned->rows.second, other->queries);
    b->col_list = words_along(arena, &aligned->cols, aligned->cols.second, other->keys);
    a->row_numbers = words_along(arena, &aligned->rows, aligned->rows.first, NULL);
    a->col_numbers = words_along(arena, &aligned->cols, aligned->cols.first, NULL);
    b->row_numbers = words_along(arena, &aligned->rows, aligned->rows.second, NULL);
    b->col_numbers = words_along(arena, &aligned->cols, aligned->cols.second, NULL);
    c->col_numbers = common_words(arena, a->col_numbers, b->col_numbers, aligned->cols.count);
    c->row_list = common_words(arena, a->row_list, b->row_list, aligned->rows.count);
    c->col_list = common_words(arena, a->col_list, b->col_list, aligned->cols.count);
}

static void draw(Canvas *canvas, const View *view, const PageLayout *layout)
{
    const State *state = view->state;
    const Document *d = state->shown.document, *other = state->shown.other_document ? state->shown.other_document : d;
    Arena *arena = canvas->arena;
    if (!layout->map_count) {
        draw_misfit(canvas, state, layout);
        return;
    }
    int layer = state->shown.layer, head = state->shown.head, other_layer = state->shown.other_layer,
        other_head = state->shown.other_head;
    const MapPlace *place = layout->maps; // equal for all three except the position
    MapPart a = part_of(state, 0, title_of(arena, state, d, layer, head, place->frame.width));
    MapPart b = part_of(state, 1, title_of(arena, state, other, other_layer, other_head, place->frame.width));
    MapPart c = part_of(state, 2, "first − second");
    Side one = { d, layer, head, NULL, NULL, false }, two = { other, other_layer, other_head, NULL, NULL, false };
    bool apart = are_aligned(state);
    if (apart) {
        const Aligned *aligned = state->shown.aligned;
        one = (Side){ d, layer, head, aligned->rows.first, aligned->cols.first, false };
        two = (Side){ other, other_layer, other_head, aligned->rows.second, aligned->cols.second, false };
    }
    give_words(arena, state, &a, &b, &c);
    a.cells = apart ? cells_of_side(arena, view, &one, place) : cells_of_head(arena, view, d, layer, head, place);
    b.cells = apart ? cells_of_side(arena, view, &two, place)
                    : cells_of_head(arena, view, other, other_layer, other_head, place);
    c.cells = difference(arena, &a.cells, &b.cells);
    a.ramp =
        common(cells_ramp_of_head(view, d, &a.cells), cells_ramp_of_head(view, other, &b.cells), state->shown.colors);
    if (a.ramp.title && !strcmp(a.ramp.title, "weight, this head")) a.ramp.title = "weight, both heads";
    b.ramp = a.ramp;
    bool unnormalized = d->warning || other->warning || d->unnormalized || other->unnormalized;
    c.ramp = difference_ramp(&c.cells, d->of[FIELD_WEIGHTS] >= 0 && other->of[FIELD_WEIGHTS] >= 0 && !unnormalized);
    if (apart && a.ramp.kind == RAMP_RATIO) {
        one.uniform = two.uniform = true;
        a.cells = cells_of_side(arena, view, &one, place);
        b.cells = cells_of_side(arena, view, &two, place);
    } else if (!apart) {
        a.cells.values =
            cells_colored(arena, view, d, layer, head, &a.cells, &a.ramp, place->fold_rows, place->fold_cols);
        b.cells.values = cells_colored(arena, view, other, other_layer, other_head, &b.cells, &b.ramp, place->fold_rows,
                                       place->fold_cols);
    }
    draw_map(canvas, view, layout, &a);
    draw_map(canvas, view, layout, &b);
    draw_map(canvas, view, layout, &c);
    draw_bars(canvas, layout, &a, &b, &c);
    draw_stats(canvas, view, layout, draw_numbers(canvas, state, layout, &one, &two));
}

// ---- keys ------------------------------------------------------------------------------------------------------------

static bool arrow(State *state, const PageLayout *layout, const Derived *derived, bool shift, int down, int right)
{
    (void)layout;
    (void)derived;
    if (!shift) return false;
    state->shown.other_head += right;
    state->shown.other_layer += down;
    return true;
}

const ViewOps view_compare = {
    .name = "Compare",
    .word = "compare",
    .picture = "compare",
    .has = has,
    .enter = enter,
    .layout = place,
    .draw = draw,
    .arrow = arrow,
    .has_cells = layout_has_cells,
    .invitation = "Point at a cell: how it came about.",
    .hit = layout_hit_map,
    .pan = layout_pan_map,
    .reveal = layout_reveal_cell,
    .status_more = draw_map_status,
};
