// Chapter 24. Facts in two tokens, and a model of two layers that finds them: "owl red" among noise, and at the end
// "owl?". One head writes down behind each token what stood before it; one in the layer above looks that up (chapter
// 09). --retrain trains it.
#include "io/file.h"
#include "language/language.h"
#include "model/sample.h"
#include "steps.h"
#include "train/checkpoint.h"
#include "train/bundled.h"

enum {
    SUBJECTS = 16,
    VALUES = 16,
    NOISES = 16,
    COUNT = 6,
    LENGTH = 64,
    TEXTS = 100,
    START = 0,
    SUBJECT = 1,
    VALUE = SUBJECT + SUBJECTS,
    NOISE = VALUE + VALUES,
    QUESTION = NOISE + NOISES,
    WORDS = QUESTION + SUBJECTS,
};

// A start, LENGTH − 1 tokens of noise and COUNT facts, and a question for each. targets: −1 but at questions.
static void facts_in_two(int *tokens, int *targets, Random *random)
{
    int subject[SUBJECTS];
    for (int s = 0; s < SUBJECTS; s++) subject[s] = s;
    random_shuffle(random, subject, SUBJECTS);
    for (int t = 0; t < LENGTH; t++) {
        tokens[t] = t == 0 ? START : NOISE + random_below(random, NOISES);
        targets[t] = -1;
    }
    for (int f = 0; f < COUNT; f++) {
        int at = 1 + random_below(random, LENGTH - 2), value = random_below(random, VALUES);
        while (tokens[at] < NOISE || tokens[at + 1] < NOISE) at = 1 + random_below(random, LENGTH - 2);
        tokens[at] = SUBJECT + subject[f];
        tokens[at + 1] = VALUE + value;
        tokens[LENGTH + f] = QUESTION + subject[f];
        targets[LENGTH + f] = value;
    }
}

static RunBatch facts_drawn(Arena *arena, int count, Random *random, const void *corpus)
{
    (void)corpus;
    int T = LENGTH + COUNT, *start = arena_alloc(arena, (size_t)(count + 1) * sizeof *start);
    int *tokens = arena_alloc(arena, (size_t)(count * T) * sizeof *tokens);
    int *targets = arena_alloc(arena, (size_t)(count * T) * sizeof *targets);
    for (int b = 0; b <= count; b++) start[b] = b * T;
    for (int b = 0; b < count; b++) facts_in_two(tokens + b * T, targets + b * T, random);
    return (RunBatch){ count, start, tokens, targets };
}

void train_facts(const char *folder)
{
    Arena *arena = arena_open();
    Config config = { .words = WORDS,
                      .outputs = VALUES,
                      .D = 32,
                      .H = 1,
                      .G = 1,
                      .L = 2,
                      .positions = CONFIG_POSITIONS_ROPE,
                      .causal = true,
                      .bare = true };
    TrainingRecipe recipe = { .steps = 700,
                              .batch = 32,
                              .warmup = 50,
                              .lr = 1e-2,
                              .plateau = 0.5,
                              .floor = 0.02,
                              .clip = 1.0,
                              .adamw = { 0.9, 0.98, 1e-8, 0.0 } };
    Training *training = training_open(arena, config, recipe);
    TrainingProgress progress = training_progress_begin("facts in two tokens", 0);
    Error error;
    if (!file_make_folder(folder, &error)) lesson_fail(&error);
    language_begin(training->model, 0);
    for (int s = 0; s < recipe.steps; s++)
        training_progress_show(&progress, s + 1, recipe.steps, training_step(training, facts_drawn, NULL));
    const char *path = arena_format(arena, "%s/star-facts.safetensors", folder);
    if (!checkpoint_write_model(path, training->model, checkpoint_notes_of_recipe(arena, &recipe), &error))
        lesson_fail(&error);
    training_close(training);
    arena_close(arena);
}

Transformer load_facts(Lesson *lesson, const Asked *asked)
{
    Transformer model;
    Error error;
    const char *name = "star-facts", *path = NULL;
    if (asked->folder) path = arena_format(lesson->arena, "%s/%s.safetensors", asked->folder, name);
    if (!bundled_model(&model, lesson->arena, asked->program, name, path, &error)) lesson_fail(&error);
    return model;
}

// One text: in blocks, behind the first `first` tokens and the `previous` ones before it; then the questions.
static int found_in(Transformer model, const int *tokens, const int *targets, int block, int first, int previous)
{
    enum { LAYERS = 2 };
    Arena *arena = arena_open();
    const Config *c = &model.config;
    StarCache caches[LAYERS];
    KvStore stores[LAYERS];
    for (int l = 0; l < LAYERS; l++) {
        caches[l] = star_cache_new(arena, NULL, (Star){ LENGTH, block, first + previous }, star_heads(c), COUNT);
        stores[l] = star_cache_store(&caches[l]);
    }
    Decoder decoder = decoder_over(arena, model, LENGTH + COUNT, stores);
    Mat logits = mat_new(arena, LENGTH, c->outputs), answers = mat_rows(logits, 0, COUNT);
    for (int n = 0; n * block < LENGTH; n++) {
        for (int l = 0; l < LAYERS; l++) star_anchor_next(&caches[l]);
        if (n > 0) decoder_feed(mat_rows(logits, 0, first), &decoder, tokens, first);
        for (int l = 0; l < LAYERS && n > 0; l++) caches[l].at = n * block - previous;
        if (n > 0) decoder_feed(mat_rows(logits, 0, previous), &decoder, tokens + n * block - previous, previous);
        for (int l = 0; l < LAYERS; l++) star_block_next(&caches[l], n);
        decoder_feed(mat_rows(logits, 0, block), &decoder, tokens + n * block, block);
    }
    for (int l = 0; l < LAYERS; l++) star_query_next(&caches[l]);
    decoder_feed(answers, &decoder, tokens + LENGTH, COUNT);
    int found = 0;
    for (int f = 0; f < COUNT; f++) found += sample_likeliest(mat_row(answers, f), c->outputs) == targets[LENGTH + f];
    arena_close(arena);
    return found;
}

double facts_found(Transformer model, int block, int first, int previous, double *cut)
{
    Random random = random_from(2410);
    int found = 0, tokens[LENGTH + COUNT], targets[LENGTH + COUNT], edges = 0;
    for (int n = 0; n < TEXTS; n++) {
        facts_in_two(tokens, targets, &random);
        found += found_in(model, tokens, targets, block, first, previous);
        for (int t = block; t < LENGTH; t += block) edges += tokens[t] >= VALUE && tokens[t] < NOISE;
    }
    *cut = edges / (double)(TEXTS * COUNT);
    return found / (double)(TEXTS * COUNT);
}
