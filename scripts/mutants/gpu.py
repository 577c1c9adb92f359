"""Mutants of the path to GPUs, its runtime and the reference that tests on a CPU catch."""

TRANSFORMS = "lib/Dialect/SparseConv/Transforms/"
GEMM = "lib/Kernels/Gemm/"
DATAFLOWS = "lib/Kernels/Dataflow/"
PTX = "lib/Target/PTX/"
PLAN = "lib/Target/Plan/"
RUNTIME = "lib/Runtime/"
REFERENCE = "lib/Reference/"

TRANSFORM_TESTS = "test/Dialect/SparseConv/Transforms/"
BOUND_COUNTS = TRANSFORM_TESTS + "bound-counts.mlir"
FORM_KERNELS = TRANSFORM_TESTS + "form-kernels.mlir"
FLATTEN_BRANCHES = TRANSFORM_TESTS + "flatten-branches.mlir"
MERGE_KERNELS = TRANSFORM_TESTS + "merge-kernels.mlir"
UNROLL_LOOPS = TRANSFORM_TESTS + "unroll-loops.mlir"
RESOLVE_RESHAPES = TRANSFORM_TESTS + "resolve-reshapes.mlir"
SEPARATE_BUFFERS = TRANSFORM_TESTS + "separate-buffers.mlir"
GUARD_SHAPES = TRANSFORM_TESTS + "guard-shapes.mlir"
SELECT_TILING = "test/Selection/select-tiling-gpu.mlir"
VERIFY_SELECTION = "test/Selection/verify-selection.mlir"
SCHEDULE_PLAN = "test/Target/Plan/schedule-plan.mlir"
WEIGHTS = "test/Target/Plan/weights.mlir"
GEMM_TESTS = "SparseConvGemmKernelsTests:"
PLAN_TESTS = "SparseConvPlanTests:"
RUNTIME_TESTS = "SparseConvCudaRuntimeTests:"
REFERENCE_TESTS = "SparseConvReferenceTests:"

MUTANTS = [
    # Sizes that only the device knows.
    (TRANSFORMS + "BoundCounts.cpp", "op.getCapacity()", "op.getCapacity() + 1", BOUND_COUNTS),
    (TRANSFORMS + "BoundCounts.cpp", "op.getCells().value_or(INT64_MAX)", "INT64_MAX", BOUND_COUNTS),
    (TRANSFORMS + "BoundCounts.cpp", "op.getReach() && !getConstantIntValue(room)", "false", BOUND_COUNTS),
    (TRANSFORMS + "BoundCounts.cpp", "!ancestor || ancestor->isBeforeInBlock(op)", "!ancestor", BOUND_COUNTS),
    (TRANSFORMS + "Capacities.cpp", "rows != capacity", "false", FORM_KERNELS),
    (TRANSFORMS + "BoundCounts.cpp", "cast<memref::DimOp>(user).getConstantIndex() == axis", "cast<memref::DimOp>(user).getConstantIndex() != axis", BOUND_COUNTS),
    (TRANSFORMS + "BoundCounts.cpp", "argument.getType().isIndex() && isUsedAsSize(argument)", "argument.getType().isIndex()", BOUND_COUNTS),
    # Kernels and what they take.
    (TRANSFORMS + "FormKernels.cpp", "known && known == getConstantIntValue(room[axis])", "false", FORM_KERNELS),
    (TRANSFORMS + "FormKernels.cpp", "isSize && source && !isScalarArgument(source.getBuffer())", "false", FORM_KERNELS),
    (TRANSFORMS + "FormKernels.cpp", "isOpTriviallyDead(&op)", "false", FORM_KERNELS),
    (TRANSFORMS + "TakeOperands.cpp", "type.getNumElements() != 0", "true", FORM_KERNELS),
    (TRANSFORMS + "MergeKernels.cpp", "kernel.removeKnownGridSizeAttr();", "", MERGE_KERNELS),
    (TRANSFORMS + "MergeKernels.cpp", "known && failed(symbols.renameToUnique(&op, {&merged}))", "false", MERGE_KERNELS),
    (TRANSFORMS + "MergeKernels.cpp", "return 2;", "return 1;", MERGE_KERNELS),
    # Control flow and shapes.
    (TRANSFORMS + "FlattenBranches.cpp", "isThen ? condition : b.notBit(condition)", "condition", FLATTEN_BRANCHES),
    (TRANSFORMS + "FlattenBranches.cpp", "b.select(isChosen, cast<Value>(sizes[0]), b.index(0))", "cast<Value>(sizes[0])", FLATTEN_BRANCHES),
    (TRANSFORMS + "FlattenBranches.cpp", "b.andBits(isChosen, report.getCondition())", "report.getCondition()", FLATTEN_BRANCHES),
    (TRANSFORMS + "FlattenBranches.cpp", "hoist(branch, *side)", "false", FLATTEN_BRANCHES),
    (TRANSFORMS + "UnrollLoops.cpp", "holdsKernels(loop)", "true", UNROLL_LOOPS),
    (TRANSFORMS + "UnrollLoops.cpp", "trips->ule(maxTrips)", "trips->ult(maxTrips)", UNROLL_LOOPS),
    (TRANSFORMS + "FuseTranspositions.cpp", "turned.take_back(2) != shape.take_back(2)", "false", TRANSFORM_TESTS + "fuse-transpositions.mlir"),
    (TRANSFORMS + "FuseTranspositions.cpp", "pack.getGroups()", "false", TRANSFORM_TESTS + "fuse-transpositions.mlir"),
    (TRANSFORMS + "FuseTranspositions.cpp", "!llvm::is_sorted(own)", "false", TRANSFORM_TESTS + "fuse-transpositions.mlir"),
    (TRANSFORMS + "UnrollLoops.cpp", "copies > maxCopies", "false", "test/Pipelines/lower-to-gpu-invalid.mlir"),
    (TRANSFORMS + "MergeKernels.cpp", "llvm::isAlnum(c) || c == '$'", "true", MERGE_KERNELS),
    (TRANSFORMS + "ResolveReshapes.cpp", "b.mul(size, factor)", "factor", RESOLVE_RESHAPES),
    (TRANSFORMS + "ResolveReshapes.cpp", "work.push_back(nested);", "", RESOLVE_RESHAPES),
    (TRANSFORMS + "ResolveReshapes.cpp", "expand.getMixedOutputShape()[axis]", "expand.getMixedOutputShape()[0]", RESOLVE_RESHAPES),
    (TRANSFORMS + "SeparateBuffers.cpp", "&use != &*op->getUses().begin()", "false", SEPARATE_BUFFERS),
    (TRANSFORMS + "GuardShapes.cpp", "succeeded(equal) && *equal", "false", GUARD_SHAPES),
    (TRANSFORMS + "GuardShapes.cpp", "b.index(expected.axis)", "b.index(found.axis)", GUARD_SHAPES),
    (TRANSFORMS + "GuardShapes.cpp", "report.axis = b.i64(found.axis);", "report.axis = b.i64(0);", GUARD_SHAPES),
    # Choices.
    (GEMM + "TensorCores.cpp", "shape.inChannels * shape.outChannels > 32 * 48", "true", SELECT_TILING),
    (GEMM + "Resources.cpp", "registers > limit", "false", VERIFY_SELECTION),
    (GEMM + "ImplicitGemmConfig.cpp", "splitK > 1 && !loop->splitsSums()", "false", VERIFY_SELECTION),
    (GEMM + "ImplicitGemmStore.cpp", "b.select(hasProducts, sum, b.f32(0))", "sum", "test/Kernels/Gemm/warp16.mlir"),
    (GEMM + "Warp16.cpp", "b.greaterEqual(number, 0)", "b.i1(true)", "test/Kernels/Gemm/warp16.mlir"),
    (GEMM + "Group64.cpp", "b.max(last.at.offset, b.i32(0))", "last.at.offset", "test/Kernels/Gemm/group64.mlir"),
    (GEMM + "Group64.cpp", "add(20);", "add(16);", SELECT_TILING),
    (GEMM + "Group64.cpp", "shape.offsets == 1", "false", SELECT_TILING),
    (GEMM + "Ring64.cpp", "config.maskWords() > 4 ? 72 : 64", "64", SELECT_TILING),
    (GEMM + "Ring64.cpp", "sumsAndRows + 32", "sumsAndRows + 40", SELECT_TILING),
    (GEMM + "Ring64.cpp", "shape.isFine()", "true", SELECT_TILING),
    (GEMM + "Ring64.cpp", "!config.hasOddRows()", "true", SELECT_TILING),
    (GEMM + "Wgmma.cpp", "strideByteOffset >> 4 << 32", "strideByteOffset >> 4 << 33", GEMM_TESTS + "MatrixDescriptorTest.*"),
    (GEMM + "Wgmma.cpp", "b.andBits(startAddress, kAddressMask)", "startAddress", GEMM_TESTS + "MatrixDescriptorTest.*"),
    (DATAFLOWS + "OutputStationary.cpp", "splitK = 1;", "", SELECT_TILING),
    (DATAFLOWS + "OutputStationary.cpp", "isa<ScalarTilingAttr>(attr)", "false", VERIFY_SELECTION),
    ("lib/Selection/SelectTiling.cpp", "map.getIn() == map.getOut()", "true", SELECT_TILING),
    ("lib/Selection/SelectTiling.cpp", "!op.getRowOrderAttr() && gainsByDensity(op, target)", "gainsByDensity(op, target)", SELECT_TILING),
    ("lib/Selection/SelectTiling.cpp", "!isUsual", "false", SELECT_TILING),
    ("lib/Kernels/Indexing/RowOrder.cpp", "b.orBits(b.shiftLeft(block, rankBits), rank)", "rank", "test/Conversion/KernelsToGpu/tile-rows.mlir"),
    ("lib/Kernels/Indexing/RowOrder.cpp", "b.lessEqual(all, most)", "b.i1(false)", "test/Conversion/KernelsToGpu/tile-rows.mlir"),
    ("lib/Kernels/Indexing/RowCodes.cpp", "b.xorBits(isUpper, wasUpper)", "isUpper", "test/Conversion/KernelsToGpu/tile-rows.mlir"),
    ("lib/Kernels/Indexing/RowCodes.cpp", "b.orBits(entry, b.shiftLeft(wasUpper, kPieceBits))", "entry", "test/Conversion/KernelsToGpu/tile-rows.mlir"),
    ("lib/Kernels/Indexing/OffsetRanks.cpp", "b.shiftLeft(count, getNumberBits())", "count", "test/Conversion/KernelsToGpu/tile-rows.mlir"),
    # PTX.
    (PTX + "PlaceSharedMemory.cpp", "global.setAlignment(1024);", "global.setAlignment(16);", "test/Target/PTX/place-shared-memory.mlir"),
    (PTX + "PlaceSharedMemory.cpp", "std::max<uint64_t>(own, 16)", "own", "test/Target/PTX/place-shared-memory.mlir"),
    (PTX + "ExpandDeviceMath.cpp", "intrinsic.empty()", "true", "test/Target/PTX/expand-device-math.mlir"),
    (PTX + "ExpandDeviceMath.cpp", "element.isF16() || element.isBF16()", "element.isF16()", "test/Target/PTX/expand-device-math.mlir"),
    # The schedule of a plan.
    (PLAN + "ScheduleSteps.cpp", "before[i].append(use.readers);", "", PLAN_TESTS + "ScheduleSteps.*"),
    (PLAN + "ScheduleSteps.cpp", "std::max(ranks[i], costs[i] + ranks[other])", "ranks[i]", PLAN_TESTS + "ScheduleSteps.*"),
    (PLAN + "ScheduleSteps.cpp", "known |= done[other];", "", PLAN_TESTS + "ScheduleSteps.*"),
    (PLAN + "ScheduleSteps.cpp", "steps[step].prepares ? inherited : known", "known", PLAN_TESTS + "ScheduleSteps.*"),
    (PLAN + "ScheduleSteps.cpp", "steps[step].counts ? lastCount : last", "last", PLAN_TESTS + "ScheduleSteps.*"),
    (PLAN + "ScheduleSteps.cpp", "last[stream] != kNone && !steps[step].counts", "last[stream] != kNone", PLAN_TESTS + "ScheduleSteps.*"),
    (PLAN + "ScheduleSteps.cpp", "steps[order[other]].prepares", "false", PLAN_TESTS + "ScheduleSteps.*"),
    (PLAN + "KernelTraits.cpp", "access.writes |= more.writes;", "", PLAN_TESTS + "KernelTraitsTest.*"),
    (PLAN + "KernelTraits.cpp", "control.getKind() == NVVM::GridDepActionKind::wait", "true", "test/Target/Plan/schedule-plan.mlir"),
    (PLAN + "KernelTraits.cpp", "traits.cost = kGemmCost;", "", PLAN_TESTS + "KernelTraitsTest.*"),
    (PLAN + "SchedulePlan.cpp", "std::max(numStreams, place.stream + 1)", "numStreams", SCHEDULE_PLAN),
    (PLAN + "FindPreparation.cpp", "use.access.writes && !use.access.restores", "use.access.writes", "test/Target/Plan/find-preparation.mlir"),
    (PLAN + "FindPreparation.cpp", "launches[i].prepares || i > uses.writers.back()", "true", "test/Target/Plan/find-preparation.mlir"),
    (PLAN + "FindCounts.cpp", "steps[i].multiplies", "false", "test/Target/Plan/find-counts.mlir"),
    (PLAN + "FindCounts.cpp", "needed.set(other);", "(void)other;", "test/Target/Plan/find-counts.mlir"),
    (PLAN + "BuildPlan.cpp", "axis == 0 && equalRows", "false", "test/Tools/sparseconv-run/equal-rows.test"),
    (PLAN + "BindWeights.cpp", "--buffer.index;", "", WEIGHTS),
    (PLAN + "BindWeights.cpp", "--term.input;", "", WEIGHTS),
    # The layout of a plan's memory, and the order of its steps.
    (RUNTIME + "Plan/Layout.cpp", "layout.bufferOffsets[other] >= offset + bytes", "true", RUNTIME_TESTS + "Layout.*"),
    (RUNTIME + "Plan/Layout.cpp", "schedule.endsBefore(other, b) || schedule.endsBefore(b, other)", "false", RUNTIME_TESTS + "Layout.*"),
    (RUNTIME + "Plan/Layout.cpp", "roundUp(std::max<int64_t>(sizes.gridX, 1), step.cluster)", "std::max<int64_t>(sizes.gridX, 1)", RUNTIME_TESTS + "Layout.*"),
    (RUNTIME + "Plan/Layout.cpp", "bytes <= layout.bufferBytes[buffer] - offset", "true", RUNTIME_TESTS + "Layout.*"),
    (RUNTIME + "Plan/Layout.cpp", "std::min(sizes.capacity, sizes.bound)", "sizes.capacity", RUNTIME_TESTS + "Layout.*"),
    (RUNTIME + "Plan/Verify.cpp", "term.growable >= numGrowables", "term.growable > numGrowables", RUNTIME_TESTS + "PlanVerify.*"),
    (RUNTIME + "Plan/VerifySlots.cpp", "axis != 0 || !ofRows.count(dim.slot)", "false", RUNTIME_TESTS + "PlanVerify.*"),
    (RUNTIME + "Plan/Plan.cpp", "pairs.emplace_back(i, first->second);", "", RUNTIME_TESTS + "EqualRows.*"),
    (RUNTIME + "Plan/Schedule.cpp", "row[other] > dependency", "false", RUNTIME_TESTS + "Schedule.*"),
    (RUNTIME + "Plan/Schedule.cpp", "latest[s] = std::max(latest[s], standsFor[size_t(other) * streams + s]);", "", RUNTIME_TESTS + "Schedule.*"),
    (RUNTIME + "Plan/Schedule.cpp", "waits[i].forFork = true;", "", RUNTIME_TESTS + "Schedule.*"),
    (RUNTIME + "Plan/Schedule.cpp", "phase == Phase::Counts && isCounted[b] && isInRest[b]", "false", RUNTIME_TESTS + "Layout.*"),
    (RUNTIME + "Plan/Schedule.cpp", "isInRest[b] && !isFirst", "isInRest[b]", RUNTIME_TESTS + "Layout.*"),
    (RUNTIME + "Plan/SizeExpr.cpp", "kind == Kind::CeilDiv && remainder > 0", "false", RUNTIME_TESTS + "SizeExpr.*"),
    (RUNTIME + "Plan/SizeExpr.cpp", "b < 1", "b < 0", RUNTIME_TESTS + "SizeExpr.*"),
    # Runs, on the driver that stands in for CUDA's.
    (RUNTIME + "Cuda/Grow.cpp", "record.upper != sizes.capacity", "false", RUNTIME_TESTS + "Grow.*"),
    (RUNTIME + "Cuda/Grow.cpp", "record.value <= sizes.capacity", "false", RUNTIME_TESTS + "Grow.*"),
    (RUNTIME + "Cuda/Grow.cpp", "flags & SPARSECONV_FIXED_CAPACITIES", "false", RUNTIME_TESTS + "Grow.*"),
    (RUNTIME + "Cuda/Grow.cpp", "rows + rows / 4", "rows", RUNTIME_TESTS + "Grow.*"),
    (RUNTIME + "Cuda/Exact.cpp", "counts == restCounts", "true", RUNTIME_TESTS + "Exact.*"),
    (RUNTIME + "Cuda/Exact.cpp", "needed > restBytes", "false", RUNTIME_TESTS + "Exact.*"),
    (RUNTIME + "Cuda/Exact.cpp", "prepareLaunch(i);", "", RUNTIME_TESTS + "Exact.*"),
    (RUNTIME + "Cuda/Prepare.cpp", "bound != boundInputs", "false", RUNTIME_TESTS + "BindRows.*"),
    (RUNTIME + "Cuda/Prepare.cpp", "knownSlots.assign(words.begin() + kStatusWords, words.end());", "", RUNTIME_TESTS + "BindRows.*"),
    (RUNTIME + "Cuda/Prepare.cpp", "knownSlots[function.growables[i].slot] = layout.growables[i].capacity;", "", RUNTIME_TESTS + "BindRows.*"),
    (RUNTIME + "Cuda/Prepare.cpp", "knownSlots[dims[d].slot] = boundInputs[i].sizes[d];", "", RUNTIME_TESTS + "BindRows.*"),
    (RUNTIME + "Cuda/Prepare.cpp", "bound[input] && bound[other]", "false", RUNTIME_TESTS + "BindRows.*"),
    (RUNTIME + "Plan/Schedule.cpp", "isSize[slot] = true;", "", RUNTIME_TESTS + "BindRows.*"),
    (RUNTIME + "Plan/Schedule.cpp", "isSize[slot] = false;", "", RUNTIME_TESTS + "BindRows.*"),
    (PLAN + "FindPreparation.cpp", "type.getElementType().isInteger()", "true", "test/Target/Plan/find-preparation.mlir"),
    (RUNTIME + "Cuda/Issue.cpp", "lastId == runId", "true", RUNTIME_TESTS + "Run.*"),
    (RUNTIME + "Cuda/Issue.cpp", "lastId = runId;", "", RUNTIME_TESTS + "Run.*"),
    (RUNTIME + "Cuda/Issue.cpp", "part.leavesOut(i)", "false", RUNTIME_TESTS + "Prepare.*"),
    (RUNTIME + "Plan/Schedule.cpp", "!isBound[buffer.index]", "false", RUNTIME_TESTS + "Prepare.*"),
    (RUNTIME + "Cuda/StepGraph.cpp", "before.push_back(result.nodes[other]);", "(void)other;", RUNTIME_TESTS + "Graph.*"),
    (RUNTIME + "Cuda/StepGraph.cpp", "sizes.bytes / step.valueBytes", "sizes.bytes", RUNTIME_TESTS + "Graph.*"),
    (RUNTIME + "Cuda/StepGraph.cpp", "step.hasPrologue", "false", RUNTIME_TESTS + "RunGraph.*"),
    (RUNTIME + "Cuda/Graph.cpp", "other->second == waiting", "true", RUNTIME_TESTS + "RunGraph.*"),
    (RUNTIME + "Cuda/Graph.cpp", "before.size() - overlaps", "overlaps ? 0 : before.size()", RUNTIME_TESTS + "RunGraph.*"),
    (PLAN + "SchedulePlan.cpp", "op.setPrologue(steps[place.step].hasPrologue);", "", "test/Target/Plan/schedule-plan.mlir"),
    ("lib/Target/PTX/OverlapLaunches.cpp", "dominance.dominates(&place, use)", "false", "test/Target/PTX/overlap-prologues.mlir"),
    (RUNTIME + "Cuda/Capture.cpp", "source && source != target && sizes.bytes[i]", "false", RUNTIME_TESTS + "Graph.*"),
    (RUNTIME + "Cuda/Run.cpp", "size < 0 || size > capacity", "size < 0", RUNTIME_TESTS + "Failure.*"),
    (RUNTIME + "Plan/Plan.cpp", "__builtin_mul_overflow(bytes, uint64_t(sizes[axis]), &bytes)", "false", RUNTIME_TESTS + "Run.*"),
    (RUNTIME + "Cuda/Issue.cpp", "finishUnread(entry);", "entry.inFlight = false;", RUNTIME_TESTS + "Run.*"),
    (RUNTIME + "Cuda/Issue.cpp", "addresses[patch.buffer] + patch.offset", "addresses[patch.buffer]", RUNTIME_TESTS + "Run.*"),
    (RUNTIME + "Cuda/Issue.cpp", "sizes.bytes / 4", "sizes.bytes / 2", RUNTIME_TESTS + "*"),
    (RUNTIME + "Plan/Params.cpp", "(entry == begin || !isWord(entry[-1]))", "true", RUNTIME_TESTS + "Params*"),
    (RUNTIME + "Plan/Params.cpp", "mark < entry", "false", RUNTIME_TESTS + "Params*"),
    (RUNTIME + "Cuda/Bind.cpp", "sizes.bytes.clear();", "", RUNTIME_TESTS + "*"),
    (RUNTIME + "Cuda/Issue.cpp", "instance.uploaded.clear();", "", RUNTIME_TESTS + "Silent*"),
    (RUNTIME + "Cuda/Issue.cpp", "std::copy_n(entry.up, words, entry.down);", "", RUNTIME_TESTS + "Silent*"),
    (RUNTIME + "Cuda/Issue.cpp", "!reports && !isExact()", "true", RUNTIME_TESTS + "Run.*"),
    (RUNTIME + "Cuda/RunGraph.cpp", "std::none_of(patches.begin(), patches.end(), hasMoved)", "false", RUNTIME_TESTS + "RunGraph.*"),
    (RUNTIME + "Cuda/RunGraph.cpp", "!Program::isShort(function)", "true", RUNTIME_TESTS + "Silent*"),
    (RUNTIME + "Cuda/Program.cpp", "keepInOrder(function);", "(void)keepInOrder;", RUNTIME_TESTS + "Run.*"),
    (RUNTIME + "Cuda/Issue.cpp", "return followRun(stream);", "(void)0;", RUNTIME_TESTS + "Silent*"),
    (RUNTIME + "Cuda/Issue.cpp", "result = orderBehind(last, stream);", "result = CUDA_SUCCESS;", RUNTIME_TESTS + "Silent*"),
    (RUNTIME + "Cuda/Issue.cpp", "!tellsNothing() || stream != kDefaultStream", "!tellsNothing()", RUNTIME_TESTS + "Silent*"),
    (RUNTIME + "Cuda/Issue.cpp", "run.isRecorded = result == CUDA_SUCCESS;", "", RUNTIME_TESTS + "Silent*"),
    (RUNTIME + "Cuda/Prepare.cpp", "reports |= SPARSECONV_REPORTS_ERRORS;", "", RUNTIME_TESTS + "Silent*"),
    (RUNTIME + "Cuda/Prepare.cpp", "isKnown[dim.slot] = true;", "", RUNTIME_TESTS + "Silent*"),
    (RUNTIME + "Api/Api.cpp", "wanted = *stated + 1;", "", RUNTIME_TESTS + "Failure*"),
    # The reference.
    (REFERENCE + "Conv.cpp", "map.transpose()", "map", REFERENCE_TESTS + "*Conv*"),
    (REFERENCE + "Conv.cpp", "tf32Roundoff * (2 + tf32Roundoff)", "tf32Roundoff", REFERENCE_TESTS + "ConvBounds.*"),
    (REFERENCE + "Pool.cpp", "count == CountKind::Volume", "false", REFERENCE_TESTS + "*Pool*"),
    (REFERENCE + "Pool.cpp", "gradient / divisor", "gradient", REFERENCE_TESTS + "*Pool*"),
    (REFERENCE + "Coords.cpp", "(rest < 0 ? rest + stride : rest)", "rest", REFERENCE_TESTS + "Downsample.*"),
    (REFERENCE + "Coords.cpp", "op.getTransposed() ? 1 : -1", "1", REFERENCE_TESTS + "Expand.*"),
    (REFERENCE + "Coords.cpp", "point[axis + 1] >= region.getUpper()[axis]", "point[axis + 1] > region.getUpper()[axis]", REFERENCE_TESTS + "Downsample.*"),
    (REFERENCE + "Rows.cpp", "position * grid[i]", "position", REFERENCE_TESTS + "Rows.*"),
    # Rows that are not aligned to 16 bytes, and elementwise work over changes of shape.
    (TRANSFORMS + "VectoriseElementwise.cpp", "std::gcd(row, kVectorBytes)", "kVectorBytes", TRANSFORM_TESTS + "vectorise-elementwise.mlir"),
    ("lib/Kernels/Rows/RowLoops.cpp", "std::gcd(getConstantIntValue(channels).value_or(most), most)", "most", "test/Conversion/KernelsToGpu/rows.mlir"),
    (GEMM + "ImplicitGemmConfig.cpp", "std::max<int64_t>(std::gcd(outChannels, 8) / 2, 1)", "4", GEMM_TESTS + "*Strips*"),
    ("include/sparseconv/Kernels/Gemm/FragmentLayout.h", "tile / strip * (8 * strip)", "tile / strip * 32", GEMM_TESTS + "*FragmentLayout*"),
    ("lib/Pipelines/LowerToBuffers.cpp", "pm.addPass(createCompositeFixedPointPass(\"FuseElementwise\", addFusionStep));", "addFusionStep(pm);", "test/Pipelines/lower-to-buffers.mlir"),
    (PTX + "ExpandDeviceMath.cpp", "getElementTypeOrSelf(type).isInteger(1)", "false", "test/Target/PTX/expand-device-math.mlir"),
]
