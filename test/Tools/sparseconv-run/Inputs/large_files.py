"""Scans of many points that take little room on a disk.

usage: large_files.py FOLDER"""

import os
import sys
import zipfile

import numpy as np

folder = sys.argv[1]
ROWS = 1 << 25


def write_zeros(name, rows, header=b""):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(header)
        file.truncate(len(header) + rows * 16)


empty = os.path.join(folder, "empty.npy")
np.lib.format.open_memmap(empty, mode="w+", dtype=np.float32, shape=(ROWS, 4)).flush()
with open(empty, "rb") as file:
    header = file.read(128)
os.remove(empty)
write_zeros("large.npy", ROWS, header)
write_zeros("large.bin", ROWS)
with zipfile.ZipFile(os.path.join(folder, "large.npz"), "w", zipfile.ZIP_DEFLATED) as archive:
    with archive.open("points.npy", "w", force_zip64=True) as member:
        member.write(header)
        for _ in range(ROWS * 16 // (1 << 20)):
            member.write(bytes(1 << 20))
