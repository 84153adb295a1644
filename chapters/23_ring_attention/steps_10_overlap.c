// Chapter 23, step 10. Sends behind the work: what real clocks have measured once (data/bench/ring.tsv, which travels
// inside the program), and --measure, which measures it here.
#include "base/measure.h"
#include "base/portable_math.h"
#include "base/threads.h"
#include "io/table.h"
#include "lesson/machines.h"
#include "steps.h"

#include <string.h>

static const char *const bench_lines[] = {
#include "bench/ring.inc"
};

// Columns of data/bench/ring.tsv behind the kind of the row: "share" or "step".
enum { OF_R, OF_T, OF_H, OF_D, RATE, FIRST, COLUMNS = FIRST + 6 };
enum { WORK = FIRST, SEND, BOTH, HIDDEN, LOW, HIGH };       // of a share: ms of each alone, of both; and the share
enum { RANK = FIRST, STEP, BEGAN, WORKED, ARRIVED, ENDED }; // of a step: ms since the first rank began

enum { RATES = 6, BATCHES = 5, ROUNDS = 12 };                     // of a batch the fastest round counts
static const double rates[RATES] = { 16, 32, 64, 128, 256, 512 }; // MB/s
static const int drawn_rates[2] = { 1, 4 };                       // of these the timeline is drawn

static const ShareSequence timed = { .T = 256, .H = 4, .G = 4, .d = 32, .dv = 32 };

static double kept(TableRows table, int row, int column) { return mat_value(table.values, row, column); }
static bool row_is(TableRows table, int row, const char *kind) { return !strcmp(table.names[row], kind); }

// Under mpirun the wire is what it is: rate 0.
static const char *wire_name(Arena *arena, double rate)
{
    return rate > 0.0 ? arena_format(arena, "%.0f MB/s", rate) : "as it is";
}

// ---- the picture

enum {
    WIDE = 560,
    LEFT = 70,
    BAR = 15,
    WIRE = 7,
    ROW = 34,
    PANEL = 46,
    KEY = 118,
    COLORS = 6,
    BOXES_MOST = 2 * RANKS_MOST * 16
};

typedef struct {
    DiagramBox *boxes;
    DiagramLabel *labels;
    int box_count, label_count;
} Drawing;

static void add_bar(Drawing *d, double x, double y, double width, double height, Color color)
{
    if (d->box_count == BOXES_MOST || width <= 0.0) return;
    d->boxes[d->box_count++] = (DiagramBox){ .at = { x, y, width, height }, .color = color };
}

static void add_words(Drawing *d, double x, double y, const char *text, bool quiet)
{
    CanvasText style = { .size = 12, .color = quiet ? COLOR_QUIET : COLOR_INK };
    if (d->label_count < BOXES_MOST) d->labels[d->label_count++] = (DiagramLabel){ x, y, style, text };
}

// One rate: for each rank a bar of work a step, in the colour of the block's owner, and below it the wire on which the
// next block comes.
static double add_panel(Drawing *d, Arena *arena, TableRows table, double rate, double ms_wide, double y)
{
    int R = 0;
    add_words(d, 0, y + 10, arena_format(arena, "the wire: %s", wire_name(arena, rate)), false);
    y += 22;
    for (int i = 0; i < table.values.rows; i++) {
        if (!row_is(table, i, "step") || kept(table, i, RATE) != rate) continue;
        R = (int)kept(table, i, OF_R);
        int r = (int)kept(table, i, RANK), t = (int)kept(table, i, STEP), owner = (r - t + R) % R;
        double scale = WIDE / ms_wide, x = LEFT + kept(table, i, BEGAN) * scale, top = y + r * ROW;
        add_bar(d, x, top, (kept(table, i, WORKED) - kept(table, i, BEGAN)) * scale, BAR, COLOR_SERIES[owner % COLORS]);
        if (t < R - 1)
            add_bar(d, x, top + BAR + 2, (kept(table, i, ARRIVED) - kept(table, i, BEGAN)) * scale, WIRE,
                    COLOR_SERIES[(owner + R - 1) % R % COLORS]);
        if (t == 0) add_words(d, 0, top + 14, arena_format(arena, "rank %d", r), true);
    }
    return y + R * ROW;
}

// Whose block a colour is, and which of two bars is which. Beyond six ranks colours come again.
static double add_key(Drawing *d, Arena *arena, int R)
{
    add_words(d, 0, 10, "upper bars: work; lower bars: the wire on which the next block comes", false);
    for (int r = 0; r < R && r < COLORS; r++) {
        double x = r % 5 * KEY, y = 20 + r / 5 * 22;
        add_bar(d, x, y, BAR, WIRE, COLOR_SERIES[r]);
        add_words(d, x + 24, y + 11, arena_format(arena, "rank %d's block", r), true);
    }
    return R < 6 ? 52 : 74;
}

static void figure_timeline(Lesson *lesson, TableRows table)
{
    Arena *arena = lesson->arena;
    Drawing d = { arena_alloc(arena, BOXES_MOST * sizeof(DiagramBox)),
                  arena_alloc(arena, BOXES_MOST * sizeof(DiagramLabel)), 0, 0 };
    double longest = 1e-9, last = 0.0;
    int R = 0;
    for (int i = 0; i < table.values.rows; i++) {
        if (!row_is(table, i, "step")) continue;
        R = (int)kept(table, i, OF_R);
        longest = fmax(longest, kept(table, i, ENDED));
    }
    double y = add_key(&d, arena, R);
    for (int i = 0; i < table.values.rows; i++) {
        if (!row_is(table, i, "step") || kept(table, i, RATE) == last) continue;
        last = kept(table, i, RATE);
        y = add_panel(&d, arena, table, last, longest, y) + PANEL - ROW + 8;
    }
    double apart = longest > 150 ? 50 : longest > 60 ? 20 : longest > 25 ? 10 : longest > 12 ? 5 : 1;
    for (double ms = 0; ms <= longest; ms += apart)
        add_words(&d, LEFT + ms * WIDE / longest - 4, y - 6, arena_format(arena, "%.0f ms", ms), true);
    figure_diagram(lesson, "timeline.png",
                   "by real clocks: each rank's work, and under it the wire on which the next "
                   "block comes; colours are the block's owner",
                   (Diagram){ .title = "Work, and what comes meanwhile",
                              .boxes = d.boxes,
                              .box_count = d.box_count,
                              .labels = d.labels,
                              .label_count = d.label_count,
                              .width = LEFT + WIDE + 40 });
}

// ---- the table

// Of the medians that stand beside it. Low and high are quartiles of what each batch would say by itself.
static double hidden_of(TableRows table, int row)
{
    double work = kept(table, row, WORK), send = kept(table, row, SEND);
    return (work + send - kept(table, row, BOTH)) / fmin(work, send);
}

static void show_shares(Lesson *lesson, TableRows table)
{
    static const char *const cols[] = { "work", "send", "both", "hidden", "low", "high" };
    Rows rows = rows_of(lesson, "milliseconds, alone and together; the hidden share of the smaller", cols, 6);
    for (int i = 0; i < table.values.rows; i++)
        if (row_is(table, i, "share"))
            rows_add(&rows,
                     ROW(kept(table, i, WORK), kept(table, i, SEND), kept(table, i, BOTH), hidden_of(table, i),
                         kept(table, i, LOW), kept(table, i, HIGH)),
                     "%s", wire_name(lesson->arena, kept(table, i, RATE)));
    rows.table.given = true;
    show_rows(lesson, &rows);
}

// The rate at which a block comes while one is worked on.
static double even_rate(TableRows table)
{
    for (int i = 0; i < table.values.rows; i++) {
        if (!row_is(table, i, "share")) continue;
        double R = kept(table, i, OF_R), n = kept(table, i, OF_T) / R, step = kept(table, i, WORK) / R;
        return n * kept(table, i, OF_H) * 2 * kept(table, i, OF_D) * 4 / step / 1e3;
    }
    return NAN;
}

static TableRows kept_rows(Arena *arena) { return TABLE_EMBEDDED(arena, bench_lines, COLUMNS, "data/bench/ring.tsv"); }

// Both are straight in what they have in common: the block's rows n. So a step's work over a step's bytes grows with n.
static void condition(Lesson *lesson)
{
    static const char *const cols[] = { "10⁶ mult.", "kB", "mult./byte" };
    Rows rows = rows_of(lesson, "one step: H = 32, G = 8, d = 128, numbers of 2 bytes", cols, 3);
    rows.table.decimals = 1;
    bool grows = true;
    for (int n = 256; n <= 16384; n *= 4) {
        double work = 2.0 * n * n * 32 * 128, bytes = 2.0 * n * 8 * 2 * 128;
        grows = grows && fabs(work / bytes - n * 32.0 / (2 * 8)) < 1e-6;
        rows_add(&rows, ROW(work / 1e6, bytes / 1e3, work / bytes), "n = %d", n);
    }
    show_rows(lesson, &rows);
    check(lesson, grows, "multiplications for each byte: n · H / (2 G), n = T/R rows; d does not matter");
}

void behind_the_work(Lesson *lesson, const Asked *asked)
{
    (void)asked;
    step(lesson, "Sends behind the work");
    condition(lesson);
    TableRows table = kept_rows(lesson->arena);
    size_t lines = sizeof bench_lines / sizeof *bench_lines;
    say(lesson, "Measured once, %s, %s: %s.", table_fact(lesson->arena, bench_lines, lines, "cpu: "),
        table_fact(lesson->arena, bench_lines, lines, "date: "),
        table_fact(lesson->arena, bench_lines, lines, "what: "));
    show_shares(lesson, table);
    say(lesson, "A block comes in the time of one step's work at %.1f MB/s.", even_rate(table));
    figure_timeline(lesson, table);
}

// ---- --measure

typedef struct {
    double work, send, both;
} Fastest;

static double milliseconds(const Asked *asked, Task task, double rate, bool silent, Gathered *got)
{
    task.silent = silent;
    asked->ranks->rate = rate * 1e6;
    run_task(asked, asked->ranks->count, ring_work, &task, got);
    asked->ranks->rate = 0.0;
    return got->seconds[0] * 1e3;
}

// The machine has other work to do, too: of each kind the fastest round. got: the fastest one of both so far.
static Fastest fastest(const Asked *asked, Task task, double rate, Gathered *got, double *so_far)
{
    Fastest least = { INFINITY, INFINITY, INFINITY };
    Gathered last = *got;
    for (int i = 0; i < ROUNDS; i++) {
        least.send = fmin(least.send, milliseconds(asked, task, rate, true, &last));
        least.work = fmin(least.work, milliseconds(asked, task, asked->ranks->processes ? 0.0 : 1e6, false, &last));
        double both = milliseconds(asked, task, rate, false, &last);
        if (both < *so_far) *got = last;
        *so_far = fmin(*so_far, both);
        least.both = fmin(least.both, both);
    }
    return least;
}

static const char *steps_of(Arena *arena, const char *text, const Gathered *got, int R, double rate)
{
    double first = INFINITY;
    for (int i = 0; i < R * R; i++) first = fmin(first, got->steps[i].began);
    for (int r = 0; r < R; r++)
        for (int t = 0; t < R; t++) {
            RingStep s = got->steps[r * R + t];
            text = arena_format(arena, "%sstep\t%d\t%d\t%d\t%d\t%.0f\t%d\t%d\t%.3f\t%.3f\t%.3f\t%.3f\n", text, R,
                                timed.T, timed.H, timed.d, rate, r, t, (s.began - first) * 1e3,
                                (s.worked - first) * 1e3, (s.arrived - first) * 1e3, (s.ended - first) * 1e3);
        }
    return text;
}

// Under mpirun the wire is what it is, and there is one row.
void measure_ring(Lesson *lesson, const Asked *asked)
{
    Arena *arena = lesson->arena;
    int R = asked->ranks->count;
    bool threads = !asked->ranks->processes;
    Task task = { .s = timed, .seed = 10 };
    Gathered *got = gathered_new(arena, timed, false);
    const char *text = arena_format(arena,
                                    "# what: %d ranks as %s, T = %d, H = G = %d, d = %d\n# cpu: %s, %d "
                                    "processors\n# date: %s\n# command: 23_ring_attention --ranks %d --measure FILE\n"
                                    "# share: work, send, both in ms, the hidden share and its quartiles\n"
                                    "# step: rank, step; began, worked, arrived, ended in ms\n"
                                    "# kind\tR\tT\tH\td\tMB/s\ta\tb\tc\td\te\tf\n",
                                    R, threads ? "threads" : "processes", timed.T, timed.H, timed.d,
                                    machine_here(arena), threads_count(), machine_today(arena), R);
    milliseconds(asked, task, 0.0, false, got);
    for (int n = 0; n < (threads ? RATES : 1); n++) {
        double rate = threads ? rates[n] : 0.0, so_far = INFINITY;
        double work[BATCHES], send[BATCHES], both[BATCHES], hidden[BATCHES];
        for (int i = 0; i < BATCHES; i++) {
            Fastest least = fastest(asked, task, rate, got, &so_far);
            work[i] = least.work;
            send[i] = least.send;
            both[i] = least.both;
            hidden[i] = (work[i] + send[i] - both[i]) / fmin(work[i], send[i]);
        }
        MeasureSpread share = measure_spread(hidden, BATCHES);
        text = arena_format(arena, "%sshare\t%d\t%d\t%d\t%d\t%.0f\t%.2f\t%.2f\t%.2f\t%.3f\t%.3f\t%.3f\n", text, R,
                            timed.T, timed.H, timed.d, rate, measure_spread(work, BATCHES).median,
                            measure_spread(send, BATCHES).median, measure_spread(both, BATCHES).median, share.median,
                            share.low, share.high);
        if (!threads || n == drawn_rates[0] || n == drawn_rates[1]) text = steps_of(arena, text, got, R, rate);
    }
    Error error;
    TableRows table;
    FileBytes bytes = { .at = (const unsigned char *)text, .size = strlen(text) };
    if (!table_parse(&table, arena, bytes, COLUMNS, asked->measure, &error)) lesson_fail(&error);
    if (!file_write(asked->measure, text, strlen(text), &error)) lesson_fail(&error);
    show_shares(lesson, table);
    say(lesson, "A block comes in the time of one step's work at %.1f MB/s.", even_rate(table));
    figure_timeline(lesson, table);
}
