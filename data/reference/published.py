"""Small random models of every family of lib/model/family_rows.c, as the library transformers saves them, and what it
computes with them, for tests/model/test_pretrained.c: published/NAME/ with config.json, the weights, and
vectors.safetensors: tokens, kinds, padding (1, ·); logits or last (T, ·); hidden ((L + 1) T, D), the embedding, each
layer, and the last one after the last norm; maps (L H T, T). published.txt has the versions.

Configurations are odd on purpose: one key head, heads that are no D / H wide, a text of one token, one of the window's
length and one longer, fillers, a filler's id amid the text, two scales of weights (a wrong epsilon shows only with
small ones). Every number is random, norms and biases too.

Run from the root of the book: python3 data/reference/published.py
"""
import copy
import json
import pathlib
import platform
import shutil

import numpy
import safetensors.numpy
import safetensors.torch
import torch
import transformers

HERE = pathlib.Path(__file__).resolve().parent
WORDS, T = 29, 7
A = dict(hidden_size=20, num_attention_heads=5, num_hidden_layers=2, vocab_size=WORDS, intermediate_size=24,
         max_position_embeddings=64)
ONE = dict(A, num_hidden_layers=1)
KEYS = dict(A, num_key_value_heads=1, head_dim=6)
KEYS_ONE = dict(KEYS, num_hidden_layers=1)
WIDE = dict(ONE, hidden_size=40)
GPT2 = dict(n_embd=20, n_head=5, n_layer=2, n_positions=12, vocab_size=WORDS)
DISTIL = dict(dim=20, n_heads=5, n_layers=2, hidden_dim=24, vocab_size=WORDS, max_position_embeddings=16)
SHORT = [1.0, 1.1, 1.2, 1.3]
LONG = [2.0, 3.0, 4.0, 5.0]
LONGROPE = dict(WIDE, pad_token_id=0, original_max_position_embeddings=8,
                rope_scaling=dict(type="longrope", short_factor=SHORT, long_factor=LONG))

# name, class, configuration, tokens, and what else: pad, pad-in-text, kinds, small (weights), f32, f16 (else bf16),
# shards, old (names and buffers of older versions)
CASES = [
    ("gpt2", "GPT2LMHeadModel", GPT2, T, ""),
    ("gpt2-by-layer", "GPT2LMHeadModel", dict(GPT2, n_inner=24, n_layer=3, activation_function="relu",
     scale_attn_by_inverse_layer_idx=True), T, ""),
    ("gpt2-one", "GPT2LMHeadModel", dict(GPT2, n_layer=1, n_inner=24, scale_attn_weights=False), 1, "f32"),
    ("gpt2-base-old", "GPT2Model", dict(GPT2, n_inner=24), T, "old"),
    ("gpt2-untied", "GPT2LMHeadModel", dict(GPT2, n_layer=1, n_inner=24, tie_word_embeddings=False), 12, "f16 shards"),
    ("gpt2-small", "GPT2LMHeadModel", dict(GPT2, n_inner=24), T, "small"),
    ("bert", "BertForMaskedLM", A, T, "kinds f16"),
    ("bert-base-old", "BertModel", ONE, T, "kinds pad old"),
    ("bert-tanh-small", "BertForMaskedLM", dict(A, hidden_act="gelu_new", layer_norm_eps=1e-5), 3, "small"),
    ("roberta", "RobertaForMaskedLM", dict(A, type_vocab_size=1, max_position_embeddings=20), T, "pad"),
    ("roberta-fillers-in-text", "RobertaModel", dict(A, type_vocab_size=1, pad_token_id=3), T, "pad-in-text"),
    ("distilbert", "DistilBertForMaskedLM", DISTIL, T, "pad"),
    ("distilbert-base-small", "DistilBertModel", dict(DISTIL, n_layers=1, sinusoidal_pos_embds=True), T, "small"),
    ("gpt_neox", "GPTNeoXForCausalLM", WIDE, T, ""),
    ("gpt_neox-sequential", "GPTNeoXForCausalLM", dict(WIDE, rotary_pct=0.4, rotary_emb_base=777,
     use_parallel_residual=False), T, ""),
    ("gpt_neox-plain", "GPTNeoXForCausalLM", dict(A, attention_bias=False, rotary_pct=1.0, hidden_act="gelu_fast"), T,
     "small"),
    ("llama", "LlamaForCausalLM", ONE, T, "f32"),
    ("llama-biases", "LlamaForCausalLM", dict(KEYS, attention_bias=True, mlp_bias=True, tie_word_embeddings=True), T,
     "shards"),
    ("llama-3", "LlamaForCausalLM", dict(KEYS_ONE, head_dim=16, rope_theta=5e5, rope_scaling=dict(rope_type="llama3",
     factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=40)), 18, ""),
    ("llama-linear", "LlamaForCausalLM", dict(KEYS_ONE, rope_scaling=dict(type="linear", factor=2.5)), T, ""),
    ("llama-dynamic", "LlamaForCausalLM", dict(KEYS_ONE, max_position_embeddings=5,
     rope_scaling=dict(type="dynamic", factor=2.5)), T, ""),
    ("llama-yarn", "LlamaForCausalLM", dict(KEYS_ONE, head_dim=16, rope_scaling=dict(rope_type="yarn", factor=4.0,
     original_max_position_embeddings=12)), 14, ""),
    ("llama-base-small", "LlamaModel", KEYS, T, "small pad"),
    ("mistral", "MistralForCausalLM", dict(KEYS, sliding_window=4), T, ""),
    ("mistral-window", "MistralForCausalLM", dict(KEYS_ONE, sliding_window=4), 4, ""),
    ("mistral-longer", "MistralForCausalLM", dict(KEYS_ONE, sliding_window=4), 5, ""),
    ("mistral-no-window", "MistralForCausalLM", dict(KEYS_ONE, sliding_window=None), T, "small"),
    ("qwen2", "Qwen2ForCausalLM", dict(A, num_key_value_heads=1, sliding_window=4), T, ""),
    ("qwen2-windows", "Qwen2ForCausalLM", dict(A, num_key_value_heads=1, num_hidden_layers=3, use_sliding_window=True,
     sliding_window=4, max_window_layers=1, tie_word_embeddings=True), T, ""),
    ("qwen3", "Qwen3ForCausalLM", dict(KEYS, head_dim=10, use_sliding_window=True, sliding_window=4,
     max_window_layers=1, tie_word_embeddings=True), T, ""),
    ("qwen3-small", "Qwen3ForCausalLM", dict(KEYS_ONE, head_dim=10, num_key_value_heads=5), T, "small"),
    ("gemma", "GemmaForCausalLM", KEYS, T, ""),
    ("gemma-small", "GemmaForCausalLM", dict(KEYS, num_hidden_layers=1), T, "small"),
    ("gemma2", "Gemma2ForCausalLM", dict(KEYS, num_hidden_layers=3, sliding_window=4, attn_logit_softcapping=5.0,
     final_logit_softcapping=3.0, query_pre_attn_scalar=11), T, ""),
    ("gemma2-no-caps", "Gemma2ForCausalLM", dict(KEYS_ONE, attn_logit_softcapping=None, final_logit_softcapping=None),
     T, "small"),
    ("phi3", "Phi3ForCausalLM", dict(A, hidden_size=24, num_attention_heads=6, num_key_value_heads=2, sliding_window=4,
     pad_token_id=0), T, ""),
    ("phi3-half", "Phi3ForCausalLM", dict(WIDE, num_key_value_heads=1, partial_rotary_factor=0.5, pad_token_id=0), T,
     ""),
    ("phi3-longrope-short", "Phi3ForCausalLM", dict(LONGROPE, num_key_value_heads=1), 8, ""),
    ("phi3-longrope-long", "Phi3ForCausalLM", dict(LONGROPE, num_key_value_heads=1), 9, ""),
    ("opt", "OPTForCausalLM", dict(hidden_size=20, num_attention_heads=5, num_hidden_layers=2, vocab_size=WORDS,
     ffn_dim=24, max_position_embeddings=16, word_embed_proj_dim=20), T, ""),
    ("phi", "PhiForCausalLM", WIDE, T, ""),
    ("stablelm", "StableLmForCausalLM", dict(WIDE, num_key_value_heads=1, use_qkv_bias=True,
     partial_rotary_factor=0.5), T, ""),
    ("stablelm-parallel", "StableLmForCausalLM", dict(WIDE, num_key_value_heads=5, use_parallel_residual=True), T,
     "small"),
    ("falcon", "FalconForCausalLM", dict(hidden_size=20, num_attention_heads=5, num_hidden_layers=2, ffn_hidden_size=24,
     vocab_size=WORDS), T, ""),
    ("falcon-40b", "FalconForCausalLM", dict(hidden_size=24, num_attention_heads=6, num_kv_heads=2, ffn_hidden_size=24,
     num_hidden_layers=2, vocab_size=WORDS, new_decoder_architecture=True), T, ""),
    ("starcoder2", "Starcoder2ForCausalLM", dict(A, num_key_value_heads=1, sliding_window=4), T, ""),
    ("smollm", "LlamaForCausalLM", dict(ONE, num_attention_heads=10, num_key_value_heads=5, hidden_size=40,
     tie_word_embeddings=True), T, ""),
    ("olmo2", "Olmo2ForCausalLM", dict(A, num_key_value_heads=1), T, ""),
    ("gpt_neo", "GPTNeoForCausalLM", dict(hidden_size=20, num_heads=5, num_layers=2, vocab_size=WORDS, window_size=4,
     intermediate_size=24, max_position_embeddings=16, attention_types=[[["global", "local"], 1]]), T, ""),
    ("gptj", "GPTJForCausalLM", dict(n_embd=20, n_head=5, n_layer=2, n_positions=12, n_inner=24, vocab_size=WORDS,
     rotary_dim=4), T, ""),
    ("bloom", "BloomForCausalLM", dict(hidden_size=15, n_head=5, n_layer=1, vocab_size=WORDS), T, ""),
]


def make(cls, settings, how, dtype):
    """The model, every number of it random and exact in `dtype`, and computing in float32."""
    kind = getattr(transformers, cls)
    config = kind.config_class(**copy.deepcopy(settings))
    config._attn_implementation = "eager"
    model = kind(config).eval()
    scale = 0.05 if "small" in how else 0.3
    with torch.no_grad():
        for name, p in model.named_parameters():
            one = p.ndim == 1 and name.endswith("weight") and "gemma" not in config.model_type
            p.copy_((torch.randn(p.shape) * (scale if p.ndim > 1 else 0.5) + one).to(dtype).float())
    return model


def save(model, folder, how, dtype):
    shutil.rmtree(folder, ignore_errors=True)
    saved = copy.deepcopy(model).to(dtype)
    saved.save_pretrained(folder, max_shard_size="2KB" if "shards" in how else "1GB")
    (folder / "generation_config.json").unlink(missing_ok=True)
    if "old" not in how:
        return
    path = folder / "model.safetensors"
    tensors = safetensors.torch.load_file(path)
    if "bert" in folder.name:
        tensors = {k.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): v
                   for k, v in tensors.items()}
        tensors["embeddings.position_ids"] = torch.arange(8)[None]
    else:
        for layer in range(model.config.n_layer):
            tensors[f"h.{layer}.attn.bias"] = torch.tril(torch.ones(4, 4, dtype=torch.uint8))[None, None]
            tensors[f"h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)
    safetensors.torch.save_file(tensors, path, metadata={"format": "pt"})


def case(n, name, cls, settings, tokens, how):
    how = how.split()
    torch.manual_seed(n)
    rng = numpy.random.default_rng(n)
    dtype = torch.float32 if "f32" in how else torch.float16 if "f16" in how else torch.bfloat16
    model = make(cls, settings, how, dtype)
    folder = HERE / "published" / name
    save(model, folder, how, dtype)
    filler = model.config.pad_token_id or 0
    ids = rng.integers(4, WORDS, tokens)
    vectors, asked, padding = {}, {}, 0
    if "pad-in-text" in how:
        ids[3] = filler
    if "pad" in how:
        padding = 2
        ids[-padding:] = filler
        asked["attention_mask"] = torch.tensor([[1] * (tokens - padding) + [0] * padding])
    if "kinds" in how:
        kinds = (numpy.arange(tokens) > 2).astype(numpy.int64)
        asked["token_type_ids"] = torch.tensor(kinds[None])
        vectors["kinds"] = kinds[None].astype(numpy.float32)
    with torch.no_grad():
        out = model(torch.tensor(ids[None]), output_attentions=True, output_hidden_states=True, **asked)
    base = "logits" not in out
    vectors["tokens"] = ids[None].astype(numpy.float32)
    vectors["padding"] = numpy.array([[padding]], numpy.float32)
    vectors["last" if base else "logits"] = (out.last_hidden_state if base else out.logits)[0].numpy()
    vectors["hidden"] = numpy.concatenate([h[0].numpy() for h in out.hidden_states])
    vectors["maps"] = numpy.concatenate([m[0].reshape(-1, tokens).numpy() for m in out.attentions])
    safetensors.numpy.save_file(vectors, folder / "vectors.safetensors")
    largest = float(numpy.abs(vectors["last" if base else "logits"]).max())
    bytes_of = sum(f.stat().st_size for f in folder.iterdir())
    print(f"{name:24s} {json.loads((folder / 'config.json').read_text())['model_type']:10s} {bytes_of:6d} bytes, "
          f"largest {largest:.3g}")


def main():
    shutil.rmtree(HERE / "published", ignore_errors=True)
    for n, one in enumerate(CASES):
        case(n, *one)
    (HERE / "published.txt").write_text(
        f"python {platform.python_version()}, torch {torch.__version__.split('+')[0]}, "
        f"transformers {transformers.__version__}, numpy {numpy.__version__}\n")


if __name__ == "__main__":
    main()
