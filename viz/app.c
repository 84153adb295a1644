// Files and models are opened, events are followed up, pictures are made.
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

// A file's document in an arena of its own; *arena is NULL after false.
static bool open_maps(Document *out, Arena **arena, const Source *source, Error *error)
{
    *arena = arena_open();
    if (document_parse(out, *arena, source->bytes, source->name, source->reading, error)) return true;
    arena_close(*arena);
    *arena = NULL;
    return false;
}

// Which words of both documents belong together. What the state has of that is of documents that may be gone.
static void align_both(App *app)
{
    State *state = &app->state;
    arena_close(app->aligned);
    app->aligned = NULL;
    state->aligned = NULL;
    if (state->other) {
        app->aligned = arena_open();
        state->aligned = align_documents(app->aligned, state->document, state->other);
    }
    *state = state_update(*state, (Event){ EVENT_DOCUMENT, .document = state->document }, app->scene);
}

// The second document: its maps, or the same made of them, if it can be.
static void present_other(App *app)
{
    State *state = &app->state;
    const Document *before = state->other;
    state->other = &app->compared;
    if (state->made && made_possible(&app->compared, state->made)) {
        app->made_other = made_document(app->made_arena, &app->compared, state->made);
        state->other = &app->made_other;
    }
    if (state->made || before != state->other) scene_forget(app->other_scene);
}

// The document that the state is about: the maps, or what it wants made of them, anew after they have changed. What
// cannot be made of these is not.
static void present(App *app)
{
    State *state = &app->state;
    bool was_made = app->made_of != MADE_NONE;
    state->aligned = NULL;
    if (!made_possible(&app->document, state->made)) state->made = MADE_NONE;
    if (!was_made && state->made) {
        app->layer = state->layer;
        app->head = state->head;
    }
    arena_close(app->made_arena);
    app->made_arena = NULL;
    app->made_of = state->made;
    const Document *shown = &app->document;
    if (state->made) {
        app->made_arena = arena_open();
        app->made = made_document(app->made_arena, &app->document, state->made);
        shown = &app->made;
    }
    if (state->other) present_other(app);
    scene_forget(app->scene);
    *state = state_update(*state, (Event){ EVENT_DOCUMENT, .document = shown }, app->scene);
    if (was_made && !state->made) { // back to the head from which one came
        bool same = state->other && state->other_layer == state->layer && state->other_head == state->head;
        state->layer = state->layer ? state->layer : app->layer;
        state->head = app->head;
        if (same) state->other_layer = state->layer;
        if (same) state->other_head = state->head;
        *state = state_update(*state, (Event){ EVENT_DOCUMENT, .document = shown }, app->scene);
    }
    align_both(app);
}

// Of a file with several kinds of attention the one that is wanted.
static void turn_kind(App *app)
{
    const Document *d = &app->document;
    int kind = app->state.kind;
    if (kind == d->kind_at || kind >= d->kind_count) return;
    app->document = d->kinds[kind];
    present(app);
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

// The sentence of the maps, as it is, becomes the second document.
static bool hold(App *app, const char *text, Error *error)
{
    Arena *arena = arena_open();
    bool of_held = app->ran_by == ABLATION_HELD; // what is to be held has every head on
    const LiveAsk ask = { text, of_held ? NULL : app->ran_off, of_held ? ABLATION_ZERO : app->ran_by, &app->document,
                          NULL };
    if (!live_run(&app->compared, arena, app->live, ask, error)) {
        arena_close(arena);
        return false;
    }
    app->compared.title = "held";
    app->compared.source = arena_format(arena, "%s", text);
    scene_forget(app->other_scene);
    app->other = arena;
    app->held = app->state.held = true;
    app->state.other = &app->compared;
    app->state.other_layer = app->state.layer;
    app->state.other_head = app->state.head;
    if (app->state.made) present(app);
    else align_both(app);
    app->state = state_turned(app->state, VIEW_COMPARE);
    return true;
}

static void let_go(App *app)
{
    app->held = app->state.held = false;
    app->state.other = NULL;
    align_both(app);
    scene_forget(app->other_scene);
    arena_close(app->other);
    app->other = NULL;
}

// What is held is what the maps were made of. Then another sentence is typed.
static void follow_held(App *app)
{
    if (app->state.held == app->held) return;
    if (app->held) {
        let_go(app);
        return;
    }
    app->state.held = hold(app, app->mapped, &app->error);
    if (app->held) app->state = state_update(app->state, (Event){ EVENT_KEY, .key = KEY_TYPE }, app->scene);
    else app_say(app, app->error.text);
}

// The picture of a run that takes long says how far it is.
void app_tell(void *context, int done, int of)
{
    const double patience = 0.3, apart = 0.05;
    App *app = context;
    double now = measure_clock_wall();
    if (!app->busy || now - app->began < patience || now - app->told < apart) return;
    app->state.busy = (double)done / of;
    app->busy(app->busy_context);
    app->told = measure_clock_wall(); // a picture that takes long does not ask for the next one
}

static bool run_model(App *app, Error *error)
{
    Arena *arena = arena_open();
    Document document;
    memcpy(app->ran, app->state.text, sizeof app->ran);
    memcpy(app->ran_off, app->state.off, sizeof app->ran_off);
    app->ran_by = app->state.off_by;
    const LiveAsk ask = { app->ran, app->ran_off, app->ran_by, app->run ? &app->document : NULL,
                          app->held ? &app->compared : NULL };
    app->began = measure_clock_wall();
    bool good = live_run(&document, arena, app->live, ask, error);
    app->state.busy = 0;
    if (!good) {
        arena_close(arena);
        return false;
    }
    arena_close(app->run);
    app->run = arena;
    app->document = document;
    app->answered = false;
    memcpy(app->mapped, app->ran, sizeof app->mapped);
    return true;
}

// The sentence or a switch has changed: the model runs again. A sentence that it cannot read leaves the last maps.
static void follow(App *app)
{
    bool same = !strcmp(app->ran, app->state.text) && !memcmp(app->ran_off, app->state.off, sizeof app->ran_off) &&
                app->ran_by == app->state.off_by;
    if (!app->live || same || (app->later && live_waits(app->live))) return;
    bool good = run_model(app, &app->error);
    if (good) present(app);
    app_say(app, good ? NULL : app->error.text);
}

// Only while it is typed may a sentence stand there that the model cannot read. Enter does not end it; what else does,
// brings back the sentence of the maps.
static void settle(App *app, bool entered)
{
    State *state = &app->state;
    if (!app->live || state->typing == TYPING_SENTENCE || !strcmp(state->text, app->mapped)) return;
    if (entered) {
        state->typing = TYPING_SENTENCE;
        return;
    }
    memcpy(state->text, app->mapped, sizeof state->text);
    memcpy(app->ran, app->mapped, sizeof app->ran);
    if (!state->typing) state->caret = (int)strlen(state->text); // or it is that of a path
}

static bool first_run(App *app, Error *error)
{
    const char *text = app->options.text ? app->options.text : live_sentence(app->live);
    if (strlen(text) >= STATE_TEXT)
        return error_set(error, "--text: %zu bytes; %d are possible", strlen(text), STATE_TEXT - 1);
    memcpy(app->state.text, text, strlen(text) + 1);
    return run_model(app, error);
}

// A model opens at the place that it says is worth a look, unless another was asked for.
static void look_at_place(State *state, const ViewerOptions *o)
{
    NotableCell place;
    if (o->layer >= 0 || o->head >= 0 || o->cell || !live_place(&place, state->document)) return;
    state->layer = place.layer;
    state->head = place.head;
    state->pinned = (HeadCell){ place.query, place.key };
}

static bool begin(App *app, Error *error)
{
    const ViewerOptions *o = &app->options;
    if (app->live) live_tell(app->live, app_tell, app);
    if (app->live && !first_run(app, error)) return false;
    if (!choose_kind(app, o->kind, error)) return false;
    State state = state_of(&app->document, o->width, o->height, o->dpi / 96);
    memcpy(state.text, app->state.text, sizeof state.text);
    state.caret = (int)strlen(state.text);
    state.scale = state.usual = cells_usual_scale(&app->document);
    if (app->live) look_at_place(&state, o);
    if (app->other) {
        state.other = &app->compared;
        state = state_turned(state, VIEW_COMPARE);
    }
    app->state = state;
    if (o->other_text && strlen(o->other_text) >= STATE_TEXT)
        return error_set(error, "--other-text: %zu bytes; %d are possible", strlen(o->other_text), STATE_TEXT - 1);
    if (o->other_text && !hold(app, o->other_text, error)) return false;
    align_both(app);
    return true;
}

bool app_open(App *app, const ViewerOptions *options, const char *command, const Source *shown, const Source *other,
              Error *error)
{
    *app = (App){
        .options = *options, .command = command, .live = shown->live, .scene = scene_open(), .other_scene = scene_open()
    };
    for (int n = 0; n < 3; n++) app->kept[n] = map_kept_open();
    bool good = (shown->live || open_maps(&app->document, &app->opened, shown, error)) &&
                (!other || open_maps(&app->compared, &app->other, other, error)) && begin(app, error) &&
                viewer_options_apply(&app->state, &app->options, error);
    if (good) follow(app);                     // --off
    if (good && app->state.made) present(app); // --of
    if (good && app->state.said) good = error_set(error, "%s", app->state.said);
    if (!good) app_close(app);
    return good;
}

void app_close(App *app)
{
    scene_close(app->scene);
    scene_close(app->other_scene);
    for (int n = 0; n < 3; n++) map_kept_close(app->kept[n]);
    arena_close(app->aligned);
    arena_close(app->made_arena);
    arena_close(app->run);
    arena_close(app->opened);
    arena_close(app->other);
}

// A model's own sentence, in an arena of its own.
static bool run_first(Document *out, Arena **arena, Live *live, Error *error)
{
    *arena = arena_open();
    if (live_run(out, *arena, live, (LiveAsk){ .text = live_sentence(live) }, error)) return true;
    arena_close(*arena);
    return false;
}

static void begin_sentence(App *app)
{
    State *state = &app->state;
    live_tell(app->live, app_tell, app);
    snprintf(state->text, sizeof state->text, "%s", live_sentence(app->live));
    memcpy(app->mapped, state->text, sizeof app->mapped);
    memcpy(app->ran, state->text, sizeof app->ran);
    memset(app->ran_off, 0, sizeof app->ran_off);
    app->ran_by = ABLATION_ZERO;
    app->answered = false;
    state->caret = (int)strlen(state->text);
    look_at_place(state, &(ViewerOptions){ .layer = -1, .head = -1 });
}

bool app_show(App *app, const Source *source, Error *error)
{
    Document document;
    Arena *arena;
    Live *live = source->live;
    if (!(live ? run_first(&document, &arena, live, error) : open_maps(&document, &arena, source, error))) return false;
    if (app->held) let_go(app);
    State before = app->state;
    scene_forget(app->scene);
    scene_forget(app->other_scene); // what was made of the second document goes, too
    arena_close(app->made_arena);
    arena_close(app->run);
    arena_close(app->opened);
    app->made_arena = NULL;
    app->made_of = MADE_NONE;
    app->live = live;
    app->run = live ? arena : NULL;
    app->opened = live ? NULL : arena;
    app->document = document;
    app->state = state_of(&app->document, before.width, before.height, before.pixels);
    app->state.zoom = before.zoom;
    app->state.colors = before.colors;
    app->state.usual = cells_usual_scale(&app->document);
    app->state.scale = before.scale == before.usual ? app->state.usual : before.scale; // one that was chosen stays
    app->state.dark = before.dark;
    app->state.bare = before.bare;
    app->state.formulas = before.formulas;
    app->state.other = before.other ? &app->compared : NULL;
    if (live) begin_sentence(app);
    align_both(app);
    return true;
}

static bool reread_second(App *app, const Source *source, Error *error)
{
    Document document;
    Arena *arena;
    if (!open_maps(&document, &arena, source, error)) return false;
    scene_forget(app->other_scene);
    arena_close(app->other);
    app->other = arena;
    app->compared = document;
    return true;
}

static bool reread_first(App *app, const Source *source, Error *error)
{
    Document document;
    Arena *arena;
    if (!open_maps(&document, &arena, source, error)) return false;
    arena_close(app->opened);
    app->opened = arena;
    int kind = app->state.kind;
    app->document = kind < document.kind_count ? document.kinds[kind] : document;
    app->state.usual = cells_usual_scale(&app->document);
    return true;
}

bool app_reread(App *app, const Source *source, bool second, Error *error)
{
    REQUIRE(second ? app->other != NULL : !app->live, "there is no file to be read again");
    if (!(second ? reread_second(app, source, error) : reread_first(app, source, error))) return false;
    present(app);
    return true;
}

void app_stale(App *app, const char *sentence)
{
    if (sentence) error_set(&app->stale, "%s", sentence);
    app->state.stale = sentence ? app->stale.text : NULL;
}

// ---- events ---------------------------------------------------------------------------------------------------------

// The state keeps a pointer to the sentence, which is therefore the app's.
static void tell(App *app, EventKind kind, const char *sentence)
{
    if (sentence && sentence != app->error.text) error_set(&app->error, "%s", sentence);
    Event event = { kind, .text = sentence ? app->error.text : NULL };
    app->state = state_update(app->state, event, app->scene);
}

void app_say(App *app, const char *sentence) { tell(app, EVENT_SAID, sentence); }
void app_note(App *app, const char *sentence) { tell(app, EVENT_NOTED, sentence); }

void app_event(App *app, Event event)
{
    bool typing = app->state.typing == TYPING_SENTENCE;
    app->state = state_update(app->state, event, app->scene);
    if (app->state.typing != TYPING_SENTENCE) app->later = false;
    follow(app);
    if (app->state.made != app->made_of) present(app);
    turn_kind(app);
    follow_held(app);
    settle(app, typing && event.kind == EVENT_KEY && event.key == KEY_ENTER);
}

void app_catch_up(App *app)
{
    app->later = false;
    follow(app);
}

// The first frame stands as long as the others, however long ago the clock was looked at.
bool app_clock(App *app, double now)
{
    const double frame = 0.7;
    bool began = app->state.playing && !app->played;
    app->played = app->state.playing;
    if (began) app->next = now + frame;
    if (!app->played || now < app->next) return false;
    app->next = now + frame;
    app_event(app, (Event){ .kind = EVENT_TICK });
    app->played = app->state.playing;
    return true;
}

// The second file's head, where there is a second file and it is looked at.
static bool prepare_other(App *app, double seconds)
{
    if (!app->state.other || app->state.view != VIEW_COMPARE) return true;
    return scene_prepare(app->other_scene, app->state.other, state_wanted_of_other(&app->state), seconds);
}

// What the model answers, at the position that is looked at first: that of the pinned cell, or the last one.
static bool answer(App *app, double seconds)
{
    Document *d = &app->document;
    int at = app->state.pinned.row >= 0 && app->state.pinned.row < d->T ? app->state.pinned.row : d->T - 1;
    if (!app->live || (app->answered && (d->adds_at == at || !d->can_add))) return true;
    app->answered = live_answer(app->live, d, at, seconds);
    app->made.loss = d->loss;
    app->made.whole_loss = d->whole_loss;
    return app->answered;
}

bool app_work(App *app, double seconds)
{
    bool answers = answer(app, seconds);
    bool roles = !app->live || (answers && seconds >= 0.005 && live_learn_roles(app->live));
    bool scene = scene_prepare(app->scene, app->state.document, state_wanted(&app->state), seconds);
    bool other = prepare_other(app, seconds);
    return answers && roles && scene && other;
}

// Of a file of gigabytes the thumbnails beside one head stay empty.
bool app_prepare(App *app, double seconds)
{
    const Document *d = app->state.document;
    double cells = (double)state_heads(&app->state) * d->T * d->S;
    Wanted wanted = state_wanted(&app->state);
    if (app->state.view != VIEW_HEADS && cells > 3e8) wanted.all = false;
    bool answers = answer(app, seconds), roles = !app->live || live_learn_roles(app->live);
    bool scene = scene_prepare(app->scene, d, wanted, seconds);
    bool other = prepare_other(app, seconds);
    return answers && roles && scene && other;
}

// ---- pictures -------------------------------------------------------------------------------------------------------

static Canvas *canvas_of(Arena *arena, const State *s)
{
    color_scheme(s->dark ? COLOR_ON_DARK : COLOR_ON_PAPER);
    return canvas_new(arena, s->width / s->zoom, s->height / s->zoom, s->pixels * s->zoom);
}

Canvas *app_picture(App *app, Arena *arena)
{
    Canvas *canvas = canvas_of(arena, &app->state);
    draw_view(canvas, &(View){ &app->state, app->scene, app->other_scene, app->kept });
    return canvas;
}

// What a title holds besides letters and digits must not choose the folder. Letters beyond ASCII stay.
const char *app_picture_name(const App *app, Arena *arena, PictureKind kind)
{
    static const char *const views[VIEWS] = { "heads", "map", "lines", "stages", "compare", "tiles" };
    const State *state = &app->state;
    const char *suffix = kind == PICTURE_SVG ? "svg" : kind == PICTURE_PAGE ? "html" : "png";
    const char *slash = strrchr(app->document.title, '/');
    char *title = arena_format(arena, "%s", slash ? slash + 1 : app->document.title);
    for (char *c = title; *c; c++)
        if (!((unsigned char)*c & 0x80) &&
            !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *c))
            *c = '-';
    if (state->made) title = arena_format(arena, "%s-%s", title, made_word(state->made));
    if (state->view == VIEW_HEADS || kind == PICTURE_PAGE) return arena_format(arena, "%s-heads.%s", title, suffix);
    return arena_format(arena, "%s-layer-%d-head-%d-%s.%s", title, state->layer, state->head, views[state->view],
                        suffix);
}

// What was encoded, moved into the arena.
static FileBytes moved(Arena *arena, void *bytes, size_t size)
{
    FileBytes out = { memcpy(arena_alloc(arena, size + 1), bytes, size), size };
    free(bytes);
    return out;
}

// "1.2,0.1", as --off takes it; NULL: none is marked.
static const char *heads_listed(Arena *arena, const Document *d, const unsigned char *marked)
{
    const char *list = NULL;
    int heads = d->heads;
    for (int n = 0; n < d->layers * heads && n < STATE_HEADS_MOST; n++)
        if (marked[n]) list = arena_format(arena, "%s%s%d.%d", list ? list : "", list ? "," : "", n / heads, n % heads);
    return list;
}

// What the window shows may have gone far from the command: everything that changes a number or a colour is said.
static bool save_png(const App *app, FileBytes *out, const State *s, const Canvas *canvas, Arena *arena, Error *error)
{
    enum { SAID = 9, MOST = SAID + 16 };
    const char *off = app->live ? heads_listed(arena, &app->document, s->off) : NULL;
    const char *unlit = heads_listed(arena, s->document, s->unlit);
    PngText texts[MOST] = {
        { "Software", "manyheads" },
        { "Title", app->document.title },
        { "Source", app->document.source },
        { "Layer", arena_format(arena, "%d", s->layer) },
        { "Head", arena_format(arena, "%d", s->head) },
        { "View", state_view_name(s, s->view) },
        { "Scale", scale_name(s->scale) },
        { "Colors", color_map_name(s->colors) },
        { "Command", app->command },
    };
    int count = SAID, size = 0;
    if (app->live) texts[count++] = (PngText){ "Sentence", s->text };
    if (off) texts[count++] = (PngText){ "Off", off };
    if (off && s->off_by)
        texts[count++] = (PngText){ "Off gives", s->off_by == ABLATION_MEAN ? "mean" : "held sentence" };
    if (s->made) texts[count++] = (PngText){ "Of", made_name(s->made) };
    if (s->dark) texts[count++] = (PngText){ "Scheme", "dark" };
    if (s->find.any) texts[count++] = (PngText){ "Looked for", s->sought };
    if (s->sort == SORT_FOUND) texts[count++] = (PngText){ "Sorted by", "the sum of its weights" };
    if (s->sort == SORT_ROLE) texts[count++] = (PngText){ "Sorted by", "what they do" };
    if (s->sort == SORT_ADDS) texts[count++] = (PngText){ "Sorted by", "what they add to the answer" };
    if (s->hide) texts[count++] = (PngText){ "Left out", arena_format(arena, "%d", s->hide) };
    if (s->largest) texts[count++] = (PngText){ "Folded", "largest" };
    if (s->view == VIEW_STAGES) texts[count++] = (PngText){ "Stage", stage_name(s->stage) };
    if (s->view == VIEW_COMPARE)
        texts[count++] = (PngText){ "Other", arena_format(arena, "%d.%d", s->other_layer, s->other_head) };
    if (s->other) texts[count++] = (PngText){ s->held ? "Other sentence" : "Other source", s->other->source };
    if (app->document.kind) texts[count++] = (PngText){ "Kind", app->document.kind };
    if (s->view == VIEW_LINES && s->lines) texts[count++] = (PngText){ "Lines", lines_word(s->lines) };
    if (s->view == VIEW_LINES && s->lines && unlit) texts[count++] = (PngText){ "Not drawn", unlit };
    if (s->view == VIEW_LINES && s->parts) texts[count++] = (PngText){ "Parts", sentence_pair_name(s->parts) };
    unsigned char *bytes = NULL;
    PngAbout about = { texts, count, 96 * s->pixels };
    if (!png_encode_about(&bytes, &size, canvas, about, error)) return false;
    *out = moved(arena, bytes, (size_t)size);
    return true;
}

static bool save_svg(FileBytes *out, const Canvas *canvas, Arena *arena)
{
    size_t size;
    char *text = svg_encode(&size, canvas);
    *out = moved(arena, text, size);
    return true;
}

// What was said about an event before is not part of a saved picture, nor is a sentence that has no maps.
bool app_save(App *app, FileBytes *out, const char **boxes, Arena *arena, PictureKind kind, Error *error)
{
    Arena *scratch = arena_open(), *record = arena_open();
    State state = app->state;
    if (kind == PICTURE_PAGE) {
        arena_close(record);
        arena_close(scratch);
        return page_encode(out, arena, &state, app->live ? app->mapped : NULL, app->command, error);
    }
    state.said = state.noted = NULL;
    if (app->live) memcpy(state.text, app->mapped, sizeof state.text);
    state.caret = (int)strlen(state_line(&state));
    Canvas *canvas = canvas_of(scratch, &state);
    if (kind == PICTURE_SVG) canvas_record(canvas, record);
    draw_view(canvas, &(View){ &state, app->scene, app->other_scene, NULL });
    if (boxes) *boxes = canvas_text_boxes(arena, canvas);
    bool good = kind == PICTURE_SVG ? save_svg(out, canvas, arena) : save_png(app, out, &state, canvas, arena, error);
    arena_close(record);
    arena_close(scratch);
    return good;
}
