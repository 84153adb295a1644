// The command line of the viewer, and what it asks of a state.
#ifndef VIZ_OPTIONS_H
#define VIZ_OPTIONS_H

#include "io/flags.h"
#include "viz/state.h"

typedef struct {
    const char *file;    // NULL: the book's own model
    const char *compare; // a second file
    const char *tokens, *key_tokens, *axes;
    const char *other_tokens;     // words of the second file
    const char *model, *text;     // weights to load, the sentence
    const char *other_text;       // a second sentence, to be compared
    const char *picture, *folder; // --export, --export-all
    const char *off;              // "0.3,1.2": heads to switch off
    double width, height;         // points
    double dpi;                   // 96: a point is a pixel
    double zoom;
    // Of the state: −1 or NULL where nothing is asked for.
    const char *other, *cell;
    const char *only; // "0.3,1.2": Lines draw these heads alone
    bool by_key;      // Lines: who attends to the key of the cell
    int lines, pair, kind;
    int ablation;
    int view, reduction, scale, colors, stage, sort, layer, head, hide, frame;
    const char *find;
    bool largest, dark, bare, formulas;
    bool has_dpi; // it was asked for
} ViewerOptions;

// flags.c: as flags_read does, and then what goes together.
FlagsRead viewer_options_read(ViewerOptions *out, int argc, char **argv, Error *error);

// What the name of a picture asks for; false: none of .png, .svg and .html.
typedef enum { PICTURE_PNG, PICTURE_SVG, PICTURE_PAGE } PictureKind;
bool viewer_options_picture(PictureKind *kind, const char *path);

// The state that the options ask for. false, with one sentence, when the document has no such layer, head, view, …
bool viewer_options_apply(State *state, const ViewerOptions *options, Error *error);

#endif
