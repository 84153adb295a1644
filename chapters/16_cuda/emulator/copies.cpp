// Copies that nobody waits for until he says so: cp.async, barriers with phases, and the copy engine's boxes. They land
// as late as they may. [NVIDIA, PTX ISA, §9.7.9.25 and §9.7.13.15]
#include "engine.h"

#include "ptx.h"

#include <algorithm>
#include <cstdio>

namespace emulator {

// ---- cp.async: lands when its thread waits for it

static void land(const std::vector<Copy> &group)
{
    for (auto &copy : group) {
        shared_landed(copy.to, 16, current->number(), current->clock.at[current->number()]);
        if (copy.real) memcpy(shared_at(copy.to), copy.from, 16);
        else memset(shared_at(copy.to), 0, 16);
    }
}

void copies_end_thread(Fiber &fiber)
{
    size_t left = fiber.copies.size();
    for (auto &group : fiber.copy_groups) left += group.size();
    if (left)
        finding("in %s thread %d ends while %zu of its copies are on their way", kernel_name, fiber.index, left);
}

// ---- barriers with phases

struct Barrier {
    char     name[60];
    uint32_t address;
    int      arrivals, missing, number;
    int64_t  bytes;                                  // announced and not come
    int      phase, maker;
    bool     made;
    Clock    coming, complete;                       // what those knew who have arrived in this phase, in the last one
};
struct Box { uint32_t to; int bytes; Barrier *barrier; std::vector<char> what; };
static std::vector<Barrier *> barriers;              // of this block
static std::vector<Box> boxes;                       // on their way

void copies_begin_block()
{
    for (auto b : barriers) delete b;
    barriers.clear();
    boxes.clear();
}

static Barrier *barrier_at(uint32_t address, const char *what)
{
    for (auto b : barriers) {
        if (b->address != address) continue;
        if (checked() && b->maker != current->index && current->clock.at[FIRST_THREAD + b->maker] < 2)
            finding("race in %s: thread %d is at a %s of a barrier that thread %d may not have made yet", kernel_name,
                    current->index, what, b->maker);
        return b;
    }
    finding("in %s thread %d is at a %s of shared byte %d, where no barrier is", kernel_name, current->index, what,
            (int)address - SHARED_BASE);
    return nullptr;
}

static void complete_phase(Barrier *b)
{
    if (b->missing || b->bytes) return;
    b->phase++;
    b->missing = b->arrivals;
    b->complete = b->coming;
    for (int i = 0; i < threads; i++)
        if (fibers[i].waits == b->name) wake(fibers[i]);
}

// The oldest, the newest, or any of those on their way.
bool copies_land_one()
{
    if (boxes.empty()) return false;
    size_t n = options.order == EMULATOR_FORWARD ? 0 : options.order == EMULATOR_REVERSE ? boxes.size() - 1
               : random_below((uint32_t)boxes.size());
    Box box = std::move(boxes[n]);
    boxes.erase(boxes.begin() + (long)n);
    uint32_t &now = box.barrier->coming.at[box.barrier->number];
    shared_landed(box.to, box.bytes, box.barrier->number, now++);
    memcpy(shared_at(box.to), box.what.data(), (size_t)box.bytes);
    box.barrier->bytes -= box.bytes;
    complete_phase(box.barrier);
    return true;
}

// ---- maps

struct Map {                                         // what a CUtensorMap of the emulator holds
    const char *from;
    uint32_t    length[4], box[4], swizzle, valid;
    uint64_t    stride[3];                           // in bytes
};
static_assert(sizeof(Map) <= sizeof(CUtensorMap), "fits");
enum { VALID = 0x4D415021 };

}

using namespace emulator;

uint32_t emulator_shared_address(const void *at)
{
    ptrdiff_t offset = (const char *)at - shared_memory;
    if (offset < 0 || (size_t)offset > shared_used)
        finding("in %s thread %d asks for the shared address of what is not in shared memory", kernel_name, current->index);
    return SHARED_BASE + (uint32_t)offset;
}

void emulator_copy_async(uint32_t to, const void *from, bool real)
{
    const char *site = (const char *)__builtin_return_address(0);
    if (!shared_holds(to, 16, 16, "cp.async")) return;
    if (!options.uncounted) {
        count_shared(counts.copied, site, to, 16);
        if (real) count_global(counts.copies, site + 1, from, 16);
    }
    if (real && !global_read(from, 16, "cp.async")) real = false;
    shared_write(*current, to, 16, "cp.async");
    shared_fly(to, 16, true);
    current->copies.push_back({ to, (const char *)from, real });
}

void emulator_copies_commit()
{
    current->copy_groups.push_back(std::move(current->copies));
    current->copies.clear();
}

void emulator_copies_wait(int newest)
{
    auto &groups = current->copy_groups;
    while (groups.size() > (size_t)newest) {
        land(groups.front());
        groups.erase(groups.begin());
    }
}

void emulator_barrier_init(uint32_t address, int arrivals)
{
    if (!shared_holds(address, 8, 8, "barrier_init")) return;
    if (barriers.size() == BARRIERS || arrivals < 1) {
        finding("in %s barrier %zu is to wait for %d arrivals", kernel_name, barriers.size(), arrivals);
        return;
    }
    shared_write(*current, address, 8, "barrier_init");
    Barrier *b = new Barrier();
    b->address = address;
    b->arrivals = b->missing = arrivals;
    b->number = (int)barriers.size();
    b->maker = current->index;
    b->coming.at[b->number] = 1;
    snprintf(b->name, sizeof b->name, "barrier %d at shared byte %d", b->number, (int)address - SHARED_BASE);
    barriers.push_back(b);
}

void emulator_barriers_made()
{
    for (auto b : barriers)
        if (b->maker == current->index) b->made = true;
}

void emulator_barrier_arrive(uint32_t address, int bytes)
{
    Barrier *b = barrier_at(address, "barrier_arrive");
    if (!b) return;
    if (b->missing == 0) {
        finding("in %s thread %d arrives at barrier %d, where all %d have arrived and bytes are missing", kernel_name,
                current->index, b->number, b->arrivals);
        return;
    }
    b->bytes += bytes;
    b->missing--;
    know(b->coming, current->clock);
    uint32_t &now = current->clock.at[current->number()];
    b->coming.at[current->number()] = ++now;
    complete_phase(b);
}

// The phase of this parity is complete when the barrier is in one of the other.
void emulator_barrier_wait(uint32_t address, int parity)
{
    Barrier *b = barrier_at(address, "barrier_wait");
    if (!b) return;
    if (parity != 0 && parity != 1)
        finding("in %s thread %d waits for a phase of parity %d", kernel_name, current->index, parity);
    while ((b->phase & 1) == parity) pause(b->name);
    know(current->clock, b->complete);
}

void emulator_copy_box(uint32_t to, const TensorMap *where, uint32_t barrier, const int (&at)[4])
{
    Map map;
    memcpy(&map, where, sizeof map);
    Barrier *b = barrier_at(barrier, "copy_box");
    if (!b) return;
    if (!b->made)
        finding("in %s a copy is to arrive at barrier %d before barriers_made", kernel_name, b->number);
    if (map.valid != VALID) {
        finding("in %s thread %d copies a box by a map that nobody has made", kernel_name, current->index);
        return;
    }
    int rows = (int)(map.box[1] * map.box[2] * map.box[3]), width = 2 * (int)map.box[0], bytes = rows * width;
    if (!shared_holds(to, bytes, 128 << map.swizzle, "copy_box")) return;
    shared_write(*current, to, bytes, "copy_box");
    shared_fly(to, bytes, true);
    Box box = { to, bytes, b, std::vector<char>((size_t)bytes) };
    for (int n = 0; n < rows * (int)map.box[0] / 8; n++) {
        // 16 bytes at a time: eight channels of a row, which lie within the tensor or beyond it together.
        int chunk = n % ((int)map.box[0] / 8), line = n / ((int)map.box[0] / 8);
        int64_t x[4] = { at[0] + 8 * chunk, at[1] + line % (int)map.box[1],
                         at[2] + line / (int)map.box[1] % (int)map.box[2],
                         at[3] + line / (int)(map.box[1] * map.box[2]) };
        bool inside = true;
        for (int i = 0; i < 4; i++) inside = inside && x[i] >= 0 && x[i] < (int64_t)map.length[i];
        uint32_t place = to + (uint32_t)(line * width + 16 * chunk), mask = (1u << map.swizzle) - 1;
        place ^= (place >> 7 & mask) << 4;
        if (!inside) continue;
        const char *from = map.from + 2 * x[0];
        for (int i = 1; i < 4; i++) from += x[i] * (int64_t)map.stride[i - 1];
        if (!global_read(from, 16, "copy_box")) continue;
        memcpy(&box.what[place - to], from, 16);
        counts.copies.pieces += (uintptr_t)from % 32 == 0 || chunk == 0;
    }
    counts.copies.requests++;
    counts.copies.bytes += bytes;
    boxes.push_back(std::move(box));
    if (options.order == EMULATOR_RANDOM && random_below(2)) copies_land_one();
}

extern "C" CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *from,
                                           const cuuint64_t *lengths, const cuuint64_t *strides, const cuuint32_t *box,
                                           const cuuint32_t *steps, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
                                           CUtensorMapL2promotion, CUtensorMapFloatOOBfill)
{
    Map m = { (const char *)from, {}, {}, (uint32_t)swizzle, VALID, {} };
    bool right = rank == 4 && (uintptr_t)from % 16 == 0 && type != 0;
    for (int i = 0; i < 4 && right; i++) {
        m.length[i] = (uint32_t)lengths[i];
        m.box[i] = box[i];
        right = lengths[i] >= 1 && lengths[i] <= UINT32_MAX && box[i] >= 1 && box[i] <= 256 && steps[i] == 1;
        if (i == 3) continue;
        m.stride[i] = strides[i];
        right = right && strides[i] % 16 == 0 && strides[i] < (uint64_t)1 << 40;
    }
    right = right && 2 * box[0] % 16 == 0 && (!swizzle || 2 * box[0] <= 16u << swizzle);
    if (!right) return CUDA_ERROR_INVALID_VALUE;
    memcpy(map, &m, sizeof m);
    return CUDA_SUCCESS;
}

extern "C" cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned,
                                                        unsigned long long, cudaDriverEntryPointQueryResult *result)
{
    bool known = !strcmp(name, "cuTensorMapEncodeTiled");
    *function = known ? (void *)cuTensorMapEncodeTiled : nullptr;
    if (result) *result = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return known ? cudaSuccess : cudaErrorInvalidValue;
}

extern "C" cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                               cudaDriverEntryPointQueryResult *result)
{
    return cudaGetDriverEntryPointByVersion(name, function, 12000, flags, result);
}
