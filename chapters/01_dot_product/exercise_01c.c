// Exercise 01c. Reach a goal: make two words that are not in the table.
//
// Put in numbers, then run: make exercise-01c
//
//              noun  verb   adj  link alive place trade moves   not  much   why  past
//     animal    1.0   0.0   0.0   0.0   1.0   0.0   0.0   0.4   0.0   0.0   0.0   0.0
//     it        0.6   0.0   0.0   0.2   0.5   0.2   0.0   0.0   0.0   0.0   0.0   0.0
//     tired     0.0   0.0   1.0   0.0   0.8   0.0   0.0  -0.3   0.0   0.0   0.0   0.0
enum { NOUN, VERB, ADJ, LINK, ALIVE, PLACE, TRADE, MOVES, NOT, MUCH, WHY, PAST };

// Task 1. Of the two words animal and it, this word has the larger dot product with animal, but the larger cosine with
// it. The word it itself does that, and so do its positive multiples: find another one, whose cosine with it lies
// between 0.9 and 0.99. The twelve numbers are 0 when the function begins.
void my_louder(float word[12]) { word[NOUN] = 0.0f; }

// Task 2. This word is at a right angle to animal: their dot product is 0, since they share nothing or what they share
// cancels. With tired its cosine is above 0.9.
void my_apart(float word[12]) { word[ADJ] = 0.0f; }
