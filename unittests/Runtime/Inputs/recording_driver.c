/* A CUDA driver without a GPU: writes down what it is asked, and fails where a
 * test tells it to. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static char text[1 << 16];
static size_t length;
/* The name of the function that fails, and what it returns. */
static char failing[64];
static int failure;
/* A current context, then those below it. */
static long stack[16];
static int depth;

EXPORT const char *recorded(void) { return text; }

EXPORT void record_anew(void) {
  length = 0;
  text[0] = 0;
  failing[0] = 0;
}

EXPORT void let_fail(const char *function, int result) {
  snprintf(failing, sizeof(failing), "%s", function);
  failure = result;
}

static int record(const char *function, const char *format, ...) {
  if (strcmp(function, failing) == 0)
    return failure;
  va_list arguments;
  va_start(arguments, format);
  length += vsnprintf(text + length, sizeof(text) - length, format, arguments);
  va_end(arguments);
  if (length >= sizeof(text))
    abort();
  return 0;
}

EXPORT int cuInit(unsigned flags) {
  return record("cuInit", "init %u\n", flags);
}

EXPORT int cuDeviceGetCount(int *count) {
  *count = 2;
  return record("cuDeviceGetCount", "");
}

EXPORT int cuDevicePrimaryCtxRetain(long *context, int device) {
  *context = 100 + device;
  return record("cuDevicePrimaryCtxRetain", "retain %d\n", device);
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  return record("cuDevicePrimaryCtxRelease_v2", "release %d\n", device);
}

EXPORT int cuCtxPushCurrent_v2(long context) {
  if (depth == 16)
    return 1;
  stack[depth++] = context;
  return record("cuCtxPushCurrent_v2", "push %ld\n", context);
}

EXPORT int cuCtxPopCurrent_v2(long *context) {
  if (depth == 0)
    return 201;
  *context = stack[--depth];
  return record("cuCtxPopCurrent_v2", "pop %ld\n", *context);
}

EXPORT int cuCtxGetDevice(int *device) {
  *device = depth ? (int)(stack[depth - 1] - 100) : 0;
  return depth ? 0 : 201;
}

static int firstLine(const char *code) { return (int)strcspn(code, "\n"); }

EXPORT int cuModuleLoadData(char **module, const char *code) {
  if (depth == 0)
    return 201;
  if (strncmp(code, "for another GPU", 15) == 0)
    return 209;
  *module = strdup(code);
  return record("cuModuleLoadData", "load %.*s\n", firstLine(code), code);
}

EXPORT int cuModuleUnload(char *module) {
  int result =
      record("cuModuleUnload", "unload %.*s\n", firstLine(module), module);
  free(module);
  return result;
}

/* A function is where its name is in the code, which may have the number of its
 * parameters behind it: "sum(4)". */
static int nameLength(const char *function) {
  return (int)strspn(function, "abcdefghijklmnopqrstuvwxyz_0123456789.");
}

EXPORT int cuModuleGetFunction(const char **function, const char *module,
                               const char *name) {
  *function = strstr(module, name);
  return *function ? record("cuModuleGetFunction", "find %s\n", name) : 500;
}

EXPORT int cuFuncSetAttribute(const char *function, int attribute, int value) {
  return record("cuFuncSetAttribute", "attribute %d of %.*s = %d\n", attribute,
                nameLength(function), function, value);
}

EXPORT int cuLaunchKernel(const char *function, unsigned x, unsigned y,
                          unsigned z, unsigned i, unsigned j, unsigned k,
                          unsigned shared, long stream, void **parameters,
                          void **extra) {
  if (depth == 0)
    return 201;
  int result =
      record("cuLaunchKernel",
             "launch %.*s (%u, %u, %u) x (%u, %u, %u), %u bytes, "
             "stream %ld:",
             nameLength(function), function, x, y, z, i, j, k, shared, stream);
  if (result != 0 || extra)
    return result ? result : 1;
  const char *count = function + nameLength(function);
  for (int n = 0; count[0] == '(' && n < count[1] - '0'; ++n)
    record("cuLaunchKernel", " %ld", *(long *)parameters[n]);
  return record("cuLaunchKernel", "\n");
}

EXPORT int cuMemAlloc_v2(void **memory, size_t bytes) {
  *memory = malloc(bytes);
  return record("cuMemAlloc_v2", "allocate %zu bytes\n", bytes);
}

EXPORT int cuMemFree_v2(void *memory) {
  free(memory);
  return record("cuMemFree_v2", "free\n");
}

EXPORT int cuMemcpyHtoD_v2(void *to, const void *from, size_t bytes) {
  memcpy(to, from, bytes);
  return record("cuMemcpyHtoD_v2", "copy %zu bytes\n", bytes);
}

EXPORT int cuStreamSynchronize(long stream) {
  return record("cuStreamSynchronize", "synchronize %ld\n", stream);
}

EXPORT int cuGetErrorString(int result, const char **words) {
  *words = result == 2     ? "out of memory"
           : result == 201 ? "invalid device context"
           : result == 209
               ? "no kernel image is available for execution on the device"
           : result == 500 ? "named symbol not found"
                           : 0;
  return *words ? 0 : 1;
}
