#!/bin/sh
# Reads what ptxas -v has said of one file of chapter 16, build/cuda/NAME.ptxas, and fails
#   where there is any warning, or that products are run one after the other (C7510 … C7515);
#   where a register was spilled, in mma.cu and decode.cu.
report=$1
name=$(basename "$report" .ptxas)
if grep -nE 'warning|C751[0-5]' "$report"; then
    echo "$report: a warning of the compiler is an error here"
    exit 1
fi
spilled=$(grep -E '[1-9][0-9]* bytes spill' "$report")
case $name in
mma | decode)
    if [ -n "$spilled" ]; then
        echo "$report: registers are spilled in $name.cu:"
        echo "$spilled"
        exit 1
    fi ;;
esac
