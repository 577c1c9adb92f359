// RUN: sparseconv-opt %s --sparseconv-differentiate=functions=norm,shared,turned,mean,matmul,narrow,broadcast | FileCheck %s

// The adjoint of a structured operation by one of its operands is a structured operation over
// the same loops. Its body is the body, as far as the adjoint reads it, and behind that the
// adjoints of its operations in reverse. Loops that do not move the operand sum.

// CHECK-DAG: #[[$ROWS:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$CHANNELS:.*]] = affine_map<(d0, d1) -> (d1)>
#rows = affine_map<(i, c) -> (i, c)>
#channels = affine_map<(i, c) -> (c)>
#transposed = affine_map<(i, c) -> (c, i)>

// A norm and a rectifier, whose derivative is 0 at 0.
// CHECK-LABEL: func.func @norm_gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x8xf32>, %[[SCALE:[^:]*]]: tensor<8xf32>, %[[SHIFT:[^:]*]]: tensor<8xf32>, %[[DY:[^:]*]]: tensor<?x8xf32>)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[DX:.*]] = linalg.generic {indexing_maps = [#[[$ROWS]], #[[$CHANNELS]], #[[$CHANNELS]], #[[$ROWS]], #[[$ROWS]]], iterator_types = ["parallel", "parallel"]}
// CHECK-SAME:        ins(%[[X]], %[[SCALE]], %[[SHIFT]], %[[DY]] :
// CHECK:         ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[D:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[PRODUCT:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[PRODUCT]], %[[C]]
// CHECK-NEXT:      %[[POSITIVE:.*]] = arith.cmpf ogt, %[[SUM]], %[[ZERO]]
// CHECK-NEXT:      %[[DSUM:.*]] = arith.select %[[POSITIVE]], %[[D]], %[[ZERO]]
// CHECK-NEXT:      %[[DA:.*]] = arith.mulf %[[DSUM]], %[[B]]
// CHECK-NEXT:      linalg.yield %[[DA]]
// CHECK:         %[[DSCALE:.*]] = linalg.generic {indexing_maps = [#[[$ROWS]], #[[$CHANNELS]], #[[$CHANNELS]], #[[$ROWS]], #[[$CHANNELS]]], iterator_types = ["reduction", "parallel"]}
// CHECK:         ^bb0(%[[A:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %[[START:.*]]: f32):
// CHECK:           %[[DSUM:.*]] = arith.select
// CHECK-NEXT:      %[[DB:.*]] = arith.mulf %[[DSUM]], %[[A]]
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addf %[[START]], %[[DB]]
// CHECK-NEXT:      linalg.yield %[[NEXT]]
// CHECK:         %[[DSHIFT:.*]] = linalg.generic
// CHECK:         return %{{.*}}, %[[DX]], %[[DSCALE]], %[[DSHIFT]] :
func.func @norm(%x: tensor<?x8xf32>, %scale: tensor<8xf32>, %shift: tensor<8xf32>) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %y = linalg.generic {indexing_maps = [#rows, #channels, #channels, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scale, %shift : tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%x : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %product, %c : f32
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// A value that is read twice gets both gradients. A transposed operand is no sum.
// CHECK-LABEL: func.func @shared_gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x4xf32>, %[[DY:[^:]*]]: tensor<4x4xf32>)
// CHECK:         %[[FIRST:.*]] = linalg.generic {{.*}}["parallel", "parallel"]} ins(%[[X]], %[[DY]] :
// CHECK:         %[[SECOND:.*]] = linalg.generic {{.*}}["parallel", "parallel"]} ins(%[[X]], %[[DY]] :
// CHECK:         %[[DX:.*]] = arith.addf %[[FIRST]], %[[SECOND]] : tensor<4x4xf32>
// CHECK:         return %{{.*}}, %[[DX]] :
func.func @shared(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = linalg.generic {indexing_maps = [#rows, #transposed, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %product = arith.mulf %a, %b : f32
    linalg.yield %product : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// The gradient of what is only turned is turned back, and is not the gradient itself.
// CHECK-LABEL: func.func @turned_gradient(
// CHECK-SAME:    %{{[^:]*}}: tensor<3x5xf32>, %[[DY:[^:]*]]: tensor<5x3xf32>)
// CHECK:         %[[DX:.*]] = linalg.generic {{.*}} ins(%[[DY]] : tensor<5x3xf32>) outs(%{{.*}} : tensor<3x5xf32>)
// CHECK:         return %{{.*}}, %[[DX]] :
func.func @turned(%x: tensor<3x5xf32>) -> tensor<5x3xf32> {
  %init = tensor.empty() : tensor<5x3xf32>
  %y = linalg.generic {indexing_maps = [#transposed, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x5xf32>) outs(%init : tensor<5x3xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// The adjoint of a sum over rows gives every row its gradient: with the size of the operand,
// where nothing else says how often the loop runs. What the sum starts with has the gradient
// of the sum.
// CHECK-LABEL: func.func @mean_gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x8xf32>, %[[START:[^:]*]]: tensor<8xf32>, %[[COUNT:[^:]*]]: f32, %[[DY:[^:]*]]: tensor<8xf32>)
// CHECK:         %[[DX:.*]] = linalg.generic {indexing_maps = [#[[$CHANNELS]], #[[$ROWS]]], iterator_types = ["parallel", "parallel"]} ins(%[[DY]] :
// CHECK-NEXT:    ^bb0(%[[D:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[SHARE:.*]] = arith.divf %[[D]], %[[COUNT]]
// CHECK-NEXT:      linalg.yield %[[SHARE]]
// CHECK:         return %{{.*}}, %[[DX]], %[[DY]] :
func.func @mean(%x: tensor<?x8xf32>, %start: tensor<8xf32>, %count: f32) -> tensor<8xf32> {
  %y = linalg.generic {indexing_maps = [#rows, #channels], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %part = arith.divf %a, %count : f32
    %next = arith.addf %sum, %part : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// Named operations have bodies and loops, too.
// CHECK-LABEL: func.func @matmul_gradient(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<?x4xf32>, %[[B:[^:]*]]: tensor<4x8xf32>, %{{[^:]*}}: tensor<?x8xf32>, %[[DY:[^:]*]]: tensor<?x8xf32>)
// CHECK:         %[[DA:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "parallel"]} ins(%[[B]], %[[DY]] :
// CHECK:         %[[DB:.*]] = linalg.generic {{.*}}iterator_types = ["reduction", "parallel", "parallel"]} ins(%[[A]], %[[DY]] :
// CHECK:         return %{{.*}}, %[[DA]], %[[DB]], %[[DY]] :
func.func @matmul(%a: tensor<?x4xf32>, %b: tensor<4x8xf32>, %start: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = linalg.matmul ins(%a, %b : tensor<?x4xf32>, tensor<4x8xf32>) outs(%start : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @broadcast_gradient(
// CHECK:         linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]}
func.func @broadcast(%x: tensor<8xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = linalg.broadcast ins(%x : tensor<8xf32>) outs(%init : tensor<?x8xf32>) dimensions = [0]
  return %y : tensor<?x8xf32>
}

// Narrow floats are widened to f32, also where the body computes with them as they are. A
// gradient is rounded once, where it is stored; a sum after its last term.
// CHECK-LABEL: func.func @narrow_gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x8xf16>, %[[SCALE:[^:]*]]: tensor<8xf16>, %[[DY:[^:]*]]: tensor<?x8xf16>)
// CHECK:         %[[DX:.*]] = linalg.generic {{.*}} ins(%[[SCALE]], %[[DY]] : {{.*}} outs(%{{.*}} : tensor<?x8xf16>)
// CHECK:           %[[D:.*]] = arith.extf
// CHECK:           %[[B:.*]] = arith.extf
// CHECK:           %[[WIDE:.*]] = arith.mulf %[[D]], %[[B]] : f32
// CHECK:           %[[NARROW:.*]] = arith.truncf %[[WIDE]] : f32 to f16
// CHECK:           linalg.yield %[[NARROW]]
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8xf32>)
// CHECK:         %[[DSCALE:.*]] = arith.truncf %[[SUM]] : tensor<8xf32> to tensor<8xf16>
// CHECK:         return %{{.*}}, %[[DX]], %[[DSCALE]] :
func.func @narrow(%x: tensor<?x8xf16>, %scale: tensor<8xf16>) -> tensor<?x8xf16> {
  %y = linalg.generic {indexing_maps = [#rows, #channels, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scale : tensor<?x8xf16>, tensor<8xf16>) outs(%x : tensor<?x8xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %product = arith.mulf %a, %b : f16
    linalg.yield %product : f16
  } -> tensor<?x8xf16>
  return %y : tensor<?x8xf16>
}
