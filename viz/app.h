// All of the viewer but its shell: a file's bytes or a model come in, events go to the state and what follows from them
// is done, pictures come out as pixels or as the bytes of a file. Knows of no window, no folders and no threads: main.c
// with files.c is one shell around it, a page or a test may be another.
#ifndef VIZ_APP_H
#define VIZ_APP_H

#include "figure/map_kept.h"
#include "viz/live.h"
#include "viz/options.h"
#include "viz/update.h"
#include "viz/views.h"

// What is to be shown: a file of maps, or a model that runs. The shell keeps the bytes, and the model, until app_close,
// or until app_show has put something else in their place.
typedef struct {
    const char *name; // of the file, for titles and messages
    FileBytes bytes;
    Reading reading;
    Live *live; // not NULL: a model
} Source;

typedef struct {
    ViewerOptions options;
    const char *command; // how the viewer was started, for saved files
    Arena *document_arena, *other_arena;
    Document document;       // shown: the file's, or that of the model's last run
    Document other_document; // the second file, or the held sentence
    bool held;               // it is the held sentence
    Arena *aligned_arena;    // NULL: there is no second document
    // Maps reduced from those of the documents, and shown instead.
    Arena *reduced_arena;
    Document reduced, reduced_other;
    MapReduction reduction; // of `reduced`
    int layer, head;        // shown before the reduction
    // The model.
    Live *live;                   // NULL: a file is shown
    Arena *run_arena;             // of its last run
    char tried_text[TEXT_BYTES];  // run last, with success or not
    char mapped_text[TEXT_BYTES]; // whose maps are shown
    unsigned char tried_ablated[MAPS_MOST];
    AblationKind tried_ablation;
    bool defer_run;              // another key is queued: a slow model runs for the last one alone
    void (*busy)(void *context); // draws a frame during a long run; NULL: there is no window
    void *busy_context;
    double run_began, progress_shown; // seconds of a clock
    bool answered;                    // the run has no answers left to compute
    Derived *derived, *other_derived;
    MapKept *kept[3]; // of the maps of the last picture
    State state;
    StateBuffers buffers;
    bool was_playing;   // at the last app_clock
    double next_frame;  // seconds of that clock
    Error error;        // text of message.error or message.status
    Error file_changed; // text of message.file_changed
} App;

// `options` as they are, but for the names of files in them, which are the shell's. `other` NULL: no second file. All
// of it must outlive the app. false, with one sentence: nothing is open.
bool app_open(App *app, const ViewerOptions *options, const char *command, const Source *shown, const Source *other,
              Error *error);
void app_close(App *app);

// In the place of what is shown; how it is looked at stays. A model begins with its own sentence. false, with one
// sentence: all stays.
bool app_show(App *app, const Source *source, Error *error);

// Another state of the same: a file that was written again, or has other words. Everything that is looked at stays,
// where it still means something. `second`: the second file, which there must be. false, with one sentence: all stays.
bool app_reread(App *app, const Source *source, bool second, Error *error);

// What is shown is no longer what the file holds: a sentence that stands until another state has been read. NULL: it
// is again.
void app_set_file_changed(App *app, const char *sentence);

// What an event asks of the shell stands in state.command afterwards: a file to be opened, a picture to be saved, a
// full screen. The shell sets it back.
void app_event(App *app, Event event);
void app_show_error(App *app, const char *sentence);  // what went wrong, in the window; NULL: nothing
void app_show_status(App *app, const char *sentence); // what was done

// The last of the keys that waited has come: the model runs, if it has not.
void app_catch_up(App *app);

LiveProgress app_progress; // of the app as its context: a run has done so many layers

// What plays goes on: at `now` seconds of a clock that never goes back. Between two calls any time may pass. true:
// there is another picture to show.
bool app_clock(App *app, double now);

bool app_work(App *app, double seconds);    // prepares what is shown; true: nothing is left to do
bool app_prepare(App *app, double seconds); // the same for a picture that must be whole

Canvas *app_picture(App *app, Arena *arena);

// The picture as a file. It lives in `arena`. boxes: of a PNG where its letters are, for checks; may be NULL.
bool app_save(App *app, FileBytes *out, const char **boxes, Arena *arena, PictureKind kind, Error *error);
const char *app_picture_name(const App *app, Arena *arena, PictureKind kind); // "glosses-layer-1-head-2-map.png"

#endif
