// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-loops --split-input-file --verify-diagnostics
// RUN: sparseconv-opt %s --sparseconv-lower-buffers-to-cpu --split-input-file --verify-diagnostics

// expected-error @+1 {{the target is a GPU, whose kernels are not loops}}
module attributes {sparseconv.target = #sparseconv.target<cuda>} {
}
