// All of the viewer but its window: files and models are opened, events go to the state and what follows from them is done,
// pictures are made and saved. The window (main.c), --export and tests stand on it.
#ifndef VIZ_APP_H
#define VIZ_APP_H

#include "figure/canvas.h"
#include "viz/live.h"
#include "viz/options.h"

// A file of maps, or a model.
typedef struct { Arena *arena; FileMap map; Document document; Live *live; } Opened;

typedef struct {
    Options     options;
    const char *program;           // argv[0]
    const char *command;           // the command line, for what is saved
    Arena      *arena;             // of the two above
    Opened      opened, other;     // other.arena NULL: there is none
    Document    document;          // what is shown: of the file, or of the model's last run
    Arena      *run;               // of that run; NULL: none
    char        ran[STATE_TEXT];   // what it was a run of
    unsigned char ran_off[STATE_HEADS_MOST];
    Scene      *scene, *other_scene;
    State       state;
    Error       error;             // holds the sentence of state.said or state.noted
} App;

bool app_open(App *app, int argc, char **argv, Error *error);
void app_close(App *app);

void app_event(App *app, Event event);
bool app_open_file(App *app, const char *path);      // in the place of what is shown; false: window and stderr say why, and
                                                     // all stays
bool app_work(App *app, double seconds);             // prepares what is shown; true: nothing is left to do

Canvas *app_picture(App *app, Arena *arena);
bool app_save(App *app, const char *path, Error *error);               // .svg as SVG, else PNG
bool app_export(App *app, Error *error);             // what --export and --export-all ask for

#endif
