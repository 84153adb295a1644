// Exercise 01c, solved.
void my_louder(float word[12]);
void my_apart(float word[12]);

enum { NOUN, VERB, ADJ, LINK, ALIVE, PLACE, TRADE, MOVES };

// it, and something that neither of the two has.
void my_louder(float word[12])
{
    word[NOUN] = 0.6f;
    word[LINK] = 0.2f;
    word[ALIVE] = 0.5f;
    word[PLACE] = 0.2f;
    word[ADJ] = 0.3f;
}

// tired − (tired · animal / animal · animal) animal.
void my_apart(float word[12])
{
    const float share = 0.68f / 2.16f;
    word[NOUN] = -share;
    word[ADJ] = 1.0f;
    word[ALIVE] = 0.8f - share;
    word[MOVES] = -0.3f - 0.4f * share;
}
