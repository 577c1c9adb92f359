// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{unknown target 'abacus'; there are: cpu, cuda}}
#target = #sparseconv.target<abacus>

// -----

// expected-error @+1 {{unknown chip 'sm_42' of the target 'cuda'; there are: sm_80, sm_86, sm_89, sm_90a}}
#target = #sparseconv.target<cuda, chip = "sm_42">

// -----

// expected-error @+1 {{unknown chip 'sm_80' of the target 'cpu'; there are: sse2, avx2, avx512}}
#target = #sparseconv.target<cpu, chip = "sm_80">

// -----

// expected-error @+1 {{unknown chip '' of the target 'cuda'; there are: sm_80, sm_86, sm_89, sm_90a}}
#target = #sparseconv.target<cuda, chip = "">

// -----

// expected-error @+1 {{expected valid keyword}}
#target = #sparseconv.target<"cuda">

// -----

// expected-error @+1 {{expected 'chip'}}
#target = #sparseconv.target<cuda, level = "sm_80">

// -----

// expected-error @+1 {{expects 'sparseconv.target' to be a #sparseconv.target of a module}}
module attributes {sparseconv.target = "cuda"} {
}

// -----

// expected-error @+1 {{expects 'sparseconv.target' to be a #sparseconv.target of a module}}
func.func private @function() attributes {sparseconv.target = #sparseconv.target<cuda>}

// -----

// expected-error @+1 {{expects pairs of a name and a location in 'sparseconv.op_table'}}
module attributes {sparseconv.op_table = [1]} {
}

// -----

func.func @number(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expects a number of an operation (i64) in 'sparseconv.op_id'}}
  %y = math.exp %x {sparseconv.op_id = -5.0} : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A size is that of a dimension that is there.

// expected-error @+1 {{expects the number of an argument or result and one of its dimensions in 'sparseconv.size_of'}}
func.func private @one_number(memref<?x8xf32>, memref<1xindex> {sparseconv.size_of = array<i64: 0>})

// -----

// expected-error @+1 {{expects the number of an argument or result and one of its dimensions in 'sparseconv.size_of'}}
func.func private @no_argument(memref<?x8xf32>, memref<1xindex> {sparseconv.size_of = array<i64: 2, 0>})

// -----

// expected-error @+1 {{expects the number of an argument or result and one of its dimensions in 'sparseconv.size_of'}}
func.func private @no_dimension(memref<?x8xf32>, memref<1xindex> {sparseconv.size_of = array<i64: 0, 2>})

// -----

// expected-error @+1 {{expects the number of an argument or result and one of its dimensions in 'sparseconv.size_of'}}
func.func private @result(memref<?x8xf32>) -> (memref<?x8xf32>, memref<1xindex> {sparseconv.size_of = array<i64: 7, 0>})

// -----

// expected-error @+1 {{expects the number of an argument or result and one of its dimensions in 'sparseconv.size_of'}}
func.func private @no_shape(index, memref<1xindex> {sparseconv.size_of = array<i64: 0, 0>})
