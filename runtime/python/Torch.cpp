//===- Torch.cpp - Tensors by PyTorch's DLPack C exchange API -------------===//
//
// PyTorch publishes a table of C functions on its tensor type: tensors are read
// and made through it in tens of nanoseconds, and nothing is linked to PyTorch.
//
//===----------------------------------------------------------------------===//

#include "Binding.h"

using namespace rgnn::python;

static const DLPackExchangeAPI *exchange = nullptr;
static PyTypeObject *tensorType = nullptr;
static PyTypeObject *parameterType = nullptr;

static PyTypeObject *typeAttribute(const char *module, const char *name) {
  Ref imported(PyImport_ImportModule(module));
  if (!imported)
    return nullptr;
  Ref type(PyObject_GetAttrString(imported.get(), name));
  if (type && !PyType_Check(type.get())) {
    PyErr_Format(PyExc_ImportError, "expected %s.%s to be a type", module,
                 name);
    return nullptr;
  }
  return reinterpret_cast<PyTypeObject *>(type.release());
}

static bool findTorch() {
  if (!tensorType && !(tensorType = typeAttribute("torch", "Tensor")))
    return false;
  if (!parameterType &&
      !(parameterType = typeAttribute("torch.nn", "Parameter")))
    return false;
  Ref capsule(PyObject_GetAttrString(reinterpret_cast<PyObject *>(tensorType),
                                     "__dlpack_c_exchange_api__"));
  if (!capsule) {
    PyErr_Clear();
    PyErr_SetString(PyExc_ImportError,
                    "expected a PyTorch with the DLPack C exchange API (2.11 "
                    "or later), got one without");
    return false;
  }
  const auto *found = static_cast<const DLPackExchangeAPI *>(
      PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
  if (!found)
    return false;
  if (found->header.version.major != DLPACK_MAJOR_VERSION ||
      !found->dltensor_from_py_object_no_sync) {
    PyErr_Format(PyExc_ImportError,
                 "expected DLPack %d with reading of tensors, got %u.%u",
                 DLPACK_MAJOR_VERSION, found->header.version.major,
                 found->header.version.minor);
    return false;
  }
  exchange = found;
  return true;
}

bool rgnn::python::loadTorch() { return exchange || findTorch(); }

static void raiseNotTensor(PyObject *object, const char *name,
                           Py_ssize_t index) {
  Ref type(PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(object)),
                                  "__name__"));
  if (!type)
    return;
  if (index < 0)
    PyErr_Format(inputError, "%s: expected a torch.Tensor, got %U", name,
                 type.get());
  else
    PyErr_Format(inputError, "%s %zd: expected a torch.Tensor, got %U", name,
                 index, type.get());
}

/// Names the tensor in PyTorch's own message, e.g. that of a meta tensor.
static void raiseUnreadable(const char *name, Py_ssize_t index) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  Ref oldType(type), oldValue(value), oldTraceback(traceback);
  Ref text(value ? PyObject_Str(value) : nullptr);
  if (!text)
    return;
  if (index < 0)
    PyErr_Format(inputError, "%s: expected a dense tensor with data, got: %U",
                 name, text.get());
  else
    PyErr_Format(inputError,
                 "%s %zd: expected a dense tensor with data, got: %U", name,
                 index, text.get());
}

bool rgnn::python::readTensor(PyObject *object, DLTensor *tensor,
                              const char *name, Py_ssize_t index) {
  PyTypeObject *type = Py_TYPE(object);
  if (type != tensorType && type != parameterType &&
      !PyType_IsSubtype(type, tensorType)) {
    raiseNotTensor(object, name, index);
    return false;
  }
  if (exchange->dltensor_from_py_object_no_sync(object, tensor) == 0)
    return true;
  raiseUnreadable(name, index);
  return false;
}

static void raiseAllocation(void *, const char *kind, const char *message) {
  PyErr_Format(PyExc_RuntimeError, "allocating a tensor: %s: %s", kind,
               message);
}

PyObject *rgnn::python::newTensor(DLTensor *prototype, void **data) {
  DLManagedTensorVersioned *managed = nullptr;
  if (exchange->managed_tensor_allocator(prototype, &managed, nullptr,
                                         raiseAllocation) != 0)
    return nullptr;
  return wrapTensor(managed, data);
}

bool rgnn::python::currentStream(DLDevice device, void **stream) {
  return exchange->current_work_stream(device.device_type, device.device_id,
                                       stream) == 0;
}

PyObject *rgnn::python::wrapTensor(DLManagedTensorVersioned *managed,
                                   void **data) {
  *data = managed->dl_tensor.data;
  void *object = nullptr;
  if (exchange->managed_tensor_to_py_object_no_sync(managed, &object) != 0)
    return nullptr;
  return static_cast<PyObject *>(object);
}
