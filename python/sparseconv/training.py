# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps of networks as IR: forward, loss, backward and SGD in one function,
which is compiled to one plan.

    from sparseconv import networks, training
    text = training.make_step(networks.spconvbench("f32", norm="batch"))
    module = sparseconv.compile(text, "cpu", in_process=True)
    loss, *weights = module.step(points, features, *weights, target, rate)
"""

import re
import subprocess

from .compiler import find_program, make_list
from .errors import ArgumentError, CompileError, shorten

#: Functions of the module that is made.
_OWN_NAMES = ("step", "loss", "loss_gradient")
_FUNCTION = re.compile(r"func\.func @([\w$.-]+)\((.*)\) -> \(?(.*?)\)? \{$", re.M)
_ARGUMENT = re.compile(r'%\w+: ([^{}]*?) \{sparseconv\.name = "([^"]*)"\}')
_NUMBERS = re.compile(r"tensor<((?:\d+x)+)f32>")


def differentiate(text, functions=None, wrt=None):
    """The text of a module with the gradients of its functions beside them, which
    `sparseconv-differentiate` writes: `@NAME_gradient` for each `@NAME`.

    functions  a name or several; by default all public ones of tensors of floats
    wrt        the arguments to differentiate by: a name or several, those that
               `sparseconv.name` gives, or a list with positions. By default all of floats

    A CompileError says which operation has no gradient."""
    options = []
    if functions is not None:
        options.append("functions=" + ",".join(make_list(functions)))
    if wrt is not None:
        options.append("wrt=" + ",".join(map(str, make_list(wrt))))
    return _run_pass(f"--sparseconv-differentiate={' '.join(options)}", text)


def make_step(text):
    """The text of a module with a function `@step` for the only public function of
    another module. `@step` takes what that function takes, all with names, and behind it
    the `target` of its first result, a tensor [rows, channels] in f32, and a learning
    `rate`. It returns the mean of the squares of result - target as a tensor [1], and each
    argument of known shape in f32, a weight, less `rate` times its gradient.

    An ArgumentError says what about the function is different."""
    text = _run_pass("--canonicalize", text)
    name, arguments, results = _find_function(text)
    if name in _OWN_NAMES:
        raise ArgumentError(f"function '{name}': expects another name than {', '.join(_OWN_NAMES)}")
    weights = [word for kind, word in arguments if _NUMBERS.fullmatch(kind)]
    if not weights:
        raise ArgumentError(f"function '{name}' has no argument of known shape in f32")
    loss = _make_loss(name, arguments, results)
    begin, _, _ = text.rstrip().rpartition("}")
    made = differentiate(f"{begin}{loss}}}\n", ["loss"], weights)
    begin, _, _ = made.rstrip().rpartition("}")
    for part in (name, *_OWN_NAMES[1:]):
        begin = begin.replace(f"func.func @{part}(", f"func.func private @{part}(")
    return f"{begin}{_make_update(arguments, results[0])}}}\n"


def _run_pass(option, text):
    command = [find_program("sparseconv-opt"), option, "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error: " in line]
        message = lines[0] if lines else f"{command[0]} ended with status {done.returncode}"
        raise CompileError(message, "SPARSECONV_COMPILER_REJECTED", done.stderr)
    return done.stdout


def _find_function(text):
    """The name, the arguments (types and names) and the types of the results."""
    found = _FUNCTION.findall(text)
    if len(found) != 1:
        raise ArgumentError(f"expects one public function with a result, but found {len(found)}")
    ((name, inputs, outputs),) = found
    arguments = _ARGUMENT.findall(inputs)
    if len(arguments) != inputs.count("%"):
        raise ArgumentError(f"function '{name}': expects arguments with names (sparseconv.name)")
    results = re.findall(r"(tensor<\S+>|index|[if]\d+)(?: \{.*?\})?(?:, |$)", outputs)
    if not results or not re.fullmatch(r"tensor<\?x\d+xf32>", results[0]):
        raise ArgumentError(
            f"function '{name}': expects rows in f32 as its first result, but found "
            f"{shorten(outputs)}"
        )
    return name, arguments, results


def _declare(arguments):
    return ", ".join(f'%{i}: {kind} {{sparseconv.name = "{word}"}}'
                     for i, (kind, word) in _number(arguments))  # fmt: skip


def _number(arguments):
    return [(f"a{i}", argument) for i, argument in enumerate(arguments)]


def _make_loss(name, arguments, results):
    result, count = results[0], len(results)
    values = ", ".join(f"%{i}" for i, _ in _number(arguments))
    kinds = ", ".join(kind for kind, _ in arguments)
    return f"""
func.func @loss({_declare([*arguments, (result, "target")])})
    -> (tensor<1xf32> {{sparseconv.name = "loss"}}) {{
  %all:{count} = call @{name}({values}) : ({kinds}) -> ({", ".join(results)})
  %off = arith.subf %all#0, %a{len(arguments)} : {result}
  %squares = arith.mulf %off, %off : {result}
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %axis = arith.constant 0 : index
  %last = arith.constant 1 : index
  %sum = linalg.generic {{
    indexing_maps = [affine_map<(o, r, c) -> (r, c)>, affine_map<(o, r, c) -> (o)>],
    iterator_types = ["parallel", "reduction", "reduction"]
  }} ins(%squares : {result}) outs(%zero : tensor<1xf32>) {{
  ^body(%square: f32, %total: f32):
    %next = arith.addf %total, %square : f32
    linalg.yield %next : f32
  }} -> tensor<1xf32>
  %rows = tensor.dim %all#0, %axis : {result}
  %columns = tensor.dim %all#0, %last : {result}
  %size = arith.muli %rows, %columns : index
  %whole = arith.index_cast %size : index to i64
  %number = arith.sitofp %whole : i64 to f32
  %count = tensor.from_elements %number : tensor<1xf32>
  %loss = arith.divf %sum, %count : tensor<1xf32>
  return %loss : tensor<1xf32>
}}
"""


def _make_update(arguments, result):
    given = [*arguments, (result, "target")]
    weights = [
        (i, kind, word) for i, (kind, word) in _number(arguments) if _NUMBERS.fullmatch(kind)
    ]
    kinds = [kind for _, kind, _ in weights]
    results = ", ".join(
        f'{kind} {{sparseconv.name = "{word}.new"}}' for _, kind, word in weights
    )
    takes = ", ".join([kind for kind, _ in given] + ["tensor<1xf32>"])
    values = ", ".join([f"%{i}" for i, _ in _number(given)] + ["%one"])
    lines = [
        f"""  %rate_{i} = tensor.splat %rate : {kind}
  %step_{i} = arith.mulf %rate_{i}, %all#{1 + n} : {kind}
  %new_{i} = arith.subf %{i}, %step_{i} : {kind}
"""
        for n, (i, kind, _) in enumerate(weights)
    ]
    returns = ", ".join(["%all#0"] + [f"%new_{i}" for i, _, _ in weights])
    return f"""
func.func @step({_declare(given)}, %rate: f32 {{sparseconv.name = "rate"}})
    -> (tensor<1xf32> {{sparseconv.name = "loss"}}, {results}) {{
  %one = arith.constant dense<1.0> : tensor<1xf32>
  %all:{1 + len(weights)} = call @loss_gradient({values})
      : ({takes}) -> (tensor<1xf32>, {", ".join(kinds)})
{"".join(lines)}  return {returns} : tensor<1xf32>, {", ".join(kinds)}
}}
"""
