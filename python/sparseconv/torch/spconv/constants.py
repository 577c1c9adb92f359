# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Switches of spconv that scripts set. They change nothing here: the compiler chooses how
maps are made, and `torch.backends.cuda.matmul.allow_tf32` permits tf32."""

#: What is true of the layers here: weights are [out, k0, k1, ..., in].
ALL_WEIGHT_IS_KRSC, FILTER_HWIO = True, False

SPCONV_ALLOW_TF32 = SPCONV_CPP_GEMM = SPCONV_DO_SORT = SPCONV_USE_DIRECT_TABLE = False
