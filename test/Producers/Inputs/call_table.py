"""Prints the rows of the table of calls that the pass knows, as its remarks tell.

usage: call_table.py
"""

import os
import re
import subprocess


def ask(name, attributes="", operands=0):
    """The remark on a call that is wrong in one thing, without results."""
    values = "".join(f'%{i} = "a"() : () -> i1\n' for i in range(operands))
    names = ", ".join(f"%{i}" for i in range(operands))
    types = ", ".join(["i1"] * operands)
    call = f"""{values}"stablehlo.custom_call"({names}) <{{
        call_target_name = "sparseconv.{name}",
        backend_config = {{{attributes}}}}}> : ({types}) -> ()"""
    command = ["sparseconv-opt", "--allow-unregistered-dialect"]
    command += ["--sparseconv-raise-custom-calls", "-o", os.devnull]
    run = subprocess.run(
        command, input=call, text=True, capture_output=True, check=True
    )
    return re.search("left as it is: (.*)", run.stderr).group(1)


def get_names(remark):
    return re.search(r"\((.*?)\)", remark).group(1).split(", ")


def code(names):
    return ", ".join(f"`{name}`" for name in names if name)


for name in ask("").split("but ")[1].split(", "):
    operands = get_names(ask(name))
    results = get_names(ask(name, operands=len(operands)))
    attributes = ask(name, "unknown").split("but ")[1].split(", ")
    print(f"| `{name}` | {code(operands)} | {code(results)} | {code(attributes)} |")
