// Operations of dialects that nobody has registered stay as they are.

// RUN: sparseconv-opt %s --allow-unregistered-dialect --convert-sparseconv-kernels-to-loops | FileCheck %s
// RUN: sparseconv-opt %s --allow-unregistered-dialect --sparseconv-instrument-kernels | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK:         "other.operation"(%{{.*}})
func.func @main(%x: memref<?xf32>, %status: memref<8xi64>) {
  "other.operation"(%x) : (memref<?xf32>) -> ()
  return
}
