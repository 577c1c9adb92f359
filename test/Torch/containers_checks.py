# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Containers that are taken apart and put together, beside what torch's functions do."""

from collections import OrderedDict, namedtuple

import torch_checks
from sparseconv.torch.containers import Containers
from torch.utils._pytree import tree_flatten
from torch_checks import check, expect


class Whole(dict):
    """A dict that is a leaf."""


Point = namedtuple("Point", "x y")
EXAMPLES = [
    (1,),
    ({"a": 1, "b": [2, (3, 4)], "c": {}}, [], None, Whole(d=5)),
    ([1, {"a": (2,)}], {"b": Whole()}),
    (OrderedDict(a=1), [Point(2, 3)]),  # torch's functions alone know these
]


def is_whole(value):
    return isinstance(value, Whole)


def make_containers():
    return [Containers(example, is_whole) for example in EXAMPLES]


@check
def what_is_taken_is_put_back(device):
    for example, containers in zip(EXAMPLES, make_containers()):
        leaves = containers.take(example)
        expected, _ = tree_flatten(example, is_whole)
        expect(len(leaves) == len(expected) == containers.count(example))
        expect(all(a is b for a, b in zip(leaves, expected)), f"{leaves} of {example}")
        numbers = list(range(len(leaves)))
        made = containers.put(numbers)
        expect(type(made) is tuple and containers.take(made) == numbers, f"{made}")
        expect(containers.put(leaves) == example)


@check
def other_containers_are_told_apart(device):
    one, nested, _, known = make_containers()
    expect(one.take((Whole(),)) == [Whole()])
    for other in ((), (1, 2), [1], ((1,),), ({},), ({"a": 1},)):
        expect(one.take(other) is None, f"{other}")
    first, *rest = EXAMPLES[1]
    others = [
        {"a": 1, "b": [2, (3, 4)]},
        {"a": 1, "b": [2, (3, 4)], "d": {}},
        {"a": 1, "b": [2, [3, 4]], "c": {}},
        {"a": 1, "b": (2, (3, 4)), "c": {}},
        {"a": 1, "b": [2, (3, 4, 5)], "c": {}},
        {"a": [1], "b": [2, (3, 4)], "c": {}},
        OrderedDict(first),
    ]
    for other in others:
        expect(nested.take((other, *rest)) is None, f"{other}")
    expect(known.take((OrderedDict(b=1), [Point(2, 3)])) is None)
    expect(known.take((OrderedDict(a=4), [Point(5, 6)])) == [4, 5, 6])


@check
def keys_have_no_order(device):
    nested = make_containers()[1]
    first, *rest = EXAMPLES[1]
    turned = {key: first[key] for key in reversed(first)}
    expect(nested.take((turned, *rest)) == nested.take(EXAMPLES[1]))
    # But where torch's functions are asked.
    mixed = Containers((OrderedDict(a=1), {"b": 2, "c": 3}), is_whole)
    expect(mixed.take((OrderedDict(a=1), {"c": 3, "b": 2})) is None)


if __name__ == "__main__":
    torch_checks.run()
