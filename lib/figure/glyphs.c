// Font lookup and glyph outlines. Fonts are searched at run time, read once and kept until the program ends; or a
// program provides their bytes. Only one thread at a time may draw.
//
// If MANYHEADS_FONTS is set, only that folder is searched. Truncated or damaged fonts are detected by their checksums
// and ignored: stb_truetype trusts its input.
#include "figure/glyphs.h"

#include "base/memory.h"
#include "base/os.h"
#include "base/portable_math.h"
#include "figure/shaping.h"

#ifdef HAVE_STB

    #include <errno.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>

    #pragma GCC diagnostic push
    #pragma GCC diagnostic ignored "-Wconversion"
    #pragma GCC diagnostic ignored "-Wshadow"
    #pragma GCC diagnostic ignored "-Wunused-function"
    #define STBTT_STATIC
    #define STBTT_assert(x)            ((void)sizeof(x))
    #define STBTT_malloc(size, unused) ((void)(unused), memory_new(size))
    #define STBTT_free(at, unused)     ((void)(unused), free(at))
    #define STB_TRUETYPE_IMPLEMENTATION
    #include <stb/stb_truetype.h>
    #pragma GCC diagnostic pop

enum { FACES = CANVAS_MONO + 1, SLOTS = 512, MOST_GLYPHS = 384 };

typedef struct {
    bool looked, found;
    unsigned char *read; // the file's contents; NULL: the program provided the bytes
    size_t size;
    stbtt_fontinfo info;
    double em; // ems per font unit
    Glyph *glyphs[SLOTS];
    int count;
} Font;

static Font fonts[FACES];

static const char *const files[FACES] = { "DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf" };
static const char *const folders[] = {
    "/usr/share/fonts/truetype/dejavu",   // Debian, Ubuntu
    "/usr/share/fonts/dejavu-sans-fonts", // Fedora
    "/usr/share/fonts/dejavu-sans-mono-fonts",
    "/usr/share/fonts/TTF",          // Arch
    "/usr/share/fonts/dejavu",       // Alpine, older Fedora
    "/usr/local/share/fonts/dejavu", // the BSDs
    "/Library/Fonts",                // macOS
    "/opt/local/share/fonts/dejavu-fonts",
};
static const char *const home_folders[] = { "Library/Fonts", ".local/share/fonts", ".fonts" };

// macOS has no DejaVu; these fonts have nearly the same widths.
static const char *const fallbacks[FACES] = {
    "/System/Library/Fonts/Supplemental/Verdana.ttf",
    "/System/Library/Fonts/Supplemental/Verdana Bold.ttf",
    "/System/Library/Fonts/Menlo.ttc",
};

// Ends the program if a font exists but cannot be read: its pictures would have no letters.
static _Noreturn void exit_unreadable(const char *path)
{
    fflush(stdout);
    fprintf(stderr, "%s: the font cannot be read: %s\n", path, strerror(errno));
    exit(1);
}

// A file of at most 64 MiB with its size; NULL if it is not a regular readable file. free() it.
static unsigned char *read_whole(const char *path, size_t *size)
{
    OsStatus about;
    if (!os_status(&about, path) || about.kind != OS_FILE || about.size < 16 || about.size > 64 << 20) return NULL;
    FILE *file = fopen(path, "rb");
    if (!file && errno == EACCES) return NULL;
    if (!file) exit_unreadable(path);
    *size = (size_t)about.size;
    unsigned char *bytes = memory_new(*size);
    bool whole = fread(bytes, 1, *size, file) == *size;
    if (ferror(file)) exit_unreadable(path);
    fclose(file);
    if (whole) return bytes;
    free(bytes);
    return NULL;
}

static uint32_t big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// Sum of a table's 32-bit words. The third word of `head` is skipped: it corrects the checksum of the whole file.
static uint32_t table_sum(const unsigned char *at, uint32_t length, bool head)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < length; i += 4) {
        unsigned char word[4] = { 0 };
        memcpy(word, at + i, length - i < 4 ? length - i : 4);
        if (!(head && i == 8)) sum += big_endian(word);
    }
    return sum;
}

// The offset of the font in the file, or −1: every table must be inside the file and match its checksum.
static int font_start(const unsigned char *bytes, size_t size)
{
    size_t start = memcmp(bytes, "ttcf", 4) ? 0 : big_endian(bytes + 12);
    if (size < 12 || start > size - 12) return -1;
    size_t tables = (size_t)bytes[start + 4] << 8 | bytes[start + 5];
    if (size - start - 12 < tables * 16) return -1;
    for (size_t t = 0; t < tables; t++) {
        const unsigned char *entry = bytes + start + 12 + t * 16;
        uint32_t sum = big_endian(entry + 4), offset = big_endian(entry + 8), length = big_endian(entry + 12);
        if (offset > size || length > size - offset) return -1;
        if (table_sum(bytes + offset, length, !memcmp(entry, "head", 4)) != sum) return -1;
    }
    return (int)start;
}

static bool font_parse(Font *font, const unsigned char *bytes, size_t size)
{
    int start = size < 16 ? -1 : font_start(bytes, size);
    font->size = size;
    if (start < 0 || !stbtt_InitFont(&font->info, bytes, start)) return false;
    font->em = (double)stbtt_ScaleForMappingEmToPixels(&font->info, 1);
    return true;
}

static bool font_open(Font *font, const char *path)
{
    size_t size;
    unsigned char *bytes = read_whole(path, &size);
    if (!bytes) return false;
    if (font_parse(font, bytes, size)) {
        font->read = bytes;
        return true;
    }
    free(bytes);
    return false;
}

static bool font_open_in(Font *font, const char *folder, const char *inner, const char *file)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s%s%s", folder, inner, *inner ? "/" : "", file);
    return length < (int)sizeof path && font_open(font, path);
}

static bool font_search(Font *font, CanvasFace face)
{
    const char *chosen = getenv("MANYHEADS_FONTS"), *home = getenv("HOME");
    if (chosen && *chosen) return font_open_in(font, chosen, "", files[face]);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (font_open_in(font, folders[i], "", files[face])) return true;
    if (home)
        for (size_t i = 0; i < sizeof home_folders / sizeof *home_folders; i++)
            if (font_open_in(font, home, home_folders[i], files[face])) return true;
    return font_open(font, fallbacks[face]);
}

static Font *font_of(CanvasFace face)
{
    static bool registered;
    if (!registered) registered = atexit(glyphs_forget) == 0;
    Font *font = &fonts[face];
    if (!font->looked) {
        font->looked = true;
        font->found = font_search(font, face);
    }
    return font->found ? font : NULL;
}

static void glyphs_free(Font *font)
{
    for (int i = 0; i < SLOTS; i++) {
        free(font->glyphs[i]);
        font->glyphs[i] = NULL;
    }
    font->count = 0;
}

static void font_close(Font *font)
{
    glyphs_free(font);
    free(font->read);
    *font = (Font){ 0 };
}

void glyphs_forget(void)
{
    shaping_forget_texts();
    for (int f = 0; f < FACES; f++) font_close(&fonts[f]);
}

const void *glyphs_font(CanvasFace face, size_t *size)
{
    const Font *font = font_of(face);
    *size = font ? font->size : 0;
    return font ? font->info.data : NULL;
}

bool canvas_font_from(CanvasFace face, const void *bytes, size_t size)
{
    Font font = { .looked = true, .found = true };
    if (!font_parse(&font, bytes, size)) return false;
    shaping_forget_texts();
    font_close(&fonts[face]);
    fonts[face] = font;
    return true;
}

// A point of a curve at t: quadratic, or cubic in fonts that have those.
static void curve_at(const stbtt_vertex *v, double x, double y, double t, double *px, double *py)
{
    double u = 1 - t, a = u * u, b = 2 * u * t, c = t * t;
    if (v->type == STBTT_vcubic) {
        *px = u * a * x + 3 * a * t * v->cx + 3 * u * c * v->cx1 + t * c * v->x;
        *py = u * a * y + 3 * a * t * v->cy + 3 * u * c * v->cy1 + t * c * v->y;
    } else {
        *px = a * x + b * v->cx + c * v->x;
        *py = a * y + b * v->cy + c * v->y;
    }
}

// The outline as straight edges. A curve becomes PIECES edges: the error at 60 pixels is below 1/50 pixel.
static int outline(GlyphEdge *edges, const stbtt_vertex *vertices, int count, double em)
{
    enum { PIECES = 6 };
    int n = 0;
    double x = 0, y = 0;
    for (int i = 0; i < count; i++) {
        const stbtt_vertex *v = &vertices[i];
        int pieces = v->type == STBTT_vmove ? 0 : v->type == STBTT_vline ? 1 : PIECES;
        double from_x = x, from_y = y;
        for (int k = 1; k <= pieces; k++) {
            double px = v->x, py = v->y;
            if (k < pieces) curve_at(v, from_x, from_y, k / (double)pieces, &px, &py);
            edges[n++] = (GlyphEdge){ (float)(x * em), (float)(y * em), (float)(px * em), (float)(py * em) };
            x = px;
            y = py;
        }
        x = v->x;
        y = v->y;
    }
    return n;
}

static Glyph *glyph_read(const Font *font, uint32_t code)
{
    int advance, bearing, index = stbtt_FindGlyphIndex(&font->info, (int)code);
    stbtt_GetGlyphHMetrics(&font->info, index, &advance, &bearing);
    stbtt_vertex *vertices = NULL;
    int count = stbtt_GetGlyphShape(&font->info, index, &vertices);
    Glyph *glyph = memory_new(sizeof *glyph + (size_t)(count > 0 ? count : 0) * 6 * sizeof glyph->edges[0]);
    glyph->code = code;
    glyph->advance = advance * font->em;
    glyph->count = outline(glyph->edges, vertices, count, font->em);
    stbtt_FreeShape(&font->info, vertices);
    return glyph;
}

// ---- the box for a missing letter -----------------------------------------------------------------------------------

// Edges of a rectangle, outwards, or inwards for a hole.
static int box_edges(GlyphEdge *edges, double x0, double y0, double x1, double y1, bool hole)
{
    const double x[] = { x0, x0, x1, x1, x0 }, y[] = { y0, y1, y1, y0, y0 };
    for (int e = 0; e < 4; e++) {
        int from = hole ? 4 - e : e, to = hole ? 3 - e : e + 1;
        edges[e] = (GlyphEdge){ (float)x[from], (float)y[from], (float)x[to], (float)y[to] };
    }
    return 4;
}

// A digit, scaled by `high`, at most `wide` wide, with the middle of its foot at (x, y).
static int digit_edges(GlyphEdge *edges, const Glyph *digit, double x, double y, double wide, double high)
{
    double across = fmin(high, wide / fmax(digit->advance, 1e-9)), left = x - across * digit->advance / 2;
    for (int e = 0; e < digit->count; e++) {
        const GlyphEdge *edge = &digit->edges[e];
        edges[e] = (GlyphEdge){ (float)(left + across * (double)edge->x0), (float)(y + high * (double)edge->y0),
                                (float)(left + across * (double)edge->x1), (float)(y + high * (double)edge->y1) };
    }
    return digit->count;
}

// A narrow box has two rows of two or three digits: 05D0, 01F600.
Glyph *glyph_box(uint32_t code, double wide)
{
    enum { MOST = 8 };
    const double margin = 0.04, line = 0.055, left = margin + line, low = -0.2, high = 0.8, digit_high = 0.729;
    const Font *font = font_of(CANVAS_MONO);
    Glyph *of[MOST];
    char digits[16];
    bool narrow = wide < 1.2;
    const char *format = narrow && code >= 0x10000 ? "%06X" : "%04X";
    int count = font ? snprintf(digits, sizeof digits, format, (unsigned)(code & 0xffffff)) : 0, capacity = 8, n = 0;
    int rows = narrow ? 2 : 1, across = (count + rows - 1) / rows;
    double size = narrow ? 0.5 : 0.6, space = (high - low - 2 * line - rows * size * digit_high) / (rows + 1);
    for (int k = 0; k < count; k++) capacity += (of[k] = glyph_read(font, (unsigned char)digits[k]))->count;

    Glyph *box = memory_new(sizeof *box + (size_t)capacity * sizeof box->edges[0]);
    n += box_edges(box->edges, margin, low, wide - margin, high, false);
    n += box_edges(box->edges + n, left, low + line, wide - left, high - line, true);
    for (int k = 0; k < count; k++) {
        double cell = (wide - 2 * left) / across, x = left + (k % across + 0.5) * cell;
        double foot = high - line - (k / across + 1) * (space + size * digit_high);
        n += digit_edges(box->edges + n, of[k], x, foot, 0.94 * cell, size);
        free(of[k]);
    }
    *box = (Glyph){ .code = code, .advance = wide, .count = n };
    return box;
}

static Glyph *glyph_create(const Font *font, CanvasFace face, uint32_t code)
{
    if (stbtt_FindGlyphIndex(&font->info, (int)code)) return glyph_read(font, code);
    return glyph_box(code, glyph_code_width(face, code));
}

const Glyph *glyph_find(CanvasFace face, uint32_t code)
{
    Font *font = font_of(face);
    if (!font) return NULL;
    uint32_t slot = code * 2654435761u % SLOTS;
    for (; font->glyphs[slot]; slot = (slot + 1) % SLOTS)
        if (font->glyphs[slot]->code == code) return font->glyphs[slot];
    if (font->count == MOST_GLYPHS) { // empty the cache, which a text in many scripts has filled
        glyphs_free(font);
        slot = code * 2654435761u % SLOTS;
    }
    font->glyphs[slot] = glyph_create(font, face, code);
    font->count++;
    return font->glyphs[slot];
}

GlyphFaceShape glyph_face_shape(CanvasFace face)
{
    Font *font = font_of(face);
    if (!font) return (GlyphFaceShape){ 0 };
    int x0, y0, x1, x_top = 0, cap_top = 0, o_top = 0;
    stbtt_GetCodepointBox(&font->info, 'x', &x0, &y0, &x1, &x_top);
    stbtt_GetCodepointBox(&font->info, 'H', &x0, &y0, &x1, &cap_top);
    stbtt_GetCodepointBox(&font->info, 'o', &x0, &y0, &x1, &o_top);
    return (GlyphFaceShape){ x_top * font->em, cap_top * font->em, (o_top - x_top) * font->em };
}

// One entry of the font's name table, in UTF-16; characters that are not ASCII are skipped.
static int font_string(char *to, int capacity, const Font *font, int id)
{
    int length = 0, n = 0;
    const char *from = stbtt_GetFontNameString(&font->info, &length, STBTT_PLATFORM_ID_MICROSOFT,
                                               STBTT_MS_EID_UNICODE_BMP, STBTT_MS_LANG_ENGLISH, id);
    if (from)
        for (int i = 0; i + 1 < length && n < capacity - 1; i += 2)
            if (from[i] == 0 && from[i + 1] >= ' ' && from[i + 1] < 127) to[n++] = from[i + 1];
    to[n] = 0;
    return n;
}

const char *canvas_font_name(void)
{
    static char name[128];
    char family[64], version[32];
    const Font *font = font_of(CANVAS_SANS);
    if (!font) return NULL;
    font_string(family, sizeof family, font, 1);
    font_string(version, sizeof version, font, 5);
    bool prefixed = !strncmp(version, "Version ", 8);
    snprintf(name, sizeof name, "%s %s", family, version + (prefixed ? 8 : 0));
    return name;
}

#else

const Glyph *glyph_find(CanvasFace face, uint32_t code)
{
    (void)face;
    (void)code;
    return NULL;
}

GlyphFaceShape glyph_face_shape(CanvasFace face)
{
    (void)face;
    return (GlyphFaceShape){ 0 };
}

bool canvas_font_from(CanvasFace face, const void *bytes, size_t size)
{
    (void)face;
    (void)bytes;
    (void)size;
    return false;
}

const char *canvas_font_name(void) { return NULL; }
void glyphs_forget(void) { shaping_forget_texts(); }

Glyph *glyph_box(uint32_t code, double wide)
{
    Glyph *box = memory_new(sizeof *box);
    *box = (Glyph){ .code = code, .advance = wide };
    return box;
}

const void *glyphs_font(CanvasFace face, size_t *size)
{
    (void)face;
    *size = 0;
    return NULL;
}

#endif
