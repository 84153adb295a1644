#!/bin/sh
# Opens the real window under Xvfb and drives it with mouse, wheel, keys, typed text and dropped files. What is on the
# screen must be, to the pixel, what --export writes for the state that was asked for.
#
#   window.sh BUILD FILE.safetensors FOLDER      works in FOLDER, and leaves there what was seen when a check fails
#
# Nothing is waited for by the clock: a check looks until the screen is as it should be, for PATIENCE seconds at most.
set -u
build=$(cd "$1" && pwd) || exit 2
book=$(pwd)
file=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") || exit 2
folder=$(cd "$3" && pwd) || exit 2
viewer=$build/viewer screen=$build/tests/screen PATIENCE=${PATIENCE:-20}
cd "$folder" || exit 2
rm -f ./*.png ./*.svg
server='' app=''
trap '[ -z "$app" ] || kill "$app" 2>/dev/null; [ -z "$server" ] || kill "$server" 2>/dev/null' EXIT

fail()
{
    echo "window: $*"
    "$screen" rgb | convert -size 1280x800 -depth 8 rgb:- seen.png 2>/dev/null
    exit 1
}

# ---- what is seen
sum() { "$screen" rgb | cksum; }
sum_of() { convert "$1" -depth 8 rgb:- | cksum; }
late() { [ "$(date +%s)" -gt "$end" ]; }
begin() { end=$(($(date +%s) + PATIENCE)); }

# like NAME FLAG …: the screen is what --export draws with these flags
like()
{
    name=$1
    shift
    "$viewer" "$@" --export want.png 2>said || fail "$name: --export $*: $(cat said)"
    want=$(sum_of want.png)
    begin
    until [ "$(sum)" = "$want" ]; do late && differs "$name" "$*"; done
}
differs()
{
    "$screen" rgb | convert -size 1280x800 -depth 8 rgb:- seen.png
    fail "$1: $(compare -metric AE want.png seen.png null: 2>&1) pixels differ from --export with $2"
}

# changed NAME, after look: the screen has become another, and rests
look() { before=$(sum); }
changed()
{
    begin
    while [ "$(sum)" = "$before" ]; do late && fail "$1: nothing changed on the screen"; done
    rests
}
rests()
{
    last=''
    until now=$(sum) && [ "$now" = "$last" ]; do last=$now; sleep 0.15; done
}
# again NAME, after rest=$(sum): the screen has come back to that
again()
{
    begin
    until [ "$(sum)" = "$rest" ]; do late && fail "$1: the screen is not what it was before"; done
}
lives() { kill -0 "$app" 2>/dev/null || fail "$1: the viewer has ended: $(cat err)"; }

# ---- hands
key() { xdotool key --clearmodifiers "$@"; }
to() { xdotool mousemove "$1" "$2"; }
away() { to 3 400; }

# start FLAG …
start()
{
    away
    "$viewer" "$@" >out 2>err &
    app=$!
    window=$(timeout "$PATIENCE" xdotool search --sync --onlyvisible --pid $app 2>/dev/null | tail -n 1)
    [ -n "$window" ] || window=$(timeout "$PATIENCE" xdotool search --sync --onlyvisible --name . | tail -n 1)
    [ -n "$window" ] || fail "no window appeared: $(cat err)"
    xdotool windowfocus --sync "$window" 2>/dev/null
}
# ends NAME: the viewer ends by itself, with status 0
ends()
{
    begin
    while kill -0 "$app" 2>/dev/null; do late && fail "$1: the viewer does not end"; done
    wait "$app" || fail "$1: the viewer ended with $?: $(cat err)"
    app=''
}

# ---- a display of our own
rm -f display
Xvfb -displayfd 3 -noreset -screen 0 1280x800x24 3>display >/dev/null 2>&1 &
server=$!
begin
until [ -s display ]; do late && fail "Xvfb does not start"; done
DISPLAY=:$(cat display)
export DISPLAY
unset WAYLAND_DISPLAY

# ---- 1. A file: what is seen is what is exported
start "$file"
like 'a file' "$file"
key Right; like 'the key Right' "$file" --head 1
key Left Down; like 'the key Left' "$file"
key s c; like 'scale and colours' "$file" --scale head --colors cividis
key r; like 'reset' "$file"
key h m; like 'hide and largest' "$file" --hide 1 --largest
key h h h h m
key shift+Down; like 'a cell that is pinned' "$file" --cell 0,0
key shift+Down shift+Down shift+Right; like 'a cell that is moved' "$file" --cell 2,1
key Escape; like 'unpinned' "$file"
key bracketleft bracketleft; like 'a stage' "$file" --stage masked
key bracketright Tab; like 'Tab to Compare' "$file" --view compare
key Tab; like 'Tab to All heads' "$file" --view heads
key o; like 'sorted' "$file" --view heads --sort entropy
key o o o o o o o Tab; like 'Tab to One head' "$file"
key Tab; like 'Tab to Lines' "$file" --view lines
key shift+Tab; like 'and back' "$file"
key ctrl+f; xdotool type --delay 20 'it > animal'; key Return; like 'found' "$file" --find 'it > animal'
key n; key shift+n; like 'the next one and back' "$file" --find 'it > animal'
key Escape Escape; like 'found no more' "$file"
key ctrl+Down ctrl+Down ctrl+Right; like 'a cell by Ctrl' "$file" --cell 1,1
key plus minus Escape; like 'nearer and back' "$file"
key p; like 'dark' "$file" --dark
key p i; like 'formulas' "$file" --formulas
key i
key ctrl+plus; rests; key ctrl+0; like 'larger and back' "$file"
rest=$(sum)
look; key question; changed 'the list of keys'
key Escape; again 'Escape closes the list of keys'

# ---- 2. The mouse
look; to 620 400; changed 'a cell is pointed at'
hovered=$(sum)
look; xdotool click 1; changed 'a click pins'
away; rests
[ "$(sum)" != "$rest" ] || fail 'the pin went away with the mouse'
to 620 400; xdotool click 1; rest_before=$rest rest=$hovered; again 'a second click unpins'
rest=$rest_before
look; xdotool click --repeat 6 --delay 20 4; changed 'the wheel zooms'
look; xdotool mousedown 1; to 640 420; to 700 470; xdotool mouseup 1; changed 'a drag pans'
away; key f; again 'F fits'
look; to 620 400; xdotool click 4; changed 'the wheel zooms'
xdotool click 5; xdotool click 5; away; again 'and back'

# ---- 3. Sizes
look; xdotool windowsize "$window" 1 1; changed 'a window of one pixel'
xdotool windowsize "$window" 1280 800; again 'one pixel and back'
xdotool windowsize "$window" 700 500; rests; xdotool windowsize "$window" 1280 800; again 'smaller and back'
key F11; rests; lives 'full screen'
key F11; rests; lives 'full screen and back'
xdotool windowsize "$window" 1280 800 windowmove "$window" 0 0; again 'full screen and back'

# ---- 4. Saved: the pixels of the window, without the line that says so
look; key e; changed 'the key E'
saved=$(ls ./*-map.png 2>/dev/null)
[ "$(sum_of "$saved")" = "$rest" ] || fail "$saved is not what the window shows"
"$viewer" "$file" --export kind.svg || fail '--export kind.svg'
key shift+e
begin
until [ -s "${saved%.png}.svg" ]; do late && fail 'Shift+E saves nothing'; done
[ "$(head -c 4 kind.svg)" = "$(head -c 4 "${saved%.png}.svg")" ] ||
    fail 'Shift+E does not save what --export kind.svg does'
lives 'saving'
key Escape; like 'back to All heads' "$file" --view heads
key Escape; lives 'Escape does not quit'
key q; ends 'Q'

# ---- 4b. As large as the system says; xprop may be missing
start "$file" --size 640x400 --dpi 192
like 'a window of 192 dots an inch' "$file" --size 640x400 --dpi 192
key ctrl+q; ends 'Ctrl+Q'
if command -v xprop >/dev/null 2>&1; then
    xprop -root -f RESOURCE_MANAGER 8s -set RESOURCE_MANAGER 'Xft.dpi: 192'
    start "$file" --size 640x400
    like 'Xft.dpi' "$file" --size 640x400 --dpi 192
    to 620 400; rests; look; xdotool click 1; changed 'a click hits, whatever the scale'
    key q; ends 'Q'
    xprop -root -remove RESOURCE_MANAGER
fi

# ---- 5. The model: typed text, a path, dropped files
crossing='The animal did not cross the street last night because it was too'
start
like 'without a file'
key Escape; like 'unpinned' --layer 1 --head 2
look; key slash; changed 'typing begins'
xdotool key BackSpace BackSpace BackSpace BackSpace BackSpace BackSpace BackSpace
look; xdotool type --delay 20 ' wide'; changed 'typed text'
key Return
like 'another sentence' --layer 1 --head 2 --text "$crossing wide"
look; key slash; xdotool type 'r'; changed 'a word that is none'
lives 'a word that is none'
key BackSpace Return
like 'the word mended' --layer 1 --head 2 --text "$crossing wide"
key a
like 'a head that is off' --layer 1 --head 2 --off 1.2 --text "$crossing wide"

rest=$(sum)
echo 'no maps' >wrong.npy
"$screen" drop "$window" 400 300 "$folder/wrong.npy" || fail 'a dropped file is not taken'
begin
until grep -q 'wrong.npy' err; do late && fail 'a wrong file says nothing'; done
lives 'a wrong file'
key Escape; again 'a wrong file changes nothing'
look; key ctrl+o; changed 'Ctrl+O'
xdotool type --delay 5 "$file"; key Return
like 'a typed path' "$file"
"$screen" drop "$window" 400 300 "$file" || fail 'a dropped file is not taken'
rests
like 'a dropped file' "$file"
[ "$(xdotool getwindowname "$window")" != glosses ] || fail 'the title is still that of the model'
key q; ends 'Q'

# ---- 5b. A model that people have: a folder, opened and typed into
mkdir -p model
printf '%s\n' '[PAD]' '[UNK]' '[CLS]' '[SEP]' the animal did not cross street it was too tired wide >model/vocab.txt
for part in config.json model.safetensors; do
    cp "$book/data/reference/published/gpt2/$part" model/ || fail 'there is no small GPT-2'
done
start model --text 'the animal'
like 'a folder' model --text 'the animal'
key slash; xdotool type --delay 20 ' was too tired'; key Return
like 'a folder that is typed into' model --text 'the animal was too tired'
key a; like 'a head of it that is off' model --text 'the animal was too tired' --off 0.0
key shift+a; key Down Up
like 'off by the mean' model --text 'the animal was too tired' --off 0.0 --off-by mean
key q; ends 'Q'

# ---- 6. Beside a notebook: a file that is written again is followed, one that is cut ends nothing
npy()      # npy FILE SIDE: uniform weights, written in place
{
    header="{'descr': '<f4', 'fortran_order': False, 'shape': (1, $2, $2), }"
    printf '\223NUMPY\1\0\'"$(printf %o $((${#header} + 1)))"'\0%s\n' "$header" >"$1"
    head -c $((4 * $2 * $2)) /dev/zero | sed 's/\x00\x00\x00\x00/\x00\x00\x00?/g' >>"$1"
}
npy saved.npy 4
start saved.npy
like 'a file' saved.npy
npy next.npy 7
before=$(sum)
cp next.npy saved.npy
began=$(date +%s%N)
begin
while [ "$(sum)" = "$before" ]; do late && fail 'a file that is saved again is not followed'; done
followed=$((($(date +%s%N) - began) / 1000000))
key f; like 'a file that is saved again' saved.npy
[ "$followed" -le "${FOLLOW_MS:-500}" ] || fail "a file that is saved again is followed after $followed ms"
npy large.npy 2200
cp large.npy saved.npy
sleep 1; key f; like 'a large file' saved.npy
: >saved.npy
look; to 620 400; sleep 0.5; lives 'a file that is emptied'
key s; key s; sleep 1.5; lives 'a file that is gone'
cp next.npy saved.npy
away; sleep 0.7; key s; key s; like 'and back' saved.npy
printf '["one", "two", "three", "four", "five", "six", "seven"]' >saved.json
sleep 0.7; key f; like 'words beside it' saved.npy --tokens saved.json
xdotool key Caps_Lock; xdotool key s; like 'Caps Lock' saved.npy --scale head
xdotool key Caps_Lock; xdotool key S S S; like 'capitals' saved.npy
key q; ends 'Q'

# ---- 7. No display
for display in '' :4242; do
    said=$(env -u DISPLAY ${display:+"DISPLAY=$display"} "$viewer" "$file" 2>&1) &&
        fail 'without a display the viewer must fail'
    case $said in *--export*) ;; *) fail "without a display it says: $said" ;; esac
    [ "$(echo "$said" | wc -l)" -eq 1 ] || fail "without a display it says more than a sentence: $said"
done

# ---- 8. The first picture
most=${START_MS:-100}
time=$("$screen" start "$viewer") || fail 'no first picture'
[ "$time" -le "$most" ] || fail "the first picture takes $time ms; $most is the most"
rm -f want.png kind.svg said display wrong.npy saved.npy saved.json next.npy large.npy
rm -rf model
echo "window: driven, equal to the exported pictures; the first picture takes $time ms, a file that is saved again" \
    "$followed ms"
