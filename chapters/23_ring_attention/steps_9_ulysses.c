// Chapter 23, step 9. Heads for positions, and back: Ulysses; and what each way sends.
#include "base/portable_math.h"
#include "steps.h"

enum { T = 256, H = 8, WIDE = 16 };

static ShareSequence sequence_of(int G) { return (ShareSequence){ .T = T, .H = H, .G = G, .d = WIDE, .dv = WIDE }; }

// kB of one rank, the mean of all.
static double ring_kb(int G, int R) { return 4e-3 * (R - 1) * T * G * 2 * WIDE / R; }
static double reduce_kb(int R) { return 8e-3 * (R - 1) / R * T * H * WIDE; }
static double ulysses_kb(int G, int R)
{
    int64_t sum = 0;
    for (int r = 0; r < R; r++) sum += ulysses_bytes(sequence_of(G), R, r);
    return (double)sum / R / 1000;
}

// What Ulysses brings home beside the outputs; where R divides H.
static double lse_kb(int R) { return 4e-3 * (R - 1) * T * H / R / R; }

// With few key heads the ring sends less, and at R = H as much but for the lse; with all of them only on 2 ranks.
static void compare(Lesson *lesson)
{
    bool few = true, many = true;
    for (int R = 2; R <= H; R++) few = few && ring_kb(2, R) < ulysses_kb(2, R);
    for (int R = 3; R <= H; R++) many = many && ulysses_kb(8, R) < ring_kb(8, R);
    bool even = fabs(ulysses_kb(8, 2) - lse_kb(2) - ring_kb(8, 2)) < 1e-6;
    check(lesson, even && many,
          "with G = H both send the same on 2 ranks but for the lse that Ulysses brings home; "
          "from 3 on Ulysses sends less");
    even = fabs(ulysses_kb(2, H) - lse_kb(H) - ring_kb(2, H)) < 1e-6;
    check(lesson, even && few,
          "with G = H/4 the ring sends less on 2 to %d ranks; on %d (%.1f and %.1f kB) only by "
          "the lse",
          H, H, ring_kb(2, H), ulysses_kb(2, H));
}

static void figure_bytes(Lesson *lesson)
{
    enum { POINTS = 4 }; // up to R = H, where Ulysses ends
    static double ranks[POINTS], ring[2][POINTS], ulysses[2][POINTS];
    for (int i = 0; i < POINTS; i++) {
        ranks[i] = exp2(i);
        ring[0][i] = ring_kb(8, 1 << i);
        ring[1][i] = ring_kb(2, 1 << i);
        ulysses[0][i] = ulysses_kb(8, 1 << i);
        ulysses[1][i] = ulysses_kb(2, 1 << i);
    }
    PlotSeries series[] = { { .name = "ring, G = 8; all-reduce", .x = ranks, .y = ring[0], .count = POINTS },
                            { .name = "ring, G = 2", .x = ranks, .y = ring[1], .count = POINTS },
                            { .name = "Ulysses, G = 8", .x = ranks, .y = ulysses[0], .count = POINTS },
                            { .name = "Ulysses, G = 2", .x = ranks, .y = ulysses[1], .count = POINTS } };
    figure_plot(lesson, "bytes.png",
                "kB that one rank sends for one layer's attention, up to R = H: the ring, Ulysses "
                "and an all-reduce",
                (Plot){ .title = "What one rank sends",
                        .x_title = "ranks R",
                        .y_title = "kB",
                        .series = series,
                        .count = 4,
                        .log_x = true,
                        .width = 720,
                        .height = 420 });
}

void the_other_way(Lesson *lesson, const Asked *asked)
{
    step(lesson, "Heads for positions, and back");
    int counts[LISTED], n = rank_counts(asked->ranks->count, counts);
    static const char *const cols[] = { "ring, G=8", "Uly., G=8", "ring, G=2", "Uly., G=2", "all-reduce" };
    const char *name = arena_format(lesson->arena, "kB that a rank sends: T = %d, H = %d, d = %d", T, H, WIDE);
    Rows table = rows_of(lesson, name, cols, 5);
    bool exact = true, bytes = true;
    table.table.hidden = mat_new(lesson->arena, n, 5); // Ulysses ends at H ranks
    for (int i = 0; i < n; i++) {
        double kb[2][2] = { { NAN, NAN }, { NAN, NAN } };
        int R = counts[i];
        for (int g = 0; g < 2; g++) {
            Task task = { .s = sequence_of(g ? 2 : 8), .seed = 9 };
            Gathered *ring = gathered_new(lesson->arena, task.s, false);
            Gathered *one = gathered_new(lesson->arena, task.s, false);
            Gathered *other = gathered_new(lesson->arena, task.s, false);
            run_task(asked, 1, ring_work, &task, one);
            run_task(asked, R, ring_work, &task, ring);
            kb[g][0] = 0.0;
            for (int r = 0; r < R; r++) kb[g][0] += (double)ring->bytes[r] / 1000 / R;
            bytes = bytes && fabs(kb[g][0] - ring_kb(task.s.G, R)) < 1e-6;
            *mat_ref(table.table.hidden, i, 2 * g + 1) = R > H;
            if (R > H) continue;
            run_task(asked, R, ulysses_work, &task, other);
            kb[g][1] = 0.0;
            for (int r = 0; r < R; r++) {
                kb[g][1] += (double)other->bytes[r] / 1000 / R;
                bytes = bytes && other->bytes[r] == ulysses_bytes(task.s, R, r);
            }
            exact = exact && mat_equal(other->did.out, one->did.out) && mat_equal(other->did.lse, one->did.lse);
        }
        rows_add(&table, ROW(kb[0][0], kb[0][1], kb[1][0], kb[1][1], reduce_kb(R)), "R = %d", R);
    }
    show_rows(lesson, &table);
    check(lesson, fabs(reduce_kb(4) - ring_kb(H, 4)) < 1e-6,
          "with G = H and D = H·d an all-reduce of the output sends as much as the ring");
    check(lesson, exact, "Ulysses gives the bits of one rank: every head is computed in one place");
    check(lesson, bytes,
          "ring: (R - 1)/R · T·G·2d numbers from a rank; Ulysses, where R divides G: (R - 1)/R² · "
          "T(2H·d + 2G·d + H)");
    compare(lesson);
    figure_bytes(lesson);
}
