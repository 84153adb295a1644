// Trains one of the book's models and writes its file; `train --help` lists the models and flags. A training that was
// interrupted goes on from its state.
#include "base/threads.h"
#include "io/flags.h"
#include "io/json.h"
#include "language/chunks.h"
#include "language/induction.h"
#include "language/language.h"
#include "language/translator.h"
#include "train/checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef enum { CHUNKS, GLOSSES, DOCUMENTS, DOCUMENTS_NOPE } Corpus;
typedef struct {
    const char *name;
    int D, H;
    Corpus corpus;
    uint64_t seed;
} Plan;

// The seeds are those of the published sweep (make test-train).
static const Plan plans[] = {
    { "induction-32", 32, 2, CHUNKS, 0 },   { "induction-64", 64, 4, CHUNKS, 4 },
    { "glosses-4", 64, 4, GLOSSES, 4 },     { "glosses-8", 64, 8, GLOSSES, 1 },
    { "language-64", 64, 4, DOCUMENTS, 0 }, { "language-32", 32, 2, DOCUMENTS, 0 },
    { "language-16", 16, 2, DOCUMENTS, 0 }, { "language-64-nope", 64, 4, DOCUMENTS_NOPE, 0 },
};
enum { PLANS = sizeof plans / sizeof *plans };

typedef struct {
    const Plan *plan;
    const char *out, *state;
    uint64_t seed;
    int steps, every;
} Options;

// ---- the command line

static const char ABOVE[] =
    "train: trains one of the book's models, and writes its file\n\nusage: train NAME [flags]\n";

static FlagsRead read_options(Options *o, int argc, char **argv, Error *error)
{
    enum { MOST = 1000000 };
    static const char *names[PLANS + 1];
    for (int p = 0; p < PLANS; p++) names[p] = plans[p].name;
    int plan = 0;
    bool has_seed = false;
    const Flag flags[] = {
        flag_needed(flag_argument(flag_choice("NAME", &plan, names, "", "the model:"))),
        flag_given(flag_seed("seed", &o->seed, "N",
                             "start the random numbers from N (default: as for "
                             "data/models/NAME)"),
                   &has_seed),
        flag_count("steps", &o->steps, 1, MOST, "N", "train for N steps (default: as the model's recipe says)"),
        flag_output("out", &o->out, "FILE", "write the model there"),
        flag_output("state", &o->state, "FILE",
                    "save the training there, and go on from there when it was "
                    "interrupted; removed when the model has been written"),
        flag_count("every", &o->every, 0, MOST, "N", "save it every N seconds (default 1; 0: after every step)"),
    };
    FlagsRead read = flags_read(&(Flags){ ABOVE, NULL, 16, flags, sizeof flags / sizeof *flags }, argc, argv, error);
    o->plan = &plans[plan];
    if (!has_seed) o->seed = o->plan->seed;
    return read;
}

// ---- what stands in the metadata

static CheckpointNotes vocabulary(Arena *arena, const Plan *plan)
{
    bool glosses = plan->corpus == GLOSSES, numbers = plan->corpus == CHUNKS;
    int words = numbers ? CHUNKS_VOCABULARY : glosses ? words_count() : document_words();
    int forms = glosses ? glosses_count() : words;
    const char **in = arena_alloc(arena, (size_t)words * sizeof *in);
    const char **out = arena_alloc(arena, (size_t)forms * sizeof *out);
    for (int i = 0; i < words; i++)
        in[i] = numbers ? arena_format(arena, "%d", i) : glosses ? word_text(i) : document_word_text(i);
    for (int i = 0; i < forms; i++) out[i] = glosses ? gloss_text(arena, i) : in[i];
    TensorNote *notes = arena_alloc(arena, 2 * sizeof *notes);
    notes[0] = (TensorNote){ "vocabulary", json_strings(arena, in, words) };
    notes[1] = (TensorNote){ "answers", json_strings(arena, out, forms) };
    return (CheckpointNotes){ notes, glosses ? 2 : 1 };
}

static CheckpointNotes notes_of(Arena *arena, const Options *o, const Training *t)
{
    TensorNote *command = arena_alloc(arena, sizeof *command);
    *command = (TensorNote){ "command", arena_format(arena, "train %s --seed %" PRIu64 " --steps %d", o->plan->name,
                                                     o->seed, t->recipe.steps) };
    return checkpoint_notes_join(arena,
                                 checkpoint_notes_join(arena, (CheckpointNotes){ command, 1 },
                                                       checkpoint_notes_of_recipe(arena, &t->recipe)),
                                 vocabulary(arena, o->plan));
}

// ---- the training

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static Config config_of(const Plan *plan)
{
    switch (plan->corpus) {
    case CHUNKS: return induction_config(plan->D, plan->H);
    case GLOSSES: return translator_config(plan->H, plan->H);
    case DOCUMENTS: return language_config(plan->D);
    default: return language_config_nope();
    }
}

static TrainingRecipe recipe_of(const Plan *plan, uint64_t seed)
{
    switch (plan->corpus) {
    case CHUNKS: return plan->D == 64 ? induction_recipe_wide(seed) : induction_recipe(seed);
    case GLOSSES: return translator_recipe(seed);
    default: return language_recipe(plan->D, seed);
    }
}

static TrainingDraw *draw_of(const Plan *plan)
{
    switch (plan->corpus) {
    case CHUNKS: return induction_batch;
    case GLOSSES: return translator_batch;
    default: return document_batch;
    }
}

static Training *open_training(Arena *arena, const Options *o)
{
    Config config = config_of(o->plan);
    TrainingRecipe recipe = recipe_of(o->plan, o->seed);
    if (o->steps) recipe.steps = o->steps;
    Training *t = training_open(arena, config, recipe);
    if (o->plan->corpus >= DOCUMENTS) language_begin(t->model, o->seed);
    return t;
}

static bool train_all(Training *t, const Options *o, Error *error)
{
    TrainingDraw *draw = draw_of(o->plan);
    TrainingProgress progress = training_progress_begin(o->plan->name, t->step);
    double saved = seconds();
    while (t->step < t->recipe.steps) {
        double loss = training_step(t, draw, NULL);
        training_progress_show(&progress, t->step, t->recipe.steps, loss);
        if (!o->state || seconds() - saved < o->every) continue;
        if (!checkpoint_write_training(o->state, t, error)) return false;
        saved = seconds();
    }
    return true;
}

static bool train(Arena *arena, const Options *o, Error *error)
{
    Training *t = open_training(arena, o);
    bool ok = true;
    if (o->state && !access(o->state, F_OK)) {
        ok = checkpoint_read_training(t, o->state, error);
        if (ok) fprintf(stderr, "%s: goes on after step %d\n", o->plan->name, t->step);
    }
    double began = seconds();
    ok = ok && train_all(t, o, error);
    if (ok)
        fprintf(stderr, "%s: %" PRId64 " parameters, %.1f seconds\n", o->plan->name, transformer_numbers(t->model),
                seconds() - began);
    if (ok && o->out) ok = checkpoint_write_model(o->out, t->model, notes_of(arena, o, t), error);
    if (ok && o->state && remove(o->state) && errno != ENOENT)
        ok = error_set(error, "%s: it cannot be removed, now that the model is written: %s", o->state, strerror(errno));
    training_close(t);
    return ok;
}

int main(int argc, char **argv)
{
    Options options = { .every = 1 };
    Error error;
    FlagsRead read = read_options(&options, argc, argv, &error);
    if (read != FLAGS_FINE) return flags_exit(read, "train", &error);
    Arena *arena = arena_open();
    bool ok = train(arena, &options, &error);
    if (!ok) fprintf(stderr, "train: %s\n", error.text);
    arena_close(arena);
    return ok ? 0 : 1;
}
