// A plan without the network that it was made of: the same bits, and an `index`
// that is a size.
// REQUIRES: cuda
//
// RUN: sparseconv-run %s --target=cuda --input=points=random:300 --input=features=random:300 --input=weights=random --input=n=const:17 --seed=3 --check --output=y=%t.y.npy --output=ones=%t.ones.npy
// RUN: sparseconv-translate %s --network-to-plan -o %t.plan
// RUN: sparseconv-run %t.plan --target=cuda --input=points=random:300 --input=features=random:300 --input=weights=random --input=n=const:17 --seed=3 --output=y=%t.py.npy --output=ones=%t.pones.npy | FileCheck %s
// RUN: cmp %t.y.npy %t.py.npy
// RUN: cmp %t.ones.npy %t.pones.npy
//
// CHECK: result 'y': tensor<{{[0-9]+}}x16xf16>
// CHECK: result 'ones': tensor<17x3xf16>

#pack = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #pack>
!map = !sparseconv.kernel_map<27, !fine to !fine>

func.func @main(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                %features: tensor<?x16xf16> {sparseconv.name = "features"},
                %weights: tensor<27x16x16xf16> {sparseconv.name = "weights"},
                %n: index {sparseconv.name = "n"})
    -> (tensor<?x16xf16> {sparseconv.name = "y"}, tensor<?x3xf16> {sparseconv.name = "ones"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !fine
  %x = sparseconv.gather %features, %order : tensor<?x16xf16>, tensor<?xi32> -> tensor<?x16xf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %x, %weights, %map : tensor<?x16xf16>, tensor<27x16x16xf16>, !map -> tensor<?x16xf16>
  %empty = tensor.empty(%n) : tensor<?x3xf16>
  %one = arith.constant 1.0 : f16
  %ones = linalg.fill ins(%one : f16) outs(%empty : tensor<?x3xf16>) -> tensor<?x3xf16>
  return %y, %ones : tensor<?x16xf16>, tensor<?x3xf16>
}
