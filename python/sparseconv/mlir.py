# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The dialect and its passes for programs on MLIR's Python bindings.

    import mlir.ir, sparseconv.mlir
    registry = mlir.ir.DialectRegistry()
    sparseconv.mlir.register_dialects(registry)
    context = mlir.ir.Context()
    context.append_dialect_registry(registry)
    sparseconv.mlir.register_passes()

The bindings have to be of the MLIR that the project was built with, and to link
its shared library, as those of a distribution do. SPARSECONV_PLUGIN names
SparseConvPlugin.so where it is not beside this package or in the system's path.
"""

import ctypes
import os

from .errors import ArgumentError, Error

_CAPSULE = b"mlir.ir.DialectRegistry._CAPIPtr"
_plugin = None


def _open_plugin():
    """SparseConvPlugin.so, which shares MLIR's library with the bindings."""
    global _plugin
    if _plugin is not None:
        return _plugin
    with open("/proc/self/maps", encoding="utf-8") as file:
        shared = "libMLIR.so" in file.read()
    if not shared:
        raise Error(
            "no libMLIR.so is loaded: import MLIR's bindings first, of a build that "
            "links MLIR as one shared library"
        )
    here = os.path.dirname(os.path.abspath(__file__))
    bundled = os.path.join(here, os.pardir, os.pardir, "lib", "SparseConvPlugin.so")
    named = os.environ.get("SPARSECONV_PLUGIN")
    problems = []
    for path in [named] if named else [bundled, "SparseConvPlugin.so"]:
        try:
            _plugin = ctypes.CDLL(path)
            return _plugin
        except OSError as error:
            problems.append(str(error))
    reason = "; ".join(problems)
    raise Error(
        f"SparseConvPlugin.so cannot be opened: {reason}; name it in SPARSECONV_PLUGIN"
    )


def register_dialects(registry):
    """Adds the dialects, and what networks use of upstream, to a DialectRegistry."""
    capsule = getattr(registry, "_CAPIPtr", None)
    api = ctypes.pythonapi
    api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
    if capsule is None or not api.PyCapsule_IsValid(capsule, _CAPSULE):
        raise ArgumentError(
            f"expected a DialectRegistry of mlir.ir, but found {type(registry)}"
        )
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    pointer = api.PyCapsule_GetPointer(capsule, _CAPSULE)
    register = _open_plugin().mlirRegisterSparseConvDialects
    register.argtypes, register.restype = [ctypes.c_void_p], None
    register(pointer)


def register_passes():
    """Registers the project's passes and pipelines, for `PassManager.parse`."""
    register = _open_plugin().mlirRegisterSparseConvOwnPasses
    register.argtypes, register.restype = [], None
    register()
