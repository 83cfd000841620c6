//===- ComputeOnce.cpp - Computing once what follows from a graph ---------===//
//
// Values that a function makes of a graph alone. Unlike a view, they are
// computed without the lock of the graph: a kernel may run long, and on other
// threads. Two threads that come at once both compute; the first to be done
// gives its values to all.
//
//===----------------------------------------------------------------------===//

#include "Graph/OnceValues.h"
#include "Module/Call.h"
#include "Support/Tensor.h"

using namespace rgnn;

std::unique_ptr<OnceValues> Call::makeValues() {
  uint64_t size = 0;
  for (const DLTensor &output : outputs)
    size += paddedBytes(output);
  auto values = std::make_unique<OnceValues>();
  values->module = module.number;
  char *place = static_cast<char *>(values->memory.reserve(size));
  std::vector<void *> data;
  data.reserve(outputs.size());
  for (const DLTensor &output : outputs) {
    data.push_back(place);
    place += paddedBytes(output);
  }
  run(data.data(), numOutputs());
  values->words.assign(words.begin() + firstOutputWord, words.end());
  return values;
}

/// The number is never that of another module, whose address this one may have
/// got: values stay with the graph when their module goes.
uint64_t Module::nextNumber() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

const OnceValues &Module::onceValues(Graph &graph) const {
  if (const OnceValues *found = graph.findValues(once->number))
    return *found;
  Graph *const graphs[] = {&graph};
  // Where the call fails, nothing is kept.
  const auto end = [](Call *call) { call->module.end(call); };
  const std::unique_ptr<Call, decltype(end)> call(
      once->begin(graphs, 1, nullptr, 0), end);
  return graph.keepValues(call->makeValues());
}
