// Exercise 25b, solved wrongly: number WRONG of these gets this answer.
//
// 1: a letter from 'A' to 'H'
// 2: 'B' the order of the words would stay
// 3: 'C' word 1 of the document would be the first
// 4: 'H' a model whose heads are off would be right
// 5: 'F' all would be wrong by less than a thousandth
// 6: 'E' word 8 of the document would be the first
// 7: 'G' no word of the document would be wrong
// 8: 'D' word 0 of the document would be the first
// 9: 'A' a model whose heads are off would be wrong as well
// 10: 'C' word 1 of the document would be the first
// 11: 'A' the order of the words would change
// 12: 'F' all would be wrong by less than a thousandth
// 13: 'B' a word that is read alone would be wrong
#include "exercises/wrong.h"

char my_diagnosis(int program);
char my_diagnosis(int program)
{
    static const char *const answers[] = { "ACHGBD", "??????", "BCHGBD", "CCHGBD", "HCHGBD", "FCHGBD", "AEHGBD",
                                           "AGHGBD", "ADHGBD", "ACAGBD", "ACHCBD", "ACHGAD", "ACHGBF", "ACHGBB" };
    return answers[wrong()][program];
}
