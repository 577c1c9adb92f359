// RUN: sparseconv-opt %s --sparseconv-outline-parallel | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-outline-parallel --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC
// Nothing is left to do after the first time, and LLVM takes what is there.
// RUN: sparseconv-opt %s --sparseconv-outline-parallel -o %t.once.mlir
// RUN: sparseconv-opt %t.once.mlir --sparseconv-outline-parallel | cmp - %t.once.mlir
// RUN: sparseconv-translate %t.once.mlir --mlir-to-llvmir | FileCheck %s --check-prefix=IR

// Each region goes to a function around it alone, in the order of the text and
// behind the function that it comes from. It takes what it uses, in the order
// of use, and has constants of its own. The buffer on the stack stays where it
// lives.
// CHECK-LABEL: llvm.func @layer(
// CHECK-SAME:      %[[X:.*]]: !llvm.ptr, %[[N:.*]]: i64, %[[V:.*]]: f32)
// CHECK:         %[[STACK:.*]] = llvm.alloca
// CHECK:         llvm.cond_br
// CHECK-NOT:     omp.parallel
// CHECK:         llvm.call @layer_parallel_0(%[[N]], %[[X]], %[[V]]) : (i64, !llvm.ptr, f32) -> ()
// CHECK-NOT:     omp.parallel
// CHECK:         llvm.call @layer_parallel_1_0(%[[N]], %[[V]], %[[STACK]])
// CHECK-NOT:     omp.parallel
// CHECK:         llvm.return
// CHECK:       llvm.func internal @layer_parallel_0(
// CHECK-SAME:      %[[N:.*]]: i64, %[[X:.*]]: !llvm.ptr, %[[V:.*]]: f32)
// CHECK-SAME:      attributes {no_inline, sym_visibility = "private"} {
// CHECK-DAG:     %[[C0:.*]] = llvm.mlir.constant(0 : index) : i64
// CHECK-DAG:     %[[C1:.*]] = llvm.mlir.constant(1 : index) : i64
// CHECK:         omp.parallel {
// CHECK-NEXT:      omp.wsloop {
// CHECK-NEXT:        omp.loop_nest (%[[I:.*]]) : i64 = (%[[C0]]) to (%[[N]]) step (%[[C1]]) {
// CHECK-NEXT:          %[[P:.*]] = llvm.getelementptr %[[X]][%[[I]]]
// CHECK-NEXT:          llvm.store %[[V]], %[[P]]
// CHECK:         omp.terminator
// CHECK-NEXT:    }
// CHECK-NEXT:    llvm.return

// A name that is taken gets a number more.
// CHECK:       llvm.func internal @layer_parallel_1_0(
// CHECK:         omp.parallel {

// Locations go along; the call and the function have that of the region.
// LOC:     call @layer_parallel_0({{.*}} loc(#[[REGION:.*]])
// LOC:     @layer_parallel_0(
// LOC:     llvm.store {{.*}} loc(#[[STORE:.*]])
// LOC:     llvm.return loc(#[[REGION]])
// LOC-NEXT: } loc(#[[REGION]])
// LOC-DAG: #[[REGION]] = loc("net.mlir":3:8)
// LOC-DAG: #[[STORE]] = loc("net.mlir":4:8)

// LLVM's own function of the region stands beside, and is called from there.
// IR:       define void @layer(
// IR-NOT:     @__kmpc_fork_call
// IR:       define internal void @layer_parallel_0(i64 %{{.*}}, ptr %{{.*}}, float %{{.*}}) #[[NOINLINE:.*]] {
// IR:         call void {{.*}} @__kmpc_fork_call(ptr @{{.*}}, i32 1, ptr @layer_parallel_0..omp_par,
// IR:       attributes #[[NOINLINE]] = { noinline }
llvm.func @layer(%x: !llvm.ptr, %n: i64, %v: f32) {
  %c0 = llvm.mlir.constant(0 : index) : i64
  %c1 = llvm.mlir.constant(1 : index) : i64
  %stack = llvm.alloca %c1 x f32 : (i64) -> !llvm.ptr
  %none = llvm.icmp "eq" %n, %c0 : i64
  llvm.cond_br %none, ^end, ^work
^work:
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : i64 = (%c0) to (%n) step (%c1) {
        %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        llvm.store %v, %p : f32, !llvm.ptr loc("net.mlir":4:8)
        omp.yield
      }
    }
    omp.terminator
  } loc("net.mlir":3:8)
  llvm.br ^end
^end:
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : i64 = (%c0) to (%n) step (%c1) {
        llvm.store %v, %stack : f32, !llvm.ptr
        omp.yield
      }
    }
    omp.terminator
  }
  llvm.return
}

// CHECK: llvm.func @layer_parallel_1()
llvm.func @layer_parallel_1()

// One region alone stays.
// CHECK-LABEL: llvm.func @alone(
// CHECK-NEXT:    omp.parallel {
llvm.func @alone(%x: !llvm.ptr, %v: f32) {
  omp.parallel {
    llvm.store %v, %x : f32, !llvm.ptr
    omp.terminator
  }
  llvm.return
}

// CHECK-NOT: _parallel_
// CHECK: omp.private
omp.private {type = private} @copy : i32

// What the clauses take comes first, a constant as a constant. A region in
// another goes with it. Both are compiled for the processor of their function.
// CHECK-LABEL: llvm.func @clauses(
// CHECK-SAME:      %[[X:.*]]: !llvm.ptr, %[[IF:.*]]: i1, %[[V:.*]]: f32)
// CHECK:         llvm.call @clauses_parallel_0(%[[IF]], %[[X]], %[[V]])
// CHECK:         llvm.call @clauses_parallel_1(%[[X]])
// CHECK:         llvm.return
// CHECK:       llvm.func internal @clauses_parallel_0(
// CHECK-SAME:      %[[IF:.*]]: i1, %[[X:.*]]: !llvm.ptr, %[[V:.*]]: f32) attributes
// CHECK-SAME:      passthrough = ["nounwind"]
// CHECK-SAME:      target_cpu = "x86-64-v4"
// CHECK-SAME:      target_features = #llvm.target_features<["+avx512f"]>
// CHECK-SAME:      tune_cpu = "sapphirerapids"
// CHECK-NEXT:    %[[THREADS:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK-NEXT:    omp.parallel if(%[[IF]]) num_threads(%[[THREADS]] : i32) private(@copy %[[X]] -> %{{.*}} : !llvm.ptr) {
// CHECK-NEXT:      omp.parallel {
// CHECK-NEXT:        llvm.store %[[V]], %[[X]]
// CHECK:       llvm.func internal @clauses_parallel_1(
// CHECK-NOT:   llvm.func
llvm.func @clauses(%x: !llvm.ptr, %if: i1, %v: f32) attributes {
    passthrough = ["nounwind"], target_cpu = "x86-64-v4",
    target_features = #llvm.target_features<["+avx512f"]>, tune_cpu = "sapphirerapids"} {
  %threads = llvm.mlir.constant(2 : i32) : i32
  omp.parallel if(%if) num_threads(%threads : i32) private(@copy %x -> %mine : !llvm.ptr) {
    omp.parallel {
      llvm.store %v, %x : f32, !llvm.ptr
      omp.terminator
    }
    omp.terminator
  }
  omp.parallel {
    llvm.store %threads, %x : i32, !llvm.ptr
    omp.terminator
  }
  llvm.return
}
