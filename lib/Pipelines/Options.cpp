//===- Options.cpp - what options of pipelines may be, and mean -----------===//

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
#define RGNN_REWRITE(MEMBER, OPTION, PASS, WHAT, NOTE)                         \
  if (Refusal refusal = ::getRefusal(OPTION, options.MEMBER.getValue(),        \
                                     {"auto", "true", "false"}))               \
    return refusal;
#include "RGNN/Pipelines/Rewrites.def"
  return ::getRefusal("adjacency", options.adjacency.getValue(),
                      {"auto", "coo", "csc"});
}

/// The name of an option in rgnn.Options.
static std::string getPythonName(StringRef option) {
  std::string name = option.str();
  llvm::replace(name, '-', '_');
  return name;
}

Refusal
rgnn::whyLeftOut(const KernelPipelineOptions &options,
                 const KernelPipelineOptions::Option<std::string> &choice,
                 bool onGPU) {
  // On GPUs the runtime builds nothing itself.
  if (&choice == &options.hoistNormalisation && onGPU)
    return "it is for processors alone";
  if (choice == "false")
    return getPythonName(choice.ArgStr) + "=False";
  if (&choice != &options.splitSides || choice != "auto")
    return {};
  // On GPUs, where it takes more launches, a graph is split if it is asked for.
  if (onGPU)
    return "'auto' is False on GPUs";
  // Without these passes, parts would be no better than the whole.
  if (options.compact == "false" || options.aggregateFirst == "false")
    return "'auto' is False without rgnn-compact and rgnn-aggregate-first";
  return {};
}

std::vector<std::pair<std::string, std::string>>
rgnn::listLeftOut(const KernelPipelineOptions &options, bool onGPU) {
  std::vector<std::pair<std::string, std::string>> leftOut;
  auto add = [&](const KernelPipelineOptions::Option<std::string> &choice,
                 StringRef pass) {
    if (&choice == &options.fuse)
      return;
    if (Refusal refusal = whyLeftOut(options, choice, onGPU))
      leftOut.emplace_back(pass, refusal.getReason());
  };
#define RGNN_REWRITE(MEMBER, OPTION, PASS, WHAT, NOTE)                         \
  add(options.MEMBER, PASS);
#include "RGNN/Pipelines/Rewrites.def"
  return leftOut;
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
