#!/usr/bin/env python3
"""Checks a profile's file: tracks of kernels and layers whose events follow each
other, where every layer begins with a kernel and ends with one.

usage: check_trace.py TRACE.json FILE.mlir
"""

import json
import sys

KERNELS, LAYERS = 1, 2


def main():
    path, network = sys.argv[1:3]
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
    if names != {KERNELS: "kernels", LAYERS: "layers"}:
        sys.exit(f"the tracks are {names}")
    tracks = {tid: [e for e in events if e["ph"] == "X" and e["tid"] == tid] for tid in names}
    for tid, track in tracks.items():
        if not track:
            sys.exit(f"no {names[tid]}")
        for before, after in zip(track, track[1:]):
            if not 0 <= before["ts"] <= before["ts"] + before["dur"] <= after["ts"] + 1e-3:
                sys.exit(f"{after['name']} begins before {before['name']} ends")
    begins = {e["ts"] for e in tracks[KERNELS]}
    if not all(layer["ts"] in begins for layer in tracks[LAYERS]):
        sys.exit("a layer begins with no kernel")
    if not any(network in layer["name"] for layer in tracks[LAYERS]):
        sys.exit(f"no layer of {network}")


if __name__ == "__main__":
    main()
