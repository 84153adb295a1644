// Exercise 25b, solved.
char my_diagnosis(int program);
char my_diagnosis(int program) { return "ACHGBD"[program]; }
