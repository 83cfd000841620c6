//===- Compiler.cpp - from a module to a shared object --------------------===//

#include "RGNN/CodeGen/Compiler.h"
#include "Diagnostics.h"
#include "Kernels.h"
#include "RGNN/CodeGen/Cache.h"
#include "RGNN/CodeGen/FallbackPlan.h"
#include "RGNN/CodeGen/ObjectCode.h"
#include "RGNN/CodeGen/Target.h"
#include "RGNN/CodeGen/TrainingPlan.h"
#include "RGNN/Dialect/HetKernel/Analysis/Traffic.h"
#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"
#include "RGNN/InitAllDialects.h"
#include "RGNN/InitAllPasses.h"
#include "Recipe.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <mutex>

using namespace mlir;
using llvm::StringRef;

namespace {

using Dump = std::vector<std::pair<std::string, std::string>>;

} // namespace

/// Every dialect, and what translation needs; filled once for all contexts.
static const DialectRegistry &allDialects() {
  static const DialectRegistry *registry = [] {
    auto *result = new DialectRegistry;
    mlir::registerAllDialects(*result);
    mlir::registerAllExtensions(*result);
    mlir::registerAllGPUToLLVMIRTranslations(*result);
    rgnn::registerAllDialects(*result);
    rgnn::registerCodeGenDialects(*result);
    return result;
  }();
  return *registry;
}

static void registerPassesOnce() {
  static std::once_flag once;
  std::call_once(once, [] { rgnn::registerAllPasses(); });
}

StringRef rgnn::getVersion() { return RGNN_VERSION; }

static bool isText(StringRef input) {
  return !isBytecode(llvm::MemoryBufferRef(input, "input"));
}

template <typename T>
static std::string printed(T &&value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << value;
  return text;
}

/// Runs all stages; afterwards the module is in the llvm dialect. Reports to
/// `report`, if it is not null.
static llvm::Error lower(ModuleOp module, const rgnn::Recipe &recipe,
                         rgnn::Diagnostics &diagnostics,
                         rgnn::CompileResult *report) {
  for (const rgnn::Recipe::Stage &stage : recipe.stages) {
    PassManager manager(module.getContext());
    stage.build(manager);
    if (failed(manager.run(module)))
      return diagnostics.failure(
          ("lowering to " + stage.name + " failed").str());
    if (!report)
      continue;
    report->ir.emplace_back(stage.name.str(), printed(*module));
    if (stage.report)
      stage.report(module, *report);
  }
  return llvm::Error::success();
}

static llvm::Expected<llvm::SmallString<0>>
generateObject(ModuleOp module, llvm::TargetMachine &machine,
               rgnn::Diagnostics &diagnostics, Dump *dump) {
  llvm::LLVMContext context;
  FailureOr<std::unique_ptr<llvm::Module>> translated =
      rgnn::translateToLLVM(module, context, machine);
  if (failed(translated))
    return diagnostics.failure("translation to LLVM IR failed");
  rgnn::optimize(**translated, machine);
  if (dump) {
    dump->emplace_back("llvm-ir", printed(**translated));
    // Emission changes the module, so it works on a copy.
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(**translated);
    llvm::Expected<llvm::SmallString<0>> assembly =
        rgnn::emitCode(*copy, machine, llvm::CodeGenFileType::AssemblyFile);
    if (!assembly)
      return assembly.takeError();
    dump->emplace_back("assembly", assembly->str().str());
  }
  return rgnn::emitCode(**translated, machine,
                        llvm::CodeGenFileType::ObjectFile);
}

/// Moves the shared object at `result.path` into the cache. Without a place to
/// write, the temporary file stays and a remark says why.
static llvm::Error publish(const rgnn::Cache &cache, StringRef key,
                           rgnn::CompileResult &result) {
  auto code = llvm::MemoryBuffer::getFile(result.path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!code)
    return llvm::createStringError(code.getError(), "cannot read %s: %s",
                                   result.path.c_str(),
                                   code.getError().message().c_str());
  llvm::Expected<rgnn::CacheEntry> entry =
      cache.store(key, (*code)->getBuffer(), result.manifest, result.remarks);
  if (!entry) {
    rgnn::Message &warning = result.remarks.emplace_back();
    warning.kind = "warning";
    warning.text = "not cached: " + llvm::toString(entry.takeError());
    return llvm::Error::success();
  }
  llvm::sys::fs::remove(result.path);
  result.path = std::move(entry->path);
  result.temporary = false;
  return llvm::Error::success();
}

namespace {
/// One module and what the compiler says of it. One thread for one model:
/// models are small, and callers have threads.
struct Session {
  explicit Session(StringRef input)
      : context(allDialects(), MLIRContext::Threading::DISABLED),
        diagnostics(context),
        module(parseSourceString<ModuleOp>(input, ParserConfig(&context),
                                           "forward.mlir")) {}

  MLIRContext context;
  rgnn::Diagnostics diagnostics;
  OwningOpRef<ModuleOp> module; ///< null, with an error, if it is none
};
} // namespace

llvm::Expected<rgnn::CompileResult>
rgnn::compileToSharedObject(StringRef input, const CompileOptions &options) {
  llvm::Expected<Recipe> recipe = options.gpu ? makeGPURecipe(options.pipeline)
                                              : makeCPURecipe(options.pipeline);
  if (!recipe)
    return recipe.takeError();
  llvm::Expected<Target> target = resolveTarget(recipe->cpu, recipe->features);
  if (!target)
    return target.takeError();
  llvm::Expected<std::string> missing = findMissingFeatures(*target);
  if (!missing)
    return missing.takeError();
  if (!missing->empty() && !options.dump && !options.foreign)
    return llvm::createStringError(
        std::errc::invalid_argument,
        "expected a target that this processor can run, got '%s', which needs "
        "%s",
        target->cpu.c_str(), missing->c_str());

  Cache cache(options.cacheDirectory.empty() ? Cache::defaultDirectory()
                                             : options.cacheDirectory);
  const std::string key = Cache::key(
      {input, recipe->options, target->triple, target->cpu, target->features});
  llvm::Expected<std::vector<std::string>> required =
      findRequiredFeatures(*target);
  if (!required)
    return required.takeError();
  CompileResult result;
  result.missingFeatures = std::move(*missing);
  result.arch = llvm::Triple(target->triple).getArchName().str();
  result.cpu = target->cpu;
  result.features = std::move(*required);
  if (options.cache && !options.dump) {
    if (std::optional<CacheEntry> entry = cache.find(key)) {
      result.path = std::move(entry->path);
      result.manifest = std::move(entry->manifest);
      result.remarks = std::move(entry->remarks);
      result.cached = true;
      result.temporary = false;
      return result;
    }
  }

  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      createTargetMachine(*target);
  if (!machine)
    return machine.takeError();
  Session session(input);
  auto &[context, diagnostics, module] = session;
  if (!module)
    return diagnostics.failure("the input is not a module");
  Dump *dump = options.dump ? &result.ir : nullptr;
  if (dump)
    dump->emplace_back("input", isText(input) ? input.str() : printed(*module));
  if (llvm::Error error = lower(*module, *recipe, diagnostics,
                                options.dump ? &result : nullptr))
    return error;
  if (!module->lookupSymbol("rgnn_forward"))
    return diagnostics.failure("expected a function @forward, got none");
  if (auto manifest = (*module)->getAttrOfType<StringAttr>(kManifestAttr))
    result.manifest = manifest.str();
  llvm::Expected<llvm::SmallString<0>> object =
      generateObject(*module, **machine, diagnostics, dump);
  if (!object)
    return object.takeError();
  llvm::Expected<std::string> path = linkToTemporary(*object);
  if (!path)
    return path.takeError();
  result.path = *path;
  result.remarks = diagnostics.takeRemarks();
  if (options.cache)
    if (llvm::Error error = publish(cache, key, result))
      return error;
  return result;
}

llvm::Expected<std::string> rgnn::liftToBytecode(StringRef input) {
  Session session(input);
  auto &[context, diagnostics, module] = session;
  if (!module)
    return diagnostics.failure("the input is not a module");
  if (!module->lookupSymbol("forward"))
    return diagnostics.failure("expected a function @forward, got none");
  PassManager manager(&context);
  buildCapturedToRGNNPipeline(manager);
  if (failed(manager.run(*module)))
    return diagnostics.failure("lifting failed");
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  // Who wrote it, for the messages of those that cannot read it.
  BytecodeWriterConfig config("RGNN " RGNN_VERSION);
  if (failed(writeBytecodeToFile(*module, stream, config)))
    return diagnostics.failure("bytecode cannot be written");
  return bytes;
}

llvm::Expected<rgnn::PlanResult> rgnn::splitFallback(StringRef input) {
  Session session(input);
  auto &[context, diagnostics, module] = session;
  if (!module)
    return diagnostics.failure("the input is not a module");
  PassManager manager(&context);
  buildSplitFallbackPipeline(manager);
  if (failed(manager.run(*module)))
    return diagnostics.failure("lifting failed");
  FailureOr<std::string> plan = describeFallback(*module);
  if (failed(plan))
    return diagnostics.failure("the plan cannot be described");
  return PlanResult{std::move(*plan), diagnostics.takeRemarks()};
}

llvm::Expected<rgnn::PlanResult>
rgnn::differentiate(StringRef input, ArrayRef<int64_t> arguments,
                    StringRef pipeline, bool onGPU) {
  auto options = parseCPUOptions(pipeline);
  if (!options)
    return options.takeError();
  Session session(input);
  auto &[context, diagnostics, module] = session;
  if (!module)
    return diagnostics.failure("the input is not a module");
  PassManager manager(&context);
  buildDifferentiatePipeline(manager, arguments, **options, onGPU);
  if (failed(manager.run(*module)))
    return diagnostics.failure("differentiation failed");
  FailureOr<std::string> plan = describeTraining(*module);
  if (failed(plan))
    return diagnostics.failure("the plan cannot be described");
  return PlanResult{std::move(*plan), diagnostics.takeRemarks()};
}

llvm::Expected<rgnn::KernelsResult> rgnn::planKernels(StringRef input,
                                                      StringRef pipeline) {
  Session session(input);
  auto &[context, diagnostics, module] = session;
  if (!module)
    return diagnostics.failure("the input is not a module");
  auto options = parseCPUOptions(pipeline);
  if (!options)
    return options.takeError();
  PassManager manager(&context);
  buildRGNNToHetKernelPipeline(manager, **options);
  if (failed(manager.run(*module)))
    return diagnostics.failure("lowering to hetkernel failed");
  KernelsResult result;
  if (auto manifest = (*module)->getAttrOfType<StringAttr>(kManifestAttr))
    result.manifest = manifest.str();
  result.kernels = listKernels(*module);
  if (auto forward = module->lookupSymbol<func::FuncOp>("forward"))
    for (const hetkernel::Traffic &op : hetkernel::countWeights(forward))
      result.onWeights.push_back(
          {op.bytesRead, op.bytesWritten, op.operations});
  return result;
}

llvm::Expected<std::vector<std::pair<std::string, std::string>>>
rgnn::listLeftOut(StringRef pipeline, bool onGPU) {
  auto options = parseCPUOptions(pipeline);
  if (!options)
    return options.takeError();
  return listLeftOut(**options, onGPU);
}

llvm::Expected<std::vector<std::string>>
rgnn::listRewritePasses(StringRef pipeline,
                        std::optional<ArrayRef<int64_t>> differentiated,
                        bool onGPU) {
  auto options = parseCPUOptions(pipeline);
  if (!options)
    return options.takeError();
  Session session("module {}");
  PassManager manager(&session.context);
  if (differentiated)
    buildDifferentiatePipeline(manager, *differentiated, **options, onGPU);
  else
    buildRewritePipeline(manager, **options, onGPU);
  std::vector<std::string> passes;
  for (Pass &pass : manager.getPasses()) {
    llvm::raw_string_ostream stream(passes.emplace_back());
    pass.printAsTextualPipeline(stream);
  }
  return passes;
}

llvm::Expected<std::vector<std::pair<std::string, std::string>>>
rgnn::readPTX(StringRef input) {
  Session session(input);
  if (!session.module)
    return session.diagnostics.failure("the input is not a module");
  return listPTX(*session.module);
}

llvm::Expected<std::string> rgnn::runPipeline(StringRef input,
                                              StringRef pipeline) {
  registerPassesOnce();
  Session session(input);
  auto &[context, diagnostics, module] = session;
  if (!module)
    return diagnostics.failure("the input is not a module");
  PassManager manager(&context);
  std::string message;
  llvm::raw_string_ostream stream(message);
  const StringRef anchor = "builtin.module(";
  StringRef passes = pipeline.trim();
  if (passes.starts_with(anchor) && passes.ends_with(")"))
    passes = passes.drop_front(anchor.size()).drop_back();
  if (failed(parsePassPipeline(passes, manager, stream)))
    return llvm::createStringError(std::errc::invalid_argument,
                                   "pipeline '%s': %s", pipeline.str().c_str(),
                                   StringRef(message).rtrim().str().c_str());
  if (failed(manager.run(*module)))
    return diagnostics.failure("the pipeline failed");
  // As the tools print a module, byte for byte.
  std::string result;
  llvm::raw_string_ostream out(result);
  (*module)->print(out);
  out << '\n';
  return result;
}
