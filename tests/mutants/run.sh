#!/bin/sh
# Puts every fault of tests/mutants/faults.txt into the library or the viewer, one at a time, and demands that a test
# notices.
#
# From the Makefile's environment: BUILD, CC, CPPFLAGS, CFLAGS, LDFLAGS, LDLIBS; OBJECTS, the suites' object files;
# LIB, the library; OF_KINDS, what is compiled once for each of KINDS (without .c). The changed file is compiled alone
# and linked before LIB, which then keeps its own to itself. Of a changed header, the file of the same name, or the
# one that has a suite of its own, is compiled first, with that suite, which has the header's inline functions too, and
# only if the suite notices nothing, every other file of the library that includes it. The viewer is linked as object
# files: the changed one takes the place of its own.
# The kernels of chapter 16 and what they include are tried in the emulator: EMULATED, its object files, empty where
# there is no C++ compiler; CXX and EMULATE, which compile a kernel.
# SAMPLE=N tries N of the faults, those that SEED picks; without SEED the time does. Arguments: chapters, to try only
# their faults.
set -u
cd "$(dirname "$0")/../.." || exit 2

faults=tests/mutants/faults.txt
work=$BUILD/mutants
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
limit=
command -v timeout >/dev/null 2>&1 && limit='timeout 240'
rm -rf "$work" && mkdir -p "$work" || exit 2

# number<TAB>chapter<TAB>file<TAB>name, one line a fault; a fault without its parts ends the run.
awk -v OFS='\t' '
function refuse(why) { print FILENAME ":" FNR ": " why > "/dev/stderr"; exit bad = 1 }
function done() {
    if (n && (file == "" || !old || !new)) refuse("the fault \"" name "\" ends without a file, old or new line")
    if (n) print n, chapter, file, name
}
/^(#|$)/ { next }
/^fault [0-9][0-9] ./ { done(); n++; chapter = $2; name = substr($0, 10); file = ""; old = new = 0; next }
/^file (lib\/.*\.[ch]|viz\/.*\.c)$/ || /^file chapters\/16_cuda\/.*\.(h|cu|cpp)$/ { file = $2; next }
/^old ./ { old = 1; next }
/^new( |$)/ { new = 1; next }
{ refuse("\"" $0 "\" is none of fault, file, old, new") }
END { if (!bad) done(); exit bad }' $faults > "$work/list" || exit 2

# change NUMBER FILE: FILE with the fault in it; status 3 when the old text does not occur exactly once.
change()
{
    awk -v wanted="$1" '
    FNR == 1 { part++ }
    part == 1 && /^fault / { n++ }
    part == 1 && n == wanted && /^old / { old = old (olds++ ? "\n" : "") substr($0, 5) }
    part == 1 && n == wanted && /^new/ { new = new (news++ ? "\n" : "") substr($0, 5) }
    part == 2 { text = text $0 "\n" }
    END {
        at = index(text, old)
        if (!at || index(substr(text, at + 1), old)) exit 3
        printf "%s%s%s", substr(text, 1, at - 1), new, substr(text, at + length(old))
    }' $faults "$2"
}

# compiled FILE: the files of the library that are compiled anew when this one changes.
compiled()
{
    case $1 in
    *.c) echo "$1" ;;
    *.h) grep -lwF -- "$1" "$BUILD"/obj/lib/*/*.d |
        sed "s|^$BUILD/obj/||; s|\.neon\.d\$|.c|; s|\.[0-9]*\.d\$|.c|; s|\.d\$|.c|" | sort -u ;;
    esac
}

# The kernels of chapter 15 take seconds to compile, and their tests are not much slower without optimisation.
unoptimised=$(printf 'lib/attention/%s.c ' fast_kernel plain_c reordered)

# compile FOLDER FILE …: with what has changed in FOLDER, which mirrors lib/, in the place of what stands in lib/.
compile()
{
    at=$1
    shift
    for source; do
        object=$at/$(basename "$source" .c) level='' kinds=''
        case " $unoptimised " in *" $source "*) level=-O0 ;; esac
        case " $OF_KINDS " in *" ${source%.c} "*) kinds=$KINDS ;; esac
        [ -f "$at/${source#lib/}" ] && source=$at/${source#lib/}
        # shellcheck disable=SC2086
        for kind in ${kinds:-0}; do
            $CC -I"$at" $CPPFLAGS -Itests -I. $CFLAGS $level ${kinds:+-DKIND=$kind} -w -c "$source" \
                -o "$object.$kind.o" || return
        done
    done
}

# suite_of FILE: the suite that should notice first, if there is one: fast for fast.c, fast_kernel.c and fast_kernel.h,
# kernels for the other rungs.
suite_of()
{
    stem=$(basename "$1" | sed 's/\.[ch]$//')
    header=$(sed -n '/^#include "/{s|.*/\(.*\)\.h"|\1|p;q;}' "$1")
    case $stem in plain_c|reordered) header=kernels ;; esac
    for name in "$stem" "${stem%%_*}" "$header"; do
        [ -f "tests/$(basename "$(dirname "$1")")/test_$name.c" ] && { echo "$name"; return; }
    done
}

# suites_of FILE: the names of the suites that test FILE's part of the library, and, of a header, the parts that include
# it: the suites have its inline functions as they were. The likeliest comes first.
suites_of()
{
    own=$(suite_of "$1")
    [ -z "$own" ] || echo "$own"
    { echo "$1"; case $1 in *.h) compiled "$1" ;; esac; } | sed 's|^lib/||; s|^viz/web/|web/|; s|/[^/]*$||' |
        awk '!seen[$0]++' |
        while read -r part; do ls tests/"$part"/test_*.c; done | sed 's|.*/test_||; s|\.c$||' | grep -vx "$own"
}

# link FOLDER PROGRAM: of a suite that FOLDER has, that one; of the viewer and of the emulator, where it is theirs, that
# file: kernels have names that files of the library have, too.
# shellcheck disable=SC2086
link()
{
    kept=
    for object in $OBJECTS; do
        case $object in
        */test_*) [ ! -f "$1/$(basename "$object" .o).0.o" ] || continue ;;
        */obj/viz/*) stem=${object##*/obj/}; [ ! -f "$1/${stem%.o}.c" ] || continue ;;
        esac
        kept="$kept $object"
    done
    for object in $EMULATED; do
        stem=$(basename "$object" .o)
        [ -f "$1/$stem.cpp" ] && [ -f "$1/$stem.0.o" ] || kept="$kept $object"
    done
    $CC $CFLAGS $LDFLAGS "$1"/*.o $kept $LIB $LDLIBS -o "$2"
}

# until_failure PROGRAM SUITE LOG: the suite up to its first failure. Prints passes, fails, endless or none. A test that
# does not end is stopped by processor time, which the work of others does not use up, or, if it waits, by the clock.
until_failure()
{
    { (ulimit -t 30; CK_TAP_LOG_FILE_NAME=- exec $limit "$1" "$2" 2>&1); echo "status $?"; } |
        awk '{ print } /^not ok/ { exit }' > "$3"
    case $(tail -n 1 "$3") in
    'status 0') echo passes ;;
    'status 2') echo none ;;
    'status 124') echo endless ;;
    *) echo fails ;;
    esac
}

# noticed FOLDER SUITE …: links what is compiled in FOLDER, runs one suite after the other until one does not pass.
noticed()
{
    at=$1 said=passes
    shift
    link "$at" "$at/suites" > "$at/log" 2>&1 || { echo broken; return; }
    for suite; do
        said=$(until_failure "$at/suites" "$suite" "$at/log")
        [ "$said" = passes ] || break
    done
    echo "$said"
}

# outcome FOLDER FILE: what the tests say of the fault of FOLDER in FILE. The likeliest suite comes first, with the
# nearest file alone: mostly the rest, and what is compiled for it, need not be.
outcome()
{
    files=$(compiled "$2") own=$(suite_of "$2") nearest=${2%.[ch]}.c
    others=$(suites_of "$2")
    echo "$files" | grep -qx "$nearest" || nearest=$(dirname "$2")/$own.c
    if [ -n "$own" ] && echo "$files" | grep -qx "$nearest"; then
        tested=
        case $2 in *.h) tested=tests/$(basename "$(dirname "$2")")/test_$own.c ;; esac
        # shellcheck disable=SC2086
        compile "$1" "$nearest" $tested > "$1/log" 2>&1 || { echo broken; return; }
        said=$(noticed "$1" "$own")
        [ "$said" = passes ] || { echo "$said"; return; }
        files=$(echo "$files" | grep -vx "$nearest")
        [ -n "$files" ] || others=$(echo "$others" | grep -vx "$own")
    fi
    # shellcheck disable=SC2086
    compile "$1" $files > "$1/log" 2>&1 && noticed "$1" $others || echo broken
}

# emulated FILE: the sources of chapter 16 that this one changes, the likeliest first; of what else has changed the name
# says which kernel is meant.
emulated()
{
    case $1 in
    *.cu|*.cpp) echo "$1" ;;
    *) case $2 in hopper*) set hopper ;; decode*) set decode mma ;; *) set mma decode hopper ;; esac
        printf 'chapters/16_cuda/%s.cu\n' "$@" ;;
    esac
}

# outcome_emulated FOLDER FILE NAME: the suite of a header, then one kernel after the other, until a suite notices.
outcome_emulated()
{
    said=passes own=
    case $2 in *.h) own=$(suite_of "$2") ;; esac
    if [ -n "$own" ]; then
        compile "$1" "tests/$(basename "$(dirname "$2")")/test_$own.c" > "$1/log" 2>&1 || { echo broken; return; }
        said=$(noticed "$1" "$own")
        [ "$said" = passes ] || { echo "$said"; return; }
        rm -f "$1"/*.0.o
    fi
    for source in $(emulated "$2" "$3"); do
        stem=$(basename "${source%.*}") changed=$1/${source#lib/}
        [ -f "$changed" ] || changed=$source
        case $source in
        *.cu) sed -E -f chapters/16_cuda/emulator/cuda.sed "$changed" > "$1/$stem.cpp" ;;
        *) cp "$changed" "$1/$stem.cpp" ;;
        esac
        case $source in *.cu) hooks='-include runtime.h -O1' ;; *) hooks=-fno-sanitize=thread ;; esac
        # shellcheck disable=SC2086
        $CXX -I"$1" -I"$1/chapters/16_cuda" $EMULATE $hooks -c "$1/$stem.cpp" -o "$1/$stem.0.o" > "$1/log" 2>&1 ||
            { echo broken; return; }
        suites=cuda
        case $source in *.cpp) suites='emulator cuda' stem='' ;; esac
        # shellcheck disable=SC2086
        said=$(RUNG=$stem noticed "$1" $suites)
        [ "$said" = passes ] || break
        rm -f "$1"/*.0.o
    done
    echo "$said"
}

verdict() { printf '%-9s %s %s\n' "$1" "$2" "$3"; echo "$1" >> "$work/verdicts"; }

# try NUMBER CHAPTER FILE NAME
try()
{
    folder=$work/$1
    mkdir -p "$folder/$(dirname "${3#lib/}")"
    change "$1" "$3" > "$folder/${3#lib/}" ||
        { verdict broken "$2" "$4: its old text does not stand exactly once in $3"; return; }
    how=outcome
    case $3 in chapters/*|*/gpu_schedule.h) how=outcome_emulated ;; esac
    case $($how "$folder" "$3" "$4") in
    passes) verdict SURVIVED "$2" "$4" ;;
    fails) verdict caught "$2" "$4" ;;
    endless) verdict caught "$2" "$4 (does not end)" ;;
    none) verdict broken "$2" "$4: no suite ran, see $folder/log" ;;
    *) verdict broken "$2" "$4: does not compile, see $folder/log" ;;
    esac
    rm -f "$folder"/suites "$folder"/*.o
}

# Only the faults of these chapters, if any are named; SAMPLE of them in the order that SEED deals, or all.
if [ $# -gt 0 ]; then
    awk -F '\t' -v wanted=" $* " 'index(wanted, " " $2 " ")' "$work/list" > "$work/wanted"
    mv "$work/wanted" "$work/list"
    [ -s "$work/list" ] || { echo "there is no fault of chapter $*"; exit 1; }
fi
if [ -z "$EMULATED" ]; then
    grep -v '	chapters/\|/gpu_schedule.h	' "$work/list" > "$work/others"
    echo "left out: $(($(wc -l < "$work/list") - $(wc -l < "$work/others"))) faults of kernels, for want of g++"
    mv "$work/others" "$work/list"
fi
if [ -n "${SAMPLE:-}" ]; then
    all=$(wc -l < "$work/list")
    SEED=${SEED:-$(date +%s)}
    SEED=$SEED sh tests/picked.sh "$SAMPLE" < "$work/list" > "$work/sample" && mv "$work/sample" "$work/list"
    echo "a sample: $(wc -l < "$work/list") of $all faults, SEED=$SEED (make test-mutants without SAMPLE tries all)"
fi

# Without a fault their suites must pass, or the rest would say nothing; at the level of the faults, too. Of the longest
# loops a part will do.
mkdir "$work/plain"
compile "$work/plain" $unoptimised && link "$work/plain" "$work/clean" || exit 2
names=$(cut -f3 "$work/list" | sort -u | while read -r file; do
    case $file in chapters/*) echo emulator; echo cuda ;; */gpu_schedule.h) echo gpu_schedule; echo cuda ;;
        *) suites_of "$file" ;; esac
done | sort -u)
if echo "$names" | THIN=${THIN:-8} xargs -P "$jobs" -n 1 "$work/clean" > "$work/clean.log" 2>&1; then
    printf '%-9s    %s\n' clean "without a fault the suites pass"
else
    cat "$work/clean.log"
    echo "the suites fail without any fault"
    exit 1
fi

: > "$work/verdicts"
worker=0
while [ $worker -lt "$jobs" ]; do
    awk -v jobs="$jobs" -v mine=$worker 'NR % jobs == mine' "$work/list" |
        while IFS='	' read -r number chapter file name; do try "$number" "$chapter" "$file" "$name"; done &
    worker=$((worker + 1))
done
wait

tried=$(wc -l < "$work/verdicts")
caught=$(grep -c '^caught' "$work/verdicts")
echo "$((caught)) of $((tried)) planted faults caught"
[ "$tried" -gt 0 ] && [ "$caught" -eq "$tried" ]
