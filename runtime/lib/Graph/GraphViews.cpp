//===- GraphViews.cpp - Construction, checks and look-up of graphs --------===//

#include "Graph/GraphViews.h"
#include "CUDA/DeviceViews.h"
#include "Support/Error.h"
#include "Support/Tensor.h"

using namespace rgnn;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {
struct ViewInfo {
  const char *name;
  int64_t columns;
};
} // namespace

static constexpr ViewInfo viewInfos[] = {
#define RGNN_VIEW(name, columns) {#name, columns},
#include "Graph/GraphViews.def"
};

static constexpr const char *sizeNames[] = {
    "node",     "edge",     "edge_type", "node_type_count",
    "dst_pair", "src_pair", "node_type"};

ViewKind rgnn::parseViewKind(const std::string &name) {
  for (size_t i = 0; i < numViewKinds; ++i)
    if (name == viewInfos[i].name)
      return static_cast<ViewKind>(i);
  failInput("expected the name of a graph view, got '", name, "'");
}

SizeKind rgnn::parseSizeKind(const std::string &name) {
  for (size_t i = 0; i < std::size(sizeNames); ++i)
    if (name == sizeNames[i])
      return static_cast<SizeKind>(i);
  failInput("expected the name of a graph size, got '", name, "'");
}

const char *rgnn::viewName(ViewKind kind) {
  return viewInfos[static_cast<size_t>(kind)].name;
}

int64_t rgnn::viewColumns(ViewKind kind) {
  return viewInfos[static_cast<size_t>(kind)].columns;
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

Graph::Graph(const RgnnGraphDesc &desc) {
  checkSizes(desc);
  checkDevice(desc);
  readEdges(desc);
  readEdgeType(desc);
}

Graph::~Graph() {
  delete findPart(Part::src);
  delete findPart(Part::dst);
  deleteValues();
  for (auto &head : entries)
    for (Entry *entry = head.load(); entry;) {
      Entry *next = entry->next;
      delete entry;
      entry = next;
    }
}

cuda::DeviceViews &Graph::onDevice(int device) {
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<cuda::DeviceViews> &views = devices[device];
  if (!views)
    views = std::make_unique<cuda::DeviceViews>(cuda::Driver::get(), device);
  return *views;
}

void Graph::checkSizes(const RgnnGraphDesc &desc) {
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
  if (desc.num_edge_index > 1) {
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

void Graph::checkDevice(const RgnnGraphDesc &desc) {
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

void Graph::readEdges(const RgnnGraphDesc &desc) {
  for (int32_t i = 0; i < desc.num_edge_index; ++i) {
    std::string name = "edge_index";
    if (desc.num_edge_index > 1)
      name += "[" + std::to_string(i) + "]";
    checkIndexTensor(desc.edge_index[i], name, 2, device == -1);
    const int64_t count = desc.edge_index[i].shape[1];
    if (count > maxIndex - numEdges)
      failInput(name, ": expected at most ", maxIndex,
                " edges in all, got more: ", count, " after ", numEdges);
    listEdges.push_back(count);
    numEdges += count;
  }

  if (device != -1)
    return;
  rawSrc = allocate(numEdges);
  rawDst = allocate(numEdges);
  int64_t first = 0;
  for (int32_t i = 0; i < desc.num_edge_index; ++i) {
    const DLTensor &tensor = desc.edge_index[i];
    IndexRow src{"edge_index", "node indices", numNodes, 0};
    if (desc.num_edge_index > 1)
      src.tensor += "[" + std::to_string(i) + "]";
    IndexRow dst = src;
    if (!srcType.empty()) {
      auto restrict = [&](IndexRow &row, const char *what, int32_t type) {
        row.what = what;
        row.base = ntypeOffsets[type];
        row.limit = ntypeOffsets[type + 1] - row.base;
      };
      restrict(src, "source indices", srcType[i]);
      restrict(dst, "destination indices", dstType[i]);
    }
    const int64_t toDst = stride(tensor, 0);
    readRow(tensor, 0, stride(tensor, 1), listEdges[i], src,
            rawSrc.get() + first);
    readRow(tensor, toDst, stride(tensor, 1), listEdges[i], dst,
            rawDst.get() + first);
    first += listEdges[i];
  }
}

void Graph::readEdgeType(const RgnnGraphDesc &desc) {
  if (desc.edge_type) {
    const DLTensor &tensor = *desc.edge_type;
    checkIndexTensor(tensor, "edge_type", 1, device == -1);
    if (tensor.shape[0] != numEdges)
      failInput("edge_type: expected one type for each of ", numEdges,
                " edges, got ", tensor.shape[0]);
    if (device != -1)
      return;
    rawType = allocate(numEdges);
    readRow(tensor, 0, stride(tensor, 0), numEdges,
            {"edge_type", "types", numEdgeTypes, 0}, rawType.get());
  } else if (desc.num_edge_index > 1 && device == -1) {
    rawType = allocate(numEdges);
    int32_t *out = rawType.get();
    for (int32_t i = 0; i < desc.num_edge_index; ++i)
      out = std::fill_n(out, listEdges[i], i);
  } else if (numEdgeTypes < 1 && numEdges > 0) {
    failInput("num_edge_types: expected at least 1 for ", numEdges,
              " edges, got ", numEdgeTypes);
  }
}

//===----------------------------------------------------------------------===//
// Look-up
//===----------------------------------------------------------------------===//

bool Graph::findView(ViewKind kind, int64_t param, RgnnView &view) const {
  if (viewColumns(kind) == 1)
    param = 0;
  const auto &head = entries[static_cast<size_t>(kind)];
  for (const Entry *entry = head.load(std::memory_order_acquire); entry;
       entry = entry->next)
    if (entry->param == param) {
      view = entry->view;
      return true;
    }
  return false;
}

RgnnView Graph::view(ViewKind kind, int64_t param) {
  RgnnView view;
  if (findView(kind, param, view))
    return view;
  checkKind(kind);
  if (viewColumns(kind) == 3 && param < 1)
    failInput(viewName(kind), ": expected tiles of at least 1 row, got ",
              param);
  if (device != -1)
    failInput("expected view '", viewName(kind),
              "' of a graph on cuda:", device,
              ", which whoever made the graph gives, got none");
  std::lock_guard<std::mutex> lock(mutex);
  if (!findView(kind, param, view)) {
    build(kind, param);
    findView(kind, param, view);
  }
  return view;
}

bool Graph::findSize(SizeKind kind, int64_t param, int64_t &size) const {
  RgnnView view;
  switch (kind) {
  case SizeKind::node:
    size = numNodes;
    return true;
  case SizeKind::edge:
    if (device == -1 || ownPart == Part::whole) {
      size = numEdges;
      return true;
    }
    // How many a part on a GPU has, only its views say.
    if (!findView(ViewKind::whole_edge, 0, view))
      return false;
    size = view.rows;
    return true;
  case SizeKind::edge_type:
    size = numEdgeTypes;
    return true;
  case SizeKind::node_type_count:
    size = numNodeTypes();
    return true;
  case SizeKind::dst_pair:
    if (!findView(ViewKind::dst_pair_offsets, 0, view))
      return false;
    size = view.rows - 1;
    return true;
  case SizeKind::src_pair:
    if (!findView(ViewKind::src_pair_node, 0, view))
      return false;
    size = view.rows;
    return true;
  case SizeKind::node_type:
    if (param < 0 || param >= numNodeTypes())
      failInput("node_type: expected a node type in [0, ", numNodeTypes(),
                "), got ", param);
    size = ntypeOffsets[param + 1] - ntypeOffsets[param];
    return true;
  }
  return false;
}

ViewKind Graph::viewOfSize(SizeKind kind) {
  switch (kind) {
  case SizeKind::dst_pair:
    return ViewKind::dst_pair_offsets;
  case SizeKind::edge:
    return ViewKind::whole_edge;
  default:
    return ViewKind::src_pair_node;
  }
}

int64_t Graph::size(SizeKind kind, int64_t param) {
  int64_t size;
  if (findSize(kind, param, size))
    return size;
  view(viewOfSize(kind));
  findSize(kind, param, size);
  return size;
}

IntArray Graph::allocate(int64_t count) {
  numBytes.fetch_add(count * sizeof(int32_t), std::memory_order_relaxed);
  return IntArray(new int32_t[count]);
}

void Graph::keep(ViewKind kind, IntArray data, int64_t rows, int64_t param) {
  auto entry = std::make_unique<Entry>();
  entry->view = {data.get(), rows, viewColumns(kind)};
  entry->param = param;
  entry->storage = std::move(data);
  add(std::move(entry), kind);
}

void Graph::add(std::unique_ptr<Entry> entry, ViewKind kind) {
  auto &head = entries[static_cast<size_t>(kind)];
  entry->next = head.load(std::memory_order_relaxed);
  head.store(entry.release(), std::memory_order_release);
}

void Graph::setView(ViewKind kind, int64_t param, const RgnnView &view) {
  if (device == -1)
    failInput("expected a graph on a GPU, whose views are given, got one that "
              "builds its own");
  checkKind(kind);
  if (view.columns != viewColumns(kind) || view.rows < 0 ||
      view.rows > maxIndex)
    failInput("view '", viewName(kind), "': expected rows of ",
              viewColumns(kind), " numbers, at most ", maxIndex, ", got ",
              view.rows, " of ", view.columns);
  std::lock_guard<std::mutex> lock(mutex);
  auto entry = std::make_unique<Entry>();
  entry->view = view;
  entry->param = viewColumns(kind) == 1 ? 0 : param;
  add(std::move(entry), kind);
}
