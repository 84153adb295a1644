// Exercise 25b. What is wrong with these readers?
//
// Write the letters, then run: make exercise-25b

// Six programs read model C's folder, and each has another mistake. Of each one knows, against a reader without:
//
//   alone     the largest error of a logit when the first word is read alone, in units of the largest logit
//   order     are the words in the same order then, from the likeliest to the least likely?
//   first     in a document of 128 words, the first word whose logits are wrong; words count from 0
//   no heads  the error when every head's output is set to 0, before Wo
//   all       the largest error in the whole document
//
//               alone    order   first   no heads   all
//   program 0   0.8216   other       0     0.6725   1.0500
//   program 1   0.0000   same        1     0.0000   0.7815
//   program 2   1.0063   other       0     0.0000   0.9700
//   program 3   0.0000   same     none     0.0000   0.0000
//   program 4   0.0233   same        0     0.1296   0.1334
//   program 5   0.0000   same        0     0.0000   0.7510
//
// Task. Each has one of these mistakes, and two of them occur in none. Answer the letter for program 0 … 5:
//
//   'A'  gains are 1 + w, in all norms
//   'B'  a soft cap on the logits
//   'C'  RoPE turns columns 2m and 2m + 1 of a head, not m and m + d/2
//   'D'  words also see what comes after them
//   'E'  words see no more than the 8 newest keys
//   'F'  the ε of the norms is 10⁻⁵, not 10⁻⁶
//   'G'  positions begin at 1, not at 0
//   'H'  Wo, which is square, is read (in, out), not (out, in)
char my_diagnosis(int program)
{
    (void)program;
    return '?';
}
