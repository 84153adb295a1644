#!/bin/sh
# No files of the library call each other in a cycle: `cycles.sh ARCHIVE …`. Reads the symbols of the archives. An object
# that is compiled once per instruction set counts as one file.
set -u
pairs=$(mktemp) || exit 2
trap 'rm -f "$pairs"' EXIT
nm -A "$@" 2>/dev/null | awk '
    { split($1, part, ":"); file = part[2]; sub(/\..*/, "", file) }
    NF == 3 && $2 ~ /^[A-TV-Z]$/ { defined[$3] = file }
    NF >= 2 && $(NF - 1) == "U" { user[++n] = file; used[n] = $NF }
    END { for (i = 1; i <= n; i++) { to = defined[used[i]]; if (to != "" && to != user[i]) print user[i], to } }
' | sort -u >"$pairs"
[ -s "$pairs" ] || { echo "cycles: no symbols in $*"; exit 1; }
if tsort "$pairs" >/dev/null 2>"$pairs.loop"; then rm -f "$pairs.loop"; exit 0; fi
echo "cycles: these files call each other in a cycle:"
sed -e '/contains a loop/s/.*/one cycle:/' -e 's/^tsort: /  /' "$pairs.loop"
rm -f "$pairs.loop"
exit 1
