// The viewer's flags, and checks of their combinations.
#include "viz/options.h"
#include "viz/views.h"

#include "model/pretrained.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MOST_PLACE = 1000000, MOST_PIXELS = 16384 };

static FlagsRead read_words(ViewerOptions *o, const char **size, int argc, char **argv, Error *error)
{
    // Choices: the words of each enum, in its order.
    const char *views[VIEWS + 1] = { NULL }, *reductions[REDUCTIONS + 1] = { NULL }, *stages[STAGES + 1] = { NULL };
    const char *scales[SCALES + 1] = { NULL }, *colors[COLOR_DIVERGING + 1] = { NULL }, *sorts[SORTS + 1] = { NULL };
    const char *ablations[ABLATIONS + 1] = { NULL }, *lines[LINES_SCOPES + 1] = { NULL }, *pairs[PAIRS + 1] = { NULL };
    const char *kinds[KINDS_MOST + 1] = { NULL };
    for (int n = 0; n < VIEWS; n++) views[n] = view_ops((ViewKind)n)->word;
    for (int n = 0; n < REDUCTIONS; n++) reductions[n] = reduction_word((MapReduction)n);
    for (int n = 0; n < STAGES; n++) stages[n] = stage_word((Stage)n);
    for (int n = 0; n < SCALES; n++) scales[n] = scale_word((Scale)n);
    for (int n = 0; n < COLOR_DIVERGING; n++) colors[n] = color_map_name((ColorMap)n);
    for (int n = 0; n < SORTS; n++) sorts[n] = sort_word(n);
    for (int n = 0; n < ABLATIONS; n++) ablations[n] = ablation_word((AblationKind)n);
    for (int n = 0; n < LINES_SCOPES; n++) lines[n] = lines_scope_word((LinesScope)n);
    for (int n = 0; n < PAIRS; n++) pairs[n] = pair_word((SentencePair)n);
    for (int n = 0; n < KINDS_MOST; n++) kinds[n] = kind_name(n);
    const Flag flags[] = {
        flag_argument(flag_input("FILE", &o->file, NULL,
                                 ".npy, or .safetensors as a chapter's --dump writes it; without one the book's own "
                                 "translator opens on the book's sentence; a folder with a config.json is a model; a "
                                 "second file goes to --compare")),
        flag_heading("what is opened"),
        flag_input("tokens", &o->tokens, "FILE",
                   "words of the queries: .json or .txt; of the keys too when there are as many"),
        flag_input("key-tokens", &o->key_tokens, "FILE", "words of the keys"),
        flag_text("axes", &o->axes, "LETTERS",
                  "axes of a .npy in their order: L layers, H heads, T queries, S keys, 1"),
        flag_input("compare", &o->compare, "FILE", "a second file, for the view Compare"),
        flag_input("other-tokens", &o->other_tokens, "FILE", "words of that file's queries and keys"),
        flag_input("model", &o->model, "FILE", "weights of another translator, or the folder of a published model"),
        flag_text("text", &o->text, "SENTENCE", "what the translator reads"),
        flag_text("other-text", &o->other_text, "SENTENCE", "a second one, held for the view Compare"),
        flag_text("off", &o->off, "L.H,…", "heads of the model that are switched off: layer, head"),
        flag_choice("off-by", &o->ablation, ablations, "NAME", "what heads that are off give instead"),
        flag_heading("what is shown"),
        flag_choice("view", &o->view, views, "NAME", ""),
        flag_count("layer", &o->layer, 0, MOST_PLACE, "N", "counted from 0"),
        flag_count("head", &o->head, 0, MOST_PLACE, "N", "counted from 0"),
        flag_text("other", &o->other, "L.H", "Compare: the other head"),
        flag_text("cell", &o->cell, "I,J", "a cell that is pinned: query, key"),
        flag_choice("lines", &o->lines, lines, "NAME", "Lines of one or more heads"),
        flag_text("only", &o->only, "L.H,…", "Lines of these heads alone: layer, head"),
        flag_switch("by-key", &o->by_key, "Lines: who attends to the key of --cell"),
        flag_choice("parts", &o->pair, pairs, "NAME", "Lines from one sentence of two to one"),
        flag_choice("kind", &o->kind, kinds, "NAME", "of attention, where a file has several"),
        flag_choice("of", &o->reduction, reductions, "NAME", "maps made of heads"),
        flag_choice("stage", &o->stage, stages, "NAME", ""),
        flag_count("frame", &o->frame, 0, MOST_PLACE, "N", "Tiles: counted from 0"),
        flag_choice("scale", &o->scale, scales, "NAME", ""),
        flag_choice("colors", &o->colors, colors, "NAME", ""),
        flag_count("hide", &o->hide, 0, MOST_PLACE, "N", "leaves the first N keys out"),
        flag_switch("largest", &o->largest, "of folded cells the largest, not sum and mean"),
        flag_choice("sort", &o->sort, sorts, "NAME", "All heads by"),
        flag_text("find", &o->find, "WORDS", "marks a word, or goes from one to another: \"it > animal\""),
        flag_switch("formulas", &o->formulas, "with the formulas of the statistics"),
        flag_switch("dark", &o->dark, "the colours for a dark wall"),
        flag_switch("bare", &o->bare, "pictures without tabs and hints"),
        flag_real("zoom", &o->zoom, 0.5, 3, "X", "1 is 100 %; 0.5 … 3"),
        flag_text("size", size, "WxH", "of the window or picture, in points (default 1280x800)"),
        flag_given(flag_real("dpi", &o->dpi, 24, 1200, "X",
                             "pixels an inch; an inch has 96 points (default 96, of a window what the screen says)"),
                   &o->has_dpi),
        flag_heading("without a window"),
        flag_output("export", &o->picture, "FILE", "writes the picture: .png or .svg; or all heads as a page: .html"),
        flag_folder("export-all", &o->folder, "FOLDER", "every head's, and All heads"),
    };
    const Flags all = { "usage: viewer [FILE] [flags]\n", NULL, 23, flags, sizeof flags / sizeof *flags };
    return flags_read(&all, argc, argv, error);
}

static bool take_size(ViewerOptions *o, const char *size, Error *error)
{
    char rest;
    bool two = sscanf(size, "%lfx%lf%c", &o->width, &o->height, &rest) == 2;
    if (two && o->width >= 1 && o->height >= 1 && o->width <= MOST_PIXELS && o->height <= MOST_PIXELS) return true;
    return error_set(error, "--size: found \"%.60s\"; width and height in points are needed, 1 to %d, such as 1280x800",
                     size, MOST_PIXELS);
}

bool viewer_options_picture(PictureKind *kind, const char *path)
{
    const char *dot = strrchr(path, '.');
    bool page = dot && !strcasecmp(dot, ".html");
    *kind = dot && !strcasecmp(dot, ".svg") ? PICTURE_SVG : page ? PICTURE_PAGE : PICTURE_PNG;
    return *kind != PICTURE_PNG || (dot && !strcasecmp(dot, ".png"));
}

// Flags without effect are errors: the user expects something of them.
static bool fits(const ViewerOptions *o, Error *error)
{
    PictureKind kind;
    const char *of_file = o->tokens ? "tokens" : o->key_tokens ? "key-tokens" : o->axes ? "axes" : NULL;
    double pixels = o->dpi / 96 * (o->width > o->height ? o->width : o->height);
    if (pixels > MOST_PIXELS)
        return error_set(error, "--size and --dpi ask for %.0f pixels a side; %d are possible", pixels, MOST_PIXELS);
    if (o->file && (o->model || o->text))
        return error_set(error, "%s is a file of maps; --model and --text go without one", o->file);
    if (!o->file && of_file)
        return error_set(error, "--%s needs FILE, the maps that it is about; without one the book's own model is shown",
                         of_file);
    if (o->other_tokens && !o->compare)
        return error_set(error, "--other-tokens needs --compare, the file that it is about");
    if (o->file && o->other_text)
        return error_set(error, "%s is a file of maps; --other-text goes without one", o->file);
    if (o->compare && o->other_text)
        return error_set(error, "--compare and --other-text both ask for a second document; one is possible");
    if (o->ablation >= 0 && !o->off) return error_set(error, "--off-by needs --off, the heads that it is about");
    if (o->ablation == ABLATE_HELD && !o->other_text)
        return error_set(error, "--off-by held needs --other-text, the sentence that heads are taken from");
    if (o->by_key && !o->cell) return error_set(error, "--by-key needs --cell, whose key it is about");
    if (!o->picture || viewer_options_picture(&kind, o->picture)) return true;
    return error_set(error, "--export: found \"%.60s\"; a name that ends in .png, .svg or .html is needed", o->picture);
}

FlagsRead viewer_options_read(ViewerOptions *out, int argc, char **argv, Error *error)
{
    const char *size = NULL;
    *out = (ViewerOptions){ .width = 1280,
                            .height = 800,
                            .dpi = 96,
                            .zoom = 1,
                            .layer = -1,
                            .head = -1,
                            .hide = -1,
                            .frame = -1,
                            .view = -1,
                            .reduction = -1,
                            .scale = -1,
                            .colors = -1,
                            .stage = -1,
                            .sort = -1,
                            .lines = -1,
                            .pair = -1,
                            .kind = -1,
                            .ablation = -1 };
    FlagsRead read = read_words(out, &size, argc, argv, error);
    if (read != FLAGS_FINE) return read;
    if (size && !take_size(out, size, error)) return FLAGS_WRONG;
    if (out->file && !out->model && pretrained_here(out->file)) { // a folder holds a model
        out->model = out->file;
        out->file = NULL;
    }
    return fits(out, error) ? FLAGS_FINE : FLAGS_WRONG;
}
