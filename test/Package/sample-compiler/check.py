# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the sample compiler, beside the tools of the package that it was built with.

usage: check.py SAMPLE-COMPILER TOOLS-FOLDER GRAPH.json

Needs numpy, and the package's Python module for weights. Works in the current folder.
"""

import json
import os
import struct
import subprocess
import sys

import numpy as np

compiler, tools, path = sys.argv[1:]


def run(program, *arguments):
    """Output and errors of a program that succeeds, or None and its errors."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    return (done.stdout if done.returncode == 0 else None), done.stderr


def run_tool(name, *arguments):
    return run(os.path.join(tools, name), *arguments)


def expect(condition, message):
    if not condition:
        sys.exit(f"check.py: {message}")


def succeed(result):
    expect(result[0] is not None, result[1])
    return result[0]


def write_scan(name, rows):
    with open(name, "wb") as file:
        for row in rows:
            file.write(struct.pack("<4f", *row))


def check_results():
    """What the host's pipeline computes is what the package's own does."""
    network = succeed(run(compiler, path, "--network"))
    expect("linalg.add" not in network and "arith.addf" in network, "the sums are not fused")
    with open("net.mlir", "w", encoding="utf-8") as file:
        file.write(network)
    succeed(run(sys.executable, "-m", "sparseconv.weights", "net.mlir", "-o", "net.npz"))
    succeed(run_tool("sparseconv-sweep", "--beams", "16", "--azimuths", "400", "-o", "sweep.bin"))
    write_scan("one.bin", [(1, 2, 3, 0.5)])
    write_scan("none.bin", [])
    for scan in ("sweep.bin", "one.bin"):
        arguments = ["--weights=net.npz"]
        text = succeed(run(compiler, path, *arguments, f"--scan={scan}", "--result=y.npy",
                           "--profile"))
        for name in ("stem", "half", "classes"):
            expect(f"ms  {name}\n" in text, f"no time of node '{name}':\n{text}")
        succeed(run_tool("sparseconv-run", "net.mlir", *arguments, f"--input={scan}",
                         "--output=z.npy", "--check"))
        y, z = np.load("y.npy"), np.load("z.npy")
        expect(y.shape == z.shape and y.size and np.allclose(y, z, rtol=1e-4, atol=1e-4),
               f"{scan}: {y.shape} and {z.shape} differ")


def check_plan():
    succeed(run(compiler, path, "--plan=net.plan"))
    text = succeed(run_tool("sparseconv-translate", "--plan-to-text", "net.plan"))
    expect("ptx sm_90a" in text and "function 'main'" in text, text[:2000])
    succeed(run_tool("sparseconv-translate", "--plan-to-plan", "--weights=net.npz", "net.plan",
                     "-o", "full.plan"))
    output, errors = run_tool("sparseconv-run", "full.plan", "--target=cuda", "--input=sweep.bin",
                              "--output=g.npy")
    if output is None and "there is no CUDA driver" in errors:
        return "plan not run: no CUDA driver"
    expect(output is not None, errors)
    succeed(run(compiler, path, "--weights=net.npz", "--scan=sweep.bin", "--result=y.npy"))
    expect(np.allclose(np.load("g.npy"), np.load("y.npy"), rtol=1e-3, atol=1e-3),
           "the GPU's result differs")
    return "plan run on the GPU"


# A node, what is changed in it (None: the field goes), and what is said.
ERRORS = [
    ("stem", {"channels": 0}, "node 'stem': expects numbers from 1 to 4096, but found 0"),
    ("stem", {"channels": "4"}, "expected integer at graph.nodes[7].channels"),
    ("stem", {"inputs": ["no", "near"]}, "node 'stem': there is no node 'no' before this one"),
    ("stem", {"inputs": ["voxels"]}, "node 'stem': expects 2 of 'inputs'"),
    ("skip", {"inputs": ["up"]}, "node 'skip': expects 2 of 'inputs', or more"),
    ("right", {"inputs": ["down.relu", "left"]}, "node 'right': expects 1 of 'inputs'"),
    ("stem", {"inputs": ["half", "near"]}, "node 'stem': cannot read 'half'"),
    ("stem", {"inputs": ["scan", "near"]},
     "node 'stem': the map does not begin at the set of the features"),
    ("stem", {"op": "convolution"}, "node 'stem': unknown op 'convolution'"),
    ("half", {"by": 65537}, "node 'half': expects numbers from 1 to 4096, but found 65537"),
    ("half", {"by": 64}, "node 'near.half': 'sparseconv.kernel_map' op offset"),
    ("near", {"size": 9}, "node 'near': expects a window of at most 7 on each axis"),
    ("right", {"channels": 16}, "node 'sum': expects equal channels, but there are 32 and 16"),
    ("skip", {"inputs": ["up", "sum"]}, "node 'skip': 'sum' is on another set than 'up'"),
    ("sum", {"name": "left"}, "node 'left': there are two nodes of this name"),
    ("sum", {"name": None}, "missing value at graph.nodes[13].name"),
]


def check_errors():
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for name, change, message in ERRORS:
        graph = json.loads(text)
        node = next(node for node in graph["nodes"] if node["name"] == name)
        for key, value in change.items():
            node[key] = value
            if value is None:
                del node[key]
        expect_refused(json.dumps(graph), message)
    graph = json.loads(text)
    expect_refused("", "Unexpected EOF")
    expect_refused("[]", "expected object when parsing graph")
    expect_refused("{}", "missing value at graph.nodes")
    expect_refused('{"nodes": [7]}', "expected object at graph.nodes[0]")
    expect_refused(json.dumps(graph | {"output": "near"}), "wrong.json: the output 'near' has no features")
    # When it runs: a point that no set can hold.
    write_scan("far.bin", [(1, 2, 3, 0.5), (1e6, 2, 3, 0.5)])
    output, errors = run(compiler, path, "--weights=net.npz", "--scan=far.bin")
    expect(output is None and "node 'voxels': sparseconv.pack: " in errors, errors)
    output, errors = run(compiler, path, "--weights=sweep.bin", "--scan=one.bin")
    expect(output is None and "sweep.bin" in errors, errors)


def expect_refused(graph, message):
    with open("wrong.json", "w", encoding="utf-8") as file:
        file.write(graph)
    output, errors = run(compiler, "wrong.json", "--network")
    expect(output is None and errors.startswith("wrong.json: ") and message in errors,
           f"expected '{message}', found '{errors}' for {graph}")


check_results()
plan = check_plan()
check_errors()
print(f"sample compiler: results, {len(ERRORS) + 7} errors: ok; {plan}")
