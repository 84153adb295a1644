// The counters of one thread.
#include "base/cost.h"

_Thread_local Cost counted;

Cost cost_since(Cost before)
{
    return (Cost){ counted.multiplies - before.multiplies, counted.exps - before.exps, counted.scratch };
}

void cost_add(Cost other)
{
    counted.multiplies += other.multiplies;
    counted.exps += other.exps;
    cost_scratch(other.scratch);
}

void cost_scratch(int64_t bytes)
{
    if (bytes > counted.scratch) counted.scratch = bytes;
}
