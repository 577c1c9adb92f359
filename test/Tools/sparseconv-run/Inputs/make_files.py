"""usage: make_files.py FOLDER: scans, weights and broken files for the tests."""

import json
import struct
import sys

import numpy as np

folder = sys.argv[1] + "/"
random = np.random.default_rng(5)
points = random.uniform(-2, 2, (200, 4)).astype(np.float32)
weight = random.uniform(-1, 1, (27, 4, 8)).astype(np.float32)
bias = random.uniform(-1, 1, 8).astype(np.float32)


def write(name, data):
    with open(folder + name, "wb") as file:
        file.write(data)


def write_safetensors(name, tensors):
    header, data = {}, b""
    for key, array in tensors.items():
        begin = len(data)
        data += array.tobytes()
        dtype = {"f": "F", "i": "I"}[array.dtype.kind] + str(8 * array.itemsize)
        header[key] = {
            "dtype": dtype,
            "shape": array.shape,
            "data_offsets": [begin, len(data)],
        }
    text = json.dumps(header).encode()
    write(name, struct.pack("<Q", len(text)) + text + data)


def write_ply(name, points):
    names = ["x", "y", "z", "intensity"]
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
    head += "".join(f"property float {n}\n" for n in names) + "end_header\n"
    write(name, head.encode() + points.tobytes())


def write_pcd(name, points):
    head = "VERSION .7\nFIELDS x y z intensity\nSIZE 4 4 4 4\nTYPE F F F F\n"
    head += f"COUNT 1 1 1 1\nWIDTH {len(points)}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\n"
    head += f"POINTS {len(points)}\nDATA ascii\n"
    rows = "".join(" ".join(f"{v:.9g}" for v in p) + "\n" for p in points)
    write(name, (head + rows).encode())


# One scan in every format; nuScenes' has a ring number in a fifth column.
points.tofile(folder + "scan.bin")
np.hstack([points, points[:, :1]]).astype(np.float32).tofile(folder + "scan5.bin")
np.save(folder + "scan.npy", points)
np.savez(folder + "scan.npz", points=points)
write_ply("scan.ply", points)
write_pcd("scan.pcd", points)
for name, value in (("nan", np.nan), ("infinite", np.inf)):
    bad = points.copy()
    bad[17, 1] = value
    bad.tofile(folder + name + ".bin")

# Weights that fit, and that do not.
both = {"conv.weight": weight, "conv.bias": bias}
np.savez(folder + "weights.npz", **both)
np.savez_compressed(folder + "deflated.npz", **both)
write_safetensors("weights.safetensors", both)
doubles = {k: v.astype(np.float64) for k, v in both.items()}
np.savez(folder + "doubles.npz", **doubles)
np.savez(folder + "missing.npz", **{"conv.weight": weight})
write_safetensors("missing.safetensors", {"conv.bias": bias})
wrong = {"conv.weight": weight[:8], "conv.bias": bias.astype(np.int32), "head": bias}
np.savez(folder + "wrong.npz", **wrong)
write_safetensors("wrong.safetensors", wrong)

# The scan's voxels as plain arguments, and broken ones.
voxels = np.zeros((200, 4), dtype=np.int32)
voxels[:, 1:] = np.floor(points[:, :3].astype(np.float64) / 0.5)
np.save(folder + "points.npy", voxels)
np.save(folder + "features.npy", points)
np.save(folder + "few.npy", points[:150])
np.save(folder + "wide.npy", np.hstack([points, points]))
np.save(folder + "flat.npy", points[0])
np.save(folder + "long.npy", voxels.astype(np.int64))
for name, axis, value in (
    ("batch", 0, 128),
    ("below", 0, -1),
    ("x", 1, 8184),
    ("y", 2, -8185),
    ("z", 3, 100000),
):
    beyond = voxels.copy()
    beyond[42, axis] = value
    np.save(folder + f"beyond-{name}.npy", beyond)

# Files that are cut off, empty, or something else.
for name in ("scan.bin", "scan.ply", "scan.pcd", "features.npy", "weights.npz",
             "weights.safetensors"):
    with open(folder + name, "rb") as file:
        data = file.read()
    write("cut-" + name, data[: len(data) // 2 + 1])
    write("empty-" + name, b"")
    write("text-" + name, b"These are words and nothing else, long enough to read.\n")
