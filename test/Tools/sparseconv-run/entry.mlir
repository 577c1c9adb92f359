// Only the function that is called is compiled: this target has no kernel for the
// other's dataflow.
// RUN: sparseconv-run %s --entry=one --input x=const:-2:3 --check --check-threads=1,2 | FileCheck %s --match-full-lines
// CHECK:      result 'result0': tensor<3xf32>, min 2, mean 2, max 2
// CHECK-NEXT: bits of 'result0' on 1 threads: ok
// CHECK-NEXT: bits of 'result0' on 2 threads: ok
// CHECK-NEXT: check 'result0': ok{{.*}}
// RUN: not sparseconv-run %s --entry=other --input points=const:0:1 --input y=const:1:1 --input w=const:1 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: 'sparseconv.conv' op {{.*}}output_stationary

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [1, 1, 1]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

func.func @one(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.absf %x : tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @other(%points: tensor<?x4xi32>, %y: tensor<?x16xf32>, %w: tensor<27x16x16xf32>) -> tensor<?x16xf32> {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %y, %w, %map {dataflow = #sparseconv.dataflow<output_stationary>} : tensor<?x16xf32>, tensor<27x16x16xf32>, !map -> tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
}
