//===- Manifest.h - What LibTorch needs of a saved module -------*- C++ -*-===//
//
// The parts of the manifest (docs/ModuleFormat.md) that decide which code a
// call runs and on which tensors. The runtime has checked it when a file is
// open: nothing here is out of range.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_TORCH_MANIFEST_H
#define RGNN_LIB_TORCH_MANIFEST_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rgnn::libtorch {

/// What a function expects of an input; a size is -1 where it may be any.
struct TensorSpec {
  std::string dtype;
  std::vector<int64_t> shape;
};

/// A number of nodes: a constant, and sizes of inputs that are added to it.
struct NodeCount {
  struct Size {
    int32_t input, dim;
  };
  int64_t constant = 0;
  std::vector<Size> sizes;
};

/// Of which inputs a graph is made; `edgeType` is -1 where there is one type,
/// or one for each edge_index.
struct GraphSpec {
  std::vector<int32_t> edgeIndex;
  int32_t edgeType;
  int64_t numEdgeTypes;
  std::vector<NodeCount> numNodes;
  std::vector<int32_t> srcType, dstType;
  bool isBipartite = false;
};

struct FunctionSpec {
  std::vector<TensorSpec> inputs;
  std::vector<GraphSpec> graphs;
};

/// A region with gradients by the inputs `wanted`; `backward` is -1 where there
/// are none.
struct TrainingSpec {
  enum class Source { Argument, Result, Gradient };
  struct Input {
    Source source;
    int64_t number;
  };

  /// Numbers of the inputs of one source, in the order of the inputs.
  std::vector<int64_t> numbersOf(Source source) const;

  std::vector<int64_t> wanted;
  int32_t forward, backward;
  std::vector<Input> inputs;
  std::vector<int64_t> gradients;
  std::vector<std::vector<int64_t>> of;
  int64_t numResults;
};

struct RegionSpec {
  int32_t function;
  std::vector<TrainingSpec> trainings;
  /// The plan that has its gradients, where a value in it is detached, or -1.
  int64_t split;
};

/// A region, or where that is -1 an operator of PyTorch, on numbered values.
/// The operator's arguments are words: "%0" is an input, "i2", "f0.5" and
/// "sfloat32" a number or text, "[2" a list of the two arguments behind it,
/// "true", "false" and "none" themselves.
struct StepSpec {
  int64_t region;
  std::string name;
  std::vector<std::string> arguments;
  std::vector<int64_t> inputs, outputs;
};

struct PlanSpec {
  int64_t numInputs;
  std::vector<int64_t> results;
  std::vector<StepSpec> steps;
};

/// A mask of dropout: ones with probability `keep`, divided by `divisor`. Each
/// dimension is a sum of products of a number and sizes of inputs.
struct DrawSpec {
  struct Product {
    int64_t factor;
    std::vector<int32_t> sources;
  };

  std::string dtype;
  double keep;
  std::optional<double> divisor;
  std::vector<std::vector<Product>> shape;
};

struct InputSize {
  int32_t input, dim;
};

struct CallSpec {
  /// As Python writes them: "x", "edge_index_dict[('a', 'to', 'b')]".
  std::vector<std::string> inputs;
  /// Of each tensor in what the model returns: its place there ("" for a
  /// single one), and its number among the region's results.
  std::vector<std::string> resultNames;
  std::vector<int64_t> results;
  /// Numbers of Manifest::parameters.
  std::vector<int64_t> parameters;
  std::vector<std::string> constants;
  std::vector<InputSize> drawSources;
  std::vector<DrawSpec> draws;
  /// What computes lists of edges from these arguments; the plan may be -1.
  int64_t listPlan = -1;
  std::vector<int64_t> listSources;
  bool training;
  /// One of these is -1.
  int64_t region, plan;
  /// Why it cannot run, or why it takes operators of PyTorch around compiled
  /// code; empty where neither is so.
  std::string refusal, surroundings;
};

struct ParameterSpec {
  std::string name;
  bool isBuffer, requiresGrad;
  /// Number of the parameter that is the same tensor, or -1.
  int64_t sameAs = -1;
};

struct Manifest {
  /// Fails where a field is missing or of another type than the format says.
  static Manifest parse(const char *text);

  std::vector<FunctionSpec> functions;
  std::vector<RegionSpec> regions;
  std::vector<PlanSpec> plans;
  std::vector<CallSpec> calls;
  std::vector<ParameterSpec> parameters;
  bool hasWeights;
};

} // namespace rgnn::libtorch

#endif // RGNN_LIB_TORCH_MANIFEST_H
