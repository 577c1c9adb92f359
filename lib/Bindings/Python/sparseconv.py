# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations and enumerations of the dialect, for MLIR's Python bindings.

Types and other attributes are parsed: `Type.parse("!sparseconv.coords<...>")`.
A context without the dialect has to allow unregistered ones.
"""

from ._sparseconv_enums_gen import *  # noqa: F403
from ._sparseconv_ops_gen import *  # noqa: F403
from ._sparseconv_ops_gen import _Dialect  # noqa: F401
