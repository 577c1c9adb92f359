// Loops whose number of iterations is an argument, around sets, maps and
// features. A GPU's host does not know the number, so it has no form there.

// DEFINE: %{points} = --input points=random:700
// DEFINE: %{inputs} = %{points} --input features=random:700 --input weights=random

// RUN: rm -rf %t && mkdir %t
// RUN: env SPARSECONV_POISON=1 sparseconv-run %s --target=cpu --entry=loop %{points} --input steps=const:0 --check --output %t/loop0.npy | FileCheck %s --check-prefix=SETS
// RUN: env SPARSECONV_POISON=1 sparseconv-run %s --target=cpu --entry=loop %{points} --input steps=const:2 --check --output %t/loop2.npy | FileCheck %s --check-prefix=SETS
// RUN: sparseconv-run %s --target=cpu --entry=loop_plain0 %{points} --output %t/plain0.npy
// RUN: sparseconv-run %s --target=cpu --entry=loop_plain2 %{points} --output %t/plain2.npy
// RUN: cmp %t/loop0.npy %t/plain0.npy
// RUN: cmp %t/loop2.npy %t/plain2.npy
// RUN: not cmp %t/loop0.npy %t/loop2.npy

// RUN: env SPARSECONV_POISON=1 sparseconv-run %s --target=cpu --entry=map_loop %{inputs} --input steps=const:3 --check --output %t/map3.npy | FileCheck %s
// RUN: sparseconv-run %s --target=cpu --entry=map_loop_plain %{inputs} --check --output %t/map3-plain.npy | FileCheck %s
// RUN: cmp %t/map3.npy %t/map3-plain.npy

// CHECK: result 'y': tensor<{{[1-9][0-9]*}}x8xf32>
// CHECK: check 'y': ok
// SETS: result 'coords': tensor<{{[1-9][0-9]*}}x2xi32>
// SETS: check 'coords': ok

#packing = #sparseconv.packing<i64, batch = 8, bits = [24], guard = [32]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!map = !sparseconv.kernel_map<3, !set to !set>

// A set that grows goes around the loop.
func.func @loop(%points: tensor<?x2xi32> {sparseconv.name = "points"},
                %steps: index {sparseconv.name = "steps"})
    -> (tensor<?x2xi32> {sparseconv.name = "coords"}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x2xi32> -> !set
  %grown = scf.for %i = %zero to %steps step %one iter_args(%set = %c) -> !set {
    %next = sparseconv.expand %set offsets(box<2>) : !set
    scf.yield %next : !set
  }
  %coords = sparseconv.unpack %grown : !set -> tensor<?x2xi32>
  return %coords : tensor<?x2xi32>
}

func.func @loop_plain0(%points: tensor<?x2xi32> {sparseconv.name = "points"})
    -> (tensor<?x2xi32> {sparseconv.name = "coords"}) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x2xi32> -> !set
  %coords = sparseconv.unpack %c : !set -> tensor<?x2xi32>
  return %coords : tensor<?x2xi32>
}

func.func @loop_plain2(%points: tensor<?x2xi32> {sparseconv.name = "points"})
    -> (tensor<?x2xi32> {sparseconv.name = "coords"}) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x2xi32> -> !set
  %a = sparseconv.expand %c offsets(box<2>) : !set
  %b = sparseconv.expand %a offsets(box<2>) : !set
  %coords = sparseconv.unpack %b : !set -> tensor<?x2xi32>
  return %coords : tensor<?x2xi32>
}

// A map and the features go around the loop; each step turns the map.
func.func @map_loop(%points: tensor<?x2xi32> {sparseconv.name = "points"},
                    %features: tensor<?x8xf32> {sparseconv.name = "features"},
                    %w: tensor<3x8x8xf32> {sparseconv.name = "weights"},
                    %steps: index {sparseconv.name = "steps"})
    -> (tensor<?x8xf32> {sparseconv.name = "y"}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x2xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  %m = sparseconv.kernel_map %c to %c offsets(list<[0], [1], [3]>) : !map
  %y, %last = scf.for %i = %zero to %steps step %one
      iter_args(%xi = %x, %mi = %m) -> (tensor<?x8xf32>, !map) {
    %yi = sparseconv.conv %xi, %w, %mi : tensor<?x8xf32>, tensor<3x8x8xf32>, !map -> tensor<?x8xf32>
    %turned = sparseconv.transpose_map %mi : !map -> !map
    scf.yield %yi, %turned : tensor<?x8xf32>, !map
  }
  return %y : tensor<?x8xf32>
}

func.func @map_loop_plain(%points: tensor<?x2xi32> {sparseconv.name = "points"},
                          %features: tensor<?x8xf32> {sparseconv.name = "features"},
                          %w: tensor<3x8x8xf32> {sparseconv.name = "weights"})
    -> (tensor<?x8xf32> {sparseconv.name = "y"}) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x2xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  %m = sparseconv.kernel_map %c to %c offsets(list<[0], [1], [3]>) : !map
  %n = sparseconv.transpose_map %m : !map -> !map
  %a = sparseconv.conv %x, %w, %m : tensor<?x8xf32>, tensor<3x8x8xf32>, !map -> tensor<?x8xf32>
  %b = sparseconv.conv %a, %w, %n : tensor<?x8xf32>, tensor<3x8x8xf32>, !map -> tensor<?x8xf32>
  %y = sparseconv.conv %b, %w, %m : tensor<?x8xf32>, tensor<3x8x8xf32>, !map -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
