// Tests of lib/model/schedule.c: who runs, in which order, and that nothing is lost when pages run out.
#include "model/schedule.h"

#include "base/random.h"
#include "support/reference.h"
#include "support/suite.h"

static ScheduleRequest *ask(Schedule *s, int prompt, int answer)
{
    ScheduleRequest *r = arena_alloc(arena, sizeof *r);
    *r = (ScheduleRequest){ .prompt = prompt, .answer = answer };
    schedule_add(s, arena, r);
    return r;
}

static void step_at(Schedule *s, double now)
{
    schedule_begin(s);
    schedule_end(s, now);
}

TEST(come_and_go)
{
    PagePool pool = page_pool_new(arena, 10, 4);
    Schedule s = schedule_new(arena, &pool, 4, 2);
    ScheduleRequest *a = ask(&s, 5, 3), *b = ask(&s, 2, 1), *c = ask(&s, 3, 2);
    ck_assert_int_eq(schedule_begin(&s), 2); // two at once, at most
    ck_assert(a->fed == 5 && b->fed == 2 && c->state == SCHEDULE_WAITS && pool.left == 7 && schedule_waiting(&s) == 1);
    schedule_end(&s, 1.0);
    ck_assert(a->written == 1 && b->state == SCHEDULE_DONE && b->done == 1.0 && pool.left == 8);
    ck_assert_int_eq(schedule_begin(&s), 2); // c joins between two steps
    ck_assert(a->fed == 1 && a->table.length == 6 && c->fed == 3 && c->state == SCHEDULE_RUNS);
    schedule_end(&s, 2.0);
    step_at(&s, 3.0);
    ck_assert(a->first == 1.0 && a->done == 3.0 && c->first == 2.0 && c->done == 3.0);
    ck_assert(schedule_begin(&s) == 0 && pool.left == 10 && s.steps == 3 && s.preempted == 0);
    ck_assert_int_eq(schedule_waiting(&s), 0);
}

// Three pages of two tokens. The second gives its page back when the first needs it, and comes back with all it had.
TEST(preempts_who_came_last)
{
    PagePool pool = page_pool_new(arena, 3, 2);
    Schedule s = schedule_new(arena, &pool, 2, 2);
    ScheduleRequest *a = ask(&s, 2, 3), *b = ask(&s, 1, 4);
    step_at(&s, 1.0);
    ck_assert(a->table.length == 2 && b->table.length == 1 && pool.left == 1);
    step_at(&s, 2.0);
    ck_assert(a->table.length == 3 && b->table.length == 2 && pool.left == 0);
    step_at(&s, 3.0); // b wants a page; it came last, so it is b who goes
    ck_assert(a->state == SCHEDULE_DONE && b->state == SCHEDULE_WAITS && b->preempted == 1 && s.preempted == 1);
    ck_assert(s.again == 2 && b->written == 2 && pool.left == 3);
    ck_assert(schedule_begin(&s) == 1 && b->fed == 3); // prompt and answer so far, in one go
    schedule_end(&s, 4.0);
    step_at(&s, 5.0);
    ck_assert(b->state == SCHEDULE_DONE && b->written == 4 && b->first == 1.0 && b->done == 5.0 && pool.left == 3);
}

// What the tree has is not fed again, but for the last token.
TEST(looks_up_prefixes)
{
    const int said[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
    PagePool pool = page_pool_new(arena, 8, 2);
    PrefixTree tree = prefix_tree_new(arena, &pool);
    Schedule s = schedule_new(arena, &pool, 3, 3);
    s.tree = &tree;
    ScheduleRequest *a = ask(&s, 6, 2), *b = ask(&s, 6, 1), *c = ask(&s, 7, 1);
    a->tokens = b->tokens = c->tokens = said;
    s.most = 1;
    step_at(&s, 1.0);
    s.most = 3;
    schedule_begin(&s);
    ck_assert(b->fed == 2 && c->fed == 1 && s.found == 4 + 6);
    ck_assert(b->table.page[0] == a->table.page[0] && pool.holders[a->table.page[0]] == 4);
    schedule_end(&s, 2.0);
    ck_assert(schedule_begin(&s) == 0 && pool.left == 8 - tree.nodes && tree.nodes == 3);
    schedule_stop(&s);
    ck_assert(pool.left == 8 && tree.nodes == 0);
}

// ---- any load

static bool right_now(const Schedule *s, int shared)
{
    int held = 0, runs = 0;
    for (int n = 0; n < s->count; n++) {
        const ScheduleRequest *r = s->of[n];
        int length = r->state == SCHEDULE_RUNS ? r->prompt + r->written : 0;
        if (!r->last && r->table.length != length) return false;
        if (r->written > r->answer || r->last != (r->written == r->answer)) return false;
        if (n < s->next && r->state == SCHEDULE_WAITS) return false;
        held += r->table.pages;
        runs += r->state == SCHEDULE_RUNS;
    }
    for (int i = 1; i < s->runs; i++)
        if (s->running[i - 1] >= s->running[i]) return false;
    return runs == s->runs && (shared || held == s->pool->count - s->pool->left);
}

// 300 requests in few pages, in both ways, with and without a tree: every one ends with all of its tokens, pages are
// right at every step, and whoever came first is never preempted.
TEST_EACH(nothing_is_lost, 4)
{
    enum { REQUESTS = 300, WORDS = 3 };
    bool together = _i & 1, shared = _i & 2;
    Random random = random_from(200 + (uint64_t)_i);
    PagePool pool = page_pool_new(arena, 20, 4);
    PrefixTree tree = prefix_tree_new(arena, &pool);
    Schedule s = schedule_new(arena, &pool, REQUESTS, 9);
    s.together = together;
    s.tree = shared ? &tree : NULL;
    int said[80], steps = 0;
    for (int t = 0; t < 80; t++) said[t] = random_below(&random, WORDS);
    int64_t written = 0, wanted = 0;
    do {
        for (int more = random_below(&random, 3); more > 0 && s.count < REQUESTS; more--) {
            ScheduleRequest *r = ask(&s, 1 + random_below(&random, 30), 1 + random_below(&random, 40));
            r->tokens = said + random_below(&random, 3);
            wanted += r->answer;
        }
        int runs = schedule_begin(&s);
        int first = runs ? s.running[0] : -1;
        for (int i = 0; i < runs; i++) written += s.of[s.running[i]]->fed > 0;
        ck_assert_msg(right_now(&s, shared), "step %d", steps);
        schedule_end(&s, ++steps);
        ck_assert(first < 0 || s.of[first]->state != SCHEDULE_WAITS);
        ck_assert(runs > 0 || s.next == s.count);
    } while (s.count < REQUESTS || s.runs > 0 || s.next < s.count);
    for (int n = 0; n < REQUESTS; n++)
        ck_assert(s.of[n]->state == SCHEDULE_DONE && s.of[n]->written == s.of[n]->answer);
    ck_assert_int_eq(written, wanted); // no token is written twice
    ck_assert(s.preempted > 20);
    ck_assert(shared ? s.found > 0 : s.found == 0);
    schedule_stop(&s);
    ck_assert_int_eq(pool.left, pool.count);
}

TEST(stopped_before_the_end)
{
    PagePool pool = page_pool_new(arena, 6, 2);
    Schedule s = schedule_new(arena, &pool, 3, 3);
    ScheduleRequest *a = ask(&s, 3, 9), *b = ask(&s, 3, 4);
    step_at(&s, 1.0);
    schedule_stop(&s);
    ck_assert(pool.left == 6 && s.runs == 0 && a->state == SCHEDULE_WAITS && b->written == 1 && s.next == 0);
}

TEST_ABORTS(wrong_use, 5)
{
    quiet();
    PagePool pool = page_pool_new(arena, 2, 4);
    Schedule s = schedule_new(arena, &pool, 1, 1);
    switch (_i) {
    case 0: ask(&s, 5, 4); break; // more than all pages hold
    case 1: ask(&s, 0, 4); break;
    case 2: ask(&s, 1, 0); break;
    case 3:
        ask(&s, 1, 1);
        ask(&s, 1, 1);
        break; // there is room for one
    case 4: schedule_new(arena, &pool, 1, 0); break;
    }
}
