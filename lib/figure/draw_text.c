// Draws and measures text: letter positions, caret positions, and pixels.
//
// Widths come from a table (letter_widths.c), not from the font, so a picture has the same layout on every machine. A
// letter from another font is centred in its width. A text with letters that are not in the table is laid out by a
// shaper (shaping.c), if the program has set one.
#include "base/portable_math.h"
#include "figure/raster.h"
#include "figure/record.h"
#include "figure/shaping.h"
#include "figure/stamps.h"

#include <string.h>

// ---- shaped text ----------------------------------------------------------------------------------------------------

const ShapedText *shaping_text(CanvasFace face, const char *text)
{
    const Shaping *shaping = shaping_current();
    if (!shaping) return NULL;
    for (const char *at = text; *at;) {
        if ((unsigned char)*at < 0x80) at++;
        else if (!glyph_code_known(glyph_code_next(&at))) return shaping->lay(face, text);
    }
    return NULL;
}

const Glyph *shaping_outline(ShapedGlyph at)
{
    if (at.font <= CANVAS_MONO) return glyph_find((CanvasFace)at.font, at.code);
    const Shaping *shaping = shaping_current();
    return shaping ? shaping->glyph(at.font, at.code) : NULL;
}

int canvas_text_letter(const char *text)
{
    const Shaping *shaping = shaping_current();
    const char *next = text;
    if (*text) glyph_code_next(&next);
    bool plain = !*text || ((unsigned char)*text < 0x80 && (unsigned char)*next < 0x80);
    return shaping && !plain ? shaping->letter(text) : (int)(next - text);
}

int canvas_text_letter_before(const char *text, int at)
{
    int before = 0;
    for (int next = 0; next < at; next += canvas_text_letter(text + next)) {
        if (!text[next]) break;
        before = next;
    }
    return before;
}

// ---- widths ---------------------------------------------------------------------------------------------------------

static double size_of(CanvasText style) { return style.size > 0 ? style.size : 13; }

double canvas_text_width(CanvasText style, const char *text)
{
    const ShapedText *shaped = shaping_text(style.face, text);
    double ems = 0;
    if (shaped) return shaped->width * size_of(style);
    while (*text) ems += glyph_code_width(style.face, glyph_code_next(&text));
    return ems * size_of(style);
}

static const char *shortened(Arena *arena, const char *text, int end)
{
    while (end > 0 && text[end - 1] == ' ') end--;
    return arena_format(arena, "%.*s…", end, text);
}

// The longest prefix of a shaped text that fits with "…", by bisection, since its width is not a sum over letters.
static const char *fit_shaped(Arena *arena, CanvasText style, const char *text, double width)
{
    int *ends = arena_alloc(arena, (strlen(text) + 1) * sizeof *ends), count = 1, low = 0;
    ends[0] = 0;
    for (int at = 0; text[at]; ends[count++] = at) at += canvas_text_letter(text + at);
    for (int high = count - 1; high - low > 1;) {
        int middle = (low + high) / 2;
        ArenaMark mark = arena_mark(arena);
        bool fits = canvas_text_width(style, shortened(arena, text, ends[middle])) <= width;
        arena_release(arena, mark);
        *(fits ? &low : &high) = middle;
    }
    return shortened(arena, text, ends[low]);
}

const char *canvas_text_fit(Arena *arena, CanvasText style, const char *text, double width)
{
    if (canvas_text_width(style, text) <= width) return text;
    if (shaping_text(style.face, text)) return fit_shaped(arena, style, text, width);
    double available = width / size_of(style) - glyph_code_width(style.face, 0x2026), ems = 0;
    const char *end = text, *next = text;
    while (*next) {
        ems += glyph_code_width(style.face, glyph_code_next(&next));
        if (ems > available) break;
        end = next;
    }
    return shortened(arena, text, (int)(end - text));
}

const char *canvas_text_apart(Arena *arena, const char *word)
{
    return shaping_text(CANVAS_SANS, word) ? arena_format(arena, "\u2068%s\u2069", word) : word;
}

// ---- the caret ------------------------------------------------------------------------------------------------------

double canvas_text_caret(CanvasText style, const char *text, int at)
{
    const ShapedText *shaped = shaping_text(style.face, text);
    double ems = 0;
    if (shaped) {
        int s = 0;
        while (s < shaped->stops - 1 && shaped->stop[s].at < at) s++;
        return shaped->stop[s].x * size_of(style);
    }
    for (const char *next = text; *next && next - text < at;)
        ems += glyph_code_width(style.face, glyph_code_next(&next));
    return ems * size_of(style);
}

// At a change of direction one byte offset has two positions; the caret visits both.
static bool is_left_of(ShapedStop a, ShapedStop b) { return a.x < b.x || (a.x <= b.x && a.at < b.at); }

int canvas_text_caret_moved(CanvasText style, const char *text, int at, int step)
{
    const ShapedText *shaped = shaping_text(style.face, text);
    if (!shaped) return step < 0 ? canvas_text_letter_before(text, at) : at + canvas_text_letter(text + at);
    int from = 0, to = -1;
    while (from < shaped->stops - 1 && shaped->stop[from].at < at) from++;
    for (int s = 0; s < shaped->stops; s++) {
        ShapedStop here = shaped->stop[from], stop = shaped->stop[s];
        bool beyond = step < 0 ? is_left_of(stop, here) : is_left_of(here, stop);
        if (!beyond) continue;
        bool nearer = to < 0 || (step < 0 ? is_left_of(shaped->stop[to], stop) : is_left_of(stop, shaped->stop[to]));
        if (nearer) to = s;
    }
    return to < 0 ? at : shaped->stop[to].at;
}

// ---- on the canvas --------------------------------------------------------------------------------------------------

// The placement of a text: start of the baseline, reading direction and up direction, in pixels.
typedef struct {
    double x, y, along_x, along_y, up_x, up_y, em;
    bool axis_aligned; // axis-aligned: letters are snapped to the pixel grid
    double x_height, cap_height, overshoot, x_to, cap_to;
    CanvasBox whole, box; // bounding box: on the canvas, and its part inside the clip
} TextPlacement;

// Grid fitting: moves the alignment heights of small upright letters to whole pixels, which keeps their edges sharp.
static void placement_snap(TextPlacement *set, CanvasFace face)
{
    GlyphFaceShape shape = glyph_face_shape(face);
    set->x_height = shape.x_height * set->em;
    set->cap_height = shape.cap_height * set->em;
    set->overshoot = shape.overshoot * set->em < 0.5 ? shape.overshoot * set->em : 0;
    set->x_to = floor(set->x_height + 0.5);
    set->cap_to = floor(set->cap_height + 0.5);
}

static TextPlacement placement_of(const Canvas *canvas, double x, double y, CanvasText style, double width)
{
    double turns = style.angle / 90, radians = style.angle * 0.017453292519943295;
    TextPlacement set = { .em = size_of(style) * canvas->scale, .axis_aligned = turns == floor(turns) };
    int quarter = set.axis_aligned ? (int)fmod(fmod(turns, 4) + 4, 4) : 0;
    double c = set.axis_aligned ? (double[]){ 1, 0, -1, 0 }[quarter] : cos(radians);
    double s = set.axis_aligned ? (double[]){ 0, 1, 0, -1 }[quarter] : sin(radians);
    double back = width * (style.anchor == CANVAS_AT_START ? 0 : style.anchor == CANVAS_AT_MIDDLE ? 0.5 : 1);
    set.along_x = c;
    set.along_y = -s;
    set.up_x = -s;
    set.up_y = -c;
    set.x = raster_canvas_pixels(canvas, x - back * c);
    set.y = raster_canvas_pixels(canvas, y + back * s);
    if (set.axis_aligned && c != 0) set.y = floor(set.y + 0.5);
    if (set.axis_aligned && s != 0) set.x = floor(set.x + 0.5);
    if (set.axis_aligned) placement_snap(&set, style.face);
    return set;
}

// The bounding box in pixels, with a margin of one pixel. It depends on the table's widths only, except for shaped
// text.
static CanvasBox placement_box(const TextPlacement *set, double length, const ShapedText *shaped)
{
    double down = -0.28 * set->em, up = 0.98 * set->em, margin = shaped ? 0.15 * set->em : 0;
    double x0 = 1e9, x1 = -1e9, y0 = 1e9, y1 = -1e9;
    if (shaped) {
        down = fmin(down, shaped->low * set->em);
        up = fmax(up, shaped->high * set->em);
    }
    for (int corner = 0; corner < 4; corner++) {
        double along = corner & 1 ? length + margin : -margin, rise = corner & 2 ? up : down;
        double x = set->x + along * set->along_x + rise * set->up_x;
        double y = set->y + along * set->along_y + rise * set->up_y;
        x0 = fmin(x0, x);
        x1 = fmax(x1, x);
        y0 = fmin(y0, y);
        y1 = fmax(y1, y);
    }
    int left = (int)floor(x0) - 1, top = (int)floor(y0) - 1;
    return (CanvasBox){ left, top, (int)ceil(x1) + 1 - left, (int)ceil(y1) + 1 - top };
}

static void add_text_box(Canvas *canvas, CanvasBox box)
{
    if (box.width == 0 || box.height == 0) return;
    if (canvas->text_count == canvas->text_room) {
        int capacity = canvas->text_room ? 2 * canvas->text_room : 64;
        CanvasBox *more = arena_alloc(canvas->arena, (size_t)capacity * sizeof *more);
        if (canvas->text_count) memcpy(more, canvas->text, (size_t)canvas->text_count * sizeof *more);
        canvas->text = more;
        canvas->text_room = capacity;
    }
    canvas->text[canvas->text_count++] = box;
}

// A height above the baseline in pixels after grid fitting, linearly interpolated.
static double snapped(const TextPlacement *set, double y)
{
    double over = set->overshoot, x = set->x_height, cap = set->cap_height;
    if (!set->axis_aligned || !(x > over && cap > x + over)) return y;
    if (y <= 0) return fmin(y + over, 0);
    if (y <= x) return y * set->x_to / x;
    if (y <= x + over) return set->x_to;
    if (y <= cap) return set->x_to + (y - x - over) * (set->cap_to - set->x_to) / (cap - x - over);
    if (y <= cap + over) return set->cap_to;
    return set->cap_to + y - cap - over;
}

// The glyph's outline (glyph->count edges of x0, y0, x1, y1) in pixels on a grid of 1/256, relative to the whole-pixel
// position; and its bounding box.
static const double *glyph_outline(Arena *arena, const TextPlacement *set, const StampKey *key, const Glyph *glyph,
                                   CanvasBox *box)
{
    double x0 = 1e9, x1 = -1e9, y0 = 1e9, y1 = -1e9, start_x = key->x / 256.0, start_y = key->y / 256.0;
    double *xy = arena_alloc(arena, (size_t)glyph->count * 4 * sizeof *xy);
    for (int e = 0; e < 2 * glyph->count; e++) {
        const GlyphEdge *edge = &glyph->edges[e / 2];
        double along = key->pen + (double)(e % 2 ? edge->x1 : edge->x0) * set->em;
        double rise = (double)(e % 2 ? edge->y1 : edge->y0) * set->em;
        if (key->font < SHAPING_FONT_OTHERS) rise = snapped(set, rise);
        double x = floor((start_x + along * set->along_x + rise * set->up_x) * 256 + 0.5) / 256;
        double y = floor((start_y + along * set->along_y + rise * set->up_y) * 256 + 0.5) / 256;
        xy[2 * e] = x;
        xy[2 * e + 1] = y;
        x0 = x < x0 ? x : x0;
        x1 = x > x1 ? x : x1;
        y0 = y < y0 ? y : y0;
        y1 = y > y1 ? y : y1;
    }
    int left = (int)floor(x0), top = (int)floor(y0);
    *box = (CanvasBox){ left, top, (int)ceil(x1) - left, (int)ceil(y1) - top };
    return xy;
}

// Draws a glyph that is too large to cache directly, clipped to `whole`.
static void draw_large(Canvas *canvas, const double *xy, int edges, CanvasBox around, int x, int y, CanvasBox whole,
                       Color color)
{
    around.x += x;
    around.y += y;
    RasterCover cover = raster_cover_open(canvas->arena, raster_box_meet(around, whole));
    for (int e = 0; e < edges; e++, xy += 4) raster_cover_edge(&cover, xy[0] + x, xy[1] + y, xy[2] + x, xy[3] + y);
    raster_cover_paint(canvas, &cover, color);
}

// Draws a cached glyph at its position, clipped to `box`.
static void draw_stamp(Canvas *canvas, const Stamp *stamp, int x, int y, CanvasBox box, Color color)
{
    CanvasBox whole = { stamp->box.x + x, stamp->box.y + y, stamp->box.width, stamp->box.height };
    CanvasBox part = raster_box_meet(whole, box);
    uint32_t word = color_word(color);
    for (int row = part.y; row < part.y + part.height; row++) {
        const uint8_t *alphas = stamp->alphas + (size_t)(row - whole.y) * (size_t)whole.width + (part.x - whole.x);
        uint32_t *words = canvas_words(canvas, part.x, row);
        for (int k = 0; k < part.width; k++)
            if (alphas[k]) words[k] = word_mix(words[k], word, alphas[k]);
    }
}

// pen, rise: pixels from the start of the text, along and above the baseline.
static void draw_glyph(Canvas *canvas, const TextPlacement *set, const Glyph *glyph, int font, Color color, double pen,
                       double rise)
{
    CanvasBox box = set->box;
    double at = floor(pen * 4 + 0.5) / 4, over = floor(rise * 4 + 0.5) / 4, far = (2 + glyph->advance) * set->em;
    double x = set->x + over * set->up_x, y = set->y + over * set->up_y;
    double place_x = x + at * set->along_x, place_y = y + at * set->along_y;
    if (glyph->count == 0 || !(place_x > box.x - far && place_x < box.x + box.width + far)) return;
    if (!(place_y > box.y - far && place_y < box.y + box.height + far)) return;

    if (set->axis_aligned) {
        x = place_x;
        y = place_y;
        at = 0;
    }
    int whole_x = (int)floor(x), whole_y = (int)floor(y);
    StampKey key = { font,
                     glyph->code,
                     set->em,
                     set->along_x,
                     set->along_y,
                     at,
                     (int)((x - whole_x) * 256),
                     (int)((y - whole_y) * 256) };
    const Stamp *stamp = stamp_find(&key);
    if (stamp) {
        draw_stamp(canvas, stamp, whole_x, whole_y, box, color);
        return;
    }
    ArenaMark mark = arena_mark(canvas->arena);
    CanvasBox around;
    const double *xy = glyph_outline(canvas->arena, set, &key, glyph, &around);
    Stamp *fresh = stamp_add(&key, around);
    if (fresh) {
        RasterCover cover = raster_cover_open(canvas->arena, around);
        for (int e = 0; e < glyph->count; e++)
            raster_cover_edge(&cover, xy[4 * e], xy[4 * e + 1], xy[4 * e + 2], xy[4 * e + 3]);
        raster_cover_keep(&cover, fresh->alphas);
        draw_stamp(canvas, fresh, whole_x, whole_y, box, color);
    } else {
        draw_large(canvas, xy, glyph->count, around, whole_x, whole_y, set->whole, color);
    }
    arena_release(canvas->arena, mark);
}

// Draws a letter from the built-in fonts, centred in its width, and returns that width.
static double draw_letter(Canvas *canvas, const TextPlacement *set, CanvasText style, uint32_t code, double pen)
{
    const Glyph *glyph = glyph_find(style.face, code);
    double width = glyph_code_width(style.face, code) * set->em,
           offset = glyph ? (width - glyph->advance * set->em) / 2 : 0;
    if (glyph) draw_glyph(canvas, set, glyph, (int)style.face, style.color, pen + offset, 0);
    return width;
}

static void draw_shaped(Canvas *canvas, const TextPlacement *set, CanvasText style, const ShapedText *shaped)
{
    for (int g = 0; g < shaped->count; g++) {
        ShapedGlyph at = shaped->glyphs[g];
        if (at.font <= CANVAS_MONO) draw_letter(canvas, set, style, at.code, at.x * set->em);
        else draw_glyph(canvas, set, shaping_outline(at), at.font, style.color, at.x * set->em, at.y * set->em);
    }
}

void canvas_text(Canvas *canvas, double x, double y, CanvasText style, const char *text)
{
    const ShapedText *shaped = shaping_text(style.face, text);
    double width = shaped ? shaped->width * size_of(style) : canvas_text_width(style, text), pen = 0;
    if (!(width > 0)) return;
    TextPlacement set = placement_of(canvas, x, y, style, width);
    record_text(canvas, x, y, style, width, text);
    set.whole = raster_box_meet(placement_box(&set, width * canvas->scale, shaped), raster_canvas_box(canvas));
    set.box = raster_box_clip(set.whole, canvas);
    add_text_box(canvas, set.box);
    if (set.box.width == 0 || set.box.height == 0) return;
    if (shaped) draw_shaped(canvas, &set, style, shaped);
    else
        while (*text) pen += draw_letter(canvas, &set, style, glyph_code_next(&text), pen);
}

const char *canvas_text_boxes(Arena *arena, const Canvas *canvas)
{
    char *list = "";
    for (int b = 0; b < canvas->text_count; b++) {
        CanvasBox box = canvas->text[b];
        list = arena_format(arena, "%s%d %d %d %d\n", list, box.x, box.y, box.width, box.height);
    }
    return list;
}
