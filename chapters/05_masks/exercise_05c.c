// Exercise 05c. Seven broken tables: which mistake made each?
//
// Write the letters, then run: make exercise-05c
//
// Three queries, five keys, a causal mask: the queries are the last three of five words. exp of the score is
// 1, 2, 1, 4 and 2 for the five keys, the same in every row. So you need no more than fractions.
//
//       table 1                    table 2                    table 3                    table 4
//       1.00 .00 .00 .00 .00       .10 .20 .10 .00 .00        .33 .67 .00 .00 .00        .00 .00 .14 .57 .29
//       .33 .67 .00 .00 .00        .10 .20 .10 .40 .00        .25 .50 .25 .00 .00        .00 .00 .00 .67 .33
//       .25 .50 .25 .00 .00        .10 .20 .10 .40 .20        .12 .25 .12 .50 .00        .00 .00 .00 .00 1.00
//
//       table 5                    table 6                    table 7
//       .17 .33 .17 .17 .17        .00 .67 .33 .00 .00        .33 .33 .33 .00 .00
//       .11 .22 .11 .44 .11        .00 .00 .20 .80 .00        .33 .33 .33 .50 .00
//       .10 .20 .10 .40 .20        .00 .00 .00 .67 .33        .33 .33 .33 .50 1.00
//
// The mistakes:
//
//   A  there is no mask                                     F  hidden weights are made 0 after the softmax
//   B  a window of 2, which nobody asked for                G  the query's own key is hidden as well
//   C  the mask is turned round                             H  query 0 stands at key 0
//   D  hidden scores are multiplied by 0                    I  each column, not each row, is divided by its sum
//   E  every query sees one key ahead                       J  the first key is taken for filler

// One letter a table, table 1 first.
const char *my_causes(void) { return "???????"; }
