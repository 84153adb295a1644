// Chapter 20. Decoding of many requests with a paged KV cache.
#include "model/server.h"

#include "base/threads.h"
#include "model/sample.h"

#include <string.h>

Server *server_new(Arena *arena, Transformer model, int pages, int size, int room, int most, bool share)
{
    const Config *c = &model.config;
    int width = c->G * (c->D / c->H);
    REQUIRE(c->causal && c->outputs == c->words, "a model of %d words and %d outputs, %s: it cannot go on", c->words,
            c->outputs, c->causal ? "causal" : "not causal");
    Server *server = arena_alloc(arena, sizeof *server);
    server->model = model;
    server->pool = page_pool_new(arena, pages, size);
    server->memory = paged_memory_new(arena, &server->pool, c->L, width, width);
    server->tree = prefix_tree_new(arena, &server->pool);
    server->schedule = schedule_new(arena, &server->pool, room, most);
    server->schedule.tree = share ? &server->tree : NULL;
    server->schedule.copy = paged_memory_copy;
    server->schedule.context = &server->memory;
    server->of = arena_alloc(arena, (size_t)room * sizeof *server->of);
    return server;
}

bool server_fits(const Server *server, int tokens) { return tokens <= server->pool.count * server->pool.size; }

// ---- requests

// The caches of a request refer to its page table and fill count.
static void make_decoder(const Server *server, ServerRequest *asked, int tokens)
{
    int L = server->model.config.L;
    KvStore *stores = arena_alloc(asked->arena, (size_t)L * sizeof *stores);
    asked->of = arena_alloc(asked->arena, (size_t)L * sizeof *asked->of);
    for (int l = 0; l < L; l++) {
        asked->of[l] = paged_cache_of(&asked->request.table, &server->memory, l);
        stores[l] = paged_cache_store(&asked->of[l]);
    }
    asked->decoder = decoder_over(asked->arena, server->model, tokens, stores);
}

int server_ask(Server *server, const int *tokens, int prompt, int answer, int stop, double now)
{
    int number = server->schedule.count;
    REQUIRE(number < server->schedule.room, "request %d of %d", number, server->schedule.room);
    ServerRequest *request = &server->of[number];
    *request = (ServerRequest){ .stop = stop, .arena = arena_open() };
    request->tokens = arena_alloc(request->arena, (size_t)(prompt + answer) * sizeof *request->tokens);
    memcpy(request->tokens, tokens, (size_t)prompt * sizeof *tokens);
    request->request =
        (ScheduleRequest){ .arrives = now, .prompt = prompt, .answer = answer, .tokens = request->tokens };
    schedule_add(&server->schedule, request->arena, &request->request);
    make_decoder(server, request, prompt + answer);
    return number;
}

void server_forget(Server *server, int number)
{
    REQUIRE(number == server->forgotten && server->of[number].request.state == SCHEDULE_DONE,
            "request %d is not the next one that is done", number);
    arena_close(server->of[number].arena);
    server->forgotten++;
}

// ---- a step

// Feeds a request's tokens and picks the next. The table has already grown; its last `fed` rows are to be filled.
static void generate_next(int i, void *context)
{
    Server *server = context;
    ServerRequest *entry = &server->of[server->schedule.running[i]];
    ScheduleRequest *r = &entry->request;
    if (r->fed == 0) return;
    Arena *scratch = arena_open();
    int before = r->table.length - r->fed, words = server->model.config.outputs;
    Mat logits = mat_new(scratch, r->fed, words);
    for (int l = 0; l < server->model.config.L; l++) entry->of[l].length = before;
    decoder_feed(logits, &entry->decoder, entry->tokens + before, r->fed);
    int next = sample_likeliest(mat_row(logits, r->fed - 1), words);
    entry->tokens[r->table.length] = next;
    r->last = next == entry->stop;
    arena_close(scratch);
}

bool server_step(Server *server, double now)
{
    int runs = schedule_begin(&server->schedule);
    if (runs == 0) return false;
    threads_parallel_for(runs, generate_next, server);
    schedule_end(&server->schedule, now);
    return true;
}

void server_close(Server *server)
{
    schedule_stop(&server->schedule);
    for (; server->forgotten < server->schedule.count; server->forgotten++)
        arena_close(server->of[server->forgotten].arena);
}

ServerPages server_pages(const Server *server)
{
    ServerPages pages = { .held = server->pool.count - server->pool.left };
    for (int p = 0; p < server->pool.count; p++) {
        int requests = server->pool.holders[p] - (server->tree.used[p] > 0);
        pages.used += requests > 0;
        pages.shared += requests > 1;
    }
    return pages;
}
