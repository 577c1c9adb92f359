# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's way to change features."""

__all__ = ["fapply"]


def fapply(input, fn, *args, **kwargs):
    """The tensor with features that a function makes of its own."""
    return input.replace(fn(input.feats, *args, **kwargs))
