// Exercise 05c, solved.
const char *my_causes(void);
const char *my_causes(void) { return "HFGCDBI"; }
