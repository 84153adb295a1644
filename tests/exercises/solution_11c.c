// Exercise 11c, solved.
char my_diagnosis(int program);
char my_diagnosis(int program) { return "CABDE"[program]; }
