"""Writes what a model of the library transformers attended to, as a file that build/viewer opens. Copy this file to
where you work: it needs nothing but what the model needs.

    import manyheads
    manyheads.save(model, tokenizer, "The animal was too tired.", "run.safetensors")

Then: build/viewer run.safetensors. The file holds the maps of all layers and heads; of each layer also what the heads
gave (weights · v), v, q and k, if they can be found: that is tried, and what does not give the model's own numbers
again is left out. So q and k are there for models whose scores are q · k / √d with a causal mask or none, and not where
positions turn or bias them. Of encoder-decoders there are three kinds of maps: encoder, decoder, cross.

As a program: python3 manyheads.py MODEL "TEXT" run.safetensors
"""
import contextlib
import inspect
import json
import os
import struct
import sys

Q, K, V = ("q_proj", "query", "q", "q_lin", "wq"), ("k_proj", "key", "k", "k_lin", "wk"), \
          ("v_proj", "value", "v", "v_lin", "wv")
FUSED = ("query_key_value", "c_attn", "qkv_proj", "Wqkv", "qkv", "in_proj", "att_proj")
OUT = ("o_proj", "out_proj", "dense", "o", "c_proj", "out_lin", "wo")
CLOSE = 1e-3                       # of the largest number: what rounds to fewer bits is as close as that


# ---- what the modules of attention took and gave, call by call

def _child(module, names):
    for name in names:
        child = getattr(module, name, None)
        if hasattr(child, "register_forward_hook"):
            return child
    return None


@contextlib.contextmanager
def _recorded(model):
    """A list of calls, each a dict of q, k, v or fused, and heads. A module that several layers share has several."""
    calls, hooks = [], []

    def watch(module, parts, out):
        now = {}

        def keep(name):
            return lambda _, inputs, output: now.__setitem__(name, output)

        def done(_, inputs, output):
            if out is None:
                now["heads"] = output[0] if isinstance(output, tuple) else output
            calls.append(dict(now))
            now.clear()

        hooks.extend(part.register_forward_hook(keep(name)) for name, part in parts.items())
        if out is not None:
            hooks.append(out.register_forward_pre_hook(lambda _, inputs: now.__setitem__("heads", inputs[0])))
        hooks.append(module.register_forward_hook(done))

    for module in model.modules():
        parts = {name: _child(module, names) for name, names in (("q", Q), ("k", K), ("v", V), ("fused", FUSED))}
        parts = {name: part for name, part in parts.items() if part is not None}
        if "fused" in parts or {"q", "k", "v"} <= parts.keys():
            watch(module, parts, _child(module, OUT))
    try:
        yield calls
    finally:
        for hook in hooks:
            hook.remove()


# ---- which of them a map belongs to, shown by giving the model's numbers again

def _same(a, b):
    return a.shape == b.shape and bool((a - b).abs().max() <= CLOSE * b.abs().max())


def _rows(tensor):
    """(T, n) in float32; None for what is no such thing."""
    tensor = tensor[0] if isinstance(tensor, tuple) else tensor
    tensor = tensor.detach().float().cpu()
    return tensor[0] if tensor.dim() == 3 and tensor.shape[0] == 1 else tensor if tensor.dim() == 2 else None


def _apart(call, H):
    """The ways in which a call may hold q, k and v: apart, or as one, part by part or head by head."""
    if "v" in call:
        yield tuple(_rows(call[name]) for name in "qkv")
        return
    fused = _rows(call["fused"])
    if fused is None or fused.shape[1] % (3 * H):
        return
    T, d = fused.shape[0], fused.shape[1] // (3 * H)
    yield tuple(fused.reshape(T, 3, H * d)[:, i] for i in range(3))
    yield tuple(fused.reshape(T, H, 3, d)[:, :, i].reshape(T, H * d) for i in range(3))


def _heads_of(rows, H, d):
    """(T, G·d) → (H, T, d), a key head as often as queries ask it."""
    G, T = rows.shape[1] // d, rows.shape[0]
    return rows.reshape(T, G, d).permute(1, 0, 2).repeat_interleave(H // G, 0)


def _gives(scores, weights):
    """Is the map the softmax of these scores, over the keys that it sees? Looked at as logarithms: of a map that is
    flat all weights are nearly the same, and would be of any scores."""
    sees = weights > 1e-6
    count = sees.sum(-1, keepdim=True).clamp(min=1)
    rest = [part.where(sees, 0 * part) for part in (scores, weights.clamp(min=1e-30).log())]
    rest = [(part - part.sum(-1, keepdim=True) / count).where(sees, 0 * part) for part in rest]
    return bool((rest[0] - rest[1]).abs().max() <= CLOSE * rest[1].abs().max())


def _parts(call, weights):
    """What of this call belongs to a map (H, T, S): {} if weights · v is not what its heads gave."""
    H, T, S = weights.shape
    heads = _rows(call["heads"]) if "heads" in call else None
    if heads is None or heads.shape[0] != T or heads.shape[1] % H:
        return {}
    d = heads.shape[1] // H
    for q, k, v in _apart(call, H):
        if v is None or v.shape[0] != S or v.shape[1] % d or H % max(v.shape[1] // d, 1) or v.shape[1] < d:
            continue
        given = weights @ _heads_of(v, H, d)
        if not _same(given.permute(1, 0, 2).reshape(T, H * d), heads):
            continue
        found = {"heads": heads, "v": v}
        if q is not None and k is not None and q.shape == (T, H * d) and k.shape == v.shape:
            scores = _heads_of(q, H, d) @ _heads_of(k, H, d).transpose(1, 2) / d ** 0.5
            if _gives(scores, weights):
                found.update(q=q, k=k)
        return found
    return {}


def _add_layers(tensors, prefix, maps, calls):
    """The maps of one kind, and what of the calls belongs to them; each call once, in the order of the layers."""
    for layer, weights in enumerate(maps):
        if weights is None or weights.dim() != 4 or weights.shape[0] != 1:
            raise ValueError(f"layer {layer} gives {'no map' if weights is None else tuple(weights.shape)}; "
                             "maps of one text, (1, H, T, S), are needed")
        weights = weights[0].detach().float().cpu()
        tensors[f"{prefix}layers.{layer}.weights"] = weights
        for i, call in enumerate(calls):
            found = _parts(call, weights)
            if found:
                tensors.update({f"{prefix}layers.{layer}.{name}": part for name, part in found.items()})
                del calls[i]
                break


# ---- words, and the file

def _words(tokenizer, ids):
    """As the vocabulary has them: the viewer knows Ġ, ▁ and ##. A number that no token has, as models make: ⟨431⟩."""
    tokens = zip(ids.tolist(), tokenizer.convert_ids_to_tokens(ids.tolist()))
    return json.dumps([f"⟨{i}⟩" if token is None else token for i, token in tokens], ensure_ascii=False)


def _write(path, tensors, notes):
    """safetensors: 8 bytes that say how long the header is, the header, the numbers as float32."""
    header, at = {"__metadata__": notes}, 0
    for name, tensor in tensors.items():
        size = 4 * tensor.numel()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header, ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    beside = f"{path}.part"
    with open(beside, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            file.write(tensor.contiguous().numpy().astype("<f4").tobytes())
    os.replace(beside, path)


# ---- the two calls

def _decoder_ids(model, tokenizer, inputs, target):
    import torch
    start = model.config.decoder_start_token_id
    if target is None and model.can_generate():
        wanted = {name: inputs[name] for name in ("input_ids", "attention_mask") if name in inputs}
        return model.generate(**wanted, max_new_tokens=24, do_sample=False, num_beams=1)
    ids = inputs["input_ids"] if target is None else tokenizer(target, return_tensors="pt").input_ids
    return torch.cat([torch.tensor([[0 if start is None else start]]), ids.cpu()], 1).to(inputs["input_ids"].device)


@contextlib.contextmanager
def _eager(model):
    """Only the eager implementation returns its maps."""
    before = getattr(model.config, "_attn_implementation", None)
    change = getattr(model, "set_attn_implementation", lambda name: setattr(model.config, "_attn_implementation", name))
    was_training = model.training
    model.eval()
    if before != "eager":
        change("eager")
    try:
        yield
    finally:
        model.train(was_training)
        if before not in ("eager", None):
            change(before)


def save(model, tokenizer, text, path, target=None):
    """text: one text. target: what an encoder-decoder's decoder reads; without it what the model itself writes, or, of
    a model that writes nothing, the text once more."""
    import torch
    inputs = tokenizer(text, return_tensors="pt").to(model.device)
    asked, tensors = dict(inputs, output_attentions=True, return_dict=True), {}
    if "token_type_ids" not in inspect.signature(model.forward).parameters:
        asked.pop("token_type_ids", None)
    two = getattr(model.config, "is_encoder_decoder", False)
    with torch.no_grad(), _eager(model):
        if two:
            asked.update(decoder_input_ids=_decoder_ids(model, tokenizer, inputs, target), use_cache=False)
        with _recorded(model) as calls:
            outputs = model(**asked)
    words = _words(tokenizer, inputs["input_ids"][0])
    notes = {"format": "manyheads trace 1", "chapter": f"{type(model).__name__}"}
    if two:
        others = _words(tokenizer, asked["decoder_input_ids"][0])
        notes.update({"encoder.tokens": words, "decoder.tokens": others})
        kinds = (("encoder.", "encoder_attentions"), ("decoder.", "decoder_attentions"), ("cross.", "cross_attentions"))
    else:
        notes["tokens"] = words
        kinds = (("", "attentions"),)
    for prefix, name in kinds:
        maps = getattr(outputs, name, None)
        if not maps:
            raise ValueError(f"{type(model).__name__} gives no {name}; load it with attn_implementation=\"eager\"")
        _add_layers(tensors, prefix, maps, calls)
    _write(path, tensors, notes)


def main():
    if len(sys.argv) != 4:
        raise SystemExit("python3 manyheads.py MODEL \"TEXT\" run.safetensors")
    from transformers import AutoConfig, AutoModel, AutoModelForSeq2SeqLM, AutoTokenizer
    name, text, path = sys.argv[1:]
    of = AutoModelForSeq2SeqLM if AutoConfig.from_pretrained(name).is_encoder_decoder else AutoModel
    save(of.from_pretrained(name, attn_implementation="eager"), AutoTokenizer.from_pretrained(name), text, path)


if __name__ == "__main__":
    main()
