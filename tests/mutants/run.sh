#!/bin/sh
# Do the tests notice a wrong library? Compiles one changed file at a time, links it before the archive with the suites
# of its folder, and runs them up to the first failure.
#
#   run.sh patches [N|NAME …] patches of tests/mutants/patches: the suite that the head of each names must fail
#   run.sh mutants FILE …     mutants of these files or folders (mutate.c); prints those that survive, and the share
#                             that is killed, by folder. Fails when it is below LEAST percent.
#
# The suites of lib/X/f.c are tests/X/test_*.c, those of viz/f.c are tests/viz/test_*.c; test_f.c comes first.
#
# Results: killed, survived, equivalent (the object file is the same), "no program" (does not compile or link). Only
# the first two count. SAMPLE=N: N of the mutants, picked by SEED, or else by the time.
#
# From the Makefile: MAKE, BUILD, CC, CXX, CFLAGS, LDFLAGS, LDLIBS; SUPPORT, VIZ and EMULATED, object files that suites
# need; LIB, the library.
# shellcheck disable=SC2012,SC2046,SC2086,SC2094,SC2153,SC3045
set -u
cd "$(dirname "$0")/../.." || exit 2
work=${WORK:-$BUILD/mutants} mutate=$BUILD/tests/mutate known=tests/mutants/equivalent.tsv

# ---- one change, in a process of its own: run.sh one NAME FILE HOW …, where `mutate HOW …` writes the changed text

# object_of FILE: its object. Of a kernel that is compiled once per instruction set the widest that this processor runs.
object_of()
{
    case $1 in
    *.cu) echo "$BUILD/emulated/$(basename "$1" .cu).o" ;;
    *) for isa in '' .neon .avx512 .avx2 .generic; do
        [ "$isa" != .avx512 ] || grep -qw avx512f /proc/cpuinfo 2>/dev/null || continue
        [ ! -f "$BUILD/obj/${1%.c}$isa.o" ] || { echo "$BUILD/obj/${1%.c}$isa.o"; return; }
    done ;;
    esac
}

folder_of() { case $1 in chapters/*) echo cuda ;; *) dirname "$1" | sed 's|^lib/||; s|^viz/||' ;; esac; }

# suites_of FILE: the suites of its folder. The likeliest comes first: the file's own, that of its name up to the first
# _, or that of the header that it includes first.
suites_of()
{
    stem=$(basename "${1%.*}") own=
    header=$(sed -n '/^#include "/{s|.*/\(.*\)\.h"|\1|p;q;}' "$1")
    for name in "$header" "${stem%%_*}" "$stem"; do
        [ ! -f "tests/$(folder_of "$1")/test_$name.c" ] || own=$name
    done
    echo $own
    ls tests/"$(folder_of "$1")"/test_*.c | sed 's|.*/test_||; s|\.c$||' | grep -vx -- "$own"
}

# compile FILE OBJECT: what comes in, as the Makefile compiles FILE. Kernels take seconds at -O3, and their tests are
# not much slower at -O1.
compile()
{
    from="#line 1 \"$1\"" language=c level=
    case $1 in *.cu) language=c++ ;; lib/kernels/*) level=-O1 ;; esac
    line=$(grep -F -- " -o $(object_of "$1")" "$work/commands" | head -n 1 |
        sed 's/ -MMD.*//; s/ -g\(dwarf-4\)\{0,1\} / /; s/ -Werror / /')
    { echo "$from"; case $1 in *.cu) sed -E -f chapters/16_cuda/emulator/cuda.sed ;; *) cat ;; esac; } |
        eval "$line" $level -g0 -Werror=implicit-function-declaration -Werror=incompatible-pointer-types \
            -Werror=int-conversion -iquote "$(dirname "$1")" -x $language -c - -o "$2"
}

# link FOLDER PROGRAM OBJECT ORIGINAL: the suites of tests/FOLDER with OBJECT in the place of ORIGINAL
link()
{
    objects= support=$(printf '%s\n' $SUPPORT | grep -v '/support/viewer\.o$')
    case $1 in viz | web) objects=$VIZ support=$SUPPORT ;; cuda) objects=$EMULATED ;; esac
    suites=$(ls tests/"$1"/test_*.c | sed "s|\(.*\)\.c|$BUILD/obj/\1.o|")
    objects=$(printf '%s\n' $support $objects $suites | grep -vxF -- "$4")
    $CC $CFLAGS $LDFLAGS -Wl,-s "$work/run.$1.o" $3 $objects $LIB $LDLIBS -o "$2"
}

# until_failure PROGRAM SUITE LOG: runs the suite up to its first failure. A loop that does not end is stopped by
# processor time; a test that waits, by the clock.
until_failure()
{
    { (ulimit -t 30; ulimit -v 8000000 2>/dev/null; ulimit -f 12000000 # the last: 6 GB, in blocks of 512 bytes
       CK_DEFAULT_TIMEOUT=40 CK_TAP_LOG_FILE_NAME=- THIN=${THIN:-8} timeout 240 "$1" "$2" 2>&1)
      echo "status $?"; } | awk '{ print } /^not ok/ { exit }' >"$3"
    [ "$(tail -n 1 "$3")" = 'status 0' ]
}

# fails_by_itself FOLDER SUITE: does it fail without a change, too? Each is tried once.
fails_by_itself()
{
    clean=$work/clean.$1
    [ -f "$clean.$2" ] || until_failure "$clean" "$2" "$clean.$2.log" && : >>"$clean.$2"
    [ ! -f "$clean.$2" ]
}

# verdict FILE HOW …
verdict()
{
    file=$1 folder=$(folder_of "$1") object=$(object_of "$1")
    shift
    [ -n "$object" ] || { echo 'no program'; return; }
    { "$mutate" "$@" >"$at/text" && compile "$file" "$at/new.o" <"$at/text" &&
        link "$folder" "$at/suites" "$at/new.o" "$object"; } >"$at/log" 2>&1 || { echo 'no program'; return; }
    tried=0
    for suite in ${suite:-$(suites_of "$file")}; do
        if ! until_failure "$at/suites" "$suite" "$at/log"; then
            if fails_by_itself "$folder" "$suite"; then echo "$suite fails without a change"; else echo killed; fi
            return
        fi
        tried=$((tried + 1))
        if [ $tried -eq 1 ] && [ "$1" = write ]; then
            "$mutate" write "$file" 0 | compile "$file" "$at/old.o" 2>/dev/null
            if cmp -s "$at/old.o" "$at/new.o"; then echo equivalent; return; fi
        fi
    done
    echo survived
}

if [ "${1:-}" = one ]; then
    name=$2 file=$3 suite=${suite:-}
    shift 3
    # A race shows in some orders of the threads only: none of them is left out.
    case $file in *.cu) RUNG=$(basename "$file" .cu) THIN=1 && export RUNG THIN ;; esac
    at=$(mktemp -d "$work/XXXXXX") && chmod 755 "$at" && mkdir -m 1777 "$at/tmp" || exit 2
    case $1 in
    patch) suite=$(sed -n 's/^suite: //p' "$3") ;;
    esac
    said=$(TMPDIR=$PWD/$at/tmp verdict "$file" "$@")
    printf '%s\t%s\t%s\n' "$said" "$(dirname "$file")" "$name" >>"$work/verdicts"
    case $said in killed | equivalent) ;; 'no program') [ "$1" = write ] || echo "$said  $name" ;; *) printf '%-11s %s\n' "$said" "$name" ;; esac
    rm -rf "$at"
    exit 0
fi

# ---- all of them

# prepare FILE …: how each is compiled, and the suites of their folders without a change
prepare()
{
    objects=$(for file; do object_of "$file"; done)
    MAKEFLAGS=$(echo "${MAKEFLAGS:-}" | sed 's/ -j[0-9]*//; s/ --jobserver[^ ]*//g')
    "$MAKE" -B -n V=1 $objects | grep -- ' -c ' >"$work/commands"
    for folder in $(for file; do folder_of "$file"; done | sort -u); do
        mkdir -p "$work/include.$folder"
        sed -n 's/^Suite \*\([a-z0-9_]*_suite\)(void)$/SUITE(\1)/p' tests/"$folder"/test_*.c \
            >"$work/include.$folder/suites.inc"
        $CC -std=c11 -D_POSIX_C_SOURCE=200809L -I"$work/include.$folder" -Ilib -Itests -I. -c tests/run.c -o "$work/run.$folder.o" &&
            link "$folder" "$work/clean.$folder" '' '' || exit 2
    done
}

what=$1
shift
rm -rf "$work" && mkdir -p "$work" || exit 2
: >"$work/verdicts"
SEED=${SEED:-$(date +%s)} jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
case $what in
patches)
    case ${1:-} in [0-9]*) SAMPLE=$1; shift ;; esac
    [ $# -gt 0 ] || set -- $(ls tests/mutants/patches/*.patch | sed 's|.*/||; s|\.patch$||')
    all=$#
    for name; do
        patch=tests/mutants/patches/$name.patch
        file=$(sed -n 's|^+++ b/||p' "$patch")
        case $file in *.cu) [ -n "$EMULATED" ] || continue ;; esac
        printf '%s\t%s\tpatch\t%s\t%s\n' "$name" "$file" "$file" "$patch"
    done | if [ -n "${SAMPLE:-}" ]; then SEED=$SEED sh tests/sample.sh "$SAMPLE"; else cat; fi >"$work/list" ;;
mutants)
    set -- $(for path; do if [ -d "$path" ]; then ls "${path%/}"/*.c; else echo "$path"; fi; done |
        grep -v '/main\.c$' | while read -r file; do
            [ -z "$(object_of "$file")" ] || ! ls tests/"$(folder_of "$file")"/test_*.c >/dev/null 2>&1 || echo "$file"
        done)
    "$mutate" list $known 0 0 "$@" >"$work/all" && "$mutate" list $known "${SAMPLE:-0}" "$SEED" "$@" >"$work/picked" ||
        exit 2
    all=$(wc -l <"$work/all")
    awk -F '\t' -v OFS='\t' '{ print $1 ":" $3 ": mutant " $2 ": " $4 "   in   " $5, $1, "write", $1, $2 }' \
        "$work/picked" >"$work/list" ;;
esac
echo "$what: $(wc -l <"$work/list") of $all${SAMPLE:+, SEED=$SEED}"
# shellcheck disable=SC2046
prepare $(cut -f 2 "$work/list" | sort -u)
tr '\t\n' '\0\0' <"$work/list" | xargs -0 -n 5 -P "$jobs" sh tests/mutants/run.sh one

awk -F '\t' -v least="${LEAST:-0}" -v what="$what" '
function line(name, k, s, e, n)
{
    printf "%-16s %5d killed %5d survived %5s %5d equivalent %5d no program\n", name, k, s,
        k + s ? sprintf("%.0f %%", 100 * k / (k + s)) : "", e, n | "sort"
}
{ n[$2]++; how[$1 "\t" $2]++; total[$1]++ }
$1 !~ /^(killed|survived|equivalent|no program)$/ { bad = 1 }
END {
    for (folder in n)
        line(folder, how["killed\t" folder], how["survived\t" folder], how["equivalent\t" folder],
            how["no program\t" folder])
    close("sort")
    line("all", total["killed"], total["survived"], total["equivalent"], total["no program"])
    counted = total["killed"] + total["survived"]
    if (what == "patches") exit bad || total["killed"] != NR
    exit bad || !counted || 100 * total["killed"] < least * counted
}' "$work/verdicts"
