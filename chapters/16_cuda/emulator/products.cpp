// Tensor cores: ldmatrix, mma.sync by a warp, wgmma by a warp group, which nobody waits for until he says so.
// [NVIDIA, PTX ISA, "Matrix Fragments for mma.m16n8k16", "Asynchronous Warpgroup Level Matrix Instructions"]
#include "engine.h"

#include "ptx.h"

#include <algorithm>
#include <cmath>

namespace emulator {

// ---- sums

enum { DEEP = 16 };                                  // products in one sum, besides what was there

// As tensor cores have it, about: all are cut at a bit below the last one of the largest; so is the sum.
// [Fasi, Higham, Mikaitis and Pranesh 2021, Numerical behavior of NVIDIA tensor cores]
static float cut_sum(const double *a, const double *b, size_t step, float c)
{
    double terms[DEEP + 1] = { c }, top = fabs((double)c), sum = 0;
    for (int k = 0; k < DEEP; k++) {
        terms[k + 1] = a[k] * b[(size_t)k * step];
        top = std::max(top, fabs(terms[k + 1]));
        sum += terms[k + 1];
    }
    sum += c;
    if (!(top > 0) || !std::isfinite(sum)) return (float)sum;
    double unit = ldexp(1, ilogb(top) - 24);
    sum = 0;
    for (double x : terms) sum += trunc(x / unit);
    float cut = (float)(sum * unit);
    return fabs((double)cut) > fabs(sum * unit) ? nextafterf(cut, 0) : cut;
}

// c (rows, columns) += a (rows, 16) b (16, columns).
static void add_product(float *c, const double *a, const double *b, int rows, int columns)
{
    double sums[256];
    for (int i = 0; i < rows; i++, c += columns, a += DEEP) {
        if (options.truncating) {
            for (int j = 0; j < columns; j++) c[j] = cut_sum(a, b + j, (size_t)columns, c[j]);
            continue;
        }
        for (int j = 0; j < columns; j++) sums[j] = c[j];
        for (int k = 0; k < DEEP; k++)
            for (int j = 0; j < columns; j++) sums[j] += a[k] * b[k * columns + j];
        for (int j = 0; j < columns; j++) c[j] = (float)sums[j];
    }
}

static double widened(HalfKind kind, uint32_t word, int half)
{
    return half_value(kind, (uint16_t)(word >> 16 * half));
}

// Which row and column of a fragment of A (16, 16) register `reg` of a lane has in its half `half`.
static void fragment_a(double *a, HalfKind kind, const uint32_t *words, int lane)
{
    for (int e = 0; e < 8; e++) {
        int reg = e / 2, row = lane / 4 + 8 * (reg & 1), column = lane % 4 * 2 + e % 2 + 8 * (reg >> 1);
        a[row * DEEP + column] = widened(kind, words[reg], e % 2);
    }
}

// ---- by a warp

struct Load { uint32_t *to, at; bool transposed; };
struct Multiply { HalfKind kind; float *c; const uint32_t *a; uint32_t b[2]; };

static void load(Warp &warp, Meeting &meeting)
{
    uint32_t at[LANES];
    uint16_t rows[LANES][8];
    for (int lane = 0; lane < LANES; lane++) {
        Fiber &fiber = fibers[LANES * warp.index + lane];
        at[lane] = ((Load *)meeting.operands[lane])->at;
        memset(rows[lane], 0xFF, 16);
        if (!shared_holds(at[lane], 16, 16, "ldmatrix")) continue;
        shared_read(fiber, at[lane], 16, "ldmatrix", true);
        memcpy(rows[lane], shared_at(at[lane]), 16);
    }
    counts.matrices.requests++;
    if (!options.uncounted) counts.matrices.turns += bank_turns(at, LANES, 16);
    for (int lane = 0; lane < LANES; lane++)
        for (int m = 0; m < 4; m++) {
            Load &l = *(Load *)meeting.operands[lane];
            uint32_t row = (uint32_t)lane / 4, column = (uint32_t)lane % 4 * 2;
            uint16_t low = l.transposed ? rows[8 * m + column][row] : rows[8 * m + row][column];
            uint16_t high = l.transposed ? rows[8 * m + column + 1][row] : rows[8 * m + row][column + 1];
            l.to[m] = (uint32_t)high << 16 | low;
        }
}

static void multiply(Warp &, Meeting &meeting)
{
    double a[16 * DEEP], b[DEEP * 8];
    float c[16 * 8];
    for (int lane = 0; lane < LANES; lane++) {
        const Multiply &m = *(Multiply *)meeting.operands[lane];
        fragment_a(a, m.kind, m.a, lane);
        for (int e = 0; e < 4; e++) {
            b[(lane % 4 * 2 + e % 2 + 8 * (e / 2)) * 8 + lane / 4] = widened(m.kind, m.b[e / 2], e % 2);
            c[(lane / 4 + 8 * (e / 2)) * 8 + lane % 4 * 2 + e % 2] = m.c[e];
        }
    }
    add_product(c, a, b, 16, 8);
    for (int lane = 0; lane < LANES; lane++)
        for (int e = 0; e < 4; e++)
            ((Multiply *)meeting.operands[lane])->c[e] = c[(lane / 4 + 8 * (e / 2)) * 8 + lane % 4 * 2 + e % 2];
    counts.products++;
    counts.multiply_adds += 16 * 8 * DEEP;
}

// ---- by a warp group: what a descriptor says

enum { GROUP = 4 * LANES, GROUP_ROWS = 64 };
struct Tile { uint32_t start, leading, stride; int swizzle; bool rows_are_deep; };

static Tile tile_of(uint64_t descriptor, bool rows_are_deep)
{
    static const int bits[] = { 0, 3, 2, 1 };        // of a row of 128 bytes that are mixed in: none, 128, 64, 32 bytes
    return { (uint32_t)(descriptor & 0x3FFF) << 4, (uint32_t)(descriptor >> 16 & 0x3FFF) << 4,
             (uint32_t)(descriptor >> 32 & 0x3FFF) << 4, bits[descriptor >> 62], rows_are_deep };
}

// Where the eight numbers of chunk `chunk` of line `line` lie. Lines are rows of 16 along the sum; or, if
// rows_are_deep, there are 16 of them, and a sum goes down: each has 64 columns, the next 64 lie `leading` further on.
static uint32_t chunk_at(const Tile &t, int line, int chunk)
{
    uint32_t width = 16u << t.swizzle, chunks = width / 16, at = t.start + (uint32_t)(line / 8) * t.stride;
    at += (uint32_t)(line % 8) * width;
    if (t.rows_are_deep) at += (uint32_t)chunk / chunks * t.leading + (uint32_t)chunk % chunks * 16;
    else at += (uint32_t)chunk * 16;
    return at ^ ((at >> 7 & ((1u << t.swizzle) - 1)) << 4);
}

static Tile tile_a(const Product &p) { return tile_of(p.a, false); }
static Tile tile_b(const Product &p) { return tile_of(p.b, p.registers); }
static int lines_b(const Product &p) { return p.registers ? DEEP : p.columns; }
static int chunks_b(const Product &p) { return p.registers ? p.columns / 8 : DEEP / 8; }

static double number_at(const Product &p, const Tile &t, int line, int column)
{
    uint32_t at = chunk_at(t, line, column / 8) + 2 * (uint32_t)(column % 8);
    uint16_t bits = 0xFFFF;
    if (at >= SHARED_BASE && at + 2 <= SHARED_BASE + SHARED) memcpy(&bits, shared_at(at), 2);
    return half_value(p.kind, bits);
}

// ---- by a warp group: from its issue to its end

static const char of_group[] = "products of its warp group";
static Fiber *group_of(const Fiber &fiber) { return &fibers[fiber.index / GROUP * GROUP]; }

static Sum &sum_of(Fiber &fiber, float *c)
{
    for (auto &s : fiber.sums)
        if (s.c == c) return s;
    abort();
}

static const Product &product_of(const Fiber &fiber, size_t n) { return fiber.products[n - fiber.settled]; }

static void execute(Fiber *group, size_t n)
{
    static double a[GROUP_ROWS * DEEP], b[DEEP * 256];
    static float c[GROUP_ROWS * 256];
    const Product &p = product_of(*group, n);
    for (int lane = 0; lane < GROUP; lane++) {
        const Product &mine = product_of(group[lane], n);
        if (mine.a != p.a || mine.b != p.b || mine.columns != p.columns || mine.add != p.add || mine.kind != p.kind)
            finding("in %s the threads of a warp group multiply different things", kernel_name);
        const Sum &sum = sum_of(group[lane], mine.c);
        for (int e = 0; e < p.columns / 2; e++) {
            int row = lane / LANES * 16 + lane % LANES / 4 + 8 * (e % 4 / 2), column = e / 4 * 8 + lane % 4 * 2 + e % 2;
            c[row * p.columns + column] = p.add ? sum.values[(size_t)e] : 0.0f;
        }
        if (p.registers) fragment_a(a + lane / LANES * 16 * DEEP, p.kind, mine.fragment, lane % LANES);
    }
    Tile left = tile_a(p), right = tile_b(p);
    for (int e = 0; e < GROUP_ROWS * DEEP && !p.registers; e++) a[e] = number_at(p, left, e / DEEP, e % DEEP);
    for (int e = 0; e < DEEP * p.columns; e++) {
        int k = e / p.columns, column = e % p.columns;
        b[e] = p.registers ? number_at(p, right, k, column) : number_at(p, right, column, k);
    }
    add_product(c, a, b, GROUP_ROWS, p.columns);
    for (int lane = 0; lane < GROUP; lane++) {
        Sum &sum = sum_of(group[lane], product_of(group[lane], n).c);
        for (int e = 0; e < p.columns / 2; e++) {
            int row = lane / LANES * 16 + lane % LANES / 4 + 8 * (e % 4 / 2), column = e / 4 * 8 + lane % 4 * 2 + e % 2;
            sum.values[(size_t)e] = c[row * p.columns + column];
        }
    }
    counts.group_products++;
    counts.multiply_adds += GROUP_ROWS * p.columns * DEEP;
}

// How many products all threads of the group have come to.
static size_t issued(const Fiber *group)
{
    size_t least = SIZE_MAX;
    for (int lane = 0; lane < GROUP; lane++) least = std::min(least, group[lane].issued());
    return least;
}

static void execute_until(Fiber *group, size_t end)
{
    for (; group->executed < end; group->executed++) execute(group, group->executed);
}

// Every chunk that a lane's warp reads, dealt to its lanes: at the issue each looks whether it may be read, and it must
// stay until the end.
template <class F> static void each_chunk(const Fiber &fiber, const Product &p, F f)
{
    Tile left = tile_a(p), right = tile_b(p);
    if (!p.registers) f(chunk_at(left, fiber.warp % 4 * 16 + fiber.lane / 2, fiber.lane % 2));
    for (int n = fiber.lane; n < lines_b(p) * chunks_b(p); n += LANES)
        f(chunk_at(right, n / chunks_b(p), n % chunks_b(p)));
}

bool products_touched(const Fiber &fiber, const void *at, int bytes)
{
    for (auto &s : fiber.sums)
        if (at < (const void *)(s.c + s.count) && (const char *)at + bytes > (const char *)s.c) return true;
    return false;
}

// The first `groups` groups of a warp are over: for each lane, what it has read and what came of it.
static void settle(Fiber &fiber, int groups)
{
    size_t end = 0;
    for (int n = 0; n < groups; n++) end += (size_t)fiber.product_groups[(size_t)n];
    for (size_t n = 0; n < end; n++)
        each_chunk(fiber, fiber.products[n], [&](uint32_t at) { shared_reading(fiber, at, 16, true); });
    for (size_t n = end; n < fiber.products.size(); n++)
        each_chunk(fiber, fiber.products[n], [&](uint32_t at) { shared_reading(fiber, at, 16, false); });
    for (size_t s = 0; s < fiber.sums.size(); s++) {
        Sum &sum = fiber.sums[s];
        bool open = false;
        for (size_t n = end; n < fiber.products.size(); n++) open = open || fiber.products[n].c == sum.c;
        if (open) continue;
        std::copy(sum.values.begin(), sum.values.end(), sum.c);
        fiber.sums.erase(fiber.sums.begin() + (long)s--);
    }
    fiber.products.erase(fiber.products.begin(), fiber.products.begin() + (long)end);
    fiber.product_groups.erase(fiber.product_groups.begin(), fiber.product_groups.begin() + groups);
    fiber.settled += end;
    if (end) fiber.fenced = false;
}

void products_end_thread(Fiber &fiber)
{
    if (!fiber.products.empty())
        finding("in %s thread %d ends while %zu of its products are worked on", kernel_name, fiber.index,
                fiber.products.size());
}

}

using namespace emulator;

void emulator_load_matrices(uint32_t *to, uint32_t at, bool transposed)
{
    CALLED_HERE;
    Load mine = { to, at, transposed };
    meet(0xFFFFFFFF, &mine, load, "ldmatrix");
}

void emulator_multiply(HalfKind kind, float *c, const uint32_t *a, uint32_t b0, uint32_t b1)
{
    CALLED_HERE;
    Multiply mine = { kind, c, a, { b0, b1 } };
    meet(0xFFFFFFFF, &mine, multiply, "mma");
}

void emulator_products_begin() { current->fenced = true; }

void emulator_multiply_group(HalfKind kind, int columns, float *c, const uint32_t *fragment, uint64_t a, uint64_t b,
                             bool add)
{
    CALLED_HERE;
    Fiber &fiber = *current;
    Product p = { kind, columns, add, fragment != nullptr, a, b, {}, c };
    if (threads / GROUP == fiber.index / GROUP)
        return finding("in %s thread %d multiplies, whose warp group is not full", kernel_name, fiber.index);
    if (!fiber.fenced)
        finding("in %s thread %d starts a product without products_begin since it last had its registers", kernel_name,
                fiber.index);
    if (fragment) std::copy(fragment, fragment + 4, p.fragment);
    bool known = false;
    for (auto &s : fiber.sums) known = known || s.c == c;
    if (!known) {
        fiber.sums.push_back({ c, columns / 2, std::vector<float>(c, c + columns / 2) });
        memset(c, 0xFF, sizeof(float) * (size_t)(columns / 2));
    }
    bool inside = true;
    each_chunk(fiber, p, [&](uint32_t at) {
        if (!inside || !(inside = shared_holds(at, 16, 16, "wgmma"))) return;
        shared_read(fiber, at, 16, "wgmma", true);
        shared_engine_reads(fiber, at, 16);
        shared_reading(fiber, at, 16, false);
    });
    if (!inside) p.a = p.b = SHARED_BASE >> 4;       // something that is there
    fiber.products.push_back(p);
    fiber.open_products++;
    Fiber *group = group_of(fiber);
    size_t all = issued(group);
    if (all < fiber.issued()) return;
    if (options.order != EMULATOR_FORWARD) execute_until(group, all);        // as early as it may be, or as late
    for (int lane = 0; lane < GROUP; lane++)
        if (group[lane].waits == of_group) wake(group[lane]);
}

void emulator_products_commit()
{
    current->product_groups.push_back(current->open_products);
    current->open_products = 0;
}

void emulator_products_wait(int newest)
{
    CALLED_HERE;
    struct Wait { int groups; } mine = { std::max(0, (int)current->product_groups.size() - newest) };
    size_t needed = current->settled;
    for (int n = 0; n < mine.groups; n++) needed += (size_t)current->product_groups[(size_t)n];
    Fiber *group = group_of(*current);
    if (mine.groups) {
        while (issued(group) < needed) pause(of_group);
        execute_until(group, needed);
    }
    meet(0xFFFFFFFF, &mine, [](Warp &warp, Meeting &meeting) {
        for (int lane = 0; lane < LANES; lane++)
            settle(fibers[LANES * warp.index + lane], ((Wait *)meeting.operands[lane])->groups);
        join(LANES * warp.index, LANES * (warp.index + 1), 0xFFFFFFFF);
    }, "products_wait");
}

void emulator_registers(int all, bool take)
{
    if (all < 24 || all > 256 || all % 8)
        finding("in %s thread %d %s %d registers: 24 to 256, a multiple of 8", kernel_name, current->index,
                take ? "takes up to" : "keeps", all);
}
