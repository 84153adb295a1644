#!/bin/sh
# Bad input for programs.sh, which reads this file: flags, sentences, tables, places, disks.
# shellcheck shell=sh disable=SC2154
wrong_flags()
{
    refuses_at_once 2 --nonsense --nonsense
    refuses_at_once 2 --nonsense --nonsense=3
    refuses_at_once 2 nonsense nonsense
    refuses_at_once 2 -x -x
    for seed in abc '' -1 1.5 0x10 99999999999999999999 '7 7'; do refuses_at_once 2 --seed --seed "$seed"; done
    for color in wrong '' Always; do refuses_at_once 2 --color --color "$color"; done
    for flag in seed sentence embeddings figures dump color; do
        refuses_at_once 2 "--$flag" "--$flag"
        refuses_at_once 2 "--$flag" "--$flag" --step
    done
    for flag in step view help; do refuses_at_once 2 "--$flag" "--$flag=yes"; done
}

# The chapter's own number flags, as --help lists them.
own_flags()
{
    run --help
    # shellcheck disable=SC2013
    for flag in $(sed -n 's/^  --\([a-z0-9-]*\) N\( .*\)*$/\1/p' "$tmp/out"); do
        for value in abc '' nan 1e999 -99999999999; do refuses_at_once 2 "--$flag" "--$flag" "$value"; done
        refuses_at_once 2 "--$flag" "--$flag"
    done
}

# Where the words of --sentence come from: the table of embeddings, or, of a trained model, its vocabulary.
find_words()
{
    run --help
    words=table
    tr -s ' \n' ' ' <"$tmp/out" | grep -q -- '--sentence [^-]*/vocabulary\.c' && words=model
}

# A model's words are read after the title, those of the table before it.
wrong_sentences()
{
    refuse=refuses_at_once advice='add a line'
    [ $words = model ] && refuse=refuses && advice=/vocabulary.c
    $refuse 1 xyzzy --sentence 'The xyzzy .'
    grep -q "$advice" "$tmp/err" || fail "an unknown word: no \"$advice\" in: $(cat "$tmp/err")"
    $refuse 1 empty --sentence ''
    $refuse 1 empty --sentence "  $tab$newline "
    $refuse 1 naïveté --sentence 'The naïveté .'
    $refuse 1 words --sentence "$(repeat the 10000)"
    $refuse 1 aaaaaaaa --sentence "$(repeat a 50000 | tr -d ' ')"
    [ $words = table ] && return
    $refuse 1 'write did not' --sentence "The animal didn't cross the street."
    $refuse 1 empty --sentence .
    $refuse 1 '[start]' --sentence '[start] it'
    $refuse 1 'more than 22' --sentence "$(repeat it 23)"
}

# malformed CONTENTS WHERE: a table that is refused at this place
malformed()
{
    # shellcheck disable=SC2059
    printf "$1" >"$e"
    refuses_at_once 1 "$2" --embeddings "$e"
}

wrong_embeddings()
{
    e=$tmp/words.tsv
    refuses_at_once 1 "$tmp/none.tsv" --embeddings "$tmp/none.tsv"
    refuses_at_once 1 "$tmp" --embeddings "$tmp"
    refuses_at_once 1 empty --embeddings ''
    malformed ''                                      "$e"
    malformed 'wort\tnoun\nthe\t0\n'                  "$e, line 1, column 1"
    malformed '# by hand\nword\ta\tb\nthe\t0\t0,5\n'  "$e, line 3, column 3"
    malformed 'word\tnoun\nthe\t\n'                   "$e, line 2, column 2"
    malformed 'word\tnoun\nthe\tnan\n'                "$e, line 2, column 2"
    malformed 'word\tnoun\nthe\t1e99\n'               "$e, line 2, column 2"
    malformed 'word\tnoun\tverb\nthe\t0\n'            "$e, line 2"
    malformed 'word\tnoun\nthe\t0\t0\n'               "$e, line 2, column 3"
    malformed 'word\tnoun\nthe\t0\nthe\t1\n'          "$e, line 3, column 1"
    malformed 'word\tnoun\n'                          "$e"
    malformed "$(repeat 'x\t' 3000 | tr -d ' ')"      "$e, line 1"
    head -c 5000 "$program" >"$e"
    refuses_at_once 1 "$e" --embeddings "$e"
    printf 'word\tnoun\nthe\t1\ncat\t2\n' >"$e"
    survives "$e" --embeddings "$e" --sentence 'the cat the'
}

# A file where a folder should be stops root as well; a folder without write permission stops everyone else.
unwritable_places()
{
    : >"$tmp/file"
    mkdir "$tmp/empty"
    refuses_at_once 1 "$tmp/file" --figures "$tmp/file"
    refuses_at_once 1 "$tmp/file" --figures "$tmp/file/figures"
    [ -d /proc/self ] && refuses_at_once 1 /proc/nope --figures /proc/nope
    refuses_at_once 1 empty --figures ''
    refuses 1 "$tmp/file/x" --dump "$tmp/file/x"
    refuses 1 "$tmp/none/x" --dump "$tmp/none/x"
    refuses 1 "$tmp/empty" --dump "$tmp/empty"
    refuses 1 empty --dump ''
    if [ "$(id -u)" -ne 0 ]; then
        mkdir "$tmp/locked"
        chmod 555 "$tmp/locked"
        refuses_at_once 1 "$tmp/locked/figures" --figures "$tmp/locked/figures"
        refuses 1 "$tmp/locked/x" --dump "$tmp/locked/x"
        chmod 755 "$tmp/locked"
        leaves_nothing "$tmp/locked"
    fi
    leaves_nothing "$tmp/empty"
    rm -rf "$tmp/empty" "$tmp/file" "$tmp/locked"
}

# /dev/full takes nothing; a file size limit of one block makes every larger file fail in the middle.
# shellcheck disable=SC2086
full_disks()
{
    if [ -c /dev/full ]; then
        "$program" $small >/dev/full 2>"$tmp/err"
        status=$?
        lost '>/dev/full'
        "$program" --help >/dev/full 2>"$tmp/err"
        status=$?
        lost '--help >/dev/full'
        refuses 1 /dev/full --dump /dev/full
    fi
    "$program" $small >&- 2>"$tmp/err"
    status=$?
    lost 'stdout closed'

    for flag in --dump --figures; do
        mkdir "$tmp/small"
        place=$tmp/small
        [ $flag = --dump ] && place=$tmp/small/x
        ( trap '' XFSZ; ulimit -f 1; exec "$program" $small $flag "$place" ) >/dev/null 2>"$tmp/err"
        status=$?
        if [ $flag = --figures ] && [ "$status" -eq 0 ]; then pass                     # nothing was to be drawn
        elif [ "$status" -ne 1 ]; then fail "$flag on a full disk: exit $status, not 1"
        else one_sentence "$flag on a full disk" "$place" && leaves_nothing "$tmp/small"
        fi
        rm -rf "$tmp/small"
    done
}
