"""write-weights.py FILE NAME:TYPE:SIZES ...: arrays of 1, 2, 3, ... as .npz"""

import sys

import numpy as np

arrays = {}
for text in sys.argv[2:]:
    name, dtype, sizes = text.split(":")
    shape = [int(size) for size in sizes.split("x")]
    arrays[name] = np.arange(1, 1 + np.prod(shape), dtype=dtype).reshape(shape)
np.savez(sys.argv[1], **arrays)
