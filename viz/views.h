// A view is one file, view_….c, and one line of VIEW_LIST (state.h). Everything else finds it by this table.
#ifndef VIZ_VIEWS_H
#define VIZ_VIEWS_H

#include "figure/canvas.h"
#include "viz/view.h"

typedef struct {
    const char *name;                                             // on the tab
    const char *word;                                             // for --view
    const char *picture;                                          // in names of saved pictures
    bool (*has)(const Document *document, const Document *other); // other NULL: no second document
    const char *(*title)(const Document *document);               // replaces the name; may return NULL
    void (*enter)(State *state);                                  // on entering from another view

    // Completes a layout with frame and body.
    void (*layout)(PageLayout *layout, const State *state);
    void (*draw)(Canvas *canvas, const View *view, const PageLayout *layout);
    bool own_panel;         // `draw` draws the panel
    const char *invitation; // in the panel without a cell; NULL: the head's name

    // What is at a point, besides thumbnails.
    Hit (*hit)(const PageLayout *layout, const State *state, double x, double y);
    bool (*has_cells)(const State *state); // cells can be selected; NULL: never

    // Keys and the wheel. Without `arrow` arrows choose the head; without `wheel` the wheel zooms the map under the
    // mouse.
    bool (*arrow)(State *state, const PageLayout *layout, const Derived *derived, bool shift, int down, int right);
    void (*wheel)(State *state, const PageLayout *layout, double notches);
    void (*pan)(State *state, const PageLayout *layout, int down, int right);
    void (*reveal)(State *state, const PageLayout *layout,
                   const Derived *derived); // scrolls to the pinned cell or the head

    // Status line: its beginning, NULL: head, scale and colours; and its end, NULL: nothing.
    const char *(*status)(Arena *arena, const View *view);
    const char *(*status_more)(Arena *arena, const View *view, const PageLayout *layout);
} ViewOps;

const ViewOps *view_ops(ViewKind view);
bool state_has_view(const State *state, ViewKind view);
const char *state_view_name(const State *state, ViewKind view); // "All heads", …; of ranks "Ranks", not "Tiles"

#define VIEW_TABLE(kind, table) extern const ViewOps table;
VIEW_LIST(VIEW_TABLE)
#undef VIEW_TABLE

#endif
