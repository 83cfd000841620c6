//===- Records.h - what the compiler says, for Python -----------*- C++ -*-===//

#ifndef RGNN_PYTHON_RECORDS_H
#define RGNN_PYTHON_RECORDS_H

#include "RGNN/CodeGen/Message.h"

#include <nanobind/nanobind.h>

#include <stdexcept>

namespace mlir::rgnn {

/// What Python gets as CompileError.
struct CompileError : std::runtime_error {
  CompileError(const std::string &text, std::vector<Message> diagnostics)
      : std::runtime_error(text), diagnostics(std::move(diagnostics)) {}

  std::vector<Message> diagnostics;
};

/// Adds Message, Kernel and CompileError.
void defineRecords(nanobind::module_ &module);

} // namespace mlir::rgnn

#endif // RGNN_PYTHON_RECORDS_H
