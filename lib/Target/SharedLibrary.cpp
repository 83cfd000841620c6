//===- SharedLibrary.cpp - code for C programs as translations ------------===//

#include "Evaluation.h"
#include "MachineCode.h"
#include "RGNN/CodeGen/Compiler.h"
#include "RGNN/CodeGen/ObjectCode.h"
#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"
#include "RGNN/Target/Translations.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::rgnn;
namespace json = llvm::json;

llvm::Expected<std::string> rgnn::takeTemporary(const std::string &path) {
  auto remove = llvm::scope_exit([&] { llvm::sys::fs::remove(path); });
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return llvm::createStringError(file.getError(), "cannot read %s: %s",
                                   path.c_str(),
                                   file.getError().message().c_str());
  return (*file)->getBuffer().str();
}

static LogicalResult toSharedLibrary(Operation *op, raw_ostream &os) {
  return translateForMachine(
      op,
      [&](llvm::Module &module, llvm::TargetMachine &machine) -> llvm::Error {
        llvm::Expected<llvm::SmallString<0>> object =
            emitCode(module, machine, llvm::CodeGenFileType::ObjectFile);
        if (!object)
          return object.takeError();
        llvm::Expected<std::string> path = linkToTemporary(*object);
        if (!path)
          return path.takeError();
        llvm::Expected<std::string> code = takeTemporary(*path);
        if (!code)
          return code.takeError();
        os << *code;
        return llvm::Error::success();
      });
}

//===----------------------------------------------------------------------===//
// C header
//===----------------------------------------------------------------------===//

/// The manifest of a module that a pipeline has lowered, or of one that is
/// lowered now, as far as the manifest needs.
static FailureOr<StringRef> findManifest(ModuleOp module) {
  if (!module->hasAttr(kManifestAttr)) {
    FailureOr<std::unique_ptr<CPUPipelineOptions>> options =
        parsePipelineOptions(module);
    if (failed(options))
      return failure();
    PassManager manager(module.getContext());
    buildRGNNToHetKernelPipeline(manager, **options);
    if (failed(manager.run(module)))
      return failure();
  }
  auto manifest = module->getAttrOfType<StringAttr>(kManifestAttr);
  if (!manifest)
    return module.emitError(
        "expected a function @forward or the attribute rgnn.manifest, got "
        "neither");
  return manifest.getValue();
}

/// `name` as a part of an identifier.
static std::string makeIdentifier(StringRef name) {
  std::string identifier = name.upper();
  for (char &c : identifier)
    if (!llvm::isAlnum(c))
      c = '_';
  return identifier;
}

/// "float32 [?, 8]", where a size that is not the same for all calls is "?".
static std::string describeTensor(const json::Object &tensor) {
  std::string text = tensor.getString("dtype")->str() + " [";
  llvm::ListSeparator separator;
  for (const json::Value &size : *tensor.getArray("shape")) {
    std::optional<int64_t> number = size.getAsInteger();
    text += StringRef(separator);
    text += number && *number >= 0 ? std::to_string(*number) : "?";
  }
  return text + "]";
}

/// Names for the numbers of tensors: of each its own, or else its number.
static void printNumbers(raw_ostream &os, const std::string &prefix,
                         StringRef kind, const json::Array &tensors) {
  llvm::StringSet<> used;
  os << "enum {\n";
  for (auto [index, value] : llvm::enumerate(tensors)) {
    const json::Object &tensor = *value.getAsObject();
    std::string number = std::to_string(index);
    std::string name = makeIdentifier(tensor.getString("name").value_or(""));
    if (name.empty())
      name = number;
    while (!used.insert(name).second)
      name += "_" + number;
    os << "  " << prefix << "_" << kind << "_" << name << " = " << index
       << ", /* " << describeTensor(tensor) << " */\n";
  }
  os << "  " << prefix << "_NUM_" << kind << "S = " << tensors.size()
     << "\n};\n\n";
}

static LogicalResult toCHeader(Operation *op, raw_ostream &os) {
  FailureOr<ModuleOp> module = getModule(op);
  if (failed(module))
    return failure();
  FailureOr<StringRef> text = findManifest(*module);
  if (failed(text))
    return failure();
  llvm::Expected<json::Value> parsed = json::parse(*text);
  if (!parsed)
    return module->emitError()
           << "rgnn.manifest: " << llvm::toString(parsed.takeError());
  const json::Object *manifest = parsed->getAsObject();
  const json::Array *inputs = manifest ? manifest->getArray("inputs") : nullptr,
                    *outputs = inputs ? manifest->getArray("outputs") : nullptr,
                    *graphs = outputs ? manifest->getArray("graphs") : nullptr;
  if (!graphs)
    return module->emitError("expected inputs, outputs and graphs in "
                             "rgnn.manifest, got ")
           << *text;

  const std::string prefix = makeIdentifier(getModuleName(*module));
  const std::string manifestName = StringRef(prefix).lower() + "_manifest";
  os << llvm::formatv(
      R"(/* Made by rgnn-translate of RGNN {0}: what compiled code takes and gives.
 *
 *   RgnnModule *module;
 *   RgnnGraph *graphs[{1}_NUM_GRAPHS];
 *   rgnn_module_load("FILE.so", {2}, &module);
 *   rgnn_module_make_graphs(module, inputs, {1}_NUM_INPUTS, graphs);
 *
 * FILE.so is what --rgnn-to-shared-library makes of the same module. Sizes that
 * are "?" may be others in every call.
 */
#ifndef RGNN_{1}_H
#define RGNN_{1}_H

#include <rgnn/runtime.h>

)",
      getVersion(), prefix, manifestName);
  printNumbers(os, prefix, "INPUT", *inputs);
  printNumbers(os, prefix, "OUTPUT", *outputs);
  os << "enum { " << prefix << "_NUM_GRAPHS = " << graphs->size() << " };\n\n"
     << "static const char " << manifestName << "[] =\n    \"";
  os.write_escaped(*text);
  os << "\";\n\n#endif /* RGNN_" << prefix << "_H */\n";
  return success();
}

void rgnn::registerSharedLibraryTranslations() {
  TranslateFromMLIRRegistration libraryRegistration(
      "rgnn-to-shared-library",
      "like rgnn-to-object, then to a shared library for rgnn_module_load",
      toSharedLibrary, registerCompiledDialects);
  TranslateFromMLIRRegistration headerRegistration(
      "rgnn-to-c-header",
      "the C header that goes with the shared library of the same module",
      toCHeader, registerCompiledDialects);
}
