//===- ArchiveTest.cpp - Reading of archives ------------------------------===//

#include "Model/Archive.h"
#include "TestGraphs.h"
#include "TestModel.h"
#include <gtest/gtest.h>

using namespace rgnn;
using namespace rgnn::test;

static const std::vector<TestEntry> someEntries = {
    {"a/b-c_1.txt", "hello"}, {"empty", ""}, {"..c", std::string(100, 'x')}};

/// Reads everything; "" or why not.
static std::string messageFor(const std::string &bytes,
                              const std::vector<TestEntry> &entries) {
  return messageOf([&] {
    const Archive archive(bytes);
    for (const TestEntry &entry : entries)
      archive.read(entry.name);
  });
}

TEST(ArchiveTest, ReadsEntries) {
  for (bool zip64 : {false, true}) {
    const std::string bytes = makeArchive(someEntries, zip64);
    const Archive archive(bytes);
    for (const TestEntry &entry : someEntries) {
      EXPECT_TRUE(archive.contains(entry.name));
      const std::string_view data = archive.read(entry.name);
      EXPECT_EQ(data, entry.data);
      EXPECT_EQ((data.data() - bytes.data()) % 64, 0);
    }
    EXPECT_FALSE(archive.contains("b"));
    EXPECT_EQ(messageOf([&] { archive.read("b"); }),
              "expected an entry 'b' in the archive, got none");
  }
}

TEST(ArchiveTest, Empty) {
  EXPECT_EQ(messageFor(makeArchive({}), {}), "");
  EXPECT_EQ(messageFor(makeArchive({}, /*zip64=*/true), {}), "");
}

TEST(ArchiveTest, TruncatedAnywhere) {
  for (bool zip64 : {false, true}) {
    const std::string bytes = makeArchive(someEntries, zip64);
    for (size_t size = 0; size < bytes.size(); ++size) {
      const std::vector<char> part(bytes.begin(), bytes.begin() + size);
      EXPECT_NE(messageOf([&] { Archive({part.data(), size}); }), "") << size;
      // Without its beginning, too.
      EXPECT_NE(messageFor(bytes.substr(bytes.size() - size), {}), "") << size;
    }
  }
}

/// What matters of every byte is checked, or it is reported as damaged.
TEST(ArchiveTest, WrongAnywhere) {
  for (bool zip64 : {false, true}) {
    const std::string bytes = makeArchive(someEntries, zip64);
    for (size_t i = 0; i < bytes.size(); ++i)
      for (int bit = 0; bit < 8; ++bit) {
        const char byte = static_cast<char>(bytes[i] ^ (1 << bit));
        const std::string wrong = patched(bytes, i, byte);
        messageOf([&] {
          const Archive archive(wrong);
          for (const TestEntry &entry : someEntries) {
            if (!archive.contains(entry.name))
              continue;
            EXPECT_EQ(archive.read(entry.name), entry.data) << i;
          }
        });
      }
  }
}

TEST(ArchiveTest, WrongFields) {
  const std::string good = makeArchive({{"name", "data"}});
  const size_t directory = 64 + 4, end = good.size() - 22;
  auto patch = [&](size_t at, auto value) {
    return messageFor(patched(good, at, value), {{"name", ""}});
  };
  EXPECT_EQ(patch(end, 'Q'), "expected a zip archive that ends with its "
                             "directory, got 140 bytes that do not");
  EXPECT_EQ(patch(end + 4, uint16_t(1)),
            "expected the number of a file 0 in the archive, got 1");
  EXPECT_EQ(patch(end + 8, uint16_t(2)),
            "expected a number of entries 2 in the archive, got 1");
  EXPECT_EQ(patch(end + 8, uint32_t(0xffffffff)),
            "expected a directory of at least 46 bytes an entry, got 50 for "
            "65535 entries");
  EXPECT_EQ(patch(end + 8, uint32_t(0)), "expected bytes behind the last entry "
                                         "of the directory: 0 in the archive, "
                                         "got 50");
  EXPECT_EQ(patch(end + 12, uint32_t(0xfffffff0)),
            "expected a directory that ends at byte 118, got one of 4294967280 "
            "bytes at byte 68");
  EXPECT_EQ(patch(end + 16, uint32_t(0)),
            "expected a directory that ends at byte 118, got one of 50 bytes "
            "at byte 0");
  EXPECT_EQ(patch(end + 20, uint16_t(1)),
            "expected a comment of size 0 in the archive, got 1");

  EXPECT_EQ(patch(directory, 'Q'), "expected entry 0 in the directory of the "
                                   "archive, got something else");
  EXPECT_EQ(patch(directory + 8, uint16_t(1)),
            "expected entries neither encrypted nor streamed, with flags 0 in "
            "the archive, got 1");
  EXPECT_EQ(patch(directory + 10, uint16_t(8)),
            "expected stored entries, of method 0 in the archive, got 8");
  EXPECT_EQ(patch(directory + 20, uint32_t(3)),
            "expected entry 'name' stored in 4 bytes, got 3");
  EXPECT_EQ(patch(directory + 24, uint32_t(0xffffffff)),
            "expected 2 more bytes in the archive, got 0");
  EXPECT_EQ(patch(directory + 28, uint16_t(0xffff)),
            "expected 65535 more bytes in the archive, got 4");
  EXPECT_EQ(patch(directory + 42, uint32_t(100)),
            "expected entry 'name' before byte 68, got 100");
  EXPECT_EQ(patch(directory + 42, uint32_t(1)),
            "expected entry 'name' at byte 1, got something else");

  const std::string other = "expected the name, size and CRC-32 of entry "
                            "'name' before its data, got others";
  EXPECT_EQ(patch(directory + 16, uint32_t(1)), other);
  EXPECT_EQ(patch(14, uint32_t(1)), other);
  EXPECT_EQ(patch(18, uint32_t(5)), other);
  EXPECT_EQ(patch(30, 'x'), other);
  EXPECT_EQ(patch(28, uint16_t(29)), "expected the data of entry 'name' at a "
                                     "multiple of 64 bytes, got byte 63");
  EXPECT_EQ(patch(64, 'D').rfind("expected the CRC-32 2918445923 of entry "
                                 "'name', got ",
                                 0),
            0u);
}

TEST(ArchiveTest, WrongZip64Fields) {
  const std::string good = makeArchive({{"name", "data"}}, /*zip64=*/true);
  const size_t locator = good.size() - 22 - 20, record = locator - 56;
  auto patch = [&](size_t at, auto value) {
    return messageFor(patched(good, at, value), {});
  };
  EXPECT_EQ(patch(locator + 4, uint32_t(1)),
            "expected the number of a file 0 in the archive, got 1");
  EXPECT_EQ(patch(locator + 8, uint64_t(-1)).substr(0, 44),
            "expected the zip64 record of the archive bef");
  EXPECT_EQ(patch(locator + 8, uint64_t(8)).substr(0, 44),
            "expected the zip64 record of the archive bef");
  EXPECT_EQ(patch(record + 4, uint64_t(45)),
            "expected a zip64 record of size 44 in the archive, got 45");
  EXPECT_EQ(patch(record + 24, uint64_t(-1)).substr(0, 28),
            "expected a number of entries");
  // Together they are the right number.
  const std::string wrapped = patched(good, record + 40, uint64_t(-16));
  const std::string wraps =
      messageFor(patched(wrapped, record + 48, uint64_t(record + 16)), {});
  EXPECT_EQ(wraps.substr(0, 36), "expected a directory that ends at by");
}

TEST(ArchiveTest, Names) {
  for (const char *name :
       {"", "/", "/etc/passwd", "a//b", "a/", ".", "..", "../a", "a/../b",
        "a/./b", "a\\b", "a b", "C:a", "a\n", "\xc3\xa4"}) {
    const std::string message = messageFor(makeArchive({{name, ""}}), {});
    EXPECT_EQ(message, "expected a relative name of letters, digits, '_', '-', "
                       "'.' and '/' without '.' and '..', got '" +
                           std::string(name) + "'");
  }
  const std::string zero("a\0b", 3);
  EXPECT_NE(messageFor(makeArchive({{zero, ""}}), {}), "");
}

TEST(ArchiveTest, RepeatedName) {
  EXPECT_EQ(messageFor(makeArchive({{"a", "1"}, {"b", ""}, {"a", "1"}}), {}),
            "expected each entry once, got another 'a'");
}

TEST(ArchiveTest, BytesBeforeAndBehind) {
  const std::string good = makeArchive(someEntries);
  EXPECT_NE(messageFor(std::string(64, 'x') + good, {}), "");
  EXPECT_NE(messageFor(good + "x", {}), "");
}
