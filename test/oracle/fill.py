#!/usr/bin/env python3
"""Fills in an example of an operation.

usage: fill.py NAME.mlir.in [parameter=value ...] > NAME.mlir
       fill.py NAME.mlir.in --list

The header of an example lists its parameters, one per line:

  // PARAM name = default ; what it may be
  // DERIVE name = expression of other parameters
  // WHEN parameter = value: name = text

A parameter takes, in this order, the value on the command line, the text of
the WHEN line that holds, the value of its DERIVE line, its default. Only the
Python standard library is needed.
"""

import ast
import re
import sys


class FillError(Exception):
    pass


def each(dim, value):
    """[value, value, ...], one per axis."""
    return [value] * dim


def times(lhs, rhs):
    return [a * b for a, b in zip(lhs, rhs)]


def over(lhs, rhs):
    return [a // b for a, b in zip(lhs, rhs)]


def cube(dim, size):
    """The offsets of a centred box with one size on all axes."""
    return "box<" + ", ".join([str(size)] * dim) + ">"


def shape(*sizes):
    """27x16x32"""
    flat = []
    for size in sizes:
        flat += size if isinstance(size, list) else [size]
    return "x".join(map(str, flat))


def volume(offsets):
    """How many offsets the text of an offset set names."""
    if offsets.startswith("list<"):
        return offsets.count("[")
    count = 1
    for size in re.findall(r"\d+", offsets.split("dilation")[0]):
        count *= int(size)
    return count


FUNCTIONS = {f.__name__: f for f in (each, times, over, cube, shape, volume, len, str)}


class Parameter:
    def __init__(self, name, default, allowed):
        self.name, self.default, self.allowed = name, default, allowed

    def check(self, text):
        """Holds a value against the forms of 'allowed' that a program reads."""
        choices = re.match(r"one of (.*)", self.allowed)
        if choices and text not in [c.strip() for c in choices[1].split(",")]:
            raise FillError(f"{self.name} = '{text}' is not {self.allowed}")
        if not self.allowed.startswith("integer"):
            return
        bounds = re.match(r"integer (-?\d+) \.\. (-?\d+)", self.allowed)
        lower = re.match(r"integer >= (-?\d+)", self.allowed)
        if not re.fullmatch(r"-?\d+", text):
            raise FillError(f"{self.name} = '{text}' is no integer")
        if (bounds and not int(bounds[1]) <= int(text) <= int(bounds[2])) or (
            lower and int(text) < int(lower[1])
        ):
            raise FillError(f"{self.name} = '{text}' is not {self.allowed}")


class Template:
    """An example: its parameters, the rules between them, its text."""

    def __init__(self, text):
        self.parameters, self.rules, self.cases = {}, {}, []
        body = []
        for line in text.splitlines():
            if match := re.match(r"// PARAM (\w+) =(.*?) ; (.*)", line):
                name, default, allowed = match[1], match[2].strip(" "), match[3]
                self.parameters[name] = Parameter(name, default, allowed)
            elif match := re.match(r"// DERIVE (\w+) = (.*)", line):
                self.rules[match[1]] = match[2]
            elif match := re.match(r"// WHEN (\w+) = (.*?): (\w+) =(?: (.*))?$", line):
                self.cases.append((match[1], match[2], match[3], match[4] or ""))
            else:
                body.append(line)
        # An empty comment line ends the description, for the reader's eye only.
        body = [line for line in body if line != "//"]
        self.body = "\n".join(body).strip("\n") + "\n"

    def get_values(self, given):
        """The text of every parameter; `given` holds some of them."""
        for name, text in given.items():
            if name not in self.parameters:
                known = ", ".join(self.parameters)
                raise FillError(f"no parameter '{name}'; there are: {known}")
            self.parameters[name].check(text)
        values = {}
        for name, parameter in self.parameters.items():
            values[name] = self.get_value(parameter, given, values)
        for name, text in values.items():
            values[name] = re.sub(r"@(\w+)@", lambda m: values[m[1]], text)
        return values

    def get_value(self, parameter, given, values):
        if parameter.name in given:
            return given[parameter.name]
        for other, value, name, text in self.cases:
            if name == parameter.name and values[other] == value:
                if not text.startswith("="):
                    return text
                return self.evaluate(text[1:], values)
        if rule := self.rules.get(parameter.name):
            return self.evaluate(rule, values)
        return parameter.default

    def evaluate(self, expression, values):
        names = dict(FUNCTIONS)
        for name, text in values.items():
            try:
                names[name] = ast.literal_eval(text)
            except (SyntaxError, ValueError):
                names[name] = text
        return str(eval(expression, {"__builtins__": {}}, names))

    def fill(self, given):
        values = self.get_values(given)
        used = set(re.findall(r"@(\w+)@", self.body))
        if missing := used - set(values):
            raise FillError(f"placeholders without a parameter: {sorted(missing)}")
        header = [f"// {name} = {text}" for name, text in values.items()]
        body = re.sub(r"@(\w+)@", lambda match: values[match[1]], self.body)
        return "\n".join(header) + "\n\n" + body


def load(path):
    with open(path, encoding="utf-8") as source:
        return Template(source.read())


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments else 2
    try:
        template = load(arguments[0])
        if arguments[1:] == ["--list"]:
            for parameter in template.parameters.values():
                print(f"{parameter.name} = {parameter.default} ; {parameter.allowed}")
            return 0
        given = {}
        for argument in arguments[1:]:
            name, equals, text = argument.partition("=")
            if not equals:
                raise FillError(f"expected parameter=value, found '{argument}'")
            given[name] = text
        print(template.fill(given), end="")
    except (FillError, OSError) as error:
        print(f"fill.py: {arguments[0]}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
