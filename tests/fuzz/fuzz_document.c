// Any bytes as a file for the viewer: a document whose corners, words, stages and cells can be asked for, or one
// sentence.
#include "fuzz/mutate.h"
#include "viz/document.h"

static volatile float seen; // so that no number is left unread

static void look_at_fields(const Document *d)
{
    for (int f = 0; f < d->count; f++) {
        const Field *field = &d->fields[f];
        int rows[] = { 0, field->rows - 1 }, cols[] = { 0, field->cols - 1 };
        if (field->layers < 1 || field->heads < 1 || field->rows < 1 || field->cols < 1) abort();
        for (int c = 0; c < 16; c++)
            seen = field_at(field, c & 1 ? field->layers - 1 : 0, c & 2 ? field->heads - 1 : 0, rows[c >> 2 & 1],
                            cols[c >> 3 & 1]);
    }
}

static void look_at_cell(Arena *arena, const Document *d, int layer, int head, int i, int j)
{
    Explained e = document_explain(arena, d, layer, head, i, j);
    float sum = 0;
    for (int c = 0; c < e.terms; c++) sum += e.q[c] * e.k[c];
    for (int c = 0; c < e.dv; c++) sum += e.v[c];
    seen = sum;
    if (e.hidden != document_hidden(d, layer, head, i, j)) abort();
    int allowed = 0;
    for (int k = 0; k < d->S; k++) allowed += !document_hidden(d, layer, head, i, k);
    if (allowed != document_allowed(d, layer, head, i)) abort();
    if (!*document_query(arena, d, i) || !*document_key(arena, d, j)) abort();
}

static void look_at_all(Arena *arena, const Document *d)
{
    const Field *maps = document_maps(d);
    if (d->T != maps->rows || d->S != maps->cols || d->heads != maps->heads || d->layers != maps->layers) abort();
    if (d->groups < 1 || d->heads % d->groups || !*d->title || !*d->shape || !*d->range) abort();
    look_at_fields(d);
    int l = d->layers - 1, h = d->heads - 1;
    look_at_cell(arena, d, 0, 0, 0, d->S - 1);
    look_at_cell(arena, d, l, h, d->T - 1, 0);
    for (Stage s = 0; s < STAGES; s++) {
        Mat m = document_stage(arena, d, l, h, s);
        if (mat_empty(m) != !document_has_stage(d, s)) abort();
        for (int i = 0; i < m.rows; i++) seen = *mat_ref(m, i, m.cols - 1);
    }
    const Walk *walk = &d->walk;
    if (walk->frames && d->fields[walk->weights].heads != walk->frames) abort();
    if (walk->frames && (mat_empty(walk->tiles) ? walk->many < 1 : walk->tiles.rows != walk->frames)) abort();
}

// The last byte names the axes of a .npy: it is the numbers' last byte, too.
static void mutate_document(Draft *draft)
{
    if (draft->at[0] == 0x93) mutate_npy(draft);
    else mutate_safetensors(draft);
}

MUTATED_BY(mutate_document)

FUZZ(1000)
{
    static const char *const axes[] = { NULL, "TS", "ST", "TSH", "LTS", "1HTS", "HLST", "LHTS", "HH", "" };
    bool npy = file.size && file.at[0] == 0x93;
    int named = npy ? file.at[file.size - 1] % (int)(sizeof axes / sizeof *axes) : 0;
    for (int a = 0; a <= named; a += named ? named : 1) { // guessed, and named
        Document d;
        if (!document_parse(&d, arena, file, "fuzz", (Reading){ .axes = axes[a] }, error)) return false;
        look_at_all(arena, &d);
    }
    return true;
}
