# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the plots of the site from the tables of docs/performance.md.

usage: plots.py PERFORMANCE.md FOLDER

Every number is from the page, but for the peak and the bandwidth of an H200, which
are from NVIDIA's data sheet. A table that is no longer found is an error.
"""

import os
import re
import sys

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot
from sparseconv import plot

#: Of an H200 SXM: dense f16 in FLOP/s, bytes in a second.
PEAK, BANDWIDTH = 989e12, 4.8e12


def read_table(text, heading, first):
    """The cells of the table below a heading whose header begins with the cells
    `first`, the header's own row first."""
    start = text.index(f"\n## {heading}\n") if heading else 0
    rows = []
    for line in text[start:].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if rows and not line.startswith("|"):
            return [row for row in rows if not set("".join(row)) <= set("-")]
        if rows or cells[: len(first)] == first:
            rows.append(cells)
    raise SystemExit(f"performance.md: no table {first} below '{heading}'")


def read_layers(text):
    """By channels and scene, our time and that of the best library: "16.1 (3.09)" is our time,
    and how many times as long the library takes."""
    (_, *scenes), *rows = read_table(text, "GPU: layers", ["C", "kitti-05"])
    layers = {}
    for channels, *cells in rows[:-1]:
        for scene, cell in zip(scenes, cells):
            ours, times = map(float, re.fullmatch(r"([\d.]+) \(([\d.]+)\)", cell).groups())
            layers[channels, scene] = ours, ours * times
    return layers


def read_sizes(text):
    rows = read_table(text, "", ["scene", "voxels"])[1:]
    return {name: int(count.replace(" ", "")) for name, count, _ in rows}


def save(figure, folder, name):
    figure.savefig(os.path.join(folder, name), facecolor="white", metadata={"Date": None})
    pyplot.close(figure)


def draw_sizes(text, folder):
    scenes, layers = ("kitti-05", "indoor-02", "shell-1M"), read_layers(text)
    sizes = read_sizes(text)
    voxels = [sizes[scene] for scene in scenes]
    figure, ax = pyplot.subplots(figsize=(5.2, 4.4), layout="constrained")
    for number, channels in enumerate(("16", "64", "256")):
        ours, best = zip(*(layers[channels, scene] for scene in scenes))
        ax.loglog(voxels, ours, f"C{number}o-", label=f"{channels} channels")
        ax.loglog(voxels, best, f"C{number}s--", label=f"{channels}, best library")
    ax.set_xticks(voxels, [f"{scene}\n{count}" for scene, count in zip(scenes, voxels)])
    ax.minorticks_off()
    ax.set(xlabel="scene and its voxels", ylabel="microseconds")
    ax.grid(True, alpha=0.3)
    ax.legend(fontsize="small")
    save(figure, folder, "time-by-size.svg")


def draw_networks(text, folder):
    """f16 alone, where a library's time is stated."""
    bars = []
    for name, kind, time, *_, best in read_table(text, "GPU: networks", ["kitti-05", "type"])[1:]:
        if kind == "f16" and best:
            bars.append((f"{name}\nkitti-05", float(time), best))
    for name, time, best in read_table(text, "GPU: networks", ["indoor-02, f16, `8dddf1a`"])[1:]:
        if best:
            bars.append((f"{name}\nindoor-02", float(time), best))
    figure, ax = pyplot.subplots(figsize=(5.2, 3.8), layout="constrained")
    for place, (_, time, best) in enumerate(bars):
        found = re.fullmatch(r"([\d.]+) \((.*)\)", best)
        for shift, value, label in ((-0.2, time, "ours"), (0.2, float(found[1]), found[2])):
            bar = ax.barh(place + shift, value, 0.38, color="C0" if label == "ours" else "C7")
            ax.bar_label(bar, [f"{label}: {value:g}"], padding=3, fontsize="small")
    ax.set_yticks(range(len(bars)), [name for name, _, _ in bars])
    ax.invert_yaxis()
    ax.margins(x=0.25)
    ax.set(xlabel="milliseconds")
    save(figure, folder, "networks.svg")


def draw_roofline(text, folder):
    voxels = read_sizes(text)["kitti-05"]
    pairs = int(re.search(r"on kitti-05, at .*: ([\d ]+) pairs of rows", text)[1].replace(" ", ""))
    layers = {"ours": [], "best library": []}
    for (channels, scene), times in read_layers(text).items():
        if scene != "kitti-05":
            continue
        size = int(channels)
        moved = 2 * (2 * voxels * size + 27 * size * size) + 4 * 27 * voxels
        for group, time in zip(layers.values(), times):
            group.append(plot.Layer(channels, 2.0 * pairs * size * size, moved, time * 1e-6))
    figure, ax = pyplot.subplots(figsize=(5.2, 4.4), layout="constrained")
    for number, (label, group) in enumerate(layers.items()):
        plot.roofline(group, PEAK, BANDWIDTH, ax=ax, label=label, color=("C0", "C7")[number],
                      marker="os"[number])  # fmt: skip
    ax.legend(loc="lower right")
    ax.set_title("channels, and in brackets the share of what the roof allows", fontsize="medium")
    save(figure, folder, "roofline.svg")


def main():
    page, folder = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        text = file.read()
    os.makedirs(folder, exist_ok=True)
    for draw in (draw_sizes, draw_networks, draw_roofline):
        draw(text, folder)


main()
