// Tests of lib/model/workload.c: lengths as they are said to be, and a clock that adds up.
#include "model/workload.h"

#include "base/portable_math.h"
#include "support/suite.h"

#include <stdlib.h>

static int by_size(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

TEST(lengths_and_arrivals)
{
    enum { N = 20000 };
    Random random = random_from(5);
    ScheduleRequest *r = workload_sample(arena, (Workload){ 4.0, 100.0, 1.0, 300.0, 100000 }, N, &random);
    int *prompts = arena_alloc(arena, N * sizeof *prompts);
    double answers = 0.0;
    int long_ones = 0;
    for (int n = 0; n < N; n++) {
        ck_assert(n == 0 || r[n].arrives >= r[n - 1].arrives);
        prompts[n] = r[n].prompt;
        answers += r[n].answer;
        long_ones += r[n].answer > 600;
    }
    qsort(prompts, N, sizeof *prompts, by_size);
    ck_assert(abs(prompts[N / 2] - 100) <= 3);             // the median
    ck_assert(abs(prompts[(int)(0.8413 * N)] - 272) <= 9); // one standard deviation up: e times as long
    ck_assert(fabs(answers / N - 300.5) < 8.0);            // rounded up: half a token more
    ck_assert(fabs((double)long_ones / N - exp(-2.0)) < 0.01);
    ck_assert(fabs(r[N - 1].arrives - N / 4.0) < 150.0);
}

TEST(lengths_are_cut_off)
{
    Random a = random_from(5), b = random_from(5);
    ScheduleRequest *r = workload_sample(arena, (Workload){ 4.0, 100.0, 1.0, 300.0, 50 }, 200, &a);
    ScheduleRequest *twice = workload_sample(arena, (Workload){ 8.0, 100.0, 1.0, 300.0, 50 }, 200, &b);
    int cut = 0;
    for (int n = 0; n < 200; n++) {
        ck_assert(r[n].prompt >= 1 && r[n].prompt <= 50 && r[n].answer >= 1 && r[n].answer <= 50);
        ck_assert(r[n].prompt == twice[n].prompt && r[n].answer == twice[n].answer);
        ck_assert(fabs(r[n].arrives - 2.0 * twice[n].arrives) < 1e-9);
        cut += r[n].answer == 50;
    }
    ck_assert(cut > 100);
}

static const WorkloadMachine BY_HAND = {
    .weights = 10.0, .token = 1.0, .parameters = 5.0, .bytes = 10.0, .operations = 100.0
};

// Two requests, step by step: 3 + 2 tokens at 0, 1 + 1 at 0.5, in pages of 4.
//
//     step   fed      cached     held     seconds        ends
//     1      3        3          4        1.3            1.3
//     2      1 + 1    4 + 1      4 + 4    1.5            2.8
TEST(two_by_hand)
{
    ScheduleRequest r[] = { { .arrives = 0.0, .prompt = 3, .answer = 2 },
                            { .arrives = 0.5, .prompt = 1, .answer = 1 } };
    PagePool pool = page_pool_new(arena, 4, 4);
    Schedule s = schedule_new(arena, &pool, 2, 4);
    WorkloadRun run = workload_run(arena, &s, r, 2, BY_HAND, 1.0);
    ck_assert(fabs(run.seconds - 2.8) < 1e-9 && run.fed == 5 && run.written == 3);
    ck_assert(fabs(run.cached - (1.3 * 3 + 1.5 * 5) / 2.8) < 1e-9);
    ck_assert(fabs(run.held - (1.3 * 4 + 1.5 * 8) / 2.8) < 1e-9);
    ck_assert(fabs(run.running - (1.3 * 1 + 1.5 * 2) / 2.8) < 1e-9);
    ck_assert(fabs(r[0].first - 1.3) < 1e-9 && fabs(r[0].done - 2.8) < 1e-9 && fabs(r[1].first - 2.8) < 1e-9);
    ck_assert_int_eq(run.samples_count, 3); // at 0, 1 and 2
    ck_assert(run.samples[1].running == 1 && run.samples[1].cached == 3 && run.samples[1].held == 4);
    ck_assert(run.samples[2].running == 2 && run.samples[2].cached == 5 && run.samples[2].held == 8);
    ck_assert(run.samples[1].written == 0 && run.samples[2].written == 1 && run.samples[1].waiting == 0);
}

// Nobody is there for a while: the clock goes on, and means are taken over the time in which somebody was.
TEST(a_pause)
{
    ScheduleRequest r[] = { { .arrives = 1.0, .prompt = 1, .answer = 1 },
                            { .arrives = 9.0, .prompt = 1, .answer = 1 } };
    PagePool pool = page_pool_new(arena, 4, 1);
    Schedule s = schedule_new(arena, &pool, 2, 4);
    WorkloadRun run = workload_run(arena, &s, r, 2, BY_HAND, 0.0);
    ck_assert(fabs(r[0].done - 2.1) < 1e-9 && fabs(run.seconds - 10.1) < 1e-9);
    ck_assert(fabs(run.cached - 1.0) < 1e-9 && run.samples_count == 0);
}
