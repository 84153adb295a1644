// What operating systems do differently: os_posix.c and os_win32.c define the same functions. What both have, such as
// read, close, access and POSIX threads (mingw-w64 brings them), is called directly.
//
// Unless said otherwise false, NULL and −1 mean failure, and errno says why. Paths have slashes, on Windows, too.
#ifndef BASE_OS_H
#define BASE_OS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// To be called before a program reads its arguments or opens a file; a second call does nothing. Makes a write beyond
// the limit of file sizes an error, and keeps files off the numbers of closed standard streams. On Windows also sets
// binary streams, a terminal of UTF-8 with colours, and the folder of fonts.
void os_begin(void);
const char *os_program(const char *first); // how this program was called: argv[0]; on Windows its full path
void os_slashes(char *path);               // typed on the command line: on Windows backslashes become slashes

// ---- files

typedef enum { OS_FILE, OS_FOLDER, OS_DEVICE } OsKind; // OS_DEVICE: a device or a pipe
typedef struct {
    OsKind kind;
    int mode; // permissions
    int64_t device, node, size, seconds, nanoseconds;
} OsStatus;
bool os_status(OsStatus *out, const char *path);
bool os_status_of(OsStatus *out, int file);

typedef enum { OS_READ, OS_WRITE, OS_CREATE } OsAccess; // OS_CREATE: to write a file that must not exist yet
int os_open(const char *path, OsAccess access);
bool os_set_mode(int file, int mode);              // Windows: does nothing
bool os_flush(int file);                           // returns when the disk has it
bool os_replace(const char *from, const char *to); // renames in one step, over a file that exists
char *os_real_path(const char *path);              // with symbolic links followed; to be freed

void *os_map(int file, size_t size); // the whole file, to read
void os_unmap(void *at, size_t size);
typedef enum { OS_RANDOM, OS_SOON, OS_FORGET } OsAdvice;
void os_advise(const void *at, size_t size, OsAdvice advice); // on mapped bytes; failure is ignored

bool os_make_folder(const char *path);
bool os_new_folder(char *path); // the six X at its end become a name that is free
const char *os_temporary_folder(void);

// ---- programs, threads, memory

bool os_is_program(const char *path);                          // .exe need not be named
void os_become(const char *program, const char *argument);     // returns only after a failure; argument may be NULL
_Noreturn void os_wait_forever(void);                          // the calling thread
_Noreturn void os_kill_self(void);                             // at once, without a handler
void os_catch_interrupts(void (*handler)(int signal));         // Ctrl-C and a polite request to end, once each
bool os_start_thread(pthread_t *thread, void *(*run)(void *)); // one that no signal interrupts; errno is not set
bool os_at_fork(void (*before)(void), void (*parent)(void), void (*child)(void));
int os_processors(void);
double os_thread_seconds(void); // of processor time, or of any clock where that one is too coarse
void *os_aligned_new(size_t align, size_t bytes);
void os_aligned_free(void *at);

// ---- terminal

int os_terminal_columns(void);         // of standard output; 0: it is no terminal, or one that nobody looks at
bool os_input_waits(int milliseconds); // is there something to read on standard input, or its end, within that time?

#endif
