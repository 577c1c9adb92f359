// RUN: sparseconv-opt %s --sparseconv-fuse-transpositions | FileCheck %s

// Grids
//
// A detector's encoder ends in a grid with channels first. The kernel writes it so,
// and nothing transposes a grid that is mostly zeros.

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [8, 8, 8], #p>

// CHECK-LABEL: func.func @encoder(
// CHECK-SAME:    %[[X:.*]]: tensor<?x16xf16>, %[[KEYS:.*]]: tensor<?xi64>, %[[STATUS:.*]]: memref<8xi64>)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f16
// CHECK-DAG:     %[[EMPTY:.*]] = tensor.empty() : tensor<2x16x4x4x4xf16>
// CHECK:         %[[ZEROS:.*]] = linalg.fill ins(%[[ZERO]] : f16) outs(%[[EMPTY]] : tensor<2x16x4x4x4xf16>)
// CHECK:         %[[Y:.*]] = sparseconv.kernel.to_dense ins(%[[X]], %[[KEYS]], %[[STATUS]] : {{.*}}) outs(%[[ZEROS]] : tensor<2x16x4x4x4xf16>) {channels_first, op_id = 3 : i64, origin = array<i64: 8, 0, -16>, set = !coords_8_8_8}
// CHECK-NOT:     linalg.transpose
// CHECK:         return %[[Y]]
func.func @encoder(%x: tensor<?x16xf16>, %keys: tensor<?xi64>, %status: memref<8xi64>) -> tensor<2x16x4x4x4xf16> {
  %zero = arith.constant 0.0 : f16
  %room = tensor.empty() : tensor<2x4x4x4x16xf16>
  %zeros = linalg.fill ins(%zero : f16) outs(%room : tensor<2x4x4x4x16xf16>) -> tensor<2x4x4x4x16xf16>
  %grid = sparseconv.kernel.to_dense ins(%x, %keys, %status : tensor<?x16xf16>, tensor<?xi64>, memref<8xi64>)
      outs(%zeros : tensor<2x4x4x4x16xf16>)
      {op_id = 3 : i64, origin = array<i64: 8, 0, -16>, set = !set} -> tensor<2x4x4x4x16xf16>
  %empty = tensor.empty() : tensor<2x16x4x4x4xf16>
  %y = linalg.transpose ins(%grid : tensor<2x4x4x4x16xf16>) outs(%empty : tensor<2x16x4x4x4xf16>) permutation = [0, 4, 1, 2, 3]
  return %y : tensor<2x16x4x4x4xf16>
}

// The kernel stays in front of others that may report an error, and outside of a
// branch.
// CHECK-LABEL: func.func @branch(
// CHECK:         to_dense {{.*}}channels_first
// CHECK:         cf.assert
// CHECK:         scf.if
func.func @branch(%x: tensor<?x16xf16>, %keys: tensor<?xi64>, %status: memref<8xi64>, %other: tensor<2x16x4x4x4xf16>,
                  %is_taken: i1, %grid_init: tensor<2x4x4x4x16xf16>) -> tensor<2x16x4x4x4xf16> {
  %zero = arith.constant 0.0 : f16
  %zeros = linalg.fill ins(%zero : f16) outs(%grid_init : tensor<2x4x4x4x16xf16>) -> tensor<2x4x4x4x16xf16>
  %grid = sparseconv.kernel.to_dense ins(%x, %keys, %status : tensor<?x16xf16>, tensor<?xi64>, memref<8xi64>)
      outs(%zeros : tensor<2x4x4x4x16xf16>)
      {op_id = 3 : i64, origin = array<i64: 0, 0, 0>, set = !set} -> tensor<2x4x4x4x16xf16>
  cf.assert %is_taken, "what may report an error"
  %y = scf.if %is_taken -> tensor<2x16x4x4x4xf16> {
    %empty = tensor.empty() : tensor<2x16x4x4x4xf16>
    %t = linalg.transpose ins(%grid : tensor<2x4x4x4x16xf16>) outs(%empty : tensor<2x16x4x4x4xf16>) permutation = [0, 4, 1, 2, 3]
    scf.yield %t : tensor<2x16x4x4x4xf16>
  } else {
    scf.yield %other : tensor<2x16x4x4x4xf16>
  }
  return %y : tensor<2x16x4x4x4xf16>
}

// What something else reads has to be there anyway.
// CHECK-LABEL: func.func @other_reader(
// CHECK:         to_dense
// CHECK-NOT:     channels_first
// CHECK:         linalg.transpose
func.func @other_reader(%x: tensor<?x16xf16>, %keys: tensor<?xi64>, %status: memref<8xi64>)
    -> (tensor<2x16x4x4x4xf16>, tensor<2x4x4x4x16xf16>) {
  %zero = arith.constant 0.0 : f16
  %room = tensor.empty() : tensor<2x4x4x4x16xf16>
  %zeros = linalg.fill ins(%zero : f16) outs(%room : tensor<2x4x4x4x16xf16>) -> tensor<2x4x4x4x16xf16>
  %grid = sparseconv.kernel.to_dense ins(%x, %keys, %status : tensor<?x16xf16>, tensor<?xi64>, memref<8xi64>)
      outs(%zeros : tensor<2x4x4x4x16xf16>)
      {op_id = 3 : i64, origin = array<i64: 0, 0, 0>, set = !set} -> tensor<2x4x4x4x16xf16>
  %empty = tensor.empty() : tensor<2x16x4x4x4xf16>
  %y = linalg.transpose ins(%grid : tensor<2x4x4x4x16xf16>) outs(%empty : tensor<2x16x4x4x4xf16>) permutation = [0, 4, 1, 2, 3]
  return %y, %grid : tensor<2x16x4x4x4xf16>, tensor<2x4x4x4x16xf16>
}

// Other orders of axes stay: here the last two axes change places as well.
// CHECK-LABEL: func.func @other_order(
// CHECK:         to_dense
// CHECK-NOT:     channels_first
// CHECK:         linalg.transpose
func.func @other_order(%x: tensor<?x16xf16>, %keys: tensor<?xi64>, %status: memref<8xi64>) -> tensor<2x16x4x4x4xf16> {
  %zero = arith.constant 0.0 : f16
  %room = tensor.empty() : tensor<2x4x4x4x16xf16>
  %zeros = linalg.fill ins(%zero : f16) outs(%room : tensor<2x4x4x4x16xf16>) -> tensor<2x4x4x4x16xf16>
  %grid = sparseconv.kernel.to_dense ins(%x, %keys, %status : tensor<?x16xf16>, tensor<?xi64>, memref<8xi64>)
      outs(%zeros : tensor<2x4x4x4x16xf16>)
      {op_id = 3 : i64, origin = array<i64: 0, 0, 0>, set = !set} -> tensor<2x4x4x4x16xf16>
  %empty = tensor.empty() : tensor<2x16x4x4x4xf16>
  %y = linalg.transpose ins(%grid : tensor<2x4x4x4x16xf16>) outs(%empty : tensor<2x16x4x4x4xf16>) permutation = [0, 4, 1, 3, 2]
  return %y : tensor<2x16x4x4x4xf16>
}

// So do grids that hold something before.
// CHECK-LABEL: func.func @other_background(
// CHECK:         to_dense
// CHECK-NOT:     channels_first
// CHECK:         linalg.transpose
func.func @other_background(%x: tensor<?x16xf16>, %keys: tensor<?xi64>, %status: memref<8xi64>, %before: tensor<2x4x4x4x16xf16>)
    -> tensor<2x16x4x4x4xf16> {
  %grid = sparseconv.kernel.to_dense ins(%x, %keys, %status : tensor<?x16xf16>, tensor<?xi64>, memref<8xi64>)
      outs(%before : tensor<2x4x4x4x16xf16>)
      {op_id = 3 : i64, origin = array<i64: 0, 0, 0>, set = !set} -> tensor<2x4x4x4x16xf16>
  %empty = tensor.empty() : tensor<2x16x4x4x4xf16>
  %y = linalg.transpose ins(%grid : tensor<2x4x4x4x16xf16>) outs(%empty : tensor<2x16x4x4x4xf16>) permutation = [0, 4, 1, 2, 3]
  return %y : tensor<2x16x4x4x4xf16>
}

// Weights
//
// Other libraries have the axes of weights in another order. They are packed from
// there. Here [out, offsets, in], and the offsets have an axis each, which are joined
// behind the transposition.
// CHECK-LABEL: func.func @weights(
// CHECK-SAME:    %[[W:.*]]: tensor<64x3x3x3x32xf16>, %[[ROOM:.*]]: tensor<110592xi8>
// CHECK:         sparseconv.kernel.pack_weights ins(%[[W]] : tensor<64x3x3x3x32xf16>) outs(%[[ROOM]] : tensor<110592xi8>) {permutation = array<i64: 1, 2, 3, 4, 0>,
#tiling = #sparseconv.gemm_tiling<group64, warps = 20, tile_k = 32, tile_n = 64>
func.func @weights(%w: tensor<64x3x3x3x32xf16>, %room: tensor<110592xi8>) -> tensor<110592xi8> {
  %empty = tensor.empty() : tensor<3x3x3x32x64xf16>
  %turned = linalg.transpose ins(%w : tensor<64x3x3x3x32xf16>) outs(%empty : tensor<3x3x3x32x64xf16>)
      permutation = [1, 2, 3, 4, 0]
  %flat = tensor.collapse_shape %turned [[0, 1, 2, 3, 4]] : tensor<3x3x3x32x64xf16> into tensor<55296xf16>
  %kernel = tensor.expand_shape %flat [[0, 1, 2]] output_shape [27, 32, 64] : tensor<55296xf16> into tensor<27x32x64xf16>
  %image = sparseconv.kernel.pack_weights ins(%kernel : tensor<27x32x64xf16>) outs(%room : tensor<110592xi8>)
      {tiling = #tiling} -> tensor<110592xi8>
  return %image : tensor<110592xi8>
}

// A gradient takes the transposed slices: here both change the order.
// CHECK-LABEL: func.func @turned_twice(
// CHECK-SAME:    %[[W:.*]]: tensor<32x27x64xf16>
// CHECK:         pack_weights ins(%[[W]] : tensor<32x27x64xf16>) {{.*}} {permutation = array<i64: 1, 0, 2>,
func.func @turned_twice(%w: tensor<32x27x64xf16>, %room: tensor<110592xi8>) -> tensor<110592xi8> {
  %empty = tensor.empty() : tensor<27x64x32xf16>
  %turned = linalg.transpose ins(%w : tensor<32x27x64xf16>) outs(%empty : tensor<27x64x32xf16>) permutation = [1, 2, 0]
  %image = sparseconv.kernel.pack_weights ins(%turned : tensor<27x64x32xf16>) outs(%room : tensor<110592xi8>)
      {permutation = array<i64: 0, 2, 1>, tiling = #tiling} -> tensor<110592xi8>
  return %image : tensor<110592xi8>
}

// Other channels than those of the transposition: the elements have another order.
// CHECK-LABEL: func.func @other_channels(
// CHECK:         %[[KERNEL:.*]] = tensor.expand_shape
// CHECK:         pack_weights ins(%[[KERNEL]] :
func.func @other_channels(%w: tensor<64x27x32xf16>, %room: tensor<110592xi8>) -> tensor<110592xi8> {
  %empty = tensor.empty() : tensor<27x32x64xf16>
  %turned = linalg.transpose ins(%w : tensor<64x27x32xf16>) outs(%empty : tensor<27x32x64xf16>) permutation = [1, 2, 0]
  %flat = tensor.collapse_shape %turned [[0, 1, 2]] : tensor<27x32x64xf16> into tensor<55296xf16>
  %kernel = tensor.expand_shape %flat [[0, 1, 2]] output_shape [27, 64, 32] : tensor<55296xf16> into tensor<27x64x32xf16>
  %image = sparseconv.kernel.pack_weights ins(%kernel : tensor<27x64x32xf16>) outs(%room : tensor<110592xi8>)
      {tiling = #tiling} -> tensor<110592xi8>
  return %image : tensor<110592xi8>
}

// Groups have an axis of their own, which the slices of one group would hide.
// CHECK-LABEL: func.func @groups(
// CHECK:         %[[TURNED:.*]] = linalg.transpose
// CHECK:         pack_weights ins(%[[TURNED]] :
func.func @groups(%w: tensor<2x27x32x16xf16>, %room: tensor<55296xi8>) -> tensor<55296xi8> {
  %empty = tensor.empty() : tensor<27x2x32x16xf16>
  %turned = linalg.transpose ins(%w : tensor<2x27x32x16xf16>) outs(%empty : tensor<27x2x32x16xf16>) permutation = [1, 0, 2, 3]
  %image = sparseconv.kernel.pack_weights ins(%turned : tensor<27x2x32x16xf16>) outs(%room : tensor<55296xi8>)
      {groups = 2 : i64, tiling = #tiling} -> tensor<55296xi8>
  return %image : tensor<55296xi8>
}
