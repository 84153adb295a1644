// The key bindings, beyond those that the scripts of test_state.c press.
#include "viz/keys.h"
#include "support/suite.h"

// Capitals are the letter, unless they have a binding of their own; Caps Lock inverts the case of what is typed.
TEST(letters_capitals_and_names)
{
    // clang-format off
    static const struct { const char *text; bool caps; Key key; } letters[] = {
        { "f", false, KEY_FIT }, { "F", false, KEY_FIT }, { "F", true, KEY_FIT }, { "f", true, KEY_FIT },
        { "e", false, KEY_SAVE }, { "E", false, KEY_SAVE_SVG }, { "E", true, KEY_SAVE }, { "e", true, KEY_SAVE_SVG },
        { "n", true, KEY_FOUND_BEFORE }, { "?", true, KEY_HELP }, { " ", false, KEY_PLAY }, { "-", false, KEY_MAP_OUT },
    };
    static const struct { const char *name; bool ctrl; Key key; } names[] = {
        { "Left", false, KEY_LEFT }, { "Left", true, KEY_LEFT }, { "F11", false, KEY_FULL_SCREEN }, { "F11", true, KEY_NONE },
        { "O", true, KEY_OPEN }, { "O", false, KEY_NONE }, { "-", true, KEY_ZOOM_OUT }, { "=", true, KEY_ZOOM_IN },
    };
    // clang-format on
    static const char *const others[] = {
        "", "x", "X", "ff", "F1", "left", "Ctrl O", "→", "many, many, many, many letters",
    };
    for (size_t n = 0; n < sizeof letters / sizeof *letters; n++)
        ck_assert_msg(key_of_letter(letters[n].text, letters[n].caps) == letters[n].key, "%s", letters[n].text);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        ck_assert_msg(key_of_name(names[n].name, names[n].ctrl) == names[n].key, "%s", names[n].name);
    for (size_t n = 0; n < sizeof others / sizeof *others; n++)
        ck_assert(!key_of_letter(others[n], false) && !key_of_name(others[n], false) && !key_of_name(others[n], true));
}

TEST(the_list_describes_all)
{
    ck_assert_int_eq(key_lines(), 35);
    for (int n = 0; n < key_lines(); n++) ck_assert(*key_line(n).keys && *key_line(n).meaning);
}
