# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the operators that a model calls, one after the other, as a network.

The model runs on stand-ins for its inputs, torch's fake tensors, whose numbers of rows
are symbols. Operators that read one of them are written down by the handlers of this
package; operators on weights alone are carried out, so that a network has their results
as weights. What the model decides by Python numbers is decided once."""

import weakref
from typing import List

import torch
from torch._decomp import decomposition_table
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode, ShapeEnv
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from ...errors import Error
from . import order, views
from .places import ModuleStack, NotHandled, refuse, refuse_function
from .text import TYPES, NetworkText, tensor_type, write_number
from .values import Chosen, Fill, Late, Map, Rows, Set, Turned, View, is_traced
from .weights import Weights

#: What writes an operator, by the operator's name without its overload.
HANDLERS = {}


def handles(*names):
    """Registers a handler: it takes the tracer, the operator's arguments by name, and
    its result as a stand-in, and returns the value that the result has in the text."""

    def register(function):
        for name in names:
            HANDLERS[name] = function
        return function

    return register


class Arguments:
    """The arguments of an operator by the names of its schema."""

    def __init__(self, schema, args, kwargs):
        for position, argument in enumerate(schema.arguments):
            if position < len(args):
                value = args[position]
            else:
                value = kwargs.get(argument.name, argument.default_value)
            setattr(self, argument.name, value)

    def __getattr__(self, name):
        raise NotHandled(name)


@torch.library.custom_op("sparseconv::stand_ins", mutates_args=())
def _make_stand_ins(tensors: List[torch.Tensor]) -> List[torch.Tensor]:
    return [tensor.clone() for tensor in tensors]


@_make_stand_ins.register_fake
def _(tensors):
    # Torch's batch norm cannot be traced for rows that may be none, or one.
    rows = torch.library.get_ctx().new_dynamic_size(min=2)
    return [tensor.new_empty((rows, *tensor.shape[1:])) for tensor in tensors]


class Tracer(TorchDispatchMode):
    def __init__(self, model):
        super().__init__()
        self.text, self.weights = NetworkText(), Weights(model)
        self.allow_tf32 = torch.backends.cuda.matmul.allow_tf32
        self.modules = ModuleStack(model)
        self._fake = FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv())
        #: A reference to each stand-in, and its value.
        self._values = {}
        #: The operator that the model has called, and how many it is taken apart into.
        self._operator, self._depth = "an operator", 0
        #: What counts the rows that a symbol stands for: a tensor of its own, and its value.
        self._counted = {}
        #: Stand-ins that nothing may change: callers have what they stand for.
        self.fixed = []
        #: The name of the row of each point, by that of the point of each row, and back.
        self.row_of, self.order = {}, {}
        #: The sets of distinct points by the names of these, and those of divided voxels.
        self.packed, self.voxels = {}, {}
        #: The `Parts` of sets of parts, by the name of the point of each row.
        self.parts = {}
        #: Sets that the model does not have, by what stands for their numbers of rows. Sizes are
        #: not written with them: two branches of a model are to have the same text.
        self.own_sets = {}

    def make_stand_ins(self, tensors):
        """Stand-ins with one new number of rows for tensors of equally many."""
        with self._fake:
            return _make_stand_ins(
                [self._fake.from_tensor(t, static_shapes=True) for t in tensors]
            )

    def make_like(self, tensor, dtype=None, shape=None):
        """A stand-in for a result that torch has not made, such as one on the way."""
        shape = tensor.shape if shape is None else shape
        with self._fake:
            return tensor.new_empty(shape, dtype=dtype or tensor.dtype)

    def run(self, function, *arguments):
        """What a function returns for stand-ins."""
        with torch.inference_mode(False), torch.no_grad(), self.modules, _Functions(self), self:
            return function(*arguments)

    # Operators ----------------------------------------------------------------

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if not self._depth:
            self._operator = func._schema.name
        if torch.Tag.nondeterministic_seeded in func.tags:
            self.refuse("it makes random numbers")
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if is_tensor_or_size(leaf)]
        if not any(map(is_traced, tensors)):
            changed = self.weights.find_changed(func, args, kwargs)
            if changed is not None:
                self.refuse(f"it changes '{changed}', which a compiled model would not do")
            result = func(*args, **kwargs)
            self.weights.name_result(result, tensors)
            return result
        if func.namespace == "prim":
            return func(*args, **kwargs)
        schema = func._schema
        name = schema.name
        in_place = schema.is_mutable and name.endswith("_")
        handler = HANDLERS.get(name[:-1] if in_place else name)
        if handler is None or (schema.is_mutable and not in_place):
            return self._decompose(func, args, kwargs)
        if in_place:
            self._check_alone(args[0])
        arguments = Arguments(schema, args, kwargs)
        self.text.place = self.modules.describe()
        try:
            with self._fake:
                result = func(*args, **kwargs)
            value = handler(self, arguments, result)
            if in_place:
                views.assign(self, result, value)
            else:
                self.bind(result, value)
        except NotHandled:
            self.refuse()
        except GuardOnDataDependentSymNode:
            self.refuse("it decides by a number of rows")
        return result

    def _decompose(self, func, args, kwargs):
        """An operator by others, as torch has it."""
        found = None if func._schema.is_mutable else decomposition_table.get(func)
        self._depth += 1
        try:
            with self:
                result = (found or func.decompose)(*args, **kwargs)
        except GuardOnDataDependentSymNode:
            result = NotImplemented
        finally:
            self._depth -= 1
        if result is NotImplemented:
            self.refuse()
        return result

    def _check_alone(self, tensor):
        """What is changed in place may have no other name but views that are followed: the
        network has values."""
        if not is_traced(tensor):
            self.refuse("it changes a weight")
        root, storage = views.find_root(self, tensor), tensor.untyped_storage()._cdata
        if any(root is fixed for fixed in self.fixed):
            self.refuse("it changes the coordinates of an input")
        for reference, _ in list(self._values.values()):
            other = reference()
            if other is None or other.untyped_storage()._cdata != storage:
                continue
            if views.find_root(self, other) is not root:
                self.refuse("it changes a view in place")

    def refuse(self, reason=""):
        """Raises the error for the operator that is handled."""
        refuse(self.modules, self._operator, reason)

    def bind(self, results, values):
        """Says what stand-ins are in the text. A handler returns None for a result
        that it does not have."""
        if isinstance(results, torch.Tensor):
            results, values = [results], [values]
        for tensor, value in zip(results, values):
            if value is None:
                continue
            self._values[id(tensor)] = weakref.ref(tensor), value
            self._count(tensor, value)

    def _count(self, tensor, value):
        rows = tensor.shape[0] if tensor.dim() else 1
        value = value.kept if isinstance(value, Chosen) else value
        if isinstance(rows, int) or isinstance(value, (Fill, Late, View)):
            return
        known = self._counted.get(str(rows))
        if known is None or (isinstance(value, Set) and not isinstance(known[1], Set)):
            # The model may change the tensor in place.
            own = self.make_like(tensor)
            self._counted[str(rows)] = own, value
            self._values[id(own)] = weakref.ref(own), value

    # Values -------------------------------------------------------------------

    def get_value(self, tensor):
        """The value of a tensor, written down if it is late."""
        return self.peek(tensor, ())

    def peek(self, tensor, kinds):
        """The value of a tensor, which may be one of some kinds that is not written yet."""
        value = self._find_value(tensor)
        while isinstance(value, Late) and not isinstance(value, kinds):
            value.value = value.value or value.emit()
            value = value.value
        return value

    def _find_value(self, tensor):
        if not is_traced(tensor):
            return Rows(self.weights.use(self.text, tensor))
        value = self.get_binding(tensor)
        if value is None:
            self.refuse("it reads a result of another operator that the compiler has not")
        return views.resolve(self, tensor, value) if isinstance(value, View) else value

    def get_binding(self, tensor):
        """What a stand-in was bound to, or None."""
        reference, value = self._values.get(id(tensor), (None, None))
        return value if reference is not None and reference() is tensor else None

    def get_known(self, tensor):
        """The value of a tensor that is no weight, or None."""
        return self.get_value(tensor) if is_traced(tensor) else None

    def get_name(self, tensor):
        """The name of a tensor in the text, where it is a tensor there, too."""
        value = self.get_value(tensor)
        if isinstance(value, Set):
            line = f"sparseconv.unpack {value.name} : {value.type} -> {self.get_type(tensor)}"
            return self.text.emit_value(line, stem="coordinates")
        if isinstance(value, Map):
            if value.order or value.row_of:
                self.refuse("it reads a map between rows in the order of points")
            type = f"{value.type} -> {self.get_type(tensor)}"
            line = f"sparseconv.neighbour_table {value.name} : {type}"
            return self.text.emit_value(line, stem="table")
        if isinstance(value, Chosen):
            self.refuse("it computes with the numbers of rows that a mask has chosen")
        if isinstance(value, Fill):
            return self.emit_filled(tensor.shape, self.get_element(tensor), value.number)
        if isinstance(value, Turned):
            return order.turn_back(self, tensor, value)
        return value.name

    def get_element(self, tensor):
        if tensor.dtype not in TYPES:
            self.refuse(f"it has a tensor of {tensor.dtype}")
        return TYPES[tensor.dtype]

    def get_type(self, tensor):
        return tensor_type(tensor.shape, self.get_element(tensor))

    def get_set(self, coords, stride):
        """The set whose coordinates a tensor has."""
        value = self.get_value(coords)
        stride = tuple(stride)
        if isinstance(value, Set) and value.stride == stride:
            return value
        return self.emit_pack(self.get_name(coords), self.get_type(coords), stride)[0]

    def find_set_of(self, rows):
        """A set with a number of rows, or None."""
        known = self._counted.get(str(rows), (None, None))[1]
        return known if isinstance(known, Set) else self.own_sets.get(str(rows))

    # Text that several handlers write -----------------------------------------

    def emit_pack(self, points, type, stride):
        """The set of points, and the names of its other results."""
        alias = self.text.set_type(stride)
        line = f"sparseconv.pack {points} : {type} -> {alias}"
        names = self.text.emit_values(line, stems=("set", "order", "row_of"))
        made = Set(names[0], alias, tuple(stride), points=points, row_of=names[2])
        return made, names[1], names[2]

    def emit_size(self, size):
        """A size as an index: a number, or the rows of what has as many."""
        return self.text.emit_value(self._write_size(size), stem="size")

    def _write_size(self, size):
        if isinstance(size, int):
            return f"arith.constant {size} : index"
        if str(size) in self._counted:
            tensor, value = self._counted[str(size)]
            if isinstance(value, Set):
                return f"sparseconv.size {value.name} : {value.type}"
            zero = self.emit_size(0)
            return f"tensor.dim {self.get_name(tensor)}, {zero} : {self.get_type(tensor)}"
        times, one = size.node.expr.as_coeff_Mul()
        if times == 1 or str(one) not in self._counted:
            self.refuse(f"it has a size that is computed, {size}")
        one = self.text.emit_value(self._write_size(one), stem="size")
        return f"arith.muli {self.emit_size(int(times))}, {one} : index"

    def emit_empty(self, shape, element):
        sizes = [self.emit_size(size) for size in shape if not isinstance(size, int)]
        return self.text.emit_value(
            f"tensor.empty({', '.join(sizes)}) : {tensor_type(shape, element)}"
        )

    def emit_filled(self, shape, element, number):
        type, empty = tensor_type(shape, element), self.emit_empty(shape, element)
        scalar = self.text.emit_value(f"arith.constant {write_number(number, element)}")
        return self.text.emit_value(
            f"linalg.fill ins({scalar} : {element}) outs({empty} : {type}) -> {type}"
        )


class _Functions(TorchFunctionMode):
    """Norms are folded before torch chooses by the number of rows which library carries them
    out. Where torch itself fails for stand-ins, the error names its function and the line."""

    def __init__(self, tracer):
        super().__init__()
        self._tracer = tracer

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is torch.nn.functional.batch_norm and is_traced(args[0]):
            return self._fold(*args, **kwargs)
        try:
            return func(*args, **kwargs)
        except (Error, GuardOnDataDependentSymNode):
            raise
        except (RuntimeError, TypeError) as error:
            refuse_function(self._tracer.modules, func, error)

    def _fold(self, input, running_mean, running_var, weight=None, bias=None,
              training=False, momentum=0.1, eps=1e-5):  # fmt: skip
        tracer = self._tracer
        if training or running_mean is None:
            refuse(tracer.modules, "aten::batch_norm", "it takes the statistics of the batch")
        scale, shift = tracer.weights.fold_norm(running_mean, running_var, weight, bias, eps)
        return torch.ops.sparseconv.scale_and_shift(input, scale, shift)


@torch.library.custom_op("sparseconv::scale_and_shift", mutates_args=())
def _scale_and_shift(
    x: torch.Tensor, scale: torch.Tensor, shift: torch.Tensor
) -> torch.Tensor:
    shape = (-1, *[1] * (x.dim() - 2))
    return (x * scale.view(shape) + shift.view(shape)).to(x.dtype)


@_scale_and_shift.register_fake
def _(x, scale, shift):
    return torch.empty_like(x)


def is_tensor_or_size(value):
    return isinstance(value, (torch.Tensor, torch.SymInt, torch.SymFloat, torch.SymBool))
