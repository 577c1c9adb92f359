// RUN: sparseconv-translate --network-to-plan %s | sparseconv-translate --plan-to-text | FileCheck %s
// RUN: %python -c "import numpy; numpy.save('%t.npy', numpy.full((1, 4), 9999999, 'int32'))"
// RUN: not sparseconv-run %s --input=%t.npy 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not sparseconv-run %s --input=%t.npy --target=reference 2>&1 | FileCheck %s --check-prefix=ERROR

// A host that knows no lines of a file names its operations instead, and messages and
// profiles name them so.
// CHECK: op 0 sparseconv.pack at 'voxels'
// CHECK: step 0: launch {{.*}} op 0
// ERROR: voxels: sparseconv.pack: point 0:

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>

func.func @main(%points: tensor<?x4xi32>) -> tensor<?xi32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set loc("voxels")
  return %row_of : tensor<?xi32>
}
