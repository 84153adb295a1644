// Chapter 21. Texts that are written with drafts, and what is counted of them.
#include "base/portable_math.h"
#include "steps.h"

#include <string.h>

const char *const draft_names[] = { "language-32", "language-16", "look-up", NULL };

Writer *writer_new(Arena *arena, const Asked *asked, int which, int gamma, Sampling how, uint64_t seed)
{
    Writer *w = arena_alloc(arena, sizeof *w);
    SpeculativeDraft draft = { NULL, NULL };
    w->target = decoder_new(arena, asked->target, DOCUMENT_T);
    w->look_up.longest = 2;
    w->tokens = arena_alloc(arena, DOCUMENT_T * sizeof *w->tokens);
    if (which < DRAFTS) {
        w->draft = decoder_new(arena, asked->draft[which], DOCUMENT_T);
        draft = speculative_by_model(&w->draft);
    } else if (which == LOOK_UP) {
        draft = speculative_by_look_up(&w->look_up);
    }
    w->s = speculative_new(arena, &w->target, draft, which == ALONE ? 0 : gamma, how, seed);
    return w;
}

void document_begin(int *tokens, int nth)
{
    Random random = random_from(2100 + (uint64_t)nth);
    Arena *scratch = arena_open();
    DocumentSample *document = arena_alloc(scratch, sizeof *document);
    document_draw(document, DOCUMENT_T, &random);
    memcpy(tokens, document->words, DOCUMENT_T * sizeof *tokens);
    arena_close(scratch);
}

Cost step_cost(Transformer model, int known, int n)
{
    Arena *scratch = arena_open();
    Decoder decoder = decoder_new(scratch, model, known + n);
    Mat logits = mat_new(scratch, known, model.config.outputs);
    int tokens[DOCUMENT_T];
    document_begin(tokens, 0);
    decoder_feed(logits, &decoder, tokens, known);
    Cost before = cost_counted;
    decoder_feed(mat_rows(logits, 0, n), &decoder, tokens + known, n);
    Cost work = cost_since(before);
    arena_close(scratch);
    return work;
}

Counted writer_counts(const Asked *asked, int which, int gamma, Sampling how, uint64_t seed)
{
    Counted sum = { 0 };
    for (int n = 0; n < asked->documents; n++) {
        Arena *scratch = arena_open();
        Writer *w = writer_new(scratch, asked, which, gamma, how, seed + (uint64_t)n);
        document_begin(w->tokens, n);
        speculative_continue(&w->s, w->tokens, PROMPT, DOCUMENT_T);
        sum.tokens += DOCUMENT_T - PROMPT;
        sum.rounds += (double)w->s.rounds;
        sum.proposed += (double)w->s.proposed;
        sum.tested += (double)w->s.tested;
        sum.kept += (double)w->s.kept;
        arena_close(scratch);
    }
    return sum;
}

double tokens_by_formula(double alpha, int gamma)
{
    double sum = 0.0;
    for (int i = 0; i <= gamma; i++) sum += pow(alpha, i);
    return sum;
}

// q of one position: a draft model's logits; or what look-up proposes, nothing being a chance of 0 for every token.
static double overlap_at(double *p, double *q, Mat target, Mat draft, const int *tokens, int t, Sampling how)
{
    int words = target.cols;
    sample_chances(p, mat_row(target, t), words, how);
    if (!mat_empty(draft)) {
        sample_chances(q, mat_row(draft, t), words, how);
        return speculative_overlap(p, q, words);
    }
    SpeculativeLookUp two = { 2 };
    SpeculativeDraft by_text = speculative_by_look_up(&two);
    Random unused = random_from(0);
    int drafted;
    SpeculativeAsked one = { tokens, t + 1, 1, words, how, &unused };
    return by_text.propose(by_text.context, &drafted, q, &one) ? p[drafted] : 0.0;
}

Overlaps overlaps_of(const Asked *asked, int which, Sampling how, uint64_t seed)
{
    Overlaps found = { .count = DOCUMENT_T - PROMPT };
    double squares = 0.0, products = 0.0, ends = 0.0;
    int words = asked->target.config.words, all = 0, pairs = 0;
    for (int n = 0; n < asked->documents; n++) {
        Arena *scratch = arena_open();
        Writer *w = writer_new(scratch, asked, ALONE, 0, how, seed + (uint64_t)n);
        document_begin(w->tokens, n);
        speculative_continue(&w->s, w->tokens, PROMPT, DOCUMENT_T);
        RunBatch text = run_batch_of_one(scratch, w->tokens, DOCUMENT_T);
        Mat p = run_transformer(scratch, asked->target, text, (Mat){ 0 }).logits, q = { 0 };
        if (which < DRAFTS) q = run_transformer(scratch, asked->draft[which], text, (Mat){ 0 }).logits;
        double *room = arena_alloc(scratch, 2 * (size_t)words * sizeof *room), before = 0.0;
        for (int t = PROMPT - 1; t < DOCUMENT_T - 1; t++) {
            double overlap = overlap_at(room, room + words, p, q, w->tokens, t, how);
            if (n == 0) found.of[t - PROMPT + 1] = overlap;
            found.mean += overlap;
            squares += overlap * overlap;
            all++;
            if (t >= PROMPT) {
                products += overlap * before;
                ends += 0.5 * (overlap + before);
                pairs++;
            }
            before = overlap;
        }
        arena_close(scratch);
    }
    found.mean /= all;
    double variance = squares / all - found.mean * found.mean, middle = ends / pairs;
    found.neighbours = (products / pairs - middle * middle) / variance;
    return found;
}
