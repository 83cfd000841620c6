//===- Target.cpp - the processor that code is generated for --------------===//

#include "RGNN/CodeGen/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

#include <mutex>

using namespace mlir;

template <typename... Values>
static llvm::Error error(const char *format, Values &&...values) {
  return llvm::createStringError(std::errc::invalid_argument, format,
                                 std::forward<Values>(values)...);
}

static void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

static llvm::Expected<const llvm::Target *> lookup(const llvm::Triple &triple) {
  initializeTargets();
  std::string message;
  if (const llvm::Target *target =
          llvm::TargetRegistry::lookupTarget(triple, message))
    return target;
  return error("no code generator for %s: %s", triple.str().c_str(),
               message.c_str());
}

/// Features of the host, sorted, so that equal machines make equal cache keys.
static std::vector<std::string> hostFeatures() {
  std::vector<std::string> features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(features);
  return features;
}

llvm::Expected<rgnn::Target> rgnn::resolveTarget(llvm::StringRef cpu,
                                                 llvm::StringRef features) {
  Target target;
  target.triple = llvm::sys::getProcessTriple();
  std::vector<std::string> all;
  if (cpu.empty() || cpu == "native") {
    target.cpu = llvm::sys::getHostCPUName().str();
    all = hostFeatures();
    // Kernels are blocked for the widest vectors that there are; LLVM's models
    // of servers would split them.
    if (llvm::is_contained(all, "+avx512f"))
      all.push_back("-prefer-256-bit");
  } else {
    target.cpu = cpu.str();
  }
  llvm::Expected<const llvm::Target *> backend =
      lookup(llvm::Triple(target.triple));
  if (!backend)
    return backend.takeError();
  // Asked without the name: LLVM prints to stderr about those it lacks.
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      (*backend)->createMCSubtargetInfo(llvm::Triple(target.triple), "", ""));
  if (!info || !info->isCPUStringValid(target.cpu))
    return error("expected native or a processor of %s as cpu, got '%s'",
                 target.triple.c_str(), target.cpu.c_str());

  llvm::SmallVector<llvm::StringRef> asked;
  llvm::SplitString(features, asked, ",; ");
  for (llvm::StringRef feature : asked) {
    const bool isSigned = feature.starts_with("+") || feature.starts_with("-");
    if (!isSigned || llvm::none_of(info->getAllProcessorFeatures(),
                                   [&](const llvm::SubtargetFeatureKV &known) {
                                     return feature.drop_front() == known.Key;
                                   }))
      return error("expected features of %s with + or - in front, got '%s'",
                   target.triple.c_str(), feature.str().c_str());
    all.push_back(feature.str());
  }
  target.features = llvm::join(all, ",");
  return target;
}

llvm::Expected<std::string> rgnn::findMissingFeatures(const Target &target) {
  llvm::Triple triple(target.triple);
  llvm::Expected<const llvm::Target *> backend = lookup(triple);
  if (!backend)
    return backend.takeError();
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      (*backend)->createMCSubtargetInfo(triple, target.cpu, target.features));
  std::vector<std::string> missing;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    if (!feature.second && info->checkFeatures("+" + feature.first().str()))
      missing.push_back(feature.first().str());
  llvm::sort(missing);
  return llvm::join(missing, ", ");
}

llvm::StringRef rgnn::getPortableCPU(const llvm::Triple &triple) {
  return triple.isX86_64() ? "x86-64" : "generic";
}

/// Whether LLVM selects the instructions of a feature for code that does not
/// name them. It does not for those of the system and of enclaves, of
/// cryptography and random numbers, of caches, prefetching and waiting, of long
/// additions, transactions, profiling, and tiles, nor for atomics where there
/// are none. AVX10.1 is a name for features that are listed as well.
static bool isUsedUnasked(llvm::StringRef feature) {
  static const llvm::StringSet<> unused = {
      "adx",     "aes",       "avx10.1",    "cldemote", "clflushopt",
      "clwb",    "clzero",    "cmpccxadd",  "crc32",    "cx16",
      "enqcmd",  "fsgsbase",  "hreset",     "invpcid",  "kl",
      "lwp",     "movdir64b", "movdiri",    "mwaitx",   "pclmul",
      "pconfig", "pku",       "prefetchi",  "prfchw",   "ptwrite",
      "raoint",  "rdpid",     "rdpru",      "rdrnd",    "rdseed",
      "rtm",     "serialize", "sgx",        "sha",      "sha512",
      "shstk",   "sm3",       "sm4",        "tsxldtrk", "uintr",
      "usermsr", "vaes",      "vpclmulqdq", "waitpkg",  "wbnoinvd",
      "widekl",  "xsave",     "xsavec",     "xsaveopt", "xsaves"};
  return !unused.contains(feature) && !feature.starts_with("amx-");
}

llvm::Expected<std::vector<std::string>>
rgnn::findRequiredFeatures(const Target &target) {
  llvm::Triple triple(target.triple);
  llvm::Expected<const llvm::Target *> backend = lookup(triple);
  if (!backend)
    return backend.takeError();
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      (*backend)->createMCSubtargetInfo(triple, target.cpu, target.features)),
      portable((*backend)->createMCSubtargetInfo(triple, getPortableCPU(triple),
                                                 /*Features=*/""));
  std::vector<std::string> required;
  // Of all that LLVM knows, the host's list names those that are instructions;
  // the rest says how fast they are.
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    const std::string added = "+" + feature.first().str();
    if (info->checkFeatures(added) && !portable->checkFeatures(added) &&
        isUsedUnasked(feature.first()))
      required.push_back(feature.first().str());
  }
  llvm::sort(required);
  return required;
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
rgnn::createTargetMachine(const Target &target) {
  llvm::Triple triple(target.triple);
  llvm::Expected<const llvm::Target *> backend = lookup(triple);
  if (!backend)
    return backend.takeError();
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  std::unique_ptr<llvm::TargetMachine> machine((*backend)->createTargetMachine(
      triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return error("no target machine for %s, %s", target.triple.c_str(),
                 target.cpu.c_str());
  return machine;
}
