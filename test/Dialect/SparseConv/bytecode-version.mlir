// RUN: sparseconv-opt %s --emit-bytecode -o %t.mlirbc
// RUN: sparseconv-opt %t.mlirbc | FileCheck %s --check-prefix=SAME
// RUN: %python %S/Inputs/next_bytecode_version.py %t.mlirbc %t.next.mlirbc
// RUN: not sparseconv-opt %t.next.mlirbc 2>&1 | FileCheck %s

// Bytecode of a version that this build does not know is refused, not misread.

// SAME: sparseconv.size
// CHECK: error: sparseconv bytecode of version 2 is newer than this build reads (version 1)
// CHECK-NOT: func.func

#packing = #sparseconv.packing<i32, batch = 0, bits = [12], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>

func.func @rows(%c: !set) -> index {
  %rows = sparseconv.size %c : !set
  return %rows : index
}
