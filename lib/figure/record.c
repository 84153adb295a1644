// The display list: each operation is copied, with its data. Operations of zero size are dropped.
#include "figure/record.h"

#include "base/error.h"
#include "base/portable_math.h"

#include <string.h>

void canvas_record(Canvas *canvas, Arena *arena)
{
    if (!arena) return;
    REQUIRE(arena != canvas->arena, "a record needs an arena of its own: the canvas gives memory of its arena back");
    canvas->record = arena_alloc(arena, sizeof *canvas->record);
    canvas->record->arena = arena;
}

static void append(Record *record, RecordOperation operation)
{
    RecordOperation *kept = arena_alloc(record->arena, sizeof *kept);
    *kept = operation;
    *(record->last ? &record->last->next : &record->first) = kept;
    record->last = kept;
}

static void *copy_data(const Record *record, const void *at, size_t size)
{
    return memcpy(arena_alloc(record->arena, size), at, size);
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

void record_rect(Canvas *canvas, double x, double y, double width, double height, Color color, double opacity)
{
    if (!canvas->record || !(width > 0 && height > 0)) return;
    append(canvas->record,
           (RecordOperation){
               .kind = RECORD_RECT, .color = color, .opacity = opacity, .box = { x, y, width, height } });
}

void record_frame(Canvas *canvas, double x, double y, double width, double height, double thick, Color color)
{
    if (!canvas->record || !(width > thick && height > thick)) return;
    append(canvas->record,
           (RecordOperation){ .kind = RECORD_FRAME, .color = color, .thick = thick, .box = { x, y, width, height } });
}

void record_hatch(Canvas *canvas, double x, double y, double width, double height)
{
    if (!canvas->record || !(width > 0 && height > 0)) return;
    append(canvas->record, (RecordOperation){ .kind = RECORD_HATCH, .box = { x, y, width, height } });
}

void record_clip(Canvas *canvas, double x, double y, double width, double height)
{
    if (!canvas->record) return;
    append(canvas->record, (RecordOperation){ .kind = RECORD_CLIP, .box = { x, y, fmax(width, 0), fmax(height, 0) } });
    canvas->record->open++;
}

void record_unclip(Canvas *canvas)
{
    if (!canvas->record) return;
    REQUIRE(canvas->record->open > 0, "canvas_unclip without a canvas_clip");
    append(canvas->record, (RecordOperation){ .kind = RECORD_UNCLIP });
    canvas->record->open--;
}

// ---- paths ----------------------------------------------------------------------------------------------------------

static void record_path(Canvas *canvas, RecordKind kind, const double *xy, int points, double thick, Color color)
{
    Record *record = canvas->record;
    if (!record) return;
    const double *kept = copy_data(record, xy, (size_t)points * 2 * sizeof *xy);
    append(record, (RecordOperation){ .kind = kind, .color = color, .thick = thick, .path = { kept, points } });
}

void record_line(Canvas *canvas, const double xy[4], double thick, Color color)
{
    record_path(canvas, RECORD_LINE, xy, 2, thick, color);
}

void record_polyline(Canvas *canvas, const double *xy, int points, double thick, Color color)
{
    record_path(canvas, RECORD_POLYLINE, xy, points, thick, color);
}

void record_curve(Canvas *canvas, const double xy[8], double thick, Color color)
{
    record_path(canvas, RECORD_CURVE, xy, 4, thick, color);
}

void record_polygon(Canvas *canvas, const double *xy, int points, Color color)
{
    record_path(canvas, RECORD_POLYGON, xy, points, 0, color);
}

// ---- other operations -----------------------------------------------------------------------------------------------

void record_disc(Canvas *canvas, double x, double y, double radius, Color color)
{
    if (!canvas->record || !(radius > 0)) return;
    append(canvas->record, (RecordOperation){ .kind = RECORD_DISC, .color = color, .disc = { x, y, radius } });
}

void record_text(Canvas *canvas, double x, double y, CanvasText style, double width, const char *words)
{
    Record *record = canvas->record;
    if (!record) return;
    const char *kept = copy_data(record, words, strlen(words) + 1);
    append(record,
           (RecordOperation){ .kind = RECORD_TEXT, .color = style.color, .text = { x, y, width, style, kept } });
}

void record_cells(Canvas *canvas, const int *columns, const int *lines, int rows, int cols, const Color *colors,
                  int stride)
{
    Record *record = canvas->record;
    if (!record || rows < 1 || cols < 1 || columns[cols] <= columns[0] || lines[rows] <= lines[0]) return;
    size_t width = (size_t)cols;
    Color *kept = arena_alloc(record->arena, (size_t)rows * width * sizeof *kept);
    for (int i = 0; i < rows; i++)
        memcpy(kept + (size_t)i * width, colors + (size_t)i * (size_t)stride, width * sizeof *kept);
    const int *edges_across = copy_data(record, columns, (width + 1) * sizeof *columns);
    const int *edges_down = copy_data(record, lines, ((size_t)rows + 1) * sizeof *lines);
    append(record, (RecordOperation){ .kind = RECORD_CELLS, .cells = { edges_across, edges_down, rows, cols, kept } });
}

// ---- queries --------------------------------------------------------------------------------------------------------

const char *canvas_text_words(Arena *arena, const Canvas *canvas)
{
    const RecordOperation *before = NULL;
    char *words = "";
    for (const RecordOperation *o = canvas->record ? canvas->record->first : NULL; o; o = o->next) {
        if (o->kind != RECORD_TEXT) continue;
        const char *apart = !before ? "" : before->text.y == o->text.y ? " " : "\n";
        words = arena_format(arena, "%s%s%s", words, apart, o->text.words);
        before = o;
    }
    return words;
}
