// Chapter 14. What several steps do: make room for results, compare them, find and name words.
#include "steps.h"

int place_of(const Lesson *lesson, const char *word, int otherwise)
{
    int place = sentence_find(&lesson->sentence, word);
    return place < 0 ? otherwise : place;
}

const char *name_of_keys(const Lesson *lesson, MaskRange keys)
{
    const char *const *words = lesson->sentence.words;
    if (keys.count < 2) return keys.count ? words[keys.first] : "no word";
    return arena_format(lesson->arena, "%s … %s", words[keys.first], words[keys.first + keys.count - 1]);
}

Attended room_for(Arena *arena, int T, int dv)
{
    return (Attended){ .out = mat_new(arena, T, dv), .lse = mat_new(arena, T, 1) };
}

double apart(Attended a, Attended b)
{
    return fmax(mat_max_difference(a.out, b.out), mat_max_difference(a.lse, b.lse));
}

int64_t tiles_along(int64_t length, int64_t size) { return (length + size - 1) / size; }
