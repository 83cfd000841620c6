//===- AtomicFile.h - files that are whole or not there ---------*- C++ -*-===//

#ifndef RGNN_LIB_CODEGEN_ATOMICFILE_H
#define RGNN_LIB_CODEGEN_ATOMICFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::rgnn {

/// Temporary files end in this; a writer that is killed leaves its own.
constexpr llvm::StringLiteral kTemporarySuffix = ".tmp";

/// Writes a file under another name in the same folder, and gives it its own
/// when all of it is on the disk: readers see the file of before or the new
/// one, and a failure changes nothing.
llvm::Error replaceFile(llvm::StringRef path,
                        llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace mlir::rgnn

#endif // RGNN_LIB_CODEGEN_ATOMICFILE_H
