// Reads .npy in three passes: the fixed first bytes, the header (a Python dictionary as text), the numbers.
#include "io/npy.h"

#include "io/text.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

typedef enum { TO_F32, TO_F64, TO_I64 } Target; // type to convert to; only TO_I64 reads integers

typedef struct {
    Arena *arena;
    Target target;
    FileBytes file;
    size_t offset, end; // of the next byte of the header; after its last byte
    const char *name;
    Error *error;
} Reader;

typedef struct {
    const char *descr; // as in the file, for messages; NULL until found
    Dtype dtype;       // of a floating-point number
    bool has_sign;     // of an integer
    size_t size;       // bytes of one number
    bool big_endian, fortran, has_order, has_shape;
    int axes;
    int64_t shape[NPY_MOST_AXES];
} Header;

typedef struct {
    const unsigned char *at;
    size_t size;
} Piece;

// ---- the header's text

static int peek(const Reader *r) { return r->offset < r->end ? r->file.at[r->offset] : -1; }

// Sets the message “name: byte 12: found …, but …”. `right` says what is expected.
static bool refuse(const Reader *r, const char *right)
{
    size_t shown = r->end - r->offset < 16 ? r->end - r->offset : 16;
    const char *found = shown ? text_shown(r->arena, r->file.at + r->offset, shown) : "the end of the header";
    return error_set(r->error, "%s: byte %zu: found %s, but %s", r->name, r->offset, found, right);
}

static void skip_space(Reader *r)
{
    while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\n' || peek(r) == '\r') r->offset++;
}

// Skips spaces; consumes the next byte if it is `byte`.
static bool accept(Reader *r, char byte)
{
    skip_space(r);
    if (peek(r) != byte) return false;
    r->offset++;
    return true;
}

static bool accept_word(Reader *r, const char *word)
{
    size_t length = strlen(word);
    if (r->end - r->offset < length || memcmp(r->file.at + r->offset, word, length)) return false;
    r->offset += length;
    return true;
}

// A Python string without escapes, in either kind of quotes.
static bool parse_quoted(Reader *r, Piece *out, const char *right)
{
    Reader start = *r;
    int quote = peek(r);
    if (quote != '\'' && quote != '"') return refuse(r, right);
    r->offset++;
    *out = (Piece){ r->file.at + r->offset, 0 };
    for (; peek(r) != quote; r->offset++) {
        if (peek(r) < 0x20 || peek(r) == '\\') return refuse(&start, "a string must end with its quote");
        out->size++;
    }
    r->offset++;
    return true;
}

static bool piece_is(Piece piece, const char *text)
{
    return piece.size == strlen(text) && !memcmp(piece.at, text, piece.size);
}

// ---- the three values

// Advice for a type that is not supported, by the letter of its type.
static const char *advice(int kind, Target target)
{
    if (target == TO_I64) return "only whole numbers are read, int8 … uint64: save array.astype(\"int64\")";
    switch (kind) {
    case 'f': return "float16, float32 and float64 are read, <f2 <f4 <f8 >f2 >f4 >f8: save array.astype(\"float32\")";
    case 'b':
    case 'i':
    case 'u': return "only floating-point numbers are read: save array.astype(\"float32\")";
    case 'c': return "complex numbers are not read: save array.real or abs(array)";
    case 'O': return "pickled Python objects are never read: save array.astype(\"float32\")";
    case 'S':
    case 'U':
    case 'a': return "text is not read: save an array of numbers";
    case 'M':
    case 'm': return "dates and times are not read: save array.astype(\"float32\")";
    case 'V': return "raw bytes (or bfloat16) are not read: save array.astype(\"float32\")";
    default: return "this is no type of NumPy's: <f2 <f4 <f8 >f2 >f4 >f8 are read";
    }
}

// Is the type, such as f4, supported for this target?
static bool known_type(Header *h, Piece type, Target target)
{
    static const struct {
        const char *type;
        size_t size;
        Dtype dtype;
        bool integer, has_sign;
    } types[] = {
        { "f2", 2, DTYPE_F16, false, false }, { "f4", 4, DTYPE_F32, false, false },
        { "f8", 8, DTYPE_F64, false, false }, { "i1", 1, 0, true, true },
        { "i2", 2, 0, true, true },           { "i4", 4, 0, true, true },
        { "i8", 8, 0, true, true },           { "u1", 1, 0, true, false },
        { "u2", 2, 0, true, false },          { "u4", 4, 0, true, false },
        { "u8", 8, 0, true, false },
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].integer != (target == TO_I64) || !piece_is(type, types[i].type)) continue;
        h->dtype = types[i].dtype;
        h->has_sign = types[i].has_sign;
        h->size = types[i].size;
        return true;
    }
    return false;
}

// Parses 'descr': byte order, kind and size of a number. '=' is native byte order, '|' means not applicable.
static bool parse_descr(Reader *r, Header *h)
{
    const uint16_t one = 1;
    bool machine_is_big_endian = *(const unsigned char *)&one == 0;
    Reader start = *r;
    Piece piece;

    if (peek(r) == '[') return refuse(r, "arrays with named fields are not read: save one field, array[\"field\"]");
    if (!parse_quoted(r, &piece, "'descr' must be a type in quotes, such as '<f4'")) return false;
    h->descr = text_shown(r->arena, piece.at, piece.size);
    bool ordered = piece.size > 0 && memchr("<>=|", piece.at[0], 4);
    bool known = ordered && known_type(h, (Piece){ piece.at + 1, piece.size - 1 }, r->target);
    if (ordered && piece.size == 3 && piece.at[0] == '|' && (piece.at[1] == 'f' || (known && h->size > 1)))
        return refuse(&start, "a number of several bytes needs its byte order, < or >");
    if (!known) return refuse(&start, advice(piece.size > ordered ? piece.at[ordered] : 0, r->target));
    h->big_endian = piece.at[0] == '>' || (piece.at[0] == '=' && machine_is_big_endian);
    return true;
}

static bool parse_order(Reader *r, Header *h)
{
    h->has_order = true;
    h->fortran = accept_word(r, "True");
    return h->fortran || accept_word(r, "False") || refuse(r, "'fortran_order' must be True or False");
}

// Parses one axis. Python 2 wrote an L after long integers.
static bool parse_axis(Reader *r, int64_t *axis)
{
    Reader start = *r;
    if (peek(r) < '0' || peek(r) > '9') return refuse(r, "the shape must be made of whole numbers, 0 or above");
    *axis = 0;
    while (peek(r) >= '0' && peek(r) <= '9') {
        int digit = peek(r) - '0';
        if (*axis > (INT64_MAX - digit) / 10) return refuse(&start, "an axis must fit into 63 bits");
        *axis = *axis * 10 + digit;
        r->offset++;
    }
    if (r->file.at[start.offset] == '0' && r->offset > start.offset + 1)
        return refuse(&start, "a number must not start with 0");
    if (peek(r) == 'L') r->offset++;
    return true;
}

// Parses 'shape', a tuple: (), (3,), (3, 4).
static bool parse_shape(Reader *r, Header *h)
{
    static const char right[] = "the shape must be a tuple, such as (), (3,) or (3, 4)";
    bool comma = true;
    if (!accept(r, '(')) return refuse(r, right);
    h->has_shape = true;
    while (!accept(r, ')')) {
        if (!comma) return refuse(r, right);
        if (h->axes == NPY_MOST_AXES) return refuse(r, "at most 8 axes are read");
        if (!parse_axis(r, &h->shape[h->axes++])) return false;
        comma = accept(r, ',');
    }
    if (h->axes == 1 && !comma) return refuse(r, "a tuple of one number needs a comma, as in (3,)");
    return true;
}

// ---- the passes

static bool parse_entry(Reader *r, Header *h)
{
    static const char right[] = "here must stand 'descr', 'fortran_order' or 'shape', each of them once";
    Reader start = *r;
    Piece key;
    if (!parse_quoted(r, &key, right)) return false;
    bool (*parse)(Reader *, Header *) = NULL;
    if (piece_is(key, "descr") && !h->descr) parse = parse_descr;
    if (piece_is(key, "fortran_order") && !h->has_order) parse = parse_order;
    if (piece_is(key, "shape") && !h->has_shape) parse = parse_shape;
    if (!parse) return refuse(&start, right);

    if (!accept(r, ':')) return refuse(r, "a colon must follow a key");
    skip_space(r);
    return parse(r, h);
}

// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } with the keys in any order, then spaces and a newline.
static bool parse_dictionary(Reader *r, Header *h)
{
    bool comma = true;
    if (!accept(r, '{')) return refuse(r, "the header must be a dictionary in { }");
    while (!accept(r, '}')) {
        if (!comma) return refuse(r, "a comma or } must follow a value");
        if (!parse_entry(r, h)) return false;
        comma = accept(r, ',');
    }
    const char *missing = !h->descr ? "descr" : !h->has_order ? "fortran_order" : !h->has_shape ? "shape" : NULL;
    if (missing)
        return error_set(r->error, "%s: byte %zu: the header ends without the key '%s'", r->name, r->offset - 1,
                         missing);
    skip_space(r);
    if (peek(r) >= 0) return refuse(r, "only spaces and a newline may follow the dictionary");
    if (r->file.at[r->end - 1] == '\n') return true;
    return error_set(r->error, "%s: byte %zu: the header must end with a newline", r->name, r->end - 1);
}

// Parses \x93NUMPY, major version, minor version, and the length of the header in 2 bytes (version 1) or 4.
static bool parse_start(Reader *r)
{
    const unsigned char *at = r->file.at;
    size_t size = r->file.size, known = size < 6 ? size : 6, length = 0;
    if (size == 0) return error_set(r->error, "%s: the file is empty; a .npy file starts with \"\\x93NUMPY\"", r->name);
    if (size >= 4 && !memcmp(at, "PK\3\4", 4))
        return error_set(r->error,
                         "%s: byte 0: this is a zip archive, such as PyTorch's .pt or NumPy's .npz; save one "
                         "array: numpy.save(\"x.npy\", x.detach().cpu().float().numpy())",
                         r->name);
    if (memcmp(at, "\x93NUMPY", known))
        return error_set(r->error, "%s: byte 0: found %s, but a .npy file starts with \"\\x93NUMPY\"", r->name,
                         text_shown(r->arena, at, known));
    if (size >= 8 && (at[6] < 1 || at[6] > 3 || at[7] != 0))
        return error_set(r->error, "%s: byte 6: this is version %d.%d; versions 1.0, 2.0 and 3.0 are read", r->name,
                         at[6], at[7]);

    size_t start = size >= 8 && at[6] == 1 ? 10 : 12;
    if (size < start)
        return error_set(r->error, "%s: byte %zu: the file is cut off; the first %zu bytes say where its header ends",
                         r->name, size, start);
    for (size_t i = start; i-- > 8;) length = length << 8 | at[i];
    if (length > size - start)
        return error_set(r->error,
                         "%s: byte 8: the header is said to have %zu bytes, but only %zu follow: the file is "
                         "cut off",
                         r->name, length, size - start);
    if (length == 0) return error_set(r->error, "%s: byte 8: the header is said to have 0 bytes", r->name);
    r->offset = start;
    r->end = start + length;
    return true;
}

// The size of the data must match type and shape exactly. Checked before memory is allocated.
static bool check_size(const Reader *r, const Header *h, size_t *count)
{
    int64_t elements, found = (int64_t)(r->file.size - r->end), size = (int64_t)h->size;
    const char *shape = shape_text(r->arena, h->axes, h->shape);
    if (!shape_count(&elements, h->axes, h->shape) || elements > INT64_MAX / size)
        return error_set(r->error,
                         "%s: byte %zu: the shape %s of %s needs more bytes than 63 bits can count, "
                         "found %" PRId64 " bytes of data",
                         r->name, r->end, shape, h->descr, found);
    if (found != elements * size)
        return error_set(r->error,
                         "%s: byte %zu: the shape %s of %s needs %" PRId64 " bytes of data, "
                         "found %" PRId64 ": %s",
                         r->name, r->end, shape, h->descr, elements * size, found,
                         found < elements * size ? "the file is cut off" : "the file is too long");
    *count = (size_t)elements;
    return true;
}

static int64_t integer_at(const unsigned char *at, const Header *h)
{
    bool negative = h->has_sign && at[h->big_endian ? 0 : h->size - 1] >> 7;
    uint64_t bits = negative ? UINT64_MAX : 0;
    for (size_t i = 0; i < h->size; i++) bits = bits << 8 | at[h->big_endian ? i : h->size - 1 - i];
    if (negative) return -(int64_t)(UINT64_MAX - bits) - 1;
    return bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
}

// Byte stride of each axis.
static void find_strides(int64_t step[NPY_MOST_AXES], const Header *h, size_t count)
{
    int64_t running = (int64_t)h->size;
    if (count == 0) return;
    for (int i = 0; i < h->axes; i++) {
        int a = h->fortran ? i : h->axes - 1 - i; // from the axis that moves fastest in the file
        step[a] = running;
        running *= h->shape[a];
    }
}

// Visits the elements in C order and reads each at its position in the file, which may be in Fortran order.
static void read_numbers(void *to, Target target, size_t count, const unsigned char *from, const Header *h)
{
    int64_t index[NPY_MOST_AXES] = { 0 }, step[NPY_MOST_AXES] = { 0 }, offset = 0;
    find_strides(step, h, count);
    for (size_t i = 0; i < count; i++) {
        if (target == TO_F32) ((float *)to)[i] = dtype_read(from + offset, h->dtype, h->big_endian);
        if (target == TO_F64) ((double *)to)[i] = dtype_read_f64(from + offset, h->dtype, h->big_endian);
        if (target == TO_I64) ((int64_t *)to)[i] = integer_at(from + offset, h);
        for (int a = h->axes - 1; a >= 0; a--) {
            offset += step[a];
            if (++index[a] < h->shape[a]) break;
            offset -= step[a] * h->shape[a];
            index[a] = 0;
        }
    }
}

// Parses and checks everything before the numbers.
static bool parse_header(Reader *r, Header *h, size_t *count)
{
    return parse_start(r) && parse_dictionary(r, h) && check_size(r, h, count);
}

static bool parse_into(void **numbers, size_t *count, Header *h, Target target, Arena *arena, FileBytes file,
                       const char *name, Error *error)
{
    Reader r = { .arena = arena, .target = target, .file = file, .name = name, .error = error };
    if (!parse_header(&r, h, count)) return false;
    *numbers = arena_alloc(arena, *count * (target == TO_F32 ? sizeof(float) : 8));
    read_numbers(*numbers, target, *count, file.at + r.end, h);
    return true;
}

bool npy_look(NpyView *out, Arena *arena, FileBytes file, const char *name, Error *error)
{
    Reader r = { .arena = arena, .target = TO_F32, .file = file, .name = name, .error = error };
    Header h = { 0 };
    size_t count = 0;
    if (!parse_header(&r, &h, &count)) return false;
    *out = (NpyView){
        .axes = h.axes, .at = file.at + r.end, .count = count, .stored = h.dtype, .big_endian = h.big_endian
    };
    memcpy(out->shape, h.shape, sizeof h.shape);
    find_strides(out->step, &h, count);
    return true;
}

bool npy_parse(NpyArray *out, Arena *arena, FileBytes file, const char *name, Error *error)
{
    Header h = { 0 };
    void *numbers;
    size_t count = 0;
    if (!parse_into(&numbers, &count, &h, TO_F32, arena, file, name, error)) return false;
    *out = (NpyArray){ .axes = h.axes, .at = numbers, .count = count };
    memcpy(out->shape, h.shape, sizeof h.shape);
    return true;
}

bool npy_parse_f64(NpyDoubles *out, Arena *arena, FileBytes file, const char *name, Error *error)
{
    Header h = { 0 };
    void *numbers;
    size_t count = 0;
    if (!parse_into(&numbers, &count, &h, TO_F64, arena, file, name, error)) return false;
    *out = (NpyDoubles){ .axes = h.axes, .at = numbers, .count = count, .stored = h.dtype };
    memcpy(out->shape, h.shape, sizeof h.shape);
    return true;
}

bool npy_parse_i64(NpyIntegers *out, Arena *arena, FileBytes file, const char *name, Error *error)
{
    Header h = { 0 };
    void *numbers;
    size_t count = 0;
    if (!parse_into(&numbers, &count, &h, TO_I64, arena, file, name, error)) return false;
    *out = (NpyIntegers){ .axes = h.axes, .at = numbers, .count = count };
    memcpy(out->shape, h.shape, sizeof h.shape);
    return true;
}

// The file is read into a scratch arena, so that its bytes do not stay in memory next to the array.
bool npy_read(NpyArray *out, Arena *arena, const char *path, Error *error)
{
    Arena *scratch = arena_open();
    FileBytes file;
    bool ok = file_read(&file, scratch, path, error) && npy_parse(out, arena, file, path, error);
    arena_close(scratch);
    return ok;
}

bool npy_read_f64(NpyDoubles *out, Arena *arena, const char *path, Error *error)
{
    Arena *scratch = arena_open();
    FileBytes file;
    bool ok = file_read(&file, scratch, path, error) && npy_parse_f64(out, arena, file, path, error);
    arena_close(scratch);
    return ok;
}

bool npy_read_i64(NpyIntegers *out, Arena *arena, const char *path, Error *error)
{
    Arena *scratch = arena_open();
    FileBytes file;
    bool ok = file_read(&file, scratch, path, error) && npy_parse_i64(out, arena, file, path, error);
    arena_close(scratch);
    return ok;
}

bool npy_read_mat(Mat *out, Arena *arena, const char *path, Error *error)
{
    NpyArray array;
    if (!npy_read(&array, arena, path, error)) return false;
    if (array.axes != 2 || array.shape[0] > INT_MAX || array.shape[1] > INT_MAX)
        return error_set(error, "%s: found the shape %s, but a matrix has two axes of at most %d", path,
                         shape_text(arena, array.axes, array.shape), INT_MAX);
    *out = (Mat){ array.at, (int)array.shape[0], (int)array.shape[1], (int)array.shape[1] };
    return true;
}

// ---- writing

// `at` holds float32 or float64, depending on `dtype`.
static bool write_array(const char *path, const void *at, Dtype dtype, int axes, const int64_t *shape, Error *error)
{
    int64_t count;
    REQUIRE(axes >= 0 && axes <= NPY_MOST_AXES, "an array of %d axes; at most %d are written", axes, NPY_MOST_AXES);
    for (int a = 0; a < axes; a++) REQUIRE(shape[a] >= 0, "axis %d has the length %" PRId64, a, shape[a]);
    REQUIRE(shape_count(&count, axes, shape), "the shape does not fit into 63 bits");

    // 1. The header, padded so that the numbers are aligned to 64 bytes.
    Arena *scratch = arena_open();
    const char *header = arena_format(scratch, "{'descr': '<f%zu', 'fortran_order': False, 'shape': %s, }",
                                      dtype_size(dtype), shape_text(scratch, axes, shape));
    size_t start = (10 + strlen(header) + 1 + 63) / 64 * 64, size = start + (size_t)count * dtype_size(dtype);
    unsigned char *file = arena_alloc(scratch, size);
    memcpy(file, "\x93NUMPY\1\0", 8);
    file[8] = (unsigned char)(start - 10);
    file[9] = (unsigned char)((start - 10) >> 8);
    memset(file + 10, ' ', start - 10);
    memcpy(file + 10, header, strlen(header));
    file[start - 1] = '\n';

    // 2. The numbers.
    if (dtype == DTYPE_F32) dtype_write_f32(file + start, at, (size_t)count);
    else dtype_write_f64(file + start, at, (size_t)count);
    bool ok = file_write(path, file, size, error);
    arena_close(scratch);
    return ok;
}

bool npy_write(const char *path, const float *at, int axes, const int64_t *shape, Error *error)
{
    return write_array(path, at, DTYPE_F32, axes, shape, error);
}

bool npy_write_f64(const char *path, const double *at, int axes, const int64_t *shape, Error *error)
{
    return write_array(path, at, DTYPE_F64, axes, shape, error);
}

bool npy_write_mat(const char *path, Mat m, Error *error)
{
    Arena *scratch = arena_open();
    Mat packed = mat_copy(scratch, m); // the rows of a view need not be contiguous
    bool ok = npy_write(path, packed.at, 2, (int64_t[]){ m.rows, m.cols }, error);
    arena_close(scratch);
    return ok;
}
