//===- SparseConvAttrs.cpp - syntax of attributes, and decisions ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::sparseconv;

#include "sparseconv/Dialect/SparseConv/IR/SparseConvEnums.cpp.inc"

#include "sparseconv/Dialect/SparseConv/IR/SparseConvInterfaces.cpp.inc"

/// The name of a search, and whether it is for half of the offsets.
static ParseResult parseSearch(AsmParser &parser, std::string &name,
                               bool &half) {
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  name = keyword.str();
  half = succeeded(parser.parseOptionalComma());
  return half ? parser.parseKeyword("half") : ParseResult(success());
}

static void printSearch(AsmPrinter &printer, StringRef name, bool half) {
  printer << name << (half ? ", half" : "");
}

#define GET_ATTRDEF_CLASSES
#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.cpp.inc"

void SparseConvDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.cpp.inc"
      >();
}

/// `[` integer (`,` integer)* `]`
static ParseResult parseIntegerList(AsmParser &parser,
                                    SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

static void printIntegerList(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

LogicalResult
mlir::sparseconv::verifyNumAxes(function_ref<InFlightDiagnostic()> emitError,
                                size_t dim) {
  if (dim < 1 || dim > 4)
    return emitError() << "expects 1 to 4 axes, but found " << dim;
  return success();
}

//===----------------------------------------------------------------------===//
// How packings and offset sets are written
//===----------------------------------------------------------------------===//

Attribute PackingAttr::parse(AsmParser &parser, Type) {
  IntegerType keyType;
  unsigned batch;
  SmallVector<int64_t> bits, guard;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(keyType))
    return {};
  if (!keyType.isSignless())
    return parser.emitError(loc, "expects keys of type i32 or i64, but found ")
               << keyType,
           Attribute();
  if (parser.parseComma() || parser.parseKeyword("batch") ||
      parser.parseEqual() || parser.parseInteger(batch) ||
      parser.parseComma() || parser.parseKeyword("bits") ||
      parser.parseEqual() || parseIntegerList(parser, bits) ||
      parser.parseComma() || parser.parseKeyword("guard") ||
      parser.parseEqual() || parseIntegerList(parser, guard) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<PackingAttr>(parser.getContext(), keyType.getWidth(),
                                        batch, bits, guard);
}

void PackingAttr::print(AsmPrinter &printer) const {
  printer << "<i" << getKeyWidth() << ", batch = " << getBatch() << ", bits = ";
  printIntegerList(printer, getBits());
  printer << ", guard = ";
  printIntegerList(printer, getGuard());
  printer << '>';
}

BoxAttr BoxAttr::get(MLIRContext *context, ArrayRef<int64_t> size) {
  return get(context, size, /*corner=*/false);
}

BoxAttr BoxAttr::get(MLIRContext *context, ArrayRef<int64_t> size,
                     bool corner) {
  return get(context, size, SmallVector<bool>(size.size(), corner),
             SmallVector<int64_t>(size.size(), 1));
}

Attribute BoxAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> size, dilation;
  SmallVector<bool> corner;
  if (parser.parseLess())
    return {};
  do {
    if (succeeded(parser.parseOptionalKeyword("dilation"))) {
      if (parser.parseEqual() || parseIntegerList(parser, dilation))
        return {};
      break;
    }
    corner.push_back(succeeded(parser.parseOptionalKeyword("corner")));
    if (parser.parseInteger(size.emplace_back()))
      return {};
  } while (succeeded(parser.parseOptionalComma()));
  if (parser.parseGreater())
    return {};
  if (dilation.empty())
    dilation.assign(size.size(), 1);
  return parser.getChecked<BoxAttr>(parser.getContext(), size, corner,
                                    dilation);
}

void BoxAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(llvm::zip_equal(getSize(), getCorner()), printer,
                        [&](auto axis) {
                          auto [size, corner] = axis;
                          printer << (corner ? "corner " : "") << size;
                        });
  if (llvm::any_of(getDilation(), [](int64_t d) { return d != 1; })) {
    printer << ", dilation = ";
    printIntegerList(printer, getDilation());
  }
  printer << '>';
}

Attribute OffsetListAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> flat;
  std::optional<unsigned> dim;
  auto parseOffset = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    SmallVector<int64_t> offset;
    if (parseIntegerList(parser, offset))
      return failure();
    if (dim && offset.size() != *dim)
      return parser.emitError(loc) << "expects an offset of " << *dim
                                   << " numbers, but found " << offset.size();
    dim = offset.size();
    llvm::append_range(flat, offset);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseOffset))
    return {};
  return parser.getChecked<OffsetListAttr>(parser.getContext(), dim.value_or(0),
                                           flat);
}

void OffsetListAttr::print(AsmPrinter &printer) const {
  printer << '<';
  for (size_t i = 0, e = getOffsets().size(); i < e; i += getDim()) {
    if (i)
      printer << ", ";
    printIntegerList(printer, getOffsets().slice(i, getDim()));
  }
  printer << '>';
}

//===----------------------------------------------------------------------===//
// RegionAttr
//===----------------------------------------------------------------------===//

/// Bounds that one can be added to, and that have a distance.
static constexpr int64_t kMaxBound = int64_t(1) << 62;

LogicalResult RegionAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> lower,
                                 ArrayRef<int64_t> upper) {
  if (failed(verifyNumAxes(emitError, lower.size())))
    return failure();
  if (lower.size() != upper.size())
    return emitError() << "expects bounds of equal length, but found "
                       << lower.size() << " and " << upper.size();
  for (auto [axis, low, high] : llvm::enumerate(lower, upper)) {
    if (high < low)
      return emitError() << "axis " << axis << " ends at " << high
                         << ", before it begins at " << low;
    for (int64_t bound : {low, high})
      if (bound < -kMaxBound || bound > kMaxBound)
        return emitError() << "expects bounds of -2^62 to 2^62, but found "
                           << bound << " on axis " << axis;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// What sizes of kernels are written as: beyond, products would pass 64 bits
/// before anything refuses them.
static constexpr int64_t kMaxSize = int64_t(1) << 16;

static LogicalResult
verifySizes(function_ref<InFlightDiagnostic()> emitError,
            ArrayRef<std::pair<StringRef, int64_t>> sizes) {
  for (auto [name, size] : sizes)
    if (size < 1 || size > kMaxSize)
      return emitError() << "expects " << name << " of 1 to " << kMaxSize
                         << ", but found " << size;
  return success();
}

LogicalResult DataflowAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef name, int64_t splitK,
                                   int64_t epsilon, int64_t s,
                                   std::optional<int64_t> norm) {
  if (epsilon < 0 || epsilon > 100)
    return emitError() << "expects epsilon of 0 to 100 per cent, but found "
                       << epsilon;
  if (s < 0)
    return emitError() << "expects s of at least 0, but found " << s;
  if (norm && *norm < 1)
    return emitError() << "expects norm of at least 1, but found " << *norm;
  return verifySizes(emitError, {{"split_k", splitK}});
}

LogicalResult TilingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t rowBlock, int64_t rows,
                                 int64_t columns, int64_t lanes) {
  if (failed(verifySizes(emitError, {{"row_block", rowBlock},
                                     {"rows", rows},
                                     {"columns", columns},
                                     {"lanes", lanes}})))
    return failure();
  if (columns % lanes != 0)
    return emitError() << "expects lanes that divide columns, but found "
                       << lanes << " and " << columns;
  // Each vector of sums is code of its own, and no processor has so many
  // registers. The sums of a piece of work are memory of a thread.
  constexpr int64_t kMaxLanes = 64, kMaxVectors = 1024;
  constexpr int64_t kMaxSums = int64_t(1) << 24;
  if (lanes > kMaxLanes)
    return emitError() << "expects lanes of at most " << kMaxLanes
                       << ", but found " << lanes;
  if (rows * (columns / lanes) > kMaxVectors)
    return emitError() << "expects rows of columns that are at most "
                       << kMaxVectors << " vectors, but found "
                       << rows * (columns / lanes);
  if (rowBlock * columns > kMaxSums)
    return emitError() << "expects row_block and columns of at most "
                       << kMaxSums << " sums, but found " << rowBlock * columns;
  return success();
}

LogicalResult
GemmTilingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       StringRef mainLoop, int64_t warps, int64_t blocks,
                       int64_t tileK, int64_t tileN, int64_t stages,
                       bool resident) {
  return verifySizes(emitError, {{"warps", warps},
                                 {"blocks", blocks},
                                 {"tile_k", tileK},
                                 {"tile_n", tileN},
                                 {"stages", stages}});
}

LogicalResult
WeightGradTilingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                             StringRef mainLoop, int64_t tileGroups,
                             int64_t tileIn, int64_t tileOut, int64_t pieceIn,
                             int64_t pieceOut, int64_t slices, int64_t pairs,
                             int64_t stages, int64_t blocks) {
  return verifySizes(emitError, {{"tile_groups", tileGroups},
                                 {"tile_in", tileIn},
                                 {"tile_out", tileOut},
                                 {"piece_in", pieceIn},
                                 {"piece_out", pieceOut},
                                 {"slices", slices},
                                 {"pairs", pairs},
                                 {"stages", stages},
                                 {"blocks", blocks}});
}
