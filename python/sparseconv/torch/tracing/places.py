# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a model is when something in it cannot be compiled."""

import linecache
import os
import re
import sys

import torch

from ...errors import CompileError, shorten

_FOLDERS = tuple(
    os.path.dirname(os.path.abspath(path)) + os.sep
    for path in (torch.__file__, os.path.join(os.path.dirname(__file__), "../../__init__.py"))
)
_HINTS = {
    "aten::_local_scalar_dense": "it reads a number from a device, which only a run has; "
    "give a SparseTensor its batch_size and spatial_shape",
    "aten::index": "rows are picked by torch.index_select, or by prune",
    "aten::nonzero": "the compiler chooses rows of a set, by prune",
    "aten::convolution": "the compiler has no dense convolutions; leave them outside",
}
#: What torch says where it needs the number that a symbol stands for: nothing to users.
_OF_SYMBOLS = re.compile("symbolic|SymInt|does not exist")


class NotHandled(AttributeError):
    """A handler does not know this overload of its operator, or these element types."""


class ModuleStack:
    """The modules that a model is in, as a context."""

    def __init__(self, model):
        self._names = {module: name for name, module in model.named_modules()}
        self._stack, self._hooks = [], []

    def __enter__(self):
        for module in self._names:
            self._hooks.append(module.register_forward_pre_hook(self._enter))
            self._hooks.append(module.register_forward_hook(self._leave, always_call=True))
        return self

    def __exit__(self, *error):
        for hook in self._hooks:
            hook.remove()

    def _enter(self, module, inputs):
        self._stack.append(module)

    def _leave(self, module, inputs, result):
        self._stack.pop()

    def describe(self):
        """The path and class of the innermost module, or an empty text."""
        return self._describe(self._stack[-1]) if self._stack else ""

    def _describe(self, module):
        name = self._names[module]
        return f"{name} ({type(module).__name__})" if name else type(module).__name__

    def describe_place(self, error):
        """The module and the line that have raised an error, or an empty text. Layers of this
        package have no line."""
        found, step = "", error.__traceback__
        while step is not None:
            owner = step.tb_frame.f_locals.get("self")
            if isinstance(owner, torch.nn.Module) and owner in self._names:
                found = self._describe(owner)
            step = step.tb_next
        return _join(found, _find_line_of(error))


def _is_inside(path):
    return os.path.abspath(path).startswith(_FOLDERS) or path.startswith("<frozen")


def _describe_line(path, number):
    text = linecache.getline(path, number).strip()
    return f"{path}:{number}" + (f": {shorten(text)}" if text else "")


def find_line():
    """The line of the user's model that is carried out, or an empty text: the
    innermost one before those that have called the compiler."""
    frame = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        if frame.f_code.co_name == "trace" and _is_inside(path):
            return ""
        if not _is_inside(path):
            return _describe_line(path, frame.f_lineno)
        frame = frame.f_back
    return ""


def _find_line_of(error):
    """The same, for an error that a model has raised."""
    found, step = "", error.__traceback__
    while step is not None:
        path = step.tb_frame.f_code.co_filename
        if not _is_inside(path):
            found = _describe_line(path, step.tb_lineno)
        step = step.tb_next
    return found


def _join(*places):
    return " at ".join(filter(None, places))


def add_place(text, place):
    """A message with a line that says where in a model that is, where it is known."""
    return f"{text}\n  in {place}" if place else text


def make_error(text, place):
    """An error that says where in a model it is."""
    return CompileError(add_place(text, place))


def refuse_function(modules, function, error):
    """Raises the error for a function of torch that fails for stand-ins."""
    name = re.sub("^__(.*)__$", r"\1", getattr(function, "__name__", "function"))
    reason = str(error).partition("\n")[0]
    refuse(modules, f"aten::{name}", "" if _OF_SYMBOLS.search(reason) else shorten(reason))


def refuse(modules, name, reason=""):
    """Raises the error for an operator that cannot be compiled."""
    reason = reason or _HINTS.get(name, "")
    owner, _, word = name.rpartition("::")
    word = f"torch's {word}" if owner == "aten" else word
    text = f"{word} cannot be compiled" + (f": {reason}" if reason else "")
    raise make_error(text, _join(modules.describe(), find_line()))
