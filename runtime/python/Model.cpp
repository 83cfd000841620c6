//===- Model.cpp - _rgnn_runtime.Model ------------------------------------===//

#include "Binding.h"
#include "Support/Tensor.h"
#include <cstring>

using namespace rgnn::python;

namespace {
struct ModelObject {
  PyObject_HEAD RgnnModel *model;
};
} // namespace

static const RgnnModel *modelOf(PyObject *self) {
  return reinterpret_cast<ModelObject *>(self)->model;
}

static PyObject *newModel(PyTypeObject *type, PyObject *args,
                          PyObject *kwargs) {
  static const char *keywords[] = {"path", nullptr};
  PyObject *pathBytes = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O&:Model",
                                   const_cast<char **>(keywords),
                                   PyUnicode_FSConverter, &pathBytes))
    return nullptr;
  Ref path(pathBytes);
  RgnnModel *model = nullptr;
  int32_t status;
  {
    ReleaseGil released;
    status = rgnn_model_open(PyBytes_AsString(path.get()), &model);
  }
  if (status != RGNN_OK) {
    raise(status);
    return nullptr;
  }
  auto allocate =
      reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject *self = allocate(type, 0);
  if (!self)
    rgnn_model_close(model);
  else
    reinterpret_cast<ModelObject *>(self)->model = model;
  return self;
}

static void deleteModel(PyObject *self) {
  rgnn_model_close(reinterpret_cast<ModelObject *>(self)->model);
  PyTypeObject *type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *load(PyObject *self, PyObject *args) {
  int function, gpu = 0;
  if (!PyArg_ParseTuple(args, "i|p:load", &function, &gpu))
    return nullptr;
  if (!loadTorch())
    return nullptr;
  RgnnModule *module = nullptr;
  int32_t status;
  {
    ReleaseGil released;
    status = (gpu ? rgnn_model_load_for_gpu
                  : rgnn_model_load)(modelOf(self), function, &module);
  }
  if (status == RGNN_OK)
    return wrapModule(moduleType, module);
  raise(status);
  return nullptr;
}

/// A copy: the tensor may outlive the model, and may be written to.
static PyObject *read(PyObject *self, PyObject *args) {
  const char *name;
  if (!PyArg_ParseTuple(args, "s:read", &name))
    return nullptr;
  if (!loadTorch())
    return nullptr;
  const DLTensor *stored = rgnn_model_tensor(modelOf(self), name);
  if (!stored)
    return PyErr_Format(PyExc_KeyError,
                        "expected the name of a tensor in the file, got '%s'",
                        name);
  DLTensor prototype = *stored;
  void *data;
  PyObject *tensor = newTensor(&prototype, &data);
  if (const int64_t count = rgnn::numElements(*stored); tensor && count)
    std::memcpy(data, stored->data, count * (stored->dtype.bits / 8));
  return tensor;
}

static PyObject *getManifest(PyObject *self, void *) {
  return PyUnicode_FromString(rgnn_model_manifest(modelOf(self)));
}

static PyObject *getTarget(PyObject *self, void *) {
  const char *target = rgnn_model_target(modelOf(self));
  if (!target)
    Py_RETURN_NONE;
  return PyUnicode_FromString(target);
}

static PyObject *getNames(PyObject *self, void *) {
  const int32_t count = rgnn_model_num_tensors(modelOf(self));
  Ref names(PyList_New(count));
  if (!names)
    return nullptr;
  for (int32_t i = 0; i < count; ++i) {
    PyObject *name =
        PyUnicode_FromString(rgnn_model_tensor_name(modelOf(self), i));
    if (!name || PyList_SetItem(names.get(), i, name) < 0)
      return nullptr;
  }
  return names.release();
}

PyTypeObject *rgnn::python::makeModelType() {
  static PyMethodDef methods[] = {
      {"load", load, METH_VARARGS,
       "load(function, gpu=False)\n--\n\n"
       "The code of a function, by its number, as a Module: for this "
       "processor, or for NVIDIA GPUs."},
      {"read", read, METH_VARARGS,
       "read(name)\n--\n\n"
       "A new tensor with the numbers of one in the file."},
      {}};
  static PyGetSetDef attributes[] = {
      {"manifest", getManifest, nullptr, "The manifest's JSON text.", nullptr},
      {"target", getTarget, nullptr,
       "Name of the target that this processor runs; None where it runs none.",
       nullptr},
      {"names", getNames, nullptr,
       "Names of the tensors in the file; those of constants begin with "
       "'.constants.'.",
       nullptr},
      {}};
  static char doc[] =
      "Model(path)\n--\n\n"
      "A file of compiled modules and their weights. Raises LoadError.";
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(newModel)},
      {Py_tp_dealloc, reinterpret_cast<void *>(deleteModel)},
      {Py_tp_methods, methods},
      {Py_tp_getset, attributes},
      {Py_tp_doc, doc},
      {}};
  static PyType_Spec spec = {"_rgnn_runtime.Model", sizeof(ModelObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                             slots};
  return reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
}
