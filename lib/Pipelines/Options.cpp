//===- Options.cpp - options of pipelines that are one of some words ------===//

#include "RGNN/Pipelines/Pipelines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::rgnn;

static std::string getRefusal(StringRef option, StringRef value,
                              ArrayRef<StringRef> words) {
  if (llvm::is_contained(words, value))
    return {};
  std::string others = llvm::join(words.drop_back(), ", ");
  return llvm::formatv("expected {0} or {1} as {2}, got {3}", others,
                       words.back(), option, value)
      .str();
}

std::string rgnn::getRefusal(const KernelPipelineOptions &options) {
#define RGNN_REWRITE(MEMBER, OPTION, PASS)                                     \
  if (std::string refusal = ::getRefusal(OPTION, options.MEMBER.getValue(),    \
                                         {"auto", "true", "false"});           \
      !refusal.empty())                                                        \
    return refusal;
#include "RGNN/Pipelines/Rewrites.def"
  return ::getRefusal("adjacency", options.adjacency.getValue(),
                      {"auto", "coo", "csc"});
}

std::string rgnn::getRefusal(const CPUPipelineOptions &options) {
  std::string refusal =
      rgnn::getRefusal(static_cast<const KernelPipelineOptions &>(options));
  return refusal.empty() ? ::getRefusal("start", options.start.getValue(),
                                        {"captured", "buffers"})
                         : refusal;
}

std::string rgnn::getRefusal(const GPUTargetOptions &options) {
  return ::getRefusal("format", options.format.getValue(),
                      {"isa", "bin", "fatbin", "llvm"});
}

std::string rgnn::getRefusal(const GPUPipelineOptions &options) {
  std::string refusal =
      getRefusal(static_cast<const KernelPipelineOptions &>(options));
  return refusal.empty()
             ? getRefusal(static_cast<const GPUTargetOptions &>(options))
             : refusal;
}
