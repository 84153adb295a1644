// Scan conversion with exact area coverage, one edge at a time.
#include "figure/raster.h"

#include "base/portable_math.h"

double raster_canvas_pixels(const Canvas *canvas, double points)
{
    double at = points * canvas->scale;
    if (!(at > -1e6)) return -1e6; // NaN too becomes a position far off the canvas
    if (at > 1e6) return 1e6;
    return floor(at * 256 + 0.5) / 256;
}

void raster_word_run(uint32_t *at, int count, uint32_t word, unsigned alpha)
{
    if (alpha == 255) {
        for (int k = 0; k < count; k++) at[k] = word;
    } else if (alpha > 0) {
        for (int k = 0; k < count; k++) at[k] = word_mix(at[k], word, alpha);
    }
}

CanvasBox raster_box_meet(CanvasBox a, CanvasBox b)
{
    int right = a.x + a.width < b.x + b.width ? a.x + a.width : b.x + b.width;
    int bottom = a.y + a.height < b.y + b.height ? a.y + a.height : b.y + b.height;
    if (a.x < b.x) a.x = b.x;
    if (a.y < b.y) a.y = b.y;
    a.width = right > a.x ? right - a.x : 0;
    a.height = bottom > a.y ? bottom - a.y : 0;
    return a;
}

CanvasBox raster_canvas_box(const Canvas *canvas) { return (CanvasBox){ 0, 0, canvas->width, canvas->height }; }

CanvasBox raster_box_clip(CanvasBox box, const Canvas *canvas) { return raster_box_meet(box, canvas->clip); }

RasterCover raster_cover_open(Arena *arena, CanvasBox box)
{
    size_t height = (size_t)box.height, count = ((size_t)box.width + 1) * height;
    RasterCover cover = { .box = box, .change = arena_alloc(arena, count * sizeof *cover.change) };
    cover.from = arena_alloc(arena, 2 * height * sizeof *cover.from);
    cover.to = cover.from + height;
    for (size_t row = 0; row < height; row++) cover.from[row] = box.width + 1;
    return cover;
}

// An edge that descends by `fall` within one row while x goes from `left` to `right`. In each pixel that it crosses,
// the area to its right is covered; all pixels further right are covered by the full `fall`.
static void row_edge(RasterCover *cover, int row, double left, double right, double fall)
{
    int width = cover->box.width;
    if (left >= width) return;
    float *change = cover->change + (size_t)row * ((size_t)width + 1);
    int first = left > 0 ? (int)left : 0, last = right >= width ? width : right > 0 ? (int)right + 1 : 1;
    if (first < cover->from[row]) cover->from[row] = first;
    if (last >= cover->to[row]) cover->to[row] = last + 1;
    if (right <= 0) { // left of the box: it covers all of column 0
        change[0] += (float)fall;
        return;
    }
    double slope = right > left ? fall / (right - left) : 0;
    if (left < 0) {
        change[0] += (float)(slope * -left);
        fall += slope * left;
        left = 0;
    }
    for (int k = (int)left; k < width; k++) {
        double stop = right < k + 1 ? right : k + 1;
        double part = right <= k + 1 ? fall : slope * (stop - left);
        double mean_x = (left + stop) / 2 - k;
        change[k] += (float)(part * (1 - mean_x));
        change[k + 1] += (float)(part * mean_x);
        if (right <= k + 1) return;
        fall -= part;
        left = stop;
    }
}

void raster_cover_edge(RasterCover *cover, double x0, double y0, double x1, double y1)
{
    if (y0 == y1 || cover->box.width == 0) return;
    double sign = y0 < y1 ? 1 : -1;
    if (sign < 0) {
        double x = x0, y = y0;
        x0 = x1;
        y0 = y1;
        x1 = x;
        y1 = y;
    }
    x0 -= cover->box.x;
    x1 -= cover->box.x;
    y0 -= cover->box.y;
    y1 -= cover->box.y;
    double slope = (x1 - x0) / (y1 - y0), height = cover->box.height;
    if (y1 <= 0 || y0 >= height) return;

    double first = y0 > 0 ? y0 : 0, last = y1 < height ? y1 : height;
    for (int row = (int)first; row < last; row++) {
        double top = first > row ? first : row, bottom = last < row + 1 ? last : row + 1;
        double a = x0 + (top - y0) * slope, b = bottom == y1 ? x1 : x0 + (bottom - y0) * slope;
        row_edge(cover, row, a < b ? a : b, a < b ? b : a, sign * (bottom - top));
    }
}

// Computes the alphas of the row's changed columns and clears them. Returns the alpha of the columns that follow: not 0
// if the outline extends to the right of the box.
static unsigned row_alphas(RasterCover *cover, int row, uint8_t *alphas)
{
    float *change = cover->change + (size_t)row * ((size_t)cover->box.width + 1);
    int from = cover->from[row], to = cover->to[row];
    double sum = 0;
    unsigned alpha = 0;
    for (int k = from; k < to; k++) {
        sum += (double)change[k];
        change[k] = 0;
        double amount = fabs(sum);
        alpha = alpha_of(amount < 1 ? amount : 1);
        if (k < cover->box.width) alphas[k - from] = (uint8_t)alpha;
    }
    cover->from[row] = cover->box.width + 1;
    cover->to[row] = 0;
    return alpha;
}

void raster_cover_keep(RasterCover *cover, uint8_t *alphas)
{
    int width = cover->box.width;
    for (int row = 0; row < cover->box.height; row++) {
        int from = cover->from[row], to = cover->to[row];
        uint8_t *at = alphas + (size_t)row * (size_t)width;
        unsigned rest = row_alphas(cover, row, at + from);
        if (rest && to < width) memset(at + to, (int)rest, (size_t)(width - to));
    }
}

void raster_cover_paint(Canvas *canvas, RasterCover *cover, Color color)
{
    ArenaMark mark = arena_mark(canvas->arena);
    uint8_t *alphas = arena_alloc(canvas->arena, (size_t)cover->box.width + 1);
    uint32_t word = color_word(color);
    CanvasBox box = raster_box_clip(cover->box, canvas);
    for (int row = 0; row < cover->box.height; row++) {
        int y = cover->box.y + row, from = cover->from[row], to = cover->to[row];
        if (to == 0) continue;
        unsigned rest = row_alphas(cover, row, alphas);
        if (y < box.y || y >= box.y + box.height) continue;
        int left = cover->box.x + from < box.x ? box.x : cover->box.x + from, right = box.x + box.width;
        uint32_t *words = canvas_words(canvas, 0, y);
        int end = cover->box.x + to < right ? cover->box.x + to : right;
        for (int x = left; x < end; x++) {
            unsigned alpha = alphas[x - cover->box.x - from];
            if (alpha) words[x] = alpha == 255 ? word : word_mix(words[x], word, alpha);
        }
        int after = cover->box.x + to > left ? cover->box.x + to : left;
        if (after < right) raster_word_run(words + after, right - after, word, rest);
    }
    arena_release(canvas->arena, mark);
}
