//===- TuningDatabaseTest.cpp - tests of tuning databases -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Tuning/TuningDatabase.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::sparseconv;

static const char kDatabase[] = R"({
 "version": 1,
 "classes": [
  {
   "target": "cpu:avx2",
   "class": "kernel_map 27",
   "choices": [
    {
     "choice": "{search = #sparseconv.search<zdelta>}",
     "untuned": true,
     "measurements": [
      {
       "scan": "a",
       "us": 10,
       "error": 0
      },
      {
       "scan": "b",
       "us": 40,
       "error": 0
      }
     ]
    },
    {
     "choice": "{search = #sparseconv.search<hash>}",
     "measurements": [
      {
       "scan": "a",
       "us": 5,
       "error": 0.25
      }
     ]
    }
   ]
  }
 ]
}
)";

static std::string write(const TuningDatabase &database) {
  std::string text;
  llvm::raw_string_ostream os(text);
  database.write(os);
  return text;
}

static std::string getError(StringRef text) {
  auto database = TuningDatabase::parse(text);
  return database ? "none" : toString(database.takeError());
}

static const TunedClass &getOnly(const TuningDatabase &database) {
  return database.getClasses().front();
}

/// The text of the database with `from` replaced.
static std::string replace(StringRef from, StringRef to) {
  std::string text = kDatabase;
  size_t place = text.find(from.str());
  EXPECT_NE(place, std::string::npos) << from.str();
  return text.replace(place, from.size(), to.str());
}

static TuningDatabase parse(StringRef text) {
  return llvm::cantFail(TuningDatabase::parse(text));
}

TEST(TuningDatabase, RoundTrip) {
  EXPECT_EQ(write(parse(kDatabase)), kDatabase);
}

TEST(TuningDatabase, BestIsRelativeToUntunedOnTheSameScans) {
  // hash took 5 us, and zdelta 20 us in the mean, but 10 us on that scan.
  EXPECT_EQ(getOnly(parse(kDatabase)).getBest()->choice,
            "{search = #sparseconv.search<hash>}");
  // A gain of 1 % is noise.
  EXPECT_TRUE(
      getOnly(parse(replace("\"us\": 5", "\"us\": 9.9"))).getBest()->isUntuned);
  // Of another scan nothing is known that could be compared.
  EXPECT_TRUE(getOnly(parse(replace("\"scan\": \"a\",\n       \"us\": 5",
                                    "\"scan\": \"c\",\n       \"us\": 5")))
                  .getBest()
                  ->isUntuned);
}

TEST(TuningDatabase, ProblemsBarChoices) {
  TuningDatabase database = parse(
      replace("\"error\": 0.25", "\"error\": 0.25, \"problem\": \"wrong\""));
  EXPECT_TRUE(getOnly(database).getBest()->isUntuned);
  for (const TunedChoice &choice : getOnly(database).choices)
    EXPECT_EQ(choice.getProblem(), choice.isUntuned ? "" : "wrong");
}

TEST(TuningDatabase, Bar) {
  TunedClass entry = getOnly(parse(kDatabase));
  entry.bar("b", "late");
  EXPECT_EQ(entry.getBest()->choice, "{search = #sparseconv.search<hash>}");
  entry.bar("a", "no gain");
  entry.bar("a", "late");
  EXPECT_TRUE(entry.getBest()->isUntuned);
  EXPECT_EQ(entry.getUntuned()->getProblem(), "");
  // What is measured again on that scan may win.
  TunedChoice &hash = entry.getOrAdd("{search = #sparseconv.search<hash>}");
  EXPECT_EQ(hash.getProblem(), "no gain");
  hash.add({"a", 5, 0, ""});
  EXPECT_EQ(entry.getBest(), &hash);
}

TEST(TuningDatabase, Merge) {
  TuningDatabase database = parse(kDatabase);
  database.merge(parse(kDatabase));
  EXPECT_EQ(write(database), kDatabase);

  // The same scan again: the later measurement stays. Another scan: both do.
  database.merge(parse(replace("\"us\": 10", "\"us\": 11")));
  EXPECT_EQ(getOnly(database).getUntuned()->find("a")->microseconds, 11);
  database.merge(parse(replace("\"scan\": \"b\"", "\"scan\": \"c\"")));
  EXPECT_EQ(getOnly(database).getUntuned()->measurements.size(), 3u);

  // Another target is another class.
  database.merge(parse(replace("cpu:avx2", "cuda:sm_90a")));
  EXPECT_EQ(database.getClasses().size(), 2u);
  EXPECT_NE(database.find("cuda:sm_90a", "kernel_map 27"), nullptr);
  EXPECT_EQ(database.find("cuda:sm_90a", "kernel_map 8"), nullptr);
}

TEST(TuningDatabase, Provenance) {
  std::string text =
      replace("\"version\": 1,", "\"version\": 1,\n \"provenance\": [\n  "
                                 "\"a run\"\n ],");
  EXPECT_EQ(write(parse(text)), text);
  // Each run is named once, in the order of the files.
  TuningDatabase database = parse(text);
  database.merge(parse(text));
  database.merge(parse(StringRef(text).str().replace(
      text.find("a run"), strlen("a run"), "another run")));
  EXPECT_EQ(database.getProvenance(),
            ArrayRef<std::string>({"a run", "another run"}));
  EXPECT_EQ(getError(text.replace(text.find("\"a run\""), 7, "7")),
            "provenance[0]: expected a text of at most 2000 characters");
}

/// What comes with the project says where it comes from, and for every class
/// what the rules chose.
TEST(TuningDatabase, Default) {
  const TuningDatabase &database = TuningDatabase::getDefault();
  EXPECT_FALSE(database.getProvenance().empty());
  EXPECT_FALSE(database.getClasses().empty());
  for (const TunedClass &entry : database.getClasses()) {
    EXPECT_TRUE(StringRef(entry.target).starts_with("cuda:")) << entry.target;
    EXPECT_NE(entry.getUntuned(), nullptr) << entry.shapeClass;
  }
}

TEST(TuningDatabase, MergeKeepsOneUntunedChoice) {
  TuningDatabase database = parse(kDatabase);
  std::string other = replace("\"untuned\": true,", "");
  size_t place = other.find("hash>}\",") + 8;
  other.insert(place, "\"untuned\": true,");
  database.merge(parse(other));
  EXPECT_EQ(getOnly(database).getUntuned()->choice,
            "{search = #sparseconv.search<hash>}");
  EXPECT_EQ(getError(write(database)), "none");
}

TEST(TuningDatabase, Errors) {
  EXPECT_TRUE(StringRef(getError("")).starts_with("no JSON"));
  EXPECT_EQ(getError("[]"), "version: expected a number of at least 0");
  EXPECT_EQ(getError(R"({"version": 2})"), "version: only 1 is known");
  EXPECT_EQ(getError(R"({"version": 1})"), "classes: expected an array");
  EXPECT_EQ(getError(R"({"version": 1, "classes": [], "more": 0})"),
            "more: no such field is known");
  EXPECT_TRUE(StringRef(getError(replace("cpu:avx2", "cuda:sm_1")))
                  .starts_with("classes[0].target: "));
  EXPECT_EQ(getError(replace("\"us\": 5", "\"us\": -5")),
            "classes[0].choices[1].measurements[0].us: expected a number above "
            "0");
  EXPECT_EQ(getError(replace("\"us\": 5", "\"us\": 1e999")).substr(0, 10),
            "classes[0]");
  EXPECT_EQ(getError(replace("true", "1")),
            "classes[0].choices[0].untuned: expected true or false");
  EXPECT_EQ(getError(replace("hash", "zdelta")),
            "classes[0].choices[1].choice: is there twice");
  EXPECT_EQ(getError(replace("\"b\"", "\"a\"")),
            "classes[0].choices[0].measurements[1].scan: measured twice");
  EXPECT_EQ(getError(replace("hash", std::string(5000, 'x'))),
            "classes[0].choices[1].choice: expected a text of at most 2000 "
            "characters");
  EXPECT_EQ(getError(std::string(1000000, '[')), "no JSON: nested too deeply");
}

/// Whatever a stranger changes is an error of one line, or a database.
TEST(TuningDatabase, ChangedBytes) {
  uint64_t state = 1;
  auto getRandom = [&](uint64_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % limit;
  };
  const StringRef pieces("{}[]\",:0e-\\\x01\xff ");
  for (unsigned i = 0; i < 20000; ++i) {
    std::string text = kDatabase;
    for (unsigned changes = 1 + getRandom(3); changes; --changes) {
      size_t place = getRandom(text.size());
      switch (getRandom(3)) {
      case 0:
        text[place] = pieces[getRandom(pieces.size())];
        break;
      case 1:
        text.erase(place, getRandom(40));
        break;
      default:
        text.insert(place, text.substr(getRandom(text.size()), getRandom(60)));
      }
    }
    auto database = TuningDatabase::parse(text);
    if (!database) {
      EXPECT_EQ(StringRef(toString(database.takeError())).count('\n'), 0u);
      continue;
    }
    EXPECT_EQ(getError(write(*database)), "none") << text;
  }
}
