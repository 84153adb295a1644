#!/bin/sh
# Tests of the judge: readers who go wrong in known ways, and the words they must be told.   test_judge.sh BUILD
set -u
mistakes=$1/tests/mistakes
passed=0 failed=0

# A sanitized build must die of its signals, too, and not write reports instead.
quiet=handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_abort=0
export ASAN_OPTIONS="$quiet" TSAN_OPTIONS="$quiet" UBSAN_OPTIONS="$quiet"

# told STATUS HOW WORD …: this reader gets this exit status and all of these words
told()
{
    want=$1 how=$2
    shift 2
    said=$(JUDGE_SECONDS=1 "$mistakes" "$how" 2>/dev/null)
    status=$?
    good=yes
    if [ $status -ne "$want" ]; then
        good=no
        echo "judge: $how: exit $status, not $want"
    fi
    for word; do
        case $said in
        *"$word"*) ;;
        *) good=no; echo "judge: $how: \"$word\" was not said, but: $said" ;;
        esac
    done
    if [ $good = yes ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

# told_not HOW WORD …: this reader is told none of these words
told_not()
{
    said=$(JUDGE_SECONDS=1 "$mistakes" "$1" 2>/dev/null)
    shift
    good=yes
    for word; do
        case $said in *"$word"*) good=no; echo "judge: \"$word\" was said too early: $said" ;; esac
    done
    if [ $good = yes ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

told 0 right        'exercise 07a: right'
told 0 tiny         'exercise 07a: right'
told 0 loud         "the reader's own words" 'exercise 07a: right'
told 1 stub         'not yet' 'my_double of 6 numbers' 'row 0, column 0' '6 of 6' 'written nothing into its output'
told 1 square       'row 0, column 0' 'expected 2, got 1' '6 of 6' 'hint: doubled, not squared'
told 1 element      'row 0, column 2' 'expected 10, got 10.001' '1 of 6' 'hint: the plain hint'
told 1 nan          'row 0, column 0' 'expected 2, got NaN' '1 of 6' 'the plain hint'
told 1 added        'computed from an output that was not written yet' '6 of 6' 'the plain hint'
told 1 infinite     'expected 2, got inf'
told 1 claim        'not yet' 'the property of a claim' 'HINT=2'
told 1 'one missing' 'row 0, column 1' 'expected 6, but it was not written' '1 of 6'
told 1 'last missing' 'row 1, column 2' 'but it was not written' 'hint: the last is left out'
told 1 past         'outside its output'
told 1 'past, divided' 'outside its output'
told 1 before       'outside its output'
told 1 crash        'my_double of 6 numbers' 'memory that is not its own' hint
told 1 divide       'divided an integer by zero'
told 1 stop         'it was stopped'
told_not stop       hint
told 1 shape        'it was stopped' 'hint: a shape is (rows, columns)'
told 1 view         'it was stopped' 'mat_cols(m, first, count)'
told 1 index        'it was stopped' 'stay below its count'
told_not 'loud, then stop' hint
told 1 exit         'it ended the whole program, with 0'
told 1 endless      'my_double of 6 numbers' 'did not come back' hint
told 1 number       'the result is wrong: expected 1, got 2' 'the hint for a number'
told 1 levels       'hint: the property' 'more: make exercise-07a HINT=2'
HINT=2 told 1 levels 'hint: the property' 'hint: the question' 'more: make exercise-07a HINT=3'
HINT=3 told 1 levels 'hint: the property' 'hint: the question' 'hint: the formula'
told 1 'two levels' 'hint: the question' 'more: make exercise-07a HINT=2'
HINT=2 told 1 'two levels' 'hint: the question' 'hint: the formula'
told_not levels 'the question' 'the formula'
told_not 'one missing' 'the last is left out'
told_not element 'the last is left out'
HINT=2 told_not levels 'the formula'
HINT=3 told_not levels 'more:'
HINT=2 told_not 'two levels' 'more:'
told 1 finite       'expected inf, got 3' 'the hint for an infinity'
told 0 right        'next: make exercise-07b'
told 0 'of 07c'     'exercise 07c: right' 'next: chapters/08_gradients/README.md'
NEXT=no told_not right 'next:'

# What the reader says on stderr is still heard there.
if "$mistakes" 'loud, then stop' 2>&1 >/dev/null | grep -q 'my own words: my_double ('; then passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo 'judge: what was said on stderr is not heard'
fi

# An exercise may call all of the library, also what no checker does.
calls=$1/tests/calls.c
cat tests/exercises/solution_01a.c - >"$calls" <<'EOF'
#include "base/base64.h"
void in_letters(char *to);
void in_letters(char *to) { base64_write(to, (const unsigned char *)"", 0); }
EOF
if ${MAKE:-make} -s BUILD="$1" exercise-01a FILE="$calls" | grep -q 'exercise 01a: right'; then passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "judge: an exercise that calls the library is not right"
fi

echo "judge: $passed passed, $failed failed"
[ $failed -eq 0 ]
