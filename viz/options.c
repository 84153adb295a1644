// Flags: one table.
#include "viz/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const OPTIONS_HELP =
    "usage: viewer [FILE] [flags]\n"
    "\n"
    "FILE                   .npy, or .safetensors as a chapter's --dump writes it; without one the book's own\n"
    "                       translator opens on the book's sentence\n"
    "\n"
    "what is opened\n"
    "  --tokens FILE        words of the queries: .json or .txt; of the keys too when there are as many\n"
    "  --key-tokens FILE    words of the keys\n"
    "  --axes LETTERS       axes of a .npy in their order: L layers, H heads, T queries, S keys, 1\n"
    "  --compare FILE       a second file, for the view Compare\n"
    "  --model FILE         weights of another translator;  --text \"a sentence\"\n"
    "  --off L.H[,L.H …]    heads of the model that are switched off\n"
    "\n"
    "what is shown\n"
    "  --view NAME          heads, head, lines, stages, compare, tiles\n"
    "  --layer N --head N   counted from 0\n"
    "  --other L.H          Compare: the other head\n"
    "  --cell I,J           a cell that is pinned: query, key\n"
    "  --stage NAME         dots, scaled, masked, weights, mixed, out\n"
    "  --frame N            Tiles: counted from 0\n"
    "  --scale NAME         linear, head, log, uniform\n"
    "  --colors NAME        viridis, cividis, magma\n"
    "  --hide N             leaves the first N keys out\n"
    "  --largest            of folded cells the largest, not sum and mean\n"
    "  --sort NAME          All heads by entropy, distance, previous, diagonal, induction, first\n"
    "  --zoom N             1 is 100 %, 0.5 … 3\n"
    "\n"
    "without a window\n"
    "  --export FILE        writes the picture: .png or .svg\n"
    "  --export-all FOLDER  every head's, and All heads\n"
    "  --size WxH           points, 1280x800;  --dpi N pixels an inch, 96 points to an inch\n";

typedef enum { WORD, COUNT, NUMBER, SWITCH } Takes;
typedef struct { const char *name; Takes takes; size_t at; } Flag;

#define AT(member) offsetof(Options, member)
static const Flag flags[] = {
    { "compare", WORD, AT(compare) }, { "tokens", WORD, AT(tokens) }, { "key-tokens", WORD, AT(key_tokens) },
    { "axes", WORD, AT(axes) }, { "model", WORD, AT(model) }, { "text", WORD, AT(text) },
    { "export", WORD, AT(picture) }, { "export-all", WORD, AT(folder) }, { "off", WORD, AT(off) },
    { "dpi", NUMBER, AT(dpi) }, { "zoom", NUMBER, AT(zoom) }, { "view", WORD, AT(view) },
    { "scale", WORD, AT(scale) }, { "colors", WORD, AT(colors) }, { "stage", WORD, AT(stage) },
    { "sort", WORD, AT(sort) }, { "other", WORD, AT(other) }, { "cell", WORD, AT(cell) },
    { "layer", COUNT, AT(layer) }, { "head", COUNT, AT(head) }, { "hide", COUNT, AT(hide) },
    { "frame", COUNT, AT(frame) }, { "largest", SWITCH, AT(largest) }, { "help", SWITCH, AT(help) },
};

static bool whole_number(const char *word, int *out)
{
    char *end;
    long number = strtol(word, &end, 10);
    if (end == word || *end || number < 0 || number > 1000000) return false;
    *out = (int)number;
    return true;
}

static bool take(Options *out, const Flag *flag, const char *word, Error *error)
{
    void *at = (char *)out + flag->at;
    char *end;
    if (flag->takes != SWITCH && !word)
        return error_set(error, "--%s needs a value after it; --help lists what it may be", flag->name);
    switch (flag->takes) {
    case SWITCH: *(bool *)at = true; return true;
    case WORD:   *(const char **)at = word; return true;
    case COUNT:
        if (whole_number(word, at)) return true;
        return error_set(error, "--%s %s: a whole number from 0 on is needed", flag->name, word);
    case NUMBER:
        *(double *)at = strtod(word, &end);
        if (end != word && !*end) return true;
    }
    return error_set(error, "--%s %s: a number is needed", flag->name, word);
}

static bool take_size(Options *out, const char *word, Error *error)
{
    char rest;
    bool two = word && sscanf(word, "%lfx%lf%c", &out->width, &out->height, &rest) == 2;
    if (two && out->width >= 1 && out->height >= 1 && out->width <= 16384 && out->height <= 16384) return true;
    return error_set(error, "--size %s: width and height in points are needed, 1 to 16384, such as 1280x800",
                     word ? word : "");
}

static bool fits(const Options *o, Error *error)
{
    if (!(o->dpi >= 24 && o->dpi <= 1200)) return error_set(error, "--dpi %g: 24 to 1200 are possible", o->dpi);
    if (!(o->zoom >= 0.5 && o->zoom <= 3)) return error_set(error, "--zoom %g: 0.5 to 3 are possible", o->zoom);
    double pixels = o->dpi / 96 * (o->width > o->height ? o->width : o->height);
    if (pixels > 16384)
        return error_set(error, "--size and --dpi ask for %.0f pixels a side; 16384 are possible", pixels);
    if (o->file && (o->model || o->text))
        return error_set(error, "%s is a file of maps; --model and --text go without one", o->file);
    return true;
}

bool options_parse(Options *out, int argc, char **argv, Error *error)
{
    *out = (Options){ .width = 1280, .height = 800, .dpi = 96, .zoom = 1,
                       .layer = -1, .head = -1, .hide = -1, .frame = -1 };
    for (int a = 1; a < argc; a++) {
        const char *word = argv[a];
        if (strncmp(word, "--", 2)) {
            if (out->file) return error_set(error, "two files: %s and %s; --compare takes the second", out->file, word);
            out->file = word;
            continue;
        }
        const Flag *flag = NULL;
        for (size_t f = 0; f < sizeof flags / sizeof *flags; f++)
            if (!strcmp(flags[f].name, word + 2)) flag = &flags[f];
        if (!strcmp(word, "--size")) {
            if (!take_size(out, argv[++a], error)) return false;
            if (a >= argc) break;
        } else if (!flag) return error_set(error, "%s is no flag; --help lists them", word);
        else if (!take(out, flag, flag->takes == SWITCH ? NULL : argv[++a], error)) return false;
    }
    return fits(out, error);
}

// ---- onto a state ---------------------------------------------------------------------------------------------------

// Which of the names it is; −1, with a sentence that lists them.
static int named(const char *flag, const char *word, const char *const *names, int count, Error *error)
{
    char list[256] = "";
    for (int n = 0; n < count; n++) {
        if (!strcmp(names[n], word)) return n;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", n ? ", " : "", names[n]);
    }
    error_set(error, "--%s %s: it may be %s", flag, word, list);
    return -1;
}

static bool apply_names(State *state, const Options *o, Error *error)
{
    static const char *const views[VIEWS] = { "heads", "head", "lines", "stages", "compare", "tiles" };
    static const char *const scales[SCALES] = { "linear", "head", "log", "uniform" };
    static const char *const colors[] = { "viridis", "cividis", "magma" };
    static const char *const stages[STAGES] = { "dots", "scaled", "masked", "weights", "mixed", "out" };
    static const char *const looks[LOOKS] = { "entropy", "distance", "previous", "diagonal", "induction", "first" };
    int n;
    if (o->scale) {
        if ((n = named("scale", o->scale, scales, SCALES, error)) < 0) return false;
        state->scale = (Scale)n;
    }
    if (o->colors) {
        if ((n = named("colors", o->colors, colors, 3, error)) < 0) return false;
        state->colors = (ColorMap)n;
    }
    if (o->sort) {
        if ((n = named("sort", o->sort, looks, LOOKS, error)) < 0) return false;
        state->sort = n;
    }
    if (o->stage) {
        if ((n = named("stage", o->stage, stages, STAGES, error)) < 0) return false;
        if (!document_has_stage(state->document, (Stage)n))
            return error_set(error, "--stage %s: %s does not hold what that is made of", o->stage,
                             state->document->title);
        *state = state_turned(*state, VIEW_STAGES);
        state->stage = (Stage)n;
    }
    if (o->view) {
        if ((n = named("view", o->view, views, VIEWS, error)) < 0) return false;
        if (!state_has_view(state, (ViewKind)n))
            return error_set(error, "--view %s: %s has nothing to show there", o->view, state->document->title);
        *state = state_turned(*state, (ViewKind)n);
    }
    return true;
}

static bool in_range(const char *flag, int value, int count, const char *what, Error *error)
{
    return value < count || error_set(error, "--%s %d: there are %d %s, counted from 0", flag, value, count, what);
}

// "1.2": layer 1 head 2.
static bool head_at(const Document *d, const char *flag, const char *word, int *layer, int *head, int *length,
                    Error *error)
{
    *length = 0;
    bool two = sscanf(word, "%d.%d%n", layer, head, length) == 2;
    if (two && *layer >= 0 && *head >= 0 && *layer < d->layers && *head < d->heads) return true;
    return error_set(error, "--%s %s: layer.head is needed, such as 0.1; there are %d layers of %d heads", flag, word,
                     d->layers, d->heads);
}

static bool apply_off(State *state, const char *list, Error *error)
{
    const Document *d = state->document;
    if (!d->live) return error_set(error, "--off: heads can be switched off in a model only, not in %s", d->title);
    for (int layer, head, length; *list; list += *list == ',') {
        if (!head_at(d, "off", list, &layer, &head, &length, error)) return false;
        if (layer * d->heads + head < STATE_HEADS_MOST) state->off[layer * d->heads + head] = 1;
        list += length;
        if (*list && *list != ',')
            return error_set(error, "--off: \"%s\" stands where a comma or the end is needed", list);
    }
    return true;
}

static bool apply_cell(State *state, const char *word, Error *error)
{
    const Document *d = state->document;
    char rest;
    int row, col;
    if (sscanf(word, "%d,%d%c", &row, &col, &rest) != 2 || row < 0 || col < 0 || row >= d->T || col >= d->S)
        return error_set(error, "--cell %s: query,key is needed, such as 0,0; there are %d × %d", word, d->T, d->S);
    state->pinned = (Cell){ row, col };
    return true;
}

bool options_apply(State *state, const Options *o, Error *error)
{
    const Document *d = state->document, *other = state->other ? state->other : d;
    int length;
    const char *layers = d->layers == 1 ? "layer" : "layers", *heads = d->heads == 1 ? "head" : "heads";
    if (o->layer >= 0 && !in_range("layer", o->layer, d->layers, layers, error)) return false;
    if (o->head >= 0 && !in_range("head", o->head, d->heads, heads, error)) return false;
    if (o->frame >= 0 && !in_range("frame", o->frame, d->walk.tiles.rows, "tiles", error)) return false;
    if (o->cell && !apply_cell(state, o->cell, error)) return false;
    if (o->off && !apply_off(state, o->off, error)) return false;
    if (o->layer >= 0) state->layer = o->layer;
    if (o->head >= 0) state->head = o->head;
    if (o->frame >= 0) state->frame = o->frame;
    if (o->hide >= 0) state->hide = o->hide;
    state->largest = o->largest;
    state->zoom = o->zoom;
    return apply_names(state, o, error)
        && (!o->other || head_at(other, "other", o->other, &state->other_layer, &state->other_head, &length, error));
}
