//===- Driver.cpp - The functions of libcuda.so that RGNN calls -----------===//
//
// Kernels run when they are launched. Memory of the GPU is memory of the
// process, so that tensors of the CPU can stand for tensors of the GPU.
//
// RGNN_EMULATOR_SEED: where it is not 0, blocks, warps and lanes go on in an
// order drawn from it. RGNN_EMULATOR_THREADS: how many blocks run at once.
// RGNN_EMULATOR_DUMP: a folder, where modules that are loaded are written.
// RGNN_EMULATOR_COUNTS: a file, which gets a line of JSON for each launch.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

using namespace emulator;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {
/// What CUDA calls its errors.
enum Result {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  InvalidContext = 201,
  NoBinary = 209,
  InvalidCode = 218,
  NotFound = 500,
  LaunchFailed = 719,
};

struct Function {
  Kernel kernel;
  /// Of the PTX.
  size_t hash;
  /// How much shared memory a launch may have.
  unsigned sharedBytes = 48 * 1024;
};

struct LoadedModule {
  Globals globals;
  std::map<std::string, Function> functions;
};
} // namespace

static thread_local std::vector<void *> contexts;

static unsigned getSetting(const char *name, unsigned otherwise) {
  const char *value = std::getenv(name);
  return value && *value ? std::strtoul(value, nullptr, 10) : otherwise;
}

EXPORT int cuInit(unsigned) { return Success; }

EXPORT int cuDeviceGetCount(int *count) {
  *count = 1;
  return Success;
}

EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  static int contextOfDevice;
  *context = &contextOfDevice;
  return device == 0 ? Success : InvalidValue;
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int) { return Success; }

EXPORT int cuCtxPushCurrent_v2(void *context) {
  contexts.push_back(context);
  return Success;
}

EXPORT int cuCtxPopCurrent_v2(void **context) {
  if (contexts.empty())
    return InvalidContext;
  *context = contexts.back();
  contexts.pop_back();
  return Success;
}

EXPORT int cuCtxGetDevice(int *device) {
  *device = 0;
  return contexts.empty() ? InvalidContext : Success;
}

static void load(const char *code, size_t hash, LoadedModule &module) {
  Text text = parse(code);
  for (const Variable &variable : text.variables) {
    uint64_t &address = module.globals.addresses[variable.name];
    if (variable.space == Variable::Shared) {
      address = ~uint64_t(0); // where a kernel's own ends
      continue;
    }
    auto memory = std::make_unique<std::vector<char>>(variable.bytes +
                                                      variable.alignment);
    address = reinterpret_cast<uint64_t>(memory->data());
    address = (address + variable.alignment - 1) / variable.alignment *
              variable.alignment;
    memcpy(reinterpret_cast<char *>(address), variable.value.data(),
           variable.bytes);
    module.globals.memory.push_back(std::move(memory));
  }
  for (const Entry &entry : text.entries) {
    Function &function = module.functions[entry.name];
    function.hash = hash;
    Kernel &kernel = function.kernel;
    Decoder decoder(kernel, entry, module.globals);
    for (const Statement &statement : entry.statements)
      decoder.decode(statement);
    decoder.finish();
  }
}

/// Each text once: its name is its hash.
static void dump(const char *code, size_t hash) {
  const char *folder = std::getenv("RGNN_EMULATOR_DUMP");
  if (!folder || !*folder)
    return;
  std::ofstream(std::string(folder) + "/" + std::to_string(hash) + ".ptx")
      << code;
}

EXPORT int cuModuleLoadData(LoadedModule **module, const char *code) {
  if (contexts.empty())
    return InvalidContext;
  // Machine code begins otherwise.
  if (strncmp(code, "//", 2) != 0 && strncmp(code, ".version", 8) != 0)
    return NoBinary;
  size_t hash = std::hash<std::string_view>()(code);
  dump(code, hash);
  auto loaded = std::make_unique<LoadedModule>();
  try {
    load(code, hash, *loaded);
  } catch (const InvalidPTX &error) {
    fprintf(stderr, "error: %s\n", error.what());
    return InvalidCode;
  }
  *module = loaded.release();
  return Success;
}

EXPORT int cuModuleUnload(LoadedModule *module) {
  delete module;
  return Success;
}

EXPORT int cuModuleGetFunction(Function **function, LoadedModule *module,
                               const char *name) {
  auto found = module->functions.find(name);
  if (found == module->functions.end())
    return NotFound;
  *function = &found->second;
  return Success;
}

EXPORT int cuFuncSetAttribute(Function *function, int attribute, int value) {
  constexpr int maxDynamicSharedBytes = 8;
  if (attribute != maxDynamicSharedBytes || value < 0 || value > 227 * 1024)
    return InvalidValue;
  function->sharedBytes =
      std::max(function->sharedBytes, static_cast<unsigned>(value));
  return Success;
}

static void write(const char *file, const Launch &launch, size_t hash,
                  const Counts &counts) {
  std::ofstream(file, std::ios::app)
      << "{\"kernel\": \"" << launch.kernel.name << "\", \"ptx\": \"" << hash
      << "\", \"blocks\": " << getCount(launch.blocks)
      << ", \"threads\": " << getCount(launch.threads)
      << ", \"instructions\": " << counts.instructions
      << ", \"lanes\": " << counts.lanes
      << ", \"sectors_read\": " << counts.sectorsRead
      << ", \"sectors_written\": " << counts.sectorsWritten
      << ", \"shared_cycles\": " << counts.sharedCycles
      << ", \"longest_block\": " << counts.longestBlock
      << ", \"block_cycles\": " << counts.blockCycles << "}\n";
}

EXPORT int cuLaunchKernel(const Function *function, unsigned x, unsigned y,
                          unsigned z, unsigned i, unsigned j, unsigned k,
                          unsigned shared, void *, void **parameters,
                          void **extra) {
  if (contexts.empty())
    return InvalidContext;
  const Kernel &kernel = function->kernel;
  Size blocks = {x, y, z}, threads = {i, j, k};
  if (extra || getCount(blocks) == 0 || getCount(threads) == 0 ||
      getCount(threads) > kernel.maxThreads || y > 65535 || z > 65535 ||
      k > 64 || kernel.sharedBytes + shared > function->sharedBytes ||
      kernel.sharedBytes > 48 * 1024) {
    fprintf(stderr,
            "error: a launch of %s with (%u, %u, %u) blocks of (%u, %u, %u) "
            "threads and %u bytes of shared memory\n",
            kernel.name.c_str(), x, y, z, i, j, k, shared);
    return InvalidValue;
  }
  Launch launch = {kernel, blocks, threads, shared, {}};
  for (size_t number = 0; number < kernel.parameterBytes.size(); ++number) {
    unsigned bytes = kernel.parameterBytes[number];
    size_t place = (launch.parameters.size() + bytes - 1) / bytes * bytes;
    launch.parameters.resize(place + bytes);
    memcpy(&launch.parameters[place], parameters[number], bytes);
  }
  unsigned hostThreads =
      getSetting("RGNN_EMULATOR_THREADS",
                 std::max(std::thread::hardware_concurrency(), 1u));
  const char *file = std::getenv("RGNN_EMULATOR_COUNTS");
  bool isCounted = file && *file;
  Counts counts;
  try {
    run(launch, getSetting("RGNN_EMULATOR_SEED", 0), hostThreads,
        isCounted ? &counts : nullptr);
    if (isCounted)
      write(file, launch, function->hash, counts);
  } catch (const Fault &fault) {
    fprintf(stderr, "error: %s\n", fault.what());
    return LaunchFailed;
  }
  return Success;
}

EXPORT int cuMemAlloc_v2(void **memory, size_t bytes) {
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!*memory)
    return OutOfMemory;
  memset(*memory, 0xFF, bytes); // nobody has written to it
  return Success;
}

EXPORT int cuMemFree_v2(void *memory) {
  std::free(memory);
  return Success;
}

EXPORT int cuMemcpyHtoD_v2(void *to, const void *from, size_t bytes) {
  memcpy(to, from, bytes);
  return Success;
}

EXPORT int cuStreamSynchronize(void *) { return Success; }

EXPORT int cuGetErrorString(int result, const char **words) {
  *words = result == InvalidValue     ? "invalid argument"
           : result == OutOfMemory    ? "out of memory"
           : result == InvalidContext ? "invalid device context"
           : result == NoBinary
               ? "no kernel image is available for execution on the device"
           : result == InvalidCode  ? "a PTX JIT compilation failed"
           : result == NotFound     ? "named symbol not found"
           : result == LaunchFailed ? "unspecified launch failure"
                                    : nullptr;
  return *words ? 0 : 1;
}
