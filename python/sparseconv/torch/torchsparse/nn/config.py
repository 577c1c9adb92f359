# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchsparse's settings of convolutions. Those of dataflows are kept and not used: here
the compiler chooses. Two say what is computed:

kmap_mode        "hashmap_on_the_fly", or "hashmap": windows of strided layers then lie
                 around the output, whatever their padding
downsample_mode  "spconv", or with "hashmap" also "minkowski": outputs of strided layers
                 at the inputs' coordinates divided by the stride"""

import enum

from ....errors import ArgumentError

_KMAP_MODES = ("hashmap_on_the_fly", "hashmap")
_DOWNSAMPLE_MODES = ("spconv", "minkowski")
_state = {
    "kmap_mode": _KMAP_MODES[0], "downsample_mode": _DOWNSAMPLE_MODES[0], "conv_mode": 0,
    "config": None,
}  # fmt: skip


class ConvMode(enum.IntEnum):
    mode0 = 0
    mode1 = 1
    mode2 = 2


class Dataflow(enum.Enum):
    ImplicitGEMM = 0
    GatherScatter = 1
    FetchOnDemand = 2
    CodedCSR = 3


class ConvConfig(dict):
    """A dictionary whose entries are attributes, too."""

    __getattr__ = dict.get
    __setattr__ = dict.__setitem__

    def copy(self):
        return ConvConfig(self)


def _set(name, value, values):
    if value not in values:
        known = ", ".join(map(str, values))
        raise ArgumentError(f"{name}: expects one of {known}, but found {value!r}")
    _state[name] = value


def get_kmap_mode():
    return _state["kmap_mode"]


def set_kmap_mode(kmap_mode):
    _set("kmap_mode", kmap_mode, _KMAP_MODES)


def get_downsample_mode():
    return _state["downsample_mode"]


def set_downsample_mode(downsample_mode):
    _set("downsample_mode", downsample_mode, _DOWNSAMPLE_MODES)


def get_conv_mode():
    return ConvMode(_state["conv_mode"])


def set_conv_mode(conv_mode):
    """Keeps a ConvMode or its number, which changes nothing: these modes of torchsparse are
    about dataflows."""
    _set("conv_mode", conv_mode, tuple(ConvMode))


def get_default_conv_config(conv_mode=None, training=False):
    return ConvConfig(
        dataflow=Dataflow.ImplicitGEMM, kmap_mode=get_kmap_mode(),
        downsample_mode=get_downsample_mode(),
    )  # fmt: skip


def get_global_conv_config():
    return _state["config"]


def set_global_conv_config(conv_config):
    _state["config"] = conv_config


def clear_global_conv_config():
    _state["config"] = None


def get_modes(config):
    """The two modes of a layer that was given `config`, or None."""
    config = config or get_global_conv_config() or {}
    return (
        config.get("kmap_mode") or get_kmap_mode(),
        config.get("downsample_mode") or get_downsample_mode(),
    )
