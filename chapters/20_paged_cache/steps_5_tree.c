// Chapter 20, step 5. Pages that are found again by the words before and in them.
#include "steps.h"

#include <string.h>

// ---- a small tree, to look at

enum { SMALL = 4, TEXTS = 4, TREE_PAGES = 16, PAGES_EACH = 4 };

// Four texts of 16 words: 8 are those of all, the next 4 those of two.
static void small_texts(Arena *arena, int texts[TEXTS][SMALL * PAGES_EACH])
{
    for (int n = 0; n < TEXTS; n++)
        for (int part = 0; part < 3; part++) {
            int first = part == 0 ? 0 : part == 1 ? 8 : 12, count = part == 0 ? 8 : 4;
            uint64_t seed = part == 0 ? 60 : part == 1 ? (uint64_t)(62 + n / 2) : (uint64_t)(65 + n);
            const Asked *words = prompts_of(arena, 1, seed, count + 1, count + 1, 1);
            memcpy(texts[n] + first, words->tokens + 1, (size_t)count * sizeof(int));
        }
}

typedef struct {
    const PrefixTree *tree;
    DiagramBox boxes[TREE_PAGES + 1];
    DiagramArrow arrows[TREE_PAGES];
    int box_count, arrow_count, leaves;
} Drawing;

static const char *words_of_node(Arena *arena, const PrefixTree *tree, int node)
{
    const char *text = "";
    for (int t = 0; t < SMALL; t++)
        text = arena_format(arena, "%s%s%s", text,
                            t == 0   ? ""
                            : t == 2 ? "\n"
                                     : " ",
                            document_word_text(tree->tokens[node * SMALL + t]));
    return text;
}

// The nodes behind `box`, from `first` on, each beside its own. Returns the height of their middle.
static double draw_nodes(Arena *arena, Drawing *d, int box, int first, int depth)
{
    enum { WIDE = 118, HIGH = 56, ACROSS = 152, DOWN = 70 };
    double low = 0.0, high = 0.0;
    int begun = d->leaves;
    for (int node = first; node >= 0; node = d->tree->sibling[node]) {
        int own = d->box_count++;
        d->arrows[d->arrow_count++] =
            (DiagramArrow){ .from = box, .to = own, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_LEFT };
        int before = d->leaves;
        double y =
            d->tree->child[node] < 0 ? DOWN * d->leaves++ : draw_nodes(arena, d, own, d->tree->child[node], depth + 1);
        d->boxes[own] = (DiagramBox){ .at = { depth * ACROSS - 60, y, WIDE, HIGH },
                                      .lines = words_of_node(arena, d->tree, node),
                                      .title = arena_format(arena, "page %d", node) };
        low = before == begun ? y : low;
        high = y;
    }
    return (low + high) / 2.0;
}

static void figure_tree(Lesson *lesson)
{
    Arena *arena = lesson->arena;
    int texts[TEXTS][SMALL * PAGES_EACH], alike = 0;
    small_texts(arena, texts);
    PagePool pool = page_pool_new(arena, TREE_PAGES, SMALL);
    PagedMemory memory = paged_memory_new(arena, &pool, 1, 1, 1);
    PrefixTree tree = prefix_tree_new(arena, &pool);
    for (int n = 0; n < TEXTS; n++) {
        PageTable table = page_table_new(arena, &pool, SMALL * PAGES_EACH);
        alike += prefix_tree_look_up(&tree, &table, texts[n], SMALL * PAGES_EACH);
        page_table_grow(&table, SMALL * PAGES_EACH - table.length, paged_memory_copy, &memory);
        prefix_tree_keep(&tree, &table, texts[n]);
    }
    Drawing *d = arena_alloc(arena, sizeof *d);
    d->tree = &tree;
    d->box_count = 1;
    double middle = draw_nodes(arena, d, 0, tree.root, 1);
    d->boxes[0] = (DiagramBox){ .at = { 0, middle + 15, 60, 32 }, .title = "root" };
    figure_diagram(lesson, "tree.png", "four texts of 16 words in a tree",
                   (Diagram){ .boxes = d->boxes,
                              .box_count = d->box_count,
                              .arrows = d->arrows,
                              .arrow_count = d->arrow_count });
    check(lesson, tree.nodes == 8 && alike == 2 * 12 + 8,
          "four texts of 16 words: 8 pages of 4, and not 16; %d words "
          "are found",
          alike);
}

// ---- a server with a tree

enum { SIZE = 8, ASKED = 24, COMMON = 40, BRANCHES = 3, THIRD = 16, OWN = 10, ANSWER = 12 };

// Prompts that begin alike: all with the same words, then one of three branches, then words of their own.
static Asked *prompts_alike(Arena *arena)
{
    Asked *common = prompts_of(arena, 1, 50, COMMON, COMMON, 1);
    Asked *branch = prompts_of(arena, BRANCHES, 51, THIRD + 1, THIRD + 1, 1);
    Asked *all = prompts_of(arena, ASKED, 52, OWN + 1, OWN + 1, 1);
    for (int n = 0; n < ASKED; n++) {
        int own[OWN];
        memcpy(own, all[n].tokens + 1, sizeof own);
        memcpy(all[n].tokens, common->tokens, COMMON * sizeof(int));
        memcpy(all[n].tokens + COMMON, branch[n % BRANCHES].tokens + 1, THIRD * sizeof(int));
        memcpy(all[n].tokens + COMMON + THIRD, own, sizeof own);
        all[n].prompt = COMMON + THIRD + OWN;
        all[n].answer = ANSWER;
    }
    return all;
}

typedef struct {
    int64_t found, fed, page_bytes;
    int most, in_tree, same;
} Shared;

static Shared serve_alike(Transformer model, const Asked *asked, bool share)
{
    enum { AT_ONCE = 8, PAGES = 160 };
    Arena *arena = arena_open();
    Server *server = server_new(arena, model, PAGES, SIZE, ASKED, AT_ONCE, share);
    Shared result = { 0 };
    for (int n = 0; n < ASKED; n++) {
        server_ask(server, asked[n].tokens, asked[n].prompt, asked[n].answer, -1, 0);
        if (n == 0) server_step(server, 0); // one comes before the others
    }
    while (server_step(server, 0)) {
        int used = server_pages(server).used;
        if (used > result.most) result.most = used;
    }
    for (int n = 0; n < ASKED; n++) {
        result.same += same_answer(server, n, &asked[n]);
        result.fed += asked[n].prompt;
    }
    result.found = server->schedule.found;
    result.fed -= result.found;
    result.in_tree = server->tree.nodes;
    result.page_bytes = paged_memory_page_bytes(&server->memory);
    server_close(server);
    arena_close(arena);
    return result;
}

void a_tree(Lesson *lesson, Transformer model)
{
    step(lesson, "A tree of prefixes");
    static const char *const cols[] = { "computed", "found", "pages", "bytes", "answers" };
    figure_tree(lesson);
    Asked *asked = prompts_alike(lesson->arena);
    for (int n = 0; n < ASKED; n++) answer_alone(&asked[n], model);
    Shared without = serve_alike(model, asked, false), with = serve_alike(model, asked, true);
    say(lesson,
        "%d prompts of %d words, 8 at once, one of them a step before the others. The first %d words are those "
        "of all, the next %d those of a third.",
        ASKED, COMMON + THIRD + OWN, COMMON, THIRD);
    Rows table = rows_of(lesson, "words of the prompts; pages and bytes held, at most", cols, 5);
    table.table.decimals = -1;
    rows_add(&table,
             ROW((double)without.fed, (double)without.found, without.most, (double)(without.most * without.page_bytes),
                 without.same),
             "without a tree");
    rows_add(&table,
             ROW((double)with.fed, (double)with.found, with.most, (double)(with.most * with.page_bytes), with.same),
             "with a tree");
    show_rows(lesson, &table);
    check(lesson, with.same == ASKED && without.same == ASKED, "all %d answers are those that each gets alone", ASKED);
    check(lesson, 2 * with.fed < without.fed && with.most < without.most,
          "with the tree less than half of the words "
          "are computed, and requests hold %d pages at most instead of %d",
          with.most, without.most);
    say(lesson,
        "%d pages stand in the tree when all are done. It gives them back when somebody needs them, those that "
        "were looked up longest ago first.",
        with.in_tree);
}
