// Stamps by stat; the guard is a handler of SIGBUS.
#define _DEFAULT_SOURCE 1 // MAP_ANONYMOUS
#include "viz/watch.h"

#include "base/error.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- stamps

FileStamp file_stamp_of(const char *path)
{
    struct stat about;
    if (!path || stat(path, &about)) return (FileStamp){ 0 };
    FileStamp stamp = { .device = (int64_t)about.st_dev,
                        .node = (int64_t)about.st_ino,
                        .size = (int64_t)about.st_size };
#ifdef __APPLE__
    stamp.seconds = about.st_mtimespec.tv_sec;
    stamp.nanoseconds = about.st_mtimespec.tv_nsec;
#else
    stamp.seconds = about.st_mtim.tv_sec;
    stamp.nanoseconds = about.st_mtim.tv_nsec;
#endif
    return stamp;
}

bool file_stamp_same(FileStamp a, FileStamp b)
{
    return a.device == b.device && a.node == b.node && a.size == b.size && a.seconds == b.seconds &&
           a.nanoseconds == b.nanoseconds;
}

// ---- the guard

// Read by the handler: a field is written before `at` is set, and after it is unset.
typedef struct {
    unsigned char *volatile at;
    volatile size_t size;
    volatile sig_atomic_t lost;
} Guard;

static Guard guards[GUARDS];
static size_t page_size;

static Guard *guard_of(const unsigned char *at)
{
    for (int g = 0; g < GUARDS; g++) {
        const unsigned char *from = guards[g].at;
        if (from && at >= from && at < from + guards[g].size) return &guards[g];
    }
    return NULL;
}

// The page that is gone is replaced, and the read that failed is made again when this returns. mmap is no more than a
// call of the system, which may be made here. For other addresses it is as if there were no handler.
static void replace_page(int number, siginfo_t *info, void *context)
{
    unsigned char *at = info->si_addr;
    Guard *guard = guard_of(at);
    (void)context;
    if (!guard) {
        signal(number, SIG_DFL);
        return;
    }
    unsigned char *page = guard->at + (size_t)(at - guard->at) / page_size * page_size;
    void *made = mmap(page, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (made == MAP_FAILED) {
        signal(number, SIG_DFL);
        return;
    }
    memset(page, 0xFF, page_size);
    guard->lost = 1;
}

static void install(void)
{
    if (page_size) return;
    struct sigaction action = { .sa_flags = SA_SIGINFO };
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    action.sa_sigaction = replace_page;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

void guard_begin(FileMap map)
{
    if (!map.map) return;
    install();
    int g = 0;
    while (g < GUARDS && guards[g].at) g++;
    REQUIRE(g < GUARDS, "%d mapped files are guarded already", (int)GUARDS);
    guards[g].size = map.bytes.size;
    guards[g].lost = 0;
    guards[g].at = map.map;
}

void guard_end(FileMap map)
{
    Guard *guard = map.map ? guard_of(map.map) : NULL;
    if (guard) guard->at = NULL;
}

bool guard_lost(FileMap map)
{
    const Guard *guard = map.map ? guard_of(map.map) : NULL;
    return guard && guard->lost;
}
