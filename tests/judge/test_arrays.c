// Tests of lib/judge/arrays.c: every layout, type and order of memory gives the same problem, and misfits are named.
#include "judge/arrays.h"

#include "base/portable_math.h"
#include "io/bench.h"
#include "support/suite.h"

#include <fcntl.h>

enum { B = 2, H = 4, G = 2, T = 3, S = 5, D = 6, DV = 7 };

static Bench bench;
static AttendOptions options;

static void setup(void)
{
    bench = bench_open();
    options = (AttendOptions){ .q = bench_path(&bench, "q.npy"),
                               .k = bench_path(&bench, "k.npy"),
                               .v = bench_path(&bench, "v.npy"),
                               .heads = H,
                               .kv_heads = G };
}
static void teardown(void) { bench_close(&bench); }
FIXTURE(setup, teardown);

// What stands at (b, h, t, c): small enough a whole number for float16, another one everywhere.
static double value(int b, int h, int t, int c) { return ((b * 4 + h) * 5 + t) * 8 + c - 100; }

typedef struct {
    const char *name;
    int64_t shape[4];
    int axes;
    const char *order;
} Form; // order: of b, h, t, c

static Form form_of(const char *layout, int batch, int heads, int rows, int width)
{
    const Form forms[] = {
        { "T,Hd", { rows, (int64_t)heads * width }, 2, "thc" },
        { "H,T,d", { heads, rows, width }, 3, "htc" },
        { "T,H,d", { rows, heads, width }, 3, "thc" },
        { "B,T,Hd", { batch, rows, (int64_t)heads * width }, 3, "bthc" },
        { "B,H,T,d", { batch, heads, rows, width }, 4, "bhtc" },
        { "B,T,H,d", { batch, rows, heads, width }, 4, "bthc" },
    };
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        if (!strcmp(forms[f].name, layout)) return forms[f];
    ck_abort_msg("no layout %s", layout);
}

static void put(unsigned char *to, double x, char type)
{
    if (type == '8') dtype_write_f64(to, &x, 1);
    if (type == '4') dtype_write_f32(to, &(float){ (float)x }, 1);
    if (type != '2') return;
    int exponent, bits = 0; // whole numbers below 2048 have no rounding
    if (x != 0) bits = (int)ldexp(fabs(frexp(x, &exponent)), 11) - 1024;
    if (x != 0) bits += ((exponent + 14) << 10) + (x < 0 ? 0x8000 : 0);
    to[0] = (unsigned char)bits;
    to[1] = (unsigned char)(bits >> 8);
}

// Writes the array in a layout, a type ('2', '4', '8') and an order of memory, by its own arithmetic of indices.
static void write_form(const char *path, const char *layout, int batch, int heads, int rows, int width, char type,
                       bool fortran)
{
    Form f = form_of(layout, batch, heads, rows, width);
    int64_t count = 1;
    for (int a = 0; a < f.axes; a++) count *= f.shape[a];
    int size = type - '0';
    char *words = arena_format(bench.arena, "{'descr': '<f%d', 'fortran_order': %s, 'shape': %s}\n", size,
                               fortran ? "True" : "False", shape_text(bench.arena, f.axes, f.shape));
    size_t start = 10 + strlen(words), bytes = start + (size_t)(count * size);
    unsigned char *file = arena_alloc(bench.arena, bytes);
    memcpy(file, "\x93NUMPY\1\0", 8);
    file[8] = (unsigned char)strlen(words);
    memcpy(file + 10, words, strlen(words));
    for (int b = 0; b < batch; b++)
        for (int h = 0; h < heads; h++)
            for (int t = 0; t < rows; t++)
                for (int c = 0; c < width; c++) {
                    int at[4], n = 0;
                    bool merged = strstr(layout, "Hd") != NULL;
                    for (const char *axis = f.order; *axis; axis++) {
                        int index = *axis == 'b' ? b : *axis == 'h' ? h : *axis == 't' ? t : c;
                        if (*axis == 'c' && merged) at[n - 1] = at[n - 1] * width + c;
                        else at[n++] = index;
                    }
                    int64_t place = 0;
                    for (int a = 0; a < n; a++) {
                        int axis = fortran ? n - 1 - a : a;
                        place = place * f.shape[axis] + at[axis];
                    }
                    put(file + start + place * size, value(b, h, t, c), type);
                }
    ck_assert(file_write(path, file, bytes, &bench.error));
}

static void write_all(const char *layout, int batch, char type, bool fortran)
{
    write_form(options.q, layout, batch, H, T, D, type, fortran);
    write_form(options.k, layout, batch, G, S, D, type, fortran);
    write_form(options.v, layout, batch, G, S, DV, type, fortran);
}

static void assert_values(const double *at, int batch, int heads, int rows, int width)
{
    for (int b = 0; b < batch; b++)
        for (int h = 0; h < heads; h++)
            for (int t = 0; t < rows; t++)
                for (int c = 0; c < width; c++, at++)
                    ck_assert_msg(*at == value(b, h, t, c), "(%d, %d, %d, %d) is %g, not %g", b, h, t, c, *at,
                                  value(b, h, t, c));
}

static const char *const names[] = { "T,Hd", "H,T,d", "T,H,d", "B,T,Hd", "B,H,T,d", "B,T,H,d" };

static Arrays read_fine(void)
{
    Arrays arrays;
    ck_assert_msg(arrays_read(&arrays, bench.arena, &options, &bench.error), "%s", bench.error.text);
    return arrays;
}

TEST_EACH(every_layout_and_type, 6)
{
    int batch = names[_i][0] == 'B' ? B : 1;
    for (int e = 0; e < 12; e++) {
        options.layout = e % 2 ? names[_i] : NULL; // stated, or told from the shapes
        write_all(names[_i], batch, "248"[e / 4], e / 2 % 2);
        Arrays a = read_fine();
        JudgeShape is = a.problem.is;
        ck_assert_str_eq(a.layout->name, names[_i]);
        ck_assert(is.B == batch && is.H == H && is.G == G && is.T == T && is.S == S && is.d == D && is.dv == DV);
        ck_assert(a.has_batch == (names[_i][0] == 'B'));
        assert_values(a.problem.q, batch, H, T, D);
        assert_values(a.problem.k, batch, G, S, D);
        assert_values(a.problem.v, batch, G, S, DV);
    }
}

// Theirs may come in any layout that has room for it; what we write comes back as it was.
TEST_EACH(outputs_in_every_layout, 6)
{
    char *theirs = bench_path(&bench, "theirs.npy"), *ours = bench_path(&bench, "ours.npy");
    for (int l = 0; l < 6; l++) {
        int batch = names[_i][0] == 'B' && names[l][0] == 'B' ? B : 1;
        write_all(names[_i], batch, '8', false);
        write_form(theirs, names[l], batch, H, T, DV, '4', l % 2);
        options.compare = theirs;
        options.layout = names[_i];
        Arrays a = read_fine();
        assert_values(a.out, batch, H, T, DV);
        ck_assert_str_eq(a.out_layout->name, names[l]);
        ck_assert_int_eq(a.out_stored, DTYPE_F32);

        int64_t shape[4];
        int axes = array_layout_shape(shape, a.layout, batch, H, T, DV);
        double *arranged = arena_alloc(bench.arena, (size_t)(batch * H * T * DV) * 8);
        array_layout_arrange(arranged, a.out, a.layout, batch, H, T, DV);
        ck_assert(npy_write_f64(ours, arranged, axes, shape, &bench.error));
        options.compare = ours;
        assert_values(read_fine().out, batch, H, T, DV);
    }
}

TEST(memory_taken_for_another_order)
{
    // H 2, T 3, d 2: memory T,Hd is 0 1 | 2 3 || 4 5 | 6 7 || 8 9 | 10 11; as H,T,d its first head is 0 … 5.
    const double heads[] = { 0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11 };
    double read[12], back[12];
    array_layout_reread(read, heads, 1, 2, 3, 2, "thd", "htd");
    for (int e = 0; e < 12; e++) ck_assert(read[e] == e);
    array_layout_reread(back, read, 1, 2, 3, 2, "htd", "thd");
    ck_assert_mem_eq(back, heads, sizeof heads);
}

#define REFUSED(...) \
    do { \
        Arrays refused_; \
        ck_assert(!arrays_read(&refused_, bench.arena, &options, &bench.error)); \
        ERROR_HAS(&bench.error, __VA_ARGS__); \
    } while (0)

static void write_shape(const char *path, int axes, const int64_t *shape)
{
    int64_t count;
    shape_count(&count, axes, shape);
    float *zeros = arena_alloc(bench.arena, (size_t)count * sizeof *zeros);
    ck_assert(npy_write(path, zeros, axes, shape, &bench.error));
}
#define WRITE(path, ...) \
    write_shape(path, sizeof(int64_t[]){ __VA_ARGS__ } / sizeof(int64_t), (int64_t[]){ __VA_ARGS__ })

TEST(misfits_name_both_shapes)
{
    WRITE(options.q, H, T, D);
    WRITE(options.k, G, S, D + 1);
    WRITE(options.v, G, S, DV);
    REFUSED("q.npy", "(4, 3, 6)", "6 wide", "k.npy", "(2, 5, 7)", "7 wide");
    WRITE(options.k, G, S, D);
    WRITE(options.v, G, S + 1, DV);
    REFUSED("k.npy", "(2, 5, 6)", "5 keys", "v.npy", "(2, 6, 7)", "6 values");
    WRITE(options.v, H, S, DV);
    REFUSED("v.npy", "(4, 5, 7)", "4 heads", "--kv-heads is 2");
    WRITE(options.q, H + 1, T, D);
    WRITE(options.v, G, S, DV);
    REFUSED("q.npy", "(5, 3, 6)", "5 heads", "--heads is 4");
    WRITE(options.q, T, H * D);
    REFUSED("q.npy", "(3, 24)", "(2, 5, 6)", "same 2, 3 or 4 axes");
    WRITE(options.q, T, H * D + 1);
    WRITE(options.k, S, G * D);
    WRITE(options.v, S, G * DV);
    REFUSED("q.npy", "(3, 25)", "25 columns", "4 heads");
    WRITE(options.q, 2, H, T, D);
    WRITE(options.k, 3, G, S, D);
    WRITE(options.v, 2, G, S, DV);
    REFUSED("q.npy", "(2, 4, 3, 6)", "2 sequences", "k.npy", "(3, 2, 5, 6)");
    WRITE(options.k, 2, G, S, D);
    WRITE(options.v, 3, G, S, DV);
    REFUSED("q.npy", "(2, 4, 3, 6)", "v.npy", "(3, 2, 5, 7)");
    WRITE(options.q, 7);
    WRITE(options.k, 7);
    WRITE(options.v, 7);
    REFUSED("q.npy", "(7,)", "2, 3 or 4 axes");
    options.layout = "H,T,d";
    REFUSED("q.npy", "(7,)", "H,T,d has 3 axes");
    options.layout = "D,H";
    REFUSED("--layout", "\"D,H\"", "B,T,H,d");
}

TEST(zero_lengths)
{
    WRITE(options.q, H, 0, D);
    WRITE(options.k, G, S, D);
    WRITE(options.v, G, S, DV);
    REFUSED("q.npy", "(4, 0, 6)", "length 0");
    WRITE(options.q, H, T, D);
    WRITE(options.k, G, 0, D);
    WRITE(options.v, G, 0, DV);
    REFUSED("k.npy", "(2, 0, 6)", "length 0");
    WRITE(options.k, G, S, D);
    WRITE(options.v, G, S, 0);
    REFUSED("v.npy", "(2, 5, 0)", "length 0");
}

TEST(ambiguous_layouts)
{
    WRITE(options.q, H, H, D);
    WRITE(options.k, G, G, D);
    WRITE(options.v, G, G, DV);
    REFUSED("q.npy", "(4, 4, 6)", "H,T,d and T,H,d alike", "--layout");
    options.layout = "t,h,d";
    ck_assert_str_eq(read_fine().layout->name, "T,H,d");
    options.layout = NULL;
    WRITE(options.k, G, S, D); // only one of them fits k
    WRITE(options.v, G, S, DV);
    ck_assert_str_eq(read_fine().layout->name, "H,T,d");
    WRITE(options.q, 3, H, H, D);
    WRITE(options.k, 3, G, G, D);
    WRITE(options.v, 3, G, G, DV);
    REFUSED("(3, 4, 4, 6)", "B,H,T,d and B,T,H,d alike");
    options.kv_heads = H; // four sequences of one merged axis, or four heads
    WRITE(options.q, H, T, 2 * H);
    WRITE(options.k, H, S, 2 * H);
    WRITE(options.v, H, S, 3 * H);
    REFUSED("q.npy (4, 3, 8)", "k.npy (4, 5, 8)", "H,T,d and B,T,Hd alike", "--layout");
    options.heads = options.kv_heads = 1; // one head of one sequence is the same in all
    WRITE(options.q, 1, T, D);
    WRITE(options.k, 1, S, D);
    WRITE(options.v, 1, S, DV);
    ck_assert_str_eq(read_fine().layout->name, "H,T,d");
}

// With as many heads as queries theirs fits either way: then it is as q is.
TEST(theirs_are_laid_out_as_q)
{
    WRITE(options.q, H, H, D);
    WRITE(options.k, G, G, D);
    WRITE(options.v, G, G, DV);
    options.compare = bench_path(&bench, "theirs.npy");
    WRITE(options.compare, H, H, DV);
    for (int e = 0; e < 2; e++) {
        options.layout = names[1 + e];
        ck_assert_str_eq(read_fine().out_layout->name, names[1 + e]);
    }
}

TEST(theirs_that_do_not_fit)
{
    char *theirs = bench_path(&bench, "theirs.npy");
    options.compare = theirs;
    write_all("H,T,d", 1, '4', false);
    WRITE(theirs, H, DV, T);
    REFUSED("theirs.npy", "(4, 7, 3)", "(4, 3, 7)", "H,T,d");
    WRITE(theirs, H, T, D);
    REFUSED("theirs.npy", "(4, 3, 6)", "(4, 3, 7)");
    WRITE(theirs, T * H * DV);
    REFUSED("theirs.npy", "(84,)", "(4, 3, 7)");
    WRITE(theirs, T, H * DV);
    ck_assert_str_eq(read_fine().out_layout->name, "T,Hd");

    options.compare = NULL;
    options.compare_weights = theirs;
    WRITE(theirs, H, S, T);
    REFUSED("theirs.npy", "(4, 5, 3)", "(4, 3, 5)");
    WRITE(theirs, H, T, S);
    ck_assert_ptr_nonnull(read_fine().weights);
    options.compare_weights = NULL;
    options.compare_lse = theirs;
    REFUSED("theirs.npy", "(4, 3, 5)", "(4, 3) is needed");
    WRITE(theirs, H, T);
    ck_assert_ptr_nonnull(read_fine().lse);
}

TEST(key_lengths)
{
    char *path = bench_path(&bench, "n.npy");
    options.lengths = path;
    write_all("B,H,T,d", B, '4', false);
    static const struct {
        const char *descr, *shape, *bytes;
        size_t size;
        const char *found;
    } cases[] = {
        { "|u1", "(2,)", "\3\5", 2, NULL },
        { "<i2", "(2,)", "\3\0\5\0", 4, NULL },
        { "|u1", "(2,)", "\3\6", 2, "element 1 is 6" },
        { "|i1", "(2,)", "\xFF\5", 2, "element 0 is -1" },
        { "|u1", "(3,)", "\3\5\5", 3, "(3,)" },
        { "|u1", "(1, 2)", "\3\5", 2, "(1, 2)" },
        { "<f4", "(2,)", "\0\0\0\0\0\0\0\0", 8, "whole numbers" },
    };
    for (size_t e = 0; e < sizeof cases / sizeof *cases; e++) {
        char *words = arena_format(bench.arena, "{'descr': '%s', 'fortran_order': False, 'shape': %s}\n",
                                   cases[e].descr, cases[e].shape);
        unsigned char file[200] = "\x93NUMPY\1";
        file[8] = (unsigned char)strlen(words);
        memcpy(file + 10, words, strlen(words));
        memcpy(file + 10 + strlen(words), cases[e].bytes, cases[e].size);
        ck_assert(file_write(path, file, 10 + strlen(words) + cases[e].size, &bench.error));
        if (cases[e].found) {
            REFUSED("n.npy", cases[e].found);
            continue;
        }
        Arrays a = read_fine();
        ck_assert(a.problem.lengths[0] == 3 && a.problem.lengths[1] == 5);
    }
}

TEST(results_beyond_memory)
{
    options.heads = options.kv_heads = 1;
    WRITE(options.q, 1, 60000, 1);
    WRITE(options.k, 1, 60000, 1);
    WRITE(options.v, 1, 60000, 1);
    options.weights = "w.npy";
    REFUSED("weights", "1·1·60000·60000", "8 GiB");
    options.weights = NULL;
    ck_assert_int_eq(read_fine().problem.is.T, 60000);
    WRITE(options.k, 1, 1, 1);
    WRITE(options.v, 1, 1, 60000);
    REFUSED("output", "1·1·60000·60000", "8 GiB");
}

// The warnings on stderr name the file, how many there are and where the first one stands in it.
TEST(warnings)
{
    char *log = bench_path(&bench, "log");
    int kept = dup(STDERR_FILENO), file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ck_assert(kept >= 0 && file >= 0 && dup2(file, STDERR_FILENO) >= 0);
    write_all("H,T,d", 1, '4', false);
    float bad[H * T * D] = { 0 };
    bad[1 * T * D + 2 * D + 3] = NAN;
    bad[H * T * D - 1] = -INFINITY;
    ck_assert(npy_write(options.q, bad, 3, (int64_t[]){ H, T, D }, &bench.error));
    Arrays a = read_fine();
    arrays_warn(&a, bench.arena);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(file);
    FileBytes said;
    ck_assert(file_read(&said, bench.arena, log, &bench.error));
    const char *text = (const char *)said.at;
    ck_assert_msg(strstr(text, "q.npy holds 1 NaN and 1 Inf, the first at [1][2][3]") != NULL, "%s", text);
    ck_assert(isnan(a.problem.q[1 * T * D + 2 * D + 3]) && a.problem.q[H * T * D - 1] == -INFINITY);
}
