# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what a reference page lists of packages under other libraries' names with what
these export, and looks for names that users of those libraries rely on beside.

usage: drop_in_names.py PAGE
"""

import importlib
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    lists = re.findall(r"^``(sparseconv\.torch\.[\w.]+)``\n   (.*)$", file.read(), re.M)
assert len(lists) == 3, lists
for path, names in lists:
    found, listed = importlib.import_module(path).__all__, re.findall(r"``(\w+)``", names)
    assert sorted(found) == sorted(listed), (path, set(found) ^ set(listed))

#: What models and scripts ask the modules of a library for.
RELIED_ON = {
    "spconv": "__version__ constants SparseConvolution is_spconv_module scatter_nd SparseModule "
    "SparseConvTensor SparseSequential SparseGlobalMaxOrAvgPool ToDense RemoveGrid ops identity",
    "spconv.constants": "SPCONV_ALLOW_TF32 SPCONV_USE_DIRECT_TABLE SPCONV_DO_SORT SPCONV_CPP_GEMM "
    "ALL_WEIGHT_IS_KRSC FILTER_HWIO",
    "spconv.core": "ConvAlgo ImplicitGemmIndiceData IndiceData SparseConvTensor expand_nd "
    "scatter_nd",
    "spconv.identity": "Identity",
    "spconv.ops": "ConvAlgo get_conv_output_size get_deconv_output_size",
    "spconv.pool": "SparseMaxPool SparseAvgPool",
    "spconv.conv": "SparseConvolution",
    "spconv.modules": "SparseModule SparseSequential is_spconv_module is_sparse_conv",
    "spconv.utils": "PointToVoxel Point2VoxelCPU1d Point2VoxelCPU2d Point2VoxelCPU3d "
    "Point2VoxelCPU4d gather_features_by_pc_voxel_id",
    "torchsparse": "__version__ PointTensor SparseTensor backend backends cat tensor tune",
    "torchsparse.backend": "GPUHashTable",
    "torchsparse.tensor": "get_allow_negative_coordinates set_allow_negative_coordinates",
    "torchsparse.nn.functional": "conv3d get_conv_mode set_conv_mode get_kmap_mode set_kmap_mode "
    "sphash sphashquery spcount spvoxelize spdevoxelize calc_ti_weights ConvMode Dataflow "
    "get_default_conv_config get_global_conv_config set_global_conv_config "
    "clear_global_conv_config",
    "torchsparse.nn.functional.devoxelize": "calc_ti_weights spdevoxelize",
    "torchsparse.nn.utils": "fapply get_kernel_offsets",
    "torchsparse.nn.utils.kernel": "get_kernel_offsets",
    "torchsparse.utils": "make_ntuple make_divisible make_tensor to_dense",
    "torchsparse.utils.tensor_cache": "TensorCache",
    "torchsparse.utils.to_dense": "to_dense",
    "torchsparse.utils.collate": "sparse_collate sparse_collate_fn",
    "torchsparse.utils.quantize": "sparse_quantize",
}
for path, names in RELIED_ON.items():
    module = importlib.import_module(f"sparseconv.torch.{path}")
    missing = [name for name in names.split() if not hasattr(module, name)]
    assert not missing, (path, missing)
versions = [importlib.import_module(f"sparseconv.torch.{n}").__version__ for n in
            ("spconv", "torchsparse")]  # fmt: skip
assert versions == ["2.3.8", "2.1.0"], versions
