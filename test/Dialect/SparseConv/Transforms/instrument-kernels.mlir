// RUN: sparseconv-opt %s --sparseconv-instrument-kernels | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-instrument-kernels --sparseconv-instrument-kernels --split-input-file -o %t

// CHECK: module attributes {sparseconv.kernel_table = {{\[\[}}"sparseconv.kernel.invert_table", {{.*}}]]}
// CHECK-DAG: func.func private @sparseconv_cpu_trace_begin(i64)
// CHECK-DAG: func.func private @sparseconv_cpu_trace_end(i64)

// CHECK-LABEL: func @kernel
// CHECK: %[[NUMBER:.*]] = arith.constant 0 : i64
// CHECK: call @sparseconv_cpu_trace_begin(%[[NUMBER]])
// CHECK-NEXT: sparseconv.kernel.invert_table
// CHECK-NEXT: call @sparseconv_cpu_trace_end(%[[NUMBER]])
func.func @kernel(%table: memref<?x27xi32>, %inverse: memref<?x27xi32>) {
  sparseconv.kernel.invert_table ins(%table : memref<?x27xi32>) outs(%inverse : memref<?x27xi32>)
  return
}
