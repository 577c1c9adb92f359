// RUN: sparseconv-opt --sparseconv-lower-to-cpu %s | FileCheck %s

// A module without an operation of the dialect is lowered, too: passes load the
// dialect whose attributes they make.

// CHECK: sparseconv.op_table = []
// CHECK: llvm.func @identity
func.func @identity(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}
