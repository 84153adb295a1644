// Reading a run: what is added adds up; what is patched is there, and nothing else; scores of matrices, by hand.
#include "model/reading.h"

#include "attention/attention.h"
#include "attention/dot_product.h"
#include "base/portable_math.h"
#include "model/circuits.h"
#include "support/config_sizes.h"
#include "support/suite.h"

enum { WORDS = 7, OUT = 5, D = 16, H = 4, T = 6 };

static Transformer model_of(int L, int mlp, ConfigMlp kind, ConfigPositions positions, bool causal)
{
    Config config = { CONFIG_SIZES(WORDS, OUT, D, H, 2, L), .mlp = mlp, .mlp_kind = kind, .positions = positions,
                      .causal = causal };
    Transformer m = transformer_new(arena, config);
    Random random = random_from(3);
    for (int p = 0; p < m.count; p++) random_normals(&random, m.table[p].at);
    for (int p = 0; p < m.count; p++)
        for (int64_t e = 0; e < mat_numbers(m.table[p].at); e++) m.table[p].at.at[e] *= 0.5f;
    return m;
}

static Transformer encoder(void) { return model_of(2, 8, CONFIG_MLP_RELU, CONFIG_POSITIONS_ROPE, false); }

static const int SAID[T] = { 1, 4, 2, 6, 0, 3 }, OTHER[T] = { 1, 4, 5, 6, 0, 3 }, APART[T] = { 3, 3, 1, 0, 6, 2 };

static Run run_on(Transformer m, const int *tokens)
{
    return run_transformer(arena, m, run_batch_of_one(arena, tokens, T), (Mat){ 0 });
}

static void assert_near(double got, double expected)
{
    ck_assert_msg(fabs(got - expected) < 1e-4 * fmax(1.0, fabs(expected)), "%g, not %g", got, expected);
}

static void assert_same(Mat got, Mat expected)
{
    double difference = mat_max_difference(got, expected);
    ck_assert_msg(difference < 1e-4, "differs by %g", difference);
}

static void add(Mat to, Mat m)
{
    for (int i = 0; i < to.rows; i++)
        for (int c = 0; c < to.cols; c++) *mat_ref(to, i, c) += *mat_ref(m, i, c);
}

// ---- what is added

// Layer by layer the stream is what came, what every head adds, and what the MLP adds. Each head's, alone: what is
// missing after attention when its gate is 0.
TEST(parts_are_the_stream)
{
    const ConfigMlp kinds[] = { CONFIG_MLP_RELU, CONFIG_MLP_SWIGLU };
    for (int kind = 0; kind < 3; kind++) {
        Transformer m = model_of(2, kind < 2 ? 8 : 0, kinds[kind % 2], CONFIG_POSITIONS_ROPE, true);
        Run run = run_on(m, SAID);
        for (int l = 0; l < 2; l++) {
            Mat sum = mat_copy(arena, run.layers[l].in);
            for (int h = 0; h < H; h++) add(sum, reading_writes(arena, &run, l, h));
            assert_same(sum, run.layers[l].middle);
            add(sum, reading_mlp_writes(arena, &run, l));
            assert_same(sum, l ? run.last : run.layers[1].in);
        }
        for (int h = 0; h < H; h++) {
            Mat gates = mat_new(arena, 2, H), sum = reading_writes(arena, &run, 0, h);
            mat_fill(gates, 1.0f);
            *mat_ref(gates, 0, h) = 0.0f;
            add(sum, run_transformer(arena, m, run.batch, gates).layers[0].middle);
            assert_same(sum, run.layers[0].middle);
        }
    }
}

TEST(the_lens)
{
    Run run = run_on(encoder(), SAID);
    Mat embedded = mat_new(arena, T, D);
    for (int i = 0; i < T; i++) mat_set(mat_rows(embedded, i, 1), mat_rows(run.model.embedding, SAID[i], 1));
    assert_same(reading_lens(arena, &run, 0), circuit_logits(arena, run.model, embedded));
    assert_same(reading_lens(arena, &run, 1), circuit_logits(arena, run.model, run.layers[1].in));
    assert_same(reading_lens(arena, &run, 2), run.logits);
}

// A part's share, by hand: its row, over the root of the mean square of the whole row, times gain and columns of Wout.
static double share(const Run *run, Mat part, int row, int word, int other)
{
    double squares = 0.0, sum = 0.0;
    for (int c = 0; c < D; c++) squares += (double)*mat_ref(run->last, row, c) * (double)*mat_ref(run->last, row, c);
    for (int c = 0; c < D; c++) {
        double out = (double)*mat_ref(run->model.output, c, word);
        if (other >= 0) out -= (double)*mat_ref(run->model.output, c, other);
        double normed = (double)*mat_ref(part, row, c) / sqrt(squares / D + 1e-6);
        sum += normed * (double)*mat_ref(run->model.norm, 0, c) * out;
    }
    return sum;
}

TEST(shares_of_a_logit)
{
    const int others[] = { -1, 3 };
    Run run = run_on(encoder(), SAID);
    for (int k = 0; k < 2; k++)
        for (int row = 0; row < T; row++) {
            ReadingAttribution a = reading_attribution(arena, &run, row, 2, others[k]);
            assert_near(a.embedding, share(&run, run.layers[0].in, row, 2, others[k]));
            double sum = a.embedding;
            for (int n = 0; n < 2 * H; n++) {
                assert_near((double)*mat_ref(a.heads, n / H, n % H),
                            share(&run, reading_writes(arena, &run, n / H, n % H), row, 2, others[k]));
                sum += (double)a.heads.at[n];
            }
            for (int l = 0; l < 2; l++) {
                assert_near((double)*mat_ref(a.mlps, 0, l),
                            share(&run, reading_mlp_writes(arena, &run, l), row, 2, others[k]));
                sum += (double)a.mlps.at[l];
            }
            assert_near(sum, a.whole);
            double logit = (double)*mat_ref(run.logits, row, 2) - (k ? (double)*mat_ref(run.logits, row, 3) : 0.0);
            assert_near(a.whole, logit);
        }
}

// ---- what moves

static Mat given(const Run *run, int layer, int h) { return mat_cols(run->layers[layer].gated, h * D / H, D / H); }

// In one row or all: the head gives what it gave there, other heads of its layer what they gave here, and the rest of
// the run is computed from that.
TEST(a_head_from_elsewhere)
{
    Transformer m = encoder();
    Run run = run_on(m, SAID), from = run_on(m, APART);
    for (int row = -1; row < T; row++)
        for (int n = 0; n < 2 * H; n++) {
            Run got = reading_head_patched(arena, &run, &from, n / H, n % H, row);
            for (int i = 0; i < T; i++)
                for (int h = 0; h < H; h++) {
                    bool there = h == n % H && (row < 0 || row == i);
                    assert_same(mat_rows(given(&got, n / H, h), i, 1),
                                mat_rows(given(there ? &from : &run, n / H, h), i, 1));
                }
            if (n < H) ck_assert(mat_max_difference(got.layers[1].in, run.layers[1].in) > 1e-3);
            else assert_same(got.layers[1].in, run.layers[1].in);
            assert_same(reading_lens(arena, &got, 2), got.logits);
        }
}

// Sentences that differ in one word: its row before layer 0 is all there is to patch. At the end a row is its answer.
TEST(a_row_of_the_stream)
{
    Transformer m = encoder();
    Run run = run_on(m, SAID), from = run_on(m, OTHER);
    assert_same(reading_stream_patched(arena, &run, &from, 0, 2).logits, from.logits);
    assert_same(reading_stream_patched(arena, &run, &from, 0, 3).logits, run.logits);
    Run got = reading_stream_patched(arena, &run, &from, 2, 4);
    for (int i = 0; i < T; i++)
        assert_same(mat_rows(got.logits, i, 1), mat_rows(i == 4 ? from.logits : run.logits, i, 1));
    got = reading_stream_patched(arena, &run, &from, 1, 4);
    for (int i = 0; i < T; i++)
        assert_same(mat_rows(got.layers[1].in, i, 1), mat_rows((i == 4 ? &from : &run)->layers[1].in, i, 1));
    ck_assert(mat_max_difference(got.logits, run.logits) > 1e-3);
}

static Mat attended(Mat q, Mat k, Mat v)
{
    Mat out = mat_new(arena, T, v.cols);
    attention_naive((Attended){ .out = out }, q, k, v, (Mask){ .causal = true });
    return out;
}

// x (T, D) normed, times the columns of one head in Wq | Wk | Wv.
static Mat projected(Transformer m, int layer, Mat x, int first)
{
    Mat normed = mat_new(arena, T, D), out = mat_new(arena, T, D / H);
    run_rms_norm(normed, x, m.layers[layer].norm);
    matmul(out, normed, mat_cols(m.layers[layer].wqkv, first * D / H, D / H));
    return out;
}

typedef Run PathPatched(Arena *arena, const Run *run, const Run *from, ReadingHead sender, ReadingHead receiver,
                        RunQkv part);

static Run anew(Arena *in, const Run *run, const Run *from, ReadingHead sender, ReadingHead receiver, RunQkv part)
{
    Run *sent = arena_alloc(in, sizeof *sent);
    *sent = reading_sent(in, run, from, sender);
    return reading_received(in, run, sent, receiver, part);
}

static Run direct(Arena *in, const Run *run, const Run *from, ReadingHead sender, ReadingHead receiver, RunQkv part)
{
    Run *sent = arena_alloc(in, sizeof *sent);
    *sent = reading_sent_direct(in, run, from, sender, receiver.layer);
    return reading_received(in, run, sent, receiver, part);
}

// Three layers and no positions: head 2.3 reads a stream in which only what 0.1 wrote is another's, though what
// layer 1 would make of that differs.
static void check_way(PathPatched *path, int mlp)
{
    Transformer m = model_of(3, mlp, CONFIG_MLP_RELU, CONFIG_POSITIONS_NONE, true);
    Run run = run_on(m, SAID), from = run_on(m, APART);
    Mat stream = mat_copy(arena, run.layers[2].in), gone = reading_writes(arena, &run, 0, 1);
    for (int i = 0; i < T; i++)
        for (int c = 0; c < D; c++) *mat_ref(stream, i, c) -= *mat_ref(gone, i, c);
    add(stream, reading_writes(arena, &from, 0, 1));
    const int columns[] = { 3, H + 1, H + 2 + 1 }; // q of head 3; k and v of key head 1, which it reads
    for (int part = 0; part < 3; part++) {
        Mat qkv[3];
        for (int p = 0; p < 3; p++) qkv[p] = projected(m, 2, p == part ? stream : run.layers[2].in, columns[p]);
        Run got = path(arena, &run, &from, (ReadingHead){ 0, 1 }, (ReadingHead){ 2, 3 }, (RunQkv)part);
        assert_same(given(&got, 2, 3), attended(qkv[0], qkv[1], qkv[2]));
        for (int h = 0; h < 3; h++) assert_same(given(&got, 2, h), given(&run, 2, h));
        assert_same(got.layers[2].in, run.layers[2].in);
        ck_assert(mat_max_difference(got.logits, run.logits) > 1e-3);
    }
}

TEST(a_way_from_head_to_head)
{
    check_way(anew, 0);
    check_way(direct, 0);
}

// MLPs between them give what they gave. Computed anew they make another stream of it.
TEST(a_way_past_the_mlps)
{
    check_way(direct, 8);
    Transformer m = model_of(3, 8, CONFIG_MLP_RELU, CONFIG_POSITIONS_NONE, true);
    Run run = run_on(m, SAID), from = run_on(m, APART);
    const ReadingHead sender = { 0, 1 }, receiver = { 2, 3 };
    Run past = direct(arena, &run, &from, sender, receiver, RUN_QKV_V);
    Run through = anew(arena, &run, &from, sender, receiver, RUN_QKV_V);
    ck_assert(mat_max_difference(past.logits, through.logits) > 1e-3);
}

// ---- from the matrices alone

// D 4, two heads of 2. 0.0 copies number 0 into number 3. 1.0 asks with number 0 for number 3, and 1.1 copies number 3
// into 1.
static Transformer by_hand(ConfigPositions positions)
{
    Config config = { CONFIG_SIZES(2, 2, 4, 2, 2, 2), .positions = positions };
    Transformer m = transformer_new(arena, config);
    for (int l = 0; l < 2; l++) mat_fill(m.layers[l].norm, 1.0f);
    *mat_ref(m.layers[0].wqkv, 0, 8) = 2.0f; // v of head 0
    *mat_ref(m.layers[0].wo, 0, 3) = 3.0f;
    *mat_ref(m.layers[1].wqkv, 0, 0) = 1.0f;  // q of head 0, from number 0
    *mat_ref(m.layers[1].wqkv, 3, 4) = 1.0f;  // k of head 0, from number 3
    *mat_ref(m.layers[1].wqkv, 3, 10) = 1.0f; // v of head 1
    *mat_ref(m.layers[1].wo, 2, 1) = 1.0f;
    return m;
}

static double scored(Transformer m, int receiver, RunQkv part, int distance)
{
    return reading_composition(m, (ReadingHead){ 0, 0 }, (ReadingHead){ 1, receiver }, part, distance);
}

TEST(matrices_that_fit)
{
    Transformer m = by_hand(CONFIG_POSITIONS_NONE);
    assert_near(scored(m, 0, RUN_QKV_K, 0), 1.0);
    assert_near(scored(m, 0, RUN_QKV_Q, 0), 0.0);
    assert_near(scored(m, 1, RUN_QKV_V, 0), 1.0);
    *mat_ref(m.layers[1].wqkv, 1, 4) = 1.0f; // it also asks for number 1, which nobody writes
    assert_near(scored(m, 0, RUN_QKV_K, 0), sqrt(0.5));
    *mat_ref(m.layers[1].norm, 0, 1) = 2.0f; // and more so
    assert_near(scored(m, 0, RUN_QKV_K, 0), sqrt(0.2));
}

// RoPE turns number 0 of a query towards number 1, by 1 for each step. A key that is made of both: what it has of each
// is held against what is written of it.
TEST(matrices_that_turn)
{
    Transformer m = by_hand(CONFIG_POSITIONS_ROPE);
    *mat_ref(m.layers[1].wqkv, 1, 5) = 1.0f; // k of head 0, its second number from number 1
    for (int r = 0; r < 4; r++) assert_near(scored(m, 0, RUN_QKV_K, r), fabs(cos(r)));
}

// ---- what is refused

TEST_ABORTS(mistakes_stop_the_program, 4)
{
    Config sinks = { CONFIG_SIZES(WORDS, OUT, D, H, H, 1), .sink = CONFIG_SINK_ZERO };
    Transformer m = _i == 3 ? transformer_new(arena, sinks) : encoder();
    Run run = run_on(m, SAID), shorter = run_transformer(arena, m, run_batch_of_one(arena, SAID, T - 1), (Mat){ 0 });
    switch (_i) {
    case 0: reading_writes(arena, &run, 0, H); break;
    case 1: anew(arena, &run, &run, (ReadingHead){ 1, 0 }, (ReadingHead){ 1, 1 }, RUN_QKV_Q); break;
    case 2: reading_head_patched(arena, &run, &shorter, 0, 0, -1); break;
    default: reading_attribution(arena, &run, 0, 0, -1); break; // of a model with sinks
    }
}
