#!/bin/sh
# Ranks as processes: mpirun starts them on this machine, or, with `hosts`, on machines made for the test.
#
#   ranks.sh BUILD            chapters 23 and 24 print the same as with threads; a rank that dies or hangs ends all
#   ranks.sh BUILD hosts      the same across two to four hosts at a chosen rate, and a cable that is pulled. A host is
#                             a network namespace, which only root can make; all is taken away again
#
# By itself MPI waits for ever: with a network down its ranks, daemons and mpirun hang for minutes and outlive SIGTERM.
# What is asserted is that our ranks end by themselves, with a sentence, within ten seconds of their start. mpirun comes
# back seconds after them, and is not timed; what is left of MPI's own processes this script ends.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) || exit 2
where=${2:-here}
tmp=$(mktemp -d) || exit 2
bin=$(mktemp -d "$build/ranks.XXXXXX") || exit 2     # near the book's data
id=mh$$                        # in every name that is made, and in the path of every program that is started
passed=0 failed=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export TMPDIR="$tmp"
export OMPI_MCA_btl_vader_single_copy_mechanism=none           # a container may forbid it, and MPI says so many times
unset DISPLAY                                                  # MPI looks for graphics cards there

fail() { failed=$((failed + 1)); echo "FAIL ranks: $*"; }
pass() { passed=$((passed + 1)); }

# ---- hosts: namespaces on one switch, each with an interface e0 and an address of its own

net=10.$((64 + $$ / 250 % 64)).$(($$ % 250))
address() { echo "$net.$(($1 + 1))"; }

hosts_up()                     # hosts_up COUNT RATE
{
    hosts=$1
    ip netns add "$id-switch" || return 1
    ip -n "$id-switch" link add switch type bridge || return 1
    ip -n "$id-switch" link set switch up
    : >"$tmp/hosts"
    for h in $(seq 0 $((hosts - 1))); do
        ip netns add "$id-$h" || return 1
        ip link add e0 netns "$id-$h" type veth peer name "p$h" netns "$id-switch" || return 1
        ip -n "$id-switch" link set "p$h" master switch up
        ip -n "$id-$h" address add "$(address "$h")/24" dev e0
        ip -n "$id-$h" link set lo up
        ip -n "$id-$h" link set e0 up
        ip netns exec "$id-$h" tc qdisc add dev e0 root tbf rate "$2" burst 64kb latency 100ms || return 1
        echo "$(address "$h") slots=16" >>"$tmp/hosts"
    done
    # mpirun's ssh: the last number of the address says which namespace. Each has a folder of its own for MPI's files:
    # in one for all, daemons that start at the same time get in each other's way.
    cat >"$tmp/agent" <<END
#!/bin/sh
host=\${1##*.}
shift
export TMPDIR="$tmp/\$host"
mkdir -p "\$TMPDIR"
exec ip netns exec $id-\$((host - 1)) sh -c "\$*"
END
    chmod +x "$tmp/agent"
}

spaces() { ip netns list 2>/dev/null | awk -v id="$id-" 'index($1, id) == 1 { print $1 }'; }

stop_all() { for space in $(spaces); do ip netns pids "$space" | xargs -r kill -9 2>/dev/null; done; }

hosts_down()
{
    stop_all
    for space in $(spaces); do ip netns delete "$space"; done
}

# ---- runs

# Our ranks that still run.
left() { ps -eo pid,stat,args | awk -v id="$bin" '$2 !~ /^Z/ && index($3, id) == 1 { print $1 }'; }

clean_up()
{
    [ "$where" = hosts ] && hosts_down
    left | xargs -r kill -9 2>/dev/null
    rm -rf "$tmp" "$bin"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

# The programs under a path that no other run has, so that what is left over can be told from what others run.
for program in "$build/tests/ranks_smoke" "$build"/chapters/2[34]_*; do [ -x "$program" ] && cp "$program" "$bin/"; done

now() { date +%s%3N; }

# While $tmp/runs is there: the seconds from when a rank of ours is first seen to when one is last seen, in $tmp/lived.
watch_ranks()
{
    first=
    while [ -e "$tmp/runs" ]; do
        if [ -n "$(left)" ]; then
            last=$(now)
            first=${first:-$last}
            echo $(((last - first) / 1000)) >"$tmp/lived"
        fi
        sleep 0.2
    done
}

# run RANKS PROGRAM …: `status`, `seconds` that our ranks have lived, and $tmp/out, $tmp/err. mpirun is ended when it
# does not end.
run()
{
    ranks=$1
    shift
    echo 0 >"$tmp/lived"
    : >"$tmp/runs"
    watch_ranks &
    watcher=$!
    if [ "$where" = hosts ]; then
        timeout -k 1 40 ip netns exec "$id-0" mpirun -q -n "$ranks" --hostfile "$tmp/hosts" --map-by node \
            --mca plm_rsh_agent "$tmp/agent" --mca btl tcp,self --mca btl_tcp_if_include e0 \
            --mca oob_tcp_if_include e0 "$@" >"$tmp/out" 2>"$tmp/err"
    else
        timeout -k 1 40 mpirun -q --oversubscribe -n "$ranks" "$@" >"$tmp/out" 2>"$tmp/err"
    fi
    status=$?
    echo $status >"$tmp/status"                      # for a run behind a pipe
    rm "$tmp/runs"
    wait $watcher
    seconds=$(cat "$tmp/lived")
    sed -i '/plm:rsh: Warning: setpgid/d' "$tmp/err"           # mpirun and its own child, at the same moment
}

# good RANKS PROGRAM …: ends with 0 and says nothing on stderr.
good()
{
    run "$@"
    if [ $status -eq 0 ] && [ ! -s "$tmp/err" ]; then pass; return; fi
    fail "$*: status $status after $seconds s: $(head -n 3 "$tmp/err")"
}

# ends WITHIN SENTENCE RANKS PROGRAM …: not with 0, with that sentence, and no rank is left.
ends()
{
    within=$1 sentence=$2
    shift 2
    run "$@"
    said=$(grep -c "$sentence" "$tmp/err")
    if [ $status -eq 0 ] || [ "$said" -eq 0 ]; then
        fail "$*: status $status, and “$sentence” is not in: $(head -n 3 "$tmp/err")"
    elif [ "$seconds" -gt "$within" ]; then fail "$*: it took $seconds s to end, not $within at most"
    elif [ -n "$(left)" ]; then fail "$*: it has ended, but processes are left"
    else pass; fi
    left | xargs -r kill -9 2>/dev/null
}

silent='no answer from rank [0-9]* for 5.0 s (.*): it has died, hangs, or cannot be reached'
told='a rank is told to end'

# ---- what both do

all_right()
{
    for ranks in $1; do
        good "$ranks" "$bin/ranks_smoke" 1
        grep -q "^$ranks ranks: all numbers right" "$tmp/out" || fail "$ranks ranks go round: $(cat "$tmp/out")"
    done
    "$bin/ranks_smoke" 0 >"$tmp/threads"
    good 4 "$bin/ranks_smoke" 0
    cmp -s "$tmp/threads" "$tmp/out" || fail "four processes send other bytes than four threads: $(cat "$tmp/out")"
}

# Every chapter with ranks: with four the same output as of four threads, with other numbers all claims true.
chapters()
{
    for chapter in "$bin"/2[34]_*; do
        [ -x "$chapter" ] || continue
        "$chapter" >"$tmp/threads" || fail "$chapter with threads"
        good 4 "$chapter"
        cmp -s "$tmp/threads" "$tmp/out" ||
            fail "$chapter: processes say other than threads: $(diff "$tmp/threads" "$tmp/out" | sed -n 2,4p)"
        for ranks in $1; do
            good "$ranks" "$chapter"
            grep -q ' claims, all true' "$tmp/out" || fail "$chapter with $ranks ranks: $(tail -n 1 "$tmp/out")"
        done
    done
}

# A rank is killed, and mpirun ends the others; or one hangs, and the others end themselves: five seconds, and one in
# which the rounds begin.
failures()
{
    ends 10 "$told" "$1" "$bin/ranks_smoke" 1 die 2
    ends 10 "$silent" "$1" "$bin/ranks_smoke" 1 hang 2
    ends 10 "$silent" "$1" "$bin/ranks_smoke" 1 hang 0
}

# ---- on this machine

# A reader who takes seven seconds to press Enter, longer than a rank waits for another: the ranks wait for the lesson.
slow_reader()
{
    (sleep 7; yes '' 2>/dev/null | head -n 100) | run 2 "$1" --step
    [ "$(tail -n 1 "$tmp/status")" = 0 ] && grep -q ' claims, all true' "$tmp/out" && pass ||
        fail "$1 --step, two ranks, a slow reader: $(head -n 1 "$tmp/err")"
}

one_machine()
{
    all_right '1 2 3 7'
    chapters '1 2 3 7'
    failures 3
    for chapter in "$bin"/2[34]_*; do [ -x "$chapter" ] && slow_reader "$chapter"; done
    ring=$bin/23_ring_attention
    if [ -x "$ring" ]; then
        ends 10 "$silent" 4 "$ring" --fault hang --of 2 --at 1
        ends 10 "$told" 4 "$ring" --fault die --of 2 --at 1
    fi
    for chapter in "$bin"/2[34]_*; do
        [ -x "$chapter" ] || continue
        run 3 "$chapter" --no-such-flag
        [ $status -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && [ ! -s "$tmp/out" ] && pass ||
            fail "$chapter --no-such-flag, three ranks: status $status: $(cat "$tmp/err")"
    done
}

# ---- across hosts

# The cable of the last host is pulled while messages go round: every rank ends by itself, on all hosts.
cable()
{
    (
        sleep 2
        ip -n "$id-$((hosts - 1))" link set e0 down
        sleep 10
        left >"$tmp/after"
        stop_all
    ) &
    run "$hosts" "$bin/ranks_smoke" 30
    wait
    said=$(grep -c "$silent" "$tmp/err")
    if [ -s "$tmp/after" ]; then fail "cable pulled: ranks are left after ten seconds: $(cat "$tmp/after")"
    elif [ "$said" -eq 0 ] || [ $status -eq 0 ]; then fail "cable pulled: status $status: $(cat "$tmp/err")"
    else pass; fi
    ip -n "$id-$((hosts - 1))" link set e0 up
}

across_hosts()
{
    for count in 2 4; do
        hosts_up $count "$1" || { fail "hosts cannot be made: $count"; return; }
        all_right "$count 3"
        if [ $count = 4 ]; then
            chapters ''
            failures 3
        fi
        cable
        hosts_down
    done
}

# What hosts are made of: a namespace, a bridge, a pair of interfaces and a limit to their rate.
can_have_hosts()
{
    ip netns add "$id-try" && ip -n "$id-try" link add b0 type bridge &&
        ip -n "$id-try" link add e0 type veth peer name e1 &&
        ip netns exec "$id-try" tc qdisc add dev e0 root tbf rate 1mbit burst 64kb latency 100ms
}

if ! command -v mpirun >/dev/null; then
    echo "left out: ranks as processes, for want of mpirun (make mpi)"
elif [ "$where" = here ]; then one_machine
elif ! can_have_hosts 2>"$tmp/err"; then
    echo "left out: ranks on several hosts, which root can make of network namespaces: $(head -n 1 "$tmp/err")"
else
    ip netns delete "$id-try"
    across_hosts 400mbit
fi
echo "ranks ($where): $passed passed, $failed failed"
[ $failed -eq 0 ]
