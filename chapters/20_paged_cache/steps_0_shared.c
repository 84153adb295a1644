// Chapter 20. What its steps share: prompts, answers that were asked for alone, and a load on a machine.
#include "lesson/machines.h"
#include "steps.h"

#include <string.h>

// ---- model C

Asked *prompts_of(Arena *arena, int count, uint64_t seed, int shortest, int longest, int answer)
{
    Random random = random_from(seed);
    Asked *asked = arena_alloc(arena, (size_t)count * sizeof *asked);
    DocumentSample *document = arena_alloc(arena, sizeof *document);
    for (int n = 0; n < count; n++) {
        document_draw(document, DOCUMENT_T, &random);
        asked[n].prompt = shortest + random_below(&random, longest - shortest + 1);
        asked[n].answer = 1 + random_below(&random, answer);
        memcpy(asked[n].tokens, document->words, (size_t)asked[n].prompt * sizeof(int));
    }
    return asked;
}

void answer_alone(Asked *asked, Transformer model)
{
    Arena *arena = arena_open();
    int n = asked->prompt + asked->answer;
    Decoder decoder = decoder_new(arena, model, n);
    decoder_continue(mat_new(arena, n, model.config.outputs), &decoder, asked->tokens, asked->prompt, n);
    arena_close(arena);
}

bool same_answer(const Server *server, int number, const Asked *asked)
{
    const ServerRequest *got = &server->of[number];
    return got->request.state == SCHEDULE_DONE && got->request.written == asked->answer &&
           !memcmp(got->tokens, asked->tokens, (size_t)(asked->prompt + asked->answer) * sizeof(int));
}

// ---- a load

// Weights of 6.7 · 10⁹ numbers; of a token 2 · 4096 numbers in each of 32 layers, in 2 bytes each.
WorkloadMachine the_machine(void)
{
    double parameters = 6.7e9;
    return (WorkloadMachine){ .weights = 2.0 * parameters,
                              .token = 2.0 * 2 * 4096 * 32,
                              .parameters = parameters,
                              .bytes = 1e9 * MACHINE_H100.gbytes,
                              .operations = 1e9 * MACHINE_H100.gflops };
}

ScheduleRequest *the_load(Arena *arena, double rate, int count)
{
    Random random = random_from(2000);
    Workload shape = { .rate = rate, .prompt = 100, .spread = 1, .answer = 340, .most = LONGEST / 2 };
    return workload_sample(arena, shape, count, &random);
}

const Way RESERVED_TOGETHER = { "static", LONGEST, true };
const Way RESERVED = { "continuous", LONGEST, false };
const Way PAGED = { "with pages", 16, false };

// `most` is no limit here: the cache is.
Served serve_load(Arena *arena, Way way, double rate, int count, double every)
{
    Served served = { .requests = the_load(arena, rate, count), .count = count };
    PagePool *pool = arena_alloc(arena, sizeof *pool);
    *pool = page_pool_new(arena, ROOM / way.size, way.size);
    served.schedule = schedule_new(arena, pool, count, count);
    served.schedule.together = way.together;
    served.run = workload_run(arena, &served.schedule, served.requests, count, the_machine(), every);
    return served;
}
