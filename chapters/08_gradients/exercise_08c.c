// Exercise 08c. The example of section 5, with another wish.
//
// Work it out with a pencil, write the numbers, then run: make exercise-08c
//
// Everything forward is as in section 5: x is (1, 0), (0, 1), (1, 1), q = k = v = x, and token 2 has the weights 0.248,
// 0.248 and 0.503 and the output (0.752, 0.752). But now it should receive nothing: the wish is (0, 0).
// Two decimals are enough.

// One array a task: the checker takes them in this order.
float my_dout[2] = { 0, 0 };  // how fast the loss rises with the two numbers of token 2's output
float my_dw[3] = { 0, 0, 0 }; // with its three weights
float my_mean[1] = { 0 };     // the mean of dw, each in the share of its weight
float my_ds[3] = { 0, 0, 0 }; // with its three scores
float my_dq[2] = { 0, 0 };    // with the two numbers of its query
float my_dv[2] = { 0, 0 };    // with the two numbers of token 2's own value
