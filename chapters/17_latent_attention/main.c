// Chapter 17. Latent attention: one latent a token, from which the keys and values of all heads can be made.
// Run build/chapters/17_latent_attention with README.md of this folder open beside it. What each step does:
// steps_1_latent.c … steps_8_roofs.c.
#include "steps.h"

int main(int argc, char **argv)
{
    Shape shape = { .H = 4, .c = 8, .dr = 2, .d = 4 };
    const char *model = NULL;
    int pairs = 1, keys = 4096, documents = 64;
    Flag flags[] = {
        flag_count("heads", &shape.H, 1, HEADS_MOST, "H", "heads of steps 1 to 4 (default 4)"),
        flag_count("latent", &shape.c, 1, 256, "C", "numbers of their latent (default 8)"),
        flag_count("rope", &pairs, 1, 64, "P", "pairs of turned numbers beside it, in step 4 (default 1)"),
        flag_count("tokens", &keys, 1, 1000000, "S", "keys that are there in step 6 (default 4096)"),
        flag_input("model", &model, "FILE", "a causal model without RoPE for step 7, as chapter 09 saves it"),
        flag_count("documents", &documents, 1, 1000, "N", "that step 7 takes its loss over (default 64)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 17, "Latent attention", flags, 6);
    lesson_steps(&lesson, 8);
    shape.dr = 2 * pairs;

    one_latent(&lesson, shape);                    // 1
    absorbed(&lesson, shape);                      // 2
    plain_rope(&lesson, shape);                    // 3
    decoupled(&lesson, shape);                     // 4
    published_caches(&lesson);                     // 5
    multiplications(&lesson, keys);                // 6
    converted(&lesson, argv[0], model, documents); // 7
    roofs(&lesson);                                // 8
    return lesson_close(&lesson);
}
