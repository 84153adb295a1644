// A matrix of a pretrained model as stored in its file: views of some outputs or inputs, and conversion of blocks to
// float32.
#include "kernels/weight.h"

#include "kernels/weight_kernel.h"

// ---- views

Weight weight_outputs(Weight w, int first, int count)
{
    REQUIRE(first >= 0 && count >= 0 && first <= w.out - count, "outputs %d to %d of %d", first, first + count - 1,
            w.out);
    REQUIRE(!w.run || first % w.run == 0, "output %d does not begin a run of %d", first, w.run);
    w.at += w.run ? first / w.run * w.run_step : first * w.out_step;
    w.out = count;
    return w;
}

Weight weight_inputs(Weight w, int first, int count)
{
    REQUIRE(first >= 0 && count >= 0 && first <= w.in - count, "inputs %d to %d of %d", first, first + count - 1, w.in);
    w.at += first * w.in_step;
    w.in = count;
    return w;
}

bool weight_joined(Weight *both, Weight a, Weight b)
{
    *both = a;
    both->out = a.out + b.out;
    return !weight_by_rows(a) && !a.run && !b.run && a.stored == b.stored && a.in == b.in && a.in_step == b.in_step &&
           a.out_step == b.out_step && b.at == a.at + a.out * a.out_step;
}

void weight_row(Mat to, Weight w, int i)
{
    REQUIRE(to.rows == 1 && to.cols == w.in && i >= 0 && i < w.out, "row %d of %d, with %d numbers, to " MAT_SHAPE, i,
            w.out, w.in, MAT_SHAPED(to));
    dtype_read_row(to.at, weight_output(w, i), w.in_step, (size_t)w.in, w.stored, false);
}

// ---- blocks, converted to float32

// An output is a row in the file: it is read along the row and written down a column.
static void part_of_rows(Mat to, Weight w, int first_in, int first_out)
{
    enum { CHUNK = 256 };
    float row[CHUNK];
    for (int from = 0; from < to.rows; from += CHUNK) {
        int count = to.rows - from < CHUNK ? to.rows - from : CHUNK;
        for (int o = 0; o < to.cols; o++) {
            const unsigned char *at = weight_output(w, first_out + o) + (first_in + from) * w.in_step;
            dtype_read_row(row, at, w.in_step, (size_t)count, w.stored, false);
            for (int i = 0; i < count; i++) to.at[(ptrdiff_t)(from + i) * to.stride + o] = row[i];
        }
    }
}

static void part_of_columns(Mat to, Weight w, int first_in, int first_out)
{
    int run = w.run ? w.run : w.out;
    for (int o = 0, count; o < to.cols; o += count) {
        int left = run - (first_out + o) % run;
        count = to.cols - o < left ? to.cols - o : left;
        const unsigned char *at = weight_output(w, first_out + o);
        for (int i = 0; i < to.rows; i++)
            dtype_read_row(mat_row(to, i) + o, at + (first_in + i) * w.in_step, w.out_step, (size_t)count, w.stored,
                           false);
    }
}

void weight_part(Mat to, Weight w, int first_in, int first_out)
{
    REQUIRE(first_in >= 0 && to.rows <= w.in - first_in && first_out >= 0 && to.cols <= w.out - first_out,
            MAT_SHAPE " from (%d, %d) of (%d, %d)", MAT_SHAPED(to), first_in, first_out, w.in, w.out);
    if (weight_by_rows(w)) part_of_rows(to, w, first_in, first_out);
    else part_of_columns(to, w, first_in, first_out);
}
