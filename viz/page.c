// Writes page.html with data as JSON, one line of base 64 per head, and page.js, which draws them. Folding, words and
// colours are up to the script.
#include "viz/page.h"

#include "base/base64.h"
#include "base/memory.h"
#include "base/portable_math.h"
#include "figure/png.h"
#include "io/json.h"
#include "viz/pyramid.h"

#include <stdlib.h>
#include <string.h>

static const char *const page_html[] = {
#include "viz/page.html.inc"
};
static const char *const page_js[] = {
#include "viz/page.js.inc"
};
enum { HTML_LINES = sizeof page_html / sizeof *page_html, JS_LINES = sizeof page_js / sizeof *page_js };

// ---- codes

static double steps_of(PageScale scale) { return (double)((1u << scale.bits) - 1 - PAGE_FIRST); }

unsigned page_code(PageScale scale, float value)
{
    double range = scale.high - scale.low, place = range > 0 ? ((double)value - scale.low) / range : 0;
    if (value == -INFINITY) return PAGE_MASKED;
    if (!isfinite(value)) return PAGE_NAN;
    if (scale.squares) place = sqrt(fmax(place, 0));
    return PAGE_FIRST + (unsigned)floor(fmin(fmax(place, 0), 1) * steps_of(scale) + 0.5);
}

double page_value(PageScale scale, unsigned code)
{
    if (code < PAGE_FIRST) return (double)NAN;
    double place = (code - PAGE_FIRST) / steps_of(scale);
    return scale.low + (scale.high - scale.low) * (scale.squares ? place * place : place);
}

// ---- heads

typedef struct {
    const Document *d;
    Arena *arena;
    RowBand band;
    PageScale *scales;  // (layers · heads)
    double least, most; // of all heads
    bool masked;
    unsigned char *codes; // (T, S) in 8 bits, or all high bytes and then all low bytes
    int bits;
} Work;

// The range of a head's finite values.
static void measure(Work *work, int layer, int head)
{
    float least = INFINITY, most = -INFINITY;
    row_band_begin(&work->band, layer, head);
    for (Mat rows = row_band_read(&work->band); rows.rows; rows = row_band_read(&work->band))
        for (int64_t k = 0; k < mat_numbers(rows); k++) {
            float value = mat_row(rows, (int)(k / rows.cols))[k % rows.cols];
            work->masked |= value == -INFINITY;
            if (!isfinite(value)) continue;
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
    if (least > most) least = most = 0;
    double low = least < 0 ? (double)least : 0; // 0 has its own code if nothing is negative
    work->scales[layer * work->d->heads + head] = (PageScale){ low, fmax((double)most, low), work->bits, false };
    work->least = fmin(work->least, low);
    work->most = fmax(work->most, (double)most);
}

static void encode(Work *work, int layer, int head)
{
    PageScale scale = work->scales[layer * work->d->heads + head];
    size_t count = (size_t)work->d->T * (size_t)work->d->S, at = 0;
    row_band_begin(&work->band, layer, head);
    for (Mat rows = row_band_read(&work->band); rows.rows; rows = row_band_read(&work->band))
        for (int i = 0; i < rows.rows; i++)
            for (int j = 0; j < rows.cols; j++, at++) {
                unsigned code = page_code(scale, mat_row(rows, i)[j]);
                if (scale.bits == 8) work->codes[at] = (unsigned char)code;
                else {
                    work->codes[at] = (unsigned char)(code >> 8);
                    work->codes[count + at] = (unsigned char)code;
                }
            }
}

// ---- the text

typedef struct {
    char *at;
    size_t size, room;
} Writer;

static char *room_for(Writer *to, size_t more)
{
    if (to->size + more > to->room) {
        to->room = 2 * (to->size + more);
        to->at = memory_resized(to->at, to->room);
    }
    to->size += more;
    return to->at + to->size - more;
}

static void put(Writer *to, const char *text) { memcpy(room_for(to, strlen(text)), text, strlen(text)); }

// JSON inside HTML: tokens must not contain "</script>" or "<!--". All such characters are in strings.
static void put_safe(Writer *to, const char *json)
{
    static const char letters[] = "<>&";
    static const char *const escaped[] = { "\\u003c", "\\u003e", "\\u0026" };
    for (; *json; json++) {
        const char *special = strchr(letters, *json);
        if (special) put(to, escaped[special - letters]);
        else *room_for(to, 1) = *json;
    }
}

static void put_head(Writer *to, Work *work, int layer, int head)
{
    bool deflated = png_available();
    size_t size = (size_t)work->d->T * (size_t)work->d->S * (size_t)(work->bits / 8);
    int packed = 0;
    encode(work, layer, head);
    unsigned char *bytes = deflated ? png_deflated(work->codes, (int)size, &packed) : NULL;
    if (deflated) size = (size_t)packed;
    base64_write(room_for(to, base64_length(size)), deflated ? bytes : work->codes, size);
    put(to, "\n");
    free(bytes);
}

// 256 colours of a map, six hex digits each.
static const char *colors_of(Arena *arena, ColorMap map)
{
    enum { COUNT = 256 };
    char *text = arena_alloc(arena, 6 * COUNT + 1);
    for (int k = 0; k < COUNT; k++) {
        Color c = color_at(map, k / (COUNT - 1.0));
        const char *hex = arena_format(arena, "%02x%02x%02x", c.r, c.g, c.b);
        memcpy(text + 6 * k, hex, 6);
    }
    return text;
}

// For signed values both schemes: the reader's screen chooses.
static const char *all_colors(Arena *arena)
{
    const Colors *now = color_palette;
    const char *signed_[2];
    for (int s = COLOR_ON_PAPER; s <= COLOR_ON_DARK; s++) {
        color_scheme((ColorScheme)s);
        signed_[s] = colors_of(arena, COLOR_DIVERGING);
    }
    color_scheme(now == color_palette ? COLOR_ON_DARK : COLOR_ON_PAPER);
    char *amounts = "";
    for (int map = 0; map < COLOR_DIVERGING; map++)
        amounts = arena_format(arena, "%s\"%s\":\"%s\",", amounts, color_map_name((ColorMap)map),
                               colors_of(arena, (ColorMap)map));
    return arena_format(arena, "{%s\"paper\":\"%s\",\"dark\":\"%s\"}", amounts, signed_[COLOR_ON_PAPER],
                        signed_[COLOR_ON_DARK]);
}

static const char *words_of(Arena *arena, const char *const *words, int count)
{
    return words ? json_strings(arena, words, count) : "null";
}

static const char *roles_of(Arena *arena, const Document *d)
{
    int count = d->layers * d->heads;
    const char **roles = arena_alloc(arena, (size_t)count * sizeof *roles);
    for (int h = 0; h < count; h++) roles[h] = d->roles && d->roles[h] ? d->roles[h] : "";
    return d->roles ? json_strings(arena, roles, count) : "null";
}

static void put_member(Writer *to, Arena *arena, const char *key, const char *json)
{
    put(to, arena_format(arena, "%s\"%s\":", strcmp(key, "title") ? ",\n" : "{", key));
    put_safe(to, json);
}

static void put_string(Writer *to, Arena *arena, const char *key, const char *text)
{
    put_member(to, arena, key, json_quote(arena, text));
}

static void put_number(Writer *to, Arena *arena, const char *key, double value)
{
    put_member(to, arena, key, arena_format(arena, "%.9g", value));
}

static void put_ranges(Writer *to, const Work *work)
{
    int count = work->d->layers * work->d->heads;
    put_member(to, work->arena, "ranges", "[");
    for (int h = 0; h < count; h++)
        put(to, arena_format(work->arena, "%s[%.9g,%.9g]", h ? "," : "", work->scales[h].low, work->scales[h].high));
    put(to, "]");
}

static void put_about(Writer *to, const Work *work, const State *state, const char *sentence, const char *command)
{
    const Document *d = work->d;
    Arena *arena = work->arena;
    bool weights = d->of[FIELD_WEIGHTS] >= 0 && !d->warning && !d->unnormalized && work->least >= 0;
    const char *range = d->range ? d->range : "", *between = d->range ? " · " : "";
    const char *more = sentence ? arena_format(arena, " · “%s”", sentence) : "";
    const char *made =
        state->shown.reduction ? arena_format(arena, " · %s", reduction_name(state->shown.reduction)) : "";
    bool pinned = state->selection.pinned.row >= 0;
    put_string(to, arena, "title", d->title);
    put_string(to, arena, "source", d->source ? d->source : d->title);
    put_string(to, arena, "command", command);
    const char *shape = d->shape ? d->shape : "";
    put_string(to, arena, "said", arena_format(arena, "%s%s%s%s%s", shape, between, range, made, more));
    put_string(to, arena, "unit", weights ? "weight" : "value");
    put_number(to, arena, "layers", d->layers);
    put_number(to, arena, "heads", d->heads);
    put_number(to, arena, "T", d->T);
    put_number(to, arena, "S", d->S);
    put_number(to, arena, "head", state->shown.layer * d->heads + state->shown.head);
    put_number(to, arena, "scale", state->shown.scale);
    put_string(to, arena, "color", color_map_name(state->shown.colors));
    put_member(to, arena, "pinned",
               pinned ? arena_format(arena, "[%d,%d]", state->selection.pinned.row, state->selection.pinned.col)
                      : "null");
    put_member(to, arena, "weights", weights ? "true" : "false");
    put_member(to, arena, "masked", work->masked ? "true" : "false");
    put_member(to, arena, "deflated", png_available() ? "true" : "false");
    put_number(to, arena, "bits", work->bits);
    put_number(to, arena, "power", work->scales[0].squares ? 2 : 1);
    put_member(to, arena, "range", weights ? "[0,1]" : arena_format(arena, "[%.9g,%.9g]", work->least, work->most));
    put_ranges(to, work);
    put_member(to, arena, "queries", words_of(arena, d->queries, d->T));
    put_member(to, arena, "keys", words_of(arena, d->keys, d->S));
    put_member(to, arena, "roles", roles_of(arena, d));
    put_member(to, arena, "maps", all_colors(arena));
    put(to, "}");
}

// Square roots for all heads or none, since the page has one setting.
static void agree(Work *work)
{
    for (int h = 0; h < work->d->layers * work->d->heads; h++)
        work->scales[h].squares = work->bits == 8 && work->least >= 0;
}

static void put_maps(Writer *to, Work *work)
{
    for (int h = 0; h < work->d->layers * work->d->heads; h++)
        put_head(to, work, h / work->d->heads, h % work->d->heads);
}

static void put_script(Writer *to)
{
    for (int l = 0; l < JS_LINES; l++) put(to, page_js[l]);
}

bool page_encode(FileBytes *out, Arena *arena, const State *state, const char *sentence, const char *command,
                 Error *error)
{
    const Document *d = state->shown.document;
    double cells = (double)d->layers * d->heads * d->T * d->S;
    if (cells > PAGE_MOST)
        return error_set(error,
                         "a page holds %d million weights at most; these are %.0f million, %d × %d maps of "
                         "%d × %d",
                         PAGE_MOST / 1000000, cells / 1e6, d->layers, d->heads, d->T, d->S);
    Arena *scratch = arena_open();
    size_t heads = (size_t)d->layers * (size_t)d->heads;
    Work work = { .d = d,
                  .arena = scratch,
                  .band = row_band_open(scratch, d),
                  .least = INFINITY,
                  .most = -INFINITY,
                  .bits = cells > PAGE_FINE ? 8 : 16,
                  .scales = arena_alloc(scratch, heads * sizeof *work.scales) };
    work.codes = arena_alloc(scratch, (size_t)d->T * (size_t)d->S * 2 + 1);
    for (size_t h = 0; h < heads; h++) measure(&work, (int)h / d->heads, (int)h % d->heads);
    agree(&work);
    Writer to = { .size = 0 };
    for (int l = 0; l < HTML_LINES; l++) {
        const char *line = page_html[l];
        if (!strcmp(line, "@ABOUT@\n")) put_about(&to, &work, state, sentence, command);
        else if (!strcmp(line, "@MAPS@\n")) put_maps(&to, &work);
        else if (!strcmp(line, "@SCRIPT@\n")) put_script(&to);
        else put(&to, line);
    }
    *out = (FileBytes){ memcpy(arena_alloc(arena, to.size + 1), to.at, to.size), to.size };
    free(to.at);
    arena_close(scratch);
    return true;
}
