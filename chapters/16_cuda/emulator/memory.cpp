// The card's memory: what has been allocated, and who wrote and read each two bytes of it in this launch. Threads of
// different blocks never wait for each other, so what one writes no other may touch.
#include "engine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <set>

namespace emulator {

const uint32_t MANY = UINT32_MAX;
struct Cell {
    uint32_t written, writer, when;                  // in which launch, 0: never; by whom, and his time
    uint32_t read, reader, reader_when;
};
struct Allocation { char *at; size_t size; std::vector<Cell> cells; };
static std::map<const char *, Allocation> &all()     // there before the first static variable asks for it
{
    static std::new_handler before = std::set_new_handler([] {
        fprintf(stderr, "emulator: there is not enough memory\n");
        exit(1);
    });
    static std::map<const char *, Allocation> allocations;
    (void)before;
    return allocations;
}
static Allocation *last[2];                          // that were looked for
static std::set<const void *> atomics;               // what a launch changes by atomics is nobody's

void memory_begin_launch() { atomics.clear(); }

static Allocation *allocation_of(const void *at, size_t bytes)
{
    const char *from = (const char *)at;
    for (Allocation *a : last)
        if (a && from >= a->at && from + bytes <= a->at + a->size) return a;
    auto next = all().upper_bound(from);
    if (next == all().begin()) return nullptr;
    Allocation &a = std::prev(next)->second;
    if (from + bytes > a.at + a.size) return nullptr;
    last[1] = last[0];
    return last[0] = &a;
}

static uint32_t me() { return (uint32_t)(block_number * threads + current->index); }

// Another thread of this block, and a barrier lies between.
static bool ordered(uint32_t who, uint32_t when)
{
    if (who == me()) return true;
    if (who == MANY || who / (uint32_t)threads != (uint32_t)block_number) return false;
    return current->clock.at[FIRST_THREAD + who % (uint32_t)threads] > when;
}

static void say_race(const char *what, bool writes, size_t at, bool written, uint32_t who)
{
    char other[80] = "other threads";
    if (who != MANY)
        snprintf(other, sizeof other, "thread %u of block %u", who % (uint32_t)threads, who / (uint32_t)threads);
    finding("race in %s: a %s of thread %d %s byte %zu of an allocation, which %s %s; nothing lies between",
            kernel_name, what, current->index, writes ? "writes" : "reads", at, other, written ? "wrote" : "reads");
}

static void check_read(Cell &cell, size_t at, const char *what)
{
    if (!cell.written)
        finding("uninitialised in %s: a %s of thread %d reads byte %zu of an allocation, which nobody has written",
                kernel_name, what, current->index, at);
    if (cell.written == launch_serial && !ordered(cell.writer, cell.when)) say_race(what, false, at, true, cell.writer);
    if (cell.read == launch_serial && cell.reader != me()) cell.reader = MANY;
    else cell.reader = me();
    cell.read = launch_serial;
    cell.reader_when = current->clock.at[current->number()];
}

static void check_write(Cell &cell, size_t at, const char *what)
{
    if (cell.written == launch_serial && !ordered(cell.writer, cell.when)) say_race(what, true, at, true, cell.writer);
    if (cell.read == launch_serial && !ordered(cell.reader, cell.reader_when))
        say_race(what, true, at, false, cell.reader);
    cell.written = launch_serial;
    cell.writer = me();
    cell.when = current->clock.at[current->number()];
}

bool global_access(const void *at, int bytes, bool writes, const char *what)
{
    Allocation *a = allocation_of(at, (size_t)bytes);
    if (!a) {
        finding("out of bounds in %s: a %s of thread %d %s %d bytes that no allocation has", kernel_name, what,
                current->index, writes ? "writes" : "reads", bytes);
        return false;
    }
    size_t first = (size_t)((const char *)at - a->at);
    if (first % (size_t)std::min(bytes, 16))
        finding("misaligned in %s: a %s of %d bytes at byte %zu of an allocation", kernel_name, what, bytes, first);
    if (!atomics.empty() && atomics.count(at)) return true;
    if (checked() && a->cells.empty()) a->cells.assign(a->size / 2 + 1, Cell{ 1, 0, 0, 0, 0, 0 });   // made unchecked
    for (size_t e = first / 2; checked() && e <= (first + (size_t)bytes - 1) / 2; e++) {
        if (writes) check_write(a->cells[e], 2 * e, what);
        else check_read(a->cells[e], 2 * e, what);
    }
    return true;
}

// ---- every load and store of a kernel

static bool of_the_launch(const char *at)            // threadIdx and its like, and what the kernel was given
{
    if (at >= (const char *)arguments && at < (const char *)arguments + arguments_size) return true;
    const void *words[] = { &threadIdx, &blockIdx, &blockDim, &gridDim };
    for (auto word : words)
        if (at >= (const char *)word && at < (const char *)word + sizeof(uint3)) return true;
    return false;
}

static void access(const void *where, int bytes, bool writes, const void *from)
{
    if (!watching || !current) return;
    called_from = from;
    const char *at = (const char *)where, *what = writes ? "store" : "load";
    if (at >= current->stack && at < current->stack + STACK) {
        if (!current->sums.empty() && products_touched(*current, at, bytes))
            finding("in %s thread %d %s a sum that a product of its warp group still works on", kernel_name,
                    current->index, writes ? "writes" : "reads");
        return;
    }
    if (at >= shared_memory && at < shared_memory + SHARED) {
        uint32_t address = SHARED_BASE + (uint32_t)(at - shared_memory);
        if (!options.uncounted) count_shared(writes ? counts.shared_stores : counts.shared_loads, from, address, bytes);
        if (!shared_holds(address, bytes, bytes, what)) return;
        if (writes) shared_write(*current, address, bytes, what);
        else shared_read(*current, address, bytes, what);
        return;
    }
    if (of_the_launch(at)) return;
    if (!options.uncounted) count_global(writes ? counts.stores : counts.loads, from, at, bytes);
    if (checked()) global_access(at, bytes, writes, what);
}

}

using namespace emulator;

void emulator_variable(void *at, size_t bytes)
{
    all()[(char *)at] = { (char *)at, bytes, std::vector<Cell>(bytes / 2 + 1, Cell{ 1, 0, 0, 0, 0, 0 }) };
}

void emulator_atomic(void *at, int bytes)
{
    CALLED_HERE;
    atomics.insert(at);
    global_access(at, bytes, true, "atomic");
}

// What -fsanitize=thread calls before a load or store. No library of its own is linked.
#define HOOK(name, bytes, writes)                                                                                     \
    void name(void *at) { emulator::access(at, bytes, writes, CALLER); }
#define HOOKS(bytes)                                                                                                  \
    HOOK(__tsan_read##bytes, bytes, false) HOOK(__tsan_write##bytes, bytes, true)                                     \
    HOOK(__tsan_unaligned_read##bytes, bytes, false) HOOK(__tsan_unaligned_write##bytes, bytes, true)

extern "C" {

HOOKS(1) HOOKS(2) HOOKS(4) HOOKS(8) HOOKS(16)
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_read_range(void *at, size_t size) { emulator::access(at, (int)size, false, CALLER); }
void __tsan_write_range(void *at, size_t size) { emulator::access(at, (int)size, true, CALLER); }
void __tsan_vptr_update(void *, void *) {}
void __tsan_vptr_read(void *) {}
void *__tsan_memcpy(void *to, const void *from, size_t size) { return memcpy(to, from, size); }
void *__tsan_memset(void *to, int value, size_t size) { return memset(to, value, size); }

// ---- the runtime's part

// What is beside an allocation belongs to nobody: a store that goes there is a finding, and destroys nothing.
enum { BESIDE = 1 << 16 };

cudaError_t cudaMalloc(void **at, size_t bytes)
{
    *at = nullptr;
    if (!bytes) return cudaSuccess;
    if (posix_memalign(at, 256, BESIDE + bytes + BESIDE)) return cudaErrorMemoryAllocation;
    *at = (char *)*at + BESIDE;
    memset(*at, 0xFF, bytes);
    all()[(char *)*at] = { (char *)*at, bytes, std::vector<Cell>(options.unchecked ? 0 : bytes / 2 + 1) };
    return cudaSuccess;
}

cudaError_t cudaFree(void *at)
{
    if (!at) return cudaSuccess;
    last[0] = last[1] = nullptr;
    if (!all().erase((char *)at)) return cudaErrorInvalidValue;
    free((char *)at - BESIDE);
    return cudaSuccess;
}

// The host has written here.
static bool host_writes(const void *at, size_t bytes)
{
    Allocation *a = allocation_of(at, bytes);
    if (!a) return false;
    size_t first = (size_t)((const char *)at - a->at);
    size_t end = std::min((first + bytes + 1) / 2, a->cells.size());
    for (size_t e = first / 2; e < end; e++) a->cells[e] = { 1, 0, 0, 0, 0, 0 };
    return true;
}

cudaError_t cudaMemset(void *at, int value, size_t bytes)
{
    if (!bytes) return cudaSuccess;
    if (!host_writes(at, bytes)) return cudaErrorInvalidValue;
    memset(at, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    if (!bytes) return cudaSuccess;
    bool to_card = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_card = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (from_card && !allocation_of(from, bytes)) return cudaErrorInvalidValue;
    if (to_card && !host_writes(to, bytes)) return cudaErrorInvalidValue;
    memcpy(to, from, bytes);
    return cudaSuccess;
}

// ---- the card: an H100

enum { VERSION = 13000 };
static int multiprocessors() { return options.multiprocessors ? options.multiprocessors : 132; }

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    default: return "some error";
    }
}

cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, cudaSuccess; }
cudaError_t cudaGetDevice(int *device) { return *device = 0, cudaSuccess; }
cudaError_t cudaDriverGetVersion(int *version) { return *version = VERSION, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int *version) { return *version = VERSION, cudaSuccess; }

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int)
{
    *value = attribute == cudaDevAttrMultiProcessorCount ? multiprocessors() : 9;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int)
{
    *properties = { "the emulator", 9, 0, multiprocessors(), 50 << 20, SHARED };
    return cudaSuccess;
}

}
