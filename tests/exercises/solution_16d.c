// Exercise 16d, predicted.
extern double my_predictions[11];
double my_predictions[11] = { 1, 32, 1, 4, 8, 1, 2, 40, 120, 5, 31.25 };
