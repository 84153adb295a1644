// A view is one file, view_….c, and one line of VIEW_LIST (state.h). Everything else finds it by this table.
#ifndef VIZ_VIEWS_H
#define VIZ_VIEWS_H

#include "figure/canvas.h"
#include "viz/view.h"

typedef struct {
    const char *name;                                             // of the tab: "All heads"
    const char *word;                                             // for --view
    const char *picture;                                          // in the names of saved pictures
    bool (*has)(const Document *document, const Document *other); // other NULL: there is no second document
    const char *(*title)(const Document *document);               // in place of the name; NULL: none
    void (*enter)(State *state);                                  // when another view was shown; NULL: nothing to do

    // Fills in layout, of which the frame of the window and `body` are set.
    void (*layout)(PageLayout *layout, const State *state);
    void (*draw)(Canvas *canvas, const View *view, const PageLayout *layout);
    bool own_panel;         // `draw` fills layout->panel
    const char *invitation; // of the panel while no cell is pointed at; NULL: the name of the head

    // What is at a point, besides thumbnails of heads; NULL: nothing.
    Hit (*hit)(const PageLayout *layout, const State *state, double x, double y);
    bool (*has_cells)(const State *state); // cells can be pointed at and pinned; NULL: never

    // Keys and the wheel. Functions that are NULL: arrows choose heads; the wheel zooms the map under the mouse.
    bool (*arrow)(State *state, const PageLayout *layout, const Derived *derived, bool shift, int down, int right);
    void (*wheel)(State *state, const PageLayout *layout, double notches);
    void (*pan)(State *state, const PageLayout *layout, int down, int right);
    void (*reveal)(State *state, const PageLayout *layout, const Derived *derived); // scrolls to what is chosen

    // The status line: what is shown, NULL: head, scale and colours; and what follows, NULL: nothing.
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
