"""Runs the blocks "The same in PyTorch" of all chapters, and records what they print.

A block stands in chapters/NN_name/README.md behind ```python NN_name. It is run in an empty folder that holds
NN.safetensors, what `build/chapters/NN_name --dump` writes; torch, F (torch.nn.functional) and load_file
(safetensors.torch) are imported. Code and output go to same_in_pytorch.txt beside this file, which `make text` and
`make text-check` read. Run from the root of the book, when the chapters are built:

    python3 data/reference/same_in_pytorch.py [BUILD/chapters]
"""
import contextlib
import io
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

import safetensors
import torch
import torch.nn.functional as F
from safetensors.torch import load_file

RECORD = pathlib.Path(__file__).resolve().with_suffix(".txt")
BLOCK = re.compile(r"^```python (\d\d)(_\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(chapters, number, name, code):
    """What the block prints."""
    torch.manual_seed(0)
    torch.set_printoptions(precision=4, sci_mode=False)
    home, printed = os.getcwd(), io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            subprocess.run([chapters / (number + name), "--dump", f"{number}.safetensors"], check=True,
                           stdout=subprocess.DEVNULL)
            with contextlib.redirect_stdout(printed):
                exec(compile(code, f"the block of {number}{name}", "exec"),
                     dict(torch=torch, F=F, load_file=load_file))
        finally:
            os.chdir(home)
    return printed.getvalue()


def main():
    chapters = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/chapters").resolve()
    record = [f"# Python {platform.python_version()}, torch {torch.__version__.split('+')[0]}, "
              f"safetensors {safetensors.__version__}\n"]
    for readme in sorted(pathlib.Path("chapters").glob("*/README.md")):
        for number, name, code in BLOCK.findall(readme.read_text()):
            printed = run(chapters, number, name, code)
            print(f"{number}{name}\n{printed}", end="")
            record.append(f"=== {number}{name}\n{code}---\n{printed}")
    RECORD.write_text("".join(record))


main()
