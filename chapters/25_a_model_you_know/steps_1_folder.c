// Chapter 25, steps 1 and 2. A folder read aloud; and the same logits from it.
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "io/file.h"
#include "io/json.h"
#include "lesson/block_map.h"
#include "steps.h"

#include <string.h>

// ---- 1

static const char *value_text(Arena *arena, const Json *value)
{
    switch (value->kind) {
    case JSON_STRING: return value->text;
    case JSON_NUMBER: return arena_format(arena, "%g", value->number);
    case JSON_TRUE: return "true";
    case JSON_FALSE: return "false";
    case JSON_NULL: return "null";
    default: return "…";
    }
}

// What the chapter says of a key; what it does not know, it passes over.
static const char *meaning(const char *key)
{
    static const struct {
        const char *key, *meaning;
    } known[] = {
        { "model_type", "the row of the table of families" },
        { "vocab_size", "words: rows of the embedding" },
        { "hidden_size", "D" },
        { "num_hidden_layers", "L" },
        { "num_attention_heads", "H" },
        { "num_key_value_heads", "G" },
        { "head_dim", "d" },
        { "intermediate_size", "hidden neurons of the MLP" },
        { "max_position_embeddings", "the longest text it is meant for" },
        { "rope_theta", "the base of RoPE" },
        { "rms_norm_eps", "what RMSNorm adds under its root" },
        { "hidden_act", "SiLU, in a gated MLP: SwiGLU" },
        { "tie_word_embeddings", "the output has a matrix of its own" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(key, known[i].key)) return known[i].meaning;
    return NULL;
}

static void read_aloud(Lesson *lesson, const Subject *c)
{
    Arena *arena = lesson->arena;
    const char *folder = export_hf_folder(lesson, "model-c");
    const char *path = arena_format(arena, "%s/config.json", folder), *lines = "config.json of model C:\n";
    FileBytes file;
    Json *config;
    Error error;
    export_hf_write_model_c(lesson, c->model, folder);
    if (!file_read(&file, arena, path, &error) ||
        !json_parse(&config, arena, (const char *)file.at, file.size, path, &error))
        lesson_fail(&error);
    export_hf_folder_gone(folder);
    for (const Json *value = config->first; value; value = value->next)
        if (meaning(value->key))
            lines = arena_format(arena, "%s  %-24s %-7s %s\n", lines, value->key, value_text(arena, value),
                                 meaning(value->key));
    say_lines(lesson, lines);
}

void a_folder(Lesson *lesson, const Subject *c)
{
    step(lesson, "A folder");
    block_map_figure(lesson, "here.png", BLOCK_MAP_FAMILIES);
    read_aloud(lesson, c);
    const Architecture *is = &c->published->is;
    const Config *config = &c->model.config;
    check(lesson,
          is->D == config->D && is->H == config->H && is->G == config->G && is->L == config->L &&
              is->words == config->words && is->mlp == config->mlp,
          "opened: L = %d, D = %d, H = %d, G = %d, d = %d, %d words", is->L, is->D, is->H, is->G, is->d, is->words);
    cost(lesson, "bytes of weights, read where they stand", c->published->bytes, "4 · numbers of the model",
         4 * config_parameters(config));
}

// ---- 2

// How far all maps of both are apart, at most.
static double maps_apart(Lesson *lesson, const Run *ours, const PretrainedRun *theirs)
{
    double worst = 0.0;
    for (int l = 0; l < ours->model.config.L; l++)
        for (int h = 0; h < ours->model.config.H; h++)
            worst = fmax(worst, mat_max_difference(run_weights(lesson->arena, ours, 0, l, h),
                                                   pretrained_weights(lesson->arena, theirs, l, h)));
    return worst;
}

// Theirs, and where ours has the same column.
static void show_deal(Lesson *lesson, int d)
{
    Mat deal = mat_new(lesson->arena, 1, d);
    for (int c = 0; c < d; c++) *mat_ref(deal, 0, c) = (float)(c < d / 2 ? 2 * c : 2 * (c - d / 2) + 1);
    static const char *const row[] = { "ours" };
    show_table(lesson, (Table){ .name = "column of Wq in the folder, and which of ours it is",
                                .values = deal,
                                .rows = row,
                                .cols = numbered(lesson->arena, "", d),
                                .decimals = -1,
                                .given = true });
}

void the_same_logits(Lesson *lesson, const Subject *c)
{
    step(lesson, "The same logits");
    Arena *arena = lesson->arena;
    const int *tokens = c->document.words;
    Run ours = run_transformer(arena, c->model, run_batch_of_one(arena, tokens, c->T), (Mat){ 0 });
    PretrainedRun theirs = pretrained_run(arena, c->published,
                                          (PretrainedInput){ .tokens = tokens, .T = c->T, .plain = true }, NULL, NULL);
    Mat logits = all_logits(arena, c->published, tokens, c->T);
    show_deal(lesson, c->published->is.d);
    int same = 0;
    for (int t = 0; t < c->T; t++) same += mat_argmax(logits, t) == run_answer(&ours, 0, t);
    say(lesson,
        "A document of %d words, read by the model as chapter 09 builds it, and by the forward of this chapter "
        "from the folder.",
        c->T);
    check(lesson, off_by(logits, run_logits(&ours, 0)) < 5e-6,
          "all %d logits are the same, within 5 · 10⁻⁶ of the largest", c->T * c->published->is.words);
    check(lesson, maps_apart(lesson, &ours, &theirs) < 1e-5, "so are the maps of all %d heads, within 10⁻⁵",
          c->published->is.L * c->published->is.H);
    check(lesson, same == c->T, "and the likeliest next word, %d times of %d", same, c->T);
}
