// Chapter 20, steps 7 and 8. Out of pages: preempt and compute again; and a server, with nothing lost.
#include "steps.h"

#include <string.h>

// ---- out of pages

enum { REQUESTS = 20, SIZE = 8, POOLS = 4 };
static const int POOL[POOLS] = { 160, 48, 32, 16 };

typedef struct {
    Server *server;
    int runs, waits;
    Mat holders;
    int steps, same;
} Ran;

// Who holds each page now: 1 + the request's number, or 0.
static void note_holders(Mat column, const Server *server)
{
    const Schedule *s = &server->schedule;
    for (int p = 0; p < server->pool.count; p++) *mat_ref(column, p, 0) = 0.0f;
    for (int i = 0; i < s->runs; i++) {
        const PageTable *table = &s->of[s->running[i]]->table;
        for (int n = 0; n < table->pages; n++) *mat_ref(column, table->page[n], 0) = (float)(1 + s->running[i]);
    }
}

// All requests at once. holders (pages, steps), if it is not empty, is filled as far as it goes.
static Ran run_all(Arena *arena, Transformer model, const Asked *asked, int pages, Mat holders)
{
    Ran ran = { .server = server_new(arena, model, pages, SIZE, REQUESTS, REQUESTS, false) };
    for (int n = 0; n < REQUESTS; n++) server_ask(ran.server, asked[n].tokens, asked[n].prompt, asked[n].answer, -1, 0);
    while (server_step(ran.server, 0)) {
        if (ran.steps < holders.cols) note_holders(mat_cols(holders, ran.steps, 1), ran.server);
        ran.steps++;
    }
    for (int n = 0; n < REQUESTS; n++) ran.same += same_answer(ran.server, n, &asked[n]);
    return ran;
}

static void figure_holders(Lesson *lesson, Mat holders, int steps)
{
    Mat values = mat_cols(holders, 0, steps < holders.cols ? steps : holders.cols);
    Mat hidden = mat_new(lesson->arena, values.rows, values.cols);
    for (int p = 0; p < values.rows; p++)
        for (int t = 0; t < values.cols; t++) *mat_ref(hidden, p, t) = *mat_ref(values, p, t) == 0.0f;
    figure_map(lesson, "holders.png", "which request holds which page, step by step",
               (Heatmap){ .title = "16 pages of 8, 20 requests",
                          .values = values,
                          .hidden = hidden,
                          .hidden_title = "free",
                          .row_labels = numbered(lesson->arena, "", values.rows),
                          .row_title = "page",
                          .col_title = "step",
                          .colors = COLOR_VIRIDIS,
                          .low = 1,
                          .high = REQUESTS,
                          .decimals = -1,
                          .cell = 7,
                          .bar_title = "request" });
}

void out_of_pages(Lesson *lesson, Transformer model)
{
    enum { SHOWN = 100 };
    static const char *const cols[] = { "steps", "preempted", "again", "answers" };
    step(lesson, "Out of pages");
    Asked *asked = prompts_of(lesson->arena, REQUESTS, 70, 4, 30, 40);
    int words = 0, answers = 0;
    for (int n = 0; n < REQUESTS; n++) {
        answer_alone(&asked[n], model);
        words += asked[n].prompt + asked[n].answer - 1;
        answers += asked[n].answer;
    }
    say(lesson, "%d requests at once, prompts and answers of %d words together.", REQUESTS, words);
    Rows table = rows_of(lesson, "pages of 8, and what becomes of the requests", cols, 4);
    table.table.decimals = -1;
    Mat holders = mat_new(lesson->arena, POOL[POOLS - 1], SHOWN);
    bool all = true, back = true;
    int steps[POOLS] = { 0 }, preempted = 0;
    for (int p = 0; p < POOLS; p++) {
        Arena *arena = arena_open();
        Ran ran = run_all(arena, model, asked, POOL[p], p == POOLS - 1 ? holders : (Mat){ 0 });
        const Schedule *s = &ran.server->schedule;
        rows_add(&table, ROW(ran.steps, (double)s->preempted, (double)s->again, ran.same), "%d pages", POOL[p]);
        all = all && ran.same == REQUESTS;
        back = back && ran.server->pool.left == POOL[p];
        steps[p] = ran.steps;
        preempted = (int)s->preempted;
        server_close(ran.server);
        arena_close(arena);
    }
    show_rows(lesson, &table);
    check(lesson, all && preempted > 0,
          "whoever was preempted answers as if nothing had happened: all %d answers, %d "
          "words, each time",
          REQUESTS, answers);
    check(lesson, back, "no page is lost");
    figure_holders(lesson, holders, steps[POOLS - 1]);
}

// ---- a server

// What stands in the cache, as --serve says it once a second.
static void add_line(Rows *rows, const Server *server, int step_number, int64_t written)
{
    ServerPages pages = server_pages(server);
    const Schedule *s = &server->schedule;
    rows_add(rows, ROW(s->runs, schedule_waiting(s), pages.held, pages.shared, (double)s->preempted, (double)written),
             "step %d", step_number);
}

// One request's attention in layer 0, with its pages: keys and values as they lie in memory, and the table.
static void dump_pages(Lesson *lesson, Transformer model, const Asked *asked)
{
    Arena *arena = lesson->arena;
    const Config *c = &model.config;
    int n = asked->prompt + asked->answer, d = c->D / c->H, width = c->G * d, size = 4;
    Run run = run_keeping_transformer(arena, model, run_batch_of_one(arena, asked->tokens, n), (Mat){ 0 });
    Mat qkv = run.layers[0].qkv, k = mat_cols(qkv, c->D, width), v = mat_cols(qkv, c->D + width, width);
    PagePool pool = page_pool_new(arena, n / size + 4, size);
    PagedMemory memory = paged_memory_new(arena, &pool, 1, width, width);
    PageTable table = page_table_new(arena, &pool, n);
    PagedCache cache = paged_cache_of(&table, &memory, 0);
    random_shuffle(&lesson->random, pool.free, pool.count);
    bool grown = page_table_grow(&table, n, paged_memory_copy, &memory);
    REQUIRE(grown, "%d pages for %d tokens", pool.count, n);
    Mat out = mat_new(arena, n, c->D), weights = mat_new(arena, c->H * n, n), numbers = mat_new(arena, 1, table.pages);
    Mask *masks = arena_alloc(arena, (size_t)c->H * sizeof *masks);
    for (int h = 0; h < c->H; h++) masks[h] = config_mask(c, 0, h);
    paged_cache_attend((Attended){ .out = out, .weights = weights }, &cache, mat_cols(qkv, 0, c->D), k, v, c->H, masks,
                       attention_naive);
    const char **queries = arena_alloc(arena, (size_t)n * sizeof *queries);
    const char **keys = arena_alloc(arena, (size_t)n * sizeof *keys);
    for (int t = 0; t < n; t++) {
        queries[t] = document_word_text(asked->tokens[t]);
        keys[t] = t % size ? queries[t] : arena_format(arena, "p%d| %s", table.page[t / size], queries[t]);
    }
    for (int p = 0; p < table.pages; p++) *mat_ref(numbers, 0, p) = (float)table.page[p];
    trace_words(lesson->trace, queries, n, keys, n);
    trace_heads(lesson->trace,
                (TraceHeads){
                    .H = c->H, .q = mat_cols(qkv, 0, c->D), .k = k, .v = v, .weights = weights, .heads = out });
    trace_mat(lesson->trace, "pages.table", numbers);
    trace_stack(lesson->trace, "pages.k", memory.k[0], pool.count);
    trace_stack(lesson->trace, "pages.v", memory.v[0], pool.count);
    check(lesson, mat_equal(weights, run.layers[0].weights[0]),
          "the weights of one answer through its %d pages are "
          "those of the model without pages, to the bit",
          table.pages);
}

void a_server(Lesson *lesson, Transformer model, const Choices *choices)
{
    enum { ALL = 48, AT_ONCE = 16, EVERY = 25 };
    static const char *const cols[] = { "run", "wait", "pages", "shared", "preempted", "words" };
    step(lesson, "A server");
    Arena *arena = lesson->arena;
    int answer = choices->answer, longest = DOCUMENT_T - answer < 40 ? DOCUMENT_T - answer : 40;
    Asked *asked = prompts_of(arena, ALL, 80, longest < 8 ? longest : 8, longest, answer);
    for (int n = 0; n < ALL; n++) {
        if (n % 2) memcpy(asked[n].tokens, asked[n - 1].tokens, sizeof asked[n].tokens); // half begin as another does
        answer_alone(&asked[n], model);
    }
    Server *server = server_new(arena, model, choices->pages, choices->size, ALL, AT_ONCE, true);
    Rows table =
        rows_of(lesson,
                arena_format(arena, "%d pages of %d, a request every other step", choices->pages, choices->size), cols,
                6);
    table.table.decimals = -1;
    int steps = 0, added = 0, same = 0;
    int64_t written = 0;
    bool busy = true;
    for (; busy || added < ALL; steps++) {
        if (steps % 2 == 0 && added < ALL) {
            server_ask(server, asked[added].tokens, asked[added].prompt, asked[added].answer, -1, 0);
            added++;
        }
        busy = server_step(server, 0);
        written = 0;
        for (int n = 0; n < added; n++) written += server->of[n].request.written;
        if (steps % EVERY == EVERY - 1) add_line(&table, server, steps + 1, written);
    }
    for (int n = 0; n < ALL; n++) same += same_answer(server, n, &asked[n]);
    show_rows(lesson, &table);
    check(lesson, same == ALL, "all %d answers, %lld words, are those that each request gets alone", ALL,
          (long long)written);
    int64_t found = server->schedule.found;
    server_close(server);
    check(lesson, server->pool.left == server->pool.count, "all %d pages are back; the tree had %lld words for others",
          server->pool.count, (long long)found);
    say(lesson, "For example: %s → %s", document_text(arena, asked[0].tokens, asked[0].prompt),
        document_text(arena, asked[0].tokens + asked[0].prompt, asked[0].answer));
    dump_pages(lesson, model, &asked[0]);
}
