// The kernels of chapter 16 on a card: 16_cuda_gpu --check [EACH] | --once | --bench [FOLDER]. EACH: one case in so
// many. 77 when there is no card.
#include "card.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    bool checked = argc >= 2 && argc <= 3 && !strcmp(argv[1], "--check");
    bool timed = argc >= 2 && argc <= 3 && !strcmp(argv[1], "--bench");
    bool once = argc == 2 && !strcmp(argv[1], "--once");
    int each = checked && argc > 2 ? atoi(argv[2]) : 1;
    if ((!checked && !timed && !once) || each < 1) {
        fprintf(stderr, "usage: 16_cuda_gpu --check [EACH] | --once | --bench [FOLDER]\n");
        return 2;
    }
    Card card;
    char why[256];
    if (!card_find(&card, why, sizeof why)) {
        fprintf(stderr, "%s: left out, there is no GPU to run on (%s)\n", argv[1], why);
        return 77;
    }
    printf("%s, compute capability %d.%d, %d multiprocessors; driver for CUDA %d.%d, runtime %d.%d\n", card.name,
           card.major, card.minor, card.multiprocessors, card.driver / 1000, card.driver % 1000 / 10,
           card.runtime / 1000, card.runtime % 1000 / 10);
    if (once) return once_main(&card);
    const char *folder = argc > 2 ? argv[2] : "build/bench";
    if (checked) return check_main(&card, each);
    return memory_main(&card, folder) || bench_main(&card, folder);
}
