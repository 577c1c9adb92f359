// RUN: sparseconv-opt %s --sparseconv-select-dataflow | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-set-target=target=cuda:sm_86 --sparseconv-select-dataflow | FileCheck %s --check-prefix=CUDA

// Each convolution, and each of its gradients, says how it carries out its sum.
// On the CPU that is one offset after the other within a block of output rows.
// On a GPU, which the module names, a thread or a tile of them owns output rows.
// What is written by hand stays.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

// CHECK-LABEL: func.func @network(
func.func @network(%x: tensor<?x16xf32>, %w: tensor<27x16x32xf32>, %dy: tensor<?x32xf32>, %m: !map)
    -> (tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x16xf32>, tensor<27x16x32xf32>) {
  // CHECK: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<weight_stationary>}
  // CUDA: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary, split_k = 8>}
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x16xf32>, tensor<27x16x32xf32>, !map -> tensor<?x32xf32>
  // CHECK: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary, split_k = 2>}
  // CUDA: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary, split_k = 2>}
  %z = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary, split_k = 2>}
      : tensor<?x16xf32>, tensor<27x16x32xf32>, !map -> tensor<?x32xf32>
  // CHECK: sparseconv.input_grad {{.*}} {dataflow = #sparseconv.dataflow<weight_stationary>}
  // CUDA: sparseconv.input_grad {{.*}} {dataflow = #sparseconv.dataflow<output_stationary, split_k = 8>}
  %dx = sparseconv.input_grad %dy, %w, %m
      : tensor<?x32xf32>, tensor<27x16x32xf32>, !map -> tensor<?x16xf32>
  // CHECK: sparseconv.weight_grad {{.*}} {dataflow = #sparseconv.dataflow<weight_stationary>}
  // CUDA: sparseconv.weight_grad {{.*}} {dataflow = #sparseconv.dataflow<output_stationary, split_k = 168>}
  %dw = sparseconv.weight_grad %x, %dy, %m
      : tensor<?x16xf32>, tensor<?x32xf32>, !map -> tensor<27x16x32xf32>
  return %y, %z, %dx, %dw
      : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x16xf32>, tensor<27x16x32xf32>
}
