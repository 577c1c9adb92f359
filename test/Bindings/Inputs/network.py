"""Writes a network with the bindings of the dialect, on those of MLIR in PACKAGE.

usage: network.py PACKAGE FOLDER [--registered]

FOLDER holds our modules of mlir.dialects. With --registered the context has the
dialect: operations are verified, and the network is lowered for the CPU as well.
"""

import importlib
import sys

PACKING = (
    "#sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>"
)


def write(ir, func, sparseconv):
    parse = ir.Type.parse
    fine = parse(f"!sparseconv.coords<3, stride = [1, 1, 1], {PACKING}>")
    same = parse(f"!sparseconv.kernel_map<27, {fine} to {fine}>")
    rows = parse("tensor<?xi32>")
    takes = ["tensor<?x4xi32>", "tensor<?x4xf32>", "tensor<27x4x8xf32>"]
    narrow, wide = parse("tensor<?x4xf32>"), parse("tensor<?x8xf32>")
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        main = func.FuncOp("main", ([parse(text) for text in takes], [wide]))
    with ir.InsertionPoint(main.add_entry_block()):
        points, x, weights = main.arguments
        pack = sparseconv.PackOp(fine, rows, rows, points)
        sorted_x = sparseconv.GatherOp(x, pack.order, results=[narrow])
        box = ir.Attribute.parse("#sparseconv.box<3, 3, 3>")
        near = sparseconv.KernelMapOp(pack.coords, pack.coords, box, results=[same])
        y = sparseconv.ConvOp(wide, sorted_x, weights, near, [])
        largest = sparseconv.PoolOp(sparseconv.PoolKind.Max, y, near, results=[wide])
        func.ReturnOp([largest])
    return module


def main(package, folder, *options):
    dialects = importlib.import_module(f"{package}.dialects")
    if folder not in list(dialects.__path__):
        dialects.__path__.append(folder)
    ir = importlib.import_module(f"{package}.ir")
    func = importlib.import_module(f"{package}.dialects.func")
    sparseconv = importlib.import_module(f"{package}.dialects.sparseconv")
    context = ir.Context()
    if options:
        from sparseconv import mlir

        registry = ir.DialectRegistry()
        mlir.register_dialects(registry)
        context.append_dialect_registry(registry)
        context.load_all_available_dialects()
        mlir.register_passes()
    else:
        context.allow_unregistered_dialects = True
    with context, ir.Location.unknown():
        module = write(ir, func, sparseconv)
        print(module)
        if options:
            assert module.operation.verify()
            manager = importlib.import_module(f"{package}.passmanager")
            pipeline = "builtin.module(sparseconv-lower-to-cpu)"
            manager.PassManager.parse(pipeline).run(module.operation)
            print(module)


main(*sys.argv[1:])
