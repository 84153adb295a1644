// Figures: drawn if --figures is given, and written atomically.
#include "lesson/lesson_figures.h"

#include "figure/png.h"
#include "figure/svg.h"
#include "io/file.h"
#include "lesson/lesson_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// bank.png, or bank.svg with --format svg.
static const char *file_name(const Lesson *lesson, const char *file)
{
    if (!lesson->state->svg) return file;
    return arena_format(lesson->arena, "%.*s.svg", (int)strcspn(file, "."), file);
}

// Prints the caption, whether the figure is drawn or not. Returns whether to draw it.
static bool print_caption(Lesson *lesson, const char *file, const char *caption)
{
    lesson_say(lesson, "figure %s: %s", file_name(lesson, file), caption);
    if (!lesson->state->figures) return false;
    if (lesson->state->svg || png_available()) return true;
    lesson->state->left_out++;
    return false;
}

static RenderTarget render_target(const Lesson *lesson)
{
    const LessonState *state = lesson->state;
    return (RenderTarget){ .scale = state->scale, .record = state->strokes };
}

// Writes the boxes of all texts next to the figure, for the check of figures.
static bool write_text_boxes(Lesson *lesson, const char *path, const Canvas *canvas, Error *error)
{
    const char *boxes = canvas_text_boxes(lesson->arena, canvas);
    return file_write(arena_format(lesson->arena, "%s.text", path), boxes, strlen(boxes), error);
}

static bool write_svg(const char *path, const Canvas *canvas, Error *error)
{
    size_t size = 0;
    char *text = svg_encode(&size, canvas);
    bool written = file_write(path, text, size, error);
    free(text);
    return written;
}

static bool write_png(const char *path, const Canvas *canvas, Error *error)
{
    unsigned char *bytes = NULL;
    int size = 0;
    bool written = png_encode(&bytes, &size, canvas, error) && file_write(path, bytes, (size_t)size, error);
    free(bytes);
    return written;
}

static void write_picture(Lesson *lesson, const char *file, const Canvas *canvas)
{
    LessonState *state = lesson->state;
    Error error;
    const char *path = arena_format(lesson->arena, "%s/%s", state->figures, file_name(lesson, file));
    bool written = (state->svg ? write_svg : write_png)(path, canvas, &error) &&
                   (!getenv("MANYHEADS_TEXT_BOXES") || write_text_boxes(lesson, path, canvas, &error));
    if (!written) lesson_fail(&error);
    state->drawn++;
}

void lesson_figure_map(Lesson *lesson, const char *file, const char *caption, Heatmap map)
{
    if (print_caption(lesson, file, caption))
        write_picture(lesson, file, heatmap_draw(lesson->arena, &map, render_target(lesson)));
}

void lesson_figure_maps(Lesson *lesson, const char *file, const char *caption, const char *title, const Heatmap *maps,
                        int count, int across)
{
    if (print_caption(lesson, file, caption))
        write_picture(lesson, file, heatmaps_draw(lesson->arena, title, maps, count, across, render_target(lesson)));
}

void lesson_figure_plot(Lesson *lesson, const char *file, const char *caption, Plot plot)
{
    if (print_caption(lesson, file, caption))
        write_picture(lesson, file, plot_draw(lesson->arena, &plot, render_target(lesson)));
}

void lesson_figure_plots(Lesson *lesson, const char *file, const char *caption, const Plot *plots, int count)
{
    if (print_caption(lesson, file, caption))
        write_picture(lesson, file, plots_draw(lesson->arena, plots, count, render_target(lesson)));
}

void lesson_figure_bars(Lesson *lesson, const char *file, const char *caption, PlotBars bars)
{
    if (print_caption(lesson, file, caption))
        write_picture(lesson, file, plot_bars_draw(lesson->arena, &bars, render_target(lesson)));
}

void lesson_figure_vectors(Lesson *lesson, const char *file, const char *caption, VectorPlot plane)
{
    if (print_caption(lesson, file, caption))
        write_picture(lesson, file, vector_plot_draw(lesson->arena, &plane, render_target(lesson)));
}

void lesson_figure_links(Lesson *lesson, const char *file, const char *caption, const char *title, const Links *panels,
                         int count)
{
    if (print_caption(lesson, file, caption))
        write_picture(lesson, file, links_draw(lesson->arena, title, panels, count, render_target(lesson)));
}

void lesson_figure_diagram(Lesson *lesson, const char *file, const char *caption, Diagram diagram)
{
    if (print_caption(lesson, file, caption))
        write_picture(lesson, file, diagram_draw(lesson->arena, &diagram, render_target(lesson)));
}

Heatmap lesson_map_of_weights(const char *title, Mat weights, const Sentence *queries, const Sentence *keys)
{
    return (Heatmap){
        .title = title,
        .values = weights,
        .row_labels = queries->words,
        .col_labels = keys->words,
        .row_title = "query (attends from)",
        .col_title = "key (attended to)",
        .colors = COLOR_VIRIDIS,
        .low = 0.0,
        .high = 1.0,
        .decimals = 2,
        .bar_title = "weight",
    };
}
