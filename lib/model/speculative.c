// Chapter 21. Draft, verify, roll back.
#include "model/speculative.h"

// ---- one token

double speculative_overlap(const double *p, const double *q, int n)
{
    double sum = 0.0;
    for (int x = 0; x < n; x++) sum += p[x] < q[x] ? p[x] : q[x];
    return sum;
}

void speculative_rest(double *rest, const double *p, const double *q, int n)
{
    for (int x = 0; x < n; x++) rest[x] = p[x] > q[x] ? p[x] - q[x] : 0.0;
}

// An empty residual means that p and q differ by rounding only.
static int sample_residual(const double *p, const double *q, int n, Random *random)
{
    Arena *scratch = arena_open();
    double *rest = arena_alloc(scratch, (size_t)n * sizeof *rest), sum = 0.0;
    speculative_rest(rest, p, q, n);
    for (int x = 0; x < n; x++) sum += rest[x];
    int drawn = sample_draw(sum > 0.0 ? rest : p, n, random);
    arena_close(scratch);
    return drawn;
}

// Rejection sampling. Token x is drafted and accepted with probability q(x) · min(1, p(x) / q(x)) = min(p(x), q(x)). The
// draft is rejected with probability Σ max(0, p − q); then x is sampled with probability max(0, p(x) − q(x)) / that sum.
// The two cases add up to p(x).
// [Leviathan et al. 2023, §2.3 and appendix A.1]
int speculative_rule(bool *kept, const double *p, const double *q, int n, int drafted, Random *random)
{
    *kept = sample_uniform(random) * q[drafted] < p[drafted];
    return *kept ? drafted : sample_residual(p, q, n, random);
}

// ---- drafted tokens

int speculative_check(int *tokens, const double *p, const double *q, const int *drafted, int count, int n,
                      SpeculativeRule *rule, Random *random)
{
    for (int i = 0; i < count; i++) {
        bool kept;
        tokens[i] = rule(&kept, p + (ptrdiff_t)i * n, q + (ptrdiff_t)i * n, n, drafted[i], random);
        if (!kept) return i;
    }
    tokens[count] = sample_draw(p + (ptrdiff_t)count * n, n, random);
    return count;
}

// ---- drafts

// The cache contains all tokens but the last, or additionally earlier drafts, which are rolled back.
static int propose_by_model(void *context, int *drafted, double *q, const SpeculativeAsked *asked)
{
    Decoder *decoder = context;
    int known = decoder_length(decoder), words = asked->words;
    if (known >= asked->length) decoder_truncate(decoder, known = asked->length - 1);
    Arena *scratch = arena_open();
    Mat logits = mat_new(scratch, asked->length - known, words), last = mat_rows(logits, logits.rows - 1, 1);
    if (asked->most > 0) decoder_feed(logits, decoder, asked->tokens + known, asked->length - known);
    for (int i = 0; i < asked->most; i++) {
        double *chance = q + (ptrdiff_t)i * words;
        if (i > 0) decoder_feed(last, decoder, drafted + i - 1, 1);
        sample_chances(chance, mat_row(last, 0), words, asked->how);
        drafted[i] = sample_draw(chance, words, asked->random);
    }
    arena_close(scratch);
    return asked->most;
}

SpeculativeDraft speculative_by_model(Decoder *decoder) { return (SpeculativeDraft){ decoder, propose_by_model }; }

// Finds an earlier occurrence of the last `size` tokens; returns the position after it, or 0.
static int earlier_occurrence(const int *tokens, int length, int size)
{
    for (int end = length - 1; end >= size; end--) {
        int same = 0;
        while (same < size && tokens[end - 1 - same] == tokens[length - 1 - same]) same++;
        if (same == size) return end;
    }
    return 0;
}

static int propose_by_look_up(void *context, int *drafted, double *q, const SpeculativeAsked *asked)
{
    const SpeculativeLookUp *look_up = context;
    int start = 0, count = 0;
    for (int size = look_up->longest; size >= 1 && !start; size--)
        start = earlier_occurrence(asked->tokens, asked->length, size);
    if (!start) return 0;
    for (; count < asked->most && start + count < asked->length; count++) {
        drafted[count] = asked->tokens[start + count];
        for (int x = 0; x < asked->words; x++) q[(ptrdiff_t)count * asked->words + x] = x == drafted[count];
    }
    return count;
}

SpeculativeDraft speculative_by_look_up(SpeculativeLookUp *look_up)
{
    return (SpeculativeDraft){ look_up, propose_by_look_up };
}

// ---- decoding

Speculation speculative_new(Arena *arena, Decoder *target, SpeculativeDraft draft, int gamma, Sampling how,
                            uint64_t seed)
{
    const Config *c = &target->model.config;
    REQUIRE(gamma >= 0 && c->words == c->outputs, "%d drafted tokens, %d words, %d outputs", gamma, c->words,
            c->outputs);
    size_t row = (size_t)c->words * sizeof(double), rows = (size_t)gamma;
    return (Speculation){ .target = target,
                          .draft = draft,
                          .gamma = gamma,
                          .how = how,
                          .rule = speculative_rule,
                          .random = random_from(seed),
                          .drafted = arena_alloc(arena, rows * sizeof(int)),
                          .p = arena_alloc(arena, (rows + 1) * row),
                          .q = arena_alloc(arena, rows * row) };
}

int speculative_round(Speculation *s, int *tokens, int length, int most)
{
    int fed = decoder_length(s->target), words = s->target->model.config.words;
    int remaining = most - length - 1, proposals = s->gamma < remaining ? s->gamma : remaining;
    REQUIRE(length >= 1 && fed < length && length < most, "%d tokens of %d, of which the target has been fed %d",
            length, most, fed);

    // 1. Draft.
    int count = 0;
    if (proposals > 0)
        count = s->draft.propose(s->draft.context, s->drafted, s->q,
                                 &(SpeculativeAsked){ tokens, length, proposals, words, s->how, &s->random });

    // 2. The target is fed all new tokens in one step. Row i of p follows i drafted tokens.
    Arena *scratch = arena_open();
    int n = length - fed + count, *chunk = arena_alloc(scratch, (size_t)n * sizeof *chunk);
    for (int i = 0; i < n; i++) chunk[i] = fed + i < length ? tokens[fed + i] : s->drafted[fed + i - length];
    Mat logits = mat_new(scratch, n, words);
    decoder_feed(logits, s->target, chunk, n);
    for (int i = 0; i <= count; i++)
        sample_chances(s->p + (ptrdiff_t)i * words, mat_row(logits, n - 1 - count + i), words, s->how);
    arena_close(scratch);

    // 3. Accept or reject, add one token, and roll the target back.
    int accepted = speculative_check(tokens + length, s->p, s->q, s->drafted, count, words, s->rule, &s->random);
    decoder_truncate(s->target, length + accepted);
    s->rounds++;
    s->proposed += count;
    s->kept += accepted;
    s->tested += accepted + (accepted < count);
    return length + accepted + 1;
}

void speculative_continue(Speculation *s, int *tokens, int length, int most)
{
    while (length < most) length = speculative_round(s, tokens, length, most);
}
