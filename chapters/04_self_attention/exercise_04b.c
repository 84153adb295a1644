// Exercise 04b. Reach a goal: make *it* look at *street*.
//
// Change Wq, then run: make exercise-04b. build/chapters/04_self_attention --set Wq.alive.alive=0 tries a change.
#include "base/mat.h"

// The rows of Wq, what a word is; and its columns, what it asks for.
enum { NOUN, VERB, ADJ, LINK, ALIVE, PLACE, TRADE, MOVES, NOT, MUCH, WHY, PAST };
enum { ASKS_NOUN, ASKS_VERB, ASKS_ADJ, ASKS_ALIVE, ASKS_PLACE, ASKS_TRADE };

// Task. wq (12, 6) holds the chapter's Wq. Change it, so that in "The animal didn't cross the street because it was too
// tired" *it* gives more to *street* than to any other word. But:
//   - *tired* goes on giving most to *animal*, and clearly: 0.4 or more;
//   - each of the other words still gives most to the word that it gave most to before: *The*, *the* and *was*, which
//     gave *animal* and *street* the same, to both of them;
//   - no number in wq is above 10 or below -10.
void my_wq(Mat wq)
{
    *mat_ref(wq, ALIVE, ASKS_ALIVE) = 6.0f; // as it is: half of this row goes into the query of *it*
}
