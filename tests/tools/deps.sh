#!/bin/sh
# Installs what the book can use and this machine lacks: SDL2 (window), stb (PNG, glyphs), Check (tests), DejaVu
# (letters), a C++ compiler (the kernels of chapter 16 on a CPU); HarfBuzz, FriBidi and fontconfig, which pkg-config
# must find (words of every script in the viewer).
# Prints the command before it runs it, and uses sudo only when the user is not root. Nothing missing: nothing is done.
# `deps.sh mpi` only prints what would install MPI (chapters 23 and 24), `deps.sh mpi yes` how it is used.
set -u

has_header() { printf '#include <%s>\n' "$1" | ${CC:-cc} -E -x c - >/dev/null 2>&1; }
has_cxx() { printf '#include <vector>\n' | ${CXX:-g++} -std=c++17 -x c++ -c - -o /dev/null 2>/dev/null; }
has_shaping() { pkg-config --exists harfbuzz fribidi fontconfig 2>/dev/null; }
has_font()
{
    for f in /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf /usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf \
             /usr/share/fonts/TTF/DejaVuSans.ttf "$HOME/Library/Fonts/DejaVuSans.ttf" /Library/Fonts/DejaVuSans.ttf; do
        [ -e "$f" ] && return 0
    done
    return 1
}

if [ "$*" = 'mpi yes' ]; then
    echo "MPI is there: mpirun --oversubscribe -n 4 build/chapters/23_ring_attention"
    echo "(--oversubscribe: ranks may be more than processors; root adds --allow-run-as-root)"
    exit 0
elif [ "${1:-}" = mpi ]; then
    as_root=''
    [ "$(id -u)" = 0 ] || as_root='sudo '
    if command -v apt-get >/dev/null; then how="${as_root}apt-get install openmpi-bin libopenmpi-dev"
    elif command -v dnf >/dev/null; then how="${as_root}dnf install openmpi openmpi-devel"
    elif command -v pacman >/dev/null; then how="${as_root}pacman -S openmpi"
    elif command -v brew >/dev/null; then how="brew install open-mpi"
    else how="install Open MPI by hand, so that mpicc is on PATH"; fi
    echo "MPI is missing: $how"
    echo "then make again; chapters 23 and 24 run without it, too, with threads as ranks"
    exit 0
fi

sdl='' stb='' check='' font='' cxx='' shaping=''
has_header SDL2/SDL.h         || sdl=1
has_header stb/stb_truetype.h || stb=1
has_header check.h            || check=1
has_font                      || font=1
has_cxx                       || cxx=1
has_shaping                   || shaping=1
if [ -z "$sdl$stb$check$font$cxx$shaping" ]; then echo "deps: everything is there"; exit 0; fi

# missing SDL STB CHECK FONT CXX SHAPING: of this system's package names those of what is missing
missing() { echo ${sdl:+$1} ${stb:+$2} ${check:+$3} ${font:+$4} ${cxx:+$5} ${shaping:+$6}; }

as_root=''
[ "$(id -u)" = 0 ] || as_root='sudo '
if command -v apt-get >/dev/null; then
    install="${as_root}apt-get update -qq && ${as_root}env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq"
    install="$install --no-install-recommends $(missing libsdl2-dev libstb-dev check fonts-dejavu-core g++ \
        'pkg-config libharfbuzz-dev libfribidi-dev libfontconfig-dev')"
elif command -v dnf >/dev/null; then
    install="${as_root}dnf install -y $(missing SDL2-devel stb-devel check-devel dejavu-sans-fonts gcc-c++ \
        'pkgconf-pkg-config harfbuzz-devel fribidi-devel fontconfig-devel')"
elif command -v pacman >/dev/null; then
    install="${as_root}pacman -S --needed --noconfirm $(missing sdl2 stb check ttf-dejavu gcc \
        'pkgconf harfbuzz fribidi fontconfig')"
elif command -v brew >/dev/null; then
    install="brew install $(missing sdl2 stb check font-dejavu gcc 'pkgconf harfbuzz fribidi fontconfig')"
else
    echo "deps: none of apt-get, dnf, pacman, brew is here; install SDL2, stb, Check, g++ and DejaVu by hand" >&2
    exit 1
fi
echo "deps: $install"
log=$(mktemp) || exit 1
if ! sh -c "$install" >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "deps: the command above failed; the chapters still build and run without these packages (make run)" >&2
    rm -f "$log"
    exit 1
fi
rm -f "$log"
