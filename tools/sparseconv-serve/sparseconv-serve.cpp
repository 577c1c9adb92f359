//===- sparseconv-serve.cpp - runs a network for another process ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a network for the CPU and calls its functions, both as asked for on
// standard input. A message, either way, is one line of JSON and then the bytes
// that the line announces, row major:
//
//   {"module": BYTES, "name": "net.mlir"}            and the text of the IR
//   -> {"functions": [{"name": "main", "inputs": [VALUE...], "outputs":
//   [...]}]}
//   {"call": "main", "arguments": [VALUE, ...]}      and their elements
//   -> {"results": [VALUE, ...]}                     and their elements
//
// where VALUE is {"name": "x", "dtype": "f32", "shape": [-1, 4]}; -1 is any
// size, and a scalar has the shape [1]. A request that fails is answered by
// {"error": "why"}. Diagnostics go to standard error. Ends with its input.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "sparseconv/Execution/CpuExecutable.h"
#include "sparseconv/Pipelines/Registration.h"
#include "sparseconv/Reference/Reference.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include <cstdio>
#include <unistd.h>

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::ElementKind;
using ::sparseconv::HostTensor;
namespace cl = llvm::cl;
namespace json = llvm::json;

namespace {
/// Registered when the tool starts, as it may share a program with others.
struct Options {
  cl::opt<std::string> target{
      "target",
      cl::desc("'cpu' (compiled for this machine) or 'reference' "
               "(the interpreter, in float64)"),
      cl::init("cpu"), cl::value_desc("name")};
  cl::opt<unsigned> threads{"num-threads",
                            cl::desc("threads of the CPU target (0: all)"),
                            cl::init(0)};
};

class Server {
public:
  Server(const Options &options, std::FILE *output)
      : options(options), output(output) {
    registerDialects(registry);
    context.appendDialectRegistry(registry);
  }
  int serve();

private:
  bool readBytes(char *data, size_t size) {
    return std::fread(data, 1, size, stdin) == size;
  }
  void reply(json::Object message, ArrayRef<HostTensor> tensors = {});
  void refuse(llvm::Error error) {
    reply(json::Object{{"error", llvm::toString(std::move(error))}});
  }
  llvm::Expected<json::Object> load(const json::Object &request);
  llvm::Expected<std::vector<HostTensor>> call(const json::Object &request);
  llvm::Expected<std::vector<HostTensor>>
  readArguments(const json::Object &request, const Signature *signature);

  const Options &options;
  std::FILE *output;
  DialectRegistry registry;
  MLIRContext context;
  llvm::SourceMgr sources;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<CpuExecutable> executable;
  llvm::StringMap<Signature> signatures;
  /// The input cannot be followed any more.
  bool isLost = false;
};
} // namespace

void Server::reply(json::Object message, ArrayRef<HostTensor> tensors) {
  std::string line;
  llvm::raw_string_ostream(line) << json::Value(std::move(message)) << '\n';
  std::fwrite(line.data(), 1, line.size(), output);
  for (const HostTensor &tensor : tensors)
    std::fwrite(tensor.getData(), 1, tensor.getNumBytes(), output);
  std::fflush(output);
}

static json::Object describe(StringRef name, ElementKind kind,
                             ArrayRef<int64_t> shape) {
  json::Array sizes;
  for (int64_t size : shape)
    sizes.push_back(ShapedType::isDynamic(size) ? -1 : size);
  if (shape.empty())
    sizes.push_back(1);
  return json::Object{{"name", name.str()},
                      {"dtype", ::sparseconv::getName(kind)},
                      {"shape", std::move(sizes)}};
}

/// Names as a plan has them, where the function gives none.
static json::Array describe(ArrayRef<Parameter> parameters, const char *role,
                            llvm::function_ref<StringAttr(unsigned)> getName) {
  json::Array values;
  for (auto [number, parameter] : llvm::enumerate(parameters)) {
    StringAttr name = getName(number);
    values.push_back(describe(name ? name.str() : role + std::to_string(number),
                              parameter.kind, parameter.shape));
  }
  return values;
}

llvm::Expected<json::Object> Server::load(const json::Object &request) {
  std::string text(request.getInteger("module").value_or(0), 0);
  if (!readBytes(text.data(), text.size())) {
    isLost = true;
    return llvm::createStringError("the input ends within the module");
  }
  if (module)
    return llvm::createStringError("there is a module already");
  StringRef name = request.getString("name").value_or("<string>");
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name),
                             llvm::SMLoc());
  module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return llvm::createStringError("'" + name + "' is no valid module");

  json::Array functions;
  for (auto function : module->getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    // Functions on sets or maps are for callers inside the module.
    auto signature = getSignature(*module, function.getName());
    if (!signature) {
      llvm::consumeError(signature.takeError());
      continue;
    }
    StringRef key = "sparseconv.name";
    functions.push_back(json::Object{
        {"name", function.getName()},
        {"inputs", describe(signature->arguments, "arg",
                            [&](unsigned number) {
                              return function.getArgAttrOfType<StringAttr>(
                                  number, key);
                            })},
        {"outputs",
         describe(signature->results, "result", [&](unsigned number) {
           return function.getResultAttrOfType<StringAttr>(number, key);
         })}});
    signatures[function.getName()] = std::move(*signature);
  }
  if (options.target == "cpu") {
    CpuOptions cpu;
    cpu.numThreads = options.threads;
    auto compiled = CpuExecutable::compile(*module, cpu);
    if (!compiled)
      return compiled.takeError();
    executable = std::move(*compiled);
  }
  return json::Object{{"functions", std::move(functions)}};
}

/// Reads what the request announces, also where nobody wants it.
llvm::Expected<std::vector<HostTensor>>
Server::readArguments(const json::Object &request, const Signature *signature) {
  std::vector<HostTensor> arguments;
  const json::Array *values = request.getArray("arguments");
  isLost = true;
  for (const json::Value &value : values ? *values : json::Array()) {
    const json::Object *object = value.getAsObject();
    auto name = object ? object->getString("dtype") : std::nullopt;
    auto kind = name ? ::sparseconv::parseElementKind(*name) : std::nullopt;
    const json::Array *sizes = object ? object->getArray("shape") : nullptr;
    if (!kind || !sizes)
      return llvm::createStringError(
          "an argument has no known dtype or no shape");
    SmallVector<int64_t> shape;
    int64_t bytes = ::sparseconv::getByteWidth(*kind);
    for (const json::Value &size : *sizes) {
      shape.push_back(size.getAsInteger().value_or(-1));
      if (shape.back() < 0 || llvm::MulOverflow(bytes, shape.back(), bytes))
        return llvm::createStringError("an argument has no valid shape");
    }
    size_t number = arguments.size();
    if (signature && number < signature->arguments.size() &&
        signature->arguments[number].isScalar() && shape.size() == 1 &&
        shape[0] == 1)
      shape.clear();
    HostTensor &tensor = arguments.emplace_back(*kind, shape);
    if (!readBytes(tensor.getData(), tensor.getNumBytes()))
      return llvm::createStringError("the input ends within an argument");
  }
  isLost = false;
  return arguments;
}

llvm::Expected<std::vector<HostTensor>>
Server::call(const json::Object &request) {
  StringRef name = *request.getString("call");
  auto it = signatures.find(name);
  const Signature *signature = it == signatures.end() ? nullptr : &it->second;
  auto arguments = readArguments(request, signature);
  if (!arguments)
    return arguments.takeError();
  if (!signature)
    return llvm::createStringError("no function '" + name +
                                   "' of tensors and scalars in the module");
  if (executable)
    return executable->run(name, *arguments);
  return runReference(*module, name, *arguments, {});
}

int Server::serve() {
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  char *line = nullptr;
  size_t room = 0;
  ssize_t length;
  while (!isLost && (length = ::getline(&line, &room, stdin)) > 0) {
    auto parsed = json::parse(StringRef(line, length));
    const json::Object *request = parsed ? parsed->getAsObject() : nullptr;
    isLost = !request;
    if (!parsed) {
      refuse(parsed.takeError());
    } else if (request && request->getInteger("module")) {
      if (auto functions = load(*request))
        reply(std::move(*functions));
      else
        refuse(functions.takeError());
    } else if (request && request->getString("call")) {
      auto results = call(*request);
      if (!results) {
        refuse(results.takeError());
        continue;
      }
      json::Array values;
      for (const HostTensor &result : *results)
        values.push_back(describe("", result.getKind(), result.getShape()));
      reply(json::Object{{"results", std::move(values)}}, *results);
    } else {
      isLost = true;
      refuse(llvm::createStringError("a request has 'module' or 'call'"));
    }
  }
  std::free(line);
  return isLost;
}

int main(int argc, char **argv) {
  Options options;
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(
      argc, argv,
      "compiles a network for the CPU and calls its functions, for the process "
      "at the other end of its standard input and output\n");
  if (options.target != "cpu" && options.target != "reference") {
    llvm::errs() << "sparseconv-serve: error: --target is 'cpu' or "
                    "'reference', but found '"
                 << options.target << "'\n";
    return 1;
  }
  // Whatever else prints may not come between the messages.
  std::FILE *output = ::fdopen(::dup(STDOUT_FILENO), "wb");
  if (!output || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    llvm::errs() << "sparseconv-serve: error: there is no standard output\n";
    return 1;
  }
  return Server(options, output).serve();
}
