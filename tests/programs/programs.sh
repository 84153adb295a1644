#!/bin/sh
# Drives the real programs: bad input is refused with one sentence, and good input is good from anywhere.
#
#   programs.sh BUILD CHAPTER …     as in: programs.sh build 01_dot_product 02_softmax
#
# Refused means: exit 2 for a wrong flag or 1 for wrong data, exactly one line on stderr that names what is wrong,
# nothing on stdout where nothing had begun, no file half written. START_MS: the most milliseconds to the first line.
# SLOW=yes, of a sanitized build: a chapter that takes seconds gets one good run; the others try the rest.
set -u

build=$(cd "$1" && pwd) || exit 2
shift
tmp=$(mktemp -d) || exit 2
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT

# Several chapters: each in a process of its own, as many at a time as there are processors. The long ones are among the
# later chapters and begin.
if [ $# -gt 1 ]; then
    jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
    printf '%s\n' "$@" | sort -r | xargs -P "$jobs" -I '{}' sh -c 'sh "$1" "$2" "$3" >"$4/$3.log" 2>&1' sh "$0" "$build" '{}' "$tmp"
    for chapter; do cat "$tmp/$chapter.log"; done | grep -v '^programs: '
    for chapter; do grep '^programs: ' "$tmp/$chapter.log" || echo 'programs: 0 passed, 1 failed'; done |
        awk '{ passed += $2; failed += $4 } END { print "programs: " passed " passed, " failed " failed"; exit failed > 0 }'
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
    elif ! "$build/tests/probe" plain "$tmp/out" >"$tmp/plain"; then fail "$(shown "$@"): output, $(cat "$tmp/plain")"
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

# lost WHAT: the run, whose output had nowhere to go, has ended with 1 and said so
lost()
{
    if [ "$status" -ne 1 ]; then fail "$1: exit $status, not 1"; else one_sentence "$1" output && pass; fi
}

# leaves_nothing FOLDER: what was refused has left no file behind
leaves_nothing()
{
    left=$(ls -A "$1")
    if [ -n "$left" ]; then fail "left behind in the folder: $left"; else pass; fi
}

repeat() { awk -v word="$1" -v n="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s ", word }'; }

wrong_flags()
{
    refuses_at_once 2 --nonsense --nonsense
    refuses_at_once 2 --nonsense --nonsense=3
    refuses_at_once 2 nonsense nonsense
    refuses_at_once 2 -x -x
    for seed in abc '' -1 1.5 0x10 99999999999999999999 '7 7'; do refuses_at_once 2 --seed --seed "$seed"; done
    for color in wrong '' Always; do refuses_at_once 2 --color --color "$color"; done
    for flag in seed sentence embeddings figures dump color; do
        refuses_at_once 2 "--$flag" "--$flag"
        refuses_at_once 2 "--$flag" "--$flag" --step
    done
    for flag in step view help; do refuses_at_once 2 "--$flag" "--$flag=yes"; done
}

# The chapter's own number flags, as --help lists them.
own_flags()
{
    run --help
    # shellcheck disable=SC2013
    for flag in $(sed -n 's/^  --\([a-z0-9-]*\) N\( .*\)*$/\1/p' "$tmp/out"); do
        for value in abc '' nan 1e999 -99999999999; do refuses_at_once 2 "--$flag" "--$flag" "$value"; done
        refuses_at_once 2 "--$flag" "--$flag"
    done
}

# Where the words of --sentence come from: the table of embeddings, or, of a trained model, its vocabulary.
find_words()
{
    run --help
    words=table
    tr -s ' \n' ' ' <"$tmp/out" | grep -q -- '--sentence [^-]*lib/language/vocabulary.c' && words=model
}

# A model's words are read after the title, those of the table before it.
wrong_sentences()
{
    refuse=refuses_at_once advice='add a line'
    [ $words = model ] && refuse=refuses && advice=lib/language/vocabulary.c
    $refuse 1 xyzzy --sentence 'The xyzzy .'
    grep -q "$advice" "$tmp/err" || fail "an unknown word: no \"$advice\" in: $(cat "$tmp/err")"
    $refuse 1 empty --sentence ''
    $refuse 1 empty --sentence "  $tab$newline "
    $refuse 1 naïveté --sentence 'The naïveté .'
    $refuse 1 words --sentence "$(repeat the 10000)"
    $refuse 1 aaaaaaaa --sentence "$(repeat a 50000 | tr -d ' ')"
    [ $words = table ] && return
    $refuse 1 'write did not' --sentence "The animal didn't cross the street."
    $refuse 1 empty --sentence .
    $refuse 1 '[start]' --sentence '[start] it'
    $refuse 1 'more than 22' --sentence "$(repeat it 23)"
}

# malformed CONTENTS WHERE: a table that is refused at this place
malformed()
{
    # shellcheck disable=SC2059
    printf "$1" >"$e"
    refuses_at_once 1 "$2" --embeddings "$e"
}

wrong_embeddings()
{
    e=$tmp/words.tsv
    refuses_at_once 1 "$tmp/none.tsv" --embeddings "$tmp/none.tsv"
    refuses_at_once 1 "$tmp" --embeddings "$tmp"
    refuses_at_once 1 empty --embeddings ''
    malformed ''                                      "$e"
    malformed 'wort\tnoun\nthe\t0\n'                  "$e, line 1, column 1"
    malformed '# by hand\nword\ta\tb\nthe\t0\t0,5\n'  "$e, line 3, column 3"
    malformed 'word\tnoun\nthe\t\n'                   "$e, line 2, column 2"
    malformed 'word\tnoun\nthe\tnan\n'                "$e, line 2, column 2"
    malformed 'word\tnoun\nthe\t1e99\n'               "$e, line 2, column 2"
    malformed 'word\tnoun\tverb\nthe\t0\n'            "$e, line 2"
    malformed 'word\tnoun\nthe\t0\t0\n'               "$e, line 2, column 3"
    malformed 'word\tnoun\nthe\t0\nthe\t1\n'          "$e, line 3, column 1"
    malformed 'word\tnoun\n'                          "$e"
    malformed "$(repeat 'x\t' 3000 | tr -d ' ')"      "$e, line 1"
    head -c 5000 "$program" >"$e"
    refuses_at_once 1 "$e" --embeddings "$e"
    printf 'word\tnoun\nthe\t1\ncat\t2\n' >"$e"
    survives "$e" --embeddings "$e" --sentence 'the cat the'
}

# A file where a folder should be stops root as well; a folder without write permission stops everyone else.
unwritable_places()
{
    : >"$tmp/file"
    mkdir "$tmp/empty"
    refuses_at_once 1 "$tmp/file" --figures "$tmp/file"
    refuses_at_once 1 "$tmp/file" --figures "$tmp/file/figures"
    [ -d /proc/self ] && refuses_at_once 1 /proc/nope --figures /proc/nope
    refuses_at_once 1 empty --figures ''
    refuses 1 "$tmp/file/x" --dump "$tmp/file/x"
    refuses 1 "$tmp/none/x" --dump "$tmp/none/x"
    refuses 1 "$tmp/empty" --dump "$tmp/empty"
    refuses 1 empty --dump ''
    if [ "$(id -u)" -ne 0 ]; then
        mkdir "$tmp/locked"
        chmod 555 "$tmp/locked"
        refuses_at_once 1 "$tmp/locked/figures" --figures "$tmp/locked/figures"
        refuses 1 "$tmp/locked/x" --dump "$tmp/locked/x"
        chmod 755 "$tmp/locked"
        leaves_nothing "$tmp/locked"
    fi
    leaves_nothing "$tmp/empty"
    rm -rf "$tmp/empty" "$tmp/file" "$tmp/locked"
}

# /dev/full takes nothing; a file size limit of one block makes every larger file fail in the middle.
# shellcheck disable=SC2086
full_disks()
{
    if [ -c /dev/full ]; then
        "$program" $small >/dev/full 2>"$tmp/err"
        status=$?
        lost '>/dev/full'
        "$program" --help >/dev/full 2>"$tmp/err"
        status=$?
        lost '--help >/dev/full'
        refuses 1 /dev/full --dump /dev/full
    fi
    "$program" $small >&- 2>"$tmp/err"
    status=$?
    lost 'stdout closed'

    for flag in --dump --figures; do
        mkdir "$tmp/small"
        place=$tmp/small
        [ $flag = --dump ] && place=$tmp/small/x
        ( trap '' XFSZ; ulimit -f 1; exec "$program" $small $flag "$place" ) >/dev/null 2>"$tmp/err"
        status=$?
        if [ $flag = --figures ] && [ "$status" -eq 0 ]; then pass                     # nothing was to be drawn
        elif [ "$status" -ne 1 ]; then fail "$flag on a full disk: exit $status, not 1"
        else one_sentence "$flag on a full disk" "$place" && leaves_nothing "$tmp/small"
        fi
        rm -rf "$tmp/small"
    done
}

help_is_complete()
{
    accepts --help
    for flag in step seed sentence embeddings figures dump view color help; do
        [ "$(grep -c -- "^  --$flag " "$tmp/out")" -eq 1 ] || fail "--help does not name --$flag, once"
    done
}

# Sentences of every kind.
odd_sentences()
{
    accepts --step
    accepts --seed=18446744073709551615
    accepts --sentence it
    accepts --sentence 'The The the the'
    [ $words = table ] || return
    accepts --sentence .
    accepts --sentence "$(repeat animal 48)"
    accepts --sentence "The animal didn't cross the street because it was too wide."
}

good_runs()
{
    accepts
    cp "$tmp/out" "$tmp/first"
    accepts
    cmp -s "$tmp/first" "$tmp/out" || fail "two runs differ: $(diff "$tmp/first" "$tmp/out" | head -n 2 | tail -n 1)"
    home=$(pwd)
    cd /
    accepts --color never
    cmp -s "$tmp/first" "$tmp/out" || fail "run from another folder, the output differs"
    cd "$home" || exit 2
    case $chapter in 10_*) ;; *) odd_sentences ;; esac         # it would do all of its work again, to show other maps
    accepts --seed 2
    accepts --dump "$tmp/x.safetensors"
    [ -s "$tmp/x.safetensors" ] || fail "--dump has written nothing"
    accepts --figures "$tmp/new/figures"
    rm -rf "$tmp/new" "$tmp/x.safetensors"

    # shellcheck disable=SC2086
    time=$("$build/tests/probe" start "${START_MS:-50}" "$program" $small)
    if [ -n "$time" ] && [ "$time" -le "${START_MS:-50}" ]; then pass
    else fail "the first line takes $time ms; ${START_MS:-50} is the most"; fi
}

# says WORDS: the last run has printed this
says() { if grep -qF -- "$1" "$tmp/out"; then pass; else fail "\"$1\" is not in the output"; fi; }

# at_least NUMBER KEY …: what --json has written there
at_least()
{
    least=$1
    shift
    found=$("$build/tests/probe" json "$tmp/x.json" "$@") || { fail "--json has no $*"; return; }
    if awk "BEGIN { exit !($found >= $least) }"; then pass; else fail "--json: $* is $found; $least is the least"; fi
}

# Chapter 09: the head of "it" changes its mind with the adjective, and the shipped heads have the jobs they are known for.
learned_heads()
{
    crossing='The animal did not cross the street last night because it was too'
    accepts --sentence "$crossing tired." --json "$tmp/x.json"
    says '    it         su-polmel'
    says '"it" (word 11) looks at: animal'
    for relation in det verb it; do at_least 0.9 argmax $relation score; done
    at_least 0.85 argmax pron score
    at_least 0.9 pairs_never_trained switch
    at_least 0.9 pairs_never_trained both_glosses
    at_least 0.99 accuracy
    accepts --sentence "$crossing wide"
    says '    it         su-pustor'
    says '"it" (word 11) looks at: street'
    refuses 1 "$tmp/none/x.json" --json "$tmp/none/x.json"
}

# Chapter 10: what every head is worth.
pruned_heads()
{
    accepts --json "$tmp/x.json"
    at_least 0.99 model accuracy
    at_least 0.9 pruned_model accuracy
    refuses 1 "$tmp/none/x.json" --json "$tmp/none/x.json"
}

# How a chapter that takes seconds is given less to do.
less_work() { case $1 in 09_*) echo --train 20 ;; 10_*) echo --sentences 100 ;; esac; }

# Chapter 16: without a card there is nothing to check or to time, and that is said. With one this would take minutes.
without_a_card()
{
    [ -e /dev/nvidia0 ] && return
    for flag in --check --bench; do
        run $flag
        if [ "$status" -ne 77 ]; then fail "$flag: exit $status, not 77"; else one_sentence $flag 'left out' && pass; fi
    done
    refuses_at_once 2 --check --check=yes
}

for chapter; do
    program=$build/chapters/$chapter
    if [ ! -x "$program" ]; then fail "there is no program $program"; continue; fi
    find_words
    wrong_flags
    own_flags
    wrong_embeddings
    help_is_complete
    small=$(less_work "$chapter")
    wrong_sentences
    case ${SLOW:-no}$chapter in
    yes09_* | yes10_*) accepts --json "$tmp/x.json" --dump "$tmp/x.safetensors" --figures "$tmp/new" ;;
    yes11_* | yes12_*) accepts --dump "$tmp/x.safetensors" --figures "$tmp/new" ;;
    *) good_runs; unwritable_places; full_disks ;;
    esac
    small=
    case ${SLOW:-no}$chapter in no09_*) learned_heads ;; no10_*) pruned_heads ;; esac
    case $chapter in 16_*) without_a_card ;; esac
    rm -rf "$tmp/x.json" "$tmp/x.safetensors" "$tmp/new"
done
echo "programs: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
