//===- ModelManifest.cpp - What a saved module says of itself -------------===//

#include "Model/ModelManifest.h"
#include "Model/Archive.h"
#include "Support/Json.h"
#include "Support/Tensor.h"
#include <set>

using namespace rgnn;

static constexpr const char *readFormat = "rgnn-module";
static constexpr int64_t readVersion = 1;

/// The name of an entry of the archive, which must be there.
static std::string readEntry(const JsonNode &node, const Archive &archive) {
  if (!archive.contains(node.string()))
    node.fail("the name of an entry of the archive");
  return node.string();
}

static std::string readEntryOrNone(const JsonNode &node, const char *name,
                                   const Archive &archive) {
  const auto entry = node.find(name);
  return entry ? readEntry(*entry, archive) : "";
}

static std::vector<SavedTarget> readTargets(const JsonNode &node) {
  std::vector<SavedTarget> targets;
  std::set<std::string> names;
  for (const JsonNode &target : node.list()) {
    target["cpu"].string();
    targets.push_back({target["name"].string(), target["features"].strings()});
    if (!names.insert(targets.back().name).second)
      target["name"].fail("each target once");
  }
  return targets;
}

static SavedFunction readFunction(const JsonNode &node,
                                  const std::vector<SavedTarget> &targets,
                                  const Archive &archive) {
  node["name"].string();
  readEntry(node["ir"], archive);
  SavedFunction function;
  function.interface = Manifest::read(node["interface"]);
  const JsonNode code = node["code"];
  for (const SavedTarget &target : targets)
    function.code[target.name] = readEntry(code[target.name.c_str()], archive);
  if (const auto cuda = node.find("cuda")) {
    const JsonNode interface = (*cuda)["interface"];
    function.gpuInterface = Manifest::read(interface);
    function.gpuCode = readEntry((*cuda)["code"], archive);
    (*cuda)["chips"].strings();
    const Manifest &cpu = function.interface, &gpu = function.gpuInterface;
    if (!gpu.onGPU || gpu.inputs.size() != cpu.inputs.size() ||
        gpu.outputs.size() != cpu.outputs.size() ||
        gpu.numResults() != cpu.numResults())
      interface.fail("the device cuda, and the inputs and outputs of the "
                     "function's own interface");
  }
  return function;
}

static std::vector<SavedParameter> readParameters(const JsonNode &node) {
  std::vector<SavedParameter> parameters;
  std::map<std::string, size_t> places;
  for (const JsonNode &element : node.list()) {
    const JsonNode name = element["name"], kind = element["kind"];
    SavedParameter parameter;
    parameter.name = name.string();
    parameter.dtype = element["dtype"].parsed(parseDtype);
    for (const JsonNode &size : element["shape"].list())
      parameter.shape.push_back(size.integer(0));
    if (kind.string() != "parameter" && kind.string() != "buffer")
      kind.fail("parameter or buffer");
    for (const char *flag : {"requires_grad", "persistent"})
      if (const auto value = element.find(flag))
        value->boolean();
    if (const auto same = element.find("same_as")) {
      const auto found = places.find(same->string());
      if (found == places.end() || !parameters[found->second].sameAs.empty())
        same->fail("the name of a parameter before this one");
      const SavedParameter &first = parameters[found->second];
      if (!(first.dtype == parameter.dtype) || first.shape != parameter.shape)
        same->fail("a parameter of this element type and shape");
      parameter.sameAs = first.name;
    }
    if (!places.emplace(parameter.name, parameters.size()).second)
      name.fail("each parameter once");
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

ModelManifest ModelManifest::read(const JsonNode &root,
                                  const Archive &archive) {
  const JsonNode format = root["format"];
  if (format.string() != readFormat)
    format.fail(readFormat);
  root["version"].expect(readVersion);
  root["abi"].integer(1, RGNN_ABI_VERSION);
  root["compiler"].fields();
  root["name"].string();

  ModelManifest manifest;
  manifest.arch = root["arch"].string();
  manifest.targets = readTargets(root["targets"]);
  for (const JsonNode &function : root["functions"].list())
    manifest.functions.push_back(
        readFunction(function, manifest.targets, archive));
  manifest.parameters = readParameters(root["parameters"]);
  manifest.calls = readCalls(root, manifest);
  manifest.weights = readEntryOrNone(root, "weights", archive);
  manifest.constants = readEntryOrNone(root, "constants", archive);
  return manifest;
}
