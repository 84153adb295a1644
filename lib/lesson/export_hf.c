// Chapters 25 and 26. Temporary folders for exported models.
#include "lesson/export_hf.h"

#include "base/memory.h"
#include "base/os.h"
#include "io/file.h"
#include "language/documents.h"
#include "model/llama_export.h"
#include "model/pretrained_run.h"
#include "train/bundled.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char base_folder[512]; // "" before the first folder
static bool removed_at_end;

void export_hf_folder_gone(const char *folder)
{
    char file[2048];
    DIR *files = opendir(folder);
    for (struct dirent *entry = files ? readdir(files) : NULL; entry; entry = readdir(files)) {
        snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) unlink(file);
    }
    if (files) closedir(files);
    rmdir(folder);
    if (rmdir(base_folder) == 0) base_folder[0] = '\0'; // it was the last folder
}

static void remove_base_folder(void)
{
    char folder[1024];
    DIR *folders = base_folder[0] ? opendir(base_folder) : NULL;
    for (struct dirent *entry = folders ? readdir(folders) : NULL; entry && base_folder[0]; entry = readdir(folders)) {
        snprintf(folder, sizeof folder, "%s/%s", base_folder, entry->d_name);
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) export_hf_folder_gone(folder);
    }
    if (folders) closedir(folders);
    if (base_folder[0]) rmdir(base_folder);
    base_folder[0] = '\0';
}

static void make_base_folder(void)
{
    Error error;
    if (!removed_at_end) removed_at_end = atexit(remove_base_folder) == 0;
    memory_before_end(remove_base_folder);
    snprintf(base_folder, sizeof base_folder, "%.400s/manyheads-models-XXXXXX", os_temporary_folder());
    if (removed_at_end && os_new_folder(base_folder)) return;
    error_set(&error, "%s: this folder cannot be made; TMPDIR says where there is room", base_folder);
    base_folder[0] = '\0';
    lesson_fail(&error);
}

const char *export_hf_folder(Lesson *lesson, const char *name)
{
    Error error;
    if (!base_folder[0]) make_base_folder();
    const char *folder = arena_format(lesson->arena, "%s/%s", base_folder, name);
    if (!file_make_folder(folder, &error)) lesson_fail(&error);
    return folder;
}

ExportHfOpened export_hf_open(Lesson *lesson, const char *folder)
{
    ExportHfOpened opened;
    Error error;
    if (!pretrained_open(&opened.published, lesson->arena, folder, &error) ||
        !tokenizer_read(&opened.tokenizer, lesson->arena, folder, &error))
        lesson_fail(&error);
    return opened;
}

ExportHfOpened export_hf_model(Lesson *lesson, Transformer model, const char *const *words, int T)
{
    Error error;
    const char *folder = export_hf_folder(lesson, "model");
    if (!llama_export_write(folder, model, words, T, &error)) lesson_fail(&error);
    ExportHfOpened opened = export_hf_open(lesson, folder);
    export_hf_folder_gone(folder);
    return opened;
}

static const char *const *document_names(Arena *arena)
{
    const char **words = arena_alloc(arena, (size_t)document_words() * sizeof *words);
    for (int w = 0; w < document_words(); w++) words[w] = document_word_text(w);
    return words;
}

void export_hf_write_model_c(Lesson *lesson, Transformer model, const char *folder)
{
    Error error;
    if (!llama_export_write(folder, model, document_names(lesson->arena), DOCUMENT_T, &error)) lesson_fail(&error);
}

ExportHfModelC export_hf_model_c(Lesson *lesson, const char *program)
{
    Transformer model;
    Error error;
    if (!bundled_plain_model(&model, lesson->arena, program, "language-64", NULL, &error)) lesson_fail(&error);
    ExportHfOpened opened = export_hf_model(lesson, model, document_names(lesson->arena), DOCUMENT_T);
    return (ExportHfModelC){ model, opened.published, opened.tokenizer };
}

TokenList export_hf_tokens(const Lesson *lesson, const PretrainedModel *model, const Tokenizer *tokenizer,
                           const char *flag, const char *text)
{
    TokenList list = tokenizer_encode(lesson->arena, tokenizer, text, true);
    int longest = pretrained_longest(model);
    if (list.count == 0) lesson_misused(lesson->state, "%s has no token that this model knows", flag);
    if (longest && list.count > longest)
        lesson_misused(lesson->state, "%s has %d tokens; this model has %d positions", flag, list.count, longest);
    for (int n = 0; n < list.count; n++)
        if (list.ids[n] >= model->is.words)
            lesson_misused(lesson->state, "%s has the token %d; this model has %d words", flag, list.ids[n],
                           model->is.words);
    return list;
}

int export_hf_answer_position(const PretrainedModel *model, const Tokenizer *tokenizer, TokenList text)
{
    if (model->is.causal) return text.count - 1;
    int mask = tokenizer_id(tokenizer, "[MASK]");
    if (mask < 0) mask = tokenizer_id(tokenizer, "<mask>");
    for (int n = 0; n < text.count && mask >= 0; n++)
        if (text.ids[n] == mask) return n;
    return -1;
}
