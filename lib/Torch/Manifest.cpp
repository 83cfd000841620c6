//===- Manifest.cpp - What LibTorch needs of a saved module ---------------===//

#include "Manifest.h"
#include "Error.h"
#include <nlohmann/json.hpp>
#include <unordered_map>

using namespace rgnn::libtorch;
using nlohmann::json;

/// Calls `read` on each element of a list.
template <typename Read>
static auto readList(const json &list, Read read) {
  std::vector<decltype(read(list))> elements;
  for (const json &element : list)
    elements.push_back(read(element));
  return elements;
}

template <typename T>
static T valueOr(const json &object, const char *name, T otherwise) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? otherwise
                                                   : found->get<T>();
}

//===----------------------------------------------------------------------===//
// Functions and regions
//===----------------------------------------------------------------------===//

static TensorSpec readTensor(const json &value) {
  return {value.at("dtype").get<std::string>(),
          readList(value.at("shape"), [](const json &size) -> int64_t {
            return size.is_number() ? size.get<int64_t>() : -1;
          })};
}

static void addTo(NodeCount &count, const json &value) {
  if (value.is_number()) {
    count.constant += value.get<int64_t>();
  } else if (value.contains("sum")) {
    for (const json &term : value.at("sum"))
      addTo(count, term);
  } else if (value.contains("value")) {
    count.constant += value.at("value").get<int64_t>();
  } else {
    count.sizes.push_back(
        {value.at("input").get<int32_t>(), value.at("dim").get<int32_t>()});
  }
}

static NodeCount readNodeCount(const json &value) {
  NodeCount count;
  addTo(count, value);
  return count;
}

static GraphSpec readGraph(const json &value) {
  GraphSpec graph;
  graph.edgeIndex = value.at("edge_index").get<std::vector<int32_t>>();
  graph.edgeType = valueOr<int32_t>(value, "edge_type", -1);
  graph.numEdgeTypes = value.at("num_edge_types").get<int64_t>();
  graph.numNodes = readList(value.at("num_nodes"), readNodeCount);
  graph.srcType = valueOr<std::vector<int32_t>>(value, "src_type", {});
  graph.dstType = valueOr<std::vector<int32_t>>(value, "dst_type", {});
  graph.isBipartite = valueOr(value, "bipartite", false);
  return graph;
}

static FunctionSpec readFunction(const json &value) {
  const json &interface = value.at("interface");
  return {readList(interface.at("inputs"), readTensor),
          readList(interface.at("graphs"), readGraph)};
}

static TrainingSpec::Input readSource(const json &value) {
  using Source = TrainingSpec::Source;
  if (value.contains("argument"))
    return {Source::Argument, value.at("argument").get<int64_t>()};
  if (value.contains("result"))
    return {Source::Result, value.at("result").get<int64_t>()};
  return {Source::Gradient, value.at("gradient").get<int64_t>()};
}

static TrainingSpec readTraining(const json &value) {
  TrainingSpec training;
  training.wanted = value.at("wanted").get<std::vector<int64_t>>();
  training.forward = value.at("forward").get<int32_t>();
  training.backward = valueOr<int32_t>(value, "backward", -1);
  training.inputs = readList(value.at("inputs"), readSource);
  training.gradients = value.at("gradients").get<std::vector<int64_t>>();
  training.of = value.at("of").get<std::vector<std::vector<int64_t>>>();
  training.numResults = value.at("num_results").get<int64_t>();
  return training;
}

std::vector<int64_t> TrainingSpec::numbersOf(Source source) const {
  std::vector<int64_t> numbers;
  for (const Input &input : inputs)
    if (input.source == source)
      numbers.push_back(input.number);
  return numbers;
}

static RegionSpec readRegion(const json &value) {
  return {value.at("function").get<int32_t>(),
          readList(value.at("trainings"), readTraining),
          valueOr<int64_t>(value, "split", -1)};
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Appends an argument of an operator as words.
static void readArgument(const json &value, std::vector<std::string> &words) {
  if (value.is_array()) {
    words.push_back("[" + std::to_string(value.size()));
    for (const json &element : value)
      readArgument(element, words);
  } else if (value.is_object() && value.contains("operand")) {
    words.push_back("%" + value.at("operand").dump());
  } else if (value.is_object()) {
    words.push_back("f" + value.at("float").get<std::string>());
  } else if (value.is_string()) {
    words.push_back("s" + value.get<std::string>());
  } else if (value.is_number()) {
    words.push_back("i" + value.dump());
  } else {
    words.push_back(value.is_null() ? "none" : value.dump());
  }
}

static StepSpec readStep(const json &value) {
  StepSpec step;
  step.region = valueOr<int64_t>(value, "region", -1);
  step.name = valueOr<std::string>(value, "torch", "");
  if (step.region == -1)
    for (const json &argument : value.at("args"))
      readArgument(argument, step.arguments);
  step.inputs = value.at("inputs").get<std::vector<int64_t>>();
  step.outputs = value.at("outputs").get<std::vector<int64_t>>();
  return step;
}

static PlanSpec readPlan(const json &value) {
  return {value.at("num_inputs").get<int64_t>(),
          value.at("results").get<std::vector<int64_t>>(),
          readList(value.at("steps"), readStep)};
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// A key of a dictionary as Python writes it.
static std::string keyText(const json &key) {
  if (key.is_string())
    return "'" + key.get<std::string>() + "'";
  if (!key.is_array())
    return key.dump();
  std::string text = "(";
  for (const json &part : key)
    text += (text.size() > 1 ? ", " : "") + keyText(part);
  return text + (key.size() == 1 ? ",)" : ")");
}

/// Appends the tensors in what a model returns, depth first.
static void readResults(const json &structure, const std::string &place,
                        CallSpec &call) {
  if (structure.contains("tensor")) {
    call.resultNames.push_back(place);
    call.results.push_back(structure.at("tensor").get<int64_t>());
  } else if (structure.contains("dict")) {
    for (const json &item : structure.at("dict"))
      readResults(item.at(1), place + "[" + keyText(item.at(0)) + "]", call);
  } else {
    for (const char *kind : {"list", "tuple"})
      if (structure.contains(kind))
        for (size_t i = 0; i < structure.at(kind).size(); ++i)
          readResults(structure.at(kind)[i],
                      place + "[" + std::to_string(i) + "]", call);
  }
}

static DrawSpec readDraw(const json &value) {
  auto readProduct = [](const json &product) -> DrawSpec::Product {
    return {product.at(0).get<int64_t>(),
            product.at(1).get<std::vector<int32_t>>()};
  };
  DrawSpec draw;
  draw.dtype = value.at("dtype").get<std::string>();
  draw.keep = value.at("keep").get<double>();
  if (!value.at("divisor").is_null())
    draw.divisor = value.at("divisor").get<double>();
  draw.shape = readList(value.at("shape"), [&](const json &size) {
    return readList(size, readProduct);
  });
  return draw;
}

/// The operators of a plan that PyTorch runs, with the lines they come from.
static std::string operatorsOf(const json &plan) {
  std::string text;
  for (const json &step : plan.at("steps"))
    if (step.contains("torch")) {
      const auto where = valueOr<std::string>(step, "where", "");
      text += (text.empty() ? "" : ", ") + step.at("torch").get<std::string>() +
              (where.empty() ? "" : " (" + where + ")");
    }
  return text;
}

/// What PyTorch has to run around the code of a call.
static std::string surroundingsOf(const json &call, const json &plans) {
  if (call.at("region").is_null())
    return "it runs " + operatorsOf(plans.at(call.at("plan").get<size_t>())) +
           " in PyTorch between compiled parts";
  if (call.at("derived").is_null())
    return "";
  std::string names;
  for (const json &name : call.at("derived").at("names"))
    names += (names.empty() ? "'" : ", '") + name.get<std::string>() + "'";
  return "it makes edges of " + names;
}

static CallSpec
readCall(const json &value, const json &plans,
         const std::unordered_map<std::string, int64_t> &parameters) {
  CallSpec call;
  call.inputs = value.at("paths").get<std::vector<std::string>>();
  readResults(value.at("returns"), "", call);
  call.parameters = readList(value.at("parameters"), [&](const json &name) {
    return parameters.at(name.get<std::string>());
  });
  call.constants = value.at("constants").get<std::vector<std::string>>();
  if (const json &drawn = value.at("drawn"); !drawn.is_null()) {
    call.drawSources =
        readList(drawn.at("sources"), [](const json &source) -> InputSize {
          return {source.at(0).get<int32_t>(), source.at(1).get<int32_t>()};
        });
    call.draws = readList(drawn.at("masks"), readDraw);
  }
  if (const json &derived = value.at("derived"); !derived.is_null()) {
    call.listPlan = derived.at("plan").get<int64_t>();
    call.listSources = derived.at("sources").get<std::vector<int64_t>>();
  }
  call.training = value.at("training").get<bool>();
  call.region = valueOr<int64_t>(value, "region", -1);
  call.plan = valueOr<int64_t>(value, "plan", -1);
  if (!value.at("autocast").is_null())
    call.refusal = "it was saved under autocast to " +
                   value.at("autocast").get<std::string>();
  call.surroundings = surroundingsOf(value, plans);
  return call;
}

static ParameterSpec readParameter(const json &value) {
  return {value.at("name").get<std::string>(),
          value.at("kind").get<std::string>() == "buffer",
          valueOr<bool>(value, "requires_grad", false)};
}

Manifest Manifest::parse(const char *text) {
  try {
    const json root = json::parse(text);
    Manifest manifest;
    manifest.functions = readList(root.at("functions"), readFunction);
    manifest.regions = readList(root.at("regions"), readRegion);
    manifest.plans = readList(root.at("plans"), readPlan);
    manifest.hasWeights = !root.at("weights").is_null();

    std::unordered_map<std::string, int64_t> numbers;
    for (const json &parameter : root.at("parameters")) {
      ParameterSpec spec = readParameter(parameter);
      if (const auto other = valueOr<std::string>(parameter, "same_as", "");
          !other.empty())
        spec.sameAs = numbers.at(other);
      numbers.emplace(spec.name, manifest.parameters.size());
      manifest.parameters.push_back(std::move(spec));
    }
    manifest.calls = readList(root.at("calls"), [&](const json &call) {
      return readCall(call, root.at("plans"), numbers);
    });
    return manifest;
  } catch (const json::exception &error) {
    fail("manifest: ", error.what());
  }
}
