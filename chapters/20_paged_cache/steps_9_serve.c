// Chapter 20, --serve. Prompts from a file or from standard input, one a line, decoded together.
//
// An answer ends with its sentence. Lines of standard input join as they come, between two steps. Once a second it is
// said what stands in the cache. Ctrl-C, or SIGTERM, ends it: what was begun is left, all pages are given back, and the
// exit status is 128 and the signal's number, as shells have it. A second one ends it at once.
#include "base/measure.h"
#include "base/os.h"
#include "io/file.h"
#include "io/text.h"
#include "steps.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PROMPTS = 1 << 14, AT_ONCE = 64, LONGEST_LINE = 4096 };

static volatile sig_atomic_t stopped_by;

static void note_signal(int signal_number) { stopped_by = signal_number; }

// ---- prompts

typedef struct {
    Lesson *lesson;
    Server *server;
    const Choices *choices;
    const char *source; // for messages
    int line, refused, answered;
    bool open;                   // more may come
    char rest[LONGEST_LINE + 1]; // of standard input: a line that is not complete yet
    size_t rest_size;
    bool cut; // its beginning has been asked already
    double begun, told;
    int64_t written; // by requests that are done
} Serving;

// A line of `size` bytes becomes a request. false: it cannot, and `error` says why.
static bool ask_line(Serving *s, const char *text, size_t size, Error *error)
{
    int words[DOCUMENT_T], count;
    Error inner;
    s->line++;
    if (strlen(text) < size)
        return error_set(error, "%s: line %d: found a byte that is 0, after %zu others; a prompt is text", s->source,
                         s->line, strlen(text));
    if (!text[strspn(text, " \t\r\n")]) return true;
    if (!document_read(words, &count, DOCUMENT_T - 1, text, &inner))
        return error_set(error, "%s: line %d: %s", s->source, s->line, inner.text);
    if (s->server->schedule.count == MOST_PROMPTS)
        return error_set(error, "%s: line %d: there are %d prompts already, and no room for more", s->source, s->line,
                         MOST_PROMPTS);
    int room = DOCUMENT_T - count, answer = s->choices->answer < room ? s->choices->answer : room;
    server_ask(s->server, words, count, answer, document_word_named("."), measure_clock_wall());
    return true;
}

// A whole file, before any work: one bad line, and nothing is decoded.
static void ask_file(Serving *s)
{
    FileBytes bytes;
    Error error;
    Arena *arena = arena_open();
    if (!file_read(&bytes, arena, s->source, &error)) lesson_fail(&error);
    for (size_t at = 0; at < bytes.size;) {
        const char *text = (const char *)bytes.at + at, *end = memchr(text, '\n', bytes.size - at);
        size_t size = end ? (size_t)(end - text) : bytes.size - at;
        char *line = arena_alloc(arena, size + 1);
        memcpy(line, text, size);
        if (!ask_line(s, line, size, &error)) lesson_fail(&error);
        at += size + 1;
    }
    arena_close(arena);
}

// On standard input a bad line is refused, and the others go on.
static void ask_or_refuse(Serving *s, const char *text, size_t size)
{
    Error error;
    if (ask_line(s, text, size, &error)) return;
    fflush(stdout);
    fprintf(stderr, "%s\n", error.text);
    s->refused++;
}

static void cut_into_lines(Serving *s)
{
    char *end = NULL;
    while ((end = memchr(s->rest, '\n', s->rest_size)) != NULL) {
        size_t length = (size_t)(end - s->rest);
        *end = '\0';
        if (!s->cut) ask_or_refuse(s, s->rest, length);
        s->cut = false;
        s->rest_size -= length + 1;
        memmove(s->rest, end + 1, s->rest_size);
    }
    if (s->rest_size < LONGEST_LINE) return;
    s->rest[s->rest_size] = '\0'; // no prompt is as long as that: the rest is not looked at
    if (!s->cut) ask_or_refuse(s, s->rest, s->rest_size);
    s->cut = true;
    s->rest_size = 0;
}

// What has come, without waiting longer than `milliseconds`.
static void read_input(Serving *s, int milliseconds)
{
    if (!s->open || !os_input_waits(milliseconds)) return;
    ssize_t got = read(0, s->rest + s->rest_size, LONGEST_LINE - s->rest_size);
    if (got < 0 && errno == EINTR) return;
    if (got > 0) s->rest_size += (size_t)got;
    cut_into_lines(s);
    if (got > 0) return;
    s->open = false;
    if (got < 0) {
        fprintf(stderr, "standard input: %s\n", strerror(errno));
        s->refused++;
    }
    s->rest[s->rest_size] = '\0';
    if (s->rest_size && !s->cut) ask_or_refuse(s, s->rest, s->rest_size);
}

// ---- answers

static int64_t written_so_far(const Serving *s)
{
    int64_t written = s->written;
    for (int n = s->server->forgotten; n < s->server->schedule.count; n++) written += s->server->of[n].request.written;
    return written;
}

// Answers in the order of the prompts, as soon as all before them are there.
static void hand_over(Serving *s)
{
    Server *server = s->server;
    while (server->forgotten < server->schedule.count && server->of[server->forgotten].request.state == SCHEDULE_DONE) {
        const ServerRequest *done = &server->of[server->forgotten];
        const ScheduleRequest *r = &done->request;
        Arena *arena = arena_open();
        say(s->lesson, "%d. %s → %s", server->forgotten + 1, document_text(arena, done->tokens, r->prompt),
            document_text(arena, done->tokens + r->prompt, r->written));
        fflush(stdout);
        arena_close(arena);
        s->written += r->written;
        s->answered++;
        server_forget(server, server->forgotten);
    }
}

// Once a second.
static void print_status(Serving *s)
{
    if (measure_clock_wall() < s->told + 1.0) return;
    s->told = measure_clock_wall();
    ServerPages pages = server_pages(s->server);
    const Schedule *schedule = &s->server->schedule;
    say(s->lesson, "%.0f s: %d run, %d wait; %d of %d pages, %d shared; %lld words; %lld preempted", s->told - s->begun,
        schedule->runs, schedule_waiting(schedule), pages.held, s->server->pool.count, pages.shared,
        (long long)written_so_far(s), (long long)schedule->preempted);
    fflush(stdout);
}

static void sum_up(Serving *s)
{
    const Schedule *schedule = &s->server->schedule;
    int64_t written = written_so_far(s);
    int all = schedule->count;
    server_close(s->server);
    say(s->lesson,
        "%sPrompts: %d. Answered: %d. Words: %lld, in %.1f s. Found in the tree: %lld words. Computed "
        "again: %lld words, after %lld preemptions.",
        stopped_by ? "Stopped. " : "", all, s->answered, (long long)written, measure_clock_wall() - s->begun,
        (long long)schedule->found, (long long)schedule->again, (long long)schedule->preempted);
    check(s->lesson, s->server->pool.left == s->server->pool.count, "all %d pages are back", s->server->pool.count);
}

int serve_prompts(Lesson *lesson, Transformer model, const Choices *choices)
{
    bool standard = !strcmp(choices->serve, "-");
    Serving *s = arena_alloc(lesson->arena, sizeof *s);
    *s = (Serving){
        .lesson = lesson, .choices = choices, .open = standard, .source = standard ? "standard input" : choices->serve
    };
    s->server = server_new(lesson->arena, model, choices->pages, choices->size, MOST_PROMPTS, AT_ONCE, true);
    if (!standard) ask_file(s);
    os_catch_interrupts(note_signal);
    s->begun = s->told = measure_clock_wall();
    bool busy = true;
    while (!stopped_by && (busy || s->open)) {
        read_input(s, busy ? 0 : 250);
        if (stopped_by) break;
        busy = server_step(s->server, measure_clock_wall());
        hand_over(s);
        print_status(s);
    }
    sum_up(s);
    int refused = s->refused, status = lesson_close(lesson);
    return status ? status : stopped_by ? 128 + stopped_by : refused ? 1 : 0;
}
