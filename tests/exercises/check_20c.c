// Exercise 20c: my_pages.
#include "base/portable_math.h"
#include "exercises/judge.h"

void my_pages(double *pages, double *empty, double *shared, double *copied, double *reserved, double *paged);

// clang-format off
static const Prediction predictions[] = {
    { "my_pages: pages", 63, 0, "how many full pages are there, and what of the rest?", "tokens / size, rounded up", {
        { 62, "eight tokens more stand in a page, too" },
        { 62.5, "pages come whole" },
        { 64, "no page is held before something is written into it" },
        { 1000, "these are tokens: 16 of them share a page" } } },
    { "my_pages: empty", 8, 0, "how many places have these pages, all together?", "pages · size − tokens", {
        { -1, "nothing is predicted yet" },
        { 7.5, "that is the average over many texts; this is one of 1,000" },
        { 16, "a whole empty page would not be held" },
        { 0, "1,000 is no multiple of 16" },
        { 24, "this would be more than a page" } } },
    { "my_pages: shared", 132, 0,
      "which of the 63 pages is written to by the ten, and how many pages does each hold that no other one does?",
      "full pages of the prompt + answers · (pages of 1,100 tokens − full pages of the prompt)", {
        { 690, "all of these are pages of their own: what is full is held by all" },
        { 133, "the page that had been begun is still counted: each has its own copy, or it itself" },
        { 122, "the page that had been begun is written by all ten: each has one of its own" },
        { 123, "the page that had been begun is written by all ten: each has one of its own" },
        { 69, "these are the pages of one answer" },
        { 70, "the beginning is held as well, once for all" } } },
    { "my_pages: copied", 72, 0,
      "what stands in the page that had been begun, and who of the ten finds it still shared?",
      "(answers − 1) · (tokens mod size)", {
        { -1, "nothing is predicted yet" },
        { 80, "the last of the ten to write holds the page alone: it need not copy" },
        { 144, "rows are copied, not pages: half of that page is empty" },
        { 160, "rows are copied, not pages: half of that page is empty" },
        { 10000, "full pages are not written any more" },
        { 9, "these are pages: each has eight rows to copy" } } },
    { "my_pages: reserved", 16, 0, "how many bytes are reserved for a text?", "16 GiB / (8,192 · 128 KiB)", {
        { 131, "1,000 tokens are there, but 8,192 are reserved" },
        { 130, "1,000 tokens are there, but 8,192 are reserved" },
        { 8192, "these are pages" },
        { 256, "a page has 16 tokens, but here tokens are reserved" } } },
    { "my_pages: paged", 130, 0, "how many pages are there in all, and how many does a text hold?",
      "(16 GiB / (16 · 128 KiB)) / pages of a text, rounded down", {
        { 131, "so many would fit without empty places: the last page of each is held whole" },
        { 132, "so many would fit without the last page of each" },
        { 8192, "these are pages: a text holds many" },
        { 131072, "these are tokens" },
        { 16, "this is with room reserved" },
        { 8192.0 / 63, "texts come whole" } } },
};
// clang-format on

// 0 is no prediction where the stub says 0.
static void check(Judge *judge, Function f)
{
    double got[] = { 0, -1, 0, -1, 0, 0 };
    (void)f;
    my_pages(&got[0], &got[1], &got[2], &got[3], &got[4], &got[5]);
    for (int n = 0; n < COUNT(predictions); n++)
        judge_prediction(judge, got[n] == 0.0 && n != 1 && n != 3 ? (double)NAN : got[n], predictions[n]);
}

static const Task tasks[] = { { .check = check } };
EXERCISE("20c", tasks)
