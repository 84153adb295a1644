// Exercise 24b. What is wrong with these stars?
//
// Write the letters, then run: make exercise-24b

// Twelve tokens, 0 … 11, in blocks of four on three ranks, with an anchor of two. Then token 12 asks. All scores are 0,
// so that all keys in sight weigh the same, and the value of token j is the number j. A program prints of rank 1 which
// tokens it has read in phase 1, at which positions RoPE has put them, and which keys it has kept; and what token 12
// gets in phase 2, output and lse. Without a mistake, the output is (0 + 1 + … + 12) / 13, and lse is log 13:
//
//   read 0 1 4 5 6 7    at 0 1 4 5 6 7    kept 4 5 6 7        out 6.000   lse 2.565
//
// These six do not print that:
//
//   0:   read 0 1 4 5 6 7    at 0 1 4 5 6 7    kept 0 1 4 5 6 7    out 4.706   lse 2.833
//   1:   read 0 1 4 5 6 7    at 0 1 2 3 4 5    kept 4 5 6 7        out 6.000   lse 2.565
//   2:   read 0 1 4 5 6 7    at 0 1 4 5 6 7    kept 4 5 6 7        out 5.667   lse 2.565
//   3:   read 0 1 4 5 6 7    at 0 1 4 5 6 7    kept 4 5 6 7        out 6.800   lse 2.708
//   4:   read 2 3 4 5 6 7    at 2 3 4 5 6 7    kept 4 5 6 7        out 6.000   lse 2.565
//   5:   read 0 1 4 5 6 7    at 2 3 4 5 6 7    kept 4 5 6 7        out 6.000   lse 2.565
//
// Task. Each has one of these mistakes. Answer its letter for program 0 … 5:
//
//   'A'  the ranks' outputs are averaged, not merged by their lse
//   'B'  the block's positions go on behind the anchor's
//   'C'  the anchor stays in the cache
//   'D'  the end of the block before stands in the anchor's place
//   'E'  the anchor's positions lie just before the block's
//   'F'  every rank keeps the new token's key and value, not the last one alone
//   'G'  the query does not see its own token
//   'H'  only the last rank is asked
char my_diagnosis(int program)
{
    (void)program;
    return '?';
}
