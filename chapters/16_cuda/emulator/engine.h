// What the parts of the emulator know of each other: threads as fibers, the warps and the block they make up, shared
// memory, and the clocks that tell what came before what.
#ifndef ENGINE_H
#define ENGINE_H

#include "emulator.h"
#include "runtime.h"
#ifndef CALLER // what called this function: a place of the kernel
    #define CALLER __builtin_return_address(0)
#endif

#include <string>
#include <vector>

namespace emulator
{

enum {
    LANES = 32,
    THREADS = 1024,
    WARPS = THREADS / LANES,
    BARRIERS = 64, // with phases, in one block
    SHARED = 227 << 10,
    SHARED_BASE = 1024, // bytes a block may have; where they begin, as on Hopper
    STACK = 128 << 10,
};

// ---- clocks. Everybody who reads or writes has a number, a barrier with phases too (copies land in its name), and
// counts his own releases. `at` is what he knows of everybody's: what n did at time t came before if at[n] > t.
enum { FIRST_THREAD = BARRIERS, CLOCKS = BARRIERS + THREADS };
struct Clock {
    uint32_t at[CLOCKS];
};
const uint32_t FOREVER = UINT32_MAX; // of a read that is not over

// ---- threads

struct Copy {
    uint32_t to;
    const char *from;
    bool real;
}; // 16 bytes, by cp.async
struct BoxOut {
    uint32_t from;
    int bytes;
    CUtensorMap map;
    int at[4];
    bool committed;
};
struct Product { // by a warp group: what a lane says of it
    HalfKind kind;
    int columns;
    bool add, registers;
    uint64_t a, b;
    uint32_t fragment[4];
    float *c;
};
struct Sum {
    float *c;
    int count;
    std::vector<float> values;
}; // of products, until they are waited for

struct Fiber {
    bool begun, ended;
    char *stack; // (STACK)
    int index, warp, lane;
    uint3 at;
    Clock clock;
    const char *waits;        // for what; NULL: for nothing
    std::vector<Copy> copies; // not yet committed, and the groups that are
    std::vector<std::vector<Copy>> copy_groups;
    std::vector<BoxOut> boxes_out;
    uint32_t engine_sees;            // what this thread has stored before this time
    std::vector<Product> products;   // from number `settled` on
    std::vector<int> product_groups; // how many products each has
    std::vector<Sum> sums;
    size_t settled, executed; // over; worked on: of a group's first thread, for all
    int open_products;        // not yet committed
    bool fenced;
    size_t issued() const { return settled + products.size(); }
    int number() const { return FIRST_THREAD + index; }
};

struct Warp;
struct Meeting {            // the lanes of mask carry out something together
    uint32_t waiting, mask; // who has come
    void (*act)(Warp &, Meeting &);
    void *operands[LANES];
};
enum { MEETINGS = 4 }; // at a time, of different lanes
struct Warp {
    uint32_t lanes, alive, ready;
    int index;
    Meeting meetings[MEETINGS];
};

extern Fiber fibers[THREADS];
extern Warp warps[WARPS];
extern Fiber *current;                       // NULL: the host
extern int threads, warp_count;              // of a block
extern uint32_t block_serial, launch_serial; // of all blocks, launches so far
extern int64_t block_number;
extern const char *kernel_name;
extern const void *arguments; // of the kernel, as the launch keeps them
extern size_t arguments_size;
extern EmulatorOptions options;
extern EmulatorCounts counts;
extern bool watching; // a kernel runs, and loads and stores are checked or counted

uint32_t random_below(uint32_t n);
inline bool checked() { return !options.unchecked; }

// ---- contexts: the host's and each fiber's, of which one runs (contexts.cpp)

char *context_stack(); // (STACK), in place for good; NULL: there is no memory
void context_switch(const Fiber *from, const Fiber *to, bool begins); // NULL: the host. It comes back later
void context_body(); // what one does that begins, on its stack; never comes back

// ---- who waits for whom

void pause(const char *what); // until somebody wakes this thread
void wake(Fiber &fiber);
void meet(uint32_t mask, void *operands, void (*act)(Warp &, Meeting &), const char *what); // with the lanes of mask
[[noreturn]] void give_up(); // this block: it cannot go on

void know(Clock &mine, const Clock &his);      // what he knew
void join(int first, int end, uint32_t lanes); // threads first … end − 1, of each warp these lanes, all know all

extern const void *called_from; // where the kernel has called the emulator last
std::string place_of(const void *site);
#define CALLED_HERE (emulator::called_from = CALLER)

// A finding: what, as printf has it. The same kind is told once in a kernel, and counted.
__attribute__((format(printf, 1, 2))) void finding(const char *format, ...);

// ---- memory

extern char shared_memory[]; // of the block; shared address SHARED_BASE is shared_memory[0]
extern size_t shared_dynamic, shared_used;
void memory_begin_block(size_t dynamic);
void memory_begin_launch();
bool shared_holds(uint32_t address, int bytes, int alignment, const char *what); // a finding, if not
inline char *shared_at(uint32_t address) { return shared_memory + (address - SHARED_BASE); }

// Of `bytes` at a shared address, by a thread; `others`: it reads for its whole warp.
void shared_read(Fiber &reader, uint32_t address, int bytes, const char *what, bool others = false);
void shared_write(Fiber &writer, uint32_t address, int bytes, const char *what);
void shared_fly(uint32_t address, int bytes, bool flying); // poisons, or lands
void shared_landed(uint32_t address, int bytes, int number, uint32_t clock);
void shared_reading(const Fiber &reader, uint32_t address, int bytes, bool over); // an asynchronous read
void shared_engine_reads(const Fiber &reader, uint32_t address, int bytes);       // did its writers say that it may?
bool global_access(const void *at, int bytes, bool writes, const char *what);     // false: it may not be

// ---- copies

bool copies_land_one(); // the copy engine's; false: none is on its way
void copies_begin_block();
void copies_end_thread(Fiber &fiber);
void products_end_thread(Fiber &fiber);
bool products_touched(const Fiber &fiber, const void *at, int bytes); // a sum that is being worked on

// ---- counts

void count_global(EmulatorGlobal &to, const void *site, const void *at, int bytes);
void count_shared(EmulatorShared &to, const void *site, uint32_t address, int bytes);
int bank_turns(const uint32_t *addresses, int lanes, int bytes);
void count_warp(Warp &warp); // all lanes are at the same place: requests are complete

} // namespace emulator

#endif
