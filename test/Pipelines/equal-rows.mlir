// RUN: sparseconv-opt %s --sparseconv-lower-to-ptx=target=cuda --mlir-print-ir-after=sparseconv-trust-row-numbers -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: sparseconv-opt %s --sparseconv-lower-to-gpu=target=cuda --mlir-print-ir-after=sparseconv-trust-row-numbers -o /dev/null 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: sparseconv-opt %s --sparseconv-lower-to-gpu='target=cuda compared-arguments' --mlir-print-ir-after=sparseconv-trust-row-numbers -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAN

// Who runs a plan compares the rows of its arguments, so that a gather of features by
// the order of points has no error to find. For functions by
// themselves nobody does so, unless it is said.

// PLAN: sparseconv.gather %{{.*}}, %order {sparseconv.trusted} :
// GPU:  sparseconv.gather %{{.*}}, %order :

#packing = #sparseconv.packing<i64, batch = 8, bits = [18, 18], guard = [4, 4]>
!set = !sparseconv.coords<2, stride = [1, 1], #packing>

func.func @main(%points: tensor<?x3xi32>, %x: tensor<?x8xf16>) -> tensor<?x8xf16> {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x3xi32> -> !set
  %0 = sparseconv.gather %x, %order : tensor<?x8xf16>, tensor<?xi32> -> tensor<?x8xf16>
  return %0 : tensor<?x8xf16>
}
