// The frame of the file: its size in points, the paper, the hatching, and what the record holds.
#include "figure/svg.h"

#include "figure/record.h"

#include <stdlib.h>
#include <string.h>

// Lines through x + y = 3, 9, 15, … from the corner, 1.2 wide along an axis: canvas.c's hatching.
static void put_pattern(Record *head)
{
    put(head, "<pattern id=\"masked\" patternUnits=\"userSpaceOnUse\" width=\"6\" height=\"6\">");
    put(head, "<rect width=\"6\" height=\"6\"");
    put_color(head, "fill", color_mix(PAPER, RULE, 0.5));
    put(head, "/><path d=\"M-1,4 L4,-1 M2,7 L7,2\" stroke-width=\"0.849\"");
    put_color(head, "stroke", color_mix(RULE, QUIET, 0.4));
    put(head, "/></pattern>\n");
}

static void put_head(Record *head, const Canvas *canvas)
{
    double width = canvas->width / canvas->scale, height = canvas->height / canvas->scale;
    put(head, "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
    put_attribute(head, "width", width);
    put_attribute(head, "height", height);
    put(head, " viewBox=\"0 0 ");
    put_number(head, width);
    put(head, " ");
    put_number(head, height);
    put(head, "\" font-family=\"DejaVu Sans, sans-serif\" xml:space=\"preserve\">\n");
    if (canvas->record->hatched) put_pattern(head);
    put(head, "<rect width=\"100%\" height=\"100%\"");
    put_color(head, "fill", PAPER);
    put(head, "/>\n");
}

static char *copy(char *to, const Record *record)
{
    for (const Piece *piece = record->first; piece; piece = piece->next) {
        memcpy(to, piece->at, piece->used);
        to += piece->used;
    }
    return to;
}

bool svg_encode(char **out, size_t *size, const Canvas *canvas, Error *error)
{
    REQUIRE(canvas->record, "the canvas was not recorded");
    REQUIRE(canvas->record->open == 0, "%d canvas_clip without their canvas_unclip", canvas->record->open);
    static const char tail[] = "</svg>\n";
    Record head = { .arena = arena_open() };
    put_head(&head, canvas);
    *size = head.size + canvas->record->size + sizeof tail - 1;
    *out = malloc(*size + 1);
    if (*out) memcpy(copy(copy(*out, &head), canvas->record), tail, sizeof tail);
    arena_close(head.arena);
    return *out || error_set(error, "an SVG of %zu bytes needs more memory than there is", *size);
}
