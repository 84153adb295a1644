// Chapter 26, before the steps. Model B on twins: sentences that differ in one word, and in one gloss because of it.
#include "base/portable_math.h"
#include "steps.h"

static void twins_run(Twins *t, Arena *arena, Transformer model)
{
    for (int k = 0; k < BOTH; k++)
        t->run[k] = run_transformer(arena, model, run_batch_of_one(arena, t->s[k].words, t->s[k].T), (Mat){ 0 });
}

const Translator *translator_read(Lesson *lesson, const char *name, Transformer model)
{
    Arena *arena = lesson->arena;
    int H = model.config.H;
    Translator *b = arena_alloc(arena, sizeof *b);
    *b = (Translator){ .name = name,
                       .model = model,
                       .heads = model.config.L * H,
                       .swapped = arena_alloc(arena, BOTH * PAIRS * sizeof *b->swapped) };
    for (int n = 0; n < b->heads; n++) b->head[n] = arena_format(arena, "%d.%d", n / H, n % H);
    for (int k = 0; k < BOTH; k++) grammar_sentence_of_the_book(&b->book.s[k], k);
    twins_run(&b->book, arena, model);
    Random random = lesson->random; // a copy: both translators get the same sentences
    for (int p = 0; p < PAIRS; p++) {
        grammar_sentence_twins(&b->pair[p].s[0], &b->pair[p].s[1], false, &random);
        twins_run(&b->pair[p], arena, model);
    }
    return b;
}

double lead_in(const Twins *t, Mat logits, int which)
{
    int it = t->s[0].it;
    return mat_value(logits, it, t->s[which].glosses[it]) - mat_value(logits, it, t->s[!which].glosses[it]);
}

double lead(const Twins *t, const Run *run, int which) { return lead_in(t, run_logits(run, 0), which); }

double way_gone(const Twins *t, double now, int which)
{
    double from = lead(t, &t->run[which], which), to = lead(t, &t->run[!which], which);
    return (now - from) / (to - from);
}

double moved(const Twins *t, const Run *run, int which) { return way_gone(t, lead(t, run, which), which); }

void sample_add(Sample *s, double one)
{
    s->sum += one;
    s->squares += one * one;
    s->count++;
}

double sample_mean(const Sample *s) { return s->sum / s->count; }

double sample_error(const Sample *s)
{
    double mean = sample_mean(s);
    return sqrt(fmax(0.0, s->squares / s->count - mean * mean) / (s->count - 1));
}
