// Places a map: cell size, visible cells, room for labels.
#include "base/portable_math.h"
#include "viz/layout_internal.h"

#include <stdio.h>
#include <string.h>

bool layout_holds(CanvasRect rect, double x, double y)
{
    return x >= rect.x && y >= rect.y && x < rect.x + rect.width && y < rect.y + rect.height;
}

double layout_clamp(double at, double least, double most) { return at > most ? fmax(most, least) : fmax(at, least); }

// Width of the widest word, at most WORD_MOST. Only the first of very many words are measured.
double layout_words_width(const char *const *words, int count, double size)
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

// The largest cell size at which the map fits; whole pixels if large enough.
static double largest_cell(const State *state, double width, double height, int rows, int cols)
{
    enum { CELL_MOST = 84 };
    double cell = fmin(fmin(width / cols, height / rows), CELL_MOST), pixel = pixel_of(state);
    if (cell >= 4 * pixel) cell = floor(cell / pixel) * pixel;
    return fmax(cell, 1e-3);
}

// The longer side of cells in a very long or very high map: up to twice as long, to use the window, and thick enough to
// be seen.
static double longer_side(double cell, int cells, double room, double pixel)
{
    double twice = fmin(2 * cell, 0.6 * room / cells), strip = fmin(cells == 1 ? 40 : 24, 0.8 * room / cells);
    double side = fmax(cell, cells * cell < 96 ? fmax(twice, strip) : twice);
    return side >= 4 * pixel ? floor(side / pixel) * pixel : side;
}

// Labels of one size, upright or slanted, and the largest cells in the remaining room.
static MapRoom room_with_labels(const State *state, const MapRequest *request, double word, bool turned)
{
    MapRoom room = { .word = word, .turned = turned };
    int rows = request->row_count ? request->row_count : request->rows,
        cols = request->col_count ? request->col_count : request->cols;
    room.left = request->left > 0 ? request->left
                                  : fmin(layout_words_width(request->row_words, rows, word), 0.3 * request->box.width);
    room.above = fmin(layout_words_width(request->col_words, cols, word), 0.3 * request->box.height);
    room.words_left = room.left + MAP_GAP;
    room.words_above = turned ? room.above * MAP_SINE + 0.6 * word + MAP_GAP : word + 9;
    if (request->bare) room.left = room.above = room.words_left = room.words_above = 0;
    room.width = fmax(request->box.width - room.words_left - (request->bare ? 0 : TITLE_LEFT + request->bar), 20);
    room.height = fmax(request->box.height - room.words_above - (request->bare ? 0 : TITLE_ABOVE), 20);
    room.fit = room.fit_height = largest_cell(state, room.width, room.height, request->rows, request->cols);
    bool values =
        state->camera.zoom > 1 && room.width / request->cols >= VALUE_WIDE && room.height / request->rows >= VALUE_HIGH;
    if (values && room.fit < VALUE_WIDE) { // large type: cells that fit numbers
        double pixel = pixel_of(state);
        room.fit = ceil(VALUE_WIDE / pixel) * pixel;
        room.fit_height = floor(fmin(room.fit, room.height / request->rows) / pixel) * pixel;
        return room;
    }
    if (2 * request->rows <= request->cols)
        room.fit_height = longer_side(room.fit, request->rows, room.height, pixel_of(state));
    if (2 * request->cols <= request->rows)
        room.fit = longer_side(room.fit, request->cols, room.width, pixel_of(state));
    return room;
}

// Upright labels if the widest fits above a cell; large labels for large cells.
MapRoom layout_map_room(const State *state, const MapRequest *request)
{
    enum { LARGE_CELL = 60 };
    MapRoom large = room_with_labels(state, request, WORD_LARGE, false);
    double word = fmin(large.fit, large.fit_height) >= LARGE_CELL ? WORD_LARGE : WORD_SIZE;
    MapRoom room = room_with_labels(state, request, word, false);
    return request->col_words && room.above + 6 > room.fit ? room_with_labels(state, request, word, true) : room;
}

static int fold_for(double cell, double pixel)
{
    int fold = 1;
    while (fold * cell < 0.999 * pixel && fold < 1 << 20) fold *= 2;
    return fold;
}

// Cells that are not square become square while zooming in.
static double cell_height_of(const MapRoom *room, double cell_width)
{
    enum { SQUARE = 64 };
    if (room->fit == room->fit_height) return cell_width;
    double t = room->fit < SQUARE ? log(cell_width / room->fit) / log(SQUARE / room->fit) : 0;
    return room->fit_height * pow(SQUARE / room->fit_height, t);
}

MapPlace layout_place_map(const State *state, const MapRequest *request, const MapRoom *room)
{
    MapPlace map = { .rows = request->rows, .cols = request->cols };
    map.cell_width = fmax(state->camera.cell_size, room->fit);
    map.cell_height = cell_height_of(room, map.cell_width);
    map.frame.width = fmin(room->width, request->cols * map.cell_width);
    map.frame.height = fmin(room->height, request->rows * map.cell_height);

    CanvasRect box = request->box;
    double title = request->bare ? 0 : TITLE_LEFT, pixel = pixel_of(state);
    double block = room->words_left + title + map.frame.width + (request->bare ? 0 : request->bar);
    map.frame.x = floor((box.x + fmax(0, (box.width - block) / 2) + room->words_left + title) / pixel) * pixel;
    map.frame.y = floor((box.y + room->words_above + (request->bare ? 0 : TITLE_ABOVE)) / pixel) * pixel;
    map.col = layout_clamp(state->camera.col, 0, request->cols - map.frame.width / map.cell_width);
    map.row = layout_clamp(state->camera.row, 0, request->rows - map.frame.height / map.cell_height);
    map.fold_cols = fold_for(map.cell_width, pixel);
    map.fold_rows = fold_for(map.cell_height, pixel);
    return map;
}

// A tiny window shows maps without labels.
bool layout_is_bare(const PageLayout *layout)
{
    bool close = layout->close;
    return layout->body.width < (close ? 300 : 420) || layout->body.height < (close ? 160 : 220);
}

void layout_place_one_map(PageLayout *layout, const State *state, CanvasRect box, int rows, int cols, bool cells)
{
    const Document *d = state->shown.document;
    MapRequest request = { .box = box,
                           .rows = rows,
                           .cols = cols,
                           .row_words = rows == d->T ? d->queries : NULL,
                           .col_words = cells ? d->keys : NULL,
                           .bar = layout->close ? CLOSE_BAR : BAR_ROOM,
                           .bare = layout_is_bare(layout) };
    layout->room = layout_map_room(state, &request);
    layout->maps[0] = layout_place_map(state, &request, &layout->room);
    layout->map_count = 1;
}

bool layout_same_words(const Document *a, bool keys_of_a, const Document *b, bool keys_of_b)
{
    const char *const *one = keys_of_a ? a->keys : a->queries, *const *other = keys_of_b ? b->keys : b->queries;
    int n = keys_of_a ? a->S : a->T, m = keys_of_b ? b->S : b->T;
    if (n != m || !one != !other) return false;
    for (int i = 0; one && i < n; i++)
        if (one != other && strcmp(one[i], other[i])) return false;
    return true;
}

// ---- for ViewOps ----------------------------------------------------------------------------------------------------

static HeadCell cell_at(const MapPlace *map, double x, double y)
{
    if (!layout_holds(map->frame, x, y)) return (HeadCell){ -1, -1 };
    int row = (int)floor(map->row + (y - map->frame.y) / map->cell_height);
    int col = (int)floor(map->col + (x - map->frame.x) / map->cell_width);
    return row < map->rows && col < map->cols ? (HeadCell){ row, col } : (HeadCell){ -1, -1 };
}

Hit layout_hit_map(const PageLayout *layout, const State *state, double x, double y)
{
    (void)state;
    for (int m = 0; m < layout->map_count; m++) {
        HeadCell cell = cell_at(&layout->maps[m], x, y);
        if (cell.row >= 0) return (Hit){ .kind = HIT_CELL, .cell = cell };
    }
    return (Hit){ .kind = HIT_NONE };
}

bool layout_has_cells(const State *state)
{
    (void)state;
    return true;
}

static bool is_zoomed(const PageLayout *layout)
{
    return layout->map_count && layout->maps[0].cell_width > layout->room.fit;
}

// Pans by a quarter of the visible part.
void layout_pan_map(State *state, const PageLayout *layout, int down, int right)
{
    const MapPlace *map = &layout->maps[0];
    if (!is_zoomed(layout)) return;
    double rows = map->frame.height / map->cell_height, cols = map->frame.width / map->cell_width;
    state->camera.row = layout_clamp(map->row + down * rows / 4, 0, map->rows - rows);
    state->camera.col = layout_clamp(map->col + right * cols / 4, 0, map->cols - cols);
}

// Scrolls just far enough to show the pinned cell.
void layout_reveal_cell(State *state, const PageLayout *layout, const Derived *derived)
{
    (void)derived;
    const MapPlace *map = &layout->maps[0];
    HeadCell cell = state_pinned_cell(state);
    if (!is_zoomed(layout)) return;
    double rows = map->frame.height / map->cell_height, cols = map->frame.width / map->cell_width;
    state->camera.row = layout_clamp(map->row, fmin(cell.row + 1 - rows, cell.row), cell.row);
    state->camera.col = layout_clamp(map->col, fmin(cell.col + 1 - cols, cell.col), cell.col);
}
