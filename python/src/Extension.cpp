//===- Extension.cpp - the compiler for Python ----------------------------===//
//
// Text or bytecode in, paths, text, bytes and records out: no object of MLIR
// crosses into Python.
//
//===----------------------------------------------------------------------===//

#include "RGNN/CodeGen/Archive.h"
#include "RGNN/CodeGen/Compiler.h"
#include "Records.h"
#include "Tools.h"

#include "llvm/Config/llvm-config.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace mlir::rgnn;

namespace {

/// A module: its text, or bytecode.
using Input = std::variant<std::string, nb::bytes>;

} // namespace

template <typename T>
static T unwrap(llvm::Expected<T> value) {
  if (value)
    return std::move(*value);
  std::vector<Message> diagnostics;
  llvm::Error error = llvm::handleErrors(
      value.takeError(), [&](std::unique_ptr<CompileFailure> failure) {
        diagnostics = failure->messages;
        return llvm::Error(std::move(failure));
      });
  throw CompileError(llvm::toString(std::move(error)), std::move(diagnostics));
}

static llvm::StringRef view(const nb::bytes &bytes) {
  return {bytes.c_str(), bytes.size()};
}

static llvm::StringRef view(const Input &input) {
  if (const auto *text = std::get_if<std::string>(&input))
    return *text;
  return view(std::get<nb::bytes>(input));
}

static nb::dict
makeDict(const std::vector<std::pair<std::string, std::string>> &pairs) {
  nb::dict dict;
  for (const auto &[name, text] : pairs)
    dict[name.c_str()] = text;
  return dict;
}

static nb::dict compile(const Input &text, const std::string &pipelineOptions,
                        bool cache, bool dump, bool gpu) {
  CompileResult result;
  {
    nb::gil_scoped_release release;
    CompileOptions options;
    options.gpu = gpu;
    options.pipeline = pipelineOptions;
    options.cache = cache;
    options.dump = dump;
    result = unwrap(compileToSharedObject(view(text), options));
  }
  nb::dict answer;
  answer["so"] = result.path;
  answer["temporary"] = result.temporary;
  answer["manifest"] = result.manifest;
  answer["remarks"] = result.remarks;
  answer["ir"] = makeDict(result.ir);
  answer["kernels"] = result.kernels;
  answer["ptx"] = makeDict(result.ptx);
  answer["cached"] = result.cached;
  answer["missing_features"] = result.missingFeatures;
  answer["arch"] = result.arch;
  answer["cpu"] = result.cpu;
  answer["features"] = result.features;
  return answer;
}

static nb::bytes bytecode(const Input &text) {
  std::string bytes;
  {
    nb::gil_scoped_release release;
    bytes = unwrap(liftToBytecode(view(text)));
  }
  return nb::bytes(bytes.data(), bytes.size());
}

static nb::tuple
makePlan(llvm::function_ref<llvm::Expected<PlanResult>()> run) {
  PlanResult result;
  {
    nb::gil_scoped_release release;
    result = unwrap(run());
  }
  return nb::make_tuple(result.plan, result.remarks);
}

static nb::tuple split(const Input &text) {
  return makePlan([&] { return splitFallback(view(text)); });
}

static nb::tuple differentiateModule(const Input &text,
                                     const std::vector<int64_t> &arguments,
                                     const std::string &pipelineOptions,
                                     bool gpu) {
  return makePlan([&] {
    return differentiate(view(text), arguments, pipelineOptions, gpu);
  });
}

static nb::tuple planKernelsOf(const Input &text,
                               const std::string &pipelineOptions) {
  KernelsResult result;
  {
    nb::gil_scoped_release release;
    result = unwrap(planKernels(view(text), pipelineOptions));
  }
  return nb::make_tuple(result.manifest, result.kernels, result.onWeights);
}

static nb::dict leftOut(const std::string &pipelineOptions, bool gpu) {
  return makeDict(unwrap(listLeftOut(pipelineOptions, gpu)));
}

static std::vector<std::string>
rewritePasses(const std::string &pipelineOptions,
              const std::optional<std::vector<int64_t>> &arguments, bool gpu) {
  std::optional<llvm::ArrayRef<int64_t>> differentiated;
  if (arguments)
    differentiated = *arguments;
  return unwrap(listRewritePasses(pipelineOptions, differentiated, gpu));
}

static nb::dict readPTXOfModule(const Input &text) {
  std::vector<std::pair<std::string, std::string>> ptx;
  {
    nb::gil_scoped_release release;
    ptx = unwrap(readPTX(view(text)));
  }
  return makeDict(ptx);
}

static std::string runPipelineOnModule(const Input &text,
                                       const std::string &pipeline) {
  nb::gil_scoped_release release;
  return unwrap(runPipeline(view(text), pipeline));
}

/// Raises ValueError for what the caller gave, and OSError for what the system
/// refused.
[[noreturn]] static void throwFileError(llvm::Error error) {
  std::error_code code;
  std::string message;
  llvm::handleAllErrors(std::move(error), [&](const llvm::StringError &reason) {
    code = reason.convertToErrorCode();
    message = reason.getMessage();
  });
  if (code == std::errc::invalid_argument)
    throw nb::value_error(message.c_str());
  // The class follows from the number: PermissionError, FileNotFoundError.
  nb::object exception = nb::borrow(PyExc_OSError)(code.value(), message);
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())),
                  exception.ptr());
  throw nb::python_error();
}

static void
writeArchiveFile(const std::filesystem::path &path,
                 const std::vector<std::pair<std::string, nb::bytes>> &given) {
  std::vector<ArchiveEntry> entries;
  entries.reserve(given.size());
  for (const auto &[name, bytes] : given)
    entries.push_back({name, view(bytes)});
  llvm::Error error = [&] {
    nb::gil_scoped_release release;
    return writeArchive(entries, llvm::StringRef(path.native()));
  }();
  if (error)
    throwFileError(std::move(error));
}

NB_MODULE(_rgnn, module) {
  // At exit, TorchDynamo still holds what was captured, with its messages.
  nb::set_leak_warnings(false);
  module.doc() = "Compiles captured models to shared objects.";
  module.attr("__version__") = getVersion().str();
  module.attr("llvm_version") = LLVM_VERSION_STRING;
  defineRecords(module);
#ifdef RGNN_STATIC_LLVM
  defineTools(module);
#endif
  module.def("compile", &compile, nb::arg("text"),
             nb::arg("pipeline_options") = "", nb::arg("cache") = true,
             nb::arg("dump") = false, nb::arg("gpu") = false,
             R"(Compiles a module that defines ``@forward``.

Args:
    text: the module in MLIR's textual form, or as bytecode (bytes).
    pipeline_options: options of ``rgnn-to-cpu``, such as ``"cpu=x86-64-v3"``; empty for this machine. Or those of
        ``rgnn-to-gpu``, such as ``"chip=sm_90"``.
    cache: take the code from the disk cache where it is there, and put it there.
    dump: return the text of every stage; compiles even what the cache has.
    gpu: compile for NVIDIA GPUs.

Returns:
    A dict: ``so`` (path of the shared object; without the cache a new temporary file that is the caller's to
    delete), ``manifest`` (JSON), ``remarks`` (list of :class:`Message`), ``cached`` (whether the code was in the cache),
    with ``dump`` alone ``ir`` (dict of stage to text), ``kernels`` (list of :class:`Kernel`: what ``@forward`` runs, in
    order) and for a GPU ``ptx`` (dict of binary to text),
    ``missing_features`` (what this processor lacks to run the code; with ``dump`` only, otherwise an error),
    and for which processors the code is, by LLVM's names: ``arch``, ``cpu`` (it is tuned for that one), and
    ``features`` (list of str: what a processor must have that not every one of ``arch`` has).

Raises:
    CompileError: a :class:`ValueError` with the compiler's diagnostics.)");
  module.def(
      "bytecode", &bytecode, nb::arg("text"),
      R"(Lifts a captured module, and gives it as bytecode, which ``compile`` takes for any target.

Raises:
    CompileError: it is no module with ``@forward``, or PyTorch has to run parts between those that were lifted.)");
  module.def(
      "split", &split, nb::arg("text"),
      R"(Parts what can be compiled of a captured module from what PyTorch has to run.

Args:
    text: the module, as for ``compile``.

Returns:
    A tuple: the plan (JSON: steps, each a region or an operator; texts of the regions) and remarks (list of
    :class:`Message`).

Raises:
    CompileError: the text is not a captured module.)");
  module.def("differentiate", &differentiateModule, nb::arg("text"),
             nb::arg("arguments"), nb::arg("pipeline_options") = "",
             nb::arg("gpu") = false,
             R"(Makes a forward and a backward of a captured module.

Args:
    text: the module, as for ``compile``.
    arguments: numbers of the arguments of ``@forward`` to differentiate by.
    pipeline_options: of ``rgnn-to-cpu``; rewrites come before the gradients.
    gpu: whether what is made of it is for NVIDIA GPUs.

Returns:
    A tuple: the plan (JSON: texts of both, what the backward reads, and which gradients it gives) and remarks (list of
    :class:`Message`).

Raises:
    CompileError: an operator has no gradient, or the text is not a captured module.)");
  module.def(
      "plan_kernels", &planKernelsOf, nb::arg("text"),
      nb::arg("pipeline_options") = "",
      R"(The kernels that a module becomes, without their code, in a fraction of the time of ``compile``.

Args:
    text: the module, as for ``compile``.
    pipeline_options: of ``rgnn-to-cpu``.

Returns:
    A tuple: the manifest (JSON), whose ``kernels`` say what each does; list of :class:`Kernel`, with the schedules; and
    of each op on weights alone, which is no kernel, bytes read and written and operations.

Raises:
    CompileError: the text is not a captured module, or the pipeline does not have the options.)");
  module.def("left_out", &leftOut, nb::arg("pipeline_options") = "",
             nb::arg("gpu") = false,
             R"(The passes of rewrites that do not run, and why.

Args:
    pipeline_options: of ``rgnn-to-cpu``.
    gpu: whether the code is for NVIDIA GPUs.

Raises:
    CompileError: the pipeline does not have the options.)");
  module.def(
      "rewrite_passes", &rewritePasses, nb::arg("pipeline_options") = "",
      nb::arg("arguments") = nb::none(), nb::arg("gpu") = false,
      R"(The passes from a captured module to the mathematics that kernels compute, as ``run_pipeline`` takes them.

Args:
    pipeline_options: of ``rgnn-to-cpu``.
    arguments: None, or numbers of the arguments of ``@forward`` to differentiate by: then the passes of
        ``differentiate``.
    gpu: whether the code is for NVIDIA GPUs.

Raises:
    CompileError: the pipeline does not have the options.)");
  module.def(
      "read_ptx", &readPTXOfModule, nb::arg("text"),
      R"(The PTX of each binary, by its name, in a module that ``rgnn-to-gpu`` has made with ``format=isa``.

Raises:
    CompileError: the text is no module.)");
  module.def(
      "rewrites",
      [] {
        nb::dict passes;
#define RGNN_REWRITE(MEMBER, OPTION, PASS, WHAT, NOTE) passes[OPTION] = PASS;
#include "RGNN/Pipelines/Rewrites.def"
        return passes;
      },
      "The options of pipelines that are ``auto``, ``true`` or ``false``, and "
      "the pass of each.");
  module.def(
      "run_pipeline", &runPipelineOnModule, nb::arg("text"),
      nb::arg("pipeline"),
      R"(Runs a textual pass pipeline, such as ``"canonicalize,cse"``, over a module and returns its text.

Raises:
    CompileError: the module, the pipeline or a pass failed.)");
  module.def(
      "write_archive", &writeArchiveFile, nb::arg("path"), nb::arg("entries"),
      R"(Writes the file of a saved module: a zip archive whose entries are stored and aligned.

Args:
    path: str or path; a file of this name is replaced, and only when all of the new one is written.
    entries: pairs of a name (such as ``"code/native/forward_0.so"``) and bytes.

Raises:
    ValueError: a name that the format does not have, or one that is there twice.
    OSError: the file cannot be written.)");
}
