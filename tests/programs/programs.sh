#!/bin/sh
# Drives the real programs: bad input is refused with one sentence, and good input is good from anywhere.
#
#   programs.sh BUILD PROGRAM …     as in: programs.sh build 01_dot_product 02_softmax attend
#
# How they take their flags, flags.c tries, of attend, train, models, viewer and bench only that. Refused means: exit 2
# for a wrong flag or 1 for wrong data, exactly one line on stderr that names what is wrong, nothing on stdout where
# nothing had begun, no file half written. START_MS: the most milliseconds to the first line.
# VIEWER: the viewer, which must open what every chapter dumps; empty: it is not tried.
# SLOW=yes, of a sanitized build: a chapter that takes seconds gets one good run; the others try the rest.
set -u

here=$(dirname "$0")
build=$(cd "$1" && pwd) || exit 2
shift
tmp=$(mktemp -d) || exit 2
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT

# Several programs: each in a process of its own, as many at a time as there are processors. The long ones are among the
# later chapters and begin.
if [ $# -gt 1 ]; then
    jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
    printf '%s\n' "$@" | sort -r |
        xargs -P "$jobs" -I '{}' sh -c 'sh "$1" "$2" "$3" >"$4/$3.log" 2>&1' sh "$0" "$build" '{}' "$tmp"
    for chapter; do cat "$tmp/$chapter.log"; done | grep -v '^programs: '
    for chapter; do grep '^programs: ' "$tmp/$chapter.log" || echo 'programs: 0 passed, 1 failed'; done |
        awk '{ passed += $2; failed += $4 }
             END { print "programs: " passed " passed, " failed " failed"; exit failed > 0 }'
    exit
fi
passed=0 failed=0 chapter='' small=''
newline='
'
tab=$(printf '\t')
patience=''
command -v timeout >/dev/null && patience='timeout 600'

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "$chapter: $*"; }

# run FLAG …: the program's exit status in $status, its words in $tmp/out and $tmp/err
run()
{
    # shellcheck disable=SC2086
    $patience "$program" $small "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}

shown() { printf '%.100s' "$*"; }

# one_sentence WHAT WORD: stderr is one line, and holds the word
one_sentence()
{
    if [ "$(wc -l <"$tmp/err")" -ne 1 ]; then
        fail "$1: stderr has $(wc -l <"$tmp/err") lines, not 1: $(head -n 3 "$tmp/err")"
    elif ! grep -qF -- "$2" "$tmp/err"; then
        fail "$1: \"$2\" is not named in: $(cat "$tmp/err")"
    else
        return 0
    fi
    return 1
}

# refuses STATUS WORD FLAG …: the run ends with this status and one sentence that holds the word
refuses()
{
    want=$1 word=$2
    shift 2
    run "$@"
    if [ "$status" -ne "$want" ]; then
        fail "$(shown "$@"): exit $status, not $want: $(head -n 1 "$tmp/err")"
    else
        one_sentence "$(shown "$@")" "$word" && pass
    fi
}

# refuses_at_once: the same, and nothing has been printed
refuses_at_once()
{
    before=$failed
    refuses "$@"
    if [ "$failed" -eq "$before" ] && [ -s "$tmp/out" ]; then
        shift 2
        fail "$(shown "$@"): refused, but only after printing: $(head -n 1 "$tmp/out")"
    fi
}

# accepts FLAG …: exit 0, nothing on stderr, plain text of 80 columns
accepts()
{
    run "$@"
    claim=$(grep FALSE "$tmp/out" | head -n 1)
    if [ "$status" -ne 0 ]; then fail "$(shown "$@"): exit $status: $(head -n 1 "$tmp/err")$claim"
    elif [ -s "$tmp/err" ]; then fail "$(shown "$@"): stderr is not empty: $(head -n 1 "$tmp/err")"
    elif ! "$build/tests/cli_probe" plain "$tmp/out" >"$tmp/plain"; then fail "$(shown "$@"): output, $(cat "$tmp/plain")"
    else pass
    fi
}

# survives WORD FLAG …: accepted, or refused in one sentence
survives()
{
    word=$1
    shift
    run "$@"
    if [ "$status" -eq 0 ] && [ ! -s "$tmp/err" ]; then pass
    elif [ "$status" -eq 1 ] || [ "$status" -eq 2 ]; then one_sentence "$(shown "$@")" "$word" && pass
    else fail "$(shown "$@"): exit $status: $(head -n 1 "$tmp/err")"
    fi
}

# How a chapter that takes seconds is given less to do.
less_work()
{
    case $1 in
    03_*) echo --draws 200 ;;
    09_*) echo --train 20 ;;
    10_*) echo --sentences 100 ;;
    17_* | 21_*) echo --documents 1 ;;
    18_*) echo --tokens 400 ;;
    esac
}

# takes_flags: what flags.c finds. Its last line is how much passed and failed.
takes_flags()
{
    WORK=$(less_work "$chapter") "$build/tests/flags" "$build" "$chapter" >"$tmp/flags"
    ended=$?
    sed '$d' "$tmp/flags"
    # shellcheck disable=SC2046
    set -- $(tail -n 1 "$tmp/flags")
    if [ $ended -gt 1 ] || [ $# -ne 2 ]; then fail "flags.c ended with $ended"; return; fi
    passed=$((passed + $1)) failed=$((failed + $2))
}

repeat() { awk -v word="$1" -v n="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s ", word }'; }

. "$here/wrong.sh"
. "$here/right.sh"

for chapter; do
    takes_flags
    case $chapter in [!0-9]*) continue ;; esac
    program=$build/chapters/$chapter
    if [ ! -x "$program" ]; then fail "there is no program $program"; continue; fi
    find_words
    wrong_embeddings
    wrong_step
    small=$(less_work "$chapter")
    wrong_sentences
    case ${SLOW:-no}$chapter in
    yes09_*) accepts --json "$tmp/x.json" --dump "$tmp/x.safetensors" --figures "$tmp/new"; opens_dump ;;
    yes11_* | yes12_* | yes19_* | yes20_* | yes21_*) accepts --dump "$tmp/x.safetensors" --figures "$tmp/new"
        opens_dump ;;
    *10_*) small= pruned_heads ;;
    *) good_runs ;;
    esac
    small=
    case ${SLOW:-no}$chapter in no09_*) learned_heads ;; esac
    case $chapter in
    04_*) a_masked_head ;;
    11_*) another_model ;;
    13_*) a_maximum_that_lags ;;
    16_*) without_a_card ;;
    18_*) a_learned_sink ;;
    20_*) served_prompts ;;
    esac
    rm -rf "$tmp/x.json" "$tmp/x.safetensors" "$tmp/new"
done
echo "programs: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
