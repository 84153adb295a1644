// Exercise 20c: my_pages.
#include "exercises/predicted.h"

void my_pages(double *pages, double *empty, double *shared, double *copied, double *reserved, double *paged);

typedef struct {
    double pages, empty, shared, copied, reserved, paged;
} Predicted;

// 0 is no prediction where the stub says 0.
static float yet(double said) { return said == 0 ? NAN : (float)said; }

static void one_text(Judge *judge, Predicted p)
{
    judge_prediction(judge, yet(p.pages),
                     (Prediction){ .what = "my_pages: pages",
                                   .right = 63,
                                   .question = "how many full pages are there, and what of the rest?",
                                   .formula = "tokens / size, rounded up",
                                   .beliefs = { { 62, "eight tokens more stand in a page, too" },
                                                { 62.5, "pages come whole" },
                                                { 64, "no page is held before something is written into it" },
                                                { 1000, "these are tokens: 16 of them share a page" } } });
    judge_prediction(judge, (float)p.empty,
                     (Prediction){ .what = "my_pages: empty",
                                   .right = 8,
                                   .question = "how many places have these pages, all together?",
                                   .formula = "pages · size − tokens",
                                   .beliefs = { { -1, "nothing is predicted yet" },
                                                { 7.5, "that is the average over many texts; this is one of 1,000" },
                                                { 16, "a whole empty page would not be held" },
                                                { 0, "1,000 is no multiple of 16" },
                                                { 24, "this would be more than a page" } } });
}

static void ten_answers(Judge *judge, Predicted p)
{
    judge_prediction(judge, yet(p.shared),
                     (Prediction){
                         .what = "my_pages: shared",
                         .right = 132,
                         .question = "which of the 63 pages is written to by the ten, and how "
                                     "many pages does each hold that no other one does?",
                         .formula =
                             "full pages of the prompt + answers · (pages of 1,100 tokens − full pages of the prompt)",
                         .beliefs = {
                             { 690, "all of these are pages of their own: what is full is held by all" },
                             { 133,
                               "the page that had been begun is still counted: each has its own copy, or it itself" },
                             { 122, "the page that had been begun is written by all ten: each has one of its own" },
                             { 123, "the page that had been begun is written by all ten: each has one of its own" },
                             { 69, "these are the pages of one answer" },
                             { 70, "the beginning is held as well, once for all" } } });
    judge_prediction(judge, (float)p.copied,
                     (Prediction){
                         .what = "my_pages: copied",
                         .right = 72,
                         .question = "what stands in the page that had been begun, and who of "
                                     "the ten finds it still shared?",
                         .formula = "(answers − 1) · (tokens mod size)",
                         .beliefs = { { -1, "nothing is predicted yet" },
                                      { 80, "the last of the ten to write holds the page alone: it need not copy" },
                                      { 144, "rows are copied, not pages: half of that page is empty" },
                                      { 160, "rows are copied, not pages: half of that page is empty" },
                                      { 10000, "full pages are not written any more" },
                                      { 9, "these are pages: each has eight rows to copy" } } });
}

static void how_many_fit(Judge *judge, Predicted p)
{
    judge_prediction(judge, yet(p.reserved),
                     (Prediction){ .what = "my_pages: reserved",
                                   .right = 16,
                                   .question = "how many bytes are reserved for a text?",
                                   .formula = "16 GiB / (8,192 · 128 KiB)",
                                   .beliefs = { { 131, "1,000 tokens are there, but 8,192 are reserved" },
                                                { 130, "1,000 tokens are there, but 8,192 are reserved" },
                                                { 8192, "these are pages" },
                                                { 256, "a page has 16 tokens, but here tokens are reserved" } } });
    judge_prediction(judge, yet(p.paged),
                     (Prediction){
                         .what = "my_pages: paged",
                         .right = 130,
                         .question = "how many pages are there in all, and how many does a "
                                     "text hold?",
                         .formula = "(16 GiB / (16 · 128 KiB)) / pages of a text, rounded down",
                         .beliefs = {
                             { 131, "so many would fit without empty places: the last page of each is held whole" },
                             { 132, "so many would fit without the last page of each" },
                             { 8192, "these are pages: a text holds many" },
                             { 131072, "these are tokens" },
                             { 16, "this is with room reserved" },
                             { 8192.0 / 63, "texts come whole" } } });
}

static void check(Judge *judge)
{
    Predicted p = { 0, -1, 0, -1, 0, 0 };
    my_pages(&p.pages, &p.empty, &p.shared, &p.copied, &p.reserved, &p.paged);
    one_text(judge, p);
    ten_answers(judge, p);
    how_many_fit(judge, p);
}

int main(void) { return judge_main("20c", check); }
