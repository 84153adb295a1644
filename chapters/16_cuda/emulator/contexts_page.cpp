// The contexts of chapter 16's threads in a page. A function of WebAssembly cannot leave its stack by itself, but some
// browsers can put it aside when it calls something that answers later: run.js hands the answer to whoever is next.
// What a function keeps in memory is on a stack of our own, which is changed here.
#include "engine.h"

#include <cstdlib>
#include <emscripten.h>

unsigned emulator_site;                              // the call of the kernel that is being carried out (sites.awk)

extern "C" {

void *stackSave();                                   // emscripten's: where that stack is, and to change it
void  stackRestore(void *at);

EM_JS(bool, kernels_run, (), { return typeof WebAssembly.Suspending === "function"; });
EM_JS(void, kernels_switch, (int from, int to, bool begins), { abort("run.js has another in its place"); });

bool emulator_runs(void) { return kernels_run(); }

__attribute__((noinline)) static void begin(int index)
{
    stackRestore(emulator::fibers[index].stack + emulator::STACK);
    emulator::context_body();
}

EMSCRIPTEN_KEEPALIVE void kernels_begin(int index) { begin(index); }

}

namespace emulator {

char *context_stack() { return (char *)aligned_alloc(16, STACK); }

void context_switch(const Fiber *from, const Fiber *to, bool begins)
{
    void *mine = stackSave();
    kernels_switch(from ? from->index : -1, to ? to->index : -1, begins);
    stackRestore(mine);
}

}
