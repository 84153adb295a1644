"""Tries manyheads.py with small random models of forms that chapter 25 does not know, and one that it does: what is in
the file must be what the model gives, and the viewer must open it.

From the root of the book, after make: python3 data/manyheads_check.py [FOLDER]      (pictures are left in FOLDER)
Without torch and transformers it says so and is done.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
TEXT = "The animal didn't cross the street because it was too tired."


def small_models():
    import transformers as t
    size = dict(vocab_size=440, max_position_embeddings=64)
    bert = dict(hidden_size=48, num_hidden_layers=3, num_attention_heads=4, intermediate_size=64, **size)
    yield "t5", lambda: t.T5ForConditionalGeneration(t.T5Config(
        vocab_size=440, d_model=48, d_kv=16, d_ff=64, num_layers=3, num_heads=4,
        decoder_start_token_id=0)), ["encoder", "decoder", "cross"], "heads v"
    yield "bart", lambda: t.BartModel(t.BartConfig(
        d_model=48, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
        encoder_ffn_dim=64, decoder_ffn_dim=64, **size)), ["encoder", "decoder", "cross"], "heads k q v"
    yield "albert", lambda: t.AlbertModel(t.AlbertConfig(embedding_size=24, **bert)), [""], "heads k q v"
    yield "electra", lambda: t.ElectraModel(t.ElectraConfig(embedding_size=24, **bert)), [""], "heads k q v"
    yield "bloom", lambda: t.BloomModel(t.BloomConfig(
        vocab_size=440, hidden_size=48, n_layer=2, n_head=4)), [""], "heads v"
    yield "gptj", lambda: t.GPTJModel(t.GPTJConfig(vocab_size=440, n_positions=64, n_embd=48, n_layer=2, n_head=4,
                                                   rotary_dim=8)), [""], "heads v"
    yield "qwen2", lambda: t.Qwen2Model(t.Qwen2Config(
        vocab_size=440, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        intermediate_size=64)), [""], "heads v"


def read(path):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    return header.pop("__metadata__"), header, data[8 + size:]


def tensor_of(header, data, name):
    import numpy
    about = header[name]
    first, last = about["data_offsets"]
    return numpy.frombuffer(data[first:last], "<f4").reshape(about["shape"])


def maps_of(model, tokenizer, notes):
    """The maps once more, without manyheads.py."""
    import torch
    inputs = {"input_ids": tokenizer(TEXT, return_tensors="pt").input_ids}
    if model.config.is_encoder_decoder:
        inputs["decoder_input_ids"] = notes["ids"]
    model.set_attn_implementation("eager")
    with torch.no_grad():
        out = model.eval()(**inputs, output_attentions=True)
    if not model.config.is_encoder_decoder:
        return {"": out.attentions}
    return {"encoder": out.encoder_attentions, "decoder": out.decoder_attentions, "cross": out.cross_attentions}


def check(name, model, tokenizer, kinds, parts, folder):
    import numpy
    import torch
    import manyheads
    path = folder / f"{name}.safetensors"
    manyheads.save(model, tokenizer, TEXT, path)
    notes, header, data = read(path)
    if model.config.is_encoder_decoder:
        with torch.no_grad():
            notes["ids"] = manyheads._decoder_ids(model, tokenizer, tokenizer(TEXT, return_tensors="pt"), None)
    worst = 0
    for kind, maps in maps_of(model, tokenizer, notes).items():
        for layer, weights in enumerate(maps):
            prefix = f"{kind}{'.' if kind else ''}layers.{layer}."
            got = tensor_of(header, data, prefix + "weights")
            worst = max(worst, float(numpy.abs(got - weights[0].numpy()).max()))
            has = " ".join(sorted(n[len(prefix):] for n in header if n.startswith(prefix) and "weights" not in n))
            assert has == parts, f"{name}, {prefix}: {has}; {parts} was expected"
    assert worst == 0, f"{name}: maps differ by {worst}"
    for kind in kinds:
        words = json.loads(notes[f"{kind}.tokens" if kind else "tokens"]) if kind != "cross" else []
        assert all(isinstance(word, str) for word in words), f"{name}: {words}"
        assert kind in ("decoder", "cross") or "Ġan" in words, f"{name}: {words}"
    viewer, picture = HERE.parent / "build/viewer", folder / f"{name}.png"
    if viewer.exists():
        subprocess.run([viewer, path, "--export", picture], check=True, stdout=subprocess.DEVNULL)
    print(f"{name}: {', '.join(kinds) if kinds != [''] else 'maps'}, {parts}: the model's own"
          f"{'' if viewer.exists() else '; the viewer is not built, so it was not asked'}")


def main():
    try:
        import torch
        import transformers
    except ImportError as missing:
        print(f"left out: manyheads.py with models, for want of {missing.name}")
        return
    transformers.logging.set_verbosity_error()
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
    folder.mkdir(exist_ok=True)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(HERE / "reference/tokens/gpt2/tokenizer.json"), eos_token="<|end|>", pad_token="<|end|>",
        model_input_names=["input_ids", "attention_mask"])
    for name, make, kinds, parts in small_models():
        torch.manual_seed(25)
        model = make().eval()
        with torch.no_grad():                        # as they are made, all maps are flat
            for part, numbers in model.named_parameters():
                if numbers.dim() == 2 and "att" in part.lower():
                    numbers.mul_(4 if name == "t5" else 12)
        check(name, model, tokenizer, kinds, parts, folder)


if __name__ == "__main__":
    main()
