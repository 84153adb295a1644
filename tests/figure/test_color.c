// Colours: the ends of the maps, their order by lightness, and what is read on them.
#include "base/portable_math.h"
#include "figure/color.h"
#include "support/suite.h"

#include <stdlib.h>

static void assert_color(Color color, int r, int g, int b)
{
    ck_assert_msg(color.r == r && color.g == g && color.b == b, "the colour is (%d, %d, %d), not (%d, %d, %d)", color.r,
                  color.g, color.b, r, g, b);
}

TEST(maps_end_where_they_should)
{
    assert_color(color_at(COLOR_VIRIDIS, 0), 0x44, 0x01, 0x54);
    assert_color(color_at(COLOR_VIRIDIS, 1), 0xfd, 0xe7, 0x25);
    assert_color(color_at(COLOR_CIVIDIS, 0), 0, 34, 78);
    assert_color(color_at(COLOR_CIVIDIS, 1), 254, 232, 56);
    assert_color(color_at(COLOR_MAGMA, 0), 0, 0, 4);
    assert_color(color_at(COLOR_MAGMA, 1), 252, 253, 191);
    assert_color(color_at(COLOR_DIVERGING, 0.5), COLOR_PAPER.r, COLOR_PAPER.g, COLOR_PAPER.b);
}

// Entry 128 of matplotlib's tables, at t = 128 / 255.
TEST(maps_agree_with_the_published_tables)
{
    const struct {
        ColorMap map;
        int r, g, b;
    } middle[] = {
        { COLOR_VIRIDIS, 33, 145, 140 },
        { COLOR_CIVIDIS, 125, 124, 120 },
        { COLOR_MAGMA, 183, 55, 121 },
    };
    for (int i = 0; i < 3; i++) {
        Color color = color_at(middle[i].map, 128.0 / 255);
        ck_assert_int_le(abs(color.r - middle[i].r), 2);
        ck_assert_int_le(abs(color.g - middle[i].g), 2);
        ck_assert_int_le(abs(color.b - middle[i].b), 2);
    }
}

TEST(outside_is_clamped_and_nan_is_marked)
{
    assert_color(color_at(COLOR_MAGMA, -7), 0, 0, 4);
    assert_color(color_at(COLOR_MAGMA, INFINITY), 252, 253, 191);
    assert_color(color_at(COLOR_VIRIDIS, NAN), COLOR_MARK.r, COLOR_MARK.g, COLOR_MARK.b);
}

TEST(more_is_lighter)
{
    const ColorMap maps[] = { COLOR_VIRIDIS, COLOR_CIVIDIS, COLOR_MAGMA };
    for (int m = 0; m < 3; m++)
        for (int i = 1; i <= 64; i++) {
            double before = color_luminance(color_at(maps[m], (i - 1) / 64.0));
            double now = color_luminance(color_at(maps[m], i / 64.0));
            const char *name = color_map_name(maps[m]);
            ck_assert_msg(now > before, "%s gets darker at %d / 64: %g, then %g", name, i, before, now);
        }
}

// On every colour of every map, the text that is chosen has the contrast of WCAG 2.1, AA. viz/test_contrast.c looks at
// pictures.
TEST(text_on_a_colour_can_be_read)
{
    for (int map = COLOR_VIRIDIS; map <= COLOR_DIVERGING; map++)
        for (int i = 0; i <= 100; i++) {
            Color ground = color_at((ColorMap)map, i / 100.0);
            double a = color_luminance(ground) + 0.05, b = color_luminance(color_over(ground)) + 0.05;
            double contrast = a > b ? a / b : b / a;
            ck_assert_msg(contrast >= 4.5, "%s at %d %%: contrast %g", color_map_name((ColorMap)map), i, contrast);
        }
    assert_color(color_over(COLOR_PAPER), COLOR_INK.r, COLOR_INK.g, COLOR_INK.b);
    assert_color(color_over(COLOR_INK), COLOR_PAPER.r, COLOR_PAPER.g, COLOR_PAPER.b);
}

// On the dark every colour of the book can be told from the paper, the signed map's 0 is the paper and its numbers get
// lighter with their size; what is written on it can be read. Each test is a process: the scheme ends with it.
TEST(a_dark_wall_turns_the_lightness_round)
{
    color_scheme(COLOR_ON_DARK);
    double paper = color_luminance(COLOR_PAPER) + 0.05;
    const Color all[] = { COLOR_INK,       COLOR_QUIET,     COLOR_ACCENT,    COLOR_MARK,      COLOR_SERIES[0],
                          COLOR_SERIES[1], COLOR_SERIES[2], COLOR_SERIES[3], COLOR_SERIES[4], COLOR_SERIES[5] };
    for (int c = 0; c < 10; c++) ck_assert_msg((color_luminance(all[c]) + 0.05) / paper >= 4, "colour %d: too dark", c);
    assert_color(color_at(COLOR_DIVERGING, 0.5), COLOR_PAPER.r, COLOR_PAPER.g, COLOR_PAPER.b);
    for (int i = 1; i <= 16; i++) {
        double low = color_luminance(color_at(COLOR_DIVERGING, 0.5 - i / 32.0));
        double high = color_luminance(color_at(COLOR_DIVERGING, 0.5 + i / 32.0));
        ck_assert_msg(fabs(sqrt(low) - sqrt(high)) < 0.08, "at ±%d / 16 the luminances are %g and %g", i, low, high);
        ck_assert(low > color_luminance(color_at(COLOR_DIVERGING, 0.5 - (i - 1) / 32.0)));
        ck_assert(high > color_luminance(color_at(COLOR_DIVERGING, 0.5 + (i - 1) / 32.0)));
    }
    assert_color(color_over(COLOR_PAPER), COLOR_INK.r, COLOR_INK.g, COLOR_INK.b);
    color_scheme(COLOR_ON_PAPER);
    assert_color(COLOR_PAPER, 0xfa, 0xf9, 0xf6);
    assert_color(color_at(COLOR_DIVERGING, 0.5), COLOR_PAPER.r, COLOR_PAPER.g, COLOR_PAPER.b);
}
