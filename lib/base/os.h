// Functions that differ between operating systems, implemented in os_posix.c and os_win32.c. What both have (read,
// close, access, POSIX threads, which mingw-w64 provides) is called directly.
//
// Unless stated otherwise, false, NULL and −1 mean failure, and errno is set. Paths use slashes, on Windows too.
#ifndef BASE_OS_H
#define BASE_OS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Call it before reading arguments or opening files; a second call does nothing. Makes a write beyond the file-size
// limit an error instead of a signal, and keeps new files from getting the descriptors of closed standard streams. On
// Windows it also sets binary streams, UTF-8 and colours on the terminal, and the folder of fonts.
void os_begin(void);
const char *os_program(const char *first); // path of this program: argv[0]; on Windows the full path
void os_slashes(char *path);               // on Windows: replaces backslashes by slashes

// ---- files

typedef enum { OS_FILE, OS_FOLDER, OS_DEVICE } OsKind; // OS_DEVICE: a device or a pipe
typedef struct {
    OsKind kind;
    int mode; // permissions
    int64_t device, node, size, seconds, nanoseconds;
} OsStatus;
bool os_status(OsStatus *out, const char *path);
bool os_status_of(OsStatus *out, int file);

typedef enum { OS_READ, OS_WRITE, OS_CREATE } OsAccess; // OS_CREATE: for writing; fails if the file exists
int os_open(const char *path, OsAccess access);
bool os_set_mode(int file, int mode);              // Windows: does nothing
bool os_flush(int file);                           // fsync
bool os_replace(const char *from, const char *to); // atomic rename; replaces an existing file
char *os_real_path(const char *path);              // resolves symbolic links; free the result

void *os_map(int file, size_t size); // maps the whole file, read-only
void os_unmap(void *at, size_t size);
typedef enum { OS_RANDOM, OS_SOON, OS_FORGET } OsAdvice;
void os_advise(const void *at, size_t size, OsAdvice advice); // on mapped bytes; failure is ignored

bool os_make_folder(const char *path);
bool os_new_folder(char *path); // like mkdtemp: replaces the six X at the end
const char *os_temporary_folder(void);

// ---- programs, threads, memory

bool os_is_program(const char *path);                          // Windows: ".exe" may be omitted
void os_become(const char *program, const char *argument);     // returns only after a failure; argument may be NULL
_Noreturn void os_wait_forever(void);                          // the calling thread
_Noreturn void os_kill_self(void);                             // immediately, no handler runs
void os_catch_interrupts(void (*handler)(int signal));         // SIGINT and SIGTERM, once each
bool os_start_thread(pthread_t *thread, void *(*run)(void *)); // with signals blocked; does not set errno
bool os_at_fork(void (*before)(void), void (*parent)(void), void (*child)(void));
int os_processors(void);
double os_thread_seconds(void); // processor time of the thread; on Windows, where that is too coarse, a monotonic clock
void *os_aligned_new(size_t align, size_t bytes);
void os_aligned_free(void *at);

// ---- terminal

int os_terminal_columns(void);         // width of standard output; 0: not a terminal
bool os_input_waits(int milliseconds); // true if standard input has data or ends within that time

#endif
