#!/bin/sh
# The letters of the pages: fonts.sh SERIF MONO WORK > fonts.css. SERIF and MONO are the folders of Gentium Book Plus
# and of DejaVu Sans Mono; of each face is kept what the book's texts have, and Latin, Greek, arrows and lines besides.
# Both licences ask that what is cut down goes by another name.
set -eu
serif=$1 mono=$2 work=$3
face() {
    hb-subset --text-file="$work/letters.txt" --unicodes="$4" --layout-features=kern,liga,onum,lnum,tnum,ccmp,mark \
        --name-IDs=0,13,14 --output-file="$work/face.ttf" "$3"
    woff2_compress "$work/face.ttf" >/dev/null 2>&1
    printf '@font-face{font-family:"%s";%s;font-display:swap;src:url("data:font/woff2;base64,%s")}\n' "$1" "$2" \
        "$(base64 "$work/face.woff2" | tr -d '\n')"
    rm "$work/face.ttf" "$work/face.woff2"
}
cat README.md chapters/*/*.md viz/README.md data/*/README.md lib/README.md > "$work/letters.txt"
text=20-7e,a0-ff,131,152-153,391-3c9,2013-2014,2018-201e,2020-2022,2026,2190-2193,2212
drawn=20-7e,a0-ff,391-3c9,2013-2014,2018-201e,2022,2026,2190-2193,2212,221a,221e,2248,2260,2264-2265,2500-25ff,2713-2717
face "Book Serif" font-weight:400 "$serif/GentiumBookPlus-Regular.ttf" $text
face "Book Serif" "font-weight:400;font-style:italic" "$serif/GentiumBookPlus-Italic.ttf" $text
face "Book Serif" font-weight:700 "$serif/GentiumBookPlus-Bold.ttf" $text
face "Book Mono" font-weight:400 "$mono/DejaVuSansMono.ttf" $drawn
