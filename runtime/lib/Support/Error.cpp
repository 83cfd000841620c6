//===- Error.cpp - The message of the last failure ------------------------===//

#include "Support/Error.h"
#include <cstring>

static thread_local char lastError[2048] = "";

void rgnn::setLastError(const char *message) noexcept {
  std::strncpy(lastError, message, sizeof(lastError) - 1);
}

const char *rgnn_last_error(void) { return lastError; }
