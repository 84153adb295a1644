// Colour maps: anchor colours at even steps, linearly interpolated in sRGB.
#include "figure/color.h"

#include "base/portable_math.h"

// The series colours were found by search: the distance of any two in Oklab is at least 0.12, for normal sight and for
// each of three colour-blindnesses; their contrast is at least 3 on paper, 4 on dark. Text colours have 4.5: the
// nearest such colours to the desired ones.
static const Colors schemes[] = {
    [COLOR_ON_PAPER] = {
        .paper = { 0xfa, 0xf9, 0xf6 }, .ink = { 0x1f, 0x23, 0x28 }, .quiet = { 0x68, 0x6d, 0x75 },
        .rule = { 0xe4, 0xe1, 0xda }, .accent = { 0x31, 0x68, 0x8e }, .mark = { 0xc9, 0x3f, 0x55 },
        .series = { { 0x31, 0x68, 0x8e }, { 0xc8, 0x80, 0x1e }, { 0x1f, 0x9e, 0x89 },
                    { 0xa0, 0x6c, 0xd5 }, { 0xa0, 0x3a, 0x2c }, { 0x4b, 0x2e, 0x83 } },
    },
    [COLOR_ON_DARK] = {
        .paper = { 0x16, 0x19, 0x1d }, .ink = { 0xec, 0xe9, 0xe2 }, .quiet = { 0x9c, 0xa2, 0xaa },
        .rule = { 0x36, 0x3c, 0x44 }, .accent = { 0x6f, 0xaa, 0xb8 }, .mark = { 0xf0, 0x7f, 0x8e },
        .series = { { 0x6f, 0xaa, 0xb8 }, { 0xed, 0xc1, 0x5c }, { 0x3d, 0x84, 0x89 },
                    { 0xbf, 0xc6, 0xfe }, { 0xde, 0x42, 0x16 }, { 0xaa, 0x6c, 0xf6 } },
    },
};

const Colors *color_palette = &schemes[COLOR_ON_PAPER];

// viridis and magma: Stéfan van der Walt, Nathaniel Smith; cividis: Nuñez, Anderton, Renslow 2018. Printed from
// matplotlib 3.11.2; no channel differs from its 256 colours by more than 2 of 255. diverging: two paths in Oklab from
// the paper to blue and to red, in equal steps of decreasing lightness, or of increasing lightness in the dark scheme.
static const uint32_t viridis[33] = {
    0x440154, 0x470d60, 0x48186a, 0x482374, 0x472d7b, 0x453681, 0x424086, 0x3f4989, 0x3b528b, 0x375a8d, 0x33638d,
    0x2f6a8e, 0x2c728e, 0x297a8e, 0x26818e, 0x23898e, 0x21908c, 0x1f988b, 0x1f9f88, 0x21a685, 0x28ae80, 0x31b57b,
    0x3ebc74, 0x4cc26c, 0x5dc963, 0x6ece58, 0x82d34c, 0x96d83f, 0xabdc32, 0xc0df24, 0xd5e21a, 0xeae51a, 0xfde725,
};

static const uint32_t cividis[65] = {
    0x00224e, 0x002554, 0x00285b, 0x002b62, 0x002e6a, 0x003070, 0x043371, 0x113570, 0x1a386f, 0x213b6e, 0x273e6e,
    0x2d416d, 0x32436d, 0x36466c, 0x3b496c, 0x3f4c6c, 0x434e6c, 0x47516c, 0x4b546c, 0x4f576c, 0x52596d, 0x565c6d,
    0x5a5f6e, 0x5d626e, 0x61656f, 0x646770, 0x686a71, 0x6b6d72, 0x6f7073, 0x727374, 0x757676, 0x797877, 0x7c7b78,
    0x807e78, 0x848179, 0x878478, 0x8b8778, 0x8f8a78, 0x938d78, 0x979077, 0x9b9376, 0x9f9676, 0xa39a75, 0xa79d74,
    0xaba072, 0xafa371, 0xb3a670, 0xb7aa6e, 0xbbad6c, 0xbfb06b, 0xc3b469, 0xc8b766, 0xccba64, 0xd0be61, 0xd4c15f,
    0xd9c55c, 0xddc958, 0xe1cc55, 0xe6d051, 0xead44c, 0xefd748, 0xf4db42, 0xf8df3c, 0xfde334, 0xfee838,
};

static const uint32_t magma[33] = {
    0x000004, 0x030311, 0x0a0822, 0x130d33, 0x1d1146, 0x28115a, 0x36106a, 0x430f76, 0x50127c, 0x5d177f, 0x691c81,
    0x762181, 0x822681, 0x8f2a81, 0x9c2e7f, 0xa9327d, 0xb63779, 0xc33b75, 0xcf4170, 0xdb486a, 0xe65163, 0xee5c5e,
    0xf5695c, 0xf9785d, 0xfb8761, 0xfd9668, 0xfea571, 0xfeb47b, 0xfec387, 0xfed194, 0xfde0a2, 0xfceeb0, 0xfcfdbf,
};

static const uint32_t diverging[33] = {
    0x065182, 0x175b8d, 0x246598, 0x2f6fa3, 0x3b7aad, 0x4784b7, 0x548fc1, 0x629ac9, 0x71a4d1, 0x80afd8, 0x91bade,
    0xa1c4e3, 0xb2cfe8, 0xc4daec, 0xd6e4f0, 0xe8eff3, 0xfaf9f6, 0xfbe9e6, 0xfad9d7, 0xf9c9c8, 0xf6b9b9, 0xf3a9aa,
    0xee9a9d, 0xe98b8f, 0xe27c82, 0xda6e76, 0xd1616a, 0xc7545f, 0xbc4855, 0xb03c4b, 0xa43142, 0x982538, 0x8c182f,
};

static const uint32_t diverging_dark[33] = {
    0x80c7f8, 0x77bae9, 0x6faeda, 0x67a3cc, 0x6097be, 0x588baf, 0x5180a1, 0x4a7594, 0x436a86, 0x3c5f78, 0x35546b,
    0x2f4a5e, 0x294051, 0x233644, 0x1e2c37, 0x19222b, 0x16191d, 0x252022, 0x322729, 0x3f2e30, 0x4c3637, 0x5a3e3e,
    0x674746, 0x754f4e, 0x835856, 0x91615e, 0x9f6a67, 0xad7370, 0xbc7d78, 0xcb8781, 0xda908a, 0xe99a94, 0xf8a49d,
};

typedef struct {
    const char *name;
    const uint32_t *anchors;
    int count;
} Ramp;

static Ramp ramps[] = {
    [COLOR_VIRIDIS] = { "viridis", viridis, 33 },
    [COLOR_CIVIDIS] = { "cividis", cividis, 65 },
    [COLOR_MAGMA] = { "magma", magma, 33 },
    [COLOR_DIVERGING] = { "diverging", diverging, 33 },
};

void color_scheme(ColorScheme scheme)
{
    color_palette = &schemes[scheme];
    ramps[COLOR_DIVERGING].anchors = scheme == COLOR_ON_DARK ? diverging_dark : diverging;
}

static Color from_hex(uint32_t hex) { return (Color){ (uint8_t)(hex >> 16), (uint8_t)(hex >> 8), (uint8_t)hex }; }

static uint8_t interpolate(uint8_t a, uint8_t b, double t) { return (uint8_t)(a + (b - a) * t + 0.5); }

Color color_mix(Color a, Color b, double t)
{
    t = !(t > 0) ? 0 : t > 1 ? 1 : t;
    return (Color){ interpolate(a.r, b.r, t), interpolate(a.g, b.g, t), interpolate(a.b, b.b, t) };
}

Color color_at(ColorMap map, double t)
{
    if (isnan(t)) return COLOR_MARK;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    const Ramp *ramp = &ramps[map];
    double place = t * (ramp->count - 1);
    int i = (int)place;
    if (i == ramp->count - 1) return from_hex(ramp->anchors[i]);
    return color_mix(from_hex(ramp->anchors[i]), from_hex(ramp->anchors[i + 1]), place - i);
}

// The anchors of a map and the differences to the next ones, with red, green and blue in one vector.
typedef double Channels __attribute__((vector_size(32)));
typedef struct {
    Channels from, way;
} Line;

static const Line *lines_of(const Ramp *ramp)
{
    enum { MOST = 65 };
    static Line lines[MOST];
    static const uint32_t *made;
    if (made == ramp->anchors) return lines;
    made = ramp->anchors;
    for (int i = 0; i < ramp->count; i++) {
        Color a = from_hex(made[i]), b = from_hex(made[i + 1 < ramp->count ? i + 1 : i]);
        lines[i] = (Line){ { a.r, a.g, a.b, 0 }, { b.r - a.r, b.g - a.g, b.b - a.b, 0 } };
    }
    return lines;
}

void color_row(ColorMap map, Color *to, const double *t, int count)
{
    typedef int Bytes __attribute__((vector_size(16)));
    const Ramp *ramp = &ramps[map];
    const Line *lines = lines_of(ramp);
    for (int k = 0; k < count; k++) {
        if (k && t[k] == t[k - 1]) {
            to[k] = to[k - 1];
            continue;
        }
        double at = t[k] < 0 ? 0 : t[k] > 1 ? 1 : t[k], place = at * (ramp->count - 1);
        if (isnan(at)) {
            to[k] = COLOR_MARK;
            continue;
        }
        int i = (int)place;
        Bytes rgb = __builtin_convertvector(lines[i].from + lines[i].way * (place - i) + 0.5, Bytes);
        to[k] = (Color){ (uint8_t)rgb[0], (uint8_t)rgb[1], (uint8_t)rgb[2] };
    }
}

// From an sRGB byte to linear light: u to the power 2.4, above the linear part near 0. Computed as the fifth root of u
// to the power 12, by Newton's method from above, so that the choice of a text colour does not depend on the math
// library.
static double linear(uint8_t byte)
{
    enum { STEPS = 8 };
    double v = byte / 255.0;
    if (v <= 0.04045) return v / 12.92;
    double u = (v + 0.055) / 1.055, u4 = u * u * u * u, u12 = u4 * u4 * u4, root = u * u;
    for (int n = 0; n < STEPS; n++) root -= (root - u12 / (root * root * root * root)) / 5;
    return root;
}

double color_luminance(Color color)
{
    return 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b);
}

double color_contrast(Color a, Color b)
{
    double la = color_luminance(a) + 0.05, lb = color_luminance(b) + 0.05;
    return la > lb ? la / lb : lb / la;
}

// On a colour of medium lightness neither may suffice; black or white always has at least 4.58.
Color color_over(Color color)
{
    const Color black = { 0, 0, 0 }, white = { 255, 255, 255 };
    Color own = color_contrast(COLOR_INK, color) >= color_contrast(COLOR_PAPER, color) ? COLOR_INK : COLOR_PAPER;
    if (color_contrast(own, color) >= COLOR_TEXT) return own;
    return color_contrast(black, color) >= color_contrast(white, color) ? black : white;
}

Color color_text(Color wanted, Color ground)
{
    enum { STEPS = 64 };
    Color end = color_over(ground);
    for (int n = 0; n < STEPS; n++) {
        Color color = color_mix(wanted, end, (double)n / STEPS);
        if (color_contrast(color, ground) >= COLOR_TEXT) return color;
    }
    return end;
}

const char *color_map_name(ColorMap map) { return ramps[map].name; }
