// Chapter 12. Dimensions of models from the book's table or config.json, and the size of a KV cache.
#include "model/sizes.h"

#include "io/json.h"
#include "io/table.h"
#include "io/text.h"

#include <string.h>

// Larger than in any published model, and small enough that sizes_cache_bytes cannot overflow.
enum {
    LAYERS_LIMIT = 4096,
    HEADS_LIMIT = 4096,
    HEAD_WIDTH_LIMIT = 8192,
    WIDTH_LIMIT = 1 << 20,
    TOKENS_LIMIT = 1 << 30
};

// ---- the formula

const char *sizes_kind(const Sizes *s) { return s->latent ? "MLA" : s->G == s->H ? "MHA" : s->G == 1 ? "MQA" : "GQA"; }

int64_t sizes_layer_numbers(const Sizes *s)
{
    if (s->role == SIZES_ENCODER) return 0;
    return s->latent ? s->latent + s->rope : 2 * (int64_t)s->G * s->d;
}

int64_t sizes_cache_bytes(const Sizes *s, int64_t tokens, int width)
{
    REQUIRE(tokens >= 0 && width >= 0, "%lld tokens of %d bytes a number", (long long)tokens, width);
    int64_t cached_tokens = s->window > 0 && tokens > s->window ? s->window : tokens;
    return sizes_layer_numbers(s) * width * (cached_tokens * s->windowed + tokens * (s->L - s->windowed));
}

// ---- the table

static const char *const book_lines[] = {
#include "sizes.inc"
};

enum { COLUMNS = 9 }; // layers D H G d window latent rope decoder

static Sizes sizes_of_row(const char *name, const float *row)
{
    Sizes s = { name,        (SizesKind)row[8], (int)row[0], (int)row[1], (int)row[2], (int)row[3],
                (int)row[4], (int)row[5],       0,           (int)row[6], (int)row[7] };
    s.windowed = s.window ? s.L : 0;
    return s;
}

int sizes_of_the_book(const Sizes **out, Arena *arena)
{
    TableRows rows = TABLE_EMBEDDED(arena, book_lines, COLUMNS, "data/sizes.tsv");
    Sizes *all = arena_alloc(arena, (size_t)rows.values.rows * sizeof *all);
    for (int i = 0; i < rows.values.rows; i++) all[i] = sizes_of_row(rows.names[i], mat_row(rows.values, i));
    *out = all;
    return rows.values.rows;
}

// ---- config.json

// The objects that may contain a value, the inner one first, and context for messages.
typedef struct {
    const Json *inner, *outer;
    Arena *arena;
    const char *name;
    Error *error;
} Config;

// The first of several names that exists and is not null.
static const Json *find(const Config *c, const char *const *names)
{
    for (; *names; names++) {
        const Json *value = json_member(c->inner, *names);
        if (!value) value = json_member(c->outer, *names);
        if (value && value->kind != JSON_NULL) return value;
    }
    return NULL;
}

#define FIND(config, ...) find((config), (const char *const[]){ __VA_ARGS__, NULL })

static const char *text_of(const Json *value) { return value && value->kind == JSON_STRING ? value->text : ""; }
static bool is_true(const Json *value) { return value && value->kind == JSON_TRUE; }

static const char *shown(const Config *c, const Json *value)
{
    static const char *const words[] = { "null", "false", "true", "", "", "a list", "an object" };
    if (value->kind == JSON_NUMBER) return arena_format(c->arena, "%g", value->number);
    if (value->kind == JSON_STRING) return text_shown(c->arena, value->text, strlen(value->text));
    return words[value->kind];
}

// An integer in 1 … most.
static bool read_size(const Config *c, int *out, const Json *value, int most)
{
    int64_t n;
    if (!json_integer(value, &n) || n < 1 || n > most)
        return error_set(c->error, "%s:%zu:%zu: %s is %s; it must be a whole number from 1 to %d", c->name, value->line,
                         value->column, value->key, shown(c, value), most);
    *out = (int)n;
    return true;
}

// A required one, under any of its names.
static bool required_size(const Config *c, int *out, int most, const char *const *names)
{
    const Json *value = find(c, names);
    if (value) return read_size(c, out, value, most);
    return error_set(c->error, "%s:%zu:%zu: this object has no %s%s%s; it is needed", c->name, c->inner->line,
                     c->inner->column, names[0], names[1] ? ", and no " : "", names[1] ? names[1] : "");
}

#define NEED(config, out, most, ...) required_size((config), (out), (most), (const char *const[]){ __VA_ARGS__, NULL })

// An optional one, with a default.
static bool optional_size(const Config *c, int *out, const Json *value, int most, int fallback)
{
    *out = fallback;
    return !value || read_size(c, out, value, most);
}

static SizesKind role_of(const Config *c)
{
    static const char *const encoders[] = { "bert",    "roberta", "xlm-roberta", "distilbert", "albert",
                                            "electra", "deberta", "deberta-v2",  "modernbert" };
    const char *type = text_of(FIND(c, "model_type"));
    if (is_true(FIND(c, "is_encoder_decoder"))) return SIZES_ENCODER_DECODER;
    if (is_true(FIND(c, "is_decoder"))) return SIZES_DECODER;
    for (size_t i = 0; i < sizeof encoders / sizeof *encoders; i++)
        if (!strcmp(type, encoders[i])) return SIZES_ENCODER;
    return SIZES_DECODER;
}

// Layers, width and heads. An encoder-decoder has separate names for its decoder.
static bool read_shape(const Config *c, Sizes *s)
{
    if (s->role == SIZES_ENCODER_DECODER)
        return NEED(c, &s->L, LAYERS_LIMIT, "decoder_layers", "num_decoder_layers", "num_layers",
                    "num_hidden_layers") &&
               NEED(c, &s->D, WIDTH_LIMIT, "d_model", "hidden_size") &&
               NEED(c, &s->H, HEADS_LIMIT, "decoder_attention_heads", "num_heads", "num_attention_heads");
    return NEED(c, &s->L, LAYERS_LIMIT, "num_hidden_layers", "n_layer", "num_layers", "n_layers") &&
           NEED(c, &s->D, WIDTH_LIMIT, "hidden_size", "n_embd", "d_model", "dim") &&
           NEED(c, &s->H, HEADS_LIMIT, "num_attention_heads", "n_head", "n_heads", "num_heads");
}

// KV heads. multi_query means one, except in Falcon's later architecture, which gives a number.
static bool read_groups(const Config *c, Sizes *s)
{
    const Json *value = FIND(c, "num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num");
    if (is_true(FIND(c, "multi_query")) && !is_true(FIND(c, "new_decoder_architecture"))) {
        s->G = 1;
        return true;
    }
    if (!optional_size(c, &s->G, value, HEADS_LIMIT, s->H)) return false;
    if (s->H % s->G == 0) return true;
    return error_set(c->error, "%s:%zu:%zu: %s is %d; it must divide the %d query heads", c->name, value->line,
                     value->column, value->key, s->G, s->H);
}

static bool read_head_width(const Config *c, Sizes *s)
{
    const Json *value = FIND(c, "qk_nope_head_dim", "head_dim", "d_kv");
    if (!value && s->D % s->H)
        return error_set(c->error,
                         "%s:%zu:%zu: this object has no head_dim, and a width of %d cannot be split among %d heads",
                         c->name, c->inner->line, c->inner->column, s->D, s->H);
    return optional_size(c, &s->d, value, HEAD_WIDTH_LIMIT, s->D / s->H);
}

// Every nth layer has no window, by default of the model type. 0: all have it.
static int usual_pattern(const char *type)
{
    return !strcmp(type, "gemma2") ? 2 : !strcmp(type, "cohere2") ? 4 : !strcmp(type, "gemma3_text") ? 6 : 0;
}

// The layers with a window: those in layer_types; all but every nth with sliding_window_pattern; else all.
static bool read_windowed(const Config *c, Sizes *s)
{
    const Json *types = FIND(c, "layer_types"), *pattern = FIND(c, "sliding_window_pattern");
    int nth = 0, listed = 0;
    if (types && types->kind == JSON_ARRAY) {
        for (const Json *type = types->first; type; type = type->next, listed++)
            s->windowed += !strcmp(text_of(type), "sliding_attention");
        if (listed == s->L) return true;
        return error_set(c->error, "%s:%zu:%zu: layer_types lists %d layers; there are %d", c->name, types->line,
                         types->column, listed, s->L);
    }
    if (!optional_size(c, &nth, pattern, LAYERS_LIMIT, usual_pattern(s->name))) return false;
    s->windowed = s->L - (nth ? s->L / nth : 0);
    return true;
}

// Some configs give a window and disable it.
static bool read_window(const Config *c, Sizes *s)
{
    const Json *value = FIND(c, "sliding_window"), *used = FIND(c, "use_sliding_window");
    if (!value || (used && used->kind == JSON_FALSE)) return true;
    return read_size(c, &s->window, value, TOKENS_LIMIT) && read_windowed(c, s);
}

static bool read_latent(const Config *c, Sizes *s)
{
    const Json *value = FIND(c, "kv_lora_rank");
    return !value ||
           (read_size(c, &s->latent, value, WIDTH_LIMIT) && NEED(c, &s->rope, WIDTH_LIMIT, "qk_rope_head_dim"));
}

// The model_type, if it is a plain word.
static const char *name_of(const Config *c)
{
    const char *type = text_of(FIND(c, "model_type"));
    size_t length = strlen(type);
    bool plain = strspn(type, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == length;
    return plain && length > 0 && length <= 40 ? type : "unnamed";
}

bool sizes_parse(Sizes *out, Arena *arena, FileBytes file, const char *name, Error *error)
{
    Json *root;
    if (!json_parse(&root, arena, (const char *)file.at, file.size, name, error)) return false;
    if (root->kind != JSON_OBJECT)
        return error_set(error, "%s:%zu:%zu: a config.json is an object, in braces", name, root->line, root->column);
    Config c = { root, root, arena, name, error };
    const Json *inner = FIND(&c, "text_config", "llm_config", "language_config");
    if (inner && inner->kind == JSON_OBJECT) c.inner = inner;
    *out = (Sizes){ .name = name_of(&c), .role = role_of(&c) };
    return read_shape(&c, out) && read_groups(&c, out) && read_head_width(&c, out) && read_window(&c, out) &&
           read_latent(&c, out);
}

bool sizes_read(Sizes *out, Arena *arena, const char *path, Error *error)
{
    FileBytes file;
    return file_read(&file, arena, path, error) && sizes_parse(out, arena, file, path, error);
}
