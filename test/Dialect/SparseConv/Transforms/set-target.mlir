// RUN: sparseconv-opt %s --sparseconv-set-target | FileCheck %s --check-prefix=CPU
// RUN: sparseconv-opt %s --sparseconv-set-target=target=cpu:sse2 | FileCheck %s --check-prefix=SSE2
// RUN: sparseconv-opt %s --sparseconv-set-target=target=cuda 2>&1 | FileCheck %s --check-prefix=CUDA --implicit-check-not=remark
// RUN: sparseconv-opt %s --sparseconv-set-target=target=cuda:sm_120 2>&1 | FileCheck %s --check-prefix=SM120
// RUN: not sparseconv-opt %s --sparseconv-set-target=target=cuda:sm_42 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not sparseconv-opt %s --sparseconv-set-target=target=cuda: 2>&1 | FileCheck %s --check-prefix=COLON
// RUN: not sparseconv-opt %s --sparseconv-set-target=target=abacus 2>&1 | FileCheck %s --check-prefix=TARGET

// The target that a text names is written on the module, for later passes.
// CPU:  module attributes {sparseconv.target = #sparseconv.target<cpu, chip = "avx2">}
// SSE2: module attributes {sparseconv.target = #sparseconv.target<cpu, chip = "sse2">}
// CUDA: module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_90a">}

// A chip without a table is taken as another one, and that is said once.
// SM120-COUNT-1: set-target.mlir:[[#]]:1: remark: there is no table of the chip 'sm_120': what is decided for sm_89 is taken
// SM120-NOT:     remark
// SM120:         module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_120">}

// CHIP: set-target.mlir:[[#]]:1: error: unknown chip 'sm_42' of the target 'cuda'; there are: sm_80, sm_86, sm_89, sm_90a
// COLON: error: unknown chip '' of the target 'cuda'; there are: sm_80, sm_86, sm_89, sm_90a
// TARGET: error: unknown target 'abacus'; there are: cpu, cuda
module {
}
