// Shapes a text in four passes: letters (grapheme clusters) and bidi levels; a font for each letter; runs of one font,
// script and direction in visual order; positioned glyphs of each run.
//
// Results are cached in ems, for any size. fontconfig is initialised at the first letter that the built-in font lacks.
// The font of a letter does not depend on what was drawn before: the same text gives the same picture.
#include "figure/shaping.h"

#ifdef HAVE_SHAPING

    #include "base/memory.h"
    #include "base/portable_math.h"

    #include <fontconfig/fontconfig.h>
    #include <fribidi.h>
    #include <glob.h>
    #include <hb-ot.h>
    #include <hb.h>
    #include <stdlib.h>
    #include <string.h>

enum { FACES = CANVAS_MONO + 1, NO_FONT = -1, HIDDEN = -2, FONTS_MOST = 200, LINES = 1 << 12, LINES_MOST = LINES / 2 };

// ---- fonts ----------------------------------------------------------------------------------------------------------

typedef struct {
    Glyph **slots;
    int capacity, count;
} GlyphTable;

typedef struct {
    hb_font_t *font;
    double em;  // ems per font unit
    char *path; // NULL: a built-in font
    int index;  // in a font collection
    GlyphTable glyphs;
} Opened;

static Opened
    opened[SHAPING_FONT_SYSTEM + FONTS_MOST]; // by font number; of the first three only SHAPING_FONT_BOOK … are used
static int opened_count = SHAPING_FONT_SYSTEM;

static FcConfig *config;         // NULL: not loaded yet
static FcFontSet *sorted[FACES]; // the system's fonts, best match first

static void opened_set(Opened *to, hb_blob_t *blob, int index)
{
    hb_face_t *face = hb_face_create(blob, (unsigned)index);
    unsigned units = hb_face_get_upem(face);
    to->font = hb_font_create(face);
    to->em = 1.0 / units;
    hb_font_set_scale(to->font, (int)units, (int)units);
    hb_face_destroy(face);
}

// The built-in font of that face; NO_FONT if it is missing.
static int font_of_book(CanvasFace face)
{
    size_t size;
    Opened *to = &opened[SHAPING_FONT_BOOK + (int)face];
    if (!to->font) {
        const void *bytes = glyphs_font(face, &size);
        if (!bytes) return NO_FONT;
        hb_blob_t *blob = hb_blob_create(bytes, (unsigned)size, HB_MEMORY_MODE_READONLY, NULL, NULL);
        opened_set(to, blob, 0);
        hb_blob_destroy(blob);
    }
    return SHAPING_FONT_BOOK + (int)face;
}

// The font number of a system font; NO_FONT if it cannot be read.
static int font_of_file(const char *path, int index)
{
    for (int f = SHAPING_FONT_SYSTEM; f < opened_count; f++)
        if (opened[f].index == index && !strcmp(opened[f].path, path)) return opened[f].font ? f : NO_FONT;
    if (opened_count == SHAPING_FONT_SYSTEM + FONTS_MOST) return NO_FONT;
    Opened *to = &opened[opened_count];
    size_t length = strlen(path) + 1;
    to->path = memcpy(memory_new(length), path, length);
    to->index = index;
    hb_blob_t *blob = hb_blob_create_from_file_or_fail(path);
    if (blob) opened_set(to, blob, index & 0xffff);
    hb_blob_destroy(blob);
    opened_count++;
    return to->font ? opened_count - 1 : NO_FONT;
}

static void add_fonts_of(const char *folder)
{
    glob_t found;
    Arena *arena = arena_open();
    if (!glob(arena_format(arena, "%s/*.[ot]t[cf]", folder), 0, NULL, &found)) {
        for (size_t n = 0; n < found.gl_pathc; n++) FcConfigAppFontAddFile(config, (const FcChar8 *)found.gl_pathv[n]);
        globfree(&found);
    }
    arena_close(arena);
}

// The system's fonts, or only those in the folder MANYHEADS_FONTS, as for the built-in fonts.
static FcConfig *font_config(void)
{
    if (config) return config;
    const char *folder = getenv("MANYHEADS_FONTS");
    if (!folder || !*folder) return config = FcInitLoadConfigAndFonts();
    config = FcConfigCreate();
    add_fonts_of(folder);
    return config;
}

static FcFontSet *fonts_sorted(CanvasFace face)
{
    if (sorted[face] || !font_config()) return sorted[face];
    FcResult result;
    FcPattern *wanted = FcPatternCreate();
    FcPatternAddString(wanted, FC_FAMILY, (const FcChar8 *)(face == CANVAS_MONO ? "monospace" : "sans-serif"));
    FcPatternAddInteger(wanted, FC_WEIGHT, face == CANVAS_SANS_BOLD ? FC_WEIGHT_BOLD : FC_WEIGHT_REGULAR);
    FcPatternAddInteger(wanted, FC_SLANT, FC_SLANT_ROMAN);
    FcConfigSubstitute(config, wanted, FcMatchPattern);
    FcDefaultSubstitute(wanted);
    sorted[face] = FcFontSort(config, wanted, FcFalse, NULL, &result);
    FcPatternDestroy(wanted);
    return sorted[face];
}

// Colour and bitmap fonts have no outlines that could be filled with a colour.
static bool has_outlines(FcPattern *font)
{
    FcBool outline = FcTrue, color = FcFalse;
    FcPatternGetBool(font, FC_OUTLINE, 0, &outline);
    FcPatternGetBool(font, FC_COLOR, 0, &color);
    return outline && !color;
}

// ---- letters (grapheme clusters) ------------------------------------------------------------------------------------

static hb_unicode_general_category_t category(uint32_t code)
{
    return hb_unicode_general_category(hb_unicode_funcs_get_default(), code);
}

static bool is_mark(uint32_t code)
{
    hb_unicode_general_category_t of = category(code);
    return of == HB_UNICODE_GENERAL_CATEGORY_NON_SPACING_MARK || of == HB_UNICODE_GENERAL_CATEGORY_SPACING_MARK ||
           of == HB_UNICODE_GENERAL_CATEGORY_ENCLOSING_MARK;
}

enum { ZWNJ = 0x200c, ZWJ = 0x200d };

static bool is_regional_indicator(uint32_t code)
{
    return code >= 0x1f1e6 && code < 0x1f200;
} // a regional indicator, half of a flag
static bool is_vowel_of_hangul(uint32_t code) { return code >= 0x1160 && code < 0x1200; }
static bool is_hangul(uint32_t code) { return (code >= 0x1100 && code < 0x1200) || (code >= 0xac00 && code < 0xd7a4); }
static bool is_virama(uint32_t code) { return hb_unicode_combining_class(hb_unicode_funcs_get_default(), code) == 9; }

// Default-ignorable code points: invisible, but they affect how others are shaped.
static bool is_hidden(uint32_t code)
{
    return (code >= 0x200b && code <= 0x200f) || (code >= 0x202a && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || (code >= 0xfe00 && code <= 0xfe0f) || code == 0xfeff ||
           (code >= 0xe0000 && code <= 0xe0fff);
}

// Does `code` extend the cluster that ends with `last` and has `flags` regional indicators?  [Unicode, UAX 29, §3.1.1]
static bool extends_cluster(uint32_t last, uint32_t code, int flags)
{
    if (is_mark(code) || code == ZWNJ || code == ZWJ || code == 0xe33 || code == 0xeb3) return true;
    if ((code >= 0x1f3fb && code <= 0x1f3ff) || (code >= 0xe0020 && code <= 0xe007f)) return true;
    if (last == ZWJ) return code >= 0x1f000 || category(code) == HB_UNICODE_GENERAL_CATEGORY_OTHER_SYMBOL;
    if (is_regional_indicator(code)) return flags == 1;
    if (is_hangul(last) && last < 0xac00 && is_hangul(code)) return last < 0x1160 || code >= 0x1160;
    if (is_hangul(last)) return is_vowel_of_hangul(code);
    return is_virama(last) && category(code) == HB_UNICODE_GENERAL_CATEGORY_OTHER_LETTER;
}

static int letter_size(const char *text)
{
    const char *end = text;
    if (!*text) return 0;
    uint32_t last = glyph_code_next(&end);
    for (int flags = is_regional_indicator(last); *end;) {
        const char *next = end;
        uint32_t code = glyph_code_next(&next);
        if (!extends_cluster(last, code, flags)) break;
        flags += is_regional_indicator(code);
        last = code;
        end = next;
    }
    return (int)(end - text);
}

// ---- outlines -------------------------------------------------------------------------------------------------------

typedef struct {
    GlyphEdge *edges;
    int count, capacity;
    double em, x, y, first_x, first_y;
} Pen;

static void pen_edge(Pen *pen, double x, double y)
{
    if (pen->count == pen->capacity) {
        pen->capacity = 2 * pen->capacity + 64;
        pen->edges = memory_resized(pen->edges, (size_t)pen->capacity * sizeof *pen->edges);
    }
    pen->edges[pen->count++] =
        (GlyphEdge){ (float)(pen->x * pen->em), (float)(pen->y * pen->em), (float)(x * pen->em), (float)(y * pen->em) };
    pen->x = x;
    pen->y = y;
}

static void unused(const void *f, const void *s, const void *user)
{
    (void)f;
    (void)s;
    (void)user;
}

static void pen_move(hb_draw_funcs_t *f, void *at, hb_draw_state_t *s, float x, float y, void *user)
{
    Pen *pen = at;
    unused(f, s, user);
    pen->x = pen->first_x = (double)x;
    pen->y = pen->first_y = (double)y;
}

static void pen_line(hb_draw_funcs_t *f, void *at, hb_draw_state_t *s, float x, float y, void *user)
{
    unused(f, s, user);
    pen_edge(at, (double)x, (double)y);
}

enum { PIECES = 6 }; // edges per curve, as in glyphs.c

static void pen_quadratic(hb_draw_funcs_t *f, void *at, hb_draw_state_t *s, float bx, float by, float x, float y,
                          void *user)
{
    Pen *pen = at;
    unused(f, s, user);
    double ax = pen->x, ay = pen->y;
    for (int k = 1; k <= PIECES; k++) {
        double t = k / (double)PIECES, u = 1 - t, a = u * u, b = 2 * u * t, c = t * t;
        pen_edge(pen, a * ax + b * (double)bx + c * (double)x, a * ay + b * (double)by + c * (double)y);
    }
}

static void pen_cubic(hb_draw_funcs_t *f, void *at, hb_draw_state_t *s, float bx, float by, float cx, float cy, float x,
                      float y, void *user)
{
    Pen *pen = at;
    unused(f, s, user);
    double ax = pen->x, ay = pen->y;
    for (int k = 1; k <= PIECES; k++) {
        double t = k / (double)PIECES, u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
        pen_edge(pen, a * ax + b * (double)bx + c * (double)cx + d * (double)x,
                 a * ay + b * (double)by + c * (double)cy + d * (double)y);
    }
}

static void pen_close(hb_draw_funcs_t *f, void *at, hb_draw_state_t *s, void *user)
{
    Pen *pen = at;
    unused(f, s, user);
    if (pen->x != pen->first_x || pen->y != pen->first_y) pen_edge(pen, pen->first_x, pen->first_y);
}

static hb_draw_funcs_t *pen_functions(void)
{
    hb_draw_funcs_t *functions = hb_draw_funcs_create();
    hb_draw_funcs_set_move_to_func(functions, pen_move, NULL, NULL);
    hb_draw_funcs_set_line_to_func(functions, pen_line, NULL, NULL);
    hb_draw_funcs_set_quadratic_to_func(functions, pen_quadratic, NULL, NULL);
    hb_draw_funcs_set_cubic_to_func(functions, pen_cubic, NULL, NULL);
    hb_draw_funcs_set_close_path_func(functions, pen_close, NULL, NULL);
    return functions;
}

static Glyph *outline_read(const Opened *from, uint32_t id)
{
    hb_draw_funcs_t *functions = pen_functions();
    Pen pen = { .em = from->em };
    #if HB_VERSION_ATLEAST(7, 0, 0)
    hb_font_draw_glyph(from->font, id, functions, &pen);
    #else
    hb_font_get_glyph_shape(from->font, id, functions, &pen);
    #endif
    hb_draw_funcs_destroy(functions);
    Glyph *glyph = memory_new(sizeof *glyph + (size_t)pen.count * sizeof glyph->edges[0]);
    *glyph = (Glyph){ id, pen.count, hb_font_get_glyph_h_advance(from->font, id) * from->em };
    if (pen.count) memcpy(glyph->edges, pen.edges, (size_t)pen.count * sizeof glyph->edges[0]);
    free(pen.edges);
    return glyph;
}

static Glyph **glyph_slot(const GlyphTable *table, uint32_t id)
{
    uint32_t slot = id * 2654435761u % (uint32_t)table->capacity;
    while (table->slots[slot] && table->slots[slot]->code != id) slot = (slot + 1) % (uint32_t)table->capacity;
    return &table->slots[slot];
}

static void table_grow(GlyphTable *table)
{
    GlyphTable more = { .capacity = table->capacity ? 2 * table->capacity : 64, .count = table->count };
    more.slots = memory_zeroed((size_t)more.capacity * sizeof *more.slots);
    for (int s = 0; s < table->capacity; s++)
        if (table->slots[s]) *glyph_slot(&more, table->slots[s]->code) = table->slots[s];
    free(table->slots);
    *table = more;
}

// Wide enough for all digits in one row.
static double box_width(uint32_t code) { return 0.19 + 0.34 * (code < 0x10000 ? 4 : code < 0x100000 ? 5 : 6); }

static const Glyph *outline_of(int font, uint32_t id)
{
    Opened *from = &opened[font];
    if (2 * from->glyphs.count >= from->glyphs.capacity) table_grow(&from->glyphs);
    Glyph **slot = glyph_slot(&from->glyphs, id);
    if (!*slot) {
        *slot = font == SHAPING_FONT_BOXES ? glyph_box(id, box_width(id)) : outline_read(from, id);
        from->glyphs.count++;
    }
    return *slot;
}

// ---- font fallback --------------------------------------------------------------------------------------------------

static bool font_has(int font, uint32_t code)
{
    hb_codepoint_t id;
    return font >= 0 && hb_font_get_nominal_glyph(opened[font].font, code, &id);
}

// `codes` (count) is one letter; default-ignorable code points need no glyph.
static bool font_has_all(int font, const uint32_t *codes, int count)
{
    for (int n = 0; n < count; n++)
        if (!is_hidden(codes[n]) && !font_has(font, codes[n])) return false;
    return true;
}

static bool set_has_all(const FcCharSet *set, const uint32_t *codes, int count)
{
    for (int n = 0; n < count; n++)
        if (!is_hidden(codes[n]) && !FcCharSetHasChar(set, codes[n])) return false;
    return true;
}

// The first system font that has the letter. The file may have changed since fontconfig read it, so it is checked.
static int font_of_system(CanvasFace face, const uint32_t *codes, int count)
{
    FcFontSet *fonts = fonts_sorted(face);
    for (int n = 0; fonts && n < fonts->nfont; n++) {
        FcCharSet *set;
        FcChar8 *path;
        int index = 0;
        if (FcPatternGetCharSet(fonts->fonts[n], FC_CHARSET, 0, &set) != FcResultMatch) continue;
        if (!set_has_all(set, codes, count) || !has_outlines(fonts->fonts[n])) continue;
        if (FcPatternGetString(fonts->fonts[n], FC_FILE, 0, &path) != FcResultMatch) continue;
        FcPatternGetInteger(fonts->fonts[n], FC_INDEX, 0, &index);
        int font = font_of_file((const char *)path, index);
        if (font_has_all(font, codes, count)) return font;
    }
    return NO_FONT;
}

// A font for the whole letter, or at least for its base character.
static int font_for(CanvasFace face, const uint32_t *codes, int count)
{
    for (int wanted = count; wanted >= 1; wanted = wanted > 1 ? 1 : 0) {
        int font = font_of_book(face);
        if (font < 0 || !font_has_all(font, codes, wanted)) font = font_of_system(face, codes, wanted);
        if (font >= 0) return font;
    }
    return NO_FONT;
}

// ---- the state of a line --------------------------------------------------------------------------------------------

// font: a CanvasFace if the table has the letter and it is left to right; NO_FONT: a box; HIDDEN: nothing.
typedef struct {
    int font;
    hb_script_t script;
    FriBidiLevel level;
    bool begins;
    double before, after;
} Letter;

typedef struct {
    CanvasFace face;
    int count;
    uint32_t *codes; // (count)
    int *at;         // (count + 1) byte offsets
    Letter *letters; // (count)  before, after: caret positions, in ems
    int *seen;       // (count) in visual order
    Arena *arena;    // of the result
    ShapedText laid;
    int capacity; // of glyphs
    double pen;
} Line;

static void read_codes(Line *line, Arena *scratch, const char *text)
{
    size_t most = strlen(text) + 1;
    line->codes = arena_alloc(scratch, most * sizeof *line->codes);
    line->at = arena_alloc(scratch, most * sizeof *line->at);
    line->letters = arena_alloc(scratch, most * sizeof *line->letters);
    line->seen = arena_alloc(scratch, most * sizeof *line->seen);
    const char *next = text;
    for (int end = 0; *next; line->count++) {
        line->at[line->count] = (int)(next - text);
        if (next - text == end) {
            line->letters[line->count].begins = true;
            end += letter_size(next);
        }
        line->codes[line->count] = glyph_code_next(&next);
    }
    line->at[line->count] = (int)(next - text);
}

// Right to left only if the first strong letter is and most letters are: a sentence about a Hebrew file name is
// English.
static bool is_leftwards(const FriBidiCharType *types, int count)
{
    int right = 0, left = 0, inside = 0;
    bool first = false;
    for (int n = 0; n < count; n++) {
        if (FRIBIDI_IS_ISOLATE(types[n])) inside += types[n] == FRIBIDI_TYPE_PDI ? -(inside > 0) : 1;
        if (inside || !FRIBIDI_IS_LETTER(types[n])) continue;
        if (!right && !left) first = FRIBIDI_IS_RTL(types[n]);
        *(FRIBIDI_IS_RTL(types[n]) ? &left : &right) += 1;
    }
    return first && left > right;
}

// Bidi levels and visual order.
static void find_order(Line *line, Arena *scratch)
{
    size_t count = (size_t)line->count;
    FriBidiCharType *types = arena_alloc(scratch, count * sizeof *types);
    FriBidiBracketType *brackets = arena_alloc(scratch, count * sizeof *brackets);
    FriBidiLevel *levels = arena_alloc(scratch, count * sizeof *levels);
    fribidi_get_bidi_types(line->codes, line->count, types);
    fribidi_get_bracket_types(line->codes, line->count, types, brackets);
    line->laid.leftwards = is_leftwards(types, line->count);
    FriBidiParType base = line->laid.leftwards ? FRIBIDI_PAR_RTL : FRIBIDI_PAR_LTR;
    bool known = fribidi_get_par_embedding_levels_ex(types, brackets, line->count, &base, levels) != 0;
    for (int n = 0; n < line->count; n++) {
        line->letters[n].level = known ? levels[n] : 0;
        line->seen[n] = n;
    }
    if (known) known = fribidi_reorder_line(0, types, line->count, 0, base, levels, NULL, line->seen) != 0;
    for (int n = 0; n < line->count && !known; n++) line->seen[n] = n;
}

// Letters of the common script join the script before them or, at the beginning, after them.
static void find_scripts(Line *line)
{
    hb_script_t last = HB_SCRIPT_COMMON;
    for (int back = 0; back < 2; back++)
        for (int k = 0; k < line->count; k++) {
            Letter *letter = &line->letters[back ? line->count - 1 - k : k];
            hb_script_t own = back ? letter->script : hb_unicode_script(hb_unicode_funcs_get_default(), line->codes[k]);
            if (own != HB_SCRIPT_COMMON && own != HB_SCRIPT_INHERITED && own != HB_SCRIPT_UNKNOWN) last = own;
            letter->script = last;
        }
}

// A letter of several code points has one font; marks that it lacks are skipped.
static void find_fonts(Line *line)
{
    for (int n = 0, end; n < line->count; n = end) {
        for (end = n + 1; end < line->count && !line->letters[end].begins;) end++;
        bool known = end == n + 1 && glyph_code_known(line->codes[n]) && line->letters[n].level % 2 == 0;
        int font = known                       ? (int)line->face
                   : is_hidden(line->codes[n]) ? HIDDEN
                                               : font_for(line->face, line->codes + n, end - n);
        for (int k = n; k < end; k++) {
            bool there = known || is_hidden(line->codes[k]) || font_has(font, line->codes[k]);
            line->letters[k].font = there ? font : font_for(line->face, &line->codes[k], 1);
        }
    }
}

// ---- positioned glyphs ----------------------------------------------------------------------------------------------

static void add_glyph(Line *line, ShapedGlyph glyph)
{
    if (line->laid.count == line->capacity) {
        int capacity = 2 * line->capacity + 16;
        ShapedGlyph *more = arena_alloc(line->arena, (size_t)capacity * sizeof *more);
        if (line->laid.count) memcpy(more, line->laid.glyphs, (size_t)line->laid.count * sizeof *more);
        line->laid.glyphs = more;
        line->capacity = capacity;
    }
    line->laid.glyphs[line->laid.count++] = glyph;
}

// Caret positions of letters from … to − 1, which share the space from x0 to x1 equally.
static void set_carets(Line *line, int from, int to, double x0, double x1)
{
    int parts = 0, part = 0;
    bool left = line->letters[from].level % 2;
    for (int n = from; n < to; n++) parts += line->letters[n].begins;
    for (int n = from; n < to; n++) {
        part += line->letters[n].begins;
        double before = parts ? fmax(part - 1, 0) / parts : 0, after = parts ? (double)part / parts : 1;
        line->letters[n].before = left ? x1 - (x1 - x0) * before : x0 + (x1 - x0) * before;
        line->letters[n].after = left ? x1 - (x1 - x0) * after : x0 + (x1 - x0) * after;
    }
}

// A letter of the table, or a box; nothing if hidden.
static void place_unshaped(Line *line, int n)
{
    uint32_t code = line->codes[n];
    bool hidden = line->letters[n].font == HIDDEN || is_hidden(code);
    int font = line->letters[n].font == (int)line->face ? (int)line->face : SHAPING_FONT_BOXES;
    double wide = hidden ? 0 : font == SHAPING_FONT_BOXES ? box_width(code) : glyph_code_width(line->face, code);
    if (!hidden) add_glyph(line, (ShapedGlyph){ font, code, line->pen, 0 });
    set_carets(line, n, n + 1, line->pen, line->pen + wide);
    line->pen += wide;
}

// Is the outline empty although the letter is visible? Then a box is drawn instead.
static bool is_blank(int font, uint32_t id, uint32_t code)
{
    hb_unicode_general_category_t of = category(code);
    bool space = of == HB_UNICODE_GENERAL_CATEGORY_SPACE_SEPARATOR || is_hidden(code) || is_mark(code);
    return !space && outline_of(font, id)->count == 0;
}

static void add_extents(Line *line, int font, const ShapedGlyph *glyph)
{
    hb_glyph_extents_t box;
    if (!hb_font_get_glyph_extents(opened[font].font, glyph->code, &box)) return;
    double em = opened[font].em, high = glyph->y + box.y_bearing * em, low = high + box.height * em;
    line->laid.high = fmin(fmax(line->laid.high, high), 2);
    line->laid.low = fmax(fmin(line->laid.low, low), -1);
}

// The glyphs first … last − 1 of letters from … to − 1: one cluster.
static void place_cluster(Line *line, int font, int from, int to, const hb_glyph_info_t *infos,
                          const hb_glyph_position_t *places, int first, int last)
{
    double em = opened[font].em, start = line->pen;
    bool missing = false;
    for (int g = first; g < last; g++) missing |= infos[g].codepoint == 0;
    if (last == first + 1 && to == from + 1) missing |= is_blank(font, infos[first].codepoint, line->codes[from]);
    if (missing) {
        for (int n = from; n < to; n++) place_unshaped(line, n);
        return;
    }
    for (int g = first; g < last; g++) {
        ShapedGlyph glyph = { font, infos[g].codepoint, line->pen + places[g].x_offset * em, places[g].y_offset * em };
        add_glyph(line, glyph);
        add_extents(line, font, &glyph);
        line->pen += places[g].x_advance * em;
    }
    set_carets(line, from, to, start, line->pen);
}

// Letters from … to − 1, of one font, script and direction.
static void shape_run(Line *line, int from, int to)
{
    const Letter *first = &line->letters[from];
    bool left = first->level % 2;
    hb_buffer_t *buffer = hb_buffer_create();
    hb_buffer_add_codepoints(buffer, line->codes, line->count, (unsigned)from, to - from);
    hb_buffer_set_direction(buffer, left ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
    hb_buffer_set_script(buffer, first->script);
    hb_buffer_set_language(buffer, hb_language_from_string("und", -1));
    hb_shape(opened[first->font].font, buffer, NULL, 0);
    unsigned length;
    const hb_glyph_info_t *infos = hb_buffer_get_glyph_infos(buffer, &length);
    const hb_glyph_position_t *places = hb_buffer_get_glyph_positions(buffer, &length);
    int count = (int)length;
    for (int g = 0, next; g < count; g = next) {
        int cluster = (int)infos[g].cluster, end = to;
        for (next = g + 1; next < count && (int)infos[next].cluster == cluster;) next++;
        if (left && g > 0) end = (int)infos[g - 1].cluster;
        if (!left && next < count) end = (int)infos[next].cluster;
        place_cluster(line, first->font, cluster, end, infos, places, g, next);
    }
    hb_buffer_destroy(buffer);
}

static bool is_shaped(const Letter *letter) { return letter->font >= SHAPING_FONT_BOOK; }

// Are these two visually adjacent letters in one shaping run?
static bool is_one_run(const Line *line, int a, int b)
{
    const Letter *one = &line->letters[a], *other = &line->letters[b];
    int step = one->level % 2 ? -1 : 1;
    return is_shaped(one) && b == a + step && one->font == other->font && one->level == other->level &&
           one->script == other->script;
}

static void shape_runs(Line *line)
{
    for (int v = 0, next; v < line->count; v = next) {
        for (next = v + 1; next < line->count && is_one_run(line, line->seen[next - 1], line->seen[next]);) next++;
        int a = line->seen[v], b = line->seen[next - 1];
        if (is_shaped(&line->letters[a])) shape_run(line, a < b ? a : b, (a < b ? b : a) + 1);
        else place_unshaped(line, a);
    }
    line->laid.width = line->pen;
}

// A caret position before each letter, and one after the last.
static void collect_stops(Line *line)
{
    line->laid.stop = arena_alloc(line->arena, ((size_t)line->count + 1) * sizeof *line->laid.stop);
    for (int n = 0; n < line->count; n++)
        if (line->letters[n].begins)
            line->laid.stop[line->laid.stops++] = (ShapedStop){ line->at[n], line->letters[n].before };
    double end = line->count ? line->letters[line->count - 1].after : 0;
    line->laid.stop[line->laid.stops++] = (ShapedStop){ line->at[line->count], end };
}

// ---- cache of shaped texts ------------------------------------------------------------------------------------------

typedef struct {
    CanvasFace face;
    const char *text;
    ShapedText laid;
} CacheEntry;

static struct {
    CacheEntry *slots;
    int count;
    Arena *arena;
} kept;

static void lines_forget(void)
{
    free(kept.slots);
    arena_close(kept.arena);
    memset(&kept, 0, sizeof kept);
}

static void shaping_forget(void)
{
    lines_forget();
    for (int f = 0; f < opened_count; f++) {
        for (int s = 0; s < opened[f].glyphs.capacity; s++) free(opened[f].glyphs.slots[s]);
        free(opened[f].glyphs.slots);
        free(opened[f].path);
        hb_font_destroy(opened[f].font);
    }
    memset(opened, 0, sizeof opened);
    opened_count = SHAPING_FONT_SYSTEM;
    for (int f = 0; f < FACES; f++)
        if (sorted[f]) FcFontSetDestroy(sorted[f]);
    memset(sorted, 0, sizeof sorted);
    if (config) FcConfigDestroy(config);
    config = NULL;
}

static CacheEntry *cache_slot(CanvasFace face, const char *text)
{
    uint32_t hash = (uint32_t)face;
    for (const char *c = text; *c; c++) hash = (hash ^ (unsigned char)*c) * 16777619u;
    hash = hash % LINES;
    while (kept.slots[hash].text && (kept.slots[hash].face != face || strcmp(kept.slots[hash].text, text)))
        hash = (hash + 1) % LINES;
    return &kept.slots[hash];
}

static ShapedText shape_text(CanvasFace face, const char *text)
{
    Arena *scratch = arena_open();
    Line line = { .face = face, .arena = kept.arena };
    read_codes(&line, scratch, text);
    find_order(&line, scratch);
    find_scripts(&line);
    find_fonts(&line);
    shape_runs(&line);
    collect_stops(&line);
    arena_close(scratch);
    return line.laid;
}

static const ShapedText *lay(CanvasFace face, const char *text)
{
    enum { BYTES_MOST = 8 << 20 };
    if (kept.count == LINES_MOST || (kept.arena && arena_used(kept.arena) > BYTES_MOST)) lines_forget();
    if (!kept.slots) {
        kept.slots = memory_zeroed(LINES * sizeof *kept.slots);
        kept.arena = arena_open();
    }
    CacheEntry *slot = cache_slot(face, text);
    if (!slot->text) {
        *slot = (CacheEntry){ face, arena_format(kept.arena, "%s", text), shape_text(face, text) };
        kept.count++;
    }
    return &slot->laid;
}

bool shaping_use(void)
{
    static const Shaping shaping = { lay, outline_of, letter_size, shaping_forget };
    shaping_shape_by(&shaping);
    return true;
}

#else

bool shaping_use(void) { return false; }

#endif
