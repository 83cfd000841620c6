//===- Graph.cpp - Construction and look-up of graphs ---------------------===//

#include "Graph/Graph.h"
#include "CUDA/DeviceViews.h"
#include "Support/Error.h"

using namespace rgnn;

Graph::Graph(GraphInput input)
    : numNodes(input.numNodes), numSrcNodes(input.numSrcNodes),
      numDstNodes(input.numDstNodes), isBipartite(input.isBipartite),
      numEdges(input.numEdges), numEdgeTypes(input.numEdgeTypes),
      device(input.device), rawSrc(std::move(input.src)),
      rawDst(std::move(input.dst)), rawType(std::move(input.type)),
      listEdges(std::move(input.edgeCounts)), srcType(std::move(input.srcType)),
      dstType(std::move(input.dstType)),
      ntypeOffsets(std::move(input.ntypeOffsets)) {
  for (const IntArray *edges : {&rawSrc, &rawDst, &rawType})
    if (*edges)
      numBytes += numEdges * sizeof(int32_t);
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

RgnnView Graph::needView(ViewKind kind) {
  RgnnView view;
  if (!findView(kind, 0, view)) {
    build(kind, 0);
    findView(kind, 0, view);
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
  case SizeKind::edge_type_count:
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
  case SizeKind::node_of_type:
    if (param < 0 || param >= numNodeTypes())
      failInput("node_of_type: expected a node type in [0, ", numNodeTypes(),
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
