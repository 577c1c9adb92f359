// The lowest coordinate of a packing floors to one that it does not hold, by a
// power of two and by another number.

// RUN: not sparseconv-run %s --entry=two 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not sparseconv-run %s --entry=two --target=reference 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not sparseconv-run %s --entry=three 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not sparseconv-run %s --entry=three --target=reference 2>&1 | FileCheck %s --check-prefix=THREE

// TWO: sparseconv.downsample: row 0: coordinate -8 on axis 0 is outside -7 .. 6
// THREE: sparseconv.downsample: row 0: coordinate -9 on axis 0 is outside -7 .. 6

#packing = #sparseconv.packing<i32, batch = 2, bits = [4], guard = [1]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!two = !sparseconv.coords<1, stride = [2], #packing>
!three = !sparseconv.coords<1, stride = [3], #packing>

func.func @two() -> tensor<?x2xi32> {
  %points = arith.constant dense<[[0, 5], [0, -7]]> : tensor<2x2xi32>
  %coords, %order, %row_of = sparseconv.pack %points : tensor<2x2xi32> -> !set
  %0 = sparseconv.downsample %coords by [2] : !set -> !two
  %1 = sparseconv.unpack %0 : !two -> tensor<?x2xi32>
  return %1 : tensor<?x2xi32>
}

func.func @three() -> tensor<?x2xi32> {
  %points = arith.constant dense<[[0, 5], [0, -7]]> : tensor<2x2xi32>
  %coords, %order, %row_of = sparseconv.pack %points : tensor<2x2xi32> -> !set
  %0 = sparseconv.downsample %coords by [3] : !set -> !three
  %1 = sparseconv.unpack %0 : !three -> tensor<?x2xi32>
  return %1 : tensor<?x2xi32>
}
