#!/bin/sh
# Turns the change that git sees in one file into tests/mutants/patches/NAME.patch.
#
#   make_patch.sh NAME SUITE "What went wrong, in a sentence."
#
# The file stays changed; `git checkout FILE` undoes it. Context grows until the patch applies in one place only.
set -eu
cd "$(dirname "$0")/../.."
patch=tests/mutants/patches/$1.patch file=$(git diff --name-only -- lib viz chapters)
[ "$(echo "$file" | wc -w)" -eq 1 ] || { echo "one file must be changed; git diff names: $file"; exit 1; }
git show "HEAD:$file" >"$patch.old"
for lines in 1 2 3 5 8; do
    { printf '%s\nsuite: %s\n\n' "$3" "$2"; git diff -U$lines -- "$file" | sed '1,/^index/d'; } >"$patch"
    if "${BUILD:-build}/tests/mutate" patch "$patch.old" "$patch" 2>"$patch.log" >/dev/null; then
        rm "$patch.old" "$patch.log"
        echo "$patch"
        exit 0
    fi
done
cat "$patch.log"
rm "$patch" "$patch.old" "$patch.log"
exit 1
