#!/bin/sh
# Checks the external names of the library: each begins with the name of its file, or with a prefix that prefixes.txt
# lists for the file. Then a program can link the library and keep short names for itself.
#
#   prefixes.sh ARCHIVE …
table=$(dirname "$0")/prefixes.txt
names=$(nm -g --defined-only "$@") || exit 1
printf '%s\n' "$names" | awk '
    FILENAME == table { if ($1 != "#") for (i = 2; i <= NF; i++) prefixes[$1] = prefixes[$1] " " $i; next }
    /:$/ { file = $0; sub(/\..*/, "", file); next }
    NF == 3 && $2 != "U" && $3 !~ /^_*(__|asan|san)/ {
        name = $3
        checked++
        own = file
        sub(/s$/, "", own)
        n = split(prefixes[file] ? prefixes[file] : own, may, " ")
        for (i = 1; i <= n; i++) if (index(name, may[i]) == 1) next
        printf "%s.c: %s begins with none of: %s\n", file, name, prefixes[file] ? prefixes[file] : " " own
        wrong++
    }
    END { if (!checked) print "no names"; exit wrong || !checked }' table="$table" "$table" -
