// RUN: sparseconv-opt %s --sparseconv-fuse-epilogues | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [1, 1, 1]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
!point = !sparseconv.kernel_map<1, !set to !set>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!down = !sparseconv.kernel_map<8, !set to !half>
!up = !sparseconv.kernel_map<8, !half to !set>
#rows = affine_map<(d0, d1) -> (d0, d1)>
#channels = affine_map<(d0, d1) -> (d1)>
#scalar = affine_map<(d0, d1) -> ()>

//===----------------------------------------------------------------------===//
// What fuses
//===----------------------------------------------------------------------===//

// A folded batch norm and an activation. The constant moves along, and the size of the
// result is the map's, so that nothing else reads the convolution.
// CHECK-LABEL: func.func @norm_relu(
// CHECK-SAME: %[[X:.*]]: tensor<?x16xf32>, %[[W:.*]]: tensor<27x16x32xf32>, %[[MAP:.*]]: !{{.*}}, %[[SCALE:.*]]: tensor<32xf32>, %[[SHIFT:.*]]: tensor<32xf32>)
// CHECK-NEXT: %[[Y:.*]] = sparseconv.conv %[[X]], %[[W]], %[[MAP]] epilogue(%[[SCALE]], %[[SHIFT]] : tensor<32xf32>, tensor<32xf32>) {
// CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32, %[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:   %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT:   %[[PRODUCT:.*]] = arith.mulf %[[ACC]], %[[A]]
// CHECK-NEXT:   %[[SUM:.*]] = arith.addf %[[PRODUCT]], %[[B]]
// CHECK-NEXT:   %[[RELU:.*]] = arith.maximumf %[[SUM]], %[[ZERO]]
// CHECK-NEXT:   sparseconv.yield %[[RELU]]
// CHECK-NEXT: }
// CHECK-NEXT: return %[[Y]]
func.func @norm_relu(%x: tensor<?x16xf32>, %w: tensor<27x16x32xf32>, %map: !map, %scale: tensor<32xf32>, %shift: tensor<32xf32>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %y = sparseconv.conv %x, %w, %map : tensor<?x16xf32>, tensor<27x16x32xf32>, !map -> tensor<?x32xf32>
  %n = tensor.dim %y, %c0 : tensor<?x32xf32>
  %init = tensor.empty(%n) : tensor<?x32xf32>
  %r = linalg.generic {indexing_maps = [#rows, #channels, #channels, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%y, %scale, %shift : tensor<?x32xf32>, tensor<32xf32>, tensor<32xf32>) outs(%init : tensor<?x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %product, %c : f32
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// A residual layer in f16: a norm, then the sum with the rows of a shortcut. The body widens
// what it reads, so the f32 sum takes its place and is rounded once, at the end.
// CHECK-LABEL: func.func @residual(
// CHECK:      %[[SHORT:.*]] = sparseconv.conv
// CHECK:      sparseconv.conv {{.*}} epilogue(%{{.*}}, %[[SHORT]] : tensor<16xf16>, tensor<?x16xf16>) {
// CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32, %[[SHIFT:.*]]: f16, %[[ROW:.*]]: f16):
// CHECK-NEXT:   %[[WIDE:.*]] = arith.extf %[[SHIFT]]
// CHECK-NEXT:   %[[NORM:.*]] = arith.addf %[[ACC]], %[[WIDE]] : f32
// CHECK-NEXT:   %[[OTHER:.*]] = arith.extf %[[ROW]]
// CHECK-NEXT:   %[[SUM:.*]] = arith.addf %[[NORM]], %[[OTHER]] : f32
// CHECK-NEXT:   sparseconv.yield %[[SUM]]
// CHECK-NOT:  linalg.generic
func.func @residual(%points: tensor<?x4xi32>, %features: tensor<?x16xf16>, %w: tensor<27x16x16xf16>, %shift: tensor<16xf16>) -> tensor<?x16xf16> {
  %c0 = arith.constant 0 : index
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x16xf16>, tensor<?xi32> -> tensor<?x16xf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %short = sparseconv.conv %x, %w, %map : tensor<?x16xf16>, tensor<27x16x16xf16>, !map -> tensor<?x16xf16>
  %y = sparseconv.conv %short, %w, %map : tensor<?x16xf16>, tensor<27x16x16xf16>, !map -> tensor<?x16xf16>
  %n = tensor.dim %y, %c0 : tensor<?x16xf16>
  %init = tensor.empty(%n) : tensor<?x16xf16>
  %norm = linalg.generic {indexing_maps = [#rows, #channels, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%y, %shift : tensor<?x16xf16>, tensor<16xf16>) outs(%init : tensor<?x16xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %wide_a = arith.extf %a : f16 to f32
    %wide_b = arith.extf %b : f16 to f32
    %0 = arith.addf %wide_a, %wide_b : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<?x16xf16>
  %r = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%norm, %short : tensor<?x16xf16>, tensor<?x16xf16>) outs(%init : tensor<?x16xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %wide_a = arith.extf %a : f16 to f32
    %wide_b = arith.extf %b : f16 to f32
    %0 = arith.addf %wide_a, %wide_b : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<?x16xf16>
  return %r : tensor<?x16xf16>
}

// What is computed in f16 stays so. Named operations are taken too; a broadcast is its channels,
// a fill its number.
// CHECK-LABEL: func.func @named(
// CHECK-SAME: %[[BIAS:[^:]*]]: tensor<8xf16>)
// CHECK-NOT:  linalg
// CHECK:      sparseconv.conv {{.*}} epilogue(%[[BIAS]] : tensor<8xf16>) {
// CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32, %[[CHANNEL:.*]]: f16):
// CHECK-NEXT:   %[[ROUNDED:.*]] = arith.truncf %[[ACC]] : f32 to f16
// CHECK-NEXT:   %[[SUM:.*]] = arith.addf %[[ROUNDED]], %[[CHANNEL]] : f16
// CHECK-NEXT:   %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f16
// CHECK-NEXT:   %[[RELU:.*]] = arith.maximumf %[[SUM]], %[[ZERO]] : f16
// CHECK-NEXT:   %[[RESULT:.*]] = arith.extf %[[RELU]] : f16 to f32
// CHECK-NEXT:   sparseconv.yield %[[RESULT]]
// CHECK-NOT:  linalg
func.func @named(%x: tensor<?x8xf16>, %w: tensor<27x8x8xf16>, %map: !map, %bias: tensor<8xf16>) -> tensor<?x8xf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %y = sparseconv.conv %x, %w, %map : tensor<?x8xf16>, tensor<27x8x8xf16>, !map -> tensor<?x8xf16>
  %n = tensor.dim %y, %c0 : tensor<?x8xf16>
  %init = tensor.empty(%n) : tensor<?x8xf16>
  %biases = linalg.broadcast ins(%bias : tensor<8xf16>) outs(%init : tensor<?x8xf16>) dimensions = [0]
  %sum = linalg.add ins(%y, %biases : tensor<?x8xf16>, tensor<?x8xf16>) outs(%init : tensor<?x8xf16>) -> tensor<?x8xf16>
  %zeros = linalg.fill ins(%zero : f16) outs(%init : tensor<?x8xf16>) -> tensor<?x8xf16>
  %r = linalg.max ins(%sum, %zeros : tensor<?x8xf16>, tensor<?x8xf16>) outs(%init : tensor<?x8xf16>) -> tensor<?x8xf16>
  return %r : tensor<?x8xf16>
}

// A convolution that has an epilogue: what follows is appended, its decisions stay. What the body
// reads of `outs` is an input as any other, and one value may be several.
// CHECK-LABEL: func.func @append(
// CHECK:      sparseconv.conv {{.*}} tf32 = allowed nondeterministic = allowed epilogue(%[[BIAS:.*]] : tensor<32xf32>) {
// CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32, %[[CHANNEL:.*]]: f32):
// CHECK-NEXT:   %[[SUM:.*]] = arith.addf %[[ACC]], %[[CHANNEL]]
// CHECK-NEXT:   %[[SQUARE:.*]] = arith.mulf %[[SUM]], %[[SUM]]
// CHECK-NEXT:   sparseconv.yield %[[SQUARE]]
// CHECK-NEXT: } {dataflow = #sparseconv.dataflow<output_stationary>}
func.func @append(%x: tensor<?x16xf32>, %w: tensor<27x16x32xf32>, %map: !map, %bias: tensor<32xf32>) -> tensor<?x32xf32> {
  %y = sparseconv.conv %x, %w, %map tf32 = allowed nondeterministic = allowed epilogue(%bias : tensor<32xf32>) {
  ^bb0(%acc: f32, %channel: f32):
    %sum = arith.addf %acc, %channel : f32
    sparseconv.yield %sum : f32
  } {dataflow = #sparseconv.dataflow<output_stationary>} : tensor<?x16xf32>, tensor<27x16x32xf32>, !map -> tensor<?x32xf32>
  %r = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x32xf32>) outs(%y : tensor<?x32xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.mulf %a, %out : f32
    linalg.yield %0 : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// Two convolutions meet. The one with 27 offsets takes the epilogue and waits for the other,
// which can run beside what comes before.
// CHECK-LABEL: func.func @shortcut(
// CHECK: %[[SHORT:.*]] = sparseconv.conv {{.*}} tensor<1x16x16xf32>
// CHECK: %[[SUM:.*]] = sparseconv.conv {{.*}} epilogue(%[[SHORT]] : tensor<?x16xf32>)
// CHECK: tensor<27x16x16xf32>
// CHECK: return %[[SUM]]
func.func @shortcut(%points: tensor<?x4xi32>, %features: tensor<?x16xf32>, %w: tensor<27x16x16xf32>, %v: tensor<1x16x16xf32>) -> tensor<?x16xf32> {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x16xf32>, tensor<?xi32> -> tensor<?x16xf32>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %x, %w, %map : tensor<?x16xf32>, tensor<27x16x16xf32>, !map -> tensor<?x16xf32>
  %point = sparseconv.kernel_map %set to %set offsets(box<1, 1, 1>) : !point
  %z = sparseconv.conv %x, %v, %point : tensor<?x16xf32>, tensor<1x16x16xf32>, !point -> tensor<?x16xf32>
  %r = linalg.add ins(%y, %z : tensor<?x16xf32>, tensor<?x16xf32>) outs(%y : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// %y may find that %features has other rows than its in set. It stays the first to report that,
// and the shortcut takes the epilogue where it is.
// CHECK-LABEL: func.func @first_error(
// CHECK: %[[Y:.*]] = sparseconv.conv {{.*}} tensor<27x16x16xf32>
// CHECK: sparseconv.conv {{.*}} epilogue(%[[Y]] : tensor<?x16xf32>)
func.func @first_error(%set: !set, %features: tensor<?x16xf32>, %w: tensor<27x16x16xf32>, %v: tensor<1x16x16xf32>) -> tensor<?x16xf32> {
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %features, %w, %map : tensor<?x16xf32>, tensor<27x16x16xf32>, !map -> tensor<?x16xf32>
  %point = sparseconv.kernel_map %set to %set offsets(box<1, 1, 1>) : !point
  %z = sparseconv.conv %features, %v, %point : tensor<?x16xf32>, tensor<1x16x16xf32>, !point -> tensor<?x16xf32>
  %r = linalg.add ins(%y, %z : tensor<?x16xf32>, tensor<?x16xf32>) outs(%y : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// On the way up the map of the way down is transposed: the result has the rows of its in set, as
// the skip has.
// CHECK-LABEL: func.func @up(
// CHECK: %[[SKIP:.*]] = sparseconv.gather
// CHECK: sparseconv.conv {{.*}} epilogue(%[[SKIP]] : tensor<?x16xf32>)
// CHECK-NOT: linalg
func.func @up(%points: tensor<?x4xi32>, %features: tensor<?x16xf32>, %coarse: tensor<?x16xf32>, %w: tensor<8x16x16xf32>) -> tensor<?x16xf32> {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %skip = sparseconv.gather %features, %order : tensor<?x16xf32>, tensor<?xi32> -> tensor<?x16xf32>
  %half = sparseconv.downsample %set by [2, 2, 2] : !set -> !half
  %down = sparseconv.kernel_map %set to %half offsets(box<2, 2, 2>) : !down
  %up = sparseconv.transpose_map %down : !down -> !up
  %y = sparseconv.conv %coarse, %w, %up : tensor<?x16xf32>, tensor<8x16x16xf32>, !up -> tensor<?x16xf32>
  %r = linalg.add ins(%y, %skip : tensor<?x16xf32>, tensor<?x16xf32>) outs(%skip : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

//===----------------------------------------------------------------------===//
// What stays
//===----------------------------------------------------------------------===//

// The sum itself is a result too.
// CHECK-LABEL: func.func @second_use(
// CHECK: sparseconv.conv
// CHECK: linalg.exp
func.func @second_use(%x: tensor<?x8xf32>, %w: tensor<27x8x8xf32>, %map: !map) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %y = sparseconv.conv %x, %w, %map : tensor<?x8xf32>, tensor<27x8x8xf32>, !map -> tensor<?x8xf32>
  %r = linalg.exp ins(%y : tensor<?x8xf32>) outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y, %r : tensor<?x8xf32>, tensor<?x8xf32>
}

// Nothing says that an argument has the rows of the set. Where it has not, the run's error is that
// of linalg.add.
// CHECK-LABEL: func.func @other_rows(
// CHECK: sparseconv.conv
// CHECK-NOT: epilogue
// CHECK: linalg.add
func.func @other_rows(%x: tensor<?x8xf32>, %w: tensor<27x8x8xf32>, %map: !map, %skip: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = sparseconv.conv %x, %w, %map : tensor<?x8xf32>, tensor<27x8x8xf32>, !map -> tensor<?x8xf32>
  %r = linalg.add ins(%y, %skip : tensor<?x8xf32>, tensor<?x8xf32>) outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// A number that is known when the network runs has no place among an epilogue's operands.
// CHECK-LABEL: func.func @scalar(
// CHECK: sparseconv.conv
// CHECK-NOT: epilogue
// CHECK: linalg.generic
// CHECK: linalg.generic
func.func @scalar(%x: tensor<?x8xf32>, %w: tensor<27x8x8xf32>, %map: !map, %number: f32, %tensor: tensor<f32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %y = sparseconv.conv %x, %w, %map : tensor<?x8xf32>, tensor<27x8x8xf32>, !map -> tensor<?x8xf32>
  %captured = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x8xf32>) outs(%y : tensor<?x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.mulf %a, %number : f32
    linalg.yield %0 : f32
  } -> tensor<?x8xf32>
  %z = sparseconv.conv %x, %w, %map : tensor<?x8xf32>, tensor<27x8x8xf32>, !map -> tensor<?x8xf32>
  %operand = linalg.generic {indexing_maps = [#rows, #scalar, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%z, %tensor : tensor<?x8xf32>, tensor<f32>) outs(%z : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x8xf32>
  return %captured, %operand : tensor<?x8xf32>, tensor<?x8xf32>
}

// A reduction is no elementwise operation, and neither is one that reads rows as columns or a place's
// number.
// CHECK-LABEL: func.func @other_places(
// CHECK-COUNT-2: linalg.generic
// CHECK: linalg.transpose
func.func @other_places(%x: tensor<?x8xf32>, %w: tensor<27x8x8xf32>, %map: !map, %columns: tensor<8xf32>, %n: index) -> (tensor<8xf32>, tensor<?x8xf32>, tensor<8x?xf32>) {
  %u = sparseconv.conv %x, %w, %map : tensor<?x8xf32>, tensor<27x8x8xf32>, !map -> tensor<?x8xf32>
  %reduced = linalg.generic {indexing_maps = [#rows, #channels], iterator_types = ["reduction", "parallel"]}
      ins(%u : tensor<?x8xf32>) outs(%columns : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %a, %out : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %v = sparseconv.conv %x, %w, %map : tensor<?x8xf32>, tensor<27x8x8xf32>, !map -> tensor<?x8xf32>
  %numbered = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<?x8xf32>) outs(%v : tensor<?x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %integer = arith.index_cast %i : index to i32
    %number = arith.sitofp %integer : i32 to f32
    %0 = arith.addf %a, %number : f32
    linalg.yield %0 : f32
  } -> tensor<?x8xf32>
  %t = sparseconv.conv %x, %w, %map : tensor<?x8xf32>, tensor<27x8x8xf32>, !map -> tensor<?x8xf32>
  %init = tensor.empty(%n) : tensor<8x?xf32>
  %transposed = linalg.transpose ins(%t : tensor<?x8xf32>) outs(%init : tensor<8x?xf32>) permutation = [1, 0]
  return %reduced, %numbered, %transposed : tensor<8xf32>, tensor<?x8xf32>, tensor<8x?xf32>
}

// The result of a convolution has the type of its features, and f64 takes registers that sums need.
// CHECK-LABEL: func.func @other_types(
// CHECK-COUNT-2: linalg.generic
func.func @other_types(%x: tensor<?x8xf16>, %w: tensor<27x8x8xf16>, %map: !map) -> (tensor<?x8xf32>, tensor<?x8xf16>) {
  %c0 = arith.constant 0 : index
  %y = sparseconv.conv %x, %w, %map : tensor<?x8xf16>, tensor<27x8x8xf16>, !map -> tensor<?x8xf16>
  %n = tensor.dim %y, %c0 : tensor<?x8xf16>
  %init = tensor.empty(%n) : tensor<?x8xf32>
  %wide = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x8xf16>) outs(%init : tensor<?x8xf32>) {
  ^bb0(%a: f16, %out: f32):
    %0 = arith.extf %a : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<?x8xf32>
  %z = sparseconv.conv %x, %w, %map : tensor<?x8xf16>, tensor<27x8x8xf16>, !map -> tensor<?x8xf16>
  %exact = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%z : tensor<?x8xf16>) outs(%z : tensor<?x8xf16>) {
  ^bb0(%a: f16, %out: f16):
    %0 = arith.extf %a : f16 to f64
    %1 = arith.mulf %0, %0 : f64
    %2 = arith.truncf %1 : f64 to f16
    linalg.yield %2 : f16
  } -> tensor<?x8xf16>
  return %wide, %exact : tensor<?x8xf32>, tensor<?x8xf16>
}

// In a branch the sum would be computed where it is not now, or again in every turn of a loop.
// CHECK-LABEL: func.func @branch(
// CHECK: sparseconv.conv
// CHECK: scf.if
// CHECK: linalg.exp
func.func @branch(%x: tensor<?x8xf32>, %w: tensor<27x8x8xf32>, %map: !map, %is: i1) -> tensor<?x8xf32> {
  %y = sparseconv.conv %x, %w, %map : tensor<?x8xf32>, tensor<27x8x8xf32>, !map -> tensor<?x8xf32>
  %r = scf.if %is -> tensor<?x8xf32> {
    %z = linalg.exp ins(%y : tensor<?x8xf32>) outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %z : tensor<?x8xf32>
  } else {
    scf.yield %x : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}

// A shape that splits the channels of features into groups and back leaves their rows as
// they are. So the convolution can move behind the residual, which is made after it.
// CHECK-LABEL: func.func @behind_groups(
// CHECK: tensor.collapse_shape
// CHECK: %[[RESIDUAL:.*]] = sparseconv.conv
// CHECK: sparseconv.conv %{{.*}} epilogue(%[[RESIDUAL]] : tensor<?x8xf32>)
// CHECK-NOT: linalg.add
func.func @behind_groups(%x: tensor<?x8xf32>, %v: tensor<27x8x8xf32>, %w: tensor<27x8x8xf32>, %set: !set) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %h = sparseconv.conv %x, %v, %map : tensor<?x8xf32>, tensor<27x8x8xf32>, !map -> tensor<?x8xf32>
  %n = tensor.dim %h, %c0 : tensor<?x8xf32>
  %groups = tensor.expand_shape %h [[0], [1, 2]] output_shape [%n, 2, 4] : tensor<?x8xf32> into tensor<?x2x4xf32>
  %normed = linalg.exp ins(%groups : tensor<?x2x4xf32>) outs(%groups : tensor<?x2x4xf32>) -> tensor<?x2x4xf32>
  %back = tensor.collapse_shape %normed [[0], [1, 2]] : tensor<?x2x4xf32> into tensor<?x8xf32>
  %y = sparseconv.conv %back, %w, %map : tensor<?x8xf32>, tensor<27x8x8xf32>, !map -> tensor<?x8xf32>
  %residual = sparseconv.conv %x, %w, %map : tensor<?x8xf32>, tensor<27x8x8xf32>, !map -> tensor<?x8xf32>
  %sum = linalg.add ins(%y, %residual : tensor<?x8xf32>, tensor<?x8xf32>) outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %sum, %residual : tensor<?x8xf32>, tensor<?x8xf32>
}
