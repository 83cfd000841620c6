//===- Archive.cpp - the file of a saved module ---------------------------===//
//
// The names of fields are those of PKWARE's APPNOTE.TXT 6.3.
//
//===----------------------------------------------------------------------===//

#include "RGNN/CodeGen/Archive.h"
#include "AtomicFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/EndianStream.h"

#include <limits>

using namespace mlir;
using llvm::StringRef;

namespace {

constexpr uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50,
                   kZip64End = 0x06064b50, kZip64Locator = 0x07064b50,
                   kEnd = 0x06054b50;
constexpr uint16_t kVersion = 20, kVersionOfZip64 = 45;
constexpr uint16_t kStored = 0;
/// Midnight of 1 January 1980, the first that there is: files do not depend on
/// when they are written.
constexpr uint16_t kTime = 0, kDate = 1 << 5 | 1;
constexpr uint16_t kZip64Field = 0x0001;
/// The extra field by which zipalign aligns entries: an alignment, and zeros.
constexpr uint16_t kAlignmentField = 0xd935;
constexpr uint16_t kAlignment = 64;

/// An entry and where it is in the file.
struct Member {
  const rgnn::ArchiveEntry &entry;
  uint32_t crc;
  uint64_t headerOffset;

  uint64_t size() const { return entry.bytes.size(); }
};

/// Little-endian numbers and texts, one after another.
struct Fields : llvm::SmallString<128> {
  template <typename T>
  void add(T value) {
    llvm::support::endian::write(*this, value, llvm::endianness::little);
  }
};

} // namespace

/// What a field says: its largest number where the value is in a zip64 field.
template <typename T>
static T narrow(uint64_t value) {
  return std::min<uint64_t>(value, std::numeric_limits<T>::max());
}
static bool needsZip64(uint64_t value) {
  return narrow<uint32_t>(value) == std::numeric_limits<uint32_t>::max();
}

/// The zip64 field that holds those of `values` that need it; empty for none.
static Fields makeZip64Field(llvm::ArrayRef<uint64_t> values) {
  Fields field;
  const size_t count = llvm::count_if(values, needsZip64);
  if (count == 0)
    return field;
  field.add<uint16_t>(kZip64Field);
  field.add<uint16_t>(count * sizeof(uint64_t));
  for (uint64_t value : values)
    if (needsZip64(value))
      field.add<uint64_t>(value);
  return field;
}

/// What both headers of an entry say alike, before the sizes of their texts.
static void addDescription(Fields &header, const Member &member, bool isZip64) {
  header.add<uint16_t>(isZip64 ? kVersionOfZip64 : kVersion);
  header.add<uint16_t>(0); // flags
  header.add<uint16_t>(kStored);
  header.add<uint16_t>(kTime);
  header.add<uint16_t>(kDate);
  header.add<uint32_t>(member.crc);
  header.add<uint32_t>(narrow<uint32_t>(member.size())); // compressed
  header.add<uint32_t>(narrow<uint32_t>(member.size()));
  header.add<uint16_t>(member.entry.name.size());
}

/// The header in front of an entry's data, padded.
static Fields makeLocalHeader(const Member &member) {
  Fields extra = makeZip64Field({member.size(), member.size()}), header;
  header.add<uint32_t>(kLocalHeader);
  addDescription(header, member, !extra.empty());
  constexpr uint64_t extraSizeField = 2, paddingHeader = 6;
  const uint64_t dataOffset = member.headerOffset + header.size() +
                              extraSizeField + member.entry.name.size() +
                              extra.size() + paddingHeader;
  const uint64_t padding =
      llvm::offsetToAlignment(dataOffset, llvm::Align::Constant<kAlignment>());
  extra.add<uint16_t>(kAlignmentField);
  extra.add<uint16_t>(sizeof(kAlignment) + padding);
  extra.add<uint16_t>(kAlignment);
  extra.append(padding, '\0');
  header.add<uint16_t>(extra.size());
  header += member.entry.name;
  header += extra;
  return header;
}

static Fields makeCentralHeader(const Member &member) {
  Fields extra = makeZip64Field(
             {member.size(), member.size(), member.headerOffset}),
         header;
  header.add<uint32_t>(kCentralHeader);
  header.add<uint16_t>(kVersionOfZip64); // of the program that writes
  addDescription(header, member, !extra.empty());
  header.add<uint16_t>(extra.size());
  header.add<uint16_t>(0); // comment
  header.add<uint16_t>(0); // disk
  header.add<uint16_t>(0); // internal attributes
  header.add<uint32_t>(0); // external attributes
  header.add<uint32_t>(narrow<uint32_t>(member.headerOffset));
  header += member.entry.name;
  header += extra;
  return header;
}

/// What a reader looks for first, from the end of the file.
static Fields makeEnd(uint64_t count, uint64_t offset, uint64_t size) {
  Fields end;
  if (count >= std::numeric_limits<uint16_t>::max() || needsZip64(offset) ||
      needsZip64(size)) {
    end.add<uint32_t>(kZip64End);
    end.add<uint64_t>(44); // bytes of this record that follow
    end.add<uint16_t>(kVersionOfZip64);
    end.add<uint16_t>(kVersionOfZip64);
    end.add<uint32_t>(0); // this disk
    end.add<uint32_t>(0); // disk of the directory
    end.add<uint64_t>(count);
    end.add<uint64_t>(count);
    end.add<uint64_t>(size);
    end.add<uint64_t>(offset);
    end.add<uint32_t>(kZip64Locator);
    end.add<uint32_t>(0); // disk of the record above
    end.add<uint64_t>(offset + size);
    end.add<uint32_t>(1); // disks
  }
  end.add<uint32_t>(kEnd);
  end.add<uint16_t>(0); // this disk
  end.add<uint16_t>(0); // disk of the directory
  end.add<uint16_t>(narrow<uint16_t>(count));
  end.add<uint16_t>(narrow<uint16_t>(count));
  end.add<uint32_t>(narrow<uint32_t>(size));
  end.add<uint32_t>(narrow<uint32_t>(offset));
  end.add<uint16_t>(0); // comment
  return end;
}

static bool isPortableName(StringRef name) {
  return name.size() <= std::numeric_limits<uint16_t>::max() &&
         llvm::all_of(name,
                      [](char c) {
                        return llvm::isAlnum(c) ||
                               StringRef("_-./").contains(c);
                      }) &&
         llvm::none_of(llvm::split(name, '/'), [](StringRef part) {
           return part.empty() || part == "." || part == "..";
         });
}

static llvm::Error checkNames(llvm::ArrayRef<rgnn::ArchiveEntry> entries) {
  llvm::StringSet<> names;
  for (const rgnn::ArchiveEntry &entry : entries) {
    if (!isPortableName(entry.name))
      return llvm::createStringError(
          std::errc::invalid_argument,
          "expected a relative name of letters, digits, '_', '-', '.' and '/' "
          "in an archive, got '%s'",
          entry.name.c_str());
    if (!names.insert(entry.name).second)
      return llvm::createStringError(
          std::errc::invalid_argument,
          "expected every name once in an archive, got '%s' again",
          entry.name.c_str());
  }
  return llvm::Error::success();
}

static void writeEntries(llvm::ArrayRef<rgnn::ArchiveEntry> entries,
                         llvm::raw_ostream &stream) {
  // Counted here: the stream may be a pipe, or have something in it already.
  uint64_t offset = 0;
  auto write = [&](StringRef bytes) {
    stream << bytes;
    offset += bytes.size();
  };
  std::vector<Member> members;
  for (const rgnn::ArchiveEntry &entry : entries) {
    const uint32_t crc = llvm::crc32(
        llvm::ArrayRef(entry.bytes.bytes_begin(), entry.bytes.size()));
    members.push_back({entry, crc, offset});
    write(makeLocalHeader(members.back()));
    write(entry.bytes);
  }
  const uint64_t directory = offset;
  for (const Member &member : members)
    write(makeCentralHeader(member));
  write(makeEnd(members.size(), directory, offset - directory));
}

llvm::Error rgnn::writeArchive(llvm::ArrayRef<ArchiveEntry> entries,
                               llvm::raw_ostream &stream) {
  if (llvm::Error error = checkNames(entries))
    return error;
  writeEntries(entries, stream);
  return llvm::Error::success();
}

llvm::Error rgnn::writeArchive(llvm::ArrayRef<ArchiveEntry> entries,
                               StringRef path) {
  if (llvm::Error error = checkNames(entries))
    return error;
  return replaceFile(
      path, [&](llvm::raw_ostream &stream) { writeEntries(entries, stream); });
}
