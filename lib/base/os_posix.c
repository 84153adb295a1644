// base/os.h for Linux, macOS and other POSIX systems.
#define _XOPEN_SOURCE   700 // realpath
#define _DEFAULT_SOURCE 1   // madvise
#include "base/os.h"

#ifndef _WIN32

    #include <fcntl.h>
    #include <poll.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/ioctl.h>
    #include <sys/mman.h>
    #include <sys/stat.h>
    #include <time.h>
    #include <unistd.h>

// If a standard stream is closed, the next file that is opened would get its descriptor, and output would be printed
// into that file. The replacement fails on use, as the closed stream would.
void os_begin(void)
{
    signal(SIGXFSZ, SIG_IGN);
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0) open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

const char *os_program(const char *first) { return first; }
void os_slashes(char *path) { (void)path; }

// ---- files

static void status_from(OsStatus *out, const struct stat *about)
{
    *out = (OsStatus){ .kind = S_ISREG(about->st_mode)   ? OS_FILE
                               : S_ISDIR(about->st_mode) ? OS_FOLDER
                                                         : OS_DEVICE,
                       .mode = (int)(about->st_mode & 0777),
                       .device = (int64_t)about->st_dev,
                       .node = (int64_t)about->st_ino,
                       .size = (int64_t)about->st_size };
    #ifdef __APPLE__
    out->seconds = about->st_mtimespec.tv_sec;
    out->nanoseconds = about->st_mtimespec.tv_nsec;
    #else
    out->seconds = about->st_mtim.tv_sec;
    out->nanoseconds = about->st_mtim.tv_nsec;
    #endif
}

bool os_status(OsStatus *out, const char *path)
{
    struct stat about;
    if (stat(path, &about)) return false;
    status_from(out, &about);
    return true;
}

bool os_status_of(OsStatus *out, int file)
{
    struct stat about;
    if (fstat(file, &about)) return false;
    status_from(out, &about);
    return true;
}

int os_open(const char *path, OsAccess access)
{
    static const int how[] = { [OS_READ] = O_RDONLY, [OS_WRITE] = O_WRONLY, [OS_CREATE] = O_WRONLY | O_CREAT | O_EXCL };
    return open(path, how[access] | O_CLOEXEC, 0666);
}

bool os_set_mode(int file, int mode) { return fchmod(file, (mode_t)mode) == 0; }
bool os_flush(int file) { return fsync(file) == 0; }
bool os_replace(const char *from, const char *to) { return rename(from, to) == 0; }
char *os_real_path(const char *path) { return realpath(path, NULL); }

void *os_map(int file, size_t size)
{
    void *at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    return at == MAP_FAILED ? NULL : at;
}

void os_unmap(void *at, size_t size) { munmap(at, size); }

void os_advise(const void *at, size_t size, OsAdvice advice)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)at / page * page;
    size += (uintptr_t)at - from;
    if (advice == OS_FORGET) madvise((void *)from, size, MADV_DONTNEED);
    else posix_madvise((void *)from, size, advice == OS_SOON ? POSIX_MADV_WILLNEED : POSIX_MADV_RANDOM);
}

bool os_make_folder(const char *path) { return mkdir(path, 0777) == 0; }
bool os_new_folder(char *path) { return mkdtemp(path) != NULL; }

const char *os_temporary_folder(void)
{
    const char *named = getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

// ---- programs, threads, memory

bool os_is_program(const char *path) { return access(path, X_OK) == 0; }
void os_become(const char *program, const char *argument) { execlp(program, program, argument, (char *)NULL); }

_Noreturn void os_wait_forever(void)
{
    for (;;) pause();
}

_Noreturn void os_kill_self(void)
{
    raise(SIGKILL);
    abort();
}

void os_catch_interrupts(void (*handler)(int signal))
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = (int)SA_RESETHAND };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

// Blocks all signals except synchronous faults, which must be delivered to the thread that causes them.
bool os_start_thread(pthread_t *thread, void *(*run)(void *))
{
    static const int faults[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP };
    sigset_t all, before;
    sigfillset(&all);
    for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) sigdelset(&all, faults[f]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(thread, NULL, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

bool os_at_fork(void (*before)(void), void (*parent)(void), void (*child)(void))
{
    return pthread_atfork(before, parent, child) == 0;
}

int os_processors(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN); }

double os_thread_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void *os_aligned_new(size_t align, size_t bytes) { return aligned_alloc(align, bytes); }
void os_aligned_free(void *at) { free(at); }

// ---- terminal

// mpirun gives its processes a terminal of 0 columns and forwards what they print.
int os_terminal_columns(void)
{
    struct winsize size;
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool os_input_waits(int milliseconds)
{
    struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
    return poll(&input, 1, milliseconds) > 0;
}

#endif
