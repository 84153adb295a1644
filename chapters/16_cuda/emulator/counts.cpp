// Counts. What the lanes of a warp do at one place of the code, all for the n-th time since they last were together, is
// one request; it is counted when the last lane has come, or when the warp is together again.
#include "engine.h"

#include <algorithm>
#include <unordered_map>

namespace emulator {

struct Request { uint64_t at[LANES]; int lanes, bytes; };
struct Place {                                       // of the code, for one warp
    EmulatorGlobal *global;
    EmulatorShared *shared;
    std::vector<Request> requests;
    int done[LANES];                                 // by each lane, since the warp was together
};
static std::unordered_map<const void *, Place> places[WARPS];
static std::vector<Place *> touched[WARPS];          // since the warp was together

// As many lanes at a time as 128 bytes hold; lanes that want the same word of a bank have it in one turn.
int bank_turns(const uint32_t *at, int lanes, int bytes)
{
    int together = std::min(LANES + 0, 128 / std::max(bytes, 4)), turns = 0;
    for (int first = 0; first < lanes; first += together) {
        uint32_t words[128], count = 0;
        int of_bank[32] = { 0 }, most = 0;
        for (int n = first; n < std::min(lanes, first + together); n++)
            for (uint32_t word = at[n] / 4; word <= (at[n] + (uint32_t)bytes - 1) / 4; word++)
                if (std::find(words, words + count, word) == words + count) words[count++] = word;
        for (uint32_t n = 0; n < count; n++) most = std::max(most, ++of_bank[words[n] % 32]);
        turns += most;
    }
    return turns;
}

static void close(const Place &place, const Request &r)
{
    if (!r.lanes) return;
    if (place.shared) {
        uint32_t at[LANES];
        for (int n = 0; n < r.lanes; n++) at[n] = (uint32_t)r.at[n];
        place.shared->requests++;
        place.shared->turns += bank_turns(at, r.lanes, r.bytes);
    }
    if (!place.global) return;
    uint64_t pieces[2 * LANES];
    int count = 0;
    for (int n = 0; n < r.lanes; n++)
        for (uint64_t piece = r.at[n] / 32; piece <= (r.at[n] + (uint64_t)r.bytes - 1) / 32; piece++)
            if (std::find(pieces, pieces + count, piece) == pieces + count) pieces[count++] = piece;
    place.global->requests++;
    place.global->pieces += count;
    place.global->bytes += (int64_t)r.lanes * r.bytes;
}

static void count(EmulatorGlobal *global, EmulatorShared *shared, const void *site, uint64_t at, int bytes)
{
    Place &place = places[current->warp][site];
    size_t n = (size_t)place.done[current->lane]++;
    place.global = global;
    place.shared = shared;
    if (place.requests.empty()) touched[current->warp].push_back(&place);
    if (n >= place.requests.size()) place.requests.resize(n + 1);
    Request &r = place.requests[n];
    r.at[r.lanes++] = at;
    r.bytes = bytes;
}

void count_global(EmulatorGlobal &to, const void *site, const void *at, int bytes)
{
    count(&to, nullptr, site, (uint64_t)(uintptr_t)at, bytes);
}

void count_shared(EmulatorShared &to, const void *site, uint32_t address, int bytes)
{
    count(nullptr, &to, site, address, bytes);
}

void count_warp(Warp &warp)
{
    for (Place *p : touched[warp.index]) {
        for (auto &r : p->requests) close(*p, r);
        p->requests.clear();
        std::fill(p->done, p->done + LANES, 0);
    }
    touched[warp.index].clear();
}

}
