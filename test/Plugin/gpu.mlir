// REQUIRES: plugin
// DEFINE: %{chip} = sm_90a
// DEFINE: %{ours} = sparseconv-lower-to-gpu{target=cuda:%{chip}},sparseconv-lower-gpu-to-nvvm,sparseconv-share-memory
// DEFINE: %{binary} = nvvm-attach-target{chip=%{chip} features=+ptx86 O=3},gpu-module-to-binary{format=isa}
// DEFINE: %{host} = func.func(expand-strided-metadata),lower-affine,convert-scf-to-cf,arith-expand,gpu-to-llvm{use-bare-pointers-for-kernels=true},convert-func-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts

// The GPU side of other people's pipelines. Our passes leave kernels in the NVVM dialect
// and host functions around launches; upstream's compile the kernels and lower the host,
// in upstream's mlir-opt.
// RUN: %plugin_opt %s --pass-pipeline='builtin.module(%{ours},%{binary})' -o %t.gpu.mlir
// RUN: FileCheck %s --check-prefix=GPU < %t.gpu.mlir

// Functions take and return the tensors that they had, and a status record.
// GPU-NOT:     sparseconv.target
// GPU-LABEL:   func.func @narrow(
// GPU-SAME:      memref<?x4xi32>, %{{.*}}: memref<?x1xf32> {sparseconv.rows = "arg0"}, %{{.*}}: memref<8xi64>) -> memref<?x1xf32>
// GPU:           gpu.alloc host_shared
// GPU:           gpu.launch_func @sparseconv_kernels::@narrow_kernel_0
// GPU:         gpu.binary @sparseconv_kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_90a"
// GPU-SAME:      .target sm_90a
// GPU-SAME:      .entry
// GPU-SAME:      wgmma.mma_async

// A host calls them, and nothing of the dialect is left where all is lowered.
// RUN: sed '/^}$/d' %t.gpu.mlir > %t.whole.mlir
// RUN: cat %S/Inputs/gpu-host.mlir >> %t.whole.mlir
// RUN: mlir-opt %t.whole.mlir --allow-unregistered-dialect --pass-pipeline='builtin.module(%{host})' -o %t.llvm.mlir

// What the host asks of its runtime, and that it gives all memory back, shows without a
// device. On one, gpu-run.test runs the same.
// RUN: mlir-runner %t.llvm.mlir -e main -entry-point-result=void \
// RUN:   --shared-libs=%mlir_lib/libmlir_runner_utils.so,%mlir_lib/libmlir_c_runner_utils.so,%logged_runtime | FileCheck %s --check-prefix=LOG

// LOG:      load PTX, level 3
// LOG-NEXT: launch narrow_kernel_0: 1 x 1 x 1 blocks of 1 x 1 x 1, 0 bytes, memory is shared
// LOG-NOT:  {{not shared| 0 x 1 x 1}}
// LOG:      launch tiled_gemm_{{.*}} blocks of {{[0-9]+}} x 1 x 1, {{[1-9][0-9]+}} bytes, memory is shared
// LOG-NOT:  {{not shared| 0 x 1 x 1}}
// LOG:      unload: 0 buffers and 0 streams are left

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

// The layer of run.mlir, and linalg behind it.
func.func @narrow(%p: tensor<?x4xi32>, %x: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %w = arith.constant dense<2.0> : tensor<27x1x1xf32>
  %c, %order, %row_of = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %f, %w, %m : tensor<?x1xf32>, tensor<27x1x1xf32>, !map -> tensor<?x1xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?x1xf32>
  %empty = tensor.empty(%n) : tensor<?x1xf32>
  %z = linalg.mul ins(%y, %y : tensor<?x1xf32>, tensor<?x1xf32>) outs(%empty : tensor<?x1xf32>) -> tensor<?x1xf32>
  return %z : tensor<?x1xf32>
}

// A layer on tensor cores: 64 equal channels times 1/64 are the sum over neighbours.
func.func @wide(%p: tensor<?x4xi32>, %x: tensor<?x1xf32>) -> tensor<?x64xf32> {
  %w = arith.constant dense<0.015625> : tensor<27x64x64xf16>
  %c, %order, %row_of = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %f, %c0 : tensor<?x1xf32>
  %row = tensor.collapse_shape %f [[0, 1]] : tensor<?x1xf32> into tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %g = linalg.broadcast ins(%row : tensor<?xf32>) outs(%e : tensor<?x64xf32>) dimensions = [1]
  %h = arith.truncf %g : tensor<?x64xf32> to tensor<?x64xf16>
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %h, %w, %m : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  %z = arith.extf %y : tensor<?x64xf16> to tensor<?x64xf32>
  return %z : tensor<?x64xf32>
}
