// Calls that fail: loaded before a program (LD_PRELOAD), it counts the calls of each kind that the program makes and
// lets one of them fail. For glibc on Linux; calls that other libraries make by themselves are neither counted nor
// failed, nor those before main. It leaves out what the C library does inside itself, such as reading a stream.
//
//   FAIL=KIND:N      the Nth call of this kind fails as if there were no memory, no room, no right …
//   FAIL=KIND:N+     so do all calls of this kind after it
//   FAIL=short:N     the Nth write takes half of what it was given
//   FAIL=kill:N      in the Nth write, sync or rename the program is killed; half of a write has been done
//   FAIL_REPORT=FILE at the end, the numbers of the calls that are worth it: a line for each kind
//
// A program may make a million calls from a hundred places. A place is where in the code, and how deep the stack is
// there; the first call from a place and the last one are worth it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// clang-format off
typedef enum {
    ALLOC, OPEN, READ, WRITE, SHORT, SYNC, RENAME, CLOSE, MAP, THREAD, FOLDER, PROCESS, REMOVE, KILL, KINDS
} Kind;
// clang-format on

static const struct {
    const char *name;
    int error;
} kinds[KINDS] = {
    [ALLOC] = { "alloc", ENOMEM },   [OPEN] = { "open", EMFILE },       [READ] = { "read", EIO },
    [WRITE] = { "write", ENOSPC },   [SHORT] = { "short", 0 },          [SYNC] = { "sync", EIO },
    [RENAME] = { "rename", EIO },    [CLOSE] = { "close", EIO },        [MAP] = { "map", ENOMEM },
    [THREAD] = { "thread", EAGAIN }, [FOLDER] = { "folder", ENOSPC },   [REMOVE] = { "remove", EIO },
    [KILL] = { "kill", 0 },          [PROCESS] = { "process", EAGAIN },
};

static struct {
    atomic_bool counting; // from main on
    pid_t process;
    Kind kind;
    long first, last; // which calls of that kind fail
    char report[4096];
    struct {
        uintptr_t from, to;
    } code[2]; // the program's and the C library's
    atomic_long count[KINDS];
} state;

enum { PLACES = 1 << 12 };
typedef struct {
    uintptr_t by, stack;
    long first, last;
} Place;
static Place places[KINDS][PLACES];
static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER;

// glibc's own names for what is behind malloc: dlsym would call malloc itself.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *at, size_t size);
void *__libc_memalign(size_t align, size_t size);

static void remember(Kind kind, uintptr_t by, long number)
{
    uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    size_t slot = (by * 31 + stack) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    pthread_mutex_lock(&places_lock);
    for (int tries = 0; tries < PLACES; tries++) {
        Place *place = &places[kind][(slot + (size_t)tries) % PLACES];
        if (place->first && (place->by != by || place->stack != stack)) continue;
        *place = (Place){ by, stack, place->first ? place->first : number, number };
        break;
    }
    pthread_mutex_unlock(&places_lock);
}

// Counts a call; does it fail? `by` is where it returns to.
static bool fails(Kind kind, const void *by)
{
    uintptr_t at = (uintptr_t)by;
    bool ours = false;
    if (!atomic_load(&state.counting)) return false;
    for (int i = 0; i < 2; i++) ours |= state.code[i].from <= at && at < state.code[i].to;
    if (!ours || getpid() != state.process) return false;
    long number = atomic_fetch_add(&state.count[kind], 1) + 1;
    if (*state.report) remember(kind, at, number);
    if (kind != state.kind || number < state.first || number > state.last) return false;
    errno = kinds[kind].error;
    return true;
}

#define FAILS(kind) fails(kind, __builtin_return_address(0))
#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name)

// ---- memory

void *malloc(size_t size) { return FAILS(ALLOC) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return FAILS(ALLOC) ? NULL : __libc_calloc(count, size); }
void *realloc(void *at, size_t size) { return FAILS(ALLOC) ? NULL : __libc_realloc(at, size); }
void *aligned_alloc(size_t align, size_t size) { return FAILS(ALLOC) ? NULL : __libc_memalign(align, size); }

int posix_memalign(void **at, size_t align, size_t size)
{
    if (FAILS(ALLOC)) return ENOMEM;
    *at = __libc_memalign(align, size);
    return *at ? 0 : ENOMEM;
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    REAL(mmap);
    return FAILS(MAP) ? MAP_FAILED : real(at, size, protection, flags, file, offset);
}

// ---- files

int open(const char *path, int flags, ...)
{
    REAL(open);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return FAILS(OPEN) ? -1 : real(path, flags, mode);
}

static ssize_t counted_write(int file, const void *at, size_t size, const void *by)
{
    REAL(write);
    if (fails(KILL, by)) {
        real(file, at, size / 2);
        kill(getpid(), SIGKILL);
    }
    if (fails(WRITE, by)) return -1;
    return real(file, at, fails(SHORT, by) && size > 1 ? size / 2 : size);
}

ssize_t write(int file, const void *at, size_t size)
{
    return counted_write(file, at, size, __builtin_return_address(0));
}

int fsync(int file)
{
    REAL(fsync);
    if (FAILS(KILL)) kill(getpid(), SIGKILL);
    return FAILS(SYNC) ? -1 : real(file);
}

int rename(const char *from, const char *to)
{
    REAL(rename);
    if (FAILS(KILL)) kill(getpid(), SIGKILL);
    return FAILS(RENAME) ? -1 : real(from, to);
}

// The file is closed all the same, as the system does it.
int close(int file)
{
    REAL(close);
    int status = real(file);
    return FAILS(CLOSE) ? -1 : status;
}

// Calls that only fail or are passed on.
#define PASSED(result, name, parameters, arguments, kind, failed) \
    result name parameters \
    { \
        REAL(name); \
        return FAILS(kind) ? failed : real arguments; \
    }

PASSED(FILE *, fopen, (const char *path, const char *mode), (path, mode), OPEN, NULL)
PASSED(ssize_t, read, (int file, void *at, size_t size), (file, at, size), READ, -1)
PASSED(int, unlink, (const char *path), (path), REMOVE, -1)
PASSED(int, remove, (const char *path), (path), REMOVE, -1)
PASSED(int, mkdir, (const char *path, mode_t mode), (path, mode), FOLDER, -1)
PASSED(pid_t, fork, (void), (), PROCESS, -1)
PASSED(int, pipe, (int ends[2]), (ends), PROCESS, -1)

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *argument)
{
    REAL(pthread_create);
    return FAILS(THREAD) ? EAGAIN : real(thread, how, run, argument);
}

// ---- before main, and after it

// What the C library writes of a stream goes round this file. So stdout becomes a stream whose writes come here.
static ssize_t write_stdout(void *unused, const char *at, size_t size)
{
    (void)unused;
    for (size_t done = 0; done < size;) { // as the C library goes on after a short write
        ssize_t now = counted_write(STDOUT_FILENO, at + done, size - done, (void *)state.code[0].from);
        if (now < 0) return 0;
        done += (size_t)now;
    }
    return (ssize_t)size;
}

static int find_code(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int p = 0; p < object->dlpi_phnum; p++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[p];
        uintptr_t from = object->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        bool library = from <= (uintptr_t)__libc_malloc && (uintptr_t)__libc_malloc < to;
        if (library || !*object->dlpi_name) {
            state.code[library].from = from;
            state.code[library].to = to;
        }
    }
    return 0;
}

static void read_wish(const char *wish)
{
    const char *colon = wish ? strchr(wish, ':') : NULL;
    char *rest;
    state.kind = KINDS;
    if (!colon) return;
    size_t length = (size_t)(colon - wish);
    for (Kind k = 0; k < KINDS; k++)
        if (strlen(kinds[k].name) == length && !strncmp(kinds[k].name, wish, length)) state.kind = k;
    state.first = strtol(colon + 1, &rest, 10);
    state.last = *rest == '+' ? LONG_MAX : state.first;
}

static void report(void)
{
    fflush(stdout);
    atomic_store(&state.counting, false);
    FILE *to = *state.report && getpid() == state.process ? fopen(state.report, "w") : NULL;
    if (!to) return;
    for (Kind k = 0; k < KINDS; k++) {
        fprintf(to, "%s", kinds[k].name);
        for (const Place *p = places[k]; p < places[k] + PLACES; p++) {
            if (p->first) fprintf(to, " %ld", p->first);
            if (p->last > p->first) fprintf(to, " %ld", p->last);
        }
        fprintf(to, "\n");
    }
    fclose(to);
}

static int (*real_main)(int, char **, char **);

static int counted_main(int argc, char **argv, char **environment)
{
    const char *file = getenv("FAIL_REPORT");
    snprintf(state.report, sizeof state.report, "%s", file ? file : "");
    read_wish(getenv("FAIL"));
    dl_iterate_phdr(find_code, NULL);
    unsetenv("LD_PRELOAD"); // what this program starts is a program of its own
    FILE *out = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = write_stdout });
    if (out) stdout = out;
    state.process = getpid();
    atexit(report);
    atomic_store(&state.counting, true);
    return real_main(argc, argv, environment);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end)
{
    static int (*real)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void),
                       void *);
    real_main = main;
    *(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
    return real(counted_main, argc, argv, init, fini, loader_fini, stack_end);
}
