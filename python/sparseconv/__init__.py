# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tools around sparseconv IR: networks as IR files, and weights for them."""
