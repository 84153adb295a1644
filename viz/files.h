// The viewer's files: what the command line names is opened, what the window asks for is read and written. A shell
// without a window; main.c adds that.
#ifndef VIZ_FILES_H
#define VIZ_FILES_H

#include "viz/app.h"

// A file that is open as long as it is shown, or a model.
typedef struct { Arena *arena; FileMap map; } OpenFile;

typedef struct {
    App      app;
    OpenFile shown, other;         // arena NULL: there is none
    Arena   *arena;                // of the command line
} Files;

// What the options name. argc, argv: how the viewer was called, for what is saved. false, with one sentence, when it
// cannot be opened; then nothing is left open.
bool files_open(Files *files, const Options *options, int argc, char **argv, Error *error);
void files_close(Files *files);

void files_event(Files *files, Event event);         // app_event, and the file that it asks for is opened or written
bool files_show(Files *files, const char *path);     // in the place of what is shown; false: window and stderr say why,
                                                     // and all stays
bool files_work(Files *files, double seconds);       // app_work; what was read of a large file does not stay in memory

bool files_save(Files *files, const char *path, Error *error);         // .svg as SVG, else PNG
bool files_export(Files *files, Error *error);       // what --export and --export-all ask for

#endif
