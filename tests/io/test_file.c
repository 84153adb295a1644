// lib/io/file.c and file_write.c: what is read is what was written, and after any failure the old file is there and no
// other.
#include "bench.h"

#include "base/os.h"
#include "support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

BENCH_FIXTURE;

static FileBytes read_back(const char *path)
{
    FileBytes bytes = { 0 };
    ck_assert_msg(file_read(&bytes, bench.arena, path, &bench.error), "%s", bench.error.text);
    ck_assert_int_eq(bytes.at[bytes.size], 0);
    return bytes;
}

static void write_text(const char *path, const char *text)
{
    ck_assert_msg(file_write(path, text, strlen(text), &bench.error), "%s", bench.error.text);
}

static void assert_holds(const char *path, const char *text)
{
    FileBytes bytes = read_back(path);
    ck_assert_uint_eq(bytes.size, strlen(text));
    ck_assert_str_eq((const char *)bytes.at, text);
}

TEST(test_round_trip)
{
    static const size_t sizes[] = { 0, 1, 4095, 4096, 4097, 8193, 1000003 };
    char *path = bench_path(&bench, "a.bin");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        unsigned char *bytes = arena_alloc(bench.arena, sizes[s] + 1);
        for (size_t i = 0; i < sizes[s]; i++) bytes[i] = (unsigned char)(i * 131 + s);
        ck_assert(file_write(path, bytes, sizes[s], &bench.error));
        FileBytes back = read_back(path);
        ck_assert_uint_eq(back.size, sizes[s]);
        ck_assert_mem_eq(back.at, bytes, sizes[s] + 1);
        ck_assert_int_eq(entries_in(bench.folder), 1);
    }
}

TEST(test_read_refuses)
{
    FileBytes bytes = { (const unsigned char *)"old", 3 };
    char *missing = bench_path(&bench, "missing.npy"), *file = bench_path(&bench, "file");

    ck_assert(!file_read(&bytes, bench.arena, missing, &bench.error));
    ERROR_HAS(&bench.error, missing, "there is no such file");
    ck_assert_int_eq(bench.error.why, 0);
    ck_assert(!file_read(&bytes, bench.arena, bench.folder, &bench.error));
    ERROR_HAS(&bench.error, bench.folder, "this is a folder; a file is needed");
    ck_assert(!file_read(&bytes, bench.arena, "", &bench.error));
    ERROR_HAS(&bench.error, "empty");
    write_text(file, "x");
    char *through = bench_path(&bench, "file/inner");
    ck_assert(!file_read(&bytes, bench.arena, through, &bench.error));
    ERROR_HAS(&bench.error, through, strerror(ENOTDIR));
    ck_assert_int_eq(bench.error.why, ENOTDIR);
    ck_assert(!file_read(&bytes, bench.arena, missing, NULL));
    ck_assert_str_eq((const char *)bytes.at, "old");
}

// A file with a hole takes no room on the disk and would take all of the memory.
TEST(test_read_refuses_the_huge)
{
    FileBytes bytes;
    char *path = bench_path(&bench, "huge");
    write_text(path, "x");
    if (truncate(path, (off_t)5 << 30) == 0) {
        ck_assert(!file_read(&bytes, bench.arena, path, &bench.error));
        ERROR_HAS(&bench.error, path, "more than 4096 MiB");
        ck_assert_uint_lt(arena_peak(bench.arena), 1u << 20);
    }
}

#ifdef __linux__
// The system says that these have 0 bytes; they have more.
TEST(test_read_trusts_no_size)
{
    ck_assert_uint_gt(read_back("/proc/self/maps").size, 100);
    ck_assert_uint_eq(read_back("/dev/null").size, 0);
}
#endif

enum { PIPED = 300000 };

static void *fill_pipe(void *path)
{
    unsigned char *bytes = malloc(PIPED);
    int file = open(path, O_WRONLY);
    for (size_t i = 0; i < PIPED; i++) bytes[i] = (unsigned char)(i * 7);
    for (size_t done = 0; done < PIPED;) {
        ssize_t wrote = write(file, bytes + done, PIPED - done);
        if (wrote <= 0) break;
        done += (size_t)wrote;
    }
    close(file);
    free(bytes);
    return NULL;
}

TEST(test_read_pipe)
{
    pthread_t writer;
    char *path = bench_path(&bench, "pipe");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(pthread_create(&writer, NULL, fill_pipe, path), 0);
    FileBytes bytes = read_back(path);
    pthread_join(writer, NULL);
    ck_assert_uint_eq(bytes.size, PIPED);
    for (size_t i = 0; i < PIPED; i++) ck_assert_msg(bytes.at[i] == (unsigned char)(i * 7), "byte %zu", i);
}

static void *drain_pipe(void *path)
{
    static char words[16];
    int file = open(path, O_RDONLY);
    ssize_t got = read(file, words, sizeof words - 1);
    words[got > 0 ? got : 0] = 0;
    close(file);
    return words;
}

enum { READ_UP_TO = 10000 };

static FileMap mapped(const char *path)
{
    FileMap map = { 0 };
    ck_assert_msg(file_map(&map, bench.arena, path, READ_UP_TO, &bench.error), "%s", bench.error.text);
    return map;
}

// Both are what the file holds, also after it was replaced.
TEST(test_map)
{
    char *path = bench_path(&bench, "a.bin");
    for (size_t size = READ_UP_TO; size <= READ_UP_TO + 1; size++) {
        unsigned char bytes[READ_UP_TO + 1];
        for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)(i * 131 >> 3);
        ck_assert(file_write(path, bytes, size, &bench.error));
        FileMap map = mapped(path);
        ck_assert_int_eq(map.map != NULL, size > READ_UP_TO);
        write_text(path, "other");
        file_want(map.bytes);
        file_want((FileBytes){ map.bytes.at + 5000, 1 });
        file_forget(map);
        ck_assert_uint_eq(map.bytes.size, size);
        ck_assert_mem_eq(map.bytes.at, bytes, size);
        file_unmap(map);
    }
}

// A file with a hole, larger than 32 bits can count: it opens without being read.
TEST(test_map_the_huge)
{
    char *path = bench_path(&bench, "huge");
    write_text(path, "x");
    if (sizeof(size_t) > 4 && truncate(path, (off_t)5 << 30) == 0) {
        FileMap map = mapped(path);
        ck_assert_uint_eq(map.bytes.size, (size_t)5 << 30);
        ck_assert(map.bytes.at[0] == 'x' && map.bytes.at[((size_t)5 << 30) - 1] == 0);
        ck_assert_uint_lt(arena_peak(bench.arena), 1u << 20);
        file_unmap(map);
    }
}

TEST(test_map_refuses)
{
    FileMap map = { .bytes = { (const unsigned char *)"old", 3 } };
    char *missing = bench_path(&bench, "missing.npy");
    ck_assert(!file_map(&map, bench.arena, missing, 0, &bench.error));
    ERROR_HAS(&bench.error, missing, "there is no such file");
    ck_assert(!file_map(&map, bench.arena, bench.folder, 0, &bench.error));
    ERROR_HAS(&bench.error, bench.folder, "this is a folder; a file is needed");
    ck_assert(!file_map(&map, bench.arena, "", 0, &bench.error));
    ERROR_HAS(&bench.error, "empty");
    ck_assert_str_eq((const char *)map.bytes.at, "old");
}

TEST(test_write_pipe)
{
    pthread_t reader;
    void *words;
    struct stat about;
    char *path = bench_path(&bench, "pipe");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(pthread_create(&reader, NULL, drain_pipe, path), 0);
    write_text(path, "through");
    pthread_join(reader, &words);
    ck_assert_str_eq(words, "through");
    ck_assert(stat(path, &about) == 0 && S_ISFIFO(about.st_mode));
}

TEST(test_write_refuses)
{
    char *nowhere = bench_path(&bench, "none/a.png");
    ck_assert(!file_write(nowhere, "abc", 3, &bench.error));
    ERROR_HAS(&bench.error, nowhere, "cannot be written", strerror(ENOENT));
    ck_assert(!file_write(bench.folder, "abc", 3, &bench.error));
    ERROR_HAS(&bench.error, bench.folder, "this is a folder; a file is needed");
    ck_assert(!file_write("", "abc", 3, &bench.error));
    ERROR_HAS(&bench.error, "empty");
    ck_assert(!file_write(nowhere, "abc", 3, NULL));

    char long_name[400];
    memset(long_name, 'n', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    ck_assert(!file_write(bench_path(&bench, long_name), "abc", 3, &bench.error));
    ERROR_HAS(&bench.error, long_name, strerror(ENAMETOOLONG));
    ck_assert_int_eq(entries_in(bench.folder), 0);

    long_name[255] = 0; // the longest name that Linux and macOS allow
    write_text(bench_path(&bench, long_name), "fits");
    ck_assert_int_eq(entries_in(bench.folder), 1);
}

// A limit on file sizes stops the writing half-way, as a full disk does.
TEST(test_write_half_way)
{
    os_begin();
    char *path = bench_path(&bench, "a.npy"), *fresh = bench_path(&bench, "b.npy");
    unsigned char *large = arena_alloc(bench.arena, 1 << 20);
    write_text(path, "the old file");

    struct rlimit before, small;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 65536;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    Error first = { .text = "" }, second = { .text = "" };
    bool ok = file_write(path, large, 1 << 20, &first), fresh_ok = file_write(fresh, large, 1 << 20, &second);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);

    ck_assert(!ok && !fresh_ok);
    ERROR_HAS(&first, path, "cannot be written", strerror(EFBIG));
    ERROR_HAS(&second, fresh, strerror(EFBIG));
    assert_holds(path, "the old file");
    ck_assert_int_eq(entries_in(bench.folder), 1);
}

// Threads that write into one folder, and what a program that was killed left there, do not meet.
static void *write_many(void *path)
{
    static char failed[] = "failed";
    Error error;
    for (int n = 0; n < 50; n++)
        if (!file_write(path, "new", 3, &error)) return failed;
    return NULL;
}

TEST(test_write_together)
{
    enum { WRITERS = 4 };
    pthread_t writers[WRITERS];
    char *path = bench_path(&bench, "a");
    char *left = bench_path(&bench, arena_format(bench.arena, ".manyheads-%ld-0", (long)getpid()));
    ck_assert_int_eq(close(open(left, O_WRONLY | O_CREAT, 0666)), 0);
    for (int w = 0; w < WRITERS; w++) ck_assert_int_eq(pthread_create(&writers[w], NULL, write_many, path), 0);
    for (int w = 0; w < WRITERS; w++) {
        void *failed;
        pthread_join(writers[w], &failed);
        ck_assert_ptr_null(failed);
    }
    assert_holds(path, "new");
    ck_assert_int_eq(entries_in(bench.folder), 2);
}

TEST(test_may_write)
{
    char *nowhere = bench_path(&bench, "none/a.png"), *file = bench_path(&bench, "a");
    write_text(file, "old");
    ck_assert(!file_may_write(nowhere, &bench.error));
    ERROR_HAS(&bench.error, nowhere, "cannot be written", strerror(ENOENT));
    ck_assert(!file_may_write(bench.folder, &bench.error));
    ERROR_HAS(&bench.error, bench.folder, "this is a folder; a file is needed");
    ck_assert(!file_may_write("", &bench.error));
    ERROR_HAS(&bench.error, "empty");
    ck_assert(!file_may_write(bench_path(&bench, "a/b"), &bench.error));
    ERROR_HAS(&bench.error, strerror(ENOTDIR));
    ck_assert(file_may_write("/dev/null", &bench.error));
    ck_assert_int_eq(entries_in(bench.folder), 1);
    assert_holds(file, "old");
}

TEST(test_same)
{
    char *a = bench_path(&bench, "a"), *b = bench_path(&bench, "b");
    write_text(a, "same words");
    write_text(b, "same words");
    ck_assert(file_make_folder(bench_path(&bench, "in"), &bench.error));
    ck_assert_int_eq(symlink("a", bench_path(&bench, "soft")), 0);
    ck_assert_int_eq(link(a, bench_path(&bench, "hard")), 0);
    ck_assert_int_eq(symlink(".", bench_path(&bench, "here")), 0);

    const struct {
        const char *one, *other;
        bool same;
    } pairs[] = {
        { "a", "a", true },        { "a", "./a", true },       { "a", "in/../a", true },
        { "a", "soft", true },     { "a", "hard", true },      { "soft", "hard", true },
        { "a", "here/a", true },   { "a", "b", false },        { "a", "new", false },
        { "new", "new", true },    { "new", "./new", true },   { "new", "here/new", true },
        { "new", "newer", false }, { "new", "in/new", false }, { "no/new", "no/new", false },
    };
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        char *one = bench_path(&bench, pairs[p].one), *other = bench_path(&bench, pairs[p].other);
        ck_assert_msg(file_same(one, other) == pairs[p].same, "%s and %s", pairs[p].one, pairs[p].other);
        ck_assert_msg(file_same(other, one) == pairs[p].same, "%s and %s", pairs[p].other, pairs[p].one);
    }
    ck_assert(!file_same("/dev/null", "/dev/null")); // nothing is lost there
}

// Asks in a child process that has become nobody: for root nothing is locked, and a fault must not harm the machine.
static bool as_nobody(bool (*claim)(const char *a, const char *b), const char *a, const char *b)
{
    pid_t child = fork();
    if (child == 0) _exit((geteuid() == 0 && setuid(65534) != 0) || !claim(a, b));
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool refused(const char *path, int why)
{
    Error error = { .text = "" };
    return !file_write(path, "new", 3, &error) && strstr(error.text, path) && strstr(error.text, "cannot be written") &&
           strstr(error.text, strerror(why));
}

static bool both_locked(const char *a, const char *b) { return refused(a, EACCES) && refused(b, EACCES); }

TEST(test_write_locked)
{
    char *locked = bench_path(&bench, "locked"), *inside = bench_path(&bench, "locked/a");
    char *file = bench_path(&bench, "b");
    ck_assert(file_make_folder(locked, &bench.error));
    write_text(inside, "old");
    write_text(file, "old");
    ck_assert(chmod(inside, 0666) == 0 && chmod(locked, 0555) == 0);     // the file may be written, its folder may not
    ck_assert(chmod(file, 0444) == 0 && chmod(bench.folder, 0777) == 0); // the folder may be written, its file may not

    ck_assert(as_nobody(both_locked, inside, file));
    assert_holds(inside, "old");
    assert_holds(file, "old");
    ck_assert_int_eq(entries_in(locked), 1);
    ck_assert_int_eq(entries_in(bench.folder), 2);
    ck_assert_int_eq(chmod(locked, 0755), 0);
}

#ifdef __linux__
static bool both_full(const char *device, const char *link)
{
    return refused(device, ENOSPC) && refused(link, ENOSPC) && file_write("/dev/null", "abc", 3, NULL);
}

// /dev/full takes nothing. It must stay the device it is. Never as root, who could put a file in its place.
TEST(test_write_full_device)
{
    struct stat after;
    char *link = bench_path(&bench, "link");
    ck_assert_int_eq(symlink("/dev/full", link), 0);
    ck_assert_int_eq(chmod(bench.folder, 0755), 0);
    ck_assert(as_nobody(both_full, "/dev/full", link));
    ck_assert(stat("/dev/full", &after) == 0 && S_ISCHR(after.st_mode));
    ck_assert(lstat(link, &after) == 0 && S_ISLNK(after.st_mode));
    ck_assert_int_eq(entries_in(bench.folder), 1);
}
#endif

TEST(test_write_keeps_mode_and_link)
{
    struct stat about;
    char *real = bench_path(&bench, "real"), *link = bench_path(&bench, "link");
    write_text(real, "one");
    ck_assert_int_eq(chmod(real, 0640), 0);
    ck_assert_int_eq(symlink("real", link), 0);
    write_text(link, "two");
    ck_assert(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
    ck_assert(lstat(real, &about) == 0 && (about.st_mode & 0777) == 0640);
    assert_holds(real, "two");

    mode_t mask = umask(027);
    char *fresh = bench_path(&bench, "fresh");
    write_text(fresh, "three");
    umask(mask);
    ck_assert(stat(fresh, &about) == 0 && (about.st_mode & 0777) == 0640);
    ck_assert_int_eq(entries_in(bench.folder), 3);
}

TEST(test_folder_make)
{
    struct stat about;
    char *deep = bench_path(&bench, "a/b//c/");
    char *file = bench_path(&bench, "file"), *inside = bench_path(&bench, "file/x");
    ck_assert_msg(file_make_folder(deep, &bench.error), "%s", bench.error.text);
    ck_assert(stat(bench_path(&bench, "a/b/c"), &about) == 0 && S_ISDIR(about.st_mode));
    ck_assert(file_make_folder(deep, &bench.error) && file_make_folder("/", &bench.error) &&
              file_make_folder(".", &bench.error));

    write_text(file, "x");
    ck_assert(!file_make_folder(file, &bench.error));
    ERROR_HAS(&bench.error, file, "a folder is needed");
    ck_assert(!file_make_folder(inside, &bench.error));
    ERROR_HAS(&bench.error, file, "a folder is needed");
    ck_assert(!file_make_folder("", &bench.error));
    ERROR_HAS(&bench.error, "empty");
}
