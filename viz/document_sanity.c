// Judges the numbers of a document: their range, row sums, which cells a mask hides, and what looks wrong. Large files
// are sampled, about a million numbers.
#include "base/portable_math.h"
#include "viz/document_internal.h"

#include <inttypes.h>
#include <string.h>

enum { NUMBERS = 1 << 20, BAND = 64, COLUMNS = 16 };

// Statistics. `below`: on or left of the diagonal that is aligned bottom-right.
typedef struct {
    double least, most;
    bool nonzero;
    int64_t count;
} Part;
typedef struct {
    Part below, above;
    int64_t rows, all_rows;                             // sampled; in the file
    int64_t empty, wrong;                               // rows of zeros; rows that do not sum to 1
    int64_t summed;                                     // rows that were summed
    int64_t nan, infinite, masked_out, negative, large; // counts: NaN, +∞, −∞, below 0, above 1
    double least_sum, most_sum;
    double near; // tolerance of row sums
    bool hidden; // −∞ among the scores of these cells
} Seen;

// ---- looking

static void see_number(Seen *seen, Part *part, float value)
{
    part->nonzero = part->nonzero || (value != 0 && value != -INFINITY);
    seen->nan += isnan(value);
    seen->infinite += value == INFINITY;
    seen->masked_out += value == -INFINITY;
    if (!isfinite(value)) return;
    seen->negative += value < 0;
    seen->large += value > 1 + seen->near;
    part->least = part->count ? fmin(part->least, value) : value;
    part->most = part->count ? fmax(part->most, value) : value;
    part->count++;
}

// Adds a row of n numbers, of which the first `visible` are not above the diagonal. scores (n), or NULL. Only complete
// rows are summed.
static void see_row(Seen *seen, const float *row, const float *scores, int n, int64_t visible, bool whole)
{
    double sum = 0;
    bool empty = true;
    for (int j = 0; j < n; j++) {
        bool hidden = scores && scores[j] == -INFINITY;
        Part *part = j < visible ? &seen->below : &seen->above;
        seen->hidden = seen->hidden || hidden;
        if (!hidden || row[j] != 0) see_number(seen, part, row[j]);
        empty = empty && (row[j] == 0 || row[j] == -INFINITY);
        if (row[j] != -INFINITY) sum += row[j];
    }
    seen->rows++;
    seen->empty += empty;
    if (!whole || empty || !isfinite(sum)) return;
    seen->summed++;
    seen->wrong += !(fabs(sum - 1) <= seen->near);
    seen->least_sum = fmin(seen->least_sum, sum);
    seen->most_sum = fmax(seen->most_sum, sum);
}

// Adds rows row … row + count − 1 of one head.
static void see_rows(Seen *seen, const Document *d, int plane, int row, int count, Arena *scratch)
{
    const Field *maps = document_maps(d), *scores = document_field(d, FIELD_SCORES);
    int layer = plane / d->heads, head = plane % d->heads, n = d->S < NUMBERS ? d->S : NUMBERS;
    ArenaMark mark = arena_mark(scratch);
    Mat block = mat_new(scratch, count, n), hidden = { 0 };
    field_read(block, maps, layer, head, row, 0);
    if (scores && scores != maps) field_read(hidden = mat_new(scratch, count, n), scores, layer, head, row, 0);
    for (int r = 0; r < count; r++)
        see_row(seen, mat_row(block, r), mat_empty(hidden) ? NULL : mat_row(hidden, r), n,
                (int64_t)row + r + d->S - d->T + 1, n == d->S);
    arena_release(scratch, mark);
}

// How many rows to sample. Where columns are far apart in the file each number costs a page, so neighbouring rows are
// sampled together.
static int64_t rows_to_see(const Field *f, int band)
{
    int64_t all = (int64_t)f->layers * f->heads * f->rows, apart = f->col_step < 4096 ? f->col_step : 4096;
    int64_t n = f->cols < NUMBERS ? f->cols : NUMBERS, rows = NUMBERS / n, bands = ((int64_t)16 << 20) / (n * apart);
    if (all <= rows) return all;
    if (band > 1 && rows > bands * band) rows = bands * band;
    return rows < 1 ? 1 : rows;
}

// Samples all rows, or some of every head at multiples of the golden ratio, which does not resonate with patterns.
static Seen see(const Document *d, Arena *scratch)
{
    const Field *f = document_maps(d);
    Seen seen = { .all_rows = (int64_t)d->layers * d->heads * d->T, .least_sum = INFINITY, .most_sum = -INFINITY };
    seen.near = f->stored == DTYPE_BF16 ? 8e-3 : f->stored == DTYPE_F16 ? 2e-3 : 1e-3;
    int band = f->row_step < f->col_step ? d->T < BAND ? d->T : BAND : 1, planes = d->layers * d->heads;
    int64_t rows = rows_to_see(f, band);
    if (rows == seen.all_rows) {
        int step = NUMBERS / (d->S < NUMBERS ? d->S : NUMBERS);
        for (int p = 0; p < planes; p++)
            for (int i = 0; i < d->T; i += step) see_rows(&seen, d, p, i, d->T - i < step ? d->T - i : step, scratch);
        return seen;
    }
    int64_t bands = (rows + band - 1) / band;
    for (int64_t b = 0; b < bands; b++) {
        uint64_t turn = (uint32_t)(b * INT64_C(0x9E3779B1));
        see_rows(&seen, d, (int)(b * planes / bands), (int)(turn * (uint64_t)(d->T - band + 1) >> 32), band, scratch);
    }
    return seen;
}

// Do columns sum to 1? All of a small file, some of the first head of a large one.
static bool columns_sum_to_one(const Document *d, double near, Arena *scratch)
{
    const Field *f = document_maps(d);
    int planes = (int64_t)d->layers * d->heads * d->T * d->S <= NUMBERS ? d->layers * d->heads : 1;
    int count = planes == 1 && d->S > COLUMNS ? COLUMNS : d->S;
    if ((int64_t)count * d->T > NUMBERS) return false;
    for (int p = 0; p < planes; p++) {
        ArenaMark mark = arena_mark(scratch);
        Mat block = mat_new(scratch, d->T, count);
        field_read(block, f, p / d->heads, p % d->heads, 0, (d->S - count) / 2);
        for (int j = 0; j < count; j++) {
            double sum = 0;
            for (int i = 0; i < d->T; i++) sum += *mat_ref(block, i, j);
            if (!(fabs(sum - 1) <= near)) return false;
        }
        arena_release(scratch, mark);
    }
    return true;
}

// ---- saying it

static const char *number(Arena *arena, double value)
{
    double size = fabs(value);
    const char *text = arena_format(arena, size < 1000 ? "%.3f" : "%.3g", size);
    return value <= -5e-4 ? arena_format(arena, "−%s", text) : text;
}

static const char *several(Arena *arena, int64_t count, const char *what)
{
    return arena_format(arena, "%" PRId64 " %s%s", count, what, count == 1 ? "" : "s");
}

static const char *joined(Arena *arena, const char *text, const char *more)
{
    return !more ? text : *text ? arena_format(arena, "%s · %s", text, more) : more;
}

static const char *say_shape(Arena *arena, const Document *d, bool causal, const char *how)
{
    bool walked = d->walk.frames > 0 && d->maps == d->walk.weights;
    FieldKind kind = document_maps(d)->kind;
    const char *text = "", *pattern = NULL;
    if (d->layers > 1) text = arena_format(arena, "%d layers × %s", d->layers, several(arena, d->heads, "head"));
    else if (d->heads > 1) text = several(arena, d->heads, walked ? "frame" : kind == FIELD_OTHER ? "part" : "head");
    if (d->groups < d->heads) text = arena_format(arena, "%s in %s", text, several(arena, d->groups, "group"));
    const char *size = d->T == d->S ? several(arena, d->T, "token") : arena_format(arena, "%d × %d tokens", d->T, d->S);
    if (kind == FIELD_OTHER) size = arena_format(arena, "%d × %d numbers", d->T, d->S);
    if (kind != FIELD_OTHER && causal) pattern = "causal";
    else if (d->masked == MASK_SCORES) pattern = "masked";
    else if (kind == FIELD_WEIGHTS && d->T == d->S) pattern = "bidirectional";
    return joined(arena, joined(arena, joined(arena, text, size), pattern), how);
}

static const char *say_range(Arena *arena, const Document *d, const Seen *seen)
{
    Part all = seen->below;
    if (d->masked != MASK_CAUSAL && seen->above.count) {
        all.least = all.count ? fmin(all.least, seen->above.least) : seen->above.least;
        all.most = all.count ? fmax(all.most, seen->above.most) : seen->above.most;
        all.count += seen->above.count;
    }
    const char *text = "no finite number";
    if (all.count) text = arena_format(arena, "%s … %s", number(arena, all.least), number(arena, all.most));
    if (document_maps(d)->kind == FIELD_WEIGHTS && seen->least_sum <= seen->most_sum)
        text = !seen->wrong ? arena_format(arena, "%s, rows sum to 1", text)
                            : arena_format(arena, "%s, rows sum to %s … %s", text, number(arena, seen->least_sum),
                                           number(arena, seen->most_sum));
    if (document_maps(d)->kind == FIELD_WEIGHTS && seen->empty)
        text = arena_format(arena, "%s, %s of zeros", text, several(arena, seen->empty, "row"));
    if (seen->rows < seen->all_rows)
        text = arena_format(arena, "%s (sampled: %" PRId64 " of %" PRId64 " rows)", text, seen->rows, seen->all_rows);
    return text;
}

// Unnamed numbers that are not weights: some are negative and rows do not sum to 1; or some are −∞ and most rows do not
// sum to 1. A single −∞ in rows that sum to 1 is an invalid weight.
static bool are_logits(const Seen *seen)
{
    return (seen->wrong && seen->negative) || (seen->masked_out && (2 * seen->wrong > seen->summed || !seen->summed));
}

static const char *say_sums(const Document *d, const Seen *seen, bool nameless, Arena *scratch)
{
    bool logits = nameless && are_logits(seen);
    if (!logits && document_maps(d)->kind != FIELD_WEIGHTS) return NULL;
    if (logits && !seen->wrong) return "−∞ among them: these look like logits";
    if (logits) return "rows do not sum to 1: these look like logits";
    if (seen->wrong && columns_sum_to_one(d, seen->near, scratch)) return "columns sum to 1, rows do not: transposed?";
    if (seen->wrong) return "rows do not sum to 1";
    return seen->negative || seen->large ? "values outside 0 … 1" : NULL;
}

static const char *warning_text(Arena *arena, const Document *d, const Seen *seen, bool nameless, Arena *scratch)
{
    const char *text = "", *sums = say_sums(d, seen, nameless, scratch);
    const char *more = seen->rows < seen->all_rows ? "at least " : "";
    if (seen->nan) text = arena_format(arena, "%s%" PRId64 " NaN", more, seen->nan);
    if (seen->infinite) text = joined(arena, text, arena_format(arena, "%s%" PRId64 " infinite", more, seen->infinite));
    bool weights = document_maps(d)->kind == FIELD_WEIGHTS && !(nameless && are_logits(seen));
    const char *masked_out = arena_format(arena, "%s%" PRId64 " −∞", more, seen->masked_out);
    if (seen->masked_out && weights) text = joined(arena, text, masked_out);
    text = joined(arena, text, sums);
    return *text ? text : NULL;
}

void document_judge(Document *d, Arena *arena, const char *how, bool nameless)
{
    Arena *scratch = arena_open();
    Seen seen = see(d, scratch);
    bool maps = document_maps(d)->kind != FIELD_OTHER;
    bool causal = maps && seen.below.nonzero && !seen.above.nonzero && d->T > 1 && d->S > 1;

    // 1. Unnamed scores are recognised: −∞, or negative without row sums of 1.
    const char *warning = warning_text(arena, d, &seen, nameless, scratch);
    if (nameless && are_logits(&seen)) {
        d->fields[d->maps].kind = FIELD_SCORES;
        d->of[FIELD_SCORES] = d->maps;
        d->of[FIELD_WEIGHTS] = -1;
    }

    // 2. The mask: −∞ in scores, or else zeros above the diagonal.
    bool hidden = seen.hidden || (seen.masked_out && d->of[FIELD_SCORES] == d->maps);
    d->masked = hidden ? MASK_SCORES : causal ? MASK_CAUSAL : MASK_NONE;

    // 3. The texts.
    d->shape = say_shape(arena, d, causal, how);
    d->range = say_range(arena, d, &seen);
    d->warning = warning;
    arena_close(scratch);
}

// ---- the last step of loading -----------------------------------------------------------------------------------------

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
