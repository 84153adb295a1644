// Exercise 15c, predicted.
extern double my_predictions[7];
double my_predictions[7] = { 5, 5.0 / 6, 10, 50, 100, 192 * 256 * 48 + 192 * 64 * 32, 6 * 64 * 64 };
