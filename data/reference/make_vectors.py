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


torch.manual_seed(20240917)
with torch.no_grad():
    attention()
    multi_head()
softmax()
print(f"torch {torch.__version__}, numpy {numpy.__version__}")
