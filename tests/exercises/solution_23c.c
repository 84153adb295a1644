// Exercise 23c, solved: worked in ANSWERS.md of the chapter.
float my_block(void);
float my_forward(void);
float my_backward(void);
float my_ulysses(void);
float my_all_reduce(void);
float my_all_key_heads(void);
float my_sixteen_ranks(void);

#define MIB 1048576.0f

float my_block(void) { return 65536.0f / 8.0f * 8.0f * 256.0f * 2.0f / MIB; }
float my_forward(void) { return 7.0f * my_block(); }
float my_backward(void) { return 2.0f * my_forward(); }
float my_ulysses(void) { return 7.0f / 8.0f * 8192.0f * (4096.0f + 1024.0f + 1024.0f + 4096.0f) * 2.0f / MIB; }
float my_all_reduce(void) { return 2.0f * 7.0f / 8.0f * 65536.0f * 4096.0f * 2.0f / MIB; }
float my_all_key_heads(void) { return 4.0f * my_forward(); }
float my_sixteen_ranks(void) { return 15.0f * my_block() / 2.0f; }
