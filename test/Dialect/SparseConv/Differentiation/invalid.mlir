// RUN: sparseconv-opt %s --sparseconv-differentiate=functions=net --split-input-file --verify-diagnostics
// RUN: not sparseconv-opt %s --sparseconv-differentiate=functions=other --split-input-file 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: invalid.mlir:{{[0-9]+}}:{{[0-9]+}}: error: there is no function @other

// An operation without a rule is named where it is, also where it is called.
func.func private @shape(%x: tensor<4xf32>) -> tensor<4xf32> {
  %shape = arith.constant dense<4> : tensor<1xindex>
  // expected-error @below {{'tensor.reshape' op has no rule for its gradient}}
  %y = tensor.reshape %x(%shape) : (tensor<4xf32>, tensor<1xindex>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @net(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @shape(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @net(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{'scf.for' op has no rule for its gradient}}
  %y = scf.for %i = %c0 to %c4 step %c1 iter_args(%z = %x) -> tensor<4xf32> {
    %next = arith.addf %z, %x : tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// So is one in a body.
func.func @net(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.map ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) (%a: f32, %out: f32) {
    // expected-error @below {{'math.acosh' op has no rule for its gradient}}
    %b = math.acosh %a : f32
    linalg.yield %b : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @net(%x: tensor<?x4xf32>, %start: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'linalg.reduce' op has no rule for the gradient of a reduction other than a sum}}
  %y = linalg.reduce { arith.maximumf } ins(%x : tensor<?x4xf32>) outs(%start : tensor<4xf32>) dimensions = [0]
  return %y : tensor<4xf32>
}

// -----

// A sum that a term depends on is none.
func.func @net(%x: tensor<?x4xf32>, %start: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{has no rule for the gradient of a reduction other than a sum}}
  %y = linalg.reduce ins(%x : tensor<?x4xf32>) outs(%start : tensor<4xf32>) dimensions = [0] (%a: f32, %sum: f32) {
    %product = arith.mulf %a, %sum : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @net(%x: tensor<9xf32>, %k: tensor<6xf32>, %start: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{has no rule for the gradient by an operand that is indexed with (d0, d1) -> (d0 + d1)}}
  %y = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x, %k : tensor<9xf32>, tensor<6xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %next = arith.addf %sum, %a : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A gradient by a scalar would have to leave the body.
func.func @net(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %first = tensor.extract %x[%c0] : tensor<4xf32>
  // expected-error @below {{'linalg.map' op has no rule for the gradient by a value that its region captures}}
  %y = linalg.map ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) (%a: f32, %out: f32) {
    %b = arith.mulf %a, %first : f32
    linalg.yield %b : f32
  }
  return %y : tensor<4xf32>
}

// -----

func.func @net(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %first = tensor.extract %x[%c0] : tensor<4xf32>
  // expected-error @below {{'linalg.fill' op has no rule for the gradient by a scalar}}
  %y = linalg.fill ins(%first : f32) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Trilinear weights move with the points.
#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
func.func @net(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>, %p: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  // expected-error @below {{'sparseconv.voxelise' op has no rule for the gradient by 'points'}}
  %y = sparseconv.voxelise trilinear sum %x, %p, %c : tensor<?x4xf32>, tensor<?x4xf32>, !set -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
func.func @net(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>, %dy: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  // expected-error @below {{'sparseconv.pool_grad' op has no rule for the gradient by 'dy' of a maximum}}
  %y = sparseconv.pool_grad max %dy, %m of %x : tensor<?x4xf32>, !map, tensor<?x4xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
func.func @net(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>, %dy: tensor<2x4xf32>) -> tensor<?x4xf32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  // expected-error @below {{'sparseconv.global_pool_grad' op has no rule for the gradient by 'dy' of a maximum}}
  %y = sparseconv.global_pool_grad max %dy, %c of %x : tensor<2x4xf32>, !set, tensor<?x4xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// expected-error @below {{'func.func' op calls itself, or is called by what it calls}}
func.func @net(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @net(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Floats of vectors pass an influence on, but have no rules.
func.func @net(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %v = vector.transfer_read %x[%c0], %p : tensor<4xf32>, vector<4xf32>
  %w = arith.mulf %v, %v : vector<4xf32>
  // expected-error @below {{'vector.transfer_write' op has no rule for its gradient}}
  %y = vector.transfer_write %w, %e[%c0] : vector<4xf32>, tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @net(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = vector.broadcast %a : f32 to vector<2xf32>
    %w = arith.mulf %v, %v : vector<2xf32>
    // expected-error @below {{'vector.extract' op has no rule for its gradient}}
    %s = vector.extract %w[0] : f32 from vector<2xf32>
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// What is only declared cannot become a part of the gradient.
func.func private @outside(%x: tensor<4xf32>) -> tensor<4xf32>
func.func @net(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'func.call' op has no rule for its gradient}}
  %y = call @outside(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @below {{cannot be differentiated: there is a @net_gradient already}}
func.func @net(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @net_gradient()

// -----

// expected-error @below {{cannot be differentiated: expected a body of one block}}
func.func private @net(%x: tensor<4xf32>) -> tensor<4xf32>

// -----

// expected-error @below {{cannot be differentiated: no result is a tensor of floats}}
func.func @net(%x: tensor<4xf32>, %y: f32) -> f32 {
  return %y : f32
}

// -----

// expected-error @below {{cannot be differentiated: no argument is a tensor of floats}}
func.func @net(%n: index, %y: f32) -> tensor<?xf32> {
  %z = tensor.splat %y[%n] : tensor<?xf32>
  return %z : tensor<?xf32>
}

// -----

// The counter is a number of its own at each step, which nothing keeps.
func.func @net(%x: tensor<6xf32>, %zero: tensor<f32>, %none: tensor<i32>) -> tensor<f32> {
  // expected-error @below {{'linalg.generic' op has no rule for the gradient of a result that reads what another one has combined so far}}
  %steps, %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<6xf32>) outs(%none, %zero : tensor<i32>, tensor<f32>) {
  ^bb0(%a: f32, %step: i32, %sum: f32):
    %one = arith.constant 1 : i32
    %next = arith.addi %step, %one : i32
    %weight = arith.sitofp %next : i32 to f32
    %term = arith.mulf %a, %weight : f32
    %total = arith.addf %sum, %term : f32
    linalg.yield %next, %total : i32, f32
  } -> (tensor<i32>, tensor<f32>)
  return %y : tensor<f32>
}
