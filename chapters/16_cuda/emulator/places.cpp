// Where in the source a finding was made: the address of the call, looked up by addr2line, which comes with a compiler.
#include "engine.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#ifdef __linux__
#include <link.h>

static int bias_of(dl_phdr_info *info, size_t, void *to)
{
    *(uintptr_t *)to = info->dlpi_addr;              // the first one is the program
    return 1;
}

// The innermost line that is not the emulator's own: "mma.cu:63", or "" when it cannot be told.
std::string emulator::place_of(const void *site)
{
    uintptr_t bias = 0;
    char command[120], line[400];
    std::string place;
    dl_iterate_phdr(bias_of, &bias);
    snprintf(command, sizeof command, "addr2line -i -e /proc/%d/exe %#zx 2>/dev/null", (int)getpid(),
             (size_t)((uintptr_t)site - 1 - bias));
    FILE *lines = popen(command, "r");
    while (lines && fgets(line, sizeof line, lines)) {
        std::string at(line, strcspn(line, " \n"));
        bool ours = at.find("/emulator/") != std::string::npos || at.find('?') != std::string::npos;
        if (place.empty() && !ours) place = at.substr(at.rfind('/') + 1);
    }
    if (lines) pclose(lines);
    return place;
}

#else

std::string emulator::place_of(const void *) { return ""; }

#endif
