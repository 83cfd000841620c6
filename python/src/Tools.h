//===- Tools.h - the tools, for Python packages -----------------*- C++ -*-===//

#ifndef RGNN_PYTHON_TOOLS_H
#define RGNN_PYTHON_TOOLS_H

namespace nanobind {
class module_;
} // namespace nanobind

namespace mlir::rgnn {

/// Adds `opt`, `translate` and `lld`, each with the arguments of `sys.argv`,
/// and has compilations link by the last.
void defineTools(nanobind::module_ &module);

} // namespace mlir::rgnn

#endif // RGNN_PYTHON_TOOLS_H
