// A set of rows is described by those axes of which it does not contain every index.
#include "judge/error_location.h"

#include "base/portable_math.h"

#include <string.h>

// Indices of a set as text: "0–4, 7, 9", at most three runs.
static const char *indices_of(Arena *arena, const bool *in, int count)
{
    const char *text = "";
    int runs = 0;
    for (int e = 0; e < count; e++) {
        if (!in[e]) continue;
        int last = e;
        while (last + 1 < count && in[last + 1]) last++;
        if (runs == 3) return arena_format(arena, "%s, …", text);
        text = last > e ? arena_format(arena, "%s%s%d–%d", text, runs ? ", " : "", e, last)
                        : arena_format(arena, "%s%s%d", text, runs ? ", " : "", e);
        runs++;
        e = last;
    }
    return text;
}

// Appends "head 3" or "heads 0–2", unless the set is the whole axis.
static const char *along(Arena *arena, const char *words, const char *one, const char *many, const bool *in, int count)
{
    int members = 0;
    for (int e = 0; e < count; e++) members += in[e];
    if (members == count) return words;
    return arena_format(arena, "%s%s%s %s", words, *words ? ", " : "", members == 1 ? one : many,
                        indices_of(arena, in, count));
}

const char *error_location_rows(Arena *arena, JudgeShape is, const unsigned char *marks, int any_of, size_t *of)
{
    bool *b = arena_alloc(arena, (size_t)is.B), *h = arena_alloc(arena, (size_t)is.H);
    bool *i = arena_alloc(arena, (size_t)is.T);
    size_t T = (size_t)is.T, H = (size_t)is.H, rows = (size_t)is.B * H * T;
    *of = 0;
    for (size_t row = 0; row < rows; row++) {
        if (!(marks[row] & any_of)) continue;
        b[row / T / H] = h[row / T % H] = i[row % T] = true;
        ++*of;
    }
    const char *words = along(arena, "", "sequence", "sequences", b, is.B);
    words = along(arena, words, "head", "heads", h, is.H);
    return along(arena, words, "query", "queries", i, is.T);
}

// Errors of one sign are not rounding; rows of only 0 were not written.
static const char *sign_of(const HypothesisCase *c)
{
    size_t over = 0, under = 0, outward = 0, inward = 0, zero = 0;
    for (size_t e = 0; e < c->found.count; e++) {
        double off = c->theirs[e] - c->ours[e];
        if (!isfinite(off) || fabs(off) <= c->tolerance.a + c->tolerance.r * fabs(c->ours[e])) continue;
        zero += c->theirs[e] == 0;
        if (off > 0) over++;
        else under++;
        if (fabs(c->theirs[e]) > fabs(c->ours[e])) outward++;
        else inward++;
    }
    if (zero == over + under && zero > 1) return "yours is 0 in all of them";
    if (over + under < 8) return NULL;
    return !under     ? "yours is larger in all of them"
           : !over    ? "yours is smaller in all of them"
           : !inward  ? "yours is farther from 0 in all of them"
           : !outward ? "yours is nearer to 0 in all of them"
                      : NULL;
}

const char *error_location_print(Arena *arena, const HypothesisCase *c)
{
    JudgeShape is = c->problem->is;
    size_t width = (size_t)hypothesis_width(c), rows = c->found.count / width, wrong = 0;
    unsigned char *marks = arena_alloc(arena, rows);
    bool *columns = arena_alloc(arena, width);
    for (size_t row = 0; row < rows; row++) {
        Comparison one = compare_arrays(c->theirs + row * width, c->ours + row * width, width, c->tolerance);
        marks[row] = one.out > 0;
        if (!one.out) continue;
        for (size_t k = 0; k < width; k++)
            columns[k] |=
                compare_arrays(&c->theirs[row * width + k], &c->ours[row * width + k], 1, c->tolerance).out > 0;
    }
    const char *words = error_location_rows(arena, is, marks, 1, &wrong), *sign = sign_of(c);
    if (c->what == HYPOTHESIS_OUTPUT) words = along(arena, words, "channel", "channels", columns, (int)width);
    if (c->what == HYPOTHESIS_WEIGHTS) words = along(arena, words, "key", "keys", columns, (int)width);
    const char *only = *words ? arena_format(arena, "only in %s", words) : "in every head, query and sequence";
    const char *others = wrong < rows ? "; the others are right" : "";
    const char *text = arena_format(arena, "%zu of %zu rows%s", wrong, rows, others);
    if (wrong < rows || *words) text = arena_format(arena, "%s\n%s", text, only);
    return sign ? arena_format(arena, "%s\n%s", text, sign) : text;
}
