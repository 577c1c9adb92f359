// RUN: sparseconv-opt %s --sparseconv-bound-counts --split-input-file --verify-diagnostics --allow-unregistered-dialect

// A count that a branch makes is not there for sure behind it.

func.func @branch(%is: i1, %sorted: memref<40xi64>) {
  %c0 = arith.constant 0 : index
  %count = memref.alloc() : memref<1xindex>
  scf.if %is {
    sparseconv.kernel.count_keys ins(%sorted : memref<40xi64>) outs(%count : memref<1xindex>)
        {fields = array<i64: 8, 20, 20, 16>}
  }
  // expected-error @+1 {{reads a count of a branch or loop that it is not in}}
  %n = memref.load %count[%c0] : memref<1xindex>
  "test.use"(%n) : (index) -> ()
  return
}
