#!/bin/sh
# The exercises themselves: every stub must fail with a hint, the library's own functions must pass.
#
#   exercises.sh BUILD NN …      as in: exercises.sh build 01 02
#
# A stub that a reader has solved passes; that is an error only while the file is as git has it.
set -u
build=$1
shift
failed=0
fail() { failed=$((failed + 1)); echo "exercise $number: $*"; }

changed() { git ls-files --error-unmatch "$1" >/dev/null 2>&1 && ! git diff --quiet HEAD -- "$1" 2>/dev/null; }

for number; do
    file=$(echo chapters/"${number}"_*/exercise.c)
    said=$("$build/tests/exercises/stub_$number" 2>&1)
    status=$?
    if [ $status -eq 0 ] && changed "$file"; then
        echo "exercise $number: $file is solved already; the stub was not tried"
    elif [ $status -ne 1 ]; then fail "the stub ends with $status; it must end with 1"
    elif ! echo "$said" | grep -q 'hint:'; then fail "the stub gets no hint: $said"
    fi
    said=$("$build/tests/exercises/solution_$number" 2>&1) || fail "the library's own function does not pass: $said"
done
echo "exercises: $# exercises, $failed problems"
[ $failed -eq 0 ]
