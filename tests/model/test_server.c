// Tests of lib/model/server.c: every answer is the one that the request gets alone, whatever happens to its pages.
#include "model/server.h"

#include "base/threads.h"
#include "support/config_sizes.h"
#include "support/reference.h"
#include "support/suite.h"

enum { WORDS = 11, MOST = 40 };

static const Config CONFIGS[] = {
    { CONFIG_SIZES(WORDS, WORDS, 12, 2, 2, 1), .mlp = 8, .causal = true },
    { CONFIG_SIZES(WORDS, WORDS, 16, 4, 2, 2), .mlp = 20, .causal = true, .mlp_kind = CONFIG_MLP_SWIGLU,
      .positions = CONFIG_POSITIONS_ROPE },
    { CONFIG_SIZES(WORDS, WORDS, 16, 4, 1, 4), .mlp = 20, .causal = true, .share = 2,
      .positions = CONFIG_POSITIONS_ROPE },
};

static Transformer some_model(const Config *config, uint64_t seed)
{
    Random random = random_from(seed);
    Transformer model = transformer_new(arena, *config);
    transformer_init(model, &random);
    return model;
}

// The answer alone, with a cache in one piece, cut off behind the token that ends it. Returns its length.
static int alone(int *tokens, Transformer model, int prompt, int answer, int stop)
{
    Decoder decoder = decoder_new(arena, model, prompt + answer);
    decoder_continue(mat_new(arena, prompt + answer, model.config.outputs), &decoder, tokens, prompt, prompt + answer);
    for (int n = 0; n < answer; n++)
        if (tokens[prompt + n] == stop) return n + 1;
    return answer;
}

typedef struct {
    int prompt, answer, stop, tokens[2 * MOST];
} Asked;

static void assert_answer(const Server *server, int n, const Asked *asked)
{
    const ServerRequest *got = &server->of[n];
    int want[2 * MOST];
    for (int t = 0; t < asked->prompt; t++) want[t] = asked->tokens[t];
    int length = alone(want, server->model, asked->prompt, asked->answer, asked->stop);
    ck_assert_int_eq(got->request.state, SCHEDULE_DONE);
    ck_assert_int_eq(got->request.written, length);
    for (int t = 0; t < asked->prompt + length; t++) ck_assert_int_eq(got->tokens[t], want[t]);
}

// 40 requests, some of which begin alike, come a few at a time; in few pages, so that many are preempted.
TEST_EACH(as_alone, 12)
{
    enum { REQUESTS = 40 };
    int model_number = _i / 4;
    bool share = _i & 1, many_threads = _i & 2;
    threads_set(many_threads ? 3 : 1);
    Random random = random_from(40 + (uint64_t)_i);
    Transformer model = some_model(&CONFIGS[model_number], 3 + (uint64_t)model_number);
    Server *server = server_new(arena, model, 22, 4, REQUESTS, 7, share);
    Asked asked[REQUESTS];
    int count = 0, beginning[MOST];
    for (int t = 0; t < MOST; t++) beginning[t] = random_below(&random, WORDS);
    bool busy = true;
    while (busy || count < REQUESTS) {
        for (int more = random_below(&random, 3); more > 0 && count < REQUESTS; more--) {
            Asked *a = &asked[count];
            *a = (Asked){ .prompt = 1 + random_below(&random, MOST),
                          .answer = 1 + random_below(&random, MOST),
                          .stop = random_below(&random, 2) ? -1 : random_below(&random, WORDS) };
            int alike = random_below(&random, MOST);
            for (int t = 0; t < a->prompt; t++) a->tokens[t] = t < alike ? beginning[t] : random_below(&random, WORDS);
            ck_assert(server_fits(server, a->prompt + a->answer));
            ck_assert_int_eq(server_ask(server, a->tokens, a->prompt, a->answer, a->stop, 0.0), count);
            count++;
        }
        busy = server_step(server, 0.0);
    }
    for (int n = 0; n < REQUESTS; n++) {
        case_is("model %d, share %d, request %d", model_number, share, n);
        assert_answer(server, n, &asked[n]);
    }
    ck_assert(server->schedule.preempted > 0 && (server->schedule.found > 0) == share);
    for (int n = 0; n < REQUESTS; n++) server_forget(server, n);
    server_close(server);
    ck_assert_int_eq(server->pool.left, server->pool.count);
}

TEST(pages_that_are_shared)
{
    Server *server = server_new(arena, some_model(&CONFIGS[1], 4), 20, 4, 4, 4, true);
    int tokens[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3 };
    server_ask(server, tokens, 10, 4, -1, 0.0);
    ck_assert(server_step(server, 0.0)); // two full pages stand in the tree now
    ServerPages pages = server_pages(server);
    ck_assert(pages.held == 3 && pages.used == 3 && pages.shared == 0);
    server_ask(server, tokens, 12, 4, -1, 0.0);
    ck_assert(server_step(server, 0.0));
    pages = server_pages(server);
    ck_assert(pages.held == 4 && pages.used == 4 && pages.shared == 2);
    ck_assert_int_eq(server->schedule.found, 8);
    server_step(server, 0.0);
    server_step(server, 0.0); // the first is done: its third page stays in the tree, for nobody
    pages = server_pages(server);
    ck_assert(pages.held == 5 && pages.used == 4 && pages.shared == 0 && server->tree.nodes == 4);
    server_ask(server, tokens, 1, 4, -1, 0.0);
    server_step(server, 0.0); // the second is done, the third needs a page of its own
    pages = server_pages(server);
    ck_assert(pages.used == 1 && pages.held == 1 + server->tree.nodes && pages.shared == 0);
    server_close(server); // in the middle of an answer
    ck_assert(server_pages(server).held == 0 && server->forgotten == 3);
}

TEST_ABORTS(wrong_use, 4)
{
    quiet();
    Config deaf = CONFIGS[0];
    deaf.causal = false;
    Server *server = server_new(arena, some_model(&CONFIGS[0], 4), 4, 4, 1, 1, true);
    int tokens[20] = { 0 };
    switch (_i) {
    case 0: server_ask(server, tokens, 10, 7, -1, 0.0); break; // more than all pages hold
    case 1: server_new(arena, some_model(&deaf, 4), 4, 4, 1, 1, true); break;
    case 2:
        server_ask(server, tokens, 1, 1, -1, 0.0);
        server_ask(server, tokens, 1, 1, -1, 0.0);
        break;
    case 3:
        server_ask(server, tokens, 1, 1, -1, 0.0);
        server_forget(server, 0);
        break;
    }
}
