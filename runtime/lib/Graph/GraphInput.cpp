//===- GraphInput.cpp - Checks of what graphs are made of -----------------===//

#include "Graph/GraphInput.h"
#include "Graph/Kinds.h"
#include "Support/Error.h"
#include "Support/Tensor.h"
#include <algorithm>

using namespace rgnn;

GraphInput::GraphInput(const RgnnGraphDesc &desc, bool isBipartite)
    : isBipartite(isBipartite) {
  checkSizes(desc);
  checkDevice(desc);
  readEdges(desc);
  readEdgeType(desc);
}

void GraphInput::checkSizes(const RgnnGraphDesc &desc) {
  if (desc.num_node_types < 1)
    failInput("num_nodes: expected the number of nodes of at least one node "
              "type, got none");
  ntypeOffsets.push_back(0);
  for (int32_t type = 0; type < desc.num_node_types; ++type) {
    if (desc.num_nodes[type] < 0)
      failInput("num_nodes: expected sizes of 0 or more, got ",
                desc.num_nodes[type], " for node type ", type);
    if (desc.num_nodes[type] > maxIndex - numNodes)
      failInput("num_nodes: expected at most ", maxIndex,
                " nodes in all, got more: ", desc.num_nodes[type],
                " of node type ", type, " after ", numNodes);
    numNodes += desc.num_nodes[type];
    ntypeOffsets.push_back(numNodes);
  }
  numEdgeTypes = desc.num_edge_types;
  if (numEdgeTypes < 0 || numEdgeTypes > maxIndex)
    failInput("num_edge_types: expected a number in [0, ", maxIndex + 1,
              "), got ", numEdgeTypes);
  if (desc.num_edge_index < 1)
    failInput("edge_index: expected at least one tensor, got none");
  if (!desc.src_type != !desc.dst_type)
    failInput("src_type, dst_type: expected both or neither, got one");
  areEnds = desc.edge_index[0].ndim == 1;
  if (areEnds && (desc.num_edge_index > 2 || desc.src_type))
    failInput("edge_index: expected at most two tensors of ends, without "
              "src_type and dst_type, got ",
              desc.num_edge_index);
  numSrcNodes = numDstNodes = numNodes;
  const bool isByType = desc.num_edge_index > 1 && !areEnds;
  if (isBipartite) {
    if (desc.num_node_types != 2 || desc.src_type || isByType)
      failInput("num_nodes: expected the numbers of sources and of "
                "destinations, and one edge_index, of a bipartite graph, got ",
                desc.num_node_types, " numbers and ", desc.num_edge_index,
                " edge_index");
    numSrcNodes = desc.num_nodes[0];
    numDstNodes = desc.num_nodes[1];
  }
  if (isByType) {
    if (desc.edge_type)
      failInput("edge_type: expected none beside several edge_index, whose "
                "place is their type, got one");
    if (numEdgeTypes != desc.num_edge_index)
      failInput("num_edge_types: expected ", desc.num_edge_index,
                ", one for each edge_index, got ", numEdgeTypes);
    if (desc.num_node_types > 1 && !(desc.src_type && desc.dst_type))
      failInput("src_type, dst_type: expected the node types that each "
                "edge_index connects, got none");
  }
  if (!desc.src_type)
    return;
  if (desc.edge_type)
    failInput("edge_type: expected none beside src_type and dst_type, whose "
              "place is the edge type, got one");
  srcType.assign(desc.src_type, desc.src_type + desc.num_edge_index);
  dstType.assign(desc.dst_type, desc.dst_type + desc.num_edge_index);
  for (const auto *types : {&srcType, &dstType})
    for (size_t i = 0; i < types->size(); ++i)
      if ((*types)[i] < 0 || (*types)[i] >= desc.num_node_types)
        failInput(types == &srcType ? "src_type" : "dst_type",
                  ": expected node types in [0, ", desc.num_node_types,
                  "), got ", (*types)[i], " for edge type ", i);
}

namespace {
/// What a row of indices is called in a message, and what it may hold.
struct IndexRow {
  std::string tensor;
  const char *what;
  int64_t limit;
  int64_t base;
};
} // namespace

/// Checks and converts; the check is one flag, so that the loop stays simple,
/// and the culprit is searched only when there is one.
template <typename T>
static void readRow(const T *data, int64_t stride, int64_t count,
                    const IndexRow &row, int32_t *out) {
  bool outside = false;
  for (int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<int64_t>(data[i * stride]);
    outside |= static_cast<uint64_t>(value) >= static_cast<uint64_t>(row.limit);
    out[i] = static_cast<int32_t>(value + row.base);
  }
  if (!outside)
    return;
  for (int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<int64_t>(data[i * stride]);
    if (value < 0 || value >= row.limit)
      failInput(row.tensor, ": expected ", row.what, " in [0, ", row.limit,
                "), got ", value, " at edge ", i);
  }
}

static void readRow(const DLTensor &tensor, int64_t offset, int64_t stride,
                    int64_t count, const IndexRow &row, int32_t *out) {
  if (tensor.dtype.bits == 64)
    readRow(tensorData<int64_t>(tensor) + offset, stride, count, row, out);
  else
    readRow(tensorData<int32_t>(tensor) + offset, stride, count, row, out);
}

static void checkIndexTensor(const DLTensor &tensor, const std::string &name,
                             int32_t rank, bool isRead) {
  if (tensor.dtype.code != kDLInt || tensor.dtype.lanes != 1 ||
      (tensor.dtype.bits != 64 && tensor.dtype.bits != 32))
    failInput(name, ": expected int64 or int32, got ", dtypeName(tensor.dtype));
  if (tensor.ndim != rank || (rank == 2 && tensor.shape[0] != 2))
    failInput(name, ": expected shape ", rank == 2 ? "[2, E]" : "[E]", ", got ",
              shapeText(tensor));
  if (isRead)
    checkReadable(tensor, name);
}

void GraphInput::checkDevice(const RgnnGraphDesc &desc) {
  const DLDevice first = desc.edge_index[0].device;
  if (first.device_type != kDLCUDA)
    return;
  device = first.device_id;
  auto check = [&](const DLTensor &tensor, const char *name) {
    if (tensor.device.device_type != kDLCUDA ||
        tensor.device.device_id != device)
      failInput(name, ": expected a tensor on ", deviceName(first),
                ", as the first edge_index, got one on ",
                deviceName(tensor.device));
  };
  for (int32_t i = 1; i < desc.num_edge_index; ++i)
    check(desc.edge_index[i], "edge_index");
  if (desc.edge_type)
    check(*desc.edge_type, "edge_type");
}

/// Sources and destinations in tensors of their own, or both in one.
void GraphInput::readEnds(const RgnnGraphDesc &desc) {
  for (int32_t i = 0; i < desc.num_edge_index; ++i)
    checkIndexTensor(desc.edge_index[i], "edge_index", 1, device == -1);
  const DLTensor &from = desc.edge_index[0];
  const DLTensor &to = desc.edge_index[desc.num_edge_index - 1];
  numEdges = from.shape[0];
  if (to.shape[0] != numEdges)
    failInput("edge_index: expected as many destinations as sources, got ",
              to.shape[0], " and ", numEdges);
  if (numEdges > maxIndex)
    failInput("edge_index: expected at most ", maxIndex, " edges, got ",
              numEdges);
  edgeCounts.assign(desc.num_edge_index, numEdges);
  if (device != -1)
    return;
  src = IntArray(new int32_t[numEdges]);
  dst = IntArray(new int32_t[numEdges]);
  const bool isOneList = desc.num_edge_index == 1;
  readRow(from, 0, stride(from, 0), numEdges,
          {isOneList ? "edge_index" : "edge_index[0]", "node indices",
           numSrcNodes, 0},
          src.get());
  readRow(to, 0, stride(to, 0), numEdges,
          {isOneList ? "edge_index" : "edge_index[1]", "node indices",
           numDstNodes, 0},
          dst.get());
}

void GraphInput::readEdges(const RgnnGraphDesc &desc) {
  if (areEnds)
    return readEnds(desc);
  for (int32_t i = 0; i < desc.num_edge_index; ++i) {
    std::string name = "edge_index";
    if (desc.num_edge_index > 1)
      name += "[" + std::to_string(i) + "]";
    checkIndexTensor(desc.edge_index[i], name, 2, device == -1);
    const int64_t count = desc.edge_index[i].shape[1];
    if (count > maxIndex - numEdges)
      failInput(name, ": expected at most ", maxIndex,
                " edges in all, got more: ", count, " after ", numEdges);
    edgeCounts.push_back(count);
    numEdges += count;
  }

  if (device != -1)
    return;
  src = IntArray(new int32_t[numEdges]);
  dst = IntArray(new int32_t[numEdges]);
  int64_t first = 0;
  for (int32_t i = 0; i < desc.num_edge_index; ++i) {
    const DLTensor &tensor = desc.edge_index[i];
    IndexRow sources{"edge_index", "node indices", numSrcNodes, 0};
    if (desc.num_edge_index > 1)
      sources.tensor += "[" + std::to_string(i) + "]";
    IndexRow destinations = sources;
    destinations.limit = numDstNodes;
    if (isBipartite) {
      sources.what = "source indices";
      destinations.what = "destination indices";
    }
    if (!srcType.empty()) {
      auto restrict = [&](IndexRow &row, const char *what, int32_t type) {
        row.what = what;
        row.base = ntypeOffsets[type];
        row.limit = ntypeOffsets[type + 1] - row.base;
      };
      restrict(sources, "source indices", srcType[i]);
      restrict(destinations, "destination indices", dstType[i]);
    }
    const int64_t toDst = stride(tensor, 0);
    readRow(tensor, 0, stride(tensor, 1), edgeCounts[i], sources,
            src.get() + first);
    readRow(tensor, toDst, stride(tensor, 1), edgeCounts[i], destinations,
            dst.get() + first);
    first += edgeCounts[i];
  }
}

void GraphInput::readEdgeType(const RgnnGraphDesc &desc) {
  if (desc.edge_type) {
    const DLTensor &tensor = *desc.edge_type;
    checkIndexTensor(tensor, "edge_type", 1, device == -1);
    if (tensor.shape[0] != numEdges)
      failInput("edge_type: expected one type for each of ", numEdges,
                " edges, got ", tensor.shape[0]);
    if (device != -1)
      return;
    type = IntArray(new int32_t[numEdges]);
    readRow(tensor, 0, stride(tensor, 0), numEdges,
            {"edge_type", "types", numEdgeTypes, 0}, type.get());
  } else if (desc.num_edge_index > 1 && !areEnds && device == -1) {
    type = IntArray(new int32_t[numEdges]);
    int32_t *out = type.get();
    for (int32_t i = 0; i < desc.num_edge_index; ++i)
      out = std::fill_n(out, edgeCounts[i], i);
  } else if (numEdgeTypes < 1 && numEdges > 0) {
    failInput("num_edge_types: expected at least 1 for ", numEdges,
              " edges, got ", numEdgeTypes);
  }
}
