//===- Archive.h - the file of a saved module -------------------*- C++ -*-===//
//
// A zip archive as docs/ModuleFormat.md describes it: entries are stored, and
// the data of each begins at a multiple of 64 bytes, so that a reader can use
// it where it lies in the mapped file.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_CODEGEN_ARCHIVE_H
#define RGNN_CODEGEN_ARCHIVE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir::rgnn {

/// The owner of `bytes` must keep them until the archive is written.
struct ArchiveEntry {
  std::string name;
  llvm::StringRef bytes;
};

/// Writes an archive of the entries, in their order. The same entries make the
/// same bytes. Fails, with `invalid_argument`, on names that the format does
/// not have.
llvm::Error writeArchive(llvm::ArrayRef<ArchiveEntry> entries,
                         llvm::raw_ostream &stream);

/// Writes it to a file. A failure leaves the file as it was.
llvm::Error writeArchive(llvm::ArrayRef<ArchiveEntry> entries,
                         llvm::StringRef path);

} // namespace mlir::rgnn

#endif // RGNN_CODEGEN_ARCHIVE_H
