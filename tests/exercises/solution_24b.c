// Exercise 24b, solved.
char my_diagnosis(int program);
char my_diagnosis(int program) { return "CBAFDE"[program]; }
