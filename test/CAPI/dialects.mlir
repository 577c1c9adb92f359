// RUN: capi-dialects %s "builtin.module(canonicalize,cse,sparseconv-select-dataflow)" | FileCheck %s
// RUN: capi-dialects %s "builtin.module(sparseconv-lower-to-ptx{target=cuda:sm_80})" | FileCheck %s --check-prefix=PTX
// RUN: capi-dialects %s "builtin.module(sparseconv-lower-to-gpu{target=cuda:sm_80})" %t.plan
// RUN: sparseconv-translate %t.plan --plan-to-text | FileCheck %s --check-prefix=PLAN
// RUN: not capi-dialects %s "builtin.module(canonicalize)" %t.none 2>&1 | FileCheck %s --check-prefix=NETWORK
// RUN: not capi-dialects %s "builtin.module(no-such-pass)" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

#pack = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #pack>
!map = !sparseconv.kernel_map<27, !fine to !fine>

// CHECK: dialect: sparseconv
// CHECK-LABEL: func.func @conv
// CHECK: sparseconv.kernel_map
// CHECK-NOT: sparseconv.kernel_map
// CHECK: sparseconv.conv {{.*}}{dataflow = #sparseconv.dataflow<weight_stationary>}
// PTX: sparseconv_plan.func @conv
// PTX: launch @sparseconv_kernels::@
// PTX: gpu.binary @sparseconv_kernels {{.*}}.target sm_80{{.*}}.entry
// PLAN: ptx sm_80
// PLAN: function 'conv'
// PLAN-NEXT: input 'arg0' ?(slot 0)x4xi32
// A plan is of what the pipelines leave, and this is a network.
// NETWORK: loc("-":{{[0-9]+}}:1): error: argument 0
// UNKNOWN: 'no-such-pass' does not refer to a registered pass
func.func @conv(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>, %w: tensor<27x4x4xf32>) -> tensor<?x4xf32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !fine
  %f = sparseconv.gather %x, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %n = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %f, %w, %m : tensor<?x4xf32>, tensor<27x4x4xf32>, !map -> tensor<?x4xf32>
  %z = sparseconv.conv %y, %w, %n : tensor<?x4xf32>, tensor<27x4x4xf32>, !map -> tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}
