// viz/document*.c: reading every kind of file, what is recognised in it, and the errors of files that are refused.
#include "viz/document.h"

#include "attention/attention.h"
#include "base/portable_math.h"
#include "base/random.h"
#include "io/bench.h"
#include "io/safetensors.h"
#include "support/suite.h"

#include <stdint.h>

// ---- arrays whose every number says where it belongs

enum { L = 2, H = 3, T = 4, S = 5 };

static int length_of(char letter)
{
    return letter == 'L' ? L : letter == 'H' ? H : letter == 'T' ? T : letter == 'S' ? S : 1;
}

static double value_at(int l, int h, int i, int j) { return ((l * H + h) * T + i) * S + j + 1; }

typedef struct {
    Dtype stored;
    bool big, fortran;
    int version;
} Form;

// A whole number from 1 to 2047 in the format of the file.
static void put_number(unsigned char *at, double value, Form form)
{
    uint64_t bits = 0;
    int size = (int)dtype_size(form.stored), exponent = ilogb(value);
    if (form.stored == DTYPE_F64) memcpy(&bits, &value, 8);
    if (form.stored == DTYPE_F32) memcpy(&bits, &(float){ (float)value }, 4);
    if (form.stored == DTYPE_F16)
        bits = (uint64_t)(exponent + 15) << 10 | ((uint64_t)ldexp(value, 10 - exponent) & 0x3FF);
    for (int b = 0; b < size; b++) at[form.big ? size - 1 - b : b] = (unsigned char)(bits >> 8 * b);
}

static size_t put_header(unsigned char *file, Form form, const char *shape)
{
    const char *words =
        arena_format(arena, "{'descr': '%cf%zu', 'fortran_order': %s, 'shape': %s, }\n", form.big ? '>' : '<',
                     dtype_size(form.stored), form.fortran ? "True" : "False", shape);
    size_t length = strlen(words), start = form.version == 1 ? 10 : 12;
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)form.version;
    for (size_t i = 8; i < start; i++) file[i] = (unsigned char)(length >> 8 * (i - 8));
    memcpy(file + start, words, length);
    return start + length;
}

// An array with axes in the order of `letters`, at an odd address.
static FileBytes array_of(const char *letters, Form form)
{
    int64_t shape[NPY_MOST_AXES];
    int axes = (int)strlen(letters), count = 1;
    for (int a = 0; a < axes; a++) count *= length_of(letters[a]), shape[a] = length_of(letters[a]);
    unsigned char *file = (unsigned char *)arena_alloc(arena, 300 + (size_t)count * 8) + 1;
    size_t start = put_header(file, form, shape_text(arena, axes, shape));
    for (int n = 0; n < count; n++) {
        int at[128] = { 0 }, rest = n;
        for (int x = 0; x < axes; x++) {
            int a = form.fortran ? x : axes - 1 - x;
            at[(int)letters[a]] = rest % (int)shape[a];
            rest /= (int)shape[a];
        }
        put_number(file + start + (size_t)n * dtype_size(form.stored), value_at(at['L'], at['H'], at['T'], at['S']),
                   form);
    }
    return (FileBytes){ file, start + (size_t)count * dtype_size(form.stored) };
}

static Document opened(FileBytes file, Reading reading)
{
    Document d;
    Error error = { .text = "" };
    ck_assert_msg(document_parse(&d, arena, file, "maps/a.npy", reading, &error), "%s", error.text);
    return d;
}

static bool has(const char *letters, char letter) { return strchr(letters, letter) != NULL; }

static void assert_cells(const Document *d, const char *letters)
{
    const Field *f = document_maps(d);
    ck_assert(d->layers == (has(letters, 'L') ? L : 1) && d->heads == (has(letters, 'H') ? H : 1));
    ck_assert(d->T == T && d->S == S && d->groups == d->heads);
    for (int l = 0; l < d->layers; l++)
        for (int h = 0; h < d->heads; h++) {
            for (int i = 0; i < T; i++)
                for (int j = 0; j < S; j++)
                    ck_assert_msg(field_at(f, l, h, i, j) == (float)value_at(l, h, i, j),
                                  "%s: (%d, %d, %d, %d) is %g, not %g", letters, l, h, i, j,
                                  (double)field_at(f, l, h, i, j), value_at(l, h, i, j));
            Mat room = mat_new(arena, 3, 9), block = mat_block(room, 0, 3, 1, 4); // rows 1 … 3, columns 0 … 3
            mat_fill(room, -1.0f);
            field_read(block, f, l, h, 1, 0);
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 4; j++) ck_assert(*mat_ref(block, i, j) == (float)value_at(l, h, i + 1, j));
                ck_assert(*mat_ref(room, i, 0) == -1.0f && *mat_ref(room, i, 5) == -1.0f);
            }
        }
}

static const Form forms[] = {
    { DTYPE_F32, false, false, 1 },
    { DTYPE_F32, true, true, 3 },
    { DTYPE_F16, false, true, 2 },
    { DTYPE_F64, true, false, 1 },
};
enum { FORMS = sizeof forms / sizeof *forms };

TEST_EACH(axes_are_read_in_every_order, FORMS)
{
    static const char *const guessed[] = { "TS", "HTS", "LHTS", "L1HTS", "111TS", "LH1TS" };
    static const char *const named[] = { "ST", "LTS", "TSH", "HLTS", "STLH", "1HTS", "S1T", "LT1HS" };
    for (size_t n = 0; n < 14; n++) {
        const char *letters = n < 6 ? guessed[n] : named[n - 6];
        Document d = opened(array_of(letters, forms[_i]), (Reading){ .axes = n < 6 ? NULL : letters });
        assert_cells(&d, letters);
    }
}

TEST(guessed_axes_are_reported)
{
    static const struct {
        const char *letters, *axes, *shape;
    } cases[] = {
        { "TS", NULL, "4 × 5 tokens" },
        { "HTS", NULL, "3 heads · 4 × 5 tokens · axes read as HTS" },
        { "HTS", "HTS", "3 heads · 4 × 5 tokens" },
        { "LTS", "LTS", "2 layers × 1 head · 4 × 5 tokens" },
        { "LHTS", NULL, "2 layers × 3 heads · 4 × 5 tokens · axes read as LHTS" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        Document d = opened(array_of(cases[c].letters, forms[0]), (Reading){ .axes = cases[c].axes });
        ck_assert_str_eq(d.shape, cases[c].shape);
        ck_assert_str_eq(d.title, "a.npy");
        ck_assert_str_eq(d.source, "maps/a.npy");
        ck_assert_str_eq(document_key(arena, &d, 4), "4");
    }
}

// ---- what is refused

static void assert_refused(FileBytes file, Reading reading, const char *words)
{
    Document d = { .T = -7 };
    Error error = { .text = "" };
    FileBytes copy = exact(file.at, file.size);
    ck_assert_msg(!document_parse(&d, arena, copy, "f.x", reading, &error), "not refused: %s", words);
    ck_assert_msg(strstr(error.text, words) != NULL, "\"%s\" has no \"%s\"", error.text, words);
    ck_assert_msg(!strncmp(error.text, "f.x:", 4) || !strncmp(error.text, "t.", 2), "%s", error.text);
    ck_assert_int_eq(d.T, -7);
    free((void *)(uintptr_t)copy.at);
}

TEST(wrong_axes_are_refused)
{
    static const char *const cases[][3] = {
        { "HTS", "LHTS", "4 letters, but the shape (3, 4, 5) has 3 axes" },
        { "HTS", "HHS", "each of L, H, T and S may stand only once" },
        { "HTS", "hts", "the letters are L, H, T, S and 1" },
        { "HTS", "1TS", "axis 0 of the shape (3, 4, 5) is not 1" },
        { "HTS", "LHT", "T and S must be among them" },
        { "LHHTS", NULL, "more axes than layers, heads, queries and keys" },
        { "S", NULL, "found the shape (5,), but a map has at least two axes" },
        { "", NULL, "found the shape ()" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        assert_refused(array_of(cases[c][0], forms[0]), (Reading){ .axes = cases[c][1] }, cases[c][2]);
}

TEST(other_files_are_refused)
{
    static const struct {
        const char *at;
        size_t size;
        const char *words;
    } cases[] = {
        { "", 0, "the file is empty; .npy and .safetensors files are shown" },
        { "hello", 5, "found \"hello\", but a .npy file starts with" },
        { "\x89HDF\r\n\x1a\n", 8, "found \"\\x89HDF\\x0d\\x0a\\x1a\\x0a\"" },
        { "[\"The\", \"cat\"]", 14,
          "looks like JSON; maps come from .npy and .safetensors files, and words are given with --tokens" },
        { "\x80\x02}q", 4, "this is a pickle" },
        { "PK\3\4..............................", 34, "this is a pickle" },
        { "PK\3\4\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x08\0\0\0attn.npy", 38,
          "numpy.save(\"maps.npy\", numpy.load(\"f.x\")[\"attn\"])" },
        { "\x93NUMP", 5, "cut off" },
        { "\x93NUMPY\1\0\4\0{}\n\n", 14, "without the key 'descr'" },
        { "\xff\xff\xff\xff\xff\xff\xff\x7f{", 9, "is this a safetensors file?" },
        { "\x02\0\0\0\0\0\0\0{}", 10, "none of its 0 tensors has two axes or more" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        assert_refused((FileBytes){ (const unsigned char *)cases[c].at, cases[c].size }, (Reading){ 0 },
                       cases[c].words);
}

TEST(empty_and_endless_shapes_are_refused)
{
    static const char *const cases[][2] = {
        { "(3, 0)", "the shape (3, 0) holds no number" },
        { "(300, 300, 1, 1)", "means more than 65536 heads" },
        { "(4000000000, 4000000000)", "needs more bytes than 63 bits can count" },
    };
    for (size_t c = 0; c < 3; c++) {
        size_t count = c == 1 ? 90000 : 0;
        unsigned char *file = arena_alloc(arena, 200 + count * 2);
        size_t start = put_header(file, (Form){ DTYPE_F16, false, false, 1 }, cases[c][0]);
        assert_refused((FileBytes){ file, start + count * 2 }, (Reading){ 0 }, cases[c][1]);
    }
}

// ---- dumps

static void assert_told(const Document *d, const char *shape, const char *range, const char *warning)
{
    ck_assert_str_eq(d->shape, shape);
    ck_assert_str_eq(d->range, range);
    if (warning) ck_assert_str_eq(d->warning, warning);
    else ck_assert_msg(!d->warning, "%s", d->warning);
}

static FileBytes written(Tensor *tensors, int count, TensorNote *notes, int notes_count)
{
    Bench bench = bench_open();
    FileBytes file;
    char *path = bench_path(&bench, "a.safetensors");
    ck_assert_msg(safetensors_write(path, &(Tensors){ tensors, count, notes, notes_count }, &bench.error), "%s",
                  bench.error.text);
    ck_assert_msg(file_read(&file, arena, path, &bench.error), "%s", bench.error.text);
    bench_close(&bench);
    return file;
}

// A tensor of these axes (0: none) with the values first, first + 1, …
static Tensor counted_up(const char *name, float first, int a, int b, int c)
{
    NpyArray array = { .axes = c   ? 3
                               : b ? 2
                                   : 1,
                       .shape = { a, b, c },
                       .count = (size_t)a * (size_t)(b ? b : 1) * (size_t)(c ? c : 1) };
    array.at = arena_alloc(arena, array.count * sizeof(float));
    for (size_t i = 0; i < array.count; i++) array.at[i] = first + (float)i;
    return (Tensor){ name, array };
}

// 4 heads of weights and scores (2, 3), q side by side, k and v in two groups, unrelated tensors, and words.
static FileBytes grouped_dump(void)
{
    Tensor tensors[] = {
        counted_up("x", 0, 2, 7, 0),        counted_up("q", 100, 2, 8, 0),     counted_up("k", 200, 3, 4, 0),
        counted_up("v", 300, 3, 10, 0),     counted_up("weights", 0, 4, 2, 3), counted_up("flat", 0, 9, 0, 0),
        counted_up("scores", 500, 4, 2, 3), counted_up("out", 700, 2, 20, 0),
    };
    TensorNote notes[] = { { "chapter", "12 MQA and GQA" },
                           { "tokens", "[\"a\",\"b\"]" },
                           { "key_tokens", "[\"c\",\"d\",\"e\"]" },
                           { "head_names", "[\"all\",\"near\",\"far\",\"none\"]" } };
    return written(tensors, 8, notes, 4);
}

TEST(a_dump_is_read)
{
    Document d = opened(grouped_dump(), (Reading){ 0 });
    ck_assert_str_eq(d.title, "12 MQA and GQA");
    ck_assert(d.count == 7 && d.maps == d.of[FIELD_WEIGHTS]); // a tensor of one axis is no map
    ck_assert(d.layers == 1 && d.heads == 4 && d.T == 2 && d.S == 3 && d.groups == 2);
    ck_assert(!strcmp(document_query(arena, &d, 1), "b") && !strcmp(document_key(arena, &d, 2), "e"));
    ck_assert_str_eq(d.roles[3], "none");
    const Field *q = &d.fields[d.of[FIELD_Q]], *k = &d.fields[d.of[FIELD_K]], *v = &d.fields[d.of[FIELD_V]];
    ck_assert(q->heads == 4 && q->cols == 2 && k->heads == 2 && k->cols == 2 && v->heads == 2 && v->cols == 5);
    ck_assert_float_eq(field_at(q, 0, 3, 1, 0), 100 + 8 + 6);
    ck_assert_float_eq(field_at(k, 0, 1, 2, 1), 200 + 2 * 4 + 3);
    ck_assert_float_eq(field_at(v, 0, 1, 1, 2), 300 + 10 + 7);
    ck_assert(d.of[FIELD_HEAD] == -1 && d.of[FIELD_OUT] == -1); // (T, H · dv) may be behind Wo
    ck_assert(!strcmp(d.fields[6].name, "out") && d.fields[6].kind == FIELD_OTHER);
    ck_assert_ptr_nonnull(strstr(d.shape, "4 heads in 2 groups · 2 × 3 tokens"));
    Explained e = document_explain(arena, &d, 0, 2, 1, 2); // head 2 of 4 reads the second KV head
    ck_assert(e.q[0] == 100 + 8 + 4 && e.k[0] == 200 + 8 + 2 && e.v[4] == 300 + 20 + 9);
}

// In a trace "heads" are split and "out" is after Wo. Without the format note "out" is taken by its shape.
TEST(names_follow_the_trace_format)
{
    TensorNote said[] = { { "format", "manyheads trace 1" } };
    Tensor side[] = { counted_up("weights", 0, 2, 3, 3), counted_up("v", 0, 3, 8, 0), counted_up("heads", 100, 3, 8, 0),
                      counted_up("out", 200, 2, 3, 4) };
    Document d = opened(written(side, 4, said, 1), (Reading){ 0 });
    ck_assert_float_eq(field_at(&d.fields[d.of[FIELD_HEAD]], 0, 1, 2, 3), 100 + 2 * 8 + 4 + 3);
    ck_assert_float_eq(field_at(&d.fields[d.of[FIELD_OUT]], 0, 1, 2, 3), 200 + 12 + 8 + 3);
    ck_assert(document_has_stage(&d, STAGE_MIXED) && document_has_stage(&d, STAGE_OUT));
    d = opened(written(side, 4, NULL, 0), (Reading){ 0 });
    ck_assert(!strcmp(d.fields[d.of[FIELD_HEAD]].name, "out") && d.of[FIELD_OUT] < 0);
    side[2] = counted_up("heads", 100, 3, 6, 0); // not as wide as the values
    side[3] = counted_up("out", 200, 3, 9, 0);   // of all heads together
    d = opened(written(side, 4, said, 1), (Reading){ 0 });
    ck_assert(d.of[FIELD_HEAD] < 0 && d.of[FIELD_OUT] < 0 && d.count == 4);
}

// Reads back what io/trace.h writes.
TEST(a_trace_is_read_back)
{
    enum { LAYERS = 12, HEADS = 4, N = 3, D = 8 };
    static const char *const words[] = { "a", "b", "c" };
    Bench bench = bench_open();
    Trace *trace = trace_open(arena);
    for (int l = 0; l < LAYERS; l++) {
        Mat wide = mat_new(arena, N, D), narrow = mat_new(arena, N, D / 2), maps = mat_new(arena, HEADS * N, N);
        mat_fill(wide, (float)l);
        mat_fill(narrow, (float)-l);
        mat_fill(maps, 1.0f / N);
        TraceHeads heads = {
            HEADS, .q = wide, .k = narrow, .v = narrow, .scores = maps, .weights = maps, .heads = wide
        };
        trace_layer(trace, l, heads);
    }
    trace_words(trace, words, N, words, N);
    char *path = bench_path(&bench, "t.safetensors");
    FileBytes file;
    ck_assert(trace_write(trace, path, &bench.error) && file_read(&file, arena, path, &bench.error));
    Document d = opened(file, (Reading){ 0 });
    ck_assert(d.layers == LAYERS && d.heads == HEADS && d.groups == 2 && d.T == N && d.count == 6);
    for (int l = 0; l < LAYERS; l++) {
        ck_assert(field_at(&d.fields[d.of[FIELD_Q]], l, 3, 2, 1) == (float)l);
        ck_assert(field_at(&d.fields[d.of[FIELD_V]], l, 1, 2, 1) == (float)-l);
        ck_assert(field_at(&d.fields[d.of[FIELD_HEAD]], l, 3, 0, 1) == (float)l);
    }
    ck_assert_str_eq(document_key(arena, &d, 2), "c");
    bench_close(&bench);
}

TEST(a_dump_without_weights_opens)
{
    Tensor one[] = { counted_up("bias", 0, 9, 0, 0), counted_up("x", 0, 3, 4, 0), counted_up("scores", 0, 2, 2, 0) };
    Document d = opened(written(one, 2, NULL, 0), (Reading){ 0 });
    assert_told(&d, "3 × 4 numbers", "0.000 … 11.000", NULL);
    ck_assert(!strcmp(document_maps(&d)->name, "x") && d.of[FIELD_WEIGHTS] == -1);
    for (Stage s = 0; s < STAGES; s++) ck_assert(!document_has_stage(&d, s));
    Explained e = document_explain(arena, &d, 0, 0, 1, 2);
    ck_assert(e.terms == 0 && !e.from_scores && !e.hidden && isnan(e.pull) && e.weight == 6 && e.row_sum == 22);
    d = opened(written(one, 3, NULL, 0), (Reading){ 0 });
    ck_assert(d.maps == d.of[FIELD_SCORES] && !d.warning); // scores are expected to be scores
}

TEST(a_file_cut_anywhere_is_refused)
{
    FileBytes files[] = { grouped_dump(), array_of("LHTS", forms[0]), array_of("HTS", forms[3]) };
    for (int f = 0; f < 3; f++)
        for (size_t size = 0; size < files[f].size; size++)
            assert_refused((FileBytes){ files[f].at, size }, (Reading){ 0 }, "f.x: ");
}

// ---- what is understood of the numbers

static Document of_floats(const float *at, int heads, int rows, int cols)
{
    size_t count = (size_t)(heads * rows * cols);
    unsigned char *file = arena_alloc(arena, 200 + count * 4);
    size_t start = put_header(file, forms[0], arena_format(arena, "(%d, %d, %d)", heads, rows, cols));
    dtype_write_f32(file + start, at, count);
    return opened((FileBytes){ file, start + count * 4 }, (Reading){ .axes = "HTS" });
}

// clang-format off
TEST(numbers_are_checked)
{
    const float inf = INFINITY, nan = NAN;
    const struct {
        int rows, cols;
        float at[9];
        const char *shape, *range, *warning;
        Masked masked;
        FieldKind kind;
    } cases[] = {
        { 2, 2, { 0.25f, 0.75f, 0.5f, 0.5f }, "2 tokens · bidirectional", "0.250 … 0.750, rows sum to 1", NULL, MASK_NONE, FIELD_WEIGHTS },
        { 3, 3, { 1, 0, 0, 0.5f, 0.5f, 0, 0.25f, 0.25f, 0.5f }, "3 tokens · causal", "0.250 … 1.000, rows sum to 1", NULL, MASK_CAUSAL, FIELD_WEIGHTS },
        { 3, 2, { 0, 0, 1, 0, 0.5f, 0.5f }, "3 × 2 tokens · causal", "0.500 … 1.000, rows sum to 1, 1 row of zeros", NULL, MASK_CAUSAL, FIELD_WEIGHTS },
        { 2, 3, { 0.5f, 0, 0.5f, 0.25f, 0.5f, 0.25f }, "2 × 3 tokens", "0.000 … 0.500, rows sum to 1", NULL, MASK_NONE, FIELD_WEIGHTS },
        { 2, 2, { 2, -1, 3, 4 }, "2 tokens", "−1.000 … 4.000", "rows do not sum to 1: these look like logits", MASK_NONE, FIELD_SCORES },
        { 2, 2, { 2, -inf, 3, 4 }, "2 tokens · causal", "2.000 … 4.000", "rows do not sum to 1: these look like logits", MASK_SCORES, FIELD_SCORES },
        { 2, 2, { 0.25f, 0.5f, 0.75f, 0.5f }, "2 tokens · bidirectional", "0.250 … 0.750, rows sum to 0.750 … 1.250", "columns sum to 1, rows do not: transposed?", MASK_NONE, FIELD_WEIGHTS },
        { 2, 2, { 0.25f, 0.5f, 0.5f, 0.5f }, "2 tokens · bidirectional", "0.250 … 0.500, rows sum to 0.750 … 1.000", "rows do not sum to 1", MASK_NONE, FIELD_WEIGHTS },
        { 2, 2, { 1.5f, -0.5f, 0.5f, 0.5f }, "2 tokens · bidirectional", "−0.500 … 1.500, rows sum to 1", "values outside 0 … 1", MASK_NONE, FIELD_WEIGHTS },
        { 2, 2, { nan, nan, nan, inf }, "2 tokens · bidirectional", "no finite number", "3 NaN · 1 infinite", MASK_NONE, FIELD_WEIGHTS },
        { 3, 3, { 0.5f, 0.5f, -inf, 0.25f, 0.25f, 0.5f, 0.5f, -inf, 0.25f }, "3 tokens · bidirectional", "0.250 … 0.500, rows sum to 0.750 … 1.000", "2 −∞ · rows do not sum to 1", MASK_NONE, FIELD_WEIGHTS },
        { 2, 2, { 0, -inf, 0, 0 }, "2 tokens · masked", "0.000 … 0.000", "−∞ among them: these look like logits", MASK_SCORES, FIELD_SCORES },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        Document d = of_floats(cases[c].at, 1, cases[c].rows, cases[c].cols);
        assert_told(&d, cases[c].shape, cases[c].range, cases[c].warning);
        ck_assert(d.masked == cases[c].masked && document_maps(&d)->kind == cases[c].kind && d.of[cases[c].kind] == 0);
        ck_assert_int_eq(d.of[cases[c].kind == FIELD_WEIGHTS ? FIELD_SCORES : FIELD_WEIGHTS], -1);
    }
}
// clang-format on

TEST(masks_are_recognised)
{
    const float causal[] = { 0.5f, 0.5f, 0, 0.25f, 0.5f, 0.25f },
                scores[] = { 1, -INFINITY, 2, -INFINITY, -INFINITY, 3 };
    Document d = of_floats(causal, 1, 2, 3);
    ck_assert(!document_hidden(&d, 0, 0, 0, 1) && document_hidden(&d, 0, 0, 0, 2) && !document_hidden(&d, 0, 0, 1, 2));
    ck_assert(document_allowed(&d, 0, 0, 0) == 2 && document_allowed(&d, 0, 0, 1) == 3);
    d = of_floats(scores, 1, 2, 3);
    ck_assert(document_hidden(&d, 0, 0, 0, 1) && !document_hidden(&d, 0, 0, 0, 2) && document_hidden(&d, 0, 0, 1, 0));
    ck_assert(document_allowed(&d, 0, 0, 0) == 2 && document_allowed(&d, 0, 0, 1) == 1);
}

// A sampled file: causal with several heads, its transpose, and one with only the last head wrong.
TEST(large_files_are_sampled)
{
    enum { HEADS = 5, N = 600 };
    float *at = arena_alloc(arena, HEADS * N * N * sizeof *at);
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j <= i; j++) at[(h * N + i) * N + j] = 1.0f / (float)(i + 1);
    Document d = of_floats(at, HEADS, N, N);
    ck_assert_str_eq(d.shape, "5 heads · 600 tokens · causal");
    ck_assert_str_eq(d.range, "0.002 … 1.000, rows sum to 1 (sampled: 1747 of 3000 rows)");
    ck_assert_ptr_null(d.warning);
    unsigned char *file = arena_alloc(arena, 200 + HEADS * N * N * 4);
    size_t start = put_header(file, forms[0], "(5, 600, 600)");
    dtype_write_f32(file + start, at, HEADS * N * N);
    d = opened((FileBytes){ file, start + HEADS * N * N * 4 }, (Reading){ .axes = "HST" });
    ck_assert_str_eq(d.shape, "5 heads · 600 tokens · bidirectional");
    ck_assert_str_eq(d.warning, "columns sum to 1, rows do not: transposed?");
    for (int e = 4 * N * N; e < HEADS * N * N; e++) at[e] = -1.0f;
    d = of_floats(at, HEADS, N, N);
    ck_assert_ptr_nonnull(strstr(d.warning, "look like logits"));
}

// ---- stages and cells, against what the library computes

typedef struct {
    Mat q, k, v, scores, weights, out;
} MapReduction;
enum { MADE_T = 5, MADE_S = 7, MADE_D = 6, MADE_DV = 3 };

static Tensor tensor_of(const char *name, Mat m)
{
    return (Tensor){ name, { .axes = 2, .shape = { m.rows, m.cols }, .at = m.at, .count = (size_t)(m.rows * m.cols) } };
}

// One head as a chapter dumps it.
static Document made(MapReduction *m, Mask mask, bool scores)
{
    Random random = random_from(7);
    *m = (MapReduction){ mat_new(arena, MADE_T, MADE_D),  mat_new(arena, MADE_S, MADE_D),
                         mat_new(arena, MADE_S, MADE_DV), mat_new(arena, MADE_T, MADE_S),
                         mat_new(arena, MADE_T, MADE_S),  mat_new(arena, MADE_T, MADE_DV) };
    random_normals(&random, m->q);
    random_normals(&random, m->k);
    random_normals(&random, m->v);
    attention_scores(m->scores, m->q, m->k, mask);
    attention_naive((Attended){ .out = m->out, .weights = m->weights }, m->q, m->k, m->v, mask);
    Tensor tensors[] = { tensor_of("q", m->q),     tensor_of("k", m->k),
                         tensor_of("v", m->v),     tensor_of("weights", m->weights),
                         tensor_of("out", m->out), tensor_of("scores", m->scores) };
    return opened(written(tensors, scores ? 6 : 4, NULL, 0), (Reading){ 0 });
}

static void assert_near(double found, double right, double within)
{
    ck_assert_msg(fabs(found - right) <= within, "%.9g is not %.9g", found, right);
}

TEST_EACH(a_cell_is_explained, 3)
{
    const Mask mask = ((Mask[]){ { 0 }, { .causal = true, .alibi = 0.25f }, { .window = 2, .causal = true } })[_i];
    MapReduction m;
    Document d = made(&m, mask, true);
    ck_assert_int_eq(d.masked, _i ? MASK_SCORES : MASK_NONE);
    for (int i = 0; i < MADE_T; i++)
        for (int j = 0; j < MADE_S; j++) {
            Explained e = document_explain(arena, &d, 0, 0, i, j);
            bool seen = mask_sees(mask, i, j, MADE_T, MADE_S);
            double dot = 0, length = 0, mixed = 0;
            for (int c = 0; c < MADE_D; c++) dot += (double)*mat_ref(m.q, i, c) * *mat_ref(m.k, j, c);
            for (int c = 0; c < MADE_DV; c++) {
                length += pow(*mat_ref(m.v, j, c), 2);
                mixed += pow(*mat_ref(m.out, i, c), 2);
            }
            ck_assert(e.terms == MADE_D && e.dv == MADE_DV && e.from_scores && e.hidden == !seen);
            ck_assert(e.q[1] == *mat_ref(m.q, i, 1) && e.k[2] == *mat_ref(m.k, j, 2) && e.v[2] == *mat_ref(m.v, j, 2));
            assert_near(e.dot, dot, 1e-12);
            assert_near(e.scaled, dot / sqrt(MADE_D), 1e-12);
            if (!seen) ck_assert(e.added == -INFINITY && e.exp == 0 && e.weight == 0);
            else assert_near(e.added, -(double)mask.alibi * abs(i + MADE_S - MADE_T - j), mask.alibi > 0 ? 1e-6 : 0);
            assert_near(e.exp / e.sum, e.weight, 2e-7);
            ck_assert(e.weight == *mat_ref(m.weights, i, j));
            assert_near(e.row_sum, 1, 1e-6);
            assert_near(e.pull, e.weight * sqrt(length) / sqrt(mixed), 1e-5);
        }
}

TEST(stages_are_what_the_library_computes)
{
    MapReduction m;
    Document d = made(&m, (Mask){ .causal = true }, true);
    Mat dots = document_stage(arena, &d, 0, 0, STAGE_DOTS), scaled = document_stage(arena, &d, 0, 0, STAGE_SCALED);
    for (int i = 0; i < MADE_T; i++)
        for (int j = 0; j <= i + MADE_S - MADE_T; j++) {
            assert_near(*mat_ref(scaled, i, j), *mat_ref(m.scores, i, j), 1e-6);
            assert_near(*mat_ref(dots, i, j), *mat_ref(scaled, i, j) * sqrt(MADE_D), 1e-5);
        }
    const Mat right[] = { m.scores, m.weights, m.out }; // as the file has them
    for (int n = 0; n < 3; n++)
        ck_assert(mat_equal(document_stage(arena, &d, 0, 0, (Stage)(STAGE_MASKED + n)), right[n]));
    d = made(&m, (Mask){ .causal = true }, false);
    ck_assert(!document_has_stage(&d, STAGE_MASKED) && !document_has_stage(&d, STAGE_OUT) && d.masked == MASK_CAUSAL);
    ck_assert(mat_max_difference(document_stage(arena, &d, 0, 0, STAGE_MIXED), m.out) < 1e-6);
    Explained hidden = document_explain(arena, &d, 0, 0, 0, MADE_S - 1);
    ck_assert(hidden.hidden && hidden.added == -INFINITY && !hidden.from_scores && hidden.sum == 0);
}

// ---- words

// A map (n, n) of zeros with these tokens.
static Document square_of(int n, const char *tokens, bool guessed)
{
    unsigned char *file = arena_alloc(arena, 300 + 4 * (size_t)(n * n));
    size_t start = put_header(file, forms[0], arena_format(arena, "(%d, %d)", n, n));
    const char *name = tokens[0] == '{' ? "t.json" : "t.txt";
    return opened((FileBytes){ file, start + 4 * (size_t)(n * n) },
                  (Reading){ .tokens = tokens, .tokens_name = name, .guessed = guessed });
}

TEST(tokens_are_shown_as_words)
{
    static const struct {
        const char *text, *words[3];
    } cases[] = {
        { "The\nanimal\ndid\n", { "The", "animal", "did" } },
        { "Ġthe\r\nanimal\r\nĠĠ\r\n", { "the", "animal", "␣␣" } },
        { "Ġna\nÃ¯\nve", { "na", "ï", "ve" } }, // bytes in GPT-2's letters
        { "Ġa\nĢb", { "a", "\\x80b", NULL } },  // U+0122 is byte 0x80
        { "ĠÃ\nĊ\n", { "\\xc3", "\\n", NULL } },
        { "\xEF\xBB\xBF▁the\n▁\ning", { "the", "␣", "ing" } },
        { "[CLS]\nplay\n##ing", { "[CLS]", "play", "##ing" } },
        { "[\"a\", \"\", \"\\n\"]", { "a", "\"\"", "\\n" } },
        { "{\"ids\": [1, 2, 3], \"tokens\": [\"x\", \"\\u0007\", \"\\u0085\"]}", { "x", "\\x07", "\\xc2\\x85" } },
        { "\xFFok\n\n\tb", { "\\xffok", "\"\"", "\\tb" } },
        { "\u200b\na\u200bb\n\u00a0", { "U+200B", "aU+200Bb", "U+00A0" } },
        { "\u202eabc\n \u0301\ne\u0301", { "U+202Eabc", "◌\u0301", "e\u0301" } },
        { "نمی\u200cخواهم\n\u200d\n👨\u200d👩", { "نمی\u200cخواهم", "U+200D", "👨\u200d👩" } },
        { "שלום\n\U000e0041\n##dis", { "שלום", "U+E0041", "##dis" } },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int n = cases[c].words[2] ? 3 : 2;
        Document d = square_of(n, cases[c].text, false);
        for (int i = 0; i < n; i++) {
            ck_assert_str_eq(document_query(arena, &d, i), cases[c].words[i]);
            ck_assert_str_eq(document_key(arena, &d, i), cases[c].words[i]);
        }
    }
}

static const char *said(const unsigned char *parts, int count)
{
    char *text = "";
    for (int i = 0; parts && i < count; i++) text = arena_format(arena, "%s%c", text, parts[i] ? 'B' : 'A');
    return text;
}

TEST(two_sentences_in_one)
{
    static const struct {
        const char *tokens, *parts;
        int n;
    } cases[] = {
        { "[CLS]\na\n[SEP]\nb\nc\n[SEP]\n", "AAABBB", 6 },
        { "<s>\na\n</s>\n</s>\nb\n</s>\n", "AAAABB", 6 },
        { "[CLS]\na\n[SEP]\n", "", 3 },
        { "a\nb\n", "", 2 },
        { "a\n</s>\n</s>\n", "", 3 },
        { "[SEP]\na\n", "AB", 2 },
        { "{\"tokens\": [\"a\", \"b\", \"c\"], \"segments\": [0, 1, 1]}", "ABB", 3 },
        { "{\"tokens\": [\"a\", \"[SEP]\", \"c\"], \"segments\": [0, 0, 0]}", "AAA", 3 }, // said, not guessed
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        Document d = square_of(cases[c].n, cases[c].tokens, false);
        ck_assert_str_eq(said(d.query_sentence, d.T), cases[c].parts);
        ck_assert_str_eq(said(d.key_sentence, d.S), cases[c].parts);
    }
    Document d = opened(array_of("TS", forms[0]),
                        (Reading){ .tokens = "{\"tokens\": [\"a\",\"b\",\"c\",\"d\"], \"segments\": [0, 0, 1, 1], "
                                             "\"key_tokens\": [\"v\",\"[SEP]\",\"x\",\"y\",\"z\"]}" });
    ck_assert_str_eq(said(d.query_sentence, d.T), "AABB");
    ck_assert_str_eq(said(d.key_sentence, d.S), "AABBB");
}

TEST(invalid_segments_are_refused)
{
    static const char *const wrong[][2] = {
        { "[0]", "t.json:1:36: found 1 numbers in \"segments\" for 2 words" },
        { "[0, 2]", "t.json:1:40: \"segments\" must be an array of 0 and 1" },
        { "[0, true]", "must be an array of 0 and 1" },
        { "\"AB\"", "found 0 numbers in \"segments\"" },
    };
    for (size_t c = 0; c < sizeof wrong / sizeof *wrong; c++) {
        const char *tokens = arena_format(arena, "{\"tokens\": [\"a\", \"b\"], \"segments\": %s}", wrong[c][0]);
        unsigned char *file = arena_alloc(arena, 300);
        size_t start = put_header(file, forms[0], "(2, 2)");
        assert_refused((FileBytes){ file, start + 16 }, (Reading){ .tokens = tokens, .tokens_name = "t.json" },
                       wrong[c][1]);
        Document d = square_of(2, tokens, true); // nobody asked for that file
        ck_assert(!d.query_sentence && strstr(d.note, "segments"));
    }
}

// ---- encoder, decoder and cross attention in one file

TEST(kinds_of_attention)
{
    Tensor tensors[] = {
        counted_up("encoder.layers.0.weights", 100, 2, 3, 3),
        counted_up("cross.weights", 200, 2, 4, 3),
        counted_up("decoder.weights", 300, 2, 4, 4),
        counted_up("encoder.layers.1.weights", 400, 2, 3, 3),
        counted_up("decoder.v", 0, 4, 6, 0),
    };
    TensorNote notes[] = { { "encoder.tokens", "[\"the\",\"cat\",\".\"]" },
                           { "chapter", "pairs" },
                           { "decoder.tokens", "[\"<s>\",\"die\",\"Katze\",\".\"]" } };
    static const char *const names[] = { "decoder", "cross", "encoder" };
    static const int sizes[][4] = { { 1, 4, 4, 300 }, { 1, 4, 3, 200 }, { 2, 3, 3, 100 } };
    Document d = opened(written(tensors, 5, notes, 3), (Reading){ 0 });
    ck_assert(d.kind_count == 3 && d.kind_at == 0 && !strcmp(d.title, "pairs"));
    for (int k = 0; k < 3; k++) {
        const Document *of = &d.kinds[k];
        ck_assert(!strcmp(of->kind, names[k]) && !strcmp(kind_name(k), names[k]) && of->kind_at == k);
        ck_assert(of->layers == sizes[k][0] && of->heads == 2 && of->T == sizes[k][1] && of->S == sizes[k][2]);
        ck_assert(field_at(document_maps(of), 0, 0, 0, 0) == (float)sizes[k][3]);
        ck_assert_str_eq(document_query(arena, of, 1), k == 2 ? "cat" : "die");
        ck_assert_str_eq(document_key(arena, of, 0), k == 0 ? "<s>" : "the");
        ck_assert(!strncmp(of->shape, names[k], strlen(names[k])));
    }
    ck_assert(field_at(document_maps(&d.kinds[2]), 1, 0, 0, 0) == 400);
    ck_assert(d.kinds[0].of[FIELD_V] >= 0 && d.kinds[1].of[FIELD_V] < 0);
    d = opened(written(tensors, 2, notes, 3), (Reading){ .tokens = "w\nx\ny\nz", .key_tokens = "1\n2\n3" });
    ck_assert(d.kind_count == 2 && !strcmp(d.kinds[0].kind, "cross"));
    ck_assert_str_eq(document_query(arena, &d.kinds[0], 3), "z");
    ck_assert_str_eq(document_key(arena, &d.kinds[1], 2), "3");
    tensors[0].name = "weights"; // maps without such a name count alone
    d = opened(written(tensors, 3, notes, 3), (Reading){ 0 });
    ck_assert(d.kind_count == 0 && !d.kind && d.T == 3);
}

TEST(queries_and_keys_have_own_words)
{
    static const char both[] =
        "{\"tokens\": [\"a\",\"b\",\"c\",\"d\"], \"key_tokens\": [\"v\",\"w\",\"x\",\"y\",\"z\"]}";
    const struct {
        Reading reading;
        const char *query, *key;
    } cases[] = {
        { { .tokens = "a\nb\nc\nd", .tokens_name = "t.txt" }, "c", "2" },
        { { .key_tokens = "v\nw\nx\ny\nz", .key_tokens_name = "t.txt" }, "2", "x" },
        { { .tokens = both }, "c", "x" },
    };
    for (size_t c = 0; c < 3; c++) {
        Document d = opened(array_of("TS", forms[0]), cases[c].reading);
        ck_assert_str_eq(document_query(arena, &d, 2), cases[c].query);
        ck_assert_str_eq(document_key(arena, &d, 2), cases[c].key);
    }
    Document d = opened(grouped_dump(), (Reading){ .tokens = "new\nones", .tokens_name = "t.txt" });
    ck_assert(!strcmp(document_query(arena, &d, 0), "new") && !strcmp(document_key(arena, &d, 0), "c"));
}

TEST(words_that_do_not_fit_are_refused)
{
    static const char *const cases[][3] = {
        { "t.txt", "a\nb\nc", "t.txt: found 3 tokens, but f.x has 4 rows" },
        { "t.txt", "", "t.txt: found 0 tokens, but f.x has 4 rows" },
        { "t.json", "[\"a\"]", "t.json: found 1 token, but f.x has 4 rows" },
        { "t.json", "a\nb\nc\nd", "t.json:1:1: " },
        { "t.txt", "[1, 2, 3, 4]", "t.txt:1:2: the tokens must be an array of strings" },
        { "t.txt", "{\"words\": []}", "t.txt:1:1: the object has neither \"tokens\" nor" },
        { "t.txt", "{\"tokens\": \"abcd\"}", "t.txt:1:12: the tokens must be an array of strings" },
        { "t.txt", "{\"tokens\": [\"a\",\"b\",\"c\",\"d\"], \"key_tokens\": [\"a\"]}",
          "t.txt: found 1 token, but f.x has 5 columns" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        assert_refused(array_of("TS", forms[0]), (Reading){ .tokens = cases[c][1], .tokens_name = cases[c][0] },
                       cases[c][2]);
    assert_refused(array_of("TS", forms[0]), (Reading){ .key_tokens = "a\nb\n", .key_tokens_name = "t.keys" },
                   "t.keys: found 2 tokens, but f.x has 5 columns");
}

// ---- the walk: two frames over a 2 × 2 map, and where their tiles lie

static Document walked(const float tiles[8], int frames_of_state)
{
    static float weights[2 * 2 * 2] = { 1, 0, 0, 0, 0.5f, 0.5f, 0, 0 };
    static float state[2 * 2 * 3] = { 0.3f, 1, 0, 0, 0, 0, 0.3f, 2, 0.7f, 0, 0, 0 };
    float *where = arena_alloc(arena, 8 * sizeof *where);
    memcpy(where, tiles, 8 * sizeof *where);
    Tensor tensors[] = {
        { "walk.state",
          { .axes = 3, .shape = { frames_of_state, 2, 3 }, .at = state, .count = (size_t)frames_of_state * 6 } },
        { "walk.weights", { .axes = 3, .shape = { 2, 2, 2 }, .at = weights, .count = 8 } },
        { "walk.tiles", { .axes = 2, .shape = { 2, 4 }, .at = where, .count = 8 } },
    };
    return opened(written(tensors, 3, NULL, 0), (Reading){ 0 });
}

static const float two_tiles[8] = { 0, 1, 0, 1, 0, 1, 1, 1 };

TEST(a_walk_is_read)
{
    Document d = walked(two_tiles, 2);
    ck_assert(d.walk.frames == 2 && d.walk.tiles.rows == 2 && *mat_ref(d.walk.tiles, 1, 2) == 1);
    ck_assert_str_eq(d.fields[d.walk.state].name, "walk.state");
    ck_assert(d.maps == d.walk.weights && d.of[FIELD_WEIGHTS] == d.maps);
    assert_told(&d, "2 frames · 2 tokens · bidirectional", "0.000 … 1.000, rows sum to 1, 2 rows of zeros", NULL);
}

// A walk with a tile outside the map, or of fractional position, is shown as plain matrices.
TEST(invalid_walks_are_ignored)
{
    static const float wrong[] = { -1, 3, 0.5f, NAN, INFINITY, 1e30f };
    for (int e = 0; e < 8 * 6; e++) {
        float tiles[8];
        memcpy(tiles, two_tiles, sizeof tiles);
        tiles[e % 8] = wrong[e / 8];
        ck_assert(mat_empty(walked(tiles, 2).walk.tiles));
    }
    ck_assert(mat_empty(walked(two_tiles, 1).walk.tiles)); // a frame without its state
}

// Two steps of two ranks over a 2 × 2 map: in the first each computes one score, in the second rank 1 another.
static Document stepped(const float ranks[8], int rows)
{
    static float weights[2 * 2 * 2] = { 1, 0, 1, 0, 1, 0, 0.5f, 0.5f };
    float *who = arena_alloc(arena, 8 * sizeof *who);
    memcpy(who, ranks, 8 * sizeof *who);
    Tensor tensors[] = {
        { "walk.ranks", { .axes = 3, .shape = { 4 / rows, rows, 2 }, .at = who, .count = 8 } },
        { "walk.weights", { .axes = 3, .shape = { 2, 2, 2 }, .at = weights, .count = 8 } },
    };
    return opened(written(tensors, 2, NULL, 0), (Reading){ 0 });
}

TEST(a_walk_of_ranks_is_read)
{
    static const float who[8] = { 1, 0, 2, 0, 0, 0, 0, 2 }, wrong[] = { -1, 0.5f, NAN, INFINITY, 1025 }, nobody[8];
    Document d = stepped(who, 2);
    ck_assert(d.walk.frames == 2 && d.walk.many == 2 && mat_empty(d.walk.tiles) && d.maps == d.walk.weights);
    ck_assert_str_eq(d.fields[d.walk.ranks].name, "walk.ranks");
    ck_assert_int_eq(stepped(who, 1).walk.frames, 0); // as many numbers in another shape
    ck_assert_int_eq(stepped(nobody, 2).walk.frames, 0);
    for (int e = 0; e < 8 * 5; e++) {
        float ranks[8];
        memcpy(ranks, who, sizeof ranks);
        ranks[e % 8] = wrong[e / 8];
        ck_assert_int_eq(stepped(ranks, 2).walk.frames, 0);
    }
}
