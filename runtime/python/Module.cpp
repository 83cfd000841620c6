//===- Module.cpp - _rgnn_runtime.Module ----------------------------------===//
//
// The path of every call: tensors are described in place, checked, and handed
// to the compiled function while other Python threads run.
//
//===----------------------------------------------------------------------===//

#include "Binding.h"
#include "Support/Tensor.h"
#include <structmember.h>

using namespace rgnn::python;

// Known to the limited API from Python 3.12 on; what they mean is older than
// 3.11 and the same there.
#ifndef Py_TPFLAGS_HAVE_VECTORCALL
#define Py_TPFLAGS_HAVE_VECTORCALL (1UL << 11)
#endif
using VectorCall = PyObject *(*)(PyObject * self, PyObject *const *args,
                                 size_t nargsf, PyObject *kwnames);
static constexpr size_t argumentsOffset = ~(~size_t(0) >> 1);

namespace {
struct ModuleObject {
  // clang-format off
  PyObject_HEAD
  VectorCall call;
  // clang-format on
  RgnnModule *module;
  Py_ssize_t numInputs;
  Py_ssize_t numOutputs;
  bool onGPU;
};

/// Ends the call of the runtime in every case.
struct CallGuard {
  ~CallGuard() {
    if (call)
      rgnn_call_end(call);
  }
  RgnnCall *call = nullptr;
};
} // namespace

static ModuleObject *unwrap(PyObject *self) {
  return reinterpret_cast<ModuleObject *>(self);
}

static PyObject *raised(int32_t status) {
  raise(status);
  return nullptr;
}

/// Describes input `i`; one that the code reads and that does not lie as it
/// should, contiguous and on a GPU aligned, is copied, and `copy` keeps the
/// copy.
static bool readInput(ModuleObject *self, Py_ssize_t i, PyObject *object,
                      DLTensor *tensor, Ref &copy) {
  if (!readTensor(object, tensor, "input", i))
    return false;
  const bool contiguous = rgnn::isContiguous(*tensor);
  if ((contiguous && (!self->onGPU || rgnn::isAlignedForGPU(
                                          rgnn::tensorData<void>(*tensor)))) ||
      !tensor->data || !rgnn_module_reads_input(self->module, i))
    return true;
  Ref method(
      PyObject_GetAttrString(object, contiguous ? "clone" : "contiguous"));
  if (!method)
    return false;
  copy.reset(PyObject_CallNoArgs(method.get()));
  return copy && readTensor(copy.get(), tensor, "input", i);
}

/// A tensor for output `i`.
static PyObject *newOutput(ModuleObject *self, RgnnCall *call, Py_ssize_t i,
                           void **data) {
  DLManagedTensorVersioned *made = nullptr;
  if (const int32_t status =
          self->onGPU ? RGNN_OK : rgnn_call_make_output(call, i, &made))
    return raised(status);
  return made ? wrapTensor(made, data)
              : newTensor(rgnn_call_output(call, i), data);
}

/// Launches a call on PyTorch's stream, in a workspace of PyTorch's: what is
/// freed while kernels still use it goes to later work of the same stream.
static bool launch(RgnnCall *call, void *const *outputs,
                   Py_ssize_t numOutputs) {
  uint64_t bytes;
  if (const int32_t status = rgnn_call_workspace_bytes(call, &bytes))
    return raised(status);
  const DLDevice device = rgnn_call_output(call, 0)->device;
  Ref workspace;
  void *memory = nullptr, *stream = nullptr;
  if (bytes) {
    int64_t shape[] = {static_cast<int64_t>(bytes)};
    DLTensor prototype = {};
    prototype.device = device;
    prototype.dtype = {kDLUInt, 8, 1};
    prototype.ndim = 1;
    prototype.shape = shape;
    workspace.reset(newTensor(&prototype, &memory));
    if (!workspace)
      return false;
  }
  if (!currentStream(device, &stream))
    return false;
  const int32_t status = rgnn_call_run_on_stream(
      call, outputs, static_cast<int32_t>(numOutputs), memory, stream);
  return status == RGNN_OK || raised(status);
}

namespace {
/// The arguments of a call, and copies of inputs that do not lie as they
/// should.
class Arguments {
public:
  Arguments(ModuleObject *self, Py_ssize_t numGraphs)
      : self(self), graphs(numGraphs), tensors(self->numInputs),
        inputs(self->numInputs), copies(self->numInputs) {}

  bool read(PyObject *graphTuple, PyObject *inputTuple);
  bool begin(PyObject *graphTuple, CallGuard &guard);

private:
  bool prepare(PyObject *graphTuple);

  ModuleObject *self;
  SmallArray<RgnnGraph *, 4> graphs;
  SmallArray<DLTensor, 16> tensors;
  SmallArray<const DLTensor *, 16> inputs;
  SmallArray<Ref, 16> copies;
};
} // namespace

bool Arguments::read(PyObject *graphTuple, PyObject *inputTuple) {
  for (Py_ssize_t i = 0, e = PyTuple_Size(graphTuple); i < e; ++i) {
    PyObject *graph = PyTuple_GetItem(graphTuple, i);
    if (!PyObject_TypeCheck(graph, graphType))
      return PyErr_Format(inputError, "graph %zd: expected a Graph, got %R", i,
                          reinterpret_cast<PyObject *>(Py_TYPE(graph)));
    graphs[i] = graphOf(graph);
  }
  const Py_ssize_t numInputs = PyTuple_Size(inputTuple);
  if (numInputs != self->numInputs)
    return PyErr_Format(inputError, "expected %zd inputs, got %zd",
                        self->numInputs, numInputs);
  for (Py_ssize_t i = 0; i < numInputs; ++i) {
    PyObject *input = PyTuple_GetItem(inputTuple, i);
    if (input == Py_None)
      continue;
    if (!readInput(self, i, input, &tensors[i], copies[i]))
      return false;
    inputs[i] = &tensors[i];
  }
  return true;
}

/// Builds the views that the graphs lack.
bool Arguments::prepare(PyObject *graphTuple) {
  const auto numGraphs = static_cast<int32_t>(PyTuple_Size(graphTuple));
  if (rgnn_module_prepared(self->module, graphs.data(), numGraphs))
    return true;
  int32_t graph;
  const char *part, *kind;
  int64_t param;
  while (rgnn_module_missing_part_view(self->module, graphs.data(), numGraphs,
                                       &graph, &part, &kind, &param))
    if (!buildView(PyTuple_GetItem(graphTuple, graph), part, kind, param))
      return false;
  int32_t status;
  {
    ReleaseGil released;
    status = rgnn_module_prepare(self->module, graphs.data(), numGraphs);
  }
  return status == RGNN_OK || raised(status);
}

bool Arguments::begin(PyObject *graphTuple, CallGuard &guard) {
  if (!prepare(graphTuple))
    return false;
  const int32_t status = rgnn_call_begin(
      self->module, graphs.data(), PyTuple_Size(graphTuple), inputs.data(),
      static_cast<int32_t>(self->numInputs), &guard.call);
  return status == RGNN_OK || raised(status);
}

static bool areTuples(PyObject *graphs, PyObject *inputs) {
  if (PyTuple_Check(graphs) && PyTuple_Check(inputs))
    return true;
  PyErr_SetString(PyExc_TypeError,
                  "expected a tuple of graphs and a tuple of inputs");
  return false;
}

static PyObject *run(ModuleObject *self, PyObject *graphTuple,
                     PyObject *inputTuple) {
  if (!areTuples(graphTuple, inputTuple))
    return nullptr;
  Arguments arguments(self, PyTuple_Size(graphTuple));
  CallGuard guard;
  if (!arguments.read(graphTuple, inputTuple) ||
      !arguments.begin(graphTuple, guard))
    return nullptr;

  Ref outputs(PyTuple_New(self->numOutputs));
  if (!outputs)
    return nullptr;
  SmallArray<void *, 16> data(self->numOutputs);
  for (Py_ssize_t i = 0; i < self->numOutputs; ++i) {
    PyObject *tensor = newOutput(self, guard.call, i, &data[i]);
    if (!tensor || PyTuple_SetItem(outputs.get(), i, tensor) < 0)
      return nullptr;
  }
  if (self->onGPU)
    return launch(guard.call, data.data(), self->numOutputs) ? outputs.release()
                                                             : nullptr;
  int32_t status;
  {
    ReleaseGil released;
    status = rgnn_call_run(guard.call, data.data(), self->numOutputs);
  }
  return status == RGNN_OK ? outputs.release() : raised(status);
}

/// What a call would take of memory, which is not run.
static PyObject *measure(PyObject *object, PyObject *args) {
  ModuleObject *self = unwrap(object);
  PyObject *graphTuple, *inputTuple;
  if (!PyArg_ParseTuple(args, "OO:measure", &graphTuple, &inputTuple) ||
      !areTuples(graphTuple, inputTuple))
    return nullptr;
  Arguments arguments(self, PyTuple_Size(graphTuple));
  CallGuard guard;
  uint64_t workspace, results = 0, saved = 0;
  if (!arguments.read(graphTuple, inputTuple) ||
      !arguments.begin(graphTuple, guard))
    return nullptr;
  if (const int32_t status = rgnn_call_workspace_bytes(guard.call, &workspace))
    return raised(status);
  for (Py_ssize_t i = 0; i < self->numOutputs; ++i)
    (rgnn_module_saves_output(self->module, i) ? saved : results) +=
        rgnn::paddedBytes(*rgnn_call_output(guard.call, i));
  return Py_BuildValue("KKK", static_cast<unsigned long long>(workspace),
                       static_cast<unsigned long long>(results),
                       static_cast<unsigned long long>(saved));
}

static PyObject *vectorCall(PyObject *self, PyObject *const *args,
                            size_t nargsf, PyObject *kwnames) {
  const size_t count = nargsf & ~argumentsOffset;
  if (count == 2 && !kwnames)
    return run(unwrap(self), args[0], args[1]);
  return PyErr_Format(PyExc_TypeError,
                      "expected a tuple of graphs and a tuple of inputs, got "
                      "%zu arguments%s",
                      count, kwnames ? " and keywords" : "");
}

/// Where the call arrives with a tuple, e.g. through functools.
static PyObject *tupleCall(PyObject *self, PyObject *args, PyObject *kwargs) {
  if (PyTuple_Size(args) == 2 && (!kwargs || PyDict_Size(kwargs) == 0))
    return run(unwrap(self), PyTuple_GetItem(args, 0),
               PyTuple_GetItem(args, 1));
  PyErr_SetString(PyExc_TypeError,
                  "expected a tuple of graphs and a tuple of inputs");
  return nullptr;
}

PyObject *rgnn::python::wrapModule(PyTypeObject *type, RgnnModule *module) {
  auto allocate =
      reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject *self = allocate(type, 0);
  if (!self) {
    rgnn_module_unload(module);
    return nullptr;
  }
  unwrap(self)->call = vectorCall;
  unwrap(self)->module = module;
  unwrap(self)->numInputs = rgnn_module_num_inputs(module);
  unwrap(self)->numOutputs = rgnn_module_num_outputs(module);
  unwrap(self)->onGPU = rgnn_module_on_gpu(module);
  return self;
}

static PyObject *newModule(PyTypeObject *type, PyObject *args,
                           PyObject *kwargs) {
  static const char *keywords[] = {"path", "manifest", nullptr};
  PyObject *pathBytes = nullptr;
  const char *manifest;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "O&s:Module", const_cast<char **>(keywords),
          PyUnicode_FSConverter, &pathBytes, &manifest))
    return nullptr;
  Ref path(pathBytes);
  if (!loadTorch())
    return nullptr;
  RgnnModule *module = nullptr;
  if (const int32_t status =
          rgnn_module_load(PyBytes_AsString(path.get()), manifest, &module))
    return raised(status);
  return wrapModule(type, module);
}

static void deleteModule(PyObject *self) {
  rgnn_module_unload(unwrap(self)->module);
  PyTypeObject *type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *getWorkspaceBytes(PyObject *self, void *) {
  return PyLong_FromUnsignedLongLong(
      rgnn_module_workspace_bytes(unwrap(self)->module));
}

static PyObject *releaseWorkspace(PyObject *self, PyObject *) {
  rgnn_module_release_workspace(unwrap(self)->module);
  Py_RETURN_NONE;
}

PyTypeObject *rgnn::python::makeModuleType() {
  static PyMethodDef methods[] = {
      {"measure", measure, METH_VARARGS,
       "measure(graphs, inputs, /)\n--\n\n"
       "Bytes of temporaries, of results and of what is saved for the backward "
       "in a call, which is not run."},
      {"release_workspace", releaseWorkspace, METH_NOARGS,
       "Frees the memory kept between calls."},
      {}};
  static PyGetSetDef attributes[] = {
      {"workspace_bytes", getWorkspaceBytes, nullptr,
       "Bytes that calls of it work in and save, which are kept.", nullptr},
      {}};
  static PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                   offsetof(ModuleObject, call), READONLY,
                                   nullptr},
                                  {}};
  static char doc[] =
      "Module(path, manifest)\n--\n\n"
      "A compiled module: module(graphs, inputs) -> tuple of tensors.";
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(newModule)},
      {Py_tp_dealloc, reinterpret_cast<void *>(deleteModule)},
      {Py_tp_call, reinterpret_cast<void *>(tupleCall)},
      {Py_tp_methods, methods},
      {Py_tp_getset, attributes},
      {Py_tp_members, members},
      {Py_tp_doc, doc},
      {}};
  static PyType_Spec spec = {"_rgnn_runtime.Module", sizeof(ModuleObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE |
                                 Py_TPFLAGS_HAVE_VECTORCALL,
                             slots};
  return reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
}
