// Exercise 04b, solved wrongly: number WRONG of these gets this answer.
//
// 1: wq is as it was, and it gives street 0.114 and animal 0.279
// 2: tired gives animal 0.245 and street 0.245
// 3: element (5, 4) of wq is 20
// 4: street gave most to cross, and now gives most to street
// 5: it gives street 0.091 and animal 0.091
// 6: tired gives animal 0.378 and street 0.378
// 7: it gives street 0.184 and animal 0.245
// 8: animal gave most to animal, and now gives most to cross
// 9: more than animal, but cross 0.
// 10: of wq is NaN
// 11: The gave animal as much as street, and now gives street more
#include "base/mat.h"
#include "exercises/wrong.h"

#include <math.h>

void my_wq(Mat wq);

static void set(Mat wq, int row, int col, float value) { *mat_ref(wq, row, col) = value; }

void my_wq(Mat wq)
{
    enum { NOUN = 0, LINK = 3, ALIVE = 4, PLACE = 5, ASKS_VERB = 1, ASKS_ALIVE = 3, ASKS_PLACE = 4 };
    switch (wrong()) {
    case 2: set(wq, ALIVE, ASKS_ALIVE, 0.0f); break; // then tired asks for a noun, and both are nouns
    case 3: set(wq, PLACE, ASKS_PLACE, 20.0f); break;
    case 4: set(wq, NOUN, ASKS_PLACE, 4.0f); break;
    case 5: mat_fill(wq, 0.0f); break;
    case 6: set(wq, ALIVE, ASKS_PLACE, 6.0f); break;
    case 7: set(wq, ALIVE, ASKS_PLACE, 3.0f); break;
    case 8:
        set(wq, ALIVE, ASKS_ALIVE, 3.0f);
        set(wq, PLACE, ASKS_PLACE, 10.0f);
        break;
    case 9: // verbs are asked for most of all
        set(wq, NOUN, ASKS_VERB, 10.0f);
        set(wq, LINK, ASKS_VERB, 10.0f);
        set(wq, ALIVE, ASKS_ALIVE, 0.0f);
        break;
    case 11: // the articles ask for places, as *it* does in part
        set(wq, LINK, ASKS_ALIVE, -10.0f);
        set(wq, LINK, ASKS_PLACE, 10.0f);
        break;
    case 10: set(wq, ALIVE, ASKS_ALIVE, NAN); break;
    default: break;
    }
}
