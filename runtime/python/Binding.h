//===- Binding.h - What the parts of the extension share --------*- C++ -*-===//
//
// Written against Python's limited API of 3.11, so that one build loads on
// every later Python. PyTorch allows one interpreter a process, hence plain
// globals.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_RUNTIME_PYTHON_BINDING_H
#define RGNN_RUNTIME_PYTHON_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "rgnn/runtime.h"
#include <memory>

namespace rgnn::python {

/// `_rgnn_runtime.InputError`, a ValueError.
extern PyObject *inputError;
/// `_rgnn_runtime.LoadError`, a RuntimeError.
extern PyObject *loadError;
extern PyTypeObject *graphType;
extern PyTypeObject *moduleType;

/// The types, new references; null with an exception set.
PyTypeObject *makeGraphType();
PyTypeObject *makeModuleType();
PyTypeObject *makeModelType();

/// The graph inside an instance of graphType.
RgnnGraph *graphOf(PyObject *object);
/// Has the builder of a graph on a GPU build a view of a part. False with an
/// exception set where it fails.
bool buildView(PyObject *graph, const char *part, const char *kind,
               int64_t param);

/// A new instance of `type`, which is moduleType, that owns `module`; unloads
/// it where there is no memory.
PyObject *wrapModule(PyTypeObject *type, RgnnModule *module);

/// Sets the exception of a status and its message.
void raise(int32_t status);

//===----------------------------------------------------------------------===//
// Torch.cpp: tensors by PyTorch's DLPack C exchange API
//===----------------------------------------------------------------------===//

/// Finds PyTorch at first use. False with an exception set where it cannot.
bool loadTorch();

/// Describes a tensor, without a reference to it. `name` is called only for a
/// message: "edge_type" or, with an index, "input 3".
bool readTensor(PyObject *object, DLTensor *tensor, const char *name,
                Py_ssize_t index = -1);

/// A new tensor of PyTorch's of the prototype's shape and type, and its data.
PyObject *newTensor(DLTensor *prototype, void **data);
/// The stream of PyTorch's that work on a GPU goes to now.
bool currentStream(DLDevice device, void **stream);
/// A tensor of PyTorch's that owns `managed`, and its data.
PyObject *wrapTensor(DLManagedTensorVersioned *managed, void **data);

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// An array on the stack, or on the heap where it is long.
template <typename T, size_t N>
class SmallArray {
public:
  explicit SmallArray(size_t count)
      : heap(count > N ? new T[count]() : nullptr),
        items(heap ? heap.get() : stack) {}

  T &operator[](size_t i) { return items[i]; }
  T *data() { return items; }

private:
  T stack[N] = {};
  std::unique_ptr<T[]> heap;
  T *items;
};

/// Owns a reference.
class Ref {
public:
  Ref() = default;
  explicit Ref(PyObject *object) : object(object) {}
  ~Ref() { Py_XDECREF(object); }
  Ref(const Ref &) = delete;
  Ref &operator=(const Ref &) = delete;

  void reset(PyObject *other) {
    Py_XDECREF(object);
    object = other;
  }
  PyObject *release() {
    PyObject *released = object;
    object = nullptr;
    return released;
  }
  PyObject *get() const { return object; }
  explicit operator bool() const { return object != nullptr; }

private:
  PyObject *object = nullptr;
};

/// Lets other Python threads run.
class ReleaseGil {
public:
  ReleaseGil() : state(PyEval_SaveThread()) {}
  ~ReleaseGil() { PyEval_RestoreThread(state); }
  ReleaseGil(const ReleaseGil &) = delete;
  ReleaseGil &operator=(const ReleaseGil &) = delete;

private:
  PyThreadState *state;
};

} // namespace rgnn::python

#endif // RGNN_RUNTIME_PYTHON_BINDING_H
