// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifiers of pooling refuse, and what they say.

//===----------------------------------------------------------------------===//
// pool, unpool, global_pool
//===----------------------------------------------------------------------===//

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %m: !map) {
  // expected-error @+1 {{expects 'count(volume)' on avg only, but found it on max}}
  %y = sparseconv.pool max %x, %m count(volume) : tensor<?x4xf32>, !map -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %m: !map) {
  // expected-error @+2 {{failed to parse SparseConv_PoolKindAttr}}
  // expected-error @+1 {{expected ::mlir::sparseconv::PoolKind to be one of: max, avg, sum}}
  %y = sparseconv.pool min %x, %m : tensor<?x4xf32>, !map -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %m: !map) {
  // expected-error @+1 {{expected one of [present, volume] for what an average divides by, got: all}}
  %y = sparseconv.pool avg %x, %m count(all) : tensor<?x4xf32>, !map -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %m: !map) {
  // expected-error @+1 {{expects result 'y' of type 'tensor<?x4xf32>', but found 'tensor<?x8xf32>'}}
  %y = sparseconv.pool max %x, %m : tensor<?x4xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %m: !map) {
  // expected-error @+1 {{expects result 'y' of type 'tensor<?x4xf32>', but found 'tensor<?x4xf16>'}}
  %y = sparseconv.pool avg %x, %m : tensor<?x4xf32>, !map -> tensor<?x4xf16>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x?xf32>, %m: !map) {
  // expected-error @+1 {{expects 'x' to have a static number of channels of at least 1, but found 'tensor<?x?xf32>'}}
  %y = sparseconv.pool max %x, %m : tensor<?x?xf32>, !map -> tensor<?x?xf32>
  return
}

// -----

// max needs to know where the maximum came from.
#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%dy: tensor<?x4xf32>, %m: !map) {
  // expected-error @+1 {{expects the input of the pooling ('of %x') for max, but found none}}
  %dx = sparseconv.pool_grad max %dy, %m : tensor<?x4xf32>, !map -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%dy: tensor<?x4xf32>, %m: !map, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{expects 'of' on max only, but found it on sum}}
  %dx = sparseconv.pool_grad sum %dy, %m of %x
      : tensor<?x4xf32>, !map, tensor<?x4xf32> -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%dy: tensor<?x4xf32>, %m: !map, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{expects 'count(volume)' on avg only, but found it on max}}
  %dx = sparseconv.pool_grad max %dy, %m of %x count(volume)
      : tensor<?x4xf32>, !map, tensor<?x4xf32> -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%dy: tensor<?x4xf32>, %m: !map, %x: tensor<?x5xf32>) {
  // expected-error @+1 {{expects 'x' to have the channels of 'dy', 4, but found 5}}
  %dx = sparseconv.pool_grad max %dy, %m of %x
      : tensor<?x4xf32>, !map, tensor<?x5xf32> -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%dy: tensor<?x4xf32>, %m: !map, %x: tensor<?x4xf16>) {
  // expected-error @+1 {{expects 'x' to have the element type of 'dy', 'f32', but found 'f16'}}
  %dx = sparseconv.pool_grad max %dy, %m of %x
      : tensor<?x4xf32>, !map, tensor<?x4xf16> -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%dy: tensor<?x4xf32>, %m: !map) {
  // expected-error @+1 {{expects result 'dx' of type 'tensor<?x4xf32>', but found 'tensor<?x5xf32>'}}
  %dx = sparseconv.pool_grad sum %dy, %m : tensor<?x4xf32>, !map -> tensor<?x5xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %m: !map) {
  // expected-error @+1 {{expects result 'y' of type 'tensor<?x4xf32>', but found 'tensor<?x5xf32>'}}
  %y = sparseconv.unpool %x, %m : tensor<?x4xf32>, !map -> tensor<?x5xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%x: tensor<?x4xf32>, %c: !fine) {
  // expected-error @+1 {{expects the number of batch items as 'batch(%b)' or as the first dimension of the result, but found neither}}
  %y = sparseconv.global_pool max %x, %c : tensor<?x4xf32>, !fine -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%x: tensor<?x4xf32>, %c: !fine, %b: index) {
  // expected-error @+1 {{expects the number of batch items once, but found both 'batch' and a result of 2 items}}
  %y = sparseconv.global_pool max %x, %c batch(%b)
      : tensor<?x4xf32>, !fine -> tensor<2x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%x: tensor<?x4xf32>, %c: !fine) {
  // expected-error @+1 {{expects 'y' to have the channels of 'x', 4, but found 5}}
  %y = sparseconv.global_pool max %x, %c : tensor<?x4xf32>, !fine -> tensor<2x5xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%x: tensor<?x4xf32>, %c: !fine) {
  // expected-error @+1 {{expects 'y' to have the element type of 'x', 'f32', but found 'f16'}}
  %y = sparseconv.global_pool avg %x, %c : tensor<?x4xf32>, !fine -> tensor<2x4xf16>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%dy: tensor<2x4xf32>, %c: !fine) {
  // expected-error @+1 {{expects the input of the pooling ('of %x') for max, but found none}}
  %dx = sparseconv.global_pool_grad max %dy, %c : tensor<2x4xf32>, !fine -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%dy: tensor<2x4xf32>, %c: !fine, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{expects 'of' on max only, but found it on avg}}
  %dx = sparseconv.global_pool_grad avg %dy, %c of %x
      : tensor<2x4xf32>, !fine, tensor<?x4xf32> -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%dy: tensor<2x4xf32>, %c: !fine) {
  // expected-error @+1 {{expects result 'dx' of type 'tensor<?x4xf32>', but found 'tensor<2x4xf32>'}}
  %dx = sparseconv.global_pool_grad sum %dy, %c : tensor<2x4xf32>, !fine -> tensor<2x4xf32>
  return
}
