// An unpool of features that are not of its set names itself on every target.
// RUN: not sparseconv-run %s --input points=const:0:3 --input x=random:2 2> %t.cpu
// RUN: not sparseconv-run %s --input points=const:0:3 --input x=random:2 --target=reference 2> %t.reference
// RUN: diff %t.cpu %t.reference
// RUN: FileCheck %s < %t.cpu
// CHECK: sparseconv.unpool: 'x' has 2 rows, but the out set of the map has 1

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!fine = !sparseconv.coords<1, stride = [1], #packing>
!half = !sparseconv.coords<1, stride = [2], #packing>
!map = !sparseconv.kernel_map<2, !fine to !half>
func.func @unpool(%points: tensor<?x2xi32> {sparseconv.name = "points"}, %x: tensor<?x4xf32> {sparseconv.name = "x"}) -> tensor<?x4xf32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x2xi32> -> !fine
  %h = sparseconv.downsample %c by [2] : !fine -> !half
  %m = sparseconv.kernel_map %c to %h offsets(box<2>) : !map
  %y = sparseconv.unpool %x, %m : tensor<?x4xf32>, !map -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
