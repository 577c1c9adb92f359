// A plan for CPUs without the network that it was made of: the bits of the same level
// compiled here, also with its weights inside, and from several threads.
//
// RUN: sparseconv-translate %s --network-to-plan --target=cpu -o %t.plan
// RUN: %python %S/Inputs/cpu_plan.py %s %t.plan %t
//
// Without a level that is named, the widest that the processor has.
// RUN: sparseconv-run %t.plan --input=points=random:300 --input=features=random:300 --input=weights=random --input=n=const:17 --seed=3 --time=2 | FileCheck %s
// CHECK: result 'y': tensor<{{[0-9]+}}x16xf16>
// CHECK: result 'ones': tensor<17x3xf16>
// CHECK: result 'm': tensor<i64>
// CHECK: time: median
//
// What the network reports, with the operation and its place in the file.
// RUN: not sparseconv-run %t.plan --input=points=const:-1000000:3 --input=features=random:3 --input=weights=random --input=n=const:17 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: error: {{.*}}cpu-plan.mlir:36:27: sparseconv.pack: point 0: batch index -1000000 is outside
//
// What is for IR, or for a GPU.
// RUN: not sparseconv-run %t.plan --check 2>&1 | FileCheck %s --check-prefix=REFERENCE
// RUN: not sparseconv-run %t.plan --target=cuda 2>&1 | FileCheck %s --check-prefix=CUDA
// RUN: not sparseconv-run %t.plan --profile=%t.json --input=points=random:3 --input=features=random:3 --input=weights=random --input=n=const:17 2>&1 | FileCheck %s --check-prefix=PROFILE
// REFERENCE: error: --check is for IR: a plan does not say what it computes
// CUDA:      error: the plan is for CPUs: --target=cpu
// PROFILE:   error: --profile is for IR: the code of a plan has no marks for it

#pack = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #pack>
!map = !sparseconv.kernel_map<27, !fine to !fine>

func.func @main(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                %features: tensor<?x16xf16> {sparseconv.name = "features"},
                %weights: tensor<27x16x16xf16> {sparseconv.name = "weights"},
                %n: index {sparseconv.name = "n"})
    -> (tensor<?x16xf16> {sparseconv.name = "y"}, tensor<?x3xf16> {sparseconv.name = "ones"},
        index {sparseconv.name = "m"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !fine
  %x = sparseconv.gather %features, %order : tensor<?x16xf16>, tensor<?xi32> -> tensor<?x16xf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %x, %weights, %map : tensor<?x16xf16>, tensor<27x16x16xf16>, !map -> tensor<?x16xf16>
  %empty = tensor.empty(%n) : tensor<?x3xf16>
  %one = arith.constant 1.0 : f16
  %ones = linalg.fill ins(%one : f16) outs(%empty : tensor<?x3xf16>) -> tensor<?x3xf16>
  %c1 = arith.constant 1 : index
  %m = arith.addi %n, %c1 : index
  return %y, %ones, %m : tensor<?x16xf16>, tensor<?x3xf16>, index
}
