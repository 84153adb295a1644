// lib/model/pooling.c: means of columns by hand, models whose groups agree already, and what may not change.
#include "model/pooling.h"

#include "support/config_sizes.h"
#include "support/flat.h"
#include "support/reference.h"
#include "support/suite.h"

#include <string.h>

static Transformer random_model(int H, int G)
{
    Config config = { CONFIG_SIZES(7, 5, 16, H, G, 2), .mlp = 12, .positions = CONFIG_POSITIONS_ROPE };
    Transformer model = transformer_new(arena, config);
    transformer_init(model, &random_state);
    return model;
}

// clang-format off
static const int changes[][3] = { { 4, 4, 2 }, { 4, 4, 1 }, { 4, 2, 1 }, { 8, 8, 4 }, { 8, 8, 1 },
                                  { 8, 4, 2 } };    // H, G, new G
// clang-format on
enum { CHANGES = sizeof changes / sizeof *changes };

// The columns of the pooled wqkv, each from its place, in float64; and every other parameter as it was.
TEST_EACH(every_column_from_its_place, CHANGES)
{
    int H = changes[_i][0], many = changes[_i][1], few = changes[_i][2], n = many / few;
    Transformer model = random_model(H, many);
    int d = model.config.D / H;
    for (int way = 0; way < 2; way++) {
        case_is("H %d, G %d to %d, way %d", H, many, few, way);
        Transformer pooled = pool_transformer(arena, model, few, (Pooling)way);
        for (int p = 0; p < model.count; p++) {
            ck_assert_str_eq(pooled.table[p].name, model.table[p].name);
            if (!strstr(model.table[p].name, "wqkv")) assert_same(pooled.table[p].at, model.table[p].at);
        }
        for (int l = 0; l < 2; l++) {
            Mat to = pooled.layers[l].wqkv, from = model.layers[l].wqkv;
            Table want = table_new(arena, to.rows, to.cols);
            for (int i = 0; i < to.rows; i++)
                for (int c = 0; c < to.cols; c++) {
                    int head = c / d, e = c % d;
                    double sum = 0;
                    if (head < H) sum = (double)*mat_ref(from, i, c);
                    for (int m = 0; m < (way ? 1 : n); m++) {
                        if (head < H) break;
                        int part = head >= H + few, g = head - H - part * few;
                        sum += (double)*mat_ref(from, i, (H + part * many + g * n + m) * d + e) / (way ? 1 : n);
                    }
                    want.at[i * to.cols + c] = sum;
                }
            assert_close(to, want.at, 1e-6, 1e-7);
        }
    }
}

TEST(the_same_number_is_a_copy)
{
    Transformer model = random_model(4, 2);
    for (int way = 0; way < 2; way++) {
        Transformer pooled = pool_transformer(arena, model, 2, (Pooling)way);
        assert_same(flat_copy(arena, pooled), flat_copy(arena, model));
        for (int p = 0; p < model.count; p++) ck_assert(pooled.table[p].at.at != model.table[p].at.at);
    }
}

TEST_ABORTS(groups_that_do_not_fit, 4)
{
    quiet();
    static const int wrong[] = { 3, 0, -1, 8 };
    pool_transformer(arena, random_model(4, 4), wrong[_i], POOL_MEAN);
}

TEST_ABORTS(wrong_shapes, 4)
{
    quiet();
    static const int wrong[][4] = { { 2, 4, 3, 8 }, { 2, 4, 2, 6 }, { 2, 3, 2, 8 }, { 2, 4, 2, 2 } }; // to, from
    pool_heads(mat_new(arena, wrong[_i][0], wrong[_i][1]), mat_new(arena, wrong[_i][2], wrong[_i][3]), 2, 2, POOL_MEAN);
}
