//===- SparseConvEnums.td - enumerations ------------------*- tablegen -*--===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_ENUMS
#define SPARSECONV_ENUMS

include "mlir/IR/EnumAttr.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.td"

class SparseConv_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::sparseconv";
  let genSpecializedAttr = 0;
}

def SparseConv_OutputRule : SparseConv_Enum<"OutputRule",
    "how the output set of a strided convolution is chosen", [
      I32EnumAttrCase<"Floor", 0, "floor">,
      I32EnumAttrCase<"Cover", 1, "cover">]>;
def SparseConv_OutputRuleAttr
    : EnumAttr<SparseConv_Dialect, SparseConv_OutputRule, "output_rule"> {
  let description = [{
    `floor`: every coordinate floored to the output stride. `cover`: every
    coordinate of the output grid with at least one partner under the relation
    of an offset set.
  }];
}

def SparseConv_Coarsening : SparseConv_Enum<"Coarsening",
    "how a coarser set is made", [
      I32EnumAttrCase<"Sort", 0, "sort">,
      I32EnumAttrCase<"Merge", 1, "merge">,
      I32EnumAttrCase<"Bitmap", 2, "bitmap">]>;
def SparseConv_CoarseningAttr
    : EnumAttr<SparseConv_Dialect, SparseConv_Coarsening, "coarsening"> {
  let description = [{
    `sort`: all coordinates are floored, or displaced to those that they meet, and
    sorted; equal ones become one. `merge`, for `floor`: a coarse coordinate is the
    cell of some columns of the finer set, each of which is sorted already. Look-ups
    in those columns say which coordinate is the first of its cell, and how many
    cells come before it. `bitmap`, for clip regions: the cells of the region are
    bits, which the coordinates set; those that are set are counted in order.
  }];
  let assemblyFormat = "`<` $value `>`";
}

def SparseConv_PoolKind : SparseConv_Enum<"PoolKind", "how rows are combined", [
      I32EnumAttrCase<"Max", 0, "max">,
      I32EnumAttrCase<"Avg", 1, "avg">,
      I32EnumAttrCase<"Sum", 2, "sum">]>;
def SparseConv_PoolKindAttr
    : EnumAttr<SparseConv_Dialect, SparseConv_PoolKind, "pool_kind"> {
  let description = [{
    `max` propagates NaN, ties go to the lowest offset; `avg` divides by the
    number of rows combined; `sum` adds. Nothing combined gives 0.
  }];
}

def SparseConv_CountKind : SparseConv_Enum<"CountKind",
    "what an average divides by", [
      I32EnumAttrCase<"Present", 0, "present">,
      I32EnumAttrCase<"Volume", 1, "volume">]>;
def SparseConv_CountKindAttr
    : EnumAttr<SparseConv_Dialect, SparseConv_CountKind, "count_kind"> {
  let description = [{
    `present`: the number of inputs that exist; `volume`: the number of offsets.
  }];
}

def SparseConv_Interpolation : SparseConv_Enum<"Interpolation",
    "how points and voxels exchange values", [
      I32EnumAttrCase<"Nearest", 0, "nearest">,
      I32EnumAttrCase<"Trilinear", 1, "trilinear">]>;
def SparseConv_InterpolationAttr
    : EnumAttr<SparseConv_Dialect, SparseConv_Interpolation, "interpolation"> {
  let description = [{
    `nearest`: the voxel whose cell holds the point. `trilinear`: the 2^D
    coordinates around the point, each with the product over the axes of
    1 - |p - c| / S as its weight; absent ones, and those of weight 0, contribute
    nothing.
  }];
}

def SparseConv_MapSide : SparseConv_Enum<"MapSide", "a side of a kernel map", [
      I32EnumAttrCase<"In", 0, "in">,
      I32EnumAttrCase<"Out", 1, "out">]>;
def SparseConv_MapSideAttr
    : EnumAttr<SparseConv_Dialect, SparseConv_MapSide, "map_side">;

def SparseConv_Gradient : SparseConv_Enum<"Gradient",
    "what an operation computes the gradient of a convolution by", [
      I32EnumAttrCase<"None", 0, "none">,
      I32EnumAttrCase<"Input", 1, "input">,
      I32EnumAttrCase<"Weights", 2, "weights">]>;

def SparseConv_RowOrder : SparseConv_Enum<"RowOrder",
    "the order in which the tiles of an implicit GEMM take rows", [
      I32EnumAttrCase<"Gray", 0, "gray">,
      I32EnumAttrCase<"Mask", 1, "mask">,
      I32EnumAttrCase<"Space", 2, "space">,
      I32EnumAttrCase<"Density", 3, "density">]>;
def SparseConv_RowOrderAttr
    : EnumAttr<SparseConv_Dialect, SparseConv_RowOrder, "row_order"> {
  let description = [{
    `gray`: by the rank of the rows' masks in the Gray code. `mask`: by the masks
    as numbers. In both, the offset that fewest rows of a sample have is the
    highest bit. `space`: as `gray`, but within blocks of 16384 rows that follow
    each other in the set (of a power of two more where the set has over 512
    such blocks, or over 8 where the map has up to 2^20 pairs), so that rows of
    a tile are not far from each other. `density`:
    as `space` where the rows of a sample have more than two fifths of the
    offsets, as on surfaces, and else as `gray`; a map of more than 32 offsets is
    ordered as by `gray`.
  }];
}

#endif // SPARSECONV_ENUMS
