// RUN: sparseconv-opt %s --sparseconv-serialize-kernels="chips=sm_90a" | %python -c "import re, sys; print(re.sub(chr(92) * 2 + '0[9A]', lambda c: chr(int(c[0][1:], 16)), sys.stdin.read()))" | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-serialize-kernels="chips=sm_80" | FileCheck %s --check-prefix=OLD

// Older chips know nothing of it, and need none: kernels begin when others have ended.
// OLD:     .target sm_80
// OLD-NOT: griddepcontrol

// A kernel that says where it waits for those before it has a prologue until then. What
// it loads in its prologue, it loads from the pointers that it was given. Behind the
// wait there are others, so that LLVM moves no load up, be it of an invariant value, or
// through a pointer that was computed before.

// CHECK:       .entry prologue(
// CHECK:         ld.param.b64 [[TABLE:%rd[0-9]+]], [prologue_param_0];
// CHECK-NOT:     griddepcontrol
// CHECK:         ld.global.nc.b32 {{.*}}, {{\[}}[[TABLE]]];
// CHECK:         add.s64 [[FROM:%rd[0-9]+]], {{.*}}, 16;
// CHECK-NOT:     ld.global
// CHECK:         griddepcontrol.wait;
// CHECK:         griddepcontrol.launch_dependents;
// CHECK:         ld.global.nc.b32 {{.*}}, {{\[}}[[FROM]]];
// CHECK:         st.global.b32

// It may wait in several places, such as in a task and at its end.
// CHECK:       .entry task(
// CHECK-NOT:     {{ld|st}}.global
// CHECK:         griddepcontrol.wait;
// CHECK:         ld.global.nc.b32
// CHECK:         st.global.b32
// CHECK-NOT:     {{ld|st}}.global
// CHECK:         griddepcontrol.wait;
// CHECK-NOT:     {{ld|st}}.global
// CHECK:         ret;
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @prologue(%table: !llvm.ptr<1>, %from: !llvm.ptr<1>, %to: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.load %table invariant {alignment = 4 : i64} : !llvm.ptr<1> -> i32
      %1 = llvm.getelementptr %from[16] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
      nvvm.griddepcontrol wait
      nvvm.griddepcontrol launch_dependents
      %2 = llvm.load %1 invariant {alignment = 4 : i64} : !llvm.ptr<1> -> i32
      %3 = llvm.add %0, %2 : i32
      llvm.store %3, %to {alignment = 4 : i64} : i32, !llvm.ptr<1>
      llvm.return
    }
    llvm.func @task(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>, %hasTask: i1) attributes {gpu.kernel, nvvm.kernel} {
      llvm.cond_br %hasTask, ^task, ^end
    ^task:
      nvvm.griddepcontrol wait
      %0 = llvm.load %from invariant {alignment = 4 : i64} : !llvm.ptr<1> -> i32
      llvm.store %0, %to {alignment = 4 : i64} : i32, !llvm.ptr<1>
      llvm.br ^end
    ^end:
      nvvm.griddepcontrol wait
      llvm.return
    }
  }
}
