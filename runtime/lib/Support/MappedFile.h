//===- MappedFile.h - A file as memory --------------------------*- C++ -*-===//

#ifndef RGNN_RUNTIME_SUPPORT_MAPPEDFILE_H
#define RGNN_RUNTIME_SUPPORT_MAPPEDFILE_H

#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace rgnn {

/// Owns an open file.
class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number(number) {}
  FileDescriptor(FileDescriptor &&other) noexcept
      : number(std::exchange(other.number, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~FileDescriptor() {
    if (number >= 0)
      close(number);
  }

  /// The same file; none where there are no more numbers.
  FileDescriptor withHigherNumber() const;

  int get() const { return number; }
  explicit operator bool() const { return number >= 0; }

private:
  int number = -1;
};

/// The bytes of a file, read from disk when they are first touched.
class MappedFile {
public:
  /// Fails where the file cannot be read.
  explicit MappedFile(const std::string &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  std::string_view bytes() const { return {data, size}; }

private:
  const char *data = nullptr;
  size_t size = 0;
};

} // namespace rgnn

#endif // RGNN_RUNTIME_SUPPORT_MAPPEDFILE_H
