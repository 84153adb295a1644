// The engine: blocks one after the other, their threads as fibers, which run until they have to wait for each other.
#include "engine.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace emulator {

Fiber fibers[THREADS];
Warp warps[WARPS];
Fiber *current;
int threads, warp_count;
uint32_t block_serial, launch_serial = 1;            // 1: what the host does
int64_t block_number;
const char *kernel_name = "";
EmulatorOptions options;
EmulatorCounts counts;
bool watching;
const void *called_from;

static void (*call)(const void *);
const void *arguments;
size_t arguments_size;
static int alive, at_barrier;
static bool given_up;
static uint64_t random_state;

// [Steele, Lea and Flood 2014, SplitMix]
uint32_t random_below(uint32_t n)
{
    uint64_t z = random_state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return (uint32_t)((z ^ z >> 31) >> 32) % n;
}

// ---- which fiber runs

static int bit(uint32_t bits, bool last) { return last ? 31 - __builtin_clz(bits) : __builtin_ctz(bits); }

static Fiber *next_ready()
{
    bool reverse = options.order == EMULATOR_REVERSE, random = options.order == EMULATOR_RANDOM;
    int first = random ? (int)random_below((uint32_t)warp_count) : 0;
    for (int n = 0; n < warp_count; n++) {
        int w = reverse ? warp_count - 1 - n : (first + n) % warp_count;
        uint32_t ready = warps[w].ready;
        if (!ready) continue;
        if (random)
            for (uint32_t skip = random_below((uint32_t)__builtin_popcount(ready)); skip; skip--) ready &= ready - 1;
        return &fibers[LANES * w + bit(ready, reverse)];
    }
    return nullptr;
}

static void say_deadlock()
{
    const Fiber *one = nullptr;
    int waiting = 0;
    for (int i = threads - 1; i >= 0; i--) {
        if (fibers[i].ended) continue;
        waiting++;
        if (!one || fibers[i].waits != fibers[threads - 1].waits) one = &fibers[i];
    }
    std::string others;
    for (int i = 0; i < threads; i++) {
        if (fibers[i].ended || !fibers[i].waits || others.find(fibers[i].waits) != std::string::npos) continue;
        others += (others.empty() ? "thread " : "; thread ") + std::to_string(i) + " for " + fibers[i].waits;
    }
    finding("deadlock in %s: %d threads of %d wait for each other: %s", kernel_name, waiting, threads, others.c_str());
}

// Whoever is next; NULL, the host, when all have ended or nobody can go on.
static Fiber *next_one()
{
    Fiber *next;
    while (!(next = next_ready()) && alive > 0 && copies_land_one()) continue;
    if (!next && alive > 0) say_deadlock();
    if (!next) given_up = alive > 0;
    return next;
}

// Comes back when it is this one's turn again.
static void let_run(Fiber *next)
{
    Fiber *me = current;
    if (next == me) return;
    current = next;
    if (next) threadIdx = next->at;
    bool begins = next && !next->begun;
    if (begins) next->begun = true;
    context_switch(me, next, begins);
}

void give_up()
{
    given_up = true;
    let_run(nullptr);
    abort();
}

void wake(Fiber &fiber)
{
    fiber.waits = nullptr;
    warps[fiber.warp].ready |= 1u << fiber.lane;
}

void pause(const char *what)
{
    current->waits = what;
    warps[current->warp].ready &= ~(1u << current->lane);
    let_run(next_one());
}

// Others have their turn first; this thread stays ready.
static void yield() { let_run(next_one()); }

// ---- barriers

// Everybody in the range knows what each of the others knew, and begins a new time of his own.
void join(int first, int end, uint32_t lanes)
{
    static Clock all;
    int length = FIRST_THREAD + threads;
    if (!checked()) return;
    std::fill(all.at, all.at + length, 0);
    for (int i = first; i < end; i++) {
        if (fibers[i].ended || !(lanes >> i % LANES & 1)) continue;
        for (int n = 0; n < length; n++) all.at[n] = std::max(all.at[n], fibers[i].clock.at[n]);
    }
    for (int i = first; i < end; i++)
        if (!fibers[i].ended && lanes >> i % LANES & 1) all.at[FIRST_THREAD + i]++;
    for (int i = first; i < end; i++)
        if (!fibers[i].ended && lanes >> i % LANES & 1) std::copy(all.at, all.at + length, fibers[i].clock.at);
}

void know(Clock &mine, const Clock &his)
{
    for (int n = 0; n < FIRST_THREAD + threads && checked(); n++) mine.at[n] = std::max(mine.at[n], his.at[n]);
}

enum { NAMED = 16 };
struct Named { int come, wanted; std::vector<int> waiting; Clock known; };
static Named named[NAMED];

static void leave_barrier()
{
    at_barrier = 0;
    counts.barriers++;
    join(0, threads, 0xFFFFFFFF);
    for (int w = 0; w < warp_count; w++) count_warp(warps[w]);
    for (int i = 0; i < threads; i++)
        if (!fibers[i].ended) wake(fibers[i]);
}

static void say_missing()
{
    finding("barrier in %s: %d of %d threads have come to __syncthreads, the others have ended", kernel_name,
            at_barrier, threads);
}

// Thread for thread, for ever: the kernel, and then whoever is next.
void context_body()
{
    for (;;) {
        call(arguments);
        Fiber &fiber = *current;
        copies_end_thread(fiber);
        products_end_thread(fiber);
        fiber.ended = true;
        alive--;
        Warp &warp = warps[fiber.warp];
        warp.alive &= ~(1u << fiber.lane);
        warp.ready &= ~(1u << fiber.lane);
        if (!warp.alive) count_warp(warp);
        if (alive && at_barrier == alive) {
            say_missing();
            leave_barrier();
        }
        let_run(next_one());
    }
}

// Lanes with one mask meet; others may do so elsewhere, with a mask of theirs.
static Meeting &meeting_of(Warp &warp, uint32_t mask)
{
    for (auto &m : warp.meetings)
        if (m.waiting && m.mask == mask) return m;
    for (auto &m : warp.meetings)
        if (!m.waiting) return m;
    finding("in %s the lanes of warp %d wait with %d masks", kernel_name, warp.index, MEETINGS + 1);
    give_up();
}

void meet(uint32_t mask, void *operands, void (*act)(Warp &, Meeting &), const char *what)
{
    Fiber &fiber = *current;
    Warp &warp = warps[fiber.warp];
    mask &= warp.lanes;
    Meeting &meeting = meeting_of(warp, mask);
    if (!(mask >> fiber.lane & 1))
        finding("in %s thread %d (warp %d) carries out a %s whose mask leaves it out", kernel_name, fiber.index,
                fiber.warp, what);
    if (meeting.waiting && meeting.act != act) {
        finding("in %s the lanes of warp %d have come apart: thread %d is at a %s, others are elsewhere", kernel_name,
                fiber.warp, fiber.index, what);
        give_up();
    }
    meeting.act = act;
    meeting.mask = mask;
    meeting.operands[fiber.lane] = operands;
    meeting.waiting |= 1u << fiber.lane;
    if ((meeting.waiting & mask) != mask) return pause(what);
    act(warp, meeting);
    for (int lane = 0; lane < LANES; lane++)
        if (meeting.waiting >> lane & 1) wake(fibers[LANES * warp.index + lane]);
    meeting.waiting = 0;
    if (mask == warp.lanes) count_warp(warp);
    yield();
}

// ---- blocks and launches

static void make_fiber(Fiber &fiber, int index)
{
    if (!fiber.stack && !(fiber.stack = context_stack())) {
        fprintf(stderr, "emulator: no memory for the stacks of %d threads\n", threads);
        exit(1);
    }
    unsigned n = (unsigned)index;
    fiber.index = index;
    fiber.warp = index / LANES;
    fiber.lane = index % LANES;
    fiber.at = { n % blockDim.x, n / blockDim.x % blockDim.y, n / blockDim.x / blockDim.y };
    fiber.ended = fiber.fenced = false;
    fiber.waits = nullptr;
    fiber.copies.clear();
    fiber.copy_groups.clear();
    fiber.boxes_out.clear();
    fiber.engine_sees = 0;
    fiber.products.clear();
    fiber.product_groups.clear();
    fiber.sums.clear();
    fiber.open_products = 0;
    fiber.settled = fiber.executed = 0;
    std::fill(fiber.clock.at, fiber.clock.at + FIRST_THREAD + threads, 0);
    fiber.clock.at[fiber.number()] = 1;
}

static void run_block(size_t dynamic)
{
    block_serial++;
    memory_begin_block(dynamic);
    copies_begin_block();
    for (int w = 0; w < warp_count; w++) {
        int lanes = std::min(LANES + 0, threads - LANES * w);
        uint32_t all = lanes == LANES ? 0xFFFFFFFF : (1u << lanes) - 1;
        warps[w] = Warp{ all, all, all, w, {} };
    }
    for (int i = 0; i < threads; i++) make_fiber(fibers[i], i);
    for (auto &b : named) b.come = 0, b.waiting.clear();
    alive = threads;
    at_barrier = 0;
    given_up = false;
    let_run(next_one());
    if (!given_up) return;
    for (int i = 0; i < threads; i++)
        if (!fibers[i].ended) fibers[i].begun = false;
}

static cudaError_t last_error;
static std::vector<std::pair<const void *, int>> attributes;
const int SHARED_UNASKED = 48 << 10;                 // more must be asked for

static cudaError_t launch_error(const void *function, dim3 grid, dim3 block, size_t bytes)
{
    uint64_t count = (uint64_t)block.x * block.y * block.z;
    if (count < 1 || count > THREADS || !grid.x || !grid.y || !grid.z || grid.x >= 1u << 31 || grid.y > 65535 ||
        grid.z > 65535) return cudaErrorInvalidConfiguration;
    int most = SHARED_UNASKED;
    for (auto &a : attributes)
        if (a.first == function) most = std::max(most, a.second);
    return bytes > (size_t)most ? cudaErrorInvalidValue : cudaSuccess;
}

static void run_all(size_t dynamic)
{
    int64_t blocks = (int64_t)gridDim.x * gridDim.y * gridDim.z;
    std::vector<int64_t> order(options.order == EMULATOR_RANDOM ? (size_t)blocks : 0);
    for (size_t n = 0; n < order.size(); n++) {
        order[n] = (int64_t)n;
        std::swap(order[n], order[random_below((uint32_t)n + 1)]);
    }
    for (int64_t e = 0; e < blocks; e++) {
        int64_t n = options.order == EMULATOR_REVERSE ? blocks - 1 - e : order.empty() ? e : order[(size_t)e];
        block_number = n;
        blockIdx = { (unsigned)(n % gridDim.x), (unsigned)(n / gridDim.x % gridDim.y),
                     (unsigned)(n / gridDim.x / gridDim.y) };
        run_block(dynamic);
    }
    counts.launches++;
    counts.blocks += blocks;
    counts.threads += blocks * threads;
}

// ---- findings

struct Finding { const char *format; std::string kernel, text; };
static std::vector<Finding> findings;
static int64_t finding_count;

void finding(const char *format, ...)
{
    finding_count++;
    for (auto &f : findings)
        if (f.format == format && f.kernel == kernel_name) return;
    char text[1024], place[200] = "";
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    std::string line = current && options.places ? place_of(called_from) : "";
    if (!line.empty()) snprintf(place, sizeof place, " (%s)", line.c_str());
    else if (current) snprintf(place, sizeof place, " (block %u,%u,%u)", blockIdx.x, blockIdx.y, blockIdx.z);
    findings.push_back({ format, kernel_name, std::string(text) + place });
}

}

// ---- what kernels, launches and the chapter call

using namespace emulator;

void emulator_syncthreads()
{
    CALLED_HERE;
    if (++at_barrier < alive) return pause("__syncthreads");
    if (alive < threads) say_missing();
    leave_barrier();
    yield();
}

void emulator_syncwarp(uint32_t mask)
{
    CALLED_HERE;
    meet(mask, nullptr, [](Warp &warp, Meeting &meeting) {
        counts.warp_barriers++;
        join(LANES * warp.index, std::min(LANES * (warp.index + 1), threads), meeting.mask);
    }, "__syncwarp");
}

// bar.sync and bar.arrive: so many threads, some of which go on at once.
void emulator_named(int n, int wanted, bool waits)
{
    CALLED_HERE;
    static char names[NAMED][24];
    if (n < 0 || n >= NAMED || wanted % LANES || wanted > threads)
        return finding("in %s thread %d is at named barrier %d of %d threads", kernel_name, current->index, n, wanted);
    snprintf(names[n], sizeof names[n], "barrier number %d", n);
    Named &b = named[n];
    if (b.come && b.wanted != wanted)
        finding("in %s named barrier %d is to wait for %d threads and for %d", kernel_name, n, b.wanted, wanted);
    if (!b.come) b.known = Clock();
    b.wanted = wanted;
    know(b.known, current->clock);
    uint32_t &now = current->clock.at[current->number()];
    b.known.at[current->number()] = ++now;
    bool last = ++b.come == wanted;
    if (waits) b.waiting.push_back(current->index);
    if (last) {
        b.come = 0;
        std::vector<int> all = std::move(b.waiting);
        b.waiting.clear();
        for (int i : all) {
            know(fibers[i].clock, b.known);
            if (i != current->index) wake(fibers[i]);
        }
    } else if (waits) pause(names[n]);
}

int emulator_lane() { return current->lane; }

namespace {
struct Shuffle { uint32_t value, result; int from; };
}

uint32_t emulator_shuffle(uint32_t mask, uint32_t value, int from)
{
    CALLED_HERE;
    Shuffle mine = { value, 0, from };
    meet(mask, &mine, [](Warp &, Meeting &meeting) {
        counts.shuffles++;
        for (int lane = 0; lane < LANES; lane++) {
            if (!(meeting.mask >> lane & 1)) continue;
            Shuffle *to = (Shuffle *)meeting.operands[lane];
            bool there = to->from >= 0 && to->from < LANES && meeting.mask >> to->from & 1;
            if (!there)
                finding("in %s lane %d shuffles from lane %d, which takes no part", kernel_name, lane, to->from);
            to->result = there ? ((Shuffle *)meeting.operands[to->from])->value : 0xFFFFFFFF;
        }
    }, "shuffle");
    return mine.result;
}

uint32_t emulator_all(uint32_t mask, bool holds)
{
    CALLED_HERE;
    struct Vote { bool holds; uint32_t all; } mine = { holds, 1 };
    meet(mask, &mine, [](Warp &, Meeting &meeting) {
        uint32_t all = 1;
        for (int lane = 0; lane < LANES; lane++)
            if (meeting.mask >> lane & 1) all &= ((Vote *)meeting.operands[lane])->holds;
        for (int lane = 0; lane < LANES; lane++)
            if (meeting.mask >> lane & 1) ((Vote *)meeting.operands[lane])->all = all;
        counts.shuffles++;
    }, "vote");
    return mine.all;
}

void emulator_run(const char *kernel, const void *function, dim3 grid, dim3 block, size_t bytes,
                  void (*with)(const void *), const void *what, size_t size)
{
    static std::vector<std::string *> names;         // of all launches, for as long as findings name them
    last_error = launch_error(function, grid, block, bytes);
    if (last_error) return;
    std::string name(kernel, strcspn(kernel, "<"));
    auto known = std::find_if(names.begin(), names.end(), [&](std::string *s) { return *s == name; });
    if (known == names.end()) known = names.insert(names.end(), new std::string(name));
    kernel_name = (*known)->c_str();
    call = with;
    arguments = what;
    arguments_size = size;
    gridDim = grid;
    blockDim = block;
    threads = (int)(block.x * block.y * block.z);
    warp_count = (threads + LANES - 1) / LANES;
    launch_serial++;
    memory_begin_launch();
    watching = !options.unchecked || !options.uncounted;
    run_all(bytes);
    watching = false;
}

cudaError_t emulator_set_attribute(const void *function, cudaFuncAttribute attribute, int value)
{
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value > SHARED) return last_error = cudaErrorInvalidValue;
    for (auto &a : attributes)
        if (a.first == function) return a.second = value, cudaSuccess;
    attributes.push_back({ function, value });
    return cudaSuccess;
}

extern "C" {

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaDeviceSynchronize(void) { return last_error; }

void emulator_configure(EmulatorOptions o)
{
    options = o;
    random_state = o.seed;
}

EmulatorCounts emulator_counts(void) { return counts; }

void emulator_reset(void)
{
    counts = {};
    findings.clear();
    finding_count = 0;
}

int64_t emulator_findings(void) { return finding_count; }

const char *emulator_finding(int n)
{
    return n >= 0 && (size_t)n < findings.size() ? findings[(size_t)n].text.c_str() : nullptr;
}

}
