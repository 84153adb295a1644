#!/bin/sh
# On a machine with a GPU and nvcc: builds the kernels of chapter 16, holds them against float64, looks for races, times
# them. A few minutes. What comes of it lands in $OUT, or in build/bench.      chapters/16_cuda/run.sh
set -u
cd "$(dirname "$0")/../.." || exit 2
out=${OUT:-build/bench}
mkdir -p "$out" || exit 2
[ -n "${CUDA_HOME:-}" ] && PATH=$PATH:$CUDA_HOME/bin
PATH=$PATH:/usr/local/cuda/bin
failed=0
part() { echo "== $*"; }

part what this is
{ date -u; nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,power.limit --format=csv; nvcc --version | tail -n 2
  git rev-parse HEAD 2>/dev/null; } 2>&1 | tee "$out/gpu.txt"

part build
make cuda >"$out/build.txt" 2>&1 || { tail -n 30 "$out/build.txt"; exit 1; }
cp build/cuda/*.ptxas "$out"

part check
build/chapters/16_cuda --check 2>&1 | tee "$out/check.txt"
grep -q 'all cases are right' "$out/check.txt" || failed=1

part races, out of bounds, barriers
# A tool that does not come to its end has found nothing out: that, too, is a failure. Looking for races takes a hundred
# times as long: one case in 37. The emulator looks in all of them (make cuda-check).
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck synccheck initcheck; do
        each=1
        [ $tool = racecheck ] && each=37
        timeout "${LIMIT:-400}" compute-sanitizer --tool $tool --error-exitcode 9 build/chapters/16_cuda_gpu --check \
            $each >"$out/$tool.txt" 2>&1
        status=$?
        echo "$tool: exit $status"
        [ $status -eq 0 ] || failed=1
    done
else
    echo 'left out: compute-sanitizer is not here'
fi

part counters
# Shares of the time: the tensor cores work, an instruction is issued; how much of what was asked for the L2 cache had.
if command -v ncu >/dev/null; then
    of=sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active
    issued=sm__inst_issued.avg.pct_of_peak_sustained_active
    ncu --clock-control none --csv --metrics $of,$issued,lts__t_sector_hit_rate.pct,smsp__inst_executed.sum \
        build/chapters/16_cuda_gpu --once >"$out/counters.txt" 2>&1 || failed=1
    printf '# kernel\ttensor_cores_percent\tissued_percent\tl2_hits_percent\tinstructions\n' >"$out/gpu_counters.tsv"
    sed -n 's/","/\t/g; s/"$//; s/^"[0-9]/&/p' "$out/counters.txt" |
        awk -F '\t' -v names="$of $issued lts__t_sector_hit_rate.pct smsp__inst_executed.sum" '
            BEGIN { split(names, name, " ") }
            { sub(/[<(].*/, "", $5); sub(/^void /, "", $5); gsub(/,/, "", $NF)
              if (!($5 in seen)) order[++n] = $5
              seen[$5] = 1
              if (!(($5, $(NF - 2)) in value)) value[$5, $(NF - 2)] = $NF }
            END { for (i = 1; i <= n; i++) { printf "%s", order[i]
                  for (m = 1; m <= 4; m++) printf "\t%s", value[order[i], name[m]]
                  printf "\n" } }' >>"$out/gpu_counters.tsv"
    cat "$out/gpu_counters.tsv"
else
    echo 'left out: ncu is not here'
fi

part time
build/chapters/16_cuda_gpu --bench "$out" 2>&1 | tee "$out/bench.txt"
[ -s "$out/gpu_memory.tsv" ] && [ -s "$out/gpu.tsv" ] || failed=1
exit $failed
