// update, driven by scripts of keys and mouse as a window sends them.
#include "viz/state.h"

#include "base/portable_math.h"
#include "figure/shaping.h"
#include "support/maps.h"
#include "support/reference.h"
#include "support/viewer.h"
#include "viz/draw.h"
#include "viz/layout.h"
#include "viz/update.h"
#include "viz/views.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define must(ok) \
    do { \
        if (!(ok)) ck_abort_msg("%s", #ok); \
    } while (0)

static Document square, pair, live_one, one, wide, bare, walk, tall, strip, layers, file_one, file_two, found, others,
    roles;
static State s;
static StateBuffers buffers;
static Aligned *aligned;
static Derived *derived; // NULL until a script says "derive"

static void make_found(void)
{
    static const char *const words[] = { "The", "animal", "it", "with", "It", "animal" };
    static const char *const its[] = { "it", "it", "it", "cat", "cat", "cat" };
    static const char *const named[] = { "it, verb", NULL, "verb", "previous", "item", "previous, it" };
    enum { T = 6 };
    Mat maps[6];
    for (int h = 0; h < 6; h++) {
        maps[h] = mat_new(arena, T, T);
        for (int i = 0; i < T; i++)
            for (int j = 0; j < T; j++) {
                int key = h % 3 == 0 ? (i ? i - 1 : 0) : h % 3 == 1 ? 0 : h == 5 && i == 2 ? 1 : (i * 5 + 2) % T;
                *mat_ref(maps[h], i, j) = j == key ? 0.75f : 0.05f;
            }
    }
    found = others = roles = document_of_maps(arena, 2, 3, maps);
    found.queries = found.keys = words;
    others.queries = others.keys = its;
    roles.roles = named;
}

static void setup(void)
{
    static const unsigned char sentences[12] = { 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1 };
    static const char *const ours[] = { "a", "b", "c" }, *const theirs[] = { "a", "x", "c" };
    Random random = random_from(4);
    square = document_random(arena, &random, (Shape){ 3, 4, 12, 12, 8, 16, .causal = true, .words = true });
    one = document_random(arena, &random, (Shape){ 1, 1, 1, 1, 4, 4, .words = true });
    wide = document_random(arena, &random, (Shape){ 1, 5, 3, 7, 4, 9, .words = true });
    tall = document_random(arena, &random, (Shape){ 2, 2, 300, 300, 4, 6, .causal = true });
    strip = document_random(arena, &random, (Shape){ 1, 2, 2, 60, 4, 6, .words = false });
    Mat map = mat_of(arena, 2, 2, (float[]){ 0.25f, 0.75f, 0.5f, 0.5f }), empty = mat_new(arena, 3, 3);
    bare = document_of_maps(arena, 1, 1, &map);
    layers = document_of_maps(arena, 2, 1, (Mat[]){ map, map });
    walk = document_walk(arena, &random, 12, 4);
    pair = live_one = square;
    pair.query_sentence = pair.key_sentence = sentences;
    live_one.live = true;
    file_one = file_two = document_of_maps(arena, 1, 1, &empty);
    file_one.queries = file_one.keys = ours;
    file_two.queries = file_two.keys = theirs;
    aligned = align_documents(arena, &file_one, &file_two);
    make_found();
    s = state_of(&buffers, &square, 1280, 800, 1);
}

static void teardown(void)
{
    derived_close(derived);
    derived = NULL;
}
FIXTURE(setup, teardown);

static void send(Event event) { s = state_update(s, event, derived); }
static void mouse(EventKind kind, double x, double y) { send((Event){ kind, .x = x, .y = y }); }
static void click(double x, double y)
{
    mouse(EVENT_MOVE, x, y);
    mouse(EVENT_PRESS, x, y);
    mouse(EVENT_RELEASE, x, y);
}
static void wheel(double notches) { send((Event){ EVENT_WHEEL, .wheel = notches }); }

static State opened(const Document *d, ViewKind view)
{
    return state_with_view(state_of(&buffers, d, 1280, 800, 1), view);
}

static MapPlace map(int m)
{
    PageLayout layout = layout_of(&s);
    must(m < layout.map_count);
    return layout.maps[m];
}

// The middle of a cell of map m, in points of the window.
static void point_at(int m, int row, int col, double *x, double *y)
{
    MapPlace p = map(m);
    *x = (p.frame.x + (col + 0.5 - p.col) * p.cell_width) * s.camera.zoom;
    *y = (p.frame.y + (row + 0.5 - p.row) * p.cell_height) * s.camera.zoom;
}

#define assert_cell(cell, r, c) \
    do { \
        ck_assert_int_eq((cell).row, r); \
        ck_assert_int_eq((cell).col, c); \
    } while (0)

// ---- scripts (support/viewer.h), with words for the mouse and for events
//
//     point:5,5  click1:3,2  press  double   the mouse, on a cell of map 0 or 1
//     thumb:6  swatch:1,3  query:2 …         a click on a thumbnail, a swatch; pointing at a word of Lines

static const Document *document_named(const char *name)
{
    const struct {
        const char *name;
        const Document *is;
    } all[] = { { "square", &square }, { "pair", &pair },        { "live", &live_one }, { "one", &one },
                { "wide", &wide },     { "bare", &bare },        { "walk", &walk },     { "tall", &tall },
                { "layers", &layers }, { "aligned", &file_one }, { "found", &found },   { "others", &others },
                { "roles", &roles } };
    for (size_t n = 0; n < sizeof all / sizeof *all; n++)
        if (!strcmp(all[n].name, name)) return all[n].is;
    ck_abort_msg("no document %s", name);
    return NULL;
}

static ViewKind view_named(const char *word)
{
    ViewKind view = VIEW_HEADS;
    while (view < VIEWS && strcmp(view_ops(view)->word, word)) view++;
    return view;
}

static void open_script(const char *document, const char *view)
{
    const Document *d = document_named(document);
    s = state_of(&buffers, d, 1280, 800, 1);
    derived_close(derived);
    derived = NULL;
    if (d == &file_one) {
        s.shown.other_document = &file_two;
        s.shown.aligned = aligned;
    }
    s = state_with_view(s, view_named(view));
    ck_assert_int_eq(s.shown.view, view_named(view));
}

static void twice(double x, double y)
{
    mouse(EVENT_DOUBLE, x, y);
    mouse(EVENT_RELEASE, x, y);
}

// Where the mouse is pointed at: a thumbnail, a tab, a stage, a swatch.
static bool place_named(const char *word, double *x, double *y)
{
    PageLayout layout = layout_of(&s);
    CanvasRect at;
    int a, b;
    if (sscanf(word, "thumb%*[s:]%d", &a) == 1) at = layout_thumb(&layout, &s, a);
    else if (sscanf(word, "tab:%d", &a) == 1) at = layout.tabs[a];
    else if (sscanf(word, "stage:%d", &a) == 1) at = layout.steps[a];
    else if (sscanf(word, "swatch%*[es:]%d,%d", &a, &b) == 2) at = layout_swatch(&layout.bands[a], b);
    else if (sscanf(word, "number:%d,%d", &a, &b) == 2) {
        at = layout_swatch(&layout.bands[a], b);
        at.x += at.width + 4;
    } else if (!strcmp(word, "sentence")) at = layout.sentence;
    else return false;
    *x = at.x + 4;
    *y = at.y + 4;
    return true;
}

// Other words; false: it is a key.
static bool do_named(const char *word)
{
    double x, y, by, down;
    int m = 0, a, b;
    PageLayout layout = layout_of(&s);
    if (place_named(word, &x, &y)) {
        if (!strncmp(word, "thumbs", 6)) mouse(EVENT_DOUBLE, x, y);
        else click(x, y);
        if (!strncmp(word, "swatches", 8)) twice(x, y);
    } else if (sscanf(word, "point%d:%d,%d", &m, &a, &b) == 3 || sscanf(word, "point:%d,%d", &a, &b) == 2 ||
               sscanf(word, "click%d:%d,%d", &m, &a, &b) == 3 || sscanf(word, "click:%d,%d", &a, &b) == 2) {
        point_at(m, a, b, &x, &y);
        if (word[0] == 'c') click(x, y);
        else mouse(EVENT_MOVE, x, y);
    } else if (sscanf(word, "query:%d", &a) == 1 || sscanf(word, "key:%d", &a) == 1) {
        CanvasRect at = layout.bands[0].curves;
        x = at.x + (word[0] == 'k' ? 0.9 : 0.1) * at.width;
        mouse(EVENT_MOVE, x, layout.lines.y + (a - layout.line_first + 0.5) * layout.line_step);
    } else if (sscanf(word, "drag:%lf,%lf", &by, &down) == 2) mouse(EVENT_MOVE, s.mouse.x + by, s.mouse.y + down);
    else if (sscanf(word, "let-go:%lf", &by) == 1) mouse(EVENT_RELEASE, s.mouse.x + by, s.mouse.y);
    else if (sscanf(word, "wheel:%lf", &by) == 1) send((Event){ EVENT_WHEEL, .wheel = by });
    else if (sscanf(word, "ablate:%d", &a) == 1) s.shown.ablated[a] = 1;
    else if (!strcmp(word, "double")) twice(s.mouse.x, s.mouse.y);
    else if (!strcmp(word, "press")) mouse(EVENT_PRESS, s.mouse.x, s.mouse.y);
    else if (!strcmp(word, "release")) mouse(EVENT_RELEASE, s.mouse.x, s.mouse.y);
    else if (!strcmp(word, "leave")) mouse(EVENT_LEAVE, 0, 0);
    else if (!strcmp(word, "tick")) send((Event){ .kind = EVENT_TICK });
    else if (!strcmp(word, "wrong")) send((Event){ EVENT_ERROR, .text = "wrong" });
    else if (!strcmp(word, "written")) send((Event){ EVENT_STATUS, .text = "written" });
    else if (!strcmp(word, "usual")) s.shown.usual_scale = SCALE_LOG;
    else if (!strcmp(word, "derive")) {
        derived = derived_open();
        derived_prepare(derived, s.shown.document, state_wanted(&s), (double)INFINITY);
    } else if (!strcmp(word, "second")) s.shown.other_document = &wide;
    else if (!strncmp(word, "document:", 9)) send((Event){ EVENT_DOCUMENT, .document = document_named(word + 9) });
    else return false;
    return true;
}

static void run_script(const char *script) { viewer_script(&s, send, do_named, script); }

// clang-format off
static const struct {
    const char *document, *view, *script, *facts;
} scripts[] = {
    // Heads and layers stop at the ends.
    { "square", "head", "Right Down Down", "head 2.1" },
    { "square", "head", "Right*9 Down*9", "head 2.3" },
    { "square", "head", "End Left Up", "head 1.2" },
    { "square", "compare", "End Left Up", "compare 1.2 and 0.1" },
    // Tab goes through the views that the document has, and round.
    { "square", "heads", "Tab Tab", "lines 0.0" },
    { "square", "heads", "Tab*5", "heads 0.0" },
    { "square", "heads", "Shift+Tab", "compare 0.0 and 0.1" },
    { "one", "head", "Tab*3", "head 0.0" },
    { "bare", "head", "Tab Tab", "head 0.0" },
    { "bare", "head", "Shift+Tab", "lines 0.0" },
    { "walk", "heads", "Shift+Tab", "tiles 0.0" },
    { "square", "head", "tab:4", "compare 0.0 and 0.1" },
    // A head is opened by Enter, a double click, or in the strip.
    { "square", "heads", "thumb:6 thumbs:6", "head 1.2 hover 3,6" },
    // Escape undoes help, error, pin, zoom, view, one at a time, and never quits.
    { "square", "stages", "[ point:5,5 wheel:3 click:5,5 ? wrong", "stages 0.0 stage masked pinned 5,5 hover 5,5 cells of 64 from row 2 error: wrong help" },
    { "square", "stages", "[ point:5,5 wheel:3 click:5,5 ? wrong Escape", "stages 0.0 stage masked pinned 5,5 hover 5,5 cells of 64 from row 2 error: wrong" },
    { "square", "stages", "[ point:5,5 wheel:3 click:5,5 ? wrong Escape Escape", "stages 0.0 stage masked pinned 5,5 hover 5,5 cells of 64 from row 2" },
    { "square", "stages", "[ point:5,5 wheel:3 click:5,5 ? wrong Escape Escape Escape", "stages 0.0 stage masked hover 5,5 cells of 64 from row 2" },
    { "square", "stages", "[ point:5,5 wheel:3 click:5,5 ? wrong Escape Escape Escape Escape", "stages 0.0 stage masked hover 5,5" },
    { "square", "stages", "[ point:5,5 wheel:3 click:5,5 ? wrong Escape Escape Escape Escape Escape", "heads 0.0 stage masked" },
    { "square", "stages", "[ point:5,5 wheel:3 click:5,5 ? wrong Escape Escape Escape Escape Escape Escape Escape", "heads 0.0 stage masked status: Q or Ctrl+Q quits." },
    { "one", "lines", "Escape Escape", "head 0.0 status: Q or Ctrl+Q quits." },
    { "walk", "head", "Shift+Down Space Shift+Right Enter", "tiles 0.0 frame 1 plays pinned 0,0" },
    { "walk", "head", "Shift+Down Space Escape Escape", "heads 0.0 pinned 0,0 status: Q or Ctrl+Q quits." },
    // Keys that go round.
    { "square", "head", "s s", "head 0.0 scale log" },
    { "square", "head", "s*4", "head 0.0" },
    { "square", "head", "c c", "head 0.0 magma" },
    { "square", "head", "h*4", "head 0.0 hides 8" },
    { "square", "head", "o*7", "head 0.0 by role" },
    { "square", "head", "o*8", "head 0.0" },
    { "square", "head", "m", "head 0.0 largest" },
    { "square", "head", "? c", "head 0.0 cividis" },
    { "square", "head", "e", "head 0.0 command: png" },
    { "square", "head", "E", "head 0.0 command: svg" },
    { "square", "head", "F11", "head 0.0 command: full screen" },
    { "square", "head", "i", "head 0.0 formulas" },
    { "square", "head", "p", "head 0.0 dark" },
    { "square", "head", "Ctrl+Q", "head 0.0 quit" },
    // The window zooms between 50 % and 300 %.
    { "square", "head", "Ctrl++*40", "head 0.0 zoom 3.00" },
    { "square", "head", "Ctrl++*3 Ctrl+0", "head 0.0" },
    // Stages. The first key only opens the view; nothing is pinned where columns are not keys.
    { "square", "head", "] [*5", "stages 0.0 stage dots" },
    { "square", "head", "[ stage:5", "stages 0.0 stage out" },
    { "wide", "stages", "]*2 click:0,2 Shift+Right Enter", "stages 0.1 stage out" },
    // Reset brings back scales and sizes, and keeps head, view, window zoom and ablation.
    { "square", "head", "Right Ctrl++ s c h o m Shift+Down ablate:5 point:6,6 wheel:4", "head 0.1 by entropy scale head cividis hides 1 largest off 1.1 pinned 0,0 hover 6,6 zoom 1.10 cells of 58 from row 3" },
    { "square", "head", "Right Ctrl++ s c h o m Shift+Down ablate:5 point:6,6 wheel:4 r", "head 0.1 off 1.1 hover 6,6 zoom 1.10" },
    { "square", "head", "usual s r", "head 0.0 scale log" },
    // Compare: Shift and arrows choose the second head; the same head only when asked for.
    { "square", "head", "d Shift+Right*9 Shift+Down*9", "compare 0.0 and 2.3" },
    { "square", "head", "d Shift+Left*9 Shift+Up*9", "compare 0.0 and 0.0" },
    { "square", "head", "d Shift+Left d d", "compare 0.0 and 0.1" },
    { "one", "head", "second d Shift+Right*9 Shift+Down*9", "compare 0.0 and 0.4" },
    // What needs a model says so.
    { "square", "head", "a", "head 0.0 error: A head can be switched off only where a " },
    { "square", "head", "b", "head 0.0 error: A sentence can be held only where a mode" },
    { "square", "head", "v", "head 0.0 error: This file has attention of one kind; enc" },
    { "live", "head", "b b", "head 0.0" },
    { "live", "head", "second b", "head 0.0 error: A second file is open: there is no place" },
    // Tiles are stepped and played to the end.
    { "walk", "tiles", "Right Down Right Up Left End", "tiles 0.2 frame 2" },
    { "walk", "tiles", "End tick Home tick", "tiles 0.0" },
    { "walk", "tiles", "Space tick Space tick", "tiles 0.0 frame 1" },
    { "walk", "tiles", "Space Tab", "heads 0.0" },
    // Lines of one head, a layer, all layers; heads are drawn or not.
    { "square", "head", "l L", "lines 0.0 of layer" },
    { "square", "head", "l*4", "lines 0.0" },
    { "square", "lines", "t", "lines 0.0 error: Heads are drawn or not in Lines of sever" },
    { "square", "lines", "l Down Right*2 t t", "lines 1.2 of layer" },
    { "square", "lines", "l l swatch:1,3 swatch:1,3", "lines 0.0 of layers" },
    { "square", "lines", "l l swatches:0,1 swatches:0,1", "lines 0.0 of layers" },
    { "square", "lines", "l Down number:0,2", "lines 1.0 of layer without 1.2" },
    // A word on the left attends, one on the right is attended to; K turns to that.
    { "wide", "lines", "key:5 press release query:2 press release", "lines 0.0 pinned 2,2 hover 2,2" },
    { "wide", "lines", "query:2 press release key:2 press release press release", "lines 0.0 hover 2,2 by key" },
    { "square", "head", "click:5,2 k K k Shift+Right", "lines 0.0 pinned 5,3 by key hover 5,5" },
    // Two sentences in one.
    { "square", "lines", "g", "lines 0.0 error: These words are of one sentence: there i" },
    { "pair", "head", "g*5", "head 0.0" },
    { "pair", "heads", "g", "lines 0.0 A → A" },
    { "pair", "lines", "g g document:wide", "lines 0.0" },
    // Compare of two files: cells in aligned indices; one that only the second has can be pinned.
    { "aligned", "compare", "point1:3,3", "compare 0.0 and 0.0 hover 2,2 hover of both 3,3" },
    { "aligned", "compare", "click1:2,0 leave Escape", "compare 0.0 and 0.0" },
    { "aligned", "compare", "click:3,0 click:3,0", "compare 0.0 and 0.0 hover 2,0 hover of both 3,0" },
    { "aligned", "compare", "click1:2,2 d", "head 0.0" },
    // A click pins, a second unpins; Shift and arrows move the pin.
    { "square", "head", "click:7,3 click:2,1", "head 0.0 pinned 2,1 hover 2,1" },
    { "square", "head", "click:4,4 double", "head 0.0 hover 4,4" },
    { "square", "head", "point:4,4 press let-go:40", "head 0.0 hover 4,5" },
    { "square", "head", "Shift+Right*2 Shift+Down*2 Shift+Left*2", "head 0.0 pinned 2,0" },
    { "square", "head", "Shift+Down*30 Shift+Right*30", "head 0.0 pinned 11,11" },
    { "square", "head", "click:3,1 o*7 Escape", "head 0.0 hover 3,1" },
    // Text is keys until a line is typed; then arrows, Home, End, Backspace and Delete are those of the line.
    { "square", "head", "Ctrl+O 'ä中🙂x' Left*9 Right*3", "head 0.0 path 'ä中🙂x' 9" },
    { "square", "head", "Ctrl+O 'ä中🙂x' Home Backspace Delete Right 'é' Right Backspace", "head 0.0 path '中éx' 5" },
    { "square", "head", "Ctrl+O 'abc' End Delete Backspace*4 Left", "head 0.0 path '' 0" },
    { "square", "head", "Ctrl+O 'abc' Down Ctrl++", "head 1.0 zoom 1.10 path 'abc' 3" },
    { "square", "head", "Ctrl+O 'abc' Ctrl+A Right", "head 0.0 path 'abc' 3" },
    { "square", "head", "Ctrl+O 'abc' Ctrl+A Ctrl+C", "head 0.0 path 'abc' 3 selected command: copy" },
    { "square", "head", "Ctrl+O 'abc' Ctrl+A 'é'", "head 0.0 path 'é' 2" },
    { "square", "head", "Ctrl+O 'abc' Ctrl+A Backspace", "head 0.0 path '' 0" },
    { "square", "head", "Ctrl+O 'abc' Ctrl+A Escape", "head 0.0 path 'abc'" },
    { "square", "head", "Ctrl+O 'a/b' Escape Ctrl+O End 'c' Enter", "head 0.0 path 'a/bc' command: open" },
    { "square", "head", "Ctrl+O 'x.npy' Enter Ctrl+O 'y'", "head 0.0 path 'y' 1 command: open" },
    { "square", "head", "Ctrl+O sentence click:0,0", "head 0.0 pinned 0,0 hover 0,0" },
    { "square", "head", "Ctrl+O Ctrl+V", "head 0.0 path '' 0 command: paste" },
    // What is pasted becomes one line.
    { "square", "head", "Ctrl+O 'a\nb\r\n\n'", "head 0.0 path 'a b' 3" },
    { "square", "head", "Ctrl+O 'a\x01\x7f""b'", "head 0.0 path 'a  b' 4" },
    { "square", "head", "Ctrl+O '\xff""ä\xc3'", "head 0.0 path ' ä ' 4" },
    // Wheel and drag.
    { "tall", "head", "point:150,100 wheel:4 wheel:1*60", "head 0.0 hover 150,100 cells of 64 from row 146" },
    { "tall", "head", "point:150,100 wheel:4 wheel:-1*80", "head 0.0 hover 150,100" },
    { "tall", "head", "point:150,100 wheel:5 f", "head 0.0 hover 150,100" },
    { "tall", "lines", "query:3 wheel:-1", "lines 0.0 hover 6,6 from row 3" },
    { "tall", "lines", "query:3 wheel:-1*999 wheel:1*999", "lines 0.0 hover 3,3" },
    { "square", "head", "point:3,3 press drag:90,20 let-go:90", "head 0.0 hover 4,8" },
    // Messages stay until the next key or click.
    { "square", "head", "written click:3,3", "head 0.0 pinned 3,3 hover 3,3" },
    { "square", "head", "written wrong", "head 0.0 error: wrong" },
    { "square", "head", "wrong Left", "head 0.0" },
    { "square", "head", "? click:3,3", "head 0.0 hover 3,3" },
    // A smaller document clamps what is looked at, and ends typing and playing.
    { "square", "stages", "[ End click:9,9 Ctrl+O document:wide", "stages 0.3 stage masked path '' 0" },
    { "square", "compare", "End Shift+Right*9 Shift+Down*9 document:layers", "compare 1.0 and 1.0" },
    { "square", "stages", "[ End document:bare", "head 0.0" },
    { "walk", "tiles", "End Space document:square", "head 0.2" },
    { "tall", "head", "click:90,80 document:square", "head 0.0 hover 2,1" },
    // Search, and heads of one role. Heads x.0 look at the token before, x.1 at the first; 1.2 from "it" to "animal".
    { "found", "head", "Ctrl+F 'i'", "head 0.0 find 'i' 1 finds 5, 5" },
    { "found", "head", "Ctrl+F 'it' Enter n*4", "head 0.0 pinned 2,1 finds 2, 2 at 0" },
    { "found", "head", "Ctrl+F 'it' Enter N", "head 0.0 pinned 5,4 by key finds 2, 2 at 3" },
    { "found", "head", "Ctrl+F 'it' Enter Ctrl+F 'The' Escape", "head 0.0 pinned 2,1" },
    { "found", "head", "n", "head 0.0 error: Nothing is looked for: Ctrl+F takes a wo" },
    { "found", "head", "Ctrl+F 'zebra' Enter", "head 0.0 finds 0, 0 error: That is not among the words of these map" },
    { "found", "head", "Ctrl+F 'it > animal' Enter n n", "head 0.0 by found pinned 4,1 finds 2, 2 at 2" },
    { "found", "head", "Ctrl+F 'it > animal' Enter o*9", "head 0.0 by cell pinned 2,1 finds 2, 2 at 0" },
    { "found", "head", "Ctrl+F 'it > animal' Enter Escape Escape", "head 0.0" },
    { "found", "head", "Ctrl+F 'it' Enter document:others", "head 0.0 pinned 2,1 finds 3, 3 at 0" },
    { "found", "lines", "Ctrl+F 'it' Enter n n N", "lines 0.0 pinned 4,3 finds 2, 2 at 1" },
    { "found", "head", "j", "head 0.0 status: What the heads do is not known yet." },
    { "found", "head", "derive j j", "head 0.0" },
    { "found", "head", "derive Down Right*2 j", "head 0.0" },
    { "roles", "head", "j j", "head 1.0" },
    { "roles", "head", "Down Right j", "head 1.1 status: No other head has this role." },
};
// clang-format on

TEST(scripts_lead_to_their_states)
{
    for (size_t n = 0; n < sizeof scripts / sizeof *scripts; n++) {
        open_script(scripts[n].document, scripts[n].view);
        run_script(scripts[n].script);
        ck_assert_msg(!strcmp(facts_of(&s), scripts[n].facts), "%s, %s: %s\n   is: %s\n  not: %s", scripts[n].document,
                      scripts[n].view, scripts[n].script, facts_of(&s), scripts[n].facts);
    }
}

// ---- layouts

// 6 layers of 12 heads: nothing stays empty while the pictures are small, and a click finds the head that is drawn.
TEST_EACH(thumbnails_fill_their_area, 4)
{
    static const double sizes[][3] = { { 1280, 800, 32 }, { 1280, 800, 72 }, { 800, 600, 40 }, { 1600, 1200, 40 } };
    Document many = document_random(arena, &random_state, (Shape){ 6, 12, 8, 8, 4, 8, .words = true });
    ViewKind view = _i == 1 || _i == 2 ? VIEW_HEADS : VIEW_HEAD;
    s = state_with_view(state_of(&buffers, &many, sizes[_i][0], sizes[_i][1], 1), view);
    PageLayout layout = layout_of(&s);
    const ThumbLayout *t = &layout.thumbs;
    ck_assert(t->wide >= sizes[_i][2] && t->tall <= t->frame.height + 0.5 && t->tall >= 0.7 * t->frame.height);
    for (int place = 0; place < 72; place++) {
        CanvasRect at = layout_thumb(&layout, &s, place);
        ck_assert(at.x >= t->frame.x && at.x + at.width <= t->frame.x + t->frame.width + 0.5);
        ck_assert_int_eq(layout_hit(&layout, &s, NULL, at.x + 2, at.y + 2).head, place);
        if (t->above == 0 || place % 12) continue;
        double name = layout_layer_name(&layout, &s, place / 12); // over its row, under the row before
        ck_assert(name <= at.y - 4 && name - 9 >= t->frame.y);
        if (place) ck_assert(name - 9 >= layout_thumb(&layout, &s, place - 1).y + t->high);
    }
    ck_assert(_i != 1 || (t->edges && !t->names));
}

// As many bands as there is room for, around the layer at hand.
TEST(many_layers_are_shown_in_part)
{
    Mat maps[60];
    for (int l = 0; l < 60; l++) maps[l] = mat_new(arena, 3, 3);
    Document deep = document_of_maps(arena, 60, 1, maps);
    for (int at = 0; at < 60; at += 1 + 28 * (at > 0 && at < 58))
        for (double width = 300; width <= 2600; width += 460) {
            s = state_with_view(state_of(&buffers, &deep, width, 700, 1), VIEW_LINES);
            s.shown.lines = LINES_LAYERS;
            s.shown.layer = at;
            PageLayout layout = layout_of(&s);
            int n = layout.band_count, top = layout.bands[0].layer, low = layout.bands[n - 1].layer;
            ck_assert(n >= 1 && n <= BANDS_MOST && top - low == n - 1 && (n > 5 || width < 500));
            ck_assert(low >= 0 && top < 60 && low <= at && at <= top);
            ck_assert(layout.bands[n - 1].curves.x + layout.bands[n - 1].curves.width < width);
        }
}

// ---- the mouse on a map

static const struct {
    Document *of;
    ViewKind view;
    int m;
    double width, height, pixels, zoom;
} places[] = {
    { &square, VIEW_HEAD, 0, 1280, 800, 1, 1 },      { &square, VIEW_HEAD, 0, 1280, 800, 2, 1.5 },
    { &square, VIEW_STAGES, 0, 900, 700, 1, 1 },     { &square, VIEW_COMPARE, 0, 1280, 800, 1, 1 },
    { &square, VIEW_COMPARE, 2, 1600, 900, 1, 0.8 }, { &one, VIEW_HEAD, 0, 1280, 800, 1, 1 },
    { &wide, VIEW_HEAD, 0, 1280, 800, 1, 1 },        { &wide, VIEW_COMPARE, 1, 1280, 800, 1, 1 },
    { &tall, VIEW_HEAD, 0, 1280, 800, 1, 1 },        { &strip, VIEW_HEAD, 0, 1280, 800, 1, 1 },
    { &strip, VIEW_COMPARE, 2, 1280, 800, 1, 1.2 },  { &tall, VIEW_HEAD, 0, 700, 300, 1, 1 },
    { &tall, VIEW_COMPARE, 1, 1280, 800, 2, 1 },     { &tall, VIEW_HEAD, 0, 1280, 800, 1, 2.5 },
};
enum { PLACES = sizeof places / sizeof *places };

static void open_place(int p)
{
    s = state_with_view(state_of(&buffers, places[p].of, places[p].width, places[p].height, places[p].pixels),
                        places[p].view);
    s.camera.zoom = places[p].zoom;
    ck_assert_int_eq(s.shown.view, places[p].view);
}

TEST_EACH(hover_gives_the_cell, PLACES)
{
    open_place(_i);
    MapPlace p = map(places[_i].m);
    double x, y;
    for (int row = 0; row < p.rows; row += 1 + p.rows / 20)
        for (int col = 0; col < p.cols; col += 1 + p.cols / 20) {
            point_at(places[_i].m, row, col, &x, &y);
            mouse(EVENT_MOVE, x, y);
            must(s.selection.hover.row == row && s.selection.hover.col == col);
        }
    double z = s.camera.zoom, right = p.frame.x + p.frame.width, low = p.frame.y + p.frame.height;
    mouse(EVENT_MOVE, (right - 0.01) * z, (low - 0.01) * z);
    assert_cell(s.selection.hover, p.rows - 1, p.cols - 1);
    const double outside[][2] = {
        { p.frame.x - 1, low - 1 }, { right - 1, p.frame.y - 1 }, { right + 1, low - 1 }, { right - 1, low + 1 }
    };
    for (int k = 0; k < 4; k++) {
        mouse(EVENT_MOVE, outside[k][0] * z, outside[k][1] * z);
        ck_assert_int_lt(s.selection.hover.row, 0);
    }
}

// Where on the map the mouse stands, in cells.
static void under_mouse(const MapPlace *p, double *row, double *col)
{
    *row = p->row + (s.mouse.y / s.camera.zoom - p->frame.y) / p->cell_height;
    *col = p->col + (s.mouse.x / s.camera.zoom - p->frame.x) / p->cell_width;
}

// Stays where it was, unless the map has come to an edge of its frame.
static void check_kept(double before, double after, double first, double seen, int all)
{
    bool at_edge = first <= 0 || first >= all - seen - 1e-9;
    if (!at_edge && fabs(before - after) > 1e-9) ck_abort_msg("%.12g became %.12g", before, after);
}

TEST_EACH(the_wheel_keeps_the_cell_under_the_mouse, PLACES)
{
    Random random = random_from((uint64_t)_i);
    int m = places[_i].m, kept = 0;
    for (int round = 0; round < 60; round++) {
        open_place(_i);
        MapPlace p = map(m);
        double u = (double)random_uniform(&random), v = (double)random_uniform(&random), row, col, row_after, col_after;
        mouse(EVENT_MOVE, (p.frame.x + u * p.frame.width) * s.camera.zoom,
              (p.frame.y + v * p.frame.height) * s.camera.zoom);
        for (int step = 0; step < 30; step++) {
            p = map(m);
            if (!layout_holds(p.frame, s.mouse.x / s.camera.zoom, s.mouse.y / s.camera.zoom)) break;
            under_mouse(&p, &row, &col);
            wheel(step < 20 ? random_below(&random, 3) : -random_below(&random, 4));
            p = map(m);
            under_mouse(&p, &row_after, &col_after);
            if (p.cell_width <= layout_of(&s).room.fit) continue;
            check_kept(row, row_after, p.row, p.frame.height / p.cell_height, p.rows);
            check_kept(col, col_after, p.col, p.frame.width / p.cell_width, p.cols);
            kept += p.row > 0 && p.col > 0;
        }
    }
    if (places[_i].of == &tall) ck_assert_int_gt(kept, 300);
}

TEST(a_drag_pans_and_does_not_pin)
{
    open_script("tall", "head");
    run_script("point:150,150 wheel:12");
    MapPlace before = map(0);
    HeadCell held = s.selection.hover;
    run_script("press drag:2,0"); // a hand that trembles does not drag
    ck_assert(map(0).col == before.col);
    run_script("drag:48,-30 drag:20,-10");
    ck_assert_double_eq_tol(map(0).col, before.col - 70 / before.cell_width, 1e-9);
    ck_assert_double_eq_tol(map(0).row, before.row + 40 / before.cell_height, 1e-9);
    assert_cell(s.selection.hover, held.row, held.col); // the cell goes with the mouse
    run_script("release");
    double col = map(0).col;
    run_script("drag:-70,40"); // the button is up
    ck_assert(s.selection.pinned.row < 0 && !s.mouse.dragging && map(0).col == col);
    run_script("press drag:1e6,-1e6 release"); // beyond the edge
    ck_assert(map(0).col == 0 && s.selection.pinned.row < 0);
}

TEST(lists_are_scrolled)
{
    enum { HEADS = 1600 };
    Mat *maps = arena_alloc(arena, HEADS * sizeof *maps);
    for (int n = 0; n < HEADS; n++) maps[n] = mat_new(arena, 4, 4);
    Document many = document_of_maps(arena, 40, 40, maps);
    s = state_with_view(state_of(&buffers, &many, 640, 400, 1), VIEW_HEADS);
    PageLayout layout = layout_of(&s);
    mouse(EVENT_MOVE, 300, 200);
    run_script("wheel:-2");
    ck_assert(s.camera.scroll == 80);
    run_script("wheel:-3*99");
    ck_assert_double_eq(s.camera.scroll, layout.thumbs.tall - layout.thumbs.frame.height);
    run_script("wheel:2*99");
    ck_assert(s.camera.scroll == 0);
}

// ---- typing

// Letters of several code points are one. In Hebrew the arrows go where they point; what is typed goes on to the left.
TEST(caret_moves_by_letters)
{
    static const struct {
        const char *script, *line;
        int caret;
    } steps[] = {
        { "Ctrl+O 'שלe\u0301'", "שלe\u0301", 7 },
        { "Backspace 'ום'", "שלום", 8 },
        { "Right*3", "שלום", 2 },
        { "Right*2", "שלום", 0 },
        { "Left*3", "שלום", 6 },
        { "Left*2 Backspace Home Delete", "לו", 0 },
        { "'o\u0302'", "o\u0302לו", 3 },
        { "Home Delete", "לו", 0 },
    };
    if (!shaping_use() || !canvas_font_name()) return;
    for (size_t n = 0; n < sizeof steps / sizeof *steps; n++) {
        run_script(steps[n].script);
        ck_assert_str_eq(s.editing.path, steps[n].line);
        ck_assert_int_eq(s.editing.caret, steps[n].caret);
    }
    shaping_shape_by(NULL);
}

TEST(a_full_line_takes_no_more)
{
    run_script("Ctrl+O");
    for (int k = 0; k < TEXT_BYTES; k++) run_script("'ab'");
    run_script("'中'"); // does not fit, and is not cut
    ck_assert_uint_eq(strlen(s.editing.path), TEXT_BYTES - 2);
    run_script("'c' 'd'");
    ck_assert_uint_eq(strlen(s.editing.path), TEXT_BYTES - 1);
}

// The heads that look from the pinned query to the pinned key come first.
TEST(heads_are_sorted_by_the_pinned_cell)
{
    int order[12];
    open_script("square", "head");
    run_script("click:3,1 o*7");
    ck_assert(s.shown.sort == SORT_CELL && state_heads(&s) == 12);
    layout_order(order, &s, NULL);
    for (int n = 0; n < 12; n++) {
        double here = state_cell_of_head(&s, order[n]);
        ck_assert_double_eq(here, (double)field_at(document_maps(&square), order[n] / 4, order[n] % 4, 3, 1));
        if (n) ck_assert(here <= state_cell_of_head(&s, order[n - 1]) && order[n] != order[n - 1]);
    }
}

// ---- a model

// The sentence is held with the maps that it had; another is typed beside it.
TEST(a_sentence_is_held_beside_another)
{
    viewer_opens("--text|the animal");
    const State *at = &app->state;
    viewer_press("Home Right b");
    ck_assert(at->shown.head == 1 && at->shown.other_head == 1 && at->shown.view == VIEW_COMPARE && app->held);
    ck_assert(at->shown.other_document == &app->other_document && at->shown.aligned->same);
    ck_assert_str_eq(app->other_document.source, "the animal");
    viewer_press("' cross' Enter");
    ck_assert(app->document.T == app->other_document.T + 1 && at->shown.aligned->rows.count == app->document.T);
    viewer_press("Right");
    ck_assert(at->shown.head == at->shown.other_head);
    viewer_press("a b"); // the held sentence is not ablated
    ck_assert(!at->shown.held && !at->shown.other_document && !app->other_arena && !at->shown.aligned);
    viewer_press("b / Escape w");
    ck_assert(at->shown.other_document == &app->reduced_other &&
              app->reduced_other.reduced_from == &app->other_document);
    viewer_draw();
    files_close(&files);
    viewer_opens("--text|the animal|--other-text|the street");
    ck_assert(app->held && at->shown.view == VIEW_COMPARE && !strcmp(app->other_document.keys[2], "street"));
    files_close(&files);
    Error error;
    ck_assert(!viewer_tries("--text|the animal|--other-text|the nonsense", &error) && strstr(error.text, "nonsense"));
}

// The last maps stay while the line holds no sentence.
TEST(maps_follow_what_is_typed)
{
    static const struct {
        const char *script, *sentence;
        int T;
        bool wrong;
    } steps[] = {
        { "/", "the animal", 4, false },
        { "' tire'", "the animal tire", 4, true },
        { "'d'", "the animal tired", 5, false },
        { "'ä' '中' '🙂'", "the animal tiredä中🙂", 5, true },
        { "Backspace*3", "the animal tired", 5, false },
        { "Home Delete*16", "", 5, true },
        { "'the animal' Enter", "the animal", 4, false },
        { "Ctrl+V 'the animal did not\n' Enter", "the animal did not", 6, false },
    };
    viewer_opens("--text|the animal");
    for (size_t n = 0; n < sizeof steps / sizeof *steps; n++) {
        viewer_press(steps[n].script);
        ck_assert_str_eq(app->state.editing.sentence, steps[n].sentence);
        ck_assert_int_eq(app->state.message.error != NULL, steps[n].wrong);
        if (n != 5) ck_assert_int_eq(app->document.T, steps[n].T);
    }
    ck_assert(!app->state.editing.typing && app->state.command == COMMAND_PASTE);
    files_close(&files);
}

TEST(a_head_is_switched_off_and_on)
{
    viewer_opens("--text|the animal|--layer|1|--head|2");
    double loss = app->document.loss;
    viewer_press("a");
    ck_assert(app->state.shown.ablated[6] && app->document.loss != loss && app->document.whole_loss == loss);
    viewer_press("a");
    ck_assert(!app->state.shown.ablated[6] && app->document.loss == loss);
    files_close(&files);
}

// ---- another document, another window

TEST(impossible_window_sizes)
{
    static const double sizes[][3] = { { 0, 0, 1 }, { -5, 3, 0 }, { 1e300, 1e300, 1e300 }, { 1, 16000, 64 } };
    for (int k = 0; k < 4; k++) {
        send((Event){ EVENT_RESIZE, .x = sizes[k][0], .y = sizes[k][1], .pixels = sizes[k][2] });
        must(s.camera.width >= 1 && s.camera.height >= 1 && s.camera.pixels >= 0.25);
        must(s.camera.width * s.camera.pixels < 32768 && s.camera.height * s.camera.pixels < 32768);
    }
    send((Event){ EVENT_RESIZE, .x = 640, .y = 400, .pixels = 2 });
    mouse(EVENT_MOVE, (double)NAN, 5);
    mouse(EVENT_PRESS, 5, (double)INFINITY);
    mouse(EVENT_RESIZE, (double)NAN, (double)INFINITY);
    wheel((double)NAN);
    ck_assert(s.camera.width == 640 && s.camera.pixels == 2 && !s.mouse.dragging && s.camera.cell_size == 0);
}

TEST(draw_changes_nothing)
{
    for (ViewKind v = VIEW_HEADS; v < VIEW_TILES; v++) {
        s = opened(&square, v);
        run_script("Shift+Down");
        unsigned char before[sizeof s];
        memcpy(before, &s, sizeof s);
        Arena *scratch = arena_open();
        draw_view(canvas_new(scratch, s.camera.width, s.camera.height, 1), &(View){ .state = &s });
        arena_close(scratch);
        ck_assert_mem_eq(before, &s, sizeof s);
    }
}
