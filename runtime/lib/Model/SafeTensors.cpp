//===- SafeTensors.cpp - Tensors in a file --------------------------------===//
//
// The format: the size of the header in 8 bytes, the header in JSON, and the
// elements of all tensors one after another without a hole.
//
//===----------------------------------------------------------------------===//

#include "Model/SafeTensors.h"
#include "Support/Json.h"
#include <algorithm>
#include <cstring>

using namespace rgnn;

namespace {
struct NamedType {
  const char *name;
  DLDataType dtype;
};

/// Where elements lie, counted from the end of the header.
struct Range {
  uint64_t begin, end;

  bool operator<(const Range &other) const {
    return begin != other.begin ? begin < other.begin : end < other.end;
  }
};
} // namespace

static constexpr NamedType namedTypes[] = {
    {"F32", {kDLFloat, 32, 1}}, {"F64", {kDLFloat, 64, 1}},
    {"F16", {kDLFloat, 16, 1}}, {"BF16", {kDLBfloat, 16, 1}},
    {"I64", {kDLInt, 64, 1}},   {"I32", {kDLInt, 32, 1}},
    {"I16", {kDLInt, 16, 1}},   {"I8", {kDLInt, 8, 1}},
    {"U8", {kDLUInt, 8, 1}},    {"BOOL", {kDLBool, 8, 1}},
};

/// As many as PyTorch's tensors may have.
static constexpr int32_t maxRank = 64;

static DLDataType parseType(const std::string &name) {
  for (const NamedType &named : namedTypes)
    if (name == named.name)
      return named.dtype;
  failLoad("expected the name of an element type, got '", name, "'");
}

/// Shape, strides and element type, and how many bytes these take.
static uint64_t readType(const JsonNode &node, StoredTensor &stored) {
  const JsonNode shape = node["shape"];
  for (const JsonNode &size : shape.list())
    stored.shape.push_back(size.integer(0));
  stored.tensor.dtype = node["dtype"].parsed(parseType);
  if (stored.shape.size() > maxRank)
    shape.fail("at most " + std::to_string(maxRank) + " dimensions");
  stored.strides.resize(stored.shape.size());
  int64_t count = 1;
  for (size_t dim = stored.shape.size(); dim-- > 0;) {
    stored.strides[dim] = count;
    if (__builtin_mul_overflow(count, stored.shape[dim], &count))
      shape.fail("sizes of a tensor that fits into memory");
  }
  const uint64_t size = stored.tensor.dtype.bits / 8;
  uint64_t bytes;
  if (__builtin_mul_overflow(static_cast<uint64_t>(count), size, &bytes))
    shape.fail("sizes of a tensor that fits into memory");
  return bytes;
}

static Range readRange(const JsonNode &node, uint64_t size, uint64_t limit) {
  const std::vector<JsonNode> offsets = node.list();
  if (offsets.size() != 2)
    node.fail("where the elements begin and end");
  const Range range = {static_cast<uint64_t>(offsets[0].integer(0)),
                       static_cast<uint64_t>(offsets[1].integer(0))};
  if (range.end > limit || range.begin > range.end ||
      range.end - range.begin != size)
    node.fail(std::to_string(size) + " of " + std::to_string(limit) +
              " bytes, the size of the tensor");
  return range;
}

static void checkNoHoles(std::vector<Range> ranges, uint64_t size) {
  std::sort(ranges.begin(), ranges.end());
  uint64_t end = 0;
  for (const Range &range : ranges) {
    if (range.begin != end)
      failLoad("expected elements one after another, got some from byte ",
               range.begin, " after others up to byte ", end);
    end = range.end;
  }
  if (end != size)
    failLoad("expected elements up to byte ", size, ", got them up to byte ",
             end);
}

void rgnn::readSafeTensors(std::string_view bytes, const std::string &prefix,
                           StoredTensors &tensors) {
  uint64_t headerSize = 0;
  if (bytes.size() < sizeof(headerSize))
    failLoad("expected the size of a header in ", sizeof(headerSize),
             " bytes, got ", bytes.size());
  std::memcpy(&headerSize, bytes.data(), sizeof(headerSize));
  bytes.remove_prefix(sizeof(headerSize));
  if (headerSize > bytes.size())
    failLoad("expected a header of at most ", bytes.size(), " bytes, got ",
             headerSize);
  const JsonDocument header(bytes.substr(0, headerSize), "header");
  bytes.remove_prefix(headerSize);

  std::vector<Range> ranges;
  for (const auto &[name, node] : header.root().fields()) {
    if (name == "__metadata__")
      continue;
    const auto [place, isNew] = tensors.try_emplace(prefix + name);
    if (!isNew)
      failLoad("expected each tensor once, got another '", prefix, name, "'");
    StoredTensor &stored = place->second;
    const uint64_t size = readType(node, stored);
    const JsonNode offsets = node["data_offsets"];
    const Range range = readRange(offsets, size, bytes.size());
    ranges.push_back(range);

    DLTensor &tensor = stored.tensor;
    tensor.data = const_cast<char *>(bytes.data() + range.begin);
    if (reinterpret_cast<uintptr_t>(tensor.data) % (tensor.dtype.bits / 8))
      offsets.fail("elements at a multiple of their size");
    tensor.device = {kDLCPU, 0};
    tensor.ndim = static_cast<int32_t>(stored.shape.size());
    tensor.shape = stored.shape.data();
    tensor.strides = stored.strides.data();
  }
  checkNoHoles(std::move(ranges), bytes.size());
}
