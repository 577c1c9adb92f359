# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of voxels, kernel maps and times, with matplotlib.

    import sparseconv.plot
    sparseconv.plot.voxels(coordinates).figure.savefig("voxels.png")

`voxels` shows a coordinate set, `pairs` how many pairs of rows each offset of a
kernel map has, `timeline` when the kernels of a profiled run were busy, `roofline`
how far layers are from what a device can do, and `network` the same of all layers of
a profiled network. Each draws into `ax`, or
into a figure of its own, and returns the axes. Arguments are numpy arrays, or
tensors of torch on any device.

Needs matplotlib 3.5 or later, which the rest of the package does without.
"""

import collections
import dataclasses
import itertools
import json
import os

import numpy as np

from .errors import ArgumentError, Error

__all__ = [
    "Device", "Layer", "network", "pairs", "read_layers", "read_profile", "roofline", "timeline",
    "voxels",
]  # fmt: skip

#: Sets of more voxels than this are drawn as points, not as cubes.
MOST_CUBES = 6000
#: Kinds of kernels that a timeline has a line for; the others share one.
MOST_LINES = 12
#: Layers of a network whose names a roofline has.
MOST_NAMES = 10


def _make_axes(ax, size, **options):
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise Error(
            f"sparseconv.plot needs matplotlib, which cannot be imported ({error}); "
            "install it with: pip install matplotlib"
        ) from error
    return pyplot.figure(figsize=size, layout="constrained").add_subplot(**options)


def _to_numpy(array):
    """Of a tensor of torch that may be on a GPU, too, or of a type that numpy has not."""
    if hasattr(array, "detach"):
        array = array.detach().cpu()
        array = array.float() if str(array.dtype) == "torch.bfloat16" else array
    return np.asarray(array)


# Voxels ----------------------------------------------------------------------

# Each side of a cube: where its neighbour lies, its corners, and how bright it is.
_SIDES = (
    ((0, 0, 1), ((0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)), 1.0),
    ((0, 0, -1), ((0, 0, 0), (0, 1, 0), (1, 1, 0), (1, 0, 0)), 0.5),
    ((0, 1, 0), ((0, 1, 0), (0, 1, 1), (1, 1, 1), (1, 1, 0)), 0.65),
    ((0, -1, 0), ((0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)), 0.8),
    ((1, 0, 0), ((1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 1)), 0.9),
    ((-1, 0, 0), ((0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0)), 0.6),
)


def voxels(coordinates, values=None, *, batch=0, stride=1, colormap="viridis", ax=None):
    """Draws the voxels of a set, or of a scan, in three dimensions.

    coordinates  integers [rows, 4]: a batch index, then x, y and z
    values       numbers [rows] that give the colours; by default z
    batch        the item of the batch that is drawn
    stride       the size of a voxel in units of the coordinates: that of the set
    colormap     the name of one of matplotlib's colour maps
    ax           axes in three dimensions to draw into

    Sets of at most 6000 voxels are drawn as cubes, larger ones as points. Another
    shape of an argument is an `ArgumentError`, and a set without voxels in that
    item of the batch gives axes without voxels.

        coordinates = numpy.array([[0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 1]])
        ax = sparseconv.plot.voxels(coordinates)
        ax.figure.savefig("voxels.png")
    """
    coordinates = _to_numpy(coordinates)
    if coordinates.ndim != 2 or coordinates.shape[1] != 4:
        raise ArgumentError(
            "expects coordinates [rows, 4], a batch index and three axes, but found "
            f"the shape {coordinates.shape}"
        )
    values = coordinates[:, 3] if values is None else _to_numpy(values)
    if values.shape != coordinates.shape[:1]:
        raise ArgumentError(
            f"expects one value for each of the {len(coordinates)} voxels, but found "
            f"the shape {values.shape}"
        )
    ax = _make_axes(ax, (7, 5.5), projection="3d")
    kept = coordinates[:, 0] == batch
    places, values = coordinates[kept, 1:], values[kept].astype(float)
    ax.set(xlabel="x", ylabel="y", zlabel="z")
    ax.set_title(f"{len(places)} voxels")
    if not len(places):
        return ax
    low, high = places.min(axis=0), places.max(axis=0) + stride
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    ax.set_box_aspect(high - low)
    for axis, extent in zip("xyz", high - low):  # a flat scene has no room for many
        ax.locator_params(axis=axis, nbins=max(2, round(8 * extent / max(high - low))))
    from matplotlib import cm, colors

    shades = cm.ScalarMappable(colors.Normalize(), colormap).to_rgba(values)
    if len(places) > MOST_CUBES:
        points = 72 * min(ax.figure.get_size_inches()) * stride / max(high - low)
        ax.scatter(*(places + stride / 2).T, c=shades, s=max(0.4, points) ** 2,
                   marker="s", linewidths=0, depthshade=False)  # fmt: skip
        return ax
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    faces, colours = _make_faces(places, shades, stride)
    edges = "black" if len(places) < 500 else "none"
    ax.add_collection3d(Poly3DCollection(faces, facecolors=colours, edgecolors=edges,
                                         linewidths=0.3))  # fmt: skip
    return ax


def _make_faces(places, shades, stride):
    """The sides of cubes that no other cube hides, and their colours."""
    taken = set(map(tuple, places.tolist()))
    faces, colours = [], []
    for neighbour, corners, light in _SIDES:
        shifted = places + np.array(neighbour) * stride
        open_ = np.array([tuple(place) not in taken for place in shifted.tolist()])
        faces.append(places[open_, None, :] + np.array(corners) * stride)
        colours.append(shades[open_] * (light, light, light, 1))
    return np.concatenate(faces), np.concatenate(colours)


# Kernel maps -----------------------------------------------------------------


def pairs(table, window=None, *, ax=None):
    """Draws how many pairs of rows each offset of a kernel map has.

    table   integers [rows, offsets], as `sparseconv.neighbour_table` gives them:
            the input row that an output row meets under an offset, or -1
    window  the sizes of a box of offsets as in IR, `box<3, 3, 3>`: (3, 3, 3); the bars
            then have the offsets as their names
    ax      axes to draw into

    The title has the number of all pairs and how many there are for each output
    row. A table of another shape, or a window that has not as many offsets as the
    table, is an `ArgumentError`.

        table = numpy.array([[-1, 0, 1], [0, 1, -1]])    # two voxels in a row
        ax = sparseconv.plot.pairs(table, window=(3,))
        print([bar.get_height() for bar in ax.patches])  # 1, 2 and 1
    """
    table = _to_numpy(table)
    if table.ndim != 2:
        raise ArgumentError(
            f"expects a table [rows, offsets], but found the shape {table.shape}"
        )
    rows, volume = table.shape
    names = list(range(volume))
    if window is not None:
        ranges = [range(-((size - 1) // 2), size // 2 + 1) for size in window]
        names = [", ".join(map(str, offset)) for offset in itertools.product(*ranges)]
        if len(names) != volume:
            raise ArgumentError(
                f"expects a window of {volume} offsets, as the table has, but found "
                f"{tuple(window)} with {len(names)}"
            )
    counts = np.count_nonzero(table >= 0, axis=0)
    ax = _make_axes(ax, (8, 4))
    ax.bar(range(volume), counts)
    ax.margins(x=0.01)
    if volume <= 32:
        ax.set_xticks(range(volume), names, rotation=90 if window is not None else 0)
    ax.set(xlabel="offset", ylabel="pairs of rows")
    total = int(counts.sum())
    ax.set_title(f"{total} pairs, {total / max(rows, 1):.2f} for each of {rows} output rows")
    return ax


# Times -----------------------------------------------------------------------


def _read_events(path, category):
    """The events of a category in a file that `sparseconv-run --profile` has written."""
    try:
        with open(path, encoding="utf-8") as file:
            events = [e for e in json.load(file)["traceEvents"] if e.get("cat") == category]
        for event in events:
            if not {"name", "ts", "dur", "args"} <= event.keys():
                raise KeyError
        return events
    except OSError as error:
        raise Error(f"{path}: {error.strerror}", "SPARSECONV_FILE_ERROR") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Error(
            f"{path}: expects a profile that sparseconv-run has written", "SPARSECONV_FILE_ERROR"
        ) from error


def read_profile(path):
    """The kernels in a file that `sparseconv-run --profile` has written: tuples of
    name, begin and end, in seconds. A file that is none of these is an `Error`.

        kernels = sparseconv.plot.read_profile("trace.json")
        print(sum(end - begin for name, begin, end in kernels))
    """
    return [
        (event["name"], event["ts"] * 1e-6, (event["ts"] + event["dur"]) * 1e-6)
        for event in _read_events(path, "kernel")
    ]


def _format_ms(time):
    return f"{time:.0f} ms" if time >= 100 else f"{time:.3g} ms"


def timeline(profile, *, ax=None):
    """Draws when each kind of kernel was busy in a profiled run.

    profile  the path of a file that `sparseconv-run --profile` has written, or a
             list of tuples: a name first, begin and end in seconds last, such as
             `runtime.Instance.profile` and `read_profile` give
    ax       axes to draw into

    Kinds are lines, the one that takes most of the time on top, with its time and
    its share; the least of more than 12 are one line. A profile without kernels
    is an `ArgumentError`, a file that cannot be read an `Error`.

        ax = sparseconv.plot.timeline("trace.json")
        ax.figure.savefig("timeline.png")
    """
    kernels = read_profile(profile) if isinstance(profile, (str, os.PathLike)) else profile
    spans = collections.defaultdict(list)
    for name, *_, begin, end in kernels:
        spans[name].append((begin * 1e3, (end - begin) * 1e3))
    if not spans:
        raise ArgumentError("expects a profile with kernels, but found none")
    ax = _make_axes(ax, (9, 4))
    start = min(begin for group in spans.values() for begin, _ in group)
    sums = {name: sum(time for _, time in group) for name, group in spans.items()}
    names = sorted(spans, key=lambda name: -sums[name])
    if len(names) > MOST_LINES:
        names, rest = names[: MOST_LINES - 1], names[MOST_LINES - 1 :]
        other = f"{len(rest)} others"
        spans[other] = [span for name in rest for span in spans[name]]
        sums[other] = sum(sums[name] for name in rest)
        names.append(other)
    total = sum(sums[name] for name in names)
    for line, name in enumerate(names):
        group = [(begin - start, time) for begin, time in spans[name]]
        ax.broken_barh(group, (line - 0.4, 0.8), facecolors=f"C{line % 10}")
    labels = [
        f"{name}\n{_format_ms(sums[name])}, {sums[name] / total:.0%}" if total else name
        for name in names
    ]
    ax.set_yticks(range(len(names)), labels, fontsize="small")
    ax.invert_yaxis()
    ax.set(xlabel="ms since the first kernel began")
    count = sum(len(group) for group in spans.values())
    if len(sums) > len(names):
        count -= len(spans[names[-1]])  # those of the last line are there twice
    ax.set_title(f"{count} kernels, {_format_ms(total)}")
    return ax


# Rooflines -------------------------------------------------------------------


@dataclasses.dataclass
class Layer:
    """What a roofline shows of a layer.

    name        how it is called in the picture
    operations  the number of its floating point operations
    bytes       the bytes that it has to move at least
    seconds     its time

        layer = sparseconv.plot.Layer("stem", operations=2e9, bytes=5e7, seconds=2e-3)
        print(layer.intensity, layer.rate)
    """

    name: str
    operations: float
    bytes: float
    seconds: float

    @classmethod
    def conv(cls, name, seconds, table, num_in, weights):
        """A convolution of a time, from its kernel map and its weights.

        table    integers [output rows, offsets], -1 where there is no pair
        num_in   the number of input rows
        weights  the array [offsets, channels in, channels out], or
                 [offsets, groups, channels in / groups, channels out / groups]

        Only pairs that exist count as work, a multiplication and an addition for
        each pair of channels. The bytes are those of both features, in the type
        of the weights, of the weights and of the table, each read or written once.
        Arrays of other shapes are an `ArgumentError`.

            layer = Layer.conv("stem", 2e-3, table, len(features), weights)
        """
        weights = weights if hasattr(weights, "itemsize") else np.asarray(weights)
        table, shape = _to_numpy(table), tuple(weights.shape)
        if table.ndim != 2 or len(shape) not in (3, 4) or table.shape[1] != shape[0]:
            raise ArgumentError(
                "expects a table [rows, offsets] and weights [offsets, in, out], or with "
                f"groups behind the offsets, but found the shapes {table.shape} and {shape}"
            )
        volume, (channels, features) = shape[0], shape[-2:]
        groups = shape[1] if len(shape) == 4 else 1
        count = int(np.count_nonzero(table >= 0))
        products = groups * channels * features
        moved = groups * (num_in * channels + len(table) * features) + volume * products
        return cls(name, 2.0 * count * products,
                   float(moved * weights.itemsize + 4 * table.size), seconds)  # fmt: skip

    @property
    def intensity(self):
        """Floating point operations for each byte that is moved."""
        return self.operations / self.bytes

    @property
    def rate(self):
        """Floating point operations in a second."""
        return self.operations / self.seconds


@dataclasses.dataclass
class Device:
    """What a device can do at most.

    bandwidth  bytes in a second, to and from its memory
    peaks      floating point operations in a second by the name of their type

    `DEVICES` has "A100", "H100" and "H200" by these names, as their makers' data sheets
    have them, without sparsity.

        laptop = sparseconv.plot.Device(60e9, {"f32": 1.5e12})
    """

    bandwidth: float
    peaks: dict


#: Devices by name, by their makers' data sheets, without sparsity.
DEVICES = {
    "A100": Device(2.04e12, {"f16": 312e12, "tf32": 156e12, "f32": 19.5e12}),
    "H100": Device(3.35e12, {"f16": 989e12, "tf32": 494e12, "f32": 67e12}),
    "H200": Device(4.8e12, {"f16": 989e12, "tf32": 494e12, "f32": 67e12}),
}


def read_layers(path):
    """The `Layer`s in a file that `sparseconv-run net.mlir --profile` has written: the
    convolutions and their gradients, in the order of their first kernels. A layer with
    several kernels has the sum of their times. A file that is none, or that has no
    layers with work, as that of a plan, is an `Error`.

        for layer in sparseconv.plot.read_layers("trace.json"):
            print(layer.name, layer.rate)
    """
    layers = {}
    for event in _read_events(path, "layer"):
        work = event["args"]
        if "operations" in work:
            layer = layers.setdefault(
                event["name"], Layer(event["name"], work["operations"], work["bytes"], 0.0)
            )
            layer.seconds += event["dur"] * 1e-6
    if not layers:
        raise Error(f"{path}: expects a profile of a network, whose layers have work")
    return list(layers.values())


def network(profile, device, dtype="f16", *, ax=None):
    """Draws all layers of a profiled network below what a device can do at most.

    profile  the path of a file that `sparseconv-run net.mlir --profile` has written, or
             `Layer`s
    device   a `Device`, or the name of one: "A100", "H100" or "H200"
    dtype    the type whose peak bounds the layers: "f16", also for bf16, "tf32" or "f32"
    ax       axes to draw into

    Layers are points that are numbered from the largest share of the time on; the legend
    has the first ten with their shares of the time. The device's other peaks are dashed
    lines. The title has the time of all layers and how much of it the roof would take.
    A device or type that is not known is an `ArgumentError`, a file that cannot be read
    an `Error`.

        ax = sparseconv.plot.network("trace.json", "H200")
        ax.figure.savefig("roofline.png")
    """
    if isinstance(device, str) and device not in DEVICES:
        raise ArgumentError(f"no device '{device}'; there are: {', '.join(DEVICES)}")
    device = DEVICES[device] if isinstance(device, str) else device
    if dtype not in device.peaks:
        raise ArgumentError(f"no peak of '{dtype}'; there are: {', '.join(device.peaks)}")
    layers = read_layers(profile) if isinstance(profile, (str, os.PathLike)) else list(profile)
    layers = sorted(layers, key=lambda layer: -layer.seconds)
    peak = device.peaks[dtype]
    names = [str(number) for number in range(1, len(layers) + 1)]
    numbered = [dataclasses.replace(layer, name=n) for layer, n in zip(layers, names)]
    ax = roofline(numbered, peak, device.bandwidth, ax=ax)
    for name, other in device.peaks.items():
        if name != dtype:
            ax.axhline(other / 1e9, color="gray", linewidth=1, linestyle="--")
        ax.annotate(name, (1, other / 1e9), xycoords=ax.get_yaxis_transform(), ha="right",
                    va="bottom", fontsize="small", color="gray")  # fmt: skip
    total = sum(layer.seconds for layer in layers)
    for name, layer in list(zip(names, layers))[:MOST_NAMES]:
        ax.plot([], [], " ", label=f"{name}: {layer.name}, {layer.seconds / total:.0%}")
    ax.legend(fontsize="x-small", loc="lower right", handlelength=0)
    times = (max(e.operations / peak, e.bytes / device.bandwidth) for e in layers)
    least = sum(times)
    ax.set_title(f"{len(layers)} layers, {_format_ms(1e3 * total)}; the roof: "
                 f"{_format_ms(1e3 * least)} ({least / total:.0%})")  # fmt: skip
    return ax


def roofline(layers, peak, bandwidth, *, ax=None, **style):
    """Draws the rates of layers below what a device can do at most.

    layers     `Layer`s
    peak       operations in a second at most
    bandwidth  bytes in a second at most
    ax         axes to draw into; with those of a roofline, layers are added to it
    style      options of matplotlib's `plot` for the layers, such as `label`

    Layers left of the roof's bend are bound by memory, those right of it by
    arithmetic. No layers, and numbers that are not positive, are an
    `ArgumentError`.

        layer = sparseconv.plot.Layer("stem", operations=2e9, bytes=5e7, seconds=2e-3)
        ax = sparseconv.plot.roofline([layer], peak=3e12, bandwidth=2e11)
    """
    layers = list(layers)
    numbers = [peak, bandwidth]
    numbers += [n for layer in layers for n in (layer.operations, layer.bytes, layer.seconds)]
    if not layers or not all(number > 0 for number in numbers):
        raise ArgumentError(
            "expects layers with operations, bytes and seconds above 0, and a peak and "
            "a bandwidth above 0"
        )
    ax = _make_axes(ax, (7, 4.5))
    bend = peak / bandwidth
    found = [layer.intensity for layer in layers]
    low, high = min(found + [bend]) / 2, max(found + [bend]) * 2
    xs = np.array([low, bend, high])
    ax.loglog(xs, np.minimum(xs * bandwidth, peak) / 1e9, color="gray", linewidth=1)
    style = {"marker": "o", "linestyle": "none", **style}
    ax.plot(found, [layer.rate / 1e9 for layer in layers], **style)
    for layer in layers:
        share = layer.rate / min(peak, layer.intensity * bandwidth)
        ax.annotate(f"{layer.name} ({share:.0%})", (layer.intensity, layer.rate / 1e9),
                    xytext=(5, -9), textcoords="offset points", fontsize="small")  # fmt: skip
    ax.set(xlabel="operations per byte", ylabel="GFLOP/s")
    ax.grid(True, which="major", alpha=0.3)
    ax.set_title("in brackets: share of what the roof allows")
    return ax
