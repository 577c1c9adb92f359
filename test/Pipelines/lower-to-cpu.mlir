// The whole way of a layer to the LLVM dialect, and to LLVM IR.
// RUN: sparseconv-opt %s --sparseconv-lower-to-cpu=target=cpu:avx512 | FileCheck %s --check-prefix=LLVM
// RUN: sparseconv-opt %s --sparseconv-lower-to-cpu | sparseconv-translate --mlir-to-llvmir | FileCheck %s --check-prefix=IR

// In its two halves, for hosts with passes of their own in between.
// RUN: sparseconv-opt %s --sparseconv-lower-to-cpu -o %t.whole.mlir
// RUN: sparseconv-opt %s --sparseconv-lower-to-buffers -o %t.buffers.mlir
// RUN: sparseconv-opt %t.buffers.mlir --sparseconv-lower-buffers-to-cpu | cmp - %t.whole.mlir

// Each parallel region stands in a function of its own, in which LLVM looks at
// nothing else.
// RUN: awk '/llvm.func/ {regions = 0} /omp.parallel/ && ++regions > 1 {exit 1}' %t.whole.mlir

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [1, 1, 1]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

// LLVM-LABEL: llvm.func @layer
// LLVM-DAG: llvm.call @sparseconv_cpu_sort_u64
// LLVM-DAG: llvm.intr.fmuladd{{.*}}vector<16xf32>
// LLVM-DAG: llvm.call @layer_parallel_0
// LLVM-DAG: omp.parallel
// LLVM-NOT: memref.

// IR:     define {{.*}} @layer(
// IR-NOT: @__kmpc_fork_call
// IR:     define internal void @layer_parallel_0(
// IR:     call void {{.*}} @__kmpc_fork_call
func.func @layer(%points: tensor<?x4xi32>, %x: tensor<?x16xf32>, %w: tensor<27x16x32xf32>) -> tensor<?x32xf32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x16xf32>, tensor<?xi32> -> tensor<?x16xf32>
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %f, %w, %m : tensor<?x16xf32>, tensor<27x16x32xf32>, !map -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}
