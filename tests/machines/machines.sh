#!/bin/sh
# The book on machines that are not at hand: built for each, run in an emulator, and held to what it prints here.
#
#   machines.sh BUILD [MACHINE …]      as in: machines.sh build arm64 s390x
#   machines.sh packages MACHINE …     Debian's packages that these take; check:arm64 is Check for another processor
#
# arm64        64-bit ARM by gcc: suites, the kernels for NEON among them, and chapters
# arm64-clang  the same by clang: chapters
# s390x        numbers whose first byte is the largest: suites of files, figures and published models, and chapters
# musl         another C library: chapters
# i686         32 bits: refused in one sentence where floats are more than float32; else chapters
# windows      mingw-w64 under wine: chapters
#
# A chapter must print the same, to the byte, draw the same figures and dump the same file as BUILD's own, but for the
# last bits of chapter 15's (same_dumps). What takes long is given less to do. Suites are those of a machine's list,
# where its Check is; THIN=8 takes one in eight cases of the longest loops. To try less: SOME=N chapters, those that
# SEED picks, or 0; CHAPTERS and SUITES, by name. Then compiled is only what these take.
# What is missing is said and left out. Binaries are static: it takes a compiler and an emulator, no system of theirs.
set -u

cd "$(dirname "$0")/../.." || exit 2
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
passed=0 failed=0 left=0

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "$machine: $*"; }
leave_out() { left=$((left + 1)); echo "left out: $machine, for want of $*"; }

# known MACHINE: sets cc, cxx, the emulator, the suites that are run, and the packages that it takes.
known()
{
    machine=$1 cxx=false emulator='' suites=''
    case $1 in
    arm64)
        cc=aarch64-linux-gnu-gcc cxx=aarch64-linux-gnu-g++ emulator=qemu-aarch64 suites=$(every_suite)
        packages='g++-aarch64-linux-gnu qemu-user check:arm64' ;;
    arm64-clang)
        cc='clang --target=aarch64-linux-gnu' emulator=qemu-aarch64
        packages='clang g++-aarch64-linux-gnu qemu-user' ;;
    s390x)
        cc=s390x-linux-gnu-gcc emulator=qemu-s390x
        packages='gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user check:s390x'
        suites=$(ls tests/io/test_*.c tests/figure/test_*.c tests/base/test_*.c tests/kernels/test_weight.c \
            tests/model/test_family.c tests/model/test_published*.c tests/tokenizer/test_tokenizer.c) ;;
    musl) cc=musl-gcc packages=musl-tools ;;
    i686) cc='i686-linux-gnu-gcc -msse2 -mfpmath=sse' packages='gcc-i686-linux-gnu libc6-dev-i386-cross' ;;
    windows)
        cc=x86_64-w64-mingw32-gcc packages='gcc-mingw-w64-x86-64 wine wine64'
        emulator='env MANYHEADS_FONTS=/usr/share/fonts/truetype/dejavu wine'
        export WINEPREFIX="$work/wine" WINEDEBUG=-all ;;
    *)
        echo "machines.sh: there is no machine $1; there are arm64, arm64-clang, s390x, musl, i686, windows" >&2
        exit 2 ;;
    esac
    if [ -n "${SUITES:-}" ] && [ -n "$suites" ]; then
        suites=$(for name in $SUITES; do ls tests/*/test_"$name".c; done)
        # A part is made without C++, where chapter 16 is not in it: with it all would be compiled anew.
        case ${CHAPTERS:-} in '' | *16_*) ;; *) cxx=false ;; esac
    fi
}

every_suite() { ls tests/*/test_*.c; }

# links SOURCE FLAG …: can this machine's compiler make a program of it, and can the program be run? Windows wants .exe.
links()
{
    printf '%b' "$1" >"$folder/try.c"
    shift
    # shellcheck disable=SC2086
    $cc -static "$folder/try.c" "$@" -o "$folder/try.exe" 2>/dev/null && $emulator "$folder/try.exe" 2>/dev/null
}

made()
{
    MAKEFLAGS='' make -j"$jobs" CC="$cc" CXX="$cxx" LDFLAGS=-static MPI=no SHAPING=no SANITIZE='' DEBUG='' \
        BUILD="$folder" "$@" >"$folder/make.log" 2>&1 && return
    fail "make failed: $(grep -m 1 -E 'error:|undefined|\*\*\*' "$folder/make.log")"
    return 1
}

# How a chapter is given less to do, on both sides: numbers are drawn and sentences tried in software here.
less_work() { case $1 in 03_*) echo --draws 300 ;; 09_*) echo --train 20 ;; 10_*) echo --sentences 100 ;;
    17_*) echo --documents 1 ;; 18_*) echo --tokens 400 ;; 21_*) echo --documents 1 ;; esac; }

# told CHAPTER PROGRAM …: what it prints, draws and dumps, in the folder where this is called
told()
{
    chapter=$1
    shift
    # shellcheck disable=SC2046
    "$@" --color never $(less_work "$chapter") --figures figures --dump dump.safetensors >out 2>err </dev/null
    echo "exit $?" >>out
}

# here CHAPTER: the same by this machine's own program, once for all machines
here()
{
    own=$work/here/$1
    [ "$own/out" -nt "$build/chapters/$1" ] && return
    rm -rf "$own" && mkdir -p "$own" && (cd "$own" && told "$1" "$build/chapters/$1")
}

# same_dumps CHAPTER: to the byte. Sums of chapter 15 have as many parts as a vector has numbers, and their last bits
# with them: on another processor than this one they may differ by rounding, 1e-6 of the tensor's largest.
same_dumps()
{
    dump=$work/here/$1/dump.safetensors
    cmp "$dump" "$there/dump.safetensors" && return
    case $machine$1 in
    musl* | windows*) return 1 ;;
    *15_*) "$build/tests/cli_probe" near 1e-6 "$dump" "$there/dump.safetensors" ;;
    *) return 1 ;;
    esac
}

same_as_here()
{
    there=$folder/told/$1
    here "$1"
    rm -rf "$there" && mkdir -p "$there"
    # shellcheck disable=SC2086
    (cd "$there" && told "$1" $emulator "$folder/chapters/$1")
    if ! cmp -s "$work/here/$1/out" "$there/out"; then
        fail "$1 prints something else:"
        diff "$work/here/$1/out" "$there/out" | sed -n '1,8s/^/    /p'
    elif ! { diff -r -x dump.safetensors "$work/here/$1" "$there" && same_dumps "$1"; } >"$folder/diff"; then
        fail "$1: $(tail -n 1 "$folder/diff")"
    else pass
    fi
}

# Chapter 16's emulator needs C++; only arm64 has it here.
chapters_tried()
{
    for chapter in ${CHAPTERS:-$(cd chapters && ls -d [0-9]*)}; do
        case $cxx$chapter in false16_*) continue ;; esac
        echo "$chapter"
    done | if [ -n "${SOME:-}" ]; then sh tests/sample.sh "$SOME" | sort; else cat; fi
}

run_chapters()
{
    tried=$(chapters_tried)
    [ -n "$tried" ] || return
    # shellcheck disable=SC2046
    made $(for chapter in $tried; do echo "$folder/chapters/$chapter"; done) || return
    for chapter in $tried; do same_as_here "$chapter"; done
}

# The program is made of these suites alone; a failure names the suite.
run_suites()
{
    [ -n "$suites" ] || return
    if ! links '#include <check.h>\nint main(void) { return !srunner_create(suite_create("")); }\n' \
        -idirafter /usr/include -lcheck -lsubunit -lm -lpthread -lrt; then
        echo "left out: $machine's suites, for want of Check ($packages)"
        return
    fi
    made SUITES="$(echo "$suites" | paste -sd ' ')" "$folder/tests/suites" || return
    for suite in $(echo "$suites" | sed 's|.*/test_||; s|\.c$||'); do
        if CK_TIMEOUT_MULTIPLIER=10 $emulator "$folder/tests/suites" "$suite" >"$folder/suite.log" 2>&1; then pass
        else fail "suite $suite: $(grep -m 1 -E ':[FE]:' "$folder/suite.log")"
        fi
    done
}

# Where floats are kept in 80 bits, the first file that is compiled says what is needed.
refuses_80_bits()
{
    said=$(${cc%% *} -std=c11 -D_POSIX_C_SOURCE=200809L -Ilib -c lib/base/mat.c -o "$folder/mat.o" 2>&1) &&
        { fail "x87 was not refused"; return; }
    if [ "$(echo "$said" | grep -c 'error:')" -eq 1 ] && echo "$said" | grep -q -- '-msse2 -mfpmath=sse'; then pass
    else fail "x87 is not refused in one sentence: $said"
    fi
}

work=
if [ "$1" = packages ]; then
    shift
    for name; do known "$name" && echo "$packages"; done
    exit
fi
build=$(cd "$1" && pwd) || exit 2
work=$build/machines
shift
[ $# -gt 0 ] || set -- i686 musl windows s390x arm64-clang arm64
for name; do
    known "$name"
    folder=$work/$name before=$failed
    mkdir -p "$folder/include"
    # stb is found beside the headers of this machine's own C library, where these compilers do not look.
    case $name in
    musl | windows) [ ! -d /usr/include/stb ] || ln -sfn /usr/include/stb "$folder/include/stb" ;;
    esac
    export CPPFLAGS="-I$folder/include"
    if ! links 'int main(void) { return 0; }\n'; then leave_out "$packages"; continue; fi
    began=$passed
    [ "$name" != i686 ] || refuses_80_bits
    run_suites
    run_chapters
    echo "$name: $((passed - began)) passed, $((failed - before)) failed"
done
echo "other machines: $passed passed, $failed failed, $left left out"
[ "$failed" -eq 0 ]
