# The peers of bench on the GPU: two back ends of PyTorch's scaled_dot_product_attention, and FlashAttention-3 where it
# is installed (its authors' package, or fa3-fwd of PyPI). Reads commands, answers each with one number. bfloat16.
#   shape B H G T S d causal MIB   makes inputs, in sets that together are twice a cache of so many MiB; answers 0
#   flash, cudnn, fa3              one turn of this one; answers the seconds of one call, -1 where it does not run
#   error flash, …                 its relative error against float64, some queries of the last head
#   forget                         gives the memory back; answers 0
import contextlib
import importlib.metadata
import sys

try:
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention as attend
except ImportError:
    print("python3 has no torch with torch.nn.attention", flush=True)
    sys.exit(1)
if not torch.cuda.is_available():
    print("torch has no CUDA", flush=True)
    sys.exit(1)

fa3, fa3_version = None, ""
for module, package in (("flash_attn_interface", "flash_attn_3"), ("fa3_fwd_interface", "fa3_fwd")):
    try:
        fa3 = __import__(module).flash_attn_func
        fa3_version = f", {package} {importlib.metadata.version(package)}"
        break
    except (ImportError, OSError, importlib.metadata.PackageNotFoundError) as reason:
        print(reason, file=sys.stderr)

torch.manual_seed(16)
torch.set_grad_enabled(False)
BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION, "fa3": None}
sets, graphs, causal, grouped = [], {}, False, False
cudnn = torch.backends.cudnn.version() or 0
cudnn = f"cuDNN {cudnn // 10000}.{cudnn // 100 % 100}.{cudnn % 100}"
print("ready", f"{torch.__version__}, {cudnn}{fa3_version}", flush=True)


def attention(name, q, k, v):
    if name != "fa3":
        return attend(q, k, v, is_causal=causal, enable_gqa=grouped)
    if fa3 is None:
        raise RuntimeError("FlashAttention-3 is not installed")
    # (B, T, H, d) by strides alone; for one query it splits the keys as it sees fit.
    out = fa3(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), causal=causal, num_splits=int(q.shape[2] > 1))
    return (out[0] if isinstance(out, tuple) else out).transpose(1, 2)


def chosen(name):
    return sdpa_kernel(BACKENDS[name]) if BACKENDS[name] else contextlib.nullcontext()


def call(name, which):
    with chosen(name):
        return attention(name, *sets[which])


# A call for each set of inputs, recorded as a graph: while it is replayed, nothing waits for Python.
def recorded(name):
    if name not in graphs:
        call(name, 0)
        torch.cuda.synchronize()
        graphs[name] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graphs[name]):
            for which in range(len(sets)):
                call(name, which)
    return graphs[name]


def seconds(name, replays):
    graph = recorded(name)
    began, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(2_000_000)                     # the card is busy while the replays are queued: no gaps are timed
    began.record()
    for _ in range(replays):
        graph.replay()
    ended.record()
    ended.synchronize()
    return began.elapsed_time(ended) / 1000 / replays / len(sets)


def timed(name):
    once = seconds(name, 1)
    return seconds(name, int(0.02 / once / len(sets)) + 1)


def error(name):
    q, k, v = (x[-1, -1].double() for x in sets[0])
    out = call(name, 0)[-1, -1].double()
    rows = torch.arange(0, q.shape[0], 1 + q.shape[0] // 64, device=q.device)
    scores = q[rows] @ k.T / q.shape[1] ** 0.5
    if causal:
        scores.masked_fill_(torch.arange(k.shape[0], device=q.device) > rows[:, None], float("-inf"))
    want = scores.softmax(-1) @ v
    return float((out[rows] - want).norm() / want.norm())


for line in sys.stdin:
    words = line.split()
    answer = -1.0
    try:
        if words[0] == "shape":
            B, H, G, T, S, d, masked, cache = (int(word) for word in words[1:])
            causal, grouped = bool(masked), H != G
            graphs.clear()
            size = 2 * B * d * (2 * H * T + 2 * G * S)
            count = max(1, min(16, -(-2 * (cache << 20) // size)))
            sets = [tuple(torch.randn(B, heads, rows, d, device="cuda", dtype=torch.bfloat16)
                          for heads, rows in ((H, T), (G, S), (G, S))) for _ in range(count)]
            answer = 0.0
        elif words[0] in BACKENDS:
            answer = timed(words[0])
        elif words[0] == "error":
            answer = error(words[1])
        elif words[0] == "forget":
            sets = []
            graphs.clear()
            torch.cuda.empty_cache()
            answer = 0.0
    except (RuntimeError, TypeError) as reason:
        print(reason, file=sys.stderr)
    print(answer, flush=True)
