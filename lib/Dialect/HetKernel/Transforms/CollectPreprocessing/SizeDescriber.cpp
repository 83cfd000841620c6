//===- SizeDescriber.cpp - sizes as the manifest says them ----------------===//

#include "SizeDescriber.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::hetkernel;
namespace json = llvm::json;

std::optional<unsigned> hetkernel::getInputIndex(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return std::nullopt;
  return llvm::count_if(
      argument.getOwner()->getArguments().take_front(argument.getArgNumber()),
      [](Value other) { return !isa<rgnn::GraphType>(other.getType()); });
}

std::optional<json::Value> SizeDescriber::describe(Value index) const {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return json::Object{{"value", constant.getSExtValue()}};
  if (auto cast = index.getDefiningOp<arith::IndexCastOp>())
    return describe(cast.getIn());
  if (auto dim = index.getDefiningOp<tensor::DimOp>()) {
    std::optional<int64_t> position = dim.getConstantIndex();
    if (std::optional<unsigned> input = getInputIndex(dim.getSource());
        input && position)
      return json::Object{{"input", *input}, {"dim", *position}};
    return position ? describeDim(dim.getSource(), *position) : std::nullopt;
  }
  if (auto size = index.getDefiningOp<SizeOp>())
    return describe(size);
  if (auto sum = index.getDefiningOp<arith::AddIOp>()) {
    json::Array terms;
    for (Value operand : sum->getOperands()) {
      std::optional<json::Value> term = describe(operand);
      if (!term)
        return std::nullopt;
      terms.push_back(std::move(*term));
    }
    return json::Object{{"sum", std::move(terms)}};
  }
  return std::nullopt;
}

json::Object SizeDescriber::describeGraph(Value graph) const {
  auto split = graph.getDefiningOp<rgnn::SplitGraphOp>();
  Value whole = split ? split.getGraph() : graph;
  json::Object object{{"graph", llvm::find(graphs, whole) - graphs.begin()}};
  if (split)
    object["part"] =
        stringifyPart(cast<rgnn::GraphType>(graph.getType()).getPart());
  return object;
}

json::Value SizeDescriber::describe(SizeOp size) const {
  json::Object object = describeGraph(size.getGraph());
  object["of"] = stringifySizeKind(size.getKind());
  if (size.getKind() == SizeKind::NodeOfType)
    object["param"] = static_cast<int64_t>(size.getParam());
  return object;
}

std::optional<json::Value> SizeDescriber::describeDim(Value tensor,
                                                      int64_t dim) const {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return json::Value(type.getDimSize(dim));
  if (std::optional<unsigned> input = getInputIndex(tensor))
    return json::Object{{"input", *input}, {"dim", dim}};
  Operation *op = tensor.getDefiningOp();
  if (auto kernel = dyn_cast<DestinationStyleOpInterface>(op))
    return describeDim(kernel.getTiedOpOperand(cast<OpResult>(tensor))->get(),
                       dim);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return describe(empty.getDynamicSize(dim));
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    if (auto size = dyn_cast<Value>(slice.getMixedSizes()[dim]))
      return describe(size);
    return std::nullopt;
  }
  if (isa<tensor::CastOp, tensor::InsertSliceOp>(op))
    return describeDim(isa<tensor::InsertSliceOp>(op) ? op->getOperand(1)
                                                      : op->getOperand(0),
                       dim);
  // What is split says how many rows it gives: where rows were joined before,
  // others than it has.
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    if (auto size = dyn_cast<Value>(expand.getMixedOutputShape()[dim]))
      return describe(size);
    return std::nullopt;
  }
  // Features that are joined keep the rows, which alone are dynamic.
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
  if (!collapse)
    return std::nullopt;
  ArrayRef<int64_t> joined = collapse.getSrcType().getShape().take_front(
      collapse.getReassociationIndices()[dim].size());
  return ShapedType::getNumElements(joined.drop_front()) == 1
             ? describeDim(collapse.getSrc(), 0)
             : std::nullopt;
}
