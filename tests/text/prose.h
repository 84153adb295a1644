// A README as prose: its words, its links and its numbers, with everything that is not prose blanked out.
#ifndef TEXT_PROSE_H
#define TEXT_PROSE_H

#include <stdbool.h>
#include <stddef.h>

// How many backticks open or close a fenced block on this line (3 or more); 0 when it is no fence.
int fence_ticks(const char *line);

// Each writes spaces over its part of a README and leaves the line ends: positions and line numbers stay true.
void blank_fences(char *text);
void blank_comments(char *text); // <!-- … -->
void blank_code(char *text);     // `inline code`
void blank_targets(char *text);  // link targets and bare addresses

int words_in(const char *text);
int line_at(const char *text, const char *at); // from 1

// A link's target: ](target), [name]: target, src="target", href="target". NULL when there are no more from `at` on.
const char *link_next(const char *at, size_t *length);

// A number with at most one point and with thousands commas: 0.330, 65536, 1,048,576. A run with more points (1.2.3) is
// passed over. NULL when there are no more from `at` on. `digits` is the number without its commas.
typedef struct {
    const char *at;
    size_t length;
    char digits[64];
    bool decimal, thousands;
} Number;

bool number_next(const char *text, const char *from, Number *out);

// Must the program prove this number of a sentence? Decimals, numbers of five digits and those with a comma it must;
// arXiv:1706.03762, §3.2 and numbers grown together with letters it need not.
bool number_counts(const char *text, const Number *number);

#endif
