// lib/language/language.c: shapes and recipe of model C, what is measured of it, and the shipped weights on fresh
// documents: the target within 0.2 nats of the entropy, its notable heads, and what they are needed for.
#include "language/language.h"

#include "base/portable_math.h"
#include "model/gradient.h"
#include "support/reference.h"
#include "train/checkpoint.h"
#include "support/suite.h"

static DocumentSample *some_documents(int count, uint64_t seed)
{
    DocumentSample *documents = arena_alloc(arena, (size_t)count * sizeof *documents);
    Random random = random_from(seed);
    for (int i = 0; i < count; i++) document_draw(&documents[i], DOCUMENT_WORDS, &random);
    return documents;
}

static Transformer shipped(const char *name)
{
    Transformer model;
    Error error;
    bool read =
        checkpoint_read_model(&model, NULL, arena, arena_format(arena, "data/models/%s.safetensors", name), &error);
    ck_assert_msg(read, "%s", error.text);
    return model;
}

TEST(shapes)
{
    Error error;
    int64_t all = 0;
    const int widths[] = { 64, 32, 16 };
    for (int i = 0; i < 3; i++) {
        Config c = language_config(widths[i]);
        ck_assert_msg(config_fits(&c, &error), "%s", error.text);
        ck_assert(c.D == widths[i] && c.H == 2 * c.G && c.causal && c.positions == CONFIG_POSITIONS_ROPE);
        ck_assert(c.mlp_kind == CONFIG_MLP_SWIGLU && c.words == document_words() && c.outputs == c.words);
        all += config_parameters(&c);
    }
    Config nope = language_config_nope();
    ck_assert(nope.G == nope.H && nope.positions == CONFIG_POSITIONS_NONE && nope.D == 64);
    ck_assert_int_lt((all + config_parameters(&nope)) * 4, 1500000);
}

// The scores against the loss that training minimises, and the entropy against the documents' own.
TEST(scores_add_up)
{
    enum { COUNT = 11 };
    Transformer model = transformer_new(arena, language_config(16));
    Random random = random_from(3);
    transformer_init(model, &random);
    DocumentSample *documents = some_documents(COUNT, 4);
    LanguageScores s = language_scores(model, (Mat){ 0 }, documents, COUNT);
    RunBatch batch = documents_batch(arena, documents, COUNT);
    Run run = run_transformer(arena, model, batch, (Mat){ 0 });
    double loss = cross_entropy(run.logits, batch.targets, 0.0f, (Mat){ 0 }), entropy = 0, over = 0;
    int words = 0, right = 0;
    for (int b = 0; b < COUNT; b++) entropy += document_surprise(&documents[b]);
    for (int k = 0; k < DOCUMENT_RECALL_KINDS; k++) {
        over += s.over[k] * s.count[k];
        words += s.count[k];
        right += (int)lround(s.right[k] * s.count[k]);
    }
    ck_assert_int_eq(words, COUNT * DOCUMENT_T);
    ck_assert_double_eq_tol(s.loss, loss / words, 1e-5);
    ck_assert_double_eq_tol(s.entropy, entropy / words, 1e-9);
    ck_assert_double_eq_tol(over / words, s.loss - s.entropy, 1e-6);
    for (int i = 0; i < run.logits.rows; i++) {
        int answer = 0;
        for (int o = 1; o < run.logits.cols; o++)
            if (*mat_ref(run.logits, i, o) > *mat_ref(run.logits, i, answer)) answer = o;
        right -= answer == batch.targets[i];
    }
    ck_assert_int_eq(right, 0);
    ck_assert_double_gt(s.loss - s.entropy, 2.0); // nothing learned
}

TEST(the_shipped_models_near_the_entropy)
{
    enum { COUNT = 24 };
    static const struct {
        const char *name;
        double least, most;
    } models[] = {
        { "language-64", 0.0, 0.2 },
        { "language-64-nope", 0.0, 0.35 },
        { "language-32", 0.1, 0.6 },
        { "language-16", 0.2, 0.8 },
    };
    DocumentSample *documents = some_documents(COUNT, 20);
    for (int m = 0; m < 4; m++) {
        LanguageScores s = language_scores(shipped(models[m].name), (Mat){ 0 }, documents, COUNT);
        double over = s.loss - s.entropy;
        ck_assert_msg(over > models[m].least && over <= models[m].most, "%s: %.3f over %.3f", models[m].name, over,
                      s.entropy);
    }
}

// Of the shipped target: heads that find more than the best fixed distance does, and one that times hang on.
TEST(notable_heads_of_the_target)
{
    enum { COUNT = 24, HEADS = 8 };
    DocumentSample *documents = some_documents(COUNT, 21);
    Transformer model = shipped("language-64");
    LinkScores scores[HEADS];
    LinkDistances *distances = arena_alloc(arena, sizeof *distances);
    language_links(scores, model, documents, COUNT);
    for (int i = 0; i < COUNT; i++) link_scores_count(distances, &documents[i], DOCUMENT_T);
    const struct {
        int head;
        DocumentLinkKind kind;
        double least;
    } jobs[] = {
        { 0, DOCUMENT_LINK_SUBJECT, 0.55 },
        { 3, DOCUMENT_LINK_DETERMINER, 0.7 },
        { 5, DOCUMENT_LINK_REMEMBERED, 0.25 },
    };
    for (int j = 0; j < 3; j++) {
        double right = head_mean_value(scores[jobs[j].head].argmax[jobs[j].kind]);
        double fixed = link_scores_baseline(distances, jobs[j].kind).share;
        ck_assert_msg(right >= jobs[j].least && right > fixed + 0.05, "%s: %.2f, at a fixed distance %.2f",
                      document_link_name(jobs[j].kind), right, fixed);
    }
    Mat gates = mat_new(arena, 2, 4);
    mat_fill(gates, 1.0f);
    LanguageScores on = language_scores(model, gates, documents, COUNT);
    *mat_ref(gates, 0, 0) = 0.0f;
    LanguageScores off = language_scores(model, gates, documents, COUNT);
    ck_assert_double_gt(off.over[DOCUMENT_RECALL_TIME] - on.over[DOCUMENT_RECALL_TIME], 1.5);
    ck_assert_double_gt(on.right[DOCUMENT_RECALL_TIME], 0.98);
    ck_assert_double_lt(off.over[DOCUMENT_RECALL_NOUN] - on.over[DOCUMENT_RECALL_NOUN], 0.4);
}
