// Chapter 09, step 3. The note that layer 0 leaves of one token in the streams of all places, before the fall and after
// it.
#include "base/portable_math.h"
#include "language/induction.h"
#include "steps.h"

enum { SEQUENCES = 64, PLACE = 4 };

// The head of layer 0 with most weight on the token before.
static int previous_head(Transformer model)
{
    Arena *scratch = arena_open();
    InductionScores s = induction_scores(scratch, model, induction_batch, SEQUENCES, 7);
    int best = 0;
    for (int h = 1; h < model.config.H; h++)
        if (s.previous[h] > s.previous[best]) best = h;
    arena_close(scratch);
    return best;
}

Trail note_of(Transformer model)
{
    Trail note = { { 0 } };
    Arena *scratch = arena_open();
    Random random = random_from(7);
    Run run = run_transformer(scratch, model, induction_batch(scratch, SEQUENCES, &random, NULL), (Mat){ 0 });
    int head = previous_head(model);
    for (int b = 0; b < SEQUENCES; b++) {
        Mat weights = run_weights(scratch, &run, b, 0, head);
        for (int j = PLACE; j < NOTE_PLACES; j++) note.at[j] += mat_value(weights, j, PLACE) / SEQUENCES;
    }
    for (int j = 0; j < NOTE_PLACES; j++) note.at[j] = round(100.0 * note.at[j]) / 100.0;
    arena_close(scratch);
    return note;
}

// `last`: the step after which the late one was taken.
void figure_note(Lesson *lesson, const Trail *early, const Trail *late, int last)
{
    double place[NOTE_PLACES], alike[NOTE_PLACES];
    for (int j = 0; j < NOTE_PLACES; j++) {
        place[j] = j;
        alike[j] = j < PLACE ? 0.0 : 1.0 / (j + 1);
    }
    const PlotSeries series[] = {
        { .name = arena_format(lesson->arena, "step %d", last), .x = place, .y = late->at, .count = NOTE_PLACES },
        { .name = arena_format(lesson->arena, "step %d", BEFORE_IT), .x = place, .y = early->at, .count = NOTE_PLACES },
        { .name = "1/(j + 1)", .x = place, .y = alike, .count = NOTE_PLACES, .dashed = true },
    };
    figure_plot(lesson, "note.png", "the note of one token in the streams of all places, before the fall and after",
                (Plot){ .title =
                            arena_format(lesson->arena, "What every place is told of the token at place %d", PLACE),
                        .x_title = "place j",
                        .y_title = "its weight in the previous-token head, mean of 64 sequences",
                        .series = series,
                        .count = 3,
                        .y_low = 0.0,
                        .y_high = 1.0,
                        .height = 300 });
}
