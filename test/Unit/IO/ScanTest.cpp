//===- ScanTest.cpp - point clouds from files -----------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/IO/Scan.h"
#include "Helpers.h"
#include "sparseconv/IO/File.h"
#include "sparseconv/IO/Npy.h"
#include "sparseconv/IO/Npz.h"
#include <limits>

using namespace sparseconv;
using namespace sparseconv::test;

static Scan parse(ScanFormat format, const std::string &bytes,
                  const ScanOptions &options = {}) {
  return valueOf(parseScan(format, asBuffer(bytes), options));
}

static std::string errorOf(ScanFormat format, const std::string &bytes,
                           const ScanOptions &options = {}) {
  std::string message = messageOf(parseScan(format, asBuffer(bytes), options));
  EXPECT_EQ(message.find("test-file"), 0u) << message;
  return message;
}

/// Compares points and features with rows of doubles.
static void expectScan(const Scan &scan, ElementKind kind,
                       std::vector<std::string> names,
                       std::vector<std::vector<double>> rows) {
  EXPECT_EQ(scan.featureNames, names);
  int64_t count = rows.size(), width = names.size();
  ASSERT_EQ(scan.points.getTypeString(),
            HostTensor(kind, {count, 3}).getTypeString());
  ASSERT_EQ(scan.features.getTypeString(),
            HostTensor(ElementKind::F32, {count, width}).getTypeString());
  for (int64_t row = 0; row < count; ++row)
    for (int64_t i = 0; i < 3 + width; ++i)
      EXPECT_EQ(i < 3 ? scan.points.getDouble(row * 3 + i)
                      : scan.features.getDouble(row * width + i - 3),
                rows[row][i])
          << "row " << row << ", column " << i;
}

static const double nan = std::numeric_limits<double>::quiet_NaN();
static const double infinity = std::numeric_limits<double>::infinity();

TEST(Scan, KnowsItsFormatByTheExtension) {
  EXPECT_EQ(getScanFormat("a/b.c/sweep.pcd.bin"), ScanFormat::Bin);
  EXPECT_EQ(getScanFormat("x.PLY"), ScanFormat::Ply);
  EXPECT_EQ(getScanFormat("x.npy"), ScanFormat::Npy);
  EXPECT_EQ(getScanFormat("x.npz"), ScanFormat::Npz);
  EXPECT_EQ(getScanFormat("x.pcd"), ScanFormat::Pcd);
  EXPECT_FALSE(getScanFormat("x.txt"));
  EXPECT_FALSE(getScanFormat("bin"));
  expectContains(messageOf(readScan("x.txt")), "x.txt: unknown scan format");
  expectContains(messageOf(readScan("nowhere.bin")), "cannot be read");
}

TEST(ScanBin, ReadsKittiAndNuScenesRows) {
  std::string bytes = bytesOf<float>({1, 2, 3, .5f, -1, -2, -3, .25f});
  expectScan(parse(ScanFormat::Bin, bytes), ElementKind::F32, {"intensity"},
             {{1, 2, 3, .5}, {-1, -2, -3, .25}});
  bytes = bytesOf<float>({1, 2, 3, .5f, 7});
  expectScan(parse(ScanFormat::Bin, bytes, {5}), ElementKind::F32,
             {"intensity", "ring"}, {{1, 2, 3, .5, 7}});
  expectScan(parse(ScanFormat::Bin, bytes + bytesOf<float>(9), {3}),
             ElementKind::F32, {}, {{1, 2, 3}, {.5, 7, 9}});
  expectScan(parse(ScanFormat::Bin, bytes + bytesOf<float>(9), {6}),
             ElementKind::F32, {"column3", "column4", "column5"},
             {{1, 2, 3, .5, 7, 9}});
}

TEST(ScanBin, RefusesOtherSizes) {
  expectContains(errorOf(ScanFormat::Bin, ""), "found an empty file");
  expectContains(errorOf(ScanFormat::Bin, std::string(20, '\0')),
                 "expected a multiple of 16 bytes (4 f32 columns), found 20");
  expectContains(errorOf(ScanFormat::Bin, std::string(16, '\0'), {2}),
                 "at least 3 columns");
  errorOf(ScanFormat::Bin, std::string(16, '\0'), {0});
  errorOf(ScanFormat::Bin, std::string(16, '\0'), {UINT32_MAX});
}

TEST(Scan, NamesTheFirstPointThatIsNotFinite) {
  float bad = nan;
  expectContains(
      errorOf(ScanFormat::Bin,
              bytesOf<float>({0, 0, 0, 0, 1, bad, bad, 1, bad, 1, 1, 1})),
      "point 1 has y = NaN");
  expectContains(
      errorOf(ScanFormat::Bin, bytesOf<float>({0, 0, float(-infinity), 0})),
      "point 0 has z = -infinity");
  // Only coordinates have to be finite.
  parse(ScanFormat::Bin, bytesOf<float>({0, 0, 0, bad}));
  expectContains(errorOf(ScanFormat::Ply,
                         "ply\nformat ascii 1.0\nelement vertex 1\nproperty "
                         "double x\nproperty double y\nproperty double "
                         "z\nend_header\ninf 0 0\n"),
                 "point 0 has x = infinity");
  HostTensor array = makeTensor(ElementKind::F64, {2, 3}, {0, 1, 2, 3, nan, 5});
  expectContains(errorOf(ScanFormat::Npy,
                         getNpyHeader(array) +
                             std::string(array.getData(), array.getNumBytes())),
                 "point 1 has y = NaN");
}

static std::string npyBytes(const HostTensor &tensor) {
  return getNpyHeader(tensor) +
         std::string(tensor.getData(), tensor.getNumBytes());
}

TEST(ScanNpy, ReadsArraysOfPoints) {
  expectScan(
      parse(ScanFormat::Npy, npyBytes(makeTensor(ElementKind::F32, {2, 4},
                                                 {1, 2, 3, .5, 4, 5, 6, .25}))),
      ElementKind::F32, {"intensity"}, {{1, 2, 3, .5}, {4, 5, 6, .25}});
  expectScan(
      parse(ScanFormat::Npy,
            npyBytes(makeTensor(ElementKind::I32, {1, 3}, {1 << 30, -1, 7}))),
      ElementKind::F64, {}, {{1 << 30, -1, 7}});
  expectScan(
      parse(ScanFormat::Npy, npyBytes(HostTensor(ElementKind::F16, {0, 3}))),
      ElementKind::F32, {}, {});
  expectContains(
      errorOf(ScanFormat::Npy, npyBytes(HostTensor(ElementKind::F32, {3}))),
      "expected an array of N points by 3 or more columns, found "
      "tensor<3xf32>");
  expectContains(
      errorOf(ScanFormat::Npy, npyBytes(HostTensor(ElementKind::F32, {5, 2}))),
      "tensor<5x2xf32>");
  expectContains(errorOf(ScanFormat::Npy,
                         npyBytes(HostTensor(ElementKind::F32, {0, 1 << 30}))),
                 "at most 65536 columns");
}

TEST(ScanNpz, FindsTheArray) {
  TemporaryFolder folder;
  HostTensor points = makeTensor(ElementKind::F32, {1, 3}, {1, 2, 3}),
             other = makeTensor(ElementKind::F32, {1, 3}, {9, 9, 9});
  std::string path = folder.file("a.npz");
  for (const char *name : {"points", "pc", "coords"}) {
    expectSuccess(writeNpz(path, {{"other", other}, {name, points}}));
    expectScan(valueOf(readScan(path)), ElementKind::F32, {}, {{1, 2, 3}});
  }
  expectSuccess(writeNpz(path, {{"anything", points}}));
  expectScan(valueOf(readScan(path)), ElementKind::F32, {}, {{1, 2, 3}});
  expectSuccess(writeNpz(path, {{"a", points}, {"b", other}}));
  expectContains(messageOf(readScan(path)), "expected one array, or one named");
  expectSuccess(writeNpz(path, {}));
  expectContains(messageOf(readScan(path)), "found 0 arrays");
  // Files of voxels have a batch index where a scan has x.
  HostTensor voxels = makeTensor(ElementKind::I32, {1, 4}, {0, 1, 2, 3});
  expectSuccess(writeNpz(path, {{"coords", voxels}}));
  expectContains(messageOf(readScan(path)),
                 "'coords' holds integers, which are voxels and no points in "
                 "metres");
}

static std::string plyHeader(const std::string &format,
                             const std::string &elements) {
  return "ply\nformat " + format + " 1.0\ncomment made by a test\n" + elements +
         "end_header\n";
}

static const std::string xyzProperties =
    "property float x\nproperty float y\nproperty float z\n";

TEST(ScanPly, ReadsText) {
  expectScan(
      parse(ScanFormat::Ply,
            plyHeader("ascii",
                      "element vertex 2\n" + xyzProperties +
                          "property uchar red\nproperty list uchar "
                          "int near\nproperty int label\nelement face "
                          "1\nproperty list uchar int vertex_indices\n") +
                "1 2 3 255 2 8 9 -4\n-1.5e0 +2 .5 7.0 0 12\n3 0 1 1\n"),
      ElementKind::F32, {"red", "label"},
      {{1, 2, 3, 255, -4}, {-1.5, 2, .5, 7, 12}});
}

TEST(ScanPly, ReadsTextWithCarriageReturnsAfterOtherElements) {
  expectScan(parse(ScanFormat::Ply,
                   "ply\r\nformat ascii 1.0\r\nobj_info x\r\nelement camera "
                   "1\r\nproperty float f\r\nproperty list int float k\r\n"
                   "element nothing 9999999999\r\nelement vertex 1\r\n"
                   "property double z\r\nproperty float x\r\nproperty double "
                   "y\r\nend_header\r\n3.5 2 1 1\r\n3 1 0.1\r\n"),
             ElementKind::F64, {}, {{1, 0.1, 3}});
}

TEST(ScanPly, ReadsBinaryOfBothByteOrders) {
  for (bool isBig : {false, true}) {
    std::string format = isBig ? "binary_big_endian" : "binary_little_endian";
    std::string row0 = bytesOf<float>({1, 2, 3}, isBig) + "\x80" +
                       bytesOf<int16_t>(-300, isBig),
                row1 = bytesOf<float>({-1, -2, -3}, isBig) + "\x05" +
                       bytesOf<int16_t>(300, isBig);
    expectScan(parse(ScanFormat::Ply,
                     plyHeader(format, "element vertex 2\n" + xyzProperties +
                                           "property uchar i\nproperty short "
                                           "s\n") +
                         row0 + row1),
               ElementKind::F32, {"i", "s"},
               {{1, 2, 3, 128, -300}, {-1, -2, -3, 5, 300}});
    // Lists before, inside and behind the vertices; all widths of lengths.
    std::string lists = bytesOf<uint32_t>(2, isBig) +
                        bytesOf<double>({7, 8}, isBig) +
                        bytesOf<int16_t>(0, isBig) + "\x01" + "z";
    expectScan(
        parse(ScanFormat::Ply,
              plyHeader(format,
                        "element first 1\nproperty list uint double "
                        "a\nproperty list short int b\nproperty list char "
                        "char c\nelement fixed 2\nproperty int k\nelement "
                        "vertex 2\nproperty list uchar ushort n\n" +
                            xyzProperties +
                            "element face 1\nproperty list uchar int v\n") +
                  lists + std::string(8, 'f') + "\x02" + "abcd" +
                  bytesOf<float>({1, 2, 3}, isBig) + std::string(1, '\0') +
                  bytesOf<float>({4, 5, 6}, isBig)),
        ElementKind::F32, {}, {{1, 2, 3}, {4, 5, 6}});
  }
}

TEST(ScanPly, ReadsNoPoints) {
  for (const char *format : {"ascii", "binary_little_endian"})
    expectScan(parse(ScanFormat::Ply,
                     plyHeader(format, "element vertex 0\n" + xyzProperties +
                                           "property int i\n")),
               ElementKind::F32, {"i"}, {});
}

TEST(ScanPly, RefusesEveryTruncation) {
  std::string header = plyHeader("ascii", "element vertex 2\n" + xyzProperties);
  std::string text = header + "1 2 3\n4 5 6";
  parse(ScanFormat::Ply, text);
  for (size_t size = 0; size < text.size(); ++size)
    errorOf(ScanFormat::Ply, text.substr(0, size));
  std::string binary =
      plyHeader("binary_little_endian", "element vertex 2\n" + xyzProperties +
                                            "property list int short n\n") +
      bytesOf<float>({1, 2, 3}) + bytesOf<int32_t>(1) + "ab" +
      bytesOf<float>({4, 5, 6}) + bytesOf<int32_t>(2) + "abcd";
  parse(ScanFormat::Ply, binary);
  for (size_t size = 0; size < binary.size(); ++size)
    errorOf(ScanFormat::Ply, binary.substr(0, size));
}

TEST(ScanPly, RefusesMalformedFiles) {
  auto error = [](const std::string &format, const std::string &elements,
                  const std::string &data = "") {
    return errorOf(ScanFormat::Ply, plyHeader(format, elements) + data);
  };
  std::string vertex = "element vertex 1\n";
  expectContains(errorOf(ScanFormat::Ply, ""), "found an empty one");
  expectContains(errorOf(ScanFormat::Ply, "plywood\n"), "not a PLY file");
  expectContains(errorOf(ScanFormat::Ply, "ply\nend_header\n"),
                 "has no 'format'");
  expectContains(error("ebcdic", ""), "expected 'format ascii");
  expectContains(error("ascii", "elephant\n"), "unknown line");
  expectContains(error("ascii", "element vertex -1\n"),
                 "expected 'element NAME COUNT'");
  expectContains(error("ascii", "property float x\n"), "after an element");
  expectContains(error("ascii", vertex + "property quad x\n"), "unknown type");
  expectContains(error("ascii", vertex + "property list float int x\n"),
                 "unknown type");
  expectContains(error("ascii", "element face 0\n"), "no element 'vertex'");
  expectContains(error("ascii", vertex + "property float x\n", "1\n"),
                 "no column 'y'");
  expectContains(error("ascii", vertex + "property float x\n" + xyzProperties,
                       "1 1 2 3\n"),
                 "two columns have the name 'x'");
  expectContains(error("ascii", vertex + xyzProperties, "1 2 3 4\n"),
                 "has more values than its header says, such as '4'");
  expectContains(error("ascii", vertex + xyzProperties, "1 2 3\n4 5 6\n"),
                 "has more values than its header says, such as '4'");
  expectContains(error("ascii", vertex + xyzProperties, "1 two 3\n"),
                 "row 0, column 'y': 'two' is not a number");
  expectContains(error("ascii", vertex + xyzProperties + "property uchar i\n",
                       "1 2 3 256\n"),
                 "column 'i': '256' is not a number");
  for (const char *word : {"-1", "1.5", "1e9", "0x1", "+-1", "1,", "nan"})
    expectContains(
        error("ascii", vertex + "property uchar x\n", std::string(word) + "\n"),
        "is not a number");
  // More rows than any file of that size can hold.
  for (const char *format :
       {"ascii", "binary_little_endian", "binary_big_endian"})
    for (const char *count : {"9223372036854775807", "1537228672809129302"}) {
      std::string many = std::string("element vertex ") + count + "\n";
      expectContains(error(format, many + xyzProperties, "1 2 3\n"),
                     "truncated");
      expectContains(error(format,
                           many + xyzProperties + "property list int int n\n",
                           "1 2 3\n"),
                     "truncated");
    }
  // A negative and a huge length of a list.
  for (int32_t length : {-1, 0x7fffffff})
    expectContains(
        error("binary_little_endian",
              vertex + "property list int double n\n" + xyzProperties,
              bytesOf<int32_t>(length) + std::string(64, 'x')),
        "truncated in row 0 of element 'vertex', property 'n'");
}

static std::string pcdHeader(const std::string &data,
                             const std::string &points = "2",
                             const std::string &more = "") {
  return "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n"
         "FIELDS x y z intensity\nSIZE 4 4 4 4\nTYPE F F F F\n"
         "COUNT 1 1 1 1\nWIDTH " +
         points + "\nHEIGHT 1\n" + more + "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS " +
         points + "\nDATA " + data + "\n";
}

static const std::vector<std::vector<double>> pcdRows = {{1, 2, 3, .5},
                                                         {-1, -2, -3, .25}};

TEST(ScanPcd, ReadsText) {
  expectScan(
      parse(ScanFormat::Pcd, pcdHeader("ascii") + "1 2 3 0.5\n-1 -2 -3 0.25\n"),
      ElementKind::F32, {"intensity"}, pcdRows);
}

TEST(ScanPcd, ReadsBinary) {
  expectScan(parse(ScanFormat::Pcd,
                   pcdHeader("binary") +
                       bytesOf<float>({1, 2, 3, .5f, -1, -2, -3, .25f})),
             ElementKind::F32, {"intensity"}, pcdRows);
}

TEST(ScanPcd, ReadsCompressedColumns) {
  // Column after column: two literal runs of 16 bytes each.
  std::string columns = bytesOf<float>({1, -1, 2, -2, 3, -3, .5f, .25f});
  std::string packed =
      "\x0f" + columns.substr(0, 16) + "\x0f" + columns.substr(16);
  expectScan(parse(ScanFormat::Pcd,
                   pcdHeader("binary_compressed") +
                       bytesOf<uint32_t>({uint32_t(packed.size()), 32}) +
                       packed),
             ElementKind::F32, {"intensity"}, pcdRows);
}

/// A compressed file of two points whose 32 bytes come from `packed`.
static std::string compressed(const std::string &packed, uint32_t bytes = 32) {
  return pcdHeader("binary_compressed") +
         bytesOf<uint32_t>({uint32_t(packed.size()), bytes}) + packed;
}

TEST(ScanPcd, ExpandsBackReferences) {
  std::string one = bytesOf<float>(1);
  // Four literals, then 28 bytes from 4 back: the source overlaps the result.
  // 0xe0 = long reference, 7 + 19 + 2 = 28 bytes.
  std::string packed = "\x03" + one + "\xe0\x13\x03";
  expectScan(parse(ScanFormat::Pcd, compressed(packed)), ElementKind::F32,
             {"intensity"}, {{1, 1, 1, 1}, {1, 1, 1, 1}});
  // A short reference (4 + 2 bytes is not whole floats, so two of 4 bytes) and
  // a distance of more than one byte's worth of elements.
  packed = "\x07" + bytesOf<float>({1, 2}) + "\x40\x07" + "\x40\x07" +
           std::string("\xe0\x07\x07", 3);
  expectScan(parse(ScanFormat::Pcd, compressed(packed)), ElementKind::F32,
             {"intensity"}, {{1, 1, 1, 1}, {2, 2, 2, 2}});
}

TEST(ScanPcd, RefusesDamagedCompression) {
  auto error = [](const std::string &packed, uint32_t bytes = 32) {
    return errorOf(ScanFormat::Pcd, compressed(packed, bytes));
  };
  std::string run(32, 'a');
  // A literal run that passes the end; more and less than 32 bytes; references
  // before the begin, without their last byte, and longer than what is left.
  for (const std::string &packed :
       {"\x1f" + run.substr(1), "\x1f" + run + "\x01" + "ab",
        "\x0f" + run.substr(16),
        std::string("\x03"
                    "abcd"
                    "\x20\x04"),
        std::string("\x03"
                    "abcd"
                    "\x20"),
        std::string("\x03"
                    "abcd"
                    "\xe0\x13"),
        std::string("\x03"
                    "abcd"
                    "\xe0\xff\x03")})
    expectContains(error(packed), "is damaged: it does not expand to 32 bytes");
  expectContains(error("\x1f" + run, 31), "claims 31");
  expectContains(
      errorOf(ScanFormat::Pcd, pcdHeader("binary_compressed", "100000000") +
                                   bytesOf<uint32_t>({4, 1600000000}) + "abcd"),
      "does not expand to 1600000000 bytes");
}

TEST(ScanPcd, ReadsFieldsOfEveryType) {
  std::string header =
      "FIELDS x _ y z rgb n label\nSIZE 8 1 8 8 4 2 4\nTYPE F U F F F I U\n"
      "COUNT 1 3 1 1 1 2 1\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ";
  std::string binary = bytesOf<double>(0.1) + "pad" +
                       bytesOf<double>({0.2, 0.3}) +
                       bytesOf<uint32_t>(0x00ff8001) +
                       bytesOf<int16_t>({-1, 2}) + bytesOf<uint32_t>(40);
  expectScan(parse(ScanFormat::Pcd, header + "binary\n" + binary),
             ElementKind::F64, {"r", "g", "b", "n[0]", "n[1]", "label"},
             {{0.1, 0.2, 0.3, 255, 128, 1, -1, 2, 40}});
}

TEST(ScanPcd, ReadsOldAndShortHeaders) {
  expectScan(parse(ScanFormat::Pcd, "COLUMNS x y z\nSIZE 4 4 4\nTYPE F F F\n"
                                    "POINTS 1\nDATA ascii\n1 2 3"),
             ElementKind::F32, {}, {{1, 2, 3}});
  expectScan(parse(ScanFormat::Pcd, pcdHeader("binary", "0")), ElementKind::F32,
             {"intensity"}, {});
}

TEST(ScanPcd, RefusesEveryTruncation) {
  for (const std::string &whole : {pcdHeader("ascii") + "1 2 3 4\n1 2 3 4",
                                   pcdHeader("binary") + std::string(32, 'a'),
                                   compressed("\x1f" + std::string(32, 'a'))}) {
    parse(ScanFormat::Pcd, whole);
    for (size_t size = 0; size < whole.size(); ++size)
      errorOf(ScanFormat::Pcd, whole.substr(0, size));
  }
}

TEST(ScanPcd, RefusesMalformedFiles) {
  auto error = [](const std::string &bytes) {
    return errorOf(ScanFormat::Pcd, bytes);
  };
  expectContains(error(""), "found an empty one");
  expectContains(error("ply\nformat ascii 1.0\n"), "not a PCD file");
  expectContains(error("VERSION 0.7\nDIELS x\n"), "unknown line");
  expectContains(error(pcdHeader("packed")), "found 'packed'");
  expectContains(error(pcdHeader("ascii", "two")), "expected a number");
  expectContains(error(pcdHeader("ascii", "2", "HEIGHT 3\n")),
                 "POINTS 2 but WIDTH 2 times HEIGHT 3");
  expectContains(error("DATA ascii\n"), "no 'FIELDS'");
  expectContains(error("FIELDS x y z\nSIZE 4 4\nTYPE F F F\nDATA ascii\n"),
                 "names 3 fields but has 2 SIZE");
  expectContains(error("FIELDS x\nSIZE 2\nTYPE F\nPOINTS 1\nDATA ascii\n"),
                 "found 'F' with 2");
  expectContains(error("FIELDS x\nSIZE 4\nTYPE F\nDATA ascii\n"),
                 "expected one number after each of");
  expectContains(
      error(
          "FIELDS x\nSIZE 4\nTYPE F\nCOUNT 4000000000\nPOINTS 0\nDATA ascii\n"),
      "more than 65536 values");
  expectContains(
      error("FIELDS x y\nSIZE 4 4\nTYPE F F\nPOINTS 1\nDATA ascii\n1 2\n"),
      "no column 'z'");
  expectContains(error(pcdHeader("ascii") + "1 2 3 4\n1 2 3 4\n5\n"),
                 "expected 2 rows of text, found more: '5'");
  for (const char *count : {"18446744073709551615", "1152921504606846976"})
    expectContains(error(pcdHeader("binary", count)), "are not possible");
  for (const char *data : {"ascii", "binary", "binary_compressed"})
    errorOf(ScanFormat::Pcd,
            pcdHeader(data, "500000000000000000") + std::string(64, '1'));
}
