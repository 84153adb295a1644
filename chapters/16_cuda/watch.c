// How long calls take on the card, by its own events, and how fast its clock goes meanwhile.
#include "card.h"

#include <time.h>

struct Watch {
    cudaEvent_t began, ended;
    int64_t *looks, *there;
    int multiprocessors;
};
enum { BEFORE, AFTER, LOOKS };

Watch *watch_new(Arena *arena, const Card *card)
{
    size_t numbers = LOOKS * 2 * (size_t)card->multiprocessors;
    Watch *watch = arena_alloc(arena, sizeof *watch);
    watch->multiprocessors = card->multiprocessors;
    watch->looks = arena_alloc(arena, numbers * sizeof *watch->looks);
    CUDA(cudaMalloc((void **)&watch->there, numbers * sizeof *watch->there));
    CUDA(cudaEventCreate(&watch->began));
    CUDA(cudaEventCreate(&watch->ended));
    return watch;
}

void watch_free(Watch *watch)
{
    CUDA(cudaFree(watch->there));
    CUDA(cudaEventDestroy(watch->began));
    CUDA(cudaEventDestroy(watch->ended));
}

void watch_start(Watch *watch)
{
    CUDA(cudaMemset(watch->there, 0, LOOKS * 2 * sizeof *watch->there * (size_t)watch->multiprocessors));
    CUDA(gpu_look(watch->there));
    CUDA(cudaEventRecord(watch->began, NULL));
}

// A multiprocessor counts if both looks have met it.
static double clock_of(const Watch *watch)
{
    const int64_t *before = watch->looks, *after = watch->looks + 2 * watch->multiprocessors;
    double cycles = 0, nanoseconds = 0;
    for (int m = 0; m < watch->multiprocessors; m++) {
        if (before[2 * m] == 0 || after[2 * m] == 0) continue;
        cycles += (double)(after[2 * m] - before[2 * m]);
        nanoseconds += (double)(after[2 * m + 1] - before[2 * m + 1]);
    }
    return nanoseconds > 0 ? 1e9 * cycles / nanoseconds : 0;
}

Took watch_stop(Watch *watch, int calls)
{
    float milliseconds = 0;
    CUDA(cudaEventRecord(watch->ended, NULL));
    CUDA(gpu_look(watch->there + 2 * watch->multiprocessors));
    CUDA(cudaMemcpy(watch->looks, watch->there, LOOKS * 2 * sizeof *watch->there * (size_t)watch->multiprocessors,
                    cudaMemcpyDeviceToHost));
    CUDA(cudaEventElapsedTime(&milliseconds, watch->began, watch->ended));
    return (Took){ .seconds = (double)milliseconds / 1000 / calls, .clock = clock_of(watch) };
}

char *card_facts(Arena *arena, const Card *card)
{
    const time_t now = time(NULL);
    char day[16] = "";
    struct tm *parts = gmtime(&now);
    if (parts) strftime(day, sizeof day, "%Y-%m-%d", parts);
    return arena_format(arena, "# card: %s, %d multiprocessors; CUDA %d.%d, driver for %d.%d\n# date: %s\n", card->name,
                        card->multiprocessors, card->runtime / 1000, card->runtime % 1000 / 10, card->driver / 1000,
                        card->driver % 1000 / 10, day);
}
