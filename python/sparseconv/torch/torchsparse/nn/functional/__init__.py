# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's functions, in its modules."""

from .. import config as conv_config
from ..config import (
    ConvMode,
    Dataflow,
    clear_global_conv_config,
    get_conv_mode,
    get_default_conv_config,
    get_downsample_mode,
    get_global_conv_config,
    get_kmap_mode,
    set_conv_mode,
    set_downsample_mode,
    set_global_conv_config,
    set_kmap_mode,
)
from ..conv import conv3d
from .activation import leaky_relu, relu, silu
from .count import spcount
from .crop import spcrop
from .devoxelize import calc_ti_weights, spdevoxelize
from .hash import sphash
from .pooling import global_avg_pool, global_max_pool
from .query import sphashquery
from .voxelize import spvoxelize

__all__ = [
    "ConvMode", "Dataflow", "calc_ti_weights", "clear_global_conv_config", "conv3d",
    "conv_config", "get_conv_mode", "get_default_conv_config", "get_downsample_mode",
    "get_global_conv_config", "get_kmap_mode", "global_avg_pool", "global_max_pool",
    "leaky_relu", "relu", "set_conv_mode", "set_downsample_mode", "set_global_conv_config",
    "set_kmap_mode", "silu", "spcount", "spcrop", "spdevoxelize", "sphash", "sphashquery",
    "spvoxelize",
]  # fmt: skip
