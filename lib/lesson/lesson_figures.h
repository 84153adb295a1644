// Figures of a lesson, one function per kind. They are drawn only with --figures.
#ifndef LESSON_LESSON_FIGURES_H
#define LESSON_LESSON_FIGURES_H

#include "figure/diagram.h"
#include "figure/heatmap.h"
#include "figure/links.h"
#include "figure/plot.h"
#include "figure/vector_plot.h"
#include "lesson/lesson.h"

// `file` is a name that ends in .png, relative to the folder of --figures. The caption is printed.
void lesson_figure_map(Lesson *lesson, const char *file, const char *caption, Heatmap map);
void lesson_figure_maps(Lesson *lesson, const char *file, const char *caption, const char *title, const Heatmap *maps,
                        int count, int across);
void lesson_figure_plot(Lesson *lesson, const char *file, const char *caption, Plot plot);
void lesson_figure_plots(Lesson *lesson, const char *file, const char *caption, const Plot *plots, int count);
void lesson_figure_bars(Lesson *lesson, const char *file, const char *caption, PlotBars bars);
void lesson_figure_diagram(Lesson *lesson, const char *file, const char *caption, Diagram diagram);
void lesson_figure_vectors(Lesson *lesson, const char *file, const char *caption, VectorPlot plane);
void lesson_figure_links(Lesson *lesson, const char *file, const char *caption, const char *title, const Links *panels,
                         int count);

// A heat map of attention weights with tokens on both axes, titles, and the range 0 … 1.
Heatmap lesson_map_of_weights(const char *title, Mat weights, const Sentence *queries, const Sentence *keys);

#endif
