#!/bin/sh
# Drives build/attend: what it says of right and wrong results, bad input, and README's example. How it takes its flags
# is tried by tests/programs/flags.c.
#
#   test_attend.sh BUILD            from the root of the book
#
# The results are PyTorch's, from data/reference. Refused means: exit 2, one line on stderr that names what is wrong,
# and no file half written.
set -u

build=$(cd "$1" && pwd) || exit 2
attend=$build/attend
r=data/reference
tmp=$(mktemp -d) || exit 2
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
passed=0 failed=0
patience=''
command -v timeout >/dev/null && patience='timeout 60'

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "attend: $*"; }

# run FLAG …: the exit status in $status, the words in $tmp/out and $tmp/err
run()
{
    $patience "$attend" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}

# says STATUS WORDS FLAG …: this status, nothing on stderr, and stdout of 80 columns that holds the words
says()
{
    want=$1 words=$2
    shift 2
    run "$@"
    if [ "$status" -ne "$want" ]; then fail "$*: exit $status, not $want: $(cat "$tmp/err" "$tmp/out")"
    elif [ -s "$tmp/err" ]; then fail "$*: stderr is not empty: $(cat "$tmp/err")"
    elif ! grep -qF -- "$words" "$tmp/out"; then fail "$*: \"$words\" is not in: $(cat "$tmp/out")"
    elif ! "$build/tests/cli_probe" plain "$tmp/out" >"$tmp/plain"; then fail "$*: output, $(cat "$tmp/plain")"
    else pass
    fi
}

# refuses WORDS FLAG …
refuses()
{
    words=$1
    shift
    run "$@"
    if [ "$status" -ne 2 ]; then fail "$*: exit $status, not 2: $(cat "$tmp/err")"
    elif [ "$(wc -l <"$tmp/err")" -ne 1 ]; then fail "$*: stderr has not one line: $(head -n 3 "$tmp/err")"
    elif ! grep -qF -- "$words" "$tmp/err"; then fail "$*: \"$words\" is not in: $(cat "$tmp/err")"
    else pass
    fi
}

# npy FILE TYPE SHAPE BYTES: BYTES as printf's %b takes them
npy()
{
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '$2', 'fortran_order': False, 'shape': $3, }" >"$1"
    printf '%b' "$4" >>"$1"
}

qkv="--q $r/attention_q.npy --k $r/attention_k.npy --v $r/attention_v.npy --heads 1"
square="--q $r/attention_square_q.npy --k $r/attention_k.npy --v $r/attention_v.npy --heads 1"

# shellcheck disable=SC2086
right_results()
{
    says 0 'all 35 numbers are within tolerance' $qkv --compare $r/attention_full.npy
    says 0 'within tolerance' $qkv --causal --compare $r/attention_causal.npy --rtol 1e-6 --atol 1e-7
    says 0 'within tolerance' $square --causal --compare $r/attention_square_causal.npy
    says 0 'within tolerance' $square --causal --window 3 --compare $r/attention_window.npy
    says 0 'within tolerance' $square --causal --window=3 --sinks 2 --compare $r/attention_window_sinks.npy
    npy "$tmp/n.npy" '<i8' '(1,)' '\007\000\000\000\000\000\000\000'
    says 0 'within tolerance' $qkv --key-lengths "$tmp/n.npy" --compare $r/attention_padding.npy
    "$attend" --kernel none 2>"$tmp/err"
    for kernel in $(sed 's/.*it must be//; s/ or / /; s/,/ /g' "$tmp/err"); do
        says 0 "computed by $kernel" $qkv --causal --kernel "$kernel" --compare $r/attention_causal.npy
    done
}

# shellcheck disable=SC2086
wrong_results()
{
    says 1 'the causal mask is missing' $qkv --causal --compare $r/attention_full.npy
    says 1 'later keys are hidden (a causal mask)' $square --compare $r/attention_square_causal.npy
    says 1 'the window is one key too small' $square --causal --window 4 --compare $r/attention_window.npy
    says 1 'the window is missing' $square --causal --window 3 --compare $r/attention_square_causal.npy
    says 1 'the sinks are missing' $square --causal --window 3 --sinks 2 --compare $r/attention_window.npy
    says 1 'out of tolerance  30 of 35 numbers (85.7 %)' $qkv --causal --compare $r/attention_full.npy
    says 1 'b 0, h 0, i 3, channel 4' $qkv --causal --compare $r/attention_full.npy
    says 1 'only in queries 0–5' $qkv --causal --compare $r/attention_full.npy
    says 1 'keys 3 or more away are hidden (a window)' $square --causal --compare $r/attention_window.npy
    says 1 'no cause found' $square --compare $r/attention_square_causal_dv.npy
    says 1 'no larger than what float32 leaves' $qkv --compare $r/attention_full.npy --rtol 1e-12 --atol 0
}

# Numbers that no cause is looked for: all alike; beyond float64. B = H: the layout that the output agrees with.
alike_too_large_and_ambiguous()
{
    npy "$tmp/q.npy" '<f4' '(2, 1, 2)' '\000\000\200\077\000\000\000\100\000\000\200\277\000\000\200\076'
    npy "$tmp/k.npy" '<f4' '(2, 2, 2)' '\000\000\200\077\000\000\000\077\000\000\000\100\000\000\200\277'\
'\000\000\100\100\000\000\000\000\000\000\200\076\000\000\200\077'
    npy "$tmp/zero.npy" '<f4' '(2, 1, 2)' '\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000'
    both="--q $tmp/q.npy --k $tmp/k.npy --v $tmp/k.npy --heads 2"
    refuses 'H,T,d and B,T,Hd alike: say with --layout' $both --out "$tmp/o.npy"
    refuses 'and your output agrees with neither: say with --layout' $both --compare "$tmp/zero.npy"
    for layout in H,T,d B,T,Hd; do
        says 0 "layout $layout" $both --layout $layout --out "$tmp/o.npy"
        says 0 "your output agrees with $layout" $both --compare "$tmp/o.npy"
    done
    says 1 'your output is all zero' $both --layout H,T,d --compare "$tmp/zero.npy"
    npy "$tmp/big.npy" '<f8' '(1, 1)' '\132\142\327\327\030\347\164\151'
    big="--q $tmp/big.npy --k $tmp/big.npy --v $tmp/big.npy --heads 1"
    refuses 'the inputs are finite, but float64 gives NaN' $big --out "$tmp/none.npy"
    refuses 'the inputs are finite, but naive gives NaN' $big --kernel naive --compare "$tmp/big.npy"
    [ -e "$tmp/none.npy" ] && fail 'what could not be computed was written'
    rm -f "$tmp"/*.npy
}

# shellcheck disable=SC2086
written_results()
{
    mkdir "$tmp/w"
    says 0 'float64' $qkv --causal --out "$tmp/w/o" --weights "$tmp/w/w" --lse "$tmp/w/l"
    says 0 'all 35 numbers' $qkv --causal --compare "$tmp/w/o" --compare-weights "$tmp/w/w" \
                                 --compare-lse "$tmp/w/l" --rtol 0 --atol 0
    says 0 'all 77 numbers' $qkv --causal --compare-weights "$tmp/w/w" --kernel naive
    says 0 'float64' $qkv --weights "$tmp/w/w"
    says 1 'the causal mask is missing' $qkv --causal --compare-weights "$tmp/w/w" --compare-lse "$tmp/w/l"
    says 1 'later keys are hidden' $qkv --compare-weights "$tmp/w/w" --compare-lse "$tmp/w/l"
    rm -rf "$tmp/w"
}

# shellcheck disable=SC2086
wrong_flags()
{
    refuses '--q is missing'
    refuses '--heads is missing' --q a --k b --v c
    for value in 0 -1; do refuses '--heads: found' --heads "$value"; done
    refuses '--rtol: found' --rtol -1
    refuses '--heads 4 is not divisible by --kv-heads 3' --q a --k b --v c --heads 4 --kv-heads 3 --out o
    refuses '--heads 1 is not divisible by --kv-heads 2' $qkv --kv-heads 2 --out o
    refuses '--sinks 2 needs --window' $qkv --sinks 2 --out o
    refuses '--kernel: found "nope"; it must be float64, naive' $qkv --kernel nope --out o
    refuses 'nothing to do' $qkv
    refuses '--rtol needs --compare' $qkv --out o --rtol 1
    refuses '--layout' $qkv --layout nope --compare $r/attention_full.npy
}

# shellcheck disable=SC2086
wrong_data()
{
    q=$tmp/q.npy
    kv="--k $r/attention_k.npy --v $r/attention_v.npy --heads 1 --compare $r/attention_full.npy"
    refuses "$tmp/none.npy: there is no such file" --q "$tmp/none.npy" $kv
    refuses "$tmp: this is a folder" --q "$tmp" $kv
    : >"$q"; refuses "$q: the file is empty" --q "$q" $kv
    printf 'PK\003\004' >"$q"; refuses 'PyTorch'\''s .pt or NumPy'\''s .npz' --q "$q" $kv
    head -c 90 $r/attention_q.npy >"$q"; refuses 'cut off' --q "$q" $kv
    head -c 200 $r/attention_q.npy >"$q"; refuses 'cut off' --q "$q" $kv
    npy "$q" '<i4' '(1,)' '\000\000\000\000'; refuses 'only floating-point numbers' --q "$q" $kv
    npy "$q" '<f4' '(1, 2)' '\000\000\000\000\000\000\000\000'
    refuses '(1, 2), its heads are 2 wide' --q "$q" $kv
    npy "$q" '<f4' '(0, 8)' ''; refuses '(0, 8): an axis of length 0' --q "$q" $kv
    refuses '(7, 8)' $qkv --compare $r/attention_q.npy
    refuses '(7, 1), but (1, 7) is needed' $qkv --compare-lse $r/attention_full_lse.npy
    npy "$tmp/n.npy" '<i8' '(1,)' '\014\000\000\000\000\000\000\000'
    refuses 'element 0 is 12; a length must be from 0 to S = 11' $qkv --key-lengths "$tmp/n.npy" --out "$tmp/o"
    npy "$tmp/n.npy" '<f4' '(1,)' '\000\000\200\077'
    refuses 'only whole numbers' $qkv --key-lengths "$tmp/n.npy" --out "$tmp/o"
    [ -e "$tmp/o" ] && fail 'a refused run has written its output'
}

# NaN and Inf are computed with, and named. q (1, 2) holds 1 and NaN.
# shellcheck disable=SC2086
not_finite()
{
    npy "$tmp/q.npy" '<f4' '(1, 2)' '\000\000\200\077\000\000\300\177'
    npy "$tmp/k.npy" '<f4' '(1, 2)' '\000\000\200\077\000\000\200\077'
    npy "$tmp/inf.npy" '<f4' '(1, 2)' '\000\000\200\177\000\000\200\377'
    run --q "$tmp/q.npy" --k "$tmp/k.npy" --v "$tmp/k.npy" --heads 1 --compare "$tmp/k.npy"
    if [ "$status" -eq 1 ] && grep -qF 'q.npy holds 1 NaN and 0 Inf, the first at [0][1]' "$tmp/err" &&
       grep -qF '2 numbers are NaN or ±Inf on one side only' "$tmp/out"; then pass
    else fail "NaN in q: exit $status: $(cat "$tmp/out" "$tmp/err")"; fi
    run --q "$tmp/k.npy" --k "$tmp/k.npy" --v "$tmp/inf.npy" --heads 1 --compare "$tmp/inf.npy"
    if [ "$status" -eq 0 ] && [ "$(grep -c 'inf.npy holds 0 NaN and 2 Inf' "$tmp/err")" -eq 2 ]; then pass
    else fail "Inf in v: exit $status: $(cat "$tmp/out" "$tmp/err")"; fi
    npy "$tmp/n.npy" '|u1' '(1,)' '\000'
    run --q "$tmp/k.npy" --k "$tmp/k.npy" --v "$tmp/k.npy" --heads 1 --key-lengths "$tmp/n.npy" --out "$tmp/o"
    if [ "$status" -eq 0 ] && grep -qF 'sequence 0 has no keys' "$tmp/err"; then pass
    else fail "no keys: exit $status: $(cat "$tmp/out" "$tmp/err")"; fi
    rm -f "$tmp/o"
}

# numbers FILE: eight heads of 2048 rows of 64 float16, of size 0.125 to 1
numbers()
{
    npy "$1" '<f2' '(2048, 512)' ''
    LC_ALL=C tr -dc '\060-\073\260-\273' </dev/urandom | head -c 2097152 >>"$1"
}

# A mistake at T = S = 2048 with 8 heads is named within three seconds of two processors. What else the machine does
# changes the time by the clock, so the processors' own is held, the least of three: a busy neighbour slows a processor
# itself, and a virtual machine's first use of 460 MB is dear. SLOW=yes: this build has other things to do.
large_in_time()
{
    [ -z "${SLOW:-}" ] || return
    for array in q k v; do numbers "$tmp/$array.npy"; done
    large="--q $tmp/q.npy --k $tmp/k.npy --v $tmp/v.npy --heads 8"
    # shellcheck disable=SC2086
    says 0 float64 $large --out "$tmp/full.npy"
    for _ in 1 2 3; do
        # shellcheck disable=SC2086
        ($attend $large --causal --compare "$tmp/full.npy"; times >"$tmp/times") >"$tmp/out" 2>&1
        spent=$(awk 'NR == 2 { gsub(/[ms]/, " "); print $1 * 60 + $2 + $3 * 60 + $4 }' "$tmp/times")
        if awk -v spent="$spent" 'BEGIN { exit !(spent > 0 && spent < 2 * 3) }'; then break; fi
    done
    if ! grep -qF 'the causal mask is missing' "$tmp/out"; then fail "2048 queries: $(cat "$tmp/out")"
    elif ! awk -v spent="$spent" 'BEGIN { exit !(spent > 0 && spent < 2 * 3) }'; then
        fail "2048 queries: $spent s of processors, 6 at most: $(cat "$tmp/times")"
    else pass
    fi
}

# README shows a call on files of the book and what it prints: the same as now.
readme_is_true()
{
    sed -n '/^## Check your own attention/,/^## /p' README.md >"$tmp/section"
    call=$(sed -n '/^build\/attend --q data/,/[^\\]$/p' "$tmp/section" | sed 's/^build\/attend//; s/\\$//' | tr -d '\n')
    sed -n '/^```text/,/^```$/p' "$tmp/section" | sed '1d;$d' >"$tmp/shown"
    # shellcheck disable=SC2086
    run $call
    if [ -s "$tmp/shown" ] && cmp -s "$tmp/shown" "$tmp/out"; then pass
    else fail "README shows something else: $(diff "$tmp/shown" "$tmp/out" | head -n 5)"; fi
}

right_results
wrong_results
alike_too_large_and_ambiguous
written_results
wrong_flags
wrong_data
not_finite
large_in_time
readme_is_true
echo "attend: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
