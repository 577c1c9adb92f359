# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's caches of tensors."""

from collections import UserDict

from ...caches import Cache

__all__ = ["TensorCache"]


class _Entries(UserDict):
    """What models note beside the sets and maps of an input. No layer reads it."""

    def __init__(self, caches, entries):
        super().__init__()
        self.caches, self.data = caches, entries


class TensorCache:
    """The sets and maps of an input, for other tensors at its coordinates:

        y._caches = x._caches

    What a model sets on it stays with all tensors that layers make of the input."""

    __slots__ = ("__dict__", "cache", "given")

    def __init__(self, given=None, cache=None, notes=None):
        self.given, self.cache = given, Cache() if cache is None else cache
        # Many of these may stand for one input, and none of them for it alone: the input
        # cannot hold one, which would hold it.
        self.__dict__ = self.cache.notes if notes is None else notes

    def __reduce__(self):
        return TensorCache, (self.given, self.cache, self.__dict__)

    def _list(self, name):
        return _Entries(self, self.__dict__.setdefault(name, {}))

    @property
    def cmaps(self):
        return self._list("cmaps")

    @property
    def kmaps(self):
        return self._list("kmaps")

    @property
    def hashmaps(self):
        return self._list("hashmaps")
