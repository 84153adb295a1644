// Stored numbers are put together byte by byte, so that the byte order of this machine does not matter.
#include "io/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

size_t stored_size(Stored as) { return as == STORED_F64 ? 8 : as == STORED_F32 ? 4 : 2; }

// What four bytes of a file are: a float, also where tests/support/double.h has made a double of every other one.
typedef __typeof__(0.0f) Single;

static float float_from_bits(uint32_t bits)
{
    Single value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// float16: 1 sign, 5 exponent (bias 15), 10 fraction bits. Exponent 0 means fraction · 2⁻²⁴, exponent 31 Inf or NaN.
static float float_from_f16(uint32_t bits)
{
    uint32_t sign = (bits >> 15) << 31, exponent = bits >> 10 & 0x1F, fraction = bits & 0x3FF;
    if (exponent == 0) return copysignf((float)fraction * 0x1p-24f, sign ? -1.0f : 1.0f);
    if (exponent == 31) return float_from_bits(sign | 0x7F800000u | fraction << 13);
    return float_from_bits(sign | (exponent + 127 - 15) << 23 | fraction << 13);
}

static double double_from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double stored_read_f64(const unsigned char *at, Stored as, bool big_endian)
{
    uint64_t bits = 0;
    size_t size = stored_size(as);
    for (size_t i = 0; i < size; i++) bits = bits << 8 | at[big_endian ? i : size - 1 - i];
    switch (as) {
    case STORED_F16:  return (double)float_from_f16((uint32_t)bits);
    case STORED_BF16: return (double)float_from_bits((uint32_t)bits << 16);    // the upper half of a float32
    case STORED_F32:  return (double)float_from_bits((uint32_t)bits);
    case STORED_F64:  return double_from_bits(bits);
    }
    return (double)NAN;
}

float stored_read(const unsigned char *at, Stored as, bool big_endian)
{
    return (float)stored_read_f64(at, as, big_endian);
}

void stored_write_f32(unsigned char *at, const float *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        Single value = (Single)from[i];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        for (int b = 0; b < 4; b++) *at++ = (unsigned char)(bits >> 8 * b);
    }
}

void stored_write_f64(unsigned char *at, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &from[i], sizeof bits);
        for (int b = 0; b < 8; b++) *at++ = (unsigned char)(bits >> 8 * b);
    }
}

bool shape_count(int64_t *count, int axes, const int64_t *shape)
{
    *count = 1;
    for (int a = 0; a < axes; a++)
        if (shape[a] == 0) *count = 0;
    for (int a = 0; a < axes && *count > 0; a++) {
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
