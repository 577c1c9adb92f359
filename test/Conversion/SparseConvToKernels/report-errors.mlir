// RUN: sparseconv-opt %s --sparseconv-report-errors=by=call --split-input-file --verify-diagnostics | FileCheck %s --check-prefixes=CHECK,CALL
// RUN: sparseconv-opt %s --sparseconv-report-errors=by=trap --split-input-file --verify-diagnostics | FileCheck %s --check-prefixes=CHECK,TRAP
// RUN: not sparseconv-opt %s --sparseconv-report-errors=by=mail --split-input-file 2>&1 | FileCheck %s --check-prefix=MAIL
// MAIL: error: expects by=trap or by=call, but found by=mail
// RUN: not sparseconv-opt %s --sparseconv-report-errors="by=call symbol=private" --split-input-file 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: expects '@private' to take 'memref<8xi64>' and 'memref<?xi8>' and to return nothing

// A public function gets a record of its own, all of it 0 at first. At each end it
// says what is in it. A private one keeps the record of its caller. The names of the
// operations are text: "sparseconv.pack", a zero, "net.mlir:3:8", a zero, and so on.

// CALL:        func.func private @sparseconv_report_error(memref<8xi64>, memref<?xi8>) attributes {llvm.emit_c_interface}
// CALL:        memref.global "private" constant @sparseconv_operations : memref<48xi8> = dense<[115, {{.*}}, 99, 107, 0, 110, {{.*}}, 58, 56, 0, 115, {{.*}}, 110, 101, 0, 0, 0]>
// CHECK-LABEL: func.func @public(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?xi64>) -> tensor<?xi64>
// CHECK:         %[[STATUS:.*]] = memref.alloca() : memref<8xi64>
// CHECK-COUNT-8: memref.store %{{.*}}, %[[STATUS]]
// CHECK:         call @private(%[[X]], %[[STATUS]])
// CHECK:         %[[CODE:.*]] = memref.load %[[STATUS]][%c0{{[^]]*}}]
// CALL:          %[[FAILED:.*]] = arith.cmpi ne, %[[CODE]], %c0
// CALL:          scf.if %[[FAILED]]
// CALL-NEXT:       %[[GLOBAL:.*]] = memref.get_global @sparseconv_operations
// CALL-NEXT:       %[[NAMES:.*]] = memref.cast %[[GLOBAL]]
// CALL-NEXT:       func.call @sparseconv_report_error(%[[STATUS]], %[[NAMES]])
// TRAP:          %[[OK:.*]] = arith.cmpi eq, %[[CODE]], %c0
// TRAP:          cf.assert %[[OK]], "an operation of a sparse network failed"
// CHECK:         return
module attributes {sparseconv.op_table = [["sparseconv.pack", loc("net.mlir":3:8)], ["sparseconv.prune", loc(unknown)]]} {
func.func @public(%x: tensor<?xi64>, %status: memref<8xi64> {sparseconv.status}) -> tensor<?xi64> {
  %y = call @private(%x, %status) : (tensor<?xi64>, memref<8xi64>) -> tensor<?xi64>
  return %y : tensor<?xi64>
}

// CHECK-LABEL: func.func private @private(
// CHECK-SAME:    %{{.*}}: memref<8xi64> {sparseconv.status})
func.func private @private(%x: tensor<?xi64>, %status: memref<8xi64> {sparseconv.status}) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %keys = tensor.empty(%n) : tensor<?xi64>
  %rows = tensor.empty(%n) : tensor<?xi32>
  %map = tensor.empty(%n) : tensor<?xi32>
  %count = tensor.empty() : tensor<1xindex>
  %r:4 = sparseconv.kernel.unique ins(%x, %rows, %status : tensor<?xi64>, tensor<?xi32>, memref<8xi64>)
      outs(%keys, %rows, %map, %count : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      {capacity = 10 : i64, op_id = 0 : i64} -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  return %r#0 : tensor<?xi64>
}

// Who only passes the record on needs none.
// CHECK-LABEL: func.func @caller(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?xi64>) -> tensor<?xi64>
// CHECK-NEXT:    %[[Y:.*]] = call @public(%[[X]]) : (tensor<?xi64>) -> tensor<?xi64>
// CHECK-NEXT:    return %[[Y]]
func.func @caller(%x: tensor<?xi64>, %status: memref<8xi64> {sparseconv.status}) -> tensor<?xi64> {
  %y = call @public(%x, %status) : (tensor<?xi64>, memref<8xi64>) -> tensor<?xi64>
  return %y : tensor<?xi64>
}
}

// -----

// A function of the host's own may be called, if it takes a record and names.

// CHECK-LABEL: func.func private @sparseconv_report_error(memref<8xi64>, memref<?xi8>)
// CHECK-NOT:   emit_c_interface
// CHECK:       func.func @host(
func.func private @sparseconv_report_error(memref<8xi64>, memref<?xi8>)
func.func @host(%status: memref<8xi64> {sparseconv.status}) {
  return
}

// Eight numbers of the host's own are no record.

// CHECK: func.func @numbers(%{{[^:]*}}: memref<8xi64>) -> i64
func.func @numbers(%numbers: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %first = memref.load %numbers[%c0] : memref<8xi64>
  return %first : i64
}
