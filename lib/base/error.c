// Formats error messages, and stops the program when REQUIRE fails.
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void format_error(Error *error, int why, const char *format, va_list arguments)
{
    if (!error) return;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    size_t length = strlen(error->text);
    if (why) snprintf(error->text + length, sizeof error->text - length, ": %s", strerror(why));
    error->why = why;
}

bool error_set(Error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_error(error, 0, format, arguments);
    va_end(arguments);
    return false;
}

bool error_set_system(Error *error, int why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_error(error, why, format, arguments);
    va_end(arguments);
    return false;
}

void require_failed(const char *function, const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "%s (%s:%d): ", function, file, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}
