// RUN: sparseconv-opt %s --sparseconv-allow-inlining | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-allow-inlining --inline | FileCheck %s --check-prefix=INLINED

// CHECK-NOT: no_inline
// INLINED-LABEL: func.func @caller(
// INLINED-NOT: call
// INLINED: arith.addi
// INLINED: arith.addi
func.func private @helper(%x: i32) -> i32 attributes {no_inline} {
  %r = arith.addi %x, %x : i32
  return %r : i32
}

func.func @caller(%x: i32) -> i32 {
  %a = call @helper(%x) : (i32) -> i32
  %b = call @helper(%a) {no_inline} : (i32) -> i32
  return %b : i32
}
