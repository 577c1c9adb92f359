//===- MachineCodeTest.cpp - objects of one module ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineCode.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include "gtest/gtest.h"

using namespace mlir::sparseconv;
using namespace llvm;

/// Three functions that know each other's addresses, and a constant.
static const char *const kModule = R"(
@table = internal dso_local constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
declare dso_local void @start(ptr, ptr)
define internal dso_local void @first(ptr %x) {
  %v = load i32, ptr @table
  store i32 %v, ptr %x
  call void @start(ptr @second, ptr %x)
  ret void
}
define internal dso_local void @second(ptr %x) {
  %v = load i32, ptr getelementptr (i8, ptr @table, i64 8)
  store i32 %v, ptr %x
  call void @first(ptr %x)
  ret void
}
define dso_local void @main(ptr %x) {
  call void @start(ptr @first, ptr %x)
  call void @second(ptr %x)
  ret void
}
)";

/// Whether a relocation holds a distance of 32 bits to what it names itself,
/// not to an entry of a table.
static bool isNear(const object::RelocationRef &relocation) {
  return is_contained({ELF::R_X86_64_PC32, ELF::R_X86_64_32, ELF::R_X86_64_32S},
                      relocation.getType());
}

// The linker of the engine places each object on its own, maybe more than 2 GB
// from the others.
TEST(MachineCode, ObjectsMayLieFarApart) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module =
      parseAssemblyString(kModule, diagnostic, context);
  ASSERT_TRUE(module) << diagnostic.getMessage().str();
  auto builder = cantFail(orc::JITTargetMachineBuilder::detectHost());
  if (!builder.getTargetTriple().isX86_64())
    GTEST_SKIP() << "relocations of another machine";
  builder.setRelocationModel(Reloc::PIC_);
  builder.setCodeModel(CodeModel::Small);
  DefaultThreadPool threads(hardware_concurrency(3));
  mlir::MLIRContext host(mlir::MLIRContext::Threading::DISABLED);
  host.setThreadPool(threads);

  auto objects = compileToObjects(*module, builder, host);
  ASSERT_TRUE(bool(objects)) << toString(objects.takeError());
  ASSERT_EQ(objects->size(), 3u);
  unsigned numFar = 0;
  for (const std::unique_ptr<MemoryBuffer> &buffer : *objects) {
    auto file = cantFail(object::ObjectFile::createObjectFile(*buffer));
    for (const object::SectionRef &section : file->sections())
      for (const object::RelocationRef &relocation : section.relocations()) {
        object::SymbolRef symbol = *relocation.getSymbol();
        if (!(cantFail(symbol.getFlags()) & object::SymbolRef::SF_Undefined))
          continue;
        EXPECT_FALSE(isNear(relocation))
            << cantFail(symbol.getName()).str() << " has to be near";
        ++numFar;
      }
  }
  EXPECT_GE(numFar, 5u);
}
