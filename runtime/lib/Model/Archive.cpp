//===- Archive.cpp - The entries of a saved module ------------------------===//
//
// The layout is that of PKWARE's APPNOTE.TXT, sections 4.3 and 4.5.3.
//
//===----------------------------------------------------------------------===//

#include "Model/Archive.h"
#include "Support/Error.h"
#include <zlib.h>

using namespace rgnn;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "fields of a zip archive are read as they lie");

namespace {
constexpr uint32_t localSignature = 0x04034b50, entrySignature = 0x02014b50,
                   endSignature = 0x06054b50, end64Signature = 0x06064b50,
                   locator64Signature = 0x07064b50;
constexpr uint64_t entrySize = 46, endSize = 22, end64Size = 56,
                   locator64Size = 20;
constexpr uint64_t alignment = 64;
/// In the place of a size that is in the zip64 field.
constexpr uint64_t inZip64 = 0xffffffff;
constexpr uint16_t zip64Field = 1;
/// The one flag that changes nothing: names are in UTF-8.
constexpr uint16_t utf8Flag = 1 << 11;

/// Numbers one after another.
class Fields {
public:
  explicit Fields(std::string_view bytes) : bytes(bytes) {}

  template <typename T>
  T next() {
    T value;
    take(sizeof(T)).copy(reinterpret_cast<char *>(&value), sizeof(T));
    return value;
  }

  std::string_view take(uint64_t size) {
    if (size > bytes.size())
      failLoad("expected ", size, " more bytes in the archive, got ",
               bytes.size());
    const std::string_view taken = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return taken;
  }

  void expect(const char *what, uint64_t expected, uint64_t got) const {
    if (expected != got)
      failLoad("expected ", what, " ", expected, " in the archive, got ", got);
  }

  uint64_t left() const { return bytes.size(); }

private:
  std::string_view bytes;
};

struct Directory {
  uint64_t offset, size, count;
};

/// What is said of an entry in the directory, and again before its data.
struct Header {
  uint32_t crc;
  uint64_t storedSize, size;
  uint16_t nameSize, extraSize;
};
} // namespace

static bool startsWith(std::string_view bytes, uint64_t at,
                       uint32_t signature) {
  return Fields(bytes.substr(at)).next<uint32_t>() == signature;
}

/// Fails unless the directory ends at `end` and has room for its entries.
static Directory checked(const Directory &directory, uint64_t end) {
  if (directory.offset > end || directory.size != end - directory.offset)
    failLoad("expected a directory that ends at byte ", end, ", got one of ",
             directory.size, " bytes at byte ", directory.offset);
  if (directory.count > directory.size / entrySize)
    failLoad("expected a directory of at least ", entrySize,
             " bytes an entry, got ", directory.size, " for ", directory.count,
             " entries");
  return directory;
}

/// The zip64 record, which stands between the directory and its locator.
static Directory readEnd64(std::string_view bytes, uint64_t locator) {
  Fields fields(bytes.substr(locator, locator64Size));
  fields.take(4);
  fields.expect("the number of a file", 0, fields.next<uint32_t>());
  const auto record = fields.next<uint64_t>();
  fields.expect("a number of files", 1, fields.next<uint32_t>());
  if (locator < end64Size || record > locator - end64Size ||
      !startsWith(bytes, record, end64Signature))
    failLoad("expected the zip64 record of the archive before byte ", locator,
             ", got none at byte ", record);

  fields = Fields(bytes.substr(record, locator - record));
  fields.take(4);
  fields.expect("a zip64 record of size", locator - record - 12,
                fields.next<uint64_t>());
  fields.take(4);
  fields.expect("the number of a file", 0, fields.next<uint32_t>());
  fields.expect("the number of a file", 0, fields.next<uint32_t>());
  Directory directory;
  directory.count = fields.next<uint64_t>();
  fields.expect("a number of entries", directory.count,
                fields.next<uint64_t>());
  directory.size = fields.next<uint64_t>();
  directory.offset = fields.next<uint64_t>();
  return checked(directory, record);
}

static Directory findDirectory(std::string_view bytes) {
  if (bytes.size() < endSize ||
      !startsWith(bytes, bytes.size() - endSize, endSignature))
    failLoad("expected a zip archive that ends with its directory, got ",
             bytes.size(), " bytes that do not");
  const uint64_t end = bytes.size() - endSize;
  if (end >= locator64Size &&
      startsWith(bytes, end - locator64Size, locator64Signature))
    return readEnd64(bytes, end - locator64Size);

  Fields fields(bytes.substr(end));
  fields.take(4);
  fields.expect("the number of a file", 0, fields.next<uint16_t>());
  fields.expect("the number of a file", 0, fields.next<uint16_t>());
  Directory directory;
  directory.count = fields.next<uint16_t>();
  fields.expect("a number of entries", directory.count,
                fields.next<uint16_t>());
  directory.size = fields.next<uint32_t>();
  directory.offset = fields.next<uint32_t>();
  fields.expect("a comment of size", 0, fields.next<uint16_t>());
  return checked(directory, end);
}

/// The part that both headers of an entry have, from the flags on.
static Header readHeader(Fields &fields) {
  const uint16_t flags = fields.next<uint16_t>();
  fields.expect("entries neither encrypted nor streamed, with flags", 0,
                flags & ~utf8Flag);
  fields.expect("stored entries, of method", 0, fields.next<uint16_t>());
  fields.take(4); // Time and date.
  Header header;
  header.crc = fields.next<uint32_t>();
  header.storedSize = fields.next<uint32_t>();
  header.size = fields.next<uint32_t>();
  header.nameSize = fields.next<uint16_t>();
  header.extraSize = fields.next<uint16_t>();
  return header;
}

/// Takes the sizes that did not fit from the zip64 field, where they stand in
/// this order.
static void widen(std::string_view extra,
                  std::initializer_list<uint64_t *> sizes) {
  bool fit = true;
  for (const uint64_t *size : sizes)
    fit &= *size != inZip64;
  Fields fields(extra);
  while (!fit) {
    const auto id = fields.next<uint16_t>();
    Fields field(fields.take(fields.next<uint16_t>()));
    if (id != zip64Field)
      continue;
    for (uint64_t *size : sizes)
      if (*size == inZip64)
        *size = field.next<uint64_t>();
    fit = true;
  }
}

/// Relative, without ways up, of characters that every system takes.
static bool isAllowed(std::string_view name) {
  const char *const letters = "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
  if (name.find_first_not_of(letters) != std::string_view::npos)
    return false;
  while (true) {
    const size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    if (part.empty() || part == "." || part == "..")
      return false;
    if (slash == std::string_view::npos)
      return true;
    name.remove_prefix(slash + 1);
  }
}

/// The data of an entry, whose local header must say what the directory says.
static std::string_view findData(std::string_view beforeDirectory,
                                 uint64_t offset, std::string_view name,
                                 const Header &entry) {
  if (offset > beforeDirectory.size())
    failLoad("expected entry '", name, "' before byte ", beforeDirectory.size(),
             ", got ", offset);
  Fields fields(beforeDirectory.substr(offset));
  if (fields.next<uint32_t>() != localSignature)
    failLoad("expected entry '", name, "' at byte ", offset,
             ", got something else");
  fields.take(2);
  Header header = readHeader(fields);
  const std::string_view localName = fields.take(header.nameSize);
  widen(fields.take(header.extraSize), {&header.size, &header.storedSize});
  if (localName != name || header.crc != entry.crc ||
      header.size != entry.size || header.storedSize != entry.storedSize)
    failLoad("expected the name, size and CRC-32 of entry '", name,
             "' before its data, got others");
  const uint64_t begin = beforeDirectory.size() - fields.left();
  if (begin % alignment)
    failLoad("expected the data of entry '", name, "' at a multiple of ",
             alignment, " bytes, got byte ", begin);
  return fields.take(entry.size);
}

Archive::Archive(std::string_view bytes) {
  const Directory directory = findDirectory(bytes);
  Fields fields(bytes.substr(directory.offset, directory.size));
  entries.reserve(directory.count);
  for (uint64_t i = 0; i < directory.count; ++i) {
    if (fields.next<uint32_t>() != entrySignature)
      failLoad("expected entry ", i,
               " in the directory of the archive, got "
               "something else");
    fields.take(4); // Versions of the format.
    Header entry = readHeader(fields);
    const auto commentSize = fields.next<uint16_t>();
    fields.expect("the number of a file", 0, fields.next<uint16_t>());
    fields.take(6); // Attributes.
    uint64_t offset = fields.next<uint32_t>();
    const std::string_view name = fields.take(entry.nameSize);
    widen(fields.take(entry.extraSize),
          {&entry.size, &entry.storedSize, &offset});
    fields.take(commentSize);

    if (!isAllowed(name))
      failLoad("expected a relative name of letters, digits, '_', '-', '.' and "
               "'/' without '.' and '..', got '",
               name, "'");
    if (entry.storedSize != entry.size)
      failLoad("expected entry '", name, "' stored in ", entry.size,
               " bytes, got ", entry.storedSize);
    const std::string_view data =
        findData(bytes.substr(0, directory.offset), offset, name, entry);
    if (!entries.emplace(name, Entry{data, entry.crc}).second)
      failLoad("expected each entry once, got another '", name, "'");
  }
  fields.expect("bytes behind the last entry of the directory:", 0,
                fields.left());
}

std::string_view Archive::read(const std::string &name) const {
  const auto found = entries.find(name);
  if (found == entries.end())
    failLoad("expected an entry '", name, "' in the archive, got none");
  const std::string_view bytes = found->second.bytes;
  const auto crc = static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
  if (crc != found->second.crc)
    failLoad("expected the CRC-32 ", found->second.crc, " of entry '", name,
             "', got ", crc, ": the file is damaged");
  return bytes;
}
