// RUN: sparseconv-opt %s --sparseconv-set-target=target=cuda:sm_87 2>&1 | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-set-target=target=cuda 2>&1 | FileCheck %s
// RUN: not sparseconv-opt %s --sparseconv-set-target=target=cuda:sm_90a 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not sparseconv-opt %s --sparseconv-set-target=target=cpu 2>&1 | FileCheck %s --check-prefix=BACKEND

// A target that is written stays. Another one is an error, but a text without a
// chip leaves the choice to the module.
// CHECK: remark: there is no table of the chip 'sm_87': what is decided for sm_86 is taken
// CHECK: module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_87">}

// CHIP: error: is for cuda:sm_87 (sparseconv.target), but 'cuda:sm_90a' is asked for
// BACKEND: error: is for cuda:sm_87 (sparseconv.target), but 'cpu' is asked for
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_87">} {
}
