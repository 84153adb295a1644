// Chapter 23. Messages of a rank, independent of the transport (wire.h), and exit with an error if a rank does not
// respond.
#include "ranks/wire.h"

#include "base/error.h"
#include "base/measure.h"
#include "base/memory.h"
#include "base/os.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void rank_fail(const Rank *rank, const char *format, ...)
{
    static atomic_flag printed = ATOMIC_FLAG_INIT;
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);

    if (atomic_flag_test_and_set(&printed)) os_wait_forever(); // another thread is already printing
    fflush(stdout);
    fprintf(stderr, "rank %d of %d: %s\n", rank->me, rank->count, message);
    _exit(1);
}

void wire_begin(Rank *rank, int me, int count, const Wire *wire, void *hub, double deadline)
{
    RankState *state = memory_zeroed(sizeof *state);
    *state = (RankState){ .wire = wire, .hub = hub, .deadline = deadline };
    *rank = (Rank){ .me = me,
                    .count = count,
                    .arena = arena_open(),
                    .before = cost_counted,
                    .state = state,
                    .began = measure_clock_wall() };
}

void wire_end(Rank *rank)
{
    for (int i = 0; i < RANK_MESSAGES; i++) {
        const RankMessage *m = &rank->state->messages[i];
        REQUIRE(!m->busy, "rank %d has not waited for %s", rank->me, m->what);
    }
    arena_close(rank->arena);
    free(rank->state);
    rank->state = NULL;
}

static RankMessage *message_new(Rank *rank, int other, size_t bytes, const char *what)
{
    REQUIRE(0 <= other && other < rank->count && other != rank->me, "rank %d of %d and rank %d: %s", rank->me,
            rank->count, other, what);
    for (int i = 0; i < RANK_MESSAGES; i++) {
        RankMessage *m = &rank->state->messages[i];
        if (m->busy) continue;
        *m =
            (RankMessage){ .busy = true, .other = other, .bytes = bytes, .what = what, .posted = measure_clock_wall() };
        return m;
    }
    REQUIRE(false, "rank %d has more than %d messages under way", rank->me, RANK_MESSAGES);
    return NULL;
}

RankMessage *rank_send(Rank *rank, int to, const void *from, size_t bytes, const char *what)
{
    RankMessage *message = message_new(rank, to, bytes, what);
    message->sending = true;
    message->at = (void *)(uintptr_t)from; // a send only reads it
    rank->messages++;
    rank->bytes += (int64_t)bytes;
    rank->state->wire->post(rank, message);
    return message;
}

RankMessage *rank_receive(Rank *rank, int from, void *to, size_t bytes, const char *what)
{
    RankMessage *message = message_new(rank, from, bytes, what);
    message->at = to;
    message->number = rank->state->received[from]++;
    rank->state->wire->post(rank, message);
    return message;
}

double rank_wait(Rank *rank, RankMessage *message)
{
    REQUIRE(message->busy, "rank %d waits for a message that is none", rank->me);
    const RankState *state = rank->state;
    double since = measure_clock_wall();
    while (!state->wire->look(rank, message)) {
        if (state->deadline > 0 && measure_clock_wall() - since > state->deadline)
            rank_fail(rank, "no answer from rank %d for %.1f s (%s): it has died, hangs, or cannot be reached",
                      message->other, state->deadline, message->what);
        state->wire->pause(rank);
    }
    message->busy = false;
    return message->arrived - message->posted;
}

void rank_progress(Rank *rank)
{
    for (int i = 0; i < RANK_MESSAGES; i++) {
        RankMessage *m = &rank->state->messages[i];
        if (m->busy) rank->state->wire->look(rank, m);
    }
}
