// The counters of one thread.
#include "base/cost.h"

_Thread_local Cost counted;

Cost cost_since(Cost before)
{
    return (Cost){
        .multiplies = counted.multiplies - before.multiplies,
        .exps = counted.exps - before.exps,
        .reads = counted.reads - before.reads,
        .writes = counted.writes - before.writes,
        .scratch = counted.scratch,
    };
}

void cost_add(Cost other)
{
    counted.multiplies += other.multiplies;
    counted.exps += other.exps;
    counted.reads += other.reads;
    counted.writes += other.writes;
    cost_scratch(other.scratch);
}

void cost_scratch(int64_t bytes)
{
    if (bytes > counted.scratch) counted.scratch = bytes;
}
