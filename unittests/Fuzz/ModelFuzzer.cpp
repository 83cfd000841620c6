//===- ModelFuzzer.cpp - Saved modules of any bytes -----------------------===//
//
// libFuzzer's target: opens what it is given as a saved module and reads all of
// it but the code. Nothing but an Error may come of it.
//
// The first byte says what the others are: 'A', an archive; anything else, the
// parts of one (Parts.h), which is then made with the right sizes and CRC-32,
// so that mutations of what is in the entries are not refused for these.
//
//===----------------------------------------------------------------------===//

#include "Model/Model.h"
#include "Parts.h"
#include "Support/Error.h"
#include "Support/Tensor.h"
#include <new>

using namespace rgnn;
using namespace rgnn::test;

namespace {
/// A copy at a multiple of 64, as a mapped file is, that ends where its memory
/// ends.
class AlignedCopy {
public:
  explicit AlignedCopy(std::string_view bytes) : size(bytes.size()) {
    data = static_cast<char *>(operator new(size, alignment));
    bytes.copy(data, size);
  }
  ~AlignedCopy() { operator delete(data, alignment); }
  AlignedCopy(const AlignedCopy &) = delete;

  std::string_view bytes() const { return {data, size}; }

private:
  static constexpr std::align_val_t alignment{64};
  char *data;
  size_t size;
};
} // namespace

/// Touches every byte that the model gives, and sums them up.
static size_t readAll(const Model &model) {
  size_t sum = model.manifestText().size() + (model.target() != nullptr);
  for (const char *name : model.tensorNames()) {
    const DLTensor &tensor = *model.tensor(name);
    const int64_t size = numElements(tensor) * (tensor.dtype.bits / 8);
    for (int64_t i = 0; i < size; ++i)
      sum += tensorData<unsigned char>(tensor)[i];
  }
  for (const RgnnCallInfo &call : model.calls()) {
    for (int32_t i = 0; i < call.num_inputs; ++i)
      sum += std::string_view(call.input_names[i]).size();
    for (int32_t i = 0; i < call.num_tensors; ++i)
      if (const DLTensor *tensor = model.tensor(call.tensor_names[i]))
        sum += numElements(*tensor);
  }
  return sum;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view input(reinterpret_cast<const char *>(data), size);
  if (input.empty())
    return -1;
  const std::string_view rest = input.substr(1);
  const AlignedCopy copy(input[0] == archiveMark ? std::string(rest)
                                                 : splitParts(rest).make());
  try {
    const Model model(copy.bytes());
    volatile size_t sum = readAll(model);
    (void)sum;
  } catch (const Error &) {
  }
  return 0;
}
