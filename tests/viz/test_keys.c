// The key bindings: every key is reached, letters and key names are not confused, and the list describes all.
#include "viz/keys.h"

#include <check.h>
#include <stdbool.h>
#include <string.h>

static const struct {
    const char *name;
    bool ctrl;
    Key key;
} named[] = {
    { "Left", 0, KEY_LEFT },     { "Right", 0, KEY_RIGHT },
    { "Up", 0, KEY_UP },         { "Down", 0, KEY_DOWN },
    { "Home", 0, KEY_HOME },     { "End", 0, KEY_END },
    { "Enter", 0, KEY_ENTER },   { "Escape", 0, KEY_BACK },
    { "Tab", 0, KEY_TAB },       { "Backspace", 0, KEY_BACKSPACE },
    { "Delete", 0, KEY_DELETE }, { "F11", 0, KEY_FULL_SCREEN },
    { "F", 1, KEY_FIND },        { "Q", 1, KEY_QUIT },
    { "O", 1, KEY_OPEN },        { "+", 1, KEY_ZOOM_IN },
    { "=", 1, KEY_ZOOM_IN },     { "-", 1, KEY_ZOOM_OUT },
    { "0", 1, KEY_ZOOM_NONE },   { "A", 1, KEY_ALL },
    { "C", 1, KEY_COPY },        { "V", 1, KEY_PASTE },
    { "E", 1, KEY_SAVE_PAGE },
};
static const struct {
    char letter[2];
    Key key;
} typed[] = {
    { "f", KEY_FIT },        { "r", KEY_RESET },        { "s", KEY_SCALE },
    { "c", KEY_COLORS },     { "[", KEY_STAGE_BEFORE }, { "]", KEY_STAGE_AFTER },
    { "d", KEY_COMPARE },    { "a", KEY_ABLATE },       { "A", KEY_ABLATION_KIND },
    { " ", KEY_PLAY },       { "m", KEY_LARGEST },      { "h", KEY_HIDE },
    { "o", KEY_SORT },       { "/", KEY_TYPE },         { "?", KEY_HELP },
    { "e", KEY_SAVE },       { "E", KEY_SAVE_SVG },     { "w", KEY_REDUCTION },
    { "l", KEY_LINES },      { "t", KEY_DRAW_HEAD },    { "T", KEY_DRAW_ONLY_HEAD },
    { "k", KEY_BY_KEY },     { "g", KEY_PAIR },         { "v", KEY_KIND },
    { "b", KEY_HOLD },       { "E", KEY_SAVE_SVG },     { "w", KEY_REDUCTION },
    { "n", KEY_NEXT_FOUND }, { "N", KEY_FOUND_BEFORE }, { "j", KEY_ROLE },
    { "+", KEY_MAP_IN },     { "-", KEY_MAP_OUT },      { "p", KEY_DARK },
    { "i", KEY_FORMULAS },   { "q", KEY_QUIT },
};
enum { NAMED = sizeof named / sizeof *named, TYPED = sizeof typed / sizeof *typed };

START_TEST(every_key_is_reached)
{
    bool reached[KEYS] = { true };
    for (int n = 0; n < NAMED; n++) {
        ck_assert_msg(key_of_name(named[n].name, named[n].ctrl) == named[n].key, "%s", named[n].name);
        Key other = named[n].key <= KEY_DOWN ? named[n].key : KEY_NONE; // arrows are so with Ctrl, too
        ck_assert_msg(key_of_name(named[n].name, !named[n].ctrl) == other, "%s", named[n].name);
        bool letter = strchr("AOCVEFQ+-=", named[n].name[0]) && !named[n].name[1]; // which Ctrl makes another key
        if (!letter) ck_assert_int_eq(key_of_letter(named[n].name, false), KEY_NONE);
        reached[named[n].key] = true;
    }
    for (int t = 0; t < TYPED; t++) {
        ck_assert_msg(key_of_letter(typed[t].letter, false) == typed[t].key, "%s", typed[t].letter);
        ck_assert_msg(key_of_name(typed[t].letter, false) == KEY_NONE, "%s", typed[t].letter);
        Key held = typed[t].letter[0] == 'E' ? KEY_SAVE_PAGE : typed[t].letter[0] == 'A' ? KEY_ALL : KEY_NONE;
        bool zooms = strchr("+-", typed[t].letter[0]); // with Ctrl these enlarge the type
        ck_assert_msg(zooms || key_of_name(typed[t].letter, true) == held, "%s", typed[t].letter);
        reached[typed[t].key] = true;
    }
    for (int k = 0; k < KEYS; k++) ck_assert_msg(reached[k], "key %d", k);
}
END_TEST

START_TEST(other_keys_do_nothing)
{
    static const char *const others[] = {
        "", "x", "X", "ff", "F1", "left", "Ctrl O", "→", "many, many, many, many letters",
    };
    for (size_t n = 0; n < sizeof others / sizeof *others; n++) {
        ck_assert_int_eq(key_of_letter(others[n], false), KEY_NONE);
        ck_assert_int_eq(key_of_name(others[n], false), KEY_NONE);
        ck_assert_int_eq(key_of_name(others[n], true), KEY_NONE);
    }
}
END_TEST

// A capital does what its letter does, but for A, E, T and N. With Caps Lock the capital is the letter, and Shift the
// other way round.
START_TEST(capitals_are_letters)
{
    for (int t = 0; t < TYPED; t++) {
        char small[2] = { typed[t].letter[0], 0 }, large[2] = { small[0], 0 };
        if (small[0] < 'a' || small[0] > 'z') {
            if (strchr("AETN", small[0])) continue;
            ck_assert_int_eq(key_of_letter(small, true), typed[t].key);
            continue;
        }
        large[0] = (char)(small[0] - 'a' + 'A');
        Key shifted = small[0] == 'e'   ? KEY_SAVE_SVG
                      : small[0] == 't' ? KEY_DRAW_ONLY_HEAD
                      : small[0] == 'n' ? KEY_FOUND_BEFORE
                      : small[0] == 'a' ? KEY_ABLATION_KIND
                                        : typed[t].key;
        ck_assert_int_eq(key_of_letter(large, false), shifted);
        ck_assert_int_eq(key_of_letter(large, true), typed[t].key);
        ck_assert_int_eq(key_of_letter(small, true), shifted);
    }
}
END_TEST

START_TEST(the_list_has_words_for_all)
{
    ck_assert_int_eq(key_lines(), 35);
    for (int n = 0; n < key_lines(); n++) ck_assert(*key_line(n).keys && *key_line(n).meaning);
    ck_assert_str_eq(key_line(0).keys, "← →  ↑ ↓");
    ck_assert_str_eq(key_line(33).meaning, "full screen");
}
END_TEST

Suite *keys_suite(void);
Suite *keys_suite(void)
{
    Suite *suite = suite_create("viz/keys");
    TCase *keys = tcase_create("keys");
    tcase_add_test(keys, every_key_is_reached);
    tcase_add_test(keys, capitals_are_letters);
    tcase_add_test(keys, other_keys_do_nothing);
    tcase_add_test(keys, the_list_has_words_for_all);
    suite_add_tcase(suite, keys);
    return suite;
}
