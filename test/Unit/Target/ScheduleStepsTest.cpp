//===- ScheduleStepsTest.cpp - which steps may overlap --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Replay.h"
#include <gtest/gtest.h>
#include <random>

using namespace mlir::sparseconv;
using namespace mlir::sparseconv::test;
using namespace sparseconv::plan;

namespace {

/// A function of launches, each of a kernel of its own. The number of a step in
/// the program is the number of threads of a block.
class Program {
public:
  explicit Program(uint32_t numBuffers, uint32_t numSlots = 0) {
    function.name = "program";
    function.buffers.resize(numBuffers);
    for (Buffer &buffer : function.buffers)
      buffer.bytes = SizeExpr::constant(1000);
    function.slots.resize(numSlots);
  }

  /// Adds a step that reads and writes buffers.
  Program &step(std::vector<uint32_t> reads, std::vector<uint32_t> writes,
                unsigned cost = 1) {
    begin(cost);
    for (uint32_t buffer : reads)
      use(Param::buffer(buffer), {/*reads=*/true, /*writes=*/false});
    for (uint32_t buffer : writes)
      use(Param::buffer(buffer), {/*reads=*/false, /*writes=*/true});
    return *this;
  }
  /// The last step is one that prepares.
  Program &prepares() {
    function.steps.back().prepares = true;
    return *this;
  }

  void begin(unsigned cost = 1) {
    Step step;
    step.kernel = kernels.size();
    step.blockX = function.steps.size();
    function.steps.push_back(step);
    kernels.emplace_back().cost = cost;
  }

  void use(const Param &param, ParamAccess access) {
    function.steps.back().params.push_back(param);
    kernels.back().params.push_back(access);
    if (param.kind == Param::Kind::Buffer) {
      Buffer &buffer = function.buffers[param.index];
      buffer.lastStep = function.steps.size() - 1;
    }
  }

  /// The steps of the program by their places in the schedule.
  const std::vector<uint32_t> &schedule(unsigned streams) {
    Function program = function;
    test::schedule(function, kernels, streams);
    for (Part part : allParts)
      EXPECT_EQ(findRace(program, function, kernels, part), "");
    EXPECT_LE(function.numStreams, streams);
    order.clear();
    places.assign(function.steps.size(), 0);
    for (const Step &step : function.steps) {
      EXPECT_LT(step.stream, function.numStreams);
      places[step.blockX] = order.size();
      order.push_back(step.blockX);
    }
    return order;
  }

  const Step &get(uint32_t step) const { return function.steps[places[step]]; }
  /// The steps of the program that the schedule waits for.
  std::vector<uint32_t> getWaits(uint32_t step) const {
    std::vector<uint32_t> result;
    for (uint32_t place : get(step).dependencies)
      result.push_back(order[place]);
    return result;
  }
  bool comesBefore(uint32_t a, uint32_t b) const {
    return Replay(function).comesBefore(places[a], places[b]);
  }

  /// Dependencies that the order of streams and other dependencies imply, as
  /// far as no run leaves out a step that they are implied by.
  unsigned countImplied() const {
    unsigned count = 0;
    bool isWhole = llvm::none_of(function.steps, [](const Step &step) {
      return step.prepares || step.counts;
    });
    for (uint32_t i = 0; i != function.steps.size(); ++i)
      for (uint32_t other : function.steps[i].dependencies) {
        Function without = function;
        llvm::erase(without.steps[i].dependencies, other);
        bool isAlike =
            function.steps[i].counts == function.steps[other].counts &&
            function.steps[i].stream == function.steps[other].stream;
        count += isAlike || (isWhole && Replay(without).comesBefore(other, i));
      }
    return count;
  }

  Function function;
  std::vector<KernelTraits> kernels;
  std::vector<uint32_t> order, places;
};

using Steps = std::vector<uint32_t>;

} // namespace

TEST(ScheduleSteps, KeepsAChainInOneStream) {
  Program program(4);
  program.step({}, {0}).step({0}, {1}).step({1}, {2}).step({2}, {3});
  EXPECT_EQ(program.schedule(4), (Steps{0, 1, 2, 3}));
  EXPECT_EQ(program.function.numStreams, 1u);
  for (const Step &step : program.function.steps)
    EXPECT_TRUE(step.dependencies.empty());
}

TEST(ScheduleSteps, OneStreamIsTheProgram) {
  Program program(3);
  program.step({}, {0}).step({}, {1}, 5).step({}, {2}, 9);
  EXPECT_EQ(program.schedule(1), (Steps{0, 1, 2}));
  EXPECT_EQ(program.function.numStreams, 1u);
}

TEST(ScheduleSteps, SplitsADiamond) {
  Program program(4);
  program.step({}, {0}).step({0}, {1}, 5).step({0}, {2}, 4).step({1, 2}, {3});
  program.schedule(2);
  EXPECT_EQ(program.function.numStreams, 2u);
  EXPECT_EQ(program.get(0).stream, program.get(1).stream);
  EXPECT_EQ(program.get(1).stream, program.get(3).stream);
  EXPECT_NE(program.get(1).stream, program.get(2).stream);
  EXPECT_EQ(program.getWaits(2), (Steps{0}));
  EXPECT_EQ(program.getWaits(3), (Steps{2}));
  EXPECT_TRUE(program.getWaits(1).empty());
}

TEST(ScheduleSteps, ReadersOverlap) {
  Program program(3);
  program.step({}, {0}).step({0}, {1}, 9).step({0}, {2}, 9);
  program.schedule(2);
  EXPECT_FALSE(program.comesBefore(1, 2));
  EXPECT_FALSE(program.comesBefore(2, 1));
}

TEST(ScheduleSteps, WritesComeAfterReads) {
  // The second write of buffer 0 waits for a long read of the first.
  Program program(3);
  program.step({}, {0}).step({0}, {1}, 9).step({}, {0}).step({0}, {2});
  program.schedule(3);
  EXPECT_TRUE(program.comesBefore(1, 2));
  EXPECT_TRUE(program.comesBefore(2, 3));
}

TEST(ScheduleSteps, WritesComeAfterWrites) {
  Program program(3);
  program.step({}, {0}).step({1}, {0}).step({2}, {0});
  EXPECT_EQ(program.schedule(3), (Steps{0, 1, 2}));
  EXPECT_TRUE(program.comesBefore(0, 1));
  EXPECT_TRUE(program.comesBefore(1, 2));
}

TEST(ScheduleSteps, ReportsStayInOrder) {
  // Long work first: the later report has to wait for it nevertheless.
  Program program(2);
  for (uint32_t i = 0; i != 2; ++i) {
    program.begin(i == 0 ? 9 : 1);
    program.use(Param::buffer(i), {});
    program.use(Param::status(), {});
  }
  EXPECT_EQ(program.schedule(4), (Steps{0, 1}));
  EXPECT_TRUE(program.comesBefore(0, 1));
}

TEST(ScheduleSteps, SlotsAreMemory) {
  Program program(2, 2);
  program.begin();
  program.use(Param::slot(1), {/*reads=*/false, /*writes=*/true});
  program.begin();
  program.use(Param::slot(1), {/*reads=*/true, /*writes=*/false});
  program.begin(9);
  program.use(Param::slot(0), {/*reads=*/true, /*writes=*/false});
  program.schedule(2);
  EXPECT_TRUE(program.comesBefore(0, 1));
  EXPECT_FALSE(program.comesBefore(0, 2) || program.comesBefore(2, 0));
  EXPECT_FALSE(program.comesBefore(1, 2) || program.comesBefore(2, 1));
}

TEST(ScheduleSteps, UnknownParametersAreReadAndWritten) {
  Program program(1);
  for (uint32_t i = 0; i != 2; ++i) {
    program.begin();
    program.use(Param::buffer(0), {});
    program.kernels.back().params.clear();
  }
  program.schedule(2);
  EXPECT_TRUE(program.comesBefore(0, 1));
}

TEST(ScheduleSteps, MemsetsAndCopies) {
  Program program(3);
  program.begin();
  program.function.steps.back().kind = Step::Kind::Memset;
  program.function.steps.back().target = 0;
  program.begin();
  program.function.steps.back().kind = Step::Kind::Copy;
  program.function.steps.back().source = 0;
  program.function.steps.back().target = 1;
  program.step({}, {0}, 9);
  program.step({1}, {2}, 9);
  program.schedule(4);
  EXPECT_TRUE(program.comesBefore(0, 1));
  EXPECT_TRUE(program.comesBefore(1, 2));
  EXPECT_TRUE(program.comesBefore(1, 3));
  EXPECT_FALSE(program.comesBefore(2, 3) || program.comesBefore(3, 2));
  EXPECT_EQ(program.function.buffers[0].firstStep, program.places[0]);
  EXPECT_EQ(program.function.buffers[0].lastStep, program.places[2]);
}

TEST(ScheduleSteps, LongPathsGoFirst) {
  // The last steps of the program are the longest path.
  Program program(6);
  program.step({}, {0}).step({}, {1}).step({}, {2});
  program.step({}, {3}).step({3}, {4}).step({4}, {5});
  EXPECT_EQ(program.schedule(2).front(), 3u);
  EXPECT_EQ(program.get(3).stream, program.get(4).stream);
  EXPECT_EQ(program.get(4).stream, program.get(5).stream);
  EXPECT_EQ(getLongestChain(program.function), 3u);
}

TEST(ScheduleSteps, ImpliedDependenciesAreLeftOut) {
  // Step 3 uses what 0 and 2 wrote, and 2 comes after 0.
  Program program(5);
  program.step({}, {0}).step({0}, {1}, 9).step({0}, {2}, 9);
  program.step({0, 2}, {3}).step({0, 1, 3}, {4}, 9);
  program.schedule(2);
  size_t numWaits = 0;
  for (const Step &step : program.function.steps)
    numWaits += step.dependencies.size();
  EXPECT_EQ(numWaits, 2u);
}

TEST(ScheduleSteps, StepsThatPrepareImplyNothing) {
  // Step 1 comes after 0 in a stream, 3 in another one needs both.
  Program program(4);
  program.step({}, {0}, 9).step({}, {1}).prepares().step({}, {2}, 30);
  program.step({0, 1, 2}, {3});
  program.schedule(2);
  EXPECT_EQ(program.get(0).stream, program.get(1).stream);
  EXPECT_NE(program.get(1).stream, program.get(3).stream);
  EXPECT_EQ(program.getWaits(3), (Steps{0, 1}));
}

TEST(ScheduleSteps, StepsThatPrepareWaitForNobodyElse) {
  // Step 1 comes after 0, which goes on in another stream, and 3 after both.
  Program program(5);
  program.step({}, {0}, 9).step({0}, {1}).prepares().step({0}, {2}, 90);
  program.step({0, 1}, {3});
  program.schedule(2);
  EXPECT_NE(program.get(0).stream, program.get(1).stream);
  EXPECT_EQ(program.get(1).stream, program.get(3).stream);
  EXPECT_EQ(program.getWaits(3), Steps{0});
}

TEST(ScheduleSteps, StepsThatCountRunAlone) {
  // Step 2 comes after 1 in a stream, which waits for 0 in another one.
  Program program(5);
  program.step({}, {0}).step({0}, {1}, 9).step({0}, {2}, 9);
  program.step({1, 2}, {3}, 9).step({2}, {4}, 30);
  markCount(program.function, program.kernels, 4);
  program.schedule(2);
  std::vector<bool> counts;
  for (uint32_t i = 0; i != 5; ++i)
    counts.push_back(program.get(i).counts);
  EXPECT_EQ(counts, (std::vector<bool>{true, false, true, false, true}));
  for (uint32_t i : {0, 2, 4})
    for (uint32_t other : program.getWaits(i))
      EXPECT_TRUE(program.get(other).counts);
}

TEST(ScheduleSteps, LifetimesFollowTheSteps) {
  Program program(3);
  program.step({}, {0}).step({}, {1}, 9).step({1}, {2});
  program.schedule(2);
  const Buffer &buffer = program.function.buffers[1];
  EXPECT_EQ(buffer.firstStep, program.places[1]);
  EXPECT_EQ(buffer.lastStep, program.places[2]);
}

TEST(ScheduleSteps, RandomPrograms) {
  for (unsigned round = 0; round != 300; ++round) {
    std::mt19937 random(round);
    uint32_t numBuffers = 1 + random() % 10, numSlots = random() % 3;
    Program program(numBuffers, numSlots);
    for (Buffer &buffer : program.function.buffers)
      buffer.bytes = SizeExpr::constant(random() % 3000);
    // The first steps prepare what the others read.
    uint32_t numPrepared = random() % (numBuffers + 1);
    uint32_t numPreparing = numPrepared ? random() % 6 : 0;
    for (uint32_t i = 0, end = 1 + random() % 30; i != end; ++i) {
      program.begin(1 + random() % 8);
      bool prepares = i < numPreparing;
      program.function.steps.back().prepares = prepares;
      for (uint32_t uses = random() % 4; uses != 0; --uses) {
        ParamAccess access = {random() % 2 == 0, random() % 3 == 0};
        if (prepares) {
          program.use(Param::buffer(random() % numPrepared), access);
          continue;
        }
        switch (random() % 8) {
        case 0:
          program.use(Param::status(), access);
          break;
        case 1:
          if (numSlots)
            program.use(Param::slot(random() % numSlots), access);
          break;
        default:
          uint32_t buffer = random() % numBuffers;
          access.writes &= buffer >= numPrepared;
          program.use(Param::buffer(buffer), access);
        }
      }
    }
    SCOPED_TRACE(round);
    if (random() % 2)
      markCount(program.function, program.kernels,
                random() % program.function.steps.size());
    program.schedule(1 + random() % 5);
    EXPECT_EQ(program.countImplied(), 0u);
    for (auto [part, phase] : {std::pair(Part::All, Phase::Whole),
                               std::pair(Part::Counts, Phase::Counts),
                               std::pair(Part::Rest, Phase::Rest)}) {
      std::string error;
      Schedule schedule(program.function, {}, phase);
      std::optional<Layout> layout =
          layOut(program.function, schedule, {}, error);
      ASSERT_TRUE(layout) << error;
      EXPECT_EQ(findSharedMemory(program.function, *layout, part), "");
    }
  }
}

TEST(ScheduleSteps, TheReplayFindsRaces) {
  Program program(1);
  program.step({}, {0}).step({0}, {});
  Function racing = program.function;
  racing.numStreams = 2;
  racing.steps[1].stream = 1;
  EXPECT_EQ(findRace(program.function, racing, program.kernels),
            "steps 0 and 1 use memory 0 at the same time");
  racing.steps[1].dependencies = {0};
  EXPECT_EQ(findRace(program.function, racing, program.kernels), "");
  std::swap(racing.steps[0], racing.steps[1]);
  racing.steps[0].dependencies.clear();
  racing.steps[1].dependencies = {0};
  EXPECT_EQ(findRace(program.function, racing, program.kernels),
            "steps 0 and 1 use memory 0 in another order");
}
