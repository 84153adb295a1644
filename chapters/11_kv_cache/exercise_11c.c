// Exercise 11c. What is wrong with these decoders?
//
// Write the letters, then run: make exercise-11c

// Five programs decode the same six tokens: first a prompt of three, then one by one. All scores are 0, so a token
// takes the plain mean of what it sees, and the value of token t is t, from 1 on. A program without a mistake prints
//
//     prompt 1.0 1.5 2.0    then 2.5    then 3.0    then 3.5
//
// These five do not:
//
//   0:   prompt 1.0 1.5 2.0    then 1.0    then 1.0    then 1.0
//   1:   prompt 0.0 0.0 0.0    then 2.0    then 2.5    then 3.0
//   2:   prompt 2.0 2.0 2.0    then 2.5    then 3.0    then 3.5
//   3:   prompt 1.0 1.5 2.0    then 4.0    then 5.0    then 6.0
//   4:   prompt 1.0 1.5 2.0    then 2.5    then 2.75   then 3.0
//
// Task. Each has one of these mistakes. Answer its letter for program 0 … 4:
//
//   'A'  a chunk joins the cache after it has looked
//   'B'  there is no mask
//   'C'  the causal mask is aligned top-left
//   'D'  a chunk looks at itself only
//   'E'  the cache's length does not grow after the prompt: each new token is written over the one before
//   'F'  the tokens after the prompt are turned from position 0
char my_diagnosis(int program)
{
    (void)program;
    return '?';
}
