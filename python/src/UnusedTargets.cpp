//===- UnusedTargets.cpp - what lld starts with and RGNN does not use -----===//
//
// For link-time optimisation, which compiled models have none of, lld starts
// all targets that LLVM was built with, and Polly. These functions stand for
// all but the targets that RGNN generates code for, so that no archive of the
// others is linked.
//
//===----------------------------------------------------------------------===//

#include "llvm/Plugins/PassPlugin.h"

extern "C" {
#define RGNN_UNUSED_TARGET(NAME)                                               \
  void LLVMInitialize##NAME##TargetInfo() {}                                   \
  void LLVMInitialize##NAME##Target() {}                                       \
  void LLVMInitialize##NAME##TargetMC() {}                                     \
  void LLVMInitialize##NAME##AsmPrinter() {}                                   \
  void LLVMInitialize##NAME##AsmParser() {}
#include "UnusedTargets.def"
#undef RGNN_UNUSED_TARGET
}

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "polly", "", [](llvm::PassBuilder &) {}};
}
