// Chapter 23, steps 1 and 2. What does not fit into one machine; and what many can say to each other.
#include "base/error.h"
#include "base/portable_math.h"
#include "lesson/block_map.h"
#include "lesson/machines.h"
#include "model/sizes.h"
#include "steps.h"

#include <string.h>

// ---- 1

static Sizes sizes_of(Lesson *lesson, const char *name)
{
    const Sizes *all;
    int count = sizes_of_the_book(&all, lesson->arena);
    for (int i = 0; i < count; i++)
        if (!strcmp(all[i].name, name)) return all[i];
    REQUIRE(false, "data/sizes.tsv has no %s", name);
    return all[0];
}

void too_large(Lesson *lesson)
{
    step(lesson, "What does not fit");
    block_map_figure(lesson, "here.png", BLOCK_MAP_KERNEL);
    static const char *const cols[] = { "cache", "of 4", "of 16", "of 64" };
    Sizes model = sizes_of(lesson, "LLaMA 3.1 8B");
    Rows table = rows_of(lesson, "GB of keys and values, LLaMA 3.1 8B in 16 bits; a rank's share", cols, 4);
    for (int64_t T = 131072; T <= 8388608; T *= 4) {
        double gb = (double)sizes_cache_bytes(&model, T, 2) / 1e9;
        rows_add(&table, ROW(gb, gb / 4, gb / 16, gb / 64), "%lld tokens", (long long)T);
    }
    show_rows(lesson, &table);
    double million = (double)sizes_cache_bytes(&model, 1048576, 2) / 1e9;
    check(lesson, million > MACHINE_H100.memory, "2^20 tokens: %.0f GB, and an H100 has %.0f", million,
          MACHINE_H100.memory);
    say(lesson,
        "Attention itself: 2^20 queries and as many keys, 32 heads of 128, causal, are %.1f · 10^15 "
        "multiplications in each of 32 layers. One H100 would take %.0f s for all, at its very best.",
        1048576.0 * 1048576.0 * 32 * 128 / 1e15,
        32 * 2.0 * 1048576.0 * 1048576.0 * 32 * 128 / (MACHINE_H100.gflops * 1e9));
}

// ---- 2

// How many summands each part of each rank's numbers holds, after `steps` steps of the all-reduce: its schedule.
static Mat summands(Arena *arena, int R, int steps)
{
    Mat now = mat_new(arena, R, R), next;
    mat_fill(now, 1.0f);
    for (int s = 0; s < steps; s++) {
        next = mat_copy(arena, now);
        for (int r = 0; r < R; r++) {
            int last = (r + R - 1) % R, adds = s < R - 1, part = (r - s % (R - 1) + !adds + 2 * R - 1) % R;
            *mat_ref(next, r, part) = *mat_ref(now, last, part) + (adds ? *mat_ref(now, r, part) : 0.0f);
        }
        now = next;
    }
    return now;
}

static void figure_sum(Lesson *lesson, int R)
{
    enum { MOST = 4 };
    int few = R < MOST ? R : MOST, shown[] = { 0, 1, few - 1, 2 * (few - 1) };
    Heatmap maps[4];
    for (int n = 0; n < 4; n++)
        maps[n] = (Heatmap){ .title = arena_format(lesson->arena, "steps: %d", shown[n]),
                             .values = summands(lesson->arena, few, shown[n]),
                             .decimals = 0,
                             .low = 0,
                             .high = few,
                             .row_labels = numbered(lesson->arena, "rank ", few),
                             .bar_title = "summands",
                             .col_labels = numbered(lesson->arena, "part ", few),
                             .cell = 34 };
    figure_maps(lesson, "sum.png", "how many ranks' numbers each part has added up: first sums grow, then they go on",
                arena_format(lesson->arena, "An all-reduce of %d ranks", few), maps, 4, 2);
}

void first_messages(Lesson *lesson, const Asked *asked)
{
    step(lesson, "Ranks and messages");
    int R = asked->ranks->count, counts[LISTED], n = rank_counts(R, counts);
    double told[3 * RANKS_MOST], sums[2 * RANKS_MOST];
    Task task = { .D = 100 * R };
    run_task(asked, R, turn_work, &task, told);
    bool home = true;
    for (int r = 0; r < R; r++) home = home && told[3 * r] == (R > 1 ? R * (R + 1) / 2 : 0);
    if (R > 1)
        check(lesson, home, "a number goes round %d ranks, each adds its own: all come home as 1 + … + %d = %.0f", R, R,
              told[0]);
    cost(lesson, "messages that rank 0 has sent", (int64_t)told[1], "R", R > 1 ? R : 0);
    cost(lesson, "and bytes", (int64_t)told[2], "4 R", R > 1 ? 4 * R : 0);

    static const char *const cols[] = { "steps", "kB a rank", "of it all" };
    Rows table =
        rows_of(lesson, arena_format(lesson->arena, "the sum of %d numbers of every rank, on every rank", task.D), cols,
                3);
    table.table.whole = 1;
    bool right = true, exact = true;
    for (int i = 0; i < n; i++) {
        int ranks = counts[i];
        double all = 4.0 * task.D, formula = 2.0 * (ranks - 1) / ranks * all;
        run_task(asked, ranks, sum_work, &task, sums);
        for (int r = 0; r < ranks; r++) {
            right = right && sums[2 * r] == 0.0;
            exact = exact && fabs(sums[2 * r + 1] - formula) <= (task.D % ranks ? 8.0 * ranks : 0.0);
        }
        rows_add(&table, ROW(2 * (ranks - 1), sums[1] / 1000, sums[1] / all), "R = %d", ranks);
    }
    show_rows(lesson, &table);
    check(lesson, right, "the sums are right, on every rank");
    check(lesson, exact, "each rank sends 2 (R - 1) / R of its numbers: never more than twice what it has");
    if (R > 1) figure_sum(lesson, R);
}
