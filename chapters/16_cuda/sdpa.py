# PyTorch's scaled_dot_product_attention on the GPU for bench: reads commands, answers each with one number. bfloat16.
#   shape B H G T S d causal MIB   makes inputs, in sets that together are twice a cache of so many MiB; answers 0
#   flash, cudnn                   one turn of this back end; answers the seconds of one call, -1 where it does not run
#   error flash, error cudnn       its relative error against float64, some queries of the last head
#   forget                         gives the memory back; answers 0
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

torch.manual_seed(16)
torch.set_grad_enabled(False)
BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}
sets, turn, causal, grouped = [], 0, False, False
cudnn = torch.backends.cudnn.version() or 0
print("ready", f"{torch.__version__}, cuDNN {cudnn // 10000}.{cudnn // 100 % 100}.{cudnn % 100}", flush=True)


def call(backend, which):
    with sdpa_kernel(BACKENDS[backend]):
        return attend(*sets[which % len(sets)], is_causal=causal, enable_gqa=grouped)


def seconds(backend, calls):
    global turn
    began, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    with sdpa_kernel(BACKENDS[backend]):
        torch.cuda._sleep(2_000_000)                 # the card is busy while the calls are queued: no gaps are timed
        began.record()
        for _ in range(calls):
            turn += 1
            attend(*sets[turn % len(sets)], is_causal=causal, enable_gqa=grouped)
        ended.record()
    ended.synchronize()
    return began.elapsed_time(ended) / 1000 / calls


def timed(backend):
    once = seconds(backend, len(sets))
    return seconds(backend, int(0.02 / once) + 1)


def error(backend):
    q, k, v = (x[-1, -1].double() for x in sets[0])
    out = call(backend, 0)[-1, -1].double()
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
            torch.cuda.empty_cache()
            answer = 0.0
    except (RuntimeError, TypeError) as reason:
        print(reason, file=sys.stderr)
    print(answer, flush=True)
