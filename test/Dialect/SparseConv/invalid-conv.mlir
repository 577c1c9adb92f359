// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifiers of convolutions and their gradients refuse, and what they say.

//===----------------------------------------------------------------------===//
// conv
//===----------------------------------------------------------------------===//

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<8x4x8xf32>, %m: !map) {
  // expected-error @+1 {{expects 9 weight slices, one for each offset of the map, but found 8}}
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x4xf32>, tensor<8x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x5xf32>, %w: tensor<9x4x8xf32>, %m: !map) {
  // expected-error @+1 {{expects 'x' to have the 4 input channels of 'w', but found 5}}
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x5xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x2x4x8xf32>, %m: !map) {
  // expected-error @+1 {{expects 'x' to have the 8 input channels of 'w' (2 groups of 4), but found 4}}
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x4xf32>, tensor<9x2x4x8xf32>, !map -> tensor<?x16xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf16>, %w: tensor<9x4x8xf32>, %m: !map) {
  // expected-error @+1 {{expects 'w' to have the element type of 'x', 'f16', but found 'f32'}}
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x4xf16>, tensor<9x4x8xf32>, !map -> tensor<?x8xf16>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf64>, %w: tensor<9x4x8xf64>, %m: !map) {
  // expected-error @+1 {{operand #0 must be 2D tensor of 32-bit float or 16-bit float or bfloat16 type values, but got 'tensor<?x4xf64>'}}
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x4xf64>, tensor<9x4x8xf64>, !map -> tensor<?x8xf64>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4x1xf32>, %w: tensor<9x4x8xf32>, %m: !map) {
  // expected-error @+1 {{operand #0 must be 2D tensor of 32-bit float or 16-bit float or bfloat16 type values, but got 'tensor<?x4x1xf32>'}}
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x4x1xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<4x8xf32>, %m: !map) {
  // expected-error @+1 {{operand #1 must be 3D/4D tensor of 32-bit float or 16-bit float or bfloat16 type values, but got 'tensor<4x8xf32>'}}
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x4xf32>, tensor<4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %c: !fine) {
  %y = sparseconv.conv %x, %w, %c
      // expected-error @+1 {{invalid kind of type specified: expected sparseconv.kernel_map, but found '!sparseconv.coords<2}}
      : tensor<?x4xf32>, tensor<9x4x8xf32>, !fine -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x?xf32>, %w: tensor<9x4x8xf32>, %m: !map) {
  // expected-error @+1 {{expects 'x' to have a static number of channels of at least 1, but found 'tensor<?x?xf32>'}}
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x?xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x0xf32>, %w: tensor<9x0x8xf32>, %m: !map) {
  // expected-error @+1 {{expects 'x' to have a static number of channels of at least 1, but found 'tensor<?x0xf32>'}}
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x0xf32>, tensor<9x0x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32, "blocked">, %w: tensor<9x4x8xf32>, %m: !map) {
  // expected-error @+1 {{expects 'x' to be a tensor without an encoding}}
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x4xf32, "blocked">, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<?x4x8xf32>, %m: !map) {
  // expected-error @+1 {{expects 'w' to have static sizes of at least 1 and no encoding, but found 'tensor<?x4x8xf32>'}}
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x4xf32>, tensor<?x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x0xf32>, %m: !map) {
  // expected-error @+1 {{expects 'w' to have static sizes of at least 1 and no encoding, but found 'tensor<9x4x0xf32>'}}
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x4xf32>, tensor<9x4x0xf32>, !map -> tensor<?x1xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map) {
  // expected-error @+1 {{expects result 'y' of type 'tensor<?x8xf32>', but found 'tensor<?x4xf32>'}}
  %y = sparseconv.conv %x, %w, %m
      : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x4xf32>
  return
}

// -----

// How many rows a set has is known at run time only.
#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<7x4xf32>, %w: tensor<9x4x8xf32>, %m: !map) {
  // expected-error @+1 {{expects result 'y' of type 'tensor<?x8xf32>', but found 'tensor<7x8xf32>'}}
  %y = sparseconv.conv %x, %w, %m
      : tensor<7x4xf32>, tensor<9x4x8xf32>, !map -> tensor<7x8xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// input_grad, weight_grad
//===----------------------------------------------------------------------===//

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%dy: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map) {
  // expected-error @+1 {{expects 'dy' to have the 8 output channels of 'w', but found 4}}
  %dx = sparseconv.input_grad %dy, %w, %m
      : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%dy: tensor<?x8xf32>, %w: tensor<9x2x2x8xf32>, %m: !map) {
  // expected-error @+1 {{expects 'dy' to have the 16 output channels of 'w' (2 groups of 8), but found 8}}
  %dx = sparseconv.input_grad %dy, %w, %m
      : tensor<?x8xf32>, tensor<9x2x2x8xf32>, !map -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%dy: tensor<?x8xf32>, %w: tensor<27x4x8xf32>, %m: !map) {
  // expected-error @+1 {{expects 9 weight slices, one for each offset of the map, but found 27}}
  %dx = sparseconv.input_grad %dy, %w, %m
      : tensor<?x8xf32>, tensor<27x4x8xf32>, !map -> tensor<?x4xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%dy: tensor<?x8xbf16>, %w: tensor<9x4x8xf16>, %m: !map) {
  // expected-error @+1 {{expects 'w' to have the element type of 'dy', 'bf16', but found 'f16'}}
  %dx = sparseconv.input_grad %dy, %w, %m
      : tensor<?x8xbf16>, tensor<9x4x8xf16>, !map -> tensor<?x4xbf16>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%dy: tensor<?x8xf32>, %w: tensor<9x4x8xf32>, %m: !map) {
  // expected-error @+1 {{expects result 'dx' of type 'tensor<?x4xf32>', but found 'tensor<?x8xf32>'}}
  %dx = sparseconv.input_grad %dy, %w, %m
      : tensor<?x8xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %dy: tensor<?x8xf16>, %m: !map) {
  // expected-error @+1 {{expects 'dy' to have the element type of 'x', 'f32', but found 'f16'}}
  %dw = sparseconv.weight_grad %x, %dy, %m
      : tensor<?x4xf32>, tensor<?x8xf16>, !map -> tensor<9x4x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x?xf32>, %dy: tensor<?x8xf32>, %m: !map) {
  // expected-error @+1 {{expects 'x' to have a static number of channels of at least 1, but found 'tensor<?x?xf32>'}}
  %dw = sparseconv.weight_grad %x, %dy, %m
      : tensor<?x?xf32>, tensor<?x8xf32>, !map -> tensor<9x4x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %dy: tensor<?x?xf32>, %m: !map) {
  // expected-error @+1 {{expects 'dy' to have a static number of channels of at least 1, but found 'tensor<?x?xf32>'}}
  %dw = sparseconv.weight_grad %x, %dy, %m
      : tensor<?x4xf32>, tensor<?x?xf32>, !map -> tensor<9x4x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %dy: tensor<?x8xf32>, %m: !map) {
  // expected-error @+1 {{expects at least 1 group, but found 0}}
  %dw = sparseconv.weight_grad %x, %dy, %m groups(0)
      : tensor<?x4xf32>, tensor<?x8xf32>, !map -> tensor<9x4x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %dy: tensor<?x8xf32>, %m: !map) {
  // expected-error @+1 {{expects the channels of 'x' and 'dy' to be multiples of the 3 groups, but found 4 and 8}}
  %dw = sparseconv.weight_grad %x, %dy, %m groups(3)
      : tensor<?x4xf32>, tensor<?x8xf32>, !map -> tensor<9x4x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %dy: tensor<?x8xf32>, %m: !map) {
  // expected-error @+1 {{expects result 'dw' of type 'tensor<9x2x2x4xf32>', but found 'tensor<9x4x8xf32>'}}
  %dw = sparseconv.weight_grad %x, %dy, %m groups(2)
      : tensor<?x4xf32>, tensor<?x8xf32>, !map -> tensor<9x4x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %dy: tensor<?x8xf32>, %m: !map) {
  // expected-error @+1 {{expects result 'dw' of type 'tensor<9x4x8xf32>', but found 'tensor<27x4x8xf32>'}}
  %dw = sparseconv.weight_grad %x, %dy, %m
      : tensor<?x4xf32>, tensor<?x8xf32>, !map -> tensor<27x4x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf16>, %w: tensor<9x4x8xf16>, %m: !map) {
  // expected-error @+1 {{expects 'x' to be of f32 where tf32 is allowed, but found 'tensor<?x4xf16>'}}
  %y = sparseconv.conv %x, %w, %m tf32 = allowed
      : tensor<?x4xf16>, tensor<9x4x8xf16>, !map -> tensor<?x8xf16>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%dy: tensor<?x8xbf16>, %w: tensor<9x4x8xbf16>, %m: !map) {
  // expected-error @+1 {{expects 'dy' to be of f32 where tf32 is allowed, but found 'tensor<?x8xbf16>'}}
  %dx = sparseconv.input_grad %dy, %w, %m tf32 = allowed
      : tensor<?x8xbf16>, tensor<9x4x8xbf16>, !map -> tensor<?x4xbf16>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf16>, %dy: tensor<?x8xf16>, %m: !map) {
  // expected-error @+1 {{expects 'x' to be of f32 where tf32 is allowed, but found 'tensor<?x4xf16>'}}
  %dw = sparseconv.weight_grad %x, %dy, %m tf32 = allowed
      : tensor<?x4xf16>, tensor<?x8xf16>, !map -> tensor<9x4x8xf16>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map) {
  // expected-error @+1 {{expected 'allowed'}}
  %y = sparseconv.conv %x, %w, %m tf32 = forbidden
      : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}
