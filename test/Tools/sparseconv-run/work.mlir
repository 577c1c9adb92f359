// A profile says what its convolutions have to do: operations of pairs that there
// are, and bytes of features, weights and table, each once. All points are in one
// voxel, which has one pair: with itself.
//
// RUN: sparseconv-run %s --input=points=const:0:50 --input=x=const:1:50 --input=w=const:1 --input=v=const:1 --profile=%t.json --quiet
// RUN: FileCheck %s --input-file=%t.json
//
// 2 * 4 * 4, and 4 * (4 + 4 + 27 * 4 * 4) + 4 * 27.
// CHECK:      "name": "{{.*}}work.mlir:[[@LINE+22]]:
// CHECK:      "location":
// CHECK-NEXT: "operations": 32,
// CHECK-NEXT: "bytes": 1868
//
// In a function that is called, with two groups: 2 * 2 * 2 * 3, and
// 4 * (4 + 6 + 27 * 2 * 2 * 3) + 4 * 27.
// CHECK:      "name": "{{.*}}work.mlir:[[@LINE+21]]:
// CHECK:      "location":
// CHECK-NEXT: "operations": 24,
// CHECK-NEXT: "bytes": 1444
// CHECK-NOT:  "operations"

#pack = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #pack>
!map = !sparseconv.kernel_map<27, !set to !set>

func.func @main(%points: tensor<?x4xi32>, %x: tensor<?x4xf32>, %w: tensor<27x4x4xf32>,
                %v: tensor<27x2x2x3xf32>) -> tensor<?x6xf32> {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %0 = sparseconv.gather %x, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %1 = sparseconv.conv %0, %w, %map : tensor<?x4xf32>, tensor<27x4x4xf32>, !map -> tensor<?x4xf32>
  %2 = call @grouped(%1, %v, %map) : (tensor<?x4xf32>, tensor<27x2x2x3xf32>, !map) -> tensor<?x6xf32>
  return %2 : tensor<?x6xf32>
}

func.func private @grouped(%x: tensor<?x4xf32>, %v: tensor<27x2x2x3xf32>, %map: !map) -> tensor<?x6xf32> {
  %0 = sparseconv.conv %x, %v, %map : tensor<?x4xf32>, tensor<27x2x2x3xf32>, !map -> tensor<?x6xf32>
  return %0 : tensor<?x6xf32>
}
