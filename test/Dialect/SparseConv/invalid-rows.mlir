// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifiers of the operations on rows refuse, and what they say.

//===----------------------------------------------------------------------===//
// gather, scatter
//===----------------------------------------------------------------------===//

func.func @f(%x: tensor<?x4xf32>, %r: tensor<?xi64>) {
  // expected-error @+1 {{operand #1 must be 1D tensor of 32-bit signless integer values, but got 'tensor<?xi64>'}}
  %y = sparseconv.gather %x, %r : tensor<?x4xf32>, tensor<?xi64> -> tensor<?x4xf32>
  return
}

// -----

func.func @f(%x: tensor<?x4xf32>, %r: tensor<5xi32>) {
  // expected-error @+1 {{expects result 'y' of type 'tensor<5x4xf32>', but found 'tensor<?x4xf32>'}}
  %y = sparseconv.gather %x, %r : tensor<?x4xf32>, tensor<5xi32> -> tensor<?x4xf32>
  return
}

// -----

func.func @f(%x: tensor<?x?xf32>, %r: tensor<?xi32>) {
  // expected-error @+1 {{expects 'x' to have a static number of channels of at least 1, but found 'tensor<?x?xf32>'}}
  %y = sparseconv.gather %x, %r : tensor<?x?xf32>, tensor<?xi32> -> tensor<?x?xf32>
  return
}

// -----

func.func @f(%x: tensor<6x4xf32>, %r: tensor<5xi32>, %n: index) {
  // expected-error @+1 {{expects 'rows' to have the rows of 'x', 6, but found 5}}
  %y = sparseconv.scatter %x, %r into %n : tensor<6x4xf32>, tensor<5xi32> -> tensor<?x4xf32>
  return
}

// -----

func.func @f(%x: tensor<?x4xf32>, %r: tensor<?xi32>, %n: index) {
  // expected-error @+1 {{expects result 'y' of type 'tensor<?x4xf32>', but found 'tensor<?x5xf32>'}}
  %y = sparseconv.scatter %x, %r into %n : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x5xf32>
  return
}

// -----

func.func @f(%x: tensor<?x?xf32>, %r: tensor<?xi32>, %n: index) {
  // expected-error @+1 {{expects 'x' to have a static number of channels of at least 1, but found 'tensor<?x?xf32>'}}
  %y = sparseconv.scatter %x, %r into %n : tensor<?x?xf32>, tensor<?xi32> -> tensor<?x?xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// voxelise, devoxelise
//===----------------------------------------------------------------------===//

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%x: tensor<?x4xf32>, %p: tensor<?x4xf32>, %c: !fine) {
  // expected-error @+1 {{expects points with 3 columns (batch and 2 axes), but found 'tensor<?x4xf32>'}}
  %y = sparseconv.voxelise nearest avg %x, %p, %c
      : tensor<?x4xf32>, tensor<?x4xf32>, !fine -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%x: tensor<?x4xf32>, %p: tensor<?x3xi32>, %c: !fine) {
  // expected-error @+1 {{operand #1 must be 2D tensor of 32-bit float values, but got 'tensor<?x3xi32>'}}
  %y = sparseconv.voxelise nearest avg %x, %p, %c
      : tensor<?x4xf32>, tensor<?x3xi32>, !fine -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%x: tensor<6x4xf32>, %p: tensor<5x3xf32>, %c: !fine) {
  // expected-error @+1 {{expects 'points' to have the rows of 'x', 6, but found 5}}
  %y = sparseconv.voxelise nearest avg %x, %p, %c
      : tensor<6x4xf32>, tensor<5x3xf32>, !fine -> tensor<?x4xf32>
  return
}

// -----

// A maximum of weighted features has no meaning.
#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%x: tensor<?x4xf32>, %p: tensor<?x3xf32>, %c: !fine) {
  // expected-error @+1 {{expects nearest for max, but found trilinear}}
  %y = sparseconv.voxelise trilinear max %x, %p, %c
      : tensor<?x4xf32>, tensor<?x3xf32>, !fine -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%x: tensor<?x4xf32>, %p: tensor<?x3xf32>, %c: !fine) {
  // expected-error @+1 {{expects result 'y' of type 'tensor<?x4xf32>', but found 'tensor<?x8xf32>'}}
  %y = sparseconv.voxelise nearest avg %x, %p, %c
      : tensor<?x4xf32>, tensor<?x3xf32>, !fine -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%x: tensor<?x?xf32>, %p: tensor<?x3xf32>, %c: !fine) {
  // expected-error @+1 {{expects 'x' to have a static number of channels of at least 1, but found 'tensor<?x?xf32>'}}
  %y = sparseconv.voxelise nearest avg %x, %p, %c
      : tensor<?x?xf32>, tensor<?x3xf32>, !fine -> tensor<?x?xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%x: tensor<?x4xf32>, %p: tensor<?x4xf32>, %c: !fine) {
  // expected-error @+1 {{expects points with 3 columns (batch and 2 axes), but found 'tensor<?x4xf32>'}}
  %y = sparseconv.devoxelise nearest %x, %p, %c
      : tensor<?x4xf32>, tensor<?x4xf32>, !fine -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%x: tensor<?x4xf32>, %p: tensor<5x3xf32>, %c: !fine) {
  // expected-error @+1 {{expects result 'y' of type 'tensor<5x4xf32>', but found 'tensor<?x4xf32>'}}
  %y = sparseconv.devoxelise nearest %x, %p, %c
      : tensor<?x4xf32>, tensor<5x3xf32>, !fine -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%x: tensor<?x?xf32>, %p: tensor<?x3xf32>, %c: !fine) {
  // expected-error @+1 {{expects 'x' to have a static number of channels of at least 1, but found 'tensor<?x?xf32>'}}
  %y = sparseconv.devoxelise nearest %x, %p, %c
      : tensor<?x?xf32>, tensor<?x3xf32>, !fine -> tensor<?x?xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// to_dense, from_dense
//===----------------------------------------------------------------------===//

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%x: tensor<?x4xf32>, %c: !fine) {
  // expected-error @+1 {{expects 'dense' to have rank 4 (batch, 2 axes, channels), but found 'tensor<2x8x8x8x4xf32>'}}
  %d = sparseconv.to_dense %x, %c origin [0, 0]
      : tensor<?x4xf32>, !fine -> tensor<2x8x8x8x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%x: tensor<?x4xf32>, %c: !fine) {
  // expected-error @+1 {{expects 'dense' to have static sizes, but found 'tensor<?x8x8x4xf32>'}}
  %d = sparseconv.to_dense %x, %c origin [0, 0]
      : tensor<?x4xf32>, !fine -> tensor<?x8x8x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%x: tensor<?x4xf32>, %c: !fine) {
  // expected-error @+1 {{expects 'origin' with one number for each of 2 axes, but found 3}}
  %d = sparseconv.to_dense %x, %c origin [0, 0, 0]
      : tensor<?x4xf32>, !fine -> tensor<2x8x8x4xf32>
  return
}

// -----

// Every coordinate is a multiple of the stride: the grid would meet none.
#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%x: tensor<?x4xf32>, %c: !half) {
  // expected-error @+1 {{expects 'origin' to be a multiple of the stride 2 on axis 1, but found 1}}
  %d = sparseconv.to_dense %x, %c origin [0, 1]
      : tensor<?x4xf32>, !half -> tensor<2x8x8x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%x: tensor<?x4xf32>, %c: !fine) {
  // expected-error @+1 {{expects 'dense' to have the channels of 'x', 4, but found 8}}
  %d = sparseconv.to_dense %x, %c origin [0, 0]
      : tensor<?x4xf32>, !fine -> tensor<2x8x8x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%x: tensor<?x4xf32>, %c: !fine) {
  // expected-error @+1 {{expects 'dense' to have the element type of 'x', 'f32', but found 'bf16'}}
  %d = sparseconv.to_dense %x, %c origin [0, 0]
      : tensor<?x4xf32>, !fine -> tensor<2x8x8x4xbf16>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%d: tensor<2x8x4xf32>, %c: !fine) {
  // expected-error @+1 {{expects 'dense' to have rank 4 (batch, 2 axes, channels), but found 'tensor<2x8x4xf32>'}}
  %x = sparseconv.from_dense %d, %c origin [0, 0]
      : tensor<2x8x4xf32>, !fine -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%d: tensor<2x8x8x4xf32>, %c: !fine) {
  // expected-error @+1 {{expects 'origin' with one number for each of 2 axes, but found 1}}
  %x = sparseconv.from_dense %d, %c origin [0]
      : tensor<2x8x8x4xf32>, !fine -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%d: tensor<2x8x8x4xf32>, %c: !fine) {
  // expected-error @+1 {{expects result 'x' of type 'tensor<?x4xf32>', but found 'tensor<?x8xf32>'}}
  %x = sparseconv.from_dense %d, %c origin [0, 0]
      : tensor<2x8x8x4xf32>, !fine -> tensor<?x8xf32>
  return
}
