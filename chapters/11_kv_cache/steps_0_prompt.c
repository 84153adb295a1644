// Chapter 11. The prompt of step 5 that the reader gives.
#include "steps.h"

#include <stdlib.h>

// "3,17,9" as tokens of a model that knows `words` of them. Anything else is answered in terms of the flag.
Prompt prompt_read(Lesson *lesson, const char *text, int words)
{
    Prompt prompt = { .count = 0 };
    bool fine = true;
    for (const char *at = text; fine; at++) {
        char *end;
        long token = strtol(at, &end, 10);
        fine = end != at && prompt.count < PROMPT_MOST && token >= 0 && token < words && (*end == ',' || !*end);
        if (!fine) break;
        prompt.tokens[prompt.count++] = (int)token;
        at = end;
        if (!*at) break;
    }
    if (!fine)
        lesson_misused(lesson->state,
                       "--prompt is %s; it must be up to %d tokens from 0 to %d with commas between, as "
                       "in 3,17,9,3",
                       text, PROMPT_MOST, words - 1);
    return prompt;
}
