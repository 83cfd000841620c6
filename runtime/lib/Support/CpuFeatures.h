//===- CpuFeatures.h - What this processor has ------------------*- C++ -*-===//

#ifndef RGNN_RUNTIME_SUPPORT_CPUFEATURES_H
#define RGNN_RUNTIME_SUPPORT_CPUFEATURES_H

#include <string>

namespace rgnn {

/// LLVM's name of the architecture that the runtime is built for.
extern const char *const cpuArch;

/// Whether this processor, and the system, has a feature by LLVM's name; false
/// for a name that is not known.
bool cpuHasFeature(const std::string &name);

} // namespace rgnn

#endif // RGNN_RUNTIME_SUPPORT_CPUFEATURES_H
