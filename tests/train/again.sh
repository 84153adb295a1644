#!/bin/sh
# Models that are trained from nothing are what stands in data/models, byte for byte.
#
#   again.sh BUILD NAME …     from the root of the book, as in: again.sh build induction-32
#
# Sums and products round alike on all processors, but exp and log do as the C library likes: other bytes are an error
# with glibc on x86-64, where the models were made, and elsewhere only said.
set -u

build=$1
shift
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
failed=0

where=$(uname -m)-$(getconf GNU_LIBC_VERSION 2>/dev/null)
for name; do
    kept=data/models/$name.safetensors began=$(date +%s)
    if ! "$build/train" "$name" --out "$tmp/out" 2>"$tmp/err"; then
        failed=$((failed + 1))
        echo "again: $name: $(tail -n 1 "$tmp/err")"
    elif cmp -s "$tmp/out" "$kept"; then
        echo "again: $name has the bytes of $kept, $(wc -c <"$kept" | tr -d ' ') of them," \
            "after $(($(date +%s) - began)) s"
    else
        case $where in
        x86_64-glibc*) failed=$((failed + 1)) told='is not' ;;
        *) told='is, as may be with this C library and processor, not' ;;
        esac
        echo "again: $name $told $kept: $(cmp "$tmp/out" "$kept" 2>&1)"
    fi
    rm -f "$tmp/out"
done
[ $failed -eq 0 ]
