// Chapter 23, steps 11 and 12. Who waits for ever, who ends it; and the ring in the large.
#include "base/portable_math.h"
#include "lesson/machines.h"
#include "steps.h"

// ---- 11

enum { KEPT = 4096, SHORT = 1000, LONG = 1000000 };

typedef enum { ALL_SEND, ALL_RECEIVE, FIRST_RECEIVES, EVEN_SEND, PROGRAMS } Program;
static const char *const program_names[PROGRAMS] = { "all send first", "all receive first", "rank 0 receives first",
                                                     "even ranks send first" };

static bool sends_first(Program program, int rank)
{
    switch (program) {
    case ALL_SEND: return true;
    case FIRST_RECEIVES: return rank > 0;
    case EVEN_SEND: return rank % 2 == 0;
    default: return false;
    }
}

// One turn of a ring: everyone sends to the next and receives from the one before.
static void turn_of(Orders *orders, int R, Program program, int bytes)
{
    for (int r = 0; r < R; r++) {
        bool first = sends_first(program, r);
        orders[r] = (Orders){ .count = 2 };
        orders[r].of[!first] = (OrdersItem){ true, (r + 1) % R, bytes };
        orders[r].of[first] = (OrdersItem){ false, (r + R - 1) % R, bytes };
    }
}

static int standing(int R, Program program, int bytes, int *circle)
{
    Orders orders[RANKS_MOST];
    int at[RANKS_MOST], ranks[RANKS_MOST], still = 0;
    turn_of(orders, R, program, bytes);
    orders_end(orders, R, KEPT, at);
    for (int r = 0; r < R; r++) still += at[r] < 2;
    *circle = orders_circle(orders, R, at, ranks);
    return still;
}

void what_goes_wrong(Lesson *lesson, const Asked *asked)
{
    step(lesson, "What goes wrong");
    int R = asked->ranks->count > 1 ? asked->ranks->count : 2, circle = 0, still[PROGRAMS][2];
    static const char *const cols[] = { "1 kB", "1 MB" };
    const char *name = arena_format(lesson->arena, "worked off on paper, %d ranks: how many stand still", R);
    Rows table = rows_of(lesson, name, cols, 2);
    table.table.decimals = -1;
    for (int p = 0; p < PROGRAMS; p++) {
        still[p][0] = standing(R, (Program)p, SHORT, &circle);
        still[p][1] = standing(R, (Program)p, LONG, &circle);
        rows_add(&table, ROW(still[p][0], still[p][1]), "%s", program_names[p]);
    }
    show_rows(lesson, &table);
    standing(R, ALL_SEND, LONG, &circle);
    check(lesson, still[ALL_SEND][0] == 0 && still[ALL_SEND][1] == R && circle == R,
          "all send first: what is put down "
          "(up to %d bytes here) goes through; longer, and %d ranks wait in a circle",
          KEPT, circle);
    check(lesson, still[ALL_RECEIVE][0] == R, "all receive first: nobody has anything to receive");
    check(lesson, still[FIRST_RECEIVES][1] == 0 && still[EVEN_SEND][1] == 0,
          "one who receives first is enough, at any "
          "length");
    if (asked->fault == NO_FAULT) {
        say(lesson,
            "The ring itself asks for its block before it sends one, and waits for neither before the work. "
            "Add --fault hang --of 1 --at 1: rank 1 stops in step 1 of a ring, and the others end after %.1f s.",
            asked->ranks->deadline);
        return;
    }
    bool dies = asked->fault == DIE && asked->ranks->processes;
    say(lesson, "Now rank %d %s in step %d.", asked->of, dies ? "dies" : "hangs", asked->at);
    Task task = { .s = { .T = 16 * asked->ranks->count, .H = 2, .G = 2, .d = 4, .dv = 4 },
                  .seed = 11,
                  .fault = dies ? DIE : HANG,
                  .of = asked->of,
                  .at = asked->at };
    Gathered *got = gathered_new(lesson->arena, task.s, false);
    run_task(asked, asked->ranks->count, ring_work, &task, got);
    check(lesson, false, "this line is not reached");
}

// ---- 12

// From data sheets: an H100's links to its neighbours in one machine, one way; and a network card of 400 Gbit/s.
static const double NVLINK = 450, NETWORK = 50; // 10⁹ bytes a second

// LLaMA 3.1 8B: a layer's attention, causal and balanced, so half the pairs; numbers of 2 bytes.
enum { LAYERS = 32, HEADS = 32, KEY_HEADS = 8, WIDTH = 128 };
static const double MILLION = 1048576;

void in_the_large(Lesson *lesson)
{
    step(lesson, "In the large");
    static const char *const cols[] = { "rows", "cache GB", "work ms", "NVLink ms", "network ms", "in all s" };
    Rows table = rows_of(lesson, "2^20 tokens of LLaMA 3.1 8B on R H100s: one step of one layer", cols, 6);
    table.table.whole = 1;
    double works_at = 0.0;
    for (int R = 4; R <= 1024; R *= 4) {
        double n = MILLION / R, bytes = n * KEY_HEADS * 2 * WIDTH * 2;
        double work = 2 * 2 * n * n * HEADS * WIDTH / 2 / (MACHINE_H100.gflops * 1e9);
        double sends = bytes / (NETWORK * 1e9), longer = fmax(work, sends);
        if (work >= sends) works_at = R;
        rows_add(&table,
                 ROW(n, bytes * LAYERS / 1e9, work * 1e3, bytes / NVLINK / 1e6, sends * 1e3, longer * R * LAYERS),
                 "R = %d", R);
    }
    show_rows(lesson, &table);
    double rows = MACHINE_H100.gflops / NETWORK * 2 * KEY_HEADS / HEADS;
    check(lesson, works_at >= 4 && MILLION / works_at >= rows && MILLION / (4 * works_at) < rows,
          "the network is hidden as long as a rank has T/R ≥ 2 F/B · G/H = %.0f rows", rows);
    say(lesson,
        "F and B are operations and bytes a second, %.0f · 10¹² and %.0f · 10⁹: one network card of %.0f "
        "Gbit/s. NVLink, within one machine, has %.0f · 10⁹. A multiplication and an addition are two, a causal mask "
        "leaves half of them, a number has two bytes.",
        MACHINE_H100.gflops / 1e3, NETWORK, 8 * NETWORK, NVLINK);
}
