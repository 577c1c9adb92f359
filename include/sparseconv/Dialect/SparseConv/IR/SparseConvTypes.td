//===- SparseConvTypes.td - types -------------------------*- tablegen -*--===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TYPES
#define SPARSECONV_TYPES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonTypeConstraints.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.td"

class SparseConv_Type<string name, string typeMnemonic>
    : TypeDef<SparseConv_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def SparseConv_CoordsType : SparseConv_Type<"Coords", "coords"> {
  let summary = "a coordinate set";
  let description = [{
    ```mlir
    !sparseconv.coords<3, stride = [1, 1, 1], #packing>
    ```

    Distinct coordinates of Z^D with a batch index, in ascending key order. All
    are multiples of `stride`, in units of the finest grid. How many there are
    is known at run time only.

    Errors: D outside 1..4; a stride or a packing of another dimension; a stride
    below 1.
  }];
  let parameters = (ins
    "unsigned":$dim,
    ArrayRefParameter<"int64_t">:$stride,
    "::mlir::sparseconv::PackingAttr":$packing);
  let assemblyFormat =
      "`<` $dim `,` `stride` `=` `[` $stride `]` `,` $packing `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The same set type with another stride.
    CoordsType withStride(ArrayRef<int64_t> stride) const;
    IntegerType getKeyType() const;
  }];
}

def SparseConv_KernelMapType : SparseConv_Type<"KernelMap", "kernel_map"> {
  let summary = "a relation between two coordinate sets, by offset";
  let description = [{
    ```mlir
    !sparseconv.kernel_map<27, !fine to !half>
    ```

    For each row of the out set and each of `volume` offsets at most one row of
    the in set. Written `in to out`. Two sets of one type and size cannot be
    told apart: that features belong to a side is checked by row count, at run
    time.

    Errors: volume below 1; sides of different dimension or packing.
  }];
  let parameters = (ins
    "int64_t":$volume,
    "::mlir::sparseconv::CoordsType":$in,
    "::mlir::sparseconv::CoordsType":$out);
  let assemblyFormat = "`<` $volume `,` $in `to` $out `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Operand types
//===----------------------------------------------------------------------===//

def SparseConv_Element : AnyTypeOf<[F32, F16, BF16]>;

def SparseConv_Features
    : 2DTensorOf<[F32, F16, BF16]>;
def SparseConv_Weights
    : TensorRankOf<[F32, F16, BF16], [3, 4]>;
def SparseConv_Rows : 1DTensorOf<[I32]>;
def SparseConv_Points : 2DTensorOf<[I32]>;
def SparseConv_RealPoints : 2DTensorOf<[F32]>;
def SparseConv_Mask : 1DTensorOf<[I1]>;
def SparseConv_Dense : TensorRankOf<[F32, F16, BF16], [3, 4, 5, 6]>;

#endif // SPARSECONV_TYPES
