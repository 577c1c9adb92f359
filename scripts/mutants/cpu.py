"""Mutants of what operations mean and of the path to the CPU, built one at a time."""

IR = "lib/Dialect/SparseConv/IR/"
TRANSFORMS = "lib/Dialect/SparseConv/Transforms/"
KERNELS = "lib/Conversion/SparseConvToKernels/"
INDEXING = "lib/Kernels/Indexing/"
ROWS = "lib/Kernels/Rows/"
RUN = "test/Execution/"
# Quick, and sees most; the tests after it see the others.
NETWORKS = RUN + "random-networks.test "
TRANSFORM_TESTS = "test/Dialect/SparseConv/Transforms/"
FIND_EQUAL_ROWS = TRANSFORM_TESTS + "find-equal-rows.mlir"
EQUAL_ROWS = "test/Tools/sparseconv-run/equal-rows.test"
FUSE_EPILOGUES = TRANSFORM_TESTS + "fuse-epilogues.mlir"
OUTLINE_PARALLEL = TRANSFORM_TESTS + "outline-parallel.mlir"
DATAFLOWS = "lib/Kernels/Dataflow/"
SELECTION_TESTS = "test/Selection/"
TUNING = "lib/Tuning/"
TUNING_TESTS = "SparseConvTuningTests:"
GRADIENTS = "lib/Dialect/SparseConv/Differentiation/"
GRADIENT_TESTS = "test/Dialect/SparseConv/Differentiation/"

MUTANTS = [
    # What operations mean: packing, offsets, folds, guards.
    (IR + "SparseConvAttrs.cpp", "return -getBias(axis) + getGuard()[axis];", "return -getBias(axis) + getGuard()[axis] - 1;", NETWORKS + RUN + "sets.test test/Tools/sparseconv-run/run-time-errors.test test/Dialect/SparseConv/invalid-maps.mlir"),
    (IR + "SparseConvMapOps.cpp", "side = side == MapSide::In ? MapSide::Out : MapSide::In;", "", "test/Dialect/SparseConv/canonicalize-coords.mlir"),
    (IR + "SparseConvMapOps.cpp", "getSet(table.getMap(), MapSide::Out) == getOut()", "true", "test/Dialect/SparseConv/canonicalize-coords.mlir"),
    (IR + "SparseConvCoordOps.cpp", "if (getRule() == OutputRule::Floor && !getClip() &&", "if (!getClip() &&", "test/Dialect/SparseConv/canonicalize-coords.mlir"),
    (IR + "SparseConvCoordOps.cpp", "getRule() == OutputRule::Floor && !getClip() &&", "getRule() == OutputRule::Floor &&", "test/Dialect/SparseConv/canonicalize-coords.mlir"),
    (IR + "SparseConvCoordOps.cpp", "inner.getClip() ||", "", "test/Dialect/SparseConv/canonicalize-coords.mlir"),
    (IR + "SparseConvCoordOps.cpp", "op.getCapacity() ||\n      op.getOffsets()", "op.getOffsets()", "test/Dialect/SparseConv/canonicalize-coords.mlir"),
    (IR + "SparseConvCoordOps.cpp", "BoxAttr::get(context, by, /*corner=*/true)", "BoxAttr::get(context, by, /*corner=*/false)", NETWORKS + RUN + "upsample.test"),
    # Calls from other compilers.
    (TRANSFORMS + "CallRaiser.cpp", "return set.rowOf ? gather(features, set.rowOf) : features;", "return features;", "test/Producers/jax.test"),
    (TRANSFORMS + "CallRaiser.cpp", "if (value == points && set.getType() == type)", "if (value == points)", TRANSFORM_TESTS + "raise-custom-calls-each.mlir"),
    (TRANSFORMS + "CustomCall.cpp", "if (!llvm::is_contained(indices.getValues<int64_t>(), int64_t(i)))", "", TRANSFORM_TESTS + "raise-custom-calls.mlir"),
    (TRANSFORMS + "RaiseCustomCalls.cpp", "eachNew([](Operation *built) { built->erase(); });", "", TRANSFORM_TESTS + "raise-custom-calls-left.mlir"),
    # Features as plain operations.
    (TRANSFORMS + "TableBuilder.cpp", "return select(less(row, index(0)), last, row);", "return row;", TRANSFORM_TESTS + "decompose.mlir"),
    (TRANSFORMS + "TableBuilder.cpp", "*this, number, carried, ValueRange{row, k})", "*this, number, carried, ValueRange{row, index(0)})", "test/Pipelines/decompose.test"),
    (TRANSFORMS + "DecomposePool.cpp", "b.orBits(isFirst, b.andBits(isLarger, isNumber))", "b.orBits(isFirst, isLarger)", "test/Pipelines/decompose.test"),
    (TRANSFORMS + "DecomposePool.cpp", "return b.fromFloat(b.select(isEmpty, b.f32(0), value), element);", "return b.fromFloat(value, element);", "test/Pipelines/decompose.test"),
    ("lib/Dialect/SparseConv/Utils/SignatureAttributes.cpp", "return std::exchange(position, position + types.size());", "return position++;", TRANSFORM_TESTS + "decompose.mlir"),
    # Other people's programs.
    ("lib/Conversion/KernelsToGpu/ShareMemory.cpp", "if (matchPattern(blocks, m_Constant()))", "if (true)", "test/Conversion/KernelsToGpu/share-memory.mlir"),
    ("lib/Conversion/KernelsToGpu/ShareMemory.cpp", "unused.insert(op.getOperand(i));", "", "test/Conversion/KernelsToGpu/share-memory.mlir"),
    ("lib/Pipelines/ParseNetwork.cpp", "return attribute.getNameDialect() ||", "return true ||", "test/Tools/sparseconv-run/foreign-attributes.mlir"),
    (KERNELS + "ReportErrors.cpp", "text += op.name + '\\0' + op.place + '\\0';", "text += op.name + '\\0';", "test/Conversion/SparseConvToKernels/report-errors.mlir"),
    # Sets of row numbers, and tables that a caller vouches for.
    (KERNELS + "Coords.cpp", "!op.getClip() && holdsRowNumbers(set) &&", "!op.getClip() &&", "test/Conversion/SparseConvToKernels/row-numbers.mlir"),
    (KERNELS + "Coords.cpp", "row.getDim() == 0 && column.getDim() == 1", "row.getDim() == 0", "test/Conversion/SparseConvToKernels/row-numbers.mlir"),
    (KERNELS + "Maps.cpp", "if (op->hasAttr(kTrustedAttr))", "if (true)", "test/Execution/row-numbers.mlir"),
    (KERNELS + "Maps.cpp", "bool isTrusted = op->hasAttr(kTrustedAttr);", "bool isTrusted = true;", "test/Conversion/SparseConvToKernels/maps.mlir"),
    (KERNELS + "Coords.cpp", "packing.getBias(axis)", "0", "test/Conversion/SparseConvToKernels/row-numbers.mlir"),
    # Gradients.
    (GRADIENTS + "LoopBody.cpp", "return isReduction() ? getWideType(element) : element;", "return element;", GRADIENT_TESTS + "linalg.mlir"),
    (GRADIENTS + "LoopBody.cpp", "inputs[read.getArgNumber()].map != target.map", "false", GRADIENT_TESTS + "linalg.mlir " + RUN + "gradients.mlir"),
    (GRADIENTS + "ScalarAdjoints.cpp", "g.isActive(rhs) ? orEqual : strictly", "orEqual", GRADIENT_TESTS + "linalg.mlir"),
    (GRADIENTS + "KeepResults.cpp", "read.contains(value) && !isKept(value)", "read.contains(value)", GRADIENT_TESTS + "differentiate.mlir"),
    (GRADIENTS + "RowAdjoints.cpp", "arith::CmpFPredicate::OEQ, x, largest", "arith::CmpFPredicate::OLE, x, largest", RUN + "gradients.mlir"),
    (GRADIENTS + "TensorAdjoints.cpp", "offsets[dim] = add(b, loc, offsets[dim], sizes[dim]);", "", GRADIENT_TESTS + "tensor.mlir"),
    ("lib/Pipelines/Registration.cpp", "  arith::registerBufferViewFlowOpInterfaceExternalModels(registry);\n", "", "test/Pipelines/chosen-buffers.mlir"),
    # Passes.
    (TRANSFORMS + "BufferizableOpInterfaceImpl.cpp", "&unique.getRowOfMutable()", "&unique.getOrderMutable()", TRANSFORM_TESTS + "bufferize-kernels.mlir"),
    (TRANSFORMS + "FuseConcatenations.cpp", "return succeeded(equal) && *equal;", "return true;", TRANSFORM_TESTS + "fuse-concatenations.mlir"),
    (TRANSFORMS + "FuseConcatenations.cpp", "&use == &gemm.getXMutable()", "true", TRANSFORM_TESTS + "fuse-concatenations.mlir"),
    (TRANSFORMS + "FuseEpilogues.cpp", "if (map.isFunctionOfDim(0) &&", "if (false &&", FUSE_EPILOGUES),
    (TRANSFORMS + "FuseEpilogues.cpp", "left != right ? left > right : rhs->isBeforeInBlock(lhs)", "rhs->isBeforeInBlock(lhs)", FUSE_EPILOGUES),
    (TRANSFORMS + "FuseEpilogues.cpp", "countRows(conv.getX()) == countRows(conv.getMap(), MapSide::In)", "true", FUSE_EPILOGUES),
    (TRANSFORMS + "FuseEpilogues.cpp", "values.map(op.getResult(0), sum);", "values.map(op.getResult(0), rounded);", FUSE_EPILOGUES),
    (TRANSFORMS + "FuseTranspositions.cpp", "llvm::equal(permutation.drop_front(2), llvm::seq<int64_t>(1, last))", "true", TRANSFORM_TESTS + "fuse-transpositions.mlir"),
    (TRANSFORMS + "FuseTranspositions.cpp", "if (!background)", "if (false)", TRANSFORM_TESTS + "fuse-transpositions.mlir"),
    (TRANSFORMS + "LimitParallelism.cpp", "getParentOfType<scf::ParallelOp>() ? 0 : 1", "getParentOfType<scf::ParallelOp>() ? 1 : 1", TRANSFORM_TESTS + "limit-parallelism.mlir"),
    (TRANSFORMS + "LimitParallelism.cpp", "if (!loop.isDefinedOutsideOfLoop(operand))", "if (false && !loop.isDefinedOutsideOfLoop(operand))", TRANSFORM_TESTS + "limit-parallelism.mlir"),
    (TRANSFORMS + "LowerRowGuards.cpp", "report.lower = op.getLength() ? found : op.getRows();", "report.lower = op.getRows();", TRANSFORM_TESTS + "lower-row-guards.mlir"),
    (TRANSFORMS + "LowerRowGuards.cpp", "report.extra = b.i64(op.getSide());", "report.extra = b.i64(0);", TRANSFORM_TESTS + "lower-row-guards.mlir"),
    (TRANSFORMS + "OutlineParallel.cpp", "if (regions.size() < 2)", "if (regions.empty())", OUTLINE_PARALLEL),
    (TRANSFORMS + "OutlineParallel.cpp", "op && op->hasTrait<OpTrait::ConstantLike>()", "false", OUTLINE_PARALLEL),
    (TRANSFORMS + "OutlineParallel.cpp", "if (found)\n      return found;\n", "", OUTLINE_PARALLEL),
    (TRANSFORMS + "OutlineParallel.cpp", "function.setNoInline(true);", "", OUTLINE_PARALLEL),
    (TRANSFORMS + "OutlineParallel.cpp", "walk<WalkOrder::PreOrder>", "walk", OUTLINE_PARALLEL),
    ("lib/Pipelines/LowerToCpu.cpp", "  pm.addPass(createSparseConvOutlineParallel());\n", "", "test/Pipelines/lower-to-cpu.mlir"),
    (TRANSFORMS + "ParalleliseCopies.cpp", "copy, copy.getSource(),\n                                                  copy.getTarget()", "copy, copy.getTarget(),\n                                                  copy.getSource()", TRANSFORM_TESTS + "parallelise-copies.mlir"),
    (TRANSFORMS + "MergeReductions.cpp", "canMove(op, other, dominance);", "true;", TRANSFORM_TESTS + "merge-reductions.mlir"),
    (TRANSFORMS + "MergeReductions.cpp", "other->getBlock() == op->getBlock() && shareLoops(other, op) &&", "other->getBlock() == op->getBlock() &&", TRANSFORM_TESTS + "merge-reductions.mlir"),
    (TRANSFORMS + "FilledBuffers.cpp", "if (start && !isCopied)\n    writer->erase();", "", TRANSFORM_TESTS + "split-reductions.mlir"),
    (TRANSFORMS + "FuseReductions.cpp", "!areAlone() || ", "", TRANSFORM_TESTS + "fuse-reductions.mlir"),
    (TRANSFORMS + "FuseReductions.cpp", "!canMove() || ", "", TRANSFORM_TESTS + "fuse-reductions.mlir"),
    (TRANSFORMS + "FuseReductions.cpp", "if (!start || !addReductions(writer))", "if (!addReductions(writer))", TRANSFORM_TESTS + "fuse-reductions.mlir"),
    (TRANSFORMS + "RowCounts.cpp", "groups.front().size() == 1", "groups.front().size() == 0", TRANSFORM_TESTS + "fuse-epilogues.mlir"),
    (TRANSFORMS + "SplitReduction.cpp", "start ? start : b.load(init.get(), at)", "b.load(init.get(), at)", RUN + "row-reductions.mlir"),
    (TRANSFORMS + "SplitReduction.cpp", "Value last = b.min(b.add(first, share), numTerms);", "Value last = b.add(first, share);", RUN + "row-reductions.mlir"),
    (DATAFLOWS + "WeightStationary.cpp", "(task.hasTransposedWeights() ? 2 : 1)", "(task.hasTransposedWeights() ? 1 : 1)", SELECTION_TESTS + "select-tiling.mlir"),
    (DATAFLOWS + "WeightStationary.cpp", "kRowBlock = 512", "kRowBlock = 511", SELECTION_TESTS + "select-tiling.mlir"),
    (DATAFLOWS + "OutputStationary.cpp", "return target.isGpu;", "return true;", SELECTION_TESTS + "select-dataflow.mlir"),
    # Networks to kernels.
    (KERNELS + "Maps.cpp", "getDisplacements(op.getOffsets(), stride, op.getTransposed())", "getDisplacements(op.getOffsets(), stride, false)", NETWORKS + RUN + "maps.test"),
    (KERNELS + "Maps.cpp", "op.getTransposed() ? out.getStride() : in.getStride()", "in.getStride()", NETWORKS + RUN + "maps.test"),
    (KERNELS + "Coords.cpp", "op.getCoords().getType().getStride(), /*negate=*/true", "op.getCoords().getType().getStride(), /*negate=*/false", NETWORKS + RUN + "downsample.test"),
    (KERNELS + "Coords.cpp", "op.getOffsets(), set.getStride(), !op.getTransposed()", "op.getOffsets(), set.getStride(), op.getTransposed()", NETWORKS + RUN + "upsample.test " + RUN + "sets.test " + RUN + "downsample.test"),
    (KERNELS + "Coords.cpp", "{w.take(unique.rowOf, rhsRows, lhsRows)}", "{w.take(unique.rowOf, rhsRows)}", NETWORKS + RUN + "merge.test"),
    # Kernels on coordinates.
    (INDEXING + "CoordinateChecks.cpp", "if (packing.getMin(axis) % stride != 0)", "if (false)", RUN + "floor-range.mlir"),
    (INDEXING + "CoordinateChecks.cpp", "b.i64(-stride)", "b.i64(1 - stride)", RUN + "floor-range.mlir"),
    (INDEXING + "CoordinateChecks.cpp", "b.less(coordinate, b.i64(upper))", "b.lessEqual(coordinate, b.i64(upper))", RUN + "sets.test"),
    (INDEXING + "Coords.cpp", "point.drop_front()", "point.drop_back()", RUN + "sets.test"),
    (INDEXING + "Quantise.cpp", "compare(b, CmpFPredicate::OLT, whole, b.f32(0x1p31))", "b.i1(true)", RUN + "sets.test"),
    (INDEXING + "GivenMaps.cpp", "hasPlace(b, asked, {pair[0], pair[2]}, number)", "b.i1(true)", RUN + "given-maps.mlir"),
    (INDEXING + "GivenMaps.cpp", "hasPlace(b, asked, {b.toIndex(entry), place[1]}, place[0])", "b.i1(true)", RUN + "given-maps.mlir"),
    (INDEXING + "RenumberTable.cpp", "b.dim(isOut ? table : rows, 0)", "b.dim(table, 0)", RUN + "given-maps.mlir"),
    (INDEXING + "RenumberTable.cpp", "b.load(table, {row, place[1]})", "b.load(table, {row, b.index(0)})", RUN + "maps.test"),
    (INDEXING + "CoordinateChecks.cpp", "b.i64(upper - lower));", "b.i64(upper - lower + 1));", NETWORKS + RUN + "sets.test"),
    (INDEXING + "CoordinateChecks.cpp", "report.axis = b.i64(check.axis);", "report.axis = b.i64(0);", NETWORKS + RUN + "sets.test"),
    (INDEXING + "RowBlocks.cpp", "Value here = b.select(body(row), row, numRows);", "Value here = b.select(body(row), begin, numRows);", NETWORKS + RUN + "sets.test"),
    (INDEXING + "KeyLists.cpp", "b.store(original, op.getOrder(), position);", "b.store(b.cast(row, b.getI32Type()), op.getOrder(), position);", NETWORKS + RUN + "sets.test"),
    (INDEXING + "KeyLists.cpp", "report.value = length;", "report.value = numRows;", RUN + "errors.mlir"),
    (INDEXING + "KeyLists.cpp", "b.store(b.cast(carried[0], b.getI32Type()), op.getRhsRows(), position);", "b.store(b.cast(row, b.getI32Type()), op.getRhsRows(), position);", NETWORKS + RUN + "merge.test"),
    (INDEXING + "Coarsen.cpp", "b.select(b.lessUnsigned(key, next), next, before)", "next", RUN + "downsample.test"),
    (INDEXING + "Coarsen.cpp", "b.andBits(isThere, isBefore)", "isThere", RUN + "downsample.test"),
    (INDEXING + "Coarsen.cpp", "unsigned shift = packing.getShift(column.axis);", "unsigned shift = packing.getShift(0);", RUN + "downsample.test"),
    (INDEXING + "Coarsen.cpp", "b.sub(count(place), count(start))", "count(place)", RUN + "downsample.test"),
    (INDEXING + "Coarsen.cpp", "getCoordinates(row.cell)", "getCoordinates(row.key)", RUN + "downsample.test"),
    (INDEXING + "CellBitmap.cpp", "toEnd.push_back(packing.packOffset(displacement));", "toEnd.push_back(toBegin.back());", RUN + "downsample.test"),
    (INDEXING + "CellBitmap.cpp", "displacement[1] = -reach.getHighest();", "displacement[1] = 0;", RUN + "downsample.test"),
    (INDEXING + "CellBitmap.cpp", "b.equal(b.mul(place, stride), distance)", "b.i1(true)", RUN + "downsample.test"),
    (INDEXING + "CellBitmap.cpp", "b.min(left, b.index(slicing.lines))", "b.index(slicing.lines)", RUN + "downsample.test"),
    (INDEXING + "RowNumbers.cpp", "b.store(sum[0], beforeBlock, block);", "b.store(next, beforeBlock, block);", RUN + "downsample.test"),
    ("lib/Dialect/SparseConv/IR/SetBounds.cpp", "if (lowest % stride != 0)", "if (false)", "test/Dialect/SparseConv/invalid-coarsening.mlir"),
    (IR + "SetBounds.cpp", "if (packing.getBatch() > kMaxBitmapBatch)", "if (false)", "test/Dialect/SparseConv/invalid-coarsening.mlir"),
    (IR + "SetBounds.cpp", "if (numOffsets > kMaxBitmapOffsets)", "if (false)", "test/Dialect/SparseConv/invalid-coarsening.mlir"),
    (INDEXING + "Spread.cpp", "Value first = b.select(fails, row, numRows);", "Value first = b.select(fails, begin, numRows);", RUN + "errors.mlir"),
    (INDEXING + "KeyFields.cpp", "return b.sub(field, packing.getBias(axis));", "return b.sub(field, packing.getBias(0));", NETWORKS + RUN + "sets.test"),
    # Kernels on maps.
    (INDEXING + "ZDeltaSearch.cpp", "columns.isDistinct ? step(hit, place) : place", "step(hit, b.add(place, 1))", NETWORKS + RUN + "maps.test"),
    (IR + "SearchColumns.cpp", "found = found.value_or(own) == own ? own : 0;", "found = found.value_or(own);", NETWORKS + RUN + "maps.test"),
    (INDEXING + "Searches.cpp", "if (displacements.slice(k, dim) == packing.getGuard())", "if (false)", RUN + "maps.test"),
    (INDEXING + "HashSearch.cpp", "Value isHit = isTaken(found[count + i]);", "Value isHit = b.equal(found[count + i], queries[i]);", RUN + "searches.test"),
    (INDEXING + "HashSearch.cpp", "b.select(isOpen(queries[i], at[count + i]),", "b.select(isTaken(queries[i]),", RUN + "searches.test"),
    (INDEXING + "GridSearch.cpp", "if (bits.zeros == 0)", "if (true)", RUN + "searches.test"),
    (INDEXING + "GridSearch.cpp", "dropped += zero;", "dropped = zero;", RUN + "searches.test"),
    (INDEXING + "TableWriter.cpp", "if (mirror != static_cast<int64_t>(k))", "if (false)", RUN + "searches.test"),
    (INDEXING + "TableWriter.cpp", "b.select(isSelf, b.cast(row, b.getI32Type()), b.i32(-1))", "b.i32(-1)", RUN + "searches.test"),
    (INDEXING + "Maps.cpp", "{b.toIndex(neighbour), k}", "{b.toIndex(neighbour), b.index(0)}", NETWORKS + RUN + "maps.test"),
    (INDEXING + "PairLists.cpp", "b.store(end[0], segments, {rowBlock, volume});", "b.store(sum[0], segments, {rowBlock, volume});", NETWORKS + RUN + "conv.test"),
    # Convolution.
    (ROWS + "Conv.cpp", "b.add(b.mul(group, sums.columns), j)", "b.add(b.mul(group, sums.stride), j)", NETWORKS + RUN + "conv-groups.test"),
    (ROWS + "Conv.cpp", "finishSum(b, op, lanes, sum, outRow, channel)", "finishSum(b, op, lanes, sum, row, channel)", NETWORKS + RUN + "conv.test " + RUN + "yield.test"),
    (ROWS + "Depthwise.cpp", "b.sub(b.toIndex(b.load(op.getOutRows(), pair)), first)", "b.toIndex(b.load(op.getOutRows(), pair))", NETWORKS + RUN + "conv-groups.test"),
    (ROWS + "WeightGrad.cpp", "work.group = b.sub(rest, b.mul(tilesOfRows, shape.groups));", "work.group = b.index(0);", NETWORKS + RUN + "weight-grad.test"),
    (ROWS + "WeightGrad.cpp", "endRow = b.min(b.add(work.firstRow, itemRows), b.index(shape.in))", "endRow = b.index(shape.in)", NETWORKS + RUN + "weight-grad.test"),
    # Pooling.
    (ROWS + "Pool.cpp", "result = b.select(b.equal(present, b.i32(0)), zero, result);", "", NETWORKS + RUN + "pool.test"),
    (ROWS + "Pool.cpp", "return countToFloat(b, b.max(present, b.i32(1)));", "return countToFloat(b, b.max(present, b.i32(2)));", NETWORKS + RUN + "pool.test"),
    (ROWS + "Pool.cpp", "volume <= INT8_MAX", "volume <= 4 * INT8_MAX", RUN + "pool-grad.test"),
    (ROWS + "RowLoops.cpp", "return b.andBits(above, isNumber);", "return above;", NETWORKS + RUN + "pool-grad.test " + RUN + "pool.test"),
    (ROWS + "RowLoops.cpp", "CmpFPredicate::UGT, lhs, rhs", "CmpFPredicate::UGE, lhs, rhs", NETWORKS + RUN + "pool-grad.test"),
    (ROWS + "GlobalPool.cpp", "result = b.select(b.equal(begin, end), zero, result);", "", NETWORKS + RUN + "global-pool.test"),
    (ROWS + "GlobalPool.cpp", "batch, /*lower=*/nullptr, items", "batch, /*lower=*/nullptr, batch", RUN + "errors.mlir"),
    # Rows, points and grids.
    (INDEXING + "GroupPairs.cpp", "b.less(b.mul(largest, b.index(op.getEpsilon())),", "b.lessEqual(b.mul(largest, b.index(op.getEpsilon())),", "SparseConvIndexingKernelTests:GroupPairsTest.*"),
    (INDEXING + "GroupPairs.cpp", "b.less(largest, b.index(op.getS()))", "b.lessEqual(largest, b.index(op.getS()))", "SparseConvIndexingKernelTests:GroupPairsTest.*"),
    (INDEXING + "GroupPairs.cpp", "b.select(isHere, b.min(rest, rowBlock), zero)", "b.min(rest, rowBlock)", "SparseConvIndexingKernelTests:GroupPairsTest.*"),
    (ROWS + "Rows.cpp", "[&] { clearRow(b, channels, columns, place); }", "[] {}", RUN + "explicit.test"),
    (ROWS + "Rows.cpp", "b.notEqual(entry, b.i32(-1))", "b.less(entry, b.i32(0))", NETWORKS + RUN + "rows.test"),
    (ROWS + "Rows.cpp", "entry, b.index(-1), b.sub(rows, 1)", "entry, b.index(-1), rows", NETWORKS + RUN + "rows.test"),
    (ROWS + "Interpolate.cpp", "storeCorner(j, b.select(isEmpty, b.i32(-1), row), weight);", "storeCorner(j, row, weight);", RUN + "voxelise.test"),
    (ROWS + "Interpolate.cpp", "compare(b, CmpFPredicate::OEQ, c, floor)", "b.constantInt(b.getI1Type(), 1)", RUN + "voxelise.test"),
    (ROWS + "Interpolate.cpp", "bool isUpper = bits >> (others - 1 - axis) & 1;", "bool isUpper = bits >> axis & 1;", "SparseConvRowKernelTests:InterpolateKernel*"),
    (ROWS + "Dense.cpp", "b.lessEqual(coordinate, upper)", "b.less(coordinate, upper)", NETWORKS + RUN + "dense.test"),
    (ROWS + "Dense.cpp", "hasChannelsFirst ? 2 : 1", "hasChannelsFirst ? 1 : 1", RUN + "channels-first.mlir"),
    (ROWS + "RowLoops.cpp", "b.mul(b.divide(work, items), getNumLanes(b, channels))", "b.divide(work, items)", RUN + "channels-first.mlir"),
    (ROWS + "Dense.cpp", "axisNumber = b.select(isInside, axisNumber, b.i64(number));", "axisNumber = b.select(isInside, axisNumber, b.i64(0));", RUN + "errors.mlir"),
    # Libraries without MLIR.
    ("lib/Dialect/SparseConv/Utils/LoopBuilder.cpp", "constexpr int64_t maxTakers = 256;", "constexpr int64_t maxTakers = 0;", NETWORKS + RUN + "conv.test"),
    ("lib/Dialect/SparseConv/Utils/LoopBuilder.cpp", "less(i64(report.opId), earlier)", "less(earlier, i64(report.opId))", RUN + "errors.mlir"),
    ("lib/Runtime/Cpu/Sort.cpp", "for (int64_t block = 0; block < blocks.count; ++block) {\n        int64_t count", "for (int64_t block = blocks.count; block-- > 0;) {\n        int64_t count", "SparseConvRuntimeTests:*Sort*"),
    ("lib/Runtime/Cpu/Sort.cpp", "mask((Key(1) << digitBits) - 1)", "mask((Key(1) << digitBits) - 2)", "SparseConvRuntimeTests:*Sort*"),
    ("lib/IO/Quantise.cpp", "std::floor((p", "std::trunc((p", "SparseConvIOTests:*Quantise*"),
    ("lib/IO/Quantise.cpp", "p < options.rangeMax[axis]", "p <= options.rangeMax[axis]", "SparseConvIOTests:*Quantise*"),
    (TRANSFORMS + "SeparateResults.cpp", "if (init && !computed.hasOneUse())", "if (false)", TRANSFORM_TESTS + "separate-results.mlir"),
    (TRANSFORMS + "SeparateResults.cpp", "if (isFirst && (isWhole", "if ((isWhole", TRANSFORM_TESTS + "separate-results.mlir"),
    (KERNELS + "Rows.cpp", "tensor::getMixedSize(w, w.getLoc(), rows, 0)", "w.dim(rows)", "test/Pipelines/static-sizes.mlir"),
    (IR + "SparseConvMapOps.cpp", "getIn() == getOut() && getOffsets().getVolume() == 1", "getOffsets().getVolume() == 1", "test/Selection/select-indexing.mlir"),
    (IR + "SparseConvMapOps.cpp", "return offset == 0;", "return true;", "test/Selection/select-indexing.mlir"),
    (KERNELS + "Coords.cpp", "isEmpty ? w.index(1) : rows", "rows", "test/Pipelines/static-sizes.mlir"),
    # Arguments with equally many rows.
    (TRANSFORMS + "FindEqualRows.cpp", "op.getRows() == pack.getOrder()", "true", FIND_EQUAL_ROWS),
    (TRANSFORMS + "FindEqualRows.cpp", "if (op.getInOrder())", "if (true)", FIND_EQUAL_ROWS),
    (TRANSFORMS + "FindEqualRows.cpp", "if (op.getDim() != 0)", "if (false)", FIND_EQUAL_ROWS),
    (TRANSFORMS + "FindEqualRows.cpp", "join(first, operand.get());", ";", FIND_EQUAL_ROWS),
    (TRANSFORMS + "FindEqualRows.cpp", "getEqualRows(function, number) == other", "true", FIND_EQUAL_ROWS),
    (TRANSFORMS + "VerifyNetwork.cpp", "function.getArgAttr(i, kRowsAttr) && !getEqualRows(function, i)", "false", TRANSFORM_TESTS + "verify-network.mlir"),
    ("lib/Execution/Signature.cpp", "rows != otherRows", "false", EQUAL_ROWS),
    ("lib/Execution/CompileToCpuPlan.cpp", "axis == 0 && equalRows", "false", EQUAL_ROWS),
    # What layers have to do.
    ("tools/sparseconv-run/Work.cpp", "return row >= 0;", "return true;", "test/Tools/sparseconv-run/work.mlir"),
    ("tools/sparseconv-run/Work.cpp", "sizes.size() == 4 ? sizes[1] : 1", "1", "test/Tools/sparseconv-run/work.mlir"),
    ("tools/sparseconv-run/Work.cpp", "pm.addPass(createInlinerPass());", "", "test/Tools/sparseconv-run/work.mlir"),
    # What was measured, and what decides by it.
    (TUNING + "TuningDatabase.cpp", "choice.getProblem().empty() && cost < lowest", "cost < lowest", TUNING_TESTS + "TuningDatabase*"),
    (TUNING + "TuningDatabase.cpp", "return 1 - kLeastGain;", "return 1.0;", TUNING_TESTS + "TuningDatabase*"),
    (TUNING + "TuningDatabase.cpp", "ours.microseconds / other->microseconds", "ours.microseconds", TUNING_TESTS + "TuningDatabase*"),
    (TUNING + "TuningDatabase.cpp", "each.isUntuned = false;", "", TUNING_TESTS + "TuningDatabase*"),
    (TUNING + "ParseDatabase.cpp", "if (isTooDeep(text))", "if (false)", TUNING_TESTS + "TuningDatabase*"),
    (TUNING + "Choices.cpp", "if (!problem.empty())\n    setChoice(layer, before);", "", TUNING_TESTS + "Choices*"),
    (TUNING + "Choices.cpp", "    layer->removeAttr(name);", "    (void)name;", TUNING_TESTS + "Choices*"),
    ("lib/Selection/DecideByDatabase.cpp", "if (!getChoice(layer).empty())\n    return false;", "", SELECTION_TESTS + "tuning-database.mlir"),
]
