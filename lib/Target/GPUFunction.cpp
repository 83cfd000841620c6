//===- GPUFunction.cpp - a function as launches of kernels ----------------===//

#include "GPUFunction.h"
#include "Evaluation.h"
#include "RGNN/Dialect/RGNN/Utils/Entries.h"
#include "RuntimeArguments.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::rgnn;
namespace json = llvm::json;

FailureOr<GPUFunction> GPUFunction::lower(func::FuncOp function,
                                          const GPUPipelineOptions &options) {
  GPUFunction result;
  result.function = function;
  result.module = cloneAlone(function);
  PassManager manager(function.getContext());
  buildRGNNToGPUKernelsPipeline(manager, options);
  buildKernelsToLaunchesPipeline(manager, options);
  if (failed(manager.run(*result.module)))
    return failure();
  result.entries = getEntries(*result.module);
  auto text =
      result.module->getOperation()->getAttrOfType<StringAttr>(kManifestAttr);
  json::Value manifest = llvm::cantFail(json::parse(text.getValue()));
  result.manifests.push_back(manifest);
  if (const json::Array *variants =
          manifest.getAsObject()->getArray("variants"))
    llvm::append_range(result.manifests, *variants);
  return result;
}

FailureOr<SmallVector<reference::Datum>>
GPUFunction::call(size_t variant, ArrayRef<reference::Datum> arguments) {
  FailureOr<RuntimeArguments> made = RuntimeArguments::make(
      function, arguments, *manifests[variant].getAsObject());
  if (failed(made))
    return failure();
  FailureOr<simulator::Outcome> outcome =
      simulator::simulate(entries[variant], made->data);
  if (failed(outcome))
    return failure();
  numLaunches = outcome->numLaunches;
  SmallVector<reference::Datum> results;
  for (auto [datum, type] :
       llvm::zip_equal(ArrayRef(made->data).take_back(made->numOutputs),
                       function.getResultTypes()))
    results.push_back(
        decodeTensor(datum.bytes, datum.shape, getElementTypeOrSelf(type)));
  return results;
}
