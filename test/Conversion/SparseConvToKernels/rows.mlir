// RUN: sparseconv-opt %s --convert-sparseconv-to-kernels --canonicalize --cse | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>

// Row indices are checked by the kernel, so x needs no guard.
// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x64xf16> {{[^,]*}}, %[[ROWS:[^:]*]]: tensor<?xi32> {{[^,]*}}, %[[STATUS:[^:]*]]: memref<8xi64>
// CHECK: %[[N:.*]] = tensor.dim %[[ROWS]]
// CHECK: %[[INIT:.*]] = tensor.empty(%[[N]]) : tensor<?x64xf16>
// CHECK: sparseconv.kernel.gather_rows ins(%[[X]], %[[ROWS]], %[[STATUS]] : {{.*}} outs(%[[INIT]] : {{.*}} {op_id = 0 : i64}
func.func @gather(%x: tensor<?x64xf16>, %rows: tensor<?xi32>) -> tensor<?x64xf16> {
  %y = sparseconv.gather %x, %rows : tensor<?x64xf16>, tensor<?xi32> -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// Numbers that the network has made are not looked at.
// CHECK-LABEL: func.func @gather_trusted(
// CHECK: sparseconv.kernel.gather_rows {{.*}} {op_id = 1 : i64, trusted}
func.func @gather_trusted(%x: tensor<?x64xf16>, %rows: tensor<?xi32>) -> tensor<?x64xf16> {
  %y = sparseconv.gather %x, %rows {sparseconv.trusted} : tensor<?x64xf16>, tensor<?xi32> -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// One row of weight 1 for each point. `rows` and x have one length, `n` is a
// number of rows; what is not is reported, `n` first, and nothing is read beyond
// x.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x64xf32> {{[^,]*}}, %[[ROWS:[^:]*]]: tensor<?xi32> {{[^,]*}}, %[[N:[^:]*]]: index, %[[STATUS:[^:]*]]: memref<8xi64>
// CHECK:     %[[ONE:.*]] = arith.constant 1.0{{.*}} : f32
// CHECK:     scf.if
// CHECK:     %[[ITEMS:.*]] = arith.select %{{.*}}, %[[N]], %c0
// CHECK:     %[[LENGTH:.*]] = tensor.dim %[[ROWS]]
// CHECK:     %[[GUARDED:.*]] = sparseconv.kernel.guard_rows %[[X]] rows(%[[LENGTH]]) {{.*}} {length, op_id = {{.*}}, operand = 1 : i64
// CHECK:     %[[TABLE:.*]] = tensor.expand_shape %[[ROWS]] {{\[\[}}0, 1]] output_shape [%[[LENGTH]], 1]
// CHECK:     %[[WEIGHTS:.*]] = linalg.fill ins(%[[ONE]] : f32) {{.*}} -> tensor<?x1xf32>
// CHECK:     %[[INIT:.*]] = tensor.empty(%[[ITEMS]]) : tensor<?x64xf32>
// CHECK:     sparseconv.kernel.scatter_rows ins(%[[GUARDED]], %[[TABLE]], %[[WEIGHTS]], %[[STATUS]] : {{.*}} outs(%[[INIT]] : {{.*}}kind = #sparseconv<pool_kind sum>
func.func @scatter(%x: tensor<?x64xf32>, %rows: tensor<?xi32>, %n: index) -> tensor<?x64xf32> {
  %y = sparseconv.scatter %x, %rows into %n : tensor<?x64xf32>, tensor<?xi32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Rows and weights once, then a scatter one way and a gather the other.
// CHECK-LABEL: func.func @voxelise(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x8xf32> {{[^,]*}}, %[[POINTS:[^:]*]]: tensor<?x4xf32> {{[^,]*}}, %[[KEYS:[^:]*]]: tensor<?xi64>
// CHECK-DAG: %[[P:.*]] = tensor.dim %[[POINTS]]
// CHECK-DAG: %[[GUARDED:.*]] = sparseconv.kernel.guard_rows %[[X]] rows(%[[P]]) {{.*}} {length, op_id = {{.*}}, operand = 1 : i64
// CHECK:     %[[NEAR:.*]]:2 = sparseconv.kernel.interpolate ins(%[[POINTS]], %[[KEYS]], {{.*}}interpolation = #sparseconv<interpolation nearest>{{.*}} -> (tensor<?x1xi32>, tensor<?x1xf32>)
// CHECK:     %[[N:.*]] = tensor.dim %[[KEYS]]
// CHECK:     %[[INIT:.*]] = tensor.empty(%[[N]]) : tensor<?x8xf32>
// CHECK:     sparseconv.kernel.scatter_rows ins(%[[GUARDED]], %[[NEAR]]#0, %[[NEAR]]#1, {{.*}} outs(%[[INIT]] : {{.*}}kind = #sparseconv<pool_kind avg>
func.func @voxelise(%x: tensor<?x8xf32>, %points: tensor<?x4xf32>, %c: !fine) -> tensor<?x8xf32> {
  %y = sparseconv.voxelise nearest avg %x, %points, %c
      : tensor<?x8xf32>, tensor<?x4xf32>, !fine -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @devoxelise(
// CHECK: %[[X:.*]] = sparseconv.kernel.guard_rows {{.*}} operand = 0 : i64, side = 2 : i64
// CHECK: %[[NEAR:.*]]:2 = sparseconv.kernel.interpolate {{.*}} -> (tensor<?x8xi32>, tensor<?x8xf32>)
// CHECK: sparseconv.kernel.weighted_gather ins(%[[X]], %[[NEAR]]#0, %[[NEAR]]#1 :
func.func @devoxelise(%x: tensor<?x64xf16>, %points: tensor<?x4xf32>, %c: !fine) -> tensor<?x64xf16> {
  %y = sparseconv.devoxelise trilinear %x, %points, %c
      : tensor<?x64xf16>, tensor<?x4xf32>, !fine -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// The one destination with contents: a grid of zeros.
// CHECK-LABEL: func.func @dense(
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<2x32x32x8x64xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[EMPTY]]
// CHECK: %[[GRID:.*]] = sparseconv.kernel.to_dense {{.*}} outs(%[[ZEROS]] : {{.*}}origin = array<i64: 0, 4, 0>
// CHECK: sparseconv.kernel.from_dense ins(%[[GRID]],
func.func @dense(%x: tensor<?x64xf32>, %c: !fine) -> tensor<?x64xf32> {
  %d = sparseconv.to_dense %x, %c origin [0, 4, 0]
      : tensor<?x64xf32>, !fine -> tensor<2x32x32x8x64xf32>
  %y = sparseconv.from_dense %d, %c origin [0, 4, 0]
      : tensor<2x32x32x8x64xf32>, !fine -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
