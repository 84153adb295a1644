// Files that others write while they are open: whether a file is still the one that was read, and reads of mapped bytes
// that cannot end the program. For the shell alone.
#ifndef VIZ_WATCH_H
#define VIZ_WATCH_H

#include "io/file.h"

#include <stdint.h>

// What tells one state of a file from another without reading it. All zeros: there is no such file, or no name (NULL).
typedef struct {
    int64_t device, node, size, seconds, nanoseconds;
} FileStamp;
FileStamp file_stamp_of(const char *path);
bool file_stamp_same(FileStamp a, FileStamp b);

// Bytes of a mapped file that is cut are gone, and a read of them ends a program with SIGBUS. Of guarded bytes what is
// gone is read as bytes of 0xFF, a page at a time: NaN in every type of float, so that no picture shows it as a number.
// Bytes that are no map need no guard, and get none. At most GUARDS at a time.
//
// The other ways are worse. To copy every file costs the memory that mapping saves. To ask for the size before a read
// leaves the moment in between. To jump out of the read (siglongjmp) leaves whatever was being made half made.
enum { GUARDS = 4 };
void guard_begin(FileMap map);
void guard_end(FileMap map);
bool guard_lost(FileMap map); // something of it was read that was gone

#endif
