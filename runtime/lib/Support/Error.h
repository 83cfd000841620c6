//===- Error.h - Failures inside the runtime --------------------*- C++ -*-===//
//
// Inside, a failure is an exception that carries its status; the C functions
// turn it into the status and a message of this thread.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_RUNTIME_SUPPORT_ERROR_H
#define RGNN_RUNTIME_SUPPORT_ERROR_H

#include "rgnn/runtime.h"
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>

namespace rgnn {

class Error : public std::runtime_error {
public:
  Error(RgnnStatus status, const std::string &message)
      : std::runtime_error(message), status(status) {}

  RgnnStatus status;
};

/// Throws an Error whose message is all parts, one after another.
template <typename... Parts>
[[noreturn]] void fail(RgnnStatus status, const Parts &...parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw Error(status, message.str());
}

template <typename... Parts>
[[noreturn]] void failInput(const Parts &...parts) {
  fail(RGNN_INVALID_INPUT, parts...);
}

template <typename... Parts>
[[noreturn]] void failLoad(const Parts &...parts) {
  fail(RGNN_LOAD_FAILED, parts...);
}

/// Keeps the message for rgnn_last_error.
void setLastError(const char *message) noexcept;

/// Runs `body`; no exception leaves it.
template <typename Body>
int32_t guarded(Body body) noexcept {
  try {
    body();
    return RGNN_OK;
  } catch (const Error &error) {
    setLastError(error.what());
    return error.status;
  } catch (const std::bad_alloc &) {
    setLastError("out of memory");
    return RGNN_OUT_OF_MEMORY;
  } catch (const std::exception &error) {
    setLastError(error.what());
    return RGNN_KERNEL_FAILED;
  }
}

} // namespace rgnn

#endif // RGNN_RUNTIME_SUPPORT_ERROR_H
