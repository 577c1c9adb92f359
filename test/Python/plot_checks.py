"""Checks of sparseconv.plot: what the pictures hold, drawn without a screen.

usage: plot_checks.py PROFILE, a file that sparseconv-run --profile has written
"""

import json
import os
import sys
import tempfile

import matplotlib
import numpy as np
from checks import expect, expect_equal, expect_error

matplotlib.use("Agg")
from matplotlib import pyplot
from sparseconv import ArgumentError, Error, plot

PROFILE = sys.argv[1]


def render(ax):
    """The pixels of the axes' figure, as they would be in a file."""
    ax.figure.canvas.draw()
    pixels = np.asarray(ax.figure.canvas.buffer_rgba())[..., :3].astype(int)
    pyplot.close(ax.figure)
    return pixels


def has_colour(pixels, colour):
    return (np.abs(pixels - np.array(colour)).max(axis=-1) <= 2).any()


def check_cubes():
    """Two cubes that touch have ten sides to be seen; the other batch is not drawn."""
    coordinates = np.array([[0, 0, 0, 0], [0, 2, 0, 0], [1, 9, 9, 9]])
    ax = plot.voxels(coordinates, values=[0.0, 1.0, 5.0], stride=2)
    (cubes,) = ax.collections
    expect_equal(len(cubes.get_facecolor()), 10)
    expect_equal(ax.get_title(), "2 voxels")
    expect_equal(tuple(ax.get_xlim()), (0, 4))
    pixels = render(ax)
    for value in (0.0, 1.0):
        top = np.round(255 * np.array(matplotlib.colormaps["viridis"](value)[:3]))
        expect(has_colour(pixels, top), f"no pixel has the colour of {value}")


def check_points():
    """Many voxels are points in their middles."""
    grid = np.stack(np.meshgrid(*[np.arange(19)] * 3, indexing="ij"), -1).reshape(-1, 3)
    expect(len(grid) > plot.MOST_CUBES)
    ax = plot.voxels(np.c_[np.zeros(len(grid), int), grid])
    (points,) = ax.collections
    x, y, z = points._offsets3d
    expect_equal(len(x), len(grid))
    expect_equal((min(x), max(z)), (0.5, 18.5))
    expect(len(np.unique(render(ax).reshape(-1, 3), axis=0)) > 10, "no colours")


def check_no_voxels():
    ax = plot.voxels(np.zeros((0, 4), int))
    expect_equal((ax.get_title(), len(ax.collections)), ("0 voxels", 0))
    render(ax)


def check_given_axes():
    figure = pyplot.figure()
    ax = figure.add_subplot(projection="3d")
    expect(plot.voxels(np.array([[0, 1, 2, 3]]), ax=ax) is ax)
    render(ax)


def check_bad_voxels():
    expect_error(ArgumentError, "(3, 3)", plot.voxels, np.zeros((3, 3), int))
    expect_error(ArgumentError, "(2,)", plot.voxels, np.zeros((3, 4), int), [1, 2])


def check_pairs():
    """Three voxels in a row: each has itself, and two have a neighbour on a side."""
    table = np.array([[-1, 0, 1], [0, 1, 2], [1, 2, -1]])
    ax = plot.pairs(table, window=(3,))
    expect_equal([bar.get_height() for bar in ax.patches], [2, 3, 2])
    expect_equal([label.get_text() for label in ax.get_xticklabels()], ["-1", "0", "1"])
    expect_equal(ax.get_title(), "7 pairs, 2.33 for each of 3 output rows")
    render(ax)
    ax = plot.pairs(np.zeros((0, 4), int), window=(2, 2))
    labels = [label.get_text() for label in ax.get_xticklabels()]
    expect_equal(labels, ["0, 0", "0, 1", "1, 0", "1, 1"])
    expect(ax.get_title().startswith("0 pairs, 0.00"))
    render(ax)
    expect_error(ArgumentError, "(3,)", plot.pairs, np.arange(3))
    expect_error(ArgumentError, "window of 3", plot.pairs, table, window=(3, 3))


def check_timeline_of_a_run():
    """What a run has measured: all of its kernels, from the first to the last."""
    kernels = plot.read_profile(PROFILE)
    names = {name for name, _, _ in kernels}
    expect({"kernel.search", "kernel.gather_gemm_scatter"} <= names, str(names))
    ax = plot.timeline(PROFILE)
    labels = " ".join(label.get_text() for label in ax.get_yticklabels())
    expect(all(name in labels for name in names), labels)
    total = 1e3 * sum(end - begin for _, begin, end in kernels)
    expect_equal(ax.get_title(), f"{len(kernels)} kernels, {plot._format_ms(total)}")
    render(ax)


def check_timeline_of_steps():
    """Steps as `Instance.profile` gives them; the kinds that take least are one line."""
    steps = [("conv", "sparseconv.conv", "net.mlir:1:2", 1.0, 1.5),
             ("sort", "", "", 1.5, 1.75), ("conv", "", "", 1.75, 2.0)]  # fmt: skip
    ax = plot.timeline(steps)
    lines = [[(box.x0, box.x1) for path in c.get_paths() for box in [path.get_extents()]]
             for c in ax.collections]  # fmt: skip
    expect_equal(lines, [[(0, 500), (750, 1000)], [(500, 750)]])
    labels = [label.get_text() for label in ax.get_yticklabels()]
    expect_equal(labels, ["conv\n750 ms, 75%", "sort\n250 ms, 25%"])
    render(ax)
    many = [(f"kind-{i}", float(i), i + 1.0 + (i < 5)) for i in range(20)]
    ax = plot.timeline(many)
    labels = [label.get_text().split("\n")[0] for label in ax.get_yticklabels()]
    expect_equal(len(labels), plot.MOST_LINES)
    expect_equal(labels[-1], "9 others")
    expect(ax.get_title().startswith("20 kernels"), ax.get_title())
    render(ax)


def check_bad_profiles():
    expect_error(ArgumentError, "found none", plot.timeline, [])
    expect_error(Error, "No such file", plot.timeline, "/nowhere.json")
    with tempfile.TemporaryDirectory() as folder:
        for content in ("{", "[]", "3", json.dumps({"traceEvents": [{"cat": "kernel"}]})):
            path = os.path.join(folder, "trace.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
            expect_error(Error, "expects a profile", plot.timeline, path)


def check_layer():
    """Two output rows of three offsets with 4 pairs, 8 to 16 channels in f16."""
    table = np.array([[-1, 0, 1], [0, 1, -1]], np.int32)
    layer = plot.Layer.conv("a", 1e-6, table, 2, np.zeros((3, 8, 16), np.float16))
    expect_equal(layer.operations, 2 * 4 * 8 * 16)
    expect_equal(layer.bytes, 2 * (2 * 8 + 2 * 16 + 3 * 8 * 16) + 4 * 6)
    expect_equal(layer.rate, layer.operations / 1e-6)
    expect_error(ArgumentError, "(4, 8, 16)", plot.Layer.conv, "a", 1.0, table, 2,
                 np.zeros((4, 8, 16)))  # fmt: skip
    # Two groups of 4 to 8 channels have half of the products.
    grouped = plot.Layer.conv("a", 1e-6, table, 2, np.zeros((3, 2, 4, 8), np.float16))
    expect_equal(grouped.operations, layer.operations / 2)
    expect_equal(grouped.bytes, 2 * (2 * 8 + 2 * 16 + 3 * 2 * 4 * 8) + 4 * 6)


def check_roofline():
    """One layer is bound by memory, at half of the roof, one by arithmetic."""
    layers = [plot.Layer("copy", 1e9, 1e9, 0.02), plot.Layer("gemm", 4e12, 1e10, 4.0)]
    ax = plot.roofline(layers, peak=2e12, bandwidth=1e11)
    roof, points = ax.lines
    expect_equal(sorted(roof.get_ydata())[-2:], [2000, 2000])
    expect_equal(list(points.get_xdata()), [1, 400])
    expect_equal(list(points.get_ydata()), [50, 1000])
    expect_equal([text.get_text() for text in ax.texts], ["copy (50%)", "gemm (50%)"])
    render(ax)
    expect_error(ArgumentError, "above 0", plot.roofline, [], 1.0, 1.0)
    expect_error(ArgumentError, "above 0", plot.roofline, layers, 0, 1.0)


def check_layers_of_a_run():
    """The README's network has one convolution, 4 to 32 channels in f32, from a set to
    itself: each row meets itself at least."""
    (layer,) = plot.read_layers(PROFILE)
    expect(".mlir:" in layer.name, layer.name)
    pairs, rest = divmod(layer.operations, 2 * 4 * 32)
    rows, rest_of_bytes = divmod(layer.bytes - 4 * 27 * 4 * 32, 4 * (4 + 32) + 4 * 27)
    expect_equal((rest, rest_of_bytes), (0, 0))
    expect(0 < rows < pairs < 27 * rows, f"{pairs} pairs of {rows} rows")
    kernels = plot.read_profile(PROFILE)
    expect(0 < layer.seconds < sum(end - begin for _, begin, end in kernels))
    render(plot.network(PROFILE, "H200"))


def check_layers_of_several_kernels():
    """Times are added up, work is that of the layer."""
    args = {"location": "net.mlir:1:2", "operations": 8e9, "bytes": 1e9}
    events = [{"name": "conv", "cat": "layer", "ts": 0, "dur": 1e6, "args": args},
              {"name": "pack", "cat": "layer", "ts": 1e6, "dur": 1e6, "args": {}},
              {"name": "conv", "cat": "layer", "ts": 2e6, "dur": 3e6, "args": args}]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        for content in (events, events[1:2]):
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"traceEvents": content}, file)
            if content is events:
                expect_equal(plot.read_layers(path), [plot.Layer("conv", 8e9, 1e9, 4.0)])
        expect_error(Error, "whose layers have work", plot.read_layers, path)


def check_network():
    """Layers from the longest on, below the roof of one type and the peaks of all."""
    layers = [plot.Layer("gemm", 4e12, 1e10, 3.0), plot.Layer("copy", 1e9, 1e11, 9.0)]
    device = plot.Device(1e11, {"f32": 2e12, "f16": 8e12})
    ax = plot.network(layers, device, "f32")
    roof, points, other = ax.lines[:3]
    expect_equal(sorted(roof.get_ydata())[-2:], [2000, 2000])
    expect_equal(list(points.get_xdata()), [0.01, 400])
    expect_equal(list(other.get_ydata()), [8000, 8000])
    texts = [text.get_text() for text in ax.texts]
    expect_equal(texts, ["1 (11%)", "2 (67%)", "f32", "f16"])
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    expect_equal(legend, ["1: copy, 75%", "2: gemm, 25%"])
    expect_equal(ax.get_title(), "2 layers, 12000 ms; the roof: 3000 ms (25%)")
    render(ax)
    expect_error(ArgumentError, "no device 'GTX'; there are: A100, H100, H200", plot.network,
                 layers, "GTX")  # fmt: skip
    expect_error(ArgumentError, "no peak of 'i8'; there are: f32, f16", plot.network,
                 layers, device, "i8")  # fmt: skip
    expect_error(ArgumentError, "above 0", plot.network, [], device)


def check_without_matplotlib():
    hidden = sys.modules["matplotlib"]
    shown = {name: sys.modules.pop(name) for name in list(sys.modules)
             if name.startswith("matplotlib.")}  # fmt: skip
    sys.modules["matplotlib"] = None
    try:
        expect_error(Error, "pip install matplotlib", plot.pairs, np.zeros((2, 3), int))
    finally:
        sys.modules["matplotlib"] = hidden
        sys.modules.update(shown)


checks = [value for name, value in list(globals().items()) if name.startswith("check_")]
for run in checks:
    run()
print(f"{len(checks)} checks passed")
