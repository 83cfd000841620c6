//===- Library.h - Shared objects in this process ---------------*- C++ -*-===//

#ifndef RGNN_RUNTIME_MODULE_LIBRARY_H
#define RGNN_RUNTIME_MODULE_LIBRARY_H

#include <memory>
#include <string>
#include <string_view>

namespace rgnn {

class Library {
public:
  /// Both fail on what is no shared object for this processor.
  static Library open(const std::string &path);
  /// From a copy of `bytes`; `name` is for messages.
  static Library load(std::string_view bytes, const std::string &name);

  /// Fails where there is no such function.
  void *symbol(const std::string &name) const;

private:
  struct Close {
    void operator()(void *handle) const;
  };

  Library(const std::string &path, std::string name);

  std::unique_ptr<void, Close> handle;
  std::string name;
};

} // namespace rgnn

#endif // RGNN_RUNTIME_MODULE_LIBRARY_H
