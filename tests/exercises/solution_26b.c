// Exercise 26b, solved.
char my_diagnosis(int model);
char my_diagnosis(int model) { return "CDEGFBH"[model]; }
