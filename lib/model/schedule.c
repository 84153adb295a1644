// Chapter 20. Who runs in the next step. [Yu et al. 2022, OSDI, §3; Kwon et al. 2023, §4.5, arXiv:2309.06180]
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

// Are there pages for what the request feeds next, given what the tree could do without?
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

static void leave(Schedule *schedule, int place, ScheduleState state)
{
    ScheduleRequest *r = schedule->of[schedule->running[place]];
    page_table_truncate(&r->table, 0);
    r->state = state;
    r->fed = 0;
    schedule->runs--;
    for (int i = place; i < schedule->runs; i++) schedule->running[i] = schedule->running[i + 1];
}

// Who came last gives all of its pages: a part would be of no use while it waits. Of one that is done and waits for the
// others of its batch, nothing is lost.
static void preempt(Schedule *schedule)
{
    int place = schedule->runs - 1;
    while (schedule->of[schedule->running[place]]->table.pages == 0) place--;
    int number = schedule->running[place];
    if (schedule->of[number]->last) {
        page_table_truncate(&schedule->of[number]->table, 0);
        return;
    }
    schedule->of[number]->preempted++;
    schedule->preempted++;
    schedule->again += schedule->of[number]->table.length;
    leave(schedule, place, SCHEDULE_WAITS);
    if (number < schedule->next) schedule->next = number;
}

// ---- a step

// Everyone who runs gets room for the next token. They stand in the order in which they came: whoever is preempted came
// last, and is the next to join.
static bool grow_all(Schedule *schedule)
{
    int64_t before = schedule->preempted;
    for (int i = 0; i < schedule->runs; i++) {
        ScheduleRequest *r = schedule->of[schedule->running[i]];
        r->fed = r->last ? 0 : r->prompt + r->written - r->table.length;
        while (r->state == SCHEDULE_RUNS && !pages_suffice(schedule, r)) preempt(schedule);
        if (r->state == SCHEDULE_RUNS) grow(schedule, r);
        else i--; // those behind it have moved up
    }
    return schedule->preempted > before;
}

// The next one that waits, if its pages suffice. At least one token is fed: what follows is said behind it.
static bool join_next(Schedule *schedule)
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
    while (open && schedule->runs < schedule->most) open = join_next(schedule);
    schedule->steps += schedule->runs > 0;
    return schedule->runs;
}

// A token was written. What was fed may serve others, once a prompt is complete or the answer is.
static void write_one(Schedule *schedule, ScheduleRequest *r, double now)
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
        if (r->fed > 0) write_one(schedule, r, now);
        all = all && r->last;
    }
    if (schedule->together && !all) return;
    for (int i = schedule->runs - 1; i >= 0; i--) {
        ScheduleRequest *r = schedule->of[schedule->running[i]];
        if (!r->last) continue;
        r->done = now;
        leave(schedule, i, SCHEDULE_DONE);
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
        leave(schedule, i, SCHEDULE_WAITS);
        if (number < schedule->next) schedule->next = number;
    }
    if (schedule->tree) prefix_tree_give_back(schedule->tree, schedule->pool->count);
}
