"""Opens model C as a LLaMA with the library transformers, and writes the logits that it gives, for
tests/model/test_llama_export.c: llama_tokens.npy (1, T), llama_logits.npy (T, words), llama_logits.txt (the versions).

Run from the root of the book, after build/pages/models --llama FOLDER: python3 data/reference/llama_logits.py FOLDER
"""
import pathlib
import platform
import sys

import numpy
import torch
import transformers

HERE = pathlib.Path(__file__).resolve().parent
TEXT = ("the animal did not cross the street last night because it was too tired. anna and otto, then she found my "
        "cup. this rusty engine near the street held the cup all week since it is very rusty. anna found the")


def main(folder):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, torch_dtype=torch.float64)
    if type(model) is not transformers.LlamaForCausalLM:
        raise SystemExit(f"{folder}: opened as {type(model).__name__}, not as a LlamaForCausalLM")
    tokens = tokenizer(TEXT, return_tensors="pt").input_ids
    with torch.no_grad():
        logits = model(tokens).logits[0]
    numpy.save(HERE / "llama_tokens.npy", tokens.numpy().astype(numpy.float32))
    numpy.save(HERE / "llama_logits.npy", logits.to(torch.float32).numpy())
    versions = f"python {platform.python_version()}, torch {torch.__version__.split('+')[0]}, " \
               f"transformers {transformers.__version__}, numpy {numpy.__version__}\n"
    (HERE / "llama_logits.txt").write_text(versions + f"{TEXT}\n")
    print(f"{tokens.shape[1]} tokens, {logits.shape[1]} words; {versions}", end="")


if __name__ == "__main__":
    main(sys.argv[1])
