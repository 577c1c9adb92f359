// REQUIRES: plugin
// DEFINE: %{kernels} = sparseconv-select-indexing,sparseconv-select-dataflow,sparseconv-select-tiling,convert-sparseconv-to-kernels
// DEFINE: %{buffers} = canonicalize,cse,sparseconv-lower-row-guards,one-shot-bufferize{bufferize-function-boundaries}
// DEFINE: %{loops} = convert-sparseconv-kernels-to-loops,convert-linalg-to-loops,fold-memref-alias-ops,expand-strided-metadata,lower-affine,convert-scf-to-cf
// DEFINE: %{llvm} = convert-vector-to-llvm,convert-math-to-llvm,arith-expand,convert-arith-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts
// DEFINE: %{by} = call
// DEFINE: %{compile} = %plugin_opt %s --pass-pipeline='builtin.module(%{kernels},sparseconv-report-errors{by=%{by}},%{buffers},%{loops},%{llvm})'
// DEFINE: %{entry} = main
// DEFINE: %{run} = mlir-runner -e %{entry} -entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so,%mlir_lib/libmlir_c_runner_utils.so,%cpu_runtime

// A program of another compiler: tensors and linalg around a layer of ours. Upstream's
// mlir-opt loads the plugin. Our passes make kernel operations of the layer, upstream's
// bufferize them with everything else, ours write them as loops, and upstream's lower
// all to LLVM. mlir-runner runs it with one library of ours beside its own.
// RUN: %{compile} | %{run} | FileCheck %s

// The rows are those of the sorted points: the lonely one, and two neighbours that add
// up to 11. Twice that is squared.
// CHECK: sizes = [3, 1]
// CHECK-NEXT: 40000
// CHECK-NEXT: 484
// CHECK-NEXT: 484

// A point that no set can hold: the library that is called prints what is wrong.
// REDEFINE: %{entry} = wrong
// RUN: %{compile} | not %{run} 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: sparseconv: error: {{.*}}run.mlir:{{[0-9]+}}:{{[0-9]+}}: sparseconv.pack: point 1: coordinate 9999999 on axis 2 is outside -32736 .. 32735
// WRONG-NOT: sizes

// Or the program ends, as by an assertion of upstream's.
// REDEFINE: %{by} = trap
// RUN: %{compile} | not --crash %{run}

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}

func.func private @layer(%p: tensor<?x4xi32>, %x: tensor<?x1xf32>, %w: tensor<27x1x1xf32>) -> tensor<?x1xf32> {
  %c, %order, %row_of = sparseconv.pack %p : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %f, %w, %m : tensor<?x1xf32>, tensor<27x1x1xf32>, !map -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

func.func @network(%p: tensor<?x4xi32>, %x: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %w = arith.constant dense<2.0> : tensor<27x1x1xf32>
  %y = call @layer(%p, %x, %w) : (tensor<?x4xi32>, tensor<?x1xf32>, tensor<27x1x1xf32>) -> tensor<?x1xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?x1xf32>
  %empty = tensor.empty(%n) : tensor<?x1xf32>
  %z = linalg.mul ins(%y, %y : tensor<?x1xf32>, tensor<?x1xf32>) outs(%empty : tensor<?x1xf32>) -> tensor<?x1xf32>
  return %z : tensor<?x1xf32>
}

func.func private @print(%points: tensor<3x4xi32>) {
  %features = arith.constant dense<[[1.0], [10.0], [100.0]]> : tensor<3x1xf32>
  %p = tensor.cast %points : tensor<3x4xi32> to tensor<?x4xi32>
  %x = tensor.cast %features : tensor<3x1xf32> to tensor<?x1xf32>
  %y = call @network(%p, %x) : (tensor<?x4xi32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %any = tensor.cast %y : tensor<?x1xf32> to tensor<*xf32>
  call @printMemrefF32(%any) : (tensor<*xf32>) -> ()
  return
}

func.func @main() {
  %points = arith.constant dense<[[0, 5, 5, 6], [0, 5, 5, 5], [0, 1, 1, 1]]> : tensor<3x4xi32>
  call @print(%points) : (tensor<3x4xi32>) -> ()
  return
}

func.func @wrong() {
  %points = arith.constant dense<[[0, 5, 5, 6], [0, 5, 5, 9999999], [0, 1, 1, 1]]> : tensor<3x4xi32>
  call @print(%points) : (tensor<3x4xi32>) -> ()
  return
}
