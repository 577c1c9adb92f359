// RUN: sparseconv-opt %s --convert-sparseconv-to-kernels --split-input-file --verify-diagnostics

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

func.func @undecided(%x: tensor<?x4xf32>, %w: tensor<27x4x8xf32>, %m: !map) -> tensor<?x8xf32> {
  // expected-error @below {{'sparseconv.conv' op expects a dataflow, as sparseconv-select-dataflow decides it, but found none}}
  %y = sparseconv.conv %x, %w, %m : tensor<?x4xf32>, tensor<27x4x8xf32>, !map -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

func.func @no_search(%c: !set) -> !map {
  // expected-error @below {{'sparseconv.kernel_map' op expects a search, as sparseconv-select-indexing decides it, but found none}}
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  return %m : !map
}

// -----

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

func.func @no_tiling(%dy: tensor<?x8xf32>, %w: tensor<27x4x8xf32>, %m: !map) -> tensor<?x4xf32> {
  // expected-error @below {{'sparseconv.input_grad' op expects a tiling, as sparseconv-select-tiling decides it, but found none}}
  %dx = sparseconv.input_grad %dy, %w, %m {dataflow = #sparseconv.dataflow<weight_stationary>}
      : tensor<?x8xf32>, tensor<27x4x8xf32>, !map -> tensor<?x4xf32>
  return %dx : tensor<?x4xf32>
}

// -----

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

func.func @unknown_dataflow(%x: tensor<?x4xf32>, %dy: tensor<?x8xf32>, %m: !map) -> tensor<27x4x8xf32> {
  // expected-error @below {{'sparseconv.weight_grad' op does not run on avx2 with #sparseconv.dataflow<input_stationary>: no dataflow 'input_stationary' is known; there are: output_stationary}}
  %dw = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<input_stationary>}
      : tensor<?x4xf32>, tensor<?x8xf32>, !map -> tensor<27x4x8xf32>
  return %dw : tensor<27x4x8xf32>
}

// -----

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

func.func @split(%x: tensor<?x4xf32>, %w: tensor<27x4x8xf32>, %m: !map) -> tensor<?x8xf32> {
  // expected-error @below {{does not run on avx2 with #sparseconv.tiling<row_block = 64, rows = 2, columns = 32, lanes = 8>: the dataflow weight_stationary splits no sum, found 2 splits}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<weight_stationary, split_k = 2>,
      tiling = #sparseconv.tiling<row_block = 64, rows = 2, columns = 32, lanes = 8>}
      : tensor<?x4xf32>, tensor<27x4x8xf32>, !map -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>

// expected-error @below {{expects a function that takes or returns a coordinate set or kernel map to have a body, but found a declaration of '@make'}}
func.func private @make() -> !set

// -----

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>

func.func @size(%c: !set) -> index {
  %n = sparseconv.size %c : !set
  return %n : index
}

func.func @as_value() -> ((!set) -> index) {
  // expected-error @below {{expects functions with a body to be called directly, but found '@size' used as a value}}
  %f = func.constant @size : (!set) -> index
  return %f : (!set) -> index
}

// -----

// expected-error @below {{expects a module on the network level, but found 'sparseconv.op_table', which the conversion leaves}}
module attributes {sparseconv.op_table = []} {
}
