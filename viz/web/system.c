// What a page has not, and programs ask for: another program, a signal to wait for, a lock on a file, advice on memory.
#include <errno.h>
#include <stdint.h>
#include <sys/file.h>
#include <unistd.h>

int execve(const char *path, char *const arguments[], char *const environment[])
{
    (void)path; (void)arguments; (void)environment;
    errno = ENOENT;
    return -1;
}

// fibers.c knows a better one.
__attribute__((weak)) int pause(void)
{
    errno = ENOSYS;
    return -1;
}

int flock(int file, int operation)
{
    (void)file; (void)operation;
    return 0;
}

long __syscall_madvise(long at, long size, long advice);
long __syscall_madvise(long at, long size, long advice)
{
    (void)at; (void)size; (void)advice;
    return 0;
}
