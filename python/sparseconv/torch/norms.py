# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms as epilogues of convolutions.

Torch takes four kernels for a batch norm in eval mode, and one for the activation behind
it. Where a sequence has both behind a convolution, and there are no gradients to take,
the convolution scales, moves and rectifies its sums before it stores them."""

import torch
from torch import nn
from torch.nn.modules import module as modules

from .conv import Convolution, is_plain
from .operands_ir import NORM_PARTS, Norm
from .programs import DTYPES, is_forward_mode, is_watched, read_parameter
from .tensor import SparseTensor

#: What an activation is called in networks, by its exact class.
ACTIVATIONS = {nn.ReLU: "relu"}
#: What modules of torch do, unless somebody has replaced that.
_FORWARDS = {kind: kind.forward for kind in (nn.BatchNorm1d, *ACTIVATIONS)}


def run_with_norm(layer, rest, x):
    """The result of a layer together with the norm behind it, and the activation behind
    that, which are taken from `rest`, a deque of the modules behind the layer. None, and
    nothing taken, where they have to run one by one."""
    if not rest or not isinstance(layer, Convolution) or torch.is_grad_enabled():
        return None
    if not isinstance(x, SparseTensor) or is_watched(x.features):
        return None  # the layer says what x is not
    norm, features = rest[0], x.features
    parts = _find_parts(norm, layer)
    if (
        parts is None
        or not _is_ours(layer)
        or not layer.takes_norm()
        or not is_plain(read_parameter(layer, layer.weight_name))
        or is_forward_mode()
        or layer.is_product(features)
        or features.dtype not in DTYPES
        or not features.shape[0]
        or _is_changed(layer, norm)
    ):
        return None
    rest.popleft()
    activation = ""
    if rest and type(rest[0]) in ACTIVATIONS and not _is_changed(rest[0]):
        activation = ACTIVATIONS[type(rest.popleft())]
    dtypes = tuple((name, DTYPES[part.dtype]) for name, part in parts)
    return layer.run(x, ([part for _, part in parts], Norm(activation, norm.eps, dtypes)))


def _find_parts(norm, layer):
    """What a module behind a layer scales and moves its channels by, with the names that
    this has in networks; None where it does something else. It is read anew in each call:
    torch does not tell of all that changes a parameter."""
    if type(norm) is not nn.BatchNorm1d or norm.training:
        return None
    if norm._buffers["running_mean"] is None:
        return None
    found = (
        norm._buffers["running_mean"], norm._buffers["running_var"],
        read_parameter(norm, "weight"), read_parameter(norm, "bias"),
        read_parameter(layer, "bias"),
    )  # fmt: skip
    parts = [(name, part) for name, part in zip(NORM_PARTS, found) if part is not None]
    size = (layer.out_channels,)
    fit = all(is_plain(p) and p.shape == size and p.dtype in DTYPES for _, p in parts)
    return parts if fit else None


def _is_ours(layer):
    """Whether nobody has made another class of a layer's, which may do more, or replaced
    what it does."""
    kind = type(layer)
    does_ours = kind.forward.__module__.startswith(__package__)
    is_wrapped = hasattr(kind.forward, "__wrapped__")
    return kind.__module__.startswith(__package__) and does_ours and not is_wrapped


def _is_changed(*users):
    """Whether somebody looks at what modules take or give, or has replaced what one
    does."""
    if modules._global_forward_hooks or modules._global_forward_pre_hooks:
        return True
    return any(
        user._forward_hooks or user._forward_pre_hooks or "forward" in user.__dict__
        or _FORWARDS.get(type(user), type(user).forward) is not type(user).forward
        for user in users
    )  # fmt: skip
