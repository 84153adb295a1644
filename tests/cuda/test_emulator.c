// Tests of chapter 16's emulator: each instruction does what its manual says, what must not be done is found, and
// counts are right.
#ifdef HAVE_EMULATOR
    #include "chapters/16_cuda/emulator/emulator.h"
    #include "cuda/instructions.h"
#endif

#include "support/reference.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_EMULATOR

static float *out_there, out[16384];
static void *in_there;
static uint16_t halves[32768];

static void setup(void)
{
    Random random = random_from(16);
    for (int e = 0; e < 32768; e++) halves[e] = half_of(HALF_FLOAT16, random_normal(&random));
    cudaMalloc((void **)&out_there, sizeof out);
    cudaMalloc(&in_there, sizeof halves);
    cudaMemcpy(in_there, halves, sizeof halves, cudaMemcpyHostToDevice);
    emulator_configure((EmulatorOptions){ .order = EMULATOR_FORWARD });
    emulator_reset();
}

static void teardown(void)
{
    cudaFree(out_there);
    cudaFree(in_there);
}
FIXTURE(setup, teardown);

static double number(int e) { return (double)half_value(HALF_FLOAT16, halves[e]); }

// Runs it, in this order; `says`: what one of its findings has to contain, or NULL for none.
static void run(Instruction *instruction, int fault, EmulatorOrder order, const char *says)
{
    emulator_configure((EmulatorOptions){ .order = order, .seed = 7 });
    emulator_reset();
    ck_assert_int_eq(instruction(out_there, in_there, fault), cudaSuccess);
    const char *said = emulator_finding(0);
    for (int n = 1; says && emulator_finding(n) && !strstr(said, says); n++) said = emulator_finding(n);
    if (says)
        ck_assert_msg(said && strstr(said, says), "fault %d, order %d: \"%s\" says nothing of \"%s\"", fault,
                      (int)order, said ? said : "", says);
    else ck_assert_msg(!said, "fault %d, order %d: %s", fault, (int)order, said);
    cudaMemcpy(out, out_there, sizeof out, cudaMemcpyDeviceToHost);
}

typedef struct {
    Instruction *run;
    int fault;
    const char *says;
} Mistake;

TEST_EACH(test_places, 3)
{
    run(small_places, 0, (EmulatorOrder)_i, NULL);
    for (int n = 0; n < 64; n++) {
        ck_assert_float_eq(out[n], (float)n);
        ck_assert_float_eq(out[64 + n], (float)(n % 8 + 100 * (n / 8 % 4) + 10000 * (n / 32) + 2000000));
    }
    ck_assert_int_eq(small_places(out_there, in_there, 1), cudaErrorInvalidConfiguration);
}

TEST_EACH(test_turns, 3)
{
    bool turned[8] = { false }, in_order = true;
    run(small_turns, 0, (EmulatorOrder)_i, NULL);
    for (int n = 0; n < 8; n++) {
        turned[(int)out[n]] = true;
        in_order = in_order && out[n] == (float)(_i == EMULATOR_REVERSE ? 7 - n : n);
    }
    for (int n = 0; n < 8; n++) ck_assert(turned[n]);
    ck_assert_int_eq(in_order, _i != EMULATOR_RANDOM);
}

TEST_EACH(test_exchange, 3)
{
    run(small_exchange, 0, (EmulatorOrder)_i, NULL);
    for (int n = 0; n < 64; n++) ck_assert_float_eq(out[n], (float)(100 + (n + 33) % 64));
    run(small_exchange_warp, 0, (EmulatorOrder)_i, NULL);
    for (int n = 0; n < 32; n++) ck_assert_float_eq(out[n], (float)(n ^ 1));
    run(small_one_way, 0, (EmulatorOrder)_i, NULL);
    for (int n = 0; n < 32; n++) ck_assert_float_eq(out[n], (float)n);
    run(small_numbered, 0, (EmulatorOrder)_i, NULL);
    for (int n = 0; n < 32; n++) ck_assert_float_eq(out[n], (float)(31 - n));
    run(small_phases, 0, (EmulatorOrder)_i, NULL);
    for (int n = 0; n < 32; n++) ck_assert_float_eq(out[n], (float)(231 - n));
}

TEST_EACH(test_shuffles, 3)
{
    run(small_shuffles, 0, (EmulatorOrder)_i, NULL);
    for (int n = 0; n < 32; n++)
        ck_assert_float_eq(out[n], 496.0f + 1000.0f * (float)(n < 31 ? n + 1 : 31) +
                                       100000.0f * (float)(n ? n - 1 : 0) + 10000000.0f);
}

// 1 + 15 · 0.9 · 2⁻²⁵: each is cut away by itself; together they are half a bit more.
TEST(test_cut_sums)
{
    uint16_t tiny[384] = { 0 };
    for (int k = 1; k < 16; k++) tiny[k] = half_of(HALF_FLOAT16, 0x1p-12f * 1.8f);
    for (int k = 1; k < 16; k++) tiny[256 + k] = half_of(HALF_FLOAT16, 0x1p-14f);
    cudaMemcpy(in_there, tiny, sizeof tiny, cudaMemcpyHostToDevice);
    run(small_product, 0, EMULATOR_FORWARD, NULL);
    ck_assert_float_gt(out[0], 1.0f);
    emulator_configure((EmulatorOptions){ .truncating = true });
    ck_assert_int_eq(small_product(out_there, in_there, 0), cudaSuccess);
    cudaMemcpy(out, out_there, sizeof out, cudaMemcpyDeviceToHost);
    ck_assert_float_eq(out[0], 1.0f);
}

TEST_EACH(test_box, 3)
{
    run(small_box, 0, (EmulatorOrder)_i, NULL);
    for (int n = 0; n < 128 * 64; n++) {
        int row = 90 + n / 64;
        ck_assert_double_eq((double)out[n], row < 100 ? number((100 + row) * 64 + n % 64) : 0);
    }
    emulator_configure((EmulatorOptions){ .order = (EmulatorOrder)_i });
    cudaMemset(out_there, 0, sizeof out);
    run(small_box_out, 0, (EmulatorOrder)_i, NULL);
    uint16_t got[40 * 64];
    memcpy(got, out, sizeof got);
    for (int n = 0; n < 40 * 64; n++)
        ck_assert_float_eq(half_value(HALF_FLOAT16, got[n]), n < 16 * 64 ? 0.0f : (float)(n - 16 * 64));
}

// clang-format off
static const Mistake mistakes[] = {
    { small_exchange, 1, "race in exchange" }, { small_exchange, 2, "race in exchange" },
    { small_exchange, 3, "63 of 64 threads have come to __syncthreads" },
    { small_exchange, 4, "out of bounds in exchange" }, { small_exchange, 5, "uninitialised in exchange" },
    { small_exchange, 6, "race in exchange" },
    { small_exchange_warp, 1, "race in exchange_warp" }, { small_exchange_warp, 2, "mask" },
    { small_one_way, 1, "one_way" }, { small_shuffles, 1, "takes no part" },
    { small_reads, 1, "out of bounds in reads" }, { small_reads, 2, "uninitialised in reads" },
    { small_reads, 3, "race in reads" }, { small_reads, 4, "misaligned in reads" },
    { small_copies, 1, "a copy is on its way" }, { small_copies, 2, "a copy is on its way" },
    { small_copies, 3, "a copy is on its way" }, { small_copies, 4, "copies" },
    { small_matrices, 1, "matrices" }, { small_matrices, 2, "misaligned in matrices" },
    { small_product, 1, "have come apart" },
    { small_phases, 1, "phases" }, { small_phases, 2, "deadlock in phases" }, { small_phases, 4, "phases" },
    { small_phases, 5, "race in phases" }, { small_phases, 6, "no barrier is" },
    { small_numbered, 1, "race in numbered" }, { small_numbered, 2, "deadlock in numbered" },
    { small_box, 1, "box" }, { small_box, 2, "box" }, { small_box, 3, "deadlock in box" },
    { small_box, 4, "barriers_made" }, { small_box, 6, "misaligned in box" },
    { small_box_out, 1, "stores_before_engine" }, { small_box_out, 2, "box_out" }, { small_box_out, 3, "ends while" },
    { small_box_out, 4, "box_out" },
    { small_group, 1, "products_begin" }, { small_group, 2, "still works on" }, { small_group, 3, "still reading" },
    { small_group, 4, "stores_before_engine" }, { small_group, 5, "group_shared" }, { small_group, 6, "ends while" },
    { small_group, 7, "still works on" }, { small_group, 8, "still works on" },
};
// clang-format on
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

TEST_EACH(test_mistakes, MISTAKES)
{
    for (int order = 0; order < 3; order++)
        run(mistakes[_i].run, mistakes[_i].fault, (EmulatorOrder)order, mistakes[_i].says);
}

// Where it was, if addr2line is there to tell.
TEST(test_place_of_a_finding)
{
    static const Mistake some[] = { { small_exchange, 1, NULL }, { small_places, 2, NULL } };
    bool known = system("addr2line --version >/dev/null 2>&1") == 0;
    for (int n = 0; n < 2; n++) {
        emulator_configure((EmulatorOptions){ .places = true });
        emulator_reset();
        ck_assert_int_eq(some[n].run(out_there, in_there, some[n].fault), cudaSuccess);
        const char *said = emulator_finding(0);
        ck_assert_msg(said && strstr(said, known ? "(instructions.cu:" : "(block "), "%s", said ? said : "nothing");
    }
}

TEST(test_counts)
{
    static const int strides[][3] = {
        { 0, 1, 1 }, { 1, 4, 1 }, { 2, 8, 2 }, { 8, 32, 8 }, { 32, 32, 32 }, { 33, 32, 1 }
    };
    for (size_t e = 0; e < sizeof strides / sizeof *strides; e++) { // stride, pieces, turns
        run(small_strides, strides[e][0], EMULATOR_RANDOM, NULL);
        EmulatorCounts c = emulator_counts();
        ck_assert_int_eq(c.loads.requests, 1);
        ck_assert_int_eq(c.loads.pieces, strides[e][1]);
        ck_assert_int_eq(c.loads.bytes, 128);
        ck_assert_int_eq(c.stores.pieces, 4);
        if (strides[e][0] == 0) continue;
        run(small_banks, strides[e][0], EMULATOR_RANDOM, NULL);
        c = emulator_counts();
        ck_assert_int_eq(c.shared_stores.requests, 1);
        ck_assert_int_eq(c.shared_stores.turns, strides[e][2]);
        ck_assert_int_eq(c.shared_loads.turns, strides[e][2]);
    }
    run(small_exchange, 0, EMULATOR_REVERSE, NULL);
    EmulatorCounts c = emulator_counts();
    ck_assert_int_eq(c.launches, 1);
    ck_assert_int_eq(c.blocks, 1);
    ck_assert_int_eq(c.threads, 64);
    ck_assert_int_eq(c.barriers, 4);
    run(small_shuffles, 0, EMULATOR_REVERSE, NULL);
    ck_assert_int_eq(emulator_counts().shuffles, 8);
    run(small_matrices, 0, EMULATOR_REVERSE, NULL);
    ck_assert_int_eq(emulator_counts().matrices.requests, 2);
    ck_assert_int_eq(emulator_counts().matrices.turns, 16); // rows of 32 bytes: two at a time collide
    run(small_product, 0, EMULATOR_REVERSE, NULL);
    ck_assert_int_eq(emulator_counts().products, 1);
    ck_assert_int_eq(emulator_counts().multiply_adds, 16 * 8 * 16);
    run(small_group, 0, EMULATOR_REVERSE, NULL);
    ck_assert_int_eq(emulator_counts().group_products, 4);
    ck_assert_int_eq(emulator_counts().multiply_adds, 64 * 64 * 64);
}

#endif
