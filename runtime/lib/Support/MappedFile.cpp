//===- MappedFile.cpp - A file as memory ----------------------------------===//

#include "Support/MappedFile.h"
#include "Support/Error.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

using namespace rgnn;

FileDescriptor FileDescriptor::withHigherNumber() const {
  return FileDescriptor(fcntl(number, F_DUPFD_CLOEXEC, number + 1));
}

MappedFile::MappedFile(const std::string &path) {
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0)
    failLoad("expected a file, got: ", std::strerror(errno));
  if (!S_ISREG(status.st_mode))
    failLoad("expected a file, got something else");
  size = static_cast<size_t>(status.st_size);
  if (size == 0)
    return;
  void *memory =
      mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), /*offset=*/0);
  if (memory == MAP_FAILED)
    failLoad("expected a file that can be mapped, got: ", std::strerror(errno));
  data = static_cast<const char *>(memory);
}

MappedFile::~MappedFile() {
  if (data)
    munmap(const_cast<char *>(data), size);
}
