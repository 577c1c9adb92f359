// RUN: sparseconv-opt %s --sparseconv-lower-to-gpu --split-input-file | FileCheck %s

// What networks hold beside operations of the dialect, as kernels.

// A sum over rows: a thread for each channel.
// CHECK-LABEL: func.func @sum(
// CHECK-COUNT-2: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
// CHECK:         return
// CHECK:       gpu.func @sum_kernel_1(
// CHECK:         gpu.block_id
// CHECK:         scf.for
// CHECK:           arith.addf
func.func @sum(%x: tensor<?x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<?x8xf32>) outs(%zeros : tensor<8xf32>) dimensions = [0]
  return %r : tensor<8xf32>
}

// -----

// Features that come as they are: their rows are compared on the device, and what
// takes them reads nothing where they disagree.
// CHECK-LABEL: func.func @guarded(
// CHECK-SAME:    %[[STATUS:[^:]*]]: memref<8xi64>
// CHECK-NOT:     scf.if
// CHECK:         gpu.launch_func @sparseconv_kernels::@[[REPORT:.*]] blocks {{.*}} args({{.*}}%[[STATUS]] : memref<8xi64>
// CHECK:         return
// CHECK:       gpu.func @[[REPORT]](
// CHECK:         %[[DIFFER:.*]] = arith.cmpi ne
// CHECK:         scf.if %[[DIFFER]]
// CHECK:           memref.store
func.func @guarded(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %sum = linalg.add ins(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %sum : tensor<?x8xf32>
}

// -----

// Rows one after the other: the result has room for all of both.
// CHECK-LABEL: func.func @concat(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x2xf32>, %[[Y:[^:]*]]: memref<?x2xf32>
// CHECK-DAG:     %[[N:.*]] = memref.dim %[[X]], %c0
// CHECK-DAG:     %[[M:.*]] = memref.dim %[[Y]], %c0
// CHECK:         %[[ROOM:.*]] = arith.addi %{{.*}}, %{{.*}}
// CHECK:         memref.alloc(%[[ROOM]]) {{.*}} : memref<?x2xf32>
func.func @concat(%x: tensor<?x2xf32>, %y: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %r = tensor.concat dim(0) %x, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// -----

// Numbers as results.
// CHECK-LABEL: func.func @numbers(
// CHECK-SAME:    -> (memref<1xindex>, memref<1xf32>)
func.func @numbers(%x: tensor<?x2xf32>, %scale: f32) -> (index, f32) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %v = tensor.extract %x[%c0, %c0] : tensor<?x2xf32>
  %s = arith.mulf %v, %scale : f32
  return %n, %s : index, f32
}

// -----

// A helper that is not public, inlined.
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @caller(
// CHECK-NOT: call @
// CHECK: return
func.func private @helper(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = linalg.add ins(%x, %x : tensor<?x8xf32>, tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
func.func @caller(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = call @helper(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
