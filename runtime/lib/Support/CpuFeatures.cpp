//===- CpuFeatures.cpp - What this processor has --------------------------===//

#include "Support/CpuFeatures.h"

using namespace rgnn;

#if defined(__x86_64__)

const char *const rgnn::cpuArch = "x86_64";

/// A feature by LLVM's name, and by that of __builtin_cpu_supports, which takes
/// nothing but a literal. All are known to GCC 12, whose libgcc Clang uses too;
/// Clang has LLVM's names.
#define RGNN_FEATURE_AS(name, builtinName)                                     \
  if (feature == name)                                                         \
    return __builtin_cpu_supports(builtinName) != 0;
#define RGNN_FEATURE(name) RGNN_FEATURE_AS(name, name)
#ifdef __clang__
#define RGNN_CX16 "cx16"
#define RGNN_SAHF "sahf"
#else
#define RGNN_CX16 "cmpxchg16b"
#define RGNN_SAHF "lahf_lm"
#endif

bool rgnn::cpuHasFeature(const std::string &feature) {
  // What every processor of this architecture has.
  for (const char *always :
       {"64bit", "cmov", "cx8", "fxsr", "mmx", "sse", "sse2", "x87"})
    if (feature == always)
      return true;
  __builtin_cpu_init();
  RGNN_FEATURE("sse3")
  RGNN_FEATURE("ssse3")
  RGNN_FEATURE("sse4.1")
  RGNN_FEATURE("sse4.2")
  RGNN_FEATURE_AS("crc32", "sse4.2")
  RGNN_FEATURE("sse4a")
  RGNN_FEATURE("popcnt")
  RGNN_FEATURE("lzcnt")
  RGNN_FEATURE("movbe")
  RGNN_FEATURE_AS("cx16", RGNN_CX16)
  RGNN_FEATURE_AS("sahf", RGNN_SAHF)
  RGNN_FEATURE("bmi")
  RGNN_FEATURE("bmi2")
  RGNN_FEATURE("tbm")
  RGNN_FEATURE("adx")
  RGNN_FEATURE("prfchw")
  RGNN_FEATURE("avx")
  RGNN_FEATURE("avx2")
  RGNN_FEATURE("f16c")
  RGNN_FEATURE("fma")
  RGNN_FEATURE("fma4")
  RGNN_FEATURE("xop")
  RGNN_FEATURE("avxvnni")
  RGNN_FEATURE("avx512f")
  RGNN_FEATURE("avx512bf16")
  RGNN_FEATURE("avx512bitalg")
  RGNN_FEATURE("avx512bw")
  RGNN_FEATURE("avx512cd")
  RGNN_FEATURE("avx512dq")
  RGNN_FEATURE("avx512fp16")
  RGNN_FEATURE("avx512ifma")
  RGNN_FEATURE("avx512vbmi")
  RGNN_FEATURE("avx512vbmi2")
  RGNN_FEATURE("avx512vl")
  RGNN_FEATURE("avx512vnni")
  RGNN_FEATURE("avx512vp2intersect")
  RGNN_FEATURE("avx512vpopcntdq")
  RGNN_FEATURE("gfni")
  RGNN_FEATURE("aes")
  RGNN_FEATURE("pclmul")
  RGNN_FEATURE("vaes")
  RGNN_FEATURE("vpclmulqdq")
  return false;
}

#else

#if defined(__aarch64__)
const char *const rgnn::cpuArch = "aarch64";
#else
const char *const rgnn::cpuArch = "unknown";
#endif

/// Code for these is made without features beyond those of the architecture.
bool rgnn::cpuHasFeature(const std::string &) { return false; }

#endif
