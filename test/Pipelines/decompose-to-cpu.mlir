// Rows of one column are read in a loop of one level, whose bounds are checked by a call.
// No scope is left around it where control flow becomes blocks.

// RUN: sparseconv-opt %s --sparseconv-decompose --sparseconv-lower-to-cpu | FileCheck %s

// CHECK-NOT: memref.alloca_scope
// CHECK:     llvm.func @main(
// CHECK-NOT: memref.alloca_scope
func.func @main(%x: tensor<?x1xf32>, %rows: tensor<?xi32>) -> tensor<?x1xf32> {
  %y = sparseconv.gather %x, %rows : tensor<?x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}
