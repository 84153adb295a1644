#!/bin/sh
# N of the lines that come, in the order that SEED deals; without SEED the time does.
#
#   printf '%s\n' a b c | SEED=7 sample.sh 2
awk -v seed="${SEED:-$(date +%s)}" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' | sort | cut -f 2- | head -n "$1"
