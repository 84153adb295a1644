// lib/model/sizes.c: the formula at sizes worked out by hand, the book's table, and config.json in all its dialects.
#include "model/sizes.h"

#include "support/reference.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

// ---- the formula

TEST(kinds)
{
    Sizes s = { .role = SIZES_DECODER, .L = 2, .H = 8, .G = 8, .d = 4 };
    ck_assert_str_eq(sizes_kind(&s), "MHA");
    s.G = 2;
    ck_assert_str_eq(sizes_kind(&s), "GQA");
    s.G = 1;
    ck_assert_str_eq(sizes_kind(&s), "MQA");
    s.H = 1;
    ck_assert_str_eq(sizes_kind(&s), "MHA");
    s.latent = 512;
    ck_assert_str_eq(sizes_kind(&s), "MLA");
}

TEST(bytes_by_hand)
{
    Sizes s = { .role = SIZES_DECODER, .L = 3, .H = 8, .G = 2, .d = 5 };
    ck_assert_int_eq(sizes_layer_numbers(&s), 20);
    ck_assert_int_eq(sizes_cache_bytes(&s, 7, 2), 3 * 20 * 7 * 2);
    ck_assert_int_eq(sizes_cache_bytes(&s, 0, 2), 0);
    s.role = SIZES_ENCODER_DECODER;
    ck_assert_int_eq(sizes_cache_bytes(&s, 7, 4), 3 * 20 * 7 * 4);
    s.role = SIZES_ENCODER;
    ck_assert_int_eq(sizes_layer_numbers(&s), 0);
    ck_assert_int_eq(sizes_cache_bytes(&s, 7, 4), 0);
    s = (Sizes){ .role = SIZES_DECODER, .L = 3, .H = 8, .G = 8, .d = 5, .latent = 11, .rope = 2 };
    ck_assert_int_eq(sizes_cache_bytes(&s, 10, 2), 3 * 13 * 10 * 2);
}

TEST(windows)
{
    Sizes s = { .role = SIZES_DECODER, .L = 3, .H = 1, .G = 1, .d = 1, .window = 10, .windowed = 3 };
    ck_assert_int_eq(sizes_cache_bytes(&s, 9, 1), 2 * 3 * 9);
    ck_assert_int_eq(sizes_cache_bytes(&s, 10, 1), 2 * 3 * 10);
    ck_assert_int_eq(sizes_cache_bytes(&s, 11, 1), 2 * 3 * 10);
    s.windowed = 2;
    ck_assert_int_eq(sizes_cache_bytes(&s, 100, 1), 2 * (2 * 10 + 100));
    s.windowed = 0;
    ck_assert_int_eq(sizes_cache_bytes(&s, 100, 1), 2 * 3 * 100);
}

TEST_ABORTS(fewer_tokens_than_none, 1)
{
    quiet();
    Sizes s = { .L = 1, .H = 1, .G = 1, .d = 1 };
    sizes_cache_bytes(&s, -1, 2);
}

// ---- the table

TEST(the_table)
{
    const Sizes *all;
    int count = sizes_of_the_book(&all, arena);
    ck_assert_int_eq(count, 18);
    for (int i = 0; i < count; i++) {
        const Sizes *s = &all[i];
        case_is("%s", s->name);
        ck_assert(s->L >= 1 && s->D >= 1 && s->H >= 1 && s->d >= 1 && s->G >= 1 && s->H % s->G == 0);
        ck_assert(s->role == SIZES_ENCODER || s->role == SIZES_DECODER || s->role == SIZES_ENCODER_DECODER);
        if (strcmp(s->name, "PaLM 540B") && !s->latent) ck_assert_int_eq(s->H * s->d, s->D);
    }
}

// ---- config.json

// The text is handed over without a 0 at its end. ' stands for ", so that it can be read here.
static bool parse(Sizes *out, const char *text, Error *error)
{
    size_t size = strlen(text);
    char *bytes = malloc(size ? size : 1);
    for (size_t i = 0; i < size; i++) bytes[i] = text[i] == '\'' ? '"' : text[i];
    bool ok = sizes_parse(out, arena, (FileBytes){ (unsigned char *)bytes, size }, "c.json", error);
    free(bytes);
    return ok;
}

typedef struct {
    const char *text, *name;
    SizesKind role;
    int L, D, H, G, d, window, windowed, latent, rope;
} Good;
// clang-format off
#define DEC  SIZES_DECODER
#define ENC  SIZES_ENCODER
#define BOTH SIZES_ENCODER_DECODER
#define NONE "unnamed"
#define OF(L_, D_, H_) "'num_hidden_layers':" #L_ ", 'hidden_size':" #D_ ", 'num_attention_heads':" #H_
static const Good good[] = {
    { "{'model_type':'llama', " OF(32, 4096, 32) "}", "llama", DEC, 32, 4096, 32, 32, 128, 0, 0, 0, 0 },
    { "{" OF(80, 8192, 64) ", 'num_key_value_heads':8, 'head_dim':null, 'sliding_window':null}", NONE,
      DEC, 80, 8192, 64, 8, 128, 0, 0, 0, 0 },
    { "{" OF(2, 64, 8) ", 'num_key_value_heads':1, 'head_dim':256}", NONE, DEC, 2, 64, 8, 1, 256, 0, 0, 0, 0 },
    { "{'model_type':'gpt2', 'n_embd':768, 'n_layer':12, 'n_head':12}", "gpt2", DEC, 12, 768, 12, 12, 64, 0, 0, 0, 0 },
    { "{'model_type':'falcon', " OF(32, 4544, 71) ", 'num_kv_heads':71, 'multi_query':true, "
      "'new_decoder_architecture':false}", "falcon", DEC, 32, 4544, 71, 1, 64, 0, 0, 0, 0 },
    { "{" OF(60, 8192, 128) ", 'num_kv_heads':8, 'multi_query':true, 'new_decoder_architecture':true}", NONE,
      DEC, 60, 8192, 128, 8, 64, 0, 0, 0, 0 },
    { "{'n_embd':64, 'n_layer':2, 'n_head':4, 'multi_query':false}", NONE, DEC, 2, 64, 4, 4, 16, 0, 0, 0, 0 },
    { "{'model_type':'chatglm', 'hidden_size':4096, 'num_layers':28, 'num_attention_heads':32, "
      "'multi_query_attention':true, 'multi_query_group_num':2}", "chatglm", DEC, 28, 4096, 32, 2, 128, 0, 0, 0, 0 },
    { "{" OF(4, 64, 4) ", 'sliding_window':16}", NONE, DEC, 4, 64, 4, 4, 16, 16, 4, 0, 0 },
    { "{" OF(4, 64, 4) ", 'sliding_window':16, 'use_sliding_window':false}", NONE, DEC, 4, 64, 4, 4, 16, 0, 0, 0, 0 },
    { "{" OF(13, 64, 4) ", 'sliding_window':16, 'sliding_window_pattern':6}",
      NONE, DEC, 13, 64, 4, 4, 16, 16, 11, 0, 0 },
    { "{'model_type':'gemma2', " OF(5, 64, 4) ", 'sliding_window':16}", "gemma2", DEC, 5, 64, 4, 4, 16, 16, 3, 0, 0 },
    { "{" OF(3, 64, 4) ", 'sliding_window':16, 'layer_types':['sliding_attention','full_attention','full_attention']}",
      NONE, DEC, 3, 64, 4, 4, 16, 16, 1, 0, 0 },
    { "{'model_type':'deepseek_v3', " OF(61, 7168, 128) ", 'num_key_value_heads':128, 'kv_lora_rank':512, "
      "'qk_rope_head_dim':64, 'qk_nope_head_dim':128, 'head_dim':64}",
      "deepseek_v3", DEC, 61, 7168, 128, 128, 128, 0, 0, 512, 64 },
    { "{'model_type':'seer', 'hidden_size':1, 'num_attention_heads':4, 'text_config':{'model_type':'qwen2', "
      "'hidden_size':64, 'num_hidden_layers':2}}", "qwen2", DEC, 2, 64, 4, 4, 16, 0, 0, 0, 0 },
    { "{'model_type':'t5', 'is_encoder_decoder':true, 'd_model':512, 'num_layers':6, 'num_decoder_layers':7, "
      "'num_heads':8, 'd_kv':32}", "t5", BOTH, 7, 512, 8, 8, 32, 0, 0, 0, 0 },
    { "{'is_encoder_decoder':true, 'd_model':1024, 'num_hidden_layers':3, 'decoder_layers':12, 'decoder_attention_heads':16, "
      "'num_attention_heads':2}", NONE, BOTH, 12, 1024, 16, 16, 64, 0, 0, 0, 0 },
    { "{'model_type':'bert', " OF(12, 768, 12) "}", "bert", ENC, 12, 768, 12, 12, 64, 0, 0, 0, 0 },
    { "{'model_type':'bert', 'is_decoder':true, " OF(12, 768, 12) "}", "bert", DEC, 12, 768, 12, 12, 64, 0, 0, 0, 0 },
    { "{'model_type':'\\u001b[31m', 'n_embd':64, 'n_layer':2, 'n_head':4}", NONE, DEC, 2, 64, 4, 4, 16, 0, 0, 0, 0 },
};
// clang-format on

TEST_EACH(configs, sizeof good / sizeof *good)
{
    const Good *want = &good[_i];
    Sizes s;
    Error error = { .text = "" };
    ck_assert_msg(parse(&s, want->text, &error), "%s: %s", want->text, error.text);
    ck_assert_msg(!strcmp(s.name, want->name), "%s: the name is %s", want->text, s.name);
    ck_assert_msg(s.role == want->role && s.L == want->L && s.D == want->D && s.H == want->H && s.G == want->G &&
                      s.d == want->d,
                  "%s: role %d, L %d, D %d, H %d, G %d, d %d", want->text, (int)s.role, s.L, s.D, s.H, s.G, s.d);
    ck_assert_msg(s.window == want->window && s.windowed == want->windowed && s.latent == want->latent &&
                      s.rope == want->rope,
                  "%s: window %d in %d layers, latent %d + %d", want->text, s.window, s.windowed, s.latent, s.rope);
}

// What is refused, where the message points, and a word that it must have.
static const struct {
    const char *text, *place, *word;
} bad[] = {
    { "", "c.json:1:1:", "the end" },
    { "[]", "c.json:1:1:", "braces" },
    { "{}", "c.json:1:1:", "num_hidden_layers" },
    { "{'n_layer':2,'n_embd':8}", "c.json:1:1:", "num_attention_heads" },
    { "{'text_config':{},\n'n_layer':2}", "c.json:1:16:", "hidden_size" },
    { "{'n_layer':2,\n 'n_embd':'8'}", "c.json:2:11:", "n_embd is" },
    { "{'n_layer':0,'n_embd':8,'n_head':2}", "c.json:1:12:", "from 1 to 4096" },
    { "{'n_layer':true,'n_embd':8,'n_head':2}", "c.json:1:12:", "is true" },
    { "{'n_layer':2,'n_embd':8,'n_head':3}", "c.json:1:1:", "cannot be split among 3 heads" },
    { "{'n_layer':2,'n_embd':8,'n_head':4,'num_key_value_heads':3}", "c.json:1:58:", "must divide the 4" },
    { "{'n_layer':2,'n_embd':8,'n_head':4,'kv_lora_rank':8}", "c.json:1:1:", "qk_rope_head_dim" },
    { "{'n_layer':2,'n_embd':8,'n_head':4,'sliding_window':'no'}", "c.json:1:53:", "sliding_window is" },
    { "{'n_layer':2,'n_embd':8,'n_head':4,'sliding_window':4,'layer_types':[]}", "c.json:1:69:", "lists 0 layers" },
    { "{'n_layer':2,'n_embd':8,'n_head':4,}", "c.json:1:36:", "found" },
};

TEST_EACH(refused, sizeof bad / sizeof *bad)
{
    Sizes s;
    Error error = { .text = "" };
    ck_assert_msg(!parse(&s, bad[_i].text, &error), "read: %s", bad[_i].text);
    ck_assert_msg(!strncmp(error.text, bad[_i].place, strlen(bad[_i].place)), "%s: %s", bad[_i].text, error.text);
    ck_assert_msg(strstr(error.text, bad[_i].word) != NULL, "%s: %s", bad[_i].text, error.text);
}

TEST(no_file)
{
    Sizes s;
    Error error = { .text = "" };
    ck_assert(!sizes_read(&s, arena, "/nowhere/config.json", &error));
    ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/config.json"));
}
