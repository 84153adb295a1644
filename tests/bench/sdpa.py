# PyTorch's scaled_dot_product_attention for bench: reads commands, answers each with one line. One thread, float32.
#   shape H T S d causal   makes random heads; answers the relative error of one of them against float64
#   run                    one head, the next one each time; answers its seconds of thread time
import sys
import time

try:
    import torch
    from torch.nn.functional import scaled_dot_product_attention as attend
except ImportError:
    print("python3 has no torch", flush=True)
    sys.exit(1)

torch.set_num_threads(1)
torch.manual_seed(15)
torch.set_grad_enabled(False)
print("ready", torch.__version__, flush=True)

heads, turn, causal = [], 0, False
for line in sys.stdin:
    words = line.split()
    if words[0] == "shape":
        H, T, S, d = (int(word) for word in words[1:5])
        causal = words[5] == "1"
        heads = [[torch.randn(1, 1, rows, d) for rows in (T, S, S)] for _ in range(H)]
        want = attend(*(x[:, :, :].double() for x in heads[0]), is_causal=causal)
        error = (attend(*heads[0], is_causal=causal).double() - want).norm() / want.norm()
        print(float(error), flush=True)
    elif words[0] == "run":
        turn = (turn + 1) % len(heads)
        began = time.thread_time()
        attend(*heads[turn], is_causal=causal)
        print(time.thread_time() - began, flush=True)
