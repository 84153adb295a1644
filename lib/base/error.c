// Errors: the sentence for what comes from outside, the stop for what should never happen inside.
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set(Error *error, int why, const char *format, va_list words)
{
    if (!error) return;
    vsnprintf(error->text, sizeof error->text, format, words);
    size_t length = strlen(error->text);
    if (why) snprintf(error->text + length, sizeof error->text - length, ": %s", strerror(why));
    error->why = why;
}

bool error_set(Error *error, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    set(error, 0, format, words);
    va_end(words);
    return false;
}

bool error_set_system(Error *error, int why, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    set(error, why, format, words);
    va_end(words);
    return false;
}

void require_failed(const char *function, const char *file, int line, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    fflush(stdout);
    fprintf(stderr, "%s (%s:%d): ", function, file, line);
    vfprintf(stderr, format, words);
    fputc('\n', stderr);
    va_end(words);
    abort();
}
