//===- Options.cpp - options of pipelines that are one of some words ------===//

#include "RGNN/Pipelines/Pipelines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::rgnn;

static Refusal getRefusal(StringRef option, StringRef value,
                          ArrayRef<StringRef> words) {
  if (llvm::is_contained(words, value))
    return {};
  std::string others = llvm::join(words.drop_back(), ", ");
  return llvm::formatv("expected {0} or {1} as {2}, got {3}", others,
                       words.back(), option, value);
}

Refusal rgnn::getRefusal(const KernelPipelineOptions &options) {
#define RGNN_REWRITE(MEMBER, OPTION, PASS)                                     \
  if (Refusal refusal = ::getRefusal(OPTION, options.MEMBER.getValue(),        \
                                     {"auto", "true", "false"}))               \
    return refusal;
#include "RGNN/Pipelines/Rewrites.def"
  return ::getRefusal("adjacency", options.adjacency.getValue(),
                      {"auto", "coo", "csc"});
}

Refusal rgnn::getRefusal(const CPUPipelineOptions &options) {
  if (Refusal refusal =
          rgnn::getRefusal(static_cast<const KernelPipelineOptions &>(options)))
    return refusal;
  return ::getRefusal("start", options.start.getValue(),
                      {"captured", "buffers"});
}

Refusal rgnn::getRefusal(const GPUTargetOptions &options) {
  return ::getRefusal("format", options.format.getValue(),
                      {"isa", "bin", "fatbin", "llvm"});
}

Refusal rgnn::getRefusal(const GPUPipelineOptions &options) {
  if (Refusal refusal =
          getRefusal(static_cast<const KernelPipelineOptions &>(options)))
    return refusal;
  return getRefusal(static_cast<const GPUTargetOptions &>(options));
}
