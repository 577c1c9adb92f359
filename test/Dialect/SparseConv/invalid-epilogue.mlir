// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifier of an epilogue refuses, and what it says.

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map, %b: tensor<4xf32>) {
  // expected-error @+1 {{expects epilogue operand 0 to be a [8] or [rows, 8] tensor of f32, f16 or bf16, but found 'tensor<4xf32>'}}
  %y = sparseconv.conv %x, %w, %m epilogue(%b : tensor<4xf32>) {
  ^bb0(%acc: f32, %b0: f32):
    sparseconv.yield %acc : f32
  } : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map, %b: tensor<8xf32>, %r: tensor<?x4xf32>) {
  // expected-error @+1 {{expects epilogue operand 1 to be a [8] or [rows, 8] tensor of f32, f16 or bf16, but found 'tensor<?x4xf32>'}}
  %y = sparseconv.conv %x, %w, %m epilogue(%b, %r : tensor<8xf32>, tensor<?x4xf32>) {
  ^bb0(%acc: f32, %b0: f32, %r0: f32):
    sparseconv.yield %acc : f32
  } : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map, %b: tensor<8xi32>) {
  // expected-error @+1 {{expects epilogue operand 0 to be a [8] or [rows, 8] tensor of f32, f16 or bf16, but found 'tensor<8xi32>'}}
  %y = sparseconv.conv %x, %w, %m epilogue(%b : tensor<8xi32>) {
  ^bb0(%acc: f32, %b0: i32):
    sparseconv.yield %acc : f32
  } : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map, %b: tensor<1x?x8xf32>) {
  // expected-error @+1 {{expects epilogue operand 0 to be a [8] or [rows, 8] tensor of f32, f16 or bf16, but found 'tensor<1x?x8xf32>'}}
  %y = sparseconv.conv %x, %w, %m epilogue(%b : tensor<1x?x8xf32>) {
  ^bb0(%acc: f32, %b0: f32):
    sparseconv.yield %acc : f32
  } : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map, %b: f32) {
  // expected-error @+1 {{operand #3 must be variadic of ranked tensor of any type values, but got 'f32'}}
  %y = sparseconv.conv %x, %w, %m epilogue(%b : f32) {
  ^bb0(%acc: f32, %b0: f32):
    sparseconv.yield %acc : f32
  } : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

// An extra operand without a region that would read it.
#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map, %b: tensor<8xf32>) {
  // expected-error @+1 {{expects an epilogue region for its 1 epilogue operands, but found none}}
  %y = "sparseconv.conv"(%x, %w, %m, %b) ({})
      : (tensor<?x4xf32>, tensor<9x4x8xf32>, !map, tensor<8xf32>) -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map) {
  // expected-error @+1 {{expects an epilogue that yields one f32, but found an empty region}}
  %y = sparseconv.conv %x, %w, %m epilogue {
  } : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map, %b: tensor<8xf32>) {
  // expected-error @+1 {{expects an epilogue with 2 arguments, the f32 accumulator and one for each epilogue operand, but found 1}}
  %y = sparseconv.conv %x, %w, %m epilogue(%b : tensor<8xf32>) {
  ^bb0(%acc: f32):
    sparseconv.yield %acc : f32
  } : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map) {
  // expected-error @+1 {{expects the first argument of the epilogue, the accumulator, to be f32, but found 'f16'}}
  %y = sparseconv.conv %x, %w, %m epilogue {
  ^bb0(%acc: f16):
    %0 = arith.extf %acc : f16 to f32
    sparseconv.yield %0 : f32
  } : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map, %b: tensor<8xf16>) {
  // expected-error @+1 {{expects argument 1 of the epilogue to be 'f16', the element type of epilogue operand 0, but found 'f32'}}
  %y = sparseconv.conv %x, %w, %m epilogue(%b : tensor<8xf16>) {
  ^bb0(%acc: f32, %b0: f32):
    sparseconv.yield %acc : f32
  } : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

// Elementwise, but not scalar arith or math.
#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map) {
  // expected-note @+1 {{the convolution of the epilogue is here}}
  %y = sparseconv.conv %x, %w, %m epilogue {
  ^bb0(%acc: f32):
    // expected-error @+1 {{is no scalar arith or math operation, and no other can be in an epilogue}}
    %t = tensor.from_elements %acc : tensor<1xf32>
    sparseconv.yield %acc : f32
  } : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

// Arith, but on a tensor.
#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map) {
  // expected-note @+1 {{the convolution of the epilogue is here}}
  %y = sparseconv.conv %x, %w, %m epilogue {
  ^bb0(%acc: f32):
    // expected-error @+1 {{is no scalar arith or math operation, and no other can be in an epilogue}}
    %t = arith.constant dense<1.0> : tensor<8xf32>
    sparseconv.yield %acc : f32
  } : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

// An epilogue reads nothing but its arguments.
#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map, %s: f32) {
  // expected-note @+1 {{required by region isolation constraints}}
  %y = sparseconv.conv %x, %w, %m epilogue {
  ^bb0(%acc: f32):
    // expected-error @+1 {{'arith.mulf' op using value defined outside the region}}
    %0 = arith.mulf %acc, %s : f32
    sparseconv.yield %0 : f32
  } : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map) {
  %y = sparseconv.conv %x, %w, %m epilogue {
  ^bb0(%acc: f32):
    // expected-error @+1 {{expects to yield one f32, but found 0 values}}
    sparseconv.yield
  } : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map) {
  %y = sparseconv.conv %x, %w, %m epilogue {
  ^bb0(%acc: f32):
    // expected-error @+1 {{expects to yield one f32, but found 2 values}}
    sparseconv.yield %acc, %acc : f32, f32
  } : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map) {
  %y = sparseconv.conv %x, %w, %m epilogue {
  ^bb0(%acc: f32):
    %0 = arith.truncf %acc : f32 to f16
    // expected-error @+1 {{operand #0 must be variadic of 32-bit float, but got 'f16'}}
    sparseconv.yield %0 : f16
  } : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map) {
  // expected-error @+1 {{expects region #0 to have 0 or 1 blocks}}
  %y = sparseconv.conv %x, %w, %m epilogue {
  ^bb0(%acc: f32):
    cf.br ^bb1
  ^bb1:
    sparseconv.yield %acc : f32
  } : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%v: f32) {
  // expected-error @+1 {{expects parent op to be one of 'sparseconv.conv, sparseconv.kernel.gather_gemm_scatter, sparseconv.kernel.implicit_gemm, sparseconv.kernel.tiled_gemm'}}
  sparseconv.yield %v : f32
  return
}

// -----

// A division that can fail. By a constant it can not.
#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%x: tensor<?x4xf32>, %w: tensor<9x4x8xf32>, %m: !map) {
  // expected-note @+1 {{the convolution of the epilogue is here}}
  %y = sparseconv.conv %x, %w, %m epilogue {
  ^bb0(%acc: f32):
    %c3 = arith.constant 3 : i32
    %n = arith.fptosi %acc : f32 to i32
    %third = arith.divsi %n, %c3 : i32
    // expected-error @+1 {{divides by what may be zero, which cannot be in an epilogue}}
    %q = arith.remsi %c3, %third : i32
    sparseconv.yield %acc : f32
  } : tensor<?x4xf32>, tensor<9x4x8xf32>, !map -> tensor<?x8xf32>
  return
}
