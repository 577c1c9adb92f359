# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces models: see tracer.py. Each module beside it handles some of the operators."""

from . import elementwise, shapes, sparse, sums  # noqa: F401  (they register handlers)
from .tracer import Tracer

__all__ = ["Tracer"]
