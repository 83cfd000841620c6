//===- OnceValues.cpp - What graphs keep of what is computed once ---------===//

#include "Graph/OnceValues.h"
#include "Graph/Graph.h"

using namespace rgnn;

const OnceValues *Graph::findValues(uint64_t module) const {
  const OnceValues *found = values.load(std::memory_order_acquire);
  while (found && found->module != module)
    found = found->next;
  return found;
}

const OnceValues &Graph::keepValues(std::unique_ptr<OnceValues> made) {
  std::lock_guard<std::mutex> lock(mutex);
  if (const OnceValues *others = findValues(made->module))
    return *others;
  numBytes.fetch_add(made->memory.bytes(), std::memory_order_relaxed);
  made->next = values.load(std::memory_order_relaxed);
  values.store(made.get(), std::memory_order_release);
  return *made.release();
}

void Graph::deleteValues() {
  for (OnceValues *made = values.load(); made;) {
    OnceValues *next = made->next;
    delete made;
    made = next;
  }
}
