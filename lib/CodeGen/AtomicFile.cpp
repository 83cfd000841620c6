//===- AtomicFile.cpp - files that are whole or not there -----------------===//

#include "AtomicFile.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <fcntl.h>
#include <unistd.h>

using namespace mlir;
using llvm::StringRef;

llvm::Error
rgnn::replaceFile(StringRef path,
                  llvm::function_ref<void(llvm::raw_ostream &)> write) {
  auto failed = [&](const char *what, std::error_code reason) {
    return llvm::createStringError(reason, "cannot %s '%s': %s", what,
                                   path.str().c_str(),
                                   reason.message().c_str());
  };
  StringRef folder = llvm::sys::path::parent_path(path);
  if (folder.empty())
    folder = ".";
  // createUniqueFile would put digits in the place of a '%' of the folder.
  int descriptor;
  std::string temporary;
  std::error_code created;
  do {
    temporary = (folder + "/." +
                 llvm::utohexstr(llvm::sys::Process::GetRandomNumber()) +
                 kTemporarySuffix)
                    .str();
    created = llvm::sys::fs::openFileForWrite(temporary, descriptor,
                                              llvm::sys::fs::CD_CreateNew);
  } while (created == std::errc::file_exists);
  if (created)
    return failed("create a file beside", created);
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  auto discard = llvm::scope_exit([&] { llvm::sys::fs::remove(temporary); });
  write(stream);
  stream.flush();
  if (!stream.has_error() && fsync(descriptor) != 0)
    return failed("write", std::error_code(errno, std::generic_category()));
  stream.close();
  if (stream.has_error()) {
    std::error_code reason = stream.error();
    stream.clear_error();
    return failed("write", reason);
  }
  if (std::error_code reason = llvm::sys::fs::rename(temporary, path))
    return failed("replace", reason);
  discard.release();
  // The name as well must survive a power cut.
  if (int opened =
          open(folder.str().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      opened >= 0) {
    fsync(opened);
    close(opened);
  }
  return llvm::Error::success();
}
