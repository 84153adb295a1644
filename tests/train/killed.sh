#!/bin/sh
# A training that is killed, whenever that may be, goes on from its state and ends with the bytes of one that was not.
#
#   killed.sh BUILD
#
# The state is saved after every step, so that many of the kills fall into the writing of it.
# shellcheck disable=SC2086                            # $recipe is several words
set -u

train=$1/train
tmp=$(mktemp -d) || exit 2
child=
trap '[ -n "$child" ] && kill -9 "$child" 2>/dev/null; rm -rf "$tmp"' EXIT
failed=0 kills=0

fail() { failed=$((failed + 1)); echo "killed: $*"; }

# last_step: where the state stands; the metadata are text, at its beginning
last_step()
{
    [ -f "$tmp/state" ] || return
    head -c 4096 "$tmp/state" | tr ',' '\n' | sed -n 's/.*"step" *: *"\([0-9]*\)".*/\1/p' | head -n 1
}

# refused STATUS FILE: what was read ended the training with 1 and one sentence that names it
refused()
{
    [ "$1" -eq 1 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -qF "$tmp/$2" "$tmp/err" && return
    fail "$2: exit $1: $(cat "$tmp/err")"
}

recipe='induction-32 --seed 3 --steps 250'
model() { "$train" $recipe "$@"; }

model --out "$tmp/whole" 2>"$tmp/err" || { cat "$tmp/err"; exit 1; }

before=0 risen=0
for wait in 0.01 0.03 0.02 0.11 0.05 0.17 0.04 0.08 0.13 0.07 0.09 0.5 1 2 4; do
    "$train" $recipe --out "$tmp/out" --state "$tmp/state" --every 0 2>"$tmp/err" &
    child=$!
    sleep $wait
    kill -9 $child 2>/dev/null && kills=$((kills + 1))
    wait $child 2>/dev/null
    status=$?
    child=
    [ -f "$tmp/out" ] && break
    [ $status -eq 137 ] || { fail "exit $status, not killed: $(cat "$tmp/err")"; break; }
    step=$(last_step)
    [ "${step:-0}" -ge $before ] || fail "the state was at step $before, and is at ${step:-none}"
    [ "${step:-0}" -gt $before ] && risen=$((risen + 1))
    before=${step:-0}
done
[ $kills -ge 3 ] || fail "only $kills kills fell into the training"
[ $risen -ge 2 ] || fail "the state moved on in $risen of the runs that were killed"

# What is left is done in one piece.
[ -f "$tmp/out" ] || model --out "$tmp/out" --state "$tmp/state" --every 0 2>"$tmp/err" || fail "$(cat "$tmp/err")"
cmp -s "$tmp/whole" "$tmp/out" || fail "killed $kills times, last after step $before, it ends with other bytes"

# A state that is cut off, or of another training, is refused in one sentence.
"$train" $recipe --state "$tmp/state" --every 0 2>/dev/null &
child=$!
sleep 0.3
kill -9 $child 2>/dev/null
wait $child 2>/dev/null
child=
if [ -f "$tmp/state" ]; then
    head -c 20000 "$tmp/state" >"$tmp/cut"
    model --state "$tmp/cut" 2>"$tmp/err"
    refused $? cut
    cp "$tmp/state" "$tmp/other"
    "$train" induction-32 --seed 4 --steps 250 --state "$tmp/other" 2>"$tmp/err"
    refused $? other
fi
echo "killed: $kills kills, $failed failed"
[ $failed -eq 0 ]
