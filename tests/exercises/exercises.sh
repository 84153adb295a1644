#!/bin/sh
# The exercises themselves: every stub must fail with a hint, the library's own functions must pass, and each of the
# wrong answers in wrong_NN.c must be told what its number stands for there; with "HINT=2" behind the number, when more
# is asked for.
#
#   exercises.sh BUILD NN …      as in: exercises.sh build 01a 01b
#
# A stub that a reader has solved passes; that is an error only while the file is as git has it.
set -u
build=$1
shift
failed=0 answers=0
fail() { failed=$((failed + 1)); echo "exercise $number: $*"; }

# told WORDS NUMBER [HINT]: the wrong answer of that number fails, and these words are said
told()
{
    answers=$((answers + 1))
    said=$(HINT=${3-} WRONG=$2 "$build/tests/exercises/wrong_$number" 2>&1)
    status=$?
    if [ $status -ne 1 ]; then fail "wrong answer $2 ends with $status; it must end with 1"
    elif ! echo "$said" | tr -s ' \n' ' ' | grep -qF -- "$1"; then fail "wrong answer $2 is not told \"$1\": $said"
    fi
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
    said=$("$build/tests/exercises/solution_$number" 2>&1) || fail "the library's own function does not pass: $said"
    wrong=$(echo tests/exercises/wrong_"$number".c*)
    [ -f "$wrong" ] || continue
    sed -n 's|^// \([0-9]*\): |\1 |p' "$wrong" >"$build/tests/exercises/wrong_$number.list"
    while read -r answer words; do told "$words" "$answer"; done <"$build/tests/exercises/wrong_$number.list"
    sed -n 's|^// \([0-9]*\), HINT=\([23]\): |\1 \2 |p' "$wrong" >"$build/tests/exercises/wrong_$number.list"
    while read -r answer hint words; do told "$words" "$answer" "$hint"; done \
        <"$build/tests/exercises/wrong_$number.list"
done
echo "exercises: $# exercises, $answers wrong answers, $failed problems"
[ $failed -eq 0 ]
