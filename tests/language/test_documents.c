// lib/language/documents.c: the chances of the words against a count of what may come next, and what must hold in every
// document.
#include "language/documents.h"

#include "support/reference.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static DocumentSample document;

static WordClass class_at(int t) { return document_word(document.words[t])->class; }
static SemanticClass kind_at(int t) { return document_word(document.words[t])->kind; }
static bool says(int t, const char *text) { return !strcmp(document_word_text(document.words[t]), text); }

// What followed a beginning of a document: each word once, with its chance.
enum { BEGINNING = 3, TREE = 1 << 17, DRAWN = 300000, OFTEN = 900 };
typedef struct {
    int words[BEGINNING], length, visits;
    double chance_of_all;
    bool known[200];
} Node;

static Node *node_of(Node *tree, const int *words, int length)
{
    uint64_t hash = 1469598103934665603u;
    for (int i = 0; i < length; i++) hash = (hash ^ (uint64_t)words[i]) * 1099511628211u;
    for (size_t at = hash % TREE;; at = (at + 1) % TREE) {
        bool same = tree[at].visits && tree[at].length == length;
        if (same && !memcmp(tree[at].words, words, (size_t)length * sizeof *words)) return &tree[at];
        if (tree[at].visits) continue;
        tree[at].length = length;
        memcpy(tree[at].words, words, (size_t)length * sizeof *words);
        return &tree[at];
    }
}

// After every beginning that was met often, the words that came next have chances that add up to 1; after all others
// to no more. A chance that is too small or too large for one word is seen by the sum.
TEST(chances_of_what_may_come_next_add_up_to_one)
{
    Node *tree = calloc(TREE, sizeof *tree);
    int whole = 0;
    for (int e = 0; e < DRAWN; e++) {
        document_draw(&document, BEGINNING + 1, &random_state);
        for (int n = 1; n <= BEGINNING; n++) {
            int next = document.words[n];
            Node *node = node_of(tree, document.words, n);
            node->visits++;
            if (!node->known[next]) node->chance_of_all += document.chance[n];
            node->known[next] = true;
        }
    }
    for (int at = 0; at < TREE; at++) {
        if (!tree[at].visits) continue;
        ck_assert_double_le(tree[at].chance_of_all, 1.0 + 1e-12);
        if (tree[at].visits < OFTEN) continue;
        ck_assert_double_eq_tol(tree[at].chance_of_all, 1.0, 1e-12);
        whole++;
    }
    ck_assert_int_ge(whole, 80);
    free(tree);
}

TEST(a_document_keeps_its_word)
{
    double known = 0, remembered = 0;
    for (int e = 0; e < 300; e++) {
        int kept[200], seen[WORD_CLASSES] = { 0 }, movers = 0, places = 0, objects = 0, women = 0, men = 0;
        bool there[200] = { false };
        memset(kept, -1, sizeof kept);
        document_draw(&document, DOCUMENT_WORDS, &random_state);
        ck_assert_int_eq(document.T, DOCUMENT_WORDS);
        ck_assert_int_eq(document.words[0], 0);
        for (int t = 1; t < document.T; t++) {
            int word = document.words[t], noun = -1, adjective = -1, determiner = t - 1;
            ck_assert(document.chance[t] > 0.0 && document.chance[t] <= 1.0 + 1e-12);
            known += document.chance[t] > 1.0 - 1e-12;
            remembered += document.recall[t] != DOCUMENT_RECALL_NONE;
            seen[class_at(t)]++;
            if (class_at(t) == WORD_NOUN) noun = word;
            if (noun >= 0 && class_at(t - 1) == WORD_ADJECTIVE) adjective = document.words[--determiner + 1];
            if (noun >= 0) { // the: known; my, this: new
                ck_assert(class_at(determiner) == WORD_DETERMINER);
                ck_assert_int_eq(says(determiner, "the"), there[word]);
            }
            if (adjective >= 0) { // one for good, of its kind
                ck_assert(document_word(adjective)->kind == kind_at(t));
                ck_assert(kept[word] == -1 || kept[word] == adjective);
                kept[word] = adjective;
            }
            bool new = (noun >= 0 || class_at(t) == WORD_NAME) && !there[word];
            movers += new && (kind_at(t) == SEMANTIC_ANIMAL || kind_at(t) == SEMANTIC_VEHICLE);
            places += new &&noun >= 0 && kind_at(t) == SEMANTIC_PLACE;
            objects += new &&noun >= 0 && (kind_at(t) == SEMANTIC_THING || kind_at(t) == SEMANTIC_FOOD);
            women += new &&kind_at(t) == SEMANTIC_FEMALE;
            men += new &&kind_at(t) == SEMANTIC_MALE;
            there[word] = true;
        }
        ck_assert(movers <= 2 && places <= 2 && objects <= 2 && women <= 2 && men <= 2);
        WordRange particles = document_words_of(WORD_PARTICLE, SEMANTIC_NONE); // last all night week year summer …
        const bool *time = there + particles.first;
        ck_assert(time[0] + time[1] <= 1 && time[2] + time[3] + time[4] + time[5] <= 1);
        ck_assert(seen[WORD_VERB] > 0 && seen[WORD_MARK] > 0);
    }
    ck_assert_double_eq_tol(known / (300 * DOCUMENT_T), 0.360, 0.01);
    ck_assert_double_eq_tol(remembered / (300 * DOCUMENT_T), 0.2018, 0.01);
}

TEST(links_lead_where_they_say)
{
    int count[DOCUMENT_LINK_KINDS] = { 0 };
    for (int e = 0; e < 200; e++) {
        document_draw(&document, DOCUMENT_WORDS, &random_state);
        for (int n = 0; n < document.link_count; n++) {
            DocumentLink link = document.links[n];
            int from = link.from, to = link.to, next = from + 1;
            count[link.kind]++;
            ck_assert(0 <= to && to <= from && from < document.T);
            switch (link.kind) {
            case DOCUMENT_LINK_PREVIOUS: ck_assert_int_eq(to, from - 1); break;
            case DOCUMENT_LINK_SAME:
                ck_assert(to < from && document.words[to] == document.words[from]);
                for (int t = to + 1; t < from; t++) ck_assert_int_ne(document.words[t], document.words[from]);
                break;
            case DOCUMENT_LINK_AFTER_SAME: ck_assert_int_eq(document.words[to - 1], document.words[from]); break;
            case DOCUMENT_LINK_DETERMINER:
                ck_assert(class_at(from) == WORD_NOUN && class_at(to) == WORD_DETERMINER && from - to <= 2);
                break;
            case DOCUMENT_LINK_ADJECTIVE: ck_assert(class_at(to) == WORD_ADJECTIVE && to == from - 1); break;
            case DOCUMENT_LINK_SUBJECT:
                ck_assert(to < from && (class_at(to) == WORD_NOUN || class_at(to) == WORD_NAME));
                if (next < document.T) ck_assert(class_at(next) == WORD_VERB);
                for (int t = to; t < from; t++) ck_assert(class_at(t) != WORD_VERB);
                break;
            case DOCUMENT_LINK_PRONOUN:
                ck_assert(class_at(from) == WORD_PRONOUN && kind_at(from) == kind_at(to) && class_at(to) == WORD_NAME &&
                          from - to <= 5);
                break;
            case DOCUMENT_LINK_SAID_OF:
                ck_assert(kind_at(from) == kind_at(to) && class_at(to) == WORD_NOUN && from - to < 18 &&
                          class_at(from - 1) == WORD_DEGREE);
                break;
            case DOCUMENT_LINK_CANDIDATES: ck_assert(class_at(from) == WORD_DEGREE && class_at(to) == WORD_NOUN); break;
            case DOCUMENT_LINK_REMEMBERED:
                ck_assert(document.words[to] == document.words[next] && document.recall[next] != DOCUMENT_RECALL_NONE);
                break;
            default: ck_assert(class_at(to) == WORD_MARK && to < from); break;
            }
        }
    }
    for (int k = 0; k < DOCUMENT_LINK_KINDS; k++)
        ck_assert_msg(count[k] > 300, "%s: %d", document_link_name((DocumentLinkKind)k), count[k]);
}

TEST(text_and_batches)
{
    const char *words[] = { "[start]", "anna", "and", "otto", ",", "then", "she", "found", "the", "cup", ".", "today" };
    int ids[12];
    for (int i = 0; i < 12; i++) ids[i] = document_word_named(words[i]);
    ck_assert_str_eq(document_text(arena, ids, 12), "anna and otto, then she found the cup. today");
    ck_assert_str_eq(document_text(arena, ids, 1), "");
    DocumentSample *three = arena_alloc(arena, 3 * sizeof *three);
    Random again = random_state;
    for (int b = 0; b < 3; b++) document_draw(&three[b], DOCUMENT_WORDS, &random_state);
    RunBatch batch = document_batch(arena, 3, &again, NULL);
    ck_assert_int_eq(batch.start[3], 3 * DOCUMENT_T);
    for (int b = 0; b < 3; b++)
        for (int t = 0; t < DOCUMENT_T; t++) {
            ck_assert_int_eq(batch.tokens[batch.start[b] + t], three[b].words[t]);
            ck_assert_int_eq(batch.targets[batch.start[b] + t], three[b].words[t + 1]);
        }
    ck_assert(again.state == random_state.state);
}

TEST(text_is_read)
{
    Error error;
    int words[DOCUMENT_WORDS], T;
    for (int e = 0; e < 50; e++) {
        document_draw(&document, DOCUMENT_WORDS, &random_state);
        const char *text = document_text(arena, document.words, document.T);
        ck_assert_msg(document_read(words, &T, DOCUMENT_WORDS, text, &error), "%s", error.text);
        ck_assert_int_eq(T, document.T);
        ck_assert(!memcmp(words, document.words, sizeof words));
    }
    ck_assert(document_read(words, &T, 9, "  The animal,the\tSTREET . ", &error));
    ck_assert_int_eq(T, 7);
    ck_assert(says(0, "[start]") && !strcmp(document_word_text(words[3]), ","));
    ck_assert(document_read(words, &T, 9, "", &error) && T == 1);
    ck_assert(!document_read(words, &T, 9, "the zebra", &error));
    ck_assert_msg(strstr(error.text, "word 2, zebra, is not one of the 112"), "%s", error.text);
    ck_assert(!document_read(words, &T, 9, "an-endless-word-of-many-letters", &error));
    ck_assert(!document_read(words, &T, 9, "[start]", &error));
    ck_assert(!document_read(words, &T, 3, "the animal did", &error));
    ck_assert_msg(strstr(error.text, "more than 2 words"), "%s", error.text);
}
