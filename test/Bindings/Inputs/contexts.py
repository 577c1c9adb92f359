"""Lowers a network in threads, each with a context of its own that has the dialect.

usage: contexts.py NETWORK.mlir
"""

import gc
import sys
import threading

from mlir import ir
from mlir.passmanager import PassManager

from sparseconv import mlir


def lower(text, results):
    registry = ir.DialectRegistry()
    mlir.register_dialects(registry)
    mlir.register_passes()
    context = ir.Context()
    context.append_dialect_registry(registry)
    with context:
        module = ir.Module.parse(text)
        manager = PassManager.parse("builtin.module(sparseconv-lower-to-cpu)")
        manager.run(module.operation)
        results.append(str(module))


def main(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    results = []
    threads = [threading.Thread(target=lower, args=(text, results)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{len(results)} modules, {len(set(results))} texts")
    gc.collect()
    print(f"{ir.Context._get_live_count()} contexts left")


main(*sys.argv[1:])
