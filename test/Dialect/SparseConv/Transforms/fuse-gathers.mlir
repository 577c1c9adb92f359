// RUN: sparseconv-opt %s --sparseconv-fuse-gathers | FileCheck %s

// A convolution of one offset multiplies rows, and a gather picks those that the
// points of the set have. The product is then one for each point.

#packing = #sparseconv.packing<i64, batch = 8, bits = [18, 18], guard = [4, 4]>
!set = !sparseconv.coords<2, stride = [1, 1], #packing>
!half = !sparseconv.coords<2, stride = [2, 2], #packing>
!identity = !sparseconv.kernel_map<1, !set to !set>
!row = !sparseconv.kernel_map<3, !set to !set>

// CHECK-LABEL: func.func @points(
// CHECK-SAME:      %[[POINTS:[^:]*]]: tensor<?x3xi32>, %[[X:[^:]*]]: tensor<?x8xf16>, %[[W:[^:]*]]: tensor<1x8x4xf16>, %[[BIAS:[^:]*]]: tensor<4xf16>)
// CHECK:         %[[SET:.*]], %{{.*}}, %[[ROW_OF:.*]] = sparseconv.pack %[[POINTS]]
// CHECK:         %[[SIZE:.*]] = sparseconv.size %[[SET]]
// CHECK:         tensor.empty(%[[SIZE]]) : tensor<?x2xi32>
// CHECK:         %[[ROWS:.*]], %{{.*}}, %{{.*}} = sparseconv.pack
// CHECK:         %[[COUNT:.*]] = tensor.dim %[[ROW_OF]]
// CHECK:         tensor.empty(%[[COUNT]]) : tensor<?x2xi32>
// CHECK:         %[[NUMBERS:.*]], %{{.*}}, %{{.*}} = sparseconv.pack
// CHECK:         %[[TABLE:.*]] = tensor.expand_shape %[[ROW_OF]] {{\[\[}}0, 1]]
// CHECK:         %[[MAP:.*]] = sparseconv.map_from_table %[[TABLE]], %[[ROWS]] to %[[NUMBERS]] {sparseconv.trusted}
// CHECK:         %[[Z:.*]] = sparseconv.conv %[[X]], %[[W]], %[[MAP]] epilogue(%[[BIAS]] :
// CHECK-NOT:     sparseconv.gather
// CHECK:         return %[[Z]]
func.func @points(%points: tensor<?x3xi32>, %x: tensor<?x8xf16>, %w: tensor<1x8x4xf16>, %bias: tensor<4xf16>) -> tensor<?x4xf16> {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x3xi32> -> !set
  %map = sparseconv.kernel_map %set to %set offsets(box<1, 1>) : !identity
  %y = sparseconv.conv %x, %w, %map epilogue(%bias : tensor<4xf16>) {
  ^bb0(%acc: f32, %channel: f16):
    %0 = arith.extf %channel : f16 to f32
    %1 = arith.addf %acc, %0 : f32
    sparseconv.yield %1 : f32
  } : tensor<?x8xf16>, tensor<1x8x4xf16>, !identity -> tensor<?x4xf16>
  %z = sparseconv.gather %y, %row_of : tensor<?x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  return %z : tensor<?x4xf16>
}

// The points may be cells of others, on a grid of any unit.

// CHECK-LABEL: func.func @cells(
// CHECK:         sparseconv.map_from_table
// CHECK-NOT:     sparseconv.gather
func.func @cells(%points: tensor<7x3xi32>, %x: tensor<?x8xbf16>, %w: tensor<1x8x4xbf16>) -> tensor<?x4xbf16> {
  %coarse, %order, %row_of = sparseconv.pack %points : tensor<7x3xi32> -> !set
  %half = sparseconv.rescale %coarse by [2, 2] : !set -> !half
  %set, %rows, %cells, %row_of_cell = sparseconv.subdivide %half by [2, 2]
      points(%order, %row_of : tensor<?xi32>, tensor<7xi32>) : !half
  %map = sparseconv.kernel_map %set to %set offsets(box<1, 1>) : !identity
  %y = sparseconv.conv %x, %w, %map : tensor<?x8xbf16>, tensor<1x8x4xbf16>, !identity -> tensor<?x4xbf16>
  %z = sparseconv.gather %y, %row_of_cell : tensor<?x4xbf16>, tensor<?xi32> -> tensor<?x4xbf16>
  return %z : tensor<?x4xbf16>
}

// CHECK-LABEL: func.func @known_number(
// CHECK:         %[[Z:.*]] = sparseconv.conv {{.*}} -> tensor<?x4xf16>
// CHECK-NEXT:    %[[CAST:.*]] = tensor.cast %[[Z]] : tensor<?x4xf16> to tensor<7x4xf16>
// CHECK-NEXT:    return %[[CAST]]
func.func @known_number(%points: tensor<7x3xi32>, %x: tensor<?x8xf16>, %w: tensor<1x8x4xf16>) -> tensor<7x4xf16> {
  %set, %order, %row_of = sparseconv.pack %points : tensor<7x3xi32> -> !set
  %map = sparseconv.kernel_map %set to %set offsets(box<1, 1>) : !identity
  %y = sparseconv.conv %x, %w, %map : tensor<?x8xf16>, tensor<1x8x4xf16>, !identity -> tensor<?x4xf16>
  %z = sparseconv.gather %y, %row_of : tensor<?x4xf16>, tensor<7xi32> -> tensor<7x4xf16>
  return %z : tensor<7x4xf16>
}

// Rows that may be missing are zeros, not products; those of a clip region are.
// Numbers from elsewhere, and those of another set, may be anything.

// CHECK-LABEL: func.func @others(
// CHECK-NOT:     sparseconv.map_from_table
// CHECK-COUNT-4: sparseconv.gather
func.func @others(%points: tensor<?x3xi32>, %x: tensor<?x8xf16>, %w: tensor<1x8x4xf16>, %given: tensor<?xi32>)
    -> (tensor<?x4xf16>, tensor<?x4xf16>, tensor<?x4xf16>, tensor<?x4xf16>) {
  %set, %order, %row_of = sparseconv.pack %points clip(<[0, 0] to [9, 9]>) : tensor<?x3xi32> -> !set
  %other, %other_order, %other_row_of = sparseconv.pack %points : tensor<?x3xi32> -> !set
  %map = sparseconv.kernel_map %set to %set offsets(box<1, 1>) : !identity
  %y = sparseconv.conv %x, %w, %map : tensor<?x8xf16>, tensor<1x8x4xf16>, !identity -> tensor<?x4xf16>
  %0 = sparseconv.gather %y, %row_of : tensor<?x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  %v = sparseconv.conv %x, %w, %map : tensor<?x8xf16>, tensor<1x8x4xf16>, !identity -> tensor<?x4xf16>
  %1 = sparseconv.gather %v, %given : tensor<?x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  %u = sparseconv.conv %x, %w, %map : tensor<?x8xf16>, tensor<1x8x4xf16>, !identity -> tensor<?x4xf16>
  %2 = sparseconv.gather %u, %other_row_of : tensor<?x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  %other_map = sparseconv.kernel_map %other to %other offsets(box<1, 1>) : !identity
  %t = sparseconv.conv %x, %w, %other_map : tensor<?x8xf16>, tensor<1x8x4xf16>, !identity -> tensor<?x4xf16>
  %3 = sparseconv.gather %t, %other_order : tensor<?x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  return %0, %1, %2, %3 : tensor<?x4xf16>, tensor<?x4xf16>, tensor<?x4xf16>, tensor<?x4xf16>
}

// Cells of points that may be any others, and of those that may have no row.

// CHECK-LABEL: func.func @other_points(
// CHECK-NOT:     sparseconv.map_from_table
// CHECK-COUNT-2: sparseconv.gather
func.func @other_points(%points: tensor<?x3xi32>, %x: tensor<?x8xf16>, %w: tensor<1x8x4xf16>, %given: tensor<?xi32>)
    -> (tensor<?x4xf16>, tensor<?x4xf16>) {
  %half, %order, %row_of = sparseconv.pack %points : tensor<?x3xi32> -> !half
  %set, %rows, %cells, %row_of_cell = sparseconv.subdivide %half by [2, 2]
      points(%order, %given : tensor<?xi32>, tensor<?xi32>) : !half
  %map = sparseconv.kernel_map %set to %set offsets(box<1, 1>) : !identity
  %y = sparseconv.conv %x, %w, %map : tensor<?x8xf16>, tensor<1x8x4xf16>, !identity -> tensor<?x4xf16>
  %0 = sparseconv.gather %y, %row_of_cell : tensor<?x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  %clipped, %clipped_order, %clipped_row_of = sparseconv.pack %points clip(<[0, 0] to [8, 8]>) : tensor<?x3xi32> -> !half
  %fine, %fine_rows, %fine_cells, %fine_row_of = sparseconv.subdivide %clipped by [2, 2]
      points(%clipped_order, %clipped_row_of : tensor<?xi32>, tensor<?xi32>) : !half
  %fine_map = sparseconv.kernel_map %fine to %fine offsets(box<1, 1>) : !identity
  %z = sparseconv.conv %x, %w, %fine_map : tensor<?x8xf16>, tensor<1x8x4xf16>, !identity -> tensor<?x4xf16>
  %1 = sparseconv.gather %z, %fine_row_of : tensor<?x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  return %0, %1 : tensor<?x4xf16>, tensor<?x4xf16>
}

// Products that would not gain: of f32, of many channels, of several offsets, of
// rows that something else reads, and with a shortcut.

// CHECK-LABEL: func.func @products(
// CHECK-NOT:     sparseconv.map_from_table
// CHECK-COUNT-5: sparseconv.gather
func.func @products(%points: tensor<?x3xi32>, %x: tensor<?x8xf32>, %w: tensor<1x8x4xf32>, %h: tensor<?x8xf16>,
                    %many: tensor<?x512xf16>, %wide: tensor<1x512x4xf16>, %three: tensor<3x8x4xf16>,
                    %one: tensor<1x8x4xf16>, %s: tensor<?x4xf16>)
    -> (tensor<?x4xf32>, tensor<?x4xf16>, tensor<?x4xf16>, tensor<?x4xf16>, tensor<?x4xf16>, tensor<?x4xf16>) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x3xi32> -> !set
  %map = sparseconv.kernel_map %set to %set offsets(box<1, 1>) : !identity
  %near = sparseconv.kernel_map %set to %set offsets(box<1, 3>) : !row
  %y = sparseconv.conv %x, %w, %map : tensor<?x8xf32>, tensor<1x8x4xf32>, !identity -> tensor<?x4xf32>
  %0 = sparseconv.gather %y, %row_of : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %v = sparseconv.conv %many, %wide, %map : tensor<?x512xf16>, tensor<1x512x4xf16>, !identity -> tensor<?x4xf16>
  %1 = sparseconv.gather %v, %row_of : tensor<?x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  %u = sparseconv.conv %h, %three, %near : tensor<?x8xf16>, tensor<3x8x4xf16>, !row -> tensor<?x4xf16>
  %2 = sparseconv.gather %u, %row_of : tensor<?x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  %t = sparseconv.conv %h, %one, %map : tensor<?x8xf16>, tensor<1x8x4xf16>, !identity -> tensor<?x4xf16>
  %3 = sparseconv.gather %t, %row_of : tensor<?x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  %r = sparseconv.conv %h, %one, %map epilogue(%s : tensor<?x4xf16>) {
  ^bb0(%acc: f32, %row: f16):
    %a = arith.extf %row : f16 to f32
    %b = arith.addf %acc, %a : f32
    sparseconv.yield %b : f32
  } : tensor<?x8xf16>, tensor<1x8x4xf16>, !identity -> tensor<?x4xf16>
  %4 = sparseconv.gather %r, %row_of : tensor<?x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  return %0, %1, %2, %3, %t, %4 : tensor<?x4xf32>, tensor<?x4xf16>, tensor<?x4xf16>, tensor<?x4xf16>, tensor<?x4xf16>, tensor<?x4xf16>
}
