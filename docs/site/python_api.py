# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the reference pages of the Python packages from their docstrings.

usage: python_api.py PYTHON FOLDER

PYTHON is the folder of the packages, FOLDER gets a page for each of PAGES. Sources are
read, not imported, as that needs torch. A public name without a docstring is an error.
"""

import ast
import os
import re
import sys

import docstrings
from python_sources import Module, has_decorator, list_arguments, list_members

#: The pages: titles, the modules whose exports they have, and classes that these do not
#: export but that functions give.
PAGES = {
    "python": ("Python", ["sparseconv", "sparseconv.progress"], [
        "sparseconv.module.PlanModule", "sparseconv.module.CudaModule",
        "sparseconv.cuda_functions.CudaFunction"]),
    "python-torch": ("Python: PyTorch", ["sparseconv.torch", "sparseconv.torch.weights"], []),
    "python-plot": ("Python: pictures", ["sparseconv.plot"], []),
}  # fmt: skip
#: What has the names of other libraries, of which a page has lists.
DROP_INS = {
    "python-torch": ["sparseconv.torch.spconv", "sparseconv.torch.torchsparse",
                     "sparseconv.torch.torchsparse.nn"],
}  # fmt: skip
HEADINGS = {"class": "Classes", "function": "Functions", "exception": "Errors"}


class Entry:
    """A function, or the classes that one definition makes."""

    def __init__(self, module, name, source, node):
        self.module, self.names, self.source, self.node = module, [name], source, node
        self.kind, self.members = "function", []
        if isinstance(node, ast.ClassDef):
            self.kind = "exception" if name.endswith("Error") else "class"
            self.members = list_members(node)

    def get_arguments(self):
        """What it is called with. A class that does not describe its arguments is one
        that users make no objects of."""
        if self.kind == "function":
            return list_arguments(self.node)
        described = docstrings.has_arguments(ast.get_docstring(self.node) or "")
        return self.source.find_arguments(self.node) if described else ""


def list_entries(root, modules, also):
    entries = {}
    for path in [f"{module}.*" for module in modules] + also:
        module, _, name = path.rpartition(".")
        module = Module(root, module)
        for name in module.list_names() if name == "*" else [name]:
            source, node = module.find(name)
            if node is None:  # a module, whose names are listed by themselves
                continue
            key = module.name, source.name, node.name
            if key in entries:
                entries[key].names.append(name)
            else:
                entries[key] = Entry(module.name, name, source, node)
    return list(entries.values())


class Page:
    """A page in reStructuredText. `known` has the full names of what it can link to, by
    what docstrings call it."""

    def __init__(self, title, known):
        self.known, self.lines = known, []
        self.add_heading(title, "=")

    def add(self, *lines, depth=0):
        self.lines += [" " * depth + line if line else "" for line in lines]

    def add_heading(self, text, mark):
        self.add("", text, mark * len(text), "")

    def add_docstring(self, name, node, depth=0, arguments="", scope=""):
        """What a name is. Its own arguments are no links."""
        text = ast.get_docstring(node)
        if not text:
            raise LookupError(f"no docstring: {name}")

        def link(code):
            full = self.known.get(f"{scope}.{code}") or self.known.get(code)
            if full and not re.search(rf"\b{re.escape(code)}\b", arguments):
                return f":py:obj:`{code} <{full}>`"
            return f"``{code}``"

        self.add(*docstrings.convert(text, link), depth=depth)

    def add_entry(self, entry):
        node, arguments = entry.node, entry.get_arguments()
        head = f".. py:{entry.kind}:: "
        for name in entry.names:
            self.add(f"{head}{name}{arguments}")
            head = " " * len(head)
        self.add("")
        name = entry.names[0]
        if entry.kind == "exception":
            self.add(f"   A kind of {' and '.join(ast.unparse(base) for base in node.bases)}.", "")
        self.add_docstring(f"{entry.module}.{name}", node, 3, arguments, name)
        for member in entry.members:
            self.add_member(entry, member)

    def add_member(self, entry, member):
        arguments = list_arguments(member, 1)
        is_property = has_decorator(member, "property")
        kind = "property" if is_property else "method"
        self.add(f".. py:{kind}:: {member.name}{'' if is_property else arguments}", depth=3)
        if has_decorator(member, "classmethod"):
            self.add("   :classmethod:", depth=3)
        self.add("")
        name = f"{entry.module}.{entry.names[0]}.{member.name}"
        self.add_docstring(name, member, 6, arguments, entry.names[0])

    def add_module(self, module, entries):
        self.add(f".. py:module:: {module.name}", "")
        self.add_docstring(module.name, module.tree)
        for kind, heading in HEADINGS.items():
            found = [entry for entry in entries if entry.kind == kind]
            if 0 < len(found) < len(entries):
                self.add_heading(heading, "-")
            for entry in found:
                self.add_entry(entry)

    def add_drop_ins(self, modules):
        self.add_heading("Names of other libraries", "-")
        self.add("What these packages export is what their libraries have under the same names.",
                 "The page about :doc:`migration` says what differs.", "")  # fmt: skip
        for module in modules:
            names = ", ".join(f"``{name}``" for name in module.list_names())
            self.add(f"``{module.name}``", f"   {names}", "")


def make_known(entries):
    known = {}
    for entry in entries:
        known[entry.module] = entry.module
        for name in entry.names:
            full = f"{entry.module}.{name}"
            known[full] = full
            known.setdefault(name, full)
            for member in entry.members:
                known[f"{name}.{member.name}"] = f"{full}.{member.name}"
    return known


def main():
    root, folder = sys.argv[1:]
    entries = {page: list_entries(root, *rest) for page, (_, *rest) in PAGES.items()}
    known = make_known(sum(entries.values(), []))
    os.makedirs(folder, exist_ok=True)
    for name, (title, *_) in PAGES.items():
        page = Page(title, known)
        modules = dict.fromkeys(entry.module for entry in entries[name])
        for number, module in enumerate(modules):
            if number:
                page.add_heading(module, "-")
            page.add_module(Module(root, module), [e for e in entries[name] if e.module == module])
        if name in DROP_INS:
            page.add_drop_ins([Module(root, module) for module in DROP_INS[name]])
        with open(os.path.join(folder, f"{name}.rst"), "w", encoding="utf-8") as file:
            file.write("\n".join(page.lines))


if __name__ == "__main__":
    try:
        main()
    except LookupError as error:
        sys.exit(f"python_api.py: {error.args[0]}")
