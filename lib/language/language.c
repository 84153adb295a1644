// Model C: configuration and recipe.
#include "language/language.h"

#include "attention/softmax.h"
#include "base/portable_math.h"

Config language_config(int D)
{
    bool target = D == 64;
    REQUIRE(target || D == 32 || D == 16, "D is %d; model C is 64 wide, its drafts 32 and 16", D);
    int H = target ? 4 : 2;
    return (Config){ .words = document_words(),
                     .outputs = document_words(),
                     .D = D,
                     .H = H,
                     .G = H / 2,
                     .L = target ? 2 : 1,
                     .mlp = D * 11 / 4,
                     .mlp_kind = CONFIG_MLP_SWIGLU,
                     .positions = CONFIG_POSITIONS_ROPE,
                     .causal = true };
}

Config language_config_nope(void)
{
    Config config = language_config(64);
    config.G = config.H;
    config.positions = CONFIG_POSITIONS_NONE;
    return config;
}

TrainingRecipe language_recipe(int D, uint64_t seed)
{
    (void)D;
    return (TrainingRecipe){ .steps = 1300,
                             .batch = 16,
                             .warmup = 50,
                             .lr = 4e-3,
                             .plateau = 0.5,
                             .floor = 0.02,
                             .adamw = { 0.9, 0.98, 1e-8, 0.0 },
                             .clip = 1.0,
                             .seed = seed };
}

void language_begin(Transformer model, uint64_t seed)
{
    Random random = random_from(~seed);
    for (int c = 0; c < model.config.D; c++) {
        float common = random_normal(&random) / sqrtf((float)model.config.D);
        for (int word = 0; word < model.config.words; word++) *mat_ref(model.embedding, word, c) += common;
    }
}

// ---- evaluation

// Documents per batch; keeps the logits small.
enum { AT_ONCE = 8 };

// Adds sums over the words of one document; the caller divides them by the counts.
static void add_document(LanguageScores *sum, const Run *run, int b, const DocumentSample *document)
{
    Mat logits = run_logits(run, b);
    for (int t = 0; t < logits.rows; t++) {
        const float *row = mat_row(logits, t);
        int word = document->words[t + 1];
        double loss = (double)(logsumexp(row, logits.cols) - row[word]), least = -log(document->chance[t + 1]);
        DocumentRecall recall = document->recall[t + 1];
        sum->loss += loss;
        sum->entropy += least;
        sum->over[recall] += loss - least;
        sum->right[recall] += run_answer(run, b, t) == word;
        sum->count[recall]++;
    }
}

LanguageScores language_scores(Transformer model, Mat gates, const DocumentSample *documents, int count)
{
    LanguageScores sum = { 0 };
    Arena *scratch = arena_open();
    int words = 0;
    for (int first = 0; first < count; first += AT_ONCE) {
        ArenaMark mark = arena_mark(scratch);
        int now = count - first < AT_ONCE ? count - first : AT_ONCE;
        Run run = run_transformer(scratch, model, documents_batch(scratch, documents + first, now), gates);
        for (int b = 0; b < now; b++) add_document(&sum, &run, b, &documents[first + b]);
        arena_release(scratch, mark);
    }
    arena_close(scratch);
    for (int kind = 0; kind < DOCUMENT_RECALL_KINDS; kind++) {
        words += sum.count[kind];
        if (!sum.count[kind]) continue;
        sum.over[kind] /= sum.count[kind];
        sum.right[kind] /= sum.count[kind];
    }
    REQUIRE(words > 0, "%d documents without a word", count);
    sum.loss /= words;
    sum.entropy /= words;
    return sum;
}

void language_links(LinkScores *scores, Transformer model, const DocumentSample *documents, int count)
{
    const Config *c = &model.config;
    Arena *scratch = arena_open();
    for (int i = 0; i < c->L * c->H; i++) scores[i] = (LinkScores){ 0 };
    for (int b = 0; b < count; b++) {
        ArenaMark mark = arena_mark(scratch);
        Run run = run_transformer(scratch, model, documents_batch(scratch, documents + b, 1), (Mat){ 0 });
        for (int l = 0; l < c->L; l++)
            for (int h = 0; h < c->H; h++)
                link_scores_add(&scores[l * c->H + h], run_weights(scratch, &run, 0, l, h), &documents[b]);
        arena_release(scratch, mark);
    }
    arena_close(scratch);
}
