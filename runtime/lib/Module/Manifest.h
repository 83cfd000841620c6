//===- Manifest.h - What a compiled module says of itself -------*- C++ -*-===//

#ifndef RGNN_RUNTIME_MODULE_MANIFEST_H
#define RGNN_RUNTIME_MODULE_MANIFEST_H

#include "Graph/Kinds.h"
#include "rgnn/runtime.h"
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rgnn {

class JsonNode;

/// A size of one of the graphs.
struct GraphSize {
  int32_t graph;
  SizeKind of;
  int64_t param;
  Part part = Part::whole;

  bool operator==(const GraphSize &other) const {
    return graph == other.graph && of == other.of && param == other.param &&
           part == other.part;
  }
};

/// One dimension of a tensor: a number, anything, a size of a graph, a
/// dimension of an input, or the sum of several of these.
struct Dim {
  enum Kind { Fixed, Any, OfGraph, OfInput, Sum };

  Kind kind;
  int64_t value = 0;
  GraphSize size = {};
  int32_t input = 0;
  int32_t dim = 0;
  std::vector<Dim> terms;

  bool isDynamic() const { return kind != Fixed; }
  bool operator==(const Dim &other) const {
    return kind == other.kind && value == other.value && size == other.size &&
           input == other.input && dim == other.dim && terms == other.terms;
  }
};

struct TensorSpec {
  std::string name;
  DLDataType dtype;
  std::vector<Dim> shape;
  /// Further numbers that are equal to the first of the shape.
  std::vector<Dim> moreRows;
  /// Whether the code reads it; edges are read only through views.
  bool used = true;
  /// Of an output: it is for another module, the backward of this one.
  bool saved = false;
};

struct GraphSpec {
  /// Inputs; empty for a graph that the caller makes of what it likes.
  std::vector<int32_t> edgeIndex;
  /// An input, or -1 where there is one type, or one for each edgeIndex.
  int32_t edgeType;
  int64_t numEdgeTypes;
  std::vector<Dim> numNodes;
  /// Of all types together, -1 for any: the rows of a table that the code
  /// reads.
  int64_t totalNodes = -1;
  std::vector<int32_t> srcType, dstType;
  bool isBipartite = false;
};

struct ViewSpec {
  int32_t graph;
  ViewKind kind;
  int64_t param;
  Part part = Part::whole;
};

/// What the code says of one of its kernels. Forms have a factor for each size
/// and, last, a constant.
struct KernelSpec {
  using Form = std::vector<int64_t>;

  std::string name;
  /// "float32", of the numbers that it writes.
  std::string dtype;
  /// The line of the model that it comes from; empty where that is not known.
  std::string file;
  int64_t line = 0;
  /// Whether it is known what the kernel does, which the rest says.
  bool isKnown = false;
  std::vector<Dim> sizes;
  Form rows, innerRows, bytesRead, bytesWritten, operations;
  /// Of what is read: the bytes that are, and those that there are.
  std::vector<std::pair<Form, Form>> buffers;
};

struct Manifest {
  std::string entry, workspace;
  /// Whether tensors and views are in the memory of an NVIDIA GPU.
  bool onGPU = false;
  std::vector<TensorSpec> inputs;
  std::vector<GraphSpec> graphs;
  std::vector<ViewSpec> views;
  std::vector<GraphSize> sizes;
  std::vector<TensorSpec> outputs;
  /// By the numbers that the code has for them; empty in older manifests.
  std::vector<KernelSpec> kernels;
  /// Other code for the same inputs, graphs and outputs, by ascending bounds:
  /// the first runs whose bound is above the edges per node of the only graph,
  /// or this one where there is none.
  std::vector<Manifest> variants;
  /// Of a variant: its bound.
  double edgesPerNodeBelow = 0;
  /// The function that makes values of the only graph alone, which are kept
  /// with it and given to every call; null where there is none.
  std::shared_ptr<const Manifest> once;

  /// Both fail, saying where, on what does not follow the format.
  static Manifest parse(const std::string &text);
  static Manifest read(const JsonNode &root);

  /// How many of the outputs are results of the function.
  size_t numResults() const;
  /// Whether the code of any variant reads the input.
  bool reads(size_t input) const;
};

} // namespace rgnn

#endif // RGNN_RUNTIME_MODULE_MANIFEST_H
