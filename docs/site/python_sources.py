# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What modules of Python export, read from their sources without importing them."""

import ast
import os


class Module:
    """A module by its name with dots, in the folder of its package."""

    def __init__(self, root, name):
        self.root, self.name = root, name
        stem = os.path.join(root, *name.split("."))
        self.is_package = os.path.isdir(stem)
        path = os.path.join(stem, "__init__.py") if self.is_package else f"{stem}.py"
        with open(path, encoding="utf-8") as file:
            self.tree = ast.parse(file.read())

    def get_definitions(self):
        return [n for n in self.tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))]

    def list_names(self):
        """The items of `__all__`, those of other modules (`*conv.__all__`) included."""
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                for item in node.value.elts:
                    if isinstance(item, ast.Starred):
                        yield from self.find(item.value.value.id)[0].list_names()
                    else:
                        yield item.value

    def find(self, name):
        """The module and the definition of a name, None for that of a module. A class for
        1 to 4 axes has that of its private base: `SubMConv3d` that of `_SubMConv`."""
        for node in self.get_definitions():
            if node.name in (name, f"_{name[:-2]}"):
                return self, node
        package = self.name if self.is_package else self.name.rpartition(".")[0]
        for node in self.tree.body:
            if not isinstance(node, ast.ImportFrom) or not node.level:
                continue
            names = [alias.name for alias in node.names]
            if name in names and not node.module:
                return Module(self.root, f"{package}.{name}"), None
            if name in names or names == ["*"]:
                source = Module(self.root, f"{package}.{node.module}")
                if name in names or name in source.list_names():
                    return source.find(name)
        raise LookupError(f"{self.name}: no definition of {name}")

    def find_arguments(self, node):
        """Those of a class's constructor, which a base in this module may have."""
        for item in node.body:
            if isinstance(item, ast.FunctionDef) and item.name == "__init__":
                return list_arguments(item, 1)
        if has_decorator(node, "dataclasses.dataclass"):
            fields = (item.target.id for item in node.body if isinstance(item, ast.AnnAssign))
            return f"({', '.join(fields)})"
        bases = [ast.unparse(base) for base in node.bases]
        return "".join(self.find_arguments(n) for n in self.get_definitions() if n.name in bases)


def list_arguments(function, skipped=0):
    """The arguments of a function in brackets, without the first ones."""
    args = function.args
    kept = [*args.posonlyargs, *args.args][skipped:]
    rest = args.vararg, args.kwonlyargs, args.kw_defaults, args.kwarg, args.defaults
    return f"({ast.unparse(ast.arguments([], kept, *rest))})"


def has_decorator(node, name):
    return any(ast.unparse(decorator) == name for decorator in node.decorator_list)


def list_members(node):
    """The public functions of a class; a property is what reads it. Layers have none: like
    all modules of torch they are called."""
    names = [node.name, *map(ast.unparse, node.bases)]
    if any(name.startswith(("_", "nn.")) for name in names):
        return []
    found = [n for n in node.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")]
    return [n for n in found if not has_decorator(n, f"{n.name}.setter")]
