// The models that the book trains, A, B and C, measured as they lie in data/models: what data/models/README.md shows.
// With --llama, model C as a folder that common libraries open.
//
// Run build/pages/models with data/models/README.md open beside it. It talks as a chapter does (lib/lesson).
#include "base/portable_math.h"
#include "language/grammar.h"
#include "language/induction.h"
#include "language/language.h"
#include "language/translator.h"
#include "lesson/lesson_figures.h"
#include "lesson/verbs.h"
#include "model/llama_export.h"
#include "train/bundled.h"

#include <string.h>

typedef enum { A32, A64, B4, B8, C64, C64_NOPE, C32, C16, MODELS } Which;
// clang-format off
static const char *const names[MODELS + 1] = { "induction-32", "induction-64", "glosses-4", "glosses-8", "language-64",
                                               "language-64-nope", "language-32", "language-16", NULL };
// clang-format on

typedef struct {
    Transformer model[MODELS];
    int count;                 // documents
    DocumentSample *documents; // fresh ones: no training has drawn them
    LanguageScores scores[MODELS];
    LinkDistances distances;
} Page;

static void read_all(Page *page, Lesson *lesson, const char *program)
{
    Error error;
    for (int m = 0; m < MODELS; m++)
        if (!bundled_model(&page->model[m], lesson->arena, program, names[m], NULL, &error)) lesson_fail(&error);
}

// ---- 1

static void all_models(Lesson *lesson, const Page *page)
{
    static const char *const columns[] = { "words", "out", "layers", "D", "H", "G", "MLP", "size" };
    step(lesson, "Eight files");
    Rows rows = rows_of(lesson, "model", columns, 8);
    int64_t of_c = 0;
    for (int m = 0; m < MODELS; m++) {
        const Config *c = &page->model[m].config;
        int64_t parameters = config_parameters(c);
        if (m >= C64) of_c += parameters;
        rows_add(&rows, ROW(c->words, c->outputs, c->L, c->D, c->H, c->G, c->mlp, (double)parameters), "%s", names[m]);
    }
    rows.table.decimals = -1;
    rows.table.given = true;
    show_rows(lesson, &rows);
    say(lesson, "Size: how many numbers are trained.");
    check(lesson, of_c * 4 < 1500000, "the files of C hold %lld numbers of four bytes, %.2f MB: less than 1.5",
          (long long)of_c, 4e-6 * (double)of_c);
}

// ---- 2, 3

static void copies(Lesson *lesson, const Page *page)
{
    static const char *const columns[] = { "loss", "right", "previous", "induction", "copies" };
    step(lesson, "A: what stood there before comes again");
    Rows rows = rows_of(lesson, "model", columns, 5);
    double least = 1.0;
    for (int m = A32; m <= A64; m++) {
        InductionScores s = induction_scores(lesson->arena, page->model[m], induction_batch, 64, 7);
        double copied = induction_copy_accuracy(page->model[m], 64, 8);
        rows_add(&rows, ROW(s.loss, s.accuracy, s.best_previous, s.best_induction, copied), "%s", names[m]);
        least = fmin(least, copied);
    }
    rows.table.decimals = 3;
    show_rows(lesson, &rows);
    say(lesson, "The loss is in nats, over tokens that the past determines; previous and induction: the weight of the "
                "best head; copies: of fifteen random tokens, said once and once again, how many are right.");
    check(lesson, least >= 0.98, "both copy at least 0.98 of them");
}

static double glossed(const Transformer *model, Arena *arena)
{
    enum { SENTENCES = 200 };
    static GlossedSentence sentences[SENTENCES];
    Random random = random_from(2);
    int right = 0;
    for (int i = 0; i < SENTENCES; i++) grammar_sentence_test(&sentences[i], &random);
    Run run = run_transformer(arena, *model, translator_sentences_batch(arena, sentences, SENTENCES), (Mat){ 0 });
    for (int b = 0; b < SENTENCES; b++)
        for (int t = 0; t < sentences[b].T; t++) right += run_answer(&run, b, t) == sentences[b].glosses[t];
    return (double)right / run.logits.rows;
}

static void glosses(Lesson *lesson, const Page *page)
{
    step(lesson, "B: every word in an invented language");
    double four = glossed(&page->model[B4], lesson->arena), eight = glossed(&page->model[B8], lesson->arena);
    check(lesson, four >= 0.99 && eight >= 0.99,
          "of the words of 200 fresh sentences glosses-4 has %.4f right, "
          "glosses-8 %.4f",
          four, eight);
}

// ---- 4, 5

static void loss_and_entropy(Lesson *lesson, Page *page)
{
    enum { SHOWN = 48 };
    static const char *const columns[] = { "loss", "entropy", "over" };
    step(lesson, "C: as near to the entropy as it comes");
    say(lesson, "A document begins: %s …", document_text(lesson->arena, page->documents[0].words, SHOWN));
    Rows rows = rows_of(lesson, "model", columns, 3);
    for (int m = C64; m < MODELS; m++) {
        LanguageScores *s = &page->scores[m];
        *s = language_scores(page->model[m], (Mat){ 0 }, page->documents, page->count);
        rows_add(&rows, ROW(s->loss, s->entropy, s->loss - s->entropy), "%s", names[m]);
    }
    rows.table.decimals = 4;
    show_rows(lesson, &rows);
    double over = page->scores[C64].loss - page->scores[C64].entropy;
    say(lesson,
        "In nats a word, over %d fresh documents of %d words. The entropy is the mean of the grammar's own "
        "surprise at these same words; less cannot be reached, but by luck.",
        page->count, (int)DOCUMENT_T);
    check(lesson, over > 0.0 && over <= 0.2, "the target is %.3f nats above the entropy: no more than 0.2", over);
    check(lesson, page->scores[C64].loss < page->scores[C32].loss && page->scores[C32].loss < page->scores[C16].loss,
          "the larger the model, the smaller its loss");
}

static void remembered(Lesson *lesson, const Page *page)
{
    const char *columns[DOCUMENT_RECALL_KINDS];
    double right[DOCUMENT_RECALL_KINDS], over[DOCUMENT_RECALL_KINDS];
    for (int k = 0; k < DOCUMENT_RECALL_KINDS; k++)
        columns[k] = k == DOCUMENT_RECALL_NONE ? "others" : document_recall_name((DocumentRecall)k);
    step(lesson, "C: words that only the document determines");
    Rows rights = rows_of(lesson, "share that has the largest logit", columns, DOCUMENT_RECALL_KINDS);
    Rows overs = rows_of(lesson, "nats above the grammar's surprise", columns, DOCUMENT_RECALL_KINDS);
    for (int m = C64; m < MODELS; m++) {
        for (int k = 0; k < DOCUMENT_RECALL_KINDS; k++) {
            right[k] = page->scores[m].right[k];
            over[k] = page->scores[m].over[k];
        }
        rows_add(&rights, right, "%s", names[m]);
        rows_add(&overs, over, "%s", names[m]);
    }
    show_rows(lesson, &rights);
    show_rows(lesson, &overs);
    say(lesson,
        "verb: of a habit, known from an earlier sentence; noun: to whom it is done, or behind an adjective; "
        "time: last night, or what it was; adjective: one that was shown. Half of the adjectives behind too cannot be "
        "known: one of two.");
}

// ---- 6

// One map of a model: a row for each head, a column for each link.
static Heatmap map_of_heads(Arena *arena, const Page *page, Which m, const LinkScores *scores)
{
    const Config *c = &page->model[m].config;
    static const char *columns[DOCUMENT_LINK_KINDS];
    const char **rows = arena_alloc(arena, (size_t)(c->L * c->H + 1) * sizeof *rows);
    Heatmap map = { .title = names[m],
                    .values = mat_new(arena, c->L * c->H + 1, DOCUMENT_LINK_KINDS),
                    .row_labels = rows,
                    .col_labels = columns,
                    .low = 0.0,
                    .high = 1.0,
                    .decimals = 2,
                    .bar_title = "share right" };
    for (int k = 0; k < DOCUMENT_LINK_KINDS; k++) {
        columns[k] = document_link_name((DocumentLinkKind)k);
        for (int h = 0; h < c->L * c->H; h++) *mat_ref(map.values, h, k) = (float)head_mean_value(scores[h].argmax[k]);
        *mat_ref(map.values, c->L * c->H, k) = (float)link_scores_baseline(&page->distances, (DocumentLinkKind)k).share;
    }
    for (int h = 0; h < c->L * c->H; h++) rows[h] = arena_format(arena, "%d.%d", h / c->H, h % c->H);
    rows[c->L * c->H] = "fixed";
    return map;
}

static int best_head(const Config *c, const LinkScores *scores, DocumentLinkKind kind)
{
    int best = 0;
    for (int h = 1; h < c->L * c->H; h++)
        if (head_mean_value(scores[h].argmax[kind]) > head_mean_value(scores[best].argmax[kind])) best = h;
    return best;
}

// The best head of a model for each link, beside the best fixed distance.
static void best_heads(Lesson *lesson, const Page *page, Which m, const LinkScores *scores)
{
    static const char *const columns[] = { "right", "mass", "fixed", "distance" };
    const Config *c = &page->model[m].config;
    Rows rows = rows_of(lesson, names[m], columns, 4);
    for (int k = 0; k < DOCUMENT_LINK_KINDS; k++) {
        int best = best_head(c, scores, (DocumentLinkKind)k);
        LinkBaseline fixed = link_scores_baseline(&page->distances, (DocumentLinkKind)k);
        rows_add(&rows,
                 ROW(head_mean_value(scores[best].argmax[k]), head_mean_value(scores[best].mass[k]), fixed.share,
                     fixed.distance),
                 "%-12s %d.%d", document_link_name((DocumentLinkKind)k), best / c->H, best % c->H);
    }
    show_rows(lesson, &rows);
}

// On a few documents chance is larger than what is claimed.
enum { CLAIM_FROM = 16 };

static void claim(Lesson *lesson, const Page *page, const LinkScores *scores, DocumentLinkKind kind)
{
    const Config *c = &page->model[C64].config;
    int best = best_head(c, scores, kind);
    double right = head_mean_value(scores[best].argmax[kind]),
           fixed = link_scores_baseline(&page->distances, kind).share;
    check(lesson, right > fixed + 0.1,
          "of language-64, head %d.%d finds the %s in %.2f of the cases, where the best "
          "fixed distance finds %.2f",
          best / c->H, best % c->H, document_link_name(kind), right, fixed);
}

static void heads(Lesson *lesson, Page *page)
{
    static const Which shown[] = { C64, C64_NOPE, C32, C16 };
    const LinkScores *of_target = NULL;
    Heatmap maps[2];
    step(lesson, "C: what its heads look at");
    for (int i = 0; i < page->count; i++) link_scores_count(&page->distances, &page->documents[i], DOCUMENT_T);
    for (int n = 0; n < 4; n++) {
        const Transformer *model = &page->model[shown[n]];
        LinkScores *scores = arena_alloc(lesson->arena, (size_t)(model->config.L * model->config.H) * sizeof *scores);
        language_links(scores, *model, page->documents, page->count);
        best_heads(lesson, page, shown[n], scores);
        if (n < 2) maps[n] = map_of_heads(lesson->arena, page, shown[n], scores);
        if (n == 0) of_target = scores;
    }
    say(lesson, "For each link the head, as layer and head, whose largest weight is right most often; its mean weight "
                "there; and how often one fixed distance is right, the best one.");
    figure_maps(lesson, "heads.png", "how often each head of the target looks at the right word, link by link",
                "What each head looks at, and what the best fixed distance does", maps, 2, 1);
    if (page->count < CLAIM_FROM) return;
    claim(lesson, page, of_target, DOCUMENT_LINK_SUBJECT);
    claim(lesson, page, of_target, DOCUMENT_LINK_DETERMINER);
    claim(lesson, page, of_target, DOCUMENT_LINK_REMEMBERED);
}

// ---- 7

static void heads_off(Lesson *lesson, const Page *page)
{
    const char *columns[DOCUMENT_RECALL_KINDS + 1] = { "all" };
    double more[DOCUMENT_RECALL_KINDS + 1], least = INFINITY, most = 0.0;
    const Transformer *model = &page->model[C64];
    int H = model->config.H, count = page->count < 16 ? page->count : 16;
    step(lesson, "C: what each head is needed for");
    for (int k = 0; k < DOCUMENT_RECALL_KINDS; k++)
        columns[k + 1] = k == DOCUMENT_RECALL_NONE ? "others" : document_recall_name((DocumentRecall)k);
    Rows rows = rows_of(lesson, "nats more when this head is off", columns, DOCUMENT_RECALL_KINDS + 1);
    LanguageScores on = language_scores(*model, (Mat){ 0 }, page->documents, count);
    Mat gates = mat_new(lesson->arena, model->config.L, H);
    for (int h = 0; h < model->config.L * H; h++) {
        mat_fill(gates, 1.0f);
        *mat_ref(gates, h / H, h % H) = 0.0f;
        LanguageScores off = language_scores(*model, gates, page->documents, count);
        more[0] = off.loss - on.loss;
        for (int k = 0; k < DOCUMENT_RECALL_KINDS; k++) more[k + 1] = off.over[k] - on.over[k];
        rows_add(&rows, more, "%d.%d", h / H, h % H);
        for (int k = 0; k < DOCUMENT_RECALL_KINDS; k++) most = fmax(most, more[k + 1]);
        least = fmin(least, more[0]);
    }
    show_rows(lesson, &rows);
    if (count < CLAIM_FROM) return;
    check(lesson, least < 0.05 && most > 1.0, "one head can go for %.2f nats; another costs %.2f on words of one kind",
          least, most);
}

// ---- as a folder

static void write_folder(Lesson *lesson, const Page *page, Which which, const char *folder)
{
    Error error;
    const char **words = arena_alloc(lesson->arena, (size_t)document_words() * sizeof *words);
    for (int w = 0; w < document_words(); w++) words[w] = document_word_text(w);
    if (!llama_export_write(folder, page->model[which], words, DOCUMENT_T, &error)) lesson_fail(&error);
    say(lesson, "%s: written to %s", names[which], folder);
}

int main(int argc, char **argv)
{
    static Page page = { .count = 32 };
    const char *folder = NULL;
    int which = 0;
    Flag flags[] = {
        flag_count("documents", &page.count, 1, 4096, "N", "measure model C on so many fresh documents (default 32)"),
        flag_folder("llama", &folder, "DIR", "write model C as a folder that common libraries open, and nothing else"),
        flag_choice("of", &which, names + C64, NULL, "which one --llama writes (default language-64)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 0, "The models of the book", flags, 3);
    read_all(&page, &lesson, argv[0]);
    if (folder) {
        write_folder(&lesson, &page, (Which)(C64 + which), folder);
        return lesson_close(&lesson);
    }
    Random random = random_from(1000000 + lesson.random.state);
    page.documents = arena_alloc(lesson.arena, (size_t)page.count * sizeof *page.documents);
    for (int i = 0; i < page.count; i++) document_draw(&page.documents[i], DOCUMENT_WORDS, &random);

    all_models(&lesson, &page);       // 1
    copies(&lesson, &page);           // 2
    glosses(&lesson, &page);          // 3
    loss_and_entropy(&lesson, &page); // 4
    remembered(&lesson, &page);       // 5
    heads(&lesson, &page);            // 6
    heads_off(&lesson, &page);        // 7
    return lesson_close(&lesson);
}
