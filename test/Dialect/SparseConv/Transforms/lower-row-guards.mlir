// RUN: sparseconv-opt %s --sparseconv-lower-row-guards | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-lower-row-guards --resolve-ranked-shaped-type-result-dims --canonicalize | FileCheck %s --check-prefix=FOLDED

// A guard gives x if it has the right number of rows. If not, it reports and
// gives zeros of that many, so that what follows stays in bounds.

// CHECK-LABEL: func.func @guard(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x8xf16>, %[[ROWS:[^:]*]]: index, %[[STATUS:[^:]*]]: memref<8xi64>
// CHECK:      %[[FOUND:.*]] = tensor.dim %[[X]]
// CHECK:      %[[AGREE:.*]] = arith.cmpi eq, %[[FOUND]], %[[ROWS]]
// CHECK:      %[[R:.*]] = scf.if %[[AGREE]] -> (tensor<?x8xf16>) {
// CHECK-NEXT:   scf.yield %[[X]]
// CHECK-NEXT: } else {
//             Only the error of the lowest operation stays.
// CHECK:        %[[CODE:.*]] = memref.load %[[STATUS]][%c0
// CHECK:        %[[EARLIER:.*]] = memref.load %[[STATUS]][%c1
// CHECK:        arith.cmpi sgt, %[[EARLIER]], %c7_i64
// CHECK:        scf.if
//             RowCountMismatch of operand 3: its rows, those of the set, the side.
// CHECK:          memref.store %c5_i64{{.*}}, %[[STATUS]][%c0
// CHECK:          memref.store %c7_i64{{.*}}, %[[STATUS]][%c1
// CHECK:          memref.store %c3_i64{{.*}}, %[[STATUS]][%c3
// CHECK:          %[[FOUND64:.*]] = arith.index_cast %[[FOUND]]
// CHECK:          memref.store %[[FOUND64]], %[[STATUS]][%c4
// CHECK:          %[[ROWS64:.*]] = arith.index_cast %[[ROWS]]
// CHECK:          memref.store %[[ROWS64]], %[[STATUS]][%c5
// CHECK:          memref.store %c1_i64{{.*}}, %[[STATUS]][%c7
// CHECK:        %[[EMPTY:.*]] = tensor.empty(%[[ROWS]]) : tensor<?x8xf16>
// CHECK:        %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%[[EMPTY]]
// CHECK:        scf.yield %[[ZEROS]]
// CHECK:      return %[[R]]
func.func @guard(%x: tensor<?x8xf16>, %rows: index, %status: memref<8xi64>) -> tensor<?x8xf16> {
  %0 = sparseconv.kernel.guard_rows %x rows(%rows) status(%status : memref<8xi64>)
      {op_id = 7 : i64, operand = 3 : i64, side = 1 : i64} : tensor<?x8xf16>
  return %0 : tensor<?x8xf16>
}

// With `length` the operand at fault is the other one, and x is what it should
// be as long as: LengthMismatch.
// CHECK-LABEL: func.func @length(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x8xf16>, %[[ROWS:[^:]*]]: index, %[[STATUS:[^:]*]]: memref<8xi64>
// CHECK:      %[[FOUND:.*]] = tensor.dim %[[X]]
// CHECK:          memref.store %c9_i64{{.*}}, %[[STATUS]][%c0
// CHECK:          %[[ROWS64:.*]] = arith.index_cast %[[ROWS]]
// CHECK:          memref.store %[[ROWS64]], %[[STATUS]][%c4
// CHECK:          %[[FOUND64:.*]] = arith.index_cast %[[FOUND]]
// CHECK:          memref.store %[[FOUND64]], %[[STATUS]][%c5
func.func @length(%x: tensor<?x8xf16>, %rows: index, %status: memref<8xi64>) -> tensor<?x8xf16> {
  %0 = sparseconv.kernel.guard_rows %x rows(%rows) status(%status : memref<8xi64>)
      {length, op_id = 7 : i64, operand = 1 : i64, side = 0 : i64} : tensor<?x8xf16>
  return %0 : tensor<?x8xf16>
}

// What a kernel made for the set has its rows; between kernels guards fold away,
// also behind operations on rows and concatenations of channels.
// FOLDED-LABEL: func.func @fold(
// FOLDED-NOT: scf.if
// FOLDED-NOT: memref.store
// FOLDED: return
func.func @fold(%x: tensor<?x8xf32>, %rows: tensor<?xi32>, %status: memref<8xi64>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %rows, %c0 : tensor<?xi32>
  %init = tensor.empty(%n) : tensor<?x8xf32>
  %y = sparseconv.kernel.gather_rows ins(%x, %rows, %status : tensor<?x8xf32>, tensor<?xi32>, memref<8xi64>)
      outs(%init : tensor<?x8xf32>) {op_id = 0 : i64} -> tensor<?x8xf32>
  %z = linalg.add ins(%y, %y : tensor<?x8xf32>, tensor<?x8xf32>) outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  %both = tensor.concat dim(1) %y, %z : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
  %0 = sparseconv.kernel.guard_rows %both rows(%n) status(%status : memref<8xi64>)
      {op_id = 1 : i64, operand = 0 : i64, side = 0 : i64} : tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
}
