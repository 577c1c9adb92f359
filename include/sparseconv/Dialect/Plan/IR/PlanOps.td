//===- PlanOps.td - the host side of a network -------------*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_PLAN_OPS
#define SPARSECONV_PLAN_OPS

include "mlir/Dialect/GPU/IR/GPUBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

def Plan_Dialect : Dialect {
  let name = "sparseconv_plan";
  let cppNamespace = "::mlir::sparseconv";
  let summary = "What a host does to run a network on a device";
  let description = [{
    A *plan* is the host side of a compiled network as data: no code of the host
    is generated, and a small runtime carries the plan out. Each function is a
    list of what there is and what is done:

    - *inputs* and *outputs*, which are memory of the caller's;
    - *buffers* of the device's memory, whose sizes are computed from
      capacities, upper bounds of the inputs' sizes that the host knows;
    - *slots*, 64-bit numbers in device memory that hold exact sizes: kernels
      read and write them, the host does not;
    - *steps*, launches of kernels, which run in order within a stream and
      after those that they name in others.

    ```mlir
    sparseconv_plan.func @scale {
      %size = slot "x.0"
      %x = input "x" sizes(%size) : memref<?x4xf32>
      %capacity = capacity %x, 0 : memref<?x4xf32>
      %y = output "y"(%capacity) sizes(%size) : memref<?x4xf32>
      %c64 = arith.constant 64 : index
      %blocks = arith.ceildivui %capacity, %c64 : index
      %0 = launch @kernels::@scale grid(%blocks) block(64)
          args(%size, %x, %y : memref<1xindex>, memref<?x4xf32>, memref<?x4xf32>)
    }
    ```

    Buffers are of `memref` type, constants are `memref.get_global`, kernels are
    in a `gpu.module`, or in a `gpu.binary` once they are compiled. Sizes are
    computed by `arith` operations on `index`: constants, sums, products,
    quotients, least and greatest of two.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect"];
}

//===----------------------------------------------------------------------===//
// Base
//===----------------------------------------------------------------------===//

class Plan_Op<string mnemonic, list<Trait> traits = []>
    : Op<Plan_Dialect, mnemonic, traits>;

/// What stands in a function.
class Plan_BodyOp<string mnemonic, list<Trait> traits = []>
    : Plan_Op<mnemonic, !listconcat([HasParent<"PlanFuncOp">], traits)>;

def Plan_Slot
    : Type<And<[StaticShapeMemRefOf<[Index]>.predicate,
                CPred<"::llvm::cast<::mlir::MemRefType>($_self).getShape() == "
                      "::llvm::ArrayRef<int64_t>({1})">]>,
           "one index in device memory">,
      BuildableType<"::mlir::MemRefType::get({1}, $_builder.getIndexType())">;

def Plan_StatusRecord
    : Type<And<[StaticShapeMemRefOf<[I64]>.predicate,
                CPred<"::llvm::cast<::mlir::MemRefType>($_self).getShape() == "
                      "::llvm::ArrayRef<int64_t>({8})">]>,
           "the status record, eight i64 in device memory">,
      BuildableType<"::mlir::MemRefType::get({8}, $_builder.getI64Type())">;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

def PlanFuncOp
    : Plan_Op<"func", [IsolatedFromAbove, NoRegionArguments, NoTerminator,
                       OpAsmOpInterface, SingleBlock, Symbol]> {
  let summary = "a function that the runtime can call";
  let description = [{
    Inputs and outputs are those of the caller in the order in which they stand
    in the body. Steps are spread over `streams` streams, of which number 0 is
    the caller's.

    `op_table` lists the operations of the network as pairs of a name and a
    place in a file ("net.mlir:3:8", or empty). The status record refers to them
    by number; so do steps, for profiles.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    ConfinedAttr<DefaultValuedAttr<I32Attr, "1">,
                 [IntMinValue<1>, IntMaxValue<16>]>:$streams,
    OptionalAttr<ArrayAttr>:$op_table);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name (`streams` `(` $streams^ `)`)? attr-dict-with-keyword $body
  }];
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name)>];
  let extraClassDeclaration = [{
    /// Operations in the body are written without their dialect's name.
    static ::llvm::StringRef getDefaultDialect() { return "sparseconv_plan"; }
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def PlanSlotOp
    : Plan_BodyOp<"slot", [DeclareOpInterfaceMethods<OpAsmOpInterface,
                                                     ["getAsmResultNames"]>]> {
  let summary = "an exact size, in device memory";
  let description = [{
    ```mlir
    %size = slot "x.0"
    ```

    The slot of an input's dimension holds its size before the first step, and
    that of a growable capacity holds the capacity; any other is 0 then.
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Plan_Slot:$result);
  let assemblyFormat = "$name attr-dict";
}

def PlanStatusOp
    : Plan_BodyOp<"status", [Pure, DeclareOpInterfaceMethods<
                                       OpAsmOpInterface,
                                       ["getAsmResultNames"]>]> {
  let summary = "the status record, to which kernels report errors";
  let description = [{
    ```mlir
    %status = status
    ```

    Eight numbers of device memory, zeros before the first step: the code of the
    first error, the number of its operation in `op_table`, and what the message
    names (`StatusRecord` of Support/Status.h).
  }];
  let results = (outs Plan_StatusRecord:$result);
  let assemblyFormat = "attr-dict";
}

def PlanInputOp
    : Plan_BodyOp<"input", [DeclareOpInterfaceMethods<OpAsmOpInterface,
                                                      ["getAsmResultNames"]>]> {
  let summary = "memory of the caller's that steps read";
  let description = [{
    ```mlir
    %size = slot "x.0"
    %x = input "x" sizes(%size) : memref<?x4xf32>
    ```

    Contiguous and row major at its exact sizes, of which `sizes` has a slot for
    each dynamic dimension. Two inputs with one slot need equal sizes.

    Errors: another number of sizes; a size that is no slot.
  }];
  let arguments = (ins StrAttr:$name, Variadic<Plan_Slot>:$sizes);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $name (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def PlanOutputOp
    : Plan_BodyOp<"output", [AttrSizedOperandSegments,
                             DeclareOpInterfaceMethods<
                                 OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "memory of the caller's that steps write";
  let description = [{
    ```mlir
    %count = slot "y.0"
    %rows = capacity %x, 0 : memref<?x4xf32>
    %y = output "y"(%rows) sizes(%count) : memref<?x4xf32>
    ```

    As an input, with an upper bound of each dynamic dimension in `capacities`;
    steps write the exact sizes to the slots.

    Errors: those of an input; another number of capacities.
  }];
  let arguments = (ins StrAttr:$name, Variadic<Index>:$capacities,
                       Variadic<Plan_Slot>:$sizes);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $name (`(` $capacities^ `)` `sizes` `(` $sizes `)`)? attr-dict `:`
    type($result)
  }];
  let hasVerifier = 1;
}

def PlanBufferOp : Plan_BodyOp<"buffer"> {
  let summary = "memory for steps alone";
  let description = [{
    Undefined before the first step that uses it, and free for others after the
    last. `sizes` has one for each dynamic dimension. A `prepared` buffer is
    written by steps of preparation, and others leave what they find there; it is
    kept from run to run where preparation is done once.

    ```mlir
    %image = buffer prepared : memref<110592xi8>
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes, UnitAttr:$prepared);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    (`(` $sizes^ `)`)? (`prepared` $prepared^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def PlanAddressOp
    : Plan_BodyOp<"address", [Pure, AllTypesMatch<["buffer", "result"]>]> {
  let summary = "a buffer from one of its bytes on";
  let description = [{
    ```mlir
    %part = address %image plus %c4096 : memref<110592xi8>
    ```

    Memory of `buffer`, an input or an output as well, that begins `bytes` bytes
    behind where it does. Errors: a slot, or the status record.
  }];
  let arguments = (ins AnyMemRef:$buffer, Index:$bytes);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$buffer `plus` $bytes attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def PlanCapacityOp : Plan_BodyOp<"capacity", [Pure]> {
  let summary = "the upper bound of a dynamic dimension of an input";
  let description = [{
    ```mlir
    %rows = capacity %x, 0 : memref<?x4xf32>
    ```

    A number that the host knows before a run, and that the size of dimension
    `dim` does not exceed. Errors: what is no input; a dimension that is not there
    or that is static.
  }];
  let arguments = (ins AnyMemRef:$input, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$input `,` $dim attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def PlanGrowableCapacityOp : Plan_BodyOp<"growable_capacity"> {
  let summary = "a capacity that the runtime may raise from run to run";
  let description = [{
    ```mlir
    %limit = slot "limit.1"
    %rows = growable_capacity %limit from %start at_most %bound op(1)
    ```

    How many rows of a set there is memory for. It is `start` at first, or
    `bound` where that is less. Kernels compare with the slot `limit`, which holds
    it. Where operation `op` reports that it has more rows, the runtime repeats
    the run with a larger capacity, up to `bound`.

    Errors: a slot that something else than launches has, too; an operation that
    `op_table` does not have.
  }];
  let arguments = (ins Plan_Slot:$limit, Index:$start, Index:$bound,
    ConfinedAttr<I32Attr, [IntNonNegative]>:$op);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    $limit `from` $start `at_most` $bound `op` `(` $op `)` attr-dict
  }];
  let hasVerifier = 1;
}

def PlanExactSizeOp : Plan_BodyOp<"exact_size", [Pure]> {
  let summary = "a capacity, or the number that a run counts";
  let description = [{
    ```mlir
    %count = slot "count.0"
    %rows = exact_size %count at_most %capacity
    ```

    It is `capacity`, unless the runtime is asked for exact sizes. Then it is what
    the slot holds once all steps that count (`counts`) are done, and no more than
    `capacity`; for those steps themselves, and for growable capacities, it is
    `capacity` still.
  }];
  let arguments = (ins Plan_Slot:$count, Index:$capacity);
  let results = (outs Index:$result);
  let assemblyFormat = "$count `at_most` $capacity attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

def PlanLaunchOp
    : Plan_BodyOp<"launch", [AttrSizedOperandSegments,
                             DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a launch of a kernel";
  let description = [{
    `grid` has the blocks along x and, if there is more than one row of them,
    along y; a grid of no blocks is launched as one block, as kernels look at
    the exact sizes themselves. `block` is the number of threads of a block, and
    `shared` the bytes of dynamic shared memory.

    `args` are addresses, one for each parameter of the kernel. Launches of one
    `stream` run in the order of the function; `after` names those of other
    streams that have to be done first. `op` is a number of the function's
    `op_table`.

    A launch that `prepares` reads constants, inputs and prepared buffers alone,
    and writes prepared buffers: it packs weights, for example, or makes a map.
    What it writes to slots, no other launch does. The runtime carries it out
    once where those inputs are bound, instead of in each run.

    ```mlir
    %0 = launch @kernels::@pack grid(%c27) block(256) args(%w, %image : memref<27x32x64xf16>, memref<110592xi8>) prepares
    ```

    A launch that `counts` writes a slot of an `exact_size`, or what such a launch
    reads. It waits for launches that count alone, and no other uses before it
    what it writes.

    A kernel of a launch with a `prologue` reads some of its memory before it
    waits for the launch before it in its stream; no launch with a prologue
    writes that. So two of them that follow each other may overlap.

    Errors: no grid, or one of three sizes and more; a kernel that the module does
    not have, or that takes other parameters; `after` with what is no launch; a
    launch that prepares and uses memory that is not there ahead of a run.
  }];
  let arguments = (ins SymbolRefAttr:$kernel, Variadic<Index>:$grid,
    ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<1024>]>:$block,
    ConfinedAttr<DefaultValuedAttr<I32Attr, "0">,
                 [IntNonNegative]>:$shared,
    Variadic<AnyMemRef>:$args,
    ConfinedAttr<DefaultValuedAttr<I32Attr, "0">, [IntNonNegative]>:$stream,
    Variadic<GPU_AsyncToken>:$after,
    UnitAttr:$prepares, UnitAttr:$counts, UnitAttr:$prologue,
    OptionalAttr<ConfinedAttr<I32Attr, [IntNonNegative]>>:$op);
  let results = (outs GPU_AsyncToken:$done);
  let assemblyFormat = [{
    $kernel `grid` `(` $grid `)` `block` `(` $block `)`
    (`shared` `(` $shared^ `)`)? `args` `(` ($args^ `:` type($args))? `)`
    (`stream` `(` $stream^ `)`)? (`after` `(` $after^ `)`)?
    (`prepares` $prepares^)? (`counts` $counts^)? (`prologue` $prologue^)?
    (`op` `(` $op^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

#endif // SPARSECONV_PLAN_OPS
