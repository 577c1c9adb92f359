// RUN: sparseconv-opt %s --convert-sparseconv-to-kernels --canonicalize --cse | FileCheck %s

// A set is the tensor of its sorted keys; its size is dimension 0.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
#narrow = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [8, 8]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!flat = !sparseconv.coords<2, stride = [4, 4], #narrow>

// Encode, sort, drop duplicates. Buffers have room for every point; the counts
// cut them down. A point that no row exists for, after an error, keeps -1.
// CHECK-LABEL: func.func @pack(
// CHECK-SAME: %[[POINTS:.*]]: tensor<?x4xi32> {{.*}}, %[[STATUS:.*]]: memref<8xi64> {sparseconv.status}) -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi32>)
// CHECK-DAG:  %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:  %[[NONE:.*]] = arith.constant -1 : i32
// CHECK:      %[[N:.*]] = tensor.dim %[[POINTS]], %[[C0]]
// CHECK:      %[[ROOM:.*]] = tensor.empty(%[[N]]) : tensor<?xi64>
// CHECK:      %[[COUNT:.*]] = tensor.empty() : tensor<1xindex>
// CHECK:      %[[ENCODE:.*]]:2 = sparseconv.kernel.encode
// CHECK-SAME:   ins(%[[POINTS]], %[[STATUS]] : {{.*}}) outs(%[[ROOM]], %[[COUNT]] :
// CHECK-SAME:   {op_id = 0 : i64, set = !coords_1_1_1}
// CHECK:      %[[VALID:.*]] = tensor.extract %[[ENCODE]]#1[%[[C0]]]
// CHECK:      %[[KEYS:.*]] = tensor.extract_slice %[[ENCODE]]#0[0] [%[[VALID]]] [1]
// CHECK:      %[[SORT:.*]]:2 = sparseconv.kernel.sort ins(%[[KEYS]] : {{.*}} {fields = array<i64: 8, 20, 20, 16>}
// CHECK:      %[[EMPTY:.*]] = tensor.empty(%[[N]]) : tensor<?xi32>
// CHECK:      %[[ROW_OF:.*]] = linalg.fill ins(%[[NONE]] : i32) outs(%[[EMPTY]]
// CHECK:      %[[UNIQUE:.*]]:4 = sparseconv.kernel.unique ins(%[[SORT]]#0, %[[SORT]]#1, %[[STATUS]] :
// CHECK-SAME:   outs(%{{[^,]*}}, %{{[^,]*}}, %[[ROW_OF]], %{{[^,]*}} :
// CHECK-SAME:   capacity = 2147483646 : i64, op_id = 0 : i64}
// CHECK:      %[[DISTINCT:.*]] = tensor.extract %[[UNIQUE]]#3[%[[C0]]]
// CHECK:      %[[SET:.*]] = tensor.extract_slice %[[UNIQUE]]#0[0] [%[[DISTINCT]]] [1]
// CHECK:      %[[ORDER:.*]] = tensor.extract_slice %[[UNIQUE]]#1[0] [%[[DISTINCT]]] [1]
// CHECK:      return %[[SET]], %[[ORDER]], %[[UNIQUE]]#2
func.func @pack(%points: tensor<?x4xi32>) -> (!fine, tensor<?xi32>, tensor<?xi32>) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !fine
  return %c, %order, %row_of : !fine, tensor<?xi32>, tensor<?xi32>
}

// Points in space are quantised where they are encoded. Those outside a region get
// a key that sorts behind all others, and the keys end before it.
// CHECK-LABEL: func.func @pack_quantised(
// CHECK-SAME: %[[POINTS:.*]]: tensor<?x3xf32> {{.*}}, %[[STATUS:.*]]: memref<8xi64> {sparseconv.status})
// CHECK-NOT:  sparseconv.kernel.quantise
// CHECK:      sparseconv.kernel.encode ins(%[[POINTS]], %[[STATUS]] :
// CHECK-SAME:   {clip = #sparseconv.region<[0, 0, 0] to [64, 64, 8]>, op_id = {{[0-9]+}} : i64, origin = array<f32: {{.*}}>, set = !coords_1_1_1, voxel_size = array<f32: {{.*}}>}
// CHECK:      %[[SORT:.*]]:2 = sparseconv.kernel.sort
// CHECK:      %[[END:.*]] = sparseconv.kernel.count_keys ins(%[[SORT]]#0 : {{.*}} {fields = array<i64: 8, 20, 20, 16>}
// CHECK:      %[[KEPT:.*]] = tensor.extract %[[END]]
// CHECK-DAG:  %[[SORTED:.*]] = tensor.extract_slice %[[SORT]]#0[0] [%[[KEPT]]] [1]
// CHECK-DAG:  %[[PERMUTATION:.*]] = tensor.extract_slice %[[SORT]]#1[0] [%[[KEPT]]] [1]
// CHECK:      sparseconv.kernel.unique ins(%[[SORTED]], %[[PERMUTATION]], %[[STATUS]] :
func.func @pack_quantised(%points: tensor<?x3xf32>) -> (!fine, tensor<?xi32>) {
  %q = sparseconv.quantise %points origin [0.0, 0.0, -2.0] size [0.5, 0.5, 0.5] : tensor<?x3xf32> -> tensor<?x4xi32>
  %c, %order, %row_of = sparseconv.pack %q clip(<[0, 0, 0] to [64, 64, 8]>) : tensor<?x4xi32> -> !fine
  return %c, %row_of : !fine, tensor<?xi32>
}

// Keys are as wide as the packing says; the sort sees the bits in use.
// CHECK-LABEL: func.func @pack_narrow(
// CHECK-SAME: -> tensor<?xi32>
// CHECK: sparseconv.kernel.sort {{.*}} {fields = array<i64: 4, 14, 14>}
// CHECK: sparseconv.kernel.unique
func.func @pack_narrow(%points: tensor<?x3xi32>) -> !flat {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x3xi32> -> !flat
  return %c : !flat
}

// A known number of points is that of `row_of`.
// CHECK-LABEL: func.func @pack_static(
// CHECK: sparseconv.kernel.unique {{.*}} -> (tensor<?xi64>, tensor<?xi32>, tensor<100xi32>, tensor<1xindex>)
func.func @pack_static(%points: tensor<100x4xi32>) -> (!fine, tensor<100xi32>) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<100x4xi32> -> !fine
  return %c, %row_of : !fine, tensor<100xi32>
}

// CHECK-LABEL: func.func @unpack_size(
// CHECK-SAME: %[[KEYS:.*]]: tensor<?xi64>
// CHECK: %[[N:.*]] = tensor.dim %[[KEYS]], %{{.*}}
// CHECK: %[[INIT:.*]] = tensor.empty(%[[N]]) : tensor<?x4xi32>
// CHECK: %[[POINTS:.*]] = sparseconv.kernel.decode ins(%[[KEYS]] : {{.*}} outs(%[[INIT]] : {{.*}} {set = !coords_1_1_1}
// CHECK: return %[[POINTS]], %[[N]]
func.func @unpack_size(%c: !fine) -> (tensor<?x4xi32>, index) {
  %points = sparseconv.unpack %c : !fine -> tensor<?x4xi32>
  %size = sparseconv.size %c : !fine
  return %points, %size : tensor<?x4xi32>, index
}

// CHECK-LABEL: func.func @floor(
// CHECK-SAME: %[[KEYS:[^:]*]]: tensor<?xi64>
// CHECK:     %[[FLOOR:.*]]:2 = sparseconv.kernel.floor ins(%[[KEYS]], {{.*}} {op_id = {{.*}}, set = !coords_2_2_2}
// CHECK:     %[[VALID:.*]] = tensor.extract %[[FLOOR]]#1
// CHECK:     %[[FLOORED:.*]] = tensor.extract_slice %[[FLOOR]]#0[0] [%[[VALID]]] [1]
// CHECK:     sparseconv.kernel.sort ins(%[[FLOORED]] :
// CHECK-NOT: linalg.fill
// CHECK:     sparseconv.kernel.unique
func.func @floor(%c: !fine) -> !half {
  %half = sparseconv.downsample %c by [2, 2, 2] : !fine -> !half
  return %half : !half
}

// Merged, a set needs neither.
// CHECK-LABEL: func.func @merge(
// CHECK-SAME: %[[KEYS:[^:]*]]: tensor<?xi64>
// CHECK:     %[[COARSE:.*]]:2 = sparseconv.kernel.coarsen ins(%[[KEYS]] : {{.*}} {by = array<i64: 2, 2, 2>, set = !coords_2_2_2}
// CHECK:     %[[COUNT:.*]] = tensor.extract %[[COARSE]]#1
// CHECK:     tensor.extract_slice %[[COARSE]]#0[0] [%[[COUNT]]] [1]
// CHECK-NOT: sparseconv.kernel
// CHECK:     return
func.func @merge(%c: !fine) -> !half {
  %half = sparseconv.downsample %c by [2, 2, 2] {coarsening = #sparseconv.coarsening<merge>} : !fine -> !half
  return %half : !half
}

// From a bitmap neither.
// CHECK-LABEL: func.func @bitmap(
// CHECK-SAME: %[[KEYS:[^:]*]]: tensor<?xi64>
// CHECK-NOT: sparseconv.kernel.spread
// CHECK:     %[[COVER:.*]]:2 = sparseconv.kernel.cover ins(%[[KEYS]], %{{.*}} {capacity = 2147483646 : i64, cells = 8388608 : i64, clip = #sparseconv.region<[0, 0, 0] to [64, 64, 64]>, displacements = array<i64: 0, 0, 0, 0, -1, 0, -1, 0, 0, -1, -1, 0>, op_id = {{[0-9]+}} : i64, set = !coords_2_2_2}
// CHECK:     %[[COUNT:.*]] = tensor.extract %[[COVER]]#1
// CHECK:     tensor.extract_slice %[[COVER]]#0[0] [%[[COUNT]]] [1]
// CHECK-NOT: sparseconv.kernel
// CHECK:     return
func.func @bitmap(%c: !fine) -> !half {
  %half = sparseconv.downsample %c by [2, 2, 2] cover offsets(box<2, 2, 1>)
      clip(<[0, 0, 0] to [64, 64, 64]>)
      {coarsening = #sparseconv.coarsening<bitmap>} : !fine -> !half
  return %half : !half
}

// CHECK-LABEL: func.func @clipped_merge(
// CHECK:     sparseconv.kernel.coarsen {{.*}} {by = array<i64: 2, 2, 2>, clip = #sparseconv.region<[0, 0, 0] to [64, 64, 64]>, set = !coords_2_2_2}
func.func @clipped_merge(%c: !fine) -> !half {
  %half = sparseconv.downsample %c by [2, 2, 2] clip(<[0, 0, 0] to [64, 64, 64]>)
      {coarsening = #sparseconv.coarsening<merge>} : !fine -> !half
  return %half : !half
}

// What is outside the region gets a key that is sorted to the end and cut off.
// CHECK-LABEL: func.func @clipped_floor(
// CHECK-SAME: %[[KEYS:[^:]*]]: tensor<?xi64>
// CHECK:     sparseconv.kernel.floor ins(%[[KEYS]], {{.*}} {clip = #sparseconv.region<[0, 0, 0] to [64, 64, 64]>, op_id
// CHECK:     %[[SORT:.*]]:2 = sparseconv.kernel.sort
// CHECK:     %[[END:.*]] = sparseconv.kernel.count_keys ins(%[[SORT]]#0 :
// CHECK:     %[[KEPT:.*]] = tensor.extract %[[END]]
// CHECK:     %[[SORTED:.*]] = tensor.extract_slice %[[SORT]]#0[0] [%[[KEPT]]] [1]
// CHECK:     sparseconv.kernel.unique ins(%[[SORTED]],
func.func @clipped_floor(%c: !fine) -> !half {
  %half = sparseconv.downsample %c by [2, 2, 2] clip(<[0, 0, 0] to [64, 64, 64]>)
      : !fine -> !half
  return %half : !half
}

// An output o meets the inputs o + S_in * d, so an input c is met by the outputs
// c - S_in * d that are multiples of S_out. The kernel keeps those of its set.
// Of these two offsets an input has one at most, as they differ modulo S_out.
// CHECK-LABEL: func.func @cover(
// CHECK-SAME: %[[KEYS:[^:]*]]: tensor<?xi64>
// CHECK:     %[[N:.*]] = tensor.dim %[[KEYS]]
// CHECK:     %[[ROOM:.*]] = arith.minui %[[N]], %c2147483646
// CHECK:     %[[INIT:.*]] = tensor.empty(%[[ROOM]]) : tensor<?xi64>
// CHECK:     sparseconv.kernel.spread {{.*}} outs(%[[INIT]],
// CHECK-SAME:  clip = #sparseconv.region<[0, 0, 0] to [64, 64, 64]>
// CHECK-SAME:  displacements = array<i64: 1, 0, 0, 0, -3, 0>
// CHECK-SAME:  set = !coords_2_2_2
// CHECK:     sparseconv.kernel.unique {{.*}} {capacity = 1000 : i64
func.func @cover(%c: !fine) -> !half {
  %half = sparseconv.downsample %c by [2, 2, 2] cover
      offsets(list<[-1, 0, 0], [0, 3, 0]>)
      clip(<[0, 0, 0] to [64, 64, 64]>) capacity(1000) : !fine -> !half
  return %half : !half
}

// Transposed: every c + S_out * d.
// CHECK-LABEL: func.func @upsample(
// CHECK:      sparseconv.kernel.spread
// CHECK-SAME:   displacements = array<i64: 0, 0, 0, 0, 0, 1>
// CHECK-SAME:   set = !coords_1_1_1
func.func @upsample(%c: !half) -> !fine {
  %fine = sparseconv.upsample %c by [2, 2, 2] offsets(box<1, 1, 2>) : !half -> !fine
  return %fine : !fine
}

// Without offsets, all cells of c, which are not sorted. Nobody asks whose they
// are, so they belong to no points.
// CHECK-LABEL: func.func @all_cells(
// CHECK-SAME:     %[[KEYS:[^:]*]]: tensor<?xi64>
// CHECK:         sparseconv.kernel.subdivide ins(%[[KEYS]], {{[^:]*}} : tensor<?xi64>, tensor<?xi32>, tensor<0xi32>, memref<8xi64>)
// CHECK-SAME:      {by = array<i64: 2, 2, 2>, capacity = 1000 : i64, op_id = {{[^,]*}}, set = !coords_1_1_1}
// CHECK-NOT:     sparseconv.kernel.sort
// CHECK:         return
func.func @all_cells(%c: !half) -> !fine {
  %fine = sparseconv.upsample %c by [2, 2, 2] capacity(1000) : !half -> !fine
  return %fine : !fine
}

// There are not more coordinates than points, so no memory has to grow.
// CHECK-LABEL: func.func @subdivide(
// CHECK-SAME:     %[[KEYS:[^:]*]]: tensor<?xi64> {{[^,]*}}, %[[ORDER:[^:]*]]: tensor<?xi32> {{[^,]*}}, %[[ROW_OF:[^:]*]]: tensor<?xi32>
// CHECK:         sparseconv.kernel.subdivide ins(%[[KEYS]], %[[ORDER]], %[[ROW_OF]], %{{[^ ]*}} :
// CHECK-SAME:      {by = array<i64: 2, 2, 2>, capacity = 2147483646 : i64, op_id = {{[^,]*}}, set = !coords_1_1_1}
func.func @subdivide(%c: !half, %order: tensor<?xi32>, %row_of: tensor<?xi32>) -> (!fine, tensor<?xi32>) {
  %fine, %rows, %o, %r = sparseconv.subdivide %c by [2, 2, 2] points(%order, %row_of : tensor<?xi32>, tensor<?xi32>) : !half
  return %fine, %r : !fine, tensor<?xi32>
}

// CHECK-LABEL: func.func @rescale(
// CHECK:         sparseconv.kernel.rescale {{.*}} {by = array<i64: 2, 2, 2>, op_id = {{[^,]*}}, set = !coords_2_2_2}
func.func @rescale(%c: !fine) -> !half {
  %half = sparseconv.rescale %c by [2, 2, 2] : !fine -> !half
  return %half : !half
}

// At stride 2 a neighbour is 2 away.
// CHECK-LABEL: func.func @expand(
// CHECK: sparseconv.kernel.spread {{.*}}displacements = array<i64: -2, 0, 0>
// CHECK: sparseconv.kernel.spread {{.*}}displacements = array<i64: 2, 0, 0>
func.func @expand(%c: !half) -> (!half, !half) {
  %out = sparseconv.expand %c offsets(list<[1, 0, 0]>) : !half
  %in = sparseconv.expand %c offsets(list<[1, 0, 0]>) transposed : !half
  return %out, %in : !half, !half
}

// Both lists in one buffer; `row_of` splits where the right one begins.
// CHECK-LABEL: func.func @union(
// CHECK-SAME: %[[L:[^:]*]]: tensor<?xi64> {{[^,]*}}, %[[R:[^:]*]]: tensor<?xi64>
// CHECK-DAG:  %[[NL:.*]] = tensor.dim %[[L]]
// CHECK-DAG:  %[[NR:.*]] = tensor.dim %[[R]]
// CHECK:      %[[N:.*]] = arith.addi %[[NL]], %[[NR]]
// CHECK:      %[[HALF:.*]] = tensor.insert_slice %[[L]] into %{{.*}}[0] [%[[NL]]] [1]
// CHECK:      %[[BOTH:.*]] = tensor.insert_slice %[[R]] into %[[HALF]][%[[NL]]] [%[[NR]]] [1]
// CHECK:      sparseconv.kernel.sort ins(%[[BOTH]] :
// CHECK:      %[[UNIQUE:.*]]:4 = sparseconv.kernel.unique
// CHECK:      %[[LROWS:.*]] = tensor.extract_slice %[[UNIQUE]]#2[0] [%[[NL]]] [1]
// CHECK:      %[[RROWS:.*]] = tensor.extract_slice %[[UNIQUE]]#2[%[[NL]]] [%[[NR]]] [1]
// CHECK:      return %{{.*}}, %[[LROWS]], %[[RROWS]]
func.func @union(%a: !fine, %b: !fine) -> (!fine, tensor<?xi32>, tensor<?xi32>) {
  %c, %l, %r = sparseconv.union %a, %b : !fine
  return %c, %l, %r : !fine, tensor<?xi32>, tensor<?xi32>
}

// CHECK-LABEL: func.func @intersection(
// CHECK-SAME: %[[L:[^:]*]]: tensor<?xi64> {{[^,]*}}, %[[R:[^:]*]]: tensor<?xi64>
// CHECK:      %[[ROOM:.*]] = arith.minui
// CHECK:      tensor.empty(%[[ROOM]]) : tensor<?xi64>
// CHECK:      %[[BOTH:.*]]:4 = sparseconv.kernel.intersect ins(%[[L]], %[[R]] :
// CHECK:      %[[N:.*]] = tensor.extract %[[BOTH]]#3
// CHECK:      tensor.extract_slice %[[BOTH]]#0[0] [%[[N]]] [1]
// CHECK:      tensor.extract_slice %[[BOTH]]#1[0] [%[[N]]] [1]
// CHECK:      tensor.extract_slice %[[BOTH]]#2[0] [%[[N]]] [1]
func.func @intersection(%a: !fine, %b: !fine) -> (!fine, tensor<?xi32>, tensor<?xi32>) {
  %c, %l, %r = sparseconv.intersection %a, %b : !fine
  return %c, %l, %r : !fine, tensor<?xi32>, tensor<?xi32>
}

// CHECK-LABEL: func.func @prune(
// CHECK-SAME: %[[KEYS:[^:]*]]: tensor<?xi64> {{[^,]*}}, %[[MASK:[^:]*]]: tensor<?xi1> {{[^,]*}}, %[[STATUS:[^:]*]]: memref<8xi64>
// CHECK:      %[[KEPT:.*]]:3 = sparseconv.kernel.select ins(%[[KEYS]], %[[MASK]], %[[STATUS]] :
// CHECK:      %[[N:.*]] = tensor.extract %[[KEPT]]#2
// CHECK:      tensor.extract_slice %[[KEPT]]#0[0] [%[[N]]] [1]
// CHECK:      tensor.extract_slice %[[KEPT]]#1[0] [%[[N]]] [1]
func.func @prune(%c: !fine, %mask: tensor<?xi1>) -> (!fine, tensor<?xi32>) {
  %kept, %rows = sparseconv.prune %c, %mask : !fine, tensor<?xi1>
  return %kept, %rows : !fine, tensor<?xi32>
}
