// A network to PTX and a plan of the host side, for any chip; the plan's file
// says the same, whichever way it is made.
// RUN: sparseconv-opt %s --sparseconv-lower-to-ptx=target=cuda:sm_80 | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: sparseconv-opt %s --sparseconv-lower-to-ptx | FileCheck %s --check-prefixes=CHECK,SM90

// RUN: sparseconv-opt %s --sparseconv-lower-to-ptx -o %t.mlir --mlir-print-debuginfo
// RUN: sparseconv-translate --mlir-to-plan %t.mlir -o %t.lowered.plan
// RUN: sparseconv-translate --network-to-plan %s -o %t.plan
// RUN: cmp %t.plan %t.lowered.plan

// A chip that came after those with a table runs what an earlier one does, and
// the compiler says so. One that nobody knows is an error.
// RUN: sparseconv-opt %s --sparseconv-lower-to-ptx=target=cuda:sm_120 2>&1 | FileCheck %s --check-prefixes=CHECK,SM120
// RUN: not sparseconv-opt %s --sparseconv-lower-to-ptx=target=cuda:sm_200 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not sparseconv-translate %s --network-to-plan --chip=sm_200 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Every stage can be looked at, or one.
// RUN: sparseconv-opt %s --sparseconv-lower-to-ptx --mlir-print-ir-after-all -o /dev/null 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: sparseconv-opt %s --sparseconv-lower-to-ptx --mlir-print-ir-after=convert-sparseconv-to-kernels -o /dev/null 2>&1 | FileCheck %s --check-prefix=STAGE --implicit-check-not="IR Dump"
// STAGES: IR Dump After ConvertSparseConvToKernels (convert-sparseconv-to-kernels)
// STAGES: sparseconv.kernel.sort ins
// STAGES: IR Dump After ConvertSparseConvKernelsToGpu (convert-sparseconv-kernels-to-gpu)
// STAGES: gpu.launch
// STAGES: IR Dump After SparseConvBuildPlan (sparseconv-build-plan)
// STAGES: sparseconv_plan.func @main
// STAGES: IR Dump After SparseConvSerializeKernels (sparseconv-serialize-kernels)
// STAGES: gpu.binary
// STAGE: IR Dump After ConvertSparseConvToKernels (convert-sparseconv-to-kernels)
// STAGE: sparseconv.kernel.encode

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [1, 1, 1]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>

// SM120:       remark: there is no table of the chip 'sm_120': what is decided for sm_89 is taken
// CHECK-LABEL: sparseconv_plan.func @main
// CHECK:         launch @sparseconv_kernels::@main_kernel_0
// SM80:        gpu.binary @sparseconv_kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_80">, assembly = "{{.*}}.target sm_80{{.*}}.entry main_kernel_0
// SM90:        gpu.binary @sparseconv_kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_90a">, assembly = "{{.*}}.target sm_90a{{.*}}.entry main_kernel_0
// SM120:       gpu.binary @sparseconv_kernels {{.*}}.target sm_120
// CHECK-NOT:   gpu.module
// SM120-NOT:   remark
// UNKNOWN:     error: unknown chip 'sm_200' of the target 'cuda'; there are: sm_80, sm_86, sm_89, sm_90a
func.func @main(%points: tensor<?x4xi32> {sparseconv.name = "points"}) -> tensor<?x4xi32> {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %unpacked = sparseconv.unpack %set : !set -> tensor<?x4xi32>
  return %unpacked : tensor<?x4xi32>
}
