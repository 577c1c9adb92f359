//===- SparseConvKernelSizeOps.td - numbers of the device --*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNEL_SIZE_OPS
#define SPARSECONV_KERNEL_SIZE_OPS

include "sparseconv/Dialect/SparseConv/IR/SparseConvKernelOpBase.td"

//===----------------------------------------------------------------------===//
// Numbers that the device knows
//===----------------------------------------------------------------------===//

def SparseConv_NumberBuffer
    : ConfinedType<MemRefRankOf<[AnySignlessInteger, Index, AnyFloat], [1]>,
                   [CPred<"::llvm::cast<MemRefType>($_self).getDimSize(0) == 1">],
                   "a buffer of one number">;

def SparseConv_DeviceScalarOp : SparseConv_Op<"kernel.device_scalar", [
    TypesMatchWith<"result has the element type of the buffer", "buffer",
                   "result", "::llvm::cast<MemRefType>($_self).getElementType()">]> {
  let summary = "a number in a buffer of the device";
  let description = [{
    ```mlir
    %n = sparseconv.kernel.device_scalar %count at_most %bound : memref<1xindex>
    ```

    The number in a buffer of one element, which is written once, before this.
    The host does not read it. Kernels that need it load it; where the host
    needs a size it takes `bound`, which the number does not exceed.
  }];
  let arguments = (ins
    Arg<SparseConv_NumberBuffer, "", [MemRead]>:$buffer,
    Optional<Index>:$bound);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $buffer (`at_most` $bound^)? attr-dict `:` type($buffer)
  }];
}

def SparseConv_IndexBuffer
    : Type<And<[MemRefRankOf<[Index], [1]>.predicate,
                CPred<"::llvm::cast<MemRefType>($_self).getDimSize(0) == 1">]>,
           "a buffer of one index">,
      BuildableType<"::mlir::MemRefType::get({1}, $_builder.getIndexType())">;

def SparseConv_GrowableCapacityOp
    : SparseConv_Op<"kernel.growable_capacity", [Pure]> {
  let summary = "how much memory a set has that may grow from run to run";
  let description = [{
    ```mlir
    %limit, %capacity = sparseconv.kernel.growable_capacity %rows at_most %bound
        {op_id = 1 : i64}
    ```

    The capacity of a set made from `rows` rows, which never has more than
    `bound`. It is a number of the host, fixed before a run, that starts far below
    a bound which most inputs do not come near. Where network operation `op_id`
    reports that it has more rows, the run is repeated with a larger one. Kernels
    read it in the buffer `limit`, which none writes. So two of the same operands
    and `op_id` are one.
  }];
  let arguments = (ins Index:$rows, Index:$bound, I64Attr:$op_id);
  let results = (outs SparseConv_IndexBuffer:$limit, Index:$capacity);
  let assemblyFormat = "$rows `at_most` $bound attr-dict";
}

def SparseConv_ExactSizeOp : SparseConv_Op<"kernel.exact_size", [Pure]> {
  let summary = "a size that the host may read";
  let description = [{
    ```mlir
    %size = sparseconv.kernel.exact_size %count at_most %capacity
    ```

    Where the host needs a number of the device as a size. It is `capacity`,
    which is known before a run, unless a run reads counts (exact mode): then it
    is the number that a run leaves in `count`, which does not exceed `capacity`.
    A run writes a count once, so it does not matter where among the kernels the
    operation stands: it is pure, though it tells what a buffer holds.
  }];
  let arguments = (ins SparseConv_IndexBuffer:$count, Index:$capacity);
  let results = (outs Index:$result);
  let assemblyFormat = "$count `at_most` $capacity attr-dict";
}

#endif // SPARSECONV_KERNEL_SIZE_OPS
