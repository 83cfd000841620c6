//===- ModelCalls.cpp - Regions, plans and calls of a saved module --------===//

#include "Graph/Kinds.h"
#include "Model/ModelManifest.h"
#include "Support/Json.h"
#include "Support/Tensor.h"
#include <set>

using namespace rgnn;

namespace {
/// What is run: a region, or a plan of several.
struct Signature {
  size_t numInputs, numResults;
};

class Reader {
public:
  Reader(const JsonNode &root, const ModelManifest &manifest);

  std::vector<SavedCall> read();

private:
  const Manifest &function(const JsonNode &node) const {
    return manifest.functions[node.index(manifest.functions.size())].interface;
  }
  const Signature &plan(const JsonNode &node) const {
    return plans[node.index(plans.size())];
  }

  void checkTraining(const JsonNode &node, const Signature &region) const;
  void checkSteps(const JsonNode &plan) const;
  SavedCall readCall(const JsonNode &node) const;
  size_t readDerived(const JsonNode &call, size_t numTensors) const;

  const ModelManifest &manifest;
  const JsonNode root;
  /// The function that computes each region without gradients.
  std::vector<int32_t> functions;
  std::vector<Signature> regions, plans;
};
} // namespace

static void expectCount(const JsonNode &node, size_t expected) {
  if (node.list().size() != expected)
    node.fail("a list of " + std::to_string(expected));
}

/// Numbers of things, of which there are `count`.
static void checkIndices(const JsonNode &node, size_t count) {
  for (const JsonNode &index : node.list())
    index.index(count);
}

static void checkDtype(const JsonNode &node) { node.parsed(parseDtype); }

//===----------------------------------------------------------------------===//
// Regions and plans
//===----------------------------------------------------------------------===//

Reader::Reader(const JsonNode &root, const ModelManifest &manifest)
    : manifest(manifest), root(root) {
  // Regions and plans name each other: first what either is from outside.
  for (const JsonNode &region : root["regions"].list()) {
    const Manifest &interface = function(region["function"]);
    functions.push_back(region["function"].index(manifest.functions.size()));
    regions.push_back({interface.inputs.size(), interface.numResults()});
  }
  for (const JsonNode &plan : root["plans"].list())
    plans.push_back(
        {static_cast<size_t>(plan["num_inputs"].integer(0, maxIndex)),
         plan["results"].list().size()});
}

void Reader::checkTraining(const JsonNode &node,
                           const Signature &region) const {
  const JsonNode forward = node["forward"];
  const Manifest &computed = function(forward);
  if (computed.inputs.size() != region.numInputs ||
      computed.numResults() != region.numResults)
    forward.fail("a function with the inputs and results of the region");
  node["num_results"].expect(region.numResults);
  int32_t before = -1;
  for (const JsonNode &input : node["wanted"].list()) {
    if (input.index(region.numInputs) <= before)
      input.fail("a number above " + std::to_string(before));
    before = input.index(region.numInputs);
  }

  const JsonNode inputs = node["inputs"], gradients = node["gradients"];
  for (const JsonNode &input : inputs.list()) {
    if (const auto argument = input.find("argument"))
      argument->index(region.numInputs);
    else if (const auto result = input.find("result"))
      result->index(computed.outputs.size());
    else
      input["gradient"].index(region.numResults);
  }
  checkIndices(gradients, region.numInputs);
  expectCount(node["of"], gradients.list().size());
  for (const JsonNode &results : node["of"].list())
    checkIndices(results, region.numResults);
  if (node["backward"].isNull()) {
    expectCount(gradients, 0);
    return;
  }
  const Manifest &backward = function(node["backward"]);
  expectCount(inputs, backward.inputs.size());
  expectCount(gradients, backward.outputs.size());
}

/// References to operands, however deep in lists.
static void checkArguments(const JsonNode &node, size_t numOperands) {
  if (node.isList())
    for (const JsonNode &element : node.list())
      checkArguments(element, numOperands);
  else if (const auto operand = node.find("operand"))
    operand->index(numOperands);
}

void Reader::checkSteps(const JsonNode &plan) const {
  // Values are numbered; the first are the inputs, others come of steps. None
  // is left out: whoever runs a plan makes room for all.
  const int64_t numInputs = plan["num_inputs"].integer(0, maxIndex);
  int64_t numValues = numInputs;
  for (const JsonNode &step : plan["steps"].list())
    numValues += step["outputs"].list().size();
  std::set<int64_t> computed;
  auto checkRead = [&](const JsonNode &values) {
    for (const JsonNode &value : values.list())
      if (value.integer(0) >= numInputs && !computed.count(value.integer()))
        value.fail("the number of a value before this step");
  };
  for (const JsonNode &step : plan["steps"].list()) {
    const JsonNode inputs = step["inputs"], outputs = step["outputs"];
    checkRead(inputs);
    for (const JsonNode &value : outputs.list())
      if (!computed.insert(value.integer(numInputs, numValues - 1)).second)
        value.fail("the number of a new value");
    if (const auto region = step.find("region")) {
      const Signature &run = regions[region->index(regions.size())];
      expectCount(inputs, run.numInputs);
      expectCount(outputs, run.numResults);
    } else {
      step["torch"].string();
      step["where"].string();
      checkArguments(step["args"], inputs.list().size());
    }
  }
  checkRead(plan["results"]);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Arguments or results of a call: a tree whose leaves are tensors, of which
/// there are `count`, and plain values.
static void checkStructure(const JsonNode &node, size_t count) {
  if (const auto tensor = node.find("tensor")) {
    tensor->index(count);
  } else if (const auto dtype = node.find("dtype")) {
    checkDtype(*dtype);
  } else if (node.find("float") || node.find("device")) {
    (node.find("float") ? node["float"] : node["device"]).string();
  } else if (const auto dict = node.find("dict")) {
    for (const JsonNode &item : dict->list()) {
      expectCount(item, 2);
      checkStructure(item.list()[1], count);
    }
  } else if (const auto elements =
                 node.find("list") ? node.find("list") : node.find("tuple")) {
    for (const JsonNode &element : elements->list())
      checkStructure(element, count);
  } else {
    node["value"]; // May be null.
  }
}

/// How many lists of edges there are that are computed before the call.
size_t Reader::readDerived(const JsonNode &call, size_t numTensors) const {
  const auto derived = call.find("derived");
  if (!derived)
    return 0;
  const JsonNode sources = (*derived)["sources"], names = (*derived)["names"];
  checkIndices(sources, numTensors);
  const Signature &computed = plan((*derived)["plan"]);
  expectCount(sources, computed.numInputs);
  expectCount(names, computed.numResults);
  return names.strings().size();
}

/// How many masks there are that are drawn before the call.
static size_t readDrawn(const JsonNode &call, size_t numTensors) {
  const auto drawn = call.find("drawn");
  if (!drawn)
    return 0;
  const std::vector<JsonNode> sources = (*drawn)["sources"].list();
  for (const JsonNode &source : sources) {
    expectCount(source, 2);
    source.list()[0].index(numTensors);
    source.list()[1].integer(0);
  }
  const std::vector<JsonNode> masks = (*drawn)["masks"].list();
  for (const JsonNode &mask : masks) {
    checkDtype(mask["dtype"]);
    mask["keep"].number();
    if (const auto divisor = mask.find("divisor"))
      divisor->number();
    for (const JsonNode &size : mask["shape"].list())
      for (const JsonNode &product : size.list()) {
        expectCount(product, 2);
        product.list()[0].integer();
        checkIndices(product.list()[1], sources.size());
      }
  }
  return masks.size();
}

SavedCall Reader::readCall(const JsonNode &node) const {
  SavedCall call;
  call.training = node["training"].boolean();
  call.inputs = node["paths"].strings();
  call.parameters = node["parameters"].strings();
  for (const std::string &name : node["constants"].strings())
    call.constants.push_back(constantPrefix + name);
  const size_t numTensors =
      call.inputs.size() + call.parameters.size() + call.constants.size();
  call.numDerived = readDerived(node, numTensors);
  call.numDrawn = readDrawn(node, numTensors + call.numDerived);

  const auto region = node.find("region");
  const Signature &run =
      region ? regions[region->index(regions.size())] : plan(node["plan"]);
  if (region)
    call.function = functions[region->index(regions.size())];
  const size_t numInputs = numTensors + call.numDerived + call.numDrawn;
  if (run.numInputs != numInputs)
    failLoad(node.place(), ": expected ", run.numInputs,
             " inputs, those of its ", region ? "region" : "plan", ", got ",
             numInputs);

  const JsonNode arguments = node["arguments"];
  for (const JsonNode &argument : arguments["args"].list())
    checkStructure(argument, call.inputs.size());
  for (const auto &[name, argument] : arguments["kwargs"].fields())
    checkStructure(argument, call.inputs.size());
  checkStructure(node["returns"], run.numResults);
  if (const auto dtype = node.find("autocast"))
    checkDtype(*dtype);
  if (const auto dtypes = node.find("dtypes")) {
    expectCount(*dtypes, run.numResults);
    for (const JsonNode &dtype : dtypes->list())
      checkDtype(dtype);
  }
  node["widens"].boolean();
  return call;
}

std::vector<SavedCall> Reader::read() {
  const std::vector<JsonNode> regionNodes = root["regions"].list();
  for (size_t i = 0; i < regions.size(); ++i) {
    for (const JsonNode &training : regionNodes[i]["trainings"].list())
      checkTraining(training, regions[i]);
    if (const auto split = regionNodes[i].find("split"))
      if (plan(*split).numInputs != regions[i].numInputs ||
          plan(*split).numResults != regions[i].numResults)
        split->fail("a plan with the inputs and results of the region");
  }
  for (const JsonNode &plan : root["plans"].list())
    checkSteps(plan);

  std::set<std::string> parameters;
  for (const SavedParameter &parameter : manifest.parameters)
    parameters.insert(parameter.name);
  std::vector<SavedCall> calls;
  for (const JsonNode &node : root["calls"].list()) {
    calls.push_back(readCall(node));
    for (const JsonNode &name : node["parameters"].list())
      if (!parameters.count(name.string()))
        name.fail("the name of a parameter");
  }
  return calls;
}

std::vector<SavedCall> rgnn::readCalls(const JsonNode &root,
                                       const ModelManifest &manifest) {
  return Reader(root, manifest).read();
}
