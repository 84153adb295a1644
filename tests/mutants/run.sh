#!/bin/sh
# Puts every fault of tests/mutants/faults.txt into the library, one at a time, and demands that a test notices.
#
# From the Makefile's environment: BUILD, CC, CPPFLAGS, CFLAGS, LDFLAGS, LDLIBS; OBJECTS, the suites' object files;
# LIB, the library. The changed file is compiled alone and linked before LIB, which then keeps its own to itself. Of a
# changed header, every file of the library that includes it is compiled.
# Arguments: chapters, to try only their faults.
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
/^file lib\/.*\.[ch]$/ { file = $2; next }
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
    *.h) grep -lwF -- "$1" "$BUILD"/obj/lib/*/*.d | sed "s|^$BUILD/obj/||; s|\.d\$|.c|" ;;
    esac
}

# compile FOLDER FILE: with what has changed in FOLDER, which mirrors lib/, in the place of what stands in lib/.
compile()
{
    objects=
    for source in $(compiled "$2"); do
        object=$1/$(basename "$source" .c).o
        objects="$objects $object"
        [ "$source" = "$2" ] && source=$1/${2#lib/}
        $CC -I"$1" $CPPFLAGS $CFLAGS -w -c "$source" -o "$object" || return
    done
    [ -n "$objects" ]
}

# suite_of FILE: the suite that should notice first, if there is one: fast for fast.c, fast_body.h and fast_kinds.h.
suite_of()
{
    stem=$(basename "$1" | sed 's/\.[ch]$//')
    for name in "$stem" "${stem%%_*}"; do
        [ -f "tests/$(basename "$(dirname "$1")")/test_$name.c" ] && { echo "$name"; return; }
    done
}

# suites_of FILE: the names of the suites that test FILE's part of the library; the likeliest comes first.
suites_of()
{
    part=$(basename "$(dirname "$1")") own=$(suite_of "$1")
    [ -z "$own" ] || echo "$own"
    for f in tests/"$part"/test_*.c; do basename "$f" .c | sed 's/^test_//'; done | grep -vx "$own"
}

link() { $CC $CFLAGS $LDFLAGS "$@" $OBJECTS $LIB $LDLIBS; }

verdict() { printf '%-9s %s %s\n' "$1" "$2" "$3"; echo "$1" >> "$work/verdicts"; }

# try NUMBER CHAPTER FILE NAME
try()
{
    at=$work/$1
    mkdir -p "$at/$(dirname "${3#lib/}")"
    change "$1" "$3" > "$at/${3#lib/}" ||
        { verdict broken "$2" "$4: its old text does not stand exactly once in $3"; return; }
    compile "$at" "$3" > "$at/log" 2>&1 && link $objects -o "$at/suites" >> "$at/log" 2>&1 ||
        { verdict broken "$2" "$4: does not compile, see $at/log"; return; }
    # One suite at a time, the likeliest first: mostly the rest need not run.
    status=2
    for suite in $(suites_of "$3"); do
        $limit "$at/suites" "$suite" > "$at/log" 2>&1
        status=$?
        [ $status = 0 ] || break
    done
    case $status in
    0) verdict SURVIVED "$2" "$4" ;;
    2) verdict broken "$2" "$4: no suite ran, see $at/log" ;;
    124) verdict caught "$2" "$4 (does not end)" ;;
    *) verdict caught "$2" "$4" ;;
    esac
    rm -f "$at/suites"
}

# Without a fault everything must pass, or the rest would say nothing.
link -o "$work/clean" || exit 2
names=$(cut -f3 "$work/list" | sort -u | while read -r file; do suites_of "$file"; done | sort -u)
if "$work/clean" $names > "$work/clean.log" 2>&1; then
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
        while IFS='	' read -r number chapter file name; do
            case " ${*:-$chapter} " in *" $chapter "*) try "$number" "$chapter" "$file" "$name" ;; esac
        done &
    worker=$((worker + 1))
done
wait

tried=$(wc -l < "$work/verdicts")
caught=$(grep -c '^caught' "$work/verdicts")
echo "$((caught)) of $((tried)) planted faults caught"
[ "$tried" -gt 0 ] && [ "$caught" -eq "$tried" ]
