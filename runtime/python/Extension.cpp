//===- Extension.cpp - The Python module _rgnn_runtime --------------------===//

#include "Binding.h"
#include <cstring>

using namespace rgnn::python;

PyObject *rgnn::python::inputError = nullptr;
PyObject *rgnn::python::loadError = nullptr;
PyTypeObject *rgnn::python::graphType = nullptr;
PyTypeObject *rgnn::python::moduleType = nullptr;

static PyObject *errorOf(int32_t status) {
  switch (status) {
  case RGNN_INVALID_INPUT:
    return inputError;
  case RGNN_LOAD_FAILED:
    return loadError;
  case RGNN_OUT_OF_MEMORY:
    return PyExc_MemoryError;
  default:
    return PyExc_RuntimeError;
  }
}

void rgnn::python::raise(int32_t status) {
  // A damaged file may be quoted in it.
  const char *message = rgnn_last_error();
  Ref text(PyUnicode_DecodeUTF8(message, std::strlen(message), "replace"));
  if (text)
    PyErr_SetObject(errorOf(status), text.get());
}

static PyObject *numThreads(PyObject *, PyObject *) {
  const RgnnContext *context = rgnn_context();
  return PyLong_FromLong(context->num_threads(context));
}

static PyObject *threadSource(PyObject *, PyObject *) {
  return PyUnicode_FromString(rgnn_thread_source());
}

static PyObject *startRecord(PyObject *, PyObject *) {
  rgnn_record_start();
  Py_RETURN_NONE;
}

static PyObject *stopRecord(PyObject *, PyObject *) {
  static constexpr const char *kinds[] = {"call", "kernel", "view"};
  const int64_t count = rgnn_record_stop();
  Ref events(PyList_New(0));
  for (int64_t i = 0; events && i < count; ++i) {
    RgnnEvent event;
    if (const int32_t status = rgnn_record_event(i, &event)) {
      raise(status);
      return nullptr;
    }
    // Names in the user's source may be any bytes.
    Ref file(PyUnicode_DecodeFSDefault(event.file));
    if (!file)
      return nullptr;
    Ref record(Py_BuildValue(
        "(ssLsOLLLLLLLLL)", kinds[event.kind], event.name,
        (long long)event.kernel, event.dtype, file.get(), (long long)event.line,
        (long long)event.begin, (long long)event.end, (long long)event.rows,
        (long long)event.inner_rows, (long long)event.bytes_read,
        (long long)event.bytes_written, (long long)event.bytes_needed,
        (long long)event.operations));
    if (!record || PyList_Append(events.get(), record.get()) < 0)
      return nullptr;
  }
  return events.release();
}

/// The form and the group of each view, by its name.
static PyObject *makeViews() {
  static constexpr const char *records[][3] = {
#define RGNN_VIEW(name, symbol, form, element, group, rows, text)              \
  {#name, #form, #group},
#include "RGNN/Support/GraphViews.def"
  };
  Ref views(PyDict_New());
  if (!views)
    return nullptr;
  for (const auto &[name, form, group] : records) {
    Ref record(Py_BuildValue("(ss)", form, group));
    if (!record || PyDict_SetItemString(views.get(), name, record.get()) < 0)
      return nullptr;
  }
  return views.release();
}

/// The module takes its own reference; ours stays for the process.
static bool add(PyObject *module, const char *name, PyObject *object) {
  return object && PyModule_AddObjectRef(module, name, object) == 0;
}

PyMODINIT_FUNC PyInit__rgnn_runtime(void) {
  static PyMethodDef methods[] = {
      {"num_threads", numThreads, METH_NOARGS,
       "Number of threads that kernels run on."},
      {"thread_source", threadSource, METH_NOARGS,
       "\"torch\" where kernels run on PyTorch's threads, else \"pool\"."},
      {"start_record", startRecord, METH_NOARGS,
       "Records what compiled code does from now on."},
      {"stop_record", stopRecord, METH_NOARGS,
       "Ends the recording. Returns its events, each (kind, name, kernel, "
       "dtype, file, line, begin, end, rows, inner_rows, bytes_read, "
       "bytes_written, "
       "bytes_needed, operations); times are nanoseconds of "
       "time.monotonic_ns()."},
      {}};
  static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                   "_rgnn_runtime",
                                   "Graphs and compiled modules of RGNN.",
                                   -1,
                                   methods,
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr};
  Ref module(PyModule_Create(&definition));
  if (!module)
    return nullptr;
  inputError = PyErr_NewExceptionWithDoc(
      "_rgnn_runtime.InputError",
      "An argument does not fit: says what was expected and what came.",
      PyExc_ValueError, nullptr);
  loadError = PyErr_NewExceptionWithDoc(
      "_rgnn_runtime.LoadError",
      "A file cannot be used: says what was expected and what came.",
      PyExc_RuntimeError, nullptr);
  graphType = makeGraphType();
  moduleType = makeModuleType();
  if (!add(module.get(), "InputError", inputError) ||
      !add(module.get(), "LoadError", loadError) ||
      !add(module.get(), "Graph", reinterpret_cast<PyObject *>(graphType)) ||
      !add(module.get(), "Module", reinterpret_cast<PyObject *>(moduleType)) ||
      !add(module.get(), "Model",
           reinterpret_cast<PyObject *>(makeModelType())) ||
      !add(module.get(), "VIEWS", makeViews()) ||
      PyModule_AddIntConstant(module.get(), "abi_version", RGNN_ABI_VERSION) <
          0 ||
      PyModule_AddStringConstant(module.get(), "__version__", RGNN_VERSION) < 0)
    return nullptr;
  return module.release();
}
