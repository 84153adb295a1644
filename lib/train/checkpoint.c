// Chapter 09. Checkpoints: notes from structs and back, and the tensors of a model or a training.
#include "train/checkpoint.h"

#include "base/portable_math.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char MODEL_FORMAT[] = "manyheads model 1", TRAINING_FORMAT[] = "manyheads training 2";

// ---- notes

enum { NOTES_MOST = 48 };
typedef struct {
    Arena *arena;
    CheckpointNotes notes;
} Writer;

static Writer writer(Arena *arena)
{
    return (Writer){ arena, { arena_alloc(arena, NOTES_MOST * sizeof(TensorNote)), 0 } };
}

static void note_text(Writer *w, const char *key, const char *value)
{
    REQUIRE(w->notes.count < NOTES_MOST, "more than %d notes", NOTES_MOST);
    w->notes.at[w->notes.count++] = (TensorNote){ key, value };
}

static void note_integer(Writer *w, const char *key, int value)
{
    note_text(w, key, arena_format(w->arena, "%d", value));
}

// As few digits as reproduce the float64, at most 17.
static void note_number(Writer *w, const char *key, double value)
{
    const char *shortest = NULL;
    for (int digits = 1; digits <= 17; digits++) {
        shortest = arena_format(w->arena, "%.*g", digits, value);
        if (!(strtod(shortest, NULL) < value) && !(strtod(shortest, NULL) > value)) break;
    }
    note_text(w, key, shortest);
}

CheckpointNotes checkpoint_notes_of_config(Arena *arena, const Config *c)
{
    REQUIRE(c->slope == 0.0f, "a file has no place for a slope of ALiBi, %g", (double)c->slope);
    Writer w = writer(arena);
    char *windows = arena_format(arena, "%d", config_window(c, 0));
    for (int l = 1; l < c->L; l++) windows = arena_format(arena, "%s %d", windows, config_window(c, l));
    note_integer(&w, "words", c->words);
    note_integer(&w, "outputs", c->outputs);
    note_integer(&w, "D", c->D);
    note_integer(&w, "H", c->H);
    note_integer(&w, "G", c->G);
    note_integer(&w, "L", c->L);
    note_integer(&w, "mlp", c->mlp);
    note_text(&w, "positions", config_positions_name(c->positions));
    note_text(&w, "causal", c->causal ? "yes" : "no");
    note_text(&w, "windows", windows);
    if (c->share) note_integer(&w, "share", c->share);
    if (c->mlp_kind != CONFIG_MLP_RELU) note_text(&w, "mlp_kind", config_mlp_name(c->mlp_kind));
    if (c->rope_base != 0.0) note_number(&w, "rope_base", c->rope_base);
    if (c->sink != CONFIG_SINK_NONE) note_text(&w, "sink", config_sink_name(c->sink));
    if (c->bare) note_text(&w, "norms", "no");
    if (c->differ != CONFIG_DIFFER_NONE) note_text(&w, "differ", config_differ_name(c->differ));
    if (c->lambda != 0.0) note_number(&w, "lambda", c->lambda);
    if (c->head_norm) note_text(&w, "head_norm", "yes");
    return w.notes;
}

CheckpointNotes checkpoint_notes_of_recipe(Arena *arena, const TrainingRecipe *r)
{
    Writer w = writer(arena);
    note_integer(&w, "steps", r->steps);
    note_integer(&w, "batch", r->batch);
    note_integer(&w, "warmup", r->warmup);
    note_number(&w, "lr", r->lr);
    note_number(&w, "plateau", r->plateau);
    note_number(&w, "floor", r->floor);
    note_number(&w, "beta1", r->adamw.beta1);
    note_number(&w, "beta2", r->adamw.beta2);
    note_number(&w, "epsilon", r->adamw.epsilon);
    note_number(&w, "decay", r->adamw.decay);
    note_number(&w, "clip", r->clip);
    note_number(&w, "bonus", r->bonus);
    note_number(&w, "ramp", r->ramp);
    note_text(&w, "seed", arena_format(arena, "%" PRIu64, r->seed));
    return w.notes;
}

CheckpointNotes checkpoint_notes_join(Arena *arena, CheckpointNotes first, CheckpointNotes second)
{
    CheckpointNotes all = { arena_alloc(arena, (size_t)(first.count + second.count) * sizeof(TensorNote)),
                            first.count + second.count };
    for (int i = 0; i < all.count; i++) all.at[i] = i < first.count ? first.at[i] : second.at[i - first.count];
    return all;
}

// ---- reading notes

typedef struct {
    const char *path;
    const Tensors *file;
    Arena *arena;
    Error *error;
} Reader;

static bool text_of(const Reader *r, const char *key, const char **value)
{
    *value = tensors_note(r->file, key);
    return *value ||
           error_set(r->error, "%s: metadata: there is no %s, which every model of this book has", r->path, key);
}

static bool whole_number(const char *text, char **end, int *value)
{
    errno = 0;
    long read = strtol(text, end, 10);
    *value = (int)read;
    return *end != text && !errno && read >= INT_MIN && read <= INT_MAX;
}

static bool integer_of(const Reader *r, const char *key, int *value)
{
    const char *text;
    char *end;
    if (!text_of(r, key, &text)) return false;
    if (whole_number(text, &end, value) && !*end) return true;
    return error_set(r->error, "%s: metadata: %s is \"%.40s\"; it must be a whole number", r->path, key, text);
}

static bool number_of(const Reader *r, const char *key, double *value)
{
    const char *text;
    char *end;
    if (!text_of(r, key, &text)) return false;
    *value = strtod(text, &end);
    if (end != text && !*end && isfinite(*value)) return true;
    return error_set(r->error, "%s: metadata: %s is \"%.40s\"; it must be a number", r->path, key, text);
}

static bool format_is(const Reader *r, const char *wanted)
{
    const char *format;
    if (!text_of(r, "format", &format)) return false;
    if (!strcmp(format, wanted)) return true;
    return error_set(r->error, "%s: metadata: the format is \"%.60s\"; it must be \"%s\"", r->path, format, wanted);
}

// The note must be one of `count` names; returns its index.
static bool one_of(const Reader *r, const char *key, const char *const *names, int count, int *value)
{
    const char *text;
    if (!text_of(r, key, &text)) return false;
    for (*value = 0; *value < count; ++*value)
        if (!strcmp(text, names[*value])) return true;
    return error_set(r->error, "%s: metadata: %s is \"%.40s\"; it must be one of %d words, such as \"%s\"", r->path,
                     key, text, count, names[count - 1]);
}

// At least one character per layer, so the length bounds the number of layers.
static bool windows_of(const Reader *r, Config *c)
{
    const char *text;
    char *end = NULL;
    if (!text_of(r, "windows", &text)) return false;
    const char *cursor = text;
    bool fits = c->L >= 1 && (size_t)c->L <= strlen(text);
    int *window = arena_alloc(r->arena, (fits ? (size_t)c->L : 0) * sizeof *window);
    for (int l = 0; l < c->L; l++) {
        if (!fits) break;
        fits = whole_number(cursor, &end, &window[l]);
        cursor = end;
    }
    c->window = window;
    if (fits && !*cursor) return true;
    return error_set(r->error, "%s: metadata: windows is \"%.40s\"; it must be one whole number for each of %d layers",
                     r->path, text, c->L);
}

// Written only if not at the default, so that older files stay valid and new ones unchanged.
static const char *const config_options[] = { "share", "mlp_kind", "rope_base", "sink",
                                              "norms", "differ",   "lambda",    "head_norm" };

static bool is_option(const char *key)
{
    for (size_t o = 0; o < sizeof config_options / sizeof *config_options; o++)
        if (!strcmp(config_options[o], key)) return true;
    return false;
}

static bool options_of(const Reader *r, Config *c)
{
    static const char *const no_yes[] = { "no", "yes" };
    const char *names[CONFIG_MLP_KINDS], *sinks[CONFIG_SINK_KINDS], *differs[CONFIG_DIFFER_KINDS];
    int kind = 0, sink = 0, norms = 1, differ = 0, head_norm = 0;
    for (int k = 0; k < CONFIG_MLP_KINDS; k++) names[k] = config_mlp_name((ConfigMlp)k);
    for (int k = 0; k < CONFIG_SINK_KINDS; k++) sinks[k] = config_sink_name((ConfigSink)k);
    if (tensors_note(r->file, "share") && !integer_of(r, "share", &c->share)) return false;
    if (tensors_note(r->file, "mlp_kind") && !one_of(r, "mlp_kind", names, CONFIG_MLP_KINDS, &kind)) return false;
    if (tensors_note(r->file, "rope_base") && !number_of(r, "rope_base", &c->rope_base)) return false;
    if (tensors_note(r->file, "sink") && !one_of(r, "sink", sinks, CONFIG_SINK_KINDS, &sink)) return false;
    if (tensors_note(r->file, "norms") && !one_of(r, "norms", no_yes, 2, &norms)) return false;
    for (int k = 0; k < CONFIG_DIFFER_KINDS; k++) differs[k] = config_differ_name((ConfigDiffer)k);
    if (tensors_note(r->file, "differ") && !one_of(r, "differ", differs, CONFIG_DIFFER_KINDS, &differ)) return false;
    if (tensors_note(r->file, "lambda") && !number_of(r, "lambda", &c->lambda)) return false;
    if (tensors_note(r->file, "head_norm") && !one_of(r, "head_norm", no_yes, 2, &head_norm)) return false;
    c->differ = (ConfigDiffer)differ;
    c->head_norm = head_norm;
    c->mlp_kind = (ConfigMlp)kind;
    c->sink = (ConfigSink)sink;
    c->bare = !norms;
    return true;
}

static bool config_of(const Reader *r, Config *c)
{
    static const char *const no_yes[] = { "no", "yes" };
    const char *names[CONFIG_POSITIONS_KINDS];
    int positions, causal;
    Error why;
    for (int p = 0; p < CONFIG_POSITIONS_KINDS; p++) names[p] = config_positions_name((ConfigPositions)p);
    *c = (Config){ 0 };
    if (!integer_of(r, "words", &c->words) || !integer_of(r, "outputs", &c->outputs) || !integer_of(r, "D", &c->D) ||
        !integer_of(r, "H", &c->H) || !integer_of(r, "G", &c->G) || !integer_of(r, "L", &c->L) ||
        !integer_of(r, "mlp", &c->mlp) || !one_of(r, "positions", names, CONFIG_POSITIONS_KINDS, &positions) ||
        !one_of(r, "causal", no_yes, 2, &causal) || !windows_of(r, c) || !options_of(r, c))
        return false;
    c->positions = (ConfigPositions)positions;
    c->causal = causal;
    return config_fits(c, &why) || error_set(r->error, "%s: metadata: %s", r->path, why.text);
}

// ---- tensors

// Rows of a matrix may have a stride; a tensor in a file is contiguous.
static Tensor tensor_of(Arena *arena, const char *name, Mat m)
{
    Mat contiguous = m.stride == m.cols ? m : mat_copy(arena, m);
    NpyArray array = {
        .axes = 2, .shape = { m.rows, m.cols }, .at = contiguous.at, .count = (size_t)m.rows * (size_t)m.cols
    };
    return (Tensor){ name, array };
}

// The tensor of this name as a view of the file. Empty, with an error, if it does not fit.
static Mat matrix_of(const Reader *r, const char *name, int rows, int cols)
{
    const NpyArray *array = tensors_find(r->file, name);
    if (!array) {
        error_set(r->error, "%s: there is no tensor %s; it must be there, with the shape (%d, %d)", r->path, name, rows,
                  cols);
        return (Mat){ 0 };
    }
    if (array->axes != 2 || array->shape[0] != rows || array->shape[1] != cols) {
        error_set(r->error, "%s: tensor %s has another shape than the metadata ask for; it must be (%d, %d)", r->path,
                  name, rows, cols);
        return (Mat){ 0 };
    }
    for (size_t i = 0; i < array->count; i++) {
        if (isfinite(array->at[i])) continue;
        error_set(r->error, "%s: tensor %s: number %zu is %g; all must be finite", r->path, name, i,
                  (double)array->at[i]);
        return (Mat){ 0 };
    }
    return (Mat){ array->at, rows, cols, cols };
}

// Places the model's matrices in the file. After the first error the others are left empty.
typedef struct {
    const Reader *reader;
    const char *before;
    bool failed;
} Places;

static Mat place_in_file(void *context, const char *name, int rows, int cols)
{
    Places *places = context;
    Mat at = { NULL, rows, cols, cols };
    if (places->failed) return at;
    if (*places->before) name = arena_format(places->reader->arena, "%s%s", places->before, name);
    Mat found = matrix_of(places->reader, name, rows, cols);
    places->failed = mat_empty(found);
    return places->failed ? at : found;
}

// A model over the matrices of the file, whose names start with `before`.
static bool model_of(Transformer *model, const Reader *r, const Config *config, const char *before)
{
    Places places = { r, before, false };
    *model = transformer_placed(r->arena, *config, place_in_file, &places);
    return !places.failed;
}

static bool count_is(const Reader *r, int wanted)
{
    return r->file->count == wanted ||
           error_set(r->error, "%s: there are %d tensors; there must be %d", r->path, r->file->count, wanted);
}

// Checked before allocation: sizes in the metadata are not trusted.
static bool size_is(const Reader *r, int64_t wanted)
{
    int64_t found = 0;
    for (int i = 0; i < r->file->count; i++) found += (int64_t)r->file->tensors[i].array.count;
    if (found == wanted) return true;
    return error_set(r->error, "%s: the metadata describe a model of %" PRId64 " numbers, but %" PRId64 " are there",
                     r->path, wanted, found);
}

// ---- models

bool checkpoint_write_model(const char *path, Transformer model, CheckpointNotes more, Error *error)
{
    Arena *scratch = arena_open();
    Writer w = writer(scratch);
    note_text(&w, "format", MODEL_FORMAT);
    CheckpointNotes notes =
        checkpoint_notes_join(scratch,
                              checkpoint_notes_join(scratch, w.notes,
                                                    checkpoint_notes_of_config(scratch, &model.config)),
                              more);
    Tensors file = { .tensors = arena_alloc(scratch, (size_t)model.count * sizeof(Tensor)),
                     .count = model.count,
                     .notes = notes.at,
                     .notes_count = notes.count };
    for (int i = 0; i < model.count; i++) file.tensors[i] = tensor_of(scratch, model.table[i].name, model.table[i].at);
    bool ok = safetensors_write(path, &file, error);
    arena_close(scratch);
    return ok;
}

bool checkpoint_read_model(Transformer *model, Tensors *file, Arena *arena, const char *path, Error *error)
{
    Tensors tensors;
    Config config;
    Transformer read;
    Reader r = { path, &tensors, arena, error };
    if (!safetensors_read(&tensors, arena, path, error)) return false;
    if (!format_is(&r, MODEL_FORMAT) || !config_of(&r, &config)) return false;
    if (!size_is(&r, config_parameters(&config))) return false;
    if (!model_of(&read, &r, &config, "") || !count_is(&r, read.count)) return false;
    *model = read;
    if (file) *file = tensors;
    return true;
}

// ---- trainings

static CheckpointNotes notes_of_training(Arena *arena, const Training *t)
{
    Writer w = writer(arena);
    note_text(&w, "format", TRAINING_FORMAT);
    note_integer(&w, "step", t->step);
    note_text(&w, "random", arena_format(arena, "%" PRIu64, t->random.state));
    CheckpointNotes shape = checkpoint_notes_join(arena, checkpoint_notes_of_config(arena, &t->model.config),
                                                  checkpoint_notes_of_recipe(arena, &t->recipe));
    return checkpoint_notes_join(arena, w.notes, shape);
}

// The parameters, and AdamW's two running means.
enum { STORED = 3 };
static const char *const stored_before[STORED] = { "", "mean.", "square." };

static void stored_of(Transformer stored[STORED], const Training *t)
{
    stored[0] = t->model;
    stored[1] = t->mean;
    stored[2] = t->square;
}

bool checkpoint_write_training(const char *path, const Training *t, Error *error)
{
    Arena *scratch = arena_open();
    CheckpointNotes notes = notes_of_training(scratch, t);
    Transformer stored[STORED];
    stored_of(stored, t);
    Tensors file = { .tensors = arena_alloc(scratch, (size_t)(STORED * t->model.count) * sizeof(Tensor)),
                     .notes = notes.at,
                     .notes_count = notes.count };
    for (int s = 0; s < STORED; s++)
        for (int p = 0; p < stored[s].count; p++) {
            TransformerParameter one = stored[s].table[p];
            const char *name = arena_format(scratch, "%s%s", stored_before[s], one.name);
            file.tensors[file.count++] = tensor_of(scratch, name, one.at);
        }
    bool ok = safetensors_write(path, &file, error);
    arena_close(scratch);
    return ok;
}

static bool is_among(CheckpointNotes notes, const char *key)
{
    for (int i = 0; i < notes.count; i++)
        if (!strcmp(notes.at[i].key, key)) return true;
    return false;
}

// All notes but step and random must be equal, and none may be missing or additional.
static bool same_training(const Reader *r, CheckpointNotes here)
{
    for (size_t o = 0; o < sizeof config_options / sizeof *config_options; o++) {
        const char *key = config_options[o], *there = tensors_note(r->file, key);
        if (there && !is_among(here, key))
            return error_set(r->error,
                             "%s: metadata: %s is \"%.40s\" there and not set here; only the same training "
                             "can go on",
                             r->path, key, there);
    }
    for (int i = 0; i < here.count; i++) {
        const char *key = here.at[i].key, *there;
        if (!strcmp(key, "step") || !strcmp(key, "random")) continue;
        if (is_option(key) && !tensors_note(r->file, key))
            return error_set(r->error,
                             "%s: metadata: %s is not set there and \"%s\" here; only the same training can "
                             "go on",
                             r->path, key, here.at[i].value);
        if (!text_of(r, key, &there)) return false;
        if (strcmp(there, here.at[i].value))
            return error_set(r->error,
                             "%s: metadata: %s is \"%.40s\" there and \"%s\" here; only the same training "
                             "can go on",
                             r->path, key, there, here.at[i].value);
    }
    return true;
}

static bool random_of(const Reader *r, Random *random)
{
    const char *text;
    char *end;
    if (!text_of(r, "random", &text)) return false;
    errno = 0;
    random->state = strtoull(text, &end, 10);
    if (end != text && !*end && !errno && *text != '-') return true;
    return error_set(r->error, "%s: metadata: random is \"%.40s\"; it must be a whole number below 2^64", r->path,
                     text);
}

// Changes nothing until everything is validated.
static bool training_from(Training *t, const Reader *r)
{
    int step;
    Random random;
    Transformer to[STORED], from[STORED];
    if (!format_is(r, TRAINING_FORMAT) || !same_training(r, notes_of_training(r->arena, t)) ||
        !integer_of(r, "step", &step) || !random_of(r, &random) || !count_is(r, STORED * t->model.count))
        return false;
    for (int s = 0; s < STORED; s++)
        if (!model_of(&from[s], r, &t->model.config, stored_before[s])) return false;
    if (step < 0 || step > t->recipe.steps)
        return error_set(r->error, "%s: metadata: step is %d; it must be 0 … %d", r->path, step, t->recipe.steps);
    stored_of(to, t);
    for (int s = 0; s < STORED; s++) transformer_set(to[s], from[s]);
    t->step = step;
    t->random = random;
    return true;
}

bool checkpoint_read_training(Training *t, const char *path, Error *error)
{
    Arena *scratch = arena_open();
    Tensors tensors;
    Reader r = { path, &tensors, scratch, error };
    bool ok = safetensors_read(&tensors, scratch, path, error) && training_from(t, &r);
    arena_close(scratch);
    return ok;
}
