// Two kinds of errors.
//
// A violated contract inside the program (shapes that do not fit) aborts: REQUIRE prints the function and the line. An
// external problem (a file, a flag, a full disk) is returned: the function takes an Error, returns false, and sets the
// Error to one sentence that names the file and the position, what was found and what is expected.
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

// why: errno after a failed system call, or 0 when the data is wrong. Only the first may succeed when retried.
typedef struct {
    char text[1024];
    int why;
} Error;

// Sets the message and returns false, so that a caller can write `return error_set(error, …)`. error may be NULL.
bool error_set(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same for a failed system call: appends a colon and strerror(why).
bool error_set_system(Error *error, int why, const char *format, ...) __attribute__((format(printf, 3, 4)));

// Aborts when a caller violates a function's contract. Active in every build: comparing shapes is cheap.
#define REQUIRE(ok, ...) ((ok) ? (void)0 : require_failed(__func__, __FILE__, __LINE__, __VA_ARGS__))

_Noreturn void require_failed(const char *function, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
