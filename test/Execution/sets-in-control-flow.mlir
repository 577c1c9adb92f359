// RUN: %python -c "import numpy as np; r = np.random.default_rng(1); \
// RUN:   points = lambda n: np.concatenate([r.integers(0, 2, (n, 1)), r.integers(-6, 6, (n, 3))], 1).astype(np.int32); \
// RUN:   np.save('%t.p.npy', points(60)); np.save('%t.q.npy', points(40)); \
// RUN:   np.save('%t.none.npy', np.zeros((0, 4), np.int32)); \
// RUN:   np.save('%t.far.npy', np.array([[0, 1, 2, 3], [0, 9999999, 0, 0]], np.int32))"
// RUN: sparseconv-run %s --target=cpu --check --quiet --input %t.p.npy --input %t.q.npy --input b=const:1 --input n=const:3
// RUN: sparseconv-run %s --target=cpu --check --quiet --input %t.p.npy --input %t.q.npy --input b=const:0 --input n=const:0
// RUN: sparseconv-run %s --target=cpu --check --quiet --input %t.none.npy --input %t.q.npy --input b=const:1 --input n=const:1
// RUN: not sparseconv-run %s --target=cpu --quiet --input %t.p.npy --input %t.far.npy --input b=const:1 --input n=const:1 2>&1 | FileCheck %s

// Sets and maps that calls return, branches choose between and loops carry. The
// loops end by numbers that the host of a GPU does not know.

// After an error sets are empty. A loop that waits for one to grow ends all the
// same.
// CHECK: sparseconv.pack: point 1: coordinate 9999999 on axis 0 is outside -524256 .. 524255

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
func.func private @relate(%c: !set) -> !map {
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  return %m : !map
}
func.func @main(%p: tensor<?x4xi32>, %q: tensor<?x4xi32>, %b: i1 {sparseconv.name = "b"}, %n: index {sparseconv.name = "n"})
   -> (tensor<?x4xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x27xi32>, tensor<?x4xi32>, tensor<?xi32>, tensor<?x27xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a, %o, %r = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %d, %o2, %r2 = sparseconv.pack %q : tensor<?x4xi32> -> !set
  %u, %l, %rr = sparseconv.union %a, %d : !set
  %up = sparseconv.unpack %u : !set -> tensor<?x4xi32>
  %i = scf.if %b -> !set {
    %e = sparseconv.expand %a offsets(box<3,1,2>) : !set
    scf.yield %e : !set
  } else { scf.yield %d : !set }
  %ip = sparseconv.unpack %i : !set -> tensor<?x4xi32>
  %f = scf.for %k = %c0 to %n step %c1 iter_args(%s = %a) -> !set {
    %e = sparseconv.expand %s offsets(box<2,1,1>) : !set
    scf.yield %e : !set
  }
  %fp = sparseconv.unpack %f : !set -> tensor<?x4xi32>
  %sel = arith.select %b, %a, %d : !set
  %m = func.call @relate(%sel) : (!set) -> !map
  %t = sparseconv.neighbour_table %m : !map -> tensor<?x27xi32>
  %c100 = arith.constant 100 : index
  %w = scf.while (%s = %d) : (!set) -> !set {
    %size = sparseconv.size %s : !set
    %small = arith.cmpi slt, %size, %c100 : index
    scf.condition(%small) %s : !set
  } do {
  ^bb0(%s: !set):
    %e = sparseconv.expand %s offsets(box<1,2,1>) : !set
    scf.yield %e : !set
  }
  %wp = sparseconv.unpack %w : !set -> tensor<?x4xi32>
  %x, %xl, %xr = sparseconv.intersection %u, %f : !set
  %mm = scf.for %k = %c0 to %n step %c1 iter_args(%s = %m) -> !map {
    %e = sparseconv.transpose_map %s : !map -> !map
    scf.yield %e : !map
  }
  %tt = sparseconv.neighbour_table %mm : !map -> tensor<?x27xi32>
  return %up, %l, %rr, %r, %ip, %fp, %t, %wp, %xl, %tt : tensor<?x4xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x27xi32>, tensor<?x4xi32>, tensor<?xi32>, tensor<?x27xi32>
}
