//===- Kernels.cpp - what the kernels of a function do --------------------===//

#include "Manifest.h"

#include "RGNN/Dialect/HetKernel/Analysis/Traffic.h"
#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"
#include "SizeDescriber.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::hetkernel;
namespace json = llvm::json;

/// The factors of the sizes, and the constant; nothing where products of sizes
/// are in it.
static std::optional<json::Array> describeForm(AffineExpr form,
                                               unsigned numSizes) {
  SmallVector<int64_t> factors;
  if (failed(getFlattenedAffineExpr(form, /*numDims=*/0, numSizes, &factors)) ||
      factors.size() != numSizes + 1)
    return std::nullopt;
  return json::Array(factors);
}

/// What a kernel reads, writes and computes on any graph; nothing where that
/// is not known before the run.
static std::optional<json::Object>
describeTraffic(Operation *kernel, ArrayRef<FlatSymbolRefAttr> schemas) {
  FailureOr<TrafficForms> traffic = getTraffic(kernel);
  if (failed(traffic))
    return std::nullopt;
  auto function = kernel->getParentOfType<func::FuncOp>();
  json::Array sizes;
  for (const Size &size : traffic->sizes)
    if (size.rows)
      sizes.push_back(describeRows(size.rows, schemas));
    else
      sizes.push_back(json::Object{
          {"input", *getInputIndex(function.getArgument(size.argument))},
          {"dim", 0}});
  if (llvm::is_contained(sizes, json::Value(-1)))
    return std::nullopt;
  const unsigned numSizes = sizes.size();
  json::Object object{{"sizes", std::move(sizes)}};
  for (auto [name, form] : {std::pair("rows", traffic->rows),
                            {"inner_rows", traffic->innerRows},
                            {"bytes_read", traffic->bytesRead},
                            {"bytes_written", traffic->bytesWritten},
                            {"operations", traffic->operations}}) {
    std::optional<json::Array> described = describeForm(form, numSizes);
    if (!described)
      return std::nullopt;
    object[name] = std::move(*described);
  }
  json::Array buffers;
  for (auto [read, there] : traffic->buffers) {
    std::optional<json::Array> bytes = describeForm(read, numSizes),
                               most = describeForm(there, numSizes);
    if (!bytes || !most)
      return std::nullopt;
    buffers.push_back(json::Array{std::move(*bytes), std::move(*most)});
  }
  object["buffers"] = std::move(buffers);
  return object;
}

json::Array hetkernel::describeKernels(func::FuncOp function,
                                       ArrayRef<FlatSymbolRefAttr> schemas) {
  json::Array kernels;
  Builder builder(function.getContext());
  // Lines of the text that was parsed are none of a model.
  auto parsed =
      function->getParentOp()->getLoc()->findInstanceOf<FileLineColLoc>();
  StringAttr text = parsed ? parsed.getFilename() : StringAttr();
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!op->hasTrait<IsKernel>())
      return;
    op->setAttr(rgnn::kKernelAttr, builder.getI64IntegerAttr(kernels.size()));
    json::Object kernel{{"name", op->getName().stripDialect()}};
    auto outs = cast<DestinationStyleOpInterface>(op).getDpsInits();
    if (!outs.empty())
      kernel["dtype"] = getDTypeName(getElementTypeOrSelf(outs.front()));
    if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>();
        place && place.getFilename() != text) {
      // Names in the user's source may be any bytes.
      kernel["file"] =
          json::fixUTF8(llvm::sys::path::filename(place.getFilename()));
      kernel["line"] = place.getLine();
    }
    if (std::optional<json::Object> traffic = describeTraffic(op, schemas))
      kernel["traffic"] = std::move(*traffic);
    kernels.push_back(std::move(kernel));
  });
  return kernels;
}
