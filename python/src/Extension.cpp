//===- Extension.cpp - the compiler for Python ----------------------------===//
//
// Text in, path and text out: no object of the compiler crosses into Python.
//
//===----------------------------------------------------------------------===//

#include "RGNN/CodeGen/Compiler.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

namespace nb = nanobind;
using namespace mlir::rgnn;

namespace {

struct CompileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace

template <typename T>
static T unwrap(llvm::Expected<T> value) {
  if (!value)
    throw CompileError(llvm::toString(value.takeError()));
  return std::move(*value);
}

static nb::dict compile(const std::string &text,
                        const std::string &pipelineOptions, bool cache,
                        bool dump) {
  CompileResult result;
  {
    nb::gil_scoped_release release;
    CompileOptions options;
    options.pipeline = pipelineOptions;
    options.cache = cache;
    options.dump = dump;
    result = unwrap(compileToSharedObject(text, options));
  }
  nb::dict answer, ir;
  nb::list remarks;
  for (const std::string &remark : result.remarks)
    remarks.append(remark);
  for (const auto &[stage, stageText] : result.ir)
    ir[stage.c_str()] = stageText;
  answer["so"] = result.path;
  answer["manifest"] = result.manifest;
  answer["remarks"] = remarks;
  answer["ir"] = ir;
  answer["cached"] = result.cached;
  answer["missing_features"] = result.missingFeatures;
  return answer;
}

static nb::tuple split(const std::string &text) {
  SplitResult result;
  {
    nb::gil_scoped_release release;
    result = unwrap(splitFallback(text));
  }
  nb::list remarks;
  for (const std::string &remark : result.remarks)
    remarks.append(remark);
  return nb::make_tuple(result.plan, remarks);
}

static std::string differentiateText(const std::string &text,
                                     const std::vector<int64_t> &arguments) {
  nb::gil_scoped_release release;
  return unwrap(differentiate(text, arguments));
}

static std::string runPipelineOnText(const std::string &text,
                                     const std::string &pipeline) {
  nb::gil_scoped_release release;
  return unwrap(runPipeline(text, pipeline));
}

NB_MODULE(_rgnn, module) {
  module.doc() = "Compiles the text of a captured model to a shared object.";
  nb::exception<CompileError>(module, "CompileError", PyExc_ValueError).doc() =
      "The compiler refused its input; the text says what and where.";
  module.def("compile", &compile, nb::arg("text"),
             nb::arg("pipeline_options") = "", nb::arg("cache") = true,
             nb::arg("dump") = false,
             R"(Compiles a module that defines ``@forward``.

Args:
    text: the module in MLIR's textual form.
    pipeline_options: options of ``rgnn-to-cpu``, such as ``"cpu=x86-64-v3"``; empty for this machine.
    cache: take the code from the disk cache where it is there, and put it there.
    dump: return the text of every stage; compiles even what the cache has.

Returns:
    A dict: ``so`` (path of the shared object; without the cache a new temporary file that is the caller's to
    delete), ``manifest`` (JSON), ``remarks`` (list of str), ``ir`` (dict of stage to text, empty without
    ``dump``), ``cached`` (whether the code was in the cache),
    ``missing_features`` (what this processor lacks to run the code; with ``dump`` only, otherwise an error).

Raises:
    CompileError: a :class:`ValueError` with the compiler's diagnostics.)");
  module.def(
      "split", &split, nb::arg("text"),
      R"(Parts what can be compiled of a captured module from what PyTorch has to run.

Returns:
    A tuple: the plan (JSON: steps, each a region or an operator; texts of the regions) and remarks (list of str).

Raises:
    CompileError: the text is not a captured module.)");
  module.def("differentiate", &differentiateText, nb::arg("text"),
             nb::arg("arguments"),
             R"(Makes a forward and a backward of a captured module.

Args:
    text: the module in MLIR's textual form.
    arguments: numbers of the arguments of ``@forward`` to differentiate by.

Returns:
    A plan (JSON): texts of both, what the backward reads, and which gradients it gives.

Raises:
    CompileError: an operator has no gradient, or the text is not a captured module.)");
  module.def(
      "run_pipeline", &runPipelineOnText, nb::arg("text"), nb::arg("pipeline"),
      R"(Runs a textual pass pipeline, such as ``"canonicalize,cse"``, over a module and returns its text.

Raises:
    CompileError: the text, the pipeline or a pass failed.)");
}
