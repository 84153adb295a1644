// Tests of lib/model/mla_conversion.c: what a basis keeps, and a model that decodes over latents.
#include "model/mla_conversion.h"

#include "base/portable_math.h"
#include "model/decode.h"
#include "support/config_sizes.h"
#include "support/reference.h"
#include "support/suite.h"

enum { D = 12, H = 4, G = 2, WIDTH = 2 * G * (D / H), T = 20, WORDS = 9, L = 2 };

static Transformer some_model(ConfigPositions positions)
{
    Config config = { CONFIG_SIZES(WORDS, WORDS, D, H, G, L), .mlp = 8, .causal = true, .positions = positions };
    Transformer model = transformer_new(arena, config);
    transformer_init(model, &random_state);
    return model;
}

static Run some_run(Transformer model)
{
    int *tokens = arena_alloc(arena, T * sizeof *tokens);
    for (int t = 0; t < T; t++) tokens[t] = random_below(&random_state, WORDS);
    return run_transformer(arena, model, run_batch_of_one(arena, tokens, T), (Mat){ 0 });
}

static double squared(Mat m)
{
    double sum = 0;
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) sum += (double)*mat_ref(m, i, c) * (double)*mat_ref(m, i, c);
    return sum;
}

// z − z basis basisᵀ, squared, over |z|²: by hand.
static double lost_of(Mat z, Mat basis)
{
    Table there = reference_matmul(arena, table_of(arena, z), table_of(arena, basis));
    double off = 0;
    for (int i = 0; i < z.rows; i++)
        for (int a = 0; a < z.cols; a++) {
            double back = 0;
            for (int l = 0; l < basis.cols; l++) back += there.at[i * basis.cols + l] * (double)*mat_ref(basis, a, l);
            off += ((double)*mat_ref(z, i, a) - back) * ((double)*mat_ref(z, i, a) - back);
        }
    return off / squared(z);
}

// On the rows that it was made for a basis is orthonormal, loses what is said, less with every column, and no other of
// as many columns loses less.
TEST_EACH(no_basis_is_better, 2)
{
    Run run = some_run(some_model(CONFIG_POSITIONS_NONE));
    Mat z = mat_cols(_i ? run.model.layers[1].wqkv : run.layers[1].qkv, D, WIDTH);
    MlaMoments moments = _i ? mla_moments_of_weights(arena, run.model, 1) : mla_moments_of_run(arena, &run, 1);
    double before = 1.0;
    for (int c = 2; c <= WIDTH; c += 2) {
        Mat joint = mla_basis(arena, moments, c, MLA_JOINT);
        Mat apart = mla_basis(arena, moments, c, MLA_SEPARATE);
        double lost = lost_of(z, joint), lost_apart = lost_of(z, apart);
        case_is("c %d", c);
        ck_assert(fabs(mla_lost(moments, joint) - lost) < 1e-6);
        ck_assert(fabs(mla_lost(moments, apart) - lost_apart) < 1e-6);
        ck_assert(lost < before + 1e-6 && lost < lost_apart + 1e-6);
        if (c < D) ck_assert(lost < lost_apart - 1e-3); // both are made of one x
        for (int again = 0; again < 5; again++)
            ck_assert(lost <
                      lost_of(z, mla_basis(arena, mla_moments_of_weights(arena, some_model(0), 0), c, MLA_JOINT)) +
                          1e-6);
        before = lost;
        for (int a = 0; a < WIDTH; a++) { // keys in the first half of the columns only, values in the other
            float key = *mat_ref(apart, a, 0), value = *mat_ref(apart, a, c - 1);
            ck_assert((a < WIDTH / 2 ? value : key) == 0.0f);
        }
    }
    ck_assert(before < 1e-6);
}

// With RoPE latents are made of turned keys. As many numbers as z has lose nothing, as many as x has lose something;
// and with fewer, too, both forms give the same logits: queries absorb Wuk as if nothing had been turned.
TEST_EACH(turned_keys, 2)
{
    enum { WIDE = 2 * D };
    Config config = { CONFIG_SIZES(WORDS, WORDS, D, 2, 2, L), .mlp = 8, .causal = true,
                      .positions = CONFIG_POSITIONS_ROPE };
    Transformer model = transformer_new(arena, config);
    transformer_init(model, &random_state);
    Run run = some_run(model);
    Mat logits[2], basis[L];
    int c = _i ? WIDE : WIDE / 3;
    for (int l = 0; l < L; l++) {
        MlaMoments moments = mla_moments_of_run(arena, &run, l);
        basis[l] = mla_basis(arena, moments, c, MLA_JOINT);
        ck_assert(mla_lost(moments, mla_basis(arena, moments, D, MLA_JOINT)) > 1e-4);
    }
    for (int form = 0; form < 2; form++) {
        LatentStore *stores;
        KvStore *caches = mla_stores(arena, &stores, basis, L, T, D);
        for (int l = 0; l < L; l++) stores[l].expanded = form;
        Decoder decoder = decoder_over(arena, model, T, caches);
        logits[form] = mat_new(arena, T, WORDS);
        for (int t = 0; t < T; t++) decoder_feed(mat_rows(logits[form], t, 1), &decoder, run.batch.tokens + t, 1);
    }
    assert_close(logits[0], table_of(arena, logits[1]).at, 1e-4, 1e-5);
    if (c == WIDE) assert_close(logits[0], table_of(arena, run.logits).at, 1e-4, 1e-5);
    else ck_assert(mat_max_difference(logits[0], run.logits) > 1e-3);
}

TEST_ABORTS(mistakes, 3)
{
    quiet();
    MlaMoments moments = mla_moments_of_weights(arena, some_model(CONFIG_POSITIONS_NONE), 0);
    if (_i == 0) mla_basis(arena, moments, WIDTH + 1, MLA_JOINT);
    if (_i == 1) mla_basis(arena, moments, 3, MLA_SEPARATE);
    if (_i == 2) latent_store_new(arena, 4, mla_basis(arena, moments, 4, MLA_JOINT), WIDTH);
}
