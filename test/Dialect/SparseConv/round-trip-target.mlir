// RUN: sparseconv-opt %s --split-input-file | sparseconv-opt --split-input-file | FileCheck %s
// RUN: sparseconv-opt %s --split-input-file --mlir-print-op-generic | sparseconv-opt --split-input-file | FileCheck %s

// What a module is compiled for: a backend and one of its chips.
// CHECK: module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_86">}
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_86">} {
}

// -----

// The chip of a CPU is the level of its vector instructions.
// CHECK: module attributes {sparseconv.target = #sparseconv.target<cpu, chip = "avx512">}
module attributes {sparseconv.target = #sparseconv.target<cpu, chip = "avx512">} {
}

// -----

// A chip that is left out is the backend's default.
// CHECK: module attributes {sparseconv.target = #sparseconv.target<cpu, chip = "avx2">}
module attributes {sparseconv.target = #sparseconv.target<cpu>} {
  // CHECK: module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_90a">}
  module attributes {sparseconv.target = #sparseconv.target<cuda>} {
  }
}

// -----

// A chip without a row in the table keeps its name.
// CHECK: module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_120">}
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_120">} {
}
