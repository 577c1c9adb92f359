// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifiers of the operations on sets refuse, and what they say.

//===----------------------------------------------------------------------===//
// pack, unpack, size
//===----------------------------------------------------------------------===//

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%p: tensor<?x4xi32>) {
  // expected-error @+1 {{expects points with 3 columns (batch and 2 axes), but found 'tensor<?x4xi32>'}}
  %c, %order, %row_of = sparseconv.pack %p : tensor<?x4xi32> -> !fine
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%p: tensor<?x?xi32>) {
  // expected-error @+1 {{expects points with 3 columns (batch and 2 axes), but found 'tensor<?x?xi32>'}}
  %c, %order, %row_of = sparseconv.pack %p : tensor<?x?xi32> -> !fine
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%p: tensor<?x3xf32>) {
  // expected-error @+1 {{operand #0 must be 2D tensor of 32-bit signless integer values, but got 'tensor<?x3xf32>'}}
  %c, %order, %row_of = sparseconv.pack %p : tensor<?x3xf32> -> !fine
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%p: tensor<f32>) {
  // expected-error @+1 {{operand #0 must be 2D tensor of 32-bit signless integer values, but got 'tensor<f32>'}}
  %c, %order, %row_of = sparseconv.pack %p : tensor<f32> -> !fine
  return
}

// -----

func.func @f(%p: tensor<?x3xi32>) {
  // expected-error @+1 {{invalid kind of type specified: expected sparseconv.coords, but found 'tensor<?xi32>'}}
  %c, %order, %row_of = sparseconv.pack %p : tensor<?x3xi32> -> tensor<?xi32>
  return
}

// -----

// How many rows a set has is known at run time only.
#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%p: tensor<?x3xi32>) {
  // expected-error @+1 {{expects 'order' of type tensor<?xi32>, but found 'tensor<5xi32>'}}
  %c, %order, %row_of = "sparseconv.pack"(%p)
      : (tensor<?x3xi32>) -> (!fine, tensor<5xi32>, tensor<?xi32>)
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%p: tensor<7x3xi32>) {
  // expected-error @+1 {{expects 'row_of' with one element for each point of 'tensor<7x3xi32>', but found 'tensor<?xi32>'}}
  %c, %order, %row_of = "sparseconv.pack"(%p)
      : (tensor<7x3xi32>) -> (!fine, tensor<?xi32>, tensor<?xi32>)
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{expects result 'points' of type 'tensor<?x3xi32>', but found 'tensor<?x4xi32>'}}
  %p = sparseconv.unpack %c : !fine -> tensor<?x4xi32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%m: !map) {
  // expected-error @+1 {{expected sparseconv.coords, but found '!sparseconv.kernel_map<}}
  %n = sparseconv.size %m : !map
  return
}

// -----

//===----------------------------------------------------------------------===//
// downsample
//===----------------------------------------------------------------------===//

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{expects 'by' with one factor for each of 2 axes, but found 3}}
  %h = sparseconv.downsample %c by [2, 2, 2] : !fine -> !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{expects a factor of at least 1 on axis 1, but found 0}}
  %h = sparseconv.downsample %c by [2, 0] : !fine -> !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !half) {
  // expected-error @+1 {{expects a result of stride [4, 2], but found [2, 2]}}
  %h = sparseconv.downsample %c by [2, 1] : !half -> !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !half) {
  // expected-error @+1 {{expects a stride below 2^63 on axis 0, but found 2 times 9223372036854775807}}
  %h = sparseconv.downsample %c by [9223372036854775807, 1] : !half -> !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !half) {
  // expected-error @+1 {{stride 4096 on axis 1 is beyond the packing's largest coordinate 2043}}
  %h = sparseconv.downsample %c by [1, 2048] : !half -> !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
#q = #sparseconv.packing<i64, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #q>
func.func @another_packing(%c: !fine) {
  // expected-error @+1 {{expects result 'result' of type '!sparseconv.coords<2, stride = [2, 2], <i32, }}
  %h = sparseconv.downsample %c by [2, 2] : !fine -> !half
  return
}

// -----

// Offsets and a capacity belong to the cover rule.
#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{takes offsets and a capacity with the cover rule only}}
  %h = sparseconv.downsample %c by [2, 2] offsets(box<3, 3>) : !fine -> !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{takes offsets and a capacity with the cover rule only}}
  %h = sparseconv.downsample %c by [2, 2] capacity(9) : !fine -> !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{expects offsets with the cover rule}}
  %h = sparseconv.downsample %c by [2, 2] cover : !fine -> !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{expects offsets of 2 axes, but found 3}}
  %h = sparseconv.downsample %c by [2, 2] cover offsets(box<3, 3, 3>) : !fine -> !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{offset 5 times stride 1 on axis 1 is beyond the packing's guard 4}}
  %h = sparseconv.downsample %c by [2, 2] cover offsets(list<[0, 0], [-4, 5]>) : !fine -> !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{expects 'box<...>' or 'list<...>'}}
  %h = sparseconv.downsample %c by [2, 2] cover offsets(ball<3, 3>) : !fine -> !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{expects a clip region of 2 axes, but found one of 1}}
  %h = sparseconv.downsample %c by [2, 2] cover offsets(box<3, 3>) clip(<[0] to [8]>) : !fine -> !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{expects a capacity of 0 to 2^31-2, but found -1}}
  %h = sparseconv.downsample %c by [2, 2] cover offsets(box<3, 3>) capacity(-1) : !fine -> !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{expects a capacity of 0 to 2^31-2, but found 2147483647}}
  %h = sparseconv.downsample %c by [2, 2] cover offsets(box<3, 3>) capacity(2147483647) : !fine -> !half
  return
}

// -----

//===----------------------------------------------------------------------===//
// upsample, expand
//===----------------------------------------------------------------------===//

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !half) {
  // expected-error @+1 {{expects a factor that divides the stride 2 of axis 1, but found 3}}
  %f = sparseconv.upsample %c by [2, 3] : !half -> !fine
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !half) {
  // expected-error @+1 {{expects 'by' with one factor for each of 2 axes, but found 1}}
  %f = sparseconv.upsample %c by [2] : !half -> !fine
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !half) {
  // expected-error @+1 {{expects a factor of at least 1 on axis 0, but found -2}}
  %f = sparseconv.upsample %c by [-2, 2] : !half -> !fine
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !half) {
  // expected-error @+1 {{expects a result of stride [2, 1], but found [1, 1]}}
  %f = sparseconv.upsample %c by [1, 2] : !half -> !fine
  return
}

// -----

// The offsets are in units of the finer set, the result.
#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !half) {
  // expected-error @+1 {{offset 5 times stride 1 on axis 0 is beyond the packing's guard 4}}
  %f = sparseconv.upsample %c by [2, 2] offsets(box<11, 3>) : !half -> !fine
  return
}

// -----

// So is the box that stands for all cells: seven of them need a guard of 6.
#p = #sparseconv.packing<i32, batch = 2, bits = [12], guard = [4]>
!fine = !sparseconv.coords<1, stride = [1], #p>
!seventh = !sparseconv.coords<1, stride = [7], #p>
func.func @f(%c: !seventh) {
  // expected-error @+1 {{offset 6 times stride 1 on axis 0 is beyond the packing's guard 4}}
  %f = sparseconv.upsample %c by [7] : !seventh -> !fine
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 2, bits = [20, 20, 20], guard = [70000, 70000, 70000]>
!coarse = !sparseconv.coords<3, stride = [65536, 65536, 65536], #p>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%c: !coarse) {
  // expected-error @+1 {{expects at most 2^20 offsets, but found 65536 x 65536 x 65536}}
  %f = sparseconv.upsample %c by [65536, 65536, 65536] : !coarse -> !fine
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !half) {
  // expected-error @+1 {{expects a clip region of 2 axes, but found one of 3}}
  %f = sparseconv.upsample %c by [2, 2] clip(<[0, 0, 0] to [8, 8, 8]>) : !half -> !fine
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !half) {
  // expected-error @+1 {{expects a capacity of 0 to 2^31-2, but found -5}}
  %f = sparseconv.upsample %c by [2, 2] capacity(-5) : !half -> !fine
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !half) {
  // expected-error @+1 {{expects a factor that divides the stride 2 of axis 1, but found 3}}
  %f:4 = sparseconv.subdivide %c by [2, 3] : !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12], guard = [4]>
!seventh = !sparseconv.coords<1, stride = [7], #p>
func.func @f(%c: !seventh) {
  // expected-error @+1 {{offset 6 times stride 1 on axis 0 is beyond the packing's guard 4}}
  %f:4 = sparseconv.subdivide %c by [7] : !seventh
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !half, %order: tensor<?xi32>) {
  // expected-error @+1 {{expects both 'points_order' and 'points_row_of', or neither}}
  %f:4 = "sparseconv.subdivide"(%c, %order) <{by = array<i64: 2, 2>, operandSegmentSizes = array<i32: 1, 1, 0>}>
      : (!half, tensor<?xi32>) -> (!fine, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{expects a result of stride [2, 3], but found [2, 2]}}
  %f = sparseconv.rescale %c by [2, 3] : !fine -> !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !half) {
  // expected-error @+1 {{expects offsets of 2 axes, but found 1}}
  %g = sparseconv.expand %c offsets(box<3>) : !half
  return
}

// -----

// At stride 2 an offset counts twice.
#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !half) {
  // expected-error @+1 {{offset 3 times stride 2 on axis 0 is beyond the packing's guard 4}}
  %g = sparseconv.expand %c offsets(box<corner 4, 1>) : !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !half) {
  // expected-error @+1 {{expects a clip region of 2 axes, but found one of 4}}
  %g = sparseconv.expand %c offsets(box<3, 3>) clip(<[0, 0, 0, 0] to [8, 8, 8, 8]>) : !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !half) {
  // expected-error @+1 {{expects a capacity of 0 to 2^31-2, but found -1}}
  %g = sparseconv.expand %c offsets(box<3, 3>) capacity(-1) : !half
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !half) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %g = "sparseconv.expand"(%c) <{offsets = #sparseconv.box<3, 3>}> : (!half) -> !fine
  return
}

// -----

//===----------------------------------------------------------------------===//
// union, intersection, prune
//===----------------------------------------------------------------------===//

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%a: !fine, %b: !half) {
  // expected-error @+1 {{failed to verify that all of {lhs, rhs} have same type}}
  %c, %lhs_rows, %rhs_rows = "sparseconv.union"(%a, %b)
      : (!fine, !half) -> (!fine, tensor<?xi32>, tensor<?xi32>)
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%a: !fine, %b: !half) {
  // expected-error @+1 {{failed to verify that all of {lhs, rhs} have same type}}
  %c, %lhs_rows, %rhs_rows = "sparseconv.intersection"(%a, %b)
      : (!fine, !half) -> (!fine, tensor<?xi32>, tensor<?xi32>)
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%c: !fine, %mask: tensor<?xi32>) {
  // expected-error @+1 {{operand #1 must be 1D tensor of 1-bit signless integer values, but got 'tensor<?xi32>'}}
  %kept, %rows = sparseconv.prune %c, %mask : !fine, tensor<?xi32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%c: !fine, %mask: tensor<?x1xi1>) {
  // expected-error @+1 {{operand #1 must be 1D tensor of 1-bit signless integer values, but got 'tensor<?x1xi1>'}}
  %kept, %rows = sparseconv.prune %c, %mask : !fine, tensor<?x1xi1>
  return
}
