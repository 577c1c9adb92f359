// A plan runs on what it was compiled for, and does not say what it computes.
// RUN: sparseconv-translate %s --network-to-plan -o %t.plan
// RUN: not sparseconv-run %t.plan 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not sparseconv-run %t.plan --target=cuda --check 2>&1 | FileCheck %s --check-prefix=REFERENCE
// RUN: not sparseconv-run %t.plan --target=cuda --streams=2 2>&1 | FileCheck %s --check-prefix=STREAMS
// RUN: not sparseconv-run %t.plan --target=cuda --entry=other 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not sparseconv-run %t.plan --target=cuda 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: head -c 200 %t.plan > %t.short.plan
// RUN: not sparseconv-run %t.short.plan --target=cuda 2>&1 | FileCheck %s --check-prefix=SHORT

// CPU:       error: the plan is for a GPU: --target=cuda
// REFERENCE: error: --check is for IR: a plan does not say what it computes
// STREAMS:   error: --streams is for IR: a plan has its streams
// ENTRY:     error: no function '@other' in the plan; there are: @main
// INPUT:     error: no value for these arguments:
// INPUT-NEXT:  'x' of type tensor<?x3xf16>
// INPUT-NEXT:  'n' of type index
// SHORT:     error: '{{.*}}.short.plan': {{.*}}200

func.func @main(%x: tensor<?x3xf16> {sparseconv.name = "x"}, %n: index {sparseconv.name = "n"}) -> tensor<?x3xf16> {
  %y = tensor.empty(%n) : tensor<?x3xf16>
  %c = arith.constant 1.0 : f16
  %z = linalg.fill ins(%c : f16) outs(%y : tensor<?x3xf16>) -> tensor<?x3xf16>
  return %z : tensor<?x3xf16>
}
