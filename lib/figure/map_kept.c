// Cache of the pixels of a map's cells and of the inputs they were drawn from.
#include "figure/map_kept.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct MapKept {
    bool any;
    Map map; // placement, cells and ramp; the cells point into `numbers`
    Colors palette;
    double scale; // of the canvas
    CanvasBox box;
    float *numbers;  // copies of values and kinds
    uint32_t *words; // (box.height, box.width) pixels
    size_t numbers_capacity, words_capacity;
};

MapKept *map_kept_open(void) { return memory_zeroed(sizeof(MapKept)); }

void map_kept_close(MapKept *kept)
{
    if (!kept) return;
    free(kept->numbers);
    free(kept->words);
    free(kept);
}

// ---- comparison -----------------------------------------------------------------------------------------------------

static bool same_box(CanvasBox a, CanvasBox b)
{
    return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

static bool same_place(const MapPlace *a, const MapPlace *b)
{
    return a->frame.x == b->frame.x && a->frame.y == b->frame.y && a->frame.width == b->frame.width &&
           a->frame.height == b->frame.height && a->cell_width == b->cell_width && a->cell_height == b->cell_height &&
           a->row == b->row && a->col == b->col && a->fold_rows == b->fold_rows && a->fold_cols == b->fold_cols;
}

static bool same_ramp(const Ramp *a, const Ramp *b)
{
    return a->kind == b->kind && a->colors == b->colors && a->low == b->low && a->high == b->high;
}

// Compares bits: NaN equals itself.
static bool same_numbers(Mat a, Mat b)
{
    if (a.rows != b.rows || a.cols != b.cols) return false;
    for (int i = 0; i < a.rows; i++)
        if (memcmp(mat_row(a, i), mat_row(b, i), (size_t)a.cols * sizeof(float))) return false;
    return true;
}

static bool same_cells(const MapCells *a, const MapCells *b)
{
    return a->first_row == b->first_row && a->first_col == b->first_col && same_numbers(a->kind, b->kind) &&
           same_numbers(a->values, b->values);
}

bool map_kept_paint(const MapKept *kept, Canvas *canvas, const Map *map)
{
    CanvasBox box = canvas->clip;
    bool same = kept->any && !canvas->record && canvas->scale == kept->scale && same_box(box, kept->box) &&
                map->plain == kept->map.plain && same_place(&map->place, &kept->map.place) &&
                same_ramp(&map->ramp, &kept->map.ramp) &&
                !memcmp(color_palette, &kept->palette, sizeof kept->palette) &&
                same_cells(&map->cells, &kept->map.cells);
    if (!same) return false;
    size_t width = (size_t)box.width;
    for (int row = 0; row < box.height; row++)
        memcpy(canvas->rgba + 4 * ((size_t)(box.y + row) * (size_t)canvas->width + (size_t)box.x),
               kept->words + (size_t)row * width, 4 * width);
    return true;
}

// ---- the cache ------------------------------------------------------------------------------------------------------

// Grows a buffer to at least `bytes` bytes; its contents are lost.
static void *grow_buffer(void *buffer, size_t *capacity, size_t bytes)
{
    if (bytes <= *capacity) return buffer;
    free(buffer);
    *capacity = bytes;
    return memory_new(bytes);
}

static Mat copy_of(float *to, Mat from)
{
    Mat copy = { to, from.rows, from.cols, from.cols };
    mat_set(copy, from);
    return copy;
}

void map_kept_take(MapKept *kept, const Canvas *canvas, const Map *map)
{
    CanvasBox box = canvas->clip;
    size_t cells = (size_t)mat_numbers(map->cells.values), width = (size_t)box.width;
    kept->numbers = grow_buffer(kept->numbers, &kept->numbers_capacity, 2 * cells * sizeof *kept->numbers);
    kept->words = grow_buffer(kept->words, &kept->words_capacity, width * (size_t)box.height * sizeof *kept->words);
    kept->map = (Map){ .place = map->place, .cells = map->cells, .ramp = map->ramp, .plain = map->plain };
    kept->map.cells.values = copy_of(kept->numbers, map->cells.values);
    kept->map.cells.kind = copy_of(kept->numbers + cells, map->cells.kind);
    kept->palette = *color_palette;
    kept->scale = canvas->scale;
    kept->box = box;
    for (int row = 0; row < box.height; row++)
        memcpy(kept->words + (size_t)row * width,
               canvas->rgba + 4 * ((size_t)(box.y + row) * (size_t)canvas->width + (size_t)box.x), 4 * width);
    kept->any = true;
}
