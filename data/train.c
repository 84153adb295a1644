// Trains one of the book's models and writes its file:
//
//     train NAME [--seed N] [--steps N] [--out FILE] [--state FILE] [--every SECONDS]
//
// NAME is induction-32, induction-64, glosses-4 or glosses-8. With --state, the training is saved there every second,
// or as --every says (0: after every step), and goes on from there when it was interrupted; the state is removed when
// the model has been written.
#include "base/threads.h"
#include "io/json.h"
#include "language/chunks.h"
#include "language/induction.h"
#include "language/translator.h"
#include "train/checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct { const char *name; int D, H; bool glosses; uint64_t seed; } Plan;

// The seeds are those of the published sweep (make test-train).
static const Plan plans[] = {
    { "induction-32", 32, 2, false, 0 }, { "induction-64", 64, 4, false, 4 },
    { "glosses-4", 64, 4, true, 4 }, { "glosses-8", 64, 8, true, 1 },
};
enum { PLANS = sizeof plans / sizeof *plans };

typedef struct { const Plan *plan; const char *out, *state; uint64_t seed; int steps, every; } Options;

// ---- the command line

static bool number_in(const char *text, uint64_t most, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return end != text && !*end && !errno && *text >= '0' && *text <= '9' && *value <= most;
}

static bool parse_flag(Options *o, const char *flag, const char *value)
{
    uint64_t number;
    if (!strcmp(flag, "--out")) o->out = value;
    else if (!strcmp(flag, "--state")) o->state = value;
    else if (!strcmp(flag, "--seed") && number_in(value, UINT64_MAX, &number)) o->seed = number;
    else if (!strcmp(flag, "--steps") && number_in(value, 1000000, &number) && number) o->steps = (int)number;
    else if (!strcmp(flag, "--every") && number_in(value, 1000000, &number)) o->every = (int)number;
    else return false;
    return true;
}

static bool parse(Options *o, int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "nothing";
    for (int p = 0; p < PLANS; p++)
        if (!strcmp(name, plans[p].name)) o->plan = &plans[p];
    if (!o->plan) {
        fprintf(stderr, "train: %s is no model; there are:", name);
        for (int p = 0; p < PLANS; p++) fprintf(stderr, " %s", plans[p].name);
        fputc('\n', stderr);
        return false;
    }
    o->seed = o->plan->seed;
    for (int a = 2; a < argc; a += 2)
        if (a + 1 == argc || !parse_flag(o, argv[a], argv[a + 1])) {
            fprintf(stderr, "train: %s %s: not understood; there are --seed N, --steps N (1 … 1000000), --out FILE, "
                    "--state FILE and --every SECONDS\n", argv[a], a + 1 < argc ? argv[a + 1] : "(nothing)");
            return false;
        }
    return true;
}

// ---- what stands in the metadata

static Notes vocabulary(Arena *arena, const Plan *plan)
{
    int words = plan->glosses ? words_count() : CHUNKS_VOCABULARY, forms = plan->glosses ? glosses_count() : words;
    const char **in = arena_alloc(arena, (size_t)words * sizeof *in);
    const char **out = arena_alloc(arena, (size_t)forms * sizeof *out);
    for (int i = 0; i < words; i++) in[i] = plan->glosses ? word_text(i) : arena_format(arena, "%d", i);
    for (int i = 0; i < forms; i++) out[i] = plan->glosses ? gloss_text(arena, i) : in[i];
    Note *notes = arena_alloc(arena, 2 * sizeof *notes);
    notes[0] = (Note){ "vocabulary", json_strings(arena, in, words) };
    notes[1] = (Note){ "answers", json_strings(arena, out, forms) };
    return (Notes){ notes, plan->glosses ? 2 : 1 };
}

static Notes notes_of(Arena *arena, const Options *o, const Training *t)
{
    Note *command = arena_alloc(arena, sizeof *command);
    *command = (Note){ "command", arena_format(arena, "train %s --seed %" PRIu64 " --steps %d", o->plan->name, o->seed,
                                               t->recipe.steps) };
    return notes_join(arena, notes_join(arena, (Notes){ command, 1 }, notes_of_recipe(arena, &t->recipe)),
                      vocabulary(arena, o->plan));
}

// ---- the training

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static Training *open_training(Arena *arena, const Options *o)
{
    const Plan *plan = o->plan;
    Config config = plan->glosses ? translator_config(plan->H, plan->H) : induction_config(plan->D, plan->H);
    Recipe recipe = plan->glosses ? translator_recipe(o->seed) : induction_recipe(o->seed);
    if (plan->D == 64 && !plan->glosses) recipe = induction_recipe_wide(o->seed);
    if (o->steps) recipe.steps = o->steps;
    return training_open(arena, config, recipe);
}

static bool train_all(Training *t, const Options *o, Error *error)
{
    DrawBatch *draw = o->plan->glosses ? translator_batch : induction_batch;
    Progress progress = progress_from(o->plan->name, t->step);
    double saved = seconds();
    while (t->step < t->recipe.steps) {
        double loss = training_step(t, draw, NULL);
        progress_show(&progress, t->step, t->recipe.steps, loss);
        if (!o->state || seconds() - saved < o->every) continue;
        if (!training_write(o->state, t, error)) return false;
        saved = seconds();
    }
    return true;
}

static bool train(Arena *arena, const Options *o, Error *error)
{
    Training *t = open_training(arena, o);
    bool ok = true;
    if (o->state && !access(o->state, F_OK)) {
        ok = training_read(t, o->state, error);
        if (ok) fprintf(stderr, "%s: goes on after step %d\n", o->plan->name, t->step);
    }
    double began = seconds();
    ok = ok && train_all(t, o, error);
    if (ok) fprintf(stderr, "%s: %" PRId64 " parameters, %.1f seconds\n", o->plan->name,
                    transformer_numbers(t->model), seconds() - began);
    if (ok && o->out) ok = model_write(o->out, t->model, notes_of(arena, o, t), error);
    if (ok && o->state && remove(o->state) && errno != ENOENT)
        ok = error_set(error, "%s: it cannot be removed, now that the model is written: %s", o->state, strerror(errno));
    training_close(t);
    return ok;
}

int main(int argc, char **argv)
{
    Options options = { .every = 1 };
    if (!parse(&options, argc, argv)) return 2;
    Arena *arena = arena_open();
    Error error;
    bool ok = train(arena, &options, &error);
    if (!ok) fprintf(stderr, "train: %s\n", error.text);
    arena_close(arena);
    return ok ? 0 : 1;
}
