// RUN: sparseconv-opt %s --sparseconv-split-reductions --split-input-file | FileCheck %s

module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_90a">} {

// The gradient of a shift: the sum of all rows, for each of 64 channels. Each block of
// 256 threads has 4 lanes for each channel and a share of the rows, four at once.
//
// CHECK-LABEL: func @shift
// CHECK-SAME: (%[[DY:.*]]: memref<?x64xf16>, %[[SUM:.*]]: memref<64xf32>)
// CHECK: %[[ROWS:.*]] = memref.dim %[[DY]]
// CHECK: %[[PARTIAL:.*]] = memref.alloc() {{.*}}: memref<256x64xf32>
// CHECK: gpu.launch {{.*}} workgroup({{.*}} : memref<256xf32, #gpu.address_space<workgroup>>)
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32)
// CHECK-COUNT-4: memref.load %[[DY]]
// CHECK-COUNT-4: arith.addf
// CHECK-COUNT-2: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: memref.store {{.*}}, %[[PARTIAL]]
//
// The second kernel adds the shares to what the destination holds.
// CHECK: gpu.launch
// CHECK: scf.for
// CHECK-COUNT-8: memref.load %[[PARTIAL]]
// CHECK: %[[BEFORE:.*]] = memref.load %[[SUM]]
// CHECK: %[[AFTER:.*]] = arith.addf %[[BEFORE]], %{{.*}} : f32
// CHECK: memref.store %[[AFTER]], %[[SUM]]
// CHECK-NOT: linalg.generic
func.func @shift(%dy: memref<?x64xf16>, %sum: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
                                   affine_map<(d0, d1) -> (d1)>],
                  iterator_types = ["reduction", "parallel"]}
      ins(%dy : memref<?x64xf16>) outs(%sum : memref<64xf32>) {
  ^bb0(%term: f16, %before: f32):
    %wide = arith.extf %term : f16 to f32
    %after = arith.addf %before, %wide : f32
    linalg.yield %after : f32
  }
  return
}

// Two results at once, of all elements, in any type, with numbers of loops in the body.
// Destinations that are filled first are not read, and not filled.
//
// CHECK-LABEL: func @extremes
// CHECK-SAME: (%[[X:.*]]: memref<?x3xf64>
// CHECK-NOT: linalg.
// CHECK: gpu.launch {{.*}} workgroup({{.*}} : memref<256xf64, {{.*}}>, {{.*}} : memref<256xindex, {{.*}}>)
// CHECK: memref.load %[[X]]
// CHECK: arith.maximumf
// CHECK: arith.addi
// CHECK: gpu.launch
// CHECK-NOT: linalg.
func.func @extremes(%x: memref<?x3xf64>) -> (memref<f64>, memref<index>) {
  %lowest = arith.constant 0xFFF0000000000000 : f64
  %none = arith.constant 0 : index
  %filled = memref.alloc() : memref<f64>
  linalg.fill ins(%lowest : f64) outs(%filled : memref<f64>)
  %most = memref.alloc() : memref<f64>
  linalg.copy ins(%filled : memref<f64>) outs(%most : memref<f64>)
  memref.dealloc %filled : memref<f64>
  %total = memref.alloc() : memref<index>
  linalg.fill ins(%none : index) outs(%total : memref<index>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
                                   affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> ()>],
                  iterator_types = ["reduction", "reduction"]}
      ins(%x : memref<?x3xf64>) outs(%most, %total : memref<f64>, memref<index>) {
  ^bb0(%term: f64, %before: f64, %sum: index):
    %after = arith.maximumf %before, %term : f64
    %column = linalg.index 1 : index
    %next = arith.addi %sum, %column : index
    linalg.yield %after, %next : f64, index
  }
  return %most, %total : memref<f64>, memref<index>
}

// A sum over channels has a thread for each row anyway; a difference is no combination
// that has a neutral element; and what other operations read stays filled.
//
// CHECK-LABEL: func @others
// CHECK: linalg.fill
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK-NOT: gpu.launch
// CHECK: return
func.func @others(%x: memref<?x64xf32>, %rows: memref<?xf32>, %last: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%rows : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
                                   affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x64xf32>) outs(%rows : memref<?xf32>) {
  ^bb0(%term: f32, %before: f32):
    %after = arith.addf %before, %term : f32
    linalg.yield %after : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
                                   affine_map<(d0, d1) -> (d1)>],
                  iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<?x64xf32>) outs(%last : memref<64xf32>) {
  ^bb0(%term: f32, %before: f32):
    %after = arith.subf %term, %before : f32
    linalg.yield %after : f32
  }
  return
}
}
