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


def make_inputs():
    with open("net.mlir", "w", encoding="utf-8") as file:
        file.write(succeed(run(compiler, path, "--network")))
    succeed(run(sys.executable, "-m", "sparseconv.weights", "net.mlir", "-o", "net.npz"))
    succeed(run_tool("sparseconv-sweep", "--beams", "16", "--azimuths", "400", "-o", "sweep.bin"))
    write_scan("one.bin", [(1, 2, 3, 0.5)])
    generator = np.random.default_rng(1)
    for rows in (0, 3000):
        np.save(f"points{rows}.npy", generator.integers(0, (2, 20, 20, 20), (rows, 4), np.int32))
        np.save(f"features{rows}.npy", generator.standard_normal((rows, 4)).astype(np.float32))


def name_arrays(rows):
    return [f"--input=scan.points=points{rows}.npy", f"--input=scan.features=features{rows}.npy"]


def check_results():
    """What comes out with the host's passes between ours is what comes out without them."""
    with open("net.mlir", encoding="utf-8") as file:
        network = file.read()
    convolutions = [line for line in network.splitlines() if "sparseconv.conv" in line]
    expect(len(convolutions) == 4 and all("tf32 = allowed" in line for line in convolutions),
           f"the pass before ours has not run:\n{network}")  # fmt: skip
    for inputs in (["--input=sweep.bin"], ["--input=one.bin"], name_arrays(0), name_arrays(3000)):
        arguments = ["--weights=net.npz", *inputs]
        text = succeed(run(compiler, path, *arguments, "--result=y.npy"))
        for name in ("stem", "half", "classes"):
            expect(f"ms  {name}\n" in text, f"no time of node '{name}':\n{text}")
        succeed(run_tool("sparseconv-run", "net.mlir", *arguments, "--output=z.npy", "--check"))
        y, z = np.load("y.npy"), np.load("z.npy")
        expect(y.shape == z.shape and np.allclose(y, z, rtol=1e-4, atol=1e-4),
               f"{inputs}: {y.shape} and {z.shape} differ")
    expect(len(y) > 1000, f"the last result has {len(y)} rows")


def check_plan():
    """Its plan, and what it gives for the arrays; scripts/bundle packs both for a GPU."""
    succeed(run(compiler, path, "--plan=bare.plan"))
    text = succeed(run_tool("sparseconv-translate", "--plan-to-text", "bare.plan"))
    expect("ptx sm_90a" in text and "function 'main'" in text, text[:2000])
    succeed(run_tool("sparseconv-translate", "--plan-to-plan", "--weights=net.npz", "bare.plan",
                     "-o", "sample.plan"))
    np.savez("sample.npz", points=np.load("points3000.npy"),
             features=np.load("features3000.npy"), result=np.load("y.npy"))


def at(node, message):
    return f'loc("{node}"): error: {message}'


# A node, what is changed in it (None: the field goes), and what is said.
ERRORS = [
    ("stem", {"channels": 0}, at("stem", "expects 1 to 4096 channels and a size from 1 to 7")),
    ("stem", {"size": 8}, at("stem", "expects 1 to 4096 channels and a size from 1 to 7")),
    ("stem", {"channels": "4"}, "expected integer at graph[2].channels"),
    ("stem", {"inputs": ["no", "scan"]}, at("stem", "there is no node 'no' before this one")),
    ("stem", {"inputs": ["scan"]}, at("stem", "expects 2 'inputs'")),
    ("stem", {"inputs": ["half", "scan"]}, at("stem", "'half' has no features")),
    ("stem", {"op": "convolution"}, at("stem", "unknown op 'convolution'")),
    ("right", {"channels": 16}, at("both", "expects inputs on one set, with equal channels")),
    ("skip", {"inputs": ["up", "sum"]}, at("skip", "expects inputs on one set")),
    ("skip", {"inputs": ["up", "half"]}, at("skip", "expects inputs on one set")),
    ("sum", {"name": "left"}, at("left", "there are two nodes of this name")),
    ("sum", {"name": None}, "missing value at graph[9].name"),
]


def make_coarse(times):
    """A graph whose last convolution is on a set of stride 7 ** times."""
    names = ["scan"] + [f"coarse{number}" for number in range(times)]
    nodes = [{"name": "scan", "op": "input"}]
    nodes += [{"name": new, "op": "downsample", "inputs": [old], "size": 7}
              for old, new in zip(names, names[1:])]  # fmt: skip
    nodes.append({"name": "to", "op": "conv", "inputs": ["scan", names[-1]]})
    return json.dumps(nodes + [{"name": "on", "op": "conv", "inputs": ["to", "to"], "size": 3}])


def check_errors():
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for name, change, message in ERRORS:
        nodes = json.loads(text)
        node = next(node for node in nodes if node["name"] == name)
        for key, value in change.items():
            node[key] = value
            if value is None:
                del node[key]
        expect_refused(json.dumps(nodes), message)
    expect_refused("", "Unexpected EOF")
    expect_refused("{}", "expected array when parsing graph")
    expect_refused("[7]", "expected object at graph[0]")
    expect_refused("[]", "the graph is not valid")
    expect_refused(json.dumps(json.loads(text)[:2]), at("half", "the last node has no features"))
    expect_refused(make_coarse(3), at("on", "'sparseconv.kernel_map' op offset 1 times stride 343"))
    expect_refused(make_coarse(6), at("coarse5", "would make a stride of more than 32768"))
    # When it runs: a point that no set can hold.
    write_scan("far.bin", [(1, 2, 3, 0.5), (1e6, 2, 3, 0.5)])
    for weights, scan, message in (("net.npz", "far.bin", "error: scan: sparseconv.pack: "),
                                   ("sweep.bin", "one.bin", "error: 'sweep.bin': ")):  # fmt: skip
        output, errors = run(compiler, path, f"--weights={weights}", f"--input={scan}", "--result=y.npy")
        expect(output is None and message in errors, errors)


def expect_refused(graph, message):
    with open("wrong.json", "w", encoding="utf-8") as file:
        file.write(graph)
    output, errors = run(compiler, "wrong.json", "--network")
    expect(output is None and "wrong.json: error: " in errors and message in errors,
           f"expected '{message}', found '{errors}' for {graph}")


make_inputs()
check_results()
check_plan()
check_errors()
print(f"sample compiler: results, a plan, {len(ERRORS) + 9} errors: ok")
