# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms as epilogues of convolutions.

Torch takes four kernels for a batch norm in eval mode, and one for the activation behind
it. Where a sequence has both behind a convolution, and there are no gradients to take,
the convolution scales, moves and rectifies its sums before it stores them."""

import weakref

import torch
from torch import nn
from torch.nn.modules import module as modules

from .conv import Convolution
from .programs import DTYPES, is_watched, read_parameter

#: What an activation is called in networks, by its exact class.
ACTIVATIONS = {nn.ReLU: "relu"}

#: For each norm what it had been folded from, its scale and its shift.
_folded = weakref.WeakKeyDictionary()


def run_with_norm(layer, rest, x):
    """The result of a layer together with the norm behind it, and the activation behind
    that, which are taken from `rest`, a deque of the modules behind the layer. None, and
    nothing taken, where they have to run one by one."""
    if not rest or not isinstance(layer, Convolution) or torch.is_grad_enabled():
        return None
    norm, features = rest[0], x.features
    if (
        not _folds(norm, layer.out_channels)
        or not _is_ours(layer)
        or not layer.takes_norm()
        or is_watched(features)
        or layer.is_product(features)
        or features.dtype not in DTYPES
        or not features.shape[0]
        or _is_hooked(layer, norm)
    ):
        return None
    rest.popleft()
    activation = ""
    if rest and type(rest[0]) in ACTIVATIONS and not _is_hooked(rest[0]):
        activation = ACTIVATIONS[type(rest.popleft())]
    return layer.run(x, (*_fold(norm, read_parameter(layer, "bias")), activation))


def _folds(norm, channels):
    """Whether a module scales and moves so many channels by what it has kept."""
    if type(norm) is not nn.BatchNorm1d or norm.training or norm.num_features != channels:
        return False
    mean = norm._buffers["running_mean"]
    return mean is not None and not mean.is_inference()


def _is_ours(layer):
    """Whether nobody has made another class of a layer's, which may do more."""
    return type(layer).__module__.startswith(__package__)


def _is_hooked(*users):
    """Whether somebody looks at what modules take or give."""
    if modules._global_forward_hooks or modules._global_forward_pre_hooks:
        return True
    return any(user._forward_hooks or user._forward_pre_hooks for user in users)


def _fold(norm, bias):
    """The scale and the shift of a norm, in f32: computed again where something that they
    are made of has changed."""
    parts = (
        norm._buffers["running_mean"], norm._buffers["running_var"],
        read_parameter(norm, "weight"), read_parameter(norm, "bias"), bias,
    )  # fmt: skip
    mark = [norm.eps, *[(p.data_ptr(), p._version) for p in parts if p is not None]]
    known, kept = _folded.get(norm, (None, None))
    if known != mark:
        mean, variance, weight, shift, bias = (None if p is None else p.float() for p in parts)
        scale = torch.rsqrt(variance + norm.eps)
        scale = scale if weight is None else scale * weight
        mean = mean if bias is None else mean - bias
        kept = scale, (0 if shift is None else shift) - mean * scale
        _folded[norm] = mark, kept
    return kept
