// Numbers are assembled byte by byte, so the result does not depend on the byte order of this machine.
#include "base/dtype.h"

#include "base/half.h"
#include "base/portable_math.h"

#include <inttypes.h>
#include <string.h>

size_t dtype_size(Dtype dtype) { return dtype == DTYPE_F64 ? 8 : dtype == DTYPE_F32 ? 4 : 2; }

static double double_from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double dtype_read_f64(const unsigned char *at, Dtype dtype, bool big_endian)
{
    uint64_t bits = 0;
    size_t size = dtype_size(dtype);
    for (size_t i = 0; i < size; i++) bits = bits << 8 | at[big_endian ? i : size - 1 - i];
    switch (dtype) {
    case DTYPE_F16: return (double)half_float16((uint32_t)bits);
    case DTYPE_BF16: return (double)half_bfloat16((uint32_t)bits);
    case DTYPE_F32: return (double)half_float32((uint32_t)bits);
    case DTYPE_F64: return double_from_bits(bits);
    }
    return (double)NAN;
}

float dtype_read(const unsigned char *at, Dtype dtype, bool big_endian)
{
    return (float)dtype_read_f64(at, dtype, big_endian);
}

static bool machine_is_big_endian(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 0;
}

// Reads numbers in this machine's byte order. One loop for each type; `step` is a constant for contiguous numbers.
#define READ_NATIVE(Type, step, value_of) \
    for (size_t i = 0; i < count; i++) { \
        Type stored; \
        memcpy(&stored, from + (ptrdiff_t)i * (step), sizeof stored); \
        to[i] = (float)value_of(stored); \
    }

// Performance matters: the viewer reads whole attention maps of thousands of tokens through this.
void dtype_read_row(float *to, const unsigned char *from, ptrdiff_t step, size_t count, Dtype dtype, bool big_endian)
{
    bool native = big_endian == machine_is_big_endian(), contiguous = step == (ptrdiff_t)dtype_size(dtype);
    if (!native) {
        for (size_t i = 0; i < count; i++) to[i] = dtype_read(from + (ptrdiff_t)i * step, dtype, big_endian);
    } else if (dtype == DTYPE_F32 && contiguous && sizeof *to == sizeof(HalfFloat32)) {
        if (count) memcpy(to, from, count * sizeof *to);
    } else if (dtype == DTYPE_F32) {
        READ_NATIVE(HalfFloat32, step, )
    } else if (dtype == DTYPE_F64) {
        READ_NATIVE(double, step, )
    } else if (dtype == DTYPE_F16 && contiguous) {
        READ_NATIVE(uint16_t, 2, half_float16)
    } else if (dtype == DTYPE_F16) {
        READ_NATIVE(uint16_t, step, half_float16)
    } else {
        READ_NATIVE(uint16_t, step, half_bfloat16)
    }
}

void dtype_write_f32(unsigned char *at, const float *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        HalfFloat32 value = (HalfFloat32)from[i];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        for (int b = 0; b < 4; b++) *at++ = (unsigned char)(bits >> 8 * b);
    }
}

void dtype_write_f64(unsigned char *at, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &from[i], sizeof bits);
        for (int b = 0; b < 8; b++) *at++ = (unsigned char)(bits >> 8 * b);
    }
}

bool shape_count(int64_t *count, int axes, const int64_t *shape)
{
    *count = 0;
    for (int a = 0; a < axes; a++)
        if (shape[a] == 0) return true;
    *count = 1;
    for (int a = 0; a < axes; a++) {
        if (*count > INT64_MAX / shape[a]) return false;
        *count *= shape[a];
    }
    return true;
}

char *shape_text(Arena *arena, int axes, const int64_t *shape)
{
    char *text = arena_format(arena, "(");
    for (int a = 0; a < axes; a++) text = arena_format(arena, "%s%s%" PRId64, text, a ? ", " : "", shape[a]);
    return arena_format(arena, "%s%s)", text, axes == 1 ? "," : "");
}
