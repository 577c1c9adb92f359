// RUN: sparseconv-opt %s --sparseconv-serialize-kernels="chips=sm_80,sm_90a" | %python -c "import sys; print(sys.stdin.read().replace('\\0A', '\n').replace('\\09', '\t'))" | FileCheck %s

// From sm_90 on a kernel may be launched before those end that come before it. It
// waits for them before it loads anything, be it an invariant value. That leaves the
// pointers of a kernel what they are, addresses of global memory.

// CHECK-LABEL: .target sm_80
// CHECK-NOT:     griddepcontrol
// CHECK:         ld.global.nc.b32
// CHECK:         st.global.b32
// CHECK-LABEL: .target sm_90a
// CHECK:       .entry copy(
// CHECK-NOT:     ld.global
// CHECK:         griddepcontrol.wait;
// CHECK:         ld.global.nc.b32
// CHECK:         st.global.b32
// CHECK:       .entry clear(
// CHECK:         griddepcontrol.wait;
// CHECK:         st.global.b32
// CHECK:       .entry nothing(
// CHECK:         griddepcontrol.wait;
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @copy(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.load %from invariant {alignment = 4 : i64} : !llvm.ptr<1> -> i32
      llvm.store %0, %to {alignment = 4 : i64} : i32, !llvm.ptr<1>
      llvm.return
    }
    llvm.func @clear(%to: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.mlir.constant(0 : i32) : i32
      llvm.store %0, %to {alignment = 4 : i64} : i32, !llvm.ptr
      llvm.return
    }
    llvm.func @nothing() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
}
