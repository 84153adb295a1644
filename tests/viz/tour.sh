#!/bin/sh
# The pictures of viz/README.md, drawn by the viewer: tour.sh … --figures FOLDER, as the check of figures calls it.
# VIEWER and CHAPTERS name the viewer and the folder of the chapters' programs. FORMAT=svg and DARK=yes: for the site.
set -eu
while [ "$1" != --figures ]; do shift; done
folder=$2 walk=$2/walk.safetensors
mkdir -p "$folder"
picture() { name=$1; shift; "$VIEWER" "$@" ${DARK:+--dark} --export "$folder/$name.${FORMAT:-png}"; }
picture it
picture heads --view heads --layer 1 --head 2
picture lines --view lines --layer 1 --head 2
picture layers --lines layers
picture stages --stage dots
picture compare --view compare --layer 1 --head 2 --other 1.1
"$CHAPTERS/14_tiled_attention" --dump "$walk" >/dev/null
picture tiles "$walk" --frame 4
rm "$walk"
