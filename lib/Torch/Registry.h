//===- Registry.h - Saved modules by number ---------------------*- C++ -*-===//

#ifndef RGNN_LIB_TORCH_REGISTRY_H
#define RGNN_LIB_TORCH_REGISTRY_H

#include "SavedModule.h"

namespace rgnn::libtorch {

/// Opens a file; its number, until it is unloaded.
int64_t load(const std::string &path);

/// What operators are given as a number. A call that is under way keeps it
/// where it is unloaded meanwhile.
std::shared_ptr<SavedModule> find(int64_t module);

void unload(int64_t module);

} // namespace rgnn::libtorch

#endif // RGNN_LIB_TORCH_REGISTRY_H
