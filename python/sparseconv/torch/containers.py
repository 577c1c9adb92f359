# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nested containers that are taken apart and put together in each call.

Torch's own functions look at what a container is each time, which takes the host longer
than to tell a GPU of a run. Here that is looked at once, in an example."""

from torch.utils._pytree import tree_flatten, tree_unflatten

_KINDS = (dict, list, tuple)


class Containers:
    """The containers around the leaves of an example, in torch's sense but for what `is_leaf`
    takes for a leaf. Where all of them are plain dicts, lists and tuples, the keys of a dict
    may come in another order.

        containers = Containers(({"x": 1}, 2), is_leaf)
        containers.take(({"x": 3}, 4))  # [3, 4]; None for what is in other containers
        containers.put([5, 6])          # ({"x": 5}, 6)
    """

    def __init__(self, example, is_leaf):
        self._is_leaf = is_leaf
        self._spec = tree_flatten(example, is_leaf)[1]
        self._plain = _find_plain(example, is_leaf)

    @property
    def are_plain(self):
        """Whether nobody's code runs when they are put together."""
        return self._plain is not None

    def take(self, tree):
        if self._plain is not None:
            leaves = []
            if self._plain.take(tree, leaves):
                return leaves
        leaves, spec = tree_flatten(tree, self._is_leaf)
        return leaves if spec == self._spec else None

    def put(self, leaves):
        if self._plain is not None:
            return self._plain.put(iter(leaves))
        return tree_unflatten(leaves, self._spec)

    def count(self, tree):
        """The leaves of any tree."""
        return len(tree_flatten(tree, self._is_leaf)[0])


def _find_plain(tree, is_leaf):
    """What takes a tree of dicts, lists and tuples apart; None where others are in it."""
    kind = type(tree)
    if is_leaf(tree) or kind not in _KINDS:
        leaves, _ = tree_flatten(tree, is_leaf)
        return _Leaf() if len(leaves) == 1 and leaves[0] is tree else None
    parts = [_find_plain(part, is_leaf) for part in (tree.values() if kind is dict else tree)]
    if None in parts:
        return None
    return _Dict(list(zip(tree, parts))) if kind is dict else _Sequence(kind, parts)


class _Leaf:
    def take(self, tree, leaves):
        """Appends the leaves of a tree; returns whether it is in containers like those of
        the example. Of containers in place of a leaf only plain ones are known here; who
        reads the leaves refuses others."""
        if type(tree) in _KINDS:
            return False
        leaves.append(tree)
        return True

    def put(self, leaves):
        return next(leaves)


class _Dict:
    def __init__(self, parts):
        self._parts = parts

    def take(self, tree, leaves):
        if type(tree) is not dict or len(tree) != len(self._parts):
            return False
        return all(key in tree and part.take(tree[key], leaves) for key, part in self._parts)

    def put(self, leaves):
        return {key: part.put(leaves) for key, part in self._parts}


class _Sequence:
    def __init__(self, kind, parts):
        self._kind, self._parts = kind, parts

    def take(self, tree, leaves):
        if type(tree) is not self._kind or len(tree) != len(self._parts):
            return False
        return all(part.take(item, leaves) for part, item in zip(self._parts, tree))

    def put(self, leaves):
        return self._kind([part.put(leaves) for part in self._parts])
