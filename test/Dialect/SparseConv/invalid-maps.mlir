// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifiers of the operations on kernel maps refuse, and what they say.

//===----------------------------------------------------------------------===//
// kernel_map and its views
//===----------------------------------------------------------------------===//

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{expects a map of 9 offsets, but found one of 8}}
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3>)
      : !sparseconv.kernel_map<8, !fine to !fine>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%c: !fine, %pairs: tensor<?x2xi32>) {
  // expected-error @+1 {{expects 'pairs' with columns of input row, output row and offset, but found 'tensor<?x2xi32>'}}
  %m = sparseconv.map_from_pairs %pairs, %c to %c : tensor<?x2xi32>, !sparseconv.kernel_map<5, !fine to !fine>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%c: !fine, %table: tensor<?x4xi32>) {
  // expected-error @+1 {{expects 'table' with one column for each of 5 offsets, but found 'tensor<?x4xi32>'}}
  %m = sparseconv.map_from_table %table, %c to %c : tensor<?x4xi32>, !sparseconv.kernel_map<5, !fine to !fine>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%c: !fine, %table: tensor<4x?xi32>, %row: tensor<?xi32>, %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>) {
  // expected-error @+1 {{expects 'table' with one row for each of 5 offsets, but found 'tensor<4x?xi32>'}}
  %m = sparseconv.map_from_tiles %table, %row, %masks, %sizes, %c to %c
      : tensor<4x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, !sparseconv.kernel_map<5, !fine to !fine>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%c: !fine, %table: tensor<33x?xi32>, %row: tensor<?xi32>, %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>) {
  // expected-error @+1 {{expects 'masks' of 2 words for 33 offsets, but found 'tensor<?x1xi32>'}}
  %m = sparseconv.map_from_tiles %table, %row, %masks, %sizes, %c to %c
      : tensor<33x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, !sparseconv.kernel_map<33, !fine to !fine>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%points: tensor<?x3xi32>) {
  // expected-error @+1 {{expects no 'clip' for points that are in order}}
  %c, %order, %row_of = sparseconv.pack %points clip(<[0, 0] to [9, 9]>) {in_order} : tensor<?x3xi32> -> !fine
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%c: !fine, %d: !fine) {
  // expected-error @+1 {{expects a search with 'half' from a set to itself, but found two sets}}
  %m = sparseconv.kernel_map %c to %d offsets(box<3, 3>) {search = #sparseconv.search<hash, half>}
      : !sparseconv.kernel_map<9, !fine to !fine>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{expects a search with 'half' to have offsets that are symmetric about 0, but found others}}
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 2>) {search = #sparseconv.search<hash, half>}
      : !sparseconv.kernel_map<6, !fine to !fine>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{expects offsets of 2 axes, but found 3}}
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>)
      : !sparseconv.kernel_map<27, !fine to !fine>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{offset 5 times stride 1 on axis 1 is beyond the packing's guard 4}}
  %m = sparseconv.kernel_map %c to %c offsets(box<1, 3, dilation = [1, 5]>)
      : !sparseconv.kernel_map<3, !fine to !fine>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%c: !half) {
  // expected-error @+1 {{offset -3 times stride 2 on axis 0 is beyond the packing's guard 4}}
  %m = sparseconv.kernel_map %c to %c offsets(list<[0, 0], [-3, 0]>)
      : !sparseconv.kernel_map<2, !half to !half>
  return
}

// -----

// A coarse set goes to a fine one by the transposed relation.
#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%h: !half, %c: !fine) {
  // expected-error @+1 {{expects the stride of the out set to be a multiple of that of the in set (or 'transposed'), but found 1 and 2 on axis 0}}
  %m = sparseconv.kernel_map %h to %c offsets(box<2, 2>)
      : !sparseconv.kernel_map<4, !half to !fine>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%h: !half, %c: !fine) {
  // expected-error @+1 {{expects the stride of the in set to be a multiple of that of the out set, but found 1 and 2 on axis 0}}
  %m = sparseconv.kernel_map %c to %h offsets(box<2, 2>) transposed
      : !sparseconv.kernel_map<4, !fine to !half>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%h: !half, %c: !fine) {
  // expected-error @+1 {{failed to verify that the in set has the type that the map names}}
  %m = "sparseconv.kernel_map"(%h, %c) <{offsets = #sparseconv.box<1, 1>}>
      : (!half, !fine) -> !sparseconv.kernel_map<1, !fine to !fine>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%h: !half, %c: !fine) {
  // expected-error @+1 {{failed to verify that the out set has the type that the map names}}
  %m = "sparseconv.kernel_map"(%c, %h) <{offsets = #sparseconv.box<1, 1>}>
      : (!fine, !half) -> !sparseconv.kernel_map<1, !fine to !fine>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%c: !fine) {
  // expected-error @+1 {{'sparseconv.kernel_map' op requires attribute 'offsets'}}
  %m = "sparseconv.kernel_map"(%c, %c)
      : (!fine, !fine) -> !sparseconv.kernel_map<1, !fine to !fine>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%m: !map) {
  // expected-error @+1 {{expects result 'result' of type}}
  %t = sparseconv.transpose_map %m : !map -> !sparseconv.kernel_map<9, !fine to !half>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%m: !map) {
  // expected-error @+1 {{expects result 'table' of type 'tensor<?x9xi32>', but found 'tensor<?x8xi32>'}}
  %t = sparseconv.neighbour_table %m : !map -> tensor<?x8xi32>
  return
}

// -----

#p = #sparseconv.packing<i32, batch = 2, bits = [12, 12], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
!map = !sparseconv.kernel_map<9, !fine to !fine>
func.func @f(%m: !map) {
  // expected-error @+2 {{failed to parse SparseConv_MapSideAttr}}
  // expected-error @+1 {{expected ::mlir::sparseconv::MapSide to be one of: in, out}}
  %n = sparseconv.map_size both %m : !map
  return
}

// -----

func.func @f(%table: tensor<?x?xi32>, %rows: tensor<?xi32>) {
  // expected-error @+1 {{expects 'table' with a known number of columns, but found 'tensor<?x?xi32>'}}
  %t = sparseconv.renumber_table in %table, %rows : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi32>
  return
}

// -----

func.func @f(%table: tensor<?x9xi32>, %rows: tensor<5xi32>) {
  // expected-error @+1 {{expects result 'result' of type 'tensor<5x9xi32>', but found 'tensor<?x9xi32>'}}
  %t = sparseconv.renumber_table out %table, %rows : tensor<?x9xi32>, tensor<5xi32> -> tensor<?x9xi32>
  return
}
