#!/bin/sh
# Opens the real window under Xvfb, drives it with keys, and holds what is on the screen against the exported picture.
#
#   window.sh BUILD FILE.safetensors FOLDER      screenshots are left in FOLDER
set -u
viewer=$(cd "$1" && pwd)/viewer file=$2 folder=$3
fail() { echo "window: $*"; exit 1; }

# A display of our own: the first number that is free.
number=90
while [ -e /tmp/.X$number-lock ]; do number=$((number + 1)); done
Xvfb :$number -screen 0 1280x800x24 >/dev/null 2>&1 &
server=$!
trap 'kill $server 2>/dev/null' EXIT
DISPLAY=:$number
export DISPLAY
for _ in 1 2 3 4 5 6 7 8 9 10; do xdotool getdisplaygeometry >/dev/null 2>&1 && break; sleep 0.3; done

cd "$folder" || fail "no folder $folder"
"$viewer" "$file" >"$folder/viewer.out" 2>&1 &
app=$!
window=$(timeout 10 xdotool search --sync --onlyvisible --name '.' | head -n 1)
[ -n "$window" ] || fail "no window appeared: $(cat "$folder/viewer.out")"
xdotool windowmove "$window" 0 0 windowsize "$window" 1280 800
shot() { sleep 0.7; import -window root -depth 8 "$folder/$1.png" || fail "no screenshot"; }
key() { xdotool windowfocus "$window" 2>/dev/null; xdotool key --clearmodifiers "$1"; }

shot first
"$viewer" "$file" --export "$folder/export.png" --scale 1 || fail "--export failed"
differing=$(compare -metric AE "$folder/first.png" "$folder/export.png" null: 2>&1)
[ "$differing" = 0 ] || fail "$differing pixels of the window differ from the exported picture"

key Right; shot right
cmp -s "$folder/first.png" "$folder/right.png" && fail "the key Right changed nothing"
key Left; shot back
cmp -s "$folder/first.png" "$folder/back.png" || fail "Right, then Left, did not come back to the first picture"
key question; shot help
cmp -s "$folder/first.png" "$folder/help.png" && fail "the key ? changed nothing"
key Escape; shot closed
cmp -s "$folder/first.png" "$folder/closed.png" || fail "Escape did not close the list of keys"
xdotool windowsize "$window" 1 1; sleep 0.5; xdotool windowsize "$window" 1280 800; shot again
cmp -s "$folder/first.png" "$folder/again.png" || fail "1 x 1 and back did not come back to the first picture"
key e; sleep 1
ls "$folder"/weights-0.png >/dev/null 2>&1 || fail "the key E saved nothing"
key Escape
for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 $app 2>/dev/null || break; sleep 0.3; done
kill -0 $app 2>/dev/null && { kill $app; fail "Escape did not close the window"; }
wait $app || fail "the viewer ended with $?: $(cat "$folder/viewer.out")"

# No display: one sentence that names --export.
said=$(env -u DISPLAY -u WAYLAND_DISPLAY "$viewer" "$file" 2>&1) && fail "without a display the viewer must fail"
case $said in *--export*) ;; *) fail "without a display it says: $said" ;; esac
echo "window: opened, driven, equal to the exported picture"
