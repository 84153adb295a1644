"""Writes the reference vectors beside this file: PyTorch's own attention for tests/attention/test_pytorch.c, and whole
training steps for tests/train/test_training.c.

Inputs are drawn, rounded to float32, and used in float64; results are rounded to float32 once, when they are stored.
Run from anywhere: python3 data/reference/make_vectors.py
"""
import pathlib

import numpy
import torch
import torch.nn.functional as F

HERE = pathlib.Path(__file__).resolve().parent


def draw(*shape, scale=1.0):
    return (torch.randn(*shape, dtype=torch.float32) * scale).double()


def save(name, tensor):
    numpy.save(HERE / f"{name}.npy", tensor.detach().to(torch.float32).contiguous().numpy())


def positions(T, S):
    """Row and column indices among the keys: the last query stands at the last key."""
    return torch.arange(T)[:, None] + S - T, torch.arange(S)[None, :]


def attention():
    T, S, d, dv = 7, 11, 8, 5
    q, k, v = draw(T, d), draw(S, d), draw(S, dv)
    square_q = draw(S, d)
    for name, tensor in dict(q=q, square_q=square_q, k=k, v=v).items():
        save(f"attention_{name}", tensor)
    p, j = positions(T, S)
    square_p, _ = positions(S, S)

    def attend(name, query, **mask):
        save(f"attention_{name}", F.scaled_dot_product_attention(query[None], k[None], v[None], **mask)[0])

    attend("full", q)
    attend("square_causal", square_q, is_causal=True)
    attend("causal", q, attn_mask=j <= p)                                     # T != S: bottom-right
    attend("window", square_q, attn_mask=(j <= square_p) & (j > square_p - 3))
    attend("window_sinks", square_q, attn_mask=(j <= square_p) & ((j > square_p - 3) | (j < 2)))
    attend("padding", q, attn_mask=(j < S - 4).expand(T, S))
    alibi = -0.25 * (p - j).abs().double()
    attend("alibi", q, attn_mask=alibi)
    attend("causal_alibi", q, attn_mask=alibi.masked_fill(j > p, -torch.inf))
    save("attention_full_lse", torch.logsumexp(q @ k.T / d**0.5, dim=1, keepdim=True))


def multi_head():
    T, D, H = 6, 12, 3
    x = draw(T, D)
    m = torch.nn.MultiheadAttention(D, H, bias=False, batch_first=True, dtype=torch.float64)
    for weight in m.parameters():
        weight.data = draw(*weight.shape, scale=D**-0.5)
    save("multi_head_x", x)
    save("multi_head_wqkv", m.in_proj_weight.T)                               # theirs (3D, D), y = x Wᵀ; ours (D, 3D)
    save("multi_head_wo", m.out_proj.weight.T)
    later = torch.ones(T, T).triu(1).bool()                                   # True hides
    filler = (torch.arange(T) >= T - 2)[None]
    for name, mask in dict(full={}, causal=dict(attn_mask=later), padding=dict(key_padding_mask=filler)).items():
        out, weights = m(x[None], x[None], x[None], need_weights=True, average_attn_weights=False, **mask)
        save(f"multi_head_{name}", out[0])
        save(f"multi_head_{name}_weights", weights[0])                        # (H, T, T)


def softmax():
    scores = torch.cat([draw(4, 9), draw(1, 9, scale=10), 1e4 + draw(1, 9).round()])
    save("softmax_scores", scores)
    save("softmax_weights", torch.softmax(scores, dim=1))
    save("softmax_logsumexp", torch.logsumexp(scores, dim=1, keepdim=True))
    jacobian = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, dim=0), scores[0])
    save("softmax_jacobian", jacobian)                                        # of row 0


def load(name):
    return torch.from_numpy(numpy.load(HERE / f"{name}.npy")).double().requires_grad_()


def gradients():
    """Autograd on the inputs above, for a loss that is the sum of out * dout. Draws from a seed of its own."""
    torch.manual_seed(20240918)
    k, v = load("attention_k"), load("attention_v")
    S, T = len(k), 7
    dout = draw(S, v.shape[1])
    save("attention_dout", dout)                                              # T queries take its first T rows
    p, j = positions(T, S)
    square_p, _ = positions(S, S)
    alibi = -0.25 * (p - j).abs().double()

    def attend(name, query, **mask):
        q = load(query)
        out = F.scaled_dot_product_attention(q[None], k[None], v[None], **mask)[0]
        for to, gradient in zip("qkv", torch.autograd.grad((out * dout[: len(q)]).sum(), (q, k, v))):
            save(f"attention_{name}_d{to}", gradient)

    attend("square_causal", "attention_square_q", is_causal=True)
    attend("causal", "attention_q", attn_mask=j <= p)
    attend("window_sinks", "attention_square_q", attn_mask=(j <= square_p) & ((j > square_p - 3) | (j < 2)))
    attend("causal_alibi", "attention_q", attn_mask=alibi.masked_fill(j > p, -torch.inf))

    x = load("multi_head_x")
    T, D = x.shape
    m = torch.nn.MultiheadAttention(D, 3, bias=False, batch_first=True, dtype=torch.float64)
    m.in_proj_weight.data = load("multi_head_wqkv").detach().T.contiguous()
    m.out_proj.weight.data = load("multi_head_wo").detach().T.contiguous()
    dout = draw(T, D)
    save("multi_head_dout", dout)
    later = torch.ones(T, T).triu(1).bool()
    filler = (torch.arange(T) >= T - 2)[None]
    for name, mask in dict(full={}, causal=dict(attn_mask=later), padding=dict(key_padding_mask=filler)).items():
        out, _ = m(x[None], x[None], x[None], **mask)
        dx, dwqkv, dwo = torch.autograd.grad((out[0] * dout).sum(), (x, m.in_proj_weight, m.out_proj.weight))
        for to, gradient in dict(dx=dx, dwqkv=dwqkv.T, dwo=dwo.T).items():
            save(f"multi_head_{name}_{to}", gradient)


def rope(x):
    """x (T, heads, d): neighbouring columns are a pair, turned by position · 10000^(-2m/d)."""
    T, _, d = x.shape
    angle = torch.arange(T).double()[:, None] * 10000.0 ** (-torch.arange(0, d, 2).double() / d)
    turned = torch.view_as_complex(x.reshape(T, -1, d // 2, 2)) * torch.polar(torch.ones_like(angle), angle)[:, None]
    return torch.view_as_real(turned).flatten(2)


def transformer(p, c, tokens):
    """lib/model/transformer.h in PyTorch: logits (T, outputs), and the sum of P^2 over all heads and layers."""
    T, H, G, d = len(tokens), c["H"], c["G"], c["D"] // c["H"]
    i, j = torch.arange(T)[:, None], torch.arange(T)[None, :]
    x, peaked = p["embedding"][tokens], 0.0
    for l in range(c["L"]):
        w = {name: p[f"layers.{l}.{name}"] for name in layer_shapes(c)}
        qkv = F.rms_norm(x, (c["D"],), w["norm"][0], eps=1e-6) @ w["wqkv"]
        q, k, v = (part.reshape(T, -1, d) for part in qkv.split([H * d, G * d, G * d], dim=1))
        if c["positions"] == "rope":
            q, k = rope(q), rope(k)
        k, v = (part.repeat_interleave(H // G, dim=1) for part in (k, v))
        scores = torch.einsum("ihd,jhd->hij", q, k) / d**0.5
        if c["positions"] == "alibi":
            scores = scores - 2.0 ** (-8 * (torch.arange(H) + 1) / H).double()[:, None, None] * (i - j).abs()
        hidden = torch.zeros(T, T).bool() if not c["causal"] else j > i
        if c["window"][l]:
            hidden = hidden | ((i - j).abs() >= c["window"][l])
        weights = scores.masked_fill(hidden, -torch.inf).softmax(dim=2)
        peaked = peaked + weights.square().sum()
        x = x + torch.einsum("hij,jhd->ihd", weights, v).flatten(1) @ w["wo"]
        if c["mlp"]:
            normed = F.rms_norm(x, (c["D"],), w["mlp_norm"][0], eps=1e-6)
            x = x + F.linear(F.relu(F.linear(normed, w["w1"].T, w["b1"][0])), w["w2"].T, w["b2"][0])
    return F.rms_norm(x, (c["D"],), p["norm"][0], eps=1e-6) @ p["output"], peaked


def layer_shapes(c):
    D, d, M = c["D"], c["D"] // c["H"], c["mlp"]
    shapes = dict(norm=(1, D), wqkv=(D, (c["H"] + 2 * c["G"]) * d), wo=(D, D))
    return shapes | (dict(mlp_norm=(1, D), w1=(D, M), b1=(1, M), w2=(M, D), b2=(1, D)) if M else {})


def draw_parameters(c):
    """In the order of Transformer.table. Nothing is 0 or 1, so that nothing is right by accident."""
    shapes = dict(embedding=(c["words"], c["D"]))
    for l in range(c["L"]):
        shapes |= {f"layers.{l}.{name}": shape for name, shape in layer_shapes(c).items()}
    shapes |= dict(norm=(1, c["D"]), output=(c["D"], c["outputs"]))
    around = lambda name: 1.0 if name.endswith("norm") else 0.0
    return {name: (around(name) + draw(*shape, scale=0.4).float()).double().requires_grad_()
            for name, shape in shapes.items()}


def flat(tensors):
    return torch.cat([t.detach().flatten() for t in tensors])[None]


def train(name, c, r, lengths):
    """Three steps of the recipe r on one batch. What is stored: see data/reference/README.md.

    eps is large, so that float32's error in a gradient near 0 is not blown up to a step of the size lr.
    """
    p = draw_parameters(c)
    N = sum(lengths)
    tokens, targets = torch.randint(c["words"], (N,)), torch.randint(c["outputs"], (N,))
    targets[torch.arange(N) % 4 == 1] = -1
    save(f"training_{name}_batch", torch.stack([tokens, targets]))
    save(f"training_{name}_before", flat(p.values()))
    optimizer = torch.optim.AdamW(p.values(), lr=r["lr"], betas=r["betas"], eps=r["eps"], weight_decay=r["decay"])
    numbers = []
    for step in range(3):
        share = step / r["steps"]
        rate = r["lr"] * min(1.0, (step + 1) / r["warmup"])
        if share > r["plateau"]:
            rate *= max(r["floor"], (1 - share) / (1 - r["plateau"]))
        optimizer.param_groups[0]["lr"] = rate
        optimizer.zero_grad()
        runs = [transformer(p, c, part) for part in tokens.split(lengths) if len(part)]
        loss = F.cross_entropy(torch.cat([logits for logits, _ in runs]), targets, ignore_index=-1)
        peaked = sum(squares for _, squares in runs) / (c["L"] * c["H"] * N)
        bonus = r["bonus"] * min(1.0, share / r["ramp"]) if r["ramp"] else r["bonus"]
        (loss - bonus * peaked).backward()
        gradient = flat(t.grad for t in p.values())
        length = torch.linalg.vector_norm(gradient)
        scale = min(1.0, r["clip"] / length)        # clip_grad_norm_ adds 1e-6 to the length: seen at 1e-7
        for t in p.values():
            t.grad *= scale
        if step == 0:
            save(f"training_{name}_gradient", gradient)
            save(f"training_{name}_clipped", flat(t.grad for t in p.values()))
        optimizer.step()
        numbers.append([loss.item(), length.item(), rate, bonus])
        if step in (0, 2):
            save(f"training_{name}_after_{step + 1}", flat(p.values()))
    numpy.save(HERE / f"training_{name}_numbers.npy", numpy.array(numbers))   # float64


def training():
    torch.manual_seed(20240919)
    train("encoder", dict(words=11, outputs=9, D=16, H=4, G=2, L=2, mlp=10, positions="rope", causal=False,
                          window=[3, 0]),
          dict(steps=4, warmup=2, lr=0.01, plateau=0.25, floor=0.05, betas=(0.9, 0.98), eps=1e-3, decay=0.1, clip=0.5,
               bonus=0.3, ramp=0.0), [5, 1, 0, 7])
    train("decoder", dict(words=8, outputs=8, D=12, H=2, G=2, L=2, mlp=0, positions="alibi", causal=True,
                          window=[0, 0]),
          dict(steps=6, warmup=3, lr=0.02, plateau=1.0, floor=0.0, betas=(0.8, 0.95), eps=1e-3, decay=0.0, clip=100.0,
               bonus=0.2, ramp=0.5), [6, 2, 4])


torch.manual_seed(20240917)
with torch.no_grad():
    attention()
    multi_head()
softmax()
gradients()
training()
print(f"torch {torch.__version__}, numpy {numpy.__version__}")
