//===- Cache.h - compiled models on disk ------------------------*- C++ -*-===//
//
// One file for each compiled model: the shared object, then what belongs to it,
// then a footer. A loader of shared objects ignores what follows the object, so
// the file itself is loaded, and one rename publishes everything at once.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_CODEGEN_CACHE_H
#define RGNN_CODEGEN_CACHE_H

#include "RGNN/CodeGen/Message.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::rgnn {

/// What an entry holds beside its code.
struct CacheEntry {
  std::string path;
  std::string manifest;
  std::vector<Message> remarks;
};

/// Safe against writers in other threads and processes and against writers that
/// are killed: they write under another name in the same directory, and readers
/// check size and hash. A damaged entry is a miss, and is written anew.
class Cache {
public:
  explicit Cache(std::string directory) : directory(std::move(directory)) {}

  /// RGNN_CACHE_DIR, else XDG_CACHE_HOME/rgnn, else ~/.cache/rgnn.
  static std::string defaultDirectory();

  /// SHA-256 of the parts, none of which can run into the next, and of this
  /// compiler: another build of it makes other keys.
  static std::string key(llvm::ArrayRef<llvm::StringRef> parts);

  /// The entry of `key`, if there is a whole one.
  std::optional<CacheEntry> find(llvm::StringRef key) const;

  /// Stores the shared object `code`; gives the entry as found from now on.
  llvm::Expected<CacheEntry> store(llvm::StringRef key, llvm::StringRef code,
                                   llvm::StringRef manifest,
                                   llvm::ArrayRef<Message> remarks) const;

  /// Where the entry of `key` is or would be.
  std::string pathOf(llvm::StringRef key) const;

private:
  void removeStaleTemporaries(llvm::StringRef folder) const;

  std::string directory;
};

} // namespace mlir::rgnn

#endif // RGNN_CODEGEN_CACHE_H
