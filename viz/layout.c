// Where things stand. One function a part of the window.
#include "viz/layout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool layout_holds(CanvasRect rect, double x, double y)
{
    return x >= rect.x && y >= rect.y && x < rect.x + rect.width && y < rect.y + rect.height;
}

static double between(double at, double least, double most) { return at > most ? fmax(most, least) : fmax(at, least); }

// ---- one map --------------------------------------------------------------------------------------------------------

// Of the widest, at most WORD_MOST; of positions the last is the widest. Of very many words no two stand side by side:
// the first ones tell enough.
static double words_width(const char *const *words, int count, double size)
{
    enum { MEASURED = 512 };
    double widest = 0;
    char digits[16];
    snprintf(digits, sizeof digits, "%d", count - 1);
    if (!words) return canvas_text_width((CanvasText){ .size = size, .face = CANVAS_SANS_BOLD }, digits);
    for (int w = 0; w < (count < MEASURED ? count : MEASURED); w++) {
        if (widest >= WORD_MOST) break;
        widest = fmax(widest, canvas_text_width((CanvasText){ .size = size, .face = CANVAS_SANS_BOLD }, words[w]));
    }
    return fmin(widest, WORD_MOST);
}

static double pixel_of(const State *state) { return 1 / (state->camera.pixels * state->camera.zoom); }

// The largest cell with which a map fits; whole pixels when it is that large.
static double fitting(const State *state, double width, double height, int rows, int cols)
{
    enum { CELL_MOST = 84 };
    double cell = fmin(fmin(width / cols, height / rows), CELL_MOST), pixel = pixel_of(state);
    if (cell >= 4 * pixel) cell = floor(cell / pixel) * pixel;
    return fmax(cell, 1e-3);
}

// The other side of a cell in a map that is far longer than it is high, or the other way round: up to twice as long, so
// that the window is used, and long enough that the map is not a thread.
static double stretched(double cell, int cells, double room, double pixel)
{
    double twice = fmin(2 * cell, 0.6 * room / cells), strip = fmin(cells == 1 ? 40 : 24, 0.8 * room / cells);
    double side = fmax(cell, cells * cell < 96 ? fmax(twice, strip) : twice);
    return side >= 4 * pixel ? floor(side / pixel) * pixel : side;
}

// A map inside a box, with room for its words and its colour bar.
typedef struct {
    CanvasRect box;
    int rows, cols;
    const char *const *row_words, *const *col_words; // NULL: positions
    int row_count, col_count;                        // words; 0: one for each row, each column
    double bar;
    double left; // how long words on the left may be; 0: what the longest needs
    bool bare;   // without words and titles
} MapAsk;

// Words of one size, upright or aslant, and the largest cells in the room that they leave.
static MapRoom room_beside(const State *state, const MapAsk *ask, double word, bool turned)
{
    MapRoom room = { .word = word, .turned = turned };
    int rows = ask->row_count ? ask->row_count : ask->rows, cols = ask->col_count ? ask->col_count : ask->cols;
    room.left = ask->left > 0 ? ask->left : fmin(words_width(ask->row_words, rows, word), 0.3 * ask->box.width);
    room.above = fmin(words_width(ask->col_words, cols, word), 0.3 * ask->box.height);
    room.words_left = room.left + MAP_GAP;
    room.words_above = turned ? room.above * MAP_SINE + 0.6 * word + MAP_GAP : word + 9;
    if (ask->bare) room.left = room.above = room.words_left = room.words_above = 0;
    room.width = fmax(ask->box.width - room.words_left - (ask->bare ? 0 : TITLE_LEFT + ask->bar), 20);
    room.height = fmax(ask->box.height - room.words_above - (ask->bare ? 0 : TITLE_ABOVE), 20);
    room.fit = room.fit_height = fitting(state, room.width, room.height, ask->rows, ask->cols);
    bool values =
        state->camera.zoom > 1 && room.width / ask->cols >= VALUE_WIDE && room.height / ask->rows >= VALUE_HIGH;
    if (values && room.fit < VALUE_WIDE) { // large type: cells as broad as their numbers
        double pixel = pixel_of(state);
        room.fit = ceil(VALUE_WIDE / pixel) * pixel;
        room.fit_height = floor(fmin(room.fit, room.height / ask->rows) / pixel) * pixel;
        return room;
    }
    if (2 * ask->rows <= ask->cols) room.fit_height = stretched(room.fit, ask->rows, room.height, pixel_of(state));
    if (2 * ask->cols <= ask->rows) room.fit = stretched(room.fit, ask->cols, room.width, pixel_of(state));
    return room;
}

// Upright words where the widest fits over a cell, large ones over large cells.
static MapRoom room_of(const State *state, const MapAsk *ask)
{
    enum { LARGE_CELL = 60 };
    MapRoom large = room_beside(state, ask, WORD_LARGE, false);
    double word = fmin(large.fit, large.fit_height) >= LARGE_CELL ? WORD_LARGE : WORD_SIZE;
    MapRoom room = room_beside(state, ask, word, false);
    return ask->col_words && room.above + 6 > room.fit ? room_beside(state, ask, word, true) : room;
}

static int folded(double cell, double pixel)
{
    int fold = 1;
    while (fold * cell < 0.999 * pixel && fold < 1 << 20) fold *= 2;
    return fold;
}

// Cells that are not square become so while one zooms in.
static double height_of(const MapRoom *room, double cell_width)
{
    enum { SQUARE = 64 };
    if (room->fit == room->fit_height) return cell_width;
    double t = room->fit < SQUARE ? log(cell_width / room->fit) / log(SQUARE / room->fit) : 0;
    return room->fit_height * pow(SQUARE / room->fit_height, t);
}

// cell 0: as large as fits; row and col: what is at the top left when it is larger.
static MapPlace place_map(const State *state, const MapAsk *ask, const MapRoom *room, double cell, double row,
                          double col)
{
    MapPlace map = { .rows = ask->rows, .cols = ask->cols };
    map.cell_width = fmax(cell, room->fit);
    map.cell_height = height_of(room, map.cell_width);
    map.frame.width = fmin(room->width, ask->cols * map.cell_width);
    map.frame.height = fmin(room->height, ask->rows * map.cell_height);

    CanvasRect box = ask->box;
    double title = ask->bare ? 0 : TITLE_LEFT, pixel = pixel_of(state);
    double block = room->words_left + title + map.frame.width + (ask->bare ? 0 : ask->bar);
    map.frame.x = floor((box.x + fmax(0, (box.width - block) / 2) + room->words_left + title) / pixel) * pixel;
    map.frame.y = floor((box.y + room->words_above + (ask->bare ? 0 : TITLE_ABOVE)) / pixel) * pixel;
    map.col = between(col, 0, ask->cols - map.frame.width / map.cell_width);
    map.row = between(row, 0, ask->rows - map.frame.height / map.cell_height);
    map.fold_cols = folded(map.cell_width, pixel);
    map.fold_rows = folded(map.cell_height, pixel);
    return map;
}

static HeadCell cell_at(const MapPlace *map, double x, double y)
{
    if (!layout_holds(map->frame, x, y)) return (HeadCell){ -1, -1 };
    int row = (int)floor(map->row + (y - map->frame.y) / map->cell_height);
    int col = (int)floor(map->col + (x - map->frame.x) / map->cell_width);
    return row < map->rows && col < map->cols ? (HeadCell){ row, col } : (HeadCell){ -1, -1 };
}

HeadCell layout_cell_at(const PageLayout *layout, double x, double y)
{
    HeadCell cell = { -1, -1 };
    LineHit place = layout_line_at(layout, x, y);
    if (place.index >= 0) {
        const Document *of = layout->bands[place.band].of;
        cell = (HeadCell){ place.index, place.index };
        if (place.by_key && cell.row >= of->T) cell.row = of->T - 1;
        if (!place.by_key && cell.col >= of->S) cell.col = of->S - 1;
    }
    for (int m = 0; m < layout->map_count; m++)
        if (cell.row < 0) cell = cell_at(&layout->maps[m], x, y);
    return cell;
}

// ---- thumbnails -----------------------------------------------------------------------------------------------------

static double gap_of(double size) { return size >= 64 ? 24 : size >= 40 ? 12 : size >= 24 ? 8 : 4; }

// The longer side of a thumbnail, so that its cells are whole pixels where they are large enough to show it.
static double whole_cells(const State *state, double size)
{
    int cells =
        state->shown.document->T > state->shown.document->S ? state->shown.document->T : state->shown.document->S;
    while (cells > THUMB) cells = (cells + 1) / 2;
    double pixel = pixel_of(state), cell = floor(size / cells / pixel) * pixel;
    return cell >= 5 * pixel ? cell * cells : size;
}

// Rows of thumbnails in a frame, at one size. `alone`: All heads, not the strip.
static ThumbLayout thumbs_sized(const State *state, CanvasRect frame, double size, bool alone)
{
    const Document *d = state->shown.document;
    double least = fmin(6, size), gap = gap_of(size), longest = d->T > d->S ? d->T : d->S;
    size = whole_cells(state, size);
    ThumbLayout t = { .frame = frame, .names = size >= 56, .by_layer = state->shown.sort == SORT_NONE && size >= 16 };
    t.wide = fmax(fmax(size * d->S / longest, size / 8), least);
    t.high = fmax(fmax(size * d->T / longest, size / 8), least);
    bool told = d->roles || d->groups < d->heads; // a name is more than a number, which has room at the edge
    bool edge = alone && t.by_layer && d->layers > 1 && (!t.names || !told);
    if (edge && gap > 12) gap = 12;
    t.edges = edge && d->heads * (t.wide + gap) - gap <= frame.width - EDGE_ROOM;
    if (!t.edges) gap = gap_of(size);
    t.names = t.names && !t.edges;
    if (t.edges)
        t.frame = (CanvasRect){ frame.x + EDGE_ROOM, frame.y + 20, frame.width - EDGE_ROOM, frame.height - 20 };
    t.above = t.by_layer && d->layers > 1 && size >= 40 && !t.edges ? 26 : 0;
    t.across_step = t.wide + gap;
    t.down_step = t.high + gap + (t.names ? 8 : 0);
    int across = (int)floor((t.frame.width + gap) / t.across_step), heads = t.by_layer ? d->heads : state_heads(state);
    int rows = across < 1 ? heads : (heads + across - 1) / across;
    if (!alone && t.by_layer && d->layers > 1 && rows > 1 && !(t.above > 0)) t.above = STRIP_NAME;
    t.across = (heads + rows - 1) / rows; // as many in the last row as in the others, if that can be
    t.tall = (t.by_layer ? d->layers * (rows * t.down_step + t.above) : rows * t.down_step) - gap + (t.names ? 14 : 0);
    return t;
}

// The largest size with which all fit, or a somewhat smaller one with which a layer is one row; the smallest when none
// does.
static ThumbLayout thumbs_placed(const State *state, CanvasRect frame, bool alone)
{
    double largest = alone ? 720 : floor((frame.width - 24) / 2), smallest = alone ? 16 : 12;
    bool layers = state->shown.document->layers > 1;
    ThumbLayout best = { .wide = 0 };
    for (double size = largest; size >= smallest; size--) {
        ThumbLayout t = thumbs_sized(state, frame, size, alone);
        if (t.tall > t.frame.height) continue;
        double least = alone ? 0.75 * best.wide : best.wide < 24 ? 0.75 * best.wide : best.wide;
        if (best.wide > 0 && t.wide < least) break;
        if (layers && t.by_layer && t.across == state->shown.document->heads) return t;
        if (!(best.wide > 0)) best = t;
    }
    return best.wide > 0 ? best : thumbs_sized(state, frame, smallest, alone);
}

static void order_by_value(int *order, const State *state, int count, double (*value)(const State *, int))
{
    Arena *scratch = arena_open();
    double *values = arena_alloc(scratch, (size_t)count * sizeof *values);
    for (int n = 0; n < count; n++) values[n] = value(state, n);
    derived_order_by(order, values, count);
    arena_close(scratch);
}

// Heads with the same first role stand together, in the order of their first ones; those without one come last.
static void order_by_role(int *order, const State *state, const Derived *derived, int count)
{
    Arena *scratch = arena_open();
    double *values = arena_alloc(scratch, (size_t)count * sizeof *values);
    for (int n = 0; n < count; n++) {
        int first = 0;
        while (first < n && !state_shares_role(state, derived, first, n)) first++;
        values[n] = state_role_name(state, derived, n) ? -first : (double)NAN;
    }
    derived_order_by(order, values, count);
    arena_close(scratch);
}

void layout_order(int *order, const State *state, const Derived *derived)
{
    int count = state_heads(state);
    for (int i = 0; i < count; i++) order[i] = i;
    if (state->shown.sort == SORT_CELL) order_by_value(order, state, count, state_cell_of_head);
    else if (state->shown.sort == SORT_FOUND) order_by_value(order, state, count, state_found_of_head);
    else if (state->shown.sort == SORT_ADDS) order_by_value(order, state, count, state_adds_of_head);
    else if (state->shown.sort == SORT_ROLE) order_by_role(order, state, derived, count);
    else if (derived && state->shown.sort != SORT_NONE)
        derived_order(order, derived, state->shown.document, state->shown.sort);
}

CanvasRect layout_thumb(const PageLayout *layout, const State *state, int place)
{
    const ThumbLayout *t = &layout->thumbs;
    int heads = state->shown.document->heads;
    int layer = t->by_layer ? place / heads : 0, at = t->by_layer ? place % heads : place;
    int rows = (heads + t->across - 1) / t->across;
    double y = t->frame.y - t->scrolled + (t->by_layer ? layer * (rows * t->down_step + t->above) + t->above : 0);
    return (CanvasRect){ t->frame.x + at % t->across * t->across_step, y + at / t->across * t->down_step, t->wide,
                         t->high };
}

double layout_layer_name(const PageLayout *layout, const State *state, int layer)
{
    return layout_thumb(layout, state, layer * state->shown.document->heads).y -
           (layout->thumbs.above > STRIP_NAME ? 10 : 5);
}

int layout_thumb_at(const PageLayout *layout, const State *state, const Derived *derived, double x, double y)
{
    int order[MAPS_MOST], count = state_heads(state);
    if (!layout_holds(layout->thumbs.frame, x, y)) return -1;
    layout_order(order, state, derived);
    for (int place = 0; place < count; place++)
        if (layout_holds(layout_thumb(layout, state, place), x, y)) return order[place];
    return -1;
}

// The strip keeps the head at hand in sight.
static void follow_head(PageLayout *layout, const State *state)
{
    ThumbLayout *t = &layout->thumbs;
    CanvasRect at = layout_thumb(layout, state, state->shown.layer * state->shown.document->heads + state->shown.head);
    double wanted = at.y + at.height / 2 - t->frame.y - t->frame.height / 2;
    t->scrolled = between(wanted, 0, fmax(0, t->tall - t->frame.height));
}

// ---- the window -----------------------------------------------------------------------------------------------------

// Where there is no room for all, that of the view at hand alone.
static void place_tabs(PageLayout *layout, const State *state)
{
    double all = 0, width[VIEWS];
    if (state->display.bare) return;
    for (int v = 0; v < VIEWS; v++) {
        width[v] = canvas_text_width((CanvasText){ .size = 13 }, state_view_name(state, (ViewKind)v));
        if (state_has_view(state, (ViewKind)v)) all += width[v] + 26;
    }
    double right = layout->width - layout->margin;
    bool alone = all > right || layout->close;
    for (int v = VIEWS - 1; v >= 0; v--) {
        if (!state_has_view(state, (ViewKind)v) || (alone && v != (int)state->shown.view)) continue;
        layout->tabs[v] = (CanvasRect){ right - width[v], 8, width[v], HEADER - 8 };
        if (layout->close) layout->tabs[v] = (CanvasRect){ right - width[v], layout->height - 28, width[v], 26 };
        right -= width[v] + 26;
    }
}

static void place_footer(PageLayout *layout, const State *state)
{
    double bottom = layout->height - 40, m = layout->margin;
    layout->status = layout->height - 16;
    if (layout->close) {
        bool line = state->shown.document->live || state->editing.typing;
        double end = layout->height - (line ? 62 : 30);
        layout->status = layout->height - 10;
        if (line) layout->sentence = (CanvasRect){ m, end + 4, layout->width - 2 * m, 28 };
        layout->body = (CanvasRect){ m, 4, layout->width - 2 * m, end - 4 };
        return;
    }
    if (state->shown.document->live || state->editing.typing) {
        layout->sentence = (CanvasRect){ m, layout->height - 66, layout->width - 2 * m, 30 };
        bottom = layout->height - 72;
    }
    layout->body = (CanvasRect){ m, HEADER + 14, layout->width - 2 * m, bottom - HEADER - 24 };
}

// A window as small as a stamp shows maps alone.
static bool is_bare(const PageLayout *layout)
{
    bool close = layout->close;
    return layout->body.width < (close ? 300 : 420) || layout->body.height < (close ? 160 : 220);
}

static void place_one_map(PageLayout *layout, const State *state, CanvasRect box, int rows, int cols, bool map)
{
    const Document *d = state->shown.document;
    MapAsk ask = { .box = box,
                   .rows = rows,
                   .cols = cols,
                   .row_words = rows == d->T ? d->queries : NULL,
                   .col_words = map ? d->keys : NULL,
                   .bar = layout->close ? CLOSE_BAR : BAR_ROOM,
                   .bare = is_bare(layout) };
    layout->room = room_of(state, &ask);
    layout->maps[0] =
        place_map(state, &ask, &layout->room, state->camera.cell_size, state->camera.row, state->camera.col);
    layout->map_count = 1;
}

// Names of the stages over the map, an arrow between two.
static CanvasRect place_steps(PageLayout *layout, CanvasRect box)
{
    double width[STAGES], all = 0, x = box.x;
    CanvasText style = { .size = 13, .face = CANVAS_SANS_BOLD };
    for (int s = 0; s < STAGES; s++) all += width[s] = canvas_text_width(style, stage_name((Stage)s));
    double gap = fmin(34, (box.width - all) / (STAGES - 1));
    if (gap < 20) return box;
    for (int s = 0; s < STAGES; s++, x += gap) {
        layout->steps[s] = (CanvasRect){ x, box.y, width[s], 24 };
        x += width[s];
    }
    return (CanvasRect){ box.x, box.y + 34, box.width, box.height - 34 };
}

// The queries or keys of one document, and those of another.
static bool same_words(const Document *a, bool keys_of_a, const Document *b, bool keys_of_b)
{
    const char *const *one = keys_of_a ? a->keys : a->queries, *const *other = keys_of_b ? b->keys : b->queries;
    int n = keys_of_a ? a->S : a->T, m = keys_of_b ? b->S : b->T;
    if (n != m || !one != !other) return false;
    for (int i = 0; one && i < n; i++)
        if (one != other && strcmp(one[i], other[i])) return false;
    return true;
}

// Of two lists of words the one that needs more room, and how many they are.
static const char *const *wider(const char *const *one, int n, const char *const *other, int m, int *count)
{
    bool second = !one || (other && words_width(other, m, WORD_SIZE) > words_width(one, n, WORD_SIZE));
    *count = second && other ? m : n;
    return second ? other : one;
}

bool layout_own_words(const State *state)
{
    return state->shown.other_document && !same_words(state->shown.document, false, state->shown.other_document, false);
}

// Three maps in a row with one cell: words left of the first; under them bars that lie, and a table where it fits.
static void place_compared(PageLayout *layout, const State *state, CanvasRect box)
{
    const Document *d = state->shown.document, *other = state->shown.other_document ? state->shown.other_document : d;
    const Aligned *aligned = state->shown.aligned;
    bool bare = is_bare(layout), table = box.height >= 420, own = layout_own_words(state) && !bare;
    double gap = bare ? 12 : LAYOUT_MARGIN;
    MapAsk ask = { .box = box,
                   .rows = aligned ? aligned->rows.count : d->T,
                   .cols = aligned ? aligned->cols.count : d->S };
    ask.row_words = wider(d->queries, d->T, other->queries, other->T, &ask.row_count);
    ask.col_words = wider(d->keys, d->S, other->keys, other->S, &ask.col_count);
    ask.bare = bare;
    ask.box.height = box.height - (bare ? 0 : LYING_BAR) - (table ? TABLE_ROOM : 0);
    MapRoom first = room_of(state, &ask);
    double words = bare ? 0 : first.words_left + TITLE_LEFT;
    if (first.turned) box.width -= first.above * MAP_COSINE; // the last word reaches beyond its map
    ask.left = first.left;
    double between_maps = gap + (own ? first.words_left : 0), room = box.width - words - gap - between_maps;
    ask.box.width = words + room / 3;
    layout->room = room_of(state, &ask);
    MapPlace map = place_map(state, &ask, &layout->room, state->camera.cell_size, state->camera.row, state->camera.col);
    map.frame.x = floor(box.x + words + fmax(0, (room - 3 * map.frame.width) / 2));
    for (int m = 0; m < 3; m++) {
        layout->maps[m] = map;
        map.frame.x = floor(map.frame.x + map.frame.width + (m ? gap : between_maps));
    }
    layout->map_count = aligned || (other->T == d->T && other->S == d->S) ? 3 : 0;
}

// ---- lines ----------------------------------------------------------------------------------------------------------

CanvasRect layout_swatch(const LineBand *band, int head)
{
    double row = head / band->across, col = head % band->across;
    double down = fmin(band->step, band->side + 5);
    return (CanvasRect){ band->swatches.x + col * band->step, band->swatches.y + row * down, band->side, band->side };
}

int layout_swatch_at(const PageLayout *layout, double x, double y)
{
    for (int b = 0; b < layout->band_count; b++) {
        const LineBand *band = &layout->bands[b];
        if (!layout_holds(band->swatches, x, y)) continue;
        for (int h = 0; h < band->shown && h < band->own; h++) {
            CanvasRect at = layout_swatch(band, h); // with its number, and half of the gap below
            if (layout_holds((CanvasRect){ at.x, at.y - 2, band->step, at.height + 4 }, x, y)) return band->first + h;
        }
    }
    return -1;
}

LineHit layout_line_at(const PageLayout *layout, double x, double y)
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

// Which layers have a band, from the last one on the left to the first: as many as fit, around the layer at hand. Of
// several kinds the layer at hand of each.
static void choose_bands(PageLayout *layout, const State *state, double room)
{
    enum { LEAST = 36 };
    const Document *d = state->shown.document;
    int fit = (int)between(floor(room / LEAST), 1, BANDS_MOST), last = state->shown.layer;
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

// Columns of words, `words` wide each, at both ends and, of several kinds, in between: one where the keys of a band are
// the queries of the next one. Between layers there are dots.
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
        bool shared = same_words(of, true, next, false);
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

// Columns between two bands, and what they take.
static double room_between(const PageLayout *layout, const State *state, double words)
{
    double room = 0;
    for (int b = 0; b + 1 < layout->band_count; b++) {
        bool shared = same_words(layout->bands[b].of, true, layout->bands[b + 1].of, false);
        room += state->shown.lines == LINES_KINDS ? (shared ? words : 2 * words) : shared ? 10 : 24;
    }
    return room;
}

// Swatches over the curves: with their numbers where these are of one layer alone.
static double place_swatches(PageLayout *layout, const State *state, double y, double most)
{
    double tall = 0;
    for (int b = 0; b < layout->band_count; b++) {
        LineBand *band = &layout->bands[b];
        double width = band->curves.width;
        int heads = band->of->heads;
        band->side =
            state->shown.lines == LINES_LAYER ? SWATCH_SIDE : between(floor(width / heads) - 2, 7, SWATCH_SIDE);
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

static void place_lines(PageLayout *layout, const State *state, CanvasRect box)
{
    enum { WIDEST = 720, NARROW = 110 };
    bool bare = is_bare(layout), many = state->shown.lines != LINES_HEAD, kinds = state->shown.lines == LINES_KINDS;
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
    layout->line_step = between(layout->lines.height / layout->line_words, 18, 56);
    layout->line_count = (int)between(floor(layout->lines.height / layout->line_step + 1e-9), 1, layout->line_words);
    layout->line_first = (int)between(floor(state->camera.row), 0, layout->line_words - layout->line_count);
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

// What the stage at hand looks like: queries against keys, or against the columns of the values or of the model.
static void stage_shape(const State *state, int *rows, int *cols, bool *map)
{
    const Document *d = state->shown.document;
    *rows = d->T;
    *cols = d->S;
    *map = state->shown.stage <= STAGE_WEIGHTS;
    int field = state->shown.stage == STAGE_OUT ? d->of[FIELD_OUT]
                : d->of[FIELD_V] >= 0           ? d->of[FIELD_V]
                                                : d->of[FIELD_HEAD];
    if (!*map && field >= 0) *cols = d->fields[field].cols;
}

// All heads, spread over the width; the panel beside them where that leaves room.
static void place_heads(PageLayout *layout, const State *state)
{
    CanvasRect box = layout->body, frame = { box.x, box.y, box.width - BAR_ROOM, box.height };
    ThumbLayout *t = &layout->thumbs;
    *t = thumbs_placed(state, frame, true);
    double rest = t->frame.width - (t->across - 1) * t->across_step - t->wide;
    if (rest >= PANEL_WIDTH + LAYOUT_MARGIN) {
        layout->panel = (CanvasRect){ box.x + box.width - PANEL_WIDTH, box.y, PANEL_WIDTH, box.height };
        rest -= PANEL_WIDTH + LAYOUT_MARGIN;
        t->frame.width -= PANEL_WIDTH + LAYOUT_MARGIN;
    }
    if (t->across > 1) t->across_step += fmin(rest / (t->across - 1), fmax(0.4 * t->wide, 16));
    int lines = t->by_layer
                    ? state->shown.document->layers * ((state->shown.document->heads + t->across - 1) / t->across)
                    : (state_heads(state) + t->across - 1) / t->across;
    double below = t->frame.height - t->tall;
    double wider = below > 0 && lines > 1 ? fmin(below / (lines - 1), fmin(0.35 * t->high, 24)) : 0;
    t->down_step += wider;
    t->tall += wider * (lines - 1);
    below -= wider * (lines - 1);
    if (below > 0.25 * t->frame.height) {
        t->frame.y += 0.4 * below;
        t->frame.height -= 0.4 * below;
    }
    t->scrolled = between(state->camera.scroll, 0, fmax(0, t->tall - t->frame.height));
}

// What stands beside the maps: the panel on the right, thumbnails on the left; of Tiles the table. The room between.
static CanvasRect place_sides(PageLayout *layout, const State *state)
{
    CanvasRect box = layout->body;
    if (state->shown.view == VIEW_TILES && layout->width >= 640) {
        layout->panel = (CanvasRect){ box.x, box.y, PANEL_WIDTH + 40, box.height };
        box.x += PANEL_WIDTH + 40 + LAYOUT_MARGIN;
        box.width -= PANEL_WIDTH + 40 + LAYOUT_MARGIN;
    }
    if (state->shown.view == VIEW_COMPARE || state->shown.view == VIEW_TILES) return box;
    bool bands =
        state->shown.view == VIEW_LINES && (state->shown.lines == LINES_LAYERS || state->shown.lines == LINES_KINDS);
    if (layout->width >= (bands ? 1000 : 720) && !layout->no_panel) {
        layout->panel = (CanvasRect){ box.x + box.width - PANEL_WIDTH, box.y, PANEL_WIDTH, box.height };
        box.width -= PANEL_WIDTH + LAYOUT_MARGIN;
    }
    if (state_heads(state) > 1 && layout->width >= 1100 && !bands) {
        double strip = floor(between(0.2 * layout->width, STRIP_WIDTH, 1.5 * STRIP_WIDTH));
        layout->thumbs = thumbs_placed(state, (CanvasRect){ box.x, box.y, strip - 16, box.height }, false);
        follow_head(layout, state);
        box.x += strip;
        box.width -= strip;
    }
    return box;
}

static PageLayout laid_out(const State *state, bool close, bool no_panel)
{
    PageLayout layout = { .width = state->camera.width / state->camera.zoom,
                          .height = state->camera.height / state->camera.zoom,
                          .close = close,
                          .no_panel = no_panel,
                          .margin = close ? CLOSE_MARGIN : LAYOUT_MARGIN };
    place_tabs(&layout, state);
    place_footer(&layout, state);
    if (state->shown.view == VIEW_HEADS) {
        place_heads(&layout, state);
        return layout;
    }
    CanvasRect box = place_sides(&layout, state);
    if (state->shown.view == VIEW_COMPARE) {
        place_compared(&layout, state, box);
        return layout;
    }
    if (state->shown.view == VIEW_LINES) {
        place_lines(&layout, state, box);
        return layout;
    }
    int rows = state->shown.document->T, cols = state->shown.document->S;
    bool map = true;
    if (state->shown.view == VIEW_STAGES) {
        stage_shape(state, &rows, &cols, &map);
        box = place_steps(&layout, box);
    }
    place_one_map(&layout, state, box, rows, cols, map);
    return layout;
}

// Numbers find room in the cells.
static bool shows_values(const PageLayout *layout)
{
    return layout->map_count && layout->room.fit >= VALUE_WIDE && layout->room.fit_height >= VALUE_HIGH;
}

// With large type tabs and title go before the words and numbers of the map do, and then the panel.
PageLayout layout_of(const State *state)
{
    const double wide = 640, high = 460; // points; in less the words go, too
    PageLayout usual = laid_out(state, false, false);
    if (state->camera.zoom <= 1 || shows_values(&usual)) return usual;
    PageLayout close = laid_out(state, true, false);
    if (shows_values(&close)) return close;
    PageLayout alone = laid_out(state, true, true);
    if (shows_values(&alone)) return alone;
    return usual.width <= wide || usual.height <= high ? close : usual;
}
