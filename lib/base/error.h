// Errors of two kinds, kept apart.
//
// A mistake inside the program (shapes that do not fit) stops it at once: REQUIRE names the function and the line.
// Trouble from outside (a file, a flag, a full disk) is returned: a function that can meet it takes an Error and
// answers false, and the Error holds one sentence that names the file, the place, what was found and what would be
// right.
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

// why: errno where the system refused, or 0 where what was found is wrong. Another run may do better only with the
// former.
typedef struct {
    char text[1024];
    int why;
} Error;

// Writes the sentence and answers false, so that a reader can say `return error_set(error, …)`.
// An error that is NULL is allowed: the caller wants only the answer.
bool error_set(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same for what the system refused: behind the sentence come a colon and the system's words for `why`, an errno.
bool error_set_system(Error *error, int why, const char *format, ...) __attribute__((format(printf, 3, 4)));

// Stops the program when a caller broke a function's contract. Checked in every build: shapes are cheap to compare.
#define REQUIRE(ok, ...) ((ok) ? (void)0 : require_failed(__func__, __FILE__, __LINE__, __VA_ARGS__))

_Noreturn void require_failed(const char *function, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
