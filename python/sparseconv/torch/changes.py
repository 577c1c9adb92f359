# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes in place of coordinates that users see, which maps do not know of."""

import torch

from ..errors import ArgumentError


def get_version(tensor):
    """A number that changes where a tensor is changed in place, if torch counts it."""
    if torch.compiler.is_compiling() or tensor.is_inference():
        return None
    return tensor._version


class Handed:
    """The coordinates that users see of a set, as they were then. A set knows these
    alone: would it know who gave them, which has the set, its maps would stay in memory
    until Python looks for cycles."""

    def __init__(self, indices):
        self.indices, self._version = indices, get_version(indices)

    def __getstate__(self):
        return self.indices, self.has_changed()

    def __setstate__(self, state):
        """Copies count their changes from 0 on."""
        self.indices, has_changed = state
        self._version = -1 if has_changed else get_version(self.indices)

    def has_changed(self):
        if self._version is None or torch.compiler.is_compiling():
            return False
        return self.indices._version != self._version

    def check(self):
        """Raises an error if they have been changed since."""
        if self.has_changed():
            raise ArgumentError(
                "the coordinates of this tensor were changed in place, which its maps do "
                "not know; make a new tensor of changed coordinates"
            )
