// RUN: sparseconv-opt %s --split-input-file \
// RUN:   --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize | FileCheck %s

// Kernels write into their destinations: an empty tensor is one allocation, and
// nothing is copied.

// CHECK-LABEL: func.func @encode_sort(
// CHECK-SAME: %[[POINTS:[^:]*]]: memref<?x4xi32>, %[[STATUS:[^:]*]]: memref<8xi64>) -> memref<?xi64>
// CHECK-NOT:  memref.copy
// CHECK:      %[[KEYS:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?xi64>
// CHECK:      %[[COUNT:.*]] = memref.alloc() {{.*}} : memref<1xindex>
// CHECK:      sparseconv.kernel.encode ins(%[[POINTS]], %[[STATUS]] : {{.*}}) outs(%[[KEYS]], %[[COUNT]] : memref<?xi64>, memref<1xindex>)
// CHECK:      %[[N:.*]] = memref.load %[[COUNT]]
// CHECK:      %[[EXACT:.*]] = memref.subview %[[KEYS]][0] [%[[N]]] [1] : memref<?xi64> to memref<?xi64, strided<[1]>>
// CHECK:      %[[SORTED:.*]] = memref.alloc(%[[N]]) {{.*}} : memref<?xi64>
// CHECK:      sparseconv.kernel.sort ins(%[[EXACT]] : memref<?xi64, strided<[1]>>) outs(%[[SORTED]],
// CHECK-NOT:  memref.copy
// CHECK:      return %[[SORTED]]
#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
func.func @encode_sort(%points: tensor<?x4xi32> {bufferization.writable = false}, %status: memref<8xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %points, %c0 : tensor<?x4xi32>
  %room = tensor.empty(%n) : tensor<?xi64>
  %empty = tensor.empty() : tensor<1xindex>
  %keys, %count = sparseconv.kernel.encode
      ins(%points, %status : tensor<?x4xi32>, memref<8xi64>) outs(%room, %empty : tensor<?xi64>, tensor<1xindex>)
      {op_id = 0 : i64, set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>} -> (tensor<?xi64>, tensor<1xindex>)
  %valid = tensor.extract %count[%c0] : tensor<1xindex>
  %exact = tensor.extract_slice %keys[0] [%valid] [1] : tensor<?xi64> to tensor<?xi64>
  %s = tensor.empty(%valid) : tensor<?xi64>
  %p = tensor.empty(%valid) : tensor<?xi32>
  %sorted, %permutation = sparseconv.kernel.sort ins(%exact : tensor<?xi64>)
      outs(%s, %p : tensor<?xi64>, tensor<?xi32>) {fields = array<i64: 64>} -> (tensor<?xi64>, tensor<?xi32>)
  return %sorted : tensor<?xi64>
}

// -----

// The implicit GEMM writes every element of y, so an empty one is no copy.
// CHECK-LABEL: func.func @implicit_gemm(
// CHECK-SAME: %[[X:[^:]*]]: memref<?x8xf32>, %[[W:[^:]*]]: memref<2x8x16xf32>, %[[TABLE:[^:]*]]: memref<?x2xi32>, %[[BIAS:[^:]*]]: memref<16xf32>)
// CHECK-NOT:  memref.copy
// CHECK:      %[[Y:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x16xf32>
// CHECK-NEXT: sparseconv.kernel.implicit_gemm ins(%[[X]], %[[W]], %[[TABLE]], %[[BIAS]] : {{.*}}) outs(%[[Y]] : memref<?x16xf32>)
// CHECK:        sparseconv.yield
// CHECK-NOT:  memref.copy
// CHECK:      return %[[Y]]
func.func @implicit_gemm(%x: tensor<?x8xf32>, %w: tensor<2x8x16xf32>, %table: tensor<?x2xi32>, %bias: tensor<16xf32>)
    -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %table, %c0 : tensor<?x2xi32>
  %empty = tensor.empty(%n) : tensor<?x16xf32>
  %y = sparseconv.kernel.implicit_gemm
      ins(%x, %w, %table, %bias : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?x2xi32>, tensor<16xf32>)
      outs(%empty : tensor<?x16xf32>)
      epilogue {
  ^bb0(%acc: f32, %b: f32):
    %sum = arith.addf %acc, %b : f32
    sparseconv.yield %sum : f32
  } -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// -----

// The gradient is written whole, too.
// CHECK-LABEL: func.func @tiled_weight_grad(
// CHECK-SAME: %[[X:[^:]*]]: memref<?x8xf32>, %[[DY:[^:]*]]: memref<?x16xf32>, %[[IN:[^:]*]]: memref<?xi32>, %[[OUT:[^:]*]]: memref<?xi32>, %[[COUNTS:[^:]*]]: memref<2xi32>)
// CHECK-NOT:  memref.copy
// CHECK:      %[[DW:.*]] = memref.alloc() {{.*}} : memref<2x8x16xf32>
// CHECK-NEXT: sparseconv.kernel.tiled_weight_grad ins(%[[X]], %[[DY]], %[[IN]], %[[OUT]], %[[COUNTS]] : {{.*}}) outs(%[[DW]] : memref<2x8x16xf32>)
// CHECK-NOT:  memref.copy
// CHECK:      return %[[DW]]
func.func @tiled_weight_grad(%x: tensor<?x8xf32>, %dy: tensor<?x16xf32>, %in: tensor<?xi32>, %out: tensor<?xi32>, %counts: tensor<2xi32>) -> tensor<2x8x16xf32> {
  %empty = tensor.empty() : tensor<2x8x16xf32>
  %dw = sparseconv.kernel.tiled_weight_grad
      ins(%x, %dy, %in, %out, %counts : tensor<?x8xf32>, tensor<?x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<2xi32>)
      outs(%empty : tensor<2x8x16xf32>) {tiling = #sparseconv.weight_grad_tiling<fma, tile_in = 8, piece_in = 4, piece_out = 4>} -> tensor<2x8x16xf32>
  return %dw : tensor<2x8x16xf32>
}

// -----

// Two destinations of one operation never share a buffer, even where they are
// the same empty tensor.
// CHECK-LABEL: func.func @two_destinations(
// CHECK: %[[A:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?xi32>
// CHECK: %[[B:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?xi32>
// CHECK: sparseconv.kernel.pair_lists {{.*}} outs({{%[^,]*}}, {{%[^,]*}}, {{.*}} {row_block = 512 : i64}
// CHECK-NOT: memref.copy
// CHECK: return
func.func @two_destinations(%table: tensor<?x8xi32>, %room: index, %blocks: index)
    -> (tensor<?xi32>, tensor<?xi32>, tensor<?x9xi64>) {
  %rows = tensor.empty(%room) : tensor<?xi32>
  %segments = tensor.empty(%blocks) : tensor<?x9xi64>
  %in, %out, %s = sparseconv.kernel.pair_lists ins(%table : tensor<?x8xi32>)
      outs(%rows, %rows, %segments : tensor<?xi32>, tensor<?xi32>, tensor<?x9xi64>)
      {row_block = 512 : i64} -> (tensor<?xi32>, tensor<?xi32>, tensor<?x9xi64>)
  return %in, %out, %s : tensor<?xi32>, tensor<?xi32>, tensor<?x9xi64>
}

// -----

// `unique` keeps what row_of held: two of them on one filled tensor need a copy
// of it, while the contents of other destinations do not matter.
// CHECK-LABEL: func.func @kept_contents(
// CHECK-COUNT-1: memref.copy
// CHECK-NOT: memref.copy
func.func @kept_contents(%sorted: tensor<?xi64>, %permutation: tensor<?xi32>, %status: memref<8xi64>, %n: index)
    -> (tensor<?xi32>, tensor<?xi32>) {
  %none = arith.constant -1 : i32
  %k = tensor.empty(%n) : tensor<?xi64>
  %o = tensor.empty(%n) : tensor<?xi32>
  %c = tensor.empty() : tensor<1xindex>
  %r = linalg.fill ins(%none : i32) outs(%o : tensor<?xi32>) -> tensor<?xi32>
  %0:4 = sparseconv.kernel.unique
      ins(%sorted, %permutation, %status : tensor<?xi64>, tensor<?xi32>, memref<8xi64>)
      outs(%k, %o, %r, %c : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      {capacity = 10 : i64, op_id = 0 : i64} -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  %1:4 = sparseconv.kernel.unique
      ins(%sorted, %permutation, %status : tensor<?xi64>, tensor<?xi32>, memref<8xi64>)
      outs(%k, %o, %r, %c : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      {capacity = 20 : i64, op_id = 1 : i64} -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  return %0#2, %1#2 : tensor<?xi32>, tensor<?xi32>
}

// -----

// Kernels load vectors. Buffers of two layouts that meet in a branch have no
// known stride, so the kernel is given a copy that has.
// CHECK-LABEL: func.func @branch(
// CHECK:      %[[X:.*]] = scf.if {{.*}} -> (memref<?x8xf32, strided<[?, ?], offset: ?>>)
// CHECK:      %[[COPY:.*]] = memref.alloc(%{{.*}}) : memref<?x8xf32>
// CHECK-NEXT: memref.copy %[[X]], %[[COPY]]
// CHECK:      sparseconv.kernel.pool ins(%[[COPY]], %{{.*}} : memref<?x8xf32>,
func.func @branch(%b: i1, %wide: tensor<?x16xf32>, %x: tensor<?x8xf32>, %table: tensor<?x8xi32>, %n: index, %f: f32) -> tensor<?x8xf32> {
  %c = scf.if %b -> tensor<?x8xf32> {
    %s = tensor.extract_slice %wide[0, 4] [%n, 8] [1, 1] : tensor<?x16xf32> to tensor<?x8xf32>
    scf.yield %s : tensor<?x8xf32>
  } else {
    scf.yield %x : tensor<?x8xf32>
  }
  %init = tensor.empty(%n) : tensor<?x8xf32>
  %y = sparseconv.kernel.pool ins(%c, %table : tensor<?x8xf32>, tensor<?x8xi32>) outs(%init : tensor<?x8xf32>)
      {count_kind = #sparseconv<count_kind present>, kind = #sparseconv<pool_kind sum>} -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// Layers leave the zeros of their counters as they found them, and so take turns
// with one buffer. Where something else has the zeros, they are copied.

// CHECK-LABEL: func.func @counters(
// CHECK:         %[[ZEROS:.*]] = memref.alloc() {{.*}} : memref<8xi32>
// CHECK:         linalg.fill {{.*}} outs(%[[ZEROS]]
// CHECK-NOT:     memref.copy
// CHECK:         sparseconv.kernel.tiled_gemm {{.*}} outs(%{{.*}}, %[[ZEROS]] :
// CHECK:         sparseconv.kernel.tiled_gemm {{.*}} outs(%{{.*}}, %[[ZEROS]] :
func.func @counters(%x: tensor<?x64xf16>, %image: tensor<4096xi8>, %table: tensor<2x?xi32>, %order: tensor<?xi32>,
                    %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>, %n: index) -> (tensor<?x16xf16>, tensor<?x16xf16>) {
  %c0 = arith.constant 0 : i32
  %room = tensor.empty() : tensor<8xi32>
  %zeros = linalg.fill ins(%c0 : i32) outs(%room : tensor<8xi32>) -> tensor<8xi32>
  %y0 = tensor.empty(%n) : tensor<?x16xf16>
  %s0 = tensor.empty() : tensor<512xf32>
  %g:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes
          : tensor<?x64xf16>, tensor<4096xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      outs(%y0, %s0, %zeros : tensor<?x16xf16>, tensor<512xf32>, tensor<8xi32>)
      {split_k = 4 : i64, tiling = #sparseconv.gemm_tiling<ring64, warps = 8, tile_k = 64, tile_n = 16, stages = 6>}
      -> (tensor<?x16xf16>, tensor<512xf32>, tensor<8xi32>)
  %y1 = tensor.empty(%n) : tensor<?x16xf16>
  %s1 = tensor.empty() : tensor<512xf32>
  %h:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes
          : tensor<?x64xf16>, tensor<4096xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      outs(%y1, %s1, %zeros : tensor<?x16xf16>, tensor<512xf32>, tensor<8xi32>)
      {split_k = 4 : i64, tiling = #sparseconv.gemm_tiling<ring64, warps = 8, tile_k = 64, tile_n = 16, stages = 6>}
      -> (tensor<?x16xf16>, tensor<512xf32>, tensor<8xi32>)
  return %g#0, %h#0 : tensor<?x16xf16>, tensor<?x16xf16>
}

// -----

// CHECK-LABEL: func.func @shared_zeros(
// CHECK:         %[[ZEROS:.*]] = memref.alloc() {{.*}} : memref<8xi32>
// CHECK:         linalg.fill {{.*}} outs(%[[ZEROS]]
// CHECK:         %[[COUNTERS:.*]] = memref.alloc() {{.*}} : memref<8xi32>
// CHECK:         memref.copy %[[ZEROS]], %[[COUNTERS]]
// CHECK:         sparseconv.kernel.tiled_gemm {{.*}} outs(%{{.*}}, %[[COUNTERS]] :
// CHECK:         return %{{.*}}, %[[ZEROS]]
func.func @shared_zeros(%x: tensor<?x64xf16>, %image: tensor<4096xi8>, %table: tensor<2x?xi32>, %order: tensor<?xi32>,
                        %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>, %n: index) -> (tensor<?x16xf16>, tensor<8xi32>) {
  %c0 = arith.constant 0 : i32
  %room = tensor.empty() : tensor<8xi32>
  %zeros = linalg.fill ins(%c0 : i32) outs(%room : tensor<8xi32>) -> tensor<8xi32>
  %y0 = tensor.empty(%n) : tensor<?x16xf16>
  %s0 = tensor.empty() : tensor<512xf32>
  %g:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes
          : tensor<?x64xf16>, tensor<4096xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      outs(%y0, %s0, %zeros : tensor<?x16xf16>, tensor<512xf32>, tensor<8xi32>)
      {split_k = 4 : i64, tiling = #sparseconv.gemm_tiling<ring64, warps = 8, tile_k = 64, tile_n = 16, stages = 6>}
      -> (tensor<?x16xf16>, tensor<512xf32>, tensor<8xi32>)
  return %g#0, %zeros : tensor<?x16xf16>, tensor<8xi32>
}
