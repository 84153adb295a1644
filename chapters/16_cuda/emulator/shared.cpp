// Shared memory and its shadow: who wrote and who read each two bytes, and when. What is not ordered by a barrier is a
// race; what nobody has written yet, or a copy has on its way, is not to be read.
#include "engine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

namespace emulator {

alignas(1024) char shared_memory[SHARED];
size_t shared_dynamic, shared_used;

enum { CELLS = SHARED / 2, NOBODY = -1 };
struct Cell {
    uint32_t serial;                                 // of the block; another one: as good as new
    uint32_t readers;                                // warps that have read since the last write
    uint32_t when;
    int16_t  writer;                                 // his number
    bool     written, flying;
};
struct Reads { uint32_t when, lanes; };              // of a warp: its last ones
static Cell cells[CELLS];
static Reads (*reads)[WARPS];                        // of each cell: 30 MB, made for the first block

struct Array { const void *key; size_t at; };
static std::vector<Array> arrays;                    // static ones of this block, behind the dynamic memory

void memory_begin_block(size_t dynamic)
{
    static size_t used = SHARED;
    if (!reads) {
        void *at = mmap(nullptr, sizeof *reads * CELLS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) {
            fputs("emulator: no memory for the shadow of shared memory\n", stderr);
            exit(1);
        }
        reads = (Reads (*)[WARPS])at;
    }
    memset(shared_memory, 0xFF, std::max(used, dynamic));
    arrays.clear();
    shared_dynamic = shared_used = used = dynamic;
}

static Cell &cell_of(uint32_t address)
{
    Cell &cell = cells[(address - SHARED_BASE) / 2];
    if (cell.serial != block_serial) cell = { block_serial, 0, 0, NOBODY, false, false };
    return cell;
}

bool shared_holds(uint32_t address, int bytes, int alignment, const char *what)
{
    if (address < SHARED_BASE || address - SHARED_BASE + (size_t)bytes > shared_used) {
        finding("out of bounds in %s: a %s at shared byte %d, of %zu that the block has", kernel_name, what,
                (int)address - SHARED_BASE, shared_used);
        return false;
    }
    if (address % (uint32_t)alignment) {
        finding("misaligned in %s: a %s at shared byte %d, no multiple of %d", kernel_name, what,
                (int)address - SHARED_BASE, alignment);
        return false;
    }
    return true;
}

// Who has this number, in words.
struct Name { char text[60]; };
static Name name_of(int number)
{
    Name name;
    if (number < FIRST_THREAD) snprintf(name.text, sizeof name.text, "a copy of barrier %d", number);
    else
        snprintf(name.text, sizeof name.text, "thread %d (warp %d)", number - FIRST_THREAD,
                 (number - FIRST_THREAD) / LANES);
    return name;
}

static bool ordered(const Fiber &later, int number, uint32_t when)
{
    return number == later.number() || later.clock.at[number] > when;
}

void shared_read(Fiber &reader, uint32_t address, int bytes, const char *what, bool others)
{
    if (!checked()) return;
    for (uint32_t at = address & ~1u; at < address + (uint32_t)bytes; at += 2) {
        Cell &cell = cell_of(at);
        if (cell.flying)
            finding("in %s a %s of %s reads shared byte %u while a copy is on its way there: nobody has waited for it",
                    kernel_name, what, name_of(reader.number()).text, at - SHARED_BASE);
        else if (!cell.written)
            finding("uninitialised in %s: a %s of %s reads shared byte %u, which nobody has written", kernel_name, what,
                    name_of(reader.number()).text, at - SHARED_BASE);
        else {
            const Fiber *who = &reader;
            if (others && reader.number() == cell.writer) who = &fibers[reader.index ^ 1];
            if (!ordered(*who, cell.writer, cell.when))
                finding("race in %s: a %s of %s reads shared byte %u, which %s wrote; no barrier lies between",
                        kernel_name, what, name_of(reader.number()).text, at - SHARED_BASE, name_of(cell.writer).text);
        }
        Reads &mine = reads[(at - SHARED_BASE) / 2][reader.warp];
        uint32_t now = reader.clock.at[reader.number()], lanes = 1u << reader.lane;
        bool known = cell.readers >> reader.warp & 1;
        if (!known || mine.when < now) mine = { now, lanes };
        else if (mine.when == now) mine.lanes |= lanes;
        cell.readers |= 1u << reader.warp;
    }
}

static void check_readers(const Cell &cell, const Fiber &writer, uint32_t at, const char *what)
{
    for (uint32_t left = cell.readers; left; left &= left - 1) {
        int warp = __builtin_ctz(left);
        const Reads &r = reads[(at - SHARED_BASE) / 2][warp];
        for (uint32_t lanes = r.lanes; lanes; lanes &= lanes - 1) {
            int number = FIRST_THREAD + LANES * warp + __builtin_ctz(lanes);
            if (r.when == FOREVER)
                finding("race in %s: a %s of %s writes shared byte %u, which a product of %s is still reading",
                        kernel_name, what, name_of(writer.number()).text, at - SHARED_BASE, name_of(number).text);
            else if (!ordered(writer, number, r.when))
                finding("race in %s: a %s of %s writes shared byte %u, which %s reads; no barrier lies between",
                        kernel_name, what, name_of(writer.number()).text, at - SHARED_BASE, name_of(number).text);
            else continue;
            return;
        }
    }
}

void shared_write(Fiber &writer, uint32_t address, int bytes, const char *what)
{
    if (!checked()) return;
    for (uint32_t at = address & ~1u; at < address + (uint32_t)bytes; at += 2) {
        Cell &cell = cell_of(at);
        if (cell.flying)
            finding("in %s a %s of %s writes shared byte %u while a copy is on its way there", kernel_name, what,
                    name_of(writer.number()).text, at - SHARED_BASE);
        else if (cell.written && !ordered(writer, cell.writer, cell.when))
            finding("race in %s: a %s of %s writes shared byte %u, which %s wrote; no barrier lies between",
                    kernel_name, what, name_of(writer.number()).text, at - SHARED_BASE, name_of(cell.writer).text);
        if (cell.readers) check_readers(cell, writer, at, what);
        cell.readers = 0;
        cell.writer = (int16_t)writer.number();
        cell.when = writer.clock.at[writer.number()];
        cell.written = true;
    }
}

void shared_fly(uint32_t address, int bytes, bool flying)
{
    if (flying) memset(shared_at(address), 0xFF, (size_t)bytes);
    for (int e = 0; e < bytes && checked(); e += 2) cell_of(address + (uint32_t)e).flying = flying;
}

void shared_landed(uint32_t address, int bytes, int number, uint32_t when)
{
    shared_fly(address, bytes, false);
    for (int e = 0; e < bytes && checked(); e += 2) {
        Cell &cell = cell_of(address + (uint32_t)e);
        cell.writer = (int16_t)number;
        cell.when = when;
        cell.written = true;
    }
}

void shared_engine_reads(const Fiber &reader, uint32_t address, int bytes)
{
    for (uint32_t at = address; checked() && at < address + (uint32_t)bytes; at += 2) {
        const Cell &cell = cell_of(at);
        if (!cell.written || cell.writer < FIRST_THREAD) continue;
        if (fibers[cell.writer - FIRST_THREAD].engine_sees > cell.when) continue;
        finding("in %s the copy engine is to read shared byte %u for %s, which %s has stored without "
                "stores_before_engine", kernel_name, at - SHARED_BASE, name_of(reader.number()).text,
                name_of(cell.writer).text);
        return;
    }
}

void shared_reading(const Fiber &reader, uint32_t address, int bytes, bool over)
{
    if (!checked()) return;
    for (uint32_t at = address; at < address + (uint32_t)bytes; at += 2) {
        Cell &cell = cell_of(at);
        uint32_t when = over ? reader.clock.at[reader.number()] : FOREVER;
        reads[(at - SHARED_BASE) / 2][reader.warp] = { when, 1u << reader.lane };
        cell.readers |= 1u << reader.warp;
    }
}

}

using namespace emulator;

void *emulator_dynamic(const char *kernel, int alignment)
{
    kernel_name = kernel;
    if (alignment > 1024) finding("in %s shared memory is to begin at a multiple of %d", kernel, alignment);
    return shared_memory;
}

void *emulator_static(const char *kernel, const void *key, size_t bytes, size_t alignment)
{
    kernel_name = kernel;
    for (auto &a : arrays)
        if (a.key == key) return shared_memory + a.at;
    alignment = std::max(alignment, (size_t)16);
    size_t at = (shared_used + alignment - 1) / alignment * alignment;
    if (at + bytes > SHARED) {
        finding("in %s a block is to have %zu bytes of shared memory, more than any card has", kernel, at + bytes);
        give_up();
    }
    memset(shared_memory + at, 0xFF, bytes);
    shared_used = at + bytes;
    arrays.push_back({ key, at });
    return shared_memory + at;
}
