// Draws heat maps from a finished layout: each panel's map, then titles, bar and legend.
#include "base/portable_math.h"
#include "figure/heatmap_grid.h"

static void draw_panel_titles(Canvas *canvas, const HeatmapGrid *grid, const HeatmapPanel *panel)
{
    CanvasRect at = panel->map.place.frame;
    CanvasText style = heatmap_grid_title_style();
    if (heatmap_grid_title_lies(panel)) {
        style.anchor = CANVAS_AT_END;
        canvas_text(canvas, at.x - MAP_GAP, at.y - MAP_GAP, style, panel->row_title);
    } else if (panel->row_title) {
        style.anchor = CANVAS_AT_MIDDLE;
        style.angle = 90;
        canvas_text(canvas, at.x - panel->rows_room - 10, at.y + at.height / 2, style, panel->row_title);
    }
    if (panel->col_title) {
        double width = canvas_text_width(heatmap_grid_title_style(), panel->col_title),
               x = fmax(at.x, at.x + (at.width - width) / 2);
        canvas_text(canvas, x, at.y - fmax(panel->cols_room, 0) - 8, heatmap_grid_title_style(), panel->col_title);
    }
    if (grid->count < 2 || !panel->asked->title) return;
    CanvasText own = { .size = 13, .color = COLOR_INK };
    const char *title = canvas_text_fit(grid->arena, own, panel->asked->title, at.width + 4);
    canvas_text(canvas, at.x, at.y - panel->above + 13, own, title);
}

static void draw_vertical_bar(Canvas *canvas, const HeatmapGrid *grid)
{
    double x = canvas_crisp(canvas, grid->right + MAP_LINE), legend = heatmap_grid_legend_height(grid);
    double length = grid->bottom - grid->top - (legend > 0 ? legend + 8 : 0);
    if (grid->any) ramp_draw(canvas, &grid->ramp, x, grid->top, length, false);
    if (grid->any && grid->ramp.title) {
        CanvasText style = heatmap_grid_title_style();
        style.angle = 90;
        style.anchor = CANVAS_AT_MIDDLE;
        canvas_text(canvas, x + heatmap_grid_bar_room(grid), grid->top + length / 2, style, grid->ramp.title);
    }
    map_legend_draw(canvas, &grid->legend, x, grid->bottom - legend + MAP_LINE - RAMP_BAR, false);
}

static void draw_horizontal_bar(Canvas *canvas, const HeatmapGrid *grid)
{
    double x = grid->left, y = canvas_crisp(canvas, grid->bottom + 22), length = 160;
    if (grid->any) {
        ramp_draw(canvas, &grid->ramp, x, y, length, true);
        x += length + 12;
    }
    if (grid->any && grid->ramp.title) {
        canvas_text(canvas, x, y + 10, heatmap_grid_title_style(), grid->ramp.title);
        x += canvas_text_width(heatmap_grid_title_style(), grid->ramp.title) + MAP_LINE;
    }
    map_legend_draw(canvas, &grid->legend, x, y, true);
}

// The axis titles of all panels: above the grid, and vertical on its left side.
static void draw_shared_titles(Canvas *canvas, const HeatmapGrid *grid)
{
    CanvasText style = heatmap_grid_title_style();
    style.anchor = CANVAS_AT_MIDDLE;
    if (grid->col_title)
        canvas_text(canvas, (grid->left + grid->right) / 2, grid->top - grid->panels[0].above - 8, style,
                    grid->col_title);
    style.angle = 90;
    if (grid->row_title)
        canvas_text(canvas, HEATMAP_MARGIN + 12, (grid->top + grid->bottom) / 2, style, grid->row_title);
}

void heatmap_grid_draw(Canvas *canvas, const HeatmapGrid *grid)
{
    if (grid->title)
        canvas_text(canvas, HEATMAP_MARGIN, HEATMAP_MARGIN + 13,
                    (CanvasText){ .size = 15, .face = CANVAS_SANS_BOLD, .color = COLOR_INK }, grid->title);
    draw_shared_titles(canvas, grid);
    for (int p = 0; p < grid->count; p++) {
        map_draw(canvas, &grid->panels[p].map);
        draw_panel_titles(canvas, grid, &grid->panels[p]);
    }
    if (grid->bar_lies) draw_horizontal_bar(canvas, grid);
    else draw_vertical_bar(canvas, grid);
    int fold = grid->panels[0].fold;
    if (fold > 1)
        canvas_text(canvas, grid->left, grid->height - HEATMAP_MARGIN, (CanvasText){ .size = 11, .color = COLOR_QUIET },
                    arena_format(grid->arena, "each cell is the largest of %d × %d", fold, fold));
}
