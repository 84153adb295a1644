// The page of all heads: its contents are read back and compared with the maps, and no word leaves its string.
#include "viz/page.h"

#include "base/portable_math.h"
#include "figure/png.h"
#include "io/json.h"
#include "support/maps.h"
#include "support/reference.h"
#include "viz/update.h"
#include "viz/views.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#define ck_contains(text, part) ck_assert_msg(strstr(text, part), "no %s", part)

static StateBuffers buffers;
static Error error;

// ---- reading a page

typedef struct {
    const char *text;
    const Json *about;
    const char *maps;
} Page;

static const char *between(const char *text, const char *from, const char *to)
{
    const char *start = strstr(text, from);
    ck_assert_ptr_nonnull(start);
    start += strlen(from);
    const char *end = strstr(start, to);
    ck_assert_ptr_nonnull(end);
    return arena_format(arena, "%.*s", (int)(end - start), start);
}

static Page page_of(const State *state)
{
    FileBytes bytes;
    ck_assert_msg(page_encode(&bytes, arena, state, "it was", "viewer a b", &error), "%s", error.text);
    Page page = { .text = (const char *)bytes.at };
    ck_assert_uint_eq(strlen(page.text), bytes.size);
    const char *json = between(page.text, "id=\"about\">\n", "</script>");
    Json *about;
    ck_assert_msg(json_parse(&about, arena, json, strlen(json), "about", &error), "%s", error.text);
    page.about = about;
    page.maps = between(page.text, "id=\"maps\">\n", "</script>");
    return page;
}

static double number(const Page *page, const char *key)
{
    const Json *value = json_member(page->about, key);
    ck_assert_msg(value && value->kind == JSON_NUMBER, "%s", key);
    return value->number;
}

static const char *string(const Page *page, const char *key) { return json_member(page->about, key)->text; }

static bool is_true(const Page *page, const char *key) { return json_member(page->about, key)->kind == JSON_TRUE; }

static size_t from_base64(const char *text, unsigned char *to)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t size = 0;
    int bits = 0;
    uint32_t value = 0;
    for (; *text != '\n' && *text != '='; text++) {
        const char *digit = strchr(digits, *text);
        ck_assert(*text && digit);
        value = value << 6 | (uint32_t)(digit - digits);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        to[size++] = (unsigned char)(value >> bits);
    }
    return size;
}

// The codes of head n, and its scale.
static unsigned *codes_of(const Page *page, int n, PageScale *scale)
{
    int count = (int)number(page, "T") * (int)number(page, "S"), bits = (int)number(page, "bits"), size;
    const char *line = page->maps;
    const Json *range = json_member(page->about, "ranges")->first;
    for (int k = 0; k < n; k++) {
        line = strchr(line, '\n') + 1;
        range = range->next;
    }
    *scale = (PageScale){ range->first->number, range->first->next->number, bits, number(page, "power") == 2 };
    unsigned char *packed = arena_alloc(arena, strlen(line) + 3), *bytes = packed;
    size = (int)from_base64(line, packed);
    if (is_true(page, "deflated")) bytes = png_inflated(packed, size, count * bits / 8, &size);
    ck_assert(bytes && size == count * bits / 8);
    unsigned *codes = arena_alloc(arena, (size_t)count * sizeof *codes);
    for (int k = 0; k < count; k++) codes[k] = bits == 8 ? bytes[k] : (unsigned)bytes[k] << 8 | bytes[count + k];
    if (bytes != packed) free(bytes);
    return codes;
}

// Every weight is stored within half a step; 0, the maximum, masked and NaN exactly.
static void check_head(const Page *page, const Document *d, int layer, int head)
{
    PageScale scale;
    const unsigned *codes = codes_of(page, layer * d->heads + head, &scale);
    for (int i = 0; i < d->T; i++)
        for (int j = 0; j < d->S; j++) {
            unsigned code = codes[i * d->S + j];
            float want = field_at(document_maps(d), layer, head, i, j);
            if (document_hidden(d, layer, head, i, j)) ck_assert_uint_eq(code, PAGE_MASKED);
            else if (!isfinite(want)) ck_assert_uint_eq(code, PAGE_NAN);
            else {
                double got = page_value(scale, code), above = page_value(scale, code + 1);
                double below = code > PAGE_FIRST ? page_value(scale, code - 1) : got;
                double step = fmax(above - got, got - below);
                ck_assert_uint_ge(code, PAGE_FIRST);
                ck_assert_msg(fabs(got - (double)want) <= 0.51 * step, "(%d, %d): %g of %g", i, j, got, (double)want);
                bool exact = (want == 0 && scale.low == 0) || (double)want == scale.high;
                if (exact) ck_assert(fabs(got - (double)want) < 1e-9);
            }
        }
}

// ---- tests

TEST(codes_and_values)
{
    const PageScale fine = { 0, 1, 16, false }, coarse = { 0, 0.5, 8, true }, scores = { -3, 5, 8, false };
    const struct {
        PageScale scale;
        float value;
        unsigned code;
    } cases[] = {
        { fine, -INFINITY, PAGE_MASKED },
        { fine, NAN, PAGE_NAN },
        { fine, INFINITY, PAGE_NAN },
        { fine, 0, PAGE_FIRST },
        { fine, 1, 65535 },
        { coarse, 0, PAGE_FIRST },
        { coarse, 0.5f, 255 },
        { coarse, 0.125f, 129 }, // half of 253 steps, rounded up
        { scores, -3, PAGE_FIRST },
        { scores, 5, 255 },
        { { 0, 0, 8, true }, 0, PAGE_FIRST },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        ck_assert_uint_eq(page_code(cases[c].scale, cases[c].value), cases[c].code);
    ck_assert(isnan(page_value(fine, PAGE_MASKED)) && isnan(page_value(fine, PAGE_NAN)));
    for (unsigned code = PAGE_FIRST; code < 256; code++) {
        ck_assert_uint_eq(page_code(coarse, (float)page_value(coarse, code)), code);
        ck_assert_uint_eq(page_code(scores, (float)page_value(scores, code)), code);
    }
}

TEST_EACH(a_page_holds_the_maps, 2)
{
    Random random = random_from(5);
    bool causal = _i == 1;
    Document d = document_random(arena, &random, (Shape){ 2, 3, 7, 9, 4, 10, .causal = causal, .words = true });
    State state = state_of(&buffers, &d, 1280, 800, 1);
    state.shown.layer = 1;
    state.shown.head = 2;
    state.selection.pinned = (HeadCell){ 3, 4 };
    state.shown.scale = SCALE_LOG;
    state.shown.colors = COLOR_MAGMA;
    Page page = page_of(&state);
    ck_assert(number(&page, "T") == 7 && number(&page, "S") == 9 && number(&page, "bits") == 16);
    ck_assert(number(&page, "layers") == 2 && number(&page, "heads") == 3 && number(&page, "head") == 5);
    ck_assert(number(&page, "scale") == SCALE_LOG && is_true(&page, "weights") && is_true(&page, "masked") == causal);
    ck_assert_str_eq(string(&page, "color"), "magma");
    ck_assert_str_eq(string(&page, "title"), d.title);
    ck_assert_str_eq(string(&page, "command"), "viewer a b");
    ck_contains(string(&page, "said"), "“it was”");
    const Json *pinned = json_member(page.about, "pinned")->first, *word = json_member(page.about, "keys")->first;
    ck_assert(pinned->number == 3 && pinned->next->number == 4);
    for (int j = 0; j < d.S; j++, word = word->next) ck_assert_str_eq(word->text, d.keys[j]);
    ck_assert_ptr_null(word);
    for (int h = 0; h < 6; h++) check_head(&page, &d, h / 3, h % 3);
}

TEST(many_weights_take_a_byte)
{
    enum { HEADS = 5, T = 500 };
    Mat maps[HEADS];
    for (int h = 0; h < HEADS; h++) {
        maps[h] = mat_new(arena, T, T);
        mat_fill(maps[h], 0.3f / (T - 1));
        for (int i = 0; i < T; i++) mat_row(maps[h], i)[i] = 0.7f + 0.01f * (float)h;
    }
    mat_row(maps[1], 3)[4] = NAN;
    Document d = document_of_maps(arena, 1, HEADS, maps);
    State state = state_of(&buffers, &d, 1280, 800, 1);
    Page page = page_of(&state);
    ck_assert(number(&page, "bits") == 8 && number(&page, "power") == 2);
    ck_assert(json_member(page.about, "keys")->kind == JSON_NULL);
    check_head(&page, &d, 0, 1);
    if (png_available()) ck_assert_uint_lt(strlen(page.text), 100000); // of 1.25 million weights, most alike
    mat_fill(maps[0], -20);                                            // signed scores on one range have a linear code
    mat_row(maps[0], 3)[4] = 29;
    page = page_of(&state);
    const Json *range = json_member(page.about, "range")->first;
    ck_assert(number(&page, "power") == 1 && range->number == -20 && range->next->number == 29);
    check_head(&page, &d, 0, 0);
}

static int count_of(const char *text, const char *what)
{
    int count = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what)) count++;
    return count;
}

// Whatever a token, title, sentence or path contains, the page has its own three scripts and no others.
TEST(words_cannot_leave_their_string)
{
    static const char *const words[] = { "</script>", "<!--<script>", "\"&amp;\\",
                                         "</SCRIPT ><img src=x onerror=alert(1)>" };
    Mat map = mat_new(arena, 4, 4);
    mat_fill(map, 0.25f);
    Document d = document_of_maps(arena, 1, 1, &map);
    d.queries = d.keys = words;
    d.title = "</script><b>";
    State state = state_of(&buffers, &d, 1280, 800, 1);
    FileBytes bytes;
    ck_assert(page_encode(&bytes, arena, &state, "</script><script>", "viewer '</script>'", &error));
    const char *text = (const char *)bytes.at;
    static const char *const tags[] = { "</script>", "<script", "</SCRIPT", "<!--", "<img" };
    for (int n = 0; n < 5; n++) ck_assert_int_eq(count_of(text, tags[n]), n < 2 ? 3 : 0);
    const char *json = between(text, "id=\"about\">\n", "</script>");
    Json *about;
    ck_assert_msg(json_parse(&about, arena, json, strlen(json), "about", &error), "%s", error.text);
    const Json *word = json_member(about, "queries")->first;
    for (int i = 0; i < 4; i++, word = word->next) ck_assert_str_eq(word->text, words[i]);
    ck_assert_str_eq(json_member(about, "title")->text, d.title);
}

// The page requests nothing, by its policy and its contents; words become text, never markup.
TEST(the_page_makes_no_requests)
{
    static const char *const absent[] = {
        // clang-format off
        "http:", "https:", "//www", "src=", "href=", "url(", "@import", "import(", "fetch(", "XMLHttp", "innerHTML",
        "outerHTML", "insertAdjacent", "document.write", "eval(", "new Function", "@ABOUT@", "@MAPS@", "@SCRIPT@",
        // clang-format on
    };
    Random random = random_from(8);
    Document d = document_random(arena, &random, (Shape){ 1, 2, 4, 4, 4, 8, .words = true });
    State state = state_of(&buffers, &d, 1280, 800, 1);
    Page page = page_of(&state);
    ck_contains(page.text, "default-src 'none'");
    for (size_t k = 0; k < sizeof absent / sizeof *absent; k++)
        ck_assert_msg(!strstr(page.text, absent[k]), "%s", absent[k]);
    ck_contains(page.text, "prefers-color-scheme: dark");
    ck_contains(page.text, "name=\"viewport\"");
}

// The page has the viewer's colours, and does not change the current scheme.
TEST(colors_are_the_viewers)
{
    Random random = random_from(9);
    Document d = document_random(arena, &random, (Shape){ 1, 1, 4, 4, 4, 8, .words = false });
    State state = state_of(&buffers, &d, 1280, 800, 1);
    for (int scheme = COLOR_ON_PAPER; scheme <= COLOR_ON_DARK; scheme++) {
        color_scheme((ColorScheme)scheme);
        Color paper = COLOR_PAPER, last = color_at(COLOR_VIRIDIS, 1), end = color_at(COLOR_DIVERGING, 1);
        const Json *maps = json_member(page_of(&state).about, "maps");
        ck_assert_mem_eq(&paper, &COLOR_PAPER, sizeof paper);
        const char *hex = json_member(maps, "viridis")->text;
        ck_assert_str_eq(hex + 6 * 255, arena_format(arena, "%02x%02x%02x", last.r, last.g, last.b));
        hex = json_member(maps, scheme == COLOR_ON_DARK ? "dark" : "paper")->text;
        ck_assert_str_eq(hex + 6 * 255, arena_format(arena, "%02x%02x%02x", end.r, end.g, end.b));
    }
    color_scheme(COLOR_ON_PAPER);
}

TEST(too_many_are_refused)
{
    static float number_;
    Mat map = { &number_, 1, 1, 1 };
    Document d = document_of_maps(arena, 1, 1, &map);
    d.T = d.S = d.fields[0].rows = d.fields[0].cols = 8193;
    d.fields[0].row_step = d.fields[0].col_step = 0;
    State state = state_of(&buffers, &d, 1280, 800, 1);
    FileBytes bytes;
    ck_assert(!page_encode(&bytes, arena, &state, NULL, "viewer", &error));
    ck_assert_str_eq(error.text, "a page holds 67 million weights at most; these are 67 million, 1 × 1 maps of "
                                 "8193 × 8193");
}
