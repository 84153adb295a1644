// Opens files and models, handles events and what follows from them, makes pictures.
#include "viz/app.h"

#include "base/measure.h"
#include "figure/png.h"
#include "figure/svg.h"
#include "viz/cells.h"
#include "viz/draw.h"
#include "viz/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- opening --------------------------------------------------------------------------------------------------------

// Parses a file into a document with its own arena. On failure *arena is NULL.
static bool open_maps(Document *out, Arena **arena, const Source *source, Error *error)
{
    *arena = arena_open();
    if (document_parse(out, *arena, source->bytes, source->name, source->reading, error)) return true;
    arena_close(*arena);
    *arena = NULL;
    return false;
}

// Aligns the words of both documents. state.shown.aligned may point at freed documents, so it is always rebuilt.
static void align_both(App *app)
{
    State *state = &app->state;
    arena_close(app->aligned_arena);
    app->aligned_arena = NULL;
    state->shown.aligned = NULL;
    if (state->shown.other_document) {
        app->aligned_arena = arena_open();
        state->shown.aligned = align_documents(app->aligned_arena, state->shown.document, state->shown.other_document);
    }
    *state = state_update(*state, (Event){ EVENT_DOCUMENT, .document = state->shown.document }, app->derived);
}

// Sets the second document: its maps, or their reduction where that is possible.
static void show_other(App *app)
{
    State *state = &app->state;
    const Document *before = state->shown.other_document;
    state->shown.other_document = &app->other_document;
    if (state->shown.reduction && reduction_possible(&app->other_document, state->shown.reduction)) {
        app->reduced_other = reduction_document(app->reduced_arena, &app->other_document, state->shown.reduction);
        state->shown.other_document = &app->reduced_other;
    }
    if (state->shown.reduction || before != state->shown.other_document) derived_forget(app->other_derived);
}

// Shows the maps, or the reduction that the state wants, computed again after the maps have changed. A reduction that
// is not possible is dropped.
static void show_document(App *app)
{
    State *state = &app->state;
    bool was_reduced = app->reduction != REDUCE_NONE;
    state->shown.aligned = NULL;
    if (!reduction_possible(&app->document, state->shown.reduction)) state->shown.reduction = REDUCE_NONE;
    if (!was_reduced && state->shown.reduction) {
        app->layer = state->shown.layer;
        app->head = state->shown.head;
    }
    arena_close(app->reduced_arena);
    app->reduced_arena = NULL;
    app->reduction = state->shown.reduction;
    const Document *shown = &app->document;
    if (state->shown.reduction) {
        app->reduced_arena = arena_open();
        app->reduced = reduction_document(app->reduced_arena, &app->document, state->shown.reduction);
        shown = &app->reduced;
    }
    if (state->shown.other_document) show_other(app);
    derived_forget(app->derived);
    *state = state_update(*state, (Event){ EVENT_DOCUMENT, .document = shown }, app->derived);
    if (was_reduced && !state->shown.reduction) { // restore the head that was shown before the reduction
        bool same = state->shown.other_document && state->shown.other_layer == state->shown.layer &&
                    state->shown.other_head == state->shown.head;
        state->shown.layer = state->shown.layer ? state->shown.layer : app->layer;
        state->shown.head = app->head;
        if (same) state->shown.other_layer = state->shown.layer;
        if (same) state->shown.other_head = state->shown.head;
        *state = state_update(*state, (Event){ EVENT_DOCUMENT, .document = shown }, app->derived);
    }
    align_both(app);
}

// Switches to another kind of attention of the file.
static void follow_kind(App *app)
{
    const Document *d = &app->document;
    int kind = app->state.shown.kind;
    if (kind == d->kind_at || kind >= d->kind_count) return;
    app->document = d->kinds[kind];
    show_document(app);
}

static bool choose_kind(App *app, int wanted, Error *error)
{
    const char *name = wanted < 0 ? NULL : kind_name(wanted);
    int count = app->document.kind_count, k = 0;
    if (!name) return true;
    while (k < count && strcmp(app->document.kinds[k].kind, name)) k++;
    if (k == count) return error_set(error, "--kind %s: %s has no such attention", name, app->document.title);
    app->document = app->document.kinds[k];
    return true;
}

// Runs the current sentence again as the second document, "held".
static bool hold_sentence(App *app, const char *text, Error *error)
{
    Arena *arena = arena_open();
    bool of_held = app->tried_ablation == ABLATE_HELD; // the held run has all heads on
    const LiveRequest request = { text, of_held ? NULL : app->tried_ablated,
                                  of_held ? ABLATE_ZERO : app->tried_ablation, &app->document, NULL };
    if (!live_run(&app->other_document, arena, app->live, request, error)) {
        arena_close(arena);
        return false;
    }
    app->other_document.title = "held";
    app->other_document.source = arena_format(arena, "%s", text);
    derived_forget(app->other_derived);
    app->other_arena = arena;
    app->held = app->state.shown.held = true;
    app->state.shown.other_document = &app->other_document;
    app->state.shown.other_layer = app->state.shown.layer;
    app->state.shown.other_head = app->state.shown.head;
    if (app->state.shown.reduction) show_document(app);
    else align_both(app);
    app->state = state_with_view(app->state, VIEW_COMPARE);
    return true;
}

static void release_held(App *app)
{
    app->held = app->state.shown.held = false;
    app->state.shown.other_document = NULL;
    align_both(app);
    derived_forget(app->other_derived);
    arena_close(app->other_arena);
    app->other_arena = NULL;
}

// Holds the sentence of the maps and starts typing another, or lets it go.
static void follow_held(App *app)
{
    if (app->state.shown.held == app->held) return;
    if (app->held) {
        release_held(app);
        return;
    }
    app->state.shown.held = hold_sentence(app, app->mapped_text, &app->error);
    if (app->held) app->state = state_update(app->state, (Event){ EVENT_KEY, .key = KEY_TYPE }, app->derived);
    else app_show_error(app, app->error.text);
}

// Draws the progress of a long run, not more often than every 0.05 s.
void app_progress(void *context, int done, int of)
{
    const double patience = 0.3, apart = 0.05;
    App *app = context;
    double now = measure_clock_wall();
    if (!app->busy || now - app->run_began < patience || now - app->progress_shown < apart) return;
    app->state.message.progress = (double)done / of;
    app->busy(app->busy_context);
    app->progress_shown = measure_clock_wall(); // measured after drawing, so slow pictures do not follow each other
}

static bool run_model(App *app, Error *error)
{
    Arena *arena = arena_open();
    Document document;
    memcpy(app->tried_text, app->state.editing.sentence, sizeof app->tried_text);
    memcpy(app->tried_ablated, app->state.shown.ablated, sizeof app->tried_ablated);
    app->tried_ablation = app->state.shown.ablation;
    const LiveRequest request = { app->tried_text, app->tried_ablated, app->tried_ablation,
                                  app->run_arena ? &app->document : NULL, app->held ? &app->other_document : NULL };
    app->run_began = measure_clock_wall();
    bool good = live_run(&document, arena, app->live, request, error);
    app->state.message.progress = 0;
    if (!good) {
        arena_close(arena);
        return false;
    }
    arena_close(app->run_arena);
    app->run_arena = arena;
    app->document = document;
    app->answered = false;
    memcpy(app->mapped_text, app->tried_text, sizeof app->mapped_text);
    return true;
}

// Runs the model when the sentence or an ablation has changed. If the sentence cannot be read, the last maps stay.
static void run_if_changed(App *app)
{
    bool same = !strcmp(app->tried_text, app->state.editing.sentence) &&
                !memcmp(app->tried_ablated, app->state.shown.ablated, sizeof app->tried_ablated) &&
                app->tried_ablation == app->state.shown.ablation;
    if (!app->live || same || (app->defer_run && live_is_slow(app->live))) return;
    bool good = run_model(app, &app->error);
    if (good) show_document(app);
    app_show_error(app, good ? NULL : app->error.text);
}

// An invalid sentence is kept only while it is typed. Enter does not leave it; anything else that ends typing restores
// the sentence of the maps.
static void restore_sentence(App *app, bool entered)
{
    State *state = &app->state;
    if (!app->live || state->editing.typing == TYPING_SENTENCE || !strcmp(state->editing.sentence, app->mapped_text))
        return;
    if (entered) {
        state->editing.typing = TYPING_SENTENCE;
        return;
    }
    memcpy(state->editing.sentence, app->mapped_text, TEXT_BYTES);
    memcpy(app->tried_text, app->mapped_text, sizeof app->tried_text);
    if (!state->editing.typing)
        state->editing.caret = (int)strlen(state->editing.sentence); // otherwise the caret is in another line
}

static bool first_run(App *app, Error *error)
{
    const char *text = app->options.text ? app->options.text : live_sentence(app->live);
    if (strlen(text) >= TEXT_BYTES)
        return error_set(error, "--text: %zu bytes; %d are possible", strlen(text), TEXT_BYTES - 1);
    app->state.editing.sentence = app->buffers.sentence;
    app->state.shown.ablated = app->buffers.ablated;
    memcpy(app->state.editing.sentence, text, strlen(text) + 1);
    return run_model(app, error);
}

// Starts at the cell that the model suggests, unless flags name another.
static void show_notable_cell(State *state, const ViewerOptions *o)
{
    NotableCell place;
    if (o->layer >= 0 || o->head >= 0 || o->cell || !live_notable_cell(&place, state->shown.document)) return;
    state->shown.layer = place.layer;
    state->shown.head = place.head;
    state->selection.pinned = (HeadCell){ place.query, place.key };
}

static bool start(App *app, Error *error)
{
    const ViewerOptions *o = &app->options;
    if (app->live) live_set_progress(app->live, app_progress, app);
    if (app->live && !first_run(app, error)) return false;
    if (!choose_kind(app, o->kind, error)) return false;
    State state = state_of(&app->buffers, &app->document, o->width, o->height, o->dpi / 96);
    memcpy(state.editing.sentence, app->mapped_text, TEXT_BYTES);
    state.editing.caret = (int)strlen(state.editing.sentence);
    state.shown.scale = state.shown.usual_scale = cells_usual_scale(&app->document);
    if (app->live) show_notable_cell(&state, o);
    if (app->other_arena) {
        state.shown.other_document = &app->other_document;
        state = state_with_view(state, VIEW_COMPARE);
    }
    app->state = state;
    if (o->other_text && strlen(o->other_text) >= TEXT_BYTES)
        return error_set(error, "--other-text: %zu bytes; %d are possible", strlen(o->other_text), TEXT_BYTES - 1);
    if (o->other_text && !hold_sentence(app, o->other_text, error)) return false;
    align_both(app);
    return true;
}

bool app_open(App *app, const ViewerOptions *options, const char *command, const Source *shown, const Source *other,
              Error *error)
{
    *app = (App){ .options = *options,
                  .command = command,
                  .live = shown->live,
                  .derived = derived_open(),
                  .other_derived = derived_open() };
    for (int n = 0; n < 3; n++) app->kept[n] = map_kept_open();
    bool good = (shown->live || open_maps(&app->document, &app->document_arena, shown, error)) &&
                (!other || open_maps(&app->other_document, &app->other_arena, other, error)) && start(app, error) &&
                viewer_options_apply(&app->state, &app->options, error);
    if (good) run_if_changed(app);                              // --off
    if (good && app->state.shown.reduction) show_document(app); // --of
    if (good && app->state.message.error) good = error_set(error, "%s", app->state.message.error);
    if (!good) app_close(app);
    return good;
}

void app_close(App *app)
{
    derived_close(app->derived);
    derived_close(app->other_derived);
    for (int n = 0; n < 3; n++) map_kept_close(app->kept[n]);
    arena_close(app->aligned_arena);
    arena_close(app->reduced_arena);
    arena_close(app->run_arena);
    arena_close(app->document_arena);
    arena_close(app->other_arena);
}

// Runs the model's default sentence, in an arena of its own.
static bool run_first(Document *out, Arena **arena, Live *live, Error *error)
{
    *arena = arena_open();
    if (live_run(out, *arena, live, (LiveRequest){ .text = live_sentence(live) }, error)) return true;
    arena_close(*arena);
    return false;
}

static void start_sentence(App *app)
{
    State *state = &app->state;
    live_set_progress(app->live, app_progress, app);
    snprintf(state->editing.sentence, TEXT_BYTES, "%s", live_sentence(app->live));
    memcpy(app->mapped_text, state->editing.sentence, sizeof app->mapped_text);
    memcpy(app->tried_text, state->editing.sentence, sizeof app->tried_text);
    memset(app->tried_ablated, 0, sizeof app->tried_ablated);
    app->tried_ablation = ABLATE_ZERO;
    app->answered = false;
    state->editing.caret = (int)strlen(state->editing.sentence);
    show_notable_cell(state, &(ViewerOptions){ .layer = -1, .head = -1 });
}

bool app_show(App *app, const Source *source, Error *error)
{
    Document document;
    Arena *arena;
    Live *live = source->live;
    if (!(live ? run_first(&document, &arena, live, error) : open_maps(&document, &arena, source, error))) return false;
    if (app->held) release_held(app);
    State before = app->state;
    derived_forget(app->derived);
    derived_forget(app->other_derived); // the reduction of the second document is gone, too
    arena_close(app->reduced_arena);
    arena_close(app->run_arena);
    arena_close(app->document_arena);
    app->reduced_arena = NULL;
    app->reduction = REDUCE_NONE;
    app->live = live;
    app->run_arena = live ? arena : NULL;
    app->document_arena = live ? NULL : arena;
    app->document = document;
    app->state =
        state_of(&app->buffers, &app->document, before.camera.width, before.camera.height, before.camera.pixels);
    app->state.camera.zoom = before.camera.zoom;
    app->state.shown.colors = before.shown.colors;
    app->state.shown.usual_scale = cells_usual_scale(&app->document);
    app->state.shown.scale = before.shown.scale == before.shown.usual_scale
                                 ? app->state.shown.usual_scale
                                 : before.shown.scale; // keep a scale that the user chose
    app->state.display.dark = before.display.dark;
    app->state.display.bare = before.display.bare;
    app->state.display.formulas = before.display.formulas;
    app->state.shown.other_document = before.shown.other_document ? &app->other_document : NULL;
    if (live) start_sentence(app);
    align_both(app);
    return true;
}

static bool reread_second(App *app, const Source *source, Error *error)
{
    Document document;
    Arena *arena;
    if (!open_maps(&document, &arena, source, error)) return false;
    derived_forget(app->other_derived);
    arena_close(app->other_arena);
    app->other_arena = arena;
    app->other_document = document;
    return true;
}

static bool reread_first(App *app, const Source *source, Error *error)
{
    Document document;
    Arena *arena;
    if (!open_maps(&document, &arena, source, error)) return false;
    arena_close(app->document_arena);
    app->document_arena = arena;
    int kind = app->state.shown.kind;
    app->document = kind < document.kind_count ? document.kinds[kind] : document;
    app->state.shown.usual_scale = cells_usual_scale(&app->document);
    return true;
}

bool app_reread(App *app, const Source *source, bool second, Error *error)
{
    REQUIRE(second ? app->other_arena != NULL : !app->live, "there is no file to be read again");
    if (!(second ? reread_second(app, source, error) : reread_first(app, source, error))) return false;
    show_document(app);
    return true;
}

void app_set_file_changed(App *app, const char *sentence)
{
    if (sentence) error_set(&app->file_changed, "%s", sentence);
    app->state.message.file_changed = sentence ? app->file_changed.text : NULL;
}

// ---- events ---------------------------------------------------------------------------------------------------------

// The state keeps a pointer to the text, so the app must own it.
static void show_message(App *app, EventKind kind, const char *sentence)
{
    if (sentence && sentence != app->error.text) error_set(&app->error, "%s", sentence);
    Event event = { kind, .text = sentence ? app->error.text : NULL };
    app->state = state_update(app->state, event, app->derived);
}

void app_show_error(App *app, const char *sentence) { show_message(app, EVENT_ERROR, sentence); }
void app_show_status(App *app, const char *sentence) { show_message(app, EVENT_STATUS, sentence); }

void app_event(App *app, Event event)
{
    bool typing = app->state.editing.typing == TYPING_SENTENCE;
    app->state = state_update(app->state, event, app->derived);
    if (app->state.editing.typing != TYPING_SENTENCE) app->defer_run = false;
    run_if_changed(app);
    if (app->state.shown.reduction != app->reduction) show_document(app);
    follow_kind(app);
    follow_held(app);
    restore_sentence(app, typing && event.kind == EVENT_KEY && event.key == KEY_ENTER);
}

void app_catch_up(App *app)
{
    app->defer_run = false;
    run_if_changed(app);
}

// After a pause the first frame is shown as long as the others.
bool app_clock(App *app, double now)
{
    const double frame = 0.7;
    bool began = app->state.shown.playing && !app->was_playing;
    app->was_playing = app->state.shown.playing;
    if (began) app->next_frame = now + frame;
    if (!app->was_playing || now < app->next_frame) return false;
    app->next_frame = now + frame;
    app_event(app, (Event){ .kind = EVENT_TICK });
    app->was_playing = app->state.shown.playing;
    return true;
}

// Prepares the head of the second document when it is shown.
static bool prepare_other(App *app, double seconds)
{
    if (!app->state.shown.other_document || app->state.shown.view != VIEW_COMPARE) return true;
    return derived_prepare(app->other_derived, app->state.shown.other_document, state_wanted_of_other(&app->state),
                           seconds);
}

// Computes answers of the model: first at the pinned query, or at the last position.
static bool compute_answers(App *app, double seconds)
{
    Document *d = &app->document;
    int at = app->state.selection.pinned.row >= 0 && app->state.selection.pinned.row < d->T
                 ? app->state.selection.pinned.row
                 : d->T - 1;
    if (!app->live || (app->answered && (d->adds_at == at || !d->can_add))) return true;
    app->answered = live_answer(app->live, d, at, seconds);
    app->reduced.loss = d->loss;
    app->reduced.whole_loss = d->whole_loss;
    return app->answered;
}

bool app_work(App *app, double seconds)
{
    bool answers = compute_answers(app, seconds);
    bool roles = !app->live || (answers && seconds >= 0.005 && live_learn_roles(app->live));
    bool derived = derived_prepare(app->derived, app->state.shown.document, state_wanted(&app->state), seconds);
    bool other = prepare_other(app, seconds);
    return answers && roles && derived && other;
}

// Like app_work, but without the thumbnails beside one head when the file has gigabytes.
bool app_prepare(App *app, double seconds)
{
    const Document *d = app->state.shown.document;
    double cells = (double)state_heads(&app->state) * d->T * d->S;
    DerivedWanted wanted = state_wanted(&app->state);
    if (app->state.shown.view != VIEW_HEADS && cells > 3e8) wanted.all = false;
    bool answers = compute_answers(app, seconds), roles = !app->live || live_learn_roles(app->live);
    bool derived = derived_prepare(app->derived, d, wanted, seconds);
    bool other = prepare_other(app, seconds);
    return answers && roles && derived && other;
}

// ---- pictures -------------------------------------------------------------------------------------------------------

static Canvas *canvas_of(Arena *arena, const State *s)
{
    color_scheme(s->display.dark ? COLOR_ON_DARK : COLOR_ON_PAPER);
    return canvas_new(arena, s->camera.width / s->camera.zoom, s->camera.height / s->camera.zoom,
                      s->camera.pixels * s->camera.zoom);
}

Canvas *app_picture(App *app, Arena *arena)
{
    Canvas *canvas = canvas_of(arena, &app->state);
    draw_view(canvas, &(View){ &app->state, app->derived, app->other_derived, app->kept });
    return canvas;
}

// Other ASCII characters than letters and digits become "-", so that a title cannot name a folder.
const char *app_picture_name(const App *app, Arena *arena, PictureKind kind)
{
    const State *state = &app->state;
    const char *suffix = kind == PICTURE_SVG ? "svg" : kind == PICTURE_PAGE ? "html" : "png";
    const char *slash = strrchr(app->document.title, '/');
    char *title = arena_format(arena, "%s", slash ? slash + 1 : app->document.title);
    for (char *c = title; *c; c++)
        if (!((unsigned char)*c & 0x80) &&
            !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *c))
            *c = '-';
    if (state->shown.reduction) title = arena_format(arena, "%s-%s", title, reduction_word(state->shown.reduction));
    if (state->shown.view == VIEW_HEADS || kind == PICTURE_PAGE)
        return arena_format(arena, "%s-heads.%s", title, suffix);
    return arena_format(arena, "%s-layer-%d-head-%d-%s.%s", title, state->shown.layer, state->shown.head,
                        view_ops(state->shown.view)->picture, suffix);
}

// Moves malloc'ed bytes into the arena.
static FileBytes into_arena(Arena *arena, void *bytes, size_t size)
{
    FileBytes out = { memcpy(arena_alloc(arena, size + 1), bytes, size), size };
    free(bytes);
    return out;
}

// Marked heads as --off takes them, "1.2,0.1"; NULL: none.
static const char *heads_listed(Arena *arena, const Document *d, const unsigned char *marked)
{
    const char *list = NULL;
    int heads = d->heads;
    for (int n = 0; n < d->layers * heads && n < MAPS_MOST; n++)
        if (marked[n]) list = arena_format(arena, "%s%s%d.%d", list ? list : "", list ? "," : "", n / heads, n % heads);
    return list;
}

// The window may show something else than the command line named, so everything that changes numbers or colours is
// written into the file.
static bool save_png(const App *app, FileBytes *out, const State *s, const Canvas *canvas, Arena *arena, Error *error)
{
    enum { SAID = 9, MOST = SAID + 16 };
    const char *off = app->live ? heads_listed(arena, &app->document, s->shown.ablated) : NULL;
    const char *unlit = heads_listed(arena, s->shown.document, s->shown.hidden_heads);
    PngText texts[MOST] = {
        { "Software", "manyheads" },
        { "Title", app->document.title },
        { "Source", app->document.source },
        { "Layer", arena_format(arena, "%d", s->shown.layer) },
        { "Head", arena_format(arena, "%d", s->shown.head) },
        { "View", state_view_name(s, s->shown.view) },
        { "Scale", scale_name(s->shown.scale) },
        { "Colors", color_map_name(s->shown.colors) },
        { "Command", app->command },
    };
    int count = SAID, size = 0;
    if (app->live) texts[count++] = (PngText){ "Sentence", s->editing.sentence };
    if (off) texts[count++] = (PngText){ "Off", off };
    if (off && s->shown.ablation)
        texts[count++] = (PngText){ "Off gives", s->shown.ablation == ABLATE_MEAN ? "mean" : "held sentence" };
    if (s->shown.reduction) texts[count++] = (PngText){ "Of", reduction_name(s->shown.reduction) };
    if (s->display.dark) texts[count++] = (PngText){ "Scheme", "dark" };
    if (s->editing.find.any) texts[count++] = (PngText){ "Looked for", s->editing.find_text };
    if (s->shown.sort == SORT_FOUND) texts[count++] = (PngText){ "Sorted by", "the sum of its weights" };
    if (s->shown.sort == SORT_ROLE) texts[count++] = (PngText){ "Sorted by", "what they do" };
    if (s->shown.sort == SORT_ADDS) texts[count++] = (PngText){ "Sorted by", "what they add to the answer" };
    if (s->shown.hide_keys) texts[count++] = (PngText){ "Left out", arena_format(arena, "%d", s->shown.hide_keys) };
    if (s->shown.use_largest) texts[count++] = (PngText){ "Folded", "largest" };
    if (s->shown.view == VIEW_STAGES) texts[count++] = (PngText){ "Stage", stage_name(s->shown.stage) };
    if (s->shown.view == VIEW_COMPARE)
        texts[count++] = (PngText){ "Other", arena_format(arena, "%d.%d", s->shown.other_layer, s->shown.other_head) };
    if (s->shown.other_document)
        texts[count++] =
            (PngText){ s->shown.held ? "Other sentence" : "Other source", s->shown.other_document->source };
    if (app->document.kind) texts[count++] = (PngText){ "Kind", app->document.kind };
    if (s->shown.view == VIEW_LINES && s->shown.lines)
        texts[count++] = (PngText){ "Lines", lines_scope_word(s->shown.lines) };
    if (s->shown.view == VIEW_LINES && s->shown.lines && unlit) texts[count++] = (PngText){ "Not drawn", unlit };
    if (s->shown.view == VIEW_LINES && s->shown.pair) texts[count++] = (PngText){ "Parts", pair_name(s->shown.pair) };
    unsigned char *bytes = NULL;
    PngAbout about = { texts, count, 96 * s->camera.pixels };
    if (!png_encode_about(&bytes, &size, canvas, about, error)) return false;
    *out = into_arena(arena, bytes, (size_t)size);
    return true;
}

static bool save_svg(FileBytes *out, const Canvas *canvas, Arena *arena)
{
    size_t size;
    char *text = svg_encode(&size, canvas);
    *out = into_arena(arena, text, size);
    return true;
}

// Messages and an unfinished sentence are not part of a saved picture.
bool app_save(App *app, FileBytes *out, const char **boxes, Arena *arena, PictureKind kind, Error *error)
{
    Arena *scratch = arena_open(), *record = arena_open();
    State state = app->state;
    if (kind == PICTURE_PAGE) {
        arena_close(record);
        arena_close(scratch);
        return page_encode(out, arena, &state, app->live ? app->mapped_text : NULL, app->command, error);
    }
    state.message.error = state.message.status = NULL;
    if (app->live) state.editing.sentence = app->mapped_text;
    state.editing.caret = (int)strlen(state_line(&state));
    Canvas *canvas = canvas_of(scratch, &state);
    if (kind == PICTURE_SVG) canvas_record(canvas, record);
    draw_view(canvas, &(View){ &state, app->derived, app->other_derived, NULL });
    if (boxes) *boxes = canvas_text_boxes(arena, canvas);
    bool good = kind == PICTURE_SVG ? save_svg(out, canvas, arena) : save_png(app, out, &state, canvas, arena, error);
    arena_close(record);
    arena_close(scratch);
    return good;
}
