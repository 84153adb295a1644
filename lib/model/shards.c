// Chapter 25. The files of a model, their tensors, and the tensors' names.
#include "model/shards.h"

#include "io/json.h"
#include "io/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 1000, MOST_NAME = 200 };

// ---- the index

// A file name of this folder: no path, not hidden.
static bool plain_name(const char *name)
{
    size_t length = strlen(name);
    return length > 0 && length <= MOST_NAME && name[0] != '.' && !strchr(name, '/') && !strchr(name, '\\');
}

static int place_of_file(ShardIndex *index, const char *file)
{
    for (int f = 0; f < index->files_count; f++)
        if (!strcmp(index->files[f], file)) return f;
    if (index->files_count == MOST_FILES) return -1;
    index->files[index->files_count] = file;
    return index->files_count++;
}

bool shards_index_parse(ShardIndex *out, Arena *arena, FileBytes file, const char *name, Error *error)
{
    Json *root;
    ShardIndex index = { 0 };
    if (!json_parse(&root, arena, (const char *)file.at, file.size, name, error)) return false;
    const Json *map = json_member(root, "weight_map");
    if (!map || map->kind != JSON_OBJECT)
        return error_set(error,
                         "%s:%zu:%zu: found no weight_map, but an index is an object with one, which names a "
                         "file for each tensor",
                         name, root->line, root->column);
    for (const Json *entry = map->first; entry; entry = entry->next) index.count++;
    if (index.count == 0)
        return error_set(error, "%s:%zu:%zu: weight_map is empty; it must name a file for each tensor", name, map->line,
                         map->column);
    index.entries = arena_alloc(arena, (size_t)index.count * sizeof *index.entries);
    index.files = arena_alloc(arena, MOST_FILES * sizeof *index.files);
    int n = 0;
    for (const Json *entry = map->first; entry; entry = entry->next, n++) {
        const char *tensor = text_shown(arena, entry->key, strlen(entry->key));
        if (entry->kind != JSON_STRING || !plain_name(entry->text))
            return error_set(error, "%s:%zu:%zu: tensor %s is said to be in %s; it must be a file of this folder", name,
                             entry->line, entry->column, tensor,
                             entry->kind == JSON_STRING ? text_shown(arena, entry->text, strlen(entry->text))
                                                        : "what is no name");
        index.entries[n] = (ShardEntry){ entry->key, place_of_file(&index, entry->text) };
        if (index.entries[n].file < 0)
            return error_set(error, "%s:%zu:%zu: this is file number %d; at most %d are read", name, entry->line,
                             entry->column, MOST_FILES + 1, MOST_FILES);
    }
    *out = index;
    return true;
}

// ---- names

static const char *without_prefix(const char *name, const char *const *prefixes, int most)
{
    for (int i = 0; i < most && prefixes[i]; i++) {
        size_t length = strlen(prefixes[i]);
        if (!strncmp(name, prefixes[i], length)) return name + length;
    }
    return name;
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), size = strlen(end);
    return length >= size && !strcmp(name + length - size, end);
}

// Old BERT files call a norm's parameters gamma and beta.
static const char *renamed(Arena *arena, const char *name)
{
    if (ends_with(name, ".gamma")) return arena_format(arena, "%.*sweight", (int)strlen(name) - 5, name);
    if (ends_with(name, ".beta")) return arena_format(arena, "%.*sbias", (int)strlen(name) - 4, name);
    return name;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const ShardTensor *)a)->name, ((const ShardTensor *)b)->name);
}

static bool sort_names(Shards *s, Arena *arena, Error *error)
{
    if (s->count) qsort(s->tensors, (size_t)s->count, sizeof *s->tensors, compare_names);
    for (int i = 1; i < s->count; i++) {
        const ShardTensor *a = &s->tensors[i - 1], *b = &s->tensors[i];
        if (!strcmp(a->name, b->name))
            return error_set(error, "%s: tensor %s and tensor %s of %s are one and the same; there must be one of each",
                             a->file, text_shown(arena, a->whole, strlen(a->whole)),
                             text_shown(arena, b->whole, strlen(b->whole)), b->file);
    }
    return true;
}

ShardTensor *shards_find(const Shards *shards, const char *name)
{
    ShardTensor wanted = { .name = name };
    if (shards->count == 0) return NULL;
    return bsearch(&wanted, shards->tensors, (size_t)shards->count, sizeof wanted, compare_names);
}

// ---- opening

typedef struct {
    TensorViews views;
    const char *path;
} Opened;

static const int64_t MAP_ABOVE = INT64_C(16) << 20; // smaller files are read, which takes milliseconds

static bool open_file(Shards *s, Opened *out, Arena *arena, const char *path, Error *error)
{
    FileMap *map = &s->maps[s->maps_count];
    *out = (Opened){ .path = path };
    if (!file_map(map, arena, path, MAP_ABOVE, error)) return false;
    s->maps_count++;
    return safetensors_look_all(&out->views, arena, map->bytes, path, error);
}

static int compare_views(const void *a, const void *b)
{
    return strcmp((*(const TensorView *const *)a)->name, (*(const TensorView *const *)b)->name);
}

// Every entry of the index must match a tensor.
static bool check_index(const ShardIndex *index, const Opened *opened, Arena *arena, const char *name, Error *error)
{
    for (int f = 0; f < index->files_count; f++) {
        const TensorViews *views = &opened[f].views;
        const TensorView **sorted = arena_alloc(arena, (size_t)views->count * sizeof *sorted + 1);
        for (int i = 0; i < views->count; i++) sorted[i] = &views->tensors[i];
        if (views->count) qsort(sorted, (size_t)views->count, sizeof *sorted, compare_views);
        for (int n = 0; n < index->count; n++) {
            TensorView wanted = { .name = index->entries[n].tensor };
            const TensorView *key = &wanted;
            if (index->entries[n].file != f) continue;
            if (!views->count || !bsearch(&key, sorted, (size_t)views->count, sizeof *sorted, compare_views))
                return error_set(error, "%s: tensor %s is said to be in %s; it is not there", name,
                                 text_shown(arena, wanted.name, strlen(wanted.name)), opened[f].path);
        }
    }
    return true;
}

static void gather(Shards *s, Arena *arena, const Opened *opened, int files, const char *const *prefixes, int most)
{
    for (int f = 0; f < files; f++) s->count += opened[f].views.count;
    s->tensors = arena_alloc(arena, (size_t)s->count * sizeof *s->tensors + 1);
    int n = 0;
    for (int f = 0; f < files; f++)
        for (int i = 0; i < opened[f].views.count; i++) {
            TensorView view = opened[f].views.tensors[i];
            const char *name = renamed(arena, without_prefix(view.name, prefixes, most));
            s->tensors[n++] = (ShardTensor){ name, view.name, opened[f].path, view.view, view.other, false };
        }
}

static bool open_shards(Shards *s, Arena *arena, const char *folder, const char *const *prefixes, int most,
                        Error *error)
{
    ShardIndex index;
    FileBytes file;
    s->where = arena_format(arena, "%s/model.safetensors.index.json", folder);
    if (!file_read(&file, arena, s->where, error) || !shards_index_parse(&index, arena, file, s->where, error))
        return false;
    Opened *opened = arena_alloc(arena, (size_t)index.files_count * sizeof *opened);
    s->maps = arena_alloc(arena, (size_t)index.files_count * sizeof *s->maps);
    for (int f = 0; f < index.files_count; f++)
        if (!open_file(s, &opened[f], arena, arena_format(arena, "%s/%s", folder, index.files[f]), error)) return false;
    if (!check_index(&index, opened, arena, s->where, error)) return false;
    gather(s, arena, opened, index.files_count, prefixes, most);
    return true;
}

static bool file_exists(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file) fclose(file);
    return file != NULL;
}

bool shards_open(Shards *out, Arena *arena, const char *folder, const char *const *prefixes, int most, Error *error)
{
    Shards s = { .where = arena_format(arena, "%s/model.safetensors", folder) };
    bool ok;
    if (!file_exists(s.where) && file_exists(arena_format(arena, "%s/model.safetensors.index.json", folder))) {
        ok = open_shards(&s, arena, folder, prefixes, most, error);
    } else {
        Opened opened;
        s.maps = arena_alloc(arena, sizeof *s.maps);
        ok = open_file(&s, &opened, arena, s.where, error);
        if (ok) gather(&s, arena, &opened, 1, prefixes, most);
    }
    ok = ok && sort_names(&s, arena, error);
    if (!ok) shards_close(&s);
    *out = s;
    return ok;
}

void shards_close(Shards *shards)
{
    for (int f = 0; f < shards->maps_count; f++) file_unmap(shards->maps[f]);
    shards->maps_count = 0;
}
