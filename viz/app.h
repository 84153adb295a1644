// The viewer without its shell: takes the bytes of files or a model, handles events, gives pictures as pixels or as the
// bytes of a file. Knows no window, no folders and no threads. Shells are main.c with files.c, the web page, and tests.
#ifndef VIZ_APP_H
#define VIZ_APP_H

#include "figure/map_kept.h"
#include "viz/live.h"
#include "viz/options.h"
#include "viz/update.h"
#include "viz/views.h"

// What is shown: a file of maps, or a model. The shell keeps the bytes and the model until app_close or the next
// app_show.
typedef struct {
    const char *name; // of the file, for titles and messages
    FileBytes bytes;
    Reading reading;
    Live *live; // NULL: a file
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

// Opens the document and applies the options; file names in them are the shell's business. `other` NULL: no second
// file. All arguments must outlive the app. On failure nothing is left open.
bool app_open(App *app, const ViewerOptions *options, const char *command, const Source *shown, const Source *other,
              Error *error);
void app_close(App *app);

// Replaces what is shown; zoom, colours and other display settings stay. A model starts with its default sentence. On
// failure nothing changes.
bool app_show(App *app, const Source *source, Error *error);

// Shows a changed version of the file: written again, or with other words. What is selected stays where it still
// exists. second: it is the second file. On failure nothing changes.
bool app_reread(App *app, const Source *source, bool second, Error *error);

// Reports that the file differs from what is shown, until it is read again. NULL: no difference.
void app_set_file_changed(App *app, const char *sentence);

// Handles an event. Afterwards state.command tells the shell what to do (open a file, save a picture, …); the shell
// resets it.
void app_event(App *app, Event event);
void app_show_error(App *app, const char *sentence); // shown in the window; NULL: none
void app_show_status(App *app, const char *sentence);

// No more keys are queued: run the model, if it was deferred.
void app_catch_up(App *app);

LiveProgress app_progress; // progress callback; its context is the App

// Advances an animation: at `now` seconds of a monotonic clock. true: draw again.
bool app_clock(App *app, double now);

bool app_work(App *app, double seconds);    // computes for about `seconds`; true: nothing is left to do
bool app_prepare(App *app, double seconds); // for a picture that must be complete

Canvas *app_picture(App *app, Arena *arena);

// The picture as bytes of a file, in `arena`. boxes: where the letters of a PNG are, for checks; may be NULL.
bool app_save(App *app, FileBytes *out, const char **boxes, Arena *arena, PictureKind kind, Error *error);
const char *app_picture_name(const App *app, Arena *arena, PictureKind kind); // "glosses-layer-1-head-2-map.png"

#endif
