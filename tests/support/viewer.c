#include "support/viewer.h"

#include "support/suite.h"
#include "viz/views.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char facts[1024];
static void fact(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    size_t length = strlen(facts);
    vsnprintf(facts + length, sizeof facts - length, format, list);
    va_end(list);
}

static void fact_heads(const State *s, const char *name, const unsigned char *marked)
{
    for (int h = 0; h < state_heads(s); h++)
        if (marked[h]) fact(" %s %d.%d", name, h / s->shown.document->heads, h % s->shown.document->heads);
}

static void fact_cell(const char *name, HeadCell cell, bool by_key)
{
    if (cell.row >= 0) fact(" %s %d,%d%s", name, cell.row, cell.col, by_key ? " by key" : "");
}

static void fact_shown(const State *s)
{
    const DocumentView *v = &s->shown;
    fact("%s %d.%d", view_ops(v->view)->word, v->layer, v->head);
    if (v->view == VIEW_COMPARE) fact(" and %d.%d", v->other_layer, v->other_head);
    if (v->lines) fact(" of %s", lines_scope_word(v->lines));
    if (v->pair) fact(" %s", pair_name(v->pair));
    if (v->stage != STAGE_WEIGHTS) fact(" stage %s", stage_word(v->stage));
    if (v->frame) fact(" frame %d", v->frame);
    if (v->playing) fact(" plays");
    if (v->sort != SORT_NONE) fact(" by %s", sort_word(v->sort));
    if (v->scale) fact(" scale %s", scale_word(v->scale));
    if (v->colors) fact(" %s", color_map_name(v->colors));
    if (v->hide_keys) fact(" hides %d", v->hide_keys);
    if (v->use_largest) fact(" largest");
    if (v->reduction) fact(" as %s", reduction_word(v->reduction));
    if (v->held) fact(" held");
    if (v->ablation) fact(" gives %s", ablation_word(v->ablation));
    fact_heads(s, "without", v->hidden_heads);
    fact_heads(s, "off", v->ablated);
}

const char *facts_of(const State *s)
{
    static const char *const commands[] = { "", "png", "svg", "page", "open", "full screen", "copy", "paste" };
    static const char *const typing[] = { "", "sentence", "path", "find" };
    const Selection *c = &s->selection;
    facts[0] = 0;
    fact_shown(s);
    fact_cell("pinned", c->pinned, c->pinned_by_key);
    fact_cell("pinned of both", c->pinned_aligned, false);
    fact_cell("hover", c->hover, c->hover_by_key);
    if (c->hover_aligned.row != c->hover.row) fact_cell("hover of both", c->hover_aligned, false);
    if (s->camera.zoom < 1 || s->camera.zoom > 1) fact(" zoom %.2f", s->camera.zoom);
    if (s->camera.cell_size > 0) fact(" cells of %.0f", s->camera.cell_size);
    if (s->camera.row > 0) fact(" from row %.0f", s->camera.row);
    if (s->mouse.dragging) fact(" drags");
    if (s->editing.typing) fact(" %s '%s' %d", typing[s->editing.typing], state_line(s), s->editing.caret);
    else if (s->editing.path[0]) fact(" path '%s'", s->editing.path);
    if (s->editing.selected) fact(" selected");
    if (s->editing.find.any) fact(" finds %d, %d", s->editing.find.queries.count, s->editing.find.keys.count);
    if (s->editing.found >= 0) fact(" at %d", s->editing.found);
    if (s->message.error) fact(" error: %.40s", s->message.error);
    if (s->message.status) fact(" status: %s", s->message.status);
    if (s->display.help) fact(" help");
    if (s->display.dark) fact(" dark");
    if (s->display.formulas) fact(" formulas");
    if (s->command) fact(" command: %s", commands[s->command]);
    if (s->quit) fact(" quit");
    return facts;
}

// ---- scripts

static void press_key(const State *s, ViewerSend *send, const char *word)
{
    bool shift_held = !strncmp(word, "Shift+", 6), ctrl = !strncmp(word, "Ctrl+", 5), alt = !strncmp(word, "Alt+", 4);
    const char *name = word + (shift_held ? 6 : ctrl ? 5 : alt ? 4 : 0);
    if (!strcmp(name, "Space")) name = " ";
    Key key = name[1] || ctrl ? key_of_name(name, ctrl) : KEY_NONE;
    if (key) send((Event){ EVENT_KEY, .key = key, .shift = shift_held, .ctrl = ctrl, .alt = alt });
    else send(state_event_of_text(s, name, false));
}

void viewer_script(const State *s, ViewerSend *send, bool (*other)(const char *word), const char *script)
{
    while (*script) {
        char word[256];
        bool quoted = *script == '\'';
        const char *from = quoted ? script + 1 : script;
        int length = (int)strcspn(from, quoted ? "'" : " "), times_over = 1;
        snprintf(word, sizeof word, "%.*s", length, from);
        script = from + length + (quoted && from[length]);
        script += *script == ' ';
        char *star = quoted ? NULL : strrchr(word, '*');
        if (star && star[1] && star != word) {
            times_over = atoi(star + 1);
            *star = 0;
        }
        while (times_over-- > 0)
            if (quoted) send(state_event_of_text(s, word, false));
            else if (!other || !other(word)) press_key(s, send, word);
    }
}

// ---- on files

Files files;
App *const app = &files.app;

bool viewer_tries(const char *line, Error *error)
{
    char *argv[20] = { "viewer" }, *at = arena_format(arena, "%s", line);
    int argc = 1;
    while (*line && at) {
        argv[argc++] = at;
        if ((at = strchr(at, '|'))) *at++ = 0;
    }
    ViewerOptions options;
    return viewer_options_read(&options, argc, argv, error) == FLAGS_FINE &&
           files_open(&files, &options, argc, argv, error);
}

void viewer_opens(const char *line)
{
    Error error;
    ck_assert_msg(viewer_tries(line, &error), "%s: %s", line, error.text);
}

static void send_to_files(Event event) { files_handle_event(&files, event); }
void viewer_press(const char *script) { viewer_script(&app->state, send_to_files, NULL, script); }
void viewer_facts(const char *expected) { ck_assert_str_eq(facts_of(&app->state), expected); }

void viewer_work(void)
{
    while (!files_work(&files, 0.1)) continue;
}

void viewer_draw(void)
{
    Arena *scratch = arena_open();
    app_picture(app, scratch);
    arena_close(scratch);
}
