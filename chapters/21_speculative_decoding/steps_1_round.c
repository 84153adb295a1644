// Chapter 21, step 1. What a step of the target costs when it looks at several words at once; and a text written so.
#include "lesson/block_map.h"
#include "model/run_trace.h"
#include "steps.h"

#include <string.h>

// ---- counted

enum { KNOWN = 32 };

static void count_steps(Lesson *lesson, const Asked *asked)
{
    static const char *const cols[] = { "multiplied", "as one word", "read", "as one word" };
    Rows table = rows_of(lesson, "a step of the target: thousands of multiplications, of numbers read", cols, 4);
    Cost one = step_cost(asked->target, KNOWN, 1);
    for (int n = 1; n <= 9; n += n < 3 ? 1 : 2) {
        Cost work = step_cost(asked->target, KNOWN, n);
        rows_add(&table,
                 ROW((double)work.multiplies / 1e3, (double)work.multiplies / (double)one.multiplies,
                     (double)work.reads / 1e3, (double)work.reads / (double)one.reads),
                 "%d word%s", n, n > 1 ? "s" : "");
    }
    show_rows(lesson, &table);
    Cost five = step_cost(asked->target, KNOWN, 5);
    double multiplied = (double)five.multiplies / (double)one.multiplies;
    double fetched = (double)five.reads / (double)one.reads;
    check(lesson, multiplied > 5.0 && fetched < 1.25,
          "five words take %.2f times the multiplications of one, and "
          "%.2f times the reading",
          multiplied, fetched);
}

// ---- a text

static const char *words_between(Arena *arena, const int *tokens, int count)
{
    const char *text = "";
    for (int i = 0; i < count; i++)
        text = arena_format(arena, "%s%s%s", text, i ? " " : "", document_word_text(tokens[i]));
    return text;
}

static int smaller(int a, int b) { return a < b ? a : b; }

static void write_text(Lesson *lesson, const Asked *asked)
{
    enum { SHOWN = 7, WRITTEN = 40 };
    Arena *arena = lesson->arena;
    Writer *w = writer_new(arena, asked, asked->which, asked->gamma, asked->how, random_bits(&lesson->random));
    memcpy(w->tokens, asked->prompt, (size_t)asked->P * sizeof *w->tokens);
    int length = asked->P, most = smaller(asked->P + WRITTEN, DOCUMENT_T);
    say(lesson, "Words to go on from: %s", document_text(arena, w->tokens, asked->P));
    const char *lines = arena_format(arena, "%-40s kept, and behind them\n",
                                     arena_format(arena, "%s drafts", draft_names[asked->which]));
    while (length < most) {
        int before = length;
        int64_t kept = w->s.kept, proposed = w->s.proposed;
        length = speculative_round(&w->s, w->tokens, length, most);
        if (w->s.rounds > SHOWN) continue;
        kept = w->s.kept - kept;
        const char *drafted = words_between(arena, w->s.drafted, (int)(w->s.proposed - proposed));
        lines = arena_format(arena, "%s%-40s %4d   %s\n", lines, drafted, (int)kept,
                             document_word_text(w->tokens[before + kept]));
    }
    say_lines(lesson, lines);
    say(lesson, "%s", document_text(arena, w->tokens, length));
    int words = length - asked->P;
    check(lesson, w->s.kept + w->s.rounds == words && w->s.rounds <= words,
          "%d words in %d steps of the target: one for each step, and %d drafted ones that were kept", words,
          (int)w->s.rounds, (int)w->s.kept);
    if (!lesson->trace) return;
    const char *names[DOCUMENT_T];
    for (int t = 0; t < length; t++) names[t] = document_word_text(w->tokens[t]);
    Run run = run_transformer(arena, asked->target, run_batch_of_one(arena, w->tokens, length), (Mat){ 0 });
    run_trace(lesson->trace, &run, names);
}

void a_step_for_several(Lesson *lesson, const Asked *asked)
{
    step(lesson, "A step for several words");
    block_map_figure(lesson, "here.png", BLOCK_MAP_NEXT);
    count_steps(lesson, asked);
    write_text(lesson, asked);
}
