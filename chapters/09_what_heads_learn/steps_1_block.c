// Chapter 09, step 1. The whole transformer in fifty lines, made of what the chapters before have built; and that it is
// the library's own forward pass.
#include "attention/positions.h"
#include "attention/product.h"
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "lesson/block_map.h"
#include "language/grammar.h"
#include "steps.h"

// ---- the fifty lines

// Every row of x divided by its root mean square, √(mean x² + ε), each column times a learned gain (1, D).
static Mat rms_norm(Arena *arena, Mat x, Mat gain)
{
    Mat y = mat_new(arena, x.rows, x.cols);
    for (int i = 0; i < x.rows; i++) {
        float sum = 0.0f;
        for (int c = 0; c < x.cols; c++) sum += *mat_ref(x, i, c) * *mat_ref(x, i, c);
        float scale = 1.0f / sqrtf(sum / (float)x.cols + 1e-6f);
        for (int c = 0; c < x.cols; c++) *mat_ref(y, i, c) = *mat_ref(x, i, c) * scale * *mat_ref(gain, 0, c);
    }
    return y;
}

// x (T, D) += what the heads of a layer read. Every head has its columns of q, k, v and of what it found.
static void add_attention(Arena *arena, Mat x, TransformerLayer w, const Config *c, int layer)
{
    int d = c->D / c->H;
    Mat qkv = mat_new(arena, x.rows, w.wqkv.cols), found = mat_new(arena, x.rows, c->D);
    product_add(qkv, rms_norm(arena, x, w.norm), w.wqkv);
    for (int h = 0; h < c->H; h++) {
        HeadProjections p = run_qkv_of_head(c, qkv, h);
        rope_apply(p.q, rope_table(arena, 0, x.rows, d));
        rope_apply(p.k, rope_table(arena, 0, x.rows, d));
        attention_naive((Attended){ .out = mat_cols(found, h * d, d) }, p.q, p.k, p.v, config_mask(c, layer, h));
    }
    product_add(x, found, w.wo);
}

// x (T, D) += relu(norm(x) W1 + b1) W2 + b2: what each word makes of it, on its own.
static void add_mlp(Arena *arena, Mat x, TransformerLayer w)
{
    Mat hidden = mat_new(arena, x.rows, w.w1.cols), out = mat_copy(arena, x);
    product_add(hidden, rms_norm(arena, x, w.mlp_norm), w.w1);
    for (int i = 0; i < x.rows; i++)
        for (int c = 0; c < hidden.cols; c++)
            *mat_ref(hidden, i, c) = fmaxf(0.0f, *mat_ref(hidden, i, c) + *mat_ref(w.b1, 0, c));
    product_add(out, hidden, w.w2);
    for (int i = 0; i < x.rows; i++)
        for (int c = 0; c < x.cols; c++) *mat_ref(x, i, c) = *mat_ref(out, i, c) + *mat_ref(w.b2, 0, c);
}

// From T tokens to T rows of logits: a number for every possible answer.
static Mat transformer(Arena *arena, Transformer m, const int *tokens, int T)
{
    Mat x = mat_new(arena, T, m.config.D), logits = mat_new(arena, T, m.config.outputs);
    for (int t = 0; t < T; t++) mat_set(mat_rows(x, t, 1), mat_rows(m.embedding, tokens[t], 1));
    for (int l = 0; l < m.config.L; l++) {
        add_attention(arena, x, m.layers[l], &m.config, l);
        if (m.config.mlp) add_mlp(arena, x, m.layers[l]);
    }
    product_add(logits, rms_norm(arena, x, m.norm), m.output);
    return logits;
}

// ---- held against the library

static double largest_difference(Arena *arena, Transformer m, const int *tokens, int T)
{
    Run run = run_transformer(arena, m, run_batch_of_one(arena, tokens, T), (Mat){ 0 });
    return mat_max_difference(transformer(arena, m, tokens, T), run.logits);
}

// Tokens, the likeliest answer after each, and how likely the last two are: the softmax of a row of logits.
static void show_answers(Lesson *lesson, Mat logits, const int *tokens, int T)
{
    static const char *const names[] = { "token", "answer" };
    Mat p = mat_new(lesson->arena, T, logits.cols), rows = mat_new(lesson->arena, 2, T);
    softmax_rows(p, logits);
    for (int t = 0; t < T; t++) {
        *mat_ref(rows, 0, t) = (float)tokens[t];
        *mat_ref(rows, 1, t) = (float)mat_argmax(logits, t);
    }
    show_table(lesson,
               (Table){
                   .name = "model A, after each token", .values = rows, .rows = names, .decimals = -1, .given = true });
    say(lesson, "The probability of the last two answers: %.3f and %.3f.", mat_value(p, T - 2, mat_argmax(p, T - 2)),
        mat_value(p, T - 1, mat_argmax(p, T - 1)));
}

// For other programs: the last layer's heads of model A and what follows them, up to the logits.
static void dump_last_layer(Lesson *lesson, Transformer a, const int *tokens, int T)
{
    Arena *arena = lesson->arena;
    const Config *c = &a.config;
    Run run = run_transformer(arena, a, run_batch_of_one(arena, tokens, T), (Mat){ 0 });
    static const char *const names[] = { "block.q", "block.k", "block.v" };
    for (int part = 0; part < 3; part++) {
        Mat heads = mat_new(arena, c->H * T, c->D / c->H);
        for (int h = 0; h < c->H; h++)
            mat_set(mat_rows(heads, h * T, T), run_qkv_head(c, run.layers[c->L - 1].qkv, (RunQkv)part, h));
        trace_stack(lesson->trace, names[part], heads, c->H);
    }
    trace_mat(lesson->trace, "block.x", run.layers[c->L - 1].in);
    trace_mat(lesson->trace, "block.wo", a.layers[c->L - 1].wo);
    trace_mat(lesson->trace, "block.gain", a.norm);
    trace_mat(lesson->trace, "block.wout", a.output);
}

void the_block(Lesson *lesson, Transformer a, const Translator *b)
{
    enum { T = 6 };
    step(lesson, "The whole transformer in fifty lines");
    Arena *arena = lesson->arena;
    static const int tokens[T] = { 22, 29, 9, 5, 22, 29 };
    GlossedSentence s;
    grammar_sentence_of_the_book(&s, false);
    int *words = arena_alloc(arena, sizeof s.words);
    for (int t = 0; t < s.T; t++) words[t] = s.words[t];
    show_answers(lesson, transformer(arena, a, tokens, T), tokens, T);
    dump_last_layer(lesson, a, tokens, T);
    check(lesson, largest_difference(arena, a, tokens, T) < 1e-6,
          "model A, 2 layers without MLP: the fifty lines give the library's logits");
    if (b->shipped)
        check(lesson, largest_difference(arena, b->model, words, s.T) < 1e-6,
              "model B, 2 layers with MLP, on the book's sentence: the same");
    block_map_figure(lesson, "here.png", BLOCK_MAP_LOSS);
}
