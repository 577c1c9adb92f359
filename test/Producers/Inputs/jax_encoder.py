"""Prints a module that JAX exports with calls of sparseconv, in generic form.

usage: jax_encoder.py [ROWS]

Without ROWS the number of points is a symbol. The network: two submanifold
convolutions, one to the coarser grid that the caller's points lie in, and the mean
of each batch item. Points of batch index -1 fill up what a static size leaves.
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

PACKING = {
    "bits": np.array([8, 20, 20, 16]),
    "guard": np.int64(4),
    "clip": (-64, -64, -64, 64, 64, 64),
}
NAMES = ("conv", "global_pool")


def call(name, shape, *operands, **attributes):
    return jax.ffi.ffi_call(f"sparseconv.{name}", shape)(
        *operands, **PACKING, **attributes
    )


def conv(points, out_points, x, w, **attributes):
    shape = jax.ShapeDtypeStruct((out_points.shape[0], w.shape[-1]), x.dtype)
    return call("conv", shape, points, out_points, x, w, **attributes)


def network(points, coarse, x, w0, w1, w2):
    y = conv(points, points, x, w0, kernel_size=np.array([3, 3, 3]))
    y = conv(points, points, y, w1, kernel_size=np.int64(3))
    y = conv(points, coarse, y, w2, kernel_size=(2, 2, 2), out_stride=2)
    mean = jax.ShapeDtypeStruct((2, w2.shape[-1]), x.dtype)
    return y, call("global_pool", mean, coarse, y, kind="avg", stride=2)


def main(rows):
    def shape(*sizes, dtype=jnp.float32):
        return jax.ShapeDtypeStruct(sizes, dtype)

    n = int(rows) if rows else export.symbolic_shape("n")[0]
    arguments = [shape(n, 4, dtype=jnp.int32)] * 2 + [shape(n, 4)]
    arguments += [shape(27, 4, 8), shape(27, 8, 8), shape(8, 8, 16)]
    check = export.DisabledSafetyCheck.custom_call
    checks = [check(f"sparseconv.{name}") for name in NAMES]
    exported = export.export(
        jax.jit(network), platforms=["cpu"], disabled_checks=checks
    )(*arguments)

    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir

    with mlir.make_ir_context():
        module = ir.Module.parse(exported.mlir_module())
        print(module.operation.get_asm(print_generic_op_form=True))


main(sys.argv[1] if len(sys.argv) > 1 else "")
