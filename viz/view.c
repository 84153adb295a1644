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

static int clamp(int n, int most) { return n < 0 ? 0 : n > most ? most : n; }

View view_update(View view, Key key)
{
    if (key == KEY_HELP) view.help = !view.help;
    if (key == KEY_BACK && !view.help) view.quit = true;
    if (key == KEY_BACK) view.help = false;
    if (key == KEY_COLORS) view.colors = (ColorMap)((view.colors + 1) % (DIVERGING + 1));
    if (key == KEY_UP || key == KEY_DOWN)
        view.item = clamp(view.item + (key == KEY_DOWN ? 1 : -1), view.document->count - 1);
    int heads = view.document->items[view.item].heads;
    if (key == KEY_LEFT || key == KEY_RIGHT) view.head += key == KEY_RIGHT ? 1 : -1;
    view.head = clamp(view.head, heads ? heads - 1 : 0);
    return view;
}

// A copy of `from` in the middle of `to`.
static void place(Canvas *to, const Canvas *from)
{
    int left = (to->width - from->width) / 2, top = (to->height - from->height) / 2;
    int width = from->width < to->width ? from->width : to->width, height = from->height < to->height ? from->height : to->height;
    left = left < 0 ? 0 : left;
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

static HeatMap map_of(Arena *arena, const View *view, double width, double height)
{
    const Document *d = view->document;
    Mat m = document_map(d, view->item, view->head);
    bool named = m.rows == d->queries_count, across = is_map(&d->items[view->item]) && m.cols == d->keys_count;
    double cell = fmin((width - 260) / m.cols, (height - 260) / m.rows);
    return (HeatMap){
        .values = m, .hidden = hidden_cells(arena, m), .row_labels = named ? d->queries : NULL,
        .col_labels = across ? d->keys : NULL, .row_title = across ? "query (attends from)" : "token",
        .col_title = across ? "key (attended to)" : "column", .colors = view->colors, .decimals = 2,
        .high = looks_like_weights(m) ? 1.0 : 0.0, .cell = fmax(floor(cell), 1),
    };
}

static void write_line(Canvas *canvas, double x, double y, Face face, Color color, Anchor anchor, const char *text)
{
    canvas_text(canvas, x, y, (Text){ .face = face, .color = color, .anchor = anchor }, text);
}

static void draw_keys(Canvas *canvas, double width, double height)
{
    static const char *const lines[] = { "← →   head", "↑ ↓   matrix", "C   colours", "E   save as PNG", "?   these keys", "Esc   back, then out" };
    canvas_rect(canvas, width / 2 - 150, height / 2 - 100, 300, 200, RULE);
    for (int l = 0; l < 6; l++) write_line(canvas, width / 2 - 110, height / 2 - 66 + 28 * l, SANS, INK, AT_START, lines[l]);
}

Canvas *view_draw(Arena *arena, const View *view, double width, double height, double scale)
{
    const Document *d = view->document;
    const Item *item = &d->items[view->item];
    Canvas *canvas = canvas_new(arena, width, height, scale);
    HeatMap map = map_of(arena, view, width, height);
    place(canvas, heatmap_draw(arena, &map, scale));

    const char *head = item->heads ? arena_format(arena, " · head %d of %d", view->head, item->heads) : "";
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
