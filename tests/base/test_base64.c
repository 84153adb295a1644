// Base 64, by the examples of RFC 4648, section 10, and bytes that have their upper bit set.
#include "base/base64.h"
#include "support/suite.h"

#include <string.h>

TEST(letters_by_the_standard)
{
    // clang-format off
    static const struct {
        const char *bytes, *letters;
    } cases[] = {
        { "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" }, { "foob", "Zm9vYg==" },
        { "fooba", "Zm9vYmE=" }, { "foobar", "Zm9vYmFy" }, { "\xff\xfe\xfb", "//77" },
    };
    // clang-format on
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char letters[16] = "...............";
        size_t size = strlen(cases[c].bytes), length = base64_length(size);
        ck_assert_uint_eq(length, strlen(cases[c].letters));
        base64_write(letters, (const unsigned char *)cases[c].bytes, size);
        ck_assert_mem_eq(letters, cases[c].letters, length);
        ck_assert_int_eq(letters[length], '.');
    }
}
