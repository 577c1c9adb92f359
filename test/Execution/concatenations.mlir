// The channels of two convolutions side by side, read by a third. On a GPU the third
// gathers from both (sparseconv-fuse-concatenations), whatever its main loop and its
// steps; the last two need the concatenation.

// DEFINE: %{weights} = --input left=random --input right=random --input w=random

// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; [np.save(f'%t/{n}.npy', np.random.default_rng(n).integers(0, 12, (n, 4), np.int32) % np.int32([2, 12, 12, 12])) for n in (0, 1, 129, 700, 5000)]"
// RUN: sparseconv-run %s --entry=ring --input points=%t/0.npy --input features=random:0 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=ring --input points=%t/1.npy --input features=random:1 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=ring --input points=%t/129.npy --input features=random:129 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=ring --input points=%t/700.npy --input features=random:700 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=ring --input points=%t/5000.npy --input features=random:5000 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=resident --input points=%t/0.npy --input features=random:0 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=resident --input points=%t/129.npy --input features=random:129 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=resident --input points=%t/5000.npy --input features=random:5000 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=few --input points=%t/1.npy --input features=random:1 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=few --input points=%t/129.npy --input features=random:129 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=few --input points=%t/5000.npy --input features=random:5000 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=uneven --input points=%t/129.npy --input features=random:129 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=uneven --input points=%t/5000.npy --input features=random:5000 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=chunks --input points=%t/0.npy --input features=random:0 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=chunks --input points=%t/129.npy --input features=random:129 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=chunks --input points=%t/700.npy --input features=random:700 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=odd --input points=%t/0.npy --input features=random:0 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=odd --input points=%t/129.npy --input features=random:129 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=odd --input points=%t/700.npy --input features=random:700 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=producer --input points=%t/0.npy --input features=random:0 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=producer --input points=%t/129.npy --input features=random:129 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=producer --input points=%t/5000.npy --input features=random:5000 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=producer_uneven --input points=%t/129.npy --input features=random:129 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=wide --input points=%t/129.npy --input features=random:129 %{weights} --check | FileCheck %s
// RUN: sparseconv-run %s --entry=wide --input points=%t/700.npy --input features=random:700 %{weights} --check | FileCheck %s
// CHECK: check 'y': ok

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [1, 1, 1]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

func.func @ring(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x16xf16> {sparseconv.name = "features"},
           %left: tensor<27x16x96xf16> {sparseconv.name = "left"}, %right: tensor<27x16x32xf16> {sparseconv.name = "right"},
           %w: tensor<27x128x96xf16> {sparseconv.name = "w"}) -> (tensor<?x96xf16> {sparseconv.name = "y"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x16xf16>, tensor<?xi32> -> tensor<?x16xf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %x, %left, %map : tensor<?x16xf16>, tensor<27x16x96xf16>, !map -> tensor<?x96xf16>
  %1 = sparseconv.conv %x, %right, %map : tensor<?x16xf16>, tensor<27x16x32xf16>, !map -> tensor<?x32xf16>
  %both = tensor.concat dim(1) %0, %1 : (tensor<?x96xf16>, tensor<?x32xf16>) -> tensor<?x128xf16>
  %y = sparseconv.conv %both, %w, %map : tensor<?x128xf16>, tensor<27x128x96xf16>, !map -> tensor<?x96xf16>
  return %y : tensor<?x96xf16>
}

func.func @producer(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x16xf16> {sparseconv.name = "features"},
           %left: tensor<27x16x96xf16> {sparseconv.name = "left"}, %right: tensor<27x16x96xf16> {sparseconv.name = "right"},
           %w: tensor<27x192x256xf16> {sparseconv.name = "w"}) -> (tensor<?x256xf16> {sparseconv.name = "y"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x16xf16>, tensor<?xi32> -> tensor<?x16xf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %x, %left, %map : tensor<?x16xf16>, tensor<27x16x96xf16>, !map -> tensor<?x96xf16>
  %1 = sparseconv.conv %x, %right, %map : tensor<?x16xf16>, tensor<27x16x96xf16>, !map -> tensor<?x96xf16>
  %both = tensor.concat dim(1) %0, %1 : (tensor<?x96xf16>, tensor<?x96xf16>) -> tensor<?x192xf16>
  %y = sparseconv.conv %both, %w, %map : tensor<?x192xf16>, tensor<27x192x256xf16>, !map -> tensor<?x256xf16>
  return %y : tensor<?x256xf16>
}

func.func @producer_uneven(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x16xf16> {sparseconv.name = "features"},
           %left: tensor<27x16x96xf16> {sparseconv.name = "left"}, %right: tensor<27x16x64xf16> {sparseconv.name = "right"},
           %w: tensor<27x160x256xf16> {sparseconv.name = "w"}) -> (tensor<?x256xf16> {sparseconv.name = "y"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x16xf16>, tensor<?xi32> -> tensor<?x16xf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %x, %left, %map : tensor<?x16xf16>, tensor<27x16x96xf16>, !map -> tensor<?x96xf16>
  %1 = sparseconv.conv %x, %right, %map : tensor<?x16xf16>, tensor<27x16x64xf16>, !map -> tensor<?x64xf16>
  %both = tensor.concat dim(1) %0, %1 : (tensor<?x96xf16>, tensor<?x64xf16>) -> tensor<?x160xf16>
  %y = sparseconv.conv %both, %w, %map : tensor<?x160xf16>, tensor<27x160x256xf16>, !map -> tensor<?x256xf16>
  return %y : tensor<?x256xf16>
}

func.func @resident(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x16xf16> {sparseconv.name = "features"},
           %left: tensor<27x16x32xf16> {sparseconv.name = "left"}, %right: tensor<27x16x32xf16> {sparseconv.name = "right"},
           %w: tensor<27x64x64xf16> {sparseconv.name = "w"}) -> (tensor<?x64xf16> {sparseconv.name = "y"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x16xf16>, tensor<?xi32> -> tensor<?x16xf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %x, %left, %map : tensor<?x16xf16>, tensor<27x16x32xf16>, !map -> tensor<?x32xf16>
  %1 = sparseconv.conv %x, %right, %map : tensor<?x16xf16>, tensor<27x16x32xf16>, !map -> tensor<?x32xf16>
  %both = tensor.concat dim(1) %0, %1 : (tensor<?x32xf16>, tensor<?x32xf16>) -> tensor<?x64xf16>
  %y = sparseconv.conv %both, %w, %map : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

func.func @few(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x16xbf16> {sparseconv.name = "features"},
           %left: tensor<27x16x32xbf16> {sparseconv.name = "left"}, %right: tensor<27x16x32xbf16> {sparseconv.name = "right"},
           %w: tensor<27x64x8xbf16> {sparseconv.name = "w"}) -> (tensor<?x8xbf16> {sparseconv.name = "y"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x16xbf16>, tensor<?xi32> -> tensor<?x16xbf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %x, %left, %map : tensor<?x16xbf16>, tensor<27x16x32xbf16>, !map -> tensor<?x32xbf16>
  %1 = sparseconv.conv %x, %right, %map : tensor<?x16xbf16>, tensor<27x16x32xbf16>, !map -> tensor<?x32xbf16>
  %both = tensor.concat dim(1) %0, %1 : (tensor<?x32xbf16>, tensor<?x32xbf16>) -> tensor<?x64xbf16>
  %y = sparseconv.conv %both, %w, %map : tensor<?x64xbf16>, tensor<27x64x8xbf16>, !map -> tensor<?x8xbf16>
  return %y : tensor<?x8xbf16>
}

func.func @uneven(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x16xf16> {sparseconv.name = "features"},
           %left: tensor<27x16x64xf16> {sparseconv.name = "left"}, %right: tensor<27x16x20xf16> {sparseconv.name = "right"},
           %w: tensor<27x84x33xf16> {sparseconv.name = "w"}) -> (tensor<?x33xf16> {sparseconv.name = "y"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x16xf16>, tensor<?xi32> -> tensor<?x16xf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %x, %left, %map : tensor<?x16xf16>, tensor<27x16x64xf16>, !map -> tensor<?x64xf16>
  %1 = sparseconv.conv %x, %right, %map : tensor<?x16xf16>, tensor<27x16x20xf16>, !map -> tensor<?x20xf16>
  %both = tensor.concat dim(1) %0, %1 : (tensor<?x64xf16>, tensor<?x20xf16>) -> tensor<?x84xf16>
  %y = sparseconv.conv %both, %w, %map : tensor<?x84xf16>, tensor<27x84x33xf16>, !map -> tensor<?x33xf16>
  return %y : tensor<?x33xf16>
}

func.func @chunks(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x16xbf16> {sparseconv.name = "features"},
           %left: tensor<27x16x256xbf16> {sparseconv.name = "left"}, %right: tensor<27x16x128xbf16> {sparseconv.name = "right"},
           %w: tensor<27x384x256xbf16> {sparseconv.name = "w"}) -> (tensor<?x256xbf16> {sparseconv.name = "y"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x16xbf16>, tensor<?xi32> -> tensor<?x16xbf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %x, %left, %map : tensor<?x16xbf16>, tensor<27x16x256xbf16>, !map -> tensor<?x256xbf16>
  %1 = sparseconv.conv %x, %right, %map : tensor<?x16xbf16>, tensor<27x16x128xbf16>, !map -> tensor<?x128xbf16>
  %both = tensor.concat dim(1) %0, %1 : (tensor<?x256xbf16>, tensor<?x128xbf16>) -> tensor<?x384xbf16>
  %y = sparseconv.conv %both, %w, %map : tensor<?x384xbf16>, tensor<27x384x256xbf16>, !map -> tensor<?x256xbf16>
  return %y : tensor<?x256xbf16>
}

func.func @odd(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x16xf16> {sparseconv.name = "features"},
           %left: tensor<27x16x24xf16> {sparseconv.name = "left"}, %right: tensor<27x16x8xf16> {sparseconv.name = "right"},
           %w: tensor<27x32x16xf16> {sparseconv.name = "w"}) -> (tensor<?x16xf16> {sparseconv.name = "y"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x16xf16>, tensor<?xi32> -> tensor<?x16xf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %x, %left, %map : tensor<?x16xf16>, tensor<27x16x24xf16>, !map -> tensor<?x24xf16>
  %1 = sparseconv.conv %x, %right, %map : tensor<?x16xf16>, tensor<27x16x8xf16>, !map -> tensor<?x8xf16>
  %both = tensor.concat dim(1) %0, %1 : (tensor<?x24xf16>, tensor<?x8xf16>) -> tensor<?x32xf16>
  %y = sparseconv.conv %both, %w, %map : tensor<?x32xf16>, tensor<27x32x16xf16>, !map -> tensor<?x16xf16>
  return %y : tensor<?x16xf16>
}

func.func @wide(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x16xf32> {sparseconv.name = "features"},
           %left: tensor<27x16x32xf32> {sparseconv.name = "left"}, %right: tensor<27x16x32xf32> {sparseconv.name = "right"},
           %w: tensor<27x64x32xf32> {sparseconv.name = "w"}) -> (tensor<?x32xf32> {sparseconv.name = "y"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x16xf32>, tensor<?xi32> -> tensor<?x16xf32>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %x, %left, %map : tensor<?x16xf32>, tensor<27x16x32xf32>, !map -> tensor<?x32xf32>
  %1 = sparseconv.conv %x, %right, %map : tensor<?x16xf32>, tensor<27x16x32xf32>, !map -> tensor<?x32xf32>
  %both = tensor.concat dim(1) %0, %1 : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x64xf32>
  %y = sparseconv.conv %both, %w, %map : tensor<?x64xf32>, tensor<27x64x32xf32>, !map -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}
