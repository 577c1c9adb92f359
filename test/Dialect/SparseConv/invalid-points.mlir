// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifiers of points in space, and of points that are clipped, refuse.

func.func @f(%p: tensor<?x5xf32>) {
  // expected-error @+1 {{expects 'points' with 3 columns, or 4 with a batch index, but found 'tensor<?x5xf32>'}}
  %0 = sparseconv.quantise %p origin [0.0, 0.0, 0.0] size [1.0, 1.0, 1.0] : tensor<?x5xf32> -> tensor<?x4xi32>
  return
}

// -----

func.func @f(%p: tensor<?x3xf32>) {
  // expected-error @+1 {{expects an origin of 3 numbers, one for each size, but found 2}}
  %0 = sparseconv.quantise %p origin [0.0, 0.0] size [1.0, 1.0, 1.0] : tensor<?x3xf32> -> tensor<?x4xi32>
  return
}

// -----

func.func @f(%p: tensor<?x2xf32>) {
  // expected-error @+1 {{expects sizes that are finite and above 0, but found 0.000000e+00 on axis 1}}
  %0 = sparseconv.quantise %p origin [0.0, 0.0] size [1.0, 0.0] : tensor<?x2xf32> -> tensor<?x3xi32>
  return
}

// -----

func.func @f(%p: tensor<?x2xf32>) {
  // expected-error @+1 {{expects an origin that is finite, but found}}
  %0 = sparseconv.quantise %p origin [0.0, 0x7FF0000000000000] size [1.0, 1.0] : tensor<?x2xf32> -> tensor<?x3xi32>
  return
}

// -----

func.func @f(%p: tensor<?x5xf32>) {
  // expected-error @+1 {{expects 1 to 4 axes, but found 5 sizes}}
  %0 = sparseconv.quantise %p origin [0.0, 0.0, 0.0, 0.0, 0.0] size [1.0, 1.0, 1.0, 1.0, 1.0] : tensor<?x5xf32> -> tensor<?x6xi32>
  return
}

// -----

func.func @f(%p: tensor<?x2xf32>) {
  // expected-error @+1 {{expects result 'coordinates' of type 'tensor<?x3xi32>', but found 'tensor<7x3xi32>'}}
  %0 = sparseconv.quantise %p origin [0.0, 0.0] size [1.0, 1.0] : tensor<?x2xf32> -> tensor<7x3xi32>
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20], guard = [32, 32]>
func.func @f(%p: tensor<?x3xi32>) {
  // expected-error @+1 {{expects a clip region of 2 axes, but found one of 1}}
  %c, %order, %row_of = sparseconv.pack %p clip(<[0] to [5]>) : tensor<?x3xi32> -> !sparseconv.coords<2, stride = [1, 1], #p>
  return
}
