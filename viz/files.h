// Files for the viewer: opens what the command line names, reads and writes what the window asks for. Has no window;
// main.c adds it.
#ifndef VIZ_FILES_H
#define VIZ_FILES_H

#include "base/os.h"
#include "io/file.h"
#include "viz/app.h"

// Which file is open, and how it is read. For a .npy without named tokens, maps.json beside it is tried.
enum { PATHS = 3 }; // maps, tokens, key tokens
typedef struct {
    const char *path[PATHS]; // NULL: none
    const char *axes;
    bool guessed; // the tokens file was found, not named
} OpenRequest;

// A file that is open as long as it is shown, or a model, which has no paths. Its status when it was read; the one that
// was last found instead, since when, and whether the window says so.
typedef struct {
    Arena *arena;
    Live *live; // NULL: a file
    FileMap map;
    OpenRequest request;
    OsStatus read[PATHS], found[PATHS]; // all zeros: there was no file
    double since;
    bool reported;
} OpenFile;

typedef struct {
    App app;
    OpenFile shown, other; // arena NULL: none
    Arena *arena;          // of the command line
} Files;

// Opens what the options name. argc, argv: the command line, for saved files. On failure nothing is left open.
bool files_open(Files *files, const ViewerOptions *options, int argc, char **argv, Error *error);
void files_close(Files *files);

void files_handle_event(Files *files, Event event); // app_event, then opens or writes the file that it asks for

// Shows another file; a .json or .txt gives new words to the current maps. On failure nothing changes, and window and
// stderr show the error.
bool files_show(Files *files, const char *path);

// Reads files again that have changed; the selection stays. Unreadable files, perhaps half-written, are tried again;
// after a second the window reports them. Call several times a second with a clock. true: draw again.
bool files_poll(Files *files, double now);
bool files_open_any(const Files *files); // a file is open

bool files_work(Files *files, double seconds); // app_work; drops pages of large files from memory

bool files_save(Files *files, const char *path, Error *error); // format by suffix
bool files_export(Files *files, Error *error);                 // --export and --export-all

#endif
