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

The bindings have to find MLIR in the shared library that SparseConvPlugin.so links: two
copies of MLIR do not know each other's contexts, so others are refused. SPARSECONV_PLUGIN
names the plugin where it is not beside this package or in the system's path.
"""

import ctypes
import os
import sys

from .errors import ArgumentError, Error

_BINDINGS = "mlir._mlir_libs._mlir"
_CAPSULE = b"mlir.ir.DialectRegistry._CAPIPtr"
# MLIRContext::getDiagEngine(), which whatever has or links MLIR finds in its own copy.
_FUNCTION = "_ZN4mlir11MLIRContext13getDiagEngineEv"
_plugin = None


def _find_mlir(library):
    """Where a library finds MLIR: an address, or None."""
    function = getattr(library, _FUNCTION, None)
    return ctypes.cast(function, ctypes.c_void_p).value


def _open_plugin():
    """SparseConvPlugin.so, which shares MLIR's library with the bindings."""
    global _plugin
    if _plugin is not None:
        return _plugin
    bindings = sys.modules.get(_BINDINGS)
    if bindings is None:
        raise Error("MLIR's bindings are not loaded: import mlir.ir first")
    here = os.path.dirname(os.path.abspath(__file__))
    bundled = os.path.join(here, os.pardir, os.pardir, "lib", "SparseConvPlugin.so")
    named = os.environ.get("SPARSECONV_PLUGIN")
    problems = []
    for path in [named] if named else [bundled, "SparseConvPlugin.so"]:
        try:
            # Holds Python's lock in calls: MLIR's registry of passes has none of its own.
            plugin = ctypes.PyDLL(path)
            break
        except OSError as error:
            problems.append(str(error))
    else:
        reason = "; ".join(problems)
        raise Error(
            f"SparseConvPlugin.so cannot be opened: {reason}; name it in SPARSECONV_PLUGIN"
        )
    if _find_mlir(ctypes.CDLL(bindings.__file__)) != _find_mlir(plugin):
        raise Error(
            f"{bindings.__file__} has a copy of MLIR of its own: it has to link the "
            "libMLIR.so that SparseConvPlugin.so links"
        )
    _plugin = plugin
    return _plugin


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
