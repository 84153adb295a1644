// Recognises a file by its first bytes and loads it; answers questions about a document.
#include "viz/document_internal.h"

#include "io/json.h"
#include "io/text.h"

#include <math.h>
#include <string.h>

// ---- fields

static const unsigned char *cell_at(const Field *field, int layer, int head, int row, int col)
{
    REQUIRE(layer >= 0 && layer < field->layers && head >= 0 && head < field->heads,
            "layer %d, head %d of %s, which has %d layers of %d heads", layer, head, field->name, field->layers,
            field->heads);
    int plane = layer * field->heads + head;
    const unsigned char *at = field->planes ? field->planes[plane] : field->make(field->maker, field->kind, plane);
    return at + row * field->row_step + col * field->col_step;
}

// Column-major matrices are read in square tiles, so that each cache line is fetched once.
static void read_by_columns(Mat out, const Field *f, const unsigned char *from)
{
    enum { SIDE = 64 };
    float square[SIDE][SIDE + 1]; // rows of a power of two would share one cache set
    for (int i0 = 0; i0 < out.rows; i0 += SIDE)
        for (int j0 = 0; j0 < out.cols; j0 += SIDE) {
            int rows = out.rows - i0 < SIDE ? out.rows - i0 : SIDE, cols = out.cols - j0 < SIDE ? out.cols - j0 : SIDE;
            const unsigned char *at = from + i0 * f->row_step + j0 * f->col_step;
            for (int j = 0; j < cols; j++)
                dtype_read_row(square[j], at + j * f->col_step, f->row_step, (size_t)rows, f->stored, f->big_endian);
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < cols; j++) out.at[(ptrdiff_t)(i0 + i) * out.stride + j0 + j] = square[j][i];
        }
}

// Tells the operating system to read a contiguous block ahead.
static void want_block(Mat out, const Field *f, const unsigned char *from)
{
    size_t size = dtype_size(f->stored), wanted = (size_t)out.rows * (size_t)out.cols * size;
    size_t span = (size_t)((out.rows - 1) * f->row_step + (out.cols - 1) * f->col_step) + size;
    if (wanted >= 8192 && span <= 2 * wanted) file_want((FileBytes){ from, span });
}

void field_read(Mat out, const Field *field, int layer, int head, int row, int col)
{
    REQUIRE(row >= 0 && row + out.rows <= field->rows && col >= 0 && col + out.cols <= field->cols,
            "a block " MAT_SHAPE " from (%d, %d) of %s, which is (%d, %d)", MAT_SHAPED(out), row, col, field->name,
            field->rows, field->cols);
    if (out.rows == 0 || out.cols == 0) return;
    const unsigned char *from = cell_at(field, layer, head, row, col);
    want_block(out, field, from);
    if (field->row_step < field->col_step && out.rows > 1) {
        read_by_columns(out, field, from);
        return;
    }
    for (int i = 0; i < out.rows; i++)
        dtype_read_row(out.at + (ptrdiff_t)i * out.stride, from + i * field->row_step, field->col_step,
                       (size_t)out.cols, field->stored, field->big_endian);
}

float field_at(const Field *field, int layer, int head, int row, int col)
{
    REQUIRE(row >= 0 && row < field->rows && col >= 0 && col < field->cols, "cell (%d, %d) of %s, which is (%d, %d)",
            row, col, field->name, field->rows, field->cols);
    return dtype_read(cell_at(field, layer, head, row, col), field->stored, field->big_endian);
}

Field field_of(Arena *arena, const char *name, FieldKind kind, const NpyView *view, AxisOrder axes)
{
    int64_t L = axes.layers < 0 ? 1 : view->shape[axes.layers], H = axes.heads < 0 ? 1 : view->shape[axes.heads];
    const unsigned char **planes = arena_alloc(arena, (size_t)(L * H) * sizeof *planes);
    for (int64_t l = 0; l < L; l++)
        for (int64_t h = 0; h < H; h++)
            planes[l * H + h] = view->at + (axes.layers < 0 ? 0 : l * view->step[axes.layers]) +
                                (axes.heads < 0 ? 0 : h * view->step[axes.heads]);
    return (Field){
        .name = name,
        .kind = kind,
        .layers = (int)L,
        .heads = (int)H,
        .rows = (int)view->shape[axes.rows],
        .cols = (int)view->shape[axes.cols],
        .planes = planes,
        .row_step = (ptrdiff_t)view->step[axes.rows],
        .col_step = (ptrdiff_t)view->step[axes.cols],
        .stored = view->stored,
        .big_endian = view->big_endian,
    };
}

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

static bool is_shown(const Document *d, const char *name, Error *error)
{
    if (d->T > SIDE_MOST || d->S > SIDE_MOST)
        return error_set(error, "%s: maps of %d × %d; a side may have %d", name, d->T, d->S, SIDE_MOST);
    if ((int64_t)d->layers * d->heads > MAPS_MOST)
        return error_set(error, "%s: %d × %d maps; at most %d can be shown, so save a part of them", name, d->layers,
                         d->heads, MAPS_MOST);
    return true;
}

bool document_finish(Document *d, Arena *arena, const char *how, bool nameless, const char *name, Reading reading,
                     Error *error)
{
    // 1. Words.
    if (!is_shown(d, name, error)) return false;
    if (!words_read(d, arena, name, reading, error) || !segments_read(d, arena, reading, error)) return false;

    // 2. Ranges and sanity.
    document_judge(d, arena, how, nameless);
    return true;
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

// ---- what is asked of a document

const Field *document_field(const Document *d, FieldKind kind)
{
    return d->of[kind] < 0 ? NULL : &d->fields[d->of[kind]];
}

const Field *document_maps(const Document *d) { return &d->fields[d->maps]; }

bool document_hidden(const Document *d, int layer, int head, int i, int j)
{
    REQUIRE(i >= 0 && i < d->T && j >= 0 && j < d->S, "cell (%d, %d) of a map (%d, %d)", i, j, d->T, d->S);
    if (d->masked == MASK_CAUSAL) return j > i + (int64_t)d->S - d->T;
    if (d->masked == MASK_MAPS) return field_at(document_maps(d), layer, head, i, j) == -INFINITY;
    return d->masked == MASK_SCORES && field_at(document_field(d, FIELD_SCORES), layer, head, i, j) == -INFINITY;
}

int document_allowed(const Document *d, int layer, int head, int i)
{
    REQUIRE(i >= 0 && i < d->T, "row %d of a map (%d, %d)", i, d->T, d->S);
    int64_t last = i + (int64_t)d->S - d->T;
    if (d->masked == MASK_CAUSAL) return last < 0 ? 0 : (int)last + 1;
    if (d->masked == MASK_NONE) return d->S;
    int allowed = 0;
    for (int j = 0; j < d->S; j++) allowed += !document_hidden(d, layer, head, i, j);
    return allowed;
}

const char *document_query(Arena *arena, const Document *d, int i)
{
    REQUIRE(i >= 0 && i < d->T, "query %d of %d", i, d->T);
    return d->queries ? d->queries[i] : arena_format(arena, "%d", i);
}

const char *document_key(Arena *arena, const Document *d, int j)
{
    REQUIRE(j >= 0 && j < d->S, "key %d of %d", j, d->S);
    return d->keys ? d->keys[j] : arena_format(arena, "%d", j);
}

const char *ablation_word(AblationKind ablation)
{
    static const char *const words[ABLATIONS] = { "zero", "mean", "held" };
    return words[ablation];
}
