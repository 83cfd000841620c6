//===- Library.cpp - Shared objects in this process -----------------------===//

#include "Module/Library.h"
#include "Support/Error.h"
#include "Support/MappedFile.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>

using namespace rgnn;

#if defined(__x86_64__)
static constexpr uint16_t thisMachine = EM_X86_64;
#elif defined(__aarch64__)
static constexpr uint16_t thisMachine = EM_AARCH64;
#else
static constexpr uint16_t thisMachine = EM_NONE;
#endif

//===----------------------------------------------------------------------===//
// What is in memory
//===----------------------------------------------------------------------===//

/// The loader maps what the headers say without asking whether it is there:
/// touching what is not would end the process.
static bool isLoadable(std::string_view bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof(header))
    return false;
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN ||
      header.e_machine != thisMachine ||
      header.e_phentsize != sizeof(Elf64_Phdr) ||
      header.e_phoff > bytes.size() ||
      header.e_phnum * sizeof(Elf64_Phdr) > bytes.size() - header.e_phoff)
    return false;
  for (size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof(segment),
                sizeof(segment));
    if (segment.p_offset > bytes.size() ||
        segment.p_filesz > bytes.size() - segment.p_offset)
      return false;
  }
  return true;
}

static bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR)
      return false;
    bytes.remove_prefix(written < 0 ? 0 : written);
  }
  return true;
}

/// A file without a name that holds the bytes.
static FileDescriptor makeMemoryFile(std::string_view bytes) {
  FileDescriptor file(
      memfd_create("rgnn-module", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || !writeAll(file.get(), bytes))
    return FileDescriptor();
  // What was checked is what runs.
  fcntl(file.get(), F_ADD_SEALS,
        F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
  return file;
}

namespace {
/// A file of the system's temporary directory, while it is loaded.
struct TemporaryFile {
  explicit TemporaryFile(std::string_view bytes) {
    const char *directory = std::getenv("TMPDIR");
    path = std::string(directory ? directory : "/tmp") + "/rgnn-XXXXXX";
    file = FileDescriptor(mkostemp(path.data(), O_CLOEXEC));
    if (!file)
      failLoad("expected to make a file '", path,
               "', got: ", std::strerror(errno));
    if (!writeAll(file.get(), bytes)) {
      const int error = errno;
      unlink(path.c_str());
      failLoad("expected to write ", bytes.size(), " bytes to '", path,
               "', got: ", std::strerror(error));
    }
  }
  ~TemporaryFile() { unlink(path.c_str()); }

  std::string path;
  FileDescriptor file;
};
} // namespace

/// Whether the loader knows a library by this path. It would take the next
/// file with the number of one that was closed for that one, which may be
/// loaded still.
static bool isLoaded(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library)
    dlclose(library);
  return library;
}

Library Library::load(std::string_view bytes, const std::string &name) {
  if (!isLoadable(bytes))
    failLoad("expected '", name,
             "' to be a shared object for this processor, got something else");
  for (FileDescriptor file = makeMemoryFile(bytes); file;
       file = file.withHigherNumber()) {
    const std::string path = "/proc/self/fd/" + std::to_string(file.get());
    if (access(path.c_str(), R_OK) != 0)
      break;
    if (!isLoaded(path))
      return Library(path, name);
  }
  const TemporaryFile file(bytes);
  return Library(file.path, name);
}

//===----------------------------------------------------------------------===//
// What is loaded
//===----------------------------------------------------------------------===//

Library Library::open(const std::string &path) {
  // A bare name would be searched for in the system's directories.
  return Library(path.find('/') == std::string::npos ? "./" + path : path,
                 path);
}

Library::Library(const std::string &path, std::string name)
    : handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)),
      name(std::move(name)) {
  if (!handle)
    failLoad("expected a shared object at '", this->name,
             "', got: ", dlerror());
}

void Library::Close::operator()(void *handle) const { dlclose(handle); }

void *Library::symbol(const std::string &function) const {
  void *address = dlsym(handle.get(), function.c_str());
  if (!address)
    failLoad("expected a function '", function, "' in '", name, "', got none");
  return address;
}
