"""Writes the reference vectors beside this file: PyTorch's own attention for tests/attention/test_pytorch.c.

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


torch.manual_seed(20240917)
with torch.no_grad():
    attention()
    multi_head()
softmax()
gradients()
print(f"torch {torch.__version__}, numpy {numpy.__version__}")
