// lib/lesson/export_hf.c: folders of a program's own come and go; model C, saved and opened, has its logits.
#include "lesson/export_hf.h"

#include "base/memory.h"
#include "io/bench.h"
#include "language/documents.h"
#include "lesson/lesson_internal.h"
#include "model/pretrained_run.h"
#include "model/run.h"
#include "support/suite.h"

#include <sys/wait.h>

static Bench bench;
static Lesson lesson;
static char *of_before;

static void setup(void)
{
    const char *temporary = getenv("TMPDIR");
    of_before = temporary ? strdup(temporary) : NULL;
    bench = bench_open();
    lesson = (Lesson){ .arena = bench.arena };
    setenv("TMPDIR", bench.folder, 1);
}

static void teardown(void)
{
    if (of_before) setenv("TMPDIR", of_before, 1);
    else unsetenv("TMPDIR");
    free(of_before);
    bench_close(&bench);
}
FIXTURE(setup, teardown);

TEST(a_folder_goes_with_its_files)
{
    const char *first = export_hf_folder(&lesson, "first"), *second = export_hf_folder(&lesson, "second");
    ck_assert_ptr_nonnull(strstr(first, bench.folder));
    ck_assert_int_eq(entries_in(bench.folder), 1);
    const char *names[] = { "config.json", ".part-1" };
    for (int n = 0; n < 2; n++)
        ck_assert(file_write(arena_format(bench.arena, "%s/%s", first, names[n]), "x", 1, &bench.error));
    export_hf_folder_gone(first);
    ck_assert_int_ne(access(first, F_OK), 0);
    ck_assert_int_eq(access(second, F_OK), 0);
    export_hf_folder_gone(second);
    ck_assert_int_eq(entries_in(bench.folder), 0);
    const char *third = export_hf_folder(&lesson, "third");
    ck_assert_int_eq(entries_in(third), 0);
    export_hf_folder_gone(third);
    ck_assert_int_eq(entries_in(bench.folder), 0);
}

TEST(model_c_has_its_logits)
{
    enum { T = 20 };
    static DocumentSample document;
    ExportHfModelC c = export_hf_model_c(&lesson, "build/tests/suites");
    ck_assert_int_eq(entries_in(bench.folder), 0);
    Random random = random_from(3);
    document_draw(&document, T + 1, &random);
    Run ours = run_transformer(bench.arena, c.model, run_batch_of_one(bench.arena, document.words, T), (Mat){ 0 });
    PretrainedRun theirs =
        pretrained_run(bench.arena, c.published, (PretrainedInput){ .tokens = document.words, .T = T }, NULL, NULL);
    for (int t = 0; t < T; t++)
        ck_assert_double_lt(mat_max_difference(mat_rows(run_logits(&ours, 0), t, 1),
                                               pretrained_logits(bench.arena, &theirs, t)),
                            1e-4);
    TokenList list = tokenizer_encode(bench.arena, c.tokenizer, document_text(bench.arena, document.words, T), true);
    ck_assert_int_eq(list.count, T);
    ck_assert_mem_eq(list.ids, document.words, T * sizeof(int));
}

static Tokenizer *tokenizer(const char *form)
{
    Tokenizer *t;
    const char *folder = arena_format(bench.arena, "data/reference/tokens/%s", form);
    bool ok = tokenizer_read(&t, bench.arena, folder, &bench.error);
    ck_assert_msg(ok, "%s", bench.error.text);
    return t;
}

static int place(const char *form, bool causal, const char *text)
{
    PretrainedModel model = { .is = { .causal = causal } };
    Tokenizer *t = tokenizer(form);
    return export_hf_answer_position(&model, t, tokenizer_encode(bench.arena, t, text, true));
}

// A causal model answers at its last token, whatever that is. One that sees both sides answers at its first mask, by
// either name, and nowhere without.
TEST(where_a_model_answers)
{
    Tokenizer *bert = tokenizer("bert_uncased");
    int count = tokenizer_encode(bench.arena, bert, "a [MASK] b", true).count;
    ck_assert_int_eq(place("bert_uncased", true, "a [MASK] b"), count - 1);
    TokenList list = tokenizer_encode(bench.arena, bert, "a [MASK] b [MASK]", true);
    int at = place("bert_uncased", false, "a [MASK] b [MASK]");
    ck_assert_int_gt(at, 0);
    ck_assert_int_eq(list.ids[at], tokenizer_id(bert, "[MASK]"));
    for (int n = 0; n < at; n++) ck_assert_int_ne(list.ids[n], list.ids[at]);
    ck_assert_int_eq(place("bert_uncased", false, "a b"), -1);
    Tokenizer *roberta = tokenizer("roberta");
    list = tokenizer_encode(bench.arena, roberta, "a <mask> b", true);
    at = place("roberta", false, "a <mask> b");
    ck_assert_int_gt(at, 0);
    ck_assert_int_eq(list.ids[at], tokenizer_id(roberta, "<mask>"));
    ck_assert_int_eq(place("llama2", false, "a b"), -1);
}

// export_hf_tokens in a child: its exit status.
static int read_tokens(const PretrainedModel *model, const Tokenizer *t, const char *text)
{
    LessonState state = { .chapter = 25 };
    lesson.state = &state;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        TokenList list = export_hf_tokens(&lesson, model, t, "--text", text);
        exit(list.count == tokenizer_encode(bench.arena, t, text, true).count ? 0 : 1);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

// As many tokens as there are positions fit, one more does not; nor a token that the model has no word for, nor none.
TEST(texts_that_do_not_fit)
{
    Tokenizer *t = tokenizer("gpt2");
    TokenList list = tokenizer_encode(bench.arena, t, "a b c", true);
    int most = 0;
    for (int n = 0; n < list.count; n++) most = list.ids[n] > most ? list.ids[n] : most;
    PretrainedModel model = {
        .is = { .causal = true, .places = FAMILY_POSITIONS_LEARNED, .positions = list.count, .words = most + 1 }
    };
    ck_assert_int_eq(read_tokens(&model, t, "a b c"), 0);
    ck_assert_int_eq(read_tokens(&model, t, ""), 2);
    model.is.positions = list.count - 1;
    ck_assert_int_eq(read_tokens(&model, t, "a b c"), 2);
    model.is.places = FAMILY_POSITIONS_ROPE;
    model.is.words = most;
    ck_assert_int_eq(read_tokens(&model, t, "a b c"), 2);
}

// The end of a program that has not cleaned up: by itself, and for want of memory.
TEST_EACH(what_is_left_goes_when_the_program_ends, 2)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        const char *folder = export_hf_folder(&lesson, "left");
        file_write(arena_format(lesson.arena, "%s/file", folder), "x", 1, &bench.error);
        if (entries_in(bench.folder) != 1) exit(1);
        memory_ends_with(7);
        if (_i) memory_out(1000);
        exit(7);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 7);
    ck_assert_int_eq(entries_in(bench.folder), 0);
}
