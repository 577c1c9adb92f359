// RUN: sparseconv-opt %s --sparseconv-expand-math --split-input-file | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-expand-math --convert-math-to-llvm --convert-math-to-libm --convert-vector-to-llvm --convert-arith-to-llvm --convert-func-to-llvm --reconcile-unrealized-casts --split-input-file | FileCheck %s --check-prefix=LLVM

// Nothing of math or arith is left once upstream's conversions have run.
// LLVM-NOT: {{ (math|arith)[.][a-z]+ }}

// A whole power is one of f64, rounded once.

// CHECK-LABEL: func.func @fpowi(
// CHECK-SAME:    %[[X:.*]]: f32, %[[N:.*]]: i32)
// CHECK:         %[[WIDE:.*]] = arith.extf %[[X]] : f32 to f64
// CHECK:         %[[EXPONENT:.*]] = arith.sitofp %[[N]] : i32 to f64
// CHECK:         %[[POWER:.*]] = math.powf %[[WIDE]], %[[EXPONENT]] : f64
// CHECK:         %[[Y:.*]] = arith.truncf %[[POWER]] : f64 to f32
// CHECK:         return %[[Y]]
func.func @fpowi(%x: f32, %n: i32) -> f32 {
  %y = math.fpowi %x, %n : f32, i32
  return %y : f32
}

// CHECK-LABEL: func.func @fpowi_lanes(
// CHECK-NOT:     math.fpowi
// CHECK:         math.powf %{{.*}}, %{{.*}} : vector<8xf64>
func.func @fpowi_lanes(%x: vector<8xf16>, %n: vector<8xi64>) -> vector<8xf16> {
  %y = math.fpowi %x, %n : vector<8xf16>, vector<8xi64>
  return %y : vector<8xf16>
}

// -----

// One of integers is computed by squaring: here four bits and a sign, x^(a + 2b)
// being (b ? x * x : 1) * (a ? x : 1) and so on.

// CHECK-LABEL: func.func @ipowi(
// CHECK-SAME:    %[[X:.*]]: i4, %[[N:.*]]: i4)
// CHECK-NOT:     math.
// CHECK:         %[[BIT0:.*]] = arith.cmpi ne
// CHECK:         %[[P0:.*]] = arith.select %[[BIT0]]
// CHECK:         %[[SQUARE:.*]] = arith.muli %[[X]], %[[X]] : i4
// CHECK:         %[[MORE:.*]] = arith.muli %[[P0]], %[[SQUARE]] : i4
// CHECK:         %[[FOURTH:.*]] = arith.muli %[[SQUARE]], %[[SQUARE]] : i4
// CHECK:         %[[SIGN:.*]] = arith.cmpi slt, %[[N]]
// CHECK:         arith.select %[[SIGN]]
func.func @ipowi(%x: i4, %n: i4) -> i4 {
  %y = math.ipowi %x, %n : i4
  return %y : i4
}

// -----

// Questions about a number are comparisons of its size.

// CHECK-LABEL: func.func @classes(
// CHECK:         %[[INFINITY:.*]] = arith.constant 0x7C00 : f16
// CHECK:         arith.cmpf oeq, %{{.*}}, %[[INFINITY]]
// CHECK:         %[[SMALLEST:.*]] = arith.constant 6.103520e-05 : f16
// CHECK:         arith.cmpf olt, %{{.*}}, %{{.*}} : f16
// CHECK:         arith.cmpf oge, %{{.*}}, %[[SMALLEST]]
func.func @classes(%x: f16) -> (i1, i1) {
  %0 = math.isinf %x : f16
  %1 = math.isnormal %x : f16
  return %0, %1 : i1, i1
}

// -----

// CHECK-LABEL: func.func @clamp(
// CHECK-NOT:     math.clampf
// CHECK:         return
func.func @clamp(%x: vector<4xf32>, %low: vector<4xf32>, %high: vector<4xf32>) -> vector<4xf32> {
  %y = math.clampf %x to [%low, %high] : vector<4xf32>
  return %y : vector<4xf32>
}

// -----

// Numbers of bf16 compare as f32, of which they are the upper halves.

// CHECK-LABEL: func.func @compare(
// CHECK-SAME:    %[[X:.*]]: vector<4xbf16>, %{{.*}}: vector<4xbf16>, %{{.*}}: f16)
// CHECK-DAG:     %[[HALF:.*]] = arith.constant dense<16> : vector<4xi32>
// CHECK-DAG:     %[[BITS:.*]] = arith.bitcast %[[X]] : vector<4xbf16> to vector<4xi16>
// CHECK:         %[[LOW:.*]] = arith.extui %[[BITS]] : vector<4xi16> to vector<4xi32>
// CHECK:         %[[HIGH:.*]] = arith.shli %[[LOW]], %[[HALF]] : vector<4xi32>
// CHECK:         %[[WIDE:.*]] = arith.bitcast %[[HIGH]] : vector<4xi32> to vector<4xf32>
// CHECK:         arith.cmpf ugt, %[[WIDE]], %{{.*}} : vector<4xf32>
// CHECK:         arith.cmpf olt, %{{.*}} : f16
func.func @compare(%x: vector<4xbf16>, %y: vector<4xbf16>, %z: f16) -> (vector<4xi1>, i1) {
  %0 = arith.cmpf ugt, %x, %y : vector<4xbf16>
  %1 = arith.cmpf olt, %z, %z : f16
  return %0, %1 : vector<4xi1>, i1
}
