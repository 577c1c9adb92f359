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
