"""Mutants of GPU kernels that only the numbers of a device show.

Each names a case, as a line of test/Execution/*.test has it; its kernels on sm_90a
come through the line that is changed.
"""

GEMM = "lib/Kernels/Gemm/"
INDEXING = "lib/Kernels/Indexing/"

# Convolutions, by the main loop that they take and what is special about them.
WARP = "case conv channels=16 out_channels=16 dtype=f16 sizes=129x3,4999x3"
WARP_WIDE = "case conv channels=32 out_channels=16 dtype=f16 sizes=129x3,999x3"
WARP_ODD = "case conv channels=33 out_channels=16 dtype=f16 sizes=129x3"
WARP_CHUNKS = "case conv tf32=allowed channels=256 out_channels=256 sizes=129"
WARP_WORDS = 'case conv channels=16 out_channels=16 dtype=bf16 offsets="box<5, 3, 3>" sizes=129x3'
WARP_CUBE = 'case conv channels=16 out_channels=16 dtype=f16 offsets="box<5, 5, 5>" sizes=129x3'
WARP_COLUMNS = 'case conv channels=16 out_channels=16 dtype=f16 offsets="box<7, 7, 1>" sizes=129x3'
WARP_SPLITS = 'case conv tf32=allowed channels=256 out_channels=256 offsets="box<5, 3, 3>" sizes=129'
GROUP = "case conv channels=64 out_channels=64 dtype=f16 sizes=129x3,999x3"
RING = "case conv channels=128 out_channels=128 dtype=f16 sizes=31,129x3"
RING_LISTS = 'case conv channels=64 out_channels=64 dtype=f16 offsets="box<5, 5, 5>" sizes=999x3'
RING_WORDS = 'case conv channels=64 out_channels=64 dtype=f16 offsets="box<5, 3, 3>" sizes=129x3'
RING_MANY = "case conv channels=128 out_channels=128 dtype=f16 sizes=49999"
PRODUCER = "case conv channels=256 out_channels=256 dtype=f16 sizes=31,129x3"
PRODUCER_REST = "case conv channels=136 out_channels=256 dtype=bf16 sizes=129"
RING_CHUNKS = "case conv channels=256 out_channels=128 dtype=bf16 sizes=129"
ODD = 'case conv channels=64 out_channels=101 dtype=f16 decision="{tiling = #sparseconv.gemm_tiling<ring64, warps = 8, tile_k = 32, tile_n = 40, stages = 4>}" sizes=129x3'
COLUMNS = "case conv channels=64 out_channels=320 dtype=f16 sizes=129x3"
FMA = "case conv channels=64 out_channels=64 sizes=129x3,999x3"
FMA_WIDE = "case conv channels=64 out_channels=128 sizes=129x3"
FMA_WORDS = 'case conv channels=64 out_channels=64 offsets="box<5, 3, 3>" sizes=129x3'
FMA_CHUNKS = "case conv channels=256 out_channels=64 sizes=129"
DEPTHWISE = 'case conv groups=64 channels=64 out_channels=64 dtype=f16 decision="{tiling = #sparseconv.gemm_tiling<depthwise, tile_n = 32>}" sizes=129x3'
GROUPED = 'case conv groups=4 channels=64 out_channels=96 dtype=f16 decision="{tiling = #sparseconv.gemm_tiling<warp16, tile_k = 16, tile_n = 16>}" sizes=129x3'
PAIRS = 'case conv channels=129 out_channels=40 dtype=f16 decision="{dataflow = #sparseconv.dataflow<weight_stationary>}" sizes=999x3'
PAIRS_FMA = 'case conv channels=129 out_channels=40 decision="{dataflow = #sparseconv.dataflow<weight_stationary>}" sizes=999x3'
PAIRS_ATOMIC = 'case conv channels=33 out_channels=40 dtype=f16 decision="{dataflow = #sparseconv.dataflow<fetch_on_demand>}" sizes=999x3'
EPILOGUE = "case yield channels=64 out_channels=64 dtype=f16 sizes=129x3"

WEIGHT_GRAD = 'case weight_grad channels=64 out_channels=64 dtype=f16 decision="{tiling = #sparseconv.weight_grad_tiling<mma, tile_in = 64, tile_out = 64, piece_in = 32, piece_out = 32, pairs = 32, stages = 4, blocks = 4>}" sizes=129x3,1999'
WEIGHT_GRAD_WGMMA = 'case weight_grad channels=128 out_channels=128 dtype=f16 decision="{tiling = #sparseconv.weight_grad_tiling<wgmma, tile_in = 128, tile_out = 128, piece_in = 128, piece_out = 128, stages = 4>}" sizes=129x3,1999'
WEIGHT_GRAD_TF32 = "case weight_grad tf32=allowed channels=64 out_channels=64 sizes=129x3"
WEIGHT_GRAD_FMA = "case weight_grad channels=33 out_channels=20 sizes=129x3,1999"
WEIGHT_GRAD_GROUPED = 'case weight_grad groups=4 channels=64 out_channels=32 dtype=f16 decision="{tiling = #sparseconv.weight_grad_tiling<mma, piece_in = 16, piece_out = 16, slices = 2, pairs = 32, stages = 4>}" sizes=129x3'
WEIGHT_GRAD_GROUPS = "case weight_grad groups=4 channels=16 out_channels=32 sizes=129x3"

PACK = "case pack sizes=129x3,4999x3"
PACK_SPREAD = 'case pack bits="[16, 16, 16]" stride="[512, 512, 512]" sizes=300007'
PACK_NARROW = 'case pack key=i32 bits="[10, 10, 8]" batch_bits=3 sizes=4999x3'
PACK_MANY = 'case pack key=i32 bits="[10, 10, 8]" batch_bits=3 sizes=600011'
PRUNE = "case prune sizes=4999x3"
COARSEN = "case downsample coarsening=merge sizes=129x3,199999"
COVER = "case downsample rule=cover sizes=129x3,999x3"
MAP = "case kernel_map sizes=129x3,999x3"
MAP_APART = "case kernel_map relation=cover sizes=129x3,999x3"
MAP_COARSE = 'case kernel_map stride_in="[2, 2, 2]" sizes=129x3,999x3'
TILES_COARSE = 'case map_tiles stride_in="[2, 2, 2]" offsets="box<2, 2, 2>" relation=floor sizes=129x3,999x3'
MAP_AWAY = 'case kernel_map offsets="list<[0, 0, 5]>" sizes=129x3,999x3'
MAP_TERRACES = 'case kernel_map special=terraces offsets="box<5, 5, 5>" sizes=9999'
MAP_SPREAD = 'case kernel_map special=last offsets="box<5, 5, 5>" sizes=129x3,999x3'
MAP_SCATTERED = 'case kernel_map special=scattered offsets="box<5, 5, 5>" sizes=9999'
LOOKUP = "case kernel_map search=hash sizes=129x3,999x3"
HALF = 'case conv channels=16 out_channels=16 dtype=f16 search="zdelta, half" to=%in sizes=129x3'
LOOKUP_HITS = "case conv channels=16 out_channels=16 dtype=f16 search=hash sizes=129x3"

MUTANTS = [
    # Pair lists, and a warp's row block.
    (INDEXING + "PairLists.cpp", "b.store(sum, t.shared[0], {b.index(part), k});", "b.store(b.i32(0), t.shared[0], {b.index(part), k});", PAIRS),
    (GEMM + "PairWalk.cpp", "b.lessUnsigned(inBlock, at.end)", "b.lessUnsigned(at.begin, at.end)", PAIRS),
    (GEMM + "PairWalk.cpp", "b.equal(chunk, e.layout.chunks - 1)", "b.equal(chunk, 0)", PAIRS),
    (GEMM + "PairFma.cpp", "b.shuffle(outRow, b.mul(row, 2))", "outRow", PAIRS_FMA),
    (GEMM + "PairFma.cpp", "b.sub(b.i32(1), now.stage)", "now.stage", PAIRS_FMA),
    (GEMM + "PairWalk.cpp", "b.remainder(rowBlock, config.gemm.offsets)", "b.i32(0)", PAIRS_ATOMIC),
    (GEMM + "PairSums.cpp", "b.atomicAdd(b.offset(pointer, i * 4), products[i]);", "b.store(products[i], b.offset(pointer, i * 4), 4);", PAIRS_ATOMIC),
    # A warp's 16 rows.
    (GEMM + "ImplicitGemmRows.cpp", "b.mul(lane, registers * 4)", "b.mul(laneInGroup, registers * 4)", WARP),
    (GEMM + "ImplicitGemmRows.cpp", "pairBytes + tile * registers * 128", "pairBytes", WARP),
    (GEMM + "ImplicitGemmRows.cpp", "slice.slice(half * 2, 2)", "slice.slice(0, 2)", WARP_WIDE),
    (GEMM + "Warp16.cpp", "b.mul(task.tile, 16)", "b.mul(task.tile, 8)", WARP),
    (GEMM + "RowStages.cpp", "b.max(stage.at.offset, least)", "least", WARP),
    (GEMM + "RowStages.cpp", "stages.front().at.walk = left;", "stages.front().at.walk = walk;", WARP),
    (GEMM + "ImplicitGemmEmitter.cpp", "b.add(b.mul(offset, layout.chunks), chunk)", "b.mul(offset, layout.chunks)", WARP_CHUNKS),
    # A warpgroup's 64 rows, with resident weights and with a ring of stages.
    (GEMM + "Wgmma.cpp", "step % 4 * kStepBytes", "step % 4 * 2 * kStepBytes", GROUP),
    (GEMM + "Wgmma.cpp", "static_cast<uint64_t>(swizzle) << 62", "0", GROUP),
    (GEMM + "Group64.cpp", "b.add(b.mul(tile, 64), b.mul(warp, 16))", "b.mul(tile, 64)", GROUP),
    (GEMM + "Group64.cpp", "b.mul(offset, e.layout.offsetBytes())", "b.i32(0)", GROUP),
    (GEMM + "WeightRing.cpp", "b.offset(shared, b.mul(turn.stage, layout.chunkBytes()))", "shared", RING_CHUNKS),
    (GEMM + "WeightRing.h", "b.mul(turn.stage, layout.chunkBytes())", "b.i32(0)", RING),
    (GEMM + "Ring64.cpp", "e.gatherChunk(now.own.rows, chunk + 1)", "e.gatherChunk(now.own.rows, chunk)", RING_CHUNKS),
    (GEMM + "Ring64.cpp", "b.add(b.mul(task.tile, 64), b.mul(warp, 16))", "b.mul(task.tile, 64)", RING),
    (GEMM + "Ring64.cpp", "b.add(firstTile, warpgroup)", "firstTile", RING),
    # The same with a warpgroup that copies.
    (GEMM + "RowRing.cpp", "i * kRowsApart * kRowBytes", "0", PRODUCER),
    (GEMM + "RowRing.cpp", "b.xorBits(piece, b.remainder(row, 8))", "piece", PRODUCER),
    (GEMM + "RowRing.cpp", "b.andBits(isThere, isChannel)", "isChannel", PRODUCER_REST),
    (GEMM + "RowRing.cpp", "b.mul(tile, e.config.rowsPerTile() * kRowBytes)", "b.i32(0)", PRODUCER),
    (GEMM + "Producer64.cpp", "b.add(firstTile, warpgroup)", "firstTile", PRODUCER),
    # f32 in tiles.
    (GEMM + "LaneTile.cpp", "b.mul(columnLane, 16)", "b.mul(rowLane, 16)", FMA),
    (GEMM + "LaneTile.cpp", "b.fma(x[i][k], w[j], sum)", "b.fma(x[i][0], w[j], sum)", FMA),
    (GEMM + "LaneTile.cpp", "i * rowLanes * chunk.pitch", "i * chunk.pitch", FMA),
    (GEMM + "LaneTile.cpp", "number % laneQuads * columnLanes", "number % laneQuads", FMA_WIDE),
    (GEMM + "StageCopies.cpp", "b.mul(b.divide(e.thread, 2), getRowPitch(config))", "b.mul(b.divide(e.thread, 4), getRowPitch(config))", FMA),
    (GEMM + "StageCopies.cpp", "b.mul(source.chunk, config.tileK * 4)", "b.i32(0)", FMA_CHUNKS),
    (GEMM + "Fma16.cpp", "b.shiftRight(bits, b.remainder(offset, 32))", "bits", FMA),
    # Depthwise, and groups of several channels.
    (GEMM + "Depthwise.cpp", "b.mul(b.divide(e.lane, rowLanes), laneRows)", "b.i32(0)", DEPTHWISE),
    (GEMM + "Depthwise.cpp", "b.fma(row[j], weights[j], sum)", "b.fma(row[j], weights[0], sum)", DEPTHWISE),
    (GEMM + "Depthwise.cpp", "b.offset(e.x, b.mul(channel, bytes))", "b.offset(e.x, b.mul(column, bytes))", DEPTHWISE),
    (GEMM + "ImplicitGemmEmitter.cpp", "b.mul(section, config.inChannels * config.elementBytes())", "b.i32(0)", GROUPED),
    (GEMM + "ImplicitGemmEmitter.cpp", "b.mul(section, config.outChannels * outBytes)", "b.i32(0)", GROUPED),
    (GEMM + "BuildImplicitGemm.cpp", "b.remainder(out, columns)", "out", GROUPED),
    # What the main loops share: rows, offsets, stores, split sums.
    (GEMM + "ImplicitGemmEmitter.cpp", "b.mul(tileInSection, config.tileN * outBytes)", "b.i32(0)", COLUMNS),
    (GEMM + "ImplicitGemmRows.cpp", "b.extend64(b.mul(offset, 4))", "b.extend64(offset)", WARP),
    (GEMM + "ImplicitGemmRows.cpp", "b.mul(laneGroup, inShared ? 1 : 2)", "laneGroup", WARP),
    (GEMM + "OffsetList.cpp", "b.add(b.mul(word, 32), e.lane)", "e.lane", WARP_WORDS),
    (GEMM + "ImplicitGemmRows.cpp", "b.shiftLeft(halves[i + 1], 16)", "b.shiftLeft(halves[i], 16)", WARP_ODD),
    (GEMM + "ImplicitGemmRows.cpp", "b.mul(anyChunk, layout.tileK * bytes)", "b.i32(0)", WARP_CHUNKS),
    (GEMM + "ImplicitGemmRows.cpp", "pair * 8 + row * registers + step % 2 * 2 + half", "pair * 8 + row * registers + half", WARP_WIDE),
    (GEMM + "ImplicitGemmEmitter.cpp", "b.remainder(number, splits)", "b.i32(0)", WARP_SPLITS),
    (GEMM + "ImplicitGemmStore.cpp", "b.offset(pointer, at * 4)", "pointer", PRODUCER),
    (GEMM + "ImplicitGemmStore.cpp", "b.mul(laneInGroup, elements)", "b.mul(laneInGroup, elements / 2)", WARP),
    (GEMM + "ImplicitGemmStore.cpp", "accumulators[i / 2 * 4 + 2 * half + i % 2]", "accumulators[i / 2 * 4 + i % 2]", WARP),
    (GEMM + "ImplicitGemmStore.cpp", "b.select(isOwn[i], own, value)", "value", RING),
    (GEMM + "ImplicitGemmStore.cpp", "b.select(isTheirs, number, another)", "another", RING),
    (GEMM + "SplitPlan.cpp", "b.sub(number, first)", "b.sub(first, first)", RING),
    (GEMM + "SplitPlan.cpp", "store({e.thread, split, count, first});", "store({e.thread, split, count, split});", RING),
    (GEMM + "SplitPlan.cpp", "b.sub(b.sub(numRowBlocks, 1), number)", "b.sub(numRowBlocks, 1)", RING_MANY),
    (GEMM + "SplitPlan.cpp", "b.add(taken, stride)", "b.add(b.add(taken, 1), stride)", RING_MANY),
    (GEMM + "ImplicitGemmSplits.cpp", "b.divide(b.mul(count, split), task.splits)", "b.divide(b.mul(b.sub(count, 1), split), task.splits)", RING),
    (GEMM + "ImplicitGemmSplits.cpp", "b.add(b.mul(word, 32), b.countTrailingZeros(left))", "b.countTrailingZeros(left)", RING_LISTS),
    (GEMM + "OffsetList.cpp", "b.popCount(b.andBits(bits, b.sub(ownBit, 1)))", "b.i32(0)", FMA_WORDS),
    (GEMM + "OffsetList.cpp", "b.xorBits(bitsBelow(b, range.end, word),\n                                           bitsBelow(b, range.first, word))", "bitsBelow(b, range.end, word)", WARP_SPLITS),
    (GEMM + "OffsetList.cpp", "walk.entry = b.add(walk.entry, kEntryBytes);", "walk.entry = b.add(walk.entry, 2 * kEntryBytes);", RING_WORDS),
    (GEMM + "ImplicitGemmStore.cpp", "(tile + j) * 512", "j * 512", RING),
    (GEMM + "OddRows.cpp", "b.select(b.equal(phase, 0), low, odd)", "low", ODD),
    (GEMM + "OddRows.cpp", "b.add(b.mul(word, 2), phase)", "b.mul(word, 2)", ODD),
    (GEMM + "OddRows.cpp", "b.select(isFirst, phase, b.andBits(b.sub(channels, phase), 1))", "b.andBits(b.sub(channels, phase), 1)", ODD),
    (GEMM + "OddRows.cpp", "b.sub(b.i32(left), before)", "b.i32(left)", ODD),
    (GEMM + "ImplicitGemmStore.cpp", "b.mul(lane, 16)", "b.mul(laneInGroup, 16)", RING),
    ("lib/Kernels/Builders/GpuBuilder.cpp", "vector::FromElementsOp::create(*this, wide, ValueRange{low, high})", "vector::FromElementsOp::create(*this, wide, ValueRange{high, low})", WARP),
    (GEMM + "ImplicitGemmStore.cpp", "b.add(b.mul(row, channels), index)", "index", EPILOGUE),
    (GEMM + "ImplicitGemmStore.cpp", "b.offset(begin, first * bytes)", "begin", EPILOGUE),
    # Weight gradients.
    (GEMM + "WeightGradMma.cpp", "((i / 2) * columns + j) * 4 + i % 2 * 2", "((i / 2) * columns + j) * 4", WEIGHT_GRAD),
    (GEMM + "WeightGradMma.cpp", "dy.slice(half + j % 2 * 2, 2)", "dy.slice(half, 2)", WEIGHT_GRAD),
    (GEMM + "WeightGradMma.cpp", "b.mul(b.divide(e.lane, 16), 8)", "b.i32(0)", WEIGHT_GRAD),
    (GEMM + "WeightGradMma.cpp", "(eight * 8 + nextPairs * 4) * pitch", "(eight * 8) * pitch", WEIGHT_GRAD_TF32),
    (GEMM + "WeightGradMma.cpp", "b.mul(b.extend64(e.firstGroup), b.i64(bytes))", "b.i64(0)", WEIGHT_GRAD_GROUPED),
    (GEMM + "WeightGradWgmma.cpp", "b.xorBits(b.remainder(piece, 8), b.remainder(side.pair, 8))", "b.remainder(piece, 8)", WEIGHT_GRAD_WGMMA),
    (GEMM + "WeightGradWgmma.cpp", "i * blockBytes() + k * kRowBytes", "k * kRowBytes", WEIGHT_GRAD_WGMMA),
    (GEMM + "WeightGradWgmma.cpp", "matrix.leadingByteOffset = blockBytes();", "matrix.leadingByteOffset = 16;", WEIGHT_GRAD_WGMMA),
    (GEMM + "WeightGradWgmma.cpp", "(rows * config.outChannels + eight * 8) * 4", "(eight * 8) * 4", WEIGHT_GRAD_WGMMA),
    (GEMM + "WeightGradFma.cpp", "b.add(b.mul(pair, pitch), b.mul(column, 4))", "b.mul(column, 4)", WEIGHT_GRAD_FMA),
    (GEMM + "WeightGradFma.cpp", "b.fma(l, r, sums[at])", "b.fma(l, r, b.f32(0))", WEIGHT_GRAD_FMA),
    (GEMM + "WeightGradFma.cpp", "number % config.pieceOut", "0", WEIGHT_GRAD_FMA),
    (GEMM + "WeightGradFma.cpp", "b.add(e.firstGroup, b.divide(column, tile))", "e.firstGroup", WEIGHT_GRAD_GROUPS),
    (GEMM + "WeightGradEmitter.cpp", "b.add(turn, b.mul(step, turns))", "b.mul(step, turns)", WEIGHT_GRAD),
    (GEMM + "WeightGradEmitter.cpp", "b.select(isOut, lists[1], lists[0])", "lists[0]", WEIGHT_GRAD),
    (GEMM + "WeightGradEmitter.cpp", "b.add(b.mul(b.blockId(), config.slices), slice)", "slice", WEIGHT_GRAD),
    (GEMM + "WeightGradSplits.cpp", "b.select(b.less(split, end), value, b.f32(0))", "value", WEIGHT_GRAD),
    (GEMM + "WeightGradSplits.cpp", "b.add(first, i * sharers)", "b.add(first, i)", WEIGHT_GRAD),
    (GEMM + "WeightGradSplits.cpp", "b.add(sum, b.load(t.shared[0], {b.index(s), column}))", "sum", WEIGHT_GRAD),
    (GEMM + "WeightGradSplits.cpp", "b.add(sum, sums.before)", "sum", WEIGHT_GRAD),
    (INDEXING + "OffsetLists.cpp", "b.add(b.load(at.ofWarps, {at.warp, local}), inWarp)", "inWarp", WEIGHT_GRAD),
    # Sorting and compacting.
    (INDEXING + "RadixSort.cpp", "b.add(lower, own)", "own", PACK),
    (INDEXING + "RadixSort.cpp", "b.sub(first, inTile)", "first", PACK),
    (INDEXING + "RadixSort.cpp", "b.add(b.popCount(before), known)", "b.popCount(before)", PACK),
    (INDEXING + "RadixSort.cpp", "tile.isInTurns() ? slot : b.add(slot, tile.size())", "slot", PACK_NARROW),
    (INDEXING + "RadixSort.cpp", "if (!tile.isInTurns())\n    return;", "return;", PACK_MANY),
    (INDEXING + "RadixSort.cpp", "b.max(usualTiles, getMostSmallTiles())", "usualTiles", PACK),
    (INDEXING + "SortLists.cpp", "getTarget(b.sub(pass, 1))", "getTarget(pass)", PACK),
    (INDEXING + "KeyDigits.cpp", "b.sub(extract(key, field), field.least)", "extract(key, field)", PACK),
    (INDEXING + "LookBack.cpp", "b.select(isOn, b.cast(word, i32), zero)", "zero", PACK),
    (INDEXING + "LookBack.h", "b.add(b.shiftLeft(pass, 1), of)", "b.i32(of)", PACK_MANY),
    (INDEXING + "TileTickets.cpp", "b.store(addOne(b.i32(0)), shared, zero);", "b.store(b.i32(0), shared, zero);", PACK),
    (INDEXING + "TileTickets.cpp", "getPass(ticket, numBlocks)", "b.i32(0)", PACK),
    (INDEXING + "TileTickets.cpp", "b.less(zero, pass)", "b.i1(false)", PACK_SPREAD),
    (INDEXING + "BlockSums.cpp", "b.select(b.less(b.index(w), warp), ofWarp, zero)", "zero", PACK),
    (INDEXING + "BlockSums.cpp", "b.add(before, sum(own).before)", "sum(own).before", PRUNE),
    (INDEXING + "RowNumbers.cpp", "b.store(b.add(sum[0], sums.before), beforeBlock, block);", "b.store(sums.before, beforeBlock, block);", COARSEN),
    (INDEXING + "RowNumbers.cpp", "b.store(sums.before, inBlock, row);", "b.store(b.i32(0), inBlock, row);", COARSEN),
    (INDEXING + "Spread.cpp", "writer.write = [&](Value row, Value, Value place) { write(row, place); };", "writer.write = [&](Value row, Value, Value place) { write(row, b.i32(0)); };", COVER),
    # Searching, and tiles of rows.
    (INDEXING + "ZDeltaKernel.cpp", "b.add(base, skipped)", "base", MAP_APART),
    (INDEXING + "RowSearch.cpp", "(length - 1) * columns.spacing + 1", "(length - 1) * columns.spacing", MAP_APART),
    (INDEXING + "RowSearch.cpp", "b.divide(b.cast(above, b.getI32Type()), columns.spacing)", "b.cast(above, b.getI32Type())", TILES_COARSE),
    (INDEXING + "DenseKeys.cpp", "getAdded(number, field.axis) / field.unit", "getAdded(number, field.axis)", MAP_COARSE),
    (INDEXING + "KeyWindows.cpp", "b.sub(start, place)", "start", MAP),
    (INDEXING + "KeyWindows.cpp", "kWarpLanes - (length - 1)", "kWarpLanes", MAP),
    (INDEXING + "KeyWindows.cpp", "ahead < length", "ahead < 2", WARP),
    (INDEXING + "KeyWindows.cpp", "b.minUnsigned(b.add(place, i), last)", "b.minUnsigned(place, last)", MAP_SPREAD),
    (INDEXING + "KeyFields.cpp", "b.add(base, b.mul(below, part))", "b.add(base, below)", MAP),
    (INDEXING + "KeyWindows.cpp", "dense.getCenter(key)", "dense.getNumber(key)", MAP_AWAY),
    (INDEXING + "DenseKeys.cpp", "b.max(extract(key, field), field.below)", "extract(key, field)", MAP_TERRACES),
    (INDEXING + "DenseKeys.cpp", "b.min(inside, field.above)", "inside", MAP_TERRACES),
    (INDEXING + "DenseKeys.cpp", "b.select(b.lessEqual(highest.above, value), last, number)", "number", MAP_SCATTERED),
    (INDEXING + "SharedRows.cpp", "getPiecePlace(b, at, b.divide(at, own.pieces), own.pieces)", "b.add(at, 0)", WARP_CUBE),
    (INDEXING + "KeyLookup.cpp", "b.min(b.add(first, i), b.index(count - 1))", "b.min(first, b.index(count - 1))", LOOKUP),
    (INDEXING + "KeyLookup.cpp", "b.select(isHit, entries[i], place)", "place", LOOKUP_HITS),
    (INDEXING + "SharedRows.cpp", "b.add(b.mul(t.block, threads * pieces), inStage)", "inStage", MAP),
    (INDEXING + "SharedRows.cpp", "fromLane(b, row, ofRow)", "row", WARP_CUBE),
    (INDEXING + "SharedRows.cpp", "b.mul(b.add(piece, first), kPieceWords)", "b.mul(piece, kPieceWords)", WARP_COLUMNS),
    (INDEXING + "ColumnHits.cpp", "b.add(place, b.popCount(getBits(before)))", "place", WARP),
    (INDEXING + "ColumnHits.cpp", "b.add(place, b.popCount(hits))", "place", WARP_WORDS),
    (INDEXING + "TileRows.cpp", "b.divide(t.thread, kMaskRows)", "b.index(0)", WARP),
    (INDEXING + "TileRows.cpp", "record.getMask(word)", "b.i32(0)", WARP),
    (INDEXING + "TileRows.cpp", "b.select(isOwn, ofTile, all)", "ofTile", WARP),
    (INDEXING + "TileRows.cpp", "b.select(isEntry(entry), b.bit(bit), b.i32(0))", "b.i32(0)", HALF),
]
