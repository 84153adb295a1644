#!/bin/sh
# Tests of the checks of text and figures, on a small book in a temporary folder whose one chapter is a shell script.
# Every fault that is planted here must be found, at its line; what is no fault must not be.   test_text.sh BUILD
# shellcheck disable=SC2016
set -u
build=$(cd "$1" && pwd) || exit 2
text=$build/tests/text figures=$build/tests/figures pixel=$build/tests/pixel
for tool in "$text" "$figures" "$pixel"; do [ -x "$tool" ] || { echo "test_text: there is no $tool"; exit 2; }; done
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0 what=''

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "test_text: $what: $*"; }

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

```c
anything 0.777
```

```text 03_fake step 1
```

```text 03_fake step 2-3
```

```text 03_fake step 1 --seed 7
```

END
        awk 'BEGIN { for (i = 0; i < 80; i++) print "Ten plain words of prose stand here to fill it." }'
    } >chapters/03_fake/README.md
    {
        printf '# Book\n\n[chapter](chapters/03_fake/README.md) costs 0.999.\n\n'
        printf '```c lib/code.c one two declared\n```\n\n```c lib/code.c Made TWO_LINES made\n```\n'
    } >README.md
}

run_text() { "$text" "$@" --chapters programs chapters/03_fake/README.md README.md >out 2>&1; }

new_book()
{
    what=$1
    cd "$tmp" || exit 2
    rm -rf book && mkdir book && cd book || exit 2
    write_source
    write_program
    write_readme
    printf x >chapters/03_fake/figures/a.png
    run_text --update || fail "the book cannot be filled: $(cat out)"
}

readme=chapters/03_fake/README.md
edit() { sed "$2" "$1" >edited && cat edited >"$1"; }

content() { if run_text; then pass; else fail "a fault was found where none is: $(cat out)"; fi; }

# finds WORD …: the check fails, and says all of these words
finds()
{
    if run_text; then
        fail "not found"
        return
    fi
    for word; do
        if ! grep -qF -- "$word" out; then
            fail "\"$word\" was not said, but: $(cat out)"
            return
        fi
    done
    pass
}

line_of() { grep -nF -- "$1" "$readme" | head -n 1 | cut -d: -f1; }

# holds FILE LINE: the filled file has this line
holds() { if grep -qxF -- "$2" "$1"; then pass; else fail "no line \"$2\""; fi; }
holds_not() { if grep -qxF -- "$2" "$1"; then fail "there is a line \"$2\""; else pass; fi; }

# ---- filling

new_book 'what is filled in'
holds $readme '// In two lines of comment.'
holds $readme '    return result;'
holds $readme '    int rows, cols;            // a shape'
holds $readme '} Shape;'
holds $readme '    weights 0.330 and −0.670, seed 0.25'
holds $readme '    weights 0.330 and −0.670, seed 0.7'
holds $readme '2.  Two'
holds $readme '    1.5e-05'
holds $readme 'anything 0.777'
holds_not $readme '// The file'\''s header.'
holds_not $readme '2 claims, all true'
holds README.md 'size_t one(void) { return 1; }'
holds README.md 'size_t two(void) { return one() + one(); }'
holds README.md 'float declared(float x);'
holds_not README.md '// Over two lines.'
holds README.md '    int made_by_a_macro;'
holds README.md '} NAME(Made);'
holds README.md '// Over two lines, too.'
holds README.md '    ((x) + (x))'
holds README.md '// A name that a macro makes others of.'
holds README.md '    return NAME(other)(1);'
content
cp $readme before
run_text --update
if cmp -s $readme before && [ ! -s out ]; then pass; else fail "filling twice changes something: $(cat out)"; fi

# ---- faults in blocks

new_book 'a digit of a block'
edit $readme '/seed 0.7/s/0.330/0.331/'
finds "$readme:$(line_of 0.331)" 'expected:     weights 0.330' 'found:        weights 0.331'

new_book 'a character of the code'
edit $readme 's/2\.0f \* x/2.0f + x/'
finds "$readme:$(line_of '2.0f + x')" 'lib/code.c'

new_book 'a changed source'
edit lib/code.c 's/twice as much/three times as much/; s/2\.0f/3.0f/'
finds "$readme:$(line_of '2.0f * x')" '3.0f'

new_book 'a line too many in a block'
edit $readme 's/^    return result;/&\
    \/\/ more/'
finds "$readme:$(line_of '// more')"

new_book 'a line missing from a block'
edit $readme '/^    return result;/d'
finds "$readme" 'return result;'

new_book 'a function that does not exist'
edit $readme 's/^```c lib\/code.c twice/```c lib\/code.c thrice/'
finds "$readme:$(line_of 'thrice')" 'lib/code.c defines no thrice'

new_book 'a call is not a definition'
edit $readme 's/^```c lib\/code.c twice/```c lib\/code.c result/'
finds 'defines no result'

new_book 'a call of what a macro made is not a definition'
edit $readme 's/^```c lib\/code.c twice/```c lib\/code.c other/'
finds 'defines no other'

new_book 'a source that does not exist'
edit $readme 's/^```c lib\/code.c/```c lib\/none.c/'
finds "$readme:$(line_of 'lib/none.c')" 'lib/none.c'

new_book 'a step that does not exist'
edit $readme 's/^```text 03_fake step 2-3/```text 03_fake step 9/'
finds "$readme:$(line_of 'step 9')" 'no step 9'

new_book 'a program that does not exist'
edit $readme 's/^```text 03_fake step 2-3/```text 04_none step 2/'
finds "$readme:$(line_of '04_none')" 'programs/04_none'

new_book 'a program that fails'
edit programs/03_fake 's/^\[ -z .*/exit 1/'
finds 'ended with 1'

new_book 'a block that is never closed'
edit $readme '$s/$/\
```c/'
finds "$readme" 'never closed'

# ---- faults in sentences

new_book 'a digit of a sentence'
edit $readme '3s/0\.330/0.331/'
finds "$readme:3: 0.331"

new_book 'fewer digits than printed'
edit $readme '3s/0\.330/0.33/'
finds "$readme:3: 0.33 "

new_book 'a digit at the end of a sentence'
edit $readme '3s/−0\.670/−0.671/'
finds "$readme:3: 0.671"

new_book 'a large number'
edit $readme '3s/1,048,576/1,048,577/; 3s/65,536/65537/'
finds "$readme:3: 1,048,577" "$readme:3: 65537"

new_book 'the mantissa of another number'
edit $readme '3s/0\.330/1.5/'
finds "$readme:3: 1.5 "

new_book 'a number in a caption'
edit $readme 's/a picture/a picture of 0.444/'
finds "$readme:6: 0.444"

new_book 'a number of a run that the text no longer shows'
edit $readme '/--seed 7/,/^```$/d'
finds "$readme:4: 0.7"

# ---- links, length, width

new_book 'a dead link'
edit $readme 's/(..\/..\/lib\/code.c)/(..\/..\/lib\/nocode.c)/'
finds "$readme:6" '../../lib/nocode.c'

new_book 'a picture that is not there'
rm chapters/03_fake/figures/a.png
finds "$readme:6" figures/a.png

new_book 'a picture that is not shown'
printf x >chapters/03_fake/figures/b.png
finds figures/b.png

new_book 'a dead link in the book'
edit README.md 's/(chapters/(chapterz/'
finds README.md:3 'chapterz/03_fake'

new_book 'drift in the book'
edit README.md 's/return 1/return 2/'
finds README.md:6 'return 1'

new_book 'too short'
edit $readme '/^Ten plain words/d'
finds 'words; a chapter has'

new_book 'too long'
awk 'BEGIN { for (i = 0; i < 180; i++) print "Ten plain words of prose stand here to fill it." }' >>$readme
finds 'words; a chapter has'

new_book 'rather long'
awk 'BEGIN { for (i = 0; i < 110; i++) print "Ten plain words of prose stand here to fill it." }' >>$readme
if run_text && grep -q warning out; then pass; else fail "no warning: $(cat out)"; fi

new_book 'a wide line'
edit programs/03_fake 's/^\[ -z/printf "    %077d\\n" 0; &/'
run_text --update
finds '81 columns'

new_book 'eighty columns of two bytes each'
edit programs/03_fake "s/^\[ -z/echo '    $(awk 'BEGIN { for (i = 0; i < 76; i++) printf "é" }')'; &/"
run_text --update
content

# ---- figures

run_figures() { "$figures" programs chapters "$@" >out 2>&1; }
figures_content() { if run_figures; then pass; else fail "a fault was found where none is: $(cat out)"; fi; }
figures_find()
{
    if run_figures; then fail "not found"
    elif grep -qF -- "$1" out; then pass
    else fail "\"$1\" was not said, but: $(cat out)"
    fi
}

new_gallery()
{
    new_book "$1"
    rm chapters/03_fake/figures/a.png
    mkdir drawn
    "$pixel" new 40 20 drawn/a.png && "$pixel" change drawn/a.png drawn/b.png 1 1 90
    run_figures --update || fail "the figures cannot be refreshed: $(cat out)"
}
committed=chapters/03_fake/figures

"$pixel" new 1 1 "$tmp/try.png"
if [ $? -eq 77 ]; then
    echo "left out: tests of the check of figures, for want of stb"
elif run_figures --update; grep -q 'no font' out; then
    echo "left out: tests of the check of figures, for want of a font"
else
    new_gallery 'the same figures'
    if cmp -s drawn/a.png $committed/a.png && cmp -s drawn/b.png $committed/b.png; then pass; else fail 'not copied'; fi
    figures_content

    new_gallery 'one level'
    "$pixel" change drawn/a.png $committed/a.png 7 5 1
    figures_content

    new_gallery 'two levels'
    "$pixel" change drawn/a.png $committed/a.png 7 5 2
    figures_find "$committed/a.png differs from what the program draws in 1 of 800 pixels, most at x 7, y 5"

    new_gallery 'another size'
    "$pixel" new 41 20 $committed/a.png
    figures_find "$committed/a.png is 41 × 20 pixels"

    new_gallery 'a broken picture'
    echo broken >$committed/a.png
    figures_find "$committed/a.png"

    new_gallery 'a missing picture'
    rm $committed/b.png
    figures_find "$committed/b.png is missing"

    new_gallery 'a picture too many'
    cp $committed/a.png $committed/c.png
    figures_find "$committed/c.png is committed"
    run_figures --update
    figures_content

    new_gallery 'another font: pixels in a box of text'
    echo 'Some Other Font 1.0' >chapters/figures.font
    "$pixel" change drawn/a.png $committed/a.png 7 5 200
    echo '6 4 2 2' >drawn/a.png.text
    figures_content
    if grep -q 'left out: letters' out; then pass; else fail "it was not said: $(cat out)"; fi

    new_gallery 'another font: a pixel beside the box'
    echo 'Some Other Font 1.0' >chapters/figures.font
    "$pixel" change drawn/a.png $committed/a.png 8 5 200
    echo '6 4 2 2' >drawn/a.png.text
    figures_find 'at x 8, y 5'

    new_gallery 'the same font: boxes do not matter'
    "$pixel" change drawn/a.png $committed/a.png 7 5 200
    echo '6 4 2 2' >drawn/a.png.text
    figures_find 'at x 7, y 5'

    new_gallery 'no font named'
    rm chapters/figures.font
    figures_find chapters/figures.font

    new_gallery 'a program that cannot draw'
    edit programs/03_fake 's/^\[ -z .*/exit 1/'
    figures_find 'ended with 1'
fi

echo "test_text: $passed passed, $failed failed"
[ $failed -eq 0 ]
