# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes well-known sparse networks as sparseconv IR.

    python3 -m sparseconv.networks minkunet42 > minkunet42.mlir
    python3 -m sparseconv.networks resnet21d --dtype f16 -o resnet21d.mlir
    python3 -m sparseconv.networks resnet21d --norm batch -o training.mlir

Networks: minkunet42 (MinkUNet-42: 42 convolutions and 7 pointwise shortcuts),
resnet21d (SparseResNet21D, 21 convolutions), second and centerpoint (the middle
encoders of these detectors, 14 and 21 convolutions) and spconvbench (the layers of
spconv's own benchmark: submanifold pairs with max pooling, no norm).

The strided convolutions of second and centerpoint reach every voxel that a window
covers, as spconv's do. A scan has no borders here, where a detector pads its grid.

With --dtype tf32 features are f32, and convolutions may round what they multiply
to tf32.

Batch norm is folded to one scale and one shift per channel, as at inference; with
--norm batch it subtracts the mean of all rows and divides by their standard deviation
first, as in training. Every weight is an argument with a name; `sparseconv.weights`
makes values for them.
"""

import argparse
import math
import sys

from . import files
from .errors import ArgumentError
from .row_functions import elementwise, standardise

DTYPES, NORMS = ("f32", "tf32", "f16", "bf16"), ("folded", "batch")
PACKING = "<i64, batch = 8, bits = [20, 20, 16], guard = [64, 64, 64]>"


class Value:
    """An SSA value with its number of channels and its level of stride."""

    def __init__(self, name, channels=None, level=None):
        self.name, self.channels, self.level = name, channels, level


class Network:
    """Collects the body, the arguments and the helpers of one function."""

    def __init__(self, name, title, dtype, in_channels, norm="folded"):
        for what, found, known in (("dtype", dtype, DTYPES), ("norm", norm, NORMS)):
            if found not in known:
                raise ArgumentError(
                    f"{what}: expects one of {', '.join(known)}, but found {found!r}")
        self.name, self.title, self.precision, self.norm_kind = name, title, dtype, norm
        self.permission = " tf32 = allowed" if dtype == "tf32" else ""
        self.dtype = dtype = "f32" if dtype == "tf32" else dtype
        self.arguments = [
            ("points", "tensor<?x4xi32>"),
            ("features", f"tensor<?x{in_channels}x{dtype}>"),
        ]
        self.body, self.helpers, self.aliases = [], {}, {}
        self.sets, self.maps, self.count = [], {}, 0
        coords = self.set_type((1, 1, 1))
        self.emit("%set0, %order, %row_of = sparseconv.pack %points "
                  f": tensor<?x4xi32> -> {coords}")
        self.sets.append((1, 1, 1))
        x = self.emit_value(
            f"sparseconv.gather %features, %order : tensor<?x{in_channels}x{dtype}>, "
            f"tensor<?xi32> -> {self.rows(in_channels)}")
        self.input = Value(x, in_channels, 0)

    # -- text ---------------------------------------------------------------

    def emit(self, line=""):
        self.body.append(("    " + line).rstrip())

    def emit_value(self, text):
        name = f"%{self.count}"
        self.count += 1
        self.emit(f"{name} = {text}")
        return name

    def comment(self, text):
        self.emit()
        self.emit(f"// {text}")

    def rows(self, channels):
        return f"tensor<?x{channels}x{self.dtype}>"

    def argument(self, name, type_):
        self.arguments.append((name, type_))
        return "%" + name.replace(".", "_")

    def set_type(self, stride):
        alias = "!set_" + "_".join(map(str, stride))
        self.aliases[alias] = (f"!sparseconv.coords<3, stride = [{', '.join(map(str, stride))}], "
                               "#packing>")
        return alias

    def map_type(self, volume, source, target):
        alias = f"!map{volume}_{source}_{target}"
        self.aliases[alias] = (f"!sparseconv.kernel_map<{volume}, "
                               f"{self.set_type(self.sets[source])} to "
                               f"{self.set_type(self.sets[target])}>")
        return alias

    # -- indexing -----------------------------------------------------------

    def downsample(self, by, window=None):
        """A new level at the floor of the last one, or of what a window covers."""
        level = len(self.sets)
        stride = tuple(s * b for s, b in zip(self.sets[-1], by))
        rule = f" cover offsets(box<{', '.join(map(str, window))}>)" if window else ""
        self.emit(f"%set{level} = sparseconv.downsample %set{level - 1} by "
                  f"[{', '.join(map(str, by))}]{rule} : {self.set_type(self.sets[-1])} -> "
                  f"{self.set_type(stride)}")
        self.sets.append(stride)
        return level

    def kernel_map(self, source, target, size):
        """Sizes are numbers, or "corner N" for offsets that begin at 0."""
        key = (source, target, size)
        if key not in self.maps:
            volume = math.prod(int(str(n).split()[-1]) for n in size)
            title = "x".join(str(n).replace("corner ", "c") for n in size)
            name = f"%map{title}_{source}_{target}"
            self.emit(f"{name} = sparseconv.kernel_map %set{source} to %set{target} "
                      f"offsets(box<{', '.join(map(str, size))}>) : "
                      f"{self.map_type(volume, source, target)}")
            self.maps[key] = (name, volume)
        return self.maps[key]

    def transposed_map(self, source, target, size):
        """The map of a downsampling `target` -> `source`, sides swapped."""
        name, volume = self.kernel_map(target, source, size)
        back = f"%up{source}_{target}"
        self.emit(f"{back} = sparseconv.transpose_map {name} : "
                  f"{self.map_type(volume, target, source)} -> "
                  f"{self.map_type(volume, source, target)}")
        return back, volume

    # -- layers -------------------------------------------------------------

    def conv(self, x, channels, map_, target, name):
        map_name, volume = map_
        weights = f"tensor<{volume}x{x.channels}x{channels}x{self.dtype}>"
        w = self.argument(f"{name}.weight", weights)
        y = self.emit_value(
            f"sparseconv.conv {x.name}, {w}, {map_name}{self.permission} : "
            f"{self.rows(x.channels)}, {weights}, {self.map_type(volume, x.level, target)} -> {self.rows(channels)}")
        return Value(y, channels, target)

    def call(self, helper, x, *others):
        """Calls the elementwise helper, written once for each channel count."""
        function = f"{helper}_{x.channels}"
        self.helpers[function] = (helper, x.channels)
        types = [self.rows(x.channels)]
        names = [x.name]
        for name, type_ in others:
            names.append(name)
            types.append(type_)
        y = self.emit_value(f"call @{function}({', '.join(names)}) : "
                            f"({', '.join(types)}) -> {self.rows(x.channels)}")
        return Value(y, x.channels, x.level)

    def norm(self, x, name, relu=True):
        vector = f"tensor<{x.channels}x{self.dtype}>"
        scale = self.argument(f"{name}.scale", vector)
        shift = self.argument(f"{name}.shift", vector)
        if self.norm_kind == "batch":
            x = self.call("standardise", x)
        return self.call("norm_relu" if relu else "norm", x, (scale, vector), (shift, vector))

    def conv_norm_relu(self, x, channels, name, size=(3, 3, 3), target=None, map_=None):
        target = x.level if target is None else target
        map_ = map_ or self.kernel_map(x.level, target, size)
        return self.norm(self.conv(x, channels, map_, target, name), name)

    def residual(self, x, channels, name):
        """Two 3x3x3 convolutions and a shortcut, pointwise where widths differ."""
        y = self.conv_norm_relu(x, channels, f"{name}.conv0")
        map_ = self.kernel_map(x.level, x.level, (3, 3, 3))
        y = self.norm(self.conv(y, channels, map_, x.level, f"{name}.conv1"), f"{name}.conv1",
                      relu=False)
        shortcut = x
        if x.channels != channels:
            point = self.kernel_map(x.level, x.level, (1, 1, 1))
            shortcut = self.norm(self.conv(x, channels, point, x.level, f"{name}.shortcut"),
                                 f"{name}.shortcut", relu=False)
        return self.call("add_relu", y, (shortcut.name, self.rows(channels)))

    def concat(self, x, y):
        channels = x.channels + y.channels
        name = self.emit_value(
            f"tensor.concat dim(1) {x.name}, {y.name} : ({self.rows(x.channels)}, "
            f"{self.rows(y.channels)}) -> {self.rows(channels)}")
        return Value(name, channels, x.level)

    def max_pool(self, x, size):
        level = self.downsample(size)
        name, volume = self.kernel_map(x.level, level, size)
        y = self.emit_value(f"sparseconv.pool max {x.name}, {name} : {self.rows(x.channels)}, "
                            f"{self.map_type(volume, x.level, level)} -> "
                            f"{self.rows(x.channels)}")
        return Value(y, x.channels, level)

    def classify(self, x, classes, name):
        """A pointwise layer with its bias fused as an epilogue."""
        map_name, volume = self.kernel_map(x.level, x.level, (1, 1, 1))
        weights = f"tensor<1x{x.channels}x{classes}x{self.dtype}>"
        bias_type = f"tensor<{classes}x{self.dtype}>"
        w = self.argument(f"{name}.weight", weights)
        bias = self.argument(f"{name}.bias", bias_type)
        y = f"%{self.count}"
        self.count += 1
        self.emit(f"{y} = sparseconv.conv {x.name}, {w}, {map_name}{self.permission} "
                  f"epilogue({bias} : {bias_type}) {{")
        self.emit(f"^bb0(%acc: f32, %b: {self.dtype}):")
        b = "%b"
        if self.dtype != "f32":
            self.emit(f"  %wide = arith.extf %b : {self.dtype} to f32")
            b = "%wide"
        self.emit(f"  %sum = arith.addf %acc, {b} : f32")
        self.emit("  sparseconv.yield %sum : f32")
        self.emit(f"}} : {self.rows(x.channels)}, {weights}, "
                  f"{self.map_type(volume, x.level, x.level)} -> {self.rows(classes)}")
        return Value(y, classes, x.level)

    # -- the file -----------------------------------------------------------

    def finish(self, x):
        self.comment("The features of the last set, and its coordinates.")
        coords = self.set_type(self.sets[x.level])
        self.emit(f"%coordinates = sparseconv.unpack %set{x.level} : {coords} -> "
                  "tensor<?x4xi32>")
        self.emit(f"return {x.name}, %coordinates : {self.rows(x.channels)}, tensor<?x4xi32>")
        norm = "" if self.norm_kind == "folded" else f" --norm {self.norm_kind}"
        lines = [f"// {self.title}", "// Written by: python3 -m sparseconv.networks "
                 f"{self.name} --dtype {self.precision}{norm}", "", f"#packing = #sparseconv.packing{PACKING}"]
        lines += [f"{alias} = {text}" for alias, text in self.aliases.items()]
        lines += ["", "module {", f"  func.func @{self.name}("]
        for i, (name, type_) in enumerate(self.arguments):
            end = "," if i + 1 < len(self.arguments) else ")"
            lines.append(f"      %{name.replace('.', '_')}: {type_} "
                         f'{{sparseconv.name = "{name}"}}{end}')
        lines.append(f"      -> ({self.rows(x.channels)} {{sparseconv.name = \"features\"}}, "
                     "tensor<?x4xi32> {sparseconv.name = \"coordinates\"}) {")
        lines += self.body
        lines.append("  }")
        for function, (helper, channels) in sorted(self.helpers.items()):
            write = standardise if helper == "standardise" else elementwise
            lines += [""] + write(function, helper, channels, self.dtype)
        lines.append("}")
        return "\n".join(lines) + "\n"


def minkunet42(dtype, norm="folded", width=1.0, classes=20):
    def scaled(channels):
        return int(channels * width)

    net = Network("minkunet42", "MinkUNet-42: a U-Net for the labels of a LiDAR sweep.", dtype, 4,
                  norm)
    net.comment("Stem.")
    x = net.conv_norm_relu(net.input, scaled(32), "stem.0")
    x = net.conv_norm_relu(x, scaled(32), "stem.1")
    skips = []
    for stage, channels in enumerate([32, 64, 128, 256]):
        net.comment(f"Encoder {stage}: half the resolution, {scaled(channels)} channels.")
        skips.append(x)
        level = net.downsample((2, 2, 2))
        x = net.conv_norm_relu(x, x.channels, f"encoder.{stage}.down", (2, 2, 2), level)
        x = net.residual(x, scaled(channels), f"encoder.{stage}.block0")
        x = net.residual(x, scaled(channels), f"encoder.{stage}.block1")
    for stage, channels in enumerate([256, 128, 96, 96]):
        net.comment(f"Decoder {stage}: twice the resolution, {scaled(channels)} channels.")
        skip = skips.pop()
        map_ = net.transposed_map(x.level, skip.level, (2, 2, 2))
        x = net.conv_norm_relu(x, scaled(channels), f"decoder.{stage}.up", target=skip.level,
                               map_=map_)
        x = net.concat(x, skip)
        x = net.residual(x, scaled(channels), f"decoder.{stage}.block0")
        x = net.residual(x, scaled(channels), f"decoder.{stage}.block1")
    net.comment("Head.")
    return net.finish(net.classify(x, classes, "head"))


def resnet21d(dtype, norm="folded"):
    net = Network("resnet21d", "SparseResNet21D: the encoder of a LiDAR detector.", dtype, 4, norm)
    x = net.input
    for stage, channels in enumerate([16, 32, 64, 128]):
        net.comment(f"Stage {stage}: {channels} channels.")
        level = net.downsample((2, 2, 2)) if stage else 0
        x = net.conv_norm_relu(x, channels, f"stage.{stage}.conv", target=level)
        x = net.residual(x, channels, f"stage.{stage}.block0")
        x = net.residual(x, channels, f"stage.{stage}.block1")
    net.comment("Flattens the last axis.")
    level = net.downsample((1, 1, 2))
    return net.finish(net.conv_norm_relu(x, 128, "out", (1, 1, 3), level))


def detector(name, title, dtype, norm, channels, stages):
    """A middle encoder: a submanifold stage, then at each stage a strided convolution
    that covers and what `stages` adds behind it, as a list of functions of the network,
    its features, a number of channels and a name."""
    net = Network(name, title, dtype, 4, norm)
    x = net.conv_norm_relu(net.input, channels[0], "input")
    # The last of the strided stages has no padding on the last axis.
    window, bare = (3, 3, 3), (3, 3, "corner 3")
    for stage, (width, layers) in enumerate(zip(channels, stages)):
        net.comment(f"Stage {stage}: {width} channels.")
        if stage:
            size = bare if stage + 1 == len(stages) else window
            level = net.downsample((2, 2, 2), size)
            x = net.conv_norm_relu(x, width, f"stage.{stage}.down", size, level)
        for i, layer in enumerate(layers):
            x = layer(net, x, width, f"stage.{stage}.{i}")
    net.comment("Flattens the last axis.")
    size = (1, 1, "corner 3")
    level = net.downsample((1, 1, 2), size)
    return net.finish(net.conv_norm_relu(x, channels[-1], "out", size, level))


def second(dtype, norm="folded"):
    layer = Network.conv_norm_relu
    return detector("second", "SECOND's middle encoder: convolutions that cover at each level.",
                    dtype, norm, (16, 32, 64, 64), ([layer], [layer] * 2, [layer] * 3, [layer] * 3))


def centerpoint(dtype, norm="folded"):
    return detector("centerpoint", "CenterPoint's middle encoder: residual blocks, and "
                    "convolutions that cover at each level.",
                    dtype, norm, (16, 32, 64, 128), [[Network.residual] * 2] * 4)


def spconvbench(dtype, norm="folded"):
    net = Network("spconvbench", "The layers of spconv's benchmark network.", dtype, 3, norm)
    x = net.input
    widths = [64, 96, 128, 160, 192, 224, 256]
    for stage, channels in enumerate(widths):
        net.comment(f"Pair {stage}: {channels} channels.")
        for layer in range(2):
            map_ = net.kernel_map(x.level, x.level, (3, 3, 3))
            x = net.conv(x, channels, map_, x.level, f"pair.{stage}.conv{layer}")
        if stage + 1 < len(widths):
            x = net.max_pool(x, (2, 2, 2))
    return net.finish(x)


NETWORKS = {"minkunet42": minkunet42, "resnet21d": resnet21d, "second": second,
            "centerpoint": centerpoint, "spconvbench": spconvbench}


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="sparseconv.networks", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", choices=sorted(NETWORKS))
    parser.add_argument("--dtype", choices=DTYPES, default="f32")
    parser.add_argument("--norm", choices=NORMS, default="folded")
    parser.add_argument("-o", "--output", help="file to write (default: standard output)")
    options = parser.parse_args(arguments)
    text = NETWORKS[options.network](options.dtype, options.norm)
    try:
        if options.output not in (None, "-"):
            files.write(options.output, text.encode())
        else:
            sys.stdout.write(text)
            sys.stdout.flush()
    except OSError as error:
        where = options.output
        if where in (None, "-"):
            sys.stdout = None  # or the interpreter tries again, and says so, when it ends
            where = "standard output"
        parser.exit(2, f"{parser.prog}: error: {where}: {error.strerror}\n")


if __name__ == "__main__":
    main()
