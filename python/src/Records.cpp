//===- Records.cpp - what the compiler says, for Python -------------------===//

#include "Records.h"
#include "RGNN/CodeGen/Compiler.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace mlir::rgnn;

/// "file:line" of the source, or nothing.
static std::string whereOf(const Message &message) {
  return message.file.empty()
             ? ""
             : message.file + ':' + std::to_string(message.line);
}

static void defineClasses(nb::module_ &module) {
  nb::class_<Message>(module, "Message",
                      "A diagnostic, or a remark of a pass; ``str`` has its "
                      "place, kind, op and text.")
      .def_ro("kind", &Message::kind,
              "``error``, ``warning``, ``remark`` or ``note``; of what a pass "
              "remarks ``passed``, ``missed`` or ``failure``.")
      .def_ro("category", &Message::category, "The pass that remarks it.")
      .def_ro("name", &Message::name, "What a pass calls such remarks.")
      .def_ro("function", &Message::function, "The function it remarks on.")
      .def_ro("file", &Message::file)
      .def_ro("line", &Message::line)
      .def_ro("column", &Message::column)
      .def_prop_ro("where", &whereOf,
                   "``file:line`` of the source; empty where it is about no "
                   "line.")
      .def_ro("op", &Message::op,
              "The op or captured operator that it names; may be empty.")
      .def_ro("text", &Message::text)
      .def(
          "__eq__",
          [](const Message &one, const Message &other) { return one == other; },
          nb::is_operator())
      .def("__str__", [](const Message &message) { return toString(message); });
  nb::class_<Kernel>(module, "Kernel",
                     "One of the kernels that a function runs.")
      .def_ro("name", &Kernel::name,
              "``hetkernel.gemm``; on a GPU, that of the binary.")
      .def_ro("text", &Kernel::text,
              "The op with its schedule, or the launch, up to its region.");
}

/// CompileError, with the diagnostics as records.
static void defineError(nb::module_ &module) {
  nb::exception<CompileError> type(module, "CompileError", PyExc_ValueError);
  type.doc() = "The compiler refused its input; the text says what and where. "
               "``diagnostics``: the same as a list of ``Message``, as far as "
               "it comes from passes.";
  type.attr("diagnostics") = nb::make_tuple();
  // The translators that are registered last are asked first.
  nb::register_exception_translator(
      [](const std::exception_ptr &thrown, void *type) {
        try {
          std::rethrow_exception(thrown);
        } catch (const CompileError &error) {
          nb::object exception =
              nb::borrow(static_cast<PyObject *>(type))(error.what());
          exception.attr("diagnostics") = error.diagnostics;
          PyErr_SetObject(static_cast<PyObject *>(type), exception.ptr());
        }
      },
      type.ptr());
}

void mlir::rgnn::defineRecords(nb::module_ &module) {
  defineClasses(module);
  defineError(module);
}
