#!/bin/sh
# Tests of the check of figures: every planted fault must be found, and what is no fault must not be.
#
#   test_figures.sh BUILD
# shellcheck disable=SC2154
set -u
. "$(dirname "$0")/book.sh"

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

new_book 'a font'
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

finish
