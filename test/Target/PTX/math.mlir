// The PTX of functions in f64 calls nothing, and the assembler takes it.
// REQUIRES: ptxas
// RUN: sparseconv-opt %S/../../Execution/math-functions.mlir --sparseconv-lower-to-gpu=target=cuda:sm_80 | sparseconv-translate --mlir-to-plan --chip=sm_80 | sparseconv-translate --plan-to-ptx -o %t.80.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.80.ptx
// RUN: %ptxas -arch=sm_80 -v %t.80.ptx -o %t.80.cubin 2>&1 | FileCheck %s
// RUN: sparseconv-opt %S/../../Execution/math-functions.mlir --sparseconv-lower-to-gpu=target=cuda:sm_90a | sparseconv-translate --mlir-to-plan --chip=sm_90a | sparseconv-translate --plan-to-ptx -o %t.90a.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.90a.ptx
// RUN: %ptxas -arch=sm_90a -v %t.90a.ptx -o %t.90a.cubin 2>&1 | FileCheck %s

// CHECK-NOT: {{error|warning|[1-9][0-9]* bytes (stack|spill)}}
// CHECK:     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-NOT: {{error|warning|[1-9][0-9]* bytes (stack|spill)}}

// PTX-NOT: {{[[:space:]]call|[.]extern}}
// PTX:     fma.rn.f64
// PTX-NOT: {{[[:space:]]call|[.]extern}}
// PTX:     cvt.rn.f32.f64
// PTX-NOT: {{[[:space:]]call|[.]extern}}
