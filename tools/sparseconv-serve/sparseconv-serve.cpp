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
// {"error": "why"}, and where its end can be found the next one is read. A
// request may have an integer "id", which its answer has too. Diagnostics go to
// standard error. Ends with its input.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "sparseconv/Execution/CpuExecutable.h"
#include "sparseconv/Pipelines/ParseNetwork.h"
#include "sparseconv/Pipelines/Registration.h"
#include "sparseconv/Reference/Reference.h"
#include "sparseconv/Support/Json.h"
#include "sparseconv/Support/Status.h"
#include "sparseconv/Support/TargetInfo.h"
#include "sparseconv/Tools/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::ElementKind;
using ::sparseconv::HostTensor;
namespace cl = llvm::cl;
namespace json = llvm::json;

/// What a source location can count.
static constexpr int64_t kMostModuleBytes = UINT32_MAX;

namespace {
/// Registered when the tool starts, as it may share a program with others.
struct Options {
  cl::OptionCategory category{"Serving"};
  cl::opt<std::string> target{
      "target",
      cl::desc("'cpu' (default; compiled for this machine) or 'reference' "
               "(the interpreter, in float64)"),
      cl::init("cpu"), cl::value_desc("name"), cl::cat(category)};
  cl::opt<unsigned> threads{"num-threads",
                            cl::desc("threads of the CPU target (0: all)"),
                            cl::init(0), cl::cat(category)};
  cl::opt<std::string> tuningDatabase{
      "tuning-database",
      cl::desc("a file of sparseconv-tune for the CPU target, 'none', or "
               "'default': the measurements of the project"),
      cl::init("default"), cl::value_desc("file"), cl::cat(category)};
};

class Server {
public:
  Server(const Options &options, std::FILE *output)
      : options(options), output(output) {
    registerDialects(registry);
    registerBriefDiagnostics(registry);
    context.appendDialectRegistry(registry);
  }
  int serve();

private:
  bool readBytes(char *data, size_t size) {
    return std::fread(data, 1, size, stdin) == size;
  }
  bool skipBytes(uint64_t size);
  void reply(json::Object message, ArrayRef<HostTensor> tensors = {});
  void refuse(llvm::Error error) {
    reply(json::Object{{"error", llvm::toString(std::move(error))}});
  }
  llvm::Expected<json::Object> load(const json::Object &request);
  llvm::Expected<std::vector<HostTensor>> call(const json::Object &request);
  llvm::Expected<std::vector<HostTensor>>
  readArguments(const json::Object &request, const Signature *signature);
  void answer(const json::Object &request);

  const Options &options;
  std::FILE *output;
  DialectRegistry registry;
  MLIRContext context;
  llvm::SourceMgr sources;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<CpuExecutable> executable;
  llvm::StringMap<Signature> signatures;
  /// Of the request that is being answered.
  std::optional<int64_t> id;
  /// The input cannot be followed any more.
  bool isLost = false;
};

/// An argument as a request announces it.
struct Announced {
  ElementKind kind;
  SmallVector<int64_t> shape;
  uint64_t bytes;
};
} // namespace

/// Reads what nobody wants.
bool Server::skipBytes(uint64_t size) {
  char part[1 << 14];
  while (size) {
    size_t next = std::min<uint64_t>(size, sizeof(part));
    if (!readBytes(part, next))
      return false;
    size -= next;
  }
  return true;
}

void Server::reply(json::Object message, ArrayRef<HostTensor> tensors) {
  if (id)
    message["id"] = *id;
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

static json::Array describe(ArrayRef<Parameter> parameters) {
  json::Array values;
  for (const Parameter &parameter : parameters)
    values.push_back(describe(parameter.name, parameter.kind, parameter.shape));
  return values;
}

llvm::Expected<json::Object> Server::load(const json::Object &request) {
  isLost = true;
  int64_t size = request.getInteger("module").value_or(0);
  if (size < 0)
    return llvm::createStringError("a module has " + llvm::Twine(size) +
                                   " bytes");
  std::unique_ptr<llvm::WritableMemoryBuffer> text =
      size > kMostModuleBytes
          ? nullptr
          : llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
                size, request.getString("name").value_or("<string>"));
  bool isRead =
      text ? readBytes(text->getBufferStart(), size) : skipBytes(size);
  isLost = !isRead;
  if (!text)
    return llvm::createStringError("no memory for a module of " +
                                   llvm::Twine(size) + " bytes");
  if (!isRead)
    return llvm::createStringError("the input ends within the module");
  if (module)
    return llvm::createStringError("there is a module already");
  std::string name = text->getBufferIdentifier().str();
  sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  module = mlir::sparseconv::parseNetwork(sources, context);
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
    functions.push_back(
        json::Object{{"name", function.getName()},
                     {"inputs", describe(signature->arguments)},
                     {"outputs", describe(signature->results)}});
    signatures[function.getName()] = std::move(*signature);
  }
  if (options.target != "reference") {
    CpuOptions cpu;
    cpu.level = StringRef(options.target).split(':').second.str();
    cpu.numThreads = options.threads;
    cpu.selection.tuningDatabase = options.tuningDatabase;
    auto compiled = CpuExecutable::compile(*module, cpu);
    if (!compiled) {
      // Nothing else answers in its place.
      signatures.clear();
      return compiled.takeError();
    }
    executable = std::move(*compiled);
  }
  return json::Object{{"functions", std::move(functions)}};
}

/// What the arguments of a request are, or why nobody can tell where it ends.
static llvm::Expected<std::vector<Announced>>
readAnnouncement(const json::Object &request) {
  std::vector<Announced> arguments;
  const json::Array *values = request.getArray("arguments");
  int64_t total = 0;
  for (const json::Value &value : values ? *values : json::Array()) {
    const json::Object *object = value.getAsObject();
    auto name = object ? object->getString("dtype") : std::nullopt;
    auto kind = name ? ::sparseconv::parseElementKind(*name) : std::nullopt;
    const json::Array *sizes = object ? object->getArray("shape") : nullptr;
    if (!kind || !sizes)
      return llvm::createStringError(
          "an argument has no known dtype or no shape");
    SmallVector<int64_t> shape;
    bool isEmpty = false;
    for (const json::Value &size : *sizes) {
      shape.push_back(size.getAsInteger().value_or(-1));
      isEmpty |= shape.back() == 0;
    }
    int64_t bytes = ::sparseconv::getByteWidth(*kind);
    for (int64_t size : shape)
      if (size < 0 || llvm::MulOverflow(bytes, isEmpty ? 0 : size, bytes))
        return llvm::createStringError("an argument has no valid shape");
    arguments.push_back({*kind, shape, static_cast<uint64_t>(bytes)});
    if (llvm::AddOverflow(total, bytes, total))
      return llvm::createStringError("the arguments have over 2^63 bytes");
  }
  return arguments;
}

/// Memory for an argument, or why it is not taken.
static llvm::Expected<HostTensor> makeArgument(const Announced &argument,
                                               size_t number, bool isScalar) {
  if (!argument.shape.empty() && argument.shape[0] > ::sparseconv::kMaxRows)
    return llvm::createStringError("argument " + llvm::Twine(number) + " has " +
                                   llvm::Twine(argument.shape[0]) +
                                   " rows, more than " +
                                   llvm::Twine(::sparseconv::kMaxRows));
  auto tensor = HostTensor::create(
      argument.kind,
      isScalar ? ArrayRef<int64_t>() : ArrayRef<int64_t>(argument.shape));
  if (!tensor)
    return llvm::createStringError("argument " + llvm::Twine(number) + ": " +
                                   llvm::toString(tensor.takeError()));
  return tensor;
}

/// Reads what the request announces, also where nobody wants it.
llvm::Expected<std::vector<HostTensor>>
Server::readArguments(const json::Object &request, const Signature *signature) {
  isLost = true;
  auto announced = readAnnouncement(request);
  if (!announced)
    return announced.takeError();
  std::vector<HostTensor> arguments;
  // Of the first argument that is not taken; the others are not tried.
  std::string problem;
  for (auto [number, argument] : llvm::enumerate(*announced)) {
    bool isScalar = signature && number < signature->arguments.size() &&
                    signature->arguments[number].isScalar() &&
                    argument.shape.size() == 1 && argument.shape[0] == 1;
    if (problem.empty()) {
      auto tensor = makeArgument(argument, number, isScalar);
      if (tensor)
        arguments.push_back(std::move(*tensor));
      else
        problem = llvm::toString(tensor.takeError());
    }
    bool isRead = problem.empty()
                      ? readBytes(arguments.back().getData(), argument.bytes)
                      : skipBytes(argument.bytes);
    if (!isRead)
      return llvm::createStringError(
          problem.empty() ? "the input ends within an argument" : problem);
  }
  isLost = false;
  if (!problem.empty())
    return llvm::createStringError(problem);
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
  if (llvm::Error error = checkArguments(*signature, *arguments))
    return error;
  auto results = executable ? executable->run(name, *arguments)
                            : runReference(*module, name, *arguments, {});
  if (!results)
    return addRowCounts(results.takeError(), *signature, *arguments);
  return results;
}

void Server::answer(const json::Object &request) {
  id = request.getInteger("id");
  if (request.getInteger("module")) {
    if (auto functions = load(request))
      reply(std::move(*functions));
    else
      refuse(functions.takeError());
    return;
  }
  if (!request.getString("call")) {
    isLost = true;
    return refuse(llvm::createStringError("a request has 'module' or 'call'"));
  }
  auto results = call(request);
  if (!results)
    return refuse(results.takeError());
  json::Array values;
  for (const HostTensor &result : *results)
    values.push_back(describe("", result.getKind(), result.getShape()));
  reply(json::Object{{"results", std::move(values)}}, *results);
}

int Server::serve() {
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  char *line = nullptr;
  size_t room = 0;
  ssize_t length;
  while (!isLost && (length = ::getline(&line, &room, stdin)) > 0) {
    auto parsed = ::sparseconv::parseJson(StringRef(line, length));
    if (!parsed) {
      isLost = true;
      refuse(parsed.takeError());
    } else if (const json::Object *request = parsed->getAsObject()) {
      answer(*request);
    } else {
      isLost = true;
      refuse(llvm::createStringError("a request is a JSON object"));
    }
  }
  std::free(line);
  return isLost;
}

int main(int argc, char **argv) {
  Options options;
  llvm::InitLLVM init(argc, argv);
  ::sparseconv::parseCommandLine(
      argc, argv,
      "compiles a network for the CPU and calls its functions, for the "
      "process\n"
      "at the other end of its standard input and output\n",
      &options.category);
  if (options.target != "reference") {
    llvm::Expected<Target> target = parseTarget(options.target);
    if (!target || target->info->isGpu) {
      llvm::errs() << "sparseconv-serve: error: --target: "
                   << (target ? "'" + options.target + "' is a GPU"
                              : llvm::toString(target.takeError()))
                   << "; this serves 'cpu' and 'reference'\n";
      return 1;
    }
  }
  // Whatever else prints may not come between the messages.
  std::FILE *output = ::fdopen(::dup(STDOUT_FILENO), "wb");
  if (!output || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    llvm::errs() << "sparseconv-serve: error: there is no standard output\n";
    return 1;
  }
  return Server(options, output).serve();
}
