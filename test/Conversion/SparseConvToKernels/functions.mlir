// RUN: sparseconv-opt %s --sparseconv-select-indexing --convert-sparseconv-to-kernels | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-select-indexing --convert-sparseconv-to-kernels=every-function | FileCheck %s --check-prefix=EVERY

// Sets and maps in signatures, calls and control flow.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

// Name and place of every network operation, in program order: what a status
// record's number stands for.
// CHECK: sparseconv.op_table = [
// CHECK-SAME: ["sparseconv.kernel_map", #[[LOC:.*]]], ["sparseconv.neighbour_table", #{{.*}}],
// CHECK-SAME: ["sparseconv.pack", #{{.*}}]]

// A function with a body takes the status record; a declaration does not.
// CHECK: func.func private @relate(%[[KEYS:.*]]: tensor<?xi64>, %[[N:.*]]: index, %{{.*}}: memref<8xi64> {sparseconv.status}) -> (tensor<?x27xi32>, index, index)
func.func private @relate(%c: !set, %n: index) -> (!map, index) {
  // CHECK: %[[TABLE:.*]] = sparseconv.kernel.search
  // CHECK: %[[ROWS:.*]] = tensor.dim %[[KEYS]]
  // CHECK: return %[[TABLE]], %[[ROWS]], %[[N]] : tensor<?x27xi32>, index, index
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  return %m, %n : !map, index
}

// CHECK: func.func private @log(index)
func.func private @log(index)

// CHECK-LABEL: func.func @calls(
// CHECK-SAME: %[[KEYS:[^:]*]]: tensor<?xi64>
// CHECK-SAME: %[[STATUS:[^:]*]]: memref<8xi64> {sparseconv.status}) -> (tensor<?x27xi32>, tensor<?x27xi32>, index)
func.func @calls(%c: !set, %n: index) -> (tensor<?x27xi32>, !map) {
  // CHECK: %[[MAP:.*]]:3 = call @relate(%[[KEYS]], %{{.*}}, %[[STATUS]])
  // CHECK: call @log(%[[MAP]]#2) : (index) -> ()
  // CHECK: return %[[MAP]]#0, %[[MAP]]#0, %[[MAP]]#1
  %m, %k = func.call @relate(%c, %n) : (!set, index) -> (!map, index)
  func.call @log(%k) : (index) -> ()
  %t = sparseconv.neighbour_table %m : !map -> tensor<?x27xi32>
  return %t, %m : tensor<?x27xi32>, !map
}

// Attributes stay with their argument and result; a map keeps them on its
// table. What callers own is read only.
// CHECK: func.func @attributes(
// CHECK-SAME: tensor<?x27xi32> {bufferization.writable = false, sparseconv.name = "m"}, %{{[^:]*}}: index,
// CHECK-SAME: tensor<?x4xf32> {bufferization.writable = false, sparseconv.name = "x"}, %{{[^:]*}}: f32 {sparseconv.name = "s"}, %{{[^:]*}}: memref<8xi64> {sparseconv.status})
// CHECK-SAME: -> (tensor<?x27xi32> {sparseconv.name = "r"}, index, tensor<?x4xf32> {sparseconv.name = "y"})
func.func @attributes(%m: !map {sparseconv.name = "m"}, %x: tensor<?x4xf32> {sparseconv.name = "x"},
                      %s: f32 {sparseconv.name = "s"})
    -> (!map {sparseconv.name = "r"}, tensor<?x4xf32> {sparseconv.name = "y"}) {
  return %m, %x : !map, tensor<?x4xf32>
}

// CHECK-LABEL: func.func @branch(
// CHECK-SAME: %[[B:[^:]*]]: i1, %[[KEYS:[^:]*]]: tensor<?xi64>
func.func @branch(%b: i1, %c: !set) -> !set {
  // CHECK: %[[R:.*]] = scf.if %[[B]] -> (tensor<?xi64>) {
  // CHECK:   sparseconv.kernel.spread
  // CHECK:   scf.yield %{{.*}} : tensor<?xi64>
  // CHECK: } else {
  // CHECK:   scf.yield %[[KEYS]] : tensor<?xi64>
  // CHECK: return %[[R]]
  %r = scf.if %b -> !set {
    %e = sparseconv.expand %c offsets(box<3, 3, 3>) : !set
    scf.yield %e : !set
  } else {
    scf.yield %c : !set
  }
  return %r : !set
}

// A map that a loop carries takes two places.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[TABLE:[^:]*]]: tensor<?x27xi32> {{[^,]*}}, %[[NIN:[^:]*]]: index
func.func @loop(%m: !map, %n: index) -> !map {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[T:.*]] = %[[TABLE]], %[[I:.*]] = %[[NIN]]) -> (tensor<?x27xi32>, index)
  // CHECK:   %[[BACK:.*]] = sparseconv.kernel.invert_table ins(%[[T]] :
  // CHECK:   %[[ROWS:.*]] = tensor.dim %[[T]]
  // CHECK:   scf.yield %[[BACK]], %[[ROWS]]
  // CHECK: return %[[R]]#0, %[[R]]#1
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %m) -> !map {
    %t = sparseconv.transpose_map %a : !map -> !map
    scf.yield %t : !map
  }
  return %r : !map
}

// A loop ends at an error: after one the set is empty and would never grow.
// CHECK-LABEL: func.func @while(
// CHECK-SAME: %[[KEYS:[^:]*]]: tensor<?xi64> {{[^,]*}}, %{{[^:]*}}: index, %[[STATUS:[^:]*]]: memref<8xi64> {sparseconv.status}
func.func @while(%c: !set, %n: index) -> !set {
  // CHECK: scf.while (%[[A:.*]] = %[[KEYS]]) : (tensor<?xi64>) -> tensor<?xi64> {
  // CHECK:   tensor.dim %[[A]]
  // CHECK:   %[[SMALL:.*]] = arith.cmpi slt
  // CHECK:   %[[CODE:.*]] = memref.load %[[STATUS]][%c0
  // CHECK:   %[[FINE:.*]] = arith.cmpi eq, %[[CODE]], %c0_i64
  // CHECK:   %[[BOTH:.*]] = arith.andi %[[SMALL]], %[[FINE]]
  // CHECK:   scf.condition(%[[BOTH]]) %[[A]] : tensor<?xi64>
  // CHECK: } do {
  // CHECK:   ^bb0(%[[D:.*]]: tensor<?xi64>):
  // CHECK:   sparseconv.kernel.spread ins(%[[D]],
  %r = scf.while (%a = %c) : (!set) -> !set {
    %size = sparseconv.size %a : !set
    %small = arith.cmpi slt, %size, %n : index
    scf.condition(%small) %a : !set
  } do {
  ^bb0(%d: !set):
    %e = sparseconv.expand %d offsets(box<3, 3, 3>) : !set
    scf.yield %e : !set
  }
  return %r : !set
}

// The canonicalizer makes such choices of branches that only yield.
// CHECK-LABEL: func.func @select(
// CHECK-SAME: %[[B:[^:]*]]: i1, %[[T0:[^:]*]]: tensor<?x27xi32> {{[^,]*}}, %[[N0:[^:]*]]: index, %[[T1:[^:]*]]: tensor<?x27xi32> {{[^,]*}}, %[[N1:[^:]*]]: index
func.func @select(%b: i1, %m: !map, %n: !map) -> !map {
  // CHECK: %[[T:.*]] = arith.select %[[B]], %[[T0]], %[[T1]] : tensor<?x27xi32>
  // CHECK: %[[N:.*]] = arith.select %[[B]], %[[N0]], %[[N1]] : index
  // CHECK: return %[[T]], %[[N]]
  %r = arith.select %b, %m, %n : !map
  return %r : !map
}

// A function that does not use the dialect stays as it is, unless every function is
// to have a record.
// CHECK-LABEL: func.func @other(
// CHECK-SAME: tensor<4xf32> {host.name = "x"}) -> tensor<4xf32>
// CHECK-NEXT: arith.negf %{{.*}} : tensor<4xf32>
// EVERY-LABEL: func.func @other(
// EVERY-SAME: tensor<4xf32> {bufferization.writable = false, host.name = "x"}, %{{.*}}: memref<8xi64> {sparseconv.status}) -> tensor<4xf32>
func.func @other(%x: tensor<4xf32> {host.name = "x"}) -> tensor<4xf32> {
  %y = arith.negf %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// One that only calls a function of the network passes the record on.
// CHECK-LABEL: func.func @caller(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x4xi32>, %[[STATUS:[^:]*]]: memref<8xi64> {sparseconv.status}) -> tensor<?xi32>
// CHECK-NEXT: call @callee(%[[X]], %[[STATUS]])
func.func @caller(%x: tensor<?x4xi32>) -> tensor<?xi32> {
  %order = call @callee(%x) : (tensor<?x4xi32>) -> tensor<?xi32>
  return %order : tensor<?xi32>
}
func.func private @callee(%x: tensor<?x4xi32>) -> tensor<?xi32> {
  %c, %order, %row_of = sparseconv.pack %x : tensor<?x4xi32> -> !set
  return %order : tensor<?xi32>
}
