// Sets and kernel maps are arguments and results of functions, and go through a
// branch and around a loop. Each function has a twin without control flow that
// gives the same bits.

// DEFINE: %{points} = --input points=random:700
// DEFINE: %{inputs} = %{points} --input features=random:700 --input weights=random

// RUN: rm -rf %t && mkdir %t
// RUN: env SPARSECONV_POISON=1 sparseconv-run %s --entry=calls %{inputs} --check --output %t/calls.npy | FileCheck %s
// RUN: sparseconv-run %s --entry=calls_plain %{inputs} --check --output %t/calls-plain.npy | FileCheck %s
// RUN: cmp %t/calls.npy %t/calls-plain.npy
// RUN: sparseconv-run %s --entry=calls %{inputs} --target=reference --precision=exact --output %t/calls-exact.npy
// RUN: not cmp %t/calls.npy %t/calls-exact.npy

// RUN: env SPARSECONV_POISON=1 sparseconv-run %s --entry=branch %{inputs} --input wide=const:1 --check --output %t/wide.npy | FileCheck %s
// RUN: env SPARSECONV_POISON=1 sparseconv-run %s --entry=branch %{inputs} --input wide=const:0 --check --output %t/narrow.npy | FileCheck %s
// RUN: sparseconv-run %s --entry=wide_plain %{inputs} --check --output %t/wide-plain.npy | FileCheck %s
// RUN: sparseconv-run %s --entry=calls_plain %{inputs} --output %t/narrow-plain.npy
// RUN: cmp %t/wide.npy %t/wide-plain.npy
// RUN: cmp %t/narrow.npy %t/narrow-plain.npy
// RUN: not cmp %t/wide.npy %t/narrow.npy

// RUN: env SPARSECONV_POISON=1 sparseconv-run %s --entry=loop %{points} --check --output %t/loop.npy | FileCheck %s --check-prefix=SETS
// RUN: sparseconv-run %s --entry=loop_plain %{points} --output %t/loop-plain.npy
// RUN: cmp %t/loop.npy %t/loop-plain.npy

// RUN: env SPARSECONV_POISON=1 sparseconv-run %s --entry=map_loop %{inputs} --check --output %t/map.npy | FileCheck %s
// RUN: sparseconv-run %s --entry=map_loop_plain %{inputs} --check --output %t/map-plain.npy | FileCheck %s
// RUN: cmp %t/map.npy %t/map-plain.npy

// CHECK: result 'y': tensor<{{[1-9][0-9]*}}x8xf32>
// CHECK: check 'y': ok
// SETS: result 'coords': tensor<{{[1-9][0-9]*}}x2xi32>
// SETS: check 'coords': ok

#packing = #sparseconv.packing<i64, batch = 8, bits = [24], guard = [32]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!map = !sparseconv.kernel_map<3, !set to !set>

func.func private @voxels(%points: tensor<?x2xi32>, %features: tensor<?x8xf32>) -> (!set, tensor<?x8xf32>) attributes {no_inline} {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x2xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  return %c, %x : !set, tensor<?x8xf32>
}

func.func private @relate(%in: !set, %out: !set) -> (!map, !set) attributes {no_inline} {
  %m = sparseconv.kernel_map %in to %out offsets(box<3>) : !map
  return %m, %out : !map, !set
}

func.func private @apply(%x: tensor<?x8xf32>, %w: tensor<3x8x8xf32>, %m: !map) -> tensor<?x8xf32> attributes {no_inline} {
  %y = sparseconv.conv %x, %w, %m : tensor<?x8xf32>, tensor<3x8x8xf32>, !map -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

func.func @calls(%points: tensor<?x2xi32> {sparseconv.name = "points"},
                 %features: tensor<?x8xf32> {sparseconv.name = "features"},
                 %w: tensor<3x8x8xf32> {sparseconv.name = "weights"})
    -> (tensor<?x8xf32> {sparseconv.name = "y"}) {
  %c, %x = call @voxels(%points, %features) : (tensor<?x2xi32>, tensor<?x8xf32>) -> (!set, tensor<?x8xf32>)
  %m, %same = call @relate(%c, %c) : (!set, !set) -> (!map, !set)
  %y = call @apply(%x, %w, %m) : (tensor<?x8xf32>, tensor<3x8x8xf32>, !map) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

func.func @calls_plain(%points: tensor<?x2xi32> {sparseconv.name = "points"},
                       %features: tensor<?x8xf32> {sparseconv.name = "features"},
                       %w: tensor<3x8x8xf32> {sparseconv.name = "weights"})
    -> (tensor<?x8xf32> {sparseconv.name = "y"}) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x2xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  %m = sparseconv.kernel_map %c to %c offsets(box<3>) : !map
  %y = sparseconv.conv %x, %w, %m : tensor<?x8xf32>, tensor<3x8x8xf32>, !map -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// A set, its features' rows and a map leave the branch.
func.func @branch(%points: tensor<?x2xi32> {sparseconv.name = "points"},
                  %features: tensor<?x8xf32> {sparseconv.name = "features"},
                  %w: tensor<3x8x8xf32> {sparseconv.name = "weights"},
                  %wide: i1 {sparseconv.name = "wide"})
    -> (tensor<?x8xf32> {sparseconv.name = "y"}) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x2xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  %out, %m = scf.if %wide -> (!set, !map) {
    %grown = sparseconv.expand %c offsets(box<3>) : !set
    %grown_map = sparseconv.kernel_map %c to %grown offsets(box<3>) : !map
    scf.yield %grown, %grown_map : !set, !map
  } else {
    %same_map = sparseconv.kernel_map %c to %c offsets(box<3>) : !map
    scf.yield %c, %same_map : !set, !map
  }
  %y = sparseconv.conv %x, %w, %m : tensor<?x8xf32>, tensor<3x8x8xf32>, !map -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

func.func @wide_plain(%points: tensor<?x2xi32> {sparseconv.name = "points"},
                      %features: tensor<?x8xf32> {sparseconv.name = "features"},
                      %w: tensor<3x8x8xf32> {sparseconv.name = "weights"})
    -> (tensor<?x8xf32> {sparseconv.name = "y"}) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x2xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  %grown = sparseconv.expand %c offsets(box<3>) : !set
  %m = sparseconv.kernel_map %c to %grown offsets(box<3>) : !map
  %y = sparseconv.conv %x, %w, %m : tensor<?x8xf32>, tensor<3x8x8xf32>, !map -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// A set that grows goes around the loop, whose iterations are known.
func.func @loop(%points: tensor<?x2xi32> {sparseconv.name = "points"})
    -> (tensor<?x2xi32> {sparseconv.name = "coords"}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 2 : index
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x2xi32> -> !set
  %grown = scf.for %i = %zero to %steps step %one iter_args(%set = %c) -> !set {
    %next = sparseconv.expand %set offsets(box<2>) : !set
    scf.yield %next : !set
  }
  %coords = sparseconv.unpack %grown : !set -> tensor<?x2xi32>
  return %coords : tensor<?x2xi32>
}

func.func @loop_plain(%points: tensor<?x2xi32> {sparseconv.name = "points"})
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
                    %w: tensor<3x8x8xf32> {sparseconv.name = "weights"})
    -> (tensor<?x8xf32> {sparseconv.name = "y"}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 3 : index
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

// One value as two results is one buffer, and two values for the caller, of
// which one may be written to.
// RUN: sparseconv-run %s --entry=twice %{points} --check | FileCheck %s --check-prefix=TWICE
// TWICE: check 'once': ok
// TWICE: check 'again': ok
// TWICE: check 'changed': ok
func.func private @two(%points: tensor<?x2xi32>) -> (tensor<?x2xi32>, tensor<?x2xi32>) attributes {no_inline} {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x2xi32> -> !set
  %v = sparseconv.unpack %c : !set -> tensor<?x2xi32>
  return %v, %v : tensor<?x2xi32>, tensor<?x2xi32>
}

func.func @twice(%points: tensor<?x2xi32> {sparseconv.name = "points"})
    -> (tensor<?x2xi32> {sparseconv.name = "once"}, tensor<?x2xi32> {sparseconv.name = "again"},
        tensor<?x2xi32> {sparseconv.name = "changed"}) {
  %a, %b = call @two(%points) : (tensor<?x2xi32>) -> (tensor<?x2xi32>, tensor<?x2xi32>)
  %changed = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%a : tensor<?x2xi32>) {
  ^bb0(%out: i32):
    %sum = arith.addi %out, %out : i32
    linalg.yield %sum : i32
  } -> tensor<?x2xi32>
  return %b, %b, %changed : tensor<?x2xi32>, tensor<?x2xi32>, tensor<?x2xi32>
}
