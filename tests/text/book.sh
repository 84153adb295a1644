#!/bin/sh
# A small book in a temporary folder, whose one chapter is a shell script: what the tests of the checks of text and of
# figures begin with (. book.sh BUILD) and, with finish, end.
# shellcheck shell=sh disable=SC2016
build=$(cd "$1" && pwd) || exit 2
text=$build/tests/text figures=$build/tests/figures pixel=$build/tests/pixel
for tool in "$text" "$figures" "$pixel"; do [ -x "$tool" ] || { echo "$0: there is no $tool"; exit 2; }; done
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0 what=''
self=$(basename "$0" .sh)

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "$self: $what: $*"; }
finish()
{
    echo "$self: $passed passed, $failed failed"
    [ $failed -eq 0 ]
}

# ---- the book

write_source()
{
    mkdir -p lib
    cat >lib/code.c <<'END'
// The file's header.
#include <stddef.h>

// Twice as much.
// In two lines of comment.
static float twice(float x)
{
    float result = 2.0f * x;
    return result;
}

typedef struct {
    int rows, cols;            // a shape
} Shape;

size_t one(void) { return 1; }
size_t two(void) { return one() + one(); }

float declared(float x);

// Over two lines.
float long_one(float first,
               float second)
{
    return twice(first) + second;
}

typedef struct {
    int made_by_a_macro;
} NAME(Made);

// Over two lines, too.
#define TWO_LINES(x) \
    ((x) + (x))

// One for each n.
template <int n>
static int times(int x)
{
    return n * x;
}

// A name that a macro makes others of.
static int NAME(made)(void)
{
    return NAME(other)(1);
}
END
}

write_program()
{
    mkdir -p programs
    cat >programs/03_fake <<'END'
#!/bin/sh
seed=0.25 figures=''
while [ $# -gt 0 ]; do
    case $1 in
    --seed) seed=0.$2 ; shift ;;
    --figures) figures=$2; shift ;;
    esac
    shift
done
printf 'Chapter 03. Fake\n\n1.  One\n\n    weights 0.330 and −0.670, seed %s\n\n    last\n\n' "$seed"
printf '2.  Two\n\n    12. indented\n    counted: 1,048,576 and 65536\n\n'
printf '3.  Three\n\n    1.5e-05\n\n2 claims, all true\n'
[ -z "$figures" ] || { mkdir -p "$figures" && cp drawn/* "$figures"; }
END
    chmod +x programs/03_fake
}

write_record()
{
    mkdir -p data/reference
    cat >data/reference/same_in_pytorch.txt <<'END'
# versions
=== 02_other
print("nothing")
---
0.123
=== 03_fake
t = load_file("03.safetensors")
print(t["weights"])
---
tensor([0.330, -0.670])
again 0.25
=== 04_last
END
}

write_readme()
{
    mkdir -p chapters/03_fake/figures
    {
        cat <<'END'
# 03. Fake

The weight is 0.330, the other −0.670. It took 1,048,576 steps, or 1048576, and 65,536 bytes.
Seed seven prints 0.7. See arXiv:1706.03762, §3.21 and `0.999`, and version 1.2.3 of 2017.
<!-- a comment may hold 0.888 and [nothing](nowhere.md) -->
A [link](../../lib/code.c), [another](https://example.org/0.123), ![a picture](figures/a.png).

```c lib/code.c twice Shape
```

```c lib/code.c times
```

```c
anything 0.777
```

```text 03_fake step 1
```

```text 03_fake step 2-3
```

```text 03_fake step 1 --seed 7
```

```python 03_fake
t = load_file("03.safetensors")
print(t["weights"])
```

```text pytorch 03_fake
```

END
        awk 'BEGIN { for (i = 0; i < 80; i++) print "Ten plain words of prose stand here to fill it." }'
    } >chapters/03_fake/README.md
    {
        printf '# Book\n\n[chapter](chapters/03_fake/README.md) costs 0.999.\n\n'
        printf '```c lib/code.c one two declared\n```\n\n```c lib/code.c Made TWO_LINES made\n```\n'
    } >README.md
}

run_text() { "$text" "$@" --chapters programs chapters/03_fake/*.md README.md >out 2>&1; }

new_book()
{
    what=$1
    cd "$tmp" || exit 2
    rm -rf book && mkdir book && cd book || exit 2
    write_source
    write_program
    write_record
    write_readme
    printf x >chapters/03_fake/figures/a.png
    run_text --update || fail "the book cannot be filled: $(cat out)"
}

readme=chapters/03_fake/README.md
edit() { sed "$2" "$1" >edited && cat edited >"$1"; }
