# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles networks of sparse convolutions from their IR and runs them.

    import sparseconv
    net = sparseconv.compile("net.mlir", target="cuda")     # or target="cpu"
    print(net.main)                                          # what it takes
    features = net.main(points, x, weights)

`compile` takes the text of a module or the path of a file, `load` a plan that a
compiler wrote. Arguments are numpy arrays, or on a GPU whatever offers DLPack or
`__cuda_array_interface__`, such as tensors of torch and arrays of cupy, with the
types that the network states; `convert` rounds those of others. Failures are
`Error`s that say what was expected and what was found.

Needs numpy; for a GPU its driver. `sparseconv.networks` writes IR of known
networks and `sparseconv.weights` random weights for them; `tune` measures what is
fastest on this machine, `sparseconv.plot` draws pictures with matplotlib, and
`sparseconv.progress` says on a terminal what takes long, and turns that off.
"""

from . import progress
from .arrays import DeviceArray, convert
from .cuda_functions import Run
from .errors import ArgumentError, CapacityError, CompileError, Error, RepeatError
from .functions import Function, Value
from .module import Module, compile, load
from .tuning import tune

#: That of CMakeLists.txt, which neither a bundle nor the repository tells Python.
__version__ = "0.1.0"

__all__ = [
    "ArgumentError", "CapacityError", "CompileError", "DeviceArray", "Error",
    "Function", "Module", "RepeatError", "Run", "Value", "compile", "convert", "load",
    "progress", "tune",
]  # fmt: skip
