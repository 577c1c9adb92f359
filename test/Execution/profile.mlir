// A profile: a table of kernels and one of layers, and a file with both.
//
// RUN: sparseconv-run %s --input=points=const:0:50 --input=features=const:1:50 --input=weights=const:1 --profile=%t.json --quiet | FileCheck %s
// RUN: %python %S/check_trace.py %t.json profile.mlir
//
// CHECK: profile: {{.*}} kernel
// CHECK: profile: {{.*}} layer
// CHECK: profile.mlir:

#pack = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #pack>
!map = !sparseconv.kernel_map<27, !fine to !fine>

func.func @main(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                %features: tensor<?x4xf32> {sparseconv.name = "features"},
                %weights: tensor<27x4x4xf32> {sparseconv.name = "weights"}) -> tensor<?x4xf32> {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !fine
  %x = sparseconv.gather %features, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %x, %weights, %map : tensor<?x4xf32>, tensor<27x4x4xf32>, !map -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
