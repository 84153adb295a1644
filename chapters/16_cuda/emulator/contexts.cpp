// Contexts on POSIX: a stack and where it was left. Whoever begins is put on his stack by ucontext; from then on setjmp
// is enough, which asks nothing of the kernel. In a page it is contexts_page.cpp.
#include "engine.h"

#include <csetjmp>
#include <cstdlib>
#include <sys/mman.h>
#include <ucontext.h>

namespace emulator {

static jmp_buf host, left[THREADS];

char *context_stack()
{
    size_t guard = 1 << 14;                          // whoever needs more than his stack is stopped
    void *at = mmap(nullptr, STACK + guard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return nullptr;
    mprotect(at, guard, PROT_NONE);
    return (char *)at + guard;
}

void context_switch(const Fiber *from, const Fiber *to, bool begins)
{
    if (_setjmp(from ? left[from->index] : host)) return;
    if (!begins) _longjmp(to ? left[to->index] : host, 1);
    ucontext_t start;
    getcontext(&start);
    start.uc_stack.ss_sp = to->stack;
    start.uc_stack.ss_size = STACK;
    start.uc_link = nullptr;
    makecontext(&start, context_body, 0);
    setcontext(&start);
    abort();
}

}

extern "C" bool emulator_runs(void) { return true; }
