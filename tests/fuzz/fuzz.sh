#!/bin/sh
# Runs fuzz targets, as many at a time as there are processors, and says how many inputs each was given:
#
#   fuzz.sh FOLDER SECONDS TARGET …    from the root of the book; FOLDER holds fuzz_TARGET
#
# What is found to reach something new stays in FOLDER/corpus, and the next run begins with it. An input that ends a
# target stands in FOLDER, and its name is printed.
set -u

folder=$1 seconds=$2
shift 2

# one TARGET
one()
{
    mkdir -p "$folder/corpus/$1"
    "$folder/fuzz_$1" -max_total_time="$seconds" -verbosity=0 -print_final_stats=1 -artifact_prefix="$folder/$1-" \
        "$folder/corpus/$1" "tests/fuzz/seeds/$1" >"$folder/$1.log" 2>&1
    status=$?
    times >"$folder/$1.times"                        # of this shell, and of what it has run: user, system
    awk -v name="$1" '/number_of_executed_units/ { runs = $2 }
        FILENAME ~ /times$/ && FNR == 2 { gsub(/[ms]/, " "); spent = $1 * 60 + $2 + $3 * 60 + $4 }
        END { printf "%-12s %10d runs, %6d a second of a processor\n", name, runs, runs / (spent + 0.001) }' \
        "$folder/$1.log" "$folder/$1.times"
    [ $status -eq 0 ] || tail -n 40 "$folder/$1.log"
    return $status
}

if [ "${1:-}" = --one ]; then
    one "$2"
    exit
fi
printf '%s\n' "$@" | xargs -P "$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)" -n 1 \
    sh "$0" "$folder" "$seconds" --one
