//===- Graph.cpp - _rgnn_runtime.Graph ------------------------------------===//

#include "Binding.h"
#include "Support/Tensor.h"
#include <cstring>
#include <structmember.h>
#include <vector>

using namespace rgnn::python;

namespace {
struct GraphObject {
  // clang-format off
  PyObject_HEAD
  PyObject *weakReferences;
  // clang-format on
  RgnnGraph *graph;
  /// Of a graph on a GPU: what builds views, and a list of those it built.
  PyObject *builder;
  PyObject *built;
};
} // namespace

static GraphObject *unwrap(PyObject *self) {
  return reinterpret_cast<GraphObject *>(self);
}

RgnnGraph *rgnn::python::graphOf(PyObject *object) {
  return unwrap(object)->graph;
}

bool rgnn::python::buildView(PyObject *graph, const char *part,
                             const char *kind, int64_t param) {
  GraphObject *self = unwrap(graph);
  if (!self->builder) {
    PyErr_SetString(inputError, "expected a builder of views with a graph on a "
                                "GPU, got none");
    return false;
  }
  Ref builder(PyObject_CallMethod(self->builder, "part", "s", part));
  if (!builder)
    return false;
  Ref tensor(PyObject_CallFunction(builder.get(), "sL", kind,
                                   static_cast<long long>(param)));
  DLTensor read;
  if (!tensor || !readTensor(tensor.get(), &read, kind))
    return false;
  const bool fits = read.device.device_type == kDLCUDA &&
                    read.dtype.code == kDLInt && read.dtype.bits == 32 &&
                    (read.ndim == 1 || read.ndim == 2) &&
                    rgnn::isContiguous(read);
  if (!fits) {
    PyErr_Format(inputError,
                 "%s: expected a contiguous int32 tensor of one or two "
                 "dimensions on cuda, got %R",
                 kind, tensor.get());
    return false;
  }
  const RgnnView view = {rgnn::tensorData<int32_t>(read), read.shape[0],
                         read.ndim == 2 ? read.shape[1] : 1};
  if (PyList_Append(self->built, tensor.get()) < 0)
    return false;
  RgnnGraph *of;
  int32_t status = rgnn_graph_part(self->graph, part, &of);
  if (status == RGNN_OK)
    status = rgnn_graph_set_view(of, kind, param, &view);
  if (status != RGNN_OK)
    raise(status);
  return status == RGNN_OK;
}

template <typename T>
static bool readIntegers(PyObject *sequence, const char *name,
                         std::vector<T> &out) {
  Ref items(PySequence_Tuple(sequence));
  if (!items)
    return false;
  for (Py_ssize_t i = 0, n = PyTuple_Size(items.get()); i < n; ++i) {
    PyObject *item = PyTuple_GetItem(items.get(), i);
    const long long value = PyLong_AsLongLong(item);
    if (value == -1 && PyErr_Occurred())
      return false;
    if (static_cast<long long>(static_cast<T>(value)) != value) {
      PyErr_Format(inputError, "%s: expected small integers, got %lld", name,
                   value);
      return false;
    }
    out.push_back(static_cast<T>(value));
  }
  return true;
}

static PyObject *newGraph(PyTypeObject *type, PyObject *args,
                          PyObject *kwargs) {
  static const char *keywords[] = {"edge_index", "edge_type", "num_edge_types",
                                   "num_nodes",  "src_type",  "dst_type",
                                   "bipartite",  "builder",   nullptr};
  PyObject *edgeIndexList, *edgeType, *numNodesList;
  PyObject *srcTypeList = nullptr, *dstTypeList = nullptr, *builder = nullptr;
  long long numEdgeTypes;
  int isBipartite = 0;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "OOLO|OOpO:Graph", const_cast<char **>(keywords),
          &edgeIndexList, &edgeType, &numEdgeTypes, &numNodesList, &srcTypeList,
          &dstTypeList, &isBipartite, &builder) ||
      !loadTorch())
    return nullptr;

  Ref items(PySequence_Tuple(edgeIndexList));
  if (!items)
    return nullptr;
  std::vector<DLTensor> edgeIndex(PyTuple_Size(items.get()));
  for (size_t i = 0; i < edgeIndex.size(); ++i)
    if (!readTensor(PyTuple_GetItem(items.get(), i), &edgeIndex[i],
                    "edge_index", edgeIndex.size() > 1 ? i : -1))
      return nullptr;
  DLTensor edgeTypeTensor;
  if (edgeType != Py_None &&
      !readTensor(edgeType, &edgeTypeTensor, "edge_type"))
    return nullptr;
  std::vector<int64_t> numNodes;
  std::vector<int32_t> srcType, dstType;
  if (!readIntegers(numNodesList, "num_nodes", numNodes) ||
      (srcTypeList && !readIntegers(srcTypeList, "src_type", srcType)) ||
      (dstTypeList && !readIntegers(dstTypeList, "dst_type", dstType)))
    return nullptr;
  for (const auto *types : {&srcType, &dstType})
    if (!types->empty() && types->size() != edgeIndex.size())
      return PyErr_Format(inputError,
                          "src_type, dst_type: expected a node type for each "
                          "of %zu edge_index, got %zu",
                          edgeIndex.size(), types->size());

  RgnnGraphDesc desc = {};
  desc.edge_index = edgeIndex.data();
  desc.num_edge_index = static_cast<int32_t>(edgeIndex.size());
  desc.edge_type = edgeType != Py_None ? &edgeTypeTensor : nullptr;
  desc.num_edge_types = numEdgeTypes;
  desc.num_nodes = numNodes.data();
  desc.num_node_types = static_cast<int32_t>(numNodes.size());
  desc.src_type = srcType.empty() ? nullptr : srcType.data();
  desc.dst_type = dstType.empty() ? nullptr : dstType.data();
  RgnnGraph *graph = nullptr;
  int32_t status;
  {
    ReleaseGil released;
    status = (isBipartite ? rgnn_graph_create_bipartite
                          : rgnn_graph_create)(&desc, &graph);
  }
  if (status != RGNN_OK) {
    raise(status);
    return nullptr;
  }
  auto allocate =
      reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  Ref built(PyList_New(0));
  PyObject *self = built ? allocate(type, 0) : nullptr;
  if (!self) {
    rgnn_graph_destroy(graph);
    return nullptr;
  }
  unwrap(self)->graph = graph;
  unwrap(self)->builder = builder == Py_None ? nullptr : builder;
  Py_XINCREF(unwrap(self)->builder);
  unwrap(self)->built = built.release();
  return self;
}

static void deleteGraph(PyObject *self) {
  GraphObject *object = unwrap(self);
  if (object->weakReferences)
    PyObject_ClearWeakRefs(self);
  rgnn_graph_destroy(object->graph);
  Py_XDECREF(object->builder);
  Py_DECREF(object->built);
  PyTypeObject *type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *sizeOf(PyObject *self, PyObject *args) {
  const char *of, *part = "whole";
  long long param = 0;
  if (!PyArg_ParseTuple(args, "s|Ls:size", &of, &param, &part))
    return nullptr;
  int64_t size;
  int32_t status;
  {
    ReleaseGil released;
    RgnnGraph *graph;
    status = rgnn_graph_part(graphOf(self), part, &graph);
    if (status == RGNN_OK)
      status = rgnn_graph_size(graph, of, param, &size);
  }
  if (status == RGNN_OK)
    return PyLong_FromLongLong(size);
  raise(status);
  return nullptr;
}

/// A copy, since whoever could write to the view could undo its checks.
static PyObject *viewOf(PyObject *self, PyObject *args) {
  const char *kind, *part = "whole";
  long long param = 0;
  if (!PyArg_ParseTuple(args, "s|Ls:view", &kind, &param, &part))
    return nullptr;
  RgnnView view;
  int32_t status;
  {
    ReleaseGil released;
    RgnnGraph *graph;
    status = rgnn_graph_part(graphOf(self), part, &graph);
    if (status == RGNN_OK)
      status = rgnn_graph_view(graph, kind, param, &view);
  }
  if (status != RGNN_OK) {
    raise(status);
    return nullptr;
  }
  if (rgnn_graph_device(graphOf(self)) != -1)
    return PyErr_Format(inputError, "expected a graph on cpu, got one on "
                                    "cuda, whose builder has the views");
  int64_t shape[] = {view.rows, view.columns};
  DLTensor prototype = {};
  prototype.device = {kDLCPU, 0};
  prototype.dtype = {kDLInt, 32, 1};
  prototype.ndim = view.columns == 1 ? 1 : 2;
  prototype.shape = shape;
  void *data;
  PyObject *tensor = newTensor(&prototype, &data);
  if (tensor && view.rows)
    std::memcpy(data, view.data, view.rows * view.columns * sizeof(int32_t));
  return tensor;
}

static PyObject *getSize(PyObject *self, void *of) {
  int64_t size;
  if (const int32_t status = rgnn_graph_size(
          graphOf(self), static_cast<const char *>(of), 0, &size)) {
    raise(status);
    return nullptr;
  }
  return PyLong_FromLongLong(size);
}

static PyObject *getBytes(PyObject *self, void *) {
  return PyLong_FromUnsignedLongLong(rgnn_graph_bytes(graphOf(self)));
}

PyTypeObject *rgnn::python::makeGraphType() {
  static PyMethodDef methods[] = {
      {"size", sizeOf, METH_VARARGS,
       "size(of, param=0, part=\"whole\"): nodes, edges, unique pairs or nodes "
       "of a type."},
      {"view", viewOf, METH_VARARGS,
       "view(kind, param=0, part=\"whole\"): a copy of a view of the graph or "
       "of its part src or dst, an int32 tensor."},
      {}};
  static char node[] = "node", edge[] = "edge",
              edgeTypeCount[] = "edge_type_count";
  static char nodeTypeCount[] = "node_type_count";
  static PyGetSetDef attributes[] = {
      {"num_nodes", getSize, nullptr, nullptr, node},
      {"num_edges", getSize, nullptr, nullptr, edge},
      {"num_edge_types", getSize, nullptr, nullptr, edgeTypeCount},
      {"num_node_types", getSize, nullptr, nullptr, nodeTypeCount},
      {"nbytes", getBytes, nullptr,
       "Bytes of the graph and the views built so far.", nullptr},
      {}};
  static PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET,
                                   offsetof(GraphObject, weakReferences),
                                   READONLY, nullptr},
                                  {}};
  static char doc[] =
      "Graph(edge_index, edge_type, num_edge_types, num_nodes, src_type=(), "
      "dst_type=(), bipartite=False, builder=None)\n--\n\n"
      "A typed graph, checked and copied once, with the views kernels walk. "
      "Edges on a GPU are not read: builder.part(part)(kind, param) gives each "
      "view.";
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(newGraph)},
      {Py_tp_dealloc, reinterpret_cast<void *>(deleteGraph)},
      {Py_tp_methods, methods},
      {Py_tp_getset, attributes},
      {Py_tp_members, members},
      {Py_tp_doc, doc},
      {}};
  static PyType_Spec spec = {"_rgnn_runtime.Graph", sizeof(GraphObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                             slots};
  return reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
}
