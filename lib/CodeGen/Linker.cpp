//===- Linker.cpp - from an object to a shared object ---------------------===//

#include "RGNN/CodeGen/ObjectCode.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <set>

using namespace mlir;

extern "C" void _Unwind_Resume(void *);

namespace {

/// A program, and what its arguments begin with: its name, first.
struct Command {
  std::string program;
  std::vector<std::string> arguments;
};

} // namespace

static std::optional<Command> &linkerThatWasSet() {
  static std::optional<Command> command;
  return command;
}

void rgnn::setLinker(std::string program, std::vector<std::string> arguments) {
  linkerThatWasSet() = {std::move(program), std::move(arguments)};
}

static llvm::Expected<Command> findLinker() {
  // What kind of linker lld is follows from the name that it is called by.
  const std::vector<std::string> name = {"ld.lld"};
  if (const char *given = std::getenv("RGNN_LLD"))
    return Command{given, name};
  if (linkerThatWasSet())
    return *linkerThatWasSet();
  if (llvm::sys::fs::can_execute(RGNN_LLD_PATH))
    return Command{RGNN_LLD_PATH, name};
  for (const char *program : {"ld.lld-22", "ld.lld"})
    if (llvm::ErrorOr<std::string> found =
            llvm::sys::findProgramByName(program))
      return Command{*found, name};
  return llvm::createStringError(std::errc::no_such_file_or_directory,
                                 "expected the linker ld.lld at %s or on PATH, "
                                 "found none: install the package lld-22 "
                                 "or set RGNN_LLD",
                                 RGNN_LLD_PATH);
}

/// The C library, libm and libgcc_s as this process has them loaded: code calls
/// into them (malloc, exp, conversions of bfloat16), and no development files
/// are needed to link against the libraries themselves.
static std::vector<std::string> systemLibraries() {
  double (*exponential)(double) = std::exp;
  std::set<std::string> paths;
  for (void *symbol : {reinterpret_cast<void *>(&std::fputs),
                       reinterpret_cast<void *>(exponential),
                       reinterpret_cast<void *>(&_Unwind_Resume)}) {
    Dl_info info;
    if (dladdr(symbol, &info) && info.dli_fname &&
        llvm::StringRef(info.dli_fname).contains(".so"))
      paths.insert(info.dli_fname);
  }
  return {paths.begin(), paths.end()};
}

/// Links the file `object` to the file `output`.
static llvm::Error linkSharedObject(llvm::StringRef object,
                                    llvm::StringRef output) {
  llvm::Expected<Command> linker = findLinker();
  if (!linker)
    return linker.takeError();
  std::vector<std::string> libraries = systemLibraries();
  llvm::SmallVector<llvm::StringRef> arguments(linker->arguments.begin(),
                                               linker->arguments.end());
  arguments.append({"-shared", "--eh-frame-hdr", "--hash-style=gnu", "-z",
                    "now", "-z", "noexecstack", "-z", "defs", "--gc-sections",
                    "--build-id=none", "-o", output, object, "--as-needed"});
  arguments.append(libraries.begin(), libraries.end());

  llvm::SmallString<128> log;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("rgnn-link", "txt", log))
    return llvm::createStringError(
        code, "no temporary file for the linker's messages: %s",
        code.message().c_str());
  auto removeLog = llvm::scope_exit([&] { llvm::sys::fs::remove(log); });
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), log.str(),
                                                log.str()};
  std::string message;
  const int status = llvm::sys::ExecuteAndWait(
      linker->program, arguments, std::nullopt, redirects, 0, 0, &message);
  if (status == 0)
    return llvm::Error::success();
  if (auto text = llvm::MemoryBuffer::getFile(log))
    message += (*text)->getBuffer().rtrim().str();
  return llvm::createStringError(
      std::errc::io_error, "%s failed with status %d: %s",
      linker->program.c_str(), status, message.c_str());
}

static llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes) {
  std::error_code reason;
  llvm::raw_fd_ostream stream(path, reason);
  if (!reason) {
    stream << bytes;
    stream.close();
    reason = stream.error();
    stream.clear_error();
  }
  return reason ? llvm::createStringError(reason, "cannot write %s: %s",
                                          path.str().c_str(),
                                          reason.message().c_str())
                : llvm::Error::success();
}

llvm::Expected<std::string> rgnn::linkToTemporary(llvm::StringRef object) {
  llvm::SmallString<128> objectPath, path;
  if (std::error_code reason =
          llvm::sys::fs::createTemporaryFile("rgnn", "o", objectPath))
    return llvm::createStringError(reason,
                                   "no temporary file for object code: %s",
                                   reason.message().c_str());
  auto removeObject =
      llvm::scope_exit([&] { llvm::sys::fs::remove(objectPath); });
  if (llvm::Error error = writeFile(objectPath, object))
    return error;
  if (std::error_code reason =
          llvm::sys::fs::createTemporaryFile("rgnn", "so", path))
    return llvm::createStringError(
        reason, "no temporary file for the shared object: %s",
        reason.message().c_str());
  if (llvm::Error error = linkSharedObject(objectPath, path)) {
    llvm::sys::fs::remove(path);
    return error;
  }
  return path.str().str();
}
