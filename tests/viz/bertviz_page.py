# The same maps as a page by bertviz, for make bench-viewer: bertviz_page.py MAPS.npy PAGE.html
import sys

import numpy as np
import torch
from bertviz import head_view

maps = torch.from_numpy(np.load(sys.argv[1]))
tokens = [str(i) for i in range(maps.shape[2])]
page = head_view([layer.unsqueeze(0) for layer in maps], tokens, html_action="return")
with open(sys.argv[2], "w") as file:
    file.write(page.data)
