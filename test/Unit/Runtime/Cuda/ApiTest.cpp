//===- ApiTest.cpp - every function with arguments that make no sense -----===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table has calls of every function that the header declares, and what each
// of them returns. None of them ends the process, and none breaks the objects.
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"
#include "sparseconv/Support/Status.h"
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <set>

using namespace sparseconv;
using namespace sparseconv::cuda;

namespace {
/// One call, its result and the text that is kept.
struct Call {
  const char *function;
  std::function<int()> call;
  int code;
  std::string text;
};

class Api : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_EQ(create(makeSamplePlan(), 10), SPARSECONV_OK);
    std::string file = plan::serialise(makeSamplePlan());
    ASSERT_EQ(sparseconv_plan_read(file.data(), file.size(), &plan),
              SPARSECONV_OK);
  }
  void TearDown() override {
    sparseconv_plan_destroy(plan);
    RuntimeTest::TearDown();
  }

  /// Runs every call, and notes the functions.
  void run(const std::vector<Call> &calls) {
    for (const Call &call : calls) {
      names.insert(call.function);
      // A text that no call leaves.
      sparseconv_program_num_values(program, "other", nullptr, nullptr);
      EXPECT_EQ(call.call(), call.code)
          << call.function << ": " << sparseconv_last_error();
      if (!call.text.empty())
        EXPECT_EQ(sparseconv_last_error(), call.text) << call.function;
    }
  }

  std::set<std::string> names;
  sparseconv_plan *plan = nullptr;
};
} // namespace

/// A getter as a call: whether there is nothing.
template <typename T> static int isNothing(T value) {
  return value == T() ? SPARSECONV_INVALID_ARGUMENT : SPARSECONV_OK;
}

static const int bad = SPARSECONV_INVALID_ARGUMENT;

#define CALL(name, ...) Call{#name, [&] { return name(__VA_ARGS__); }, bad, ""}
#define GET(name, ...)                                                         \
  Call{#name, [&] { return isNothing(name(__VA_ARGS__)); }, bad, ""}

namespace {
/// Calls that refuse what they are given.
struct Refusals {
  sparseconv_context *context;
  sparseconv_program *program;
  sparseconv_instance *instance;
  sparseconv_plan *plan;

  sparseconv_context *newContext = nullptr;
  sparseconv_program *newProgram = nullptr;
  sparseconv_instance *newInstance = nullptr;
  sparseconv_plan *newPlan = nullptr;
  sparseconv_value_info value = {};
  sparseconv_instance_info about = {};
  sparseconv_growable_info growable = {};
  sparseconv_step_info step = {};
  sparseconv_tensor tensor = {};
  int64_t number = 0, capacity = 10;
  uint64_t bytes = 0;
  double times[16] = {};
  void *data = nullptr;
  char host[64] = {};

  std::vector<Call> ofDevices();
  std::vector<Call> ofPrograms();
  std::vector<Call> ofPlans();
  std::vector<Call> ofMemory();
  std::vector<Call> ofInstances();
  std::vector<Call> ofRuns();
};
} // namespace

std::vector<Call> Refusals::ofDevices() {
  return {
      CALL(sparseconv_device_count, nullptr),
      CALL(sparseconv_context_create, 0, nullptr),
      {"sparseconv_context_create",
       [&] { return sparseconv_context_create(-1, &newContext); },
       SPARSECONV_NO_DEVICE, "there is no device -1, only 0 .. 0"},
      {"sparseconv_context_create",
       [&] { return sparseconv_context_create(INT32_MAX, &newContext); },
       SPARSECONV_NO_DEVICE, "there is no device 2147483647, only 0 .. 0"},
      CALL(sparseconv_context_create_cpu, nullptr, 0, nullptr),
      GET(sparseconv_context_chip, nullptr),
      GET(sparseconv_context_device_name, nullptr),
      CALL(sparseconv_context_trim, nullptr),
      CALL(sparseconv_context_synchronise, nullptr),
  };
}

std::vector<Call> Refusals::ofPrograms() {
  auto load = [&](const void *bytes, uint64_t size, int code,
                  const char *text) -> Call {
    return {"sparseconv_program_load",
            [=] {
              return sparseconv_program_load(context, bytes, size, &newProgram);
            },
            code, text};
  };
  auto loadFile = [&](const char *path, const char *why) -> Call {
    return {"sparseconv_program_load_file",
            [=] {
              return sparseconv_program_load_file(context, path, &newProgram);
            },
            SPARSECONV_FILE_ERROR,
            std::string(path) + ": the file cannot be read: " + why};
  };
  return {
      CALL(sparseconv_program_load, nullptr, "", 0, &newProgram),
      CALL(sparseconv_program_load, context, nullptr, 1, &newProgram),
      CALL(sparseconv_program_load, context, "", 0, nullptr),
      load(nullptr, 0, SPARSECONV_INVALID_PLAN,
           "not a plan: the file does not begin with 'SPCVPLAN'"),
      load("", UINT64_MAX, SPARSECONV_OUT_OF_MEMORY,
           "the host has no memory for a plan of 18446744073709551615 bytes"),
      CALL(sparseconv_program_load_file, nullptr, "/", &newProgram),
      CALL(sparseconv_program_load_file, context, nullptr, &newProgram),
      CALL(sparseconv_program_load_file, context, "/", nullptr),
      loadFile("/", "Is a directory"),
      loadFile("", "No such file or directory"),
      loadFile("/nonexistent/plan", "No such file or directory"),
      CALL(sparseconv_program_bind_constant, nullptr, "w", host, 1),
      CALL(sparseconv_program_bind_constant, program, nullptr, host, 1),
      CALL(sparseconv_program_bind_constant, program, "w", nullptr, 1),
      CALL(sparseconv_program_bind_constant, program, "", host, UINT64_MAX),
      GET(sparseconv_program_num_functions, nullptr),
      GET(sparseconv_program_function_name, nullptr, 0),
      GET(sparseconv_program_function_name, program, INT64_MIN),
      GET(sparseconv_program_function_name, program, INT64_MAX),
      CALL(sparseconv_program_num_values, nullptr, "main", &number, &number),
      CALL(sparseconv_program_num_values, program, nullptr, &number, &number),
      CALL(sparseconv_program_num_values, program, "", &number, &number),
      CALL(sparseconv_program_input, nullptr, "main", 0, &value),
      CALL(sparseconv_program_input, program, nullptr, 0, &value),
      CALL(sparseconv_program_input, program, "main", 0, nullptr),
      CALL(sparseconv_program_input, program, "main", INT64_MIN, &value),
      CALL(sparseconv_program_output, nullptr, "main", 0, &value),
      CALL(sparseconv_program_output, program, nullptr, 0, &value),
      CALL(sparseconv_program_output, program, "main", 0, nullptr),
      CALL(sparseconv_program_output, program, "main", INT64_MAX, &value),
  };
}

std::vector<Call> Refusals::ofPlans() {
  return {
      CALL(sparseconv_plan_read, nullptr, 1, &newPlan),
      CALL(sparseconv_plan_read, "", 0, nullptr),
      {"sparseconv_plan_read",
       [&] { return sparseconv_plan_read("no plan", 7, &newPlan); },
       SPARSECONV_INVALID_PLAN,
       "not a plan: the file does not begin with 'SPCVPLAN'"},
      {"sparseconv_plan_read",
       [&] { return sparseconv_plan_read("", UINT64_MAX, &newPlan); },
       SPARSECONV_OUT_OF_MEMORY,
       "the host has no memory for a plan of 18446744073709551615 bytes"},
      GET(sparseconv_plan_target, nullptr),
      GET(sparseconv_plan_num_functions, nullptr),
      GET(sparseconv_plan_function_name, nullptr, 0),
      GET(sparseconv_plan_function_name, plan, -1),
      GET(sparseconv_plan_function_name, plan, 1),
      CALL(sparseconv_plan_num_values, nullptr, "main", &number, &number),
      CALL(sparseconv_plan_num_values, plan, nullptr, &number, &number),
      CALL(sparseconv_plan_input, nullptr, "main", 0, &value),
      CALL(sparseconv_plan_input, plan, "main", 0, nullptr),
      CALL(sparseconv_plan_input, plan, "main", 1, &value),
      CALL(sparseconv_plan_output, nullptr, "main", 0, &value),
      CALL(sparseconv_plan_output, plan, "main", 0, nullptr),
      CALL(sparseconv_plan_output, plan, nullptr, 0, &value),
  };
}

std::vector<Call> Refusals::ofMemory() {
  return {
      CALL(sparseconv_memory_allocate, nullptr, nullptr, 1, &data),
      CALL(sparseconv_memory_allocate, context, nullptr, 1, nullptr),
      {"sparseconv_memory_allocate",
       [&] {
         return sparseconv_memory_allocate(context, nullptr, UINT64_MAX, &data);
       },
       SPARSECONV_OUT_OF_MEMORY, ""},
      CALL(sparseconv_memory_free, nullptr, nullptr, host),
      CALL(sparseconv_memory_upload, nullptr, nullptr, host, host, 1),
      CALL(sparseconv_memory_upload, context, nullptr, nullptr, host, 1),
      CALL(sparseconv_memory_upload, context, nullptr, host, nullptr, 1),
      CALL(sparseconv_memory_download, nullptr, nullptr, host, host, 1),
      CALL(sparseconv_memory_download, context, nullptr, nullptr, host, 1),
      CALL(sparseconv_memory_download, context, nullptr, host, nullptr, 1),
      CALL(sparseconv_stream_wait, nullptr, nullptr, nullptr),
  };
}

std::vector<Call> Refusals::ofInstances() {
  auto create = [&](int64_t rows, const char *text) -> Call {
    return {"sparseconv_instance_create",
            [=] {
              return sparseconv_instance_create(program, "main", &rows, 1, 0,
                                                &newInstance);
            },
            bad, text};
  };
  return {
      CALL(sparseconv_instance_create, nullptr, "main", &capacity, 1, 0,
           &newInstance),
      CALL(sparseconv_instance_create, program, nullptr, &capacity, 1, 0,
           &newInstance),
      CALL(sparseconv_instance_create, program, "main", nullptr, 1, 0,
           &newInstance),
      CALL(sparseconv_instance_create, program, "main", &capacity, -1, 0,
           &newInstance),
      CALL(sparseconv_instance_create, program, "main", &capacity, INT64_MAX, 0,
           &newInstance),
      CALL(sparseconv_instance_create, program, "main", &capacity, 1, ~0u,
           &newInstance),
      CALL(sparseconv_instance_create, program, "main", &capacity, 1, 0,
           nullptr),
      create(-1, "a capacity is -1"),
      create(INT64_MIN, "a capacity is -9223372036854775808"),
      create(kMaxRows + 1,
             "a capacity is 2147483647, more than 2147483646 rows"),
      create(INT64_MAX, "a capacity is 9223372036854775807, more than "
                        "2147483646 rows"),
      CALL(sparseconv_instance_describe, nullptr, &about),
      CALL(sparseconv_instance_describe, instance, nullptr),
      CALL(sparseconv_instance_bind, nullptr, nullptr, nullptr, 0),
      CALL(sparseconv_instance_growable, nullptr, 0, &growable),
      CALL(sparseconv_instance_growable, instance, 0, nullptr),
      CALL(sparseconv_instance_growable, instance, 0, &growable),
      CALL(sparseconv_instance_reserve, nullptr, &number, 0),
      CALL(sparseconv_instance_reserve, instance, nullptr, 1),
      CALL(sparseconv_instance_reserve, instance, &number, -1),
      CALL(sparseconv_instance_reserve, instance, &number, 1),
      CALL(sparseconv_instance_output_capacity, nullptr, 0, &number, &bytes),
      CALL(sparseconv_instance_output_capacity, instance, -1, &number, &bytes),
      CALL(sparseconv_instance_output, nullptr, 0, &number, &bytes, &data),
      CALL(sparseconv_instance_output, instance, 0, &number, &bytes, &data),
      CALL(sparseconv_instance_output, instance, 1, &number, &bytes, &data),
      CALL(sparseconv_instance_output_sizes, nullptr, &number, 1),
      CALL(sparseconv_instance_output_sizes, instance, nullptr, 1),
      CALL(sparseconv_instance_output_sizes, instance, &number, 1),
      CALL(sparseconv_instance_output_sizes, instance, &number, INT64_MIN),
      CALL(sparseconv_instance_read_output, nullptr, 0, host, 64),
      CALL(sparseconv_instance_read_output, instance, 0, host, 64),
      CALL(sparseconv_instance_input_buffer, nullptr, 0, &data, &bytes),
      CALL(sparseconv_instance_input_buffer, instance, INT64_MAX, &data,
           &bytes),
      CALL(sparseconv_instance_step, nullptr, 0, &step),
      CALL(sparseconv_instance_step, instance, 0, nullptr),
      CALL(sparseconv_instance_step, instance, 5, &step),
      CALL(sparseconv_instance_step, instance, INT64_MIN, &step),
  };
}

std::vector<Call> Refusals::ofRuns() {
  std::vector<Call> calls = {
      CALL(sparseconv_instance_run, nullptr, nullptr, &tensor, 1, nullptr, 0),
      CALL(sparseconv_instance_run, instance, nullptr, nullptr, 1, nullptr, 0),
      CALL(sparseconv_instance_run, instance, nullptr, &tensor, -1, nullptr, 0),
      CALL(sparseconv_instance_capture, nullptr, nullptr, 0, nullptr, 0),
      CALL(sparseconv_instance_capture, instance, &tensor, INT64_MIN, nullptr,
           0),
      CALL(sparseconv_instance_capture, instance, nullptr, 0, &tensor, -1),
      CALL(sparseconv_instance_replay, nullptr, nullptr, &tensor, 1),
      CALL(sparseconv_instance_replay, instance, nullptr, nullptr, 1),
      CALL(sparseconv_instance_run_host, nullptr, &tensor, 1),
      CALL(sparseconv_instance_run_host, instance, nullptr, 1),
      CALL(sparseconv_instance_run_host, instance, &tensor, INT64_MAX),
      CALL(sparseconv_instance_check, nullptr, 1),
      CALL(sparseconv_instance_results, nullptr, 1),
      CALL(sparseconv_instance_results, instance, 1),
      CALL(sparseconv_instance_profile, nullptr, &tensor, 1, times),
      CALL(sparseconv_instance_profile, instance, &tensor, 1, nullptr),
      CALL(sparseconv_instance_profile, instance, nullptr, 1, times),
  };
  // Tensors of which one field makes no sense.
  static const int64_t negative[] = {-1, 4}, huge[] = {INT64_MAX, 4},
                       fine[] = {2, 4};
  const sparseconv_tensor tensors[] = {
      {host, -1, 2, fine, 32},
      {host, INT32_MAX, 2, fine, 32},
      {host, SPARSECONV_F32, -1, fine, 32},
      {host, SPARSECONV_F32, INT32_MAX, fine, 32},
      {host, SPARSECONV_F32, 2, nullptr, 32},
      {host, SPARSECONV_F32, 2, negative, 32},
      {host, SPARSECONV_F32, 2, fine, 31},
      {nullptr, SPARSECONV_F32, 2, fine, 32},
  };
  for (const sparseconv_tensor &input : tensors)
    calls.push_back(
        {"sparseconv_instance_run_host",
         [=] { return sparseconv_instance_run_host(instance, &input, 1); }, bad,
         ""});
  sparseconv_tensor input = {host, SPARSECONV_F32, 2, huge, UINT64_MAX};
  calls.push_back(
      {"sparseconv_instance_run_host",
       [=] { return sparseconv_instance_run_host(instance, &input, 1); },
       SPARSECONV_OVER_CAPACITY, ""});
  sparseconv_tensor other = {host, SPARSECONV_F16, 0, nullptr, UINT64_MAX};
  for (bool isInput : {true, false})
    calls.push_back({"sparseconv_instance_capture",
                     [=] {
                       return sparseconv_instance_capture(
                           instance, isInput ? &other : nullptr, 1,
                           isInput ? nullptr : &other, 1);
                     },
                     bad, ""});
  return calls;
}

TEST_F(Api, RefusesWhatMakesNoSense) {
  Refusals refusals{context, program, instance, plan};
  for (auto calls :
       {&Refusals::ofDevices, &Refusals::ofPrograms, &Refusals::ofPlans,
        &Refusals::ofMemory, &Refusals::ofInstances, &Refusals::ofRuns})
    run((refusals.*calls)());
  EXPECT_FALSE(refusals.newContext || refusals.newProgram ||
               refusals.newInstance || refusals.newPlan || refusals.data);

  // The objects are as good as before.
  std::vector<float> x = makeInput(7);
  ASSERT_EQ(runHost(x), SPARSECONV_OK);
  EXPECT_EQ(readOutput(), computeSample(x));

  // What is fine with NULL.
  sparseconv_context_destroy(nullptr);
  sparseconv_program_destroy(nullptr);
  sparseconv_plan_destroy(nullptr);
  sparseconv_instance_destroy(nullptr);
  EXPECT_STREQ(sparseconv_code_name(INT32_MIN), "unknown code");
  EXPECT_NE(sparseconv_last_error(), nullptr);
  names.insert({"sparseconv_context_destroy", "sparseconv_program_destroy",
                "sparseconv_plan_destroy", "sparseconv_instance_destroy",
                "sparseconv_code_name", "sparseconv_last_error"});

  // The table has all that the header declares.
  std::ifstream header(SPARSECONV_CUDA_RUNTIME_HEADER);
  std::string text{std::istreambuf_iterator<char>(header),
                   std::istreambuf_iterator<char>()};
  std::regex declaration("\n(?:const char \\*|int |int64_t |void )"
                         "(sparseconv_\\w+)\\(");
  std::set<std::string> declared;
  for (std::sregex_iterator it(text.begin(), text.end(), declaration), end;
       it != end; ++it)
    declared.insert((*it)[1]);
  EXPECT_EQ(names, declared);
}
