// RUN: sparseconv-opt %s --sparseconv-lower-to-gpu | sparseconv-translate --mlir-to-plan --chip=sm_80 | sparseconv-translate --plan-to-ptx | FileCheck %s

#map = affine_map<(i) -> (i)>

// Elementwise operations down to instructions: nothing is called.

// CHECK-NOT: .extern
// CHECK-LABEL: .visible .entry silu_kernel
// CHECK:     ld.global{{.*}}.b16
// CHECK:     cvt.f32.f16
// CHECK:     ex2.approx.ftz.f32
// CHECK:     div.full.f32
// CHECK:     cvt.rn.f16.f32
// CHECK:     st.global{{.*}}.b16
func.func @silu(%x: tensor<?xf16>) -> tensor<?xf16> {
  %one = arith.constant 1.0 : f16
  %r = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%x : tensor<?xf16>) {
  ^bb0(%a: f16):
    %n = arith.negf %a : f16
    %e = math.exp %n : f16
    %d = arith.addf %e, %one : f16
    %s = arith.divf %a, %d : f16
    linalg.yield %s : f16
  } -> tensor<?xf16>
  return %r : tensor<?xf16>
}

// A maximum lets NaN through.
// CHECK-LABEL: .visible .entry relu_kernel
// CHECK:     max.NaN.bf16
func.func @relu(%x: tensor<?xbf16>) -> tensor<?xbf16> {
  %zero = arith.constant 0.0 : bf16
  %r = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%x : tensor<?xbf16>) {
  ^bb0(%a: bf16):
    %s = arith.maximumf %a, %zero : bf16
    linalg.yield %s : bf16
  } -> tensor<?xbf16>
  return %r : tensor<?xbf16>
}

// An i1 is a byte in memory, as on the CPU.
// CHECK-LABEL: .visible .entry positive_kernel
// CHECK:     st.global{{.*}}.b8
func.func @positive(%x: tensor<?xf32>) -> tensor<?xi1> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xi1>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%empty : tensor<?xi1>) {
  ^bb0(%a: f32, %b: i1):
    %s = arith.cmpf ogt, %a, %zero : f32
    linalg.yield %s : i1
  } -> tensor<?xi1>
  return %r : tensor<?xi1>
}
