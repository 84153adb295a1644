// The viewer's command line.
#ifndef VIZ_OPTIONS_H
#define VIZ_OPTIONS_H

#include "io/flags.h"
#include "viz/state.h"

typedef struct {
    const char *file;    // NULL: the book's model
    const char *compare; // a second file
    const char *tokens, *key_tokens, *axes;
    const char *other_tokens;     // words of the second file
    const char *model, *text;     // weights to load; the sentence
    const char *other_text;       // a second sentence, to compare
    const char *picture, *folder; // --export, --export-all
    const char *off;              // "0.3,1.2": heads to ablate
    double width, height;         // points
    double dpi;                   // 96: one pixel per point
    double zoom;
    // −1 or NULL: not given.
    const char *other, *cell;
    const char *only; // "0.3,1.2": Lines of these heads only
    bool by_key;      // Lines: who attends to the key of the cell
    int lines, pair, kind;
    int ablation;
    int view, reduction, scale, colors, stage, sort, layer, head, hide, frame;
    const char *find;
    bool largest, dark, bare, formulas;
    bool has_dpi; // --dpi was given
} ViewerOptions;

// Reads the flags and checks their combinations (flags.c).
FlagsRead viewer_options_read(ViewerOptions *out, int argc, char **argv, Error *error);

// The format of a picture by its suffix; false: not .png, .svg or .html.
typedef enum { PICTURE_PNG, PICTURE_SVG, PICTURE_PAGE } PictureKind;
bool viewer_options_picture(PictureKind *kind, const char *path);

// Applies the options. Fails if the document has no such layer, head, view, ….
bool viewer_options_apply(State *state, const ViewerOptions *options, Error *error);

#endif
