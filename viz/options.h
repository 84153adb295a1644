// The command line of the viewer, and what it asks of a state.
#ifndef VIZ_OPTIONS_H
#define VIZ_OPTIONS_H

#include "viz/state.h"

typedef struct {
    const char *file;              // NULL: the book's own model
    const char *compare;           // a second file
    const char *tokens, *key_tokens, *axes;
    const char *model, *text;      // weights to load, the sentence
    const char *picture, *folder;  // --export, --export-all
    const char *off;               // "0.3,1.2": heads to switch off
    double      width, height;     // points
    double      dpi;               // 96: a point is a pixel
    double      zoom;
    bool        help;
    // Of the state: −1 or NULL where nothing is asked for.
    const char *view, *scale, *colors, *stage, *sort, *other, *cell;
    int         layer, head, hide, frame;
    bool        largest;
} Options;

extern const char *const OPTIONS_HELP;

// false, with one sentence that names the flag, what was found and what would be right.
bool options_parse(Options *out, int argc, char **argv, Error *error);

// The state that the options ask for. false, with one sentence, when the document has no such layer, head, view, …
bool options_apply(State *state, const Options *options, Error *error);

#endif
