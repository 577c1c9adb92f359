// RUN: not sparseconv-opt %s --sparseconv-differentiate="functions=net wrt=z" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not sparseconv-opt %s --sparseconv-differentiate="functions=net wrt=2" 2>&1 | FileCheck %s --check-prefix=POSITION
// RUN: not sparseconv-opt %s --sparseconv-differentiate="functions=net wrt=x,n" 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not sparseconv-opt %s --sparseconv-differentiate="functions=net keep=nothing" 2>&1 | FileCheck %s --check-prefix=KEEP
// RUN: not sparseconv-opt %s --sparseconv-differentiate="functions=net keep=results" 2>&1 | FileCheck %s --check-prefix=TAKEN

// An argument, a name that is taken, and an option that are wrong.

// NAME: [[@LINE+5]]:1: error: 'func.func' op cannot be differentiated: it has no argument z
// POSITION: [[@LINE+4]]:1: error: 'func.func' op cannot be differentiated: it has no argument 2
// TYPE: [[@LINE+3]]:1: error: 'func.func' op cannot be differentiated by argument n: 'tensor<4xi32>' is no tensor of floats
// KEEP: Cannot find option named 'nothing'!
// TAKEN: [[@LINE+1]]:1: error: 'func.func' op cannot be differentiated: there is a @net_forward already
func.func @net(%x: tensor<4xf32> {sparseconv.name = "x"}, %n: tensor<4xi32> {sparseconv.name = "n"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @net_forward()
