// Copies that nobody waits for until he says so: cp.async, barriers with phases, and the copy engine's boxes. They land
// as late as they may. [NVIDIA, PTX ISA, "cp.async", "mbarrier", "cp.async.bulk.tensor"]
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
    if (!fiber.boxes_out.empty())
        finding("in %s thread %d ends while %zu of its boxes are being read", kernel_name, fiber.index,
                fiber.boxes_out.size());
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
    const char *at;
    uint32_t    length[4], box[4], swizzle, valid;
    uint64_t    stride[3];                           // in bytes
};
static_assert(sizeof(Map) <= sizeof(CUtensorMap), "fits");
enum { VALID = 0x4D415021 };

static int box_bytes(const Map &map) { return 2 * (int)(map.box[0] * map.box[1] * map.box[2] * map.box[3]); }

// 16 bytes of a box at a time, eight channels of a row, which lie within the tensor or beyond it together: the places
// in shared memory and in the card's; and whether a piece of 32 bytes begins.
template <class F> static void each_chunk(const Map &map, uint32_t base, const int (&at)[4], F f)
{
    int chunks = (int)map.box[0] / 8, rows = (int)map.box[1], heads = (int)map.box[2], bytes = box_bytes(map);
    for (int n = 0; n < bytes / 16; n++) {
        int row = n / chunks;
        int64_t x[4] = { at[0] + 8 * (n % chunks), at[1] + row % rows, at[2] + row / rows % heads,
                         at[3] + row / rows / heads };
        bool inside = true;
        for (int i = 0; i < 4; i++) inside = inside && x[i] >= 0 && x[i] < (int64_t)map.length[i];
        if (!inside) continue;
        uint32_t place = base + 16 * (uint32_t)n;
        place ^= (place >> 7 & ((1u << map.swizzle) - 1)) << 4;
        char *there = (char *)map.at + 2 * x[0];
        for (int i = 1; i < 4; i++) there += x[i] * (int64_t)map.stride[i - 1];
        f(place, there, (uintptr_t)there % 32 == 0 || n % chunks == 0);
    }
}

}

using namespace emulator;

uint32_t emulator_shared_address(const void *at)
{
    ptrdiff_t offset = (const char *)at - shared_memory;
    if (offset < 0 || (size_t)offset > shared_used)
        finding("in %s thread %d asks for the shared address of what is not in shared memory", kernel_name,
                current->index);
    return SHARED_BASE + (uint32_t)offset;
}

void emulator_copy_async(uint32_t to, const void *from, bool real)
{
    CALLED_HERE;
    const char *site = (const char *)CALLER;
    if (!shared_holds(to, 16, 16, "cp.async")) return;
    if (!options.uncounted) {
        count_shared(counts.copied, site, to, 16);
        if (real) count_global(counts.copies, site + 1, from, 16);
    }
    if (real && !global_access(from, 16, false, "cp.async")) real = false;
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
    CALLED_HERE;
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
    CALLED_HERE;
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
    CALLED_HERE;
    Barrier *b = barrier_at(address, "barrier_wait");
    if (!b) return;
    if (parity != 0 && parity != 1)
        finding("in %s thread %d waits for a phase of parity %d", kernel_name, current->index, parity);
    while ((b->phase & 1) == parity) pause(b->name);
    know(current->clock, b->complete);
}

void emulator_copy_box(uint32_t to, const TensorMap *where, uint32_t barrier, const int (&at)[4])
{
    CALLED_HERE;
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
    int bytes = box_bytes(map);
    if (!shared_holds(to, bytes, 128 << map.swizzle, "copy_box")) return;
    shared_write(*current, to, bytes, "copy_box");
    shared_fly(to, bytes, true);
    Box box = { to, bytes, b, std::vector<char>((size_t)bytes) };
    each_chunk(map, to, at, [&](uint32_t place, char *from, bool begins) {
        if (!global_access(from, 16, false, "copy_box")) return;
        memcpy(&box.what[place - to], from, 16);
        counts.copies.pieces += begins;
    });
    counts.copies.requests++;
    counts.copies.bytes += bytes;
    boxes.push_back(std::move(box));
    if (options.order == EMULATOR_RANDOM && random_below(2)) copies_land_one();
}

// ---- boxes that leave: read when their thread waits for that, or at once

static void send(const BoxOut &out)
{
    Map map;
    memcpy(&map, &out.map, sizeof map);
    each_chunk(map, out.from, out.at, [&](uint32_t place, char *to, bool) { memcpy(to, shared_at(place), 16); });
}

void emulator_copy_box_out(uint32_t from, const TensorMap *where, const int (&at)[4])
{
    CALLED_HERE;
    Map map;
    memcpy(&map, where, sizeof map);
    if (map.valid != VALID)
        return finding("in %s thread %d sends a box by a map that nobody has made", kernel_name, current->index);
    int bytes = box_bytes(map);
    if (!shared_holds(from, bytes, 128 << map.swizzle, "copy_box_out")) return;
    shared_read(*current, from, bytes, "copy_box_out");
    shared_engine_reads(*current, from, bytes);
    shared_reading(*current, from, bytes, false);
    bool right = true;
    each_chunk(map, from, at, [&](uint32_t, char *to, bool begins) {
        right = right && global_access(to, 16, true, "copy_box_out");
        counts.stores.pieces += begins;
    });
    counts.stores.requests++;
    counts.stores.bytes += bytes;
    BoxOut out = { from, bytes, *where, { at[0], at[1], at[2], at[3] }, false };
    if (right && options.order == EMULATOR_REVERSE) send(out);
    if (right) current->boxes_out.push_back(out);
}

void emulator_boxes_commit()
{
    for (auto &out : current->boxes_out) out.committed = true;
}

void emulator_boxes_wait()
{
    auto &all = current->boxes_out;
    for (auto &out : all) {
        if (!out.committed) continue;
        if (options.order != EMULATOR_REVERSE) send(out);
        shared_reading(*current, out.from, out.bytes, true);
    }
    all.erase(std::remove_if(all.begin(), all.end(), [](const BoxOut &out) { return out.committed; }), all.end());
}

void emulator_stores_before_engine() { current->engine_sees = ++current->clock.at[current->number()]; }

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
