//===- Main.h - the tools, as functions -------------------------*- C++ -*-===//
//
// What the executables run, and in a Python package, which has no executables,
// the extension.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_TOOLS_MAIN_H
#define RGNN_TOOLS_MAIN_H

namespace mlir::rgnn {

/// rgnn-opt, with the arguments of `main`; gives the exit status. Passes that
/// are registered before are its own, too.
int optMain(int argc, char **argv);

/// rgnn-translate, likewise.
int translateMain(int argc, char **argv);

} // namespace mlir::rgnn

#endif // RGNN_TOOLS_MAIN_H
