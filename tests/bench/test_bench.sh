#!/bin/sh
# Drives build/tests/bench at a length at which it takes a second: the files that it writes.
#
#   test_bench.sh BUILD             from the root of the book
set -u

build=$(cd "$1" && pwd) || exit 2
bench=$build/tests/bench
tmp=$(mktemp -d) || exit 2
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
passed=0 failed=0

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "bench: $*"; }
holds() { if "$@" >"$tmp/why" 2>&1; then pass; else fail "$*: $(cat "$tmp/why")"; fi; }

# Every row has its twelve fields, the numbers are numbers, shares and errors make sense; each kernel is there.
rows_are_sound()
{
    header=kernel,H,G,T,S,d,causal,threads,gflops,share_of_probe,gbytes_per_s,rel_error
    awk -F, -v header=$header 'NR == 1 { if ($0 != header) { print "header: " $0; exit 1 } next }
        NF != 12 { print "fields: " $0; exit 1 }
        { for (i = 2; i <= 12; i++) if ($i !~ /^[0-9.e+-]+$/) { print "field " i ": " $0; exit 1 } }
        { most = $1 == "bf16" ? 4e-3 : 4e-6 }
        { near = $1 ~ /^loop / ? $12 == 0 : $12 > 0 && $12 < most }        # a bare loop has no result
        $1 !~ /stream/ && !($9 > 0 && $10 > 0 && $11 > 0 && near) { print "values: " $0; exit 1 }
        $7 != 0 && $7 != 1 || $8 < 1 || $2 < $3 { print "shape: " $0; exit 1 }
        { seen[$1]++ }
        END { n = split("naive reordered tiled lanes 1x4 2x4 4x4 lazy fast packed plain-c decode", name, " ")
              for (i = 1; i <= n; i++) if (!seen[name[i]]) { print "no row for " name[i]; exit 1 } }' "$1"
}

# The file to keep: seven lines of where it is from, then a name and thirteen numbers a line, between tabs.
kept_is_sound()
{
    awk -F'\t' '/^#/ { heads++; next }
        NF != 14 { print "fields: " $0; exit 1 }
        { if (!($13 <= $10 && $10 <= $14)) { print "quartiles: " $0; exit 1 } rows++ }
        END { if (heads != 7 || rows < 20) { print heads " lines of head, " rows " rows"; exit 1 } }' "$1" || return 1
    for word in cpu date compiler command peers; do grep -q "^# $word: ." "$1" || { echo "no $word"; return 1; }; done
}

"$bench" --seconds 0.5 --length 72 --out "$tmp/out dir" --save "$tmp/kept" >"$tmp/table" 2>"$tmp/err" </dev/null
holds test $? -eq 0
holds test ! -s "$tmp/err"
holds rows_are_sound "$tmp/out dir/cpu.csv"
holds kept_is_sound "$tmp"/kept/cpu-*.tsv
holds grep -q 'OpenBLAS' "$tmp/table"
holds grep -q 'PyTorch' "$tmp/table"

# Of a folder on this machine the name is kept, and not where it lies.
holds grep -qx '# command: bench --seconds 0.5 --length 72 --out out dir --save kept' "$tmp"/kept/cpu-*.tsv

# Two threads that decode are held against two that read.
holds grep -qE '^  one takes [0-9]\.[0-9]+ of what it could read, two take [0-9]\.[0-9]+$' "$tmp/table"

# What the table says of a peer, the file says too, with its version; or that there is none.
named_alike()
{
    for peer in OpenBLAS PyTorch; do
        if grep -q "^left out: $peer" "$tmp/table"; then want="no $peer"
        else want="$(sed -n "s/^peer: \($peer [0-9][^ ,]*\).*/\1/p" "$tmp/table")"; fi
        [ -n "$want" ] && grep -q "^# peers: .*$want" "$1" || { echo "peers without $want"; return 1; }
    done
}
holds named_alike "$tmp"/kept/cpu-*.tsv
printf '#!/bin/sh\necho ready 9.8.7+x, cuDNN 9\n' >"$tmp/python" && chmod +x "$tmp/python"
PYTHON=$tmp/python "$bench" --seconds 0.1 --length 8 --out "$tmp/second" --save "$tmp/third" \
    >"$tmp/table" 2>&1 </dev/null
holds grep -q '^# peers: .*, PyTorch 9\.8\.7+x, cuDNN 9$' "$tmp"/third/cpu-*.tsv
PYTHON=/nowhere/python3 "$bench" --seconds 0.1 --length 8 --out "$tmp/second" >"$tmp/table" 2>&1 </dev/null
holds grep -q 'left out: PyTorch: there is no /nowhere/python3' "$tmp/table"

"$bench" --seconds 0.1 --length 8 --out "$tmp/second" --save "$tmp/./second/" >"$tmp/table" 2>"$tmp/err" </dev/null
holds test $? -eq 2
holds grep -q 'are one folder' "$tmp/err"
holds test ! -s "$tmp/table"

# A latent cache: the probe, and two rows for each number of heads.
"$bench" --latent --seconds 0.1 --length 16 --out "$tmp/latent" >"$tmp/table" 2>"$tmp/err" </dev/null
holds test $? -eq 0
holds test "$(grep -c '^latent' "$tmp/latent/latent.tsv")" -eq 9
holds grep -q '^probe' "$tmp/latent/latent.tsv"

# Codes: reading alone, float32 and four formats.
codes_are_sound()
{
    awk -F'\t' '/^#/ { heads++; next }
        NF != 11 || !($2 > 0 && $3 > 0 && $4 <= $3 && $3 <= $5 && $7 <= $6 && $6 <= $8 && $9 > 0) { print; exit 1 }
        $1 != "four streams" && !($10 > 0 && $11 > 0 && $11 < 4e-6) { print; exit 1 }
        { rows++ }
        END { if (heads != 6 || rows != 6) { print heads " lines of head, " rows " rows"; exit 1 } }' "$1"
}
"$bench" --codes --seconds 0.1 --length 96 --out "$tmp/codes" >"$tmp/table" 2>"$tmp/err" </dev/null
holds test $? -eq 0
holds codes_are_sound "$tmp/codes/codes.tsv"

# The ladder alone: every rung twice, full and causal, and the bare loop of three.
"$bench" --ladder --seconds 0.1 --length 8 --out "$tmp/ladder" >"$tmp/table" 2>"$tmp/err" </dev/null
holds test $? -eq 0
holds test "$(grep -c '^fast' "$tmp/ladder/ladder.tsv")" -eq 2
holds test "$(grep -c '^loop' "$tmp/ladder/ladder.tsv")" -eq 3

# Instructions: those of the fast kernel are a small part of those of the first. Where a process may not watch another
# one, a sentence.
counted_are_sound()
{
    awk -F'\t' '/^#/ { next }
        NF != 2 || $2 <= 0 { print "row: " $0; exit 1 }
        { each[$1] = $2; rows++ }
        END { if (rows != 2 || !each["fast"] || each["fast"] * 10 > each["naive"]) { print rows; exit 1 } }' "$1"
}
"$bench" --instructions --length 2 --out "$tmp/counted" >"$tmp/table" 2>"$tmp/err" </dev/null
if [ $? -eq 0 ]; then holds counted_are_sound "$tmp/counted/instructions.tsv"
else holds grep -q 'step by step\|on Linux only' "$tmp/err"
fi

echo "bench: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
