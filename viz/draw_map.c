// Draws a map: which labels and numbers fit, titles, bar.
#include "base/portable_math.h"
#include "viz/draw_internal.h"

// ---- words ----------------------------------------------------------------------------------------------------------

// The least distance of positions as labels.
static double digits_width(double size, int count)
{
    double digits = count > 1 ? floor(log10(count - 1)) + 1 : 1;
    return digits * canvas_text_width((CanvasText){ .size = size, .face = CANVAS_SANS_BOLD }, "0") + 0.8 * size;
}

// Every word or every second one; positions if words would be sparser.
static MapLabels row_labels(const MapPlace *m, const MapRoom *room, const char *const *words,
                            const char *const *numbers)
{
    MapLabels rows = { .size = fmin(room->word, fmax(11, m->cell_height * 0.8)), .most = room->left };
    rows.step = map_label_step(&rows, m->cell_height, 1.2 * rows.size);
    rows.words = rows.step <= 2 ? words : numbers;
    return rows;
}

static MapLabels col_labels(const MapPlace *m, const MapRoom *room, const char *const *words,
                            const char *const *numbers)
{
    MapLabels cols = { .size = fmin(room->word, fmax(11, m->cell_width * 0.8)), .most = room->above };
    cols.step = room->turned ? map_label_step(&cols, m->cell_width, 1.15 * cols.size / MAP_SINE) : 1;
    cols.turned = room->turned;
    if (words && cols.step <= 2) {
        cols.words = words;
        return cols;
    }
    cols.turned = false;
    cols.step = map_label_step(&cols, m->cell_width, digits_width(cols.size, m->cols));
    cols.words = numbers;
    return cols;
}

// ---- what was found

static Color found_color(void) { return color_text(COLOR_SERIES[1], COLOR_PAPER); }

// Which visible rows or columns match the search; NULL: no search. Absent words do not match.
static const bool *found_of(Arena *arena, const Find *find, const Document *d, const MapPart *part, const Map *map,
                            bool rows)
{
    const int *places = rows ? part->row_places : part->col_places;
    const char *const *words = rows ? part->row_list : part->col_list;
    const MapPlace *m = &map->place;
    int all = rows ? m->rows : m->cols, first = (int)floor(rows ? m->row : m->col);
    double seen = rows ? m->frame.height / m->cell_height : m->frame.width / m->cell_width;
    if (!find->any || (!places && all != (rows ? d->T : d->S))) return NULL;
    bool *found = arena_alloc(arena, (size_t)all * sizeof *found);
    for (int n = 0; n < all; n++) {
        bool in_sight = n >= first && n <= first + seen + 1;
        int at = places ? places[n] : n;
        if (at < 0 || (words && !*words[n])) in_sight = false;
        found[n] = in_sight && (rows ? find_query(find, d, at) : find_key(find, d, at));
    }
    return found;
}

// Bars beside rows and columns that match the search: at least 2 points thick.
static void draw_edges(Canvas *canvas, const Map *map)
{
    const MapPlace *m = &map->place;
    const double thick = 4, least = 2;
    CanvasRect f = m->frame;
    CanvasBox whole = canvas_clip(canvas, f.x - 6, f.y - 6, f.width + 6, f.height + 6);
    for (int i = 0; map->rows.found && i < m->rows; i++)
        if (map->rows.found[i])
            canvas_rect(canvas, f.x - thick - 2, f.y + (i - m->row) * m->cell_height, thick,
                        fmax(least, m->cell_height - 1), map->rows.found_color);
    for (int j = 0; map->cols.found && j < m->cols; j++)
        if (map->cols.found[j])
            canvas_rect(canvas, f.x + (j - m->col) * m->cell_width, f.y - thick - 2, fmax(least, m->cell_width - 1),
                        thick, map->cols.found_color);
    canvas_unclip(canvas, whole);
}

// ---- all words

// If both axes show positions in square cells, they use the same step.
static void label(Arena *arena, Map *map, const View *view, const MapRoom *room, const MapPart *part)
{
    const Document *d = part->of ? part->of : view->state->shown.document;
    const char *const *queries = part->row_list ? part->row_list : d->queries;
    map->rows = row_labels(&map->place, room, queries, part->row_numbers);
    const char *const *keys = part->col_list ? part->col_list : part->keys ? d->keys : NULL;
    map->cols = col_labels(&map->place, room, keys, part->col_numbers);
    bool words = map->rows.words != part->row_numbers || map->cols.words != part->col_numbers;
    bool alike = !words && map->place.cell_width == map->place.cell_height;
    if (alike) map->rows.step = map->cols.step = map->rows.step > map->cols.step ? map->rows.step : map->cols.step;
    map->rows.mark = part->cell.row + 1;
    map->cols.mark = part->cell.col + 1;
    map->rows.found_color = map->cols.found_color = found_color();
    Find find = state_find_in(view->state, d);
    map->rows.found = found_of(arena, &find, d, part, map, true);
    map->cols.found = part->keys ? found_of(arena, &find, d, part, map, false) : NULL;
    map->rows.mark_color = map->cols.mark_color = map->mark.color;
    if (part->cell.row >= 0 && queries) map->rows.marked = queries[part->cell.row];
    if (!part->row_words) map->rows.size = 0;
}

// ---- numbers --------------------------------------------------------------------------------------------------------

// All numbers have the same decimals, as many as fit for the widest; small type if necessary, or no numbers.
static void fit_numbers(Arena *arena, Map *map, bool large_type)
{
    const double small = large_type ? 9 : 9.5, width = map->place.cell_width, least = large_type ? VALUE_WIDE : 26;
    if (map->ramp.kind == RAMP_NAMES) return; // the colour is the name
    bool one = map->place.fold_cols == 1 && map->place.fold_rows == 1;
    if (!one || width < least || map->place.cell_height < 12) return;
    double size = width >= 60 ? 14 : width >= 44 ? 12 : width >= 34 ? 11 : small;
    for (map->decimals = 2; map->decimals >= 0; map->decimals--) {
        double fitting = (width - 3) / fmax(map_widest_number(arena, &map->cells, map->decimals, false), 1e-9);
        if (fitting < small) continue;
        size = fmin(size, fitting);
        if (size * 1.3 <= map->place.cell_height) map->number_size = size;
        return;
    }
}

// ---- titles and bar -------------------------------------------------------------------------------------------------

static void draw_titles(Canvas *canvas, const MapPlace *m, const MapRoom *room, const MapPart *part)
{
    double middle = m->frame.x + m->frame.width / 2, y = m->frame.y - room->words_above - 10;
    CanvasText bold = { .size = 13, .face = CANVAS_SANS_BOLD, .color = COLOR_INK, .anchor = CANVAS_AT_MIDDLE };
    CanvasText style = { .size = 12, .color = COLOR_QUIET, .anchor = CANVAS_AT_MIDDLE };
    const char *title = part->title ? canvas_text_fit(canvas->arena, bold, part->title, m->frame.width + 8) : NULL;
    if (title) canvas_text(canvas, middle, y, bold, title);
    else canvas_text(canvas, middle, y, style, part->keys ? "key (attended to) →" : "column →");
    if (!part->row_words) return;
    style.angle = 90;
    const char *rows = "← query (attends from)";
    if (canvas_text_width(style, rows) > m->frame.height + 8) rows = "query";
    if (canvas_text_width(style, rows) <= m->frame.height + 8)
        canvas_text(canvas, m->frame.x - room->words_left - 12, m->frame.y + m->frame.height / 2, style, rows);
}

void draw_bar(Canvas *canvas, const Ramp *ramp, double x, double y, double length, bool lies)
{
    CanvasText style = { .size = 12, .color = COLOR_QUIET, .anchor = CANVAS_AT_MIDDLE, .angle = lies ? 0 : 90 };
    ramp_draw(canvas, ramp, x, y, length, lies);
    if (!ramp->title || canvas_text_width(style, ramp->title) > length + (lies ? 16 : 0)) return;
    double beside = fmax(62, ramp_room(canvas->arena, ramp, length) + 15);
    if (lies) canvas_text(canvas, x + length / 2, y + 43, style, ramp->title);
    else canvas_text(canvas, x + beside, y + length / 2, style, ramp->title);
}

// The bar is as long as the map is high, with a minimum.
static void draw_own_bar(Canvas *canvas, const Map *map, const MapRoom *room, const MapPart *part)
{
    CanvasRect frame = map->place.frame;
    MapLegend legend = map_legend(&map->cells, part->masked ? part->masked : "masked");
    int lines = map_legend_count(&legend);
    double below = lines ? MAP_LINE * lines + 6 : 0, x = floor(frame.x + frame.width + 16);
    double length = fmax(fmax(frame.height, fmin(140, room->height)) - below, 30);
    draw_bar(canvas, &map->ramp, x, frame.y, length, false);
    map_legend_draw(canvas, &legend, x, frame.y + length + 14, false);
}

// ---- all ------------------------------------------------------------------------------------------------------------

void draw_map(Canvas *canvas, const View *view, const PageLayout *layout, const MapPart *part)
{
    Map map = { .place = layout->maps[part->place], .cells = part->cells, .ramp = part->ramp, .mark = part->block };
    const MapRoom *room = &layout->room;
    bool bare = !(room->above > 0); // too small for labels
    Color color = view->state->selection.pinned.row >= 0 ? COLOR_MARK : COLOR_ACCENT;
    if (part->cell.row >= 0) map.mark = (MapMark){ part->cell.row, part->cell.col, 1, 1, color };
    if (!bare) label(canvas->arena, &map, view, room, part);
    fit_numbers(canvas->arena, &map, view->state->camera.zoom > 1);
    if (view->kept) map.kept = view->kept[part->place];
    map_draw(canvas, &map);
    if (bare) return;
    draw_edges(canvas, &map);
    draw_titles(canvas, &map.place, room, part);
    if (part->no_bar) return;
    if (layout->close) map.ramp.title = NULL;
    draw_own_bar(canvas, &map, room, part);
}

// ---- the map of a head ----------------------------------------------------------------------------------------------

void draw_head(Canvas *canvas, const View *view, const PageLayout *layout)
{
    const State *state = view->state;
    const Document *d = state->shown.document;
    bool keys = d->of[FIELD_WEIGHTS] >= 0 || d->of[FIELD_SCORES] >= 0;
    const MapPlace *place = &layout->maps[0];
    int layer = state->shown.layer, head = state->shown.head;
    MapPart p = { .row_words = true, .keys = keys, .cell = state_cell(state) };
    p.cells = cells_of_head(canvas->arena, view, d, layer, head, place);
    p.ramp = cells_ramp_of_head(view, d, &p.cells);
    p.cells.values =
        cells_colored(canvas->arena, view, d, layer, head, &p.cells, &p.ramp, place->fold_rows, place->fold_cols);
    draw_map(canvas, view, layout, &p);
}
