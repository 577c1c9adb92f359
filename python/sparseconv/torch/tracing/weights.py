# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The weights of a model as arguments of its network."""

import contextlib

import torch
from torch.utils._pytree import tree_leaves

from ...errors import CompileError
from .text import TYPES, tensor_type


class Weights:
    """Names tensors as the model does. What is computed of weights alone has the name
    of the first of them."""

    def __init__(self, model):
        self._names, self._owners = {}, {}
        for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
            self._names[id(tensor)] = tensor, name
            self._owners.setdefault(tensor.untyped_storage()._cdata, name)
        #: The tensors of the arguments, by name, and the arguments by tensor.
        self.tensors, self._arguments = {}, {}
        #: What operators make of no weight, by id, and what of it is an argument, as it is on
        #: the host and where it is.
        self._made, self._constants = {}, []
        self._norms, self._derived = {}, {}

    def name_result(self, result, sources):
        if not isinstance(result, torch.Tensor) or id(result) in self._names:
            return
        owned = [t for t in sources if id(t) in self._names and id(t) not in self._made]
        if not owned:
            self._made[id(result)] = result
        self._names[id(result)] = result, self._names[id(owned[0])][1] if owned else "constant"

    def find_changed(self, func, args, kwargs):
        """The name of what the model owns, or the network reads, and an operator writes; or
        None."""
        for i, argument in enumerate(func._schema.arguments):
            if argument.alias_info is None or not argument.alias_info.is_write:
                continue
            value = args[i] if i < len(args) else kwargs.get(argument.name)
            for tensor in tree_leaves(value):
                if not isinstance(tensor, torch.Tensor):
                    continue
                name = self._owners.get(tensor.untyped_storage()._cdata)
                if name is not None:
                    return name
        return None

    def rename(self, tensor, name):
        self._names[id(tensor)] = tensor, name
        return tensor

    def view(self, tensor, shape):
        """A weight in another shape."""
        return self.derive(tensor, tuple(shape), lambda weight: weight.reshape(shape))

    def derive(self, tensor, key, make):
        """What a function makes of a weight, once for each key."""
        key = id(tensor), key
        if key not in self._derived:
            name = self._names.get(id(tensor), (None, "constant"))[1]
            self._derived[key] = tensor, self.rename(make(self.hold(tensor)), name)
        return self._derived[key][1]

    def add_bias(self, scale, shift, bias):
        """The shift of a norm that also takes the bias of the layer before it."""
        return self.rename(shift + bias.float() * scale, self._names[id(shift)][1])

    def use(self, text, tensor):
        """The argument for a tensor."""
        tensor = self._find_constant(self.hold(tensor))
        _, name = self._names.get(id(tensor), (None, "constant"))
        if id(tensor) not in self._arguments:
            base, number = name, 1
            while name in self.tensors:
                name, number = f"{base}.{number}", number + 1
            if tensor.dtype not in TYPES:
                raise CompileError(
                    f"the weight '{name}' is of {tensor.dtype}, which the compiler does not take"
                )
            type = tensor_type(tensor.shape, TYPES[tensor.dtype])
            self._arguments[id(tensor)] = tensor, text.add_argument(name, type)
            self.tensors[name] = tensor
        return self._arguments[id(tensor)][1]

    def hold(self, tensor):
        """Says that the network reads a tensor, which nothing may change from here on."""
        name = self._names.get(id(tensor), (None, "constant"))[1]
        self._owners.setdefault(tensor.untyped_storage()._cdata, name)
        return tensor

    def _find_constant(self, tensor):
        """A constant that is equal to a tensor, bit for bit, or the tensor itself."""
        if self._made.get(id(tensor)) is not tensor:
            return tensor
        there = tensor.cpu()
        for known, other in self._constants:
            if other.device == tensor.device and is_equal(known, there):
                return other
        self._constants.append((there, tensor))
        return tensor

    def fold_norm(self, mean, variance, weight, bias, eps):
        """The scale and the shift of a norm with known statistics, in f32."""
        sources = mean, variance, weight, bias
        key = (*map(id, sources), eps)
        if key not in self._norms:
            name = self._names.get(id(mean), (None, "norm.mean"))[1].rpartition(".")[0]
            scale = torch.rsqrt(variance.double() + eps)
            scale = scale if weight is None else scale * weight.double()
            shift = -mean.double() * scale
            shift = shift if bias is None else shift + bias.double()
            parts = [
                self.rename(tensor.float(), f"{name}.{word}".lstrip("."))
                for tensor, word in ((scale, "scale"), (shift, "shift"))
            ]
            self._norms[key] = sources, parts
        return self._norms[key][1]


def is_equal(a, b):
    """Whether tensors have the same bits."""
    if (a.dtype, a.shape) != (b.dtype, b.shape):
        return False
    bits = (t.contiguous().reshape(-1).view(torch.uint8) for t in (a, b))
    return torch.equal(*bits)


@contextlib.contextmanager
def keep_weights(model):
    """Raises an error where the model has other parameters or buffers behind the block,
    which a network cannot give it, and puts the old ones back."""
    before = [
        (prefix, tensors, dict(tensors))
        for prefix, module in model.named_modules()
        for tensors in (module._parameters, module._buffers)
    ]
    replaced = []
    try:
        yield
    finally:
        for prefix, tensors, old in before:
            for name, tensor in old.items():
                if tensors.get(name) is not tensor:
                    replaced.append(f"{prefix}.{name}".lstrip("."))
                    tensors[name] = tensor
    if replaced:
        raise CompileError(
            f"the model replaces '{replaced[0]}', which a compiled model would not do"
        )
