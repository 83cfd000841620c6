//===- constant.c - Another function with the interface of compiled code --===//

#include "rgnn/runtime.h"

RGNN_EXPORT int32_t rgnn_forward(const RgnnContext *context,
                                 const uint64_t *words) {
  (void)context, (void)words;
  return 9;
}
