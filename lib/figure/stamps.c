// A hash table of glyphs and a pool of fixed size for their alphas.
#include "figure/stamps.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1 << 14, MOST = SLOTS / 2, POOL = 4 << 20, LARGEST = 1 << 14 };

static struct {
    Stamp *slots; // (SLOTS) a slot without alphas is empty
    uint8_t *pool;
    size_t used;
    int count;
} kept;

static uint32_t hash_more(uint32_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i += 4) {
        uint32_t word;
        memcpy(&word, at + i, 4);
        hash = (hash ^ word) * 2654435761u;
        hash ^= hash >> 15;
    }
    return hash;
}

static uint32_t hash_of(const StampKey *key)
{
    const double numbers[] = { key->em, key->along_x, key->pen };
    const uint32_t words[] = { (uint32_t)key->font << 24 ^ key->code, (uint32_t)key->x << 8 ^ (uint32_t)key->y };
    return hash_more(hash_more(0, words, sizeof words), numbers, sizeof numbers) % SLOTS;
}

static bool same_key(const StampKey *a, const StampKey *b)
{
    return a->code == b->code && a->font == b->font && a->x == b->x && a->y == b->y && a->em == b->em &&
           a->pen == b->pen && a->along_x == b->along_x && a->along_y == b->along_y;
}

// The slot of that key, or the empty slot where it would be inserted.
static Stamp *slot_of(const StampKey *key)
{
    uint32_t slot = hash_of(key);
    while (kept.slots[slot].alphas && !same_key(&kept.slots[slot].key, key)) slot = (slot + 1) % SLOTS;
    return &kept.slots[slot];
}

const Stamp *stamp_find(const StampKey *key)
{
    if (!kept.slots) return NULL;
    const Stamp *stamp = slot_of(key);
    return stamp->alphas ? stamp : NULL;
}

Stamp *stamp_add(const StampKey *key, CanvasBox box)
{
    size_t size = (size_t)box.width * (size_t)box.height;
    if (size == 0 || size > LARGEST) return NULL;
    if (kept.count == MOST || kept.used + size > POOL) stamps_forget();
    if (!kept.slots) {
        kept.slots = memory_zeroed(SLOTS * sizeof *kept.slots);
        kept.pool = memory_new(POOL);
    }
    Stamp *stamp = slot_of(key);
    if (!stamp->alphas) kept.count++;
    *stamp = (Stamp){ .key = *key, .box = box, .alphas = kept.pool + kept.used };
    kept.used += size;
    memset(stamp->alphas, 0, size);
    return stamp;
}

void stamps_forget(void)
{
    free(kept.slots);
    free(kept.pool);
    memset(&kept, 0, sizeof kept);
}

int stamps_count(void) { return kept.count; }
