// RUN: sparseconv-opt %s --convert-sparseconv-to-kernels --canonicalize --cse | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!map = !sparseconv.kernel_map<8, !fine to !half>

// CHECK-LABEL: func.func @pool(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x64xf16> {{[^,]*}}, %[[TABLE:[^:]*]]: tensor<?x8xi32> {{[^,]*}}, %[[NIN:[^:]*]]: index
// CHECK-DAG: %[[GUARDED:.*]] = sparseconv.kernel.guard_rows %[[X]] rows(%[[NIN]]) {{.*}} operand = 0 : i64, side = 0 : i64
// CHECK-DAG: %[[NOUT:.*]] = tensor.dim %[[TABLE]]
// CHECK:     %[[INIT:.*]] = tensor.empty(%[[NOUT]]) : tensor<?x64xf16>
// CHECK:     sparseconv.kernel.pool ins(%[[GUARDED]], %[[TABLE]] : {{.*}} outs(%[[INIT]] : {{.*}} {count_kind = #sparseconv<count_kind volume>, kind = #sparseconv<pool_kind avg>}
func.func @pool(%x: tensor<?x64xf16>, %m: !map) -> tensor<?x64xf16> {
  %y = sparseconv.pool avg %x, %m count(volume) : tensor<?x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// Each input row gathers from the windows it is in: the table of the transposed
// map says which.
// CHECK-LABEL: func.func @pool_grad(
// CHECK-SAME: %[[DY:[^:]*]]: tensor<?x64xf32> {{[^,]*}}, %[[TABLE:[^:]*]]: tensor<?x8xi32> {{[^,]*}}, %[[NIN:[^:]*]]: index, %[[X:[^:]*]]: tensor<?x64xf32>
// CHECK:     %[[GDY:.*]] = sparseconv.kernel.guard_rows %[[DY]] {{.*}} operand = 0 : i64, side = 1 : i64
// CHECK:     %[[GX:.*]] = sparseconv.kernel.guard_rows %[[X]] rows(%[[NIN]]) {{.*}} operand = 2 : i64, side = 0 : i64
// CHECK:     %[[BACK:.*]] = sparseconv.kernel.invert_table ins(%[[TABLE]] :
// CHECK:     %[[INIT:.*]] = tensor.empty(%[[NIN]]) : tensor<?x64xf32>
// CHECK:     sparseconv.kernel.pool_grad ins(%[[GDY]], %[[TABLE]], %[[BACK]], %[[GX]] : {{.*}} outs(%[[INIT]] :
func.func @pool_grad(%dy: tensor<?x64xf32>, %m: !map, %x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %dx = sparseconv.pool_grad max %dy, %m of %x
      : tensor<?x64xf32>, !map, tensor<?x64xf32> -> tensor<?x64xf32>
  return %dx : tensor<?x64xf32>
}

// Without `max` there is no x to read.
// CHECK-LABEL: func.func @pool_grad_sum(
// CHECK: %[[DY:.*]] = sparseconv.kernel.guard_rows
// CHECK: sparseconv.kernel.pool_grad ins(%[[DY]], %{{.*}}, %{{.*}}, %[[DY]] :
func.func @pool_grad_sum(%dy: tensor<?x64xf32>, %m: !map) -> tensor<?x64xf32> {
  %dx = sparseconv.pool_grad sum %dy, %m : tensor<?x64xf32>, !map -> tensor<?x64xf32>
  return %dx : tensor<?x64xf32>
}

// A sum over the transposed map.
// CHECK-LABEL: func.func @unpool(
// CHECK: %[[X:.*]] = sparseconv.kernel.guard_rows {{.*}} operand = 0 : i64, side = 1 : i64
// CHECK: %[[BACK:.*]] = sparseconv.kernel.invert_table
// CHECK: sparseconv.kernel.pool ins(%[[X]], %[[BACK]] : {{.*}}kind = #sparseconv<pool_kind sum>
func.func @unpool(%x: tensor<?x64xf32>, %m: !map) -> tensor<?x64xf32> {
  %y = sparseconv.unpool %x, %m : tensor<?x64xf32>, !map -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// The number of items is part of the type, or an operand that has to be a number
// of rows.
// CHECK-LABEL: func.func @global_pool(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x64xf32> {{[^,]*}}, %[[KEYS:[^:]*]]: tensor<?xi64> {{[^,]*}}, %[[B:[^:]*]]: index, %[[STATUS:[^:]*]]: memref<8xi64>
// CHECK:     %[[GUARDED:.*]] = sparseconv.kernel.guard_rows %[[X]] {{.*}} operand = 0 : i64, side = 2 : i64
// CHECK:     %[[STATIC:.*]] = tensor.empty() : tensor<4x64xf32>
// CHECK:     sparseconv.kernel.global_pool ins(%[[GUARDED]], %[[KEYS]], %[[STATUS]] : {{.*}} outs(%[[STATIC]] :
// CHECK:     %[[FITS:.*]] = arith.andi
// CHECK:     scf.if
// CHECK:       memref.store %{{.*}}, %[[STATUS]]
// CHECK:     %[[ITEMS:.*]] = arith.select %[[FITS]], %[[B]], %c0
// CHECK:     %[[INIT:.*]] = tensor.empty(%[[ITEMS]]) : tensor<?x64xf32>
// CHECK:     sparseconv.kernel.global_pool {{.*}} outs(%[[INIT]] :
func.func @global_pool(%x: tensor<?x64xf32>, %c: !fine, %b: index) -> (tensor<4x64xf32>, tensor<?x64xf32>) {
  %y = sparseconv.global_pool max %x, %c : tensor<?x64xf32>, !fine -> tensor<4x64xf32>
  %z = sparseconv.global_pool avg %x, %c batch(%b) : tensor<?x64xf32>, !fine -> tensor<?x64xf32>
  return %y, %z : tensor<4x64xf32>, tensor<?x64xf32>
}

// CHECK-LABEL: func.func @global_pool_grad(
// CHECK-SAME: %[[DY:[^:]*]]: tensor<4x64xf32> {{[^,]*}}, %[[KEYS:[^:]*]]: tensor<?xi64> {{[^,]*}}, %[[X:[^:]*]]: tensor<?x64xf32>
// CHECK: %[[GUARDED:.*]] = sparseconv.kernel.guard_rows %[[X]] {{.*}} operand = 2 : i64, side = 2 : i64
// CHECK: sparseconv.kernel.global_pool_grad ins(%[[DY]], %[[KEYS]], %[[GUARDED]], %{{.*}}kind = #sparseconv<pool_kind max>
// CHECK: sparseconv.kernel.global_pool_grad ins(%[[DY]], %[[KEYS]], %[[DY]], %{{.*}}kind = #sparseconv<pool_kind avg>
func.func @global_pool_grad(%dy: tensor<4x64xf32>, %c: !fine, %x: tensor<?x64xf32>)
    -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %a = sparseconv.global_pool_grad max %dy, %c of %x
      : tensor<4x64xf32>, !fine, tensor<?x64xf32> -> tensor<?x64xf32>
  %b = sparseconv.global_pool_grad avg %dy, %c : tensor<4x64xf32>, !fine -> tensor<?x64xf32>
  return %a, %b : tensor<?x64xf32>, tensor<?x64xf32>
}
