//===- SparseConvKernelOpBase.td - kernel operations -------*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second level of the dialect: sets are sorted keys, kernel maps are
// neighbour tables and pair lists, and each operation is one kernel, or one
// named group of kernels, of a target. All are in destination-passing style, on
// tensors before bufferization and on buffers after it.
//
// Lengths below: N, P, M rows; K offsets; D axes; C channels. `keys` holds
// packed coordinates in ascending order unless said otherwise. Each operation
// that can fail takes the `status` record as its last input and the number of
// the network operation that it came from (`op_id`).
//
// A destination holds nothing that is read, and what belongs to the result is
// written whole. The exceptions:
// - `unique` leaves `row_of` as it is where no key came from;
// - `to_dense` leaves a grid as it is where no row is;
// - `tile_rows` and `tile_hits` leave out offsets that no row nearby has;
// - `totals` of `tile_hits` are zeros before, and used up;
// - `counters` of `tiled_gemm` are zeros before and after.
// The first `count` elements of a destination with a count belong to the result.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNEL_OP_BASE
#define SPARSECONV_KERNEL_OP_BASE

include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvOpBase.td"

//===----------------------------------------------------------------------===//
// Operand types: a tensor or a buffer
//===----------------------------------------------------------------------===//

class SparseConv_Shaped<list<Type> elements, list<int> ranks>
    : AnyTypeOf<[TensorRankOf<elements, ranks>, MemRefRankOf<elements, ranks>]>;

class HasStaticSizes<list<int> sizes>
    : CPred<"::llvm::cast<::mlir::ShapedType>($_self).getShape() == "
            "::llvm::ArrayRef<int64_t>({" # !interleave(sizes, ", ") # "})">;

def SparseConv_KeysLike : SparseConv_Shaped<[I32, I64], [1]>;
def SparseConv_RowsLike : SparseConv_Shaped<[I32], [1]>;
def SparseConv_TableLike : SparseConv_Shaped<[I32], [2]>;
def SparseConv_PointsLike : SparseConv_Shaped<[I32], [2]>;
def SparseConv_RealsLike : SparseConv_Shaped<[F32], [2]>;
def SparseConv_SegmentsLike : SparseConv_Shaped<[I64], [2]>;
def SparseConv_MaskLike : SparseConv_Shaped<[I1], [1]>;
def SparseConv_CountLike
    : Type<And<[SparseConv_Shaped<[Index], [1]>.predicate,
                HasStaticSizes<[1]>]>, "one index, as a tensor or a buffer">;
def SparseConv_FeaturesLike : SparseConv_Shaped<[F32, F16, BF16], [2]>;
def SparseConv_WeightsLike : SparseConv_Shaped<[F32, F16, BF16], [3, 4]>;
/// Weights in another library's order of axes, which may be more.
def SparseConv_StoredWeightsLike : SparseConv_Shaped<[F32, F16, BF16], [3, 4, 5, 6]>;
def SparseConv_DenseLike : SparseConv_Shaped<[F32, F16, BF16], [3, 4, 5, 6]>;
def SparseConv_ExtraLike : SparseConv_Shaped<[F32, F16, BF16], [1, 2]>;

/// The status record of the compiled function: eight 64-bit integers.
def SparseConv_Status
    : Type<And<[StaticShapeMemRefOf<[I64]>.predicate, HasStaticSizes<[8]>]>,
           "the status record, a buffer of eight i64">;

//===----------------------------------------------------------------------===//
// Base
//===----------------------------------------------------------------------===//

/// `ins(...) outs(...)`: `firstInit` is the getter of the first operand of outs,
/// which are the last operands.
class SparseConv_KernelOp<string mnemonic, string firstInit,
                          list<Trait> traits = []>
    : SparseConv_Op<"kernel." # mnemonic,
        !listconcat([DestinationStyleOpInterface,
                     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>],
                    traits)> {
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  code inits = [{
    MutableOperandRange getDpsInitsMutable() {
      unsigned first = }] # firstInit # [{Mutable().getOperandNumber();
      return MutableOperandRange(getOperation(), first,
                                 getOperation()->getNumOperands() - first);
    }
  }];
  let extraClassDeclaration = inits;
  let extraClassDefinition = [{
    ParseResult $cppClass::parse(OpAsmParser &parser, OperationState &result) {
      return parseKernelOp(parser, result);
    }
    void $cppClass::print(OpAsmPrinter &printer) {
      printKernelOp(printer, *this);
    }
    void $cppClass::getEffects(
        SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
            &effects) {
      getKernelEffects(*this, effects);
    }
  }];
}

#endif // SPARSECONV_KERNEL_OP_BASE
