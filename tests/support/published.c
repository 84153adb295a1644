// Reads the cases, and holds a run to one of them: stage by stage, in the order in which they are computed.
#include "support/published.h"

#include "base/portable_math.h"
#include "io/safetensors.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char folder_of_all[] = "data/reference/published";

static Mat tensor(const Tensors *file, const char *name)
{
    const NpyArray *a = tensors_find(file, name);
    if (!a) return (Mat){ 0 };
    ck_assert_int_eq(a->axes, 2);
    return (Mat){ a->at, (int)a->shape[0], (int)a->shape[1], (int)a->shape[1] };
}

static int *integers(Arena *arena, Mat m)
{
    if (mat_empty(m)) return NULL;
    int *out = arena_alloc(arena, (size_t)m.cols * sizeof *out);
    for (int i = 0; i < m.cols; i++) out[i] = (int)m.at[i];
    return out;
}

static PublishedCase read_case(Arena *arena, const char *name)
{
    PublishedCase c = { .name = name, .folder = arena_format(arena, "%s/%s", folder_of_all, name) };
    Tensors file;
    Error error = { .text = "" };
    bool read = safetensors_read(&file, arena, arena_format(arena, "%s/vectors.safetensors", c.folder), &error);
    ck_assert_msg(read, "%s", error.text);
    Mat tokens = tensor(&file, "tokens");
    c.T = tokens.cols;
    c.tokens = integers(arena, tokens);
    c.kinds = integers(arena, tensor(&file, "kinds"));
    c.padding = (int)*tensor(&file, "padding").at;
    c.logits = tensor(&file, "logits");
    c.last = tensor(&file, "last");
    c.hidden = tensor(&file, "hidden");
    c.maps = tensor(&file, "maps");
    return c;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

int published_cases(const PublishedCase **out, Arena *arena)
{
    enum { MOST = 200 };
    const char *names[MOST];
    int count = 0;
    DIR *folder = opendir(folder_of_all);
    ck_assert_msg(folder != NULL, "there is no %s", folder_of_all);
    for (struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.') {
            ck_assert_int_lt(count, MOST);
            names[count++] = arena_format(arena, "%s", entry->d_name);
        }
    closedir(folder);
    qsort(names, (size_t)count, sizeof *names, by_name);
    PublishedCase *all = arena_alloc(arena, (size_t)count * sizeof *all);
    for (int i = 0; i < count; i++) all[i] = read_case(arena, names[i]);
    *out = all;
    return count;
}

PretrainedModel *published_open(Arena *arena, const char *folder)
{
    PretrainedModel *m;
    Error error = { .text = "" };
    ck_assert_msg(pretrained_open(&m, arena, folder, &error), "%s", error.text);
    return m;
}

const PublishedCase *published_case(Arena *arena, const char *name)
{
    PublishedCase *c = arena_alloc(arena, sizeof *c);
    *c = read_case(arena, name);
    return c;
}

PretrainedInput published_case_input(const PublishedCase *c, bool plain)
{
    return (
        PretrainedInput){ .tokens = c->tokens, .T = c->T, .kinds = c->kinds, .padding = c->padding, .plain = plain };
}

// Largest difference, as a part of the largest number in `want` or, where that is smaller, of `least`.
static double difference(Mat got, Mat want, double least)
{
    double most = least;
    ck_assert_int_eq(got.rows, want.rows);
    ck_assert_int_eq(got.cols, want.cols);
    for (int i = 0; i < want.rows; i++)
        for (int j = 0; j < want.cols; j++) most = fmax(most, fabs((double)*mat_ref(want, i, j)));
    double found = mat_max_difference(got, want) / most;
    return isnan(found) ? INFINITY : found;
}

bool published_case_agrees(char *why, size_t room, const PublishedCase *c, const PretrainedRun *run)
{
    const Architecture *is = &run->model->is;
    int T = c->T, words = T - c->padding, L = is->L;
    Arena *scratch = arena_open();
    double off = difference(mat_rows(run->layers[0].in, 0, words), mat_rows(c->hidden, 0, words), 0.0);
    bool ok = off <= 2e-5;
    if (!ok) snprintf(why, room, "%s: the embedding is off by %.1e", c->name, off);
    for (int l = 0; l < L && ok; l++) {
        for (int h = 0; h < is->H && ok; h++) {
            Mat map = pretrained_weights(scratch, run, l, h);
            off = difference(mat_rows(map, 0, words), mat_rows(c->maps, (l * is->H + h) * T, words), 1.0);
            ok = off <= 1e-5;
            if (!ok) snprintf(why, room, "%s: the map of layer %d, head %d is off by %.1e", c->name, l, h, off);
        }
        Mat out = l == L - 1 ? run->last : run->layers[l].out;
        off = ok ? difference(mat_rows(out, 0, words), mat_rows(c->hidden, (l + 1) * T, words), 0.0) : off;
        if (ok && off > 2e-5) snprintf(why, room, "%s: what layer %d gives is off by %.1e", c->name, l, off);
        ok = ok && off <= 2e-5;
    }
    for (int t = 0; t < words && ok; t++) {
        Mat got = mat_empty(c->last) ? pretrained_logits(scratch, run, t) : mat_rows(run->last, t, 1);
        Mat want = mat_rows(mat_empty(c->last) ? c->logits : c->last, t, 1);
        ok = !mat_empty(got);
        if (!ok) snprintf(why, room, "%s: there are no logits", c->name);
        off = ok ? difference(got, want, 0.0) : 0.0;
        if (off > 2e-5) snprintf(why, room, "%s: logits of token %d are off by %.1e", c->name, t, off);
        ok = ok && off <= 2e-5;
    }
    arena_close(scratch);
    return ok;
}
