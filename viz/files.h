// The viewer's files: what the command line names is opened, what the window asks for is read and written. A shell
// without a window; main.c adds that.
#ifndef VIZ_FILES_H
#define VIZ_FILES_H

#include "viz/app.h"
#include "viz/watch.h"

// Which file is open, and how it is read. tokens of a .npy that nobody names are looked for beside it: maps.json.
enum { PATHS = 3 }; // of the maps, of their tokens, of the tokens of the keys
typedef struct {
    const char *path[PATHS]; // NULL: none
    const char *axes;
    bool guessed; // the tokens are those beside it, if there are any
} OpenRequest;

// A file that is open as long as it is shown, or a model, which has no paths. What it was when it was read; what was
// last found instead, since when, and whether that has been told.
typedef struct {
    Arena *arena;
    Live *live; // a model that is open; NULL: a file
    FileMap map;
    OpenRequest asked;
    FileStamp read[PATHS], found[PATHS];
    double since;
    bool told;
} OpenFile;

typedef struct {
    App app;
    OpenFile shown, other; // arena NULL: there is none
    Arena *arena;          // of the command line
} Files;

// What the options name. argc, argv: how the viewer was called, for what is saved. false, with one sentence, when it
// cannot be opened; then nothing is left open.
bool files_open(Files *files, const ViewerOptions *options, int argc, char **argv, Error *error);
void files_close(Files *files);

void files_handle_event(Files *files, Event event); // app_event, and the file that it asks for is opened or written

// A file in the place of what is shown; a .json or .txt gives its words to the maps that are shown. false: window and
// stderr say why, and all stays.
bool files_show(Files *files, const char *path);

// Has a file been written again? Then it is read again, and all that is looked at stays. One that cannot be read, as it
// may be half written, is tried again; after a second the window says so, and shows what was read before. To be asked
// some times a second, at `now` seconds of a clock. true: there is another picture to show.
bool files_look(Files *files, double now);
bool files_watched(const Files *files); // there is a file to look at

bool files_work(Files *files, double seconds); // app_work; what was read of a large file does not stay in memory

bool files_save(Files *files, const char *path, Error *error); // .svg as SVG, else PNG
bool files_export(Files *files, Error *error);                 // what --export and --export-all ask for

#endif
