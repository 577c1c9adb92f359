"""Registers the dialect by sparseconv.mlir with a registry of MLIR's C interface.

usage: register.py LIBRARY OTHER

LIBRARY has that interface, on MLIR's shared library; OTHER has an MLIR of its own.
"""

import ctypes
import sys
import types

from sparseconv import ArgumentError, Error, mlir

MODULE = b"""
#pack = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #pack>
func.func @main(%points: tensor<?x4xi32>) -> tensor<?xi32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  return %order : tensor<?xi32>
}
"""
PIPELINE = b"builtin.module(sparseconv-lower-to-cpu)"


class Text(ctypes.Structure):
    """MlirStringRef"""

    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def make_text(data):
    return Text(ctypes.cast(data, ctypes.c_void_p), len(data))


class Registry:
    """What bindings have of a DialectRegistry."""

    def __init__(self, pointer, name):
        new = ctypes.pythonapi.PyCapsule_New
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        new.restype = ctypes.py_object
        self._CAPIPtr = new(pointer, name, None)


def expect_refusal(call, *arguments):
    try:
        call(*arguments)
    except (ArgumentError, Error) as error:
        print(f"refused: {error}")


@ctypes.CFUNCTYPE(None, Text, ctypes.c_void_p)
def show(text, _):
    sys.stdout.write(ctypes.string_at(text.data, text.length).decode())


def load_bindings(path):
    """As if MLIR's bindings had been imported, of which `path` is a library."""
    sys.modules["mlir._mlir_libs._mlir"] = types.SimpleNamespace(__file__=path)
    return ctypes.CDLL(path)


def main(path, other):
    expect_refusal(mlir.register_passes)
    load_bindings(other)
    expect_refusal(mlir.register_passes)
    library = load_bindings(path)

    def call(name, result, *arguments):
        function = getattr(library, name)
        function.restype = result
        return function(*arguments)

    pointer, flag = ctypes.c_void_p, ctypes.c_bool
    registry = call("mlirDialectRegistryCreate", pointer)
    expect_refusal(mlir.register_dialects, 1)
    of_others = Registry(registry, b"jaxlib.mlir.ir.DialectRegistry._CAPIPtr")
    expect_refusal(mlir.register_dialects, of_others)
    for _ in range(2):  # twice changes nothing
        mlir.register_dialects(Registry(registry, b"mlir.ir.DialectRegistry._CAPIPtr"))
        mlir.register_passes()

    context = pointer(
        call("mlirContextCreateWithRegistry", pointer, pointer(registry), flag(False))
    )
    call("mlirContextLoadAllAvailableDialects", None, context)
    text = make_text(MODULE)
    module = pointer(call("mlirModuleCreateParse", pointer, context, text))
    operation = pointer(call("mlirModuleGetOperation", pointer, module))
    call("mlirOperationPrint", None, operation, show, None)
    manager = pointer(call("mlirPassManagerCreate", pointer, context))
    passes = pointer(call("mlirPassManagerGetAsOpPassManager", pointer, manager))
    pipeline = make_text(PIPELINE)
    parse = "mlirParsePassPipeline"
    if not call(parse, ctypes.c_int8, passes, pipeline, show, None):
        sys.exit("the pipeline is not known")
    if not call("mlirPassManagerRunOnOp", ctypes.c_int8, manager, operation):
        sys.exit("the pipeline has failed")
    call("mlirOperationPrint", None, operation, show, None)
    call("mlirPassManagerDestroy", None, manager)
    call("mlirModuleDestroy", None, module)
    call("mlirContextDestroy", None, context)
    call("mlirDialectRegistryDestroy", None, pointer(registry))


main(*sys.argv[1:])
