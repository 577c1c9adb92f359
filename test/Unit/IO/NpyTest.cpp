//===- NpyTest.cpp - numpy arrays and whole files -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/IO/Npy.h"
#include "Helpers.h"
#include "sparseconv/IO/File.h"

using namespace sparseconv;
using namespace sparseconv::test;

/// An .npy file of version 1 with that dictionary.
static std::string makeNpy(std::string header, const std::string &data) {
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) +
         bytesOf<uint16_t>(header.size()) + header + data;
}

static std::string makeNpy(const char *type, const char *order,
                           const char *shape, const std::string &data) {
  return makeNpy(std::string("{'descr': '") + type + "', 'fortran_order': " +
                     order + ", 'shape': " + shape + ", }",
                 data);
}

static std::string errorOf(const std::string &bytes) {
  return fileErrorOf(parseNpy(asBuffer(bytes)));
}

TEST(Npy, ShowsTheBeginAndTheEndOfALongShape) {
  std::string sizes;
  for (int i = 0; i < 20000; ++i)
    sizes += "1, ";
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (" + sizes + "), }";
  std::string message = fileErrorOf(
      parseNpy(asBuffer(std::string("\x93NUMPY\2\0", 8) +
                        bytesOf<uint32_t>(header.size()) + header)));
  expectContains(message, "expected 4 bytes of data for 1x1x1");
  EXPECT_LT(message.size(), 300u);
}

TEST(Npy, RoundTripsEveryKindAndRank) {
  TemporaryFolder folder;
  std::vector<HostTensor> tensors = makeAllKinds();
  tensors.push_back(makeTensor(ElementKind::F32, {}, {2.5}));
  tensors.push_back(makeTensor(ElementKind::I32, {4}, {-1, 2, -3, 4}));
  tensors.push_back(HostTensor(ElementKind::F64, {0, 7}));
  for (const HostTensor &tensor : tensors) {
    expectSuccess(writeNpy(folder.file("a.npy"), tensor));
    expectEqual(valueOf(readNpy(folder.file("a.npy"))), tensor);
  }
}

TEST(Npy, AlignsTheData) {
  for (const HostTensor &tensor : makeAllKinds())
    EXPECT_EQ(getNpyHeader(tensor).size() % 64, 0u);
  HostTensor wide(ElementKind::I8, std::vector<int64_t>(30000, 1));
  std::string header = getNpyHeader(wide);
  EXPECT_EQ(header.size() % 64, 0u);
  EXPECT_EQ(header[6], 2);
  expectEqual(valueOf(parseNpy(asBuffer(header + std::string(1, '\0')))), wide);
}

TEST(Npy, TransposesFortranOrder) {
  std::string data = bytesOf<int32_t>({1, 4, 2, 5, 3, 6});
  expectEqual(
      valueOf(parseNpy(asBuffer(makeNpy("<i4", "True", "(2, 3)", data)))),
      makeTensor(ElementKind::I32, {2, 3}, {1, 2, 3, 4, 5, 6}));
  // Element (i, j, k) of a 2x3x2 array holds 100 i + 10 j + k.
  std::string deep =
      bytesOf<int16_t>({0, 100, 10, 110, 20, 120, 1, 101, 11, 111, 21, 121});
  expectEqual(
      valueOf(parseNpy(asBuffer(makeNpy("<i2", "True", "(2, 3, 2)", deep)))),
      makeTensor(ElementKind::I16, {2, 3, 2},
                 {0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121}));
  expectEqual(valueOf(parseNpy(asBuffer(makeNpy("<i4", "True", "(0, 3)", "")))),
              HostTensor(ElementKind::I32, {0, 3}));
}

TEST(Npy, SwapsBigEndian) {
  expectEqual(valueOf(parseNpy(asBuffer(
                  makeNpy(">f8", "False", "(2,)",
                          bytesOf<double>({1.5, -2}, /*bigEndian=*/true))))),
              makeTensor(ElementKind::F64, {2}, {1.5, -2}));
  expectEqual(
      valueOf(parseNpy(asBuffer(makeNpy(">i2", "True", "(2, 1)",
                                        bytesOf<int16_t>({258, -3}, true))))),
      makeTensor(ElementKind::I16, {2, 1}, {258, -3}));
}

TEST(Npy, ReadsTheSpellingsOfBf16) {
  HostTensor expected = makeTensor(ElementKind::BF16, {2}, {1, -2});
  for (const char *type : {"<V2", "|V2", "bfloat16"})
    expectEqual(
        valueOf(parseNpy(asBuffer(makeNpy(
            type, "False", "(2,)", bytesOf<uint16_t>({0x3f80, 0xc000}))))),
        expected);
  expectEqual(
      valueOf(parseNpy(asBuffer(makeNpy(
          ">V2", "False", "(2,)", bytesOf<uint16_t>({0x3f80, 0xc000}, true))))),
      expected);
}

TEST(Npy, ReadsOddButLegalHeaders) {
  std::string data = bytesOf<float>({1, 2});
  HostTensor expected = makeTensor(ElementKind::F32, {2}, {1, 2});
  for (const char *header :
       {"{'shape': (2,), 'descr': '<f4', 'fortran_order': False}",
        "{\"descr\":\"<f4\",\"fortran_order\":False,\"shape\":(2,)}",
        "{ 'descr' : '=f4' , 'fortran_order' : True , 'shape' : ( 2L , ) , } "
        " "})
    expectEqual(valueOf(parseNpy(asBuffer(makeNpy(header, data)))), expected);
  for (char version : {2, 3}) {
    std::string header =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
    expectEqual(valueOf(parseNpy(asBuffer(
                    std::string("\x93NUMPY", 6) + version + '\0' +
                    bytesOf<uint32_t>(header.size()) + header + data))),
                expected);
  }
}

TEST(Npy, MakesBoolsZeroOrOne) {
  HostTensor tensor = valueOf(parseNpy(
      asBuffer(makeNpy("|b1", "False", "(3,)", std::string("\0\x01\xff", 3)))));
  EXPECT_EQ(tensor.as<uint8_t>()[0], 0);
  EXPECT_EQ(tensor.as<uint8_t>()[1], 1);
  EXPECT_EQ(tensor.as<uint8_t>()[2], 1);
}

TEST(Npy, RefusesEveryTruncation) {
  std::string whole =
      makeNpy("<f4", "False", "(2, 2)", bytesOf<float>({1, 2, 3, 4}));
  valueOf(parseNpy(asBuffer(whole)));
  for (size_t size = 0; size < whole.size(); ++size)
    errorOf(whole.substr(0, size));
  expectContains(errorOf(whole + "x"),
                 "expected 16 bytes of data for 2x2 elements of f32, found 17");
}

TEST(Npy, RefusesOtherFiles) {
  expectContains(errorOf(""), "found an empty one");
  expectContains(errorOf("PK\3\4 and more bytes"), "wrong magic");
  expectContains(errorOf(std::string("\x93NUMPY\x07\x00zz", 10)),
                 "expected .npy version 1, 2 or 3, found 7");
}

TEST(Npy, RefusesMalformedHeaders) {
  std::string data(8, '\0');
  auto header = [&](const char *text) { return errorOf(makeNpy(text, data)); };
  expectContains(header("nonsense"), "expected '{'");
  expectContains(header("{'descr': '<f4', 'shape': (2,)}"),
                 "has no 'fortran_order'");
  expectContains(header("{'descr': '<f4', 'descr': '<f4'}"),
                 "repeated key 'descr'");
  expectContains(header("{'other': 1}"), "unknown key 'other'");
  expectContains(header("{'fortran_order': 1}"), "expected True or False");
  expectContains(header("{'shape': (2 3)}"), "expected ',' or ')'");
  expectContains(header("{'shape': (-2,)}"), "expected a size below 2^63");
  expectContains(header("{'shape': (9223372036854775808,)}"),
                 "expected a size below 2^63");
  expectContains(header("{'descr': [('x', '<f4')]}"), "structured");
  expectContains(
      header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x"),
      "expected nothing after '}'");
  for (const char *type : {"<u4", "<c8", "|O", "<f16", "f4", "", "<", "<U3"})
    expectContains(errorOf(makeNpy(type, "False", "(2,)", data)),
                   "unsupported element type");
}

TEST(Npy, RefusesShapesThatOverflow) {
  for (const char *shape :
       {"(4294967296, 4294967296)", "(0, 4294967296, 4294967296)",
        "(9223372036854775807,)", "(2305843009213693952, 2)"})
    expectContains(errorOf(makeNpy("<f4", "False", shape, "")),
                   "has more bytes than 2^63");
  expectContains(errorOf(makeNpy("<f4", "False", "(1000000000000,)", "1234")),
                 "expected 4000000000000 bytes");
}

TEST(Files, ReportWhatCannotBeReadOrWritten) {
  TemporaryFolder folder;
  HostTensor tensor = makeTensor(ElementKind::F32, {1}, {1});
  std::string missing = folder.file("no/such.npy");
  expectContains(messageOf(readNpy(missing)), missing + ": cannot be read");
  expectContains(messageOf(writeNpy(missing, tensor)),
                 missing + ": cannot be written");
  expectContains(messageOf(readNpy(folder.getPath())), "cannot be read");
  expectContains(messageOf(writeNpy(folder.getPath(), tensor)),
                 "is a directory");
  // A device that is always full.
  if (llvm::sys::fs::exists("/dev/full"))
    expectContains(messageOf(writeNpy("/dev/full", tensor)),
                   "/dev/full: cannot be written");
}

TEST(Files, ReplaceAFileWholeAndThroughALink) {
  TemporaryFolder folder;
  std::string path = folder.file("a.npy"), link = folder.file("b.npy");
  expectSuccess(writeNpy(path, HostTensor(ElementKind::F32, {1000})));
  ASSERT_FALSE(llvm::sys::fs::create_link(path, link));
  HostTensor second = makeTensor(ElementKind::I8, {2}, {1, 2});
  expectSuccess(writeNpy(link, second));
  expectEqual(valueOf(readNpy(path)), second);
  EXPECT_TRUE(llvm::sys::fs::is_symlink_file(link));
  std::error_code error;
  int count = 0;
  for (llvm::sys::fs::directory_iterator it(folder.getPath(), error), end;
       it != end; it.increment(error))
    ++count;
  EXPECT_EQ(count, 2);
}
