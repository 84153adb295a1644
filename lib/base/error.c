// Errors: the sentence for what comes from outside, the stop for what should never happen inside.
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool error_set(Error *error, const char *format, ...)
{
    if (error) {
        va_list words;
        va_start(words, format);
        vsnprintf(error->text, sizeof error->text, format, words);
        va_end(words);
    }
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
