// What threads work in is allocated before they start, so that the lack of it is an
// error as everywhere. Here that is a
// block of rows with 2^20 channels for each of 64 threads.

// UNSUPPORTED: sanitize
// RUN: not bash -c "ulimit -v 6000000; sparseconv-run %s --num-threads=64 --input x=const:1:1 --input w=const:1" 2>&1 | FileCheck %s
// CHECK: sparseconv-run: error: out of memory: cannot allocate {{[0-9]+}} bytes

#p = #sparseconv.packing<i64, batch = 4, bits = [12, 12, 12], guard = [8, 8, 8]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
!map = !sparseconv.kernel_map<1, !set to !set>
func.func @main(%x: tensor<?x1048576xf32> {sparseconv.name = "x"},
                %w: tensor<1x1048576x1x1xf32> {sparseconv.name = "w"}) -> tensor<?x1048576xf32> {
  %points = arith.constant dense<0> : tensor<1x4xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<1x4xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<1, 1, 1>) : !map
  %y = sparseconv.conv %x, %w, %m : tensor<?x1048576xf32>, tensor<1x1048576x1x1xf32>, !map -> tensor<?x1048576xf32>
  return %y : tensor<?x1048576xf32>
}
