// Chapter 25. Resolves config.json with the defaults of its family's row.
#include "model/family.h"

#include "base/portable_math.h"
#include "io/text.h"

#include <string.h>

// Larger than in any published model, and small enough that no product of two overflows.
enum {
    LAYERS_LIMIT = 4096,
    HEADS_LIMIT = 4096,
    HEAD_WIDTH_LIMIT = 8192,
    WIDTH_LIMIT = 1 << 20,
    MLP_LIMIT = 1 << 22,
    WORDS_LIMIT = 1 << 24,
    TOKENS_LIMIT = 1 << 30
};

const char *const family_activation_names[ACTIVATION_KINDS] = { "gelu", "gelu_pytorch_tanh", "relu", "silu" };

const char *family_name(const Family *family) { return family->name; }

const char *family_known(Arena *arena)
{
    const char *all = "";
    for (int i = 0; i < family_count; i++)
        all = arena_format(arena, "%s%s%s", all, i ? ", " : "", family_table[i].name);
    return all;
}

// ---- reading

typedef struct {
    const Json *root;
    Arena *arena;
    const char *name;
    Error *error;
} Reader;

static const char *shown(const Reader *r, const Json *value)
{
    static const char *const words[] = { "null", "false", "true", "", "", "a list", "an object" };
    if (value->kind == JSON_NUMBER) return arena_format(r->arena, "%.17g", value->number);
    if (value->kind == JSON_STRING) return text_shown(r->arena, value->text, strlen(value->text));
    return words[value->kind];
}

// “config.json:3:5: hidden_size is "wide"; it must be …”
static bool refuse(const Reader *r, const Json *value, const char *right)
{
    return error_set(r->error, "%s:%zu:%zu: %s is %s; %s", r->name, value->line, value->column,
                     value->key ? text_shown(r->arena, value->key, strlen(value->key)) : "an entry", shown(r, value),
                     right);
}

// A member that exists and is not null.
static const Json *find_member(const Json *object, const char *key)
{
    const Json *value = key ? json_member(object, key) : NULL;
    return value && value->kind != JSON_NULL ? value : NULL;
}

static const Json *first_member(const Json *object, const char *const *keys)
{
    const Json *value = NULL;
    for (; *keys && !value; keys++) value = find_member(object, *keys);
    return value;
}

#define FIRST_MEMBER(r, ...) first_member((r)->root, (const char *const[]){ __VA_ARGS__, NULL })

static bool is_true(const Json *value) { return value && value->kind == JSON_TRUE; }

// An integer in 1 … most.
static bool read_size(const Reader *r, int *out, const Json *value, int most)
{
    int64_t n;
    if (!json_integer(value, &n) || n < 1 || n > most)
        return refuse(r, value, arena_format(r->arena, "it must be a whole number from 1 to %d", most));
    *out = (int)n;
    return true;
}

static bool optional_size(const Reader *r, int *out, const Json *value, int most, int fallback)
{
    *out = fallback;
    return !value || read_size(r, out, value, most);
}

static bool required_size(const Reader *r, int *out, const Json *value, int most, const char *key)
{
    if (value) return read_size(r, out, value, most);
    return error_set(r->error, "%s:%zu:%zu: this object has no %s; it is needed", r->name, r->root->line,
                     r->root->column, key);
}

// A number in low … high.
static bool optional_number(const Reader *r, double *out, const Json *value, double low, double high, double fallback)
{
    *out = fallback;
    if (!value) return true;
    if (value->kind != JSON_NUMBER || value->number < low || value->number > high)
        return refuse(r, value, arena_format(r->arena, "it must be a number from %g to %g", low, high));
    *out = value->number;
    return true;
}

static bool optional_flag(const Reader *r, bool *out, const Json *value, bool fallback)
{
    *out = fallback;
    if (!value) return true;
    if (value->kind != JSON_TRUE && value->kind != JSON_FALSE) return refuse(r, value, "it must be true or false");
    *out = value->kind == JSON_TRUE;
    return true;
}

// ---- settings that the forward pass does not support

static bool check_known(const Reader *r, const Family *f)
{
    static const struct {
        const char *key, *family;
        bool wrong;
    } flags[] = {
        { "is_decoder", "bert", true },           { "is_decoder", "roberta", true },
        { "add_cross_attention", NULL, true },    { "alibi", NULL, true },
        { "qk_layernorm", NULL, true },           { "use_mrope", NULL, true },
        { "do_layer_norm_before", "opt", false }, { "apply_residual_connection_post_layernorm", NULL, true },
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        const Json *value = find_member(r->root, flags[i].key);
        if (flags[i].family && strcmp(f->name, flags[i].family)) continue;
        if (value && (value->kind == JSON_TRUE) == flags[i].wrong)
            return refuse(r, value,
                          arena_format(r->arena, "of the family %s only models where it is %s are known", f->name,
                                       flags[i].wrong ? "false" : "true"));
    }
    const Json *kind = find_member(r->root, "position_embedding_type"),
               *width = find_member(r->root, "word_embed_proj_dim");
    const Json *hidden = find_member(r->root, "hidden_size"), *quantised = find_member(r->root, "quantization_config");
    if (quantised) return refuse(r, quantised, "weights in fewer bits than 16 are not read");
    if (kind && (kind->kind != JSON_STRING || strcmp(kind->text, "absolute")))
        return refuse(r, kind, "only \"absolute\" is known");
    if (width && hidden && width->number != hidden->number)
        return refuse(r, width, "only models where it is hidden_size are known");
    return true;
}

// ---- shape

static bool read_kv_heads(const Reader *r, Architecture *a)
{
    const Json *value = FIRST_MEMBER(r, "num_key_value_heads", "num_kv_heads");
    bool absent = !json_member(r->root, "num_key_value_heads");
    const Json *many = find_member(r->root, "multi_query");
    if (many && !is_true(find_member(r->root, "new_decoder_architecture"))) {
        a->G = is_true(many) ? 1 : a->H;
        return true;
    }
    if (!optional_size(r, &a->G, value, HEADS_LIMIT, a->family->keys && absent ? a->family->keys : a->H)) return false;
    if (a->H % a->G == 0) return true;
    return error_set(r->error, "%s:%zu:%zu: there are %d key heads; they must divide the %d query heads", r->name,
                     value ? value->line : r->root->line, value ? value->column : r->root->column, a->G, a->H);
}

static bool read_head_width(const Reader *r, Architecture *a)
{
    int fallback = a->family->head_width ? a->family->head_width : a->D / a->H;
    const Json *value = find_member(r->root, "head_dim");
    if (!value && !a->family->head_width && a->D % a->H)
        return error_set(r->error,
                         "%s:%zu:%zu: this object has no head_dim, and a width of %d cannot be split among "
                         "%d heads",
                         r->name, r->root->line, r->root->column, a->D, a->H);
    return optional_size(r, &a->d, value, HEAD_WIDTH_LIMIT, fallback);
}

static bool read_shape(const Reader *r, Architecture *a)
{
    const Json *mlp = FIRST_MEMBER(r, "intermediate_size", "n_inner", "ffn_dim", "hidden_dim", "ffn_hidden_size");
    return required_size(r, &a->words, find_member(r->root, "vocab_size"), WORDS_LIMIT, "vocab_size") &&
           required_size(r, &a->D, FIRST_MEMBER(r, "hidden_size", "n_embd", "dim", "d_model", "n_embed"), WIDTH_LIMIT,
                         "hidden_size") &&
           required_size(r, &a->L, FIRST_MEMBER(r, "num_hidden_layers", "n_layer", "n_layers", "num_layers"),
                         LAYERS_LIMIT, "num_hidden_layers") &&
           required_size(r, &a->H, FIRST_MEMBER(r, "num_attention_heads", "n_head", "n_heads", "num_heads"),
                         HEADS_LIMIT, "num_attention_heads") &&
           read_kv_heads(r, a) && read_head_width(r, a) &&
           (a->family->mlp_four ? optional_size(r, &a->mlp, mlp, MLP_LIMIT, 4 * a->D)
                                : required_size(r, &a->mlp, mlp, MLP_LIMIT, "intermediate_size"));
}

// ---- constants

static bool read_activation(const Reader *r, Architecture *a)
{
    static const struct {
        const char *name;
        Activation is;
    } known[] = {
        { "gelu", ACTIVATION_GELU },
        { "gelu_new", ACTIVATION_GELU_TANH },
        { "gelu_pytorch_tanh", ACTIVATION_GELU_TANH },
        { "gelu_fast", ACTIVATION_GELU_TANH },
        { "relu", ACTIVATION_RELU },
        { "silu", ACTIVATION_SILU },
        { "swish", ACTIVATION_SILU },
    };
    const Family *f = a->family;
    const Json *value = find_member(r->root, f->act_keys[0]);
    if (!value) value = find_member(r->root, f->act_keys[1]);
    a->activation = f->activation;
    if (!value) return true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (value->kind == JSON_STRING && !strcmp(value->text, known[i].name)) {
            a->activation = known[i].is;
            return true;
        }
    return refuse(r, value, "known are gelu, gelu_new, gelu_pytorch_tanh, gelu_fast, relu, silu and swish");
}

// An explicit null means no cap; a missing entry means the family's.
static bool read_softcap(const Reader *r, double *out, const char *key, double fallback)
{
    const Json *value = json_member(r->root, key);
    *out = 0.0;
    if (fallback == 0.0 || (value && value->kind == JSON_NULL)) return true;
    return optional_number(r, out, value, 1e-3, 1e6, fallback);
}

static bool read_score_scale(const Reader *r, Architecture *a)
{
    const Family *f = a->family;
    bool scaled;
    double divisor;
    if (!optional_number(r, &divisor, find_member(r->root, f->score_key), 1e-6, 1e9,
                         f->score == 0.0 ? a->d : f->score) ||
        !optional_flag(r, &scaled, find_member(r->root, "scale_attn_weights"), true) ||
        !optional_flag(r, &a->score_by_layer, find_member(r->root, "scale_attn_by_inverse_layer_idx"), false))
        return false;
    a->score_scale = scaled ? 1.0 / sqrt(divisor) : 1.0;
    return read_softcap(r, &a->score_cap, "attn_logit_softcapping", f->score_cap) &&
           read_softcap(r, &a->logit_cap, "final_logit_softcapping", f->logit_cap);
}

static bool read_constants(const Reader *r, Architecture *a)
{
    const Family *f = a->family;
    bool later = is_true(find_member(r->root, "new_decoder_architecture")); // Falcon's, which is always parallel
    a->embedding_scale = f->scaled ? sqrt(a->D) : 1.0;
    return optional_number(r, &a->eps, find_member(r->root, f->eps_key), 0.0, 1.0, f->eps) &&
           optional_flag(r, &a->parallel, later ? NULL : find_member(r->root, f->parallel_key), f->parallel) &&
           optional_flag(r, &a->tied, find_member(r->root, "tie_word_embeddings"), f->tied) && read_activation(r, a) &&
           read_score_scale(r, a);
}

// ---- positions

// The divisors of longrope, one per pair.
static bool read_factors(const Reader *r, Mat *out, const Json *object, const char *key, int pairs)
{
    const Json *list = json_member(object, key);
    int count = 0;
    if (!list || list->kind != JSON_ARRAY)
        return refuse(r, list ? list : object, arena_format(r->arena, "%s must be a list of %d numbers", key, pairs));
    *out = mat_new(r->arena, 1, pairs);
    for (const Json *value = list->first; value; value = value->next, count++) {
        if (value->kind != JSON_NUMBER || value->number < 1e-3 || value->number > 1e6)
            return refuse(r, value, "a divisor of RoPE must be a number from 0.001 to 1e+06");
        if (count < pairs) *mat_ref(*out, 0, count) = (float)value->number;
    }
    if (count == pairs) return true;
    return error_set(r->error, "%s:%zu:%zu: %s has %d numbers; there are %d pairs of columns to turn", r->name,
                     list->line, list->column, key, count, pairs);
}

static bool read_scaling_kind(const Reader *r, RopeScaling *s, const Json *object)
{
    const Json *kind = find_member(object, "rope_type");
    if (!kind) kind = find_member(object, "type");
    if (!kind) return true;
    for (int i = 0; i < ROPE_SCALING_KINDS; i++)
        if (kind->kind == JSON_STRING && !strcmp(kind->text, rope_scaling_names[i])) {
            s->kind = (RopeScalingKind)i;
            return true;
        }
    s->kind = ROPE_SCALING_LONGROPE;
    if (kind->kind == JSON_STRING && !strcmp(kind->text, "su")) return true;
    return refuse(r, kind, "known are default, linear, dynamic, yarn, llama3 and longrope");
}

// The default factor of cosines and sines.
static double default_attention_factor(const RopeScaling *s)
{
    if (s->kind == ROPE_SCALING_YARN && s->factor > 1.0) return 0.1 * log(s->factor) + 1.0;
    if (s->kind == ROPE_SCALING_LONGROPE && s->factor > 1.0 && s->original > 1)
        return sqrt(1.0 + log(s->factor) / log(s->original));
    return 1.0;
}

static bool read_scaling_numbers(const Reader *r, Architecture *a, const Json *object)
{
    RopeScaling *s = &a->stretch;
    const Json *factor = find_member(object, "factor"),
               *original = find_member(object, "original_max_position_embeddings");
    const Json *unknown = find_member(object, "mscale");
    if (!unknown) unknown = find_member(object, "mscale_all_dim");
    if (unknown) return refuse(r, unknown, "it is not known here");
    bool outside = s->kind == ROPE_SCALING_LONGROPE && find_member(r->root, "original_max_position_embeddings");
    if (outside) original = find_member(r->root, "original_max_position_embeddings");
    if (!optional_size(r, &s->original, original, TOKENS_LIMIT, a->positions) ||
        !optional_number(r, &s->factor, factor, 1e-3, 1e6, 1.0) ||
        !optional_number(r, &s->low, find_member(object, "low_freq_factor"), 1e-3, 1e6, 1.0) ||
        !optional_number(r, &s->high, find_member(object, "high_freq_factor"), 1e-3, 1e6, 4.0) ||
        !optional_number(r, &s->fast, find_member(object, "beta_fast"), 1e-3, 1e6, 32.0) ||
        !optional_number(r, &s->slow, find_member(object, "beta_slow"), 1e-3, 1e6, 1.0))
        return false;
    if (s->kind == ROPE_SCALING_LLAMA3 && s->high <= s->low)
        return refuse(r, object, "high_freq_factor must be above low_freq_factor");
    if (s->kind == ROPE_SCALING_DYNAMIC && a->turned < 4)
        return refuse(r, object, "with it four columns or more must turn");
    if (s->kind != ROPE_SCALING_NONE && s->original == 0)
        return refuse(r, object, "with it the config must have max_position_embeddings");
    if (outside && a->positions) s->factor = (double)a->positions / s->original;
    return optional_number(r, &s->attention, find_member(object, "attention_factor"), 1e-3, 1e3,
                           default_attention_factor(s));
}

static bool read_scaling(const Reader *r, Architecture *a, const Json *object)
{
    RopeScaling *s = &a->stretch;
    int pairs = (a->turned + 1) / 2;
    *s = (RopeScaling){ .attention = 1.0, .factor = 1.0 };
    if (!object) return true;
    if (object->kind != JSON_OBJECT) return refuse(r, object, "it must be an object, in braces");
    if (!read_scaling_kind(r, s, object) || !read_scaling_numbers(r, a, object)) return false;
    return s->kind != ROPE_SCALING_LONGROPE || (read_factors(r, &s->short_factor, object, "short_factor", pairs) &&
                                                read_factors(r, &s->long_factor, object, "long_factor", pairs));
}

// transformers 5 collects base, rotary fraction and scaling in one object, or in one per kind of layer; the latter is not
// supported.
static bool read_rope(const Reader *r, Architecture *a)
{
    const Family *f = a->family;
    const Json *rope_object = find_member(r->root, "rope_parameters"), *at = rope_object ? rope_object : r->root;
    if (rope_object && find_member(rope_object, "full_attention"))
        return refuse(r, rope_object, "one for each kind of layer is not known");
    const Json *turned = find_member(at, f->turned_key), *base = find_member(at, "rope_theta");
    if (!turned && rope_object) turned = find_member(at, "partial_rotary_factor");
    if (!turned) turned = find_member(r->root, f->turned_key);
    if (!base) base = find_member(r->root, "rotary_emb_base");
    if (turned && !f->turned_key && turned->number != 1.0) return refuse(r, turned, "this family turns whole heads");
    double part;
    if (!optional_number(r, &a->rope_base, base, 1.0 + 1e-6, 1e12, 10000.0) ||
        !optional_number(r, &part, turned, 0.0, HEAD_WIDTH_LIMIT, f->turned))
        return false;
    a->turned = part < 2.0 ? (int)(a->d * part) : (int)part;
    bool even = f->places == FAMILY_POSITIONS_ROPE ? 2 * ((a->turned + 1) / 2) <= a->d
                                                   : a->turned % 2 == 0 && a->turned <= a->d;
    if (a->turned < 1 || !even)
        return error_set(r->error, "%s:%zu:%zu: RoPE would turn %d of the %d columns of a head", r->name,
                         turned ? turned->line : r->root->line, turned ? turned->column : r->root->column, a->turned,
                         a->d);
    return read_scaling(r, a, rope_object ? rope_object : find_member(r->root, "rope_scaling"));
}

// In OPT's table position 0 is in row 2; RoBERTa's positions start after the row of the padding token.
static bool read_positions(const Reader *r, Architecture *a)
{
    const Family *f = a->family;
    int longest;
    a->padding = -1;
    a->rope_base = 0.0;
    a->stretch = (RopeScaling){ .attention = 1.0, .factor = 1.0 };
    if (!optional_size(r, &longest, FIRST_MEMBER(r, "max_position_embeddings", "n_positions"), TOKENS_LIMIT, 0))
        return false;
    a->positions = longest;
    if (f->places == FAMILY_POSITIONS_ROPE || f->places == FAMILY_POSITIONS_ROPE_PAIRS) return read_rope(r, a);
    if (f->places != FAMILY_POSITIONS_LEARNED) return true;
    if (!longest) return required_size(r, &longest, NULL, TOKENS_LIMIT, "max_position_embeddings");
    a->first_place = f->first_place;
    if (f->first_place != FAMILY_POSITION_AFTER_PADDING) return true;

    const Json *padding = find_member(r->root, "pad_token_id");
    int64_t id = 1;
    if (padding && (!json_integer(padding, &id) || id < 0 || id >= longest - 1))
        return refuse(r, padding, "it must be a whole number that leaves rows for positions");
    a->padding = (int)id;
    a->first_place = a->padding + 1;
    a->positions = longest - a->first_place;
    return a->positions > 0 || error_set(r->error, "%s: %d positions are none beside the filler's", r->name, longest);
}

// ---- sliding windows

// Does layer l have a window? From layer_types, or GPT-Neo's attention_layers or attention_types.
static bool listed_kind(const Reader *r, const Json *value, bool *local)
{
    const char *text = value->kind == JSON_STRING ? value->text : "";
    *local = !strcmp(text, "sliding_attention") || !strcmp(text, "local");
    if (*local || !strcmp(text, "full_attention") || !strcmp(text, "global")) return true;
    return refuse(r, value, "known are full_attention and sliding_attention, global and local");
}

static bool read_list(const Reader *r, int *window, int L, int W, const Json *list)
{
    int l = 0;
    if (list->kind != JSON_ARRAY) return refuse(r, list, "it must be a list, one kind for each layer");
    for (const Json *value = list->first; value; value = value->next, l++) {
        bool local;
        if (!listed_kind(r, value, &local)) return false;
        if (l < L) window[l] = local ? W : 0;
    }
    if (l == L) return true;
    return error_set(r->error, "%s:%zu:%zu: %s lists %d layers; there are %d", r->name, list->line, list->column,
                     list->key, l, L);
}

// [[["global", "local"], 6]]: a pattern and its number of repetitions.
static bool read_types(const Reader *r, int *window, int L, int W, const Json *types)
{
    int l = 0;
    for (const Json *entry = types->kind == JSON_ARRAY ? types->first : NULL; entry; entry = entry->next) {
        const Json *kinds = entry->kind == JSON_ARRAY ? entry->first : NULL;
        int times;
        if (!kinds || kinds->kind != JSON_ARRAY || !kinds->first || !kinds->next)
            return refuse(r, entry, "it must be a list of kinds, and how often they come");
        if (!read_size(r, &times, kinds->next, LAYERS_LIMIT)) return false;
        for (int i = 0; i < times && l <= L; i++)
            for (const Json *kind = kinds->first; kind && l <= L; kind = kind->next, l++) {
                bool local;
                if (!listed_kind(r, kind, &local)) return false;
                if (l < L) window[l] = local ? W : 0;
            }
    }
    if (l == L) return true;
    return error_set(r->error, "%s:%zu:%zu: attention_types lists %s layers than the %d that there are", r->name,
                     types->line, types->column, l < L ? "fewer" : "more", L);
}

static bool read_listed(const Reader *r, Architecture *a, int *window, int W)
{
    const Json *layers = find_member(r->root, "attention_layers"), *types = find_member(r->root, "attention_types");
    if (layers) return read_list(r, window, a->L, W, layers);
    if (types) return read_types(r, window, a->L, W, types);
    for (int l = 0; l < a->L; l++) window[l] = l % 2 ? W : 0;
    return true;
}

static bool read_windows(const Reader *r, Architecture *a)
{
    const Family *f = a->family;
    const char *key = f->window == FAMILY_WINDOW_LISTED ? "window_size" : "sliding_window";
    int *window = arena_alloc(r->arena, (size_t)a->L * sizeof *window), W = f->window_default, from = 28;
    const Json *value = json_member(r->root, key), *types = find_member(r->root, "layer_types");
    a->window = window;
    if (f->window == FAMILY_WINDOW_NONE) return true;
    if (value && value->kind == JSON_NULL) W = 0;
    else if (value && !read_size(r, &W, value, TOKENS_LIMIT)) return false;
    if (f->window == FAMILY_WINDOW_FROM) {
        const Json *first = find_member(r->root, "max_window_layers");
        int64_t n = from;
        if (first && (!json_integer(first, &n) || n < 0 || n > LAYERS_LIMIT))
            return refuse(r, first, arena_format(r->arena, "it must be a whole number from 0 to %d", LAYERS_LIMIT));
        from = (int)n;
        if (!is_true(find_member(r->root, "use_sliding_window"))) W = 0;
    }
    if (f->window == FAMILY_WINDOW_LISTED) return read_listed(r, a, window, W);
    if (types && f->window != FAMILY_WINDOW_ALL) return read_list(r, window, a->L, W, types);
    for (int l = 0; l < a->L; l++)
        window[l] = f->window == FAMILY_WINDOW_ALL || (f->window == FAMILY_WINDOW_EVEN && l % 2 == 0) ||
                            (f->window == FAMILY_WINDOW_FROM && l >= from)
                        ? W
                        : 0;
    return true;
}

// ---- biases

static bool read_biases(const Reader *r, Architecture *a)
{
    const Family *f = a->family;
    a->biased = f->biased;
    for (size_t i = 0; i < sizeof f->biases / sizeof *f->biases && f->biases[i].key; i++) {
        bool there;
        if (!optional_flag(r, &there, find_member(r->root, f->biases[i].key), f->biases[i].silent)) return false;
        if (there) a->biased |= f->biases[i].of;
    }
    return true;
}

// ---- the family

// Does the model have a language-modelling head? Decided by its class name (GPT2LMHeadModel, BertForMaskedLM); other heads
// are ignored.
static void read_head(const Reader *r, Architecture *a)
{
    static const char *const with[] = { "ForCausalLM", "LMHeadModel", "ForMaskedLM", "ForPreTraining" };
    const Json *classes = find_member(r->root, "architectures");
    const Json *first = classes && classes->kind == JSON_ARRAY ? classes->first : NULL;
    a->head_said = first && first->kind == JSON_STRING;
    a->head = !a->head_said;
    for (size_t i = 0; a->head_said && i < sizeof with / sizeof *with; i++)
        a->head |= strstr(first->text, with[i]) != NULL;
}

static bool read_family(const Reader *r, Architecture *a)
{
    const Json *type = find_member(r->root, "model_type");
    if (!type || type->kind != JSON_STRING)
        return error_set(r->error, "%s:%zu:%zu: this object has no model_type, a string; it is needed", r->name,
                         type ? type->line : r->root->line, type ? type->column : r->root->column);
    for (int i = 0; i < family_count; i++)
        if (!strcmp(family_table[i].name, type->text)) a->family = &family_table[i];
    return a->family || refuse(r, type, arena_format(r->arena, "known families are %s", family_known(r->arena)));
}

bool architecture_parse(Architecture *out, Arena *arena, const Json *config, const char *name, Error *error)
{
    Reader r = { config, arena, name, error };
    Architecture a = { 0 };
    if (config->kind != JSON_OBJECT)
        return error_set(error, "%s:%zu:%zu: a config.json is an object, in braces", name, config->line,
                         config->column);
    if (!read_family(&r, &a) || !check_known(&r, a.family)) return false;
    a.name = a.family->name;
    a.norm = a.family->norm;
    a.places = a.family->places;
    a.causal = a.family->causal;
    a.gated = a.family->gated;
    a.packing = a.family->packing;
    read_head(&r, &a);
    if (!read_shape(&r, &a) || !read_constants(&r, &a) || !read_positions(&r, &a) || !read_windows(&r, &a) ||
        !read_biases(&r, &a) ||
        !optional_size(&r, &a.kinds, find_member(config, "type_vocab_size"), WORDS_LIMIT,
                       a.family->names->kinds ? 2 : 0))
        return false;
    *out = a;
    return true;
}
