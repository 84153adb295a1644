// Rows of results as text and as bars.
#include "bench/results.h"

#include "kernels/kernels.h"
#include "base/memory.h"
#include "figure/plot.h"
#include "figure/png.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const results_header = "kernel,H,G,T,S,d,causal,threads,gflops,share_of_probe,gbytes_per_s,rel_error";

void results_add(Results *results, Result result)
{
    if (results->count == results->room) {
        results->room = results->room ? 2 * results->room : 64;
        results->at = memory_resized(results->at, sizeof *results->at * (size_t)results->room);
    }
    results->at[results->count++] = result;
}

void results_print(const Results *results, int first, const char *title, const char *yardstick, const char *against)
{
    bool memory = results->at[first].T == 1;
    printf("\n%s\n  %-17s %7s  %-21s %9s   %s%s\n", title, "", memory ? "GB/s" : "GFLOP/s", yardstick, "error",
           against ? "× " : "", against ? against : "");
    for (int i = first; i < results->count; i++) {
        const Result *r = &results->at[i];
        char name[64];
        if (r->threads > 1) snprintf(name, sizeof name, "%.40s, %d thr.", r->kernel, r->threads);
        else snprintf(name, sizeof name, "%.40s", r->kernel);
        printf("  %-17s %7.1f %5.1f %% (%4.1f … %4.1f)", name, memory ? r->gbytes_per_s : r->gflops,
               100 * r->share.median, 100 * r->share.low, 100 * r->share.high);
        if (r->rel_error > 0) printf(" %9.1e", r->rel_error);
        else printf(" %9s", "");
        if (r->ratio.median > 0) printf(" %6.2f (%.2f … %.2f)", r->ratio.median, r->ratio.low, r->ratio.high);
        printf("\n");
    }
    fflush(stdout);
}

char *results_csv(Arena *arena, const Results *results, const char *head)
{
    size_t room = 1024 + strlen(head ? head : "") + 256 * (size_t)results->count, used = 0;
    char *text = arena_alloc(arena, room);
    if (head) used += (size_t)snprintf(text, room, "%s# %s,share_low,share_high\n", head, results_header);
    else used += (size_t)snprintf(text, room, "%s\n", results_header);
    for (int i = 0; i < results->count; i++) {
        const Result *r = &results->at[i];
        used += (size_t)snprintf(text + used, room - used, "%s,%d,%d,%d,%d,%d,%d,%d,%.2f,%.4f,%.2f,%.2e", r->kernel,
                                 r->H, r->G, r->T, r->S, r->d, r->causal, r->threads, r->gflops, r->share.median,
                                 r->gbytes_per_s, r->rel_error);
        if (head) used += (size_t)snprintf(text + used, room - used, ",%.4f,%.4f", r->share.low, r->share.high);
        used += (size_t)snprintf(text + used, room - used, "\n");
    }
    if (head)
        for (char *at = strchr(text + strlen(head), ','); at; at = strchr(at, ',')) *at = '\t';
    return text;
}

const Result *results_find(const Results *results, const char *kernel, int T, int d, int causal)
{
    for (int i = 0; i < results->count; i++) {
        const Result *r = &results->at[i];
        if (!strcmp(r->kernel, kernel) && r->T == T && r->d == d && r->causal == causal && r->threads == 1) return r;
    }
    return NULL;
}

static double percent(const Result *result) { return result ? 100 * result->share.median : 0; }

static const char *const compared[] = { "fast", "plain-c", "sgemm tiles", "sgemm naive", "PyTorch" };
enum { COMPARED = sizeof compared / sizeof *compared, MOST = 32 };

static Canvas *percents(Arena *arena, const char *title, const char *const *groups, int group_count,
                        const char *const *series, int series_count, const double *values)
{
    PlotBars bars = { .title = title, .y_title = "percent", .groups = groups, .series = series };
    bars.group_count = group_count;
    bars.series_count = series_count;
    bars.values = values;
    bars.width = 900;
    bars.height = 320;
    return group_count ? plot_bars_draw(arena, &bars, (RenderTarget){ .scale = 2 }) : NULL;
}

// The rungs at the first shape: full and causal side by side.
static Canvas *ladder_chart(Arena *arena, const Results *results, int T, int d)
{
    const char *names[MOST], *const modes[] = { "full", "causal" };
    double values[MOST * 2];
    int count = 0;
    for (int i = 0; attention_rung(i); i++)
        if (results_find(results, attention_rung(i)->name, T, d, 0)) {
            names[count] = attention_rung(i)->name;
            for (int causal = 0; causal < 2; causal++)
                values[2 * count + causal] = percent(results_find(results, attention_rung(i)->name, T, d, causal));
            count++;
        }
    const char *title = arena_format(arena, "The ladder at T = %d, d = %d: share of the probe, in percent", T, d);
    return percents(arena, title, names, count, modes, 2, values);
}

// Each shape: ours beside the peers.
static Canvas *shapes_chart(Arena *arena, const Results *results)
{
    const char *names[MOST], *series[COMPARED];
    double values[MOST * COMPARED];
    int count = 0, used = 0;
    for (int s = 0; s < COMPARED; s++)
        for (int i = 0; i < results->count; i++)
            if (!strcmp(results->at[i].kernel, compared[s])) {
                series[used++] = compared[s];
                break;
            }
    for (int i = 0; i < results->count && count < MOST; i++) {
        const Result *r = &results->at[i];
        if (strcmp(r->kernel, "fast") || r->T == 1) continue;
        names[count] = arena_format(arena, "T %d, d %d, %s", r->T, r->d, r->causal ? "causal" : "full");
        for (int s = 0; s < used; s++)
            values[count * used + s] = percent(results_find(results, series[s], r->T, r->d, r->causal));
        count++;
    }
    const char *title = "The fast kernel, its plain C twin and the peers: share of the probe, in percent";
    return percents(arena, title, names, count, series, used, values);
}

static bool canvas_save(const Canvas *canvas, const char *path, Error *error)
{
    unsigned char *png;
    int size;
    if (!png_encode(&png, &size, canvas, error)) return false;
    bool written = file_write(path, png, (size_t)size, error);
    free(png);
    return written;
}

bool canvases_stack(const Canvas *const *parts, int count, bool across, const char *path, Error *error)
{
    Arena *arena = arena_open();
    int width = 0, height = 0;
    for (int i = 0; i < count; i++) {
        width = across ? width + parts[i]->width : parts[i]->width > width ? parts[i]->width : width;
        height = !across ? height + parts[i]->height : parts[i]->height > height ? parts[i]->height : height;
    }
    double scale = parts[0]->scale;
    Canvas *all = canvas_new(arena, width / scale, height / scale, scale);
    for (int i = 0, x = 0, y = 0; i < count; i++) {
        size_t bytes = 4 * (size_t)parts[i]->width;
        for (int row = 0; row < parts[i]->height; row++)
            memcpy(all->rgba + 4 * ((size_t)(y + row) * (size_t)all->width + (size_t)x),
                   parts[i]->rgba + (size_t)row * bytes, bytes);
        if (across) x += parts[i]->width;
        else y += parts[i]->height;
    }
    bool saved = canvas_save(all, path, error);
    arena_close(arena);
    return saved;
}

bool results_chart(const Results *results, const char *path, Error *error)
{
    Arena *arena = arena_open();
    const Canvas *parts[2];
    int count = 0;
    for (int i = 0; i < results->count && count == 0; i++)
        if (!strcmp(results->at[i].kernel, "naive") && results->at[i].T > 1)
            parts[count++] = ladder_chart(arena, results, results->at[i].T, results->at[i].d);
    const Canvas *shapes = shapes_chart(arena, results);
    if (shapes) parts[count++] = shapes;
    bool saved = count == 0 || canvases_stack(parts, count, false, path, error);
    arena_close(arena);
    return saved;
}
