// RUN: sparseconv-opt %s --sparseconv-set-target=target=cpu:avx2 --sparseconv-select-indexing=tuning-database=%S/Inputs/tuned.json --sparseconv-select-dataflow=tuning-database=%S/Inputs/tuned.json --verify-diagnostics | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-set-target=target=cuda:sm_90a --sparseconv-select-dataflow=tuning-database=%S/Inputs/tuned.json | FileCheck %s --check-prefix=GPU
// RUN: echo '{"version": 3}' > %t.json
// RUN: not sparseconv-opt %s --sparseconv-select-indexing=tuning-database=%t.json 2>&1 | FileCheck %s --check-prefix=VERSION
// RUN: not sparseconv-opt %s --sparseconv-select-dataflow=tuning-database=%t.none.json 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: sparseconv-opt %s --sparseconv-set-target=target=cpu:avx2 --sparseconv-explain-selection=tuning-database=%S/Inputs/tuned.json 2>&1 | FileCheck %s --check-prefix=EXPLAIN

// Where a tuning database knows the shape class of a layer, the choice that was
// fastest is taken, unless its results were wrong. What is written stays, a
// choice that does not suit is a warning, and the rules decide the rest.

// VERSION: error: the tuning database '{{.*}}.json': version: only 1 is known
// MISSING: error: the tuning database '{{.*}}.none.json': No such file or directory

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
!map8 = !sparseconv.kernel_map<8, !set to !set>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>

// CHECK-LABEL: func.func @indexing(
func.func @indexing(%c: !set) -> (!map, !map, !map, !map8, !half) {
  // CHECK: sparseconv.kernel_map {{.*}} {search = #sparseconv.search<hash, half>}
  // EXPLAIN: tuning-database.mlir:[[@LINE+3]]:8: kernel_map 27 box<3, 3, 3> 1x1x1 to 1x1x1 of one set i64
  // EXPLAIN-NEXT: {search = #sparseconv.search<hash, half>}
  // EXPLAIN-NEXT: by database: 8.0 us; others 10.0 to 20.0 us; at least {{.*}} us for 100000 rows
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  // CHECK: sparseconv.kernel_map {{.*}} {search = #sparseconv.search<binary>}
  // EXPLAIN: kernel_map 27
  // EXPLAIN-NEXT: {search = #sparseconv.search<binary>}
  // EXPLAIN-NEXT: by hand;
  %n = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) {search = #sparseconv.search<binary>} : !map
  // CHECK: sparseconv.kernel_map {{.*}} transposed {search = #sparseconv.search<zdelta>}
  // EXPLAIN: transposed
  // EXPLAIN-NEXT: {search = #sparseconv.search<zdelta>}
  // EXPLAIN-NEXT: by rule;
  // expected-warning @+1 {{the tuning database has for 'kernel_map 27 box<3, 3, 3> 1x1x1 to 1x1x1 transposed of one set i64' a choice that does not suit ('sparseconv.kernel_map' op cannot be carried out: no search 'guess' is known; there are: zdelta, binary, hash, grid); the rules decide}}
  %o = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) transposed : !map
  // CHECK: sparseconv.kernel_map {{.*}} {search = #sparseconv.search<zdelta>}
  %p = sparseconv.kernel_map %c to %c offsets(box<2, 2, 2>) : !map8
  // CHECK: sparseconv.downsample {{.*}} {coarsening = #sparseconv.coarsening<merge>}
  // EXPLAIN: downsample 1x1x1 to 2x2x2 i64
  // EXPLAIN-NEXT: {coarsening = #sparseconv.coarsening<merge>}
  // EXPLAIN-NEXT: by database: 10.0 us; at least
  %h = sparseconv.downsample %c by [2, 2, 2] : !set -> !half
  return %m, %n, %o, %p, %h : !map, !map, !map, !map8, !half
}

// CHECK-LABEL: func.func @convolutions(
// GPU-LABEL: func.func @convolutions(
func.func @convolutions(%m: !map, %x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>,
                        %x32: tensor<?x64xf32>, %w32: tensor<27x64x64xf32>,
                        %xb: tensor<?x64xbf16>, %wb: tensor<27x64x64xbf16>)
    -> (tensor<?x64xf16>, tensor<?x64xf32>, tensor<?x64xbf16>) {
  // CHECK: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<weight_stationary>}
  // GPU: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary>, row_order = #sparseconv<row_order space>, tiling = #sparseconv.gemm_tiling<ring64, warps = 8, tile_k = 64, tile_n = 64, stages = 6>}
  // expected-warning @+1 {{a choice that does not suit ('sparseconv.conv' op attribute 'tiling' failed to satisfy constraint: the sizes that a kernel is made for); the rules decide}}
  %y = sparseconv.conv %x, %w, %m : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-warning @+1 {{a choice that does not suit ('allow_tf32' decides nothing of sparseconv.conv); the rules decide}}
  %y32 = sparseconv.conv %x32, %w32, %m : tensor<?x64xf32>, tensor<27x64x64xf32>, !map -> tensor<?x64xf32>
  // CHECK: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<row_block = 256, rows = 6, columns = 16, lanes = 8>}
  %yb = sparseconv.conv %xb, %wb, %m : tensor<?x64xbf16>, tensor<27x64x64xbf16>, !map -> tensor<?x64xbf16>
  return %y, %y32, %yb : tensor<?x64xf16>, tensor<?x64xf32>, tensor<?x64xbf16>
}
