# Part of the sparseconv project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of convolutions from other libraries, and back.

| library | weights | fastest axis |
|---|---|---|
| spconv 2, FlexGEMM | [out, k0, k1, ..., in] | the last one |
| WarpConvNet | [offsets, in, out], or [offsets, groups, in / groups, out / groups] | the last one |
| MinkowskiEngine | [offsets, in, out] | the first one |
| torchsparse | [offsets, in, out] | the first one if the number of offsets is odd, else the last one |

MinkowskiEngine and torchsparse leave out the axis of one offset.

spconv multiplies by the weights of one offset, where a layer keeps the coordinates, as
if they lay in memory as [in, out], whatever their shape says (its issues 450 and 772):
these are `pointwise` here."""

import math

from torch import Tensor, nn

from ..errors import ArgumentError, join_short
from . import conv

__all__ = [
    "from_library", "from_state_dict", "is_spconv_pointwise", "to_library", "to_state_dict",
]  # fmt: skip
_LAST_CHANNELS = ("spconv", "flexgemm")
_LISTS = ("minkowski", "torchsparse", "warpconvnet")
LIBRARIES = (*_LAST_CHANNELS, *_LISTS)


def _is_turned(library, kernel_size):
    """Whether the first axis is the fastest one."""
    if library == "torchsparse":
        return math.prod(kernel_size) % 2 == 1
    return library == "minkowski"


def _turn(weight, kernel_size):
    """A list of offsets in the other order, from that with axes of `kernel_size`."""
    dim = len(kernel_size)
    grid = weight.reshape(*kernel_size, *weight.shape[1:])
    order = (*reversed(range(dim)), *range(dim, grid.dim()))
    return grid.permute(order).reshape(weight.shape).contiguous()


def _check_name(library):
    if library not in LIBRARIES:
        raise ArgumentError(f"expects one of {', '.join(LIBRARIES)}, but found {library!r}")


def _check(library, weight, axes, shape):
    _check_name(library)
    if weight.dim() not in axes or tuple(weight.shape[: len(shape)]) != shape:
        start = "".join(f"{size}x" for size in shape)
        found = "x".join(map(str, weight.shape))
        raise ArgumentError(f"expects weights of {library} of {start}..., but found {found}")


def _check_sizes(kernel_size):
    if isinstance(kernel_size, int):
        raise ArgumentError("expects a kernel_size with a number for each axis, such as "
                            f"(3, 3, 3), but found {kernel_size}")  # fmt: skip
    return tuple(kernel_size)


def is_spconv_pointwise(layer):
    """Whether spconv takes a layer, a convolution of `sparseconv.torch`, for a product of
    features and one matrix."""
    keeps = not isinstance(layer, conv._SparseInverseConv) and max(layer.window.stride) == 1
    return keeps and layer.window.volume == 1


def from_library(library, weight, kernel_size, pointwise=False):
    """The weights of a layer here from those of another library.

    library      "spconv", "flexgemm", "minkowski", "torchsparse" or "warpconvnet"
    weight       a tensor of the shape that the library has, as the table above says
    kernel_size  the number of offsets on each axis
    pointwise    for spconv's of one offset, where `is_spconv_pointwise` is true of the layer

    Gives [offsets, in, out], or [offsets, groups, in / groups, out / groups]. Another
    library or shape is an `ArgumentError`.

        weight = sct.weights.from_library("minkowski", kernel, (3, 3, 3))
    """
    kernel_size = _check_sizes(kernel_size)
    dim, volume = len(kernel_size), math.prod(kernel_size)
    if library in _LAST_CHANNELS:
        _check(library, weight, (dim + 2,), (weight.shape[0], *kernel_size))
        if pointwise and library == "spconv":
            return weight.reshape(1, weight.shape[-1], weight.shape[0])
        weight = weight.permute(*range(1, dim + 2), 0)
        return weight.reshape(volume, *weight.shape[dim:]).contiguous()
    if volume == 1 and weight.dim() == 2 and library in ("minkowski", "torchsparse"):
        weight = weight[None]
    _check(library, weight, (3, 4) if library == "warpconvnet" else (3,), (volume,))
    if _is_turned(library, kernel_size):
        return _turn(weight, tuple(reversed(kernel_size)))
    return weight.clone()


def to_library(library, weight, kernel_size, pointwise=False):
    """The weights of another library from those of a layer here: the opposite of
    `from_library`.

    library      "spconv", "flexgemm", "minkowski", "torchsparse" or "warpconvnet"
    weight       [offsets, in, out], or for warpconvnet with groups, too
    kernel_size  the number of offsets on each axis
    pointwise    as for `from_library`

    Gives a tensor of the library's shape. Another library or shape is an `ArgumentError`.

        kernel = sct.weights.to_library("minkowski", layer.weight, (3, 3, 3))
    """
    kernel_size = _check_sizes(kernel_size)
    dim, volume = len(kernel_size), math.prod(kernel_size)
    _check(library, weight, (3, 4) if library == "warpconvnet" else (3,), (volume,))
    if library in _LAST_CHANNELS:
        if pointwise and library == "spconv":
            return weight.reshape(weight.shape[2], *kernel_size, weight.shape[1]).clone()
        weight = weight.reshape(*kernel_size, *weight.shape[1:])
        return weight.permute(dim + 1, *range(dim + 1)).contiguous()
    if volume == 1 and library in ("minkowski", "torchsparse"):
        return weight[0].clone()
    return _turn(weight, kernel_size) if _is_turned(library, kernel_size) else weight.clone()


# Whole models -------------------------------------------------------------------

#: Where it is not "weight", what a library calls the weights of a convolution.
_NAMES = {"minkowski": "kernel", "torchsparse": "kernel"}
_NORMS = (nn.modules.batchnorm._NormBase, nn.LayerNorm, nn.GroupNorm)
#: The modules of torch that a library wraps, and the names within its wrappers.
_WRAPPERS = {
    "minkowski": ((_NORMS, "bn"), ((nn.Linear,), "linear")),
    "warpconvnet": ((_NORMS, "norm"),),
}


def _get_name(library, name, module):
    """What a parameter or buffer `name` of a module here is called in a library."""
    path, _, leaf = name.rpartition(".")
    if isinstance(module, conv.Convolution):
        leaf = _NAMES.get(library, "weight") if leaf == "weight" else leaf
    for kinds, wrapper in _WRAPPERS.get(library, ()):
        if isinstance(module, kinds):
            path = f"{path}.{wrapper}" if path else wrapper
    return f"{path}.{leaf}" if path else leaf


def _list_parameters(library, model):
    """The name here, the name there, the module and the value of all in a model's state
    dict."""
    _check_name(library)
    for path, module in model.named_modules():
        if isinstance(module, conv.Convolution):
            _check_layer(library, f"{path}.weight" if path else "weight", module)
    for name, value in model.state_dict().items():
        module = model.get_submodule(name.rpartition(".")[0])
        if not isinstance(value, Tensor):
            continue  # what a module keeps beside its tensors is its own
        yield name, _get_name(library, name, module), module, value


def _check_layer(library, name, layer):
    """That a layer here meets the inputs that the library's would."""
    window = layer.window
    if layer.weight_name != "weight" or layer.weight.shape[0] != window.volume:
        raise ArgumentError(
            f"{name}: a layer under another library's name has its weights already; load that "
            "library's state dict as it is"
        )
    left = [n for n, _ in layer.named_parameters() if n not in ("weight", "bias")]
    if left:
        raise ArgumentError(
            f"{name}: expects a layer with a weight and a bias, but found {join_short(left)}; "
            "remove what torch has put over the weight first"
        )
    is_subm = isinstance(layer, conv._SubMConv)
    is_floor = getattr(layer, "output", None) == "floor"
    floors = library in ("minkowski", "warpconvnet")
    # Their kernels of odd size are centred in every layer that makes coordinates.
    is_centred = floors and isinstance(layer, (conv._SparseConv, conv._SparseConvTranspose))
    if isinstance(layer, conv._SparseConv) and max(window.stride) > 1 and floors != is_floor:
        how = "floor" if floors else "cover"
        raise ArgumentError(f"{name}: {library} has a strided layer with output={how!r}")
    if not (is_subm or is_floor or is_centred) or library == "flexgemm":
        return
    even = [k % 2 == 0 for k in window.size]
    if library == "torchsparse":
        even = [any(even)] * len(even)
    places = [0 if e else k // 2 for k, e in zip(window.size, even)]
    if library == "spconv":
        places = [k // 2 for k in window.size]
    expected = tuple(p * d for p, d in zip(places, window.dilation))
    if window.padding != expected:
        anchors = [
            f"anchor={anchor!r}"
            for anchor, get_place in conv.ANCHORS.items()
            if tuple(get_place(k) * d for k, d in zip(window.size, window.dilation)) == expected
        ]
        what = " or ".join(anchors) if is_subm else f"padding={expected}"
        raise ArgumentError(
            f"{name}: the kernel of {library} with the size {window.size} begins elsewhere; "
            + (f"make the layer with {what}" if what else "no layer here has that kernel")
        )


def from_state_dict(library, state, model, strict=True):
    """A state dict for `model`, whose convolutions are layers here, from that of the same
    model in another library: with its weights as they are here, and with names that a
    library changes (`kernel`, `norm.bn.weight`) as torch has them. `strict=False` leaves
    out what one of the two has not.

    Another library or shape, a layer with another window than the library's, and with
    `strict` what one of the two has not, are an `ArgumentError`.

        model.load_state_dict(sct.weights.from_state_dict("minkowski", state, model))
    """
    result, used, missing = {}, set(), []
    for name, there, module, value in _list_parameters(library, model):
        if there not in state:
            if not name.endswith("num_batches_tracked"):
                missing.append(there)
            continue
        used.add(there)
        found = state[there]
        if isinstance(module, conv.Convolution):
            if name.endswith("weight"):
                pointwise = is_spconv_pointwise(module)
                found = from_library(library, found, module.window.size, pointwise)
            else:
                found = found.reshape(-1)
        if found.shape != value.shape:
            raise ArgumentError(
                f"{there}: expects the shape {tuple(value.shape)}, but found "
                f"{tuple(found.shape)}"
            )
        result[name] = found
    left = [name for name in state if name not in used]
    for names, text in ((missing, "has no"), (left, "has, but the model has not,")):
        if strict and names:
            raise ArgumentError(f"the state dict {text} {join_short(names)}")
    return result


def to_state_dict(library, model):
    """The state dict of a model of layers here, as another library has it: the opposite of
    `from_state_dict`, with the same errors.

        torch.save(sct.weights.to_state_dict("minkowski", model), "model.pth")
    """
    result = {}
    for name, there, module, value in _list_parameters(library, model):
        if isinstance(module, conv.Convolution):
            if name.endswith("weight"):
                pointwise = is_spconv_pointwise(module)
                value = to_library(library, value, module.window.size, pointwise)
            elif library == "minkowski":
                value = value[None]
        result[there] = value
    return result
