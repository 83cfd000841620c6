//===- Registry.cpp - Saved modules by number -----------------------------===//

#include "Registry.h"
#include "Error.h"

using namespace rgnn;
using namespace rgnn::libtorch;

namespace {
struct Registry {
  std::mutex mutex;
  std::unordered_map<int64_t, std::shared_ptr<SavedModule>> modules;
  int64_t next = 1;
};
} // namespace

/// Never destroyed: at the end of the process PyTorch may be gone before it.
static Registry &registry() {
  static auto *registry = new Registry;
  return *registry;
}

int64_t libtorch::load(const std::string &path) {
  auto module = std::make_shared<SavedModule>(path);
  Registry &known = registry();
  const std::lock_guard<std::mutex> lock(known.mutex);
  known.modules.emplace(known.next, std::move(module));
  return known.next++;
}

std::shared_ptr<SavedModule> libtorch::find(int64_t module) {
  Registry &known = registry();
  const std::lock_guard<std::mutex> lock(known.mutex);
  const auto found = known.modules.find(module);
  if (found == known.modules.end())
    fail("expected a module that is loaded, got number ", module);
  return found->second;
}

void libtorch::unload(int64_t module) {
  // Destroyed, if by nothing else, when the lock is not held.
  const auto last = find(module);
  Registry &known = registry();
  const std::lock_guard<std::mutex> lock(known.mutex);
  known.modules.erase(module);
}
