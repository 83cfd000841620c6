//===- Model.cpp - Saved modules ------------------------------------------===//

#include "Model/Model.h"
#include "Support/CpuFeatures.h"
#include "Support/Error.h"
#include "Support/Json.h"
#include "Support/Tensor.h"

using namespace rgnn;

static constexpr const char *manifestEntry = "manifest.json";

/// Runs `body`, whose failures are those of what is named.
template <typename Body>
static auto within(const std::string &name, Body body) {
  try {
    return body();
  } catch (const Error &error) {
    failLoad(name, ": ", error.what());
  }
}

std::unique_ptr<Model> Model::open(const std::string &path) {
  return within("'" + path + "'", [&] {
    return std::unique_ptr<Model>(
        new Model(std::make_unique<MappedFile>(path)));
  });
}

Model::Model(std::unique_ptr<MappedFile> mapped) : Model(mapped->bytes()) {
  file = std::move(mapped);
}

Model::Model(std::string_view bytes)
    : archive(bytes), text(archive.read(manifestEntry)),
      manifest(
          ModelManifest::read(JsonDocument(text, "manifest").root(), archive)),
      chosen(chooseTarget()) {
  readTensors(manifest.weights, "");
  readTensors(manifest.constants, constantPrefix);
  checkTensors();
  for (const SavedParameter &parameter : manifest.parameters)
    if (!parameter.sameAs.empty())
      firstNames.emplace(parameter.name, parameter.sameAs);
  for (const auto &[name, tensor] : stored)
    names.push_back(name.c_str());
  for (const SavedCall &call : manifest.calls)
    describeCall(call);
}

//===----------------------------------------------------------------------===//
// Tensors and calls
//===----------------------------------------------------------------------===//

void Model::readTensors(const std::string &entry, const std::string &prefix) {
  if (!entry.empty())
    within(entry,
           [&] { readSafeTensors(archive.read(entry), prefix, stored); });
}

void Model::checkTensors() const {
  for (const SavedParameter &parameter : manifest.parameters) {
    if (manifest.weights.empty() || !parameter.sameAs.empty())
      continue;
    const auto found = stored.find(parameter.name);
    if (found == stored.end())
      failLoad(manifest.weights, ": expected '", parameter.name,
               "', a parameter of the manifest, got none");
    const int32_t rank = static_cast<int32_t>(parameter.shape.size());
    const DLTensor &tensor = found->second.tensor;
    if (!(tensor.dtype == parameter.dtype) ||
        found->second.shape != parameter.shape)
      failLoad(
          manifest.weights, ": expected '", parameter.name, "' to be ",
          dtypeName(parameter.dtype), shapeText(parameter.shape.data(), rank),
          " by the manifest, got ", dtypeName(tensor.dtype), shapeText(tensor));
  }
  for (const SavedCall &call : manifest.calls)
    for (const std::string &name : call.constants)
      if (!stored.count(name))
        failLoad("expected the constant '", name,
                 "', which a call of the manifest reads, got none");
}

const DLTensor *Model::tensor(const std::string &name) const {
  auto found = stored.find(name);
  if (found == stored.end()) {
    const auto first = firstNames.find(name);
    if (first != firstNames.end())
      found = stored.find(first->second);
  }
  return found == stored.end() ? nullptr : &found->second.tensor;
}

void Model::describeCall(const SavedCall &call) {
  auto keep = [&](std::initializer_list<const std::vector<std::string> *> lists,
                  int32_t &count, const char *const *&pointers) {
    std::vector<const char *> kept;
    for (const auto *list : lists)
      for (const std::string &name : *list)
        kept.push_back(name.c_str());
    count = static_cast<int32_t>(kept.size());
    pointers = callNames.emplace_back(std::move(kept)).data();
  };
  RgnnCallInfo info = {};
  info.function = call.function;
  info.training = call.training;
  keep({&call.inputs}, info.num_inputs, info.input_names);
  keep({&call.parameters, &call.constants}, info.num_tensors,
       info.tensor_names);
  info.num_derived = call.numDerived;
  info.num_drawn = call.numDrawn;
  callInfos.push_back(info);
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

const SavedTarget *Model::chooseTarget() const {
  if (manifest.arch != cpuArch)
    return nullptr;
  for (const SavedTarget &target : manifest.targets) {
    bool has = true;
    for (const std::string &feature : target.features)
      has = has && cpuHasFeature(feature);
    if (has)
      return &target;
  }
  return nullptr;
}

/// What the targets are for, where none fits.
std::string Model::describeTargets() const {
  if (manifest.arch != cpuArch)
    return "code for " + manifest.arch;
  std::string targets;
  for (const SavedTarget &target : manifest.targets) {
    targets += (targets.empty() ? "'" : ", '") + target.name + "' that needs";
    for (const std::string &feature : target.features)
      if (!cpuHasFeature(feature))
        targets += " " + feature;
  }
  return targets.empty() ? "none" : targets;
}

const SavedFunction &Model::function(int32_t index) const {
  const size_t count = manifest.functions.size();
  if (index < 0 || static_cast<size_t>(index) >= count)
    failInput("expected a function in [0, ", count, "), got ", index);
  return manifest.functions[index];
}

std::unique_ptr<Module> Model::load(int32_t index) const {
  const SavedFunction &function = this->function(index);
  if (!chosen)
    failLoad("expected a target for this processor (", cpuArch, "), got ",
             describeTargets());
  const std::string &entry = function.code.at(chosen->name);
  return std::make_unique<Module>(function.interface,
                                  Library::load(archive.read(entry), entry));
}

std::unique_ptr<Module> Model::loadForGPU(int32_t index) const {
  const SavedFunction &function = this->function(index);
  const std::string &entry = function.gpuCode;
  if (entry.empty())
    failLoad("expected code for NVIDIA GPUs, got a module that was saved "
             "without");
  if (manifest.arch != cpuArch)
    failLoad("expected code whose host is ", cpuArch, ", got ", manifest.arch);
  return std::make_unique<Module>(function.gpuInterface,
                                  Library::load(archive.read(entry), entry));
}
