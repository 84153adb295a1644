// Exact area coverage, edge by edge.
#include "figure/raster.h"

#include <math.h>

double pixels(const Canvas *canvas, double points)
{
    double at = points * canvas->scale;
    if (!(at > -1e6)) return -1e6;                   // NaN ends up here, far off the canvas
    if (at > 1e6) return 1e6;
    return floor(at * 256 + 0.5) / 256;
}

void canvas_blend(Canvas *canvas, int x, int y, Color color, double amount)
{
    int a = (int)(amount * 255 + 0.5);
    if (a <= 0) return;
    uint8_t *at = canvas->rgba + ((size_t)y * (size_t)canvas->width + (size_t)x) * 4;
    if (a >= 255) {
        at[0] = color.r, at[1] = color.g, at[2] = color.b, at[3] = 255;
        return;
    }
    at[0] = (uint8_t)((at[0] * (255 - a) + color.r * a + 127) / 255);
    at[1] = (uint8_t)((at[1] * (255 - a) + color.g * a + 127) / 255);
    at[2] = (uint8_t)((at[2] * (255 - a) + color.b * a + 127) / 255);
    at[3] = (uint8_t)((at[3] * (255 - a) + 255 * a + 127) / 255);
}

Box box_clip(Box box, const Canvas *canvas)
{
    int right = box.x + box.width, bottom = box.y + box.height;
    if (box.x < 0) box.x = 0;
    if (box.y < 0) box.y = 0;
    if (right > canvas->width) right = canvas->width;
    if (bottom > canvas->height) bottom = canvas->height;
    box.width = right > box.x ? right - box.x : 0;
    box.height = bottom > box.y ? bottom - box.y : 0;
    return box;
}

Cover cover_open(Canvas *canvas, Box box)
{
    Cover cover = { .box = box_clip(box, canvas), .mark = arena_mark(canvas->arena) };
    size_t count = ((size_t)cover.box.width + 1) * (size_t)cover.box.height;
    cover.change = arena_alloc(canvas->arena, count * sizeof *cover.change);
    return cover;
}

// An edge that falls by `fall` inside one row, while x goes from `left` to `right`. In each pixel that it crosses, the
// part of the pixel to its right is covered; every pixel further right is covered by the whole fall.
static void cover_row(float *change, int width, double left, double right, double fall)
{
    if (left >= width) return;
    if (right <= 0) { change[0] += (float)fall; return; }
    double slope = right > left ? fall / (right - left) : 0;
    if (left < 0) {
        change[0] += (float)(slope * -left);
        fall += slope * left;
        left = 0;
    }
    for (int k = (int)left; k < width; k++) {
        double stop = right < k + 1 ? right : k + 1;
        double part = right <= k + 1 ? fall : slope * (stop - left);
        double beside = (left + stop) / 2 - k;       // the mean of x inside this pixel
        change[k] += (float)(part * (1 - beside));
        change[k + 1] += (float)(part * beside);
        if (right <= k + 1) return;
        fall -= part;
        left = stop;
    }
}

void cover_edge(Cover *cover, double x0, double y0, double x1, double y1)
{
    if (y0 == y1 || cover->box.width == 0) return;
    double sign = y0 < y1 ? 1 : -1;
    if (sign < 0) {
        double x = x0, y = y0;
        x0 = x1, y0 = y1, x1 = x, y1 = y;
    }
    x0 -= cover->box.x, x1 -= cover->box.x, y0 -= cover->box.y, y1 -= cover->box.y;
    double slope = (x1 - x0) / (y1 - y0), height = cover->box.height;
    if (y1 <= 0 || y0 >= height) return;

    double first = y0 > 0 ? y0 : 0, last = y1 < height ? y1 : height;
    for (int row = (int)first; row < last; row++) {
        double top = first > row ? first : row, bottom = last < row + 1 ? last : row + 1;
        double a = x0 + (top - y0) * slope, b = bottom == y1 ? x1 : x0 + (bottom - y0) * slope;
        float *change = cover->change + (size_t)row * ((size_t)cover->box.width + 1);
        cover_row(change, cover->box.width, a < b ? a : b, a < b ? b : a, sign * (bottom - top));
    }
}

void cover_fill(Canvas *canvas, Cover *cover, Color color)
{
    Box box = cover->box;
    for (int row = 0; row < box.height; row++) {
        const float *change = cover->change + (size_t)row * ((size_t)box.width + 1);
        double sum = 0;
        for (int k = 0; k < box.width; k++) {
            sum += (double)change[k];
            double amount = fabs(sum);
            canvas_blend(canvas, box.x + k, box.y + row, color, amount < 1 ? amount : 1);
        }
    }
    arena_release(canvas->arena, cover->mark);
}
