// RUN: sparseconv-opt %s --allow-unregistered-dialect --sparseconv-decompose --canonicalize --cse --verify-diagnostics | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [4, 4, 4]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

// A map that is given becomes its neighbour table and the number of its in rows. For
// each offset, the rows that it meets are gathered, and their products are added in
// f32. Rows that are not there are the row of zeros behind the others.

// CHECK-DAG:   #[[$ROWS:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG:   #[[$CHANNELS:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG:   #[[$SAME:.*]] = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @conv(
// CHECK-SAME:    %[[TABLE:.*]]: tensor<?x27xi32>, %{{.*}}: index, %[[X:.*]]: tensor<?x4xf16>, %[[W:.*]]: tensor<27x4x8xf16>)
// CHECK:         %[[R:.*]] = tensor.dim %[[TABLE]], %{{.*}}
// CHECK:         %[[PADDED:.*]] = tensor.pad %[[X]] low[0, 0] high[1, 0]
// CHECK:         %[[SUMS:.*]] = scf.for %[[K:.*]] = %c0 to %c27 step %c1 iter_args(%[[SUM:.*]] = %{{.*}}) -> (tensor<?x8xf32>)
// CHECK:           %[[COLUMN:.*]] = tensor.extract_slice %[[TABLE]][0, %[[K]]] [%{{.*}}, 1] [1, 1]
// CHECK:           %[[LAST:.*]] = arith.subi
// CHECK:           %[[GATHERED:.*]] = linalg.generic {indexing_maps = [#[[$ROWS]], #[[$SAME]]]
// CHECK-SAME:        ins(%[[COLUMN]] : tensor<?xi32>)
// CHECK:             %[[C:.*]] = linalg.index 1
// CHECK:             %[[ENTRY:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK:             %[[ABSENT:.*]] = arith.cmpi slt, %[[ENTRY]], %c0
// CHECK:             %[[ROW:.*]] = arith.select %[[ABSENT]], %[[LAST]], %[[ENTRY]]
// CHECK:             tensor.extract %[[PADDED]][%[[ROW]], %[[C]]]
// CHECK:           %[[SLICE:.*]] = tensor.extract_slice %[[W]][%[[K]], 0, 0] [1, 4, 8] [1, 1, 1]
// CHECK:           linalg.matmul ins(%[[GATHERED]], %[[SLICE]] : tensor<?x4xf16>, tensor<4x8xf16>) outs(%[[SUM]] : tensor<?x8xf32>)
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[SUMS]] : tensor<?x8xf32>)
// CHECK:           arith.truncf
func.func @conv(%map: !map, %x: tensor<?x4xf16>, %w: tensor<27x4x8xf16>) -> tensor<?x8xf16> {
  %y = sparseconv.conv %x, %w, %map : tensor<?x4xf16>, tensor<27x4x8xf16>, !map -> tensor<?x8xf16>
  return %y : tensor<?x8xf16>
}

// Attributes stay with their arguments and results; the table keeps those of a map.

// CHECK-LABEL: func.func @attributes(
// CHECK-SAME:    %{{.*}}: tensor<?x27xi32> {test.map}, %{{.*}}: index, %{{.*}}: tensor<?x4xf16> {sparseconv.name = "x"})
// CHECK-SAME:    -> (tensor<?x27xi32>, index, tensor<?x4xf16> {sparseconv.name = "y"})
func.func @attributes(%map: !map {test.map}, %x: tensor<?x4xf16> {sparseconv.name = "x"})
    -> (!map, tensor<?x4xf16> {sparseconv.name = "y"}) {
  return %map, %x : !map, tensor<?x4xf16>
}

// The epilogue stays at the sums. Groups are a batch of products.

// CHECK-LABEL: func.func @epilogue(
// CHECK:         %[[SUMS:.*]] = scf.for
// CHECK:           linalg.batch_matmul ins(%{{.*}}, %{{.*}} : tensor<2x?x2xf16>, tensor<2x2x3xf16>) outs(%{{.*}} : tensor<2x?x3xf32>)
// CHECK:         %[[MERGED:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : tensor<?x2x3xf32> into tensor<?x6xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[$SAME]], #[[$CHANNELS]], #[[$SAME]], #[[$SAME]]]
// CHECK-SAME:      ins(%[[MERGED]], %{{.*}}, %{{.*}} : tensor<?x6xf32>, tensor<6xf16>, tensor<?x6xf16>)
// CHECK:         ^bb0(%[[ACC:.*]]: f32, %[[B:.*]]: f16, %[[S:.*]]: f16, %{{.*}}: f16):
// CHECK-DAG:       %[[B32:.*]] = arith.extf %[[B]]
// CHECK-DAG:       %[[S32:.*]] = arith.extf %[[S]]
// CHECK:           %[[SUM:.*]] = arith.addf %[[ACC]], %[[B32]]
// CHECK:           %[[PRODUCT:.*]] = arith.mulf %[[SUM]], %[[S32]]
// CHECK:           %[[ROUNDED:.*]] = arith.truncf %[[PRODUCT]] : f32 to f16
// CHECK:           linalg.yield %[[ROUNDED]]
func.func @epilogue(%map: !map, %x: tensor<?x4xf16>, %w: tensor<27x2x2x3xf16>,
                    %bias: tensor<6xf16>, %skip: tensor<?x6xf16>) -> tensor<?x6xf16> {
  %y = sparseconv.conv %x, %w, %map epilogue(%bias, %skip : tensor<6xf16>, tensor<?x6xf16>) {
  ^bb0(%sum: f32, %b: f16, %s: f16):
    %b32 = arith.extf %b : f16 to f32
    %s32 = arith.extf %s : f16 to f32
    %0 = arith.addf %sum, %b32 : f32
    %1 = arith.mulf %0, %s32 : f32
    sparseconv.yield %1 : f32
  } : tensor<?x4xf16>, tensor<27x2x2x3xf16>, !map -> tensor<?x6xf16>
  return %y : tensor<?x6xf16>
}

// A gradient by the input gathers by the transposed map, whose table is filled first.

// CHECK-LABEL: func.func @input_grad(
// CHECK-SAME:    %[[TABLE:.*]]: tensor<?x27xi32>, %[[IN_ROWS:.*]]: index,
// CHECK:         %[[EMPTY:.*]] = tensor.empty(%[[IN_ROWS]]) : tensor<?x27xi32>
// CHECK:         linalg.fill ins(%c-1_i32 : i32) outs(%[[EMPTY]] : tensor<?x27xi32>)
// CHECK:         %[[INVERSE:.*]] = scf.for %[[R:[^ ]*]] =
// CHECK:           scf.for %[[K:[^ ]*]] =
// CHECK:             %[[ENTRY:.*]] = tensor.extract %[[TABLE]][%[[R]], %[[K]]]
// CHECK:             %[[I:.*]] = arith.index_cast %[[ENTRY]]
// CHECK:             scf.if
// CHECK:               tensor.insert %{{.*}} into %{{.*}}[%[[I]], %[[K]]]
// CHECK:         scf.for
// CHECK:           tensor.extract_slice %[[INVERSE]]
// CHECK:           linalg.matmul indexing_maps =
// CHECK-SAME:        outs(%{{.*}} : tensor<?x4xf32>)
func.func @input_grad(%map: !map, %dy: tensor<?x8xf32>, %w: tensor<27x4x8xf32>) -> tensor<?x4xf32> {
  %dx = sparseconv.input_grad %dy, %w, %map : tensor<?x8xf32>, tensor<27x4x8xf32>, !map -> tensor<?x4xf32>
  return %dx : tensor<?x4xf32>
}

// A table for rows in another order: a gather of its rows, and one of numbers by its
// entries.

// CHECK-LABEL: func.func @renumber(
// CHECK-SAME:    %[[TABLE:.*]]: tensor<?x27xi32>, %[[ROWS:.*]]: tensor<?xi32>)
// CHECK:         %[[PADDED:.*]] = tensor.pad %[[TABLE]] low[0, 0] high[1, 0]
// CHECK:         %[[MOVED:.*]] = linalg.generic {indexing_maps = [#[[$ROWS]], #[[$SAME]]]
// CHECK-SAME:      ins(%[[ROWS]] : tensor<?xi32>)
// CHECK:           tensor.extract %[[PADDED]]
// CHECK:         %[[NUMBERS:.*]] = tensor.pad %[[ROWS]] low[0] high[1]
// CHECK:         linalg.generic {indexing_maps = [#[[$SAME]], #[[$SAME]]]
// CHECK-SAME:      ins(%[[MOVED]] : tensor<?x27xi32>)
// CHECK:           tensor.extract %[[NUMBERS]]
func.func @renumber(%table: tensor<?x27xi32>, %rows: tensor<?xi32>) -> tensor<?x27xi32> {
  %0 = sparseconv.renumber_table out %table, %rows : tensor<?x27xi32>, tensor<?xi32> -> tensor<?x27xi32>
  %1 = sparseconv.renumber_table in %0, %rows : tensor<?x27xi32>, tensor<?xi32> -> tensor<?x27xi32>
  return %1 : tensor<?x27xi32>
}

// The table of a map that stays is read from it, and so are its in rows where they
// are needed. Calls and control flow pass both.

// CHECK-LABEL: func.func @network(
// CHECK:         %[[SET:.*]], %[[ORDER:.*]], %{{.*}} = sparseconv.pack
// CHECK:         %[[MAP:.*]] = sparseconv.kernel_map %[[SET]] to %[[SET]]
// CHECK-DAG:     %[[TABLE:.*]] = sparseconv.neighbour_table %[[MAP]]
// CHECK-DAG:     %[[ROWS:.*]] = sparseconv.{{(size %.*|map_size in %.*)}} :
// CHECK:         call @conv(%[[TABLE]], %[[ROWS]], %{{.*}}, %{{.*}})
// CHECK-NOT:     sparseconv.conv
// CHECK:         return
func.func @network(%points: tensor<?x4xi32>, %x: tensor<?x4xf16>, %w: tensor<27x4x8xf16>) -> tensor<?x8xf16> {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %rows = sparseconv.gather %x, %order : tensor<?x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  %y = call @conv(%map, %rows, %w) : (!map, tensor<?x4xf16>, tensor<27x4x8xf16>) -> tensor<?x8xf16>
  return %y : tensor<?x8xf16>
}

// CHECK-LABEL: func.func @choice(
// CHECK-SAME:    %{{.*}}: i1, %[[A:.*]]: tensor<?x27xi32>, %[[A_ROWS:.*]]: index, %[[B:.*]]: tensor<?x27xi32>, %[[B_ROWS:.*]]: index)
// CHECK-DAG:     arith.select %{{.*}}, %[[A]], %[[B]] : tensor<?x27xi32>
// CHECK-DAG:     arith.select %{{.*}}, %[[A_ROWS]], %[[B_ROWS]] : index
// CHECK:         return %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x27xi32>, index, index
func.func @choice(%first: i1, %a: !map, %b: !map) -> (!map, index) {
  %map = scf.if %first -> !map {
    scf.yield %a : !map
  } else {
    scf.yield %b : !map
  }
  %rows = sparseconv.map_size out %map : !map
  return %map, %rows : !map, index
}

// CHECK-LABEL: func.func @select(
// CHECK-SAME:    %{{.*}}: i1, %{{.*}}: tensor<?x27xi32>, %[[A_ROWS:.*]]: index, %{{.*}}: tensor<?x27xi32>, %[[B_ROWS:.*]]: index)
// CHECK:         %[[ROWS:.*]] = arith.select %{{.*}}, %[[A_ROWS]], %[[B_ROWS]] : index
// CHECK:         return %[[ROWS]]
func.func @select(%first: i1, %a: !map, %b: !map) -> index {
  %map = arith.select %first, %a, %b : !map
  %rows = sparseconv.map_size in %map : !map
  return %rows : index
}

// A table that is given needs no set: what only made the map's type goes.

// CHECK-LABEL: func.func @given(
// CHECK-SAME:    %{{.*}}: tensor<?x4xi32>, %[[TABLE:.*]]: tensor<50x27xi32>, %[[X:.*]]: tensor<?x3xf32>)
// CHECK-NOT:     sparseconv
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:           arith.maximumf
// CHECK-NOT:     sparseconv
// CHECK:         return
func.func @given(%points: tensor<?x4xi32>, %table: tensor<50x27xi32>, %x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %map = sparseconv.map_from_table %table, %set to %set : tensor<50x27xi32>, !map
  %y = sparseconv.pool max %x, %map : tensor<?x3xf32>, !map -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// Operations of others may read a map that stays.

// CHECK-LABEL: func.func @foreign(
// CHECK:         %[[MAP:.*]] = sparseconv.kernel_map
// CHECK:         "test.use"(%[[MAP]])
func.func @foreign(%set: !set) {
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  "test.use"(%map) : (!map) -> ()
  return
}

// What reads coordinates stays.

// CHECK-LABEL: func.func @coordinates(
// CHECK:         sparseconv.global_pool max
// CHECK:         sparseconv.to_dense
func.func @coordinates(%set: !set, %x: tensor<?x3xf32>) -> (tensor<2x3xf32>, tensor<2x8x8x8x3xf32>) {
  // expected-remark@+1 {{left as it is: it reads the coordinates of a set, which no neighbour table has}}
  %0 = sparseconv.global_pool max %x, %set : tensor<?x3xf32>, !set -> tensor<2x3xf32>
  // expected-remark@+1 {{left as it is: it reads the coordinates of a set, which no neighbour table has}}
  %1 = sparseconv.to_dense %x, %set origin [0, 0, 0] : tensor<?x3xf32>, !set -> tensor<2x8x8x8x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x8x8x8x3xf32>
}
