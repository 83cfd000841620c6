//===- MakeGraphs.cpp - The graphs that the inputs of a call make ---------===//

#include "Module/Module.h"
#include "Support/Error.h"
#include "Support/Tensor.h"

using namespace rgnn;

namespace {
/// Reads what graphs are made of from the inputs of a call, before these are
/// checked as a whole.
class GraphMaker {
public:
  GraphMaker(const Manifest &manifest, const DLTensor *const *inputs)
      : manifest(manifest), inputs(inputs) {}

  void make(const GraphSpec &spec);

  std::vector<std::unique_ptr<Graph>> graphs;

private:
  const DLTensor &input(int32_t index) const;
  int64_t evaluate(const Dim &dim) const;

  const Manifest &manifest;
  const DLTensor *const *inputs;
};
} // namespace

const DLTensor &GraphMaker::input(int32_t index) const {
  if (!inputs[index])
    failInput("input '", manifest.inputs[index].name,
              "': expected a tensor, of which graph ", graphs.size(),
              " is made, got none");
  return *inputs[index];
}

int64_t GraphMaker::evaluate(const Dim &dim) const {
  switch (dim.kind) {
  case Dim::Fixed:
    return dim.value;
  case Dim::OfInput: {
    const DLTensor &tensor = input(dim.input);
    const TensorSpec &spec = manifest.inputs[dim.input];
    if (tensor.ndim != static_cast<int32_t>(spec.shape.size()))
      failInput("input '", spec.name, "': expected rank ", spec.shape.size(),
                ", got shape ", shapeText(tensor));
    return tensor.shape[dim.dim];
  }
  case Dim::Sum: {
    int64_t sum = 0;
    for (const Dim &term : dim.terms)
      sum += evaluate(term);
    return sum;
  }
  case Dim::OfGraph:
    if (static_cast<size_t>(dim.size.graph) < graphs.size())
      return graphs[dim.size.graph]
          ->part(dim.size.part)
          .size(dim.size.of, dim.size.param);
    break;
  case Dim::Any:
    break;
  }
  failInput("graph ", graphs.size(),
            ": expected numbers of nodes that follow from the inputs, got a "
            "graph that the caller makes");
}

void GraphMaker::make(const GraphSpec &spec) {
  std::vector<DLTensor> edgeIndex;
  edgeIndex.reserve(spec.edgeIndex.size());
  for (int32_t index : spec.edgeIndex)
    edgeIndex.push_back(input(index));
  if (edgeIndex.empty())
    failInput("graph ", graphs.size(),
              ": expected edges among the inputs, got a graph that the caller "
              "makes");
  std::vector<int64_t> numNodes;
  numNodes.reserve(spec.numNodes.size());
  for (const Dim &dim : spec.numNodes)
    numNodes.push_back(evaluate(dim));

  RgnnGraphDesc desc = {};
  desc.edge_index = edgeIndex.data();
  desc.num_edge_index = static_cast<int32_t>(edgeIndex.size());
  desc.edge_type = spec.edgeType < 0 ? nullptr : &input(spec.edgeType);
  desc.num_edge_types = spec.numEdgeTypes;
  desc.num_nodes = numNodes.data();
  desc.num_node_types = static_cast<int32_t>(numNodes.size());
  if (!spec.srcType.empty()) {
    desc.src_type = spec.srcType.data();
    desc.dst_type = spec.dstType.data();
  }
  graphs.push_back(std::make_unique<Graph>(desc, spec.isBipartite));
}

std::vector<std::unique_ptr<Graph>>
Module::makeGraphs(const DLTensor *const *inputs, int32_t numInputs) const {
  if (numInputs != static_cast<int32_t>(manifest.inputs.size()))
    failInput("expected ", manifest.inputs.size(), " inputs, got ", numInputs);
  GraphMaker maker(manifest, inputs);
  for (const GraphSpec &spec : manifest.graphs)
    maker.make(spec);
  return std::move(maker.graphs);
}
