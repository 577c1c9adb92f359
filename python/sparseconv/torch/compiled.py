# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole modules of torch as one network: `sparseconv.compile(model, example)`."""

import os
import subprocess
import tempfile

import torch
from torch import nn
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from ..compiler import find_program
from ..errors import ArgumentError, CompileError, Error, join_short
from ..module import compile as compile_network
from ..weights import save as save_weights
from . import programs
from .signature import Inputs, Outputs
from .tracing import Tracer
from .tracing.places import add_place, make_error
from .tracing.weights import keep_weights

#: Whose inputs a message is about.
_WHERE = "the compiled module"


class CompiledModule:
    """A module of torch as one plan: what `sparseconv.compile(model, example)` gives once
    `sparseconv.torch` is imported. It is called as the module is, without gradients, and
    takes any numbers of rows. Arguments that the example has may be given by name.

    model            a `torch.nn.Module` in eval mode
    example          what the module takes: a `SparseTensor`, a tensor, or a tuple of the
                     arguments; the plan is for its device
    tuning_database  the path of a file that sparseconv-tune has written, "default" or
                     "none", as for `sparseconv.compile`

    Arguments of other shapes and types, or on another device, are an `ArgumentError`. A
    module that does what no network can is a `CompileError` that names its line.

        compiled = sparseconv.compile(model.eval(), x)
        y = compiled(x)

    Structure belongs to what is compiled: strides, `spatial_shape`, numbers, and the
    batch size where the module has read it; other ones are an error. Maps that layers
    make stay inside, and an `indice_key` of one finds nothing outside.

    Weights are copied. When those of the module have changed, `update` takes them. `bind`
    makes the sets and maps of some coordinates once, for calls with other features."""

    def __init__(self, model, example, tuning_database=None):
        self._model, self._tuning_database = model, tuning_database
        args = example if isinstance(example, tuple) else (example,)
        self._inputs = Inputs(model, args)
        tensors, _ = self._inputs.read(args)
        self._device = programs.find_device(tensors)
        self._texts = None
        self.update()

    def update(self):
        """Takes the weights that the module has now. Where something else has changed,
        such as a number that the network holds, it is compiled again. A module in
        training mode, or on another device, is an `ArgumentError`."""
        _check_model(self._model, self._device)
        texts, weights, self._outputs = trace(self._model, self._inputs)
        if texts != self._texts:
            self._program = programs.load_program(
                texts[1], self._device, self._tuning_database
            )
            self._texts = texts
        self._weights = {name: _copy(tensor) for name, tensor in weights.items()}
        self._program.main.bind(**{n: _view(t) for n, t in self._weights.items()})

    def __call__(self, *args, **named):
        tensors, leaves = self._read(self._inputs.order(args, named))
        outputs, main = self._outputs, self._program.main
        if outputs.reads_results:
            return outputs.make(programs.run_function(main, tensors, where=_WHERE), leaves)
        return programs.run_function(
            main, tensors, wrap=lambda results: outputs.make(results, leaves), where=_WHERE
        )

    def _read(self, args, marked=()):
        tensors, leaves = self._inputs.read(args, marked)
        if programs.find_device(tensors) != self._device:
            raise ArgumentError(
                f"expects tensors on {self._device}, but found {tensors[0].device}"
            )
        return tensors, leaves

    def bind(self, *args, **named):
        """The compiled module for the coordinates of some arguments, and for other tensors
        of integers among them: a `BoundModule`, which is called with other features at
        these. On a GPU all sets and maps are made once, here, as where a network is called
        many times for one scene. Arguments without integers, and coordinates that are out
        of range, are an error.

            at_scene = compiled.bind(x)
            y = at_scene(x.replace(features))
        """
        return BoundModule(self, self._inputs.order(args, named))

    def mlir(self):
        """The network as text. Weights are arguments with the names that the module has
        for them; `compile`, `sparseconv-opt` and other tools take it."""
        return self._texts[0]

    def __reduce_ex__(self, protocol):
        raise Error(
            "a compiled model cannot be copied or pickled: compile a copy of the model, or write "
            "a plan with save()"
        )

    def save(self, path, target=None):
        """Writes the plan with its weights, for `sparseconv.load`, `sparseconv-run` and
        the C interface. `inputs` and `outputs` say what it takes and gives. With a
        `target` ("cuda:sm_80", "cpu:avx2", or "cpu" for all CPUs) the network is compiled
        for that; otherwise the plan is for what this one runs on. Another target is an
        `ArgumentError`, and a plan that cannot be made or written a `CompileError`.

            compiled.save("net.plan", target="cuda:sm_80")
        """
        with tempfile.TemporaryDirectory() as folder:
            source, weights = (os.path.join(folder, name) for name in ("net", "weights.npz"))
            if target is None:
                self._program.save(source)
            else:
                with open(source, "w", encoding="utf-8") as file:
                    file.write(self._texts[1])
            arrays = {n: programs.to_numpy(t.cpu()) for n, t in self._weights.items()}
            save_weights(weights, arrays)
            command = [find_program("sparseconv-translate"), source, *_choose_plan(target),
                       f"--weights={weights}", "-o", os.fspath(path)]  # fmt: skip
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CompileError(f"the plan was not written: {done.stderr.strip()}")

    @property
    def inputs(self):
        """What the plan takes: names, element types and shapes, weights left out, as
        `sparseconv.Value`s."""
        return tuple(v for v in self._program.main.inputs if v.name not in self._weights)

    @property
    def outputs(self):
        """What the plan gives, as `sparseconv.Value`s."""
        return self._program.main.outputs

    def __repr__(self):
        inputs, outputs = (", ".join(map(repr, side)) for side in (self.inputs, self.outputs))
        return f"<CompiledModule on {self._device}: ({inputs}) -> ({outputs})>"


class BoundModule:
    """A `CompiledModule` at the coordinates of one scene, as `CompiledModule.bind` makes it.
    It has the weights that the module had then, keeps its coordinates, and takes arguments
    that have them still: those of `bind`, or tensors that `replace` makes of these. Others
    are an `ArgumentError`.

        at_scene = compiled.bind(x)
        for _ in range(100):
            x = x.replace(at_scene(x).features)
    """

    def __init__(self, compiled, args):
        self._compiled, self._outputs = compiled, compiled._outputs
        tensors, leaves = compiled._read(args)
        self._marked = compiled._inputs.mark(leaves)
        main = compiled._program.main
        integers = {
            value.name: _copy(tensor)
            for value, tensor in zip(main.free, tensors)
            if not tensor.is_floating_point()
        }
        if len(integers) in (0, len(tensors)):
            raise ArgumentError(
                "bind expects arguments with coordinates or other integers, and features"
            )
        self._function = main.copy()
        bound = {**compiled._weights, **integers}
        self._function.bind(**{name: _view(tensor) for name, tensor in bound.items()})
        #: By the rows of the tensors of a call: the shapes of its results, where these
        #: are known.
        self._shapes = {}
        self(*args)  # what is wrong with coordinates comes up now

    def __call__(self, *args, **named):
        args = self._compiled._inputs.order(args, named)
        tensors, leaves = self._compiled._read(args, self._marked)
        rows = tuple(tensor.shape[0] for tensor in tensors)
        results = programs.run_function(
            self._function, tensors, self._shapes.get(rows), where=_WHERE
        )
        if rows not in self._shapes and not self._function.finds_sizes:
            self._shapes[rows] = [tuple(result.shape) for result in results]
        return self._outputs.make(results, leaves)


def _choose_plan(target):
    """The options of sparseconv-translate that make a plan for a target."""
    if target is None:
        return ["--plan-to-plan"]
    backend, _, chip = target.partition(":")
    if backend not in ("cpu", "cuda") or (backend == "cuda" and not chip):
        raise ArgumentError(f"expects a target such as 'cuda:sm_80' or 'cpu', not {target!r}")
    option = f"--chip={chip}" if backend == "cuda" else f"--target={target}"
    return ["--network-to-plan", option]


def _copy(tensor):
    return tensor.detach().clone(memory_format=torch.contiguous_format)


def _view(tensor):
    return programs.to_numpy(tensor) if tensor.device.type == "cpu" else tensor


def _check_model(model, device):
    for name, module in model.named_modules():
        if module.training:
            where = f"; '{name}' is in training mode" if name else ""
            raise ArgumentError(f"expects a model in eval mode: call model.eval(){where}")
    for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
        if tensor.device != device:
            raise ArgumentError(
                f"expects the model on {device}, where the example is, but found "
                f"'{name}' on {tensor.device}"
            )


def trace(model, inputs):
    """The text of a model's network for people and for the compiler, its weights by
    name, and what it returns."""
    tracer = Tracer(model)
    try:
        with keep_weights(model):
            result = tracer.run(model, *inputs.make_stand_ins(tracer))
    except GuardOnDataDependentSymNode as error:
        text = "the model decides by a number of rows, which only a run has"
        raise make_error(text, tracer.modules.describe_place(error)) from None
    except ArgumentError as error:
        place = tracer.modules.describe_place(error)
        raise ArgumentError(add_place(str(error), place)) from None
    outputs = Outputs(tracer, inputs, result)
    title = f"{type(model).__name__}, written by sparseconv.compile."
    return tracer.text.finish(title, outputs.values), tracer.weights.tensors, outputs


@compile_network.register(nn.Module)
def _compile(model, example=None, *others, tuning_database=None, **options):
    """Compiles a module of torch, in eval mode, for the device of an example."""
    if others or options:
        found = [*options, *map(repr, others)]
        raise ArgumentError(
            "compile takes a module of torch, an example and tuning_database, but found "
            f"{join_short(found)}; the plan is for the device of the example, and "
            "save(path, target) makes one for another"
        )
    if example is None:
        raise ArgumentError(
            "expects an example of what the model takes: sparseconv.compile(model, example)"
        )
    return CompiledModule(model, example, tuning_database)
