// Words of every script: the order in which letters are seen, their forms and places, what a caret and a cut count as a
// letter, and what is shown where no font has one. DejaVu has Hebrew and Arabic; the rest needs a font of the system.
#include "base/arena.h"
#include "base/portable_math.h"
#include "figure/shaping.h"
#include "figure/svg.h"
#include "support/suite.h"
#include "tokenizer/unicode_classes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool shaped; // by a build that can, with the font whose letters are counted here

static void setup(void)
{
    shaped = shaping_use() && canvas_font_name() && !strncmp(canvas_font_name(), "DejaVu Sans ", 12);
}

static void teardown(void)
{
    shaping_shape_by(NULL);
    glyphs_forget();
}
FIXTURE(setup, teardown);

// The next call of shaping_text may forget what was laid before.
static ShapedText laid(const char *text)
{
    const ShapedText *from = shaping_text(CANVAS_SANS, text);
    ck_assert_msg(from, "\"%s\" is not shaped", text);
    ShapedText copy = *from;
    copy.glyphs = memcpy(arena_alloc(arena, (size_t)from->count * sizeof *from->glyphs + 1), from->glyphs,
                         (size_t)from->count * sizeof *from->glyphs);
    copy.stop = memcpy(arena_alloc(arena, (size_t)from->stops * sizeof *from->stop), from->stop,
                       (size_t)from->stops * sizeof *from->stop);
    return copy;
}

static ShapedGlyph only(const char *letter)
{
    ShapedText of = laid(letter);
    ck_assert_int_eq(of.count, 1);
    return of.glyphs[0];
}

static bool same_glyph(ShapedGlyph a, ShapedGlyph b) { return a.font == b.font && a.code == b.code; }

// The box around a letter's outline, where it stands.
typedef struct {
    double x0, y0, x1, y1;
} Around;

static Around around(ShapedGlyph at)
{
    const Glyph *glyph = shaping_outline(at);
    Around box = { 1e9, 1e9, -1e9, -1e9 };
    for (int e = 0; e < glyph->count; e++) {
        box.x0 = fmin(box.x0, at.x + (double)glyph->edges[e].x0);
        box.x1 = fmax(box.x1, at.x + (double)glyph->edges[e].x0);
        box.y0 = fmin(box.y0, at.y + (double)glyph->edges[e].y0);
        box.y1 = fmax(box.y1, at.y + (double)glyph->edges[e].y0);
    }
    return box;
}

// Does it look like that letter of the book's own font, wherever it stands?
static bool same_outline(ShapedGlyph at, uint32_t code)
{
    Around a = around((ShapedGlyph){ at.font, at.code, 0, 0 }), b = around((ShapedGlyph){ CANVAS_SANS, code, 0, 0 });
    return fabs(a.x0 - b.x0) < 1e-3 && fabs(a.x1 - b.x1) < 1e-3 && fabs(a.y0 - b.y0) < 1e-3 && fabs(a.y1 - b.y1) < 1e-3;
}

TEST(what_the_table_knows_is_left_alone)
{
    static const char *const known[] = { "", "Layer 1", "naïve", "q · k ÷ √d", "α → β", "weight ≤ 1/16 …", "\xff" };
    for (size_t n = 0; n < sizeof known / sizeof *known; n++) {
        ck_assert_ptr_null(shaping_text(CANVAS_SANS, known[n]));
        ck_assert_str_eq(canvas_text_apart(arena, known[n]), known[n]);
    }
    shaping_shape_by(NULL);
    ck_assert_ptr_null(shaping_text(CANVAS_SANS, "שלום"));
    ck_assert_double_eq_tol(canvas_text_width((CanvasText){ .size = 2048 }, "שלום"), 4 * 1440, 1e-9);
}

TEST(hebrew_is_seen_from_the_right)
{
    if (!shaped) return;
    ShapedText word = laid("שלום");
    static const char *const seen[] = { "ם", "ו", "ל", "ש" };
    ck_assert(word.leftwards && word.count == 4);
    for (int g = 0; g < 4; g++) ck_assert(same_glyph(word.glyphs[g], only(seen[g])));
    for (int g = 1; g < 4; g++) ck_assert(word.glyphs[g].x > word.glyphs[g - 1].x + 0.2);
    ck_assert_double_eq_tol(word.width, 2.2129, 0.0001); // of DejaVu Sans 2.37

    static const int at[] = { 0, 2, 4, 6, 8 };
    ck_assert_int_eq(word.stops, 5);
    for (int s = 0; s < 5; s++) ck_assert_int_eq(word.stop[s].at, at[s]);
    for (int s = 0; s < 4; s++) ck_assert_double_eq_tol(word.stop[s + 1].x, word.glyphs[3 - s].x, 1e-9);
    ck_assert_double_eq_tol(word.stop[0].x, word.width, 1e-9);
}

// An English sentence keeps its direction whatever word begins it, a Hebrew one its own around "abc" and 12.
TEST(directions_are_mixed_in_their_order)
{
    if (!shaped) return;
    ShapedText line = laid("ab של cd");
    ck_assert(!line.leftwards && line.count == 8);
    static const int fonts[] = { CANVAS_SANS,       CANVAS_SANS, CANVAS_SANS, SHAPING_FONT_BOOK,
                                 SHAPING_FONT_BOOK, CANVAS_SANS, CANVAS_SANS, CANVAS_SANS };
    for (int g = 0; g < 8; g++) ck_assert_int_eq(line.glyphs[g].font, fonts[g]);
    ck_assert_int_eq(line.glyphs[0].code, 'a');
    ck_assert_double_eq_tol(line.glyphs[1].x, 1255 / 2048.0, 1e-9);
    ck_assert(same_glyph(line.glyphs[3], only("ל")) && same_glyph(line.glyphs[4], only("ש")));
    ck_assert_int_eq(line.glyphs[7].code, 'd');

    line = laid("שלום (ab) 12"); // seen: 12 (ab) םולש
    ck_assert(line.leftwards && line.count == 12);
    ck_assert(line.glyphs[0].code == '1' && line.glyphs[1].code == '2');
    ck_assert(same_outline(line.glyphs[3], '(') && line.glyphs[4].code == 'a' && same_outline(line.glyphs[6], ')'));
    ck_assert(same_glyph(line.glyphs[8], only("ם")) && same_glyph(line.glyphs[11], only("ש")));

    line = laid("של: found 3 tokens");
    ck_assert(!line.leftwards && same_glyph(line.glyphs[0], only("ל")) && line.glyphs[2].code == ':');
}

// Set apart, two words stay in the order of the sentence; the marks that do it are not seen.
TEST(words_that_are_set_apart_keep_their_places)
{
    if (!shaped) return;
    const char *one = canvas_text_apart(arena, "של"), *other = canvas_text_apart(arena, "ום");
    ck_assert_str_eq(one, "\u2068של\u2069");
    ck_assert_str_eq(canvas_text_apart(arena, "it"), "it");
    ShapedText line = laid(arena_format(arena, "%s → %s", one, other));
    ck_assert(!line.leftwards && line.count == 7);
    ck_assert(same_glyph(line.glyphs[1], only("ש")) && same_glyph(line.glyphs[5], only("ם")));
    ck_assert_int_eq(line.glyphs[3].code, 0x2192);
    double alone = laid("של").width + laid("ום").width + canvas_text_width((CanvasText){ .size = 1 }, " → ");
    ck_assert_double_eq_tol(line.width, alone, 1e-9);
}

TEST(arabic_letters_are_joined)
{
    if (!shaped) return;
    ShapedText word = laid("ببب");
    ShapedGlyph alone = only("ب");
    ck_assert(word.leftwards && word.count == 3);
    for (int g = 0; g < 3; g++) {
        ck_assert(!same_glyph(word.glyphs[g], alone));
        for (int h = 0; h < g; h++) ck_assert(!same_glyph(word.glyphs[g], word.glyphs[h]));
    }
    for (int g = 1; g < 3; g++) // they touch
        ck_assert(around(word.glyphs[g]).x0 <= around(word.glyphs[g - 1]).x1 + 1e-3);
    ck_assert_int_eq(laid("لا").count, 1); // lam and alef are one sign, and two letters
    ck_assert_int_eq(laid("لا").stops, 3);
    ck_assert_double_eq_tol(laid("لا").stop[1].x, laid("لا").width / 2, 1e-9);
    ck_assert(laid("ب\u200cب").glyphs[0].code == laid("ب\u200cب").glyphs[laid("ب\u200cب").count - 1].code);
}

TEST(marks_stand_over_their_letters)
{
    if (!shaped) return;
    ShapedText word = laid("cafe\u0301s");
    ck_assert_int_eq(word.count, 5);
    ck_assert(same_outline(word.glyphs[3], 0xe9));
    ck_assert_double_eq_tol(word.width, canvas_text_width((CanvasText){ .size = 1 }, "cafés"), 1e-6);

    ShapedText tilde = laid("aq\u0303a"); // no font has this as one sign
    ck_assert_int_eq(tilde.count, 4);
    Around letter = around(tilde.glyphs[1]), mark = around(tilde.glyphs[2]);
    ck_assert_double_eq_tol((mark.x0 + mark.x1) / 2, (letter.x0 + letter.x1) / 2, 0.08);
    ck_assert(mark.y0 > letter.y1 && mark.y1 < letter.y1 + 0.4);
    ck_assert_double_eq_tol(tilde.width, canvas_text_width((CanvasText){ .size = 1 }, "aqa"), 1e-6);
    ck_assert(tilde.high >= mark.y1 - 1e-3);

    ShapedText points = laid("שָׁ"); // two marks, under the letter and over it
    ck_assert_int_eq(points.stops, 2);
    ck_assert_double_eq_tol(points.width, laid("ש").width, 1e-6);
}

TEST(a_letter_is_what_a_reader_takes_for_one)
{
    // clang-format off
    static const struct {
        const char *text;
        int bytes, table;
    } cases[] = {
        { "", 0, 0 }, { "ab", 1, 1 }, { "é", 2, 2 }, { "e\u0301x", 3, 1 }, { "e\u0301\u0323x", 5, 1 },
        { "\xff\xff", 1, 1 }, { "ש", 2, 2 }, { "שָׁל", 6, 2 }, { "👍🏽!", 8, 4 }, { "👨‍👩‍👧x", 18, 4 }, { "🇩🇪🇫🇷", 8, 4 },
        { "\u1112\u1161\u11ab\u1100", 9, 3 }, { "한국", 3, 3 }, { "क्षत्रिय", 9, 3 }, { "กำ", 6, 3 },
        { "❤\ufe0f!", 6, 3 }, { "日本", 3, 3 }, { "a\u200db", 4, 1 },
    };
    // clang-format on
    bool can = shaping_use();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        ck_assert_msg(canvas_text_letter(cases[c].text) == (can ? cases[c].bytes : cases[c].table), "\"%s\": %d bytes",
                      cases[c].text, canvas_text_letter(cases[c].text));
    shaping_shape_by(NULL);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        ck_assert_int_eq(canvas_text_letter(cases[c].text), cases[c].table);
    ck_assert_int_eq(canvas_text_letter_before("aéb", 3), 1);
    ck_assert_int_eq(canvas_text_letter_before("aéb", 1), 0);
    ck_assert_int_eq(canvas_text_letter_before("aéb", 0), 0);
}

// As many letters as fit, from the beginning of the word; the three points are where its end would be.
TEST(a_word_is_cut_at_a_letter)
{
    if (!shaped) return;
    CanvasText style = { .size = 16 };
    const char *accents = "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301";
    for (int width = 20; width < 60; width++) {
        const char *cut = canvas_text_fit(arena, style, accents, width);
        size_t kept = strlen(cut) - 3;
        if (!strcmp(cut, accents)) continue;
        ck_assert(kept % 3 == 0 && !strncmp(cut, accents, kept) && !strcmp(cut + kept, "…"));
        ck_assert(canvas_text_width(style, cut) <= width);
        const char *more = arena_format(arena, "%.*s…", (int)kept + 3, accents);
        ck_assert(canvas_text_width(style, more) > width);
    }
    ck_assert_str_eq(canvas_text_fit(arena, style, accents, 59.1), accents);
    ck_assert_str_eq(canvas_text_fit(arena, style, "שלום", 1), "…");

    const char *cut = canvas_text_fit(arena, style, "שלום עולם", 50);
    ck_assert(!strncmp(cut, "שלום", 6) && !strcmp(cut + strlen(cut) - 3, "…"));
    ShapedText seen = laid(cut);
    ck_assert(same_outline(seen.glyphs[0], 0x2026) && same_glyph(seen.glyphs[seen.count - 1], only("ש")));
}

static int most_left(CanvasText style, const char *text)
{
    int at = 0;
    for (int n = 0; n < 100; n++) at = canvas_text_caret_moved(style, text, at, -1);
    return at;
}

// From the left end to the right one every place is visited once, whatever the directions; and back.
TEST(the_caret_goes_through_all_that_is_seen)
{
    static const char *const texts[] = { "",         "weights",  "naïve", "שלום עולם", "ab של cd",
                                         "של ab ום", "e\u0301a", "لا لا", "12 של 34",  "注意" };
    CanvasText style = { .size = 10 };
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        int places = 1, at = most_left(style, texts[t]), visited[32] = { at }, count = 1;
        for (const char *c = texts[t]; *c; c += canvas_text_letter(c)) places++;
        for (;;) {
            int next = canvas_text_caret_moved(style, texts[t], at, 1);
            if (next == at) break;
            ck_assert(canvas_text_caret(style, texts[t], next) >= canvas_text_caret(style, texts[t], at) - 1e-9);
            ck_assert_int_eq(canvas_text_caret_moved(style, texts[t], next, -1), at);
            for (int v = 0; v < count; v++) ck_assert_int_ne(visited[v], next);
            ck_assert_int_lt(count, 32);
            visited[count++] = at = next;
        }
        ck_assert_msg(count == places, "\"%s\": %d places of %d", texts[t], count, places);
    }
    if (!shaped) return;
    ck_assert_int_eq(canvas_text_caret_moved(style, "שלום", 0, -1), 2);
    ck_assert_int_eq(canvas_text_caret_moved(style, "שלום", 0, 1), 0);
    ck_assert_double_eq_tol(canvas_text_caret(style, "שלום", 0), canvas_text_width(style, "שלום"), 1e-9);
    ck_assert_double_eq_tol(canvas_text_caret(style, "שלום", 8), 0, 1e-9);
    ck_assert_double_eq_tol(canvas_text_caret(style, "ab של", 3), canvas_text_width(style, "ab של"), 1e-9);
    ck_assert_double_eq_tol(canvas_text_caret((CanvasText){ .size = 2048 }, "abc", 2), 1255 + 1300, 1e-9);
}

// Without shaping in the room of the table; with it as wide as its digits need.
TEST(a_missing_letter_is_a_box_with_its_number)
{
    if (!canvas_font_name()) return;
    shaping_shape_by(NULL);
    const uint32_t missing[] = { 0x2fe0, 0x5ffff };
    for (int n = 0; n < 2; n++) {
        const Glyph *box = glyph_find(CANVAS_SANS, missing[n]);
        double wide = n ? 2016 / 2048.0 : 1440 / 2048.0;
        ck_assert_double_eq_tol(box->advance, wide, 1e-9);
        ck_assert_double_eq_tol(glyph_code_width(CANVAS_SANS, missing[n]), wide, 1e-9);
        int digits = 0;
        for (const char *d = n ? "05FFFF" : "2FE0"; *d; d++)
            digits += glyph_find(CANVAS_MONO, (unsigned char)*d)->count;
        ck_assert_int_eq(box->count, 8 + digits);
        for (int e = 0; e < box->count; e++)
            ck_assert(box->edges[e].x0 > 0 && (double)box->edges[e].x0 < wide && box->edges[e].y0 >= -0.2f &&
                      box->edges[e].y0 <= 0.8001f);
    }
    if (!shaping_use()) return;
    ShapedText line = laid("a\u2fe0b");
    ck_assert(line.count == 3 && line.glyphs[1].font == SHAPING_FONT_BOXES && line.glyphs[1].code == 0x2fe0);
    ck_assert_double_eq_tol(line.glyphs[2].x - line.glyphs[1].x, 1.55, 1e-9);
    Around box = around(line.glyphs[1]);
    ck_assert(box.x0 >= line.glyphs[1].x && box.x1 <= line.glyphs[2].x);
}

// Whatever comes: letters of all scripts, marks, instructions, broken bytes. There is a place for a caret before every
// letter, in the order of the text, and none lies outside of it.
TEST(any_text_can_be_laid)
{
    static const uint32_t from[] = { 'a',    0x300,  0x5d0,   0x627,   0x905,   0xe01, 0x1100, 0x200b, 0x2028, 0x2066,
                                     0x4e00, 0xac00, 0x1f1e6, 0x1f600, 0xe0020, '0',   ' ',    '(',    0xfe00, 0x94d };
    uint32_t random = 7;
    if (!shaping_use()) return;
    for (int round = 0; round < 3000; round++) {
        char text[256], *to = text;
        for (int n = 0; n < round % 24; n++) {
            random = random * 1664525u + 1013904223u;
            uint32_t code = from[(random >> 8) % (sizeof from / sizeof *from)] + (random >> 24) % 24;
            to += unicode_write(to, round % 5 == 4 ? (random >> 11) % 0x110000 + 1 : code);
            if (random >> 28 == 0) *to++ = (char)(0x80 | random >> 25);
        }
        *to = 0;
        const ShapedText *line = shaping_text(CANVAS_SANS, text);
        if (!line) continue;
        ck_assert(isfinite(line->width) && line->width >= 0 && line->low >= -1 && line->high <= 2);
        int at = 0;
        for (int k = 0; k < line->stops; k++) {
            ck_assert_int_eq(line->stop[k].at, at);
            ck_assert(line->stop[k].x >= -1e-6 && line->stop[k].x <= line->width + 1e-6);
            at += canvas_text_letter(text + at);
        }
        ck_assert_int_eq(line->stop[line->stops - 1].at, (int)strlen(text));
        const char *cut = canvas_text_fit(arena, (CanvasText){ .size = 10 }, text, 40);
        ck_assert(cut == text || !strcmp(cut, "…") || canvas_text_width((CanvasText){ .size = 10 }, cut) <= 40);
    }
}

TEST(an_svg_holds_the_words)
{
    if (!shaped) return;
    Arena *record = arena_open();
    Canvas *canvas = canvas_new(arena, 200, 40, 1);
    size_t size;
    canvas_record(canvas, record);
    canvas_text(canvas, 10, 20, (CanvasText){ .size = 16, .color = COLOR_INK }, "שלום");
    canvas_text(canvas, 190, 20, (CanvasText){ .size = 16, .color = COLOR_INK, .anchor = CANVAS_AT_END }, "go של");
    char *svg = svg_encode(&size, canvas);
    ck_assert_ptr_nonnull(strstr(svg, ">\u2067שלום\u2069</text>"));
    double wide = canvas_text_width((CanvasText){ .size = 16 }, "שלום");
    ck_assert_ptr_nonnull(strstr(svg, arena_format(arena, "textLength=\"%.3f\"", wide)));
    ck_assert_ptr_nonnull(strstr(svg, ">go של</text>"));
    free(svg);
    arena_close(record);
}
