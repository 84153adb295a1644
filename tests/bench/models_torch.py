# A GPT-2 of transformers for bench-models: reads commands, answers each with one line.
#   open FOLDER THREADS   loads it, float32 or bfloat16 as it is stored; answers 0. One thread: its seconds
#                         are what the processor spent
#   prefill T             one text of T tokens, and the logits behind it; answers its seconds
#   keep T                prepares a cache of T tokens; answers 0
#   decode                one token after these, and its logits; answers its seconds
#   logits T FILE         writes the logits behind T tokens, float32 as they stand in memory; answers 0
import os
import sys
import time

os.environ["HF_HUB_OFFLINE"] = "1"
try:
    import torch
    import transformers
except ImportError:
    print("python3 has no torch, or no transformers", flush=True)
    sys.exit(1)

transformers.logging.set_verbosity_error()
torch.set_grad_enabled(False)


def run(tokens, **how):
    out = model(tokens, **how)
    return out, out.last_hidden_state[0, -1] @ model.wte.weight.T


print("ready", torch.__version__, flush=True)
model, kept, clock = None, None, time.perf_counter
for line in sys.stdin:
    words = line.split()
    answer = 0
    if words[0] == "open":
        torch.set_num_threads(int(words[2]))
        clock = time.process_time if words[2] == "1" else time.perf_counter
        model = transformers.GPT2Model.from_pretrained(words[1], torch_dtype="auto").eval()
    else:
        tokens = torch.arange(int(words[1]) if len(words) > 1 else 0)[None] * 7 % 50257
        began = clock()
        if words[0] == "keep":
            kept = model(tokens, use_cache=True).past_key_values
        elif words[0] == "decode":
            run(torch.tensor([[11]]), past_key_values=kept, use_cache=True)
            answer = clock() - began
            kept.crop(-1)
        elif words[0] == "prefill":
            run(tokens, use_cache=False)
            answer = clock() - began
        elif words[0] == "logits":
            run(tokens, use_cache=False)[1].float().numpy().tofile(words[2])
    print(answer, flush=True)
