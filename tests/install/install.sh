#!/bin/sh
# Installs into a temporary folder, uses the library from there as another project would, and uninstalls.
#
#   BUILD=build CC=cc sh tests/install/install.sh     from the Makefile (install-check), which sets MAKE, too
set -u
cd "$(dirname "$0")/../.." || exit 2
case "$(echo "${MAKEFLAGS:-}" | cut -d " " -f 1)" in -*) ;; *n*) exit 0 ;; esac # make -n, which runs recursive lines
place=$(mktemp -d) || exit 2
trap 'rm -rf "$place"' EXIT
failed=0
expect() { [ "$2" = "$3" ] || { echo "install: $1: found \"$2\", not \"$3\""; failed=1; }; }

$MAKE PREFIX="$place" BUILD="$BUILD" install >"$place.log" 2>&1 || { cat "$place.log"; rm -f "$place.log"; exit 1; }
rm -f "$place.log"
export PKG_CONFIG_PATH="$place/lib/pkgconfig"
version=$(pkg-config --modversion manyheads)
expect 'the version of a program' "$("$place/bin/manyheads-attend" --version)" "manyheads $version"
"$place/bin/manyheads-01_dot_product" >"$place/printed" || expect 'the first chapter' fails runs

# Weights e^(x/√2) of x = 1, 0 and −1, which average 1, 2 and 3.
# shellcheck disable=SC2046
(cd "$place" && $CC "$OLDPWD/tests/install/uses_library.c" $(pkg-config --cflags --libs manyheads) -o uses_library) &&
    expect 'a program that uses the library' "$("$place/uses_library")" "$version 1.5641"
[ -x "$place/uses_library" ] || failed=1

# Any header alone, with nothing but what pkg-config says. (Two of different folders may still share a name.)
for header in "$place"/include/manyheads/*/*.h; do
    # shellcheck disable=SC2046
    $CC -fsyntax-only -Wall -Wextra -Werror $(pkg-config --cflags manyheads) -x c "$header" 2>&1 | head -n 5
done >"$place/headers"
expect 'headers that do not compile' "$(cat "$place/headers")" ''

$MAKE PREFIX="$place" BUILD="$BUILD" uninstall >/dev/null
expect 'files after make uninstall' "$(cd "$place" && find . -type f | sort | paste -sd ' ')" \
    './headers ./printed ./uses_library'
[ $failed = 0 ] && echo 'install: a program uses the library through pkg-config; nothing is left after uninstall'
exit $failed
