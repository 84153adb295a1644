#!/bin/sh
# Tests of the check of text: every fault that is planted in a small book must be found, at its line; what is no fault
# must not be.   test_text.sh BUILD
# shellcheck disable=SC2016,SC2154
set -u
. "$(dirname "$0")/book.sh"

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
holds $readme '// One for each n.'
holds $readme 'template <int n>'
holds $readme '    weights 0.330 and −0.670, seed 0.25'
holds $readme '    weights 0.330 and −0.670, seed 0.7'
holds $readme '2.  Two'
holds $readme '    1.5e-05'
holds $readme 'anything 0.777'
holds $readme 'tensor([0.330, -0.670])'
holds $readme 'again 0.25'
holds_not $readme '0.123'
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

# ---- faults in what PyTorch was given and what it printed

new_book 'Python that was not run so'
edit $readme 's/^print(t\[/print(2 * t[/'
finds "$readme:$(line_of 'print(2 * t')" 'not what was run'

new_book 'a line of Python too many'
edit $readme 's/^print(t\[.*/&\
x = 1/'
finds "$readme:$(line_of 'x = 1')" 'not what was run'

new_book 'Python that was never run'
edit $readme 's/^```python 03_fake/```python 05_fake/'
finds "$readme:$(line_of '05_fake')" 'the block of 05_fake was never run'

new_book 'another output of PyTorch'
edit $readme 's/^again 0.25/again 0.26/'
finds "$readme:$(line_of 'again 0.26')" 'expected: again 0.25'

new_book 'a number of PyTorch that the chapter does not print'
edit data/reference/same_in_pytorch.txt 's/^again 0.25/again 0.24/'
run_text --update
finds "$readme:$(line_of 'again 0.24')" 'PyTorch printed 0.24, and 03_fake does not'

new_book 'no record'
rm data/reference/same_in_pytorch.txt
finds 'same_in_pytorch.txt'

# ---- answers

new_book 'answers are short and show no figures'
printf '# Answers\n\nThe weight is 0.330.\n' >chapters/03_fake/ANSWERS.md
content

new_book 'a number of an answer'
printf '# Answers\n\nThe weight is 0.331.\n' >chapters/03_fake/ANSWERS.md
finds 'chapters/03_fake/ANSWERS.md:3: 0.331'

# ---- a further page

more=chapters/03_fake/MORE.md
new_page()
{
    new_book "$1"
    edit $readme '3s/^/[More](MORE.md). /'
    {
        printf '# More\n\nThe weight of [the chapter](README.md) is 0.330.\n![b](figures/b.png)\n\n'
        printf '```text 03_fake step 3\n```\n\n'
        awk 'BEGIN { for (i = 0; i < 30; i++) print "Ten plain words of prose stand here to fill it." }'
    } >$more
    printf x >chapters/03_fake/figures/b.png
    run_text --update || fail "the page cannot be filled: $(cat out)"
}

new_page 'a page shows a step and a figure'
holds $more '    1.5e-05'
content

new_page 'a digit of a page'
edit $more '3s/0\.330/0.331/'
finds "$more:3: 0.331"

new_page 'a block of a page has drifted'
edit $more 's/1\.5e-05/1.5e-06/'
finds "$more" 'expected:     1.5e-05'

new_page 'a page that nobody is led to'
edit $readme '3s/^\[More\](MORE.md)\. //'
finds "$readme:1: no link leads to the page $more"

new_page 'a page that does not lead back'
edit $more '3s/(README.md)/(..\/..\/README.md)/'
finds "$more:1: no link leads back"

new_page 'a picture that neither shows'
edit $more '/figures\/b.png/d'
finds "$readme:1" 'figures/b.png is shown nowhere'

new_page 'a page that is too short'
edit $more '/^Ten plain words/d'
finds "$more:1:" 'words; a further page'

new_page 'a page that is too long'
awk 'BEGIN { for (i = 0; i < 100; i++) print "Ten plain words of prose stand here to fill it." }' >>$more
finds "$more:1:" 'words; a further page'

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

finish
