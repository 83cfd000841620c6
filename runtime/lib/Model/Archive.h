//===- Archive.h - The entries of a saved module ----------------*- C++ -*-===//
//
// A zip archive whose entries are stored, so that they are used where they lie
// (docs/ModuleFormat.md). The bytes may come from anyone: every offset and size
// is compared with what there is before it is used.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_RUNTIME_MODEL_ARCHIVE_H
#define RGNN_RUNTIME_MODEL_ARCHIVE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace rgnn {

class Archive {
public:
  /// Reads the directory of `bytes`, which must outlive the archive. Fails on
  /// what docs/ModuleFormat.md does not allow.
  explicit Archive(std::string_view bytes);

  bool contains(std::string_view name) const { return entries.count(name); }

  /// The bytes of an entry. Fails where there is none of this name, and where
  /// its CRC-32 is another: O(size).
  std::string_view read(const std::string &name) const;

private:
  struct Entry {
    std::string_view bytes;
    uint32_t crc;
  };

  std::unordered_map<std::string_view, Entry> entries;
};

} // namespace rgnn

#endif // RGNN_RUNTIME_MODEL_ARCHIVE_H
