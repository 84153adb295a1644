// update and draw.
#include "viz/view.h"

#include <math.h>
#include <string.h>

// Keys against queries, by its name: "weights", "scores", "query_scores". Other matrices have columns of their own kind.
static bool is_map(const Item *item) { return strstr(item->name, "weights") || strstr(item->name, "scores"); }

// Opens on the first map of weights, else on the first matrix.
View view_of(const Document *document)
{
    View view = { .document = document };
    while (view.item < document->count && !strstr(document->items[view.item].name, "weights")) view.item++;
    if (view.item == document->count) view.item = 0;
    return view;
}

enum { PANEL = 300 };                                // points left of a walk's map, for what is known of its queries

static int clamp(int n, int most) { return n < 0 ? 0 : n > most ? most : n; }

View view_update(View view, Key key)
{
    if (key == KEY_HELP) view.help = !view.help;
    if (key == KEY_BACK && !view.help) view.quit = true;
    if (key == KEY_BACK) view.help = false;
    if (key == KEY_COLORS) view.colors = (ColorMap)((view.colors + 1) % (DIVERGING + 1));
    if (key == KEY_UP || key == KEY_DOWN)
        view.item = clamp(view.item + (key == KEY_DOWN ? 1 : -1), view.document->count - 1);
    int heads = view.document->items[view.item].heads, last = heads ? heads - 1 : 0;
    if (key == KEY_PLAY && !view.playing && view.head >= last) view.head = 0;         // from the end: once more
    if (key == KEY_PLAY) view.playing = !view.playing;
    if (key == KEY_LEFT || key == KEY_RIGHT) view.head += key == KEY_RIGHT ? 1 : -1;
    if (key == KEY_TICK && view.playing) view.head++;
    view.head = clamp(view.head, last);
    if (view.head >= last) view.playing = false;
    return view;
}

// A copy of `from` in the middle of what lies to the right of column `edge`.
static void place(Canvas *to, const Canvas *from, int edge)
{
    int left = edge + (to->width - edge - from->width) / 2, top = (to->height - from->height) / 2;
    int width = from->width < to->width ? from->width : to->width, height = from->height < to->height ? from->height : to->height;
    left = clamp(left, to->width - width);
    top = top < 0 ? 0 : top;
    for (int y = 0; y < height; y++)
        memcpy(to->rgba + ((size_t)(top + y) * (size_t)to->width + (size_t)left) * 4,
               from->rgba + (size_t)y * (size_t)from->width * 4, (size_t)width * 4);
}

// −∞ marks what a mask hid: such cells are hatched and left out of the scale.
static Mat hidden_cells(Arena *arena, Mat m)
{
    Mat hidden = mat_new(arena, m.rows, m.cols);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) *mat_ref(hidden, i, j) = *mat_ref(m, i, j) == -INFINITY ? 1.0f : 0.0f;
    return hidden;
}

// Weights lie between 0 and 1, and their scale does too; other values make a scale of their own.
static bool looks_like_weights(Mat m)
{
    for (int i = 0; i < m.rows; i++) {
        for (int j = 0; j < m.cols; j++)
            if (!(*mat_ref(m, i, j) >= 0.0f && *mat_ref(m, i, j) <= 1.0f)) return false;
        if (fabs(mat_sum(mat_rows(m, i, 1)) - 1.0) > 1e-3) return false;
    }
    return true;
}

static bool shows_tiles(const View *view)             // every head of this item is a frame of the walk
{
    const Walk *walk = &view->document->walk;
    return !mat_empty(walk->tiles) && (view->item == walk->weights || view->item == walk->state);
}

static double largest(Mat m)
{
    double most = 0.0;
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) most = fmax(most, (double)*mat_ref(m, i, j));
    return most;
}

// One frame: what no tile has reached is hatched, the tile at hand is framed, and all frames have one scale.
static void add_walk(const View *view, HeatMap *map)
{
    const Document *d = view->document;
    const float *tile = mat_row(d->walk.tiles, view->head);
    mat_fill(map->hidden, 1.0f);
    for (int f = 0; f <= view->head; f++) {
        const float *done = mat_row(d->walk.tiles, f);
        mat_fill(mat_block(map->hidden, (int)done[0], (int)done[1], (int)done[2], (int)done[3]), 0.0f);
    }
    map->hidden_title = "not yet";
    map->mark_row = (int)tile[0] + 1, map->mark_rows = (int)tile[1];
    map->mark_col = (int)tile[2] + 1, map->mark_cols = (int)tile[3];
    map->high = largest(d->items[view->item].stack);
    map->bar_title = "weight so far";
}

static HeatMap map_of(Arena *arena, const View *view, double width, double height)
{
    const Document *d = view->document;
    Mat m = document_map(d, view->item, view->head);
    bool named = m.rows == d->queries_count, across = is_map(&d->items[view->item]) && m.cols == d->keys_count;
    bool walk = shows_tiles(view) && view->item == d->walk.weights, state = shows_tiles(view) && !walk;
    static const char *const known[] = { "m", "l", "rescale" };
    double cell = fmin((width - 260 - (walk ? PANEL : 0)) / m.cols, (height - 260) / m.rows);
    HeatMap map = {
        .values = m, .hidden = hidden_cells(arena, m), .row_labels = named ? d->queries : NULL,
        .col_labels = across ? d->keys : state ? known : NULL, .row_title = across ? "query (attends from)" : "token",
        .col_title = across ? "key (attended to)" : "column", .colors = view->colors, .decimals = 2,
        .high = looks_like_weights(m) ? 1.0 : 0.0, .cell = fmax(floor(cell), 1),
    };
    if (walk) add_walk(view, &map);
    return map;
}

static void write_line(Canvas *canvas, double x, double y, Face face, Color color, Anchor anchor, const char *text)
{
    canvas_text(canvas, x, y, (Text){ .face = face, .color = color, .anchor = anchor }, text);
}

// What the kernel knows of the queries of the tile at hand: a table left of the map, as long as there is room.
static void draw_known(Arena *arena, Canvas *canvas, const View *view, double height)
{
    static const char *const names[] = { "m", "l", "rescale" };
    const Document *d = view->document;
    Mat state = document_map(d, d->walk.state, view->head);
    const float *tile = mat_row(d->walk.tiles, view->head);
    int first = (int)tile[0], count = (int)tile[1], room = (int)((height - 180) / 24), shown = count < room ? count : room;
    for (int c = 0; c < 3; c++) write_line(canvas, 150 + 65 * c, 96, SANS, QUIET, AT_END, names[c]);
    for (int r = 0; r < shown; r++) {
        double y = 124 + 24 * r;
        int i = first + r;
        const char *word = state.rows == d->queries_count ? d->queries[i] : arena_format(arena, "%d", i);
        write_line(canvas, 24, y, SANS, INK, AT_START, word);
        for (int c = 0; c < 3; c++)
            write_line(canvas, 150 + 65 * c, y, MONO, INK, AT_END,
                       arena_format(arena, "%.3f", (double)*mat_ref(state, i, c)));
    }
    if (shown < count)
        write_line(canvas, 24, 124 + 24 * shown, SANS, QUIET, AT_START, arena_format(arena, "and %d more", count - shown));
}

static void draw_keys(Canvas *canvas, double width, double height)
{
    static const char *const lines[] = {
        "← →   head, or tile", "↑ ↓   matrix", "Space   play, pause", "C   colours", "E   save as PNG", "?   these keys",
        "Esc   back, then out",
    };
    canvas_rect(canvas, width / 2 - 150, height / 2 - 114, 300, 228, RULE);
    for (int l = 0; l < 7; l++)
        write_line(canvas, width / 2 - 110, height / 2 - 80 + 28 * l, SANS, INK, AT_START, lines[l]);
}

Canvas *view_draw(Arena *arena, const View *view, double width, double height, double scale)
{
    const Document *d = view->document;
    const Item *item = &d->items[view->item];
    Canvas *canvas = canvas_new(arena, width, height, scale);
    bool walk = shows_tiles(view) && view->item == d->walk.weights;
    HeatMap map = map_of(arena, view, width, height);
    place(canvas, heatmap_draw(arena, &map, scale), walk ? (int)(PANEL * scale) : 0);
    if (walk) draw_known(arena, canvas, view, height);

    const char *head = !item->heads      ? ""
                     : shows_tiles(view) ? arena_format(arena, " · tile %d of %d", view->head + 1, item->heads)
                                         : arena_format(arena, " · head %d of %d", view->head, item->heads);
    write_line(canvas, 24, 28, SANS_BOLD, INK, AT_START, d->title);
    write_line(canvas, width - 24, 28, SANS, QUIET, AT_END, arena_format(arena, "%d of %d", view->item + 1, d->count));
    canvas_line(canvas, 24, 44, width - 24, 44, 1, RULE);
    write_line(canvas, 24, height - 16, SANS, QUIET, AT_START,
               arena_format(arena, "%s%s · %d × %d · %s", item->name, head, map.values.rows, map.values.cols,
                            color_map_name(view->colors)));
    write_line(canvas, width - 24, height - 16, SANS, QUIET, AT_END, "? lists the keys");
    if (view->help) draw_keys(canvas, width, height);
    return canvas;
}
