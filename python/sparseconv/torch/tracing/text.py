# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of a network while it is written, line by line."""

import re

import torch

from .. import ir

TYPES = {
    torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.bool: "i1",
    torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64",
}  # fmt: skip


def tensor_type(shape, element):
    """The type of a tensor; a size that is no plain integer is not known."""
    sizes = "".join(f"{size}x" if isinstance(size, int) else "?x" for size in shape)
    return f"tensor<{sizes}{element}>"


class NetworkText:
    """Collects aliases, arguments and the body of one function. An operation that is
    written a second time, with the same operands, is the first one."""

    def __init__(self):
        self._aliases, self._arguments, self._body = {}, [], []
        self._known = {}
        self._count, self._names = 0, set()
        #: The module that the next lines belong to.
        self.place = ""

    # Names --------------------------------------------------------------------

    def make_name(self, stem=""):
        """A new name of a value: a number, or a word and a number."""
        self._count += 1
        return f"%{stem}{self._count - 1}"

    def add_argument(self, name, type):
        """An argument, and the name that users call it by."""
        word = re.sub(r"\W", "_", name)
        if word[0].isdigit():
            word = f"_{word}"
        # Names of make_name and of what is in regions end with digits.
        while f"%{word}" in self._names or re.fullmatch(r"[a-z_]*\d+|out", word):
            word += "_"
        self._names.add(f"%{word}")
        self._arguments.append((f"%{word}", name, type))
        return f"%{word}"

    def add_alias(self, alias, text):
        self._aliases[alias] = text
        return alias

    def set_type(self, stride):
        dim = len(stride)
        packing = self.add_alias(f"#packing{dim}", ir.packing(dim))
        sizes = "_".join(map(str, stride))
        numbers = ", ".join(map(str, stride))
        text = f"!sparseconv.coords<{dim}, stride = [{numbers}], {packing}>"
        return self.add_alias(f"!set_{sizes}", text)

    def map_type(self, volume, source, target):
        text = f"!sparseconv.kernel_map<{volume}, {source} to {target}>"
        sides = f"{source}_to_{target}".replace("!set_", "")
        return self.add_alias(f"!map{volume}_{sides}", text)

    def index_map(self, rank, results):
        """The affine map of some dimensions, or zeros, of a loop nest."""
        dims = ", ".join(f"d{i}" for i in range(rank))
        name = "_".join(map(str, results)) or "none"
        text = f"affine_map<({dims}) -> ({', '.join(map(str, results))})>"
        return self.add_alias(f"#{name}_of_{rank}", text)

    # The body -----------------------------------------------------------------

    def emit(self, line, ends=True):
        """A line; `ends` says whether it is the last one of its operation."""
        self._body.append((line, self.place, ends))

    def emit_value(self, *lines, stem=""):
        """The name of what an operation of one or more lines gives."""
        return self.emit_values(*lines, stems=(stem,))[0]

    def emit_values(self, *lines, stems):
        """The same for an operation with several results, of which each has a stem: one
        number and a word. Equal lines have equal stems."""
        if lines not in self._known:
            number = self.make_name().removeprefix("%")
            names = self._known[lines] = tuple(f"%{stem}{number}" for stem in stems)
            self.emit(f"{', '.join(names)} = {lines[0]}", len(lines) == 1)
            for count, line in enumerate(lines[1:], 2):
                self.emit(line, count == len(lines))
        return self._known[lines]

    def finish(self, title, outputs):
        """The module as text for people, with the places as comments, and for the
        compiler, with the places as locations, which messages and profiles show.
        `outputs` has a name, a value and a type for each."""
        people, compiler, last = [], [], ""
        for line, place, ends in self._body:
            if place != last and place:
                people += ["", f"// {place}"]
            last = place
            people.append(line)
            compiler.append(f'{line} loc("{place}")' if place and ends else line)
        return tuple(self._write(title, outputs, body) for body in (people, compiler))

    def _write(self, title, outputs, body):
        arguments = ",\n    ".join(
            f'{word}: {type} {{sparseconv.name = "{name}"}}'
            for word, name, type in self._arguments
        )
        results = ",\n    ".join(
            f'{type} {{sparseconv.name = "{name}"}}' for name, _, type in outputs
        )
        values = ", ".join(value for _, value, _ in outputs)
        types = ", ".join(type for _, _, type in outputs)
        lines = [f"// {title}", ""]
        lines += [f"{alias} = {text}" for alias, text in self._aliases.items()]
        lines += ["", f"func.func @main(\n    {arguments}\n) -> (\n    {results}\n) {{"]
        lines += [f"  {line}".rstrip() for line in body]
        lines += [f"  return {values} : {types}", "}"]
        return "\n".join(lines) + "\n"


def write_number(number, element):
    """A number as a constant of an element type."""
    if element == "i1":
        return "true" if number else "false"
    if element.startswith("i"):
        return f"{int(number)} : {element}"
    bits = {"f32": torch.int32, "f16": torch.int16, "bf16": torch.int16}[element]
    dtype = next(dtype for dtype, name in TYPES.items() if name == element)
    value = torch.tensor(number, dtype=dtype)
    if value.isfinite() and "e" not in repr(float(value)):
        return f"{float(value)!r} : {element}"
    width = 8 if element == "f32" else 4
    pattern = value.view(bits).item() & ((1 << 4 * width) - 1)
    return f"0x{pattern:0{width}X} : {element}"
