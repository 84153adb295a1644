// Short names for programs that are lessons: step(lesson, …), say(lesson, …), check(lesson, …). Libraries use the full
// names lesson_step, lesson_say, lesson_check.
#ifndef LESSON_VERBS_H
#define LESSON_VERBS_H

#include "lesson/lesson_figures.h"

#define step(...)           lesson_step(__VA_ARGS__)
#define say(...)            lesson_say(__VA_ARGS__)
#define say_lines(...)      lesson_say_lines(__VA_ARGS__)
#define check(...)          lesson_check(__VA_ARGS__)
#define cost(...)           lesson_cost(__VA_ARGS__)
#define show(...)           lesson_show(__VA_ARGS__)
#define show_table(...)     lesson_show_table(__VA_ARGS__)
#define show_rows(...)      lesson_show_rows(__VA_ARGS__)

#define figure_map(...)     lesson_figure_map(__VA_ARGS__)
#define figure_maps(...)    lesson_figure_maps(__VA_ARGS__)
#define figure_plot(...)    lesson_figure_plot(__VA_ARGS__)
#define figure_plots(...)   lesson_figure_plots(__VA_ARGS__)
#define figure_bars(...)    lesson_figure_bars(__VA_ARGS__)
#define figure_diagram(...) lesson_figure_diagram(__VA_ARGS__)
#define figure_plane(...)   lesson_figure_vectors(__VA_ARGS__)
#define figure_links(...)   lesson_figure_links(__VA_ARGS__)
#define map_of_weights(...) lesson_map_of_weights(__VA_ARGS__)

#define book_sentence(...)  lesson_book_sentence(__VA_ARGS__)
#define words_of_flag(...)  lesson_words_of_flag(__VA_ARGS__)
#define column_index(...)   lesson_column(__VA_ARGS__)
#define numbered(...)       lesson_numbered(__VA_ARGS__)

typedef LessonTable Table;
typedef LessonRows Rows;
#define ALL_ALIKE          LESSON_ALL_ALIKE
#define ROWS_APART         LESSON_ROWS_APART
#define COLUMNS_APART      LESSON_COLUMNS_APART

#define ROW(...)           LESSON_ROW(__VA_ARGS__)
#define rows_of(...)       lesson_rows_of(__VA_ARGS__)
#define rows_add(...)      lesson_rows_add(__VA_ARGS__)
#define rows_add_from(...) lesson_rows_add_from(__VA_ARGS__)

#endif
