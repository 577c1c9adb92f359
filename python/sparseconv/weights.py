# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes seeded random weights for a network in IR.

    python3 -m sparseconv.weights minkunet42.mlir -o minkunet42.npz [--seed 1]

Values for every argument of floats with a static shape, by the name that it has
when the network is called: its `sparseconv.name`, or else that of the text. Weights
are normal with a deviation that keeps the features' size from layer to
layer, scales lie around 1, shifts and biases around 0. Each has the type of its
argument; a bf16 is a uint16 in Python, and two bytes without a type in the file,
as numpy has none.
"""

import argparse
import os
import re
import zipfile

import numpy as np

from . import files
from .arrays import convert
from .errors import ArgumentError, shorten

_DTYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}
# The arguments of a function that may be called, and one of them with its
# attributes.
_FUNCTION = re.compile(r"func\.func\s+(?:public\s+)?@[^(\s]+\(((?:[^()]|\([^()]*\))*)\)")
_ARGUMENT = re.compile(
    r"%([A-Za-z_$.-][\w$.-]*):\s*tensor<((?:\d+x)+)(f32|f16|bf16)>\s*(\{[^{}]*\})?")
_NAME = re.compile(r'sparseconv\.name = "([^"]+)"')


def make_weights(text, seed=0):
    """Arrays by name for the arguments of the module `text`. What is no such text, such as a
    path, is an ArgumentError."""
    if not isinstance(text, str) or not ("\n" in text or "func.func" in text):
        raise ArgumentError(
            f"make_weights: expects the text of a module, but found {shorten(repr(text))}")
    random = np.random.default_rng(seed)
    arrays = {}
    arguments = _ARGUMENT.findall("".join(_FUNCTION.findall(text)))
    for name, sizes, dtype, attributes in arguments:
        if given := _NAME.search(attributes):
            name = given[1]
        shape = tuple(int(size) for size in sizes.split("x") if size)
        if name.endswith(".conv1.scale"):
            # A residual block adds little to its shortcut.
            values = random.uniform(0.1, 0.3, shape)
        elif name.endswith(".scale"):
            values = random.uniform(0.8, 1.2, shape)
        elif len(shape) == 1:
            values = random.uniform(-0.1, 0.1, shape)
        else:
            # Coarse levels have about half of the neighbours that a box offers.
            neighbours = max(1.0, shape[0] / 2)
            values = random.normal(0, np.sqrt(2 / (neighbours * shape[-2])), shape)
        arrays[name] = convert(values.astype(np.float32), _DTYPES[dtype])
    return arrays


def save(path, arrays):
    """Writes an .npz file, from which `sparseconv-run` and `load` take weights. One that was
    there stays where it cannot be written."""
    marked = {
        name: array.view("V2") if array.dtype == np.uint16 else array
        for name, array in arrays.items()
    }
    # An open file, as numpy would add a suffix to a name.
    with files.replace(path) as output, zipfile.ZipFile(output, "w") as archive:
        for name, array in marked.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.asarray(array), allow_pickle=False)


def _read_seed(text):
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expects a number of 0 or more, but found '{text}'")
    return int(text)


def _read_output(path):
    # Other tools tell files apart by their names. A device or a pipe has none of its own.
    if not path.endswith(".npz") and (os.path.isfile(path) or not os.path.exists(path)):
        raise argparse.ArgumentTypeError(f"expects the name of an .npz file, but found '{path}'")
    return path


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="sparseconv.weights", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", help="IR file; - is standard input")
    parser.add_argument("-o", "--output", required=True, type=_read_output,
                        help=".npz file to write")
    parser.add_argument("--seed", type=_read_seed, default=0)
    options = parser.parse_args(arguments)

    def fail(message):
        parser.exit(2, f"{parser.prog}: error: {message}\n")

    try:
        is_stdin = options.module == "-"
        with open(0 if is_stdin else options.module, encoding="utf-8",
                  closefd=not is_stdin) as file:
            arrays = make_weights(file.read(), options.seed)
    except OSError as error:
        fail(f"{options.module}: {error.strerror}")
    except (UnicodeDecodeError, ArgumentError):
        fail(f"{options.module}: expects the text of a module")
    if not arrays:
        fail(f"{options.module}: no named argument of static shape")
    try:
        save(options.output, arrays)
    except OSError as error:
        fail(f"{options.output}: {error.strerror}")


if __name__ == "__main__":
    main()
