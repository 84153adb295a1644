// Chapter 20. Continuous batching. [Yu et al. 2022, OSDI, §3; Kwon et al. 2023, §4.5, arXiv:2309.06180]
#include "model/schedule.h"

#include "base/error.h"

Schedule schedule_new(Arena *arena, PagePool *pool, int room, int most)
{
    REQUIRE(room >= 0 && most >= 1, "%d requests, %d at once", room, most);
    Schedule schedule = { .pool = pool, .room = room, .most = most };
    schedule.of = arena_alloc(arena, (size_t)room * sizeof *schedule.of);
    schedule.running = arena_alloc(arena, (size_t)most * sizeof *schedule.running);
    return schedule;
}

void schedule_add(Schedule *schedule, Arena *arena, ScheduleRequest *request)
{
    int tokens = request->prompt + request->answer;
    REQUIRE(schedule->count < schedule->room, "request %d of %d", schedule->count, schedule->room);
    REQUIRE(request->prompt >= 1 && request->answer >= 1, "a prompt of %d tokens, an answer of %d", request->prompt,
            request->answer);
    request->table = page_table_new(arena, schedule->pool, tokens);
    REQUIRE(page_table_missing(&request->table, tokens) <= schedule->pool->count,
            "a request of %d tokens in %d pages of %d", tokens, schedule->pool->count, schedule->pool->size);
    request->state = SCHEDULE_WAITS;
    schedule->of[schedule->count++] = request;
}

// ---- pages

// Are there enough pages for what the request feeds next, including those that the prefix tree can evict?
static bool pages_suffice(Schedule *schedule, const ScheduleRequest *r)
{
    int missing = page_table_missing(&r->table, r->fed);
    if (schedule->tree && missing > schedule->pool->left) prefix_tree_give_back(schedule->tree, missing);
    return missing <= schedule->pool->left;
}

static void grow(Schedule *schedule, ScheduleRequest *r)
{
    bool grown = page_table_grow(&r->table, r->fed, schedule->copy, schedule->context);
    REQUIRE(grown, "%d tokens more, and %d pages are left", r->fed, schedule->pool->left);
}

static void release(Schedule *schedule, int index, ScheduleState state)
{
    ScheduleRequest *r = schedule->of[schedule->running[index]];
    page_table_truncate(&r->table, 0);
    r->state = state;
    r->fed = 0;
    schedule->runs--;
    for (int i = index; i < schedule->runs; i++) schedule->running[i] = schedule->running[i + 1];
}

// Preempts the newest request: it releases all pages, since a part is useless while it waits. A finished request that
// waits for its static batch loses nothing.
static void preempt(Schedule *schedule)
{
    int index = schedule->runs - 1;
    while (schedule->of[schedule->running[index]]->table.pages == 0) index--;
    int number = schedule->running[index];
    if (schedule->of[number]->last) {
        page_table_truncate(&schedule->of[number]->table, 0);
        return;
    }
    schedule->of[number]->preempted++;
    schedule->preempted++;
    schedule->again += schedule->of[number]->table.length;
    release(schedule, index, SCHEDULE_WAITS);
    if (number < schedule->next) schedule->next = number;
}

// ---- a step

// Extends every running request by one token. They are ordered by arrival: the preempted one is the newest, and the
// first to rejoin.
static bool grow_all(Schedule *schedule)
{
    int64_t before = schedule->preempted;
    for (int i = 0; i < schedule->runs; i++) {
        ScheduleRequest *r = schedule->of[schedule->running[i]];
        r->fed = r->last ? 0 : r->prompt + r->written - r->table.length;
        while (r->state == SCHEDULE_RUNS && !pages_suffice(schedule, r)) preempt(schedule);
        if (r->state == SCHEDULE_RUNS) grow(schedule, r);
        else i--; // later entries have moved up
    }
    return schedule->preempted > before;
}

// Admits the next waiting request if there are pages. At least one token is fed, since its output is needed.
static bool admit_next(Schedule *schedule)
{
    while (schedule->next < schedule->count && schedule->of[schedule->next]->state != SCHEDULE_WAITS) schedule->next++;
    if (schedule->next == schedule->count) return false;
    ScheduleRequest *r = schedule->of[schedule->next];
    int tokens = r->prompt + r->written, found = 0;
    if (schedule->tree) found = prefix_tree_look_up(schedule->tree, &r->table, r->tokens, tokens - 1);
    r->fed = tokens - found;
    if (!pages_suffice(schedule, r)) {
        page_table_truncate(&r->table, 0);
        r->fed = 0;
        return false;
    }
    grow(schedule, r);
    r->state = SCHEDULE_RUNS;
    schedule->found += found;
    schedule->running[schedule->runs++] = schedule->next++;
    return true;
}

int schedule_begin(Schedule *schedule)
{
    bool nobody = schedule->runs == 0;
    bool preempted = grow_all(schedule);
    bool open = !preempted && (nobody || !schedule->together);
    while (open && schedule->runs < schedule->most) open = admit_next(schedule);
    schedule->steps += schedule->runs > 0;
    return schedule->runs;
}

// Records a generated token. Fed tokens enter the prefix tree when a prompt or an answer is complete.
static void record_token(Schedule *schedule, ScheduleRequest *r, double now)
{
    if (r->written++ == 0) r->first = now;
    r->last = r->last || r->written == r->answer;
    if (schedule->tree && (r->last || r->fed > 1)) prefix_tree_keep(schedule->tree, &r->table, r->tokens);
}

void schedule_end(Schedule *schedule, double now)
{
    bool all = true;
    for (int i = 0; i < schedule->runs; i++) {
        ScheduleRequest *r = schedule->of[schedule->running[i]];
        if (r->fed > 0) record_token(schedule, r, now);
        all = all && r->last;
    }
    if (schedule->together && !all) return;
    for (int i = schedule->runs - 1; i >= 0; i--) {
        ScheduleRequest *r = schedule->of[schedule->running[i]];
        if (!r->last) continue;
        r->done = now;
        release(schedule, i, SCHEDULE_DONE);
    }
}

int schedule_waiting(const Schedule *schedule)
{
    int waiting = 0;
    for (int n = schedule->next; n < schedule->count; n++) waiting += schedule->of[n]->state == SCHEDULE_WAITS;
    return waiting;
}

void schedule_stop(Schedule *schedule)
{
    for (int i = schedule->runs - 1; i >= 0; i--) {
        int number = schedule->running[i];
        release(schedule, i, SCHEDULE_WAITS);
        if (number < schedule->next) schedule->next = number;
    }
    if (schedule->tree) prefix_tree_give_back(schedule->tree, schedule->pool->count);
}
