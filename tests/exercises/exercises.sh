#!/bin/sh
# The exercises themselves: every stub must fail with a hint, and every exercise's table must pass its self-test.
#
#   exercises.sh BUILD NN …      as in: exercises.sh build 01a 01b
#
# A stub that a reader has solved passes; that is an error only while the file is as git has it.
set -u
build=$1
shift
failed=0 answers=0
fail() { failed=$((failed + 1)); echo "exercise $number: $*"; }

# A program's self-test: its last line counts the answers that it has tried.
self_test()
{
    said=$("$1" --self-test 2>&1) || fail "$said"
    tried=$(echo "$said" | sed -n 's/.*: \([0-9]*\) wrong answers, .*/\1/p')
    answers=$((answers + ${tried:-0}))
}

changed() { git ls-files --error-unmatch "$1" >/dev/null 2>&1 && ! git diff --quiet HEAD -- "$1" 2>/dev/null; }

for number; do
    file=$(echo chapters/*/exercise_"$number".c*)
    said=$(HINT= "$build/tests/exercises/stub_$number" 2>&1)
    status=$?
    if [ $status -eq 0 ] && changed "$file"; then
        echo "exercise $number: $file is solved already; the stub was not tried"
    elif [ $status -ne 1 ]; then fail "the stub ends with $status; it must end with 1"
    elif ! echo "$said" | grep -q 'hint:'; then fail "the stub gets no hint: $said"
    fi
    self_test "$build/tests/exercises/stub_$number"
done

# The judge itself, with a made-up exercise. A sanitized build must die of its signals, too, and not write reports.
number=07a mistakes=$build/tests/mistakes
quiet=handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_abort=0
export ASAN_OPTIONS="$quiet" TSAN_OPTIONS="$quiet" UBSAN_OPTIONS="$quiet" JUDGE_SECONDS=1
self_test "$mistakes"
"$mistakes" | grep -q 'next: make exercise-07b' || fail 'what comes next is not printed'
NUMBER=07c "$mistakes" | grep -q 'next: chapters/08_gradients/README.md' || fail 'the next chapter is not printed'
NEXT=no "$mistakes" | grep -q 'next:' && fail 'what comes next is printed with NEXT=no'
LOUD=yes "$mistakes" 2>/dev/null | grep -q "the reader's own words" || fail 'what the reader prints is lost'
LOUD=yes "$mistakes" 2>&1 >/dev/null | grep -q 'and these: reader (.*n is 6' || fail 'what is printed on stderr is lost'

# An exercise may call all of the library, also what no checker does.
calls=$build/tests/calls.c
cat chapters/01_dot_product/exercise_01b.c - >"$calls" <<'CALLS'
#include "base/base64.h"
void in_letters(char *to);
void in_letters(char *to) { base64_write(to, (const unsigned char *)"", 0); }
CALLS
${MAKE:-make} -s BUILD="$build" exercise-01b FILE="$calls" 2>/dev/null | grep -q 'my_nearest among' ||
    fail 'an exercise that calls the library cannot be tried'

echo "exercises: $# exercises, $answers wrong answers, $failed problems"
[ $failed -eq 0 ]
