// Reads the fields of a document, and answers questions about it.
#include "base/portable_math.h"
#include "viz/document_internal.h"

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
