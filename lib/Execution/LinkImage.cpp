//===- LinkImage.cpp - an object to an image of a plan --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinkImage.h"
#include "sparseconv/Runtime/CpuSymbols.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/JITLink/x86_64.h"

using namespace mlir;
using namespace mlir::sparseconv;
using namespace llvm::jitlink;
namespace plan = ::sparseconv::plan;
using Segment = plan::Image::Segment;

/// In assembly, as the types of the functions do not matter.
void mlir::sparseconv::addImports(llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << ".text\n";
  StringRef table = plan::kImportTable;
  size_t size = 0;
  for (const ::sparseconv::cpu::Symbol &symbol :
       ::sparseconv::cpu::getSymbols()) {
    os << ".globl " << symbol.name << "\n.hidden " << symbol.name << "\n.type "
       << symbol.name << ",@function\n"
       << symbol.name << ":\n  jmpq *" << table << "+" << size << "(%rip)\n";
    size += 8;
  }
  os << ".data\n.balign 8\n.globl " << table << "\n.type " << table
     << ",@object\n.size " << table << ", " << size << "\n"
     << table << ":\n  .zero " << size << "\n";
  module.appendModuleInlineAsm(text);
}

namespace {
/// What one link leaves.
struct Linked : LinkedImage {
  std::string problem;
};

/// Addresses are offsets in the image from here on, as some code of JITLink
/// takes address 0 for a symbol that is not there.
constexpr uint64_t kBase = uint64_t(1) << 32;

/// Gives the graph one block of memory, which is not freed by it.
class ImageMemory final : public JITLinkMemoryManager {
public:
  explicit ImageMemory(Linked &linked) : linked(linked) {}

  void allocate(const JITLinkDylib *, LinkGraph &graph,
                OnAllocatedFunction onAllocated) override;
  void deallocate(std::vector<FinalizedAlloc> allocs,
                  OnDeallocatedFunction onDeallocated) override {
    for (FinalizedAlloc &alloc : allocs)
      alloc.release();
    onDeallocated(llvm::Error::success());
  }

private:
  struct Allocation final : InFlightAlloc {
    void finalize(OnFinalizedFunction onFinalized) override {
      onFinalized(FinalizedAlloc(llvm::orc::ExecutorAddr(kBase)));
    }
    void abandon(OnAbandonedFunction onAbandoned) override {
      onAbandoned(llvm::Error::success());
    }
  };

  Linked &linked;
};

class ImageContext final : public JITLinkContext {
public:
  explicit ImageContext(Linked &linked)
      : JITLinkContext(nullptr), linked(linked), memory(linked) {}

  JITLinkMemoryManager &getMemoryManager() override { return memory; }
  void notifyFailed(llvm::Error error) override {
    linked.problem = llvm::toString(std::move(error));
  }
  void lookup(const LookupMap &symbols,
              std::unique_ptr<JITLinkAsyncLookupContinuation> next) override {
    // The object is complete, unless the runtime lacks a function.
    std::string names;
    for (const auto &[name, flags] : symbols)
      names += (names.empty() ? "" : ", ") + (*name).str();
    next->run(llvm::createStringError("nobody has " + names));
  }
  llvm::Error notifyResolved(LinkGraph &graph) override {
    for (Symbol *symbol : graph.defined_symbols())
      if (symbol->hasName() && symbol->getScope() != Scope::Local)
        addSymbol(*symbol->getName(), symbol->getAddress().getValue());
    return llvm::Error::success();
  }
  void notifyFinalized(JITLinkMemoryManager::FinalizedAlloc alloc) override {
    alloc.release();
  }
  llvm::Error modifyPassConfig(LinkGraph &,
                               PassConfiguration &config) override {
    config.PostFixupPasses.push_back(
        [this](LinkGraph &graph) { return relocate(graph); });
    return llvm::Error::success();
  }

private:
  /// Those that the runtime asks for.
  void addSymbol(StringRef name, uint64_t address) {
    if (name == StringRef(plan::kImportTable) ||
        name.starts_with(plan::kPackedPrefix))
      linked.image.symbols.push_back({name.str(), address - kBase});
  }
  llvm::Error relocate(LinkGraph &graph);

  Linked &linked;
  ImageMemory memory;
};
} // namespace

static Segment::Access getAccess(llvm::orc::MemProt protection) {
  using llvm::orc::MemProt;
  if ((protection & MemProt::Exec) != MemProt::None)
    return Segment::Access::Code;
  return (protection & MemProt::Write) != MemProt::None
             ? Segment::Access::Data
             : Segment::Access::Constant;
}

void ImageMemory::allocate(const JITLinkDylib *, LinkGraph &graph,
                           OnAllocatedFunction onAllocated) {
  BasicLayout layout(graph);
  auto sizes = layout.getContiguousPageBasedLayoutSizes(plan::kPageBytes);
  if (!sizes)
    return onAllocated(sizes.takeError());
  linked.bytes.resize(sizes->total());
  uint64_t offset = 0;
  for (auto &[group, segment] : layout.segments()) {
    segment.WorkingMem = linked.bytes.data() + offset;
    segment.Addr = llvm::orc::ExecutorAddr(kBase + offset);
    uint64_t size = llvm::alignTo(segment.ContentSize + segment.ZeroFillSize,
                                  plan::kPageBytes);
    if (size)
      linked.image.segments.push_back(
          {getAccess(group.getMemProt()), offset, size});
    offset += size;
  }
  if (llvm::Error error = layout.apply())
    return onAllocated(std::move(error));
  onAllocated(std::make_unique<Allocation>());
}

/// Notes which words hold addresses, and makes offsets of these.
llvm::Error ImageContext::relocate(LinkGraph &graph) {
  for (llvm::jitlink::Block *block : graph.blocks())
    for (Edge &edge : block->edges()) {
      if (!edge.isRelocation() || edge.getTarget().isAbsolute())
        continue;
      switch (edge.getKind()) {
      case x86_64::Pointer32:
      case x86_64::Pointer32Signed:
      case x86_64::Pointer16:
      case x86_64::Pointer8:
        return llvm::createStringError("an address of less than 64 bits");
      case x86_64::Pointer64:
        break;
      default:
        continue; // a distance
      }
      char *word = block->getAlreadyMutableContent().data() + edge.getOffset();
      llvm::support::endian::write64le(
          word, llvm::support::endian::read64le(word) - kBase);
      linked.image.relocations.push_back(
          (block->getAddress() + edge.getOffset()).getValue() - kBase);
    }
  return llvm::Error::success();
}

llvm::Expected<LinkedImage>
mlir::sparseconv::linkImage(llvm::MemoryBufferRef object) {
  auto graph = createLinkGraphFromObject(
      object, std::make_shared<llvm::orc::SymbolStringPool>());
  if (!graph)
    return graph.takeError();
  Linked linked;
  link(std::move(*graph), std::make_unique<ImageContext>(linked));
  if (!linked.problem.empty())
    return llvm::createStringError("the code cannot be linked: " +
                                   linked.problem);
  // The graph keeps both in the order of their addresses in this process.
  llvm::sort(linked.image.relocations);
  llvm::sort(linked.image.symbols,
             [](const auto &a, const auto &b) { return a.name < b.name; });
  linked.image.kind = plan::Image::Kind::MachineCode;
  for (const ::sparseconv::cpu::Symbol &symbol :
       ::sparseconv::cpu::getSymbols())
    linked.image.imports.push_back(symbol.name);
  return LinkedImage(std::move(linked));
}
