// RUN: sparseconv-opt %s --sparseconv-select-dataflow --sparseconv-select-tiling --convert-sparseconv-to-kernels --canonicalize --cse | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!map = !sparseconv.kernel_map<8, !fine to !half>

// The pairs of the neighbour table by block of 512 output rows, then one kernel
// for all of them. The input is guarded: it has the rows of the in set, or zeros
// take its place.
// CHECK-LABEL: func.func @conv(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x32xf16> {{[^,]*}}, %[[W:[^:]*]]: tensor<8x32x64xf16> {{[^,]*}}, %[[TABLE:[^:]*]]: tensor<?x8xi32> {{[^,]*}}, %[[NIN:[^:]*]]: index, %[[STATUS:[^:]*]]: memref<8xi64>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[BLOCK:.*]] = arith.constant 512 : index
// CHECK:     %[[GUARDED:.*]] = sparseconv.kernel.guard_rows %[[X]] rows(%[[NIN]]) status(%[[STATUS]] : memref<8xi64>)
// CHECK-SAME:  {op_id = 0 : i64, operand = 0 : i64, side = 0 : i64}
// CHECK:     %[[NOUT:.*]] = tensor.dim %[[TABLE]], %[[C0]]
// CHECK:     %[[INIT:.*]] = tensor.empty(%[[NOUT]]) : tensor<?x64xf16>
// CHECK:     %[[ROOM:.*]] = arith.muli %[[NOUT]], %[[C8]]
// CHECK:     %[[BLOCKS:.*]] = arith.ceildivui %[[NOUT]], %[[BLOCK]]
// CHECK:     %[[SEGMENTS:.*]] = tensor.empty(%[[BLOCKS]]) : tensor<?x9xi64>
// CHECK:     %[[PAIRS:.*]]:3 = sparseconv.kernel.pair_lists ins(%[[TABLE]] : {{.*}}, %[[SEGMENTS]] : {{.*}} {row_block = 512 : i64}
// CHECK:     %[[Y:.*]] = sparseconv.kernel.gather_gemm_scatter
// CHECK-SAME:  ins(%[[GUARDED]], %[[W]], %[[PAIRS]]#0, %[[PAIRS]]#1, %[[PAIRS]]#2 :
// CHECK-SAME:  outs(%[[INIT]] :
// CHECK-SAME:  {tiling = #sparseconv.tiling<row_block = 512
// CHECK:     return %[[Y]]
func.func @conv(%x: tensor<?x32xf16>, %w: tensor<8x32x64xf16>, %m: !map) -> tensor<?x64xf16> {
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x32xf16>, tensor<8x32x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// Features that are known to have the rows of the map are not compared.
// CHECK-LABEL: func.func @trusted(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x32xf16>
// CHECK-NOT:  guard_rows
// CHECK:      sparseconv.kernel.gather_gemm_scatter
// CHECK-SAME:   ins(%[[X]],
func.func @trusted(%x: tensor<?x32xf16>, %w: tensor<8x32x64xf16>, %m: !map) -> tensor<?x64xf16> {
  %y = sparseconv.conv %x, %w, %m {sparseconv.trusted} : tensor<?x32xf16>, tensor<8x32x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// Row operands of an epilogue have the rows of the out set, channel operands
// need no guard. The region moves over as it is.
// CHECK-LABEL: func.func @epilogue(
// CHECK-SAME: %[[BIAS:[^:]*]]: tensor<64xf32> {{[^,]*}}, %[[SKIP:[^:]*]]: tensor<?x64xf16> {{[^,]*}}, %[[STATUS:[^:]*]]: memref<8xi64>
// CHECK:      %[[NOUT:.*]] = tensor.dim
// CHECK:      sparseconv.kernel.guard_rows {{.*}} operand = 0 : i64, side = 0 : i64
// CHECK:      %[[ROWS:.*]] = sparseconv.kernel.guard_rows %[[SKIP]] rows(%[[NOUT]]) {{.*}} operand = 4 : i64, side = 1 : i64
// CHECK:      sparseconv.kernel.gather_gemm_scatter ins({{.*}}, %[[BIAS]], %[[ROWS]] :
// CHECK:      ^bb0(%[[ACC:.*]]: f32, %[[B:.*]]: f32, %[[S:.*]]: f16):
// CHECK-NEXT:   %[[WIDE:.*]] = arith.extf %[[S]]
// CHECK-NEXT:   %[[SUM:.*]] = arith.addf %[[ACC]], %[[B]]
// CHECK-NEXT:   %[[ALL:.*]] = arith.addf %[[SUM]], %[[WIDE]]
// CHECK-NEXT:   sparseconv.yield %[[ALL]]
func.func @epilogue(%x: tensor<?x32xf16>, %w: tensor<8x32x64xf16>, %m: !map,
                    %bias: tensor<64xf32>, %skip: tensor<?x64xf16>) -> tensor<?x64xf16> {
  %y = sparseconv.conv %x, %w, %m epilogue(%bias, %skip : tensor<64xf32>, tensor<?x64xf16>) {
  ^bb0(%acc: f32, %b: f32, %s: f16):
    %s32 = arith.extf %s : f16 to f32
    %0 = arith.addf %acc, %b : f32
    %1 = arith.addf %0, %s32 : f32
    sparseconv.yield %1 : f32
  } : tensor<?x32xf16>, tensor<8x32x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// Layers on one map share its pair lists.
// CHECK-LABEL: func.func @shared(
// CHECK:     %[[PAIRS:.*]]:3 = sparseconv.kernel.pair_lists
// CHECK-NOT: pair_lists
// CHECK:     gather_gemm_scatter {{.*}} %[[PAIRS]]#0
// CHECK-NOT: pair_lists
// CHECK:     gather_gemm_scatter {{.*}} %[[PAIRS]]#0
func.func @shared(%x: tensor<?x32xf32>, %v: tensor<8x32x64xf32>, %w: tensor<8x32x16xf32>, %m: !map)
    -> (tensor<?x64xf32>, tensor<?x16xf32>) {
  %y = sparseconv.conv %x, %v, %m
      : tensor<?x32xf32>, tensor<8x32x64xf32>, !map -> tensor<?x64xf32>
  %z = sparseconv.conv %x, %w, %m
      : tensor<?x32xf32>, tensor<8x32x16xf32>, !map -> tensor<?x16xf32>
  return %y, %z : tensor<?x64xf32>, tensor<?x16xf32>
}

// The rows that a type promises are not those of the set: zeros in their place
// could be too few.
// CHECK-LABEL: func.func @static_rows(
// CHECK: %[[X:.*]] = tensor.cast %{{.*}} : tensor<100x32xf32> to tensor<?x32xf32>
// CHECK: sparseconv.kernel.guard_rows %[[X]] {{.*}} : tensor<?x32xf32>
func.func @static_rows(%x: tensor<100x32xf32>, %w: tensor<8x32x16xf32>, %m: !map) -> tensor<?x16xf32> {
  %y = sparseconv.conv %x, %w, %m
      : tensor<100x32xf32>, tensor<8x32x16xf32>, !map -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// The same kernel on the transposed map, each slice of weights transposed.
// CHECK-LABEL: func.func @input_grad(
// CHECK-SAME: %[[DY:[^:]*]]: tensor<?x64xf32> {{[^,]*}}, %[[W:[^:]*]]: tensor<8x32x64xf32> {{[^,]*}}, %[[TABLE:[^:]*]]: tensor<?x8xi32> {{[^,]*}}, %[[NIN:[^:]*]]: index
// CHECK:     %[[NOUT:.*]] = tensor.dim %[[TABLE]]
// CHECK:     %[[GUARDED:.*]] = sparseconv.kernel.guard_rows %[[DY]] rows(%[[NOUT]]) {{.*}} operand = 0 : i64, side = 1 : i64
// CHECK:     %[[BACK:.*]] = sparseconv.kernel.invert_table ins(%[[TABLE]] :
// CHECK:     %[[INIT:.*]] = tensor.empty(%[[NIN]]) : tensor<?x32xf32>
// CHECK:     %[[PAIRS:.*]]:3 = sparseconv.kernel.pair_lists ins(%[[BACK]] :
// CHECK:     sparseconv.kernel.gather_gemm_scatter ins(%[[GUARDED]], %[[W]], %[[PAIRS]]#0,
// CHECK-SAME:  outs(%[[INIT]] :
// CHECK-SAME:  transpose_weights
func.func @input_grad(%dy: tensor<?x64xf32>, %w: tensor<8x32x64xf32>, %m: !map) -> tensor<?x32xf32> {
  %dx = sparseconv.input_grad %dy, %w, %m
      : tensor<?x64xf32>, tensor<8x32x64xf32>, !map -> tensor<?x32xf32>
  return %dx : tensor<?x32xf32>
}

// CHECK-LABEL: func.func @weight_grad(
// CHECK:     %[[X:.*]] = sparseconv.kernel.guard_rows {{.*}} operand = 0 : i64, side = 0 : i64
// CHECK:     %[[DY:.*]] = sparseconv.kernel.guard_rows {{.*}} operand = 1 : i64, side = 1 : i64
// CHECK:     %[[INIT:.*]] = tensor.empty() : tensor<8x4x8x16xf32>
// CHECK:     %[[PAIRS:.*]]:3 = sparseconv.kernel.pair_lists
// CHECK:     sparseconv.kernel.weight_grad ins(%[[X]], %[[DY]], %[[PAIRS]]#0, %[[PAIRS]]#1, %[[PAIRS]]#2 : {{.*}} outs(%[[INIT]] :
func.func @weight_grad(%x: tensor<?x32xf32>, %dy: tensor<?x64xf32>, %m: !map) -> tensor<8x4x8x16xf32> {
  %dw = sparseconv.weight_grad %x, %dy, %m groups(4)
      : tensor<?x32xf32>, tensor<?x64xf32>, !map -> tensor<8x4x8x16xf32>
  return %dw : tensor<8x4x8x16xf32>
}
