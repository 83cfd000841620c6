//===- SavedModule.cpp - a saved module of IR alone -----------------------===//

#include "Evaluation.h"
#include "MachineCode.h"
#include "RGNN/CodeGen/Archive.h"
#include "RGNN/CodeGen/Compiler.h"
#include "RGNN/CodeGen/Target.h"
#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"
#include "RGNN/Target/Translations.h"
#include "rgnn/runtime.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/JSON.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::rgnn;
namespace json = llvm::json;

namespace {

/// The code for one target, and what the manifest says of the target.
struct TargetCode {
  std::string name;
  CompileResult compiled;
  std::string bytes;
};

constexpr llvm::StringLiteral kFunction = "forward_0",
                              kBytecodePath = "ir/forward_0.mlirbc";

} // namespace

static std::string getCodePath(const TargetCode &target) {
  return ("code/" + target.name + "/" + kFunction + ".so").str();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

static FailureOr<TargetCode> compileFor(ModuleOp module, StringRef text,
                                        const std::string &name,
                                        const CPUPipelineOptions &pipeline) {
  CompileOptions options;
  // Printed in braces, and read without.
  llvm::raw_string_ostream stream(options.pipeline);
  pipeline.print(stream);
  options.pipeline = StringRef(options.pipeline).drop_front().drop_back().str();
  options.cache = false;
  options.foreign = true;
  llvm::Expected<CompileResult> compiled = compileToSharedObject(text, options);
  if (!compiled)
    return module.emitError("not compiled: ")
           << llvm::toString(compiled.takeError());
  llvm::Expected<std::string> bytes = takeTemporary(compiled->path);
  if (!bytes)
    return module.emitError() << llvm::toString(bytes.takeError());
  return TargetCode{name, std::move(*compiled), std::move(*bytes)};
}

/// Code for the processor that the options name, and for any of its
/// architecture.
static FailureOr<std::vector<TargetCode>> compileForTargets(ModuleOp module,
                                                            StringRef text) {
  FailureOr<std::unique_ptr<CPUPipelineOptions>> options =
      parsePipelineOptions(module);
  if (failed(options))
    return failure();
  if ((*options)->start != "captured")
    return module.emitError("expected a captured module to save, got "
                            "--rgnn-to-cpu-options=start=")
           << (*options)->start.getValue();
  std::vector<TargetCode> targets;
  auto compile = [&](const std::string &name) -> LogicalResult {
    FailureOr<TargetCode> target = compileFor(module, text, name, **options);
    if (succeeded(target))
      targets.push_back(std::move(*target));
    return target;
  };
  if (failed(compile((*options)->cpu)))
    return failure();
  if (targets[0].compiled.features.empty())
    return targets;
  (*options)->cpu =
      getPortableCPU(llvm::Triple(llvm::sys::getProcessTriple())).str();
  (*options)->features = "";
  if (failed(compile("portable")))
    return failure();
  if (targets[0].compiled.manifest != targets[1].compiled.manifest)
    return module.emitError("expected code that takes and gives the same for "
                            "every target, got ")
           << targets[0].compiled.manifest << " and "
           << targets[1].compiled.manifest;
  return targets;
}

//===----------------------------------------------------------------------===//
// Manifest
//===----------------------------------------------------------------------===//

/// What has names: parameters, and the one call of a module from IR.
static LogicalResult describeArguments(func::FuncOp forward,
                                       const json::Array &inputs,
                                       json::Array &parameters,
                                       json::Object &call) {
  json::Array arguments, paths, names;
  for (unsigned i = 0; i < forward.getNumArguments(); ++i) {
    auto input = forward.getArgAttrOfType<StringAttr>(i, kInputAttr),
         parameter = forward.getArgAttrOfType<StringAttr>(i, kParamAttr);
    if (!input == !parameter)
      return forward.emitError("expected either rgnn.input or rgnn.param, with "
                               "a name, at argument ")
             << i << ", got " << (input ? "both" : "none");
    if (input) {
      if (!names.empty())
        return forward.emitError("expected inputs before parameters, got input "
                                 "'")
               << input.getValue() << "' behind a parameter";
      arguments.push_back(
          json::Object{{"tensor", static_cast<int64_t>(arguments.size())}});
      paths.push_back(input.getValue());
      continue;
    }
    names.push_back(parameter.getValue());
    const json::Object &described = *inputs[i].getAsObject();
    auto type = cast<RankedTensorType>(forward.getArgumentTypes()[i]);
    if (!type.hasStaticShape())
      return forward.emitError("expected parameters of static sizes, got ")
             << type << " for '" << parameter.getValue() << "'";
    parameters.push_back(
        json::Object{{"name", parameter.getValue()},
                     {"kind", "parameter"},
                     {"dtype", *described.get("dtype")},
                     {"shape", *described.get("shape")},
                     {"requires_grad", isa<FloatType>(type.getElementType())}});
  }
  call["arguments"] =
      json::Object{{"args", std::move(arguments)}, {"kwargs", json::Object()}};
  call["paths"] = std::move(paths);
  call["parameters"] = std::move(names);
  return success();
}

/// The tensor that a function gives, or a tuple of them.
static json::Value describeReturns(func::FuncOp forward) {
  json::Array tensors;
  for (int64_t i = 0; i < forward.getNumResults(); ++i)
    tensors.push_back(json::Object{{"tensor", i}});
  if (tensors.size() == 1)
    return std::move(tensors[0]);
  return json::Object{{"tuple", std::move(tensors)}};
}

static FailureOr<std::string> makeManifest(ModuleOp module,
                                           func::FuncOp forward,
                                           ArrayRef<TargetCode> targets) {
  json::Array targetList, parameters;
  json::Object code;
  for (const TargetCode &target : targets) {
    targetList.push_back(
        json::Object{{"name", target.name},
                     {"cpu", target.compiled.cpu},
                     {"features", json::Array(target.compiled.features)}});
    code[target.name] = getCodePath(target);
  }
  // The compiler wrote it, so that it is valid.
  json::Value interface =
      llvm::cantFail(json::parse(targets[0].compiled.manifest));
  json::Object call{{"returns", describeReturns(forward)},
                    {"constants", json::Array()},
                    {"region", 0},
                    {"plan", nullptr},
                    {"training", false},
                    {"autocast", nullptr},
                    {"dtypes", nullptr},
                    {"widens", false},
                    {"derived", nullptr},
                    {"drawn", nullptr}};
  if (failed(describeArguments(forward,
                               *interface.getAsObject()->getArray("inputs"),
                               parameters, call)))
    return failure();
  json::Object function{{"name", kFunction},
                        {"interface", std::move(interface)},
                        {"ir", kBytecodePath},
                        {"code", std::move(code)}};
  json::Object region{
      {"function", 0}, {"trainings", json::Array()}, {"split", nullptr}};
  json::Object compiler{{"rgnn", getVersion()}, {"llvm", LLVM_VERSION_STRING}};
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(
      json::Object{{"format", "rgnn-module"},
                   {"version", 1},
                   {"abi", RGNN_ABI_VERSION},
                   {"compiler", std::move(compiler)},
                   {"name", getModuleName(module)},
                   {"arch", targets[0].compiled.arch},
                   {"targets", std::move(targetList)},
                   {"functions", json::Array{std::move(function)}},
                   {"regions", json::Array{std::move(region)}},
                   {"plans", json::Array()},
                   {"calls", json::Array{std::move(call)}},
                   {"parameters", std::move(parameters)},
                   {"weights", nullptr},
                   {"constants", nullptr}});
  return text;
}

static LogicalResult toSavedModule(Operation *op, raw_ostream &os) {
  FailureOr<ModuleOp> module = getModule(op);
  if (failed(module))
    return failure();
  auto forward = module->lookupSymbol<func::FuncOp>("forward");
  if (!forward)
    return module->emitError("expected a function @forward, got none");
  for (Type type : forward.getArgumentTypes())
    if (!isa<RankedTensorType>(type))
      return forward.emitError("expected tensors as arguments of what is "
                               "saved, got ")
             << type;
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().enableDebugInfo());
  FailureOr<std::vector<TargetCode>> targets = compileForTargets(*module, text);
  if (failed(targets))
    return failure();
  llvm::Expected<std::string> bytecode = liftToBytecode(text);
  if (!bytecode)
    return module->emitError() << llvm::toString(bytecode.takeError());
  FailureOr<std::string> manifest = makeManifest(*module, forward, *targets);
  if (failed(manifest))
    return failure();
  std::vector<ArchiveEntry> entries{{"manifest.json", *manifest},
                                    {kBytecodePath.str(), *bytecode}};
  for (const TargetCode &target : *targets)
    entries.push_back({getCodePath(target), target.bytes});
  if (llvm::Error error = writeArchive(entries, os))
    return module->emitError() << llvm::toString(std::move(error));
  return success();
}

void rgnn::registerSavedModuleTranslation() {
  TranslateFromMLIRRegistration registration(
      "rgnn-to-module",
      "compile @forward for the processor of --rgnn-to-cpu-options and for any "
      "of its architecture, and write a saved module without weights",
      toSavedModule, registerCompiledDialects);
}
