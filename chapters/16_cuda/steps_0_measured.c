// Chapter 16. What a card's memories have given, by themselves: data/bench/gpu_memory.tsv travels inside the program.
#include "io/table.h"
#include "lesson/matrices.h"
#include "steps.h"

#include <string.h>

static const char *const lines[] = {
#include "bench/gpu_memory.inc"
};
enum { KIB, BLOCKS, CYCLES, GBYTES, LOW, HIGH, MHZ, COLUMNS }; // behind the name

static const char *fact(Arena *arena, const char *key)
{
    return table_fact(arena, lines, sizeof lines / sizeof *lines, key);
}

// The first row of this name with anything in the column.
static double found(TableRows rows, const char *name, int column)
{
    for (int i = 0; i < rows.values.rows; i++)
        if (!strcmp(rows.names[i], name) && mat_value(rows.values, i, column) > 0)
            return (double)mat_value(rows.values, i, column);
    REQUIRE(false, "data/bench/gpu_memory.tsv has no such line of %s", name);
    return 0;
}

CardMeasured card_measured(Arena *arena)
{
    TableRows rows = TABLE_EMBEDDED(arena, lines, COLUMNS, "data/bench/gpu_memory.tsv");
    CardMeasured m = { .shared_wait = found(rows, "shared", CYCLES),
                       .l1_wait = found(rows, "L1", CYCLES),
                       .l2_wait = found(rows, "L2", CYCLES),
                       .memory_wait = found(rows, "memory", CYCLES),
                       .l2 = 1e9 * found(rows, "L2", GBYTES),
                       .memory = 1e9 * found(rows, "memory", GBYTES),
                       .clock = 1e6 * found(rows, "L2", MHZ),
                       .card = fact(arena, "card: "),
                       .date = fact(arena, "date: ") };
    for (int i = 0; i < rows.values.rows; i++) {
        if (strcmp(rows.names[i], "decode") != 0) continue;
        REQUIRE(m.decoded < DECODED, "data/bench/gpu_memory.tsv has more than %d lines of decode", DECODED);
        m.blocks[m.decoded] = (int)mat_value(rows.values, i, BLOCKS);
        m.speed[m.decoded++] = 1e9 * (double)mat_value(rows.values, i, GBYTES);
    }
    return m;
}

double card_bytes(const CardMeasured *m, double speed) { return speed / CARD_PROCESSORS / m->clock; }
