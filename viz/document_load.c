// Recognises a file by its first bytes and loads it as a document, or says what it is instead.
#include "viz/document_internal.h"

#include "io/json.h"
#include "io/safetensors.h"
#include "io/text.h"

#include <string.h>

// ---- what is refused

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static bool refuse_pickle(const char *name, Arena *arena, Error *error)
{
    const char *base = json_quote(arena, arena_format(arena, "%.100s", base_of(name))); // also valid as a Python string
    return error_set(
        error,
        "%.300s: this is a pickle, as PyTorch saves it, a program that would run: it is not opened. In Python:\n"
        "    import numpy, torch\n"
        "    maps = torch.load(%s, map_location=\"cpu\")\n"
        "    if isinstance(maps, (list, tuple)):    # a layer each: (1, heads, T, S)\n"
        "        maps = torch.cat(list(maps))\n"
        "    maps = maps.detach().float().numpy()\n"
        "    numpy.save(\"maps.npy\", maps)",
        name, base);
}

// A zip file has the name of its first entry at byte 30. "….npy" means .npz; PyTorch writes folder/data.pkl.
static bool refuse_zip(FileBytes file, const char *name, Arena *arena, Error *error)
{
    size_t length = file.size >= 30 ? file.at[26] | (size_t)file.at[27] << 8 : 0;
    if (length > file.size - (file.size >= 30 ? 30 : 0)) length = 0;
    const char *first =
        arena_format(arena, "%.*s", length > 100 ? 100 : (int)length, (const char *)file.at + 30 * (length > 0));
    size_t n = strlen(first);
    if (n < 5 || strcmp(first + n - 4, ".npy")) return refuse_pickle(name, arena, error);
    return error_set(error,
                     "%.300s: this is an .npz archive of several arrays; save one of them in Python: "
                     "numpy.save(\"maps.npy\", numpy.load(%s)[%s])",
                     name, json_quote(arena, arena_format(arena, "%.100s", base_of(name))),
                     json_quote(arena, arena_format(arena, "%.*s", (int)n - 4, first)));
}

static bool refuse_unknown(FileBytes file, const char *name, Arena *arena, Error *error)
{
    static const char right[] = "a .npy file starts with \"\\x93NUMPY\", a .safetensors file with the length of its "
                                "header in 8 bytes and then {";
    if (file.size == 0) return error_set(error, "%s: the file is empty; .npy and .safetensors files are shown", name);
    const char *found = text_shown(arena, file.at, file.size < 16 ? file.size : 16);
    if (file.at[0] == '[' || file.at[0] == '{')
        return error_set(error,
                         "%s: byte 0: found %s, which looks like JSON; maps come from .npy and .safetensors "
                         "files, and words are given with --tokens",
                         name, found);
    return error_set(error, "%s: byte 0: found %s, but %s", name, found, right);
}

// ---- parsing

typedef enum { FILE_NPY, FILE_SAFETENSORS, FILE_ZIP, FILE_PICKLE, FILE_UNKNOWN } FileKind;

static FileKind kind_of(FileBytes file)
{
    const unsigned char *at = file.at;
    size_t magic = file.size < 6 ? file.size : 6;
    if (file.size > 0 && !memcmp(at, "\x93NUMPY", magic)) return FILE_NPY;
    if (file.size >= 4 && !memcmp(at, "PK\3\4", 4)) return FILE_ZIP;
    if (file.size > 8 && at[8] == '{') return FILE_SAFETENSORS;
    return file.size >= 2 && at[0] == 0x80 && at[1] >= 2 && at[1] <= 5 ? FILE_PICKLE : FILE_UNKNOWN;
}

bool document_parse(Document *out, Arena *arena, FileBytes file, const char *name, Reading reading, Error *error)
{
    Document d = { .title = base_of(name), .source = arena_format(arena, "%s", name) };
    const char *how = NULL;
    TensorViews views;
    d.title = base_of(d.source);
    for (int k = 0; k < FIELD_KINDS; k++) d.of[k] = -1;

    // 1. Fields, and which of them is shown.
    FileKind kind = kind_of(file);
    switch (kind) {
    case FILE_NPY:
        if (!npy_document(&d, &how, arena, file, name, reading, error)) return false;
        break;
    case FILE_SAFETENSORS:
        if (!safetensors_look(&views, arena, file, name, error)) return false;
        if (kinds_within(&views)) return kinds_document(out, arena, &views, &d, name, reading, error);
        if (!dump_document(&d, arena, &views, name, error)) return false;
        break;
    case FILE_ZIP: return refuse_zip(file, name, arena, error);
    case FILE_PICKLE: return refuse_pickle(name, arena, error);
    case FILE_UNKNOWN: return refuse_unknown(file, name, arena, error);
    }

    // 2. The rest.
    if (!document_finish(&d, arena, how, kind == FILE_NPY, name, reading, error)) return false;
    *out = d;
    return true;
}
