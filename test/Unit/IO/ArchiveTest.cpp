//===- ArchiveTest.cpp - npz and safetensors ------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"
#include "sparseconv/IO/File.h"
#include "sparseconv/IO/Npy.h"
#include "sparseconv/IO/Npz.h"
#include "sparseconv/IO/Safetensors.h"
#include <zlib.h>

using namespace sparseconv;
using namespace sparseconv::test;

namespace {
/// One member of a zip archive; every field can be made to lie.
struct Member {
  std::string name, contents;
  uint16_t method = 0, flags = 0;
  bool isZip64 = false;
  std::optional<uint32_t> crc = {}, bytes = {}, packedBytes = {}, offset = {};
};
} // namespace

static std::string deflateBytes(const std::string &bytes) {
  z_stream stream = {};
  EXPECT_EQ(
      deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
      Z_OK);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
  stream.avail_in = bytes.size();
  stream.next_out = reinterpret_cast<Bytef *>(packed.data());
  stream.avail_out = packed.size();
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

static std::string makeZip(const std::vector<Member> &members,
                           const std::string &comment = "") {
  std::string archive, directory;
  for (const Member &member : members) {
    const std::string &plain = member.contents;
    std::string packed = member.method == 8 ? deflateBytes(plain) : plain;
    uint32_t crc = member.crc.value_or(
        crc32(0, reinterpret_cast<const Bytef *>(plain.data()), plain.size()));
    uint64_t bytes = member.bytes.value_or(plain.size()),
             packedBytes = member.packedBytes.value_or(packed.size()),
             offset = member.offset.value_or(archive.size());
    auto narrow = [&](uint64_t value) {
      return bytesOf<uint32_t>(member.isZip64 ? UINT32_MAX : value);
    };
    // An unknown extra field comes first, as some writers do.
    std::string extra;
    if (member.isZip64)
      extra = bytesOf<uint16_t>({0x7075, 1}) + "x" +
              bytesOf<uint16_t>({1, 24}) +
              bytesOf<uint64_t>({bytes, packedBytes, offset});
    std::string shared =
        bytesOf<uint16_t>({20, member.flags, member.method, 0, 33}) +
        bytesOf(crc) + narrow(packedBytes) + narrow(bytes) +
        bytesOf<uint16_t>(member.name.size());
    directory += bytesOf<uint32_t>(0x02014b50) + bytesOf<uint16_t>(20) +
                 shared + bytesOf<uint16_t>(extra.size()) +
                 bytesOf<uint16_t>({0, 0, 0}) + bytesOf<uint32_t>(0) +
                 narrow(offset) + member.name + extra;
    archive += bytesOf<uint32_t>(0x04034b50) + shared +
               bytesOf<uint16_t>(extra.size()) + member.name + extra + packed;
  }
  uint16_t total = members.size();
  return archive + directory + bytesOf<uint32_t>(0x06054b50) +
         bytesOf<uint16_t>({0, 0, total, total}) +
         bytesOf<uint32_t>(directory.size()) +
         bytesOf<uint32_t>(archive.size()) + bytesOf<uint16_t>(comment.size()) +
         comment;
}

static std::string npyBytes(const HostTensor &tensor) {
  return getNpyHeader(tensor) +
         std::string(tensor.getData(), tensor.getNumBytes());
}

static std::string npzErrorOf(const std::string &bytes) {
  std::string message = messageOf(parseNpz(asBuffer(bytes)));
  EXPECT_EQ(message.find("test-file"), 0u) << message;
  return message;
}

static HostTensor sample() {
  return makeTensor(ElementKind::F32, {2, 2}, {1, 2, 3, 4});
}

TEST(Npz, RoundTripsInOrder) {
  TemporaryFolder folder;
  NamedTensors written;
  for (HostTensor &tensor : makeAllKinds())
    written.push_back(
        {"z\u00e9/" + std::to_string(10 - written.size()), std::move(tensor)});
  written.push_back({"", HostTensor(ElementKind::F32, {0})});
  expectSuccess(writeNpz(folder.file("a.npz"), written));
  NamedTensors read = valueOf(readNpz(folder.file("a.npz")));
  ASSERT_EQ(read.size(), written.size());
  for (size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].name, written[i].name);
    expectEqual(read[i].tensor, written[i].tensor);
  }
  expectSuccess(writeNpz(folder.file("empty.npz"), {}));
  EXPECT_TRUE(valueOf(readNpz(folder.file("empty.npz"))).empty());
}

TEST(Npz, ReadsStoredDeflatedAndZip64Members) {
  HostTensor large(ElementKind::F64, {100, 100});
  for (int64_t i = 0; i < 10000; ++i)
    large.setDouble(i, i % 97);
  NamedTensors read = valueOf(parseNpz(
      asBuffer(makeZip({{"a.npy", npyBytes(sample()), 0},
                        {"b.npy", npyBytes(large), 8},
                        {"c.npy", npyBytes(sample()), 8, 0, /*isZip64=*/true}},
                       "a comment"))));
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[1].name, "b");
  expectEqual(read[0].tensor, sample());
  expectEqual(read[1].tensor, large);
  expectEqual(read[2].tensor, sample());
}

TEST(Npz, RefusesEveryTruncation) {
  std::string whole = makeZip(
      {{"a.npy", npyBytes(sample()), 8}, {"b.npy", npyBytes(sample()), 0}});
  EXPECT_EQ(valueOf(parseNpz(asBuffer(whole))).size(), 2u);
  for (size_t size = 0; size < whole.size(); ++size)
    npzErrorOf(whole.substr(0, size));
}

TEST(Npz, ChecksTheSumOfEveryByte) {
  std::string whole = makeZip({{"a.npy", npyBytes(sample())}});
  whole[whole.find("NUMPY") + 100] ^= 1;
  expectContains(npzErrorOf(whole),
                 "member 'a.npy' cannot be read: ZIP bad CRC");
}

TEST(Npz, RefusesSizesThatLie) {
  std::string contents = npyBytes(sample());
  Member member{"a.npy", contents, 8};
  // A claim of 4 GB allocates what comes out, not what is claimed.
  for (uint32_t bytes : {0u, uint32_t(contents.size() - 1), 0xfffffff0u}) {
    member.bytes = bytes;
    expectContains(npzErrorOf(makeZip({member})),
                   "member 'a.npy' cannot be read: ZIP uncompressed data is "
                   "wrong size");
  }
  member = {"a.npy", contents};
  member.packedBytes = 0x7fffffff;
  expectContains(npzErrorOf(makeZip({member})),
                 "member 'a.npy' cannot be read: Truncated ZIP file");
  member.packedBytes.reset();
  member.offset = 7;
  expectContains(npzErrorOf(makeZip({member})), "damaged zip archive");
  member.isZip64 = true;
  member.offset = 0xfffffff0u;
  expectContains(npzErrorOf(makeZip({member})), "damaged zip archive");
}

TEST(Npz, RefusesToInflateWithoutBounds) {
  // 4 MB of zeros as 49 bytes of bzip2.
  std::string packed(
      "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\xfe\x54\xdb\xf3\x00\x1e"
      "\xa3\x44\x00\xc0\x00\x10\x00\x00\x08\x20\x00\x30\xcc\x09\xaa\x69"
      "\xa2\xa4\x86\xd4\x2a\x48\x78\xbb\x92\x29\xc2\x84\x87\xf2\xa6\xdf"
      "\x98",
      49);
  Member bomb{"a.npy", packed, 12};
  bomb.crc = 0xcfdb2a7f;
  bomb.bytes = 4000000;
  expectContains(npzErrorOf(makeZip({bomb})),
                 "its members inflate to more than 1032 times the archive");
}

TEST(Npz, RefusesMembersItCannotRead) {
  std::string contents = npyBytes(sample());
  expectContains(npzErrorOf(makeZip({{"a.npy", contents, 77}})),
                 "member 'a.npy' cannot be read: Unsupported ZIP compression "
                 "method (77");
  expectContains(npzErrorOf(makeZip({{"a.npy", contents, 0, 1}})),
                 "is encrypted");
  expectContains(npzErrorOf(makeZip({{"a.txt", "hello"}})),
                 "'a.txt' is not an .npy array");
  expectContains(
      npzErrorOf(makeZip({{"a.npy", contents}, {"a.npy", contents}})),
      "two tensors have the name 'a'");
  expectContains(npzErrorOf(makeZip({{"a.npy", "hello"}})),
                 "test-file(a.npy): not an .npy file");
  expectContains(npzErrorOf("this is not a zip archive at all"),
                 "not a zip archive");
  expectContains(npzErrorOf(""), "empty");
}

TEST(Npz, RefusesNamesThatCannotBeWritten) {
  expectContains(
      messageOf(writeNpz("unused.npz", {{"a", sample()}, {"a", sample()}})),
      "two tensors have the name 'a'");
  for (const std::string &name :
       {std::string("\xff"), std::string("a\0b", 3), std::string(70000, 'a')})
    expectContains(messageOf(writeNpz("unused.npz", {{name, sample()}})),
                   "cannot name a member of a zip archive");
}

/// A safetensors file with that header.
static std::string makeSafetensors(const std::string &header,
                                   const std::string &data) {
  return bytesOf<uint64_t>(header.size()) + header + data;
}

static std::string safetensorsErrorOf(const std::string &bytes) {
  return fileErrorOf(parseSafetensors(asBuffer(bytes)));
}

TEST(Safetensors, RoundTripsInOrder) {
  TemporaryFolder folder;
  NamedTensors written;
  for (HostTensor &tensor : makeAllKinds())
    written.push_back(
        {"z\"" + std::to_string(10 - written.size()), std::move(tensor)});
  written.push_back({"scalar", makeTensor(ElementKind::F32, {}, {3})});
  expectSuccess(writeSafetensors(folder.file("a.safetensors"), written));
  NamedTensors read = valueOf(readSafetensors(folder.file("a.safetensors")));
  ASSERT_EQ(read.size(), written.size());
  for (size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].name, written[i].name);
    expectEqual(read[i].tensor, written[i].tensor);
  }
}

TEST(Safetensors, ReadsAHandMadeFile) {
  NamedTensors read = valueOf(parseSafetensors(asBuffer(makeSafetensors(
      R"({"__metadata__":{"format":"pt"},
          "b":{"dtype":"BF16","shape":[2],"data_offsets":[4,8]},
          "a":{"dtype":"I32","shape":[],"data_offsets":[0,4]},
          "e":{"dtype":"F64","shape":[0,3],"data_offsets":[8,8]}}  )",
      bytesOf<int32_t>(-5) + bytesOf<uint16_t>({0x3f80, 0xc000})))));
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0].name, "a");
  expectEqual(read[0].tensor, makeTensor(ElementKind::I32, {}, {-5}));
  expectEqual(read[1].tensor, makeTensor(ElementKind::BF16, {2}, {1, -2}));
  expectEqual(read[2].tensor, HostTensor(ElementKind::F64, {0, 3}));
}

TEST(Safetensors, RefusesEveryTruncation) {
  std::string whole = makeSafetensors(
      R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
      std::string(8, 'x'));
  EXPECT_EQ(valueOf(parseSafetensors(asBuffer(whole))).size(), 1u);
  for (size_t size = 0; size < whole.size(); ++size)
    safetensorsErrorOf(whole.substr(0, size));
  expectContains(safetensorsErrorOf(whole + "x"),
                 "expected 8 bytes of data, found 9");
}

TEST(Safetensors, RefusesMalformedHeaders) {
  auto error = [](const char *header) {
    return safetensorsErrorOf(makeSafetensors(header, std::string(8, 'x')));
  };
  expectContains(error("nonsense"), "is not JSON");
  expectContains(error("[]"), "is not a JSON object");
  expectContains(error(R"({"a":1})"), "tensor 'a': expected an object");
  expectContains(
      error(R"({"a":{"dtype":"F8","shape":[8],"data_offsets":[0,8]}})"),
      "found 'F8'");
  expectContains(error(R"({"a":{"shape":[8],"data_offsets":[0,8]}})"),
                 "found none");
  expectContains(
      error(R"({"a":{"dtype":"U8","shape":[-8],"data_offsets":[0,8]}})"),
      "'shape' to be a list of sizes");
  expectContains(
      error(R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[8,0]}})"),
      "'data_offsets' to be [begin, end]");
  expectContains(
      error(R"({"a":{"dtype":"U8","shape":[9],"data_offsets":[0,8]}})"),
      "expected 9 bytes for 9 elements of ui8, found 8");
  expectContains(
      error(R"({"a":{"dtype":"U8","shape":[9],"data_offsets":[0,9]}})"),
      "end by byte 8");
  expectContains(
      error(
          R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,8]}})"),
      "over 2^63 bytes");
  expectContains(
      error(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})"),
      "begin at byte 0, found 4");
  expectContains(error(R"({"a":{"dtype":"U8","shape":[6],"data_offsets":[0,6]},
                "b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})"),
                 "begin at byte 6, found 4");
  expectContains(error(std::string(1 << 20, '[').c_str()), "nested too deep");
  expectContains(safetensorsErrorOf(std::string(8, '\xff') + "{}"),
                 "expected a safetensors header of 18446744073709551615");
}

TEST(Safetensors, RefusesNamesThatCannotBeWritten) {
  expectContains(
      messageOf(writeSafetensors("unused", {{"a", sample()}, {"a", sample()}})),
      "two tensors have the name 'a'");
  expectContains(
      messageOf(writeSafetensors("unused", {{"__metadata__", sample()}})),
      "cannot name a tensor");
  expectContains(messageOf(writeSafetensors("unused", {{"\xff", sample()}})),
                 "cannot name a tensor");
}
