#!/bin/sh
# Good input for programs.sh, which reads this file: every chapter's, and what single chapters must say.
# shellcheck shell=sh disable=SC2154
# Sentences of every kind.
odd_sentences()
{
    accepts --step --seed=18446744073709551615
    accepts --sentence it
    accepts --sentence 'The The the the'
    [ $words = table ] || return
    accepts --sentence .
    accepts --sentence "$(repeat animal 48)"
    accepts --sentence "The animal didn't cross the street because it was too wide."
}

# What the chapter has dumped, the viewer opens.
opens_dump()
{
    [ -n "${VIEWER:-}" ] || return
    $patience "$VIEWER" "$tmp/x.safetensors" --export "$tmp/x.png" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
    if [ $status -ne 0 ] || [ -s "$tmp/err" ]; then fail "the viewer on its dump: exit $status: $(head -n 1 "$tmp/err")"
    elif [ ! -s "$tmp/x.png" ]; then fail "the viewer on its dump: no picture"
    else pass
    fi
    rm -f "$tmp/x.png"
}

good_runs()
{
    accepts
    cp "$tmp/out" "$tmp/first"
    home=$(pwd)
    cd /
    accepts --color never
    cmp -s "$tmp/first" "$tmp/out" ||
        fail "run again, from another folder, the output differs: $(diff "$tmp/first" "$tmp/out" | sed -n 2p)"
    cd "$home" || exit 2
    odd_sentences
    accepts --seed 2 --dump "$tmp/x.safetensors" --figures "$tmp/new/figures"
    [ -s "$tmp/x.safetensors" ] || fail "--dump has written nothing"
    opens_dump
    rm -rf "$tmp/new" "$tmp/x.safetensors"

    # shellcheck disable=SC2086
    time=$("$build/tests/cli_probe" start "${START_MS:-50}" "$program" $small)
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
    found=$("$build/tests/cli_probe" json "$tmp/x.json" "$@") || { fail "--json has no $*"; return; }
    if awk "BEGIN { exit !($found >= $least) }"; then pass; else fail "--json: $* is $found; $least is the least"; fi
}

# Chapter 09: the head of "it" changes its mind with the adjective, and the shipped heads have the jobs they are known
# for.
learned_heads()
{
    crossing='The animal did not cross the street last night because it was too'
    accepts --sentence "$crossing tired." --json "$tmp/x.json"
    says '    it         su        su-polmel'
    says '"it" (word 11) looks at: animal'
    for relation in det verb it; do at_least 0.9 argmax $relation score; done
    at_least 0.85 argmax pron score
    at_least 0.9 pairs_never_trained switch
    at_least 0.9 pairs_never_trained both_glosses
    at_least 0.99 accuracy
    accepts --sentence "$crossing wide"
    says '    it         su        su-pustor'
    says '"it" (word 11) looks at: street'
}

# Chapter 10 takes ten seconds: one run tries all that it writes. What every head is worth is in --json.
pruned_heads()
{
    accepts --json "$tmp/x.json" --dump "$tmp/x.safetensors" --figures "$tmp/new"
    opens_dump
    at_least 0.99 model accuracy
    at_least 0.9 pruned_model accuracy
}

# Chapter 18: a model with a sink of its own; the program holds its first view to what the model computed.
a_learned_sink() { accepts --model "$here/../../data/models/sink-learned.safetensors" --only 7; }

# Chapter 11: any kernel may be asked for, one of 16 bits too; its formulas are of models without sinks.
another_model()
{
    accepts --only 5 --kernel bf16
    says 'this kernel rounds to 16 bits'
    refuses 1 'has a sink beside the keys' --model "$here/../../data/models/sink-learned.safetensors"
}

# Chapter 04: a mask is for steps 3 and 4, whatever is said beside it; without one is a run without the flag.
a_masked_head()
{
    accepts --mask causal --word was --no-scale --set Wq.alive.alive=0 --sentence 'The animal was too tired.'
    accepts --mask causal
    says 'it attends most to animal: 0.34'
    says '… wide   0.06  0.34  0.07  0.10  0.06  0.14  0.06  0.16     ·     ·     ·'
    says 'sum  1.95  4.13'
    says '✓ every word receives what it received before, within 1e-6'
    accepts --mask all
    cmp -s "$tmp/first" "$tmp/out" || fail '--mask all: the output is not that of no flag'
}

# Chapter 13: a sum of ∞ makes an output of 0, which is wrong, but a number.
a_maximum_that_lags()
{
    accepts --only 4 --lazy 122
    says '✓ the outputs agree within 2e-5'
    accepts --only 4 --lazy 123
    says 'With 123 bits a sum overflows'
}

# Chapter 16: without a card there is nothing to check or to time, and that is said. With one this would take minutes.
without_a_card()
{
    [ -e /dev/nvidia0 ] && return
    for flag in --check --bench; do
        run $flag
        if [ "$status" -ne 77 ]; then fail "$flag: exit $status, not 77"; else one_sentence $flag 'left out' && pass; fi
    done
}

# Chapter 20, --serve. A file is decoded, or refused as a whole; of standard input only the bad lines are.
served_prompts()
{
    printf 'anna found the heavy cup and\n\nthe animal did not cross\n' >"$tmp/prompts"
    accepts --serve "$tmp/prompts"
    says '1. anna found the heavy cup and →'
    says '2. the animal did not cross →'
    says 'Prompts: 2. Answered: 2.'
    says '✓ all 48 pages are back'
    printf 'anna found\n\nivan xyz the\n' >"$tmp/prompts"
    refuses 1 'line 3: the text' --serve "$tmp/prompts"
    one_sentence '--serve' xyz && pass
    printf 'anna found\nivan\000the\n' >"$tmp/prompts"
    refuses 1 'line 2: found a byte that is 0, after 4 others' --serve "$tmp/prompts"
    yes 'anna found' | head -n 70 | tr '\n' ' ' >"$tmp/prompts"
    refuses 1 'line 1: the text has more than' --serve "$tmp/prompts"

    printf 'anna found\nivan xyz the\notto' | "$program" --serve - >"$tmp/out" 2>"$tmp/err"
    status=$?
    if [ "$status" -ne 1 ]; then fail "--serve -: exit $status with a bad line, not 1"; fi
    one_sentence '--serve -' 'standard input: line 2:' && pass
    says '2. otto →'
    says 'Prompts: 2. Answered: 2.'

    printf 'anna found\nivan\000the\notto' | "$program" --serve - >"$tmp/out" 2>"$tmp/err"
    one_sentence '--serve -' 'standard input: line 2: found a byte that is 0' && pass
    says 'Prompts: 2. Answered: 2.'

    # Few pages or many, the answers are the same.
    for beginning in 'anna found' 'ivan' 'the animal did not cross' 'ugo and ellen, then' 'this'; do
        for end in '' ' the' ' my' ' and'; do echo "$beginning$end"; done
    done >"$tmp/prompts"
    accepts --serve "$tmp/prompts"
    grep '^    [0-9]*\. ' "$tmp/out" >"$tmp/many"
    accepts --serve "$tmp/prompts" --pages 17
    tr -s '\n ' ' ' <"$tmp/out" | grep -q 'Computed again: 0 words' && fail "--serve --pages 17: nobody was preempted"
    grep '^    [0-9]*\. ' "$tmp/out" | cmp -s - "$tmp/many" || fail "--serve: with few pages other answers"
    interrupted_server INT 130 "$tmp/input" -
    interrupted_server TERM 143 "$tmp/input" -
    yes 'ugo and ellen, then' | head -n 10000 >"$tmp/prompts"
    interrupted_server INT 130 /dev/null "$tmp/prompts"
    rm -f "$tmp/prompts" "$tmp/many"
}

# interrupted_server SIGNAL STATUS INPUT FILE: after its first answer it gets the signal; it must end at once, with that
# status, all pages back. An INPUT other than /dev/null is made, and stays open.
interrupted_server()
{
    case $3 in /dev/null) ;; *) mkfifo "$3" ;; esac
    : >"$tmp/out"                                              # or its first answer is seen where the last one's is
    "$program" --serve "$4" <"$3" >"$tmp/out" 2>"$tmp/err" &
    server=$!
    case $3 in /dev/null) exec 3>/dev/null ;; *) exec 3>"$3" ;; esac
    echo 'anna found' >&3
    tries=0
    until grep -q '^    1\. ' "$tmp/out" || [ $tries -gt 200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    kill -"$1" $server
    wait $server
    status=$?
    exec 3>&-
    if [ "$status" -ne "$2" ]; then fail "--serve $4, SIG$1: exit $status, not $2: $(tail -n 2 "$tmp/out")"
    elif [ -s "$tmp/err" ]; then fail "--serve $4, SIG$1: stderr is not empty: $(head -n 1 "$tmp/err")"
    else pass
    fi
    says 'Stopped. '
    says '✓ all 48 pages are back'
    case $3 in /dev/null) ;; *) rm -f "$3" ;; esac
}
