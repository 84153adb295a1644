#!/bin/sh
# Compile time is held to a budget, as a multiple of what reference.c takes in the same minute, so that a slow or busy
# machine does not matter:
#
#   the first chapter     30 times: 12 s of processor time where reference.c takes 0.4 s. Every third of its files, by
#                         size, is compiled and stands for three.
#   any one file          20 times: 8 s there. Compiled is the one with most instructions of all that `make` compiles.
#
# From the Makefile (budget-check): MAKE, CC, BUILD.
set -u
cd "$(dirname "$0")/../.." || exit 2
case "$(echo "${MAKEFLAGS:-}" | cut -d " " -f 1)" in -*) ;; *n*) exit 0 ;; esac # make -n, which runs recursive lines
export CCACHE_DISABLE=1
place=$(mktemp -d) || exit 2
trap 'rm -rf "$place"' EXIT
chapter_most=30 file_most=20

# compile_times LIMIT: runs each command of stdin, into a file of its own, and prints the seconds of processor time that
# it takes; 1000 for one that fails, or is ended since it takes more than LIMIT.
compile_times()
{
    while read -r command; do
        (
            # shellcheck disable=SC3045
            ulimit -t "$1"
            eval "${command% -o *} -MF $place/d -o $place/o" >/dev/null 2>&1 || echo failed
            times
        ) | awk '/failed/ { failed = 1 }
            END { gsub(/[ms]/, " "); print failed ? 1000 : $1 * 60 + $2 + $3 * 60 + $4 }'
    done
}

# commands TARGET: how each object of it is compiled, the one with most instructions first
commands()
{
    $MAKE -n --always-make V=1 BUILD="$BUILD" "$1" 2>/dev/null | grep -E -- ' -c [^ ]+ -o [^ ]+\.o$' >"$place/commands"
    sed 's/.* //' "$place/commands" | xargs size 2>/dev/null |
        awk 'NR == FNR { text[$NF] = $1; next } $NF in text { print text[$NF], $0 }' - "$place/commands" |
        sort -rn | cut -d ' ' -f 2-
}

reference="$CC -std=c11 -O2 -g1 -MMD -c tests/build/reference.c -o reference.o"
unit=$(printf '%s\n' "$reference" "$reference" "$reference" | compile_times 60 | sort -n | head -n 1)
limit=$(awk -v unit="$unit" -v most=$file_most 'BEGIN { printf "%d", unit * most + 1 }')

commands "$BUILD/chapters/01_dot_product" >"$place/chapter"
chapter=$(awk 'NR % 3 == 2' "$place/chapter" | compile_times "$limit" | awk -v all="$(wc -l <"$place/chapter")" \
    '{ sum += $1 } END { if (NR) print sum / NR * all }')

commands all | head -n 1 >"$place/largest"
largest=$(compile_times "$limit" <"$place/largest")

# shellcheck disable=SC2016
awk -v unit="$unit" -v chapter="$chapter" -v chapter_most=$chapter_most -v files="$(wc -l <"$place/chapter")" \
    -v largest="$largest" -v file_most=$file_most -v name="$(sed 's/.* //' "$place/largest")" 'BEGIN {
        printf "compile time, in units of %.2f s: the first chapter %.1f of %d (%d files), one file %s of %d (%s)\n", \
            unit, chapter / unit, chapter_most, files, \
            largest < 1000 ? sprintf("%.1f", largest / unit) : "more than " file_most, file_most, name
        exit chapter > chapter_most * unit || largest > file_most * unit || files < 10 || !largest
    }'
