//===- Driver.h - the CUDA driver, found at run time ------------*- C++ -*-===//
//
// Nothing of CUDA is linked or included: libcuda.so.1 is opened when a module
// for a GPU is first loaded, and its functions are looked up by their names.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_RUNTIME_CUDA_DRIVER_H
#define RGNN_RUNTIME_CUDA_DRIVER_H

#include <cstddef>
#include <memory>
#include <string>

namespace rgnn::cuda {

/// Handles of the driver, and the attributes of it that are used here.
using Context = struct CUctx_st *;
using Module = struct CUmod_st *;
using Function = struct CUfunc_st *;
using Stream = struct CUstream_st *;
using DevicePointer = unsigned long long;
enum FunctionAttribute { MaxDynamicSharedBytes = 8 };

class Driver {
public:
  /// Opens a driver; fails where there is none, or not all that is needed.
  explicit Driver(const std::string &path);

  /// That of the process: libcuda.so.1, or what RGNN_CUDA_DRIVER names.
  static const Driver &get();

  /// Fails with `what` and the driver's own words unless `result` is 0.
  void check(int result, const std::string &what) const;

  int (*init)(unsigned flags);
  int (*deviceGetCount)(int *count);
  int (*primaryContextRetain)(Context *context, int device);
  int (*primaryContextRelease)(int device);
  int (*contextPush)(Context context);
  int (*contextPop)(Context *context);
  int (*contextGetDevice)(int *device);
  int (*moduleLoadData)(Module *module, const void *code);
  int (*moduleUnload)(Module module);
  int (*moduleGetFunction)(Function *function, Module module, const char *name);
  int (*functionSetAttribute)(Function function, FunctionAttribute attribute,
                              int value);
  int (*launchKernel)(Function function, unsigned blocksX, unsigned blocksY,
                      unsigned blocksZ, unsigned threadsX, unsigned threadsY,
                      unsigned threadsZ, unsigned sharedBytes, Stream stream,
                      void **parameters, void **extra);
  int (*memoryAllocate)(DevicePointer *memory, size_t bytes);
  int (*memoryFree)(DevicePointer memory);
  int (*copyToDevice)(DevicePointer to, const void *from, size_t bytes);
  int (*streamSynchronize)(Stream stream);
  int (*getErrorString)(int result, const char **text);

private:
  struct Close {
    void operator()(void *library) const;
  };
  std::unique_ptr<void, Close> library;
};

} // namespace rgnn::cuda

#endif // RGNN_RUNTIME_CUDA_DRIVER_H
