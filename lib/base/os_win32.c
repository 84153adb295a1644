// base/os.h for Windows 10 (1903) and later, compiled with mingw-w64. The manifest (lib/windows/program.manifest) makes
// UTF-8 the code page of every function that takes a path.
#include "base/os.h"

#ifdef _WIN32

    #include <errno.h>
    #include <fcntl.h>
    #include <io.h>
    #include <malloc.h>
    #include <process.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <time.h>
    #include <windows.h>

// Sets errno from GetLastError. Returns false.
static bool failed(void)
{
    static const struct {
        DWORD error;
        int number;
    } known[] = {
        { ERROR_FILE_NOT_FOUND, ENOENT },
        { ERROR_PATH_NOT_FOUND, ENOENT },
        { ERROR_INVALID_NAME, ENOENT },
        { ERROR_BAD_NETPATH, ENOENT },
        { ERROR_ACCESS_DENIED, EACCES },
        { ERROR_SHARING_VIOLATION, EACCES },
        { ERROR_USER_MAPPED_FILE, EACCES },
        { ERROR_FILE_EXISTS, EEXIST },
        { ERROR_ALREADY_EXISTS, EEXIST },
        { ERROR_DISK_FULL, ENOSPC },
        { ERROR_NOT_ENOUGH_MEMORY, ENOMEM },
        { ERROR_DIRECTORY, ENOTDIR },
        { ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG },
    };
    DWORD error = GetLastError();
    errno = EIO;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k].error == error) errno = known[k].number;
    return false;
}

static HANDLE handle_of(int file) { return (HANDLE)_get_osfhandle(file); }

void os_slashes(char *path)
{
    for (; *path; path++)
        if (*path == '\\') *path = '/';
}

// Looks for fonts in a folder next to the program, or next to the program's folder.
static void find_fonts(const char *program)
{
    static const char *const places[] = { "fonts", "../fonts" };
    char path[4096 + 16];
    const char *slash = strrchr(program, '/');
    int folder = slash ? (int)(slash + 1 - program) : 0;
    for (int p = 0; p < 2 && !getenv("MANYHEADS_FONTS"); p++) {
        snprintf(path, sizeof path, "%.*s%s", folder, program, places[p]);
        if (_access(path, 0) == 0) _putenv_s("MANYHEADS_FONTS", path);
    }
}

const char *os_program(const char *first)
{
    static char program[4096];
    if (!GetModuleFileNameA(NULL, program, sizeof program)) return first;
    os_slashes(program);
    return program;
}

void os_begin(void)
{
    static bool begun;
    DWORD mode;
    HANDLE console = GetStdHandle(STD_OUTPUT_HANDLE);
    if (begun) return;
    begun = true;
    _fmode = _O_BINARY;
    for (int file = 0; file < 3; file++)
        if (_get_osfhandle(file) >= 0) _setmode(file, _O_BINARY);
    SetConsoleOutputCP(CP_UTF8);
    SetConsoleCP(CP_UTF8);
    if (GetConsoleMode(console, &mode)) SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    find_fonts(os_program("."));
}

// ---- files

// Sharing flags let other programs rename and delete an open file, as on POSIX.
static HANDLE open_handle(const char *path, DWORD wanted, DWORD how)
{
    return CreateFileA(path, wanted, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, how,
                       FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS, NULL);
}

static bool status_from(OsStatus *out, HANDLE handle)
{
    BY_HANDLE_FILE_INFORMATION is;
    *out = (OsStatus){ .kind = OS_DEVICE };
    if (GetFileType(handle) != FILE_TYPE_DISK) return true;
    if (!GetFileInformationByHandle(handle, &is)) return failed();
    uint64_t time = (uint64_t)is.ftLastWriteTime.dwHighDateTime << 32 | is.ftLastWriteTime.dwLowDateTime;
    *out = (OsStatus){ .kind = is.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? OS_FOLDER : OS_FILE,
                       .device = is.dwVolumeSerialNumber,
                       .node = (int64_t)((uint64_t)is.nFileIndexHigh << 32 | is.nFileIndexLow),
                       .size = (int64_t)((uint64_t)is.nFileSizeHigh << 32 | is.nFileSizeLow),
                       .seconds = (int64_t)(time / 10000000),
                       .nanoseconds = (int64_t)(time % 10000000 * 100) };
    return true;
}

bool os_status(OsStatus *out, const char *path)
{
    HANDLE handle = open_handle(path, 0, OPEN_EXISTING);
    if (handle == INVALID_HANDLE_VALUE) return failed();
    bool ok = status_from(out, handle);
    CloseHandle(handle);
    return ok;
}

bool os_status_of(OsStatus *out, int file) { return status_from(out, handle_of(file)); }

int os_open(const char *path, OsAccess access)
{
    bool reads = access == OS_READ;
    HANDLE handle =
        open_handle(path, reads ? GENERIC_READ : GENERIC_WRITE, access == OS_CREATE ? CREATE_NEW : OPEN_EXISTING);
    if (handle == INVALID_HANDLE_VALUE) return failed() - 1;
    int file = _open_osfhandle((intptr_t)handle, _O_BINARY | _O_NOINHERIT | (reads ? _O_RDONLY : 0));
    if (file < 0) CloseHandle(handle);
    return file;
}

bool os_set_mode(int file, int mode)
{
    (void)file;
    (void)mode;
    return true;
}

bool os_flush(int file) { return _commit(file) == 0; }

bool os_replace(const char *from, const char *to)
{
    return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) || failed();
}

char *os_real_path(const char *path)
{
    char *full = _fullpath(NULL, path, 0);
    if (full) os_slashes(full);
    return full;
}

void *os_map(int file, size_t size)
{
    (void)size;
    HANDLE map = CreateFileMappingA(handle_of(file), NULL, PAGE_READONLY, 0, 0, NULL);
    void *view = map ? MapViewOfFile(map, FILE_MAP_READ, 0, 0, 0) : NULL;
    if (!view) failed();
    if (map) CloseHandle(map); // the view keeps the mapping alive
    return view;
}

void os_unmap(void *at, size_t size)
{
    (void)size;
    UnmapViewOfFile(at);
}

void os_advise(const void *at, size_t size, OsAdvice advice)
{
    (void)at;
    (void)size;
    (void)advice;
}

bool os_make_folder(const char *path) { return CreateDirectoryA(path, NULL) || failed(); }

bool os_new_folder(char *path)
{
    char *end = path + strlen(path) - strlen("XXXXXX");
    for (DWORD n = 0; n < 100; n++) {
        snprintf(end, 7, "%06lx", (GetCurrentProcessId() * 2654435761u + GetTickCount() + n) & 0xFFFFFF);
        if (os_make_folder(path)) return true;
        if (errno != EEXIST) return false;
    }
    return false;
}

const char *os_temporary_folder(void)
{
    static char folder[MAX_PATH];
    const char *named = getenv("TMPDIR");
    if (named && *named) return named;
    if (!*folder && GetTempPathA(sizeof folder, folder)) {
        os_slashes(folder);
        folder[strlen(folder) - 1] = '\0'; // it ends in a slash
    }
    return folder;
}

// ---- programs, threads, memory

bool os_is_program(const char *path)
{
    char program[4096];
    snprintf(program, sizeof program, "%s.exe", path);
    return _access(path, 0) == 0 || _access(program, 0) == 0;
}

// Windows has no exec: this process waits for the other one and exits with its status. Paths cannot contain quotes.
void os_become(const char *program, const char *argument)
{
    char quoted[2][4096];
    snprintf(quoted[0], sizeof *quoted, "\"%s\"", program);
    snprintf(quoted[1], sizeof *quoted, "\"%s\"", argument ? argument : "");
    const char *words[] = { quoted[0], argument ? quoted[1] : NULL, NULL };
    intptr_t status = _spawnvp(_P_WAIT, program, words);
    if (status >= 0) exit((int)status);
}

_Noreturn void os_wait_forever(void)
{
    for (;;) Sleep(INFINITE);
}

_Noreturn void os_kill_self(void)
{
    TerminateProcess(GetCurrentProcess(), 137);
    abort();
}

void os_catch_interrupts(void (*handler)(int signal))
{
    signal(SIGINT, handler);
    signal(SIGTERM, handler);
}

bool os_start_thread(pthread_t *thread, void *(*run)(void *)) { return pthread_create(thread, NULL, run, NULL) == 0; }

bool os_at_fork(void (*before)(void), void (*parent)(void), void (*child)(void))
{
    (void)before;
    (void)parent;
    (void)child;
    return true;
}

int os_processors(void)
{
    SYSTEM_INFO is;
    GetSystemInfo(&is);
    return (int)is.dwNumberOfProcessors;
}

// Thread times on Windows have a resolution of 1/64 s, too coarse for the timings here.
double os_thread_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void *os_aligned_new(size_t align, size_t bytes) { return _aligned_malloc(bytes, align); }
void os_aligned_free(void *at) { _aligned_free(at); }

// ---- terminal

int os_terminal_columns(void)
{
    CONSOLE_SCREEN_BUFFER_INFO is;
    if (!GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &is)) return 0;
    return is.srWindow.Right - is.srWindow.Left + 1;
}

// Pipes report how much they hold, a console can be waited for, and a file is always ready.
bool os_input_waits(int milliseconds)
{
    HANDLE input = GetStdHandle(STD_INPUT_HANDLE);
    DWORD type = GetFileType(input), held = 0, since = GetTickCount();
    if (type == FILE_TYPE_CHAR) return WaitForSingleObject(input, (DWORD)milliseconds) == WAIT_OBJECT_0;
    while (type == FILE_TYPE_PIPE && PeekNamedPipe(input, NULL, 0, NULL, &held, NULL) && !held) {
        if (GetTickCount() - since >= (DWORD)milliseconds) return false;
        Sleep(5);
    }
    return true;
}

#endif
