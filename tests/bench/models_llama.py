# The same GPT-2 in llama.cpp (llama-cpp-python and gguf of PyPI), with the commands of models_torch.py. It is given the
# same numbers, as a gguf file beside the model; its cache is float16.
import json
import os
import sys
import time

try:
    import gguf
    import llama_cpp as llama
    import numpy as np
except (ImportError, OSError, RuntimeError):
    print("python3 has no llama_cpp, or no gguf", flush=True)
    sys.exit(1)

LAYER = {"ln_1": "attn_norm", "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "ln_2": "ffn_norm",
         "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"}
OUTSIDE = {"wte": "token_embd", "wpe": "position_embd", "ln_f": "output_norm"}


def name_of(name):
    kind = name.rsplit(".", 1)[1]
    if not name.startswith("h."):
        return OUTSIDE[name.rsplit(".", 1)[0]] + "." + kind
    layer, rest = name[2:].split(".", 1)
    return f"blk.{layer}.{LAYER[rest.rsplit('.', 1)[0]]}.{kind}"


def tensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    header.pop("__metadata__")
    for name, at in header.items():
        kind = np.float32 if at["dtype"] == "F32" else np.uint16
        begin, end = at["data_offsets"]
        yield name, np.frombuffer(data[begin:end], kind).reshape(at["shape"])


# Layers' matrices are (in, out) there, and one row an output here. What is no matrix of a product is float32.
def write_gguf(folder, to):
    config = json.load(open(folder + "/config.json"))
    writer = gguf.GGUFWriter(to, "gpt2")
    writer.add_context_length(config["n_positions"])
    writer.add_embedding_length(config["n_embd"])
    writer.add_feed_forward_length(4 * config["n_embd"])
    writer.add_block_count(config["n_layer"])
    writer.add_head_count(config["n_head"])
    writer.add_layer_norm_eps(1e-5)
    writer.add_tokenizer_model("no_vocab")
    writer.add_vocab_size(config["vocab_size"])
    for name, numbers in tensors(folder + "/model.safetensors"):
        if name.startswith("h.") and numbers.ndim == 2:
            numbers = np.ascontiguousarray(numbers.T)
        if numbers.dtype == np.uint16 and (numbers.ndim == 1 or name == "wpe.weight"):
            numbers = (numbers.astype(np.uint32) << 16).view(np.float32)
        if numbers.dtype == np.uint16:
            writer.add_tensor(name_of(name), numbers.view(np.uint8), raw_dtype=gguf.GGMLQuantizationType.BF16)
        else:
            writer.add_tensor(name_of(name), numbers)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def opened(folder, threads):
    path = folder + "/model.gguf"
    write_gguf(folder, path)
    model = llama.llama_model_load_from_file(path.encode(), llama.llama_model_default_params())
    how = llama.llama_context_default_params()
    how.n_ctx, how.n_batch, how.n_ubatch = 1024, 1024, 512
    how.n_threads = how.n_threads_batch = threads
    return llama.llama_init_from_model(model, how)


def run(tokens):
    numbers = (llama.llama_token * len(tokens))(*tokens)
    if llama.llama_decode(context, llama.llama_batch_get_one(numbers, len(tokens))) != 0:
        sys.exit(1)
    return llama.llama_get_logits_ith(context, -1)


def forget(first):
    llama.llama_memory_seq_rm(llama.llama_get_memory(context), 0, first, -1)


os.dup2(os.open(os.devnull, os.O_WRONLY), 2)          # what it says while it loads
llama.llama_backend_init()
print("ready", llama.__version__, flush=True)
context, kept, clock = None, 0, time.perf_counter
for line in sys.stdin:
    words = line.split()
    answer = 0
    if words[0] == "open":
        clock = time.process_time if words[2] == "1" else time.perf_counter
        context = opened(words[1], int(words[2]))
    elif words[0] == "decode":
        began = clock()
        run([11])
        answer = clock() - began
        forget(kept)
    else:
        kept = int(words[1])
        forget(0)
        began = clock()
        logits = run([t * 7 % 50257 for t in range(kept)])
        if words[0] == "prefill":
            answer = clock() - began
        elif words[0] == "logits":
            words_count = llama.llama_vocab_n_tokens(llama.llama_model_get_vocab(llama.llama_get_model(context)))
            np.ctypeslib.as_array(logits, (words_count,)).astype(np.float32).tofile(words[2])
    print(answer, flush=True)
