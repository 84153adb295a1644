// Thread-local cost counters.
#include "base/cost.h"

_Thread_local Cost cost_counted;

Cost cost_since(Cost before)
{
    return (Cost){
        .multiplies = cost_counted.multiplies - before.multiplies,
        .exps = cost_counted.exps - before.exps,
        .reads = cost_counted.reads - before.reads,
        .writes = cost_counted.writes - before.writes,
        .scratch = cost_counted.scratch,
    };
}

void cost_add(Cost other)
{
    cost_counted.multiplies += other.multiplies;
    cost_counted.exps += other.exps;
    cost_counted.reads += other.reads;
    cost_counted.writes += other.writes;
    cost_scratch(other.scratch);
}

void cost_scratch(int64_t bytes)
{
    if (bytes > cost_counted.scratch) cost_counted.scratch = bytes;
}
