# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a reference page with what modules have once they are imported.

usage: check_api.py PAGE MODULE...

Every name in a module's `__all__` that is no module, and every public member of a class
that has members on the page, has to be there, once, with the arguments that it takes, and
has to have a docstring. Layers of torch have none: they are called.
"""

import ast
import importlib
import inspect
import re
import sys
import types

ENTRY = re.compile(r"^( *)(?:\.\. py:(\w+):: | {11,15})(\w+)(?:\((.*)\))?$")


def read_page(path):
    """{module.name or module.class.member: arguments, or None where there are none}"""
    found, module, names = {}, "", []
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith(".. py:module:: "):
                module = line.split()[-1]
            elif entry := ENTRY.match(line):
                is_member = entry[2] and entry[1]
                if not is_member:
                    names = [f"{module}.{entry[3]}"]
                for name in [f"{names[0]}.{entry[3]}"] if is_member else names:
                    if name in found:
                        raise SystemExit(f"{name} is there twice")
                    found[name] = entry[4]
    return found


def list_arguments(text):
    function = ast.parse(f"def f({text}): pass").body[0].args
    all_of_them = [*function.posonlyargs, *function.args, function.vararg, *function.kwonlyargs, function.kwarg]
    return sorted(argument.arg for argument in all_of_them if argument)


def check(page, name, item, is_method=False):
    if name not in page:
        raise SystemExit(f"{name} is not on the page")
    if not inspect.getdoc(item):
        raise SystemExit(f"{name} has no docstring")
    if page[name] is not None:
        taken = list(inspect.signature(item).parameters)[is_method:]
        if sorted(taken) != list_arguments(page[name]):
            raise SystemExit(f"{name} takes {taken}, but on the page {page[name]}")


def list_members(item):
    """The public functions and properties of a class, without those of its bases."""
    if any(base.__module__.startswith("torch.nn") for base in item.__mro__):
        return
    for name, member in vars(item).items():
        is_property = isinstance(member, property)
        if not name.startswith("_") and (is_property or callable(getattr(item, name))):
            if is_property or getattr(item, name).__name__ == name:  # no second name of one
                yield name, member


def main():
    page = read_page(sys.argv[1])
    count = 0
    for path in sys.argv[2:]:
        module = importlib.import_module(path)
        for name in module.__all__:
            item = getattr(module, name)
            if isinstance(item, types.ModuleType):
                continue
            check(page, f"{path}.{name}", item)
            members = list(list_members(item)) if isinstance(item, type) else []
            for member, found in members:
                is_method = isinstance(found, types.FunctionType)
                check(page, f"{path}.{name}.{member}", getattr(item, member), is_method)
            count += 1 + len(members)
    print(f"{count} names are on the page")


main()
