//===- Requests.cpp - views and sizes as arguments ------------------------===//

#include "Manifest.h"

#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"
#include "SizeDescriber.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::hetkernel;
namespace json = llvm::json;

Requests hetkernel::collectRequests(func::FuncOp function,
                                    ArrayRef<Value> graphs) {
  SizeDescriber describer(graphs);
  llvm::MapVector<std::tuple<Value, int64_t, int64_t>, SmallVector<Operation *>>
      sizes, views;
  function.walk([&](Operation *op) {
    if (auto size = dyn_cast<SizeOp>(op))
      sizes[{size.getGraph(), static_cast<int64_t>(size.getKind()),
             static_cast<int64_t>(size.getParam())}]
          .push_back(op);
    else if (auto view = dyn_cast<ViewOp>(op))
      views[{view.getGraph(), static_cast<int64_t>(view.getKind()),
             static_cast<int64_t>(view.getParam())}]
          .push_back(op);
  });
  json::Array sizeList, viewList;
  unsigned position = 0;
  auto replace = [&](ArrayRef<Operation *> ops, StringRef name) {
    Builder builder(function.getContext());
    auto attributes = builder.getDictionaryAttr(
        builder.getNamedAttr(name, builder.getUnitAttr()));
    (void)function.insertArgument(position, ops[0]->getResult(0).getType(),
                                  attributes, ops[0]->getLoc());
    for (Operation *op : ops) {
      op->getResult(0).replaceAllUsesWith(function.getArgument(position));
      op->erase();
    }
    ++position;
  };
  for (auto &[key, ops] : sizes) {
    sizeList.push_back(describer.describe(cast<SizeOp>(ops[0])));
    replace(ops, rgnn::kSizeAttr);
  }
  for (auto &[key, ops] : views) {
    auto view = cast<ViewOp>(ops[0]);
    int64_t tileRows = view.getParam();
    json::Object object = describer.describeGraph(view.getGraph());
    object["kind"] = stringifyViewKind(view.getKind());
    object["param"] = static_cast<int64_t>(view.getParam());
    viewList.push_back(std::move(object));
    replace(ops, rgnn::kViewAttr);
    if (tileRows > 0)
      function.setArgAttr(
          position - 1, rgnn::kTileRowsAttr,
          IntegerAttr::get(IntegerType::get(function.getContext(), 64),
                           tileRows));
  }
  return {std::move(sizeList), std::move(viewList)};
}

bool hetkernel::isRequest(func::FuncOp function, unsigned number) {
  return function.getArgAttr(number, rgnn::kSizeAttr) ||
         function.getArgAttr(number, rgnn::kViewAttr);
}
