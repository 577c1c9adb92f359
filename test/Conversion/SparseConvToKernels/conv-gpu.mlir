// RUN: sparseconv-opt %s --sparseconv-set-target=target=cuda --sparseconv-select-dataflow --sparseconv-select-tiling --convert-sparseconv-to-kernels --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// On a GPU a narrow convolution reads the neighbour table itself; its gradient reads
// the table of the transposed map, with each slice of weights transposed.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

// CHECK-LABEL: func.func @conv(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x32xf32> {{[^,]*}}, %[[W:[^:]*]]: tensor<27x32x4xf32> {{[^,]*}}, %[[TABLE:[^:]*]]: tensor<?x27xi32>
// CHECK:      %[[GUARDED:.*]] = sparseconv.kernel.guard_rows %[[X]]
// CHECK:      %[[N:.*]] = tensor.dim %[[TABLE]]
// CHECK:      %[[INIT:.*]] = tensor.empty(%[[N]]) : tensor<?x4xf32>
// CHECK-NOT:  pair_lists
// CHECK:      %[[Y:.*]] = sparseconv.kernel.implicit_gemm ins(%[[GUARDED]], %[[W]], %[[TABLE]] : {{.*}}) outs(%[[INIT]] :
// CHECK-SAME:   -> tensor<?x4xf32>
// CHECK:      return %[[Y]]
func.func @conv(%x: tensor<?x32xf32>, %w: tensor<27x32x4xf32>, %m: !map) -> tensor<?x4xf32> {
  %y = sparseconv.conv %x, %w, %m : tensor<?x32xf32>, tensor<27x32x4xf32>, !map -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @epilogue(
// CHECK:      sparseconv.kernel.implicit_gemm ins(%{{.*}}, %[[BIAS:[^ ]*]] : {{.*}}, tensor<4xf32>)
// CHECK:      ^bb0(%[[ACC:.*]]: f32, %[[B:.*]]: f32):
// CHECK:        arith.addf %[[ACC]], %[[B]]
func.func @epilogue(%x: tensor<?x32xf32>, %w: tensor<27x32x4xf32>, %bias: tensor<4xf32>, %m: !map) -> tensor<?x4xf32> {
  %y = sparseconv.conv %x, %w, %m epilogue(%bias : tensor<4xf32>) {
  ^bb0(%acc: f32, %b: f32):
    %sum = arith.addf %acc, %b : f32
    sparseconv.yield %sum : f32
  } : tensor<?x32xf32>, tensor<27x32x4xf32>, !map -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @input_grad(
// CHECK:      %[[BACK:.*]] = sparseconv.kernel.invert_table
// CHECK:      sparseconv.kernel.implicit_gemm ins(%{{.*}}, %{{.*}}, %[[BACK]] :
// CHECK-SAME:   transpose_weights
func.func @input_grad(%dy: tensor<?x32xf32>, %w: tensor<27x4x32xf32>, %m: !map) -> tensor<?x4xf32> {
  %dx = sparseconv.input_grad %dy, %w, %m : tensor<?x32xf32>, tensor<27x4x32xf32>, !map -> tensor<?x4xf32>
  return %dx : tensor<?x4xf32>
}

// What tensor cores take is computed on them, over tiles of rows with alike
// offsets, from weights in an order of their own. The tiling says how large a
// tile is and where a weight lies. Weights that fit in shared memory are not
// split among thread blocks.
// CHECK-LABEL: func.func @tensor_cores(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x32xf16> {{[^,]*}}, %[[W:[^:]*]]: tensor<27x32x64xf16> {{[^,]*}}, %[[TABLE:[^:]*]]: tensor<?x27xi32> {{[^,]*}}, %[[NIN:[^:]*]]: index
// CHECK-NOT:  linalg.fill
// CHECK:      %[[TILES:.*]]:4 = sparseconv.kernel.tile_rows ins(%[[TABLE]], %[[NIN]] : {{.*}}
// CHECK:      %[[IMAGE:.*]] = sparseconv.kernel.pack_weights ins(%[[W]] : {{.*}} {tiling = #sparseconv.gemm_tiling<group64,
// CHECK:      sparseconv.kernel.tiled_gemm ins(%{{.*}}, %[[IMAGE]], %[[TILES]]#0, %[[TILES]]#1, %[[TILES]]#2, %[[TILES]]#3 :
// CHECK-SAME:   {split_k = 1 : i64, tiling = #sparseconv.gemm_tiling<group64,
func.func @tensor_cores(%x: tensor<?x32xf16>, %w: tensor<27x32x64xf16>, %m: !map) -> tensor<?x64xf16> {
  %y = sparseconv.conv %x, %w, %m : tensor<?x32xf16>, tensor<27x32x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// One group that is written out is none.
// CHECK-LABEL: func.func @one_group(
// CHECK-SAME: %[[W:[^:]*]]: tensor<27x1x32x64xf16>
// CHECK:      sparseconv.kernel.pack_weights ins(%[[W]] : tensor<27x1x32x64xf16>) outs(%{{.*}}) {tiling = #sparseconv.gemm_tiling<group64,
func.func @one_group(%x: tensor<?x32xf16>, %w: tensor<27x1x32x64xf16>, %m: !map) -> tensor<?x64xf16> {
  %y = sparseconv.conv %x, %w, %m : tensor<?x32xf16>, tensor<27x1x32x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// The gradient by the input multiplies by the transposed weights: they are packed
// from where they lie.
// CHECK-LABEL: func.func @input_grad_on_tensor_cores(
// CHECK-SAME: %[[W:[^:]*]]: tensor<27x32x64xf16>
// CHECK:      sparseconv.kernel.pack_weights ins(%[[W]] : tensor<27x32x64xf16>) outs(%{{.*}}) {permutation = array<i64: 0, 2, 1>,
func.func @input_grad_on_tensor_cores(%dy: tensor<?x64xf16>, %w: tensor<27x32x64xf16>, %m: !map) -> tensor<?x32xf16> {
  %dx = sparseconv.input_grad %dy, %w, %m : tensor<?x64xf16>, tensor<27x32x64xf16>, !map -> tensor<?x32xf16>
  return %dx : tensor<?x32xf16>
}

// Channels in groups: a main loop that is written takes them, and the image is of all
// groups. The tiles of rows are those of any other layer.
// CHECK-LABEL: func.func @groups(
// CHECK-SAME: %[[W:[^:]*]]: tensor<27x32x1x1xf16>
// CHECK:      sparseconv.kernel.tile_rows {{.*}}
// CHECK:      %[[IMAGE:.*]] = sparseconv.kernel.pack_weights ins(%[[W]] : tensor<27x32x1x1xf16>) outs(%{{.*}} : tensor<1728xi8>) {groups = 32 : i64,
// CHECK:      sparseconv.kernel.tiled_gemm ins(%{{[^,]*}}, %[[IMAGE]],
// CHECK-SAME:   {groups = 32 : i64, split_k = 1 : i64, tiling = #sparseconv.gemm_tiling<depthwise,
func.func @groups(%x: tensor<?x32xf16>, %w: tensor<27x32x1x1xf16>, %m: !map) -> tensor<?x32xf16> {
  %y = sparseconv.conv %x, %w, %m {tiling = #sparseconv.gemm_tiling<depthwise, tile_n = 32>}
      : tensor<?x32xf16>, tensor<27x32x1x1xf16>, !map -> tensor<?x32xf16>
  return %y : tensor<?x32xf16>
}

// Weights that pass through a ring: where there are few rows, up to 8 thread
// blocks share the offsets of a tile and meet at counters that begin as zero.
// CHECK-LABEL: func.func @split(
// CHECK:      %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK:      %[[SCRATCH:.*]] = tensor.empty() : tensor<{{[0-9]+}}xf32>
// CHECK:      %[[ROOM:.*]] = tensor.empty() : tensor<{{[0-9]+}}xi32>
// CHECK:      %[[COUNTERS:.*]] = linalg.fill ins(%[[ZERO]] : i32) outs(%[[ROOM]]
// CHECK:      sparseconv.kernel.tiled_gemm ins({{.*}}) outs(%{{.*}}, %[[SCRATCH]], %[[COUNTERS]] :
// CHECK-SAME:   {split_k = 8 : i64, tiling = #sparseconv.gemm_tiling<producer64,
func.func @split(%x: tensor<?x256xf16>, %w: tensor<27x256x256xf16>, %m: !map) -> tensor<?x256xf16> {
  %y = sparseconv.conv %x, %w, %m : tensor<?x256xf16>, tensor<27x256x256xf16>, !map -> tensor<?x256xf16>
  return %y : tensor<?x256xf16>
}

// Wider ones in f32 are computed in tiles as well, by threads.
// CHECK-LABEL: func.func @threads(
// CHECK:      sparseconv.kernel.tile_rows {{.*}}
// CHECK:      sparseconv.kernel.pack_weights {{.*}} {tiling = #sparseconv.gemm_tiling<fma16,
// CHECK:      sparseconv.kernel.tiled_gemm {{.*}} {split_k = 8 : i64, tiling = #sparseconv.gemm_tiling<fma16,
func.func @threads(%x: tensor<?x32xf32>, %w: tensor<27x32x64xf32>, %m: !map) -> tensor<?x64xf32> {
  %y = sparseconv.conv %x, %w, %m : tensor<?x32xf32>, tensor<27x32x64xf32>, !map -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// A permission to multiply in tf32 becomes the choice of a main loop.
// CHECK-LABEL: func.func @tf32(
// CHECK:      sparseconv.kernel.tiled_gemm {{.*}} {split_k = 1 : i64, tiling = #sparseconv.gemm_tiling<warp16,
// CHECK:      sparseconv.kernel.tiled_weight_grad {{.*}} tiling = #sparseconv.weight_grad_tiling<mma,
func.func @tf32(%x: tensor<?x32xf32>, %w: tensor<27x32x64xf32>, %m: !map) -> tensor<27x32x64xf32> {
  %y = sparseconv.conv %x, %w, %m tf32 = allowed : tensor<?x32xf32>, tensor<27x32x64xf32>, !map -> tensor<?x64xf32>
  %dw = sparseconv.weight_grad %x, %y, %m tf32 = allowed : tensor<?x32xf32>, tensor<?x64xf32>, !map -> tensor<27x32x64xf32>
  return %dw : tensor<27x32x64xf32>
}

// The gradient by the weights reads a list of pairs for each offset.
// CHECK-LABEL: func.func @weight_grad(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x32xf16> {{[^,]*}}, %[[DY:[^:]*]]: tensor<?x64xf16> {{[^,]*}}, %[[TABLE:[^:]*]]: tensor<?x27xi32> {{[^,]*}}, %[[NIN:[^:]*]]: index
// CHECK-DAG:  %[[N:.*]] = tensor.dim %[[TABLE]]
// CHECK-DAG:  %[[XG:.*]] = sparseconv.kernel.guard_rows %[[X]] rows(%[[NIN]])
// CHECK-DAG:  %[[DYG:.*]] = sparseconv.kernel.guard_rows %[[DY]] rows(%[[N]])
// CHECK:      %[[LISTS:.*]]:3 = sparseconv.kernel.offset_lists ins(%[[TABLE]] : tensor<?x27xi32>) outs({{.*}} : tensor<?xi32>, tensor<?xi32>, tensor<27xi32>)
// CHECK:      %[[DW:.*]] = sparseconv.kernel.tiled_weight_grad ins(%[[XG]], %[[DYG]], %[[LISTS]]#0, %[[LISTS]]#1, %[[LISTS]]#2 : {{.*}}) outs(%{{.*}} : tensor<27x32x64xf16>) {split_k = {{[0-9]+}} : i64, tiling = #sparseconv.weight_grad_tiling<mma,
// CHECK:      return %[[DW]]
func.func @weight_grad(%x: tensor<?x32xf16>, %dy: tensor<?x64xf16>, %m: !map) -> tensor<27x32x64xf16> {
  %dw = sparseconv.weight_grad %x, %dy, %m : tensor<?x32xf16>, tensor<?x64xf16>, !map -> tensor<27x32x64xf16>
  return %dw : tensor<27x32x64xf16>
}

// -----

// What was decided for another target is refused.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
func.func @cpu_tiling(%x: tensor<?x32xf16>, %w: tensor<27x32x64xf16>, %m: !map) -> tensor<?x64xf16> {
  // expected-error @+1 {{does not run on sm_90a with #sparseconv.tiling<row_block = 512, rows = 6, columns = 16, lanes = 8>: expected #sparseconv.gemm_tiling or #sparseconv.scalar_tiling}}
  %y = sparseconv.conv %x, %w, %m {tiling = #sparseconv.tiling<row_block = 512, rows = 6, columns = 16, lanes = 8>}
      : tensor<?x32xf16>, tensor<27x32x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}
